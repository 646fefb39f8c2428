/* Copies of NVIDIA's libraries that several places offer, and which of them a program gets. */
#ifndef DOCTOR_COPIES_H
#define DOCTOR_COPIES_H

#include "doctor/doctor.h"

/* Fills in d->copies: libraries of the environments of which LD_LIBRARY_PATH has another copy. */
void copies_find(struct doctor *d);

#endif
