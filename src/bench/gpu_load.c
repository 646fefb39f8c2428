#include "bench/gpu_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/bytes.h"
#include "core/str.h"
#include "core/table.h"
#include "fatbin/images.h"

enum { HEADER_SIZE = 16, ENTRY_MIN = 64, KIND_PTX = 1 };

/* The layout is that of image/fatbin.h; our own containers are never compressed, and the build checks
 * them, so a walk by the sizes is enough. */
const char *gpu_load_ptx_of(const void *container, size_t size)
{
    struct bytes b = bytes_of(container, size);
    for (uint64_t at = HEADER_SIZE; at + ENTRY_MIN <= size;) {
        bytes_seek(&b, at);
        unsigned kind = bytes_u16(&b);
        bytes_skip(&b, 2);
        uint64_t header = bytes_u32(&b), payload = bytes_u64(&b);
        if (b.failed || header < ENTRY_MIN || payload > size)
            return NULL;
        if (kind == KIND_PTX)
            return bytes_string(&b, at + header);
        at += header + payload;
    }
    return NULL;
}

static void load_bare(const struct gpu *gpu, struct gpu_family *family,
                      const struct embedded_image *image)
{
    const char *ptx = gpu_load_ptx_of(image->data, image->size);
    struct module_load load;
    if (!ptx)
        return;
    module_load(&gpu->driver, ptx, &load);
    if (!load.module) /* what the container failed with says more */
        return;
    family->load = load;
    family->bare_ptx = true;
}

static bool belongs(const struct embedded_image *image, const char *family)
{
    return strcmp(image->family, family) == 0;
}

/* The containers of a family in turn, `legacy`, which every driver can read, before `new`; then the PTX
 * in them by itself. */
int gpu_load_embedded(const struct gpu *gpu, struct gpu_family *family, struct err *err)
{
    bool any = false;
    struct module_load load = { .code = GPU_NO_BINARY };
    family->load = load;
    for (size_t i = 0; i < embedded_image_count && !family->load.module; i++) {
        if (!belongs(&embedded_images[i], family->name))
            continue;
        any = true;
        module_load(&gpu->driver, embedded_images[i].data, &load);
        /* Of several refusals the one that is not for want of an image for this card. */
        if (load.module || load.code != GPU_NO_BINARY)
            family->load = load;
    }
    if (!any)
        return err_set(err, ERR_MISSING, "this build has no images of '%s'", family->name);
    for (size_t i = 0; i < embedded_image_count && !family->load.module; i++)
        if (belongs(&embedded_images[i], family->name) && family->load.code == GPU_INVALID_IMAGE)
            load_bare(gpu, family, &embedded_images[i]);
    return 0;
}

int gpu_load_file(const struct gpu *gpu, struct gpu_family *family, struct err *err)
{
    char path[512];
    const char *ending = str_starts(gpu->image_arch, "sm_") ? "cubin" : "ptx";
    snprintf(path, sizeof path, "%s/%s.%s.%s", gpu->image_dir, family->name, gpu->image_arch,
             ending);
    FILE *file = fopen(path, "rb");
    if (!file)
        return err_set(err, ERR_MISSING, "cannot open '%s'", path);
    size_t size = 0, room = 64u << 20;
    char *bytes = calloc(1, room + 1); /* PTX must end in NUL */
    if (bytes)
        size = fread(bytes, 1, room, file);
    fclose(file);
    if (size)
        module_load(&gpu->driver, bytes, &family->load);
    free(bytes);
    return size ? 0 : err_set(err, ERR_IO, "cannot read '%s'", path);
}

/* Whether this build has a cubin of the family for exactly this capability. */
static bool has_cubin(const char *family, int cc)
{
    struct table t;
    struct err unused;
    char arch[16];
    bool found = false;
    err_clear(&unused);
    snprintf(arch, sizeof arch, "sm_%d", cc);
    if (table_parse(&t, embedded_manifest, embedded_manifest_size, &unused))
        return false;
    for (size_t i = 0; i < t.row_count && !found; i++)
        found = strcmp(table_field(&t, i, "family"), family) == 0 &&
                strcmp(table_field(&t, i, "arch"), arch) == 0;
    table_free(&t);
    return found;
}

void gpu_image(const struct gpu *gpu, const char *family, struct gpu_function *function, char *text,
               size_t size)
{
    const struct driver_calls *call = &gpu->driver.call;
    int binary = 0, ptx = 0;
    bool bare = gpu->image_dir && !str_starts(gpu->image_arch, "sm_");
    for (size_t i = 0; i < gpu->family_count; i++)
        if (strcmp(gpu->families[i].name, family) == 0)
            bare = bare || gpu->families[i].bare_ptx;
    *text = 0;
    if (call->function_attribute(&binary, GPU_FUNC_BINARY_VERSION, function) ||
        call->function_attribute(&ptx, GPU_FUNC_PTX_VERSION, function))
        return;
    if (!bare && (gpu->image_dir || has_cubin(family, binary)))
        snprintf(text, size, "sm_%d", binary);
    else
        snprintf(text, size, "compute_%d for sm_%d", ptx, binary);
}
