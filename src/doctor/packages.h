/* The packages of the machine and the GPU code in their files. */
#ifndef DOCTOR_PACKAGES_H
#define DOCTOR_PACKAGES_H

#include "doctor/doctor.h"

/* All packages of one environment, with every file that holds GPU code read. */
int packages_of_env(struct doctor *d, size_t env, struct err *err);

/* A folder as one application; Python packages inside count by themselves. */
int packages_of_app(struct doctor *d, const char *folder, struct err *err);

/* What an environment has as a link to its sources: the folders that its *.pth, *.egg-link and editable
 * finders name. */
int packages_of_links(struct doctor *d, size_t env, struct err *err);

/* What PyTorch has compiled for programs that ask for it: TORCH_EXTENSIONS_DIR, else
 * ~/.cache/torch_extensions of every home; one application each. Folders that are given are left out. */
int packages_of_torch_extensions(struct doctor *d, const char *const *given, size_t given_count,
                                 struct err *err);

/* /opt (with `opt`), /usr/local, and cuDNN as ldconfig lists it. */
int packages_of_system(struct doctor *d, bool opt, struct err *err);

/* Only cuDNN and NVRTC, which an environment may take from there. */
int packages_of_nvidia(struct doctor *d, struct err *err);

void packages_free(struct doctor *d);

#endif
