#include "image/image.h"

#include <stdio.h>

static const char *const kind_names[] = {
    [IMAGE_UNKNOWN] = "unknown",       [IMAGE_PTX] = "ptx",
    [IMAGE_CUBIN] = "cubin",           [IMAGE_LTO] = "lto",
    [IMAGE_CUBIN_TEXT] = "cubin-text",
};

static const char *const arch_prefixes[] = {
    [IMAGE_UNKNOWN] = "arch_", [IMAGE_PTX] = "compute_",   [IMAGE_CUBIN] = "sm_",
    [IMAGE_LTO] = "lto_",      [IMAGE_CUBIN_TEXT] = "sm_",
};

static const char *const compression_names[] = {
    [IMAGE_PLAIN] = "none",
    [IMAGE_LZ4] = "lz4",
    [IMAGE_ZSTD] = "zstd",
    [IMAGE_COMPRESSED_UNKNOWN] = "unknown",
};

const char *image_kind_name(enum image_kind kind)
{
    return kind_names[kind];
}

const char *image_compression_name(enum image_compression compression)
{
    return compression_names[compression];
}

void image_arch_name(const struct image *image, char *name, unsigned size)
{
    const char suffix[2] = { image->suffix, 0 };
    snprintf(name, size, "%s%u%s", arch_prefixes[image->kind], image->arch, suffix);
}
