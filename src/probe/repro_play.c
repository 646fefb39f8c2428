#include "probe/repro_play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/str.h"
#include "fatbin/images.h"

#define CUDA_OF_RUNTIME 11080 /* what the programs are linked with */

/* The programs of fatbin/runtime.mk: one target each. */
#define PROGRAM_35  "rt_sm_35"
#define PROGRAM_90  "rt_sm_90"
#define PROGRAM_PTX "rt_compute_90"
#define CONTAINER   "rt_container"
#define NEWEST      "rt_new"

/* ---- files ----------------------------------------------------------------------------------- */

static const struct embedded_image *legacy_container(void)
{
    for (size_t i = 0; i < embedded_image_count; i++)
        if (strcmp(embedded_images[i].family, "probe") == 0)
            return &embedded_images[i];
    return NULL;
}

static int write_right(const char *path, struct err *err)
{
    const struct embedded_image *image = legacy_container();
    FILE *f = image ? fopen(path, "wb") : NULL;
    if (!f)
        return image ? err_errno(err, "cannot write '%s'", path)
                     : err_set(err, ERR_MISSING, "this build holds no kernel images");
    bool failed = fwrite(image->data, 1, image->size, f) != image->size;
    failed = fclose(f) || failed;
    return failed ? err_errno(err, "cannot write '%s'", path) : 0;
}

int repro_files_make(struct repro_files *files, bool none, struct err *err)
{
    *files = (struct repro_files){ 0 };
    if (none)
        return 0;
    if (os_folder_make("repro", files->folder, err))
        return -1;
    snprintf(files->wrong, sizeof files->wrong, "%s/wrong.fatbin", files->folder);
    snprintf(files->right, sizeof files->right, "%s/right.fatbin", files->folder);
    if (write_right(files->right, err) == 0)
        return 0;
    repro_files_remove(files);
    return -1;
}

void repro_files_remove(struct repro_files *files)
{
    os_folder_remove(files->folder);
}

/* ---- the runtime's turn ---------------------------------------------------------------------- */

/* A program that nvcc compiled for a target which this card cannot run; NULL: there is none. */
static const char *wrong_program(const char *name, unsigned cc)
{
    static const struct {
        unsigned cc;
        const char *program;
    } higher[] = { { 35, "rt_sm_37" },
                   { 50, "rt_sm_52" },
                   { 60, "rt_sm_61" },
                   { 70, "rt_sm_75" },
                   { 80, "rt_sm_86" } };
    if (strcmp(name, "no-image") == 0 || strcmp(name, "other-major") == 0)
        return cc / 10 == 3 ? PROGRAM_90 : PROGRAM_35;
    if (strcmp(name, "ptx-newer-card") == 0 && cc < 90)
        return PROGRAM_PTX;
    for (size_t i = 0; strcmp(name, "higher-minor") == 0 && i < sizeof higher / sizeof higher[0];
         i++)
        if (higher[i].cc == cc)
            return higher[i].program;
    return NULL;
}

/* Cases that the program with a container from a file shows with the right one; the others need the
 * one that the worker left. */
static const struct {
    const char *name, *mode, *kernel;
} modes[] = {
    { "kernel-missing", "calls", "prope" },
    { "sticky-error", "fault", NULL },
    { "out-of-memory", "memory", NULL },
};

/* Nothing where the worker left no container and the case needs one. */
static void run_container(struct repro_result *result, const struct repro_files *files,
                          const char *const *environment)
{
    struct repro_program program = { .name = CONTAINER,
                                     .arguments = { "calls", files->wrong },
                                     .environment = environment };
    bool needs_wrong = true;
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
        if (strcmp(modes[i].name, result->name) == 0) {
            needs_wrong = false;
            program.arguments[0] = modes[i].mode;
            program.arguments[1] = files->right;
            program.arguments[2] = modes[i].kernel;
        }
    if (!needs_wrong || access(files->wrong, R_OK) == 0)
        repro_runtime_run(&result->runtime, &program);
}

static void run_lazy(struct repro_result *result, const struct repro_files *files)
{
    static const char *const eager[] = { "CUDA_MODULE_LOADING=EAGER", NULL };
    static const char *const lazy[] = { "CUDA_MODULE_LOADING=LAZY", NULL };
    struct repro_program program = { .name = CONTAINER,
                                     .arguments = { "lazy", files->right, files->wrong },
                                     .environment = eager,
                                     .prefix = "EAGER" };
    repro_runtime_run(&result->runtime, &program);
    program.environment = lazy;
    program.prefix = "LAZY";
    repro_runtime_run(&result->runtime, &program);
}

void repro_runtime_play(const struct repro_plan *plan, struct repro_result *result,
                        const struct repro_files *files)
{
    char visible[96], variable[8192];
    struct err err;
    err_clear(&err);
    snprintf(visible, sizeof visible, "CUDA_VISIBLE_DEVICES=%s", plan->device->uuid);
    const char *environment[3] = { *plan->device->uuid ? visible : NULL };
    size_t n = environment[0] != NULL;
    const char *program = wrong_program(result->name, plan->target.cc);
    if (strcmp(result->name, "launch-timeout") == 0 || strcmp(result->name, "mixed-gpus") == 0)
        return;
    if (!repro_fault_environment(result->name, variable, sizeof variable, &err) && *variable)
        environment[n++] = variable;
    if (strcmp(result->name, "lazy-loading") == 0)
        run_lazy(result, files);
    else if (program)
        repro_runtime_run(&result->runtime,
                          &(struct repro_program){ .name = program, .environment = environment });
    else
        run_container(result, files, environment);
    repro_runtime_judge(&result->runtime, result->name, plan->cuda);
}

/* ---- error 35 -------------------------------------------------------------------------------- */

/* A driver library of this build in front of the system's, or none at all. */
struct stand_in {
    const char *path;     /* in repro.tsv: which cause it plays */
    const char *program;  /* that meets it */
    const char *variable; /* set to the folder below; "" nothing */
    const char *folder;
    const char *version; /* what the library reports; NULL: nothing */
};

static const struct stand_in stand_ins[] = {
    { "driver_old", PROGRAM_35, "LD_LIBRARY_PATH", "driver", "10020" },
    { "driver_old", NEWEST, "LD_LIBRARY_PATH", "driver", "12090" },
    { "driver_none", PROGRAM_35, "LD_PRELOAD", "hide.so", NULL },
    { "driver_broken", PROGRAM_35, "LD_LIBRARY_PATH", "broken", NULL },
};

static const struct stand_in new_enough = { "driver_new", PROGRAM_35, "LD_LIBRARY_PATH", "driver",
                                            "11080" };

static bool meet(struct repro_runtime *runtime, const struct stand_in *s, struct err *err)
{
    char folder[4096], path[8192], version[64];
    if (repro_folder(folder, sizeof folder, err))
        return false;
    snprintf(path, sizeof path, "%s=%s/%s", s->variable, folder, s->folder);
    snprintf(version, sizeof version, "SMFIT_STUB_DRIVER=%s", s->version ? s->version : "0");
    const char *const environment[] = { path, version, NULL };
    *runtime = (struct repro_runtime){ 0 };
    repro_runtime_run(runtime,
                      &(struct repro_program){ .name = s->program, .environment = environment });
    return true;
}

static const struct repro_call *call_named(const struct repro_runtime *runtime, const char *name)
{
    for (size_t i = 0; i < runtime->count; i++)
        if (strcmp(runtime->calls[i].call, name) == 0)
            return &runtime->calls[i];
    return NULL;
}

/* "runtime 11.8, driver 10.2" of what the program printed. */
static void describe(struct repro_step *step, const struct repro_runtime *runtime)
{
    const struct repro_call *own = call_named(runtime, "runtime"),
                            *driver = call_named(runtime, "cudaDriverGetVersion");
    int r = own ? atoi(own->text) : 0, d = driver ? atoi(driver->text) : 0;
    snprintf(step->image, sizeof step->image, "cudart %d.%d, driver %d.%d", r / 1000, r % 1000 / 10,
             d / 1000, d % 1000 / 10);
}

/* The step's code is the launch's: the driver itself reports no error. */
static void add_runtime_step(struct repro_result *result, enum repro_role role,
                             const struct stand_in *s, const struct repro_runtime *runtime)
{
    const struct repro_call *launch = call_named(runtime, "cudaLaunchKernel");
    if (!launch)
        return;
    struct repro_step *step =
        repro_add_step(result, role, s->path, "cudaLaunchKernel", launch->code);
    if (!step)
        return;
    describe(step, runtime);
}

int repro_play_old_driver(const struct repro_plan *plan, struct repro_result *result,
                          struct err *err)
{
    (void)plan;
    for (size_t i = 0; i < sizeof stand_ins / sizeof stand_ins[0]; i++) {
        struct repro_runtime runtime;
        if (!meet(&runtime, &stand_ins[i], err))
            return -1;
        if (runtime.how == REPRO_RUNTIME_NOT_BUILT && strcmp(stand_ins[i].program, NEWEST) == 0)
            continue;
        if (runtime.how == REPRO_RUNTIME_NOT_BUILT) {
            repro_unable(result, "build", "");
            return 0;
        }
        if (i == 0)
            result->runtime = runtime;
        add_runtime_step(result, REPRO_FAULT, &stand_ins[i], &runtime);
    }
    struct repro_runtime cured;
    if (!meet(&cured, &new_enough, err))
        return -1;
    add_runtime_step(result, REPRO_CURE, &new_enough, &cured);
    repro_runtime_judge(&result->runtime, result->name, CUDA_OF_RUNTIME);
    return 0;
}
