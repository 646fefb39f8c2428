#include "image/archive.h"

#include <stdlib.h>
#include <string.h>

#include "core/str.h"
#include "image/archive_kind.h"
#include "image/archive_stream.h"

struct walk {
    const struct archive_sink *sink;
    const char *path;
    struct archive_budget budget;
    uint64_t entries;
    unsigned problems;
};

/* Where in the nest of archives an input stands. */
struct place {
    const char *name;              /* levels joined by "!" */
    struct archive_stream *parent; /* NULL: the file itself */
    unsigned depth;                /* archives around it */
    unsigned wraps;                /* compressed streams around it since the last archive */
};

static int walk_place(struct walk *w, const struct place *p, struct input *in, struct err *err);

static void tell(struct walk *w, const char *name, const struct err *problem)
{
    struct err last;
    if (!w->sink->problem || w->problems > ARCHIVE_PROBLEMS_MAX)
        return;
    if (++w->problems > ARCHIVE_PROBLEMS_MAX) {
        err_clear(&last);
        err_set(&last, ERR_LIMIT, "there are more problems than %u", ARCHIVE_PROBLEMS_MAX);
        problem = &last;
        name = "";
    }
    w->sink->problem(w->sink->self, name, problem);
}

static void tell_damage(struct walk *w, const char *name, struct archive_stream *s)
{
    const struct err *damage = archive_stream_damage(s);
    if (!damage)
        return;
    tell(w, name, damage);
    archive_stream_told(s);
}

static void tell_limit(struct walk *w, const char *name, const char *what, uint64_t limit)
{
    struct err e;
    err_clear(&e);
    err_set(&e, ERR_LIMIT, "%s than %llu", what, (unsigned long long)limit);
    e.offset = archive_budget_offset(&w->budget);
    tell(w, name, &e);
}

/* "libx.so" for "some/where/libx.so.gz": what a compressed file is called that is no archive. */
static void unwrapped_name(const char *path, struct str *name)
{
    static const char *const suffixes[] = { ".gz", ".bz2", ".xz", ".zst", ".lz4" };
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    size_t size = strlen(base);
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        if (str_ends(base, suffixes[i]) && size > strlen(suffixes[i])) {
            str_add_bytes(name, base, size - strlen(suffixes[i]));
            return;
        }
    }
    str_add(name, "data");
}

/* Damage in the archive around it ends a leaf early; its reader cannot know that this is no reason
 * to stop, so it is undone here. The caller tells the damage. */
static int give_leaf(struct walk *w, const struct place *p, struct input *in, struct err *err)
{
    struct str name = STR_INIT;
    if (!*p->name && p->wraps > 0)
        unwrapped_name(w->path, &name);
    else
        str_add(&name, p->name);
    int rc = name.failed ? err_set(err, ERR_MEMORY, "out of memory")
                         : w->sink->file(w->sink->self, name.p, in, err);
    str_free(&name);
    if (rc < 0 && p->parent && archive_stream_broken(p->parent)) {
        if (err)
            err_clear(err);
        return 0;
    }
    return rc;
}

static int walk_member(struct walk *w, const struct place *p, struct archive_stream *s,
                       const struct archive_member *m, struct err *err)
{
    struct str name = STR_INIT;
    if (*p->name)
        str_addf(&name, "%s!", p->name);
    str_add_bytes(&name, m->name.p, m->name.len);
    struct input *in = NULL;
    int rc = -1;
    if (name.failed || m->name.failed) {
        err_set(err, ERR_MEMORY, "out of memory");
        goto done;
    }
    struct place inside = { .name = name.p, .parent = s, .depth = p->depth + 1 };
    if (!m->is_file) {
        w->sink->other(w->sink->self, name.p);
        rc = 0;
        goto done;
    }
    if (m->is_encrypted) {
        rc = 0;
    } else if ((in = archive_stream_data(s, err))) {
        rc = walk_place(w, &inside, in, err);
    }
    tell_damage(w, name.p, s);
done:
    input_close(in);
    str_free(&name);
    return rc;
}

static int walk_members(struct walk *w, const struct place *p, struct archive_stream *s,
                        struct err *err)
{
    const struct archive_member *m;
    int rc;
    while (!w->budget.spent && (rc = archive_stream_next(s, &m)) != 0) {
        if (rc < 0) {
            tell_damage(w, p->name, s);
            continue;
        }
        if (++w->entries > ARCHIVE_ENTRIES_MAX) {
            tell_limit(w, p->name, "there are more members", ARCHIVE_ENTRIES_MAX);
            w->budget.spent = true;
            return 0;
        }
        if ((m->is_file || w->sink->other) && walk_member(w, p, s, m, err) < 0)
            return -1;
    }
    return 0;
}

/* A compressed stream adds no level to the name: what it holds takes its place. */
static int walk_wrapped(struct walk *w, const struct place *p, struct archive_stream *s,
                        struct err *err)
{
    const struct archive_member *m;
    struct place inside = *p;
    inside.parent = s;
    inside.wraps++;
    int rc = archive_stream_next(s, &m);
    if (rc > 0) {
        struct input *in = archive_stream_data(s, err);
        rc = in ? walk_place(w, &inside, in, err) : -1;
        input_close(in);
    } else {
        rc = 0;
    }
    tell_damage(w, p->name, s);
    return rc;
}

static int walk_archive(struct walk *w, const struct place *p, enum archive_kind kind,
                        struct input *in, struct err *err)
{
    bool is_stream = archive_kind_is_stream(kind);
    if (is_stream ? p->wraps >= ARCHIVE_WRAPS_MAX : p->depth >= ARCHIVE_DEPTH_MAX) {
        tell_limit(w, p->name,
                   is_stream ? "it is compressed more often" : "archives are nested deeper",
                   is_stream ? ARCHIVE_WRAPS_MAX : ARCHIVE_DEPTH_MAX);
        return 0;
    }
    struct archive_stream *s = archive_stream_open(kind, in, p->parent, &w->budget, err);
    if (!s)
        return -1;
    if (!is_stream && w->sink->other)
        w->sink->other(w->sink->self, p->name);
    int rc = is_stream ? walk_wrapped(w, p, s, err) : walk_members(w, p, s, err);
    archive_stream_close(s);
    return rc;
}

static void tell_closed(struct walk *w, const struct place *p, enum archive_kind kind)
{
    struct err e;
    err_clear(&e);
    err_set(&e, ERR_MISSING, "it is a %s, which is not opened", archive_kind_name(kind));
    tell(w, p->name, &e);
}

static int walk_place(struct walk *w, const struct place *p, struct input *in, struct err *err)
{
    size_t size;
    const uint8_t *first = input_peek(in, ARCHIVE_SNIFF_SIZE, &size, err);
    if (!first) {
        if (!p->parent || !archive_stream_broken(p->parent))
            return -1;
        if (err)
            err_clear(err);
        return 0;
    }
    enum archive_kind kind = archive_kind_of(first, size);
    if (archive_kind_is_closed(kind))
        tell_closed(w, p, kind);
    else if (kind != ARCHIVE_KIND_PLAIN)
        return walk_archive(w, p, kind, in, err);
    return give_leaf(w, p, in, err);
}

int archive_walk_input(const char *name, struct input *in, const struct archive_sink *sink,
                       struct err *err)
{
    struct walk w = { .sink = sink, .path = name, .budget = { .root = in } };
    struct place top = { .name = "" };
    return walk_place(&w, &top, in, err);
}

int archive_walk(const char *path, const struct archive_sink *sink, struct err *err)
{
    bool is_stdin = strcmp(path, "-") == 0;
    struct input *in = is_stdin ? input_from_fd(0, err) : input_open(path, err);
    if (!in)
        return -1;
    int rc = archive_walk_input(is_stdin ? "" : path, in, sink, err);
    input_close(in);
    return rc;
}
