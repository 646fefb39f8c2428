/* The options of cuModuleLoadDataEx: the logs and the few that change nothing here. */
#ifndef VGPU_DRV_JIT_H
#define VGPU_DRV_JIT_H

struct drv_jit {
    unsigned count;
    const int *options;
    void **values;
};

/* 0, or the code for options that are wrong or not there. NULL: no options. */
int drv_jit_check(const struct drv_jit *jit, unsigned cc);

/* Fills the buffers and their sizes: all messages are errors, the information log stays empty. */
void drv_jit_give_log(const struct drv_jit *jit, const char *log);

#endif
