#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/assume.h"
#include "arch/cards.h"
#include "arch/facts.h"
#include "cli/cmd.h"
#include "cli/field.h"
#include "cli/grid.h"
#include "cli/out.h"
#include "cli/text.h"
#include "core/json.h"
#include "core/utf8.h"
#include "data/data.h"

struct list {
    struct card *cards;
    size_t count, cap;
};

static int add(struct list *list, const struct card *card, struct err *err)
{
    if (list->count == list->cap) {
        size_t cap = list->cap ? list->cap * 2 : 256;
        struct card *cards = reallocarray(list->cards, cap, sizeof *cards);
        if (!cards)
            return err_set(err, ERR_MEMORY, "out of memory");
        list->cards = cards;
        list->cap = cap;
    }
    list->cards[list->count++] = *card;
    return 0;
}

/* ---- which cards ---- */

/* A card that has figures under a name which the PCI table has not, such as 920A beside 920M. */
static int add_other_names(struct list *list, struct err *err)
{
    const struct table *t = data_table(DATA_CARDS);
    size_t known = list->count;
    for (size_t row = 0; row < t->row_count; row++) {
        const char *name = table_field(t, row, "name");
        bool found = false;
        for (size_t i = 0; i < known && !found; i++)
            found = list->cards[i].card_row == (int)row || strcmp(list->cards[i].name, name) == 0;
        struct card card;
        if (!found && cards_candidates(name, &card, 1) == 1 && add(list, &card, err))
            return -1;
    }
    return 0;
}

static int add_all(struct list *list, struct err *err)
{
    const struct table *t = data_table(DATA_PCI);
    int column = table_column(t, "device_id");
    for (size_t row = 0; row < t->row_count; row++) {
        struct card card;
        unsigned id = (unsigned)strtoul(table_get(t, row, column), NULL, 16);
        if (cards_by_id(id, &card) && add(list, &card, err))
            return -1;
    }
    return add_other_names(list, err);
}

/* Lower case, without blanks and hyphens. */
static void squeeze(char *to, size_t size, const char *text)
{
    size_t n = 0;
    for (; *text && n + 1 < size; text++)
        if (*text != ' ' && *text != '-')
            to[n++] = (char)tolower((unsigned char)*text);
    to[n] = 0;
}

static bool contains(const struct card *card, const char *pattern)
{
    char name[128], chip[64];
    unsigned cc;
    if (assume_parse_arch(pattern, &cc))
        return card->cc == cc;
    squeeze(name, sizeof name, card->name);
    squeeze(chip, sizeof chip, card->chip);
    return strstr(name, pattern) || str_starts(chip, pattern);
}

static int add_containing(struct list *list, const char *words, struct err *err)
{
    struct list all = { 0 };
    char pattern[128];
    squeeze(pattern, sizeof pattern, words);
    int rc = *pattern ? add_all(&all, err) : 0;
    for (size_t i = 0; i < all.count && !rc; i++)
        if (contains(&all.cards[i], pattern))
            rc = add(list, &all.cards[i], err);
    free(all.cards);
    return rc;
}

#define CANDIDATES_MAX 256

/* The same card under the same name comes from both tables; the first is the one with figures. */
static void drop_doubles(struct list *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct card *card = &list->cards[i];
        bool known = false;
        for (size_t k = 0; k < kept && !known; k++)
            known = list->cards[k].device_id == card->device_id &&
                    strcmp(list->cards[k].name, card->name) == 0;
        if (!known)
            list->cards[kept++] = *card;
    }
    list->count = kept;
}

/* Devices without a product name are called by their chip. */
static bool all_are_chips(const struct list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->cards[i].name, list->cards[i].chip) != 0)
            return false;
    return true;
}

/* The name as people write it, else any card that has it as a part, that chip or capability. */
static int find(struct list *list, const char *pattern, struct err *err)
{
    list->cards = calloc(CANDIDATES_MAX, sizeof *list->cards);
    if (!list->cards)
        return err_set(err, ERR_MEMORY, "out of memory");
    list->cap = CANDIDATES_MAX;
    list->count = cards_candidates(pattern, list->cards, CANDIDATES_MAX);
    drop_doubles(list);
    if (!all_are_chips(list))
        return 0;
    list->count = 0;
    return add_containing(list, pattern, err);
}

/* ---- output ---- */

static const struct field pci_fields[] = {
    { "system", NULL, FIELD_TEXT },
    { "last_branch", NULL, FIELD_TEXT },
    { "rare", NULL, FIELD_BOOL },
    { "source", NULL, FIELD_TEXT },
    { "confidence", NULL, FIELD_TEXT },
    { "note", NULL, FIELD_TEXT },
    { .column = NULL },
};

static const struct field figures[] = {
    { "name", NULL, FIELD_TEXT },
    { "system", NULL, FIELD_TEXT },
    { "sms", "sm_count", FIELD_NUMBER },
    { "cores", "core_count", FIELD_NUMBER },
    { "base_mhz", NULL, FIELD_NUMBER },
    { "boost_mhz", NULL, FIELD_NUMBER },
    { "memory_mib", NULL, FIELD_NUMBER },
    { "memory_type", NULL, FIELD_TEXT },
    { "bus_bits", NULL, FIELD_NUMBER },
    { "bandwidth_gbps", NULL, FIELD_NUMBER },
    { "l2_kib", NULL, FIELD_NUMBER },
    { "pcie", NULL, FIELD_TEXT },
    { "fp16_ratio", NULL, FIELD_NUMBER },
    { "fp64_ratio", NULL, FIELD_NUMBER },
    { "tensor", NULL, FIELD_TEXT },
    { "launch_us", NULL, FIELD_NUMBER },
    { "h2d_gbps", NULL, FIELD_NUMBER },
    { "source_chip", NULL, FIELD_TEXT },
    { "source_clocks", NULL, FIELD_TEXT },
    { "source_memory", NULL, FIELD_TEXT },
    { "source_l2", NULL, FIELD_TEXT },
    { "source_host", NULL, FIELD_TEXT },
    { "confidence", NULL, FIELD_TEXT },
    { "note", NULL, FIELD_TEXT },
    { .column = NULL },
};

/* "470.256.02"; "current"; the branch of a card older than CUDA; "?" */
static const char *last_driver(const struct card *card, enum arch_os os, char to[VERSION_TEXT_MAX])
{
    const struct arch_facts *arch = facts_arch(card->cc);
    struct driver_span span = { 0 };
    if (arch)
        span = facts_span(arch, os, card->notebook);
    if (version_known(span.last))
        return version_text(span.last, to);
    if (arch)
        return version_known(span.first) ? text_get("word.current") : "-";
    if (card->pci_row < 0 || os != ARCH_LINUX)
        return "?";
    return table_field(data_table(DATA_PCI), (size_t)card->pci_row, "last_branch");
}

static const char *pci_id(const struct card *card, char to[16])
{
    snprintf(to, 16, "10de:%04x", card->device_id);
    return card->device_id ? to : "?";
}

static const char *system_of(const struct card *card)
{
    if (card->pci_row >= 0)
        return table_field(data_table(DATA_PCI), (size_t)card->pci_row, "system");
    return table_field(data_table(DATA_CARDS), (size_t)card->card_row, "system");
}

static void add_row(struct grid *g, const struct card *card)
{
    char id[16], version[VERSION_TEXT_MAX];
    grid_cell(g, card->name);
    grid_cell(g, pci_id(card, id));
    grid_cell(g, card->chip);
    if (card->cc)
        grid_cellf(g, "%u.%u", card->cc / 10, card->cc % 10);
    else
        grid_cell(g, "-");
    grid_cell(g, last_driver(card, ARCH_LINUX, version));
    grid_cell(g, last_driver(card, ARCH_WINDOWS, version));
    grid_cell(g, text_word(system_of(card)));
    grid_cell(g, card->rare ? text_get("word.rare") : "");
}

static int print_table(const struct list *list, struct err *err)
{
    static const struct grid_column columns[] = {
        { "col.name", false },       { "col.pci", false },
        { "col.chip", false },       { "col.cc", false },
        { "col.last_linux", false }, { "col.last_windows", false },
        { "col.system", false },     { NULL, false },
    };
    struct grid *g = grid_new(columns, sizeof columns / sizeof columns[0]);
    if (!g)
        return err_set(err, ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < list->count; i++)
        add_row(g, &list->cards[i]);
    grid_print(g, 0);
    grid_free(g);
    return 0;
}

static void add_fields(struct grid *g, const struct table *t, int row, const struct field *fields)
{
    for (; row >= 0 && fields->column; fields++) {
        const char *value = table_field(t, (size_t)row, fields->column);
        if (strcmp(value, "-") == 0)
            continue;
        grid_cell(g, fields->key ? fields->key : fields->column);
        grid_cell(g, value);
    }
}

/* Everything that the two tables say, by the names of the JSON keys. */
static void print_details(const struct card *card)
{
    static const struct grid_column columns[] = { { NULL, false }, { NULL, false } };
    char id[16];
    struct grid *g = grid_new(columns, 2);
    if (!g)
        return;
    out_line(OUT_PLAIN, "");
    out_text(OUT_BOLD, card->name);
    out_text(OUT_PLAIN, " ");
    out_line(OUT_PLAIN, pci_id(card, id));
    add_fields(g, data_table(DATA_PCI), card->pci_row, pci_fields);
    grid_print(g, 2);
    out_line(OUT_DIM, text_get(card->card_row < 0 ? "cards.no_figures" : "cards.figures"));
    add_fields(g, data_table(DATA_CARDS), card->card_row, figures);
    grid_print(g, 2);
    grid_free(g);
}

static void put_driver(json_t *o, const char *key, const struct card *card, enum arch_os os)
{
    char version[VERSION_TEXT_MAX];
    const char *text = last_driver(card, os, version);
    const struct arch_facts *arch = facts_arch(card->cc);
    if (arch && version_known(facts_span(arch, os, card->notebook).first) &&
        !version_known(facts_span(arch, os, card->notebook).last))
        json_put_unknown(o, key, "current drivers support the card");
    else if (table_blank(text))
        json_put_unknown(o, key, *text == '-' ? "does not apply" : "not known");
    else
        json_put_text(o, key, text);
}

static json_t *card_value(const struct card *card)
{
    char id[16], cc[16];
    json_t *o = json_object();
    json_put_text(o, "name", card->name);
    json_put_text(o, "pci_id", card->device_id ? pci_id(card, id) : NULL);
    json_put_text(o, "chip", card->chip);
    snprintf(cc, sizeof cc, "%u.%u", card->cc / 10, card->cc % 10);
    if (card->cc)
        json_put_text(o, "cc", cc);
    else
        json_put_unknown(o, "cc", "older than CUDA, or not known");
    put_driver(o, "last_driver_linux", card, ARCH_LINUX);
    put_driver(o, "last_driver_windows", card, ARCH_WINDOWS);
    if (card->pci_row >= 0)
        field_put_row(o, data_table(DATA_PCI), (size_t)card->pci_row, pci_fields);
    if (card->card_row < 0) {
        json_put_unknown(o, "figures", "none are in the tables");
        return o;
    }
    json_t *values = json_object();
    field_put_row(values, data_table(DATA_CARDS), (size_t)card->card_row, figures);
    json_put(o, "figures", values);
    return o;
}

static void fill(json_t *doc, const struct list *list)
{
    json_t *cards = json_array();
    for (size_t i = 0; i < list->count; i++)
        json_array_append_new(cards, card_value(&list->cards[i]));
    json_put(doc, "cards", cards);
}

/* A fact about the card that is told wrongly elsewhere, if there is one. */
static void print_fact(const struct card *card)
{
    char id[32], pci[16];
    snprintf(id, sizeof id, "fact.%s", pci_id(card, pci));
    if (text_exists(id)) {
        out_pad(2);
        out_line(OUT_PLAIN, text_get(id));
    }
}

static int print(const struct cmd_run *run, const struct list *list, struct err *err)
{
    if (print_table(list, err))
        return -1;
    if (list->count == 1)
        print_fact(&list->cards[0]);
    for (size_t i = 0; i < list->count && run->globals->verbose; i++)
        print_details(&list->cards[i]);
    return 0;
}

/* The look-up of one card knows the nearest name. */
static void tell_none(const char *pattern)
{
    struct card_match match;
    struct err why;
    err_clear(&why);
    cards_find(pattern, &match, &why);
    out_note("%s", why.msg);
}

static int run(struct cmd_run *run, struct err *err)
{
    struct list list = { 0 };
    const char *pattern = run->operand_count ? run->operands[0] : NULL;
    int rc = pattern ? find(&list, pattern, err) : add_all(&list, err);
    int status = list.count ? CMD_DONE : CMD_NOT_FIT;
    if (!rc && run->doc)
        fill(run->doc, &list);
    else if (!rc && list.count)
        rc = print(run, &list, err);
    if (!rc && !list.count)
        tell_none(pattern ? pattern : "");
    free(list.cards);
    return rc ? -1 : status;
}

const struct cmd cmd_cards = {
    .name = "cards",
    .operands = "[PATTERN]",
    .summary_id = "cmd.cards",
    .about_id = "about.cards",
    .operands_most = 1,
    .basis = "documented",
    .examples = { { "cards 920m", "example.cards" }, { "cards -v GK208", "example.cards_chip" } },
    .statuses = { { CMD_DONE, "exit.shown" }, { CMD_NOT_FIT, "exit.no_card" } },
    .run = run,
};
