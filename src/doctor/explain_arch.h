/* What a text says about the card's compute capability and about those that the program serves. */
#ifndef DOCTOR_EXPLAIN_ARCH_H
#define DOCTOR_EXPLAIN_ARCH_H

#include "doctor/explain_text.h"

/* 35 for 3.5; 0: the text does not say. */
struct explain_archs {
    unsigned card, least, most;
};

struct explain_archs explain_archs_find(const struct explain_text *text);

#endif
