/* Parts of packages.c: one file of a package, and what a package says of itself. */
#ifndef DOCTOR_PACKAGES_SCAN_H
#define DOCTOR_PACKAGES_SCAN_H

#include "core/os.h"
#include "doctor/doctor.h"

/* A new package at the end of the list; NULL at a bound. `base`: the folder its files are below. */
struct doctor_package *packages_new(struct doctor *d, const char *name, enum doctor_origin origin,
                                    const char *base);

bool packages_in_time(struct doctor *d);

/* "torch", "pytorch": the same library from pip and from conda. */
bool packages_is_pytorch(const struct doctor_package *p);

int packages_walk(struct doctor *d, const char *full, const struct os_walk_sink *sink,
                  struct err *err);

/* A regular file that is not too small to hold GPU code. */
bool packages_is_worth_reading(const char *full);

/* Reads one file of a package; keeps it when it holds GPU code. `full` is this machine's path. */
int packages_read(struct doctor *d, size_t package, const char *full, const char *path,
                  struct err *err);

/* What conda's own notes list in an environment, and the libraries and compilers beside
 * site-packages. `first`: of the environment's packages. No conda environment is no fault. */
int packages_of_conda(struct doctor *d, size_t env, size_t first, struct err *err);

/* A folder of sources that an environment links to: compiled there. */
int packages_of_checkout(struct doctor *d, size_t env, const char *folder, struct err *err);

/* The package that a file of site-packages belongs to where nothing claims it, by the first parts of
 * its path: "torch/lib/libtorch.so" is of "torch", "amp_C.cpython-38-x86_64-linux-gnu.so" of "amp_C",
 * "nvidia/cuda_nvrtc/lib/libnvrtc.so.12" of "nvidia-cuda_nvrtc". */
void packages_part_name(const char *path, char *name, size_t size);

/* Where a file of a package lies, in the tree that is looked at: "/usr/lib/libx.so" of "usr/lib/libx.so"
 * below "/". */
void packages_path(const struct doctor_package *p, const char *file, char path[ROOT_PATH_MAX]);

/* The file speaks for its package: it is not NVIDIA's, and not a sibling's turn. */
bool packages_counts(const struct doctor_file *file, size_t gpu);

/* One of several files of which a package takes one, by CUDA version or by card. */
bool packages_is_alternative(const char *path);

/* Versions, and the verdicts for every GPU, of the packages from `first` on, once all their files
 * are read. */
void packages_conclude(struct doctor *d, size_t first);

#endif
