#include "probe/images.h"

#include <stdlib.h>
#include <string.h>

#include "core/table.h"
#include "fatbin/images.h"
#include "image/scan.h"

struct collector {
    struct probe_images *images;
    const struct table *manifest;
    const char *family;
    size_t container;
    const uint8_t *data;
};

static enum arch_image_kind arch_kind(enum image_kind kind)
{
    switch (kind) {
    case IMAGE_CUBIN:
        return ARCH_CUBIN;
    case IMAGE_PTX:
        return ARCH_PTX;
    case IMAGE_LTO:
        return ARCH_LTO;
    case IMAGE_UNKNOWN:
    case IMAGE_CUBIN_TEXT:
        break;
    }
    return ARCH_OTHER;
}

struct arch_image probe_image_facts(const struct image *image)
{
    return (struct arch_image){ .kind = arch_kind(image->kind),
                                .arch = image->arch,
                                .suffix = image->suffix,
                                .ptx_major = image->ptx_major,
                                .ptx_minor = image->ptx_minor,
                                .toolkit_major = image->toolkit_major,
                                .toolkit_minor = image->toolkit_minor,
                                .zstd = image->compression == IMAGE_ZSTD };
}

static unsigned find_id(const struct table *manifest, const char *family, const struct image *image)
{
    char arch[32];
    image_arch_name(image, arch, sizeof arch);
    for (size_t i = 0; i < manifest->row_count; i++)
        if (strcmp(table_field(manifest, i, "family"), family) == 0 &&
            strcmp(table_field(manifest, i, "arch"), arch) == 0)
            return (unsigned)atoi(table_field(manifest, i, "image_id"));
    return 0;
}

static int add(void *self, const struct scan_container *container, const struct image *image,
               struct err *err)
{
    (void)container;
    struct collector *c = self;
    struct probe_image *list =
        realloc(c->images->list, (c->images->count + 1) * sizeof *c->images->list);
    if (!list)
        return err_set(err, ERR_MEMORY, "out of memory");
    c->images->list = list;
    list[c->images->count++] = (struct probe_image){
        .id = find_id(c->manifest, c->family, image),
        .container = c->container,
        .info = *image,
        .facts = probe_image_facts(image),
        .data = c->data + image->payload_offset,
    };
    return 0;
}

static int scan_container(struct collector *c, const struct embedded_image *embedded,
                          struct err *err)
{
    struct input *in = input_from_memory(embedded->data, embedded->size, err);
    if (!in)
        return -1;
    c->data = embedded->data;
    struct scan_sink sink = { .self = c, .image = add };
    struct scan_options options = { 0 };
    enum scan_file_kind kind;
    int failed = scan_input(in, &options, &sink, &kind, err);
    input_close(in);
    return failed;
}

int probe_images_find(struct probe_images *images, const char *family, struct err *err)
{
    *images = (struct probe_images){ 0 };
    struct table manifest;
    if (table_parse(&manifest, embedded_manifest, embedded_manifest_size, err))
        return -1;
    struct collector c = { .images = images, .manifest = &manifest, .family = family };
    int failed = 0;
    for (size_t i = 0; i < embedded_image_count && !failed; i++) {
        c.container = i;
        if (strcmp(embedded_images[i].family, family) == 0)
            failed = scan_container(&c, &embedded_images[i], err);
    }
    table_free(&manifest);
    if (!failed && !images->count)
        failed = err_set(err, ERR_MISSING, "this build holds no kernel images");
    if (failed)
        probe_images_free(images);
    return failed;
}

void probe_images_free(struct probe_images *images)
{
    free(images->list);
    *images = (struct probe_images){ 0 };
}
