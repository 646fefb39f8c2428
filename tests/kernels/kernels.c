#include "kernels.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GUARD = 512, GUARD_BYTE = 0xa5 };

static void finish(struct kernels *k)
{
    printf("%d passed, %d failed, %d skipped\n", k->passed, k->failed, k->skipped);
    fflush(stdout);
    exit(k->failed != 0);
}

void kernels_result(struct kernels *k, bool ok, const char *format, ...)
{
    if (ok) {
        k->passed++;
        return;
    }
    k->failed++;
    printf("sm_%u: ", k->target);
    va_list list;
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    printf("\n");
}

void kernels_give_up(struct kernels *k, const struct err *err, const char *what)
{
    kernels_result(k, false, "%s: %s", what, err->msg);
    finish(k);
    abort(); /* finish does not return */
}

static bool has_image(const struct kernels *k, const char *family, const char *kind,
                      const char *ending)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s.%s_%u.%s", k->fatbin, family, kind, k->target, ending);
    return access(path, R_OK) == 0;
}

static bool has_manifest(const struct kernels *k)
{
    char path[600];
    snprintf(path, sizeof path, "%s/manifest.tsv", k->fatbin);
    return access(path, R_OK) == 0;
}

bool kernels_family(struct kernels *k, const char *family, unsigned lowest)
{
    char arch[16];
    if (k->target < lowest || (k->only && strcmp(k->only, family) != 0))
        return false;
    bool cubin = has_manifest(k) && has_image(k, family, "sm", "cubin");
    if (!cubin && !has_image(k, family, "compute", "ptx")) {
        k->skipped++;
        return false;
    }
    snprintf(arch, sizeof arch, "%s_%u", cubin ? "sm" : "compute", k->target);
    gpu_use_files(&k->gpu, k->fatbin, arch);
    return true;
}

/* ---- memory ------------------------------------------------------------------------------------
 */

void *kernels_memory(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);
    if (!p)
        abort();
    return p;
}

static size_t total(const struct kernels_buffer *b)
{
    return GUARD + b->offset + b->bytes + b->behind;
}

void kernels_buffer_new(struct kernels *k, struct kernels_buffer *buffer, size_t bytes,
                        size_t offset, const void *from)
{
    struct err err = { 0 };
    /* the virtual GPU ends an allocation where it was asked to: what reads beyond it faults */
    *buffer = (struct kernels_buffer){ .bytes = bytes,
                                       .offset = offset,
                                       .behind = k->gpu.driver.is_virtual ? 0 : GUARD };
    unsigned char *host = kernels_memory(total(buffer), 1);
    memset(host, GUARD_BYTE, total(buffer));
    if (from)
        memcpy(host + GUARD + offset, from, bytes);
    else
        memset(host + GUARD + offset, 0xff, bytes);
    if (gpu_alloc(&k->gpu, total(buffer), &buffer->base, &err) ||
        gpu_upload(&k->gpu, buffer->base, host, total(buffer), &err))
        kernels_give_up(k, &err, "buffer");
    buffer->address = buffer->base + GUARD + offset;
    free(host);
}

bool kernels_buffer_read(struct kernels *k, const struct kernels_buffer *buffer, void *to)
{
    struct err err = { 0 };
    size_t before = GUARD + buffer->offset;
    bool intact = true;
    unsigned char *host = kernels_memory(total(buffer), 1);
    if (gpu_download(&k->gpu, host, buffer->base, total(buffer), &err))
        kernels_give_up(k, &err, "buffer");
    for (size_t i = 0; i < total(buffer); i++)
        if ((i < before || i >= before + buffer->bytes) && host[i] != GUARD_BYTE)
            intact = false;
    memcpy(to, host + before, buffer->bytes);
    free(host);
    return intact;
}

void kernels_buffer_free(struct kernels *k, struct kernels_buffer *buffer)
{
    gpu_free(&k->gpu, buffer->base);
    *buffer = (struct kernels_buffer){ 0 };
}

int main(int argc, char **argv)
{
    struct kernels k = { 0 };
    struct err err = { 0 };
    if (argc < 4 || argc > 5) {
        fprintf(stderr, "usage: %s LIBRARY FATBIN TARGET [FAMILY]\n", argv[0]);
        return 2;
    }
    k.fatbin = argv[2];
    k.target = (unsigned)strtoul(argv[3], NULL, 10);
    k.only = argv[4];
    const char *full = getenv("SMFIT_FULL");
    k.full = full && *full;
    if (gpu_open(&k.gpu, argv[1], NULL, &err))
        kernels_give_up(&k, &err, "device");
    kernels_cases(&k);
    gpu_close(&k.gpu);
    finish(&k);
}
