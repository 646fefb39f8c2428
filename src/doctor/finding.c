#include "doctor/finding.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/finding_parts.h"

#define MATCHES  1000 /* the error text may have this cause */
#define MENTIONS 100  /* the error text names the package */

const char *finding_confidence_name(enum finding_confidence confidence)
{
    static const char *const names[] = { "certain", "likely", "possible" };
    return names[confidence];
}

struct finding *finding_add(struct findings *f, enum doctor_cause cause, int weight)
{
    if (f->count == FINDINGS_MAX)
        return NULL;
    struct finding *finding = &f->list[f->count++];
    *finding = (struct finding){ .cause = cause, .gpu = -1, .package = -1, .weight = weight };
    return finding;
}

struct remark *finding_say(struct finding *finding, const char *id)
{
    static struct remark nowhere;
    if (finding->evidence_count == FINDING_EVIDENCE_MAX) {
        nowhere = remark_new(id);
        return &nowhere;
    }
    struct remark *r = &finding->evidence[finding->evidence_count++];
    *r = remark_new(id);
    return r;
}

/* Whether the text has the package's name as a word, "-" and "_" alike. */
static bool mentions(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *p = text; length > 3 && *p; p++) {
        size_t i = 0;
        while (i < length && p[i] &&
               (tolower((unsigned char)p[i]) == tolower((unsigned char)name[i]) ||
                (strchr("-_", p[i]) && strchr("-_", name[i]))))
            i++;
        if (i == length)
            return true;
    }
    return false;
}

/* What people see of a package that is not its name. */
static bool speaks_of(const char *text, const char *package)
{
    static const struct {
        const char *part, *package;
    } words[] = { { "ONNXRuntime", "onnxruntime" }, { " node)", "onnxruntime" },
                  { "node. ", "onnxruntime" },      { "nms", "torchvision" },
                  { "FlashAttention", "flash" },    { "xla_", "jax" } };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strstr(text, words[i].part) && str_starts(package, words[i].package))
            return true;
    return mentions(text, package);
}

static void weigh(const struct doctor *d, struct findings *f)
{
    for (size_t i = 0; i < f->count; i++) {
        struct finding *one = &f->list[i];
        if (f->error_causes >> one->cause & 1)
            one->weight += MATCHES;
        if (d->error && one->package >= 0 && speaks_of(d->error, d->packages[one->package].name))
            one->weight += MENTIONS;
        bool against = f->error_causes && !(f->error_causes >> one->cause & 1);
        if ((against || d->partial) && one->confidence == FINDING_CERTAIN)
            one->confidence = FINDING_LIKELY;
    }
}

/* Heavier first; among equals the one found first, which `package` and `gpu` tell. */
static int by_weight(const void *a, const void *b)
{
    const struct finding *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    if (x->package != y->package)
        return x->package < y->package ? -1 : 1;
    return x->gpu - y->gpu;
}

int findings_find(const struct doctor *d, struct findings *f, struct err *err)
{
    *f = (struct findings){ .list = calloc(FINDINGS_MAX, sizeof *f->list) };
    if (!f->list)
        return err_set(err, ERR_MEMORY, "out of memory");
    f->error_causes = doctor_error_causes(d->error, NULL);
    f->error_known = f->error_causes != 0;
    finding_driver(d, f);
    finding_packages(d, f);
    finding_libraries(d, f);
    weigh(d, f);
    if (f->count)
        qsort(f->list, f->count, sizeof *f->list, by_weight);
    if (f->error_causes && (!f->count || f->list[0].weight < MATCHES)) {
        finding_error(d, f);
        qsort(f->list, f->count, sizeof *f->list, by_weight);
    }
    for (size_t i = 0; i < f->count && i < 8; i++)
        finding_cure(d, &f->list[i]);
    return 0;
}

void findings_free(struct findings *f)
{
    free(f->list);
    *f = (struct findings){ 0 };
}

void finding_error(const struct doctor *d, struct findings *f)
{
    enum doctor_cause first;
    doctor_error_causes(d->error, &first);
    struct finding *one = first < CAUSE_COUNT ? finding_add(f, first, MATCHES) : NULL;
    if (!one)
        return;
    one->confidence = FINDING_POSSIBLE;
    one->gpu = d->gpu_count ? 0 : -1;
    finding_say(one, "doctor.by_text");
}
