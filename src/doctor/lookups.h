/* What the loader would do for the files with GPU code: which copy of cuBLAS, cuDNN, NVRTC and the
 * runtime each of them gets, and whether the system's C and C++ libraries are new enough. */
#ifndef DOCTOR_LOOKUPS_H
#define DOCTOR_LOOKUPS_H

#include "doctor/doctor.h"

/* Fills in `lookups` and the versions; once, when all packages are known. */
void lookups_find(struct doctor *d);

#endif
