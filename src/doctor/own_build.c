#include "doctor/own_build.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "data/data.h"
#include "doctor/packages_scan.h"
#include "doctor/role.h"

#define SHAPE_ARCHS_MAX 2 /* that people name by hand */
#define LIST_LEAST      3 /* architectures in a list that is one */

/* ---- packages of Python ---- */

/* "2.1.0a0+git1234567", "1.9.0a0+gitd69c22d", "0.3.1+g4f6c8a2": a checkout was compiled. A nightly
 * build of the makers has a date: "2.6.0.dev20241112+cu124". */
static bool is_checkout(const char *version)
{
    const char *local = strchr(version, '+');
    if (!local)
        return false;
    if (str_starts(local, "+git"))
        return true;
    return local[1] == 'g' && isxdigit((unsigned char)local[2]) && strlen(local) > 7;
}

/* "0.0.30+836cd905.d20250327": from a checkout with changes of one's own, on that day. */
static bool is_changed_checkout(const char *version)
{
    const char *local = strchr(version, '+'), *day = local ? strstr(local, ".d20") : NULL;
    return day && strspn(day + 2, "0123456789") == 8 && !day[10];
}

static bool release_has(const char *archs, unsigned arch)
{
    char word[16];
    size_t n = (size_t)snprintf(word, sizeof word, "sm_%u", arch);
    for (const char *p = archs; (p = strstr(p, word)); p += n)
        if (!isdigit((unsigned char)p[n]))
            return true;
    return false;
}

static unsigned count_of(const char *archs)
{
    unsigned count = 0;
    for (const char *p = archs; (p = strstr(p, "sm_")); p += 3)
        count++;
    return count;
}

/* The file's own architectures. */
static size_t archs_of(const struct holds *h, enum arch_image_kind kind, unsigned *archs)
{
    size_t count = 0;
    for (size_t i = 0; i < h->group_count; i++)
        for (size_t k = 0; k < h->groups[i].image_count && holds_counts(h, &h->groups[i]); k++) {
            const struct arch_image *image = &h->groups[i].images[k];
            size_t j = 0;
            while (j < count && archs[j] != image->arch)
                j++;
            if (image->kind == kind && j == count && count < HOLDS_IMAGES_MAX)
                archs[count++] = image->arch;
        }
    return count;
}

/* "cc_50+": 50. */
static unsigned floor_of(const char *list)
{
    unsigned floor;
    return sscanf(list, "cc_%3u", &floor) == 1 ? floor : 0;
}

static unsigned lowest(const unsigned *archs, size_t count)
{
    unsigned least = archs[0];
    for (size_t i = 1; i < count; i++)
        least = archs[i] < least ? archs[i] : least;
    return least;
}

/* Whether the file may be the build of a row: most of the row's list is in it, and all of it where
 * the CUDA version, which the file tells by its cubins, is another one. */
static bool is_like(const struct doctor_package *p, size_t file, size_t row)
{
    const struct table *t = data_table(DATA_BUILDS);
    const char *list = table_field(t, row, "archs");
    unsigned archs[HOLDS_IMAGES_MAX], same = 0, all = count_of(list);
    size_t count = archs_of(&p->files[file].holds, ARCH_CUBIN, archs);
    bool cuda_same = strcmp(table_field(t, row, "cuda"), p->cuda) == 0;
    for (size_t i = 0; i < count; i++)
        same += release_has(list, archs[i]);
    if (all < LIST_LEAST) /* no more than a floor is known */
        return cuda_same || !count || lowest(archs, count) >= floor_of(list);
    if (packages_is_pytorch(p) || cuda_same)
        return same * 2 >= all;
    return same == all;
}

/* Against the rows of builds.tsv for the same release. */
static bool released_otherwise(const struct doctor_package *p, size_t file)
{
    const struct table *t = data_table(DATA_BUILDS);
    size_t length = strcspn(p->version, "+");
    const char *name = packages_is_pytorch(p) ? "torch" : p->name;
    bool known = false;
    for (size_t row = 0; row < t->row_count; row++) {
        const char *version = table_field(t, row, "version");
        if (strcmp(table_field(t, row, "package"), name) != 0 ||
            strncmp(version, p->version, length) != 0 || version[length])
            continue;
        if (is_like(p, file, row))
            return false;
        known = true;
    }
    return known;
}

/* The makers have released this library for many architectures, as far as is known. */
static bool is_released_for_many(const struct doctor_package *p)
{
    const struct table *t = data_table(DATA_BUILDS);
    const char *name = packages_is_pytorch(p) ? "torch" : p->name;
    for (size_t row = 0; row < t->row_count; row++)
        if (role_same_name(table_field(t, row, "package"), name) &&
            count_of(table_field(t, row, "archs")) >= LIST_LEAST)
            return true;
    return false;
}

/* ---- programs ---- */

/* Where compilers leave what they make. */
static bool is_build_folder(const char *path)
{
    static const char *const parts[] = { "build/",        "build_",       "build-",
                                         "_build/",       "-build/",      "CMakeFiles",
                                         "target/",       "bazel-",       "x64/Release",
                                         "x64/Debug",     "Release/",     "Debug/",
                                         "out/",          "dist-newstyle", "zig-out",
                                         "/src/",         "samples/",     "Samples/",
                                         "Introduction/", ".libs/",       "obj/" };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const char *at = strstr(path, parts[i]);
        bool whole = at && (at == path || at[-1] == '/' || strchr("/_-I", *parts[i]));
        if (whole)
            return true;
    }
    return false;
}

/* "/opt/solver": "solver". */
static const char *folder_of(const struct doctor_package *p)
{
    const char *slash = strrchr(p->base, '/');
    return slash ? slash + 1 : p->base;
}

/* The program's own folder may be the build's, or lie in it: "opencv/build", "bin/libopencv_core.so". */
static bool was_built_there(const struct doctor_package *p, const char *path)
{
    char whole[ROOT_PATH_MAX];
    packages_path(p, path, whole);
    return is_build_folder(whole);
}

/* "caffe-master": the archive of a repository, with its sources; "~/Alenka/alenka": a clone of it.
 * What is downloaded ready to run has its version in the folder's name. */
static bool is_repository(const struct doctor_package *p, const char *path)
{
    const char *folder = folder_of(p);
    if (str_ends(folder, "-master") || str_ends(folder, "-main"))
        return true;
    return str_starts(p->base, "/home/") && strcasecmp(folder, path) == 0 &&
           !folder[strcspn(folder, "0123456789")];
}

/* "mumax3.10_windows_cuda11.0" */
static bool is_named_as_download(const struct doctor_package *p)
{
    static const char *const systems[] = { "win", "linux", "x64", "x86", "cuda", "portable" };
    const char *folder = folder_of(p);
    bool system = false;
    for (size_t i = 0; i < sizeof systems / sizeof systems[0]; i++)
        system |= strcasestr(folder, systems[i]) != NULL;
    return strstr(p->base, "/Downloads/") || (system && folder[strcspn(folder, "0123456789")]);
}

/* "~/.cache/huggingface/hub/...": what was downloaded, whatever the folders in it are called; but
 * PyTorch compiles extensions in "~/.cache/torch_extensions". */
static bool is_download(const struct doctor_package *p)
{
    return (strstr(p->base, "/.cache/") || strstr(p->base, "/cache/")) &&
           !strstr(p->base, "/torch_extensions");
}

/* What lies beside a program that was compiled there. */
static bool has_sources(const struct doctor *d, const char *folder)
{
    static const char *const names[] = { "CMakeLists.txt", "CMakeCache.txt", "Makefile",
                                         "makefile",       "build.ninja",    "Cargo.toml",
                                         "WORKSPACE",      ".git",           "meson.build",
                                         "setup.py",       "configure.ac",   "SConstruct" };
    struct root_names list;
    bool found = false;
    root_list(d->sysroot, folder, &list);
    for (size_t i = 0; i < list.count && !found; i++) {
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
            found |= strcmp(list.list[i], names[k]) == 0;
        found |= str_ends(list.list[i], ".cu") || str_ends(list.list[i], ".vcxproj");
    }
    root_names_free(&list);
    return found;
}

static bool is_beside_sources(const struct doctor *d, const struct doctor_package *p,
                              const char *path)
{
    char folder[ROOT_PATH_MAX];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.2000s/%.*s", p->base, slash ? (int)(slash - path) : 0, path);
    return has_sources(d, p->base) || (slash && has_sources(d, folder));
}

/* One or two architectures, each as cubin and as PTX, is what nvcc makes of "-arch" or of a short
 * list by hand; makers of releases add PTX of the newest alone. PTX files without any cubin come
 * from "nvcc -ptx", PTX as a text in a program from a build script. */
static bool has_own_shape(const struct doctor_package *p, size_t file)
{
    const struct holds *h = &p->files[file].holds;
    unsigned cubins[HOLDS_IMAGES_MAX], ptx[HOLDS_IMAGES_MAX];
    size_t count = archs_of(h, ARCH_CUBIN, cubins), ptx_count = archs_of(h, ARCH_PTX, ptx);
    if (!count) {
        for (size_t i = 0; i < p->file_count; i++)
            if (archs_of(&p->files[i].holds, ARCH_CUBIN, cubins))
                return false;
        return h->group_count && h->groups[0].path == ARCH_BARE_PTX;
    }
    if (count > SHAPE_ARCHS_MAX || ptx_count != count)
        return false;
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;
        while (k < count && ptx[k] != cubins[i])
            k++;
        if (k == count)
            return false;
    }
    return true;
}

/* TensorFlow's own words for a card below all that it was built for. */
static bool says_floor(const char *text)
{
    return text && strcasestr(text, "minimum required") && strcasestr(text, "capability");
}

/* One architecture with its PTX, or in a library that its makers are known to build for many, is
 * somebody's own; but not where the library itself speaks of its floor. So is a program with one, not
 * newer than the card, and no PTX. */
static bool is_for_one_card(const struct doctor *d, const struct doctor_package *p, size_t file,
                            size_t gpu)
{
    const struct holds *h = &p->files[file].holds;
    unsigned cubins[HOLDS_IMAGES_MAX], ptx[HOLDS_IMAGES_MAX];
    if (archs_of(h, ARCH_CUBIN, cubins) != 1 || p->origin == DOCTOR_SYSTEM)
        return false;
    if (p->role == DOCTOR_PROGRAM && !packages_is_alternative(p->files[file].path))
        return cubins[0] / 10 <= d->gpus[gpu].rule.cc / 10 && !archs_of(h, ARCH_PTX, ptx) &&
               !*d->host.container;
    return p->role == DOCTOR_FRAMEWORK && !says_floor(d->error) &&
           (has_own_shape(p, file) || is_released_for_many(p));
}

/* "gromacs/lib/libgromacs.so": "make install" with a prefix of its own. */
static bool is_prefix_of_source(const char *path)
{
    char name[96];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(path, "/"), path);
    return role_is_source(name, false);
}

/* Has the very architectures of some release of this library. */
static bool is_a_release(const char *library, const struct holds *h)
{
    const struct table *t = data_table(DATA_BUILDS);
    unsigned archs[HOLDS_IMAGES_MAX], same;
    size_t count = archs_of(h, ARCH_CUBIN, archs);
    for (size_t row = 0; row < t->row_count; row++) {
        const char *list = table_field(t, row, "archs");
        if (count < LIST_LEAST || count_of(list) != count ||
            !str_starts(table_field(t, row, "package"), library))
            continue;
        same = 0;
        for (size_t i = 0; i < count; i++)
            same += release_has(list, archs[i]);
        if (same == count)
            return true;
    }
    return false;
}

/* A main library that a program brings along: where the program was compiled says nothing of it. */
static bool is_brought_along(const struct doctor_package *p, size_t file)
{
    const char *library = role_main_library(p->files[file].path);
    return library &&
           (!strcasestr(p->name, library) || is_a_release(library, &p->files[file].holds));
}

/* The toolkit that compiled a program is on this machine: who has that has mostly used it; in a
 * container, who made the image. */
static bool is_of_this_toolkit(const struct doctor *d, const struct doctor_package *p)
{
    for (size_t i = 0; i < d->host.toolkit_count && !*d->host.container; i++)
        if (*p->cuda && strcmp(d->host.toolkits[i].version, p->cuda) == 0)
            return true;
    return false;
}

static bool is_windows(const char *path)
{
    return str_ends(path, ".exe") || str_ends(path, ".dll");
}

/* Of a folder of its own: by where it lies, then by its name, its list and what lies beside it. */
static bool program_is_own(const struct doctor *d, const struct doctor_package *p, size_t file)
{
    const char *path = p->files[file].path;
    if (strstr(p->base, "/torch_extensions") || strstr(path, "torch_extensions/"))
        return true; /* where PyTorch compiles when it is asked to */
    if (p->bundled || p->role == DOCTOR_EXTENSION)
        return false;
    if (is_repository(p, path))
        return true;
    if (is_named_as_download(p) && !was_built_there(p, path))
        return false;
    if (is_brought_along(p, file))
        return has_own_shape(p, file);
    return role_is_source(p->name, is_windows(path)) || was_built_there(p, path) ||
           (has_own_shape(p, file) && !role_is_framework_name(p->name)) ||
           (!is_windows(path) && is_of_this_toolkit(d, p)) || is_beside_sources(d, p, path);
}

/* "make install" puts it there. */
static bool library_is_own(const struct doctor_package *p, const char *path)
{
    return !p->bundled && p->role != DOCTOR_EXTENSION && str_starts(p->base, "/usr/local") &&
           (strchr(path, '/') == strrchr(path, '/') || is_prefix_of_source(path));
}

bool own_build_is(const struct doctor *d, const struct doctor_package *p, size_t file, size_t gpu)
{
    bool extension = p->role == DOCTOR_EXTENSION; /* mostly compiled, by whomever */
    if (p->origin == DOCTOR_APP && is_download(p))
        return false;
    if (p->from_source || is_changed_checkout(p->version) ||
        (is_checkout(p->version) && !extension) || is_for_one_card(d, p, file, gpu))
        return true;
    switch (p->origin) {
    case DOCTOR_PIP:
        return role_is_source(p->name, false) || (!extension && released_otherwise(p, file));
    case DOCTOR_CONDA: return false;
    case DOCTOR_SYSTEM: return library_is_own(p, p->files[file].path);
    case DOCTOR_APP: return program_is_own(d, p, file);
    }
    return false;
}
