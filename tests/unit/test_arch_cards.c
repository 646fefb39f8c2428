#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "arch/assume.h"
#include "arch/facts.h"
#include "arch/names.h"
#include "core/table.h"
#include "data/data.h"

/* Texts that people type. Capabilities and ids: NVIDIA's list of CUDA GPUs, pci.ids, and the
 * driver's own words where a report prints them (the project's notes on old cards). */
static const struct {
    const char *text;
    unsigned cc, device_id;
} known[] = {
    { "GeForce 920M", 35, 0x1299 },
    { "geforce 920m", 35, 0x1299 },
    { "NVIDIA GeForce 920M", 35, 0x1299 },
    { "920M", 35, 0x1299 },
    { "920m", 35, 0x1299 },
    { "10de:1299", 35, 0x1299 },
    { "10DE:1299", 35, 0x1299 },
    { "920MX", 50, 0x134f }, /* the one that the 920M is taken for */
    { "920-mx", 50, 0x134f },
    { "Tesla K80", 37, 0x102d },
    { "k80", 37, 0x102d },
    { "Quadro K620", 50, 0x13bb },
    { "K620", 50, 0x13bb },
    { "GTX 750 Ti", 50, 0x1380 }, /* not the rare GK106 */
    { "gtx750ti", 50, 0x1380 },
    { "GT 730 (GK208B)", 35, 0x1287 },
    { "gt730 (gk208b)", 35, 0x1287 },
    { "10de:0f02", 21, 0x0f02 }, /* a GT 730 of GF108 */
    { "RTX 4090", 89, 0x2684 },
    { "GTX TITAN X", 52, 0x17c2 },
    { "MX110", 50, 0x174e },
    { "GeForce 910M", 35, 0x129a },
};

Test(cards, names_as_people_type_them_find_the_card)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct card_match m;
        struct err err;
        err_clear(&err);
        cr_assert(!cards_find(known[i].text, &m, &err), "'%s': %s", known[i].text, err.msg);
        cr_expect_eq(m.card.cc, known[i].cc, "'%s': %u", known[i].text, m.card.cc);
        cr_expect_eq(m.card.device_id, known[i].device_id, "'%s': %04x (%s)", known[i].text,
                     m.card.device_id, m.card.name);
    }
}

static void expect_refused(const char *text, const char *const *words, size_t count)
{
    struct card_match m;
    struct err err;
    err_clear(&err);
    cr_assert(cards_find(text, &m, &err), "'%s' is taken as '%s'", text, m.card.name);
    cr_expect_eq(err.code, ERR_USAGE);
    for (size_t i = 0; i < count; i++)
        cr_expect(strstr(err.msg, words[i]), "'%s' not in: %s", words[i], err.msg);
}

Test(cards, a_name_on_chips_that_differ_is_not_guessed)
{
    /* gpus.tsv of the notes: GT 730 is GF108, GK107 or GK208B */
    expect_refused("GT 730",
                   (const char *const[]){ "GF108, 2.1", "GK107, 3.0", "GK208B, 3.5", "PCI id" }, 4);
    expect_refused("GT 740M", (const char *const[]){ "GK107M, 3.0", "GK208M, 3.5" }, 2);
}

Test(cards, chips_that_differ_in_nothing_that_matters_are_one_with_a_note)
{
    struct card_match m;
    struct err err;
    err_clear(&err);
    cr_assert(!cards_find("940M", &m, &err)); /* GM108M and GM107M, both 5.0 */
    cr_expect_eq(m.note, CARD_NOTE_COMMONEST);
    cr_expect(strstr(m.others, "GM107M") || strstr(m.others, "GM108M"), "%s", m.others);
    cr_assert(!cards_find("GTX 1060", &m, &err)); /* begins the names of several */
    cr_expect_eq(m.card.cc, 61);
    cr_expect_not(m.card.notebook);
    cr_expect_eq(m.note, CARD_NOTE_COMMONEST);
}

Test(cards, rare_parts_are_set_aside_with_a_note)
{
    struct card_match m;
    struct err err;
    err_clear(&err);
    cr_assert(!cards_find("GTX 750 Ti", &m, &err));
    cr_expect_eq(m.note, CARD_NOTE_RARE);
    cr_expect_str_eq(m.card.chip, "GM107");
    cr_expect(strstr(m.others, "GK106, 3.0"), "%s", m.others);
}

Test(cards, unknown_names_are_refused_with_the_nearest)
{
    expect_refused("GeForce 921M", (const char *const[]){ "did you mean", "92" }, 2);
    expect_refused("Radeon RX 580", NULL, 0);
    expect_refused("10de:ffff", NULL, 0);
    expect_refused("10de:12", NULL, 0);
    expect_refused("GT 730 (GM107)", NULL, 0);
    expect_refused("", NULL, 0);
    expect_refused("(", NULL, 0);
    expect_refused("Riva 128", (const char *const[]){ "older than CUDA" }, 1);
}

Test(cards, a_beginning_counts_only_up_to_a_whole_word)
{
    struct name_query query;
    names_query(&query, "920m");
    cr_expect_eq(names_compare(&query, "GeForce 920MX"), NAME_NO_MATCH);
    cr_expect_eq(names_compare(&query, "GeForce 920M"), NAME_NO_MAKER);
    names_query(&query, "gtx 1060");
    cr_expect_eq(names_compare(&query, "GeForce GTX 1060 6GB"), NAME_BEGINS);
    cr_expect_eq(names_compare(&query, "GeForce GTX 1060M"), NAME_NO_MATCH);
    names_query(&query, "450");
    cr_expect_eq(names_compare(&query, "GeForce GTS 450"), NAME_NO_MATCH);
    cr_expect_eq(names_compare(&query, "Quadro FX 450"), NAME_NO_MATCH);
}

static bool same_row(const struct card *card, int pci_row, int card_row)
{
    return pci_row >= 0 ? card->pci_row == pci_row : card->card_row == card_row;
}

static bool among(const char *text, int pci_row, int card_row)
{
    static struct card cards[256];
    size_t count = cards_candidates(text, cards, 256);
    for (size_t i = 0; i < count; i++)
        if (same_row(&cards[i], pci_row, card_row))
            return true;
    return false;
}

static unsigned row_cc(const struct table *t, size_t row)
{
    unsigned major, minor;
    return sscanf(table_field(t, row, "cc"), "%u.%u", &major, &minor) == 2 ? major * 10 + minor : 0;
}

/* Every name that the tables print, alone, with its chip, and as PCI id. */
Test(cards, every_device_is_found_by_its_name_and_exactly_by_name_and_chip, .timeout = 120)
{
    const struct table *t = data_table(DATA_PCI);
    cr_assert_gt(t->row_count, 1000);
    for (size_t row = 0; row < t->row_count; row++) {
        char text[NAMES_MAX * 2], id[16];
        const char *name = table_field(t, row, "name");
        cr_expect(among(name, (int)row, -1), "'%s' does not find its own row", name);
        snprintf(id, sizeof id, "10de:%s", table_field(t, row, "device_id"));
        cr_expect(among(id, (int)row, -1), "'%s'", id);
        if (!row_cc(t, row))
            continue;
        struct card_match m;
        struct err err;
        err_clear(&err);
        snprintf(text, sizeof text, "%s (%s)", name, table_field(t, row, "chip"));
        cr_expect(!cards_find(text, &m, &err), "'%s': %s", text, err.msg);
        if (!err.code)
            cr_expect_eq(m.card.cc, row_cc(t, row), "'%s': %u", text, m.card.cc);
    }
}

Test(cards, every_card_with_figures_is_found_by_its_name, .timeout = 60)
{
    const struct table *t = data_table(DATA_CARDS);
    cr_assert_gt(t->row_count, 100);
    for (size_t row = 0; row < t->row_count; row++) {
        struct card_match m;
        struct err err;
        err_clear(&err);
        const char *name = table_field(t, row, "name");
        cr_expect(among(name, -1, (int)row), "'%s' does not find its own row", name);
        int rc = cards_find(name, &m, &err);
        cr_expect(!rc, "'%s': %s", name, err.msg);
        if (!rc)
            cr_expect(m.card.cc == row_cc(t, row) && m.card.card_row == (int)row,
                      "'%s': found '%s' (%u)", name, m.card.name, m.card.cc);
    }
}

Test(cards, every_capability_of_a_device_is_in_the_table_of_capabilities)
{
    const struct table *t = data_table(DATA_PCI);
    for (size_t row = 0; row < t->row_count; row++)
        if (row_cc(t, row))
            cr_expect(facts_arch(row_cc(t, row)), "%s: %u", table_field(t, row, "name"),
                      row_cc(t, row));
}

/* ---- --assume ---- */

Test(assume, a_card_brings_its_capability_and_form)
{
    struct assumption a;
    struct err err;
    err_clear(&err);
    cr_assert(!assume_parse("920m,driver=470.256.02,os=windows", &a, &err), "%s", err.msg);
    cr_assert_eq(a.count, 1);
    cr_expect_eq(a.cards[0].target.cc, 35);
    cr_expect(a.cards[0].target.notebook);
    cr_expect_eq(a.cards[0].target.os, ARCH_WINDOWS);
    cr_expect_eq(a.cards[0].target.driver.major, 470);
    cr_expect_eq(a.cards[0].target.driver.minor, 256);
    cr_expect_eq(a.cards[0].target.driver.patch, 2);
}

Test(assume, an_architecture_alone_is_enough)
{
    struct assumption a;
    struct err err;
    err_clear(&err);
    cr_assert(!assume_parse("sm_35,notebook,os=windows,driver=425.31", &a, &err), "%s", err.msg);
    cr_expect_not(a.cards[0].is_card);
    cr_expect_eq(a.cards[0].target.cc, 35);
    cr_expect(a.cards[0].target.notebook);
    cr_assert(!assume_parse("SM_50", &a, &err), "%s", err.msg);
    cr_expect_eq(a.cards[0].target.cc, 50);
    cr_assert(!assume_parse("12.1", &a, &err), "%s", err.msg);
    cr_expect_eq(a.cards[0].target.cc, 121);
    cr_expect_eq(a.cards[0].target.driver.major, 0);
}

Test(assume, several_cards_share_the_driver)
{
    struct assumption a;
    struct err err;
    err_clear(&err);
    cr_assert(!assume_parse("k80, 940m, driver=535", &a, &err), "%s", err.msg);
    cr_assert_eq(a.count, 2);
    cr_expect_eq(a.cards[0].target.cc, 37);
    cr_expect_eq(a.cards[1].target.cc, 50);
    cr_expect_eq(a.cards[1].target.driver.major, 535);
}

Test(assume, a_comma_in_parentheses_belongs_to_the_name)
{
    struct assumption a;
    struct err err;
    err_clear(&err);
    cr_assert(!assume_parse("GeForce GT 740 (GK107, GDDR5),driver=470", &a, &err), "%s", err.msg);
    cr_assert_eq(a.count, 1);
    cr_expect_eq(a.cards[0].target.cc, 30);
}

static const struct {
    const char *text, *says;
} wrong[] = {
    { "", "empty" },
    { "driver=470", "no card is named" },
    { "920m,driver=new", "driver version" },
    { "920m,driver=470.256.02.1", "driver version" },
    { "920m,driver=99999999999999999999", "driver version" },
    { "920m,os=mac", "neither linux nor windows" },
    { "920m,colour=red", "unknown setting" },
    { "sm_99", "no compute capability" },
    { "sm_90a", "such as sm_35" },
    { "compute_35", "such as sm_35" },
    { "lto_80", "such as sm_35" },
    { "920m,driver=470,driver=535", "given twice" },
    { "920m,os=linux,os=windows", "given twice" },
    { "920m,notebook,desktop", "given twice" },
    { "920m,,os=linux", "empty" },
};

Test(assume, wrong_words_are_named)
{
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct assumption a;
        struct err err;
        err_clear(&err);
        cr_expect(assume_parse(wrong[i].text, &a, &err), "'%s' is taken", wrong[i].text);
        cr_expect_eq(err.code, ERR_USAGE);
        cr_expect(strstr(err.msg, wrong[i].says), "'%s': %s", wrong[i].text, err.msg);
    }
}

/* ---- driver versions ---- */

static const struct {
    const char *text;
    unsigned major, minor, patch;
    const char *printed;
} versions[] = {
    { "470", 470, 0, 0, "470" },
    { "470.256.02", 470, 256, 2, "470.256.02" },
    { "425.31", 425, 31, 0, "425.31" },
    { "418.04", 418, 4, 0, "418.04" },
    { "580.65.06", 580, 65, 6, "580.65.06" },
};

Test(version, texts_are_read_and_printed_as_nvidia_does)
{
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        struct driver_version v;
        char text[VERSION_TEXT_MAX];
        cr_assert(version_parse(versions[i].text, &v));
        cr_expect(v.major == versions[i].major && v.minor == versions[i].minor &&
                      v.patch == versions[i].patch,
                  "'%s'", versions[i].text);
        cr_expect_str_eq(version_text(v, text), versions[i].printed);
    }
    struct driver_version v;
    static const char *const bad[] = { "",        ".", "470.", ".31",    "470a",
                                       "1.2.3.4", "0", "-1",   "1234567" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_expect_not(version_parse(bad[i], &v), "'%s'", bad[i]);
}
