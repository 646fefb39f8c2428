/* What the build put into this program, read with the program's own scanner: is every image whole,
 * in place for the driver, and what the manifest says? */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/table.h"
#include "fatbin/images.h"
#include "image/scan.h"

struct walk {
    const struct embedded_image *container;
    const struct table *manifest;
    size_t images;
};

static void parse_manifest(struct table *manifest)
{
    struct err err = { 0 };
    cr_assert_eq(table_parse(manifest, embedded_manifest, embedded_manifest_size, &err), 0, "%s",
                 err.msg);
}

/* The one row of the manifest for an image, or -1. */
static long row_of(const struct walk *w, const char *arch)
{
    long found = -1;
    for (size_t i = 0; i < w->manifest->row_count; i++) {
        if (strcmp(table_field(w->manifest, i, "family"), w->container->family) != 0 ||
            strcmp(table_field(w->manifest, i, "container"), w->container->container) != 0 ||
            strcmp(table_field(w->manifest, i, "arch"), arch) != 0)
            continue;
        cr_assert_eq(found, -1, "two rows for %s %s", w->container->family, arch);
        found = (long)i;
    }
    return found;
}

static uint64_t manifest_bytes(const struct walk *w, long row)
{
    return strtoull(table_field(w->manifest, (size_t)row, "bytes"), NULL, 10);
}

static void check_cubin(const struct walk *w, const struct image *image, const uint8_t *payload,
                        long row)
{
    cr_assert_eq(memcmp(payload, "\177ELF", 4), 0, "cubin for %u is no ELF file", image->arch);
    cr_assert_eq(image->payload_size, manifest_bytes(w, row), "cubin for %u: %" PRIu64 " bytes",
                 image->arch, image->payload_size);
    cr_assert_not(image->relocatable);
}

/* The driver is given PTX as a string, so it must end inside the payload. */
static void check_ptx(const struct walk *w, const struct image *image, const uint8_t *payload,
                      long row)
{
    const char *text = (const char *)payload;
    char target[32], isa[32];
    cr_assert_not_null(memchr(payload, 0, image->payload_size), "PTX has no end");
    cr_assert_eq(strlen(text), manifest_bytes(w, row), "PTX of %zu bytes", strlen(text));
    snprintf(target, sizeof target, ".target sm_%u", image->arch);
    cr_assert_not_null(strstr(text, target), "PTX has no %s", target);
    snprintf(isa, sizeof isa, "%u.%u", image->ptx_major, image->ptx_minor);
    cr_assert_str_eq(isa, table_field(w->manifest, (size_t)row, "isa"));
}

static int check_image(void *self, const struct scan_container *c, const struct image *image,
                       struct err *err)
{
    (void)c, (void)err;
    struct walk *w = self;
    char arch[32];
    image_arch_name(image, arch, sizeof arch);
    long row = row_of(w, arch);
    const uint8_t *payload = (const uint8_t *)w->container->data + image->payload_offset;

    w->images++;
    cr_assert_neq(row, -1, "the manifest has no %s in %s", arch, w->container->container);
    cr_assert_eq(image->compression, IMAGE_PLAIN, "%s is compressed", arch);
    cr_assert_eq((uintptr_t)payload % 8, 0, "%s is not aligned", arch);
    cr_assert_eq(image->unknown_flags, 0, "%s has unknown flags", arch);
    if (image->kind == IMAGE_CUBIN)
        check_cubin(w, image, payload, row);
    else if (image->kind == IMAGE_PTX)
        check_ptx(w, image, payload, row);
    else
        cr_assert_fail("an image of kind %s", image_kind_name(image->kind));
    return 0;
}

static void no_problem(void *self, const struct err *problem)
{
    (void)self;
    cr_assert_fail("%s", problem->msg);
}

Test(embedded, every_image_is_in_place_and_in_the_manifest)
{
    struct table manifest;
    parse_manifest(&manifest);
    size_t images = 0, rows = 0;
    for (size_t i = 0; i < embedded_image_count; i++) {
        const struct embedded_image *e = &embedded_images[i];
        struct walk w = { .container = e, .manifest = &manifest };
        struct err err = { 0 };
        struct input *in = input_from_memory(e->data, e->size, &err);
        struct scan_options options = { 0 };
        struct scan_sink sink = { .self = &w, .image = check_image, .problem = no_problem };
        enum scan_file_kind kind;
        cr_assert_eq((uintptr_t)e->data % 16, 0, "%s %s is not aligned", e->family, e->container);
        cr_assert_eq(((const uint8_t *)e->data)[e->size], 0, "no zero byte behind %s", e->family);
        cr_assert_eq(scan_input(in, &options, &sink, &kind, &err), 0, "%s", err.msg);
        cr_assert_eq(kind, SCAN_FATBIN);
        input_close(in);
        images += w.images;
    }
    for (size_t i = 0; i < manifest.row_count; i++)
        rows += strcmp(table_field(&manifest, i, "container"), "-") != 0;
    cr_assert_eq(images, rows, "%zu images are embedded, the manifest lists %zu", images, rows);
    table_free(&manifest);
}

Test(embedded, no_two_images_have_one_number)
{
    struct table manifest;
    parse_manifest(&manifest);
    for (size_t i = 0; i < manifest.row_count; i++)
        for (size_t j = 0; j < i; j++)
            cr_assert_str_neq(table_field(&manifest, i, "image_id"),
                              table_field(&manifest, j, "image_id"), "rows %zu and %zu", i, j);
    table_free(&manifest);
}

Test(embedded, a_build_without_images_says_why)
{
    if (embedded_image_count)
        cr_skip_test("this build has images");
    cr_assert_neq(embedded_left_out[0], '\0');
}

Test(embedded, the_legacy_container_comes_with_ptx_that_old_drivers_take)
{
    if (!embedded_image_count)
        cr_skip_test("built without images");
    struct table manifest;
    parse_manifest(&manifest);
    size_t found = 0;
    for (size_t i = 0; i < manifest.row_count; i++)
        if (strcmp(table_field(&manifest, i, "kind"), "ptx") == 0 &&
            strcmp(table_field(&manifest, i, "container"), "legacy") == 0) {
            /* Driver 425.31, the last for a Kepler notebook under Windows, takes ISA 6.4. */
            double isa = strtod(table_field(&manifest, i, "isa"), NULL);
            if (strcmp(table_field(&manifest, i, "family"), "probe") == 0)
                cr_assert_leq(isa, 6.4, "the PTX of probe has ISA %.1f", isa);
            found++;
        }
    cr_assert_geq(found, 1u, "no PTX in any legacy container");
    table_free(&manifest);
}
