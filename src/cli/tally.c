#include "cli/tally.h"

#include <stdlib.h>
#include <string.h>

#include "probe/images.h"

void tally_free(struct tally *t)
{
    for (size_t i = 0; i < t->group_count; i++)
        free(t->groups[i].rows);
    free(t->groups);
    free(t->rows);
    *t = (struct tally){ 0 };
}

static bool alike(const struct image *a, const struct image *b)
{
    return a->kind == b->kind && a->raw_kind == b->raw_kind && a->arch == b->arch &&
           a->suffix == b->suffix && a->relocatable == b->relocatable &&
           a->obfuscated == b->obfuscated && a->bits32 == b->bits32 && a->debug == b->debug &&
           a->ptx_major == b->ptx_major && a->ptx_minor == b->ptx_minor &&
           a->toolkit_major == b->toolkit_major && a->toolkit_minor == b->toolkit_minor &&
           a->compression == b->compression && a->unknown_flags == b->unknown_flags;
}

/* Index of the row, a new one if need be; -1 without memory. */
static int row_of(struct tally *t, const struct image *image, struct err *err)
{
    for (size_t i = 0; i < t->row_count; i++)
        if (alike(&t->rows[i].image, image))
            return (int)i;
    if (t->row_count == TALLY_ROWS_MAX) {
        t->overflowed = true;
        return TALLY_ROWS_MAX - 1;
    }
    struct tally_row *rows = reallocarray(t->rows, t->row_count + 1, sizeof *rows);
    if (!rows)
        return err_set(err, ERR_MEMORY, "out of memory");
    t->rows = rows;
    rows[t->row_count] = (struct tally_row){ .image = *image };
    if (t->row_count == TALLY_ROWS_MAX - 1)
        rows[t->row_count].image = (struct image){ .kind = IMAGE_UNKNOWN };
    return (int)t->row_count++;
}

/* Place in open_rows, which stays ascending. */
static size_t open_place(struct tally *t, uint16_t row)
{
    size_t i = 0;
    while (i < t->open_row_count && t->open_rows[i] < row)
        i++;
    if (i < t->open_row_count && t->open_rows[i] == row)
        return i;
    size_t behind = t->open_row_count - i;
    memmove(&t->open_rows[i + 1], &t->open_rows[i], behind * sizeof t->open_rows[0]);
    t->open_rows[i] = row;
    t->open_row_count++;
    return i;
}

int tally_image(struct tally *t, const struct image *image, struct err *err)
{
    int row = row_of(t, image, err);
    if (row < 0)
        return -1;
    open_place(t, (uint16_t)row);
    t->open_linked |= image->relocatable;
    bool packed = image->compression != IMAGE_PLAIN && image->unpacked_size;
    t->open_count[row]++;
    t->open_bytes[row] += image->payload_size;
    t->open_unpacked[row] += packed ? image->unpacked_size : image->payload_size;
    return 0;
}

static struct tally_group *find_group(struct tally *t, enum image_container_kind kind,
                                      enum tally_use use)
{
    for (size_t i = 0; i < t->group_count; i++) {
        struct tally_group *g = &t->groups[i];
        if (g->kind == kind && g->use == use && g->row_count == t->open_row_count &&
            memcmp(g->rows, t->open_rows, g->row_count * sizeof *g->rows) == 0)
            return g;
    }
    return NULL;
}

static struct tally_group *new_group(struct tally *t, enum image_container_kind kind,
                                     enum tally_use use)
{
    if (t->group_count == TALLY_GROUPS_MAX) {
        t->overflowed = true;
        return &t->groups[TALLY_GROUPS_MAX - 1];
    }
    struct tally_group *groups = reallocarray(t->groups, t->group_count + 1, sizeof *groups);
    if (!groups)
        return NULL;
    t->groups = groups;
    struct tally_group *g = &groups[t->group_count];
    *g = (struct tally_group){ .kind = kind, .use = use, .row_count = t->open_row_count };
    g->rows = malloc((g->row_count + 1) * sizeof *g->rows);
    if (!g->rows)
        return NULL;
    memcpy(g->rows, t->open_rows, g->row_count * sizeof *g->rows);
    t->group_count++;
    return g;
}

void tally_drop(struct tally *t)
{
    for (size_t i = 0; i < t->open_row_count; i++) {
        uint16_t row = t->open_rows[i];
        t->open_count[row] = t->open_bytes[row] = t->open_unpacked[row] = 0;
    }
    t->open_row_count = 0;
    t->open_linked = false;
}

int tally_container(struct tally *t, const struct scan_container *c, bool empty, size_t *group,
                    struct err *err)
{
    enum tally_use use = empty ? TALLY_EMPTY : t->open_linked ? TALLY_LINKED : TALLY_LOADED;
    struct tally_group *g = find_group(t, c->kind, use);
    if (!g)
        g = new_group(t, c->kind, use);
    if (!g)
        return err_set(err, ERR_MEMORY, "out of memory");
    *group = (size_t)(g - t->groups);
    g->count++;
    g->bytes += c->size;
    for (size_t i = 0; i < t->open_row_count; i++) {
        struct tally_row *row = &t->rows[t->open_rows[i]];
        row->count += t->open_count[t->open_rows[i]];
        row->bytes += t->open_bytes[t->open_rows[i]];
        row->unpacked_bytes += t->open_unpacked[t->open_rows[i]];
        t->image_count += t->open_count[t->open_rows[i]];
    }
    t->container_count++;
    t->linked_count += use == TALLY_LINKED;
    t->empty_count += use == TALLY_EMPTY;
    t->bytes += c->size;
    tally_drop(t);
    return 0;
}

size_t tally_group_images(const struct tally *t, const struct tally_group *group,
                          struct arch_image *images)
{
    for (size_t i = 0; i < group->row_count; i++)
        images[i] = probe_image_facts(&t->rows[group->rows[i]].image);
    return group->row_count;
}

/* Cubins first. */
static unsigned rank(enum image_kind kind)
{
    static const unsigned ranks[] = {
        [IMAGE_CUBIN] = 0,      [IMAGE_PTX] = 1,     [IMAGE_LTO] = 2,
        [IMAGE_CUBIN_TEXT] = 3, [IMAGE_UNKNOWN] = 4,
    };
    return ranks[kind];
}

#define ORDER(a, b)                                                                                \
    do {                                                                                           \
        if ((a) != (b))                                                                            \
            return (a) < (b) ? -1 : 1;                                                             \
    } while (0)

static int compare(const struct image *a, const struct image *b)
{
    ORDER(rank(a->kind), rank(b->kind));
    ORDER(a->raw_kind, b->raw_kind);
    ORDER(a->arch, b->arch);
    ORDER(a->suffix, b->suffix);
    ORDER(a->ptx_major, b->ptx_major);
    ORDER(a->ptx_minor, b->ptx_minor);
    ORDER(a->compression, b->compression);
    ORDER(a->toolkit_major, b->toolkit_major);
    ORDER(a->toolkit_minor, b->toolkit_minor);
    ORDER(a->relocatable, b->relocatable);
    ORDER(a->obfuscated, b->obfuscated);
    ORDER(a->unknown_flags, b->unknown_flags);
    return 0;
}

/* `order` holds `count` indices. */
static void sort_rows(const struct tally *t, size_t *order, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        size_t row = order[i], place = i;
        for (; place && compare(&t->rows[row].image, &t->rows[order[place - 1]].image) < 0; place--)
            order[place] = order[place - 1];
        order[place] = row;
    }
}

void tally_order(const struct tally *t, size_t *order)
{
    for (size_t i = 0; i < t->row_count; i++)
        order[i] = i;
    sort_rows(t, order, t->row_count);
}

void tally_group_order(const struct tally *t, const struct tally_group *group, size_t *order)
{
    for (size_t i = 0; i < group->row_count; i++)
        order[i] = group->rows[i];
    sort_rows(t, order, group->row_count);
}
