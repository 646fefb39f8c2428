/* Whether somebody compiled a package for himself, so that its list of architectures is his own:
 * by what pip notes, by the version, by where the file lies and what lies beside it, and by the
 * shape of what it holds. */
#ifndef DOCTOR_OWN_BUILD_H
#define DOCTOR_OWN_BUILD_H

#include <stdbool.h>

#include "doctor/doctor.h"

/* `file` is one of the package's files with GPU code, which lacks code for `gpu`. */
bool own_build_is(const struct doctor *d, const struct doctor_package *p, size_t file, size_t gpu);

#endif
