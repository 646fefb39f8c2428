/* One block on one host thread, and the worker that runs it. Inside of the engine. */
#ifndef VGPU_EXEC_BLOCK_H
#define VGPU_EXEC_BLOCK_H

#include "vgpu/exec_warp.h"

/* On failure nothing is left to free. */
int exec_worker_init(struct worker *worker, struct run *run, struct err *err);
void exec_worker_free(struct worker *worker);

/* False when the launch must stop: a fault was recorded, or memory is out. */
bool exec_run_block(struct worker *worker, uint64_t linear);

int exec_run_function(const struct code *code, uint32_t function, const struct exec_launch *launch,
                      struct exec_result *result, struct err *err);

#endif
