#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "arch/facts.h"
#include "core/table.h"
#include "data/data.h"

static unsigned level_of(const char *text)
{
    unsigned major, minor;
    return sscanf(text, "%u.%u", &major, &minor) == 2 ? facts_level(major, minor) : 0;
}

/* What the tools print when asked: nvcc --list-gpu-code of 11.8 and 13.0, ptxas --help of 12.9. */
static const struct {
    unsigned toolkit;
    const char *codes;
} tools[] = {
    { 1108, " 35 37 50 52 53 60 61 62 70 72 75 80 86 87 89 90 " },
    { 1209, " 50 52 53 60 61 62 70 72 75 80 86 87 89 90 100 101 103 120 121 " },
    { 1300, " 75 80 86 87 88 89 90 100 103 110 120 121 " },
};

Test(facts, toolkits_of_a_capability_are_those_whose_tools_print_it)
{
    const struct table *t = data_table(DATA_ARCHS);
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        for (size_t row = 0; row < t->row_count; row++) {
            char code[8];
            snprintf(code, sizeof code, " %s ", table_field(t, row, "sm") + 3);
            unsigned first = level_of(table_field(t, row, "first_toolkit"));
            const char *last = table_field(t, row, "last_toolkit");
            bool has = first <= tools[i].toolkit &&
                       (!strcmp(last, "current") || level_of(last) >= tools[i].toolkit);
            cr_expect_eq(has, strstr(tools[i].codes, code) != NULL, "sm_%s and toolkit %u", code,
                         tools[i].toolkit);
        }
}

/* The least .version at which ptxas 11.8, 12.9 and 13.0 assemble an empty kernel. */
static const struct {
    unsigned cc, isa;
} leasts[] = {
    { 35, 301 }, { 37, 401 }, { 50, 400 },  { 52, 401 },  { 53, 402 },  { 60, 500 },  { 61, 500 },
    { 62, 500 }, { 70, 600 }, { 72, 601 },  { 75, 603 },  { 80, 700 },  { 86, 701 },  { 87, 704 },
    { 89, 708 }, { 90, 708 }, { 100, 806 }, { 103, 808 }, { 110, 900 }, { 120, 807 }, { 121, 808 },
};

Test(facts, least_ptx_levels_are_those_that_ptxas_takes)
{
    const struct table *t = data_table(DATA_ARCHS);
    for (size_t i = 0; i < sizeof leasts / sizeof *leasts; i++) {
        const struct arch_facts *a = facts_arch(leasts[i].cc);
        cr_assert(a, "%u", leasts[i].cc);
        cr_expect_eq(level_of(table_field(t, a->row, "min_ptx_isa")), leasts[i].isa, "%u",
                     leasts[i].cc);
    }
}

/* PTX ISA, "PTX Release History": the level that each driver branch brought. */
static const struct {
    unsigned branch, cuda, isa;
} branches[] = {
    { 331, 600, 400 },  { 340, 605, 401 },  { 346, 700, 402 },  { 352, 705, 403 },
    { 361, 800, 500 },  { 384, 900, 600 },  { 387, 901, 601 },  { 396, 902, 602 },
    { 418, 1001, 604 }, { 440, 1002, 605 }, { 450, 1100, 700 }, { 455, 1101, 701 },
    { 460, 1102, 702 }, { 465, 1103, 703 }, { 470, 1104, 704 }, { 495, 1105, 705 },
    { 510, 1106, 706 }, { 515, 1107, 707 }, { 520, 1108, 708 }, { 525, 1200, 800 },
    { 530, 1201, 801 }, { 535, 1202, 802 }, { 545, 1203, 803 }, { 550, 1204, 804 },
    { 555, 1205, 805 }, { 560, 1206, 805 }, { 565, 1207, 806 }, { 570, 1208, 807 },
    { 575, 1209, 808 }, { 580, 1300, 900 }, { 590, 1301, 901 }, { 595, 1302, 902 },
};

Test(facts, driver_branches_know_what_the_ptx_history_says)
{
    for (size_t i = 0; i < sizeof branches / sizeof *branches; i++)
        for (int k = 0; k < 2; k++) {
            enum arch_os os = k ? ARCH_WINDOWS : ARCH_LINUX;
            struct driver_version v = { .major = branches[i].branch };
            const struct branch_facts *b = facts_branch(v, os);
            cr_assert(b);
            cr_expect_eq(b->branch, branches[i].branch);
            cr_expect_eq(b->cuda, branches[i].cuda, "%u: %u", branches[i].branch, b->cuda);
            cr_expect_eq(b->isa, branches[i].isa, "%u: %u", branches[i].branch, b->isa);
        }
}

/* nvidia-smi printouts: Windows numbers that lie between branches. */
static const struct {
    const char *version;
    unsigned cuda;
} windows[] = {
    { "425.31", 1001 }, /* GeForce GT 735M */
    { "441.22", 1002 }, /* CUDA release notes */
    { "472.12", 1104 },
    { "546.33", 1203 }, /* ollama#1992 */
};

Test(facts, windows_versions_belong_to_the_branch_below)
{
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        struct driver_version v;
        cr_assert(version_parse(windows[i].version, &v));
        const struct branch_facts *b = facts_branch(v, ARCH_WINDOWS);
        cr_expect_eq(b->cuda, windows[i].cuda, "%s: %u", windows[i].version, b->cuda);
    }
}

Test(facts, branches_rise_and_their_levels_never_fall)
{
    const struct table *t = data_table(DATA_DRIVERS);
    const char *const systems[] = { "linux", "windows" };
    for (size_t k = 0; k < 2; k++) {
        unsigned branch = 0, isa = 0;
        for (size_t row = 0; row < t->row_count; row++) {
            const char *os = table_field(t, row, "os");
            if (strcmp(os, "any") && strcmp(os, systems[k]))
                continue;
            unsigned next = 0, level = level_of(table_field(t, row, "max_ptx_isa"));
            sscanf(table_field(t, row, "branch"), "%u", &next);
            cr_expect_gt(next, branch, "branch %u", next);
            cr_expect(!level || level >= isa, "branch %u", next);
            branch = next;
            isa = level ? level : isa;
        }
    }
}

/* Last drivers: README of 470.256.02, NVIDIA's toolkit, driver and architecture matrix, 425.31. */
Test(facts, cards_end_with_the_drivers_that_nvidia_names)
{
    const struct arch_facts *kepler = facts_arch(35), *pascal = facts_arch(61);
    cr_expect_eq(facts_span(kepler, ARCH_LINUX, true).last.major, 470);
    cr_expect_eq(facts_span(kepler, ARCH_WINDOWS, false).last.major, 475);
    cr_expect_eq(facts_span(kepler, ARCH_WINDOWS, true).last.major, 425);
    cr_expect_eq(facts_span(kepler, ARCH_WINDOWS, true).last.minor, 31);
    cr_expect_eq(facts_span(pascal, ARCH_LINUX, false).last.major, 580);
    cr_expect_eq(facts_span(facts_arch(21), ARCH_LINUX, false).last.major, 390);
    cr_expect_not(version_known(facts_span(facts_arch(75), ARCH_LINUX, false).last));
}

Test(facts, thor_is_one_capability_under_two_numbers)
{
    cr_expect_eq(facts_arch(101), facts_arch(110)); /* PyTorch pull request 166185 */
    cr_expect_null(facts_arch(99));
}

static const char *const sourced[] = { "measured", "documented", "inferred", "claimed" };

Test(facts, every_row_has_a_source_and_a_known_confidence)
{
    const enum data_id ids[] = { DATA_ARCHS, DATA_DRIVERS, DATA_TOOLKITS };
    for (size_t i = 0; i < 3; i++) {
        const struct table *t = data_table(ids[i]);
        for (size_t row = 0; row < t->row_count; row++) {
            const char *word = table_field(t, row, "confidence");
            bool known = false;
            for (size_t k = 0; k < 4; k++)
                known |= !strcmp(word, sourced[k]);
            cr_expect(known, "%s row %zu: '%s'", data_name(ids[i]), row, word);
            cr_expect(!table_blank(table_field(t, row, "source")), "%s row %zu", data_name(ids[i]),
                      row);
            for (size_t c = 0; c < t->column_count; c++)
                cr_expect(*table_get(t, row, (int)c), "%s row %zu: '%s' is empty",
                          data_name(ids[i]), row, t->columns[c]);
        }
    }
}

/* The limits of cuda_occupancy.h 12.9 and of the Programming Guide's table for a few capabilities.
 */
static const struct {
    unsigned cc;
    const char *column;
    double value;
} limits[] = {
    { 35, "blocks_sm", 16 },       { 35, "regs_thread", 255 },      { 37, "shared_sm_kib", 112 },
    { 37, "regs_sm", 131072 },     { 50, "blocks_sm", 32 },         { 52, "shared_sm_kib", 96 },
    { 61, "warps_sm", 64 },        { 70, "shared_optin_kib", 96 },  { 75, "warps_sm", 32 },
    { 75, "blocks_sm", 16 },       { 80, "shared_sm_kib", 164 },    { 80, "shared_optin_kib", 163 },
    { 86, "warps_sm", 48 },        { 86, "blocks_sm", 16 },         { 89, "blocks_sm", 24 },
    { 90, "shared_sm_kib", 228 },  { 90, "shared_optin_kib", 227 }, { 120, "blocks_sm", 24 },
    { 120, "shared_sm_kib", 100 }, { 110, "blocks_sm", 24 },        { 20, "regs_thread", 63 },
    { 35, "cores_sm", 192 },       { 61, "cores_sm", 128 },         { 80, "cores_sm", 64 },
};

Test(facts, limits_are_those_of_the_occupancy_header_and_the_guide)
{
    const struct table *t = data_table(DATA_ARCHS);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        double value = 0;
        int column = table_column(t, limits[i].column);
        cr_assert_geq(column, 0, "%s", limits[i].column);
        cr_assert(table_number(t, facts_arch(limits[i].cc)->row, column, &value));
        cr_expect_eq(value, limits[i].value, "%u %s: %g", limits[i].cc, limits[i].column, value);
    }
}
