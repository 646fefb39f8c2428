#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "data/data.h"
#include "doctor/finding_parts.h"

/* What people call "the main library": others are built on it or beside it. Beginnings of names. */
static const char *const frameworks[] = { "torch",     "pytorch",  "tensorflow",  "jax",
                                          "mxnet",     "paddle",   "onnxruntime", "ctranslate2",
                                          "xgboost",   "lightgbm", "catboost",    "cupy",
                                          "chainer",   "cntk",     "theano",      "tensorrt",
                                          "faiss",     "spacy",    "opencv",      "llama",
                                          "mindspore", "oneflow",  "caffe" };

/* Begin like one and are none. */
static const char *const built_on[] = { "torchvision",     "torchaudio", "torchtext",
                                        "torch-",          "torch_",     "torchsparse",
                                        "torchcodec",      "torchao",    "tensorflow-text",
                                        "tensorflow_text", "torchaudio" };

bool finding_is_torch(const char *package)
{
    return strcasecmp(package, "torch") == 0 || strcasecmp(package, "pytorch") == 0;
}

bool finding_is_framework(const char *package)
{
    for (size_t i = 0; i < sizeof built_on / sizeof built_on[0]; i++)
        if (strncasecmp(package, built_on[i], strlen(built_on[i])) == 0)
            return false;
    for (size_t i = 0; i < sizeof frameworks / sizeof frameworks[0]; i++)
        if (strncasecmp(package, frameworks[i], strlen(frameworks[i])) == 0)
            return true;
    return false;
}

/* A row for the same release, and one of them for the CUDA version that it was built with. */
static bool released_otherwise(const struct doctor_package *p)
{
    const struct table *t = data_table(DATA_BUILDS);
    bool known = false;
    for (size_t row = 0; row < t->row_count; row++) {
        if (strcmp(table_field(t, row, "package"), p->name) != 0 ||
            strcmp(table_field(t, row, "version"), p->version) != 0)
            continue;
        if (strcmp(table_field(t, row, "cuda"), p->cuda) == 0)
            return false;
        known = true;
    }
    return known && *p->cuda;
}

/* Where compilers leave what they make, and where people put what they compiled. */
bool finding_is_own_build(const struct doctor_package *p, const char *path)
{
    static const char *const parts[] = { "build/",         "build_",       "cmake-build",
                                         "target/release", "target/debug", "CMakeFiles",
                                         "samples/",       "/src/",        "Debug/",
                                         "Introduction/" };
    if (p->origin == DOCTOR_PIP && !finding_is_torch(p->name))
        return released_otherwise(p);
    if (p->origin == DOCTOR_SYSTEM)
        return str_starts(p->base, "/usr/local") && strchr(path, '/') == strrchr(path, '/');
    for (size_t i = 0; p->origin == DOCTOR_APP && i < sizeof parts / sizeof parts[0]; i++)
        if (strstr(path, parts[i]) || strcasestr(p->name, "samples"))
            return true;
    return false;
}

void finding_put_gpu(struct remark *r, const struct doctor_gpu *gpu)
{
    remark_put(r, "card", gpu->name);
    remark_putf(r, "cc", "%u.%u", gpu->rule.cc / 10, gpu->rule.cc % 10);
}

int finding_compare_versions(const char *a, const char *b)
{
    while (*a || *b) {
        char *end;
        unsigned long x = strtoul(a, &end, 10);
        a = end + (*end == '.');
        unsigned long y = strtoul(b, &end, 10);
        if (x != y)
            return x < y ? -1 : 1;
        b = end + (*end == '.');
        if (!isdigit((unsigned char)*a) && !isdigit((unsigned char)*b))
            return 0;
    }
    return 0;
}

static bool same(const char *a, const char *b)
{
    for (; *a && *b; a++, b++)
        if (tolower((unsigned char)*a) != tolower((unsigned char)*b) &&
            !(strchr("-_", *a) && strchr("-_", *b)))
            return false;
    return !*a && !*b;
}

unsigned finding_floor(const char *package, const char *version, enum doctor_cause *cause)
{
    const struct table *t = data_table(DATA_FLOORS);
    unsigned major, minor;
    for (size_t row = 0; row < t->row_count; row++) {
        const char *below = table_field(t, row, "below");
        if (!same(table_field(t, row, "package"), package) || !*version ||
            finding_compare_versions(version, table_field(t, row, "from")) < 0 ||
            (!table_blank(below) && finding_compare_versions(version, below) >= 0) ||
            sscanf(table_field(t, row, "min_cc"), "%u.%u", &major, &minor) != 2)
            continue;
        *cause = CAUSE_COUNT;
        for (int c = 0; c < CAUSE_COUNT; c++)
            if (strcmp(doctor_cause_code((enum doctor_cause)c), table_field(t, row, "cause")) == 0)
                *cause = (enum doctor_cause)c;
        return major * 10 + minor;
    }
    return 0;
}
