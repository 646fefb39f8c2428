/* The sentences for people: src/data/text.tsv by id, in the language of the user. */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include <stdbool.h>

#include "core/str.h"

/* A placeholder's name (without braces) and what stands for it. */
struct text_arg {
    const char *name, *value;
};

/* TEXT_ARGS({ "card", name }, { "cc", cc }): ends the list as text_add wants it. */
#define TEXT_ARGS(...) ((const struct text_arg[]){ __VA_ARGS__, { NULL, NULL } })

/* "en" or "zh"; false for another. */
bool text_set_language(const char *language);

/* Chinese for a UTF-8 locale of Chinese by LC_ALL, LC_MESSAGES, LANG; else English. */
void text_language_from_locale(void);

const char *text_language(void);

/* The sentence as it stands in the table; the id itself where the table lacks it (a test holds that
 * against every id in use). Never NULL. */
const char *text_get(const char *id);
bool text_exists(const char *id);

/* A word of the tables ("notebook", "yes") in the language of the user, else as it stands. */
const char *text_word(const char *word);

/* Appends the sentence with {name} replaced. `args` may be NULL. */
void text_add(struct str *to, const char *id, const struct text_arg *args);

#endif
