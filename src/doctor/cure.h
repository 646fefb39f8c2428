/* Parts of finding_cure.c: a cure and its commands, and a driver as a cure. */
#ifndef DOCTOR_CURE_H
#define DOCTOR_CURE_H

#include "doctor/finding.h"

/* A further cure, whose sentence is `id` of text.tsv; one that nobody sees at the bound. */
struct finding_cure *cure_add(struct finding *f, const char *id);

/* A further line to type; none at the bound. */
__attribute__((format(printf, 2, 3))) void cure_command(struct finding_cure *c, const char *fmt, ...);

/* The GPU that the finding is about, else the first; NULL: there is none. */
const struct doctor_gpu *cure_gpu(const struct doctor *d, const struct finding *f);

/* A driver between `least` (unknown: any) and the last that knows the card; nothing where there is none. */
void cure_driver(const struct doctor *d, struct finding *f, struct driver_version least);

#endif
