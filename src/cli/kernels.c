#include "cli/kernels.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "core/os.h"
#include "core/str.h"
#include "image/cubin.h"
#include "image/ptx.h"

void kernels_clear(struct kernels *k)
{
    for (size_t i = 0; i < k->count; i++)
        free(k->list[i].name);
    k->count = k->arch_count = k->name_bytes = 0;
    k->image_count = 0;
    k->cut = false;
    if (k->index)
        memset(k->index, 0, k->index_size * sizeof *k->index);
}

void kernels_free(struct kernels *k)
{
    kernels_clear(k);
    free(k->list);
    free(k->index);
    *k = (struct kernels){ 0 };
}

/* FNV-1a, from a seed */
static size_t hash(uint64_t seed, const char *name, size_t length)
{
    uint64_t h = 0xcbf29ce484222325u ^ seed;
    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)name[i]) * 0x100000001b3u;
    return (size_t)(h ^ h >> 32);
}

/* The place in the index where the name is or would be. */
static size_t find(const struct kernels *k, const char *name, size_t length)
{
    size_t at = hash(k->seed, name, length) & (k->index_size - 1);
    for (; k->index[at]; at = (at + 1) & (k->index_size - 1)) {
        const char *known = k->list[k->index[at] - 1].name;
        if (strncmp(known, name, length) == 0 && !known[length])
            break;
    }
    return at;
}

/* At most half of the index is in use. */
static int grow(struct kernels *k, struct err *err)
{
    if (k->count < k->cap && k->count * 2 < k->index_size)
        return 0;
    size_t cap = k->cap ? k->cap * 2 : 64;
    if (!k->seed)
        k->seed = os_now_ns() * 0x9e3779b97f4a7c15u;
    struct kernel *list = reallocarray(k->list, cap, sizeof *list);
    if (!list)
        return err_set(err, ERR_MEMORY, "out of memory");
    k->list = list;
    k->cap = cap;
    uint32_t *index = calloc(cap * 4, sizeof *index);
    if (!index)
        return err_set(err, ERR_MEMORY, "out of memory");
    free(k->index);
    k->index = index;
    k->index_size = cap * 4;
    for (size_t i = 0; i < k->count; i++)
        k->index[find(k, list[i].name, strlen(list[i].name))] = (uint32_t)i + 1;
    return 0;
}

struct adding {
    struct kernels *k;
    uint64_t arch;
};

static int add(void *self, const char *name, size_t length, struct err *err)
{
    struct adding *adding = self;
    struct kernels *k = adding->k;
    if (grow(k, err))
        return -1;
    size_t at = find(k, name, length);
    if (!k->index[at]) {
        if (k->count == KERNELS_MAX || length > KERNELS_BYTES_MAX - k->name_bytes) {
            k->cut = true;
            return 0;
        }
        k->name_bytes += length;
        char *copy = strndup(name, length);
        if (!copy)
            return err_set(err, ERR_MEMORY, "out of memory");
        k->list[k->count] = (struct kernel){ .name = copy };
        k->index[at] = (uint32_t)++k->count;
    }
    k->list[k->index[at] - 1].archs |= adding->arch;
    return 0;
}

static uint64_t arch_bit(struct kernels *k, const struct image *image)
{
    char name[sizeof k->archs[0]];
    size_t i = 0;
    image_arch_name(image, name, sizeof name);
    while (i < k->arch_count && strcmp(k->archs[i], name) != 0)
        i++;
    if (i == KERNELS_ARCHS_MAX)
        i--;
    else if (i == k->arch_count)
        memcpy(k->archs[k->arch_count++], name, sizeof name);
    return (uint64_t)1 << i;
}

int kernels_add_image(struct kernels *k, const struct image *image, const uint8_t *data,
                      size_t size, struct err *err)
{
    if (image->kind != IMAGE_CUBIN && image->kind != IMAGE_PTX)
        return 0;
    struct adding adding = { k, arch_bit(k, image) };
    k->image_count++;
    return image->kind == IMAGE_PTX ? ptx_kernels(data, size, add, &adding, err)
                                    : cubin_kernels(data, size, add, &adding, err);
}

void kernels_add_archs(struct str *to, const struct kernels *k, size_t i)
{
    const char *sep = "";
    for (size_t a = 0; a < k->arch_count; a++)
        if (k->list[i].archs >> a & 1) {
            str_addf(to, "%s%s", sep, k->archs[a]);
            sep = " ";
        }
}

bool kernels_name_matches(const char *name, const char *pattern)
{
    if (strpbrk(pattern, "*?["))
        return fnmatch(pattern, name, 0) == 0;
    return strstr(name, pattern) != NULL;
}

bool kernels_match(const struct kernels *k, const char *pattern)
{
    for (size_t i = 0; i < k->count; i++)
        if (kernels_name_matches(k->list[i].name, pattern))
            return true;
    return false;
}
