#include "image/check.h"

#include "image/cubin.h"
#include "image/ptx.h"

static int differs(const struct image *image, const struct image *own, struct err *err)
{
    char stated[24], found[24];
    image_arch_name(image, stated, sizeof stated);
    image_arch_name(own, found, sizeof found);
    return err_format(err, image->offset, "header states %s, but the image is for %s", stated,
                      found);
}

static int check_cubin(const struct image *image, const uint8_t *data, size_t size, struct err *err)
{
    struct cubin cubin;
    if (cubin_parse_header(data, size, &cubin, NULL) < 0)
        return err_format(err, image->offset, "header states a cubin, but the image is none");
    cubin_read_notes(data, size, &cubin);
    struct image own = { .kind = IMAGE_CUBIN, .arch = cubin.arch, .suffix = cubin.suffix };
    if (own.arch != image->arch || own.suffix != image->suffix)
        return differs(image, &own, err);
    if (cubin.abi != image->abi)
        return err_format(err, image->offset, "header states ABI %u, but the cubin has %u",
                          image->abi, cubin.abi);
    return 0;
}

static int check_ptx(const struct image *image, const uint8_t *data, size_t size, struct err *err)
{
    struct ptx ptx;
    if (!ptx_parse_header(data, size, &ptx))
        return err_format(err, image->offset, "header states PTX, but the image is none");
    struct image own = { .kind = IMAGE_PTX, .arch = ptx.arch, .suffix = ptx.suffix };
    if (own.arch != image->arch || own.suffix != image->suffix)
        return differs(image, &own, err);
    if (ptx.version_major != image->ptx_major || ptx.version_minor != image->ptx_minor)
        return err_format(err, image->offset, "header states PTX ISA %u.%u, but the text has %u.%u",
                          image->ptx_major, image->ptx_minor, ptx.version_major, ptx.version_minor);
    return 0;
}

int check_payload(const struct image *image, const uint8_t *data, size_t size, struct err *err)
{
    switch (image->kind) {
    case IMAGE_CUBIN:
        return check_cubin(image, data, size, err);
    case IMAGE_PTX:
        return check_ptx(image, data, size, err);
    case IMAGE_LTO:
    case IMAGE_CUBIN_TEXT:
    case IMAGE_UNKNOWN:
        break;
    }
    return 0;
}
