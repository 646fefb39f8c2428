/* Between the parts of repro: cases that need more than a worker, and the runtime's turn. */
#ifndef PROBE_REPRO_PLAY_H
#define PROBE_REPRO_PLAY_H

#include "core/os_folder.h"
#include "probe/repro.h"

void repro_unable(struct repro_result *result, const char *reason, const char *virtual_card);

/* NULL when there are too many. */
struct repro_step *repro_add_step(struct repro_result *result, enum repro_role role,
                                  const char *path, const char *call, int code);

/* One worker; its report becomes steps of the result. */
int repro_phase(const struct repro_plan *plan, const char *phase, const char *const *environment,
                const char *save, struct repro_result *result, struct err *err);

/* The variable that the fault of this case needs set, "NAME=value"; "" none. */
int repro_fault_environment(const char *name, char *variable, size_t size, struct err *err);

/* Pure: which steps are as expected, and what that makes of the case. */
void repro_judge(struct repro_result *result, int cuda);

/* Files for the runtime's programs in a folder of their own under TMPDIR. */
struct repro_files {
    char folder[OS_FOLDER_SIZE];     /* "" none was made */
    char wrong[OS_FOLDER_SIZE + 32]; /* the container that failed, which the worker writes */
    char right[OS_FOLDER_SIZE + 32]; /* the whole container of this program */
};

/* `none`: makes nothing. */
int repro_files_make(struct repro_files *files, bool none, struct err *err);
void repro_files_remove(struct repro_files *files);

/* Runs the program that shows the case to the CUDA runtime. */
void repro_runtime_play(const struct repro_plan *plan, struct repro_result *result,
                        const struct repro_files *files);

/* Error 35, on driver libraries of this build that report an old version: needs no card. */
int repro_play_old_driver(const struct repro_plan *plan, struct repro_result *result,
                          struct err *err);

#endif
