#include "doctor/needs.h"

#include <stdlib.h>
#include <string.h>

#include "doctor/link.h"

/* A file that is loaded. */
struct object {
    char *real;              /* its path without links */
    char *origin;            /* the folder that it was found in: what $ORIGIN means */
    const char *name;        /* by which it was asked for, in the link of the file that asked; NULL: opened by its path */
    struct link link;
    struct loader_path path; /* points into the above */
    struct loader_hit hit;
    unsigned depth;
    bool ours; /* the file of the walk, or brought in by it */
};

struct walk {
    const struct loader *loader;
    struct object *list[NEEDS_MAX]; /* in the order of loading */
    size_t count;
    needs_each *each;
    void *self;
};

static void object_free(struct object *o)
{
    link_free(&o->link);
    free(o->real);
    free(o->origin);
    free(o);
}

static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? strndup(path, slash > path ? (size_t)(slash - path) : 1) : strdup(".");
}

/* NULL without memory, room or file. What is no ELF file asks for nothing. */
static struct object *add(struct walk *w, const char *path, const struct object *asks)
{
    char real[ROOT_PATH_MAX], full[ROOT_PATH_MAX];
    struct err unused;
    const char *sysroot = w->loader->sysroot;
    if (w->count == NEEDS_MAX || !root_real(sysroot, path, real) ||
        !root_resolve(sysroot, path, full))
        return NULL;
    struct object *o = calloc(1, sizeof *o);
    if (!o)
        return NULL;
    err_clear(&unused);
    if (link_read(full, &o->link, &unused))
        link_free(&o->link);
    o->real = strdup(real);
    o->origin = folder_of(asks ? path : real); /* the kernel starts a program by its real path */
    if (!o->real || !o->origin) {
        object_free(o);
        return NULL;
    }
    o->path = (struct loader_path){ o->link.rpath, o->link.runpath, o->origin,
                                    asks ? &asks->path : NULL };
    return w->list[w->count++] = o;
}

/* ld.so compares names first: with those that were asked for, and with what files say of themselves. */
static const struct object *by_name(const struct walk *w, const char *name)
{
    for (size_t i = 0; i < w->count; i++) {
        const struct object *o = w->list[i];
        if ((o->name && strcmp(o->name, name) == 0) || strcmp(o->link.soname, name) == 0)
            return o;
    }
    return NULL;
}

static const struct object *by_file(const struct walk *w, const char *path)
{
    char real[ROOT_PATH_MAX];
    if (root_real(w->loader->sysroot, path, real))
        for (size_t i = 0; i < w->count; i++)
            if (strcmp(w->list[i]->real, real) == 0)
                return w->list[i];
    return NULL;
}

static void ask(struct walk *w, const struct object *asks, const char *name)
{
    struct loader_hit hit;
    const struct object *known = by_name(w, name);
    if (known) {
        hit = known->hit;
    } else {
        loader_find(w->loader, name, &asks->path, &hit);
        known = hit.how != LOADER_NOWHERE ? by_file(w, hit.path) : NULL;
        struct object *fresh =
            known || hit.how == LOADER_NOWHERE ? NULL : add(w, hit.path, asks);
        if (fresh) {
            fresh->name = name;
            fresh->hit = hit;
            fresh->depth = asks->depth + 1;
            fresh->ours = asks->ours;
        }
    }
    bool by_path = known && !known->name; /* then nothing was looked for */
    if (asks->ours && !by_path)
        w->each(w->self, asks->depth, name, &hit);
}

static void follow(struct walk *w, size_t from)
{
    for (size_t i = from; i < w->count; i++) {
        const struct object *o = w->list[i];
        for (size_t k = 0; k < o->link.needed_count; k++)
            ask(w, o, o->link.needed[k]);
    }
}

void needs_walk(const struct loader *l, const char *program, const char *path, needs_each *each,
                void *self)
{
    struct walk *w = calloc(1, sizeof *w);
    if (!w)
        return;
    *w = (struct walk){ .loader = l, .each = each, .self = self };
    struct object *opens = program ? add(w, program, NULL) : NULL;
    follow(w, 0);
    size_t from = w->count;
    struct object *file = add(w, path, opens);
    if (file) {
        file->ours = true;
        follow(w, from);
    }
    for (size_t i = 0; i < w->count; i++)
        object_free(w->list[i]);
    free(w);
}
