/* The deliberately wrong images are wrong in the one thing that was asked for and right in all
 * else: read back by the image layer's own reader. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "image/cubin.h"
#include "image/fatbin.h"
#include "image/ptx.h"
#include "image/scan.h"
#include "image/unpack.h"
#include "probe/provoke_wrap.h"

#define FOUND_MAX 64

struct found {
    struct image images[FOUND_MAX];
    size_t count, containers;
};

static int add_image(void *self, const struct scan_container *c, const struct image *image,
                     struct err *err)
{
    (void)c, (void)err;
    struct found *f = self;
    if (f->count < FOUND_MAX)
        f->images[f->count++] = *image;
    return 0;
}

static int add_container(void *self, const struct scan_container *c, struct err *err)
{
    (void)c, (void)err;
    ((struct found *)self)->containers++;
    return 0;
}

static void problem(void *self, const struct err *err)
{
    (void)self;
    cr_assert_fail("the reader complains: %s", err->msg);
}

static void scan(const void *data, size_t size, struct found *f)
{
    struct err err;
    err_clear(&err);
    *f = (struct found){ 0 };
    struct input *in = input_from_memory(data, size, &err);
    cr_assert_not_null(in, "%s", err.msg);
    struct scan_sink sink = {
        .self = f, .image = add_image, .container = add_container, .problem = problem
    };
    struct scan_options options = { 0 };
    enum scan_file_kind kind;
    cr_assert_eq(scan_input(in, &options, &sink, &kind, &err), 0, "%s", err.msg);
    cr_assert_eq(kind, SCAN_FATBIN);
    cr_assert_eq(f->containers, 1);
    input_close(in);
}

static bool images_of_build(struct probe_images *images)
{
    struct err err;
    err_clear(&err);
    return probe_images_find(images, "probe", &err) == 0;
}

static const struct probe_image *first_of(const struct probe_images *images, enum image_kind kind)
{
    for (size_t i = 0; i < images->count; i++)
        if (images->list[i].info.kind == kind)
            return &images->list[i];
    cr_assert_fail("the build has no such image");
    return NULL;
}

static void *wrap(const struct wrap_entry *entries, size_t count, struct found *f)
{
    struct err err;
    err_clear(&err);
    size_t size;
    void *data = wrap_container(entries, count, &size, &err);
    cr_assert_not_null(data, "%s", err.msg);
    scan(data, size, f);
    cr_assert_eq(f->count, count);
    return data;
}

Test(wrap, every_embedded_image_survives_its_way_into_another_container)
{
    struct probe_images images;
    struct wrap_entry entries[FOUND_MAX] = { 0 };
    struct found f;
    if (!images_of_build(&images))
        cr_skip("built without images");
    for (size_t i = 0; i < images.count && i < FOUND_MAX; i++)
        entries[i].like = &images.list[i];
    unsigned char *data = wrap(entries, images.count, &f);
    for (size_t i = 0; i < f.count; i++) {
        const struct image *was = &images.list[i].info, *is = &f.images[i];
        cr_assert_eq(is->kind, was->kind);
        cr_assert_eq(is->arch, was->arch);
        cr_assert_eq(is->flags, was->flags);
        cr_assert_eq(is->ptx_major * 100 + is->ptx_minor, was->ptx_major * 100 + was->ptx_minor);
        cr_assert_eq(is->payload_size, was->payload_size);
        cr_assert_eq(
            memcmp(data + is->payload_offset, images.list[i].data, (size_t)was->payload_size), 0,
            "image %zu", i);
    }
    free(data);
    probe_images_free(&images);
}

Test(wrap, an_image_packed_with_zstd_unpacks_to_what_it_was)
{
    struct probe_images images;
    struct found f;
    struct err err;
    err_clear(&err);
    if (!images_of_build(&images))
        cr_skip("built without images");
    const struct probe_image *cubin = first_of(&images, IMAGE_CUBIN);
    unsigned char *data = wrap(&(struct wrap_entry){ .like = cubin, .zstd = true }, 1, &f);
    cr_assert_eq(f.images[0].compression, IMAGE_ZSTD);
    cr_assert_lt(f.images[0].payload_size, cubin->info.payload_size);
    struct unpack *u = unpack_new(0, &err);
    const uint8_t *plain;
    size_t size;
    cr_assert_eq(unpack_image(u, &f.images[0], data + f.images[0].payload_offset,
                              (size_t)f.images[0].payload_size, &plain, &size, &err),
                 0, "%s", err.msg);
    cr_assert_eq(size, cubin->info.payload_size);
    cr_assert_eq(memcmp(plain, cubin->data, size), 0);
    unpack_free(u);
    free(data);
    probe_images_free(&images);
}

Test(wrap, ptx_claims_another_version_and_target_and_nothing_else_changes)
{
    struct probe_images images;
    struct found f;
    struct ptx ptx;
    if (!images_of_build(&images))
        cr_skip("built without images");
    const struct probe_image *image = first_of(&images, IMAGE_PTX);
    char *text = wrap_ptx_header(image->data, 8, 0, "sm_90a");
    cr_assert_not_null(text);
    cr_assert(ptx_parse_header((const uint8_t *)text, strlen(text), &ptx));
    cr_assert_eq(ptx.version_major * 100 + ptx.version_minor, 800);
    cr_assert_eq(ptx.arch, 90);
    cr_assert_eq(ptx.suffix, 'a');
    cr_assert_str_eq(strstr(text, ".address_size"), strstr(image->data, ".address_size"));
    struct wrap_entry entry = { .like = image,
                                .payload = text,
                                .size = strlen(text),
                                .arch = 90,
                                .suffix = 'a',
                                .ptx_major = 8,
                                .ptx_minor = 0 };
    void *data = wrap(&entry, 1, &f);
    cr_assert_eq(f.images[0].arch, 90);
    cr_assert_eq(f.images[0].suffix, 'a');
    cr_assert_eq(f.images[0].ptx_major, 8);
    cr_assert_eq(f.images[0].ptx_minor, 0);
    free(data);
    free(text);
    probe_images_free(&images);
}

Test(wrap, a_body_is_replaced_and_its_kernel_stays)
{
    static const char text[] =
        ".version 3.1\n.target sm_35\n.visible .entry k(\n.param .u64 p\n)\n{\n"
        "ld.param.u64 %r, [p];\n{\nret;\n}\n}\n";
    char *empty = wrap_ptx_body(text, "\nret;\n");
    cr_assert_str_eq(empty, ".version 3.1\n.target sm_35\n.visible .entry k(\n.param .u64 p\n)\n{\n"
                            "ret;\n}\n");
    free(empty);
    char *broken = wrap_ptx_replace(text, "ld.param", "ld.parm");
    cr_assert(strstr(broken, "ld.parm.u64"));
    cr_assert_eq(strlen(broken), strlen(text) - 1);
    free(broken);
    cr_assert_null(wrap_ptx_replace(text, "st.global", "x"));
    cr_assert_null(wrap_ptx_body(".version 3.1\n", "ret;"));
    cr_assert_null(wrap_ptx_header("no version", 8, 0, "sm_90"));
}

Test(wrap, a_cubin_claims_another_toolkit)
{
    struct probe_images images;
    struct cubin cubin;
    struct err err;
    err_clear(&err);
    if (!images_of_build(&images))
        cr_skip("built without images");
    const struct probe_image *image = first_of(&images, IMAGE_CUBIN);
    void *copy = wrap_cubin_toolkit(image, 13, 0);
    cr_assert_not_null(copy);
    cr_assert_eq(cubin_parse_header(copy, (size_t)image->info.payload_size, &cubin, &err), 0, "%s",
                 err.msg);
    cr_assert_eq(cubin.toolkit_major, 13);
    cr_assert_eq(cubin.toolkit_minor, 0);
    cr_assert_eq(cubin.arch, image->info.arch);
    free(copy);
    cr_assert_null(wrap_cubin_toolkit(first_of(&images, IMAGE_PTX), 13, 0));
    probe_images_free(&images);
}
