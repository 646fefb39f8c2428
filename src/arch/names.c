#include "arch/names.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* The maker's words first: step 3 takes off only those. */
static const char *const words[] = { "nvidia", "geforce", "quadro", "tesla", "gtx", "rtx", "gt" };
#define MAKER_WORDS 4
#define ALL_WORDS   (sizeof words / sizeof *words)

static bool separates(char c)
{
    return c == ' ' || c == '-';
}

static void squeeze(const char *text, struct name_form *form)
{
    bool begins = true;
    form->length = 0;
    for (; *text && form->length + 1 < NAMES_MAX; text++) {
        if (separates(*text)) {
            begins = true;
            continue;
        }
        form->word[form->length] = begins || *text == '(' || *text == '/';
        form->text[form->length++] = (char)tolower((unsigned char)*text);
        begins = false;
    }
    form->text[form->length] = 0;
    form->word[form->length] = true;
}

/* A word counts when one begins behind it or a digit follows: "gtx1060", but not the GT of GTS. */
static bool leads(const struct name_form *form, const char *word)
{
    size_t n = strlen(word);
    return form->length > n && !strncmp(form->text, word, n) &&
           (form->word[n] || isdigit((unsigned char)form->text[n]));
}

static void drop(struct name_form *form, size_t n)
{
    memmove(form->text, form->text + n, form->length + 1 - n);
    memmove(form->word, form->word + n, (form->length + 1 - n) * sizeof *form->word);
    form->length -= n;
}

static void strip(struct name_form *form, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (leads(form, words[i])) {
            drop(form, strlen(words[i]));
            i = (size_t)-1; /* from the first word again: "NVIDIA GeForce", "Quadro RTX" */
        }
}

void names_short(const char *name, struct name_form *form)
{
    squeeze(name, form);
    strip(form, ALL_WORDS);
}

void names_query(struct name_query *query, const char *text)
{
    query->printed = text;
    squeeze(text, &query->forms[NAME_SQUEEZED]);
    query->forms[NAME_NO_MAKER] = query->forms[NAME_SQUEEZED];
    strip(&query->forms[NAME_NO_MAKER], MAKER_WORDS);
    query->forms[NAME_SHORT] = query->forms[NAME_NO_MAKER];
    strip(&query->forms[NAME_SHORT], ALL_WORDS);
}

static bool begins(const struct name_form *name, const struct name_form *with)
{
    return with->length > 1 && with->length < name->length &&
           !strncmp(name->text, with->text, with->length) && name->word[with->length];
}

enum name_step names_compare(const struct name_query *query, const char *name)
{
    if (!strcasecmp(query->printed, name))
        return NAME_PRINTED;
    struct name_form form;
    squeeze(name, &form);
    if (!strcmp(form.text, query->forms[NAME_SQUEEZED].text))
        return NAME_SQUEEZED;
    strip(&form, MAKER_WORDS);
    if (!strcmp(form.text, query->forms[NAME_NO_MAKER].text))
        return NAME_NO_MAKER;
    bool prefix = begins(&form, &query->forms[NAME_NO_MAKER]);
    strip(&form, ALL_WORDS);
    if (!strcmp(form.text, query->forms[NAME_SHORT].text))
        return NAME_SHORT;
    return prefix || begins(&form, &query->forms[NAME_SHORT]) ? NAME_BEGINS : NAME_NO_MATCH;
}
