/* Cases about what happens when the image is right: names, memory, faults, several cards. */
#include <stdlib.h>
#include <string.h>

#include "fatbin/images.h"
#include "probe/provoke.h"
#include "probe/provoke_wrap.h"

#define SMALL     ((size_t)64 << 20) /* bytes that any card has free */
#define LAZY_CUDA 11070 /* the first CUDA that loads lazily, as cuDriverGetVersion says it */

/* The right image, loaded: module and function. The caller unloads. */
static int load_right(struct stage *s, struct module_load *load, struct gpu_function **function,
                      char name[32], struct err *err)
{
    size_t i = stage_right_image(s, STAGE_NATIVE);
    if (i == SIZE_MAX)
        return err_set(err, ERR_MISSING, "this build holds no image for the device");
    image_arch_name(&s->images.list[i].info, name, 32);
    module_load(&s->driver, s->images.list[i].data, load);
    if (driver_check(err, load->code, "cuModuleLoadDataEx"))
        return -1;
    if (function && module_function(&s->driver, load, "probe", function, err)) {
        module_unload(&s->driver, load);
        return -1;
    }
    return 0;
}

static void check(struct stage *s, const char *path, const char *call, int code)
{
    stage_report(s, STAGE_CHECK, &(struct stage_step){ .path = path, .call = call, .code = code });
}

static int kernel_missing(struct stage *s, struct err *err)
{
    struct module_load load;
    struct gpu_function *function = NULL;
    char name[32];
    if (load_right(s, &load, NULL, name, err))
        return -1;
    struct stage_step step = { .path = "function", .call = "cuModuleGetFunction", .image = name };
    step.code = s->driver.call.module_function(&function, load.module, "prope");
    stage_report(s, STAGE_FAULT, &step);
    module_unload(&s->driver, &load);
    return 0;
}

/* ---- faults of a running kernel -------------------------------------------------------------- */

static int launch_at(struct stage *s, struct gpu_function *function, uint64_t out)
{
    unsigned count = 1, seed = 0;
    void *params[] = { &out, &count, &seed };
    return s->driver.call.launch(function, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL);
}

/* What launch and wait give together: the launch itself mostly succeeds. */
static void report_launch(struct stage *s, const char *path, const char *image, int launched)
{
    struct stage_step step = { .path = path, .call = "cuLaunchKernel", .image = image };
    step.code = launched;
    if (!launched) {
        step.call = "cuCtxSynchronize";
        step.code = s->driver.call.context_synchronize();
    }
    stage_report(s, STAGE_FAULT, &step);
}

/* A container for another card; a build for one card only has none. */
static int load_refused(struct stage *s, struct err *err)
{
    for (size_t i = 0; i < s->images.count; i++) {
        struct module_load load;
        size_t size;
        if (!stage_is_for_another(s, &s->images.list[i]))
            continue;
        void *data =
            wrap_container(&(struct wrap_entry){ .like = &s->images.list[i] }, 1, &size, err);
        if (!data)
            return -1;
        module_load(&s->driver, data, &load);
        check(s, "refused", "cuModuleLoadDataEx", load.code);
        module_unload(&s->driver, &load);
        free(data);
        return 0;
    }
    return 0;
}

/* Once an image was refused nothing else is harmed; once a kernel has faulted nothing works. */
static int sticky_error(struct stage *s, struct err *err)
{
    const struct driver_calls *call = &s->driver.call;
    struct module_load load;
    struct gpu_function *function;
    char name[32];
    uint64_t memory = 0;
    if (load_refused(s, err))
        return -1;
    int allocated = call->mem_alloc(&memory, 4096);
    check(s, "after_refused", "cuMemAlloc", allocated);
    if (load_right(s, &load, &function, name, err))
        return -1;
    check(s, "after_refused", "cuModuleLoadDataEx", load.code);
    report_launch(s, "launch", name, launch_at(s, function, 0));
    uint64_t more = 0;
    check(s, "after_fault", "cuMemAlloc", call->mem_alloc(&more, 4096));
    check(s, "after_fault", "cuCtxSynchronize", call->context_synchronize());
    check(s, "after_fault", "cuMemFree", call->mem_free(memory));
    return 0;
}

/* PTX whose kernel never ends; the watchdog of a card with a display does. */
static int launch_timeout(struct stage *s, struct err *err)
{
    const struct probe_image *ptx = stage_ptx(s);
    if (!s->device->display_watchdog) {
        stage_unable(s, "no_watchdog", "920m");
        return 0;
    }
    if (!s->driver.is_virtual && !s->allow_timeout) {
        stage_unable(s, "ask_timeout", "920m");
        return 0;
    }
    if (!ptx)
        return err_set(err, ERR_MISSING, "this build holds no PTX for the device");
    char *text = wrap_ptx_body(ptx->data, "\nENDLESS:\nbra ENDLESS;\n");
    if (!text)
        return err_set(err, ERR_MEMORY, "out of memory");
    struct module_load load;
    struct gpu_function *function;
    module_load(&s->driver, text, &load);
    int failed = driver_check(err, load.code, "cuModuleLoadDataEx") ||
                 module_function(&s->driver, &load, "probe", &function, err);
    if (!failed)
        report_launch(s, "launch", "compute_35, endless", launch_at(s, function, 0));
    module_unload(&s->driver, &load);
    free(text);
    return failed ? -1 : 0;
}

static int out_of_memory(struct stage *s, struct err *err)
{
    const struct driver_calls *call = &s->driver.call;
    uint64_t memory = 0;
    size_t free_bytes = 0, total = 0;
    if (driver_check(err, call->mem_info(&free_bytes, &total), "cuMemGetInfo"))
        return -1;
    struct stage_step step = { .path = "alloc", .call = "cuMemAlloc" };
    step.code = call->mem_alloc(&memory, total + SMALL);
    stage_report(s, STAGE_FAULT, &step);
    if (!step.code)
        call->mem_free(memory);
    /* A virtual card has no more memory than the machine under it. */
    size_t less = free_bytes / 2 < SMALL ? free_bytes / 2 : SMALL;
    int small = call->mem_alloc(&memory, less);
    check(s, "small", "cuMemAlloc", small);
    if (!small)
        call->mem_free(memory);
    return 0;
}

/* ---- lazy loading ---------------------------------------------------------------------------- */

/* What lazy loading moves: the load of a container that cannot be loaded. The runtime does it at
 * its first call (eager), or at the first launch of a kernel in that container (lazy). */
static int lazy_loading(struct stage *s, struct err *err)
{
    const struct probe_image *ptx = stage_ptx(s);
    if (s->driver.version < LAZY_CUDA) {
        stage_unable(s, "driver_not_lazy", "h200");
        return 0;
    }
    struct module_load good;
    struct kernel_outcome outcome;
    char name[32];
    if (!ptx)
        return err_set(err, ERR_MISSING, "this build holds no PTX for the device");
    if (load_right(s, &good, NULL, name, err))
        return -1;
    check(s, "good", "cuModuleLoadDataEx", good.code);
    char *text = wrap_ptx_replace(ptx->data, "ld.param", "ld.parm");
    size_t size = 0;
    struct wrap_entry entry = { .like = ptx, .payload = text, .size = text ? strlen(text) : 0 };
    void *data = text ? wrap_container(&entry, 1, &size, err) : NULL;
    int failed = stage_load_container(s, "container", "\"ld.parm\"", data, size, err);
    free(text);
    kernel_run(&s->driver, &good, &outcome);
    check(s, "good", outcome.code ? outcome.call : "cuLaunchKernel", outcome.code);
    module_unload(&s->driver, &good);
    return failed;
}

/* ---- several cards --------------------------------------------------------------------------- */

static bool runs_on(const struct stage *s, const struct probe_image *image, unsigned cc)
{
    struct arch_target t = s->target;
    t.cc = cc;
    return arch_judge(&image->facts, &t, ARCH_CONTAINER).verdict == VERDICT_RUNS;
}

/* An image for the one card and not for the other. */
static const struct probe_image *image_for_one(const struct stage *s, size_t *fits, size_t *lacks)
{
    for (size_t i = 0; i < s->images.count; i++)
        for (size_t a = 0; a < s->device_count; a++)
            for (size_t b = 0; b < s->device_count; b++) {
                const struct probe_image *image = &s->images.list[i];
                if (image->info.kind != IMAGE_CUBIN || !runs_on(s, image, s->devices[a].cc) ||
                    runs_on(s, image, s->devices[b].cc))
                    continue;
                *fits = a;
                *lacks = b;
                return image;
            }
    return NULL;
}

static int on_device(struct stage *s, size_t index, enum stage_role role, const char *path,
                     const void *data, const char *image, struct err *err)
{
    device_leave(&s->driver, s->device);
    if (device_enter(&s->driver, &s->devices[index], err))
        return -1;
    s->device = &s->devices[index];
    char label[64];
    snprintf(label, sizeof label, "%.40s, %u.%u", image, s->device->cc / 10, s->device->cc % 10);
    stage_load(s, role, path, label, data);
    return 0;
}

static int mixed_gpus(struct stage *s, struct err *err)
{
    size_t fits, lacks, size;
    const struct probe_image *image = image_for_one(s, &fits, &lacks);
    if (!image) {
        stage_unable(s, "one_card", "k80,940m");
        return 0;
    }
    char name[32];
    image_arch_name(&image->info, name, sizeof name);
    void *data = wrap_container(&(struct wrap_entry){ .like = image }, 1, &size, err);
    int failed = !data || on_device(s, fits, STAGE_CHECK, "good", data, name, err) ||
                 on_device(s, lacks, STAGE_FAULT, "container", data, name, err);
    free(data);
    return failed ? -1 : 0;
}

/* The whole container of this program, which has something for each. */
static int cure_mixed(struct stage *s, struct err *err)
{
    for (size_t i = 0; i < embedded_image_count; i++) {
        if (strcmp(embedded_images[i].family, "probe") != 0 ||
            strcmp(embedded_images[i].container, "legacy") != 0)
            continue;
        for (size_t d = 0; d < s->device_count; d++)
            if (on_device(s, d, STAGE_CURE, "cure", embedded_images[i].data, "legacy", err))
                return -1;
    }
    return 0;
}

/* ---- a driver that does not know the card ---------------------------------------------------- */

static bool sees(const struct stage *s, unsigned cc)
{
    for (size_t i = 0; i < s->device_count; i++)
        if (s->devices[i].cc == cc)
            return true;
    return false;
}

/* The parent chose the driver; this only looks at what it says. Beside a card that it knows there
 * is no error at all: the other one is not counted. */
static int driver_too_new(struct stage *s, struct err *err)
{
    struct stage_step step = { .path = "init", .call = "cuInit", .code = GPU_NO_DEVICE };
    if (s->state != DRIVER_NO_DEVICE && s->state != DRIVER_READY) {
        *err = s->why;
        return -1;
    }
    if (s->device_count) {
        step.path = sees(s, s->wanted_cc) ? "seen" : "not_counted";
        step.call = "cuDeviceGetCount";
        step.code = 0;
    }
    stage_report(s, STAGE_FAULT, &step);
    return 0;
}

const struct provoke provoke_run_cases[] = {
    { "kernel-missing", false, kernel_missing, stage_cure },
    { "driver-too-new", true, driver_too_new, stage_cure },
    { "mixed-gpus", false, mixed_gpus, cure_mixed },
    { "lazy-loading", false, lazy_loading, stage_cure },
    { "sticky-error", false, sticky_error, stage_cure },
    { "out-of-memory", false, out_of_memory, stage_cure },
    { "launch-timeout", false, launch_timeout, stage_cure },
    { .name = NULL },
};
