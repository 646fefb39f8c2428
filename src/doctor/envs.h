/* Finds Python environments by their folders alone. */
#ifndef DOCTOR_ENVS_H
#define DOCTOR_ENVS_H

#include "doctor/doctor.h"

/* Those of `given` (environment folders, or a site-packages folder itself), or the active one, or
 * the system's. A given folder without site-packages is an application: `false` is returned. */
bool envs_add_given(struct doctor *d, const char *folder);
void envs_find(struct doctor *d);

#endif
