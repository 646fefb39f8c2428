#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "core/os.h"

/* Identities of files that may be met again. Open addressing; ino 0 marks a free slot, which no
 * file system hands out. */
struct identity {
    dev_t dev;
    ino_t ino;
};

struct seen {
    struct identity *slots;
    size_t count, cap; /* cap: 0 or a power of two */
};

struct names {
    char **list;
    size_t count, cap;
};

struct walk {
    const struct os_walk_sink *sink;
    char root[PATH_MAX]; /* without links, ends in '/'; "" when it could not be resolved */
    dev_t dev;           /* of the root */
    struct seen seen;
};

static struct identity *find_slot(const struct seen *seen, struct identity id)
{
    uint64_t hash = ((uint64_t)id.ino * 31 + (uint64_t)id.dev) * 0x9e3779b97f4a7c15u;
    size_t i = (size_t)(hash >> 20) & (seen->cap - 1);
    while (seen->slots[i].ino != 0 &&
           (seen->slots[i].ino != id.ino || seen->slots[i].dev != id.dev))
        i = (i + 1) & (seen->cap - 1);
    return &seen->slots[i];
}

static bool grow_seen(struct seen *seen)
{
    struct seen larger = { .cap = seen->cap ? seen->cap * 2 : 64, .count = seen->count };
    larger.slots = calloc(larger.cap, sizeof *larger.slots);
    if (!larger.slots)
        return false;
    for (size_t i = 0; i < seen->cap; i++) {
        if (seen->slots[i].ino != 0)
            *find_slot(&larger, seen->slots[i]) = seen->slots[i];
    }
    free(seen->slots);
    *seen = larger;
    return true;
}

/* True the first time, and for everything once the bound is met: twice is better than never. */
static bool is_new(struct seen *seen, const struct stat *st)
{
    struct identity id = { st->st_dev, st->st_ino };
    if (seen->count >= OS_WALK_LINKED_MAX)
        return true;
    if (seen->count * 2 >= seen->cap && !grow_seen(seen))
        return true;
    struct identity *slot = find_slot(seen, id);
    if (slot->ino != 0)
        return false;
    *slot = id;
    seen->count++;
    return true;
}

static void free_names(struct names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->list[i]);
    free(names->list);
    *names = (struct names){ 0 };
}

static int add_name(struct names *names, const char *name)
{
    if (names->count == names->cap) {
        size_t cap = names->cap ? names->cap * 2 : 32;
        char **list = realloc(names->list, cap * sizeof *list);
        if (!list)
            return -1;
        names->list = list;
        names->cap = cap;
    }
    if (!(names->list[names->count] = strdup(name)))
        return -1;
    names->count++;
    return 0;
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void tell(const struct walk *w, const char *path, const struct err *problem)
{
    if (w->sink->problem)
        w->sink->problem(w->sink->self, path, problem);
}

static int read_names(DIR *folder, const char *path, struct names *names, struct err *err)
{
    const struct dirent *entry;
    while (errno = 0, (entry = readdir(folder))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (names->count == OS_WALK_ENTRIES_MAX)
            return err_set(err, ERR_LIMIT, "there are more than %u names in '%s'",
                           OS_WALK_ENTRIES_MAX, path);
        if (add_name(names, entry->d_name) < 0)
            return err_set(err, ERR_MEMORY, "out of memory for the names in '%s'", path);
    }
    return errno ? err_errno(err, "cannot read the folder '%s'", path) : 0;
}

/* The names in a folder, sorted. On failure those that could be read; a folder that became a link
 * since it was looked at is refused. */
static int list_folder(const char *path, bool follow, struct names *names, struct err *err)
{
    int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW);
    int fd = open(path, flags);
    if (fd < 0)
        return err_errno(err, "cannot open the folder '%s'", path);
    DIR *folder = fdopendir(fd);
    if (!folder) {
        close(fd);
        return err_errno(err, "cannot read the folder '%s'", path);
    }
    int rc = read_names(folder, path, names, err);
    closedir(folder);
    if (names->count > 1)
        qsort(names->list, names->count, sizeof *names->list, by_bytes);
    return rc;
}

/* Whether a link leads to a file that the walk meets under its own name. */
static bool leads_inside(const struct walk *w, const char *path)
{
    char target[PATH_MAX];
    return w->root[0] && realpath(path, target) && str_starts(target, w->root);
}

static int visit_file(struct walk *w, const char *path, const struct stat *st, struct err *err)
{
    if (st->st_nlink > 1 && !is_new(&w->seen, st))
        return 0;
    return w->sink->file(w->sink->self, path, err);
}

static int visit_link(struct walk *w, const char *path, struct err *err)
{
    struct stat st;
    if (stat(path, &st) < 0 || !S_ISREG(st.st_mode) || leads_inside(w, path))
        return 0;
    if (!is_new(&w->seen, &st))
        return 0;
    return w->sink->file(w->sink->self, path, err);
}

static int walk_folder(struct walk *w, struct str *path, unsigned depth, struct err *err);

/* What the kernel shows of itself: files without an end, or that act when they are read. */
static bool is_kernels_own(const char *path)
{
    static const long types[] = {
        PROC_SUPER_MAGIC, SYSFS_MAGIC,        DEVPTS_SUPER_MAGIC,  DEBUGFS_MAGIC,
        TRACEFS_MAGIC,    CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, SECURITYFS_MAGIC,
        BPF_FS_MAGIC,     PSTOREFS_MAGIC,     EFIVARFS_MAGIC,      SELINUX_MAGIC,
    };
    struct statfs fs;
    if (statfs(path, &fs))
        return false;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if ((long)fs.f_type == types[i])
            return true;
    return false;
}

static int visit_folder(struct walk *w, struct str *path, const struct stat *st, unsigned depth,
                        struct err *err)
{
    if (st->st_dev != w->dev && is_kernels_own(path->p))
        return 0;
    return walk_folder(w, path, depth + 1, err);
}

static void tell_unless_gone(const struct walk *w, const char *path)
{
    struct err problem;
    if (errno == ENOENT)
        return; /* gone since the folder was read */
    err_clear(&problem);
    err_errno(&problem, "cannot look at '%s'", path);
    tell(w, path, &problem);
}

static int visit(struct walk *w, struct str *path, unsigned depth, struct err *err)
{
    struct stat st;
    if (lstat(path->p, &st) < 0) {
        tell_unless_gone(w, path->p);
        return 0;
    }
    if (S_ISREG(st.st_mode))
        return visit_file(w, path->p, &st, err);
    if (S_ISLNK(st.st_mode))
        return visit_link(w, path->p, err);
    return S_ISDIR(st.st_mode) ? visit_folder(w, path, &st, depth, err) : 0;
}

static int visit_names(struct walk *w, struct str *path, const struct names *names, unsigned depth,
                       struct err *err)
{
    size_t length = path->len;
    int rc = 0;
    for (size_t i = 0; i < names->count && rc == 0; i++) {
        str_addf(path, "%s%s", str_ends(path->p, "/") ? "" : "/", names->list[i]);
        rc = path->failed ? err_set(err, ERR_MEMORY, "out of memory") : visit(w, path, depth, err);
        path->len = length;
        path->p[length] = 0;
    }
    return rc;
}

static int fail_with(struct err *err, const struct err *problem)
{
    if (err && err->code == ERR_NONE)
        *err = *problem;
    return -1;
}

static int walk_folder(struct walk *w, struct str *path, unsigned depth, struct err *err)
{
    struct names names = { 0 };
    struct err problem;
    err_clear(&problem);
    if (depth > OS_WALK_DEPTH_MAX)
        err_set(&problem, ERR_LIMIT, "folders are nested deeper than %u", OS_WALK_DEPTH_MAX);
    else
        list_folder(path->p, depth == 0, &names, &problem);
    int rc = 0;
    if (problem.code != ERR_NONE && depth == 0 && names.count == 0)
        rc = fail_with(err, &problem);
    else if (problem.code != ERR_NONE)
        tell(w, path->p, &problem);
    if (rc == 0)
        rc = visit_names(w, path, &names, depth, err);
    free_names(&names);
    return rc;
}

static void resolve_root(struct walk *w, const char *dir)
{
    struct stat st;
    w->dev = stat(dir, &st) ? 0 : st.st_dev;
    if (!realpath(dir, w->root)) {
        w->root[0] = 0;
        return;
    }
    size_t length = strlen(w->root);
    if (length > 1 && length + 1 < sizeof w->root)
        memcpy(w->root + length, "/", 2);
}

int os_walk(const char *dir, const struct os_walk_sink *sink, struct err *err)
{
    struct walk *w = calloc(1, sizeof *w);
    struct str path = STR_INIT;
    if (!w)
        return err_set(err, ERR_MEMORY, "out of memory");
    w->sink = sink;
    resolve_root(w, dir);
    str_add(&path, dir);
    int rc =
        path.failed ? err_set(err, ERR_MEMORY, "out of memory") : walk_folder(w, &path, 0, err);
    str_free(&path);
    free(w->seen.slots);
    free(w);
    return rc;
}
