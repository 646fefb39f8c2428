#include "arch/facts.h"

#include <stdio.h>
#include <string.h>

#include "core/table.h"
#include "data/data.h"

/* More than the tables have; rows beyond are refused when loading, and a unit test would notice. */
#define ARCHS_MAX    64
#define BRANCHES_MAX 96

static struct {
    struct arch_facts archs[ARCHS_MAX];
    size_t arch_count;
    struct branch_facts branches[ARCH_OS_COUNT][BRANCHES_MAX]; /* in the table's order: rising */
    size_t branch_count[ARCH_OS_COUNT];
    bool loaded;
} facts;

unsigned facts_level(unsigned major, unsigned minor)
{
    return major * 100 + minor;
}

unsigned facts_canonical(unsigned cc)
{
    return cc == 101 ? 110 : cc;
}

/* "11.4" -> 1104, "3.5" -> 35 with scale 10; 0 for "?", "-" and "current". */
static unsigned dotted(const char *text, unsigned scale)
{
    unsigned major, minor;
    char rest;
    if (sscanf(text, "%u.%u%c", &major, &minor, &rest) != 2)
        return 0;
    return major * scale + minor;
}

static struct driver_version version_field(const struct table *t, size_t row, const char *column)
{
    struct driver_version v = { 0 };
    if (!version_parse(table_field(t, row, column), &v))
        return (struct driver_version){ 0 };
    return v;
}

static enum arch_class class_field(const struct table *t, size_t row)
{
    const char *text = table_field(t, row, "class");
    if (!strcmp(text, "desktop"))
        return ARCH_DESKTOP;
    return strcmp(text, "tegra") ? ARCH_CLASS_UNKNOWN : ARCH_TEGRA;
}

static void load_archs(void)
{
    const struct table *t = data_table(DATA_ARCHS);
    for (size_t row = 0; row < t->row_count && facts.arch_count < ARCHS_MAX; row++) {
        struct arch_facts *a = &facts.archs[facts.arch_count++];
        a->row = row;
        a->cc = dotted(table_field(t, row, "cc"), 10);
        a->class = class_field(t, row);
        unsigned family = 0;
        if (sscanf(table_field(t, row, "f_family"), "%u", &family) == 1)
            a->family = family;
        a->span[ARCH_LINUX].first = version_field(t, row, "first_driver_linux");
        a->span[ARCH_LINUX].last = version_field(t, row, "last_driver_linux");
        a->span[ARCH_WINDOWS].first = version_field(t, row, "first_driver_windows");
        a->span[ARCH_WINDOWS].last = version_field(t, row, "last_driver_windows");
        a->last_notebook = version_field(t, row, "last_driver_windows_notebook");
        a->max_cuda = dotted(table_field(t, row, "max_cuda"), 100);
    }
}

static void add_branch(const struct table *t, size_t row, enum arch_os os)
{
    if (facts.branch_count[os] == BRANCHES_MAX)
        return;
    struct branch_facts *b = &facts.branches[os][facts.branch_count[os]++];
    b->row = row;
    sscanf(table_field(t, row, "branch"), "%u", &b->branch);
    b->first = version_field(t, row, "first_version");
    if (!version_known(b->first))
        b->first.major = b->branch;
    b->cuda = dotted(table_field(t, row, "max_cuda"), 100);
    b->isa = dotted(table_field(t, row, "max_ptx_isa"), 100);
}

static void load_branches(void)
{
    const struct table *t = data_table(DATA_DRIVERS);
    for (size_t row = 0; row < t->row_count; row++) {
        const char *os = table_field(t, row, "os");
        if (strcmp(os, "windows"))
            add_branch(t, row, ARCH_LINUX);
        if (strcmp(os, "linux"))
            add_branch(t, row, ARCH_WINDOWS);
    }
}

static void load(void)
{
    if (facts.loaded)
        return;
    load_archs();
    load_branches();
    facts.loaded = true;
}

const struct arch_facts *facts_arch(unsigned cc)
{
    load();
    for (size_t i = 0; i < facts.arch_count; i++)
        if (facts.archs[i].cc == facts_canonical(cc))
            return &facts.archs[i];
    return NULL;
}

struct driver_span facts_span(const struct arch_facts *arch, enum arch_os os, bool notebook)
{
    struct driver_span span = arch->span[os];
    if (os == ARCH_WINDOWS && notebook && version_known(arch->last_notebook))
        span.last = arch->last_notebook;
    return span;
}

const struct branch_facts *facts_branch(struct driver_version version, enum arch_os os)
{
    load();
    const struct branch_facts *found = NULL;
    for (size_t i = 0; i < facts.branch_count[os]; i++)
        if (facts.branches[os][i].branch <= version.major)
            found = &facts.branches[os][i];
    return found;
}

const struct branch_facts *facts_newest(enum arch_os os)
{
    load();
    return &facts.branches[os][facts.branch_count[os] - 1];
}

const struct branch_facts *facts_branch_for_isa(unsigned level, enum arch_os os)
{
    load();
    for (size_t i = 0; i < facts.branch_count[os]; i++)
        if (facts.branches[os][i].isa >= level)
            return &facts.branches[os][i];
    return NULL;
}

const struct branch_facts *facts_branch_for_cuda(unsigned level, enum arch_os os)
{
    load();
    for (size_t i = 0; i < facts.branch_count[os]; i++)
        if (facts.branches[os][i].cuda >= level)
            return &facts.branches[os][i];
    return NULL;
}
