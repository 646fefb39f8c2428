#include "cli/opts.h"

#include <string.h>

#include "core/str.h"

/* One option as it stands on the command line. */
struct word {
    const char *text; /* "--lang=zh" */
    const char *name; /* "lang=zh" or "v" */
    size_t length;    /* of the name without "=..." */
    const char *inline_value;
    bool is_long;
};

static struct word read_word(const char *text)
{
    struct word w = { .text = text, .is_long = text[1] == '-' };
    w.name = text + (w.is_long ? 2 : 1);
    w.length = w.is_long ? strcspn(w.name, "=") : 1;
    if (w.is_long && w.name[w.length])
        w.inline_value = w.name + w.length + 1;
    else if (!w.is_long && w.name[1])
        w.inline_value = w.name + 1;
    return w;
}

static const struct opt *find(const struct opt *table, const struct word *w)
{
    for (const struct opt *o = table; o && o->name; o++) {
        if (!w->is_long && o->letter && o->letter == *w->name)
            return o;
        if (w->is_long && strlen(o->name) == w->length && memcmp(o->name, w->name, w->length) == 0)
            return o;
    }
    return NULL;
}

static int unknown(const struct opts_set *sets, size_t set_count, const struct word *w,
                   struct err *err)
{
    char name[64];
    const char *nearest = NULL;
    unsigned least = 3;
    str_copy(name, sizeof name, w->name);
    name[w->length < sizeof name ? w->length : sizeof name - 1] = 0;
    if (!w->is_long)
        return err_set(err, ERR_USAGE, "unknown option '-%s'", name);
    for (size_t s = 0; s < set_count; s++)
        for (const struct opt *o = sets[s].table; o && o->name; o++) {
            unsigned distance = str_distance(name, o->name);
            if (distance < least || (str_starts(o->name, name) && !nearest)) {
                least = distance < least ? distance : least;
                nearest = o->name;
            }
        }
    if (nearest)
        return err_set(err, ERR_USAGE, "unknown option '--%s'; did you mean '--%s'?", name,
                       nearest);
    return err_set(err, ERR_USAGE, "unknown option '--%s'", name);
}

static bool is_choice(const char *choices, const char *value)
{
    size_t length = strlen(value);
    for (const char *p = choices; *p; p += strcspn(p, "|"), p += *p == '|')
        if (strcspn(p, "|") == length && memcmp(p, value, length) == 0)
            return true;
    return false;
}

static int store(const struct opt *o, void *values, const char *value, struct err *err)
{
    void *place = (char *)values + o->offset;
    struct opts_list *list = place;
    switch (o->type) {
    case OPTS_FLAG:
        *(bool *)place = true;
        return 0;
    case OPTS_CHOICE:
        if (!is_choice(o->choices, value))
            return err_set(err, ERR_USAGE, "option '--%s' takes %s, not '%s'", o->name, o->choices,
                           value);
        /* fall through */
    case OPTS_TEXT:
        *(const char **)place = value;
        return 0;
    case OPTS_LIST:
        if (list->count == OPTS_LIST_MAX)
            return err_set(err, ERR_USAGE, "option '--%s' was given more than %d times", o->name,
                           OPTS_LIST_MAX);
        list->items[list->count++] = value;
        return 0;
    }
    return err_set(err, ERR_USAGE, "option '--%s' is of an unknown type", o->name);
}

static int take(const struct opt *o, void *values, const struct word *w, char **args, int count,
                int *i, struct err *err)
{
    if (o->type == OPTS_FLAG) {
        if (w->is_long && w->inline_value)
            return err_set(err, ERR_USAGE, "option '--%s' takes no argument", o->name);
        return store(o, values, "", err);
    }
    const char *value = w->inline_value;
    if (!value) {
        if (*i + 1 >= count)
            return err_set(err, ERR_USAGE, "option '--%s' needs an argument: %s", o->name,
                           o->argument);
        value = args[++*i];
    }
    if (!*value)
        return err_set(err, ERR_USAGE, "option '--%s' has an empty argument", o->name);
    return store(o, values, value, err);
}

int opts_take(const struct opts_set *sets, size_t set_count, char **args, int count, int *i,
              struct err *err)
{
    struct word w = read_word(args[*i]);
    for (;;) {
        const struct opt *o = NULL;
        void *values = NULL;
        for (size_t s = 0; s < set_count && !o; s++) {
            o = find(sets[s].table, &w);
            values = sets[s].values;
        }
        if (!o)
            return unknown(sets, set_count, &w, err);
        if (take(o, values, &w, args, count, i, err))
            return -1;
        if (w.is_long || o->type != OPTS_FLAG || !w.name[1])
            return 0;
        w.name++; /* "-vq": the next letter */
        w.inline_value = w.name[1] ? w.name + 1 : NULL;
    }
}

bool opts_is_option(const char *word)
{
    return word[0] == '-' && word[1] && strcmp(word, "--") != 0;
}

bool opts_wants_argument(const struct opt *table, const char *text)
{
    struct word w = read_word(text);
    const struct opt *o = find(table, &w);
    return o && o->type != OPTS_FLAG && !w.inline_value;
}
