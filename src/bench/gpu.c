#include "bench/gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/os.h"
#include "core/str.h"
#include "fatbin/images.h"

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

/* Containers of a family are tried in turn: `legacy`, which every driver can read, then `new`. */
static int load_embedded(struct gpu *gpu, const char *family, struct module_load *load,
                         struct err *err)
{
    bool any = false;
    load->code = GPU_NO_BINARY;
    for (size_t i = 0; i < embedded_image_count && !load->module; i++) {
        if (strcmp(embedded_images[i].family, family) != 0)
            continue;
        any = true;
        module_load(&gpu->driver, embedded_images[i].data, load);
    }
    if (!any)
        return err_set(err, ERR_MISSING, "this build has no images of '%s'", family);
    return 0;
}

static int load_file(struct gpu *gpu, const char *family, struct module_load *load, struct err *err)
{
    char path[512];
    const char *ending = str_starts(gpu->image_arch, "sm_") ? "cubin" : "ptx";
    snprintf(path, sizeof path, "%s/%s.%s.%s", gpu->image_dir, family, gpu->image_arch, ending);
    FILE *file = fopen(path, "rb");
    if (!file)
        return err_set(err, ERR_MISSING, "cannot open '%s'", path);
    size_t size = 0, room = 64u << 20;
    char *bytes = calloc(1, room + 1); /* PTX must end in NUL */
    if (bytes)
        size = fread(bytes, 1, room, file);
    fclose(file);
    if (size)
        module_load(&gpu->driver, bytes, load);
    free(bytes);
    return size ? 0 : err_set(err, ERR_IO, "cannot read '%s'", path);
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
    if (gpu->image_dir ? load_file(gpu, name, &family->load, err)
                       : load_embedded(gpu, name, &family->load, err))
        return NULL;
    str_copy(family->name, sizeof family->name, name);
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
        return driver_check(err, found->load.code, "cuModuleLoadData");
    return module_function(&gpu->driver, &found->load, name, function, err);
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

int gpu_wait(const struct gpu *gpu, struct err *err)
{
    return driver_check(err, gpu->driver.call.context_synchronize(), "cuCtxSynchronize");
}
