/* Option tables: one row an option, from which parsing and help are both made. */
#ifndef CLI_OPTS_H
#define CLI_OPTS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/err.h"

#define OPTS_LIST_MAX 16

enum opts_type {
    OPTS_FLAG,   /* bool */
    OPTS_TEXT,   /* const char * */
    OPTS_CHOICE, /* const char *, one of `choices` */
    OPTS_LIST,   /* struct opts_list; may be repeated */
};

struct opts_list {
    const char *items[OPTS_LIST_MAX];
    size_t count;
};

struct opt {
    char letter; /* 0: none */
    const char *name;
    enum opts_type type;
    const char *argument; /* as the help shows it; NULL for a flag */
    const char *choices;  /* "auto|always|never" */
    const char *help_id;  /* in text.tsv */
    size_t offset;        /* of the value in the struct that opts_parse fills */
};

#define OPTS_END                                                                                   \
    {                                                                                              \
        .name = NULL                                                                               \
    }

/* A table and the struct that its offsets are in. */
struct opts_set {
    const struct opt *table; /* NULL: none */
    void *values;
};

/* Takes the option at args[*i] (and its argument behind it) by the first of the sets that knows it,
 * and moves *i to the last word used. Unknown, or without its argument: ERR_USAGE, with the nearest
 * name. */
int opts_take(const struct opts_set *sets, size_t set_count, char **args, int count, int *i,
              struct err *err);

/* True for words that are options: "-x" and "--x", but not "-" and "--". */
bool opts_is_option(const char *word);

/* True when the table has an option of that name and it takes an argument. */
bool opts_wants_argument(const struct opt *table, const char *word);

#endif
