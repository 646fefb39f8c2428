/* Official builds of a package by the table builds.tsv: which of them has kernels for a card? */
#ifndef DOCTOR_BUILDS_H
#define DOCTOR_BUILDS_H

#include <stdbool.h>

#include "arch/rules.h"

/* Strings point into the table. */
struct builds_pick {
    const char *version, *cuda, *archs, *python, *index, *source, *confidence;
    bool pypi;         /* plain "pip install" gives it */
    bool needs_driver; /* only with a newer driver than the target's; `driver` is the least */
    bool needs_python; /* it does not exist for the Python that was asked for */
    struct driver_version driver;
};

/* The newest release with SASS for the card that its driver takes: for this Python ("3.7"; "" any),
 * else for another, else with another driver. False: none at all. */
bool builds_best(const char *package, const struct arch_target *target, const char *python,
                 struct builds_pick *pick);

/* Whether "2.7 3.5-3.8" has "3.6". Unknown ("?") counts as yes. */
bool builds_python(const char *ranges, const char *python);

#endif
