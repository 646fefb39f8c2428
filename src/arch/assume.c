#include "arch/assume.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/str.h"

enum form { FORM_BY_CARD, FORM_NOTEBOOK, FORM_DESKTOP };

struct options {
    struct driver_version driver;
    enum arch_os os;
    bool os_given;
    enum form form;
};

bool assume_parse_arch(const char *text, unsigned *cc)
{
    unsigned major, minor, number;
    char rest;
    if (!strncasecmp(text, "sm_", 3) && sscanf(text + 3, "%4u%c", &number, &rest) == 1) {
        *cc = number;
        return number >= 10;
    }
    if (sscanf(text, "%2u.%1u%c", &major, &minor, &rest) != 2)
        return false;
    *cc = major * 10 + minor;
    return major > 0;
}

/* "sm_90a", "compute_35": the words of images, which cards do not have. */
static bool looks_like_arch(const char *word)
{
    return !strncasecmp(word, "sm_", 3) || !strncasecmp(word, "compute_", 8) ||
           !strncasecmp(word, "lto_", 4);
}

static int set_driver(struct options *o, const char *value, struct err *err)
{
    if (version_known(o->driver))
        return err_set(err, ERR_USAGE, "driver= is given twice");
    if (!version_parse(value, &o->driver))
        return err_set(err, ERR_USAGE, "'%s' is no driver version such as 470.256.02", value);
    return 0;
}

static int set_os(struct options *o, const char *value, struct err *err)
{
    if (o->os_given)
        return err_set(err, ERR_USAGE, "os= is given twice");
    o->os_given = true;
    if (!strcasecmp(value, "windows"))
        o->os = ARCH_WINDOWS;
    else if (!strcasecmp(value, "linux"))
        o->os = ARCH_LINUX;
    else
        return err_set(err, ERR_USAGE, "'os=%s' is neither linux nor windows", value);
    return 0;
}

static int set_form(struct options *o, enum form form, struct err *err)
{
    if (o->form != FORM_BY_CARD)
        return err_set(err, ERR_USAGE, "notebook or desktop is given twice");
    o->form = form;
    return 0;
}

static int add_card(struct assumption *a, const char *word, struct err *err)
{
    if (a->count == ASSUME_CARDS_MAX)
        return err_set(err, ERR_USAGE, "more than %d cards", ASSUME_CARDS_MAX);
    struct assumed *card = &a->cards[a->count];
    *card = (struct assumed){ 0 };
    card->is_card = !assume_parse_arch(word, &card->target.cc);
    if (card->is_card && looks_like_arch(word))
        return err_set(err, ERR_USAGE, "no capability '%s' is known: a card has one such as sm_35",
                       word);
    if (card->is_card) {
        if (cards_find(word, &card->match, err))
            return -1;
        card->target.cc = card->match.card.cc;
        card->target.notebook = card->match.card.notebook;
    } else if (!facts_arch(card->target.cc)) {
        return err_set(err, ERR_USAGE, "no compute capability '%s' is known", word);
    }
    a->count++;
    return 0;
}

static int take_word(struct assumption *a, struct options *o, const char *word, struct err *err)
{
    if (!*word)
        return err_set(err, ERR_USAGE, "empty word between commas");
    if (!strncasecmp(word, "driver=", 7))
        return set_driver(o, word + 7, err);
    if (!strncasecmp(word, "os=", 3))
        return set_os(o, word + 3, err);
    if (!strcasecmp(word, "notebook"))
        return set_form(o, FORM_NOTEBOOK, err);
    if (!strcasecmp(word, "desktop"))
        return set_form(o, FORM_DESKTOP, err);
    if (strchr(word, '='))
        return err_set(err, ERR_USAGE, "unknown setting '%s': there are driver= and os=", word);
    return add_card(a, word, err);
}

/* Up to the next comma outside parentheses; trims blanks. Returns what is left, or NULL. */
static const char *next_word(const char *text, char *word, size_t size)
{
    int depth = 0;
    size_t n = 0;
    for (; text[n] && (text[n] != ',' || depth > 0); n++)
        depth += (text[n] == '(') - (text[n] == ')');
    size_t from = strspn(text, " "), to = n;
    while (to > from && text[to - 1] == ' ')
        to--;
    snprintf(word, size, "%.*s", from < to ? (int)(to - from) : 0, text + from);
    return text[n] ? text + n + 1 : NULL;
}

int assume_parse(const char *text, struct assumption *a, struct err *err)
{
    struct options o = { .os = ARCH_LINUX };
    char word[160];
    a->count = 0;
    if (strlen(text) >= 1024)
        return err_set(err, ERR_USAGE, "more than 1024 characters");
    while (text) {
        text = next_word(text, word, sizeof word);
        if (take_word(a, &o, word, err))
            return -1;
    }
    if (!a->count)
        return err_set(err, ERR_USAGE, "no card is named");
    for (size_t i = 0; i < a->count; i++) {
        struct arch_target *t = &a->cards[i].target;
        t->driver = o.driver;
        t->os = o.os;
        if (o.form != FORM_BY_CARD)
            t->notebook = o.form == FORM_NOTEBOOK;
    }
    return 0;
}
