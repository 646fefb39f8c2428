#include "vgpu/drv_card.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/str.h"
#include "data/data.h"

/* ---- names -------------------------------------------------------------------------------------
 */

/* The first few are makers and brands, which nobody needs to say. */
static bool is_left_out(const char *word, size_t n, size_t count)
{
    static const char *const words[] = {
        "nvidia", "geforce", "quadro", "tesla", "gtx", "gt", "rtx"
    };
    for (size_t i = 0; i < count; i++)
        if (strlen(words[i]) == n && strncasecmp(words[i], word, n) == 0)
            return true;
    return false;
}

enum { BRANDS = 4, FAMILIES = 7 };

/* Lower case, without separators and the first `left_out` of those words; `brackets` says whether
 * what stands in brackets counts. */
static void simplify(char *to, size_t size, const char *name, size_t left_out, bool brackets)
{
    size_t n = 0;
    while (*name) {
        size_t word = strcspn(name, " -_");
        if (*name == '(' && !brackets)
            break;
        if (!is_left_out(name, word, left_out))
            for (size_t i = 0; i < word; i++)
                if (isalnum((unsigned char)name[i]) && n + 1 < size)
                    to[n++] = (char)tolower((unsigned char)name[i]);
        name += word + (name[word] != 0);
    }
    to[n] = 0;
}

enum match { MATCH_NONE, MATCH_STEM, MATCH_SHORT, MATCH_BRAND, MATCH_EXACT };

/* "h200" for "H200 SXM 141GB": a whole word of the printed name that has a number at its end, so
 * that "920" is not 920M; what follows is a variant's. */
static bool begins_with_word(const char *printed, const char *a, const char *b)
{
    size_t n = strlen(b);
    if (strncmp(a, b, n) != 0 || !isdigit((unsigned char)b[n - 1]))
        return false;
    char first[96];
    for (const char *space = strchr(printed, ' '); space; space = strchr(space + 1, ' ')) {
        char part[96];
        snprintf(part, sizeof part, "%.*s", (int)(space - printed), printed);
        simplify(first, sizeof first, part, FAMILIES, true);
        if (strcmp(first, b) == 0)
            return true;
    }
    return false;
}

static enum match match(const char *printed, const char *name)
{
    char a[96], b[96];
    if (strcasecmp(printed, name) == 0)
        return MATCH_EXACT;
    simplify(a, sizeof a, printed, BRANDS, true);
    simplify(b, sizeof b, name, BRANDS, true);
    if (*b && strcmp(a, b) == 0)
        return MATCH_BRAND;
    simplify(b, sizeof b, name, FAMILIES, true);
    if (!*b)
        return MATCH_NONE;
    simplify(a, sizeof a, printed, FAMILIES, true);
    if (strcmp(a, b) == 0)
        return MATCH_SHORT;
    if (begins_with_word(printed, a, b))
        return MATCH_STEM;
    simplify(a, sizeof a, printed, FAMILIES, false);
    return strcmp(a, b) == 0 ? MATCH_STEM : MATCH_NONE;
}

/* ---- a row -------------------------------------------------------------------------------------
 */

static double number(const struct table *t, size_t row, const char *column)
{
    double value = 0;
    int index = table_column(t, column);
    return index >= 0 && table_number(t, row, index, &value) ? value : 0;
}

static void read_pci_id(struct drv_card *card, const char *ids)
{
    if (sscanf(ids, "%4x:%4x", &card->pci_vendor, &card->pci_device) != 2)
        card->pci_vendor = 0x10de, card->pci_device = 0;
}

static void show_name(struct drv_card *card)
{
    str_copy(card->shown, sizeof card->shown, card->name);
    char *bracket = strstr(card->shown, " (");
    if (bracket)
        *bracket = 0;
}

static unsigned capability(const char *text)
{
    unsigned major = 0, minor = 0;
    return sscanf(text, "%2u.%1u", &major, &minor) == 2 ? major * 10 + minor : 0;
}

/* NVIDIA's architecture papers: dense fp16 with fp32 sums, FMAs a clock and multiprocessor. GeForce
 * and workstation chips of Ampere and Ada have half of the data centre chips' rate. */
static double tensor_fma(const char *generation, unsigned cc)
{
    if (strcmp(generation, "volta") == 0 || strcmp(generation, "turing") == 0)
        return 512;
    if (strcmp(generation, "ampere") == 0)
        return cc == 80 ? 1024 : 256;
    if (strcmp(generation, "ada") == 0)
        return 256;
    if (strcmp(generation, "hopper") == 0)
        return 2048;
    return strcmp(generation, "blackwell") == 0 ? cc < 120 ? 4096 : 256 : 0;
}

static void read_row(struct drv_card *card, const struct table *t, size_t row)
{
    *card = (struct drv_card){ 0 };
    str_copy(card->name, sizeof card->name, table_field(t, row, "name"));
    show_name(card);
    str_copy(card->chip, sizeof card->chip, table_field(t, row, "chip"));
    card->cc = capability(table_field(t, row, "cc"));
    card->notebook = strcmp(table_field(t, row, "system"), "notebook") == 0;
    card->display = strcmp(table_field(t, row, "system"), "server") != 0;
    read_pci_id(card, table_field(t, row, "pci_ids"));
    card->sms = (unsigned)number(t, row, "sms");
    card->cores = (unsigned)number(t, row, "cores");
    card->base_mhz = number(t, row, "base_mhz");
    card->boost_mhz = fmax(number(t, row, "boost_mhz"), card->base_mhz);
    card->memory_bytes = (uint64_t)number(t, row, "memory_mib") << 20;
    card->bus_bits = (unsigned)number(t, row, "bus_bits");
    card->bandwidth_gbps = number(t, row, "bandwidth_gbps");
    card->l2_bytes = (uint64_t)number(t, row, "l2_kib") << 10;
    card->fp16_ratio = number(t, row, "fp16_ratio");
    card->fp64_ratio = number(t, row, "fp64_ratio");
    card->tensor_fma = tensor_fma(table_field(t, row, "tensor"), card->cc);
    card->launch_us = number(t, row, "launch_us");
    card->h2d_gbps = number(t, row, "h2d_gbps");
}

static bool is_complete(const struct drv_card *card)
{
    return card->cc && card->sms && card->cores && card->base_mhz > 0 && card->memory_bytes &&
           card->bus_bits && card->bandwidth_gbps > 0;
}

/* A candidate that should be taken before another of the same name. */
static int rank(const struct drv_card *card, bool rare)
{
    return (is_complete(card) ? 2 : 0) + (rare ? 0 : 1);
}

static int find_row(struct drv_card *card, const char *name, struct err *err)
{
    const struct table *t = data_table(DATA_CARDS);
    enum match best = MATCH_NONE;
    int best_rank = -1;
    bool differ = false;
    for (size_t row = 0; row < t->row_count; row++) {
        enum match how = match(table_field(t, row, "name"), name);
        if (how == MATCH_NONE || how < best)
            continue;
        struct drv_card found;
        read_row(&found, t, row);
        int found_rank = rank(&found, strcmp(table_field(t, row, "rare"), "yes") == 0);
        if (how > best)
            best_rank = -1, differ = false;
        else if (found.cc != card->cc)
            differ = true;
        best = how;
        if (found_rank > best_rank)
            *card = found, best_rank = found_rank;
    }
    if (best == MATCH_NONE)
        return err_set(err, ERR_USAGE, "no card '%s'", name);
    if (differ)
        return err_set(err, ERR_USAGE, "card '%s' is ambiguous: chips of several capabilities",
                       name);
    if (!is_complete(card))
        return err_set(err, ERR_USAGE, "card '%s' lacks figures that a virtual GPU needs",
                       card->name);
    return 0;
}

/* "NAME@5.3"; its drivers are NAME's. */
int drv_card_find(struct drv_card *card, const char *name, struct err *err)
{
    const char *at = strchr(name, '@');
    char alone[sizeof card->name];
    if (!at)
        return find_row(card, name, err);
    unsigned cc = capability(at + 1);
    if (!cc)
        return err_set(err, ERR_USAGE, "'%s' is no capability", at + 1);
    snprintf(alone, sizeof alone, "%.*s", (int)(at - name), name);
    if (find_row(card, alone, err))
        return -1;
    card->drivers_of_cc = card->cc;
    card->cc = cc;
    return 0;
}

/* ---- limits ------------------------------------------------------------------------------------
 */

#define KB(n) ((n) << 10)

static const struct drv_limits limits[] = {
    { 20, 1536, 8, KB(32), KB(32), 63, KB(48), KB(48), 128, 0 },
    { 30, 2048, 16, KB(64), KB(64), 63, KB(48), KB(48), 256, 0 },
    { 35, 2048, 16, KB(64), KB(64), 255, KB(48), KB(48), 256, 0 },
    { 37, 2048, 16, KB(128), KB(64), 255, KB(112), KB(48), 256, 0 },
    { 50, 2048, 32, KB(64), KB(64), 255, KB(64), KB(48), 256, 0 },
    { 52, 2048, 32, KB(64), KB(64), 255, KB(96), KB(48), 256, 0 },
    { 53, 2048, 32, KB(64), KB(32), 255, KB(64), KB(48), 256, 0 },
    { 60, 2048, 32, KB(64), KB(64), 255, KB(64), KB(48), 256, 0 },
    { 61, 2048, 32, KB(64), KB(64), 255, KB(96), KB(48), 256, 0 },
    { 62, 2048, 32, KB(64), KB(32), 255, KB(64), KB(48), 256, 0 },
    { 70, 2048, 32, KB(64), KB(64), 255, KB(96), KB(96), 256, 0 },
    { 75, 1024, 16, KB(64), KB(64), 255, KB(64), KB(64), 256, 0 },
    { 80, 2048, 32, KB(64), KB(64), 255, KB(164), KB(163), 128, KB(1) },
    { 86, 1536, 16, KB(64), KB(64), 255, KB(100), KB(99), 128, KB(1) },
    { 87, 1536, 16, KB(64), KB(64), 255, KB(164), KB(163), 128, KB(1) },
    { 89, 1536, 24, KB(64), KB(64), 255, KB(100), KB(99), 128, KB(1) },
    { 90, 2048, 32, KB(64), KB(64), 255, KB(228), KB(227), 128, KB(1) },
    { 110, 1536, 24, KB(64), KB(64), 255, KB(228), KB(227), 128, KB(1) },
    { 120, 1536, 24, KB(64), KB(64), 255, KB(100), KB(99), 128, KB(1) },
};

const struct drv_limits *drv_card_limits(const struct drv_card *card)
{
    const struct drv_limits *found = &limits[0];
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (limits[i].cc <= card->cc)
            found = &limits[i];
    return found;
}

/* ---- which drivers know it ----------------------------------------------------------------------
 */

static unsigned drivers_of(const struct drv_card *card)
{
    return card->drivers_of_cc ? card->drivers_of_cc : card->cc;
}

/* Source: release notes of the branches and the lists of supported chips in their READMEs; the
 * kernel messages "supported through the NVIDIA 470.xx (580.xx) Legacy drivers" for the ends. The
 * first branches of 9.0 and later are `likely`. */
static unsigned first_branch(const struct drv_card *card)
{
    static const struct {
        unsigned cc, branch;
    } first[] = { { 121, 580 }, { 120, 570 }, { 110, 580 }, { 103, 575 }, { 100, 570 },
                  { 90, 520 },  { 89, 520 },  { 86, 455 },  { 80, 450 },  { 75, 410 },
                  { 70, 384 },  { 60, 367 },  { 52, 346 },  { 50, 340 },  { 37, 346 } };
    if (strncmp(card->chip, "TU11", 4) == 0)
        return 418;
    if (strncmp(card->name, "H200", 4) == 0)
        return 535;
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        if (drivers_of(card) >= first[i].cc)
            return first[i].branch;
    return 340;
}

/* Boards get their driver with the system: JetPack 4.6 (CUDA 10.2) and 5.1 (11.4) were the last. */
static unsigned last_of_board(unsigned cc)
{
    return cc == 32 ? 340 : cc == 53 || cc == 62 ? 440 : cc == 72 ? 470 : 0;
}

/* Windows numbers within a branch go further than Linux's, so these are compared as they stand. */
static unsigned last_branch(const struct drv_card *card, enum drv_os os)
{
    if (last_of_board(drivers_of(card)))
        return last_of_board(drivers_of(card));
    if (drivers_of(card) < 30)
        return os == DRV_WINDOWS ? 391 : 390;
    if (drivers_of(card) < 50 && os == DRV_WINDOWS)
        return card->notebook ? 425 : 474;
    if (drivers_of(card) < 50)
        return 470;
    return drivers_of(card) < 75 ? os == DRV_WINDOWS ? 582 : 580 : 0;
}

void drv_card_window(const struct drv_card *card, enum drv_os os, unsigned *first, unsigned *last)
{
    *first = first_branch(card);
    *last = last_branch(card, os);
}

bool drv_card_enumerated(const struct drv_card *card, const struct drv_driver *driver)
{
    unsigned first, last;
    drv_card_window(card, driver->os, &first, &last);
    return driver->branch >= first && (last == 0 || driver->branch <= last);
}
