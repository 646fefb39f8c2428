#include "arch/cards.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "arch/facts.h"
#include "arch/names.h"
#include "core/str.h"
#include "core/table.h"
#include "data/data.h"

/* Rows that one text may hit; more are cut off (only a beginning such as "rtx" has as many). */
#define HITS_MAX 256

/* ---- rows of the tables ---- */

/* "3.5" -> 35; 0 for "-" and "?". */
static unsigned capability(const char *text)
{
    unsigned major, minor;
    return sscanf(text, "%u.%u", &major, &minor) == 2 ? major * 10 + minor : 0;
}

static struct card row_card(const struct table *t, size_t row)
{
    return (struct card){
        .name = table_field(t, row, "name"),
        .chip = table_field(t, row, "chip"),
        .cc = capability(table_field(t, row, "cc")),
        .notebook = !strcmp(table_field(t, row, "system"), "notebook"),
        .rare = !strcmp(table_field(t, row, "rare"), "yes"),
        .pci_row = -1,
        .card_row = -1,
    };
}

bool cards_parse_id(const char *text, unsigned *device_id)
{
    char rest;
    return !strncasecmp(text, "10de:", 5) && isxdigit((unsigned char)text[5]) &&
           strlen(text) == 9 && sscanf(text + 5, "%4x%c", device_id, &rest) == 1;
}

/* cards.tsv names the ids as "10de:1340,10de:1341"; one id may be sold under two names, then the
 * row that begins with this one's counts. */
static int figures_row(const struct card *card)
{
    const struct table *t = data_table(DATA_CARDS);
    int ids = table_column(t, "pci_ids"), name = table_column(t, "name"), found = -1;
    char id[16];
    snprintf(id, sizeof id, "10de:%04x", card->device_id);
    for (size_t row = 0; ids >= 0 && name >= 0 && row < t->row_count; row++) {
        if (!strstr(table_get(t, row, ids), id))
            continue;
        if (str_starts(table_get(t, row, name), card->name))
            return (int)row;
        if (found < 0)
            found = (int)row;
    }
    return found;
}

static int pci_row(unsigned device_id)
{
    const struct table *t = data_table(DATA_PCI);
    int column = table_column(t, "device_id");
    for (size_t row = 0; column >= 0 && row < t->row_count; row++)
        if (strtoul(table_get(t, row, column), NULL, 16) == device_id)
            return (int)row;
    return -1;
}

static struct card from_pci(size_t row)
{
    const struct table *t = data_table(DATA_PCI);
    struct card card = row_card(t, row);
    card.device_id = (unsigned)strtoul(table_field(t, row, "device_id"), NULL, 16);
    card.pci_row = (int)row;
    card.card_row = figures_row(&card);
    return card;
}

static struct card from_figures(size_t row)
{
    const struct table *t = data_table(DATA_CARDS);
    struct card card = row_card(t, row);
    card.card_row = (int)row;
    char first[10];
    str_copy(first, sizeof first, table_field(t, row, "pci_ids"));
    if (cards_parse_id(first, &card.device_id))
        card.pci_row = pci_row(card.device_id);
    return card;
}

bool cards_by_id(unsigned device_id, struct card *card)
{
    int row = pci_row(device_id);
    if (row >= 0)
        *card = from_pci((size_t)row);
    return row >= 0;
}

/* ---- hits ---- */

struct hits {
    struct card list[HITS_MAX];
    size_t count;
    enum name_step best;
};

static void hit(struct hits *hits, enum name_step step, struct card (*card)(size_t), size_t row)
{
    if (step > hits->best || step == NAME_NO_MATCH)
        return;
    if (step < hits->best)
        hits->count = 0;
    hits->best = step;
    if (hits->count < HITS_MAX)
        hits->list[hits->count++] = card(row);
}

/* The names behind "also: A; B" in a note: the drivers print them for some boards with this id.
 * They count no more than the beginning of a name: "GTX 1060" is also what a notebook's chip is
 * called. */
static bool also_called(const struct name_query *query, const char *note)
{
    const char *p = strstr(note, "also: ");
    if (!p)
        return false;
    for (p += 6; *p;) {
        char name[NAMES_MAX];
        size_t n = strcspn(p, ";");
        snprintf(name, sizeof name, "%.*s", (int)n, p);
        if (names_compare(query, name) < NAME_BEGINS)
            return true;
        p += n;
        p += strspn(p, "; ");
    }
    return false;
}

/* `least`: better steps are taken for this one. */
static void search(struct hits *hits, const struct name_query *query, enum name_step least)
{
    const struct table *cards = data_table(DATA_CARDS), *pci = data_table(DATA_PCI);
    int name = table_column(cards, "name");
    for (size_t row = 0; name >= 0 && row < cards->row_count; row++) {
        enum name_step step = names_compare(query, table_get(cards, row, name));
        hit(hits, step < least ? least : step, from_figures, row);
    }
    name = table_column(pci, "name");
    int note = table_column(pci, "note");
    for (size_t row = 0; name >= 0 && note >= 0 && row < pci->row_count; row++) {
        enum name_step step = names_compare(query, table_get(pci, row, name));
        if (step > NAME_BEGINS && also_called(query, table_get(pci, row, note)))
            step = NAME_BEGINS;
        hit(hits, step < least ? least : step, from_pci, row);
    }
}

static void keep_chip(struct hits *hits, const char *chip, size_t length)
{
    size_t kept = 0;
    for (size_t i = 0; i < hits->count; i++)
        if (strlen(hits->list[i].chip) == length && !strncasecmp(hits->list[i].chip, chip, length))
            hits->list[kept++] = hits->list[i];
    hits->count = kept;
}

/* "NAME (CHIP)": nothing when the text has no such end. */
static void search_chip(struct hits *hits, const char *text)
{
    char name[NAMES_MAX];
    const char *open = strrchr(text, '(');
    size_t length = strlen(text);
    if (!open || open == text || text[length - 1] != ')')
        return;
    size_t n = (size_t)(open - text);
    while (n && text[n - 1] == ' ')
        n--;
    snprintf(name, sizeof name, "%.*s", (int)n, text);
    struct name_query query;
    names_query(&query, name);
    search(hits, &query, NAME_PRINTED);
    keep_chip(hits, open + 1, (size_t)(text + length - 1 - (open + 1)));
}

/* ---- which of several ---- */

static struct driver_version last_driver(const struct card *card, enum arch_os os)
{
    const struct arch_facts *arch = facts_arch(card->cc);
    return arch ? facts_span(arch, os, card->notebook).last : (struct driver_version){ 0 };
}

static bool alike(const struct card *a, const struct card *b)
{
    if (a->cc != b->cc)
        return false;
    return !version_compare(last_driver(a, ARCH_LINUX), last_driver(b, ARCH_LINUX)) &&
           !version_compare(last_driver(a, ARCH_WINDOWS), last_driver(b, ARCH_WINDOWS));
}

static bool all_alike(const struct hits *hits)
{
    for (size_t i = 1; i < hits->count; i++)
        if (!alike(&hits->list[0], &hits->list[i]))
            return false;
    return true;
}

/* Which is meant more likely: common parts, those with figures, desktop ones; else the table's
 * order. */
static unsigned likelihood(const struct card *card)
{
    return (card->rare ? 0u : 4u) + (card->card_row >= 0 ? 2u : 0u) + (card->notebook ? 0u : 1u);
}

/* Stable, so that equals keep the table's order. */
static void sort_likeliest(struct hits *hits)
{
    for (size_t i = 1; i < hits->count; i++) {
        struct card card = hits->list[i];
        size_t k = i;
        for (; k && likelihood(&hits->list[k - 1]) < likelihood(&card); k--)
            hits->list[k] = hits->list[k - 1];
        hits->list[k] = card;
    }
}

static bool any_figures(const struct hits *hits)
{
    for (size_t i = 0; i < hits->count; i++)
        if (hits->list[i].card_row >= 0)
            return true;
    return false;
}

/* A name that has no figures of its own ("H100") may be the beginning of some that do: then these,
 * if they are alike in all that matters here. */
static void add_longer_names(struct hits *hits, const struct name_query *query)
{
    if (!hits->count || hits->best == NAME_BEGINS || any_figures(hits))
        return;
    struct hits *more = malloc(sizeof *more);
    if (!more)
        return;
    *more = (struct hits){ .best = NAME_NO_MATCH };
    search(more, query, NAME_BEGINS);
    if (any_figures(more) && all_alike(more) && alike(&more->list[0], &hits->list[0]))
        *hits = *more;
    free(more);
}

static void look_up(struct hits *hits, const char *text)
{
    *hits = (struct hits){ .best = NAME_NO_MATCH };
    unsigned id;
    if (cards_parse_id(text, &id)) {
        hits->count = cards_by_id(id, &hits->list[0]);
        return;
    }
    struct name_query query;
    names_query(&query, text);
    search(hits, &query, NAME_PRINTED);
    if (hits->best > NAME_SQUEEZED && strchr(text, '(')) {
        *hits = (struct hits){ .best = NAME_NO_MATCH };
        search_chip(hits, text);
    }
    add_longer_names(hits, &query);
    sort_likeliest(hits);
}

size_t cards_candidates(const char *text, struct card *cards, size_t max)
{
    struct hits *hits = malloc(sizeof *hits);
    if (!hits)
        return 0;
    look_up(hits, text);
    size_t count = hits->count < max ? hits->count : max;
    memcpy(cards, hits->list, count * sizeof *cards);
    free(hits);
    return count;
}

/* ---- the answer ---- */

static bool same_words(const struct card *a, const struct card *b)
{
    return !strcmp(a->name, b->name) && !strcmp(a->chip, b->chip);
}

static bool listed_before(const struct hits *hits, size_t index, size_t from)
{
    for (size_t i = from; i < index; i++)
        if (same_words(&hits->list[i], &hits->list[index]))
            return true;
    return false;
}

/* "A (GF108, 2.1), B (GK107, 3.0)" of the hits from `from` on, each pair of name and chip once. */
static void list_names(const struct hits *hits, size_t from, struct str *to)
{
    for (size_t i = from; i < hits->count; i++) {
        const struct card *card = &hits->list[i];
        if (listed_before(hits, i, 0))
            continue;
        str_addf(to, "%s%s (%s", to->len ? ", " : "", card->name, card->chip);
        if (card->cc)
            str_addf(to, ", %u.%u", card->cc / 10, card->cc % 10);
        str_add(to, ")");
    }
}

/* Cuts at a comma, so that no name is printed in half. */
static void fit(const struct str *names, char *to, size_t size)
{
    if (str_copy(to, size, names->p))
        return;
    to[size - 5] = 0;
    char *comma = strrchr(to, ',');
    strcpy(comma ? comma : to, ", ...");
}

static int several(const char *text, const struct hits *hits, struct err *err)
{
    struct str names = STR_INIT;
    char list[200];
    list_names(hits, 0, &names);
    fit(&names, list, sizeof list);
    str_free(&names);
    return err_set(err, ERR_USAGE, "card '%s' is several: %s; name the chip or the PCI id", text,
                   list);
}

static void nearest(const struct table *t, const struct name_form *wanted, const char **best,
                    unsigned *least)
{
    int column = table_column(t, "name");
    for (size_t row = 0; column >= 0 && row < t->row_count; row++) {
        struct name_form form;
        names_short(table_get(t, row, column), &form);
        unsigned distance = str_distance(form.text, wanted->text);
        if (distance < *least) {
            *least = distance;
            *best = table_get(t, row, column);
        }
    }
}

static int unknown(const char *text, struct err *err)
{
    struct name_form wanted;
    const char *best = NULL;
    unsigned least = 3; /* more edits than two are another card */
    names_short(text, &wanted);
    nearest(data_table(DATA_CARDS), &wanted, &best, &least);
    nearest(data_table(DATA_PCI), &wanted, &best, &least);
    if (best && wanted.length > 2)
        return err_set(err, ERR_USAGE, "no card '%.60s' is known; did you mean '%s'?", text, best);
    return err_set(err, ERR_USAGE, "no card '%.60s' is known", text);
}

static size_t common_count(const struct hits *hits)
{
    size_t count = 0;
    while (count < hits->count && !hits->list[count].rare)
        count++;
    return count;
}

static void note_others(const struct hits *hits, struct card_match *match)
{
    struct str names = STR_INIT;
    list_names(hits, 1, &names);
    if (names.len)
        fit(&names, match->others, sizeof match->others);
    else
        match->note = CARD_NOTE_NONE;
    str_free(&names);
}

static bool is_older_than_cuda(const struct card *card)
{
    const struct table *t = data_table(card->pci_row >= 0 ? DATA_PCI : DATA_CARDS);
    int row = card->pci_row >= 0 ? card->pci_row : card->card_row;
    return row >= 0 && !strcmp(table_field(t, (size_t)row, "cc"), "-");
}

/* `hits` are sorted: common ones first. */
static int decide(const char *text, struct hits *hits, struct card_match *match, struct err *err)
{
    size_t all = hits->count, common = common_count(hits);
    *match = (struct card_match){ .card = hits->list[0] };
    if (all_alike(hits)) {
        match->note = CARD_NOTE_COMMONEST;
    } else {
        hits->count = common ? common : all;
        bool one = all_alike(hits);
        hits->count = all;
        if (!one)
            return several(text, hits, err);
        match->note = CARD_NOTE_RARE;
    }
    note_others(hits, match);
    if (match->card.cc)
        return 0;
    return err_set(err, ERR_USAGE, "card '%s' (%s) %s", match->card.name, match->card.chip,
                   is_older_than_cuda(&match->card) ? "is older than CUDA"
                                                    : "has no published compute capability");
}

int cards_find(const char *text, struct card_match *match, struct err *err)
{
    struct hits *hits = malloc(sizeof *hits);
    if (!hits)
        return err_set(err, ERR_MEMORY, "out of memory");
    look_up(hits, text);
    int rc = hits->count ? decide(text, hits, match, err) : unknown(text, err);
    free(hits);
    return rc;
}
