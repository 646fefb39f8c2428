#include "doctor/role.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "data/data.h"
#include "doctor/link.h"
#include "doctor/packages_scan.h"

#define SEPARATOR " | "

static int plain(char c)
{
    return c == '-' || c == '.' ? '_' : tolower((unsigned char)c);
}

bool role_same_name(const char *a, const char *b)
{
    while (*a && *b && plain(*a) == plain(*b))
        a++, b++;
    return !*a && !*b;
}

/* How many letters of the row's name fit; 0: it is another name. A dot in it is one: the program
 * "llama.cpp" is not the module "llama_cpp". */
static size_t fits(const char *row, const char *package)
{
    size_t n = 0;
    while (row[n] && row[n] != '*' && plain(row[n]) == plain(package[n]) &&
           (row[n] != '.' || package[n] == '.'))
        n++;
    return row[n] == '*' ? n + 1 : !row[n] && !package[n] ? n + 2 : 0;
}

static long row_of(const char *package)
{
    const struct table *t = data_table(DATA_ROLES);
    size_t best = 0;
    long found = -1;
    for (size_t row = 0; row < t->row_count; row++) {
        size_t n = fits(table_field(t, row, "name"), package);
        if (n > best) {
            best = n;
            found = (long)row;
        }
    }
    return found;
}

static bool is_framework_row(long row)
{
    return row >= 0 && strcmp(table_field(data_table(DATA_ROLES), (size_t)row, "role"),
                              "framework") == 0;
}

bool role_is_framework_name(const char *package)
{
    return is_framework_row(row_of(package));
}

bool role_is_source(const char *program, bool windows)
{
    long row = row_of(program);
    const char *role = row < 0 ? "" : table_field(data_table(DATA_ROLES), (size_t)row, "role");
    return strcmp(role, "source") == 0 || (!windows && strcmp(role, "source-unix") == 0);
}

const char *role_compiler(const char *package)
{
    long row = row_of(package);
    const char *name =
        row < 0 ? "-" : table_field(data_table(DATA_ROLES), (size_t)row, "compiler");
    return table_blank(name) ? "" : name;
}

/* Packages that every program with a GPU may have beside its main library are no base of it. */
bool role_is_framework_requirement(const char *requirement)
{
    static const char *const bases[] = { "torch", "pytorch", "tensorflow", "tensorflow_gpu",
                                         "jax",   "jaxlib",  "cupy",       "paddlepaddle_gpu" };
    char name[96];
    size_t n = 0;
    while (n + 1 < sizeof name && (isalnum((unsigned char)requirement[n]) ||
                                   (requirement[n] && strchr("-_.", requirement[n]))))
        n++;
    if (strstr(requirement, "extra"))
        return false; /* only for an extra that nobody may have asked for */
    snprintf(name, sizeof name, "%.*s", (int)n, requirement);
    for (size_t i = 0; i < sizeof bases / sizeof bases[0]; i++)
        if (role_same_name(name, bases[i]))
            return true;
    return false;
}

/* ---- in messages ---- */

static bool has_name(const char *text, const char *name)
{
    for (; *text; text++) {
        size_t i = 0;
        while (name[i] && plain(text[i]) == plain(name[i]))
            i++;
        if (!name[i])
            return true;
    }
    return false;
}

bool role_is_spoken_of(const char *text, const char *package)
{
    long row = row_of(package);
    if (strlen(package) > 3 && has_name(text, package))
        return true;
    const char *words = row < 0 ? "-" : table_field(data_table(DATA_ROLES), (size_t)row, "words");
    while (words && !table_blank(words)) {
        const char *end = strstr(words, SEPARATOR);
        char word[64];
        snprintf(word, sizeof word, "%.*s", end ? (int)(end - words) : (int)strlen(words), words);
        if (strcasestr(text, word))
            return true;
        words = end ? end + strlen(SEPARATOR) : NULL;
    }
    return false;
}

bool role_is_file_spoken_of(const char *text, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    char stem[96];
    if (str_starts(base, "lib"))
        base += 3;
    snprintf(stem, sizeof stem, "%.*s", (int)strcspn(base, "."), base);
    return text && strlen(stem) > 3 && has_name(text, stem);
}

bool role_is_part_spoken_of(const char *text, const char *path)
{
    const char *slash = strchr(path, '/'); /* behind the package's own folder */
    while (slash) {
        const char *next = strchr(slash + 1, '/');
        char part[96];
        snprintf(part, sizeof part, "%.*s", next ? (int)(next - slash - 1) : 0, slash + 1);
        if (row_of(part) >= 0 && role_is_spoken_of(text, part))
            return true;
        slash = next;
    }
    return false;
}

/* ---- of a package ---- */

const char *role_main_library(const char *file)
{
    static const char *const libraries[] = { "torch",  "c10", "tensorflow", "caffe2",
                                             "paddle", "jax", "mxnet",      "onnxruntime" };
    const char *slash = strrchr(file, '/');
    file = slash ? slash + 1 : file;
    file += str_starts(file, "lib") ? 3 : 0;
    for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++)
        if (str_starts(file, libraries[i]))
            return libraries[i];
    return NULL;
}

/* Linked with a main library that is not its own. */
static bool is_linked_with_one(const struct doctor *d, const struct doctor_package *p)
{
    int file = d->gpu_count && p->fault[0] >= 0 ? p->fault[0] : p->file_count ? 0 : -1;
    char path[ROOT_PATH_MAX], full[ROOT_PATH_MAX];
    struct link link;
    struct err unused;
    bool found = false;
    err_clear(&unused);
    if (file < 0)
        return false;
    packages_path(p, p->files[file].path, path);
    if (!root_resolve(d->sysroot, path, full))
        return false;
    if (link_read(full, &link, &unused) == 0)
        for (size_t i = 0; i < link.needed_count; i++)
            found |= role_main_library(link.needed[i]) != NULL;
    link_free(&link);
    return found;
}

static bool has_framework_beside(const struct doctor *d, const struct doctor_package *p)
{
    for (size_t i = 0; i < d->package_count; i++) {
        const struct doctor_package *other = &d->packages[i];
        if (other != p && other->env == p->env && (other->file_count || other->cpu_build) &&
            role_is_framework_name(other->name))
            return true;
    }
    return false;
}

/* A module of Python by its name, which no program's own code is; or "roi_pooling.so", which is nothing
 * to link with. */
static bool is_module(const struct doctor *d, const struct doctor_package *p)
{
    int file = d->gpu_count && p->fault[0] >= 0 ? p->fault[0] : 0;
    const char *path = p->file_count ? p->files[file].path : "";
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    if (str_ends(base, ".so") && !str_starts(base, "lib"))
        return true;
    return strstr(path, ".cpython-") || strstr(path, ".abi3.so") ||
           strstr(path, "/_ext/") || str_ends(path, ".pyd");
}

/* "nunchaku/_C.cpython-311-x86_64-linux-gnu.so": as PyTorch's guide to extensions calls them;
 * "nms/_ext/nms/_nms.so": of its old ffi. */
static bool is_named_as_extension(const struct doctor_package *p)
{
    for (size_t i = 0; i < p->file_count; i++) {
        const char *slash = strrchr(p->files[i].path, '/');
        if (str_starts(slash ? slash + 1 : p->files[i].path, "_C.") ||
            strstr(p->files[i].path, "/_ext/"))
            return true;
    }
    return false;
}

static enum doctor_role role_of(const struct doctor *d, const struct doctor_package *p)
{
    long row = row_of(p->name);
    if (row < 0 && str_starts(p->name, "lib")) /* "libcuml" of conda */
        row = row_of(p->name + 3);
    if (row < 0 && p->file_count) { /* "rapids-cuml" keeps its files in "cuml" */
        char folder[96];
        packages_part_name(p->files[0].path, folder, sizeof folder);
        row = row_of(folder);
    }
    if (p->origin == DOCTOR_SYSTEM)
        return DOCTOR_PROGRAM;
    if (p->origin == DOCTOR_APP && !p->bundled)
        return is_module(d, p) && !is_framework_row(row) && !role_is_source(p->name, false)
                   ? DOCTOR_EXTENSION
                   : DOCTOR_PROGRAM;
    if (row >= 0 && !role_is_source(p->name, false))
        return is_framework_row(row) ? DOCTOR_FRAMEWORK : DOCTOR_EXTENSION;
    return p->on_framework || is_linked_with_one(d, p) || is_named_as_extension(p) ||
                   has_framework_beside(d, p)
               ? DOCTOR_EXTENSION
               : DOCTOR_FRAMEWORK;
}

void role_assign(struct doctor *d)
{
    for (size_t i = 0; i < d->package_count; i++)
        d->packages[i].role = role_of(d, &d->packages[i]);
}
