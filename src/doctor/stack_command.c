#include <stdio.h>
#include <string.h>

#include "core/str.h"
#include "data/data.h"
#include "doctor/stack.h"

static const char *field(size_t build, const char *name)
{
    return table_field(data_table(DATA_BUILDS), build, name);
}

/* What belongs to a release of torch; "" when it is not known. */
static const char *beside(const char *version, const char *column)
{
    const struct table *t = data_table(DATA_RELEASES);
    for (size_t row = 0; row < t->row_count; row++)
        if (strcmp(table_field(t, row, "release"), version) == 0) {
            const char *value = table_field(t, row, column);
            return table_blank(value) ? "" : value;
        }
    return "";
}

static bool is(size_t build, const char *column, const char *value)
{
    return strcmp(field(build, column), value) == 0;
}

/* The CUDA of the release that plain pip gives on Linux. */
static const char *default_cuda(const char *version)
{
    const struct table *t = data_table(DATA_BUILDS);
    for (size_t row = 0; row < t->row_count; row++)
        if (is(row, "package", "torch") && is(row, "version", version) && is(row, "pypi", "yes"))
            return table_field(t, row, "cuda");
    return "";
}

/* Before 1.2 the folder on the index says the CUDA, not the wheel's name. */
static bool in_folder(size_t build)
{
    return stack_compare(field(build, "version"), "1.2") < 0;
}

/* But for those that were once the default. */
bool stack_has_suffix(size_t build)
{
    const char *version = field(build, "version");
    if (in_folder(build))
        return false;
    bool was_default = strcmp(default_cuda(version), field(build, "cuda")) == 0;
    if (is(build, "os", "windows"))
        return !(was_default && stack_compare(version, "1.8") < 0);
    return !was_default || (stack_compare(version, "1.8") >= 0 && !is(build, "pypi", "yes"));
}

static void add_url(size_t build, const char *package, const char *version, struct str *to)
{
    char python[8];
    unsigned major = 0, minor = 0, py_major = 0, py_minor = 0;
    sscanf(field(build, "cuda"), "%u.%u", &major, &minor);
    sscanf(stack_last_python(field(build, "python"), python), "%u.%u", &py_major, &py_minor);
    /* the "m" of their ABI ended with Python 3.8, which none of them knows */
    str_addf(to, "https://download.pytorch.org/whl/cu%u%u/%s-%s-cp%u%u-cp%u%um-%s.whl", major,
             minor, package, version, py_major, py_minor, py_major, py_minor,
             is(build, "os", "windows") ? "win_amd64" : "linux_x86_64");
}

/* torchvision has kernels of its own from 0.3 on; before that PyPI's is the one for all. */
static void add_folder_pip(size_t build, struct str *to)
{
    const char *version = field(build, "version"), *vision = beside(version, "torchvision");
    str_add(to, "pip install ");
    add_url(build, "torch", version, to);
    str_add(to, "\n");
    if (!*vision)
        return;
    str_add(to, "pip install ");
    if (stack_compare(vision, "0.3") >= 0)
        add_url(build, "torchvision", vision, to);
    else
        str_addf(to, "torchvision==%s", vision);
    str_add(to, "\n");
}

static void add_torch_pip(size_t build, struct str *to)
{
    const char *version = field(build, "version"), *vision = beside(version, "torchvision"),
               *index = field(build, "index");
    char suffix[16] = "";
    unsigned major = 0, minor = 0;
    bool indexed = str_starts(index, "--index-url");
    sscanf(field(build, "cuda"), "%u.%u", &major, &minor);
    if (!indexed && stack_has_suffix(build))
        snprintf(suffix, sizeof suffix, "+cu%u%u", major, minor);
    str_addf(to, "pip install torch==%s%s", version, suffix);
    if (*vision)
        str_addf(to, " torchvision==%s%s", vision, suffix);
    if (!table_blank(index) && !(is(build, "pypi", "yes") && is(build, "os", "linux")))
        str_addf(to, " %s", index);
    str_add(to, "\n");
}

static void add_torch_conda(size_t build, struct str *to)
{
    const char *version = field(build, "version"), *vision = beside(version, "torchvision"),
               *cuda = field(build, "cuda");
    bool newer = stack_compare(version, "1.13") >= 0;
    str_addf(to, "conda install pytorch==%s", version);
    if (*vision)
        str_addf(to, " torchvision==%s", vision);
    str_addf(to, " %s=%s -c pytorch%s\n", newer ? "pytorch-cuda" : "cudatoolkit", cuda,
             newer                              ? " -c nvidia"
             : stack_compare(cuda, "11.1") >= 0 ? " -c nvidia -c conda-forge"
                                                : "");
}

/* The tag whose CUDA is the build's. */
static bool add_image(size_t build, struct str *to)
{
    char cuda[24], tag[96];
    snprintf(cuda, sizeof cuda, "-cuda%s-", field(build, "cuda"));
    for (const char *p = beside(field(build, "version"), "docker"); *p;) {
        size_t n = strcspn(p, " ");
        str_copy(tag, n + 1 < sizeof tag ? n + 1 : sizeof tag, p);
        if (strstr(tag, cuda)) {
            str_addf(to, "docker run --gpus all -it pytorch/pytorch:%s\n", tag);
            return true;
        }
        p += n + strspn(p + n, " ");
    }
    return false;
}

static void add_python(size_t build, struct str *to)
{
    char python[8];
    const char *package = field(build, "package");
    if (*stack_last_python(field(build, "python"), python))
        str_addf(to, "conda create -n %s-%s python=%s && conda activate %s-%s\n", package,
                 field(build, "version"), python, package, field(build, "version"));
}

static bool is_conda(size_t build)
{
    return is(build, "channel", "conda");
}

bool stack_command(size_t build, size_t which, struct str *to)
{
    bool torch = is(build, "package", "torch"), linux = is(build, "os", "linux");
    if (which == 0 && is(build, "channel", "pip")) {
        add_python(build, to);
        if (torch && in_folder(build) && !is(build, "pypi", "yes"))
            add_folder_pip(build, to);
        else if (torch)
            add_torch_pip(build, to);
        else if (is(build, "version", "current"))
            str_addf(to, "pip install '%s'\n", field(build, "package"));
        else
            str_addf(to, "pip install '%s==%s'\n", field(build, "package"),
                     field(build, "version"));
        return true;
    }
    if (which == 1 && torch && is_conda(build)) {
        add_python(build, to);
        add_torch_conda(build, to);
        return true;
    }
    return which == 2 && torch && linux && add_image(build, to);
}
