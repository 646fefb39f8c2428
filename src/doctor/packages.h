/* The packages of the machine and the GPU code in their files. */
#ifndef DOCTOR_PACKAGES_H
#define DOCTOR_PACKAGES_H

#include "doctor/doctor.h"

/* All packages of one environment, with every file that holds GPU code read. */
int packages_of_env(struct doctor *d, size_t env, struct err *err);

/* A folder as one application; Python packages inside count by themselves. */
int packages_of_app(struct doctor *d, const char *folder, struct err *err);

/* /opt (with `opt`), /usr/local, and cuDNN as ldconfig lists it. */
int packages_of_system(struct doctor *d, bool opt, struct err *err);

/* Only cuDNN and NVRTC, which an environment may take from there. */
int packages_of_nvidia(struct doctor *d, struct err *err);

void packages_free(struct doctor *d);

#endif
