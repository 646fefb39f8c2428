/* What the tables archs.tsv and drivers.tsv say, as numbers: which capability is of which class,
 * which drivers know it, and what a driver knows. The rules read nothing else. */
#ifndef ARCH_FACTS_H
#define ARCH_FACTS_H

#include <stdbool.h>
#include <stddef.h>

#include "arch/version.h"

enum arch_os { ARCH_LINUX, ARCH_WINDOWS, ARCH_OS_COUNT };

enum arch_class {
    ARCH_DESKTOP,       /* SASS of a lower minor version runs */
    ARCH_TEGRA,         /* SASS runs on its own capability only, in both directions */
    ARCH_CLASS_UNKNOWN, /* nobody has said (8.8) */
};

/* CUDA and PTX versions are compared as major * 100 + minor: 1104, 704. 0: not known. */
unsigned facts_level(unsigned major, unsigned minor);

struct driver_span {
    struct driver_version first; /* not known: no lower bound is checked */
    struct driver_version last;  /* stands for its whole branch; not known: not dropped yet */
};

struct arch_facts {
    unsigned cc; /* 35, 121 */
    enum arch_class class;
    unsigned family; /* of family-specific images: 100, 110, 120; 0: none */
    struct driver_span span[ARCH_OS_COUNT];
    struct driver_version last_notebook; /* Windows; not known: as the others */
    unsigned max_cuda;                   /* level; 0: whatever is newest */
    size_t row;                          /* in archs.tsv */
};

struct branch_facts {
    unsigned branch;             /* 470 */
    struct driver_version first; /* least version that NVIDIA's tables name; else the branch */
    unsigned cuda, isa;          /* levels that it knows; 0: not known */
    size_t row;                  /* in drivers.tsv */
};

/* 10.1 became 11.0 with CUDA 13; both are 110 here. */
unsigned facts_canonical(unsigned cc);

/* NULL: no such capability. Takes 35 and the canonical form of it. */
const struct arch_facts *facts_arch(unsigned cc);

/* The span for this kind of machine, the notebook's end included. */
struct driver_span facts_span(const struct arch_facts *arch, enum arch_os os, bool notebook);

/* The branch that a version belongs to: the greatest not above it. NULL: older than all. */
const struct branch_facts *facts_branch(struct driver_version version, enum arch_os os);

const struct branch_facts *facts_newest(enum arch_os os);

/* The oldest branch that knows this PTX ISA or CUDA level; NULL: newer than the table. */
const struct branch_facts *facts_branch_for_isa(unsigned level, enum arch_os os);
const struct branch_facts *facts_branch_for_cuda(unsigned level, enum arch_os os);

#endif
