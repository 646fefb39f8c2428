/* How a card's name compares with what somebody typed; see cards.h for the steps. */
#ifndef ARCH_NAMES_H
#define ARCH_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#define NAMES_MAX 128

/* A name without spaces and hyphens, in lower case; `word[i]`: a word begins at i. */
struct name_form {
    char text[NAMES_MAX];
    bool word[NAMES_MAX];
    size_t length;
};

enum name_step {
    NAME_PRINTED,
    NAME_SQUEEZED,
    NAME_NO_MAKER,
    NAME_SHORT,
    NAME_BEGINS,
    NAME_NO_MATCH
};

struct name_query {
    const char *printed;
    struct name_form forms[NAME_BEGINS]; /* by step; the first is unused */
};

void names_query(struct name_query *query, const char *text);

enum name_step names_compare(const struct name_query *query, const char *name);

/* The name with all leading words off, for "did you mean". */
void names_short(const char *name, struct name_form *form);

#endif
