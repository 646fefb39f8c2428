#include "size/nets.h"

#include <string.h>

#include "core/str.h"
#include "data/data.h"
#include "size/net_text.h"

#define BLOCKS "@"

/* Row of the first line of the i-th network; the row count behind the last. */
static size_t first_row(const struct table *t, size_t i)
{
    const char *last = BLOCKS;
    for (size_t row = 0; row < t->row_count; row++) {
        const char *net = table_get(t, row, 0);
        if (strcmp(net, last) == 0)
            continue;
        if (i-- == 0)
            return row;
        last = net;
    }
    return t->row_count;
}

size_t nets_count(void)
{
    const struct table *t = data_table(DATA_NETS);
    size_t count = 0;
    while (first_row(t, count) < t->row_count)
        count++;
    return count;
}

const char *nets_name(size_t i)
{
    const struct table *t = data_table(DATA_NETS);
    return table_get(t, first_row(t, i), 0);
}

static void add_rows(struct str *to, const char *net)
{
    const struct table *t = data_table(DATA_NETS);
    for (size_t row = 0; row < t->row_count; row++)
        if (strcmp(table_get(t, row, 0), net) == 0)
            str_addf(to, "%s\n", table_get(t, row, 1));
}

/* The networks that begin with `name`; `found` is one of them. */
static size_t beginning(const char *name, const char **found, struct str *list)
{
    size_t count = 0;
    for (size_t i = 0; i < nets_count(); i++) {
        if (!str_starts(nets_name(i), name))
            continue;
        str_addf(list, "%s%s", count++ ? ", " : "", nets_name(i));
        *found = nets_name(i);
    }
    return count;
}

static const char *nearest(const char *name)
{
    const char *best = nets_name(0);
    for (size_t i = 1; i < nets_count(); i++)
        if (str_distance(name, nets_name(i)) < str_distance(name, best))
            best = nets_name(i);
    return best;
}

static const char *resolve(const char *name, struct err *err)
{
    const char *found = NULL;
    for (size_t i = 0; i < nets_count(); i++)
        if (strcmp(nets_name(i), name) == 0)
            return nets_name(i);
    struct str list = STR_INIT;
    size_t count = beginning(name, &found, &list);
    if (count > 1)
        err_set(err, ERR_USAGE, "network '%s' may be %s", name, list.p);
    else if (!count)
        err_set(err, ERR_USAGE, "no network '%s' is known; the nearest is '%s'", name,
                nearest(name));
    str_free(&list);
    return count == 1 ? found : NULL;
}

/* The table itself is right, so the image is at fault, and no line of ours says so better. */
static void blame_image(struct err *err)
{
    char *behind = str_starts(err->msg, "line ") ? strstr(err->msg, ": ") : NULL;
    if (behind)
        memmove(err->msg, behind + 2, strlen(behind + 2) + 1);
    err->code = ERR_USAGE;
}

int nets_find(struct net *net, const char *name, struct net_image image, struct err *err)
{
    const char *found = resolve(name, err);
    if (!found)
        return -1;
    struct str text = STR_INIT;
    str_addf(&text, "net %s\n", found);
    add_rows(&text, BLOCKS);
    add_rows(&text, found);
    int bad = text.failed ? err_set(err, ERR_MEMORY, "out of memory")
                          : net_text_read(net, text.p, text.len, image, err);
    str_free(&text);
    if (bad && err && err->code == ERR_FORMAT)
        blame_image(err);
    return bad;
}
