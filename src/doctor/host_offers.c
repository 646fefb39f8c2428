#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/host_parts.h"
#include "image/archive.h"

/* What apt and dnf would install as NVIDIA's driver, from the lists that they keep. */

#define LIST_MAX  (96u << 20)
#define FILES_MAX 64

/* "nvidia-driver-470", "nvidia-tesla-470-driver", "nvidia-legacy-390xx-driver", "akmod-nvidia-470xx",
 * "nvidia-driver"; none of their parts ("libnvidia-gl-470"). The branch is 0 where the name has none. */
static bool is_driver(const char *name, unsigned *branch)
{
    static const char *const starts[] = { "nvidia-driver", "nvidia-tesla", "nvidia-legacy",
                                          "akmod-nvidia",  "kmod-nvidia",  "nvidia-open" };
    static const char *const ends[] = { "", "-open", "-server", "-server-open", "-driver",
                                        "xx", "xx-driver" };
    size_t length = 0;
    for (size_t i = 0; i < sizeof starts / sizeof starts[0] && !length; i++)
        length = str_starts(name, starts[i]) ? strlen(starts[i]) : 0;
    *branch = 0;
    if (!length)
        return false;
    if (!name[length])
        return !str_starts(name, "nvidia-legacy");
    char *rest;
    if (name[length] != '-' || !isdigit((unsigned char)name[length + 1]))
        return false;
    unsigned long number = strtoul(name + length + 1, &rest, 10);
    *branch = (unsigned)number;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (strcmp(rest, ends[i]) == 0)
            return number >= 300 && number < 1000;
    return false;
}

static void add(struct host *h, const char *package, const char *version, unsigned branch)
{
    for (size_t i = 0; i < h->offer_count; i++)
        if (strcmp(h->offers[i].package, package) == 0) {
            str_copy(h->offers[i].version, sizeof h->offers[i].version, version);
            return; /* a later list, of updates */
        }
    if (h->offer_count == HOST_OFFERS_MAX)
        return;
    struct host_offer *o = &h->offers[h->offer_count++];
    *o = (struct host_offer){ .branch = branch };
    str_copy(o->package, sizeof o->package, package);
    str_copy(o->version, sizeof o->version, version);
    if (!branch)
        o->branch = (unsigned)strtoul(version, NULL, 10);
}

/* "Version: 470.256.02-1" in the stanza that begins at `stanza`. */
static void version_in(const char *stanza, char *to, size_t size)
{
    const char *end = strstr(stanza, "\n\n"), *line = strstr(stanza, "\nVersion: ");
    *to = 0;
    if (line && (!end || line < end)) {
        line += strlen("\nVersion: ");
        snprintf(to, size, "%.*s", (int)strcspn(line, "\r\n"), line);
    }
}

/* ---- apt ---- */

struct unpacked {
    struct str text;
    bool cut;
};

static int take_text(void *self, const char *member, struct input *in, struct err *err)
{
    struct unpacked *u = self;
    size_t got = 0;
    (void)member;
    for (;;) {
        const uint8_t *bytes = input_peek(in, 1 << 16, &got, err);
        if (!bytes || !got)
            return bytes ? 0 : -1;
        if (u->text.len + got > LIST_MAX) {
            u->cut = true;
            return 0;
        }
        str_add_bytes(&u->text, (const char *)bytes, got);
        input_skip(in, got, err);
    }
}

static void take_problem(void *self, const char *member, const struct err *problem)
{
    struct unpacked *u = self;
    (void)member;
    (void)problem;
    u->cut = true;
}

/* Of a damaged file what comes before the damage. */
static void unpack_list(struct host *h, const char *path, struct str *text)
{
    char full[ROOT_PATH_MAX];
    struct unpacked u = { .text = STR_INIT };
    const struct archive_sink sink = { &u, take_text, take_problem, NULL };
    struct err unused;
    err_clear(&unused);
    if (!root_resolve(h->sysroot, path, full) || archive_walk(full, &sink, &unused))
        u.cut = true;
    h->offers_cut |= u.cut || u.text.failed;
    *text = u.text;
}

static void read_apt_list(struct host *h, const char *path, bool packed)
{
    static const char mark[] = "Package: ";
    struct str text = STR_INIT;
    if (packed)
        unpack_list(h, path, &text);
    else if (!root_read(h->sysroot, path, LIST_MAX, &text))
        h->offers_cut |= root_kind(h->sysroot, path) == OS_FILE_REGULAR;
    for (const char *p = text.p; (p = strstr(p, mark)); p += sizeof mark - 1) {
        char name[64], version[48];
        unsigned branch;
        if (p != text.p && p[-1] != '\n')
            continue;
        const char *start = p + sizeof mark - 1;
        size_t n = strcspn(start, "\r\n");
        if (n >= sizeof name)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)n, start);
        if (!is_driver(name, &branch))
            continue;
        version_in(p, version, sizeof version);
        add(h, name, version, branch);
    }
    str_free(&text);
}

/* Where a driver may be in: other lists are large and have none. */
static bool may_have_drivers(const char *list)
{
    static const char *const words[] = { "non-free", "restricted", "multiverse", "graphics-drivers",
                                         "nvidia",   "cuda",       "pop-os" };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strstr(list, words[i]))
            return true;
    return false;
}

static void read_apt(struct host *h)
{
    static const char folder[] = "/var/lib/apt/lists";
    struct root_names names;
    char path[600];
    unsigned files = 0;
    root_list(h->sysroot, folder, &names);
    for (size_t i = 0; i < names.count && files < FILES_MAX; i++) {
        const char *name = names.list[i];
        if (!may_have_drivers(name))
            continue;
        snprintf(path, sizeof path, "%s/%.255s", folder, name);
        bool packed = strstr(name, "_Packages.") != NULL; /* .lz4, .xz, .gz ... */
        if (packed || str_ends(name, "_Packages")) {
            read_apt_list(h, path, packed);
            files++;
        }
    }
    root_names_free(&names);
}

/* ---- dnf ---- */

/* dnf's lists are binary, but the names in them are plain text between zeros (in a snapshot: lines);
 * versions are not. */
static void read_dnf_list(struct host *h, const char *path)
{
    static const char mark[] = "mod-nvidia";
    struct str text = STR_INIT;
    if (!root_read(h->sysroot, path, LIST_MAX, &text))
        h->offers_cut |= root_kind(h->sysroot, path) == OS_FILE_REGULAR;
    const char *end = text.p + text.len;
    for (const char *p = text.p;
         (p = memmem(p, (size_t)(end - p), mark, sizeof mark - 1)); p += sizeof mark - 1) {
        const char *start = p;
        char name[64];
        unsigned branch;
        while (start > text.p && start[-1] && start[-1] != '\n')
            start--;
        size_t n = strcspn(start, "\n"); /* the text ends with a zero */
        if (n >= sizeof name)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)n, start);
        if (is_driver(name, &branch))
            add(h, name, "", branch);
    }
    str_free(&text);
}

static void read_dnf(struct host *h)
{
    static const char *const folders[] = { "/var/cache/dnf", "/var/cache/libdnf5" };
    char path[600];
    for (size_t f = 0; f < 2; f++) {
        struct root_names names;
        root_list(h->sysroot, folders[f], &names);
        for (size_t i = 0; i < names.count; i++)
            if (str_starts(names.list[i], "rpmfusion") || str_starts(names.list[i], "cuda")) {
                snprintf(path, sizeof path, "%s/%.255s", folders[f], names.list[i]);
                if (str_ends(path, ".solv"))
                    read_dnf_list(h, path);
            }
        root_names_free(&names);
    }
}

void host_read_offers(struct host *host)
{
    read_apt(host);
    read_dnf(host);
}
