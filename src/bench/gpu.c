#include "bench/gpu.h"

#include <stdlib.h>
#include <string.h>

#include "bench/gpu_load.h"
#include "core/str.h"

static int choose_device(struct gpu *gpu, const char *name, struct err *err)
{
    struct device *all = calloc(DEVICES_MAX, sizeof *all);
    const struct device *found = NULL;
    size_t count = 0;
    if (!all)
        return err_set(err, ERR_MEMORY, "out of memory");
    if (!device_list(&gpu->driver, all, &count, err)) {
        if (name)
            found = device_find(all, count, name, err);
        else if (count)
            found = &all[0];
        else
            err_set(err, ERR_MISSING, "the driver sees no device");
    }
    if (found)
        gpu->device = *found;
    free(all);
    return found ? 0 : -1;
}

int gpu_open(struct gpu *gpu, const char *library, const char *device, struct err *err)
{
    memset(gpu, 0, sizeof *gpu);
    enum driver_state state = driver_open(&gpu->driver, library, err);
    if (state == DRIVER_NO_DEVICE)
        err_set(err, ERR_MISSING, "the driver sees no device");
    if (state == DRIVER_READY && !choose_device(gpu, device, err) &&
        !device_enter(&gpu->driver, &gpu->device, err)) {
        gpu->entered = true;
        return 0;
    }
    gpu_close(gpu);
    return -1;
}

void gpu_close(struct gpu *gpu)
{
    for (size_t i = 0; i < gpu->family_count; i++)
        module_unload(&gpu->driver, &gpu->families[i].load);
    gpu->family_count = 0;
    if (gpu->entered)
        device_leave(&gpu->driver, &gpu->device);
    gpu->entered = false;
    driver_close(&gpu->driver);
}

void gpu_use_files(struct gpu *gpu, const char *dir, const char *arch)
{
    gpu->image_dir = dir;
    str_copy(gpu->image_arch, sizeof gpu->image_arch, arch);
}

static struct gpu_family *family_of(struct gpu *gpu, const char *name, struct err *err)
{
    for (size_t i = 0; i < gpu->family_count; i++)
        if (strcmp(gpu->families[i].name, name) == 0)
            return &gpu->families[i];
    if (gpu->family_count == GPU_FAMILIES_MAX) {
        err_set(err, ERR_LIMIT, "more than %d kernel families", GPU_FAMILIES_MAX);
        return NULL;
    }
    struct gpu_family *family = &gpu->families[gpu->family_count];
    memset(family, 0, sizeof *family);
    str_copy(family->name, sizeof family->name, name);
    if (gpu->image_dir ? gpu_load_file(gpu, family, err) : gpu_load_embedded(gpu, family, err))
        return NULL;
    gpu->family_count++;
    return family;
}

int gpu_kernel(struct gpu *gpu, const char *family, const char *name,
               struct gpu_function **function, struct err *err)
{
    struct gpu_family *found = family_of(gpu, family, err);
    if (!found)
        return -1;
    if (!found->load.module)
        return driver_check(err, found->load.code, "cuModuleLoadDataEx");
    return module_function(&gpu->driver, &found->load, name, function, err);
}

int gpu_load(struct gpu *gpu, const char *family, double *ms, struct err *err)
{
    const struct gpu_family *found = family_of(gpu, family, err);
    if (!found)
        return -1;
    *ms = (double)found->load.time_ns / 1e6;
    return found->load.module ? 0 : driver_check(err, found->load.code, "cuModuleLoadDataEx");
}

int gpu_alloc(const struct gpu *gpu, size_t bytes, uint64_t *address, struct err *err)
{
    *address = 0;
    return driver_check(err, gpu->driver.call.mem_alloc(address, bytes), "cuMemAlloc");
}

void gpu_free(const struct gpu *gpu, uint64_t address)
{
    if (address)
        gpu->driver.call.mem_free(address);
}

int gpu_upload(const struct gpu *gpu, uint64_t to, const void *from, size_t bytes, struct err *err)
{
    return driver_check(err, gpu->driver.call.copy_to_device(to, from, bytes), "cuMemcpyHtoD");
}

int gpu_download(const struct gpu *gpu, void *to, uint64_t from, size_t bytes, struct err *err)
{
    return driver_check(err, gpu->driver.call.copy_to_host(to, from, bytes), "cuMemcpyDtoH");
}

int gpu_launch(const struct gpu *gpu, const struct gpu_launch *l, struct err *err)
{
    int code = gpu->driver.call.launch(l->function, l->grid[0], l->grid[1], l->grid[2], l->block[0],
                                       l->block[1], l->block[2], l->shared_bytes, NULL,
                                       l->arguments, NULL);
    return driver_check(err, code, "cuLaunchKernel");
}

int gpu_set_bytes(const struct gpu *gpu, uint64_t to, unsigned char value, size_t count,
                  struct err *err)
{
    return driver_check(err, gpu->driver.call.set_bytes(to, value, count), "cuMemsetD8");
}

int gpu_set_words(const struct gpu *gpu, uint64_t to, unsigned value, size_t count, struct err *err)
{
    return driver_check(err, gpu->driver.call.set_words(to, value, count), "cuMemsetD32");
}

int gpu_copy(const struct gpu *gpu, uint64_t to, uint64_t from, size_t bytes, struct err *err)
{
    int code = gpu->driver.call.copy_on_device_async(to, from, bytes, NULL);
    return driver_check(err, code, "cuMemcpyDtoDAsync");
}

int gpu_alloc_host(const struct gpu *gpu, size_t bytes, void **host, struct err *err)
{
    *host = NULL;
    return driver_check(err, gpu->driver.call.mem_alloc_host(host, bytes, 0), "cuMemHostAlloc");
}

void gpu_free_host(const struct gpu *gpu, void *host)
{
    if (host)
        gpu->driver.call.mem_free_host(host);
}

int gpu_upload_queued(const struct gpu *gpu, uint64_t to, const void *from, size_t bytes,
                      struct err *err)
{
    int code = gpu->driver.call.copy_to_device_async(to, from, bytes, NULL);
    return driver_check(err, code, "cuMemcpyHtoDAsync");
}

int gpu_download_queued(const struct gpu *gpu, void *to, uint64_t from, size_t bytes,
                        struct err *err)
{
    int code = gpu->driver.call.copy_to_host_async(to, from, bytes, NULL);
    return driver_check(err, code, "cuMemcpyDtoHAsync");
}

int gpu_wait(const struct gpu *gpu, struct err *err)
{
    return driver_check(err, gpu->driver.call.context_synchronize(), "cuCtxSynchronize");
}

int gpu_timer_open(const struct gpu *gpu, struct gpu_timer *timer, struct err *err)
{
    *timer = (struct gpu_timer){ 0 };
    for (int i = 0; i < 2; i++)
        if (driver_check(err, gpu->driver.call.event_create(&timer->marks[i], 0),
                         "cuEventCreate")) {
            timer->marks[i] = NULL;
            gpu_timer_close(gpu, timer);
            return -1;
        }
    return 0;
}

void gpu_timer_close(const struct gpu *gpu, struct gpu_timer *timer)
{
    for (int i = 0; i < 2; i++)
        if (timer->marks[i])
            gpu->driver.call.event_destroy(timer->marks[i]);
    *timer = (struct gpu_timer){ 0 };
}

int gpu_timer_mark(const struct gpu *gpu, const struct gpu_timer *timer, int which, struct err *err)
{
    int code = gpu->driver.call.event_record(timer->marks[which], NULL);
    return driver_check(err, code, "cuEventRecord");
}

int gpu_timer_read(const struct gpu *gpu, const struct gpu_timer *timer, double *ms,
                   struct err *err)
{
    float elapsed = 0;
    int code = gpu->driver.call.event_synchronize(timer->marks[1]);
    if (driver_check(err, code, "cuEventSynchronize"))
        return -1;
    code = gpu->driver.call.event_elapsed(&elapsed, timer->marks[0], timer->marks[1]);
    *ms = (double)elapsed;
    return driver_check(err, code, "cuEventElapsedTime");
}
