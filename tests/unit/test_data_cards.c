#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "data/data.h"

/* The expectations here come from NVIDIA's documents (CUDA C++ Programming Guide, architecture
 * white papers, data sheets), not from the tables. */

static const char pci_columns[] =
    "device_id name chip cc system last_branch rare source confidence note";
static const char card_columns[] =
    "name pci_ids chip cc system sms cores base_mhz boost_mhz memory_mib memory_type bus_bits "
    "bandwidth_gbps l2_kib pcie fp16_ratio fp64_ratio tensor launch_us h2d_gbps rare source_chip "
    "source_clocks source_memory source_l2 source_host confidence note";

static const char *pci(size_t row, const char *column)
{
    return table_field(data_table(DATA_PCI), row, column);
}

static const char *card(size_t row, const char *column)
{
    return table_field(data_table(DATA_CARDS), row, column);
}

/* The number in a field; 0 where nothing is known. */
static double card_number(size_t row, const char *column)
{
    const struct table *t = data_table(DATA_CARDS);
    double value = 0;
    return table_number(t, row, table_column(t, column), &value) ? value : 0;
}

static long find(const struct table *t, const char *column, const char *value)
{
    for (size_t row = 0; row < t->row_count; row++)
        if (!strcmp(table_field(t, row, column), value))
            return (long)row;
    return -1;
}

static size_t pci_row(const char *device)
{
    long row = find(data_table(DATA_PCI), "device_id", device);
    cr_assert_geq(row, 0, "no device '%s' in pci.tsv", device);
    return (size_t)row;
}

static size_t card_row(const char *name)
{
    long row = find(data_table(DATA_CARDS), "name", name);
    cr_assert_geq(row, 0, "no card '%s' in cards.tsv", name);
    return (size_t)row;
}

/* Length of the die in a chip's name: letters, then digits ("GK208" of "GK208BM"). */
static size_t die_length(const char *chip)
{
    size_t n = strcspn(chip, "0123456789");
    return n + strspn(chip + n, "0123456789");
}

static bool same_die(const char *a, const char *b)
{
    return die_length(a) == die_length(b) && !strncmp(a, b, die_length(a));
}

/* True when `word` is one of the words of `list`, which `separator` divides. */
static bool among(const char *word, const char *list, char separator)
{
    size_t n = strlen(word);
    for (const char *p = list; p; p = strchr(p, separator), p = p ? p + 1 : NULL)
        if (!strncmp(p, word, n) && (p[n] == separator || !p[n]))
            return true;
    return false;
}

static void check_shape(const struct table *t, const char *columns)
{
    char joined[512] = "";
    for (size_t i = 0; i < t->column_count; i++) {
        strcat(joined, i ? " " : "");
        strcat(joined, t->columns[i]);
    }
    cr_assert_str_eq(joined, columns);
    for (size_t i = 0; i < t->row_count * t->column_count; i++) {
        const char *field = t->fields[i];
        size_t n = strlen(field);
        cr_assert_gt(n, 0, "row %zu: empty field '%s'", i / t->column_count,
                     t->columns[i % t->column_count]);
        cr_assert(field[0] != ' ' && field[n - 1] != ' ', "'%s' begins or ends with a space",
                  field);
    }
}

Test(pci, every_field_is_filled_and_the_columns_are_those_agreed)
{
    check_shape(data_table(DATA_PCI), pci_columns);
    cr_assert_gt(data_table(DATA_PCI)->row_count, 1400);
}

Test(pci, devices_are_sorted_and_unique)
{
    for (size_t row = 0; row < data_table(DATA_PCI)->row_count; row++) {
        const char *device = pci(row, "device_id");
        cr_assert_eq(strlen(device), 4, "'%s'", device);
        cr_assert_eq(strspn(device, "0123456789abcdef"), 4, "'%s'", device);
        if (row)
            cr_assert_lt(strcmp(pci(row - 1, "device_id"), device), 0, "'%s'", device);
    }
}

Test(pci, coded_columns_hold_only_known_codes)
{
    for (size_t row = 0; row < data_table(DATA_PCI)->row_count; row++) {
        const char *device = pci(row, "device_id");
        cr_assert(among(pci(row, "system"), "desktop notebook workstation server tegra ?", ' '),
                  "%s", device);
        cr_assert(among(pci(row, "rare"), "yes no", ' '), "%s", device);
        cr_assert(among(pci(row, "confidence"), "documented claimed", ' '), "%s", device);
        cr_assert(
            among(pci(row, "last_branch"), "71 96 173 304 340 367 390 470 580 current ?", ' '),
            "%s", device);
        cr_assert_str_neq(pci(row, "source"), "?", "%s", device);
        if (!strcmp(pci(row, "rare"), "yes"))
            cr_assert_str_neq(pci(row, "note"), "-", "%s: rare without a reason", device);
    }
}

Test(pci, nothing_but_display_devices)
{
    static const char *const words[] = { "Audio", "USB", "Ethernet", "SMBus", "NVSwitch", "SATA" };
    for (size_t row = 0; row < data_table(DATA_PCI)->row_count; row++)
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            cr_assert_null(strstr(pci(row, "name"), words[i]), "'%s'", pci(row, "name"));
}

/* NVIDIA's list of CUDA GPUs and the tables of compute capabilities in the programming guide. */
static const struct {
    const char *die, *cc;
} capabilities[] = {
    { "G80", "1.0" },    { "G84", "1.1" },    { "G86", "1.1" },    { "G92", "1.1" },
    { "G98", "1.1" },    { "GT218", "1.2" },  { "GT200", "1.3" },  { "GF100", "2.0" },
    { "GF110", "2.0" },  { "GF104", "2.1" },  { "GF106", "2.1" },  { "GF108", "2.1" },
    { "GF114", "2.1" },  { "GF116", "2.1" },  { "GF117", "2.1" },  { "GF119", "2.1" },
    { "GK104", "3.0" },  { "GK106", "3.0" },  { "GK107", "3.0" },  { "GK110", "3.5" },
    { "GK208", "3.5" },  { "GK210", "3.7" },  { "GM107", "5.0" },  { "GM108", "5.0" },
    { "GM200", "5.2" },  { "GM204", "5.2" },  { "GM206", "5.2" },  { "GP100", "6.0" },
    { "GP102", "6.1" },  { "GP104", "6.1" },  { "GP106", "6.1" },  { "GP107", "6.1" },
    { "GP108", "6.1" },  { "GV100", "7.0" },  { "TU102", "7.5" },  { "TU104", "7.5" },
    { "TU106", "7.5" },  { "TU116", "7.5" },  { "TU117", "7.5" },  { "GA100", "8.0" },
    { "GA102", "8.6" },  { "GA103", "8.6" },  { "GA104", "8.6" },  { "GA106", "8.6" },
    { "GA107", "8.6" },  { "AD102", "8.9" },  { "AD103", "8.9" },  { "AD104", "8.9" },
    { "AD106", "8.9" },  { "AD107", "8.9" },  { "GH100", "9.0" },  { "GB100", "10.0" },
    { "GB202", "12.0" }, { "GB203", "12.0" }, { "GB205", "12.0" }, { "GB206", "12.0" },
    { "GB207", "12.0" },
};

Test(pci, every_die_has_the_capability_that_nvidia_lists)
{
    size_t seen = 0;
    for (size_t row = 0; row < data_table(DATA_PCI)->row_count; row++)
        for (size_t i = 0; i < sizeof capabilities / sizeof *capabilities; i++)
            if (same_die(pci(row, "chip"), capabilities[i].die)) {
                cr_assert_str_eq(pci(row, "cc"), capabilities[i].cc, "%s", pci(row, "device_id"));
                seen++;
            }
    cr_assert_gt(seen, 1000);
}

static const char *last_branch_of(double cc)
{
    if (cc < 2.0)
        return "340";
    if (cc < 3.0)
        return "390";
    if (cc < 4.0)
        return "470";
    return cc < 7.5 ? "580" : "current";
}

Test(pci, every_generation_ends_with_the_branch_that_nvidia_announced)
{
    for (size_t row = 0; row < data_table(DATA_PCI)->row_count; row++) {
        double cc = 0;
        const struct table *t = data_table(DATA_PCI);
        bool is_grid_host = !strcmp(pci(row, "last_branch"), "367");
        if (!table_number(t, row, table_column(t, "cc"), &cc) || is_grid_host)
            continue;
        cr_assert_str_eq(pci(row, "last_branch"), last_branch_of(cc), "%s", pci(row, "device_id"));
    }
}

Test(pci, spot_facts)
{
    static const struct {
        const char *device, *name, *chip, *cc, *system, *branch;
    } facts[] = {
        { "1299", "GeForce 920M", "GK208BM", "3.5", "notebook", "470" },
        { "134f", "GeForce 920MX", "GM108M", "5.0", "notebook", "580" },
        { "129a", "GeForce 910M", "GK208BM", "3.5", "notebook", "470" },
        { "1287", "GeForce GT 730", "GK208B", "3.5", "desktop", "470" },
        { "0f02", "GeForce GT 730", "GF108", "2.1", "desktop", "390" },
        { "0fc9", "GeForce GT 730", "GK107", "3.0", "desktop", "470" },
        { "1380", "GeForce GTX 750 Ti", "GM107", "5.0", "desktop", "580" },
        { "13bb", "Quadro K620", "GM107GL", "5.0", "workstation", "580" },
        { "102d", "Tesla K80", "GK210GL", "3.7", "server", "470" },
        { "1c82", "GeForce GTX 1050 Ti", "GP107", "6.1", "desktop", "580" },
        { "2184", "GeForce GTX 1660", "TU116", "7.5", "desktop", "current" },
        { "1eb8", "Tesla T4", "TU104GL", "7.5", "server", "current" },
        { "2684", "GeForce RTX 4090", "AD102", "8.9", "desktop", "current" },
        { "0611", "GeForce 8800 GT", "G92", "1.1", "desktop", "340" },
    };
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        size_t row = pci_row(facts[i].device);
        cr_assert_str_eq(pci(row, "name"), facts[i].name);
        cr_assert_str_eq(pci(row, "chip"), facts[i].chip, "%s", facts[i].device);
        cr_assert_str_eq(pci(row, "cc"), facts[i].cc, "%s", facts[i].device);
        cr_assert_str_eq(pci(row, "system"), facts[i].system, "%s", facts[i].device);
        cr_assert_str_eq(pci(row, "last_branch"), facts[i].branch, "%s", facts[i].device);
    }
}

Test(pci, rare_marks_the_part_behind_a_common_name_and_not_the_common_one)
{
    cr_assert_str_eq(pci(pci_row("11c7"), "name"), "GeForce GTX 750 Ti");
    cr_assert_str_eq(pci(pci_row("11c7"), "rare"), "yes");
    cr_assert_str_eq(pci(pci_row("1380"), "rare"), "no");
    /* All three generations of the GT 730 were sold in shops. */
    cr_assert_str_eq(pci(pci_row("0f02"), "rare"), "no");
    cr_assert_str_eq(pci(pci_row("0fc9"), "rare"), "no");
    cr_assert_str_eq(pci(pci_row("1287"), "rare"), "no");
}

Test(pci, other_names_of_a_device_stand_in_its_note)
{
    cr_assert_not_null(strstr(pci(pci_row("1299"), "note"), "also: GeForce 920A"));
    cr_assert_not_null(strstr(pci(pci_row("2330"), "note"), "H100 80GB HBM3"));
}

Test(pci, is_small_enough_to_be_compiled_in)
{
    const struct table *t = data_table(DATA_PCI);
    size_t size = 0;
    for (size_t i = 0; i < t->row_count * t->column_count; i++)
        size += strlen(t->fields[i]) + 1;
    cr_assert_lt(size, 350 * 1024);
}

Test(cards, every_field_is_filled_and_the_columns_are_those_agreed)
{
    check_shape(data_table(DATA_CARDS), card_columns);
    cr_assert_gt(data_table(DATA_CARDS)->row_count, 200);
}

Test(cards, names_are_sorted_and_unique_in_any_case)
{
    size_t n = data_table(DATA_CARDS)->row_count;
    for (size_t row = 0; row < n; row++) {
        if (row)
            cr_assert_lt(strcmp(card(row - 1, "name"), card(row, "name")), 0);
        for (size_t other = row + 1; other < n; other++)
            cr_assert_neq(strcasecmp(card(row, "name"), card(other, "name")), 0, "%s",
                          card(row, "name"));
    }
}

Test(cards, ids_belong_to_devices_of_the_same_die_and_capability)
{
    for (size_t row = 0; row < data_table(DATA_CARDS)->row_count; row++) {
        char ids[256];
        snprintf(ids, sizeof ids, "%s", card(row, "pci_ids"));
        char *rest = NULL;
        for (char *id = strtok_r(ids, ",", &rest); id; id = strtok_r(NULL, ",", &rest)) {
            cr_assert_eq(strncmp(id, "10de:", 5), 0, "%s: '%s'", card(row, "name"), id);
            size_t device = pci_row(id + 5);
            cr_assert(same_die(pci(device, "chip"), card(row, "chip")), "%s: %s is %s, not %s",
                      card(row, "name"), id, pci(device, "chip"), card(row, "chip"));
            cr_assert_str_eq(pci(device, "cc"), card(row, "cc"), "%s: %s", card(row, "name"), id);
        }
    }
}

/* Programming guide, "Arithmetic instructions": FP32 lanes of a multiprocessor, and FP16 and FP64
 * results a clock relative to FP32's. fp16 -1: not published there. */
static const struct {
    const char *cc;
    int lanes;
    double fp16, fp64;
} guide[] = {
    { "2.0", 32, 0, 4.0 / 32 },           { "2.1", 48, 0, 4.0 / 48 },
    { "3.0", 192, 0, 8.0 / 192 },         { "3.5", 192, 0, 8.0 / 192 },
    { "3.7", 192, 0, 64.0 / 192 },        { "5.0", 128, 0, 4.0 / 128 },
    { "5.2", 128, 0, 4.0 / 128 },         { "6.0", 64, 2, 32.0 / 64 },
    { "6.1", 128, 2.0 / 128, 4.0 / 128 }, { "7.0", 64, 2, 32.0 / 64 },
    { "7.5", 64, 2, 2.0 / 64 },           { "8.0", 64, 4, 32.0 / 64 },
    { "8.6", 128, 1, 2.0 / 128 },         { "8.9", 128, 1, 2.0 / 128 },
    { "9.0", 128, 2, 64.0 / 128 },        { "10.0", 128, -1, 64.0 / 128 },
    { "12.0", 128, -1, 2.0 / 128 },       { "12.1", 128, -1, 2.0 / 128 },
};

static size_t guide_row(const char *cc)
{
    for (size_t i = 0; i < sizeof guide / sizeof *guide; i++)
        if (!strcmp(guide[i].cc, cc))
            return i;
    cr_assert_fail("no capability '%s' in the guide's table", cc);
    return 0;
}

Test(cards, cores_are_multiprocessors_times_the_lanes_of_the_capability)
{
    for (size_t row = 0; row < data_table(DATA_CARDS)->row_count; row++)
        cr_assert_float_eq(card_number(row, "cores"),
                           card_number(row, "sms") * guide[guide_row(card(row, "cc"))].lanes, 0.5,
                           "%s", card(row, "name"));
}

/* Boards of full FP64 rate among the chips that have it switched off elsewhere: Fermi 1/2, GK110
 * 1/3. */
static double fp64_of(size_t row)
{
    const char *name = card(row, "name"), *cc = card(row, "cc");
    bool tesla = !strncmp(name, "Tesla ", 6);
    if (!strcmp(cc, "2.0") && tesla)
        return 0.5;
    if (!strcmp(cc, "3.5") && (tesla || strstr(name, "TITAN") || !strcmp(name, "Quadro K6000")))
        return 64.0 / 192;
    return guide[guide_row(cc)].fp64;
}

Test(cards, arithmetic_rates_are_those_of_the_programming_guide)
{
    for (size_t row = 0; row < data_table(DATA_CARDS)->row_count; row++) {
        double fp16 = guide[guide_row(card(row, "cc"))].fp16;
        if (fp16 >= 0)
            cr_assert_float_eq(card_number(row, "fp16_ratio"), fp16, 1e-6, "%s", card(row, "name"));
        cr_assert_float_eq(card_number(row, "fp64_ratio"), fp64_of(row), 1e-5, "%s",
                           card(row, "name"));
    }
}

Test(cards, tensor_cores_begin_with_volta_and_are_missing_in_tu116_and_tu117)
{
    for (size_t row = 0; row < data_table(DATA_CARDS)->row_count; row++) {
        const char *chip = card(row, "chip"), *tensor = card(row, "tensor");
        bool none =
            atof(card(row, "cc")) < 7.0 || same_die(chip, "TU116") || same_die(chip, "TU117");
        if (none)
            cr_assert_str_eq(tensor, "none", "%s", card(row, "name"));
        else
            cr_assert(among(tensor, "volta turing ampere ada hopper blackwell ?", ' '), "%s",
                      card(row, "name"));
    }
}

/* Data rates a pin in Gbit/s between which the memory of a kind is sold. */
static const struct {
    const char *type;
    double least, most;
} rates[] = {
    { "DDR3", 1.0, 2.14 }, { "DDR4", 1.6, 3.2 },   { "GDDR5", 3.0, 9.1 },
    { "GDDR5X", 8.9, 12 }, { "GDDR6", 9.9, 20.1 }, { "GDDR6X", 18.9, 23.1 },
    { "GDDR7", 24, 32 },   { "HBM2", 1.3, 2.45 },  { "HBM2e", 2.4, 3.6 },
    { "HBM3", 4.8, 6.5 },  { "HBM3e", 6.2, 9.8 },  { "LPDDR5X", 7.5, 9.6 },
};

static void check_rate(size_t row)
{
    double bits = card_number(row, "bus_bits"), gbps = card_number(row, "bandwidth_gbps");
    double rate = bits > 0 ? gbps * 8 / bits : 0;
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (!strcmp(rates[i].type, card(row, "memory_type"))) {
            cr_assert(rate >= rates[i].least && rate <= rates[i].most, "%s: %s at %.2f Gbit/s",
                      card(row, "name"), rates[i].type, rate);
            return;
        }
    cr_assert_fail("%s: memory of kind '%s'", card(row, "name"), card(row, "memory_type"));
}

Test(cards, bandwidth_is_the_bus_times_a_rate_that_the_memory_can_have)
{
    for (size_t row = 0; row < data_table(DATA_CARDS)->row_count; row++)
        if (!table_blank(card(row, "bandwidth_gbps")))
            check_rate(row);
}

Test(cards, clocks_caches_and_links_are_plausible)
{
    for (size_t row = 0; row < data_table(DATA_CARDS)->row_count; row++) {
        const char *name = card(row, "name"), *pcie = card(row, "pcie");
        double base = card_number(row, "base_mhz"), boost = card_number(row, "boost_mhz");
        if (base > 0)
            cr_assert(base >= 400 && base <= 2500 &&
                          (boost <= 0 || (boost >= base && boost < 2700)),
                      "%s: %g to %g MHz", name, base, boost);
        double l2 = card_number(row, "l2_kib");
        cr_assert(l2 >= 0 && l2 <= 131072, "%s: %g KiB", name, l2);
        int generation = 0, minor = 0, lanes = 0;
        if (table_blank(pcie))
            continue;
        cr_assert_eq(sscanf(pcie, "%d.%dx%d", &generation, &minor, &lanes), 3, "%s: '%s'", name,
                     pcie);
        /* raw GB/s a lane: 0.25 in the first generation, about doubled in each of the next */
        double raw = 0.25 * (double)(1 << (generation - 1)) * lanes;
        cr_assert_lt(card_number(row, "h2d_gbps"), raw, "%s", name);
        cr_assert_gt(card_number(row, "h2d_gbps"), raw / 2, "%s", name);
        cr_assert_gt(card_number(row, "launch_us"), 1, "%s", name);
    }
}

static size_t parts(const char *list)
{
    size_t n = 1;
    for (; *list; list++)
        n += *list == '+';
    return n;
}

Test(cards, every_figure_has_a_source_and_documented_ones_have_two)
{
    static const char *const groups[][2] = { { "sms", "source_chip" },
                                             { "base_mhz", "source_clocks" },
                                             { "bandwidth_gbps", "source_memory" },
                                             { "l2_kib", "source_l2" },
                                             { "launch_us", "source_host" } };
    for (size_t row = 0; row < data_table(DATA_CARDS)->row_count; row++) {
        const char *name = card(row, "name");
        for (size_t i = 0; i < 5; i++)
            if (!table_blank(card(row, groups[i][0])))
                cr_assert_not(table_blank(card(row, groups[i][1])), "%s: %s", name, groups[i][0]);
        if (strcmp(card(row, "confidence"), "documented")) {
            cr_assert_str_eq(card(row, "confidence"), "claimed", "%s", name);
            continue;
        }
        cr_assert_geq(parts(card(row, "source_chip")), 3, "%s",
                      name); /* pci.ids and two of figures */
        cr_assert_geq(parts(card(row, "source_clocks")), 2, "%s", name);
        cr_assert_geq(parts(card(row, "source_memory")), 2, "%s", name);
    }
}

Test(cards, an_unknown_figure_comes_with_a_note)
{
    const struct table *t = data_table(DATA_CARDS);
    for (size_t row = 0; row < t->row_count; row++)
        for (int column = 0; column < (int)t->column_count; column++)
            if (!strcmp(table_get(t, row, column), "?"))
                cr_assert_str_neq(card(row, "note"), "-", "%s: no '%s'", card(row, "name"),
                                  t->columns[column]);
}

Test(cards, figures_that_nvidia_printed)
{
    static const struct {
        const char *name;
        int sms, cores;
        double gbps;
    } facts[] = {
        { "GeForce GTX 480", 15, 480, 177.4 },
        { "GeForce GTX 680", 8, 1536, 192.2 },
        { "Tesla K20m", 13, 2496, 208 },
        { "Tesla K40m", 15, 2880, 288 },
        { "Tesla K80 (per die)", 13, 2496, 240 },
        { "GeForce GTX 750 Ti", 5, 640, 86.4 },
        { "GeForce GTX 980", 16, 2048, 224 },
        { "GeForce GTX 1080", 20, 2560, 320 },
        { "Tesla P100 SXM2 16GB", 56, 3584, 732 },
        { "Tesla V100 SXM2 16GB", 80, 5120, 900 },
        { "Tesla T4", 40, 2560, 320 },
        { "GeForce RTX 2080 Ti", 68, 4352, 616 },
        { "A100 SXM4 40GB", 108, 6912, 1555 },
        { "GeForce RTX 3080", 68, 8704, 760 },
        { "H100 SXM5 80GB", 132, 16896, 3350 },
        { "GeForce RTX 4090", 128, 16384, 1008 },
    };
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        size_t row = card_row(facts[i].name);
        cr_assert_eq((int)card_number(row, "sms"), facts[i].sms, "%s", facts[i].name);
        cr_assert_eq((int)card_number(row, "cores"), facts[i].cores, "%s", facts[i].name);
        cr_assert_float_eq(card_number(row, "bandwidth_gbps"), facts[i].gbps, facts[i].gbps * 0.01,
                           "%s", facts[i].name);
    }
}

Test(cards, the_920m_is_kepler_and_the_920mx_is_not)
{
    size_t m = card_row("GeForce 920M"), mx = card_row("GeForce 920MX");
    cr_assert_str_eq(card(m, "cc"), "3.5");
    cr_assert_eq((int)card_number(m, "sms"), 2);
    cr_assert_float_eq(2 * card_number(m, "cores") * card_number(m, "base_mhz") / 1000, 733, 1);
    cr_assert_float_eq(card_number(m, "bandwidth_gbps"), 14.4, 0.1);
    cr_assert_str_eq(card(mx, "cc"), "5.0");
}
