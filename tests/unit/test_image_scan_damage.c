/* Damaged and hostile input: what is whole is kept, what is not is named with its offset, and no
 * byte outside is read. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "build_fatbin.h"
#include "image/unpack.h"
#include "scan_seen.h"

static struct seen seen;

static const char ptx[] = ".version 7.8\n.target sm_35\n.address_size 64\n.entry k(){ret;}\n";

#define ENTRIES 4

/* sm_35 plain, sm_90 by LZ4, compute_35 by zstd, and an unknown kind of CUDA 4's version. */
static size_t add_container(struct build *b, size_t ends[ENTRIES])
{
    struct build cubin = { 0 };
    build_cubin(&cubin, &(struct build_cubin){
                            .abi = 7, .e_version = 118, .e_flags = 0x00230523, .code_size = 100 });
    struct build_entry entries[ENTRIES] = {
        { .kind = 2,
          .minor = 7,
          .arch = 35,
          .flags = 0x11,
          .payload = cubin.data,
          .payload_size = cubin.size },
        { .kind = 2,
          .minor = 8,
          .arch = 90,
          .flags = 0x11,
          .packing = BUILD_LZ4,
          .payload = cubin.data,
          .payload_size = cubin.size },
        { .kind = 1,
          .minor = 8,
          .major = 7,
          .arch = 35,
          .flags = 0x11,
          .packing = BUILD_ZSTD,
          .options = "-O3",
          .identifier = "k.cu",
          .payload = ptx,
          .payload_size = sizeof ptx },
        { .kind = 0x20, .old = true, .arch = 20, .payload = "odd", .payload_size = 3 },
    };
    size_t at = build_fatbin(b, NULL, 0);
    for (size_t i = 0; i < ENTRIES; i++) {
        build_entry(b, &entries[i]);
        if (ends)
            ends[i] = b->size;
    }
    build_patch(b, at + 8, b->size - at - 16, 8);
    build_free(&cubin);
    return at;
}

#define LIST "sm_35 sm_90 compute_35 arch_20 "

/* A copy with nothing behind it, so that a sanitizer sees a read too far. */
static uint8_t *exact(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    cr_assert(copy);
    if (size)
        memcpy(copy, data, size);
    return copy;
}

/* Cut at every length: the images that end before the cut are kept, and the damage is named. */
static void check_cut(const struct build *b, size_t at, const size_t ends[ENTRIES], size_t size,
                      bool forwards, bool payloads)
{
    uint8_t *data = exact(b->data, size);
    size_t whole = 0;
    while (whole < ENTRIES && ends[whole] <= size)
        whole++;
    if (forwards)
        seen_scan_drip(&seen, data, size, 100, payloads);
    else
        seen_scan_memory(&seen, data, size, payloads);
    free(data);
    size_t in_containers = 0;
    for (size_t i = 0; i < seen.image_count; i++)
        in_containers += seen.containers[seen.container_of[i]].kind == IMAGE_IN_FATBIN;
    cr_assert_geq(in_containers, whole, "cut at %zu", size);
    cr_assert_leq(in_containers, whole + payloads, "cut at %zu", size); /* cut in the padding */
    bool named = size >= at + 8 && size < b->size;
    cr_assert_eq(seen.problem_count > 0, named, "cut at %zu", size);
    for (size_t i = 0; i < seen.problem_count; i++) {
        cr_assert_eq(seen.problems[i].code, ERR_FORMAT);
        cr_assert_leq(seen.problems[i].offset, size);
        cr_assert_geq(seen.problems[i].offset, at);
    }
}

Test(damage, a_container_cut_anywhere_keeps_what_is_whole)
{
    for (int forwards = 0; forwards < 2; forwards++) {
        for (int payloads = 0; payloads < 2; payloads++) {
            struct build b = { 0 };
            size_t ends[ENTRIES];
            build_text(&b, "before");
            size_t at = add_container(&b, ends);
            for (size_t size = 0; size <= b.size; size++)
                check_cut(&b, at, ends, size, forwards, payloads);
            build_free(&b);
        }
    }
}

/* Every byte of the first container changed: the second one behind it is always found whole. */
Test(damage, a_changed_byte_does_not_hide_the_next_container)
{
    static const uint8_t masks[] = { 0x01, 0x02, 0x80, 0xff };
    struct build b = { 0 };
    build_text(&b, "before");
    add_container(&b, NULL);
    build_zero(&b, 8);
    size_t second = add_container(&b, NULL);
    for (size_t at = 0; at < second; at++) {
        for (size_t m = 0; m < sizeof masks; m++) {
            uint8_t *data = exact(b.data, b.size);
            data[at] ^= masks[m];
            seen_scan_memory(&seen, data, b.size, m & 1);
            const struct scan_container *last = &seen.containers[seen.container_count - 1];
            cr_assert_geq(seen.container_count, 1);
            cr_assert_eq(last->offset, second, "byte %zu changed by 0x%02x", at, masks[m]);
            cr_assert_str_eq(seen_list(&seen, last->index), LIST);
            free(data);
        }
    }
    build_free(&b);
}

Test(damage, bare_images_cut_or_changed_stay_inside)
{
    struct build b = { 0 };
    build_cubin(&b, &(struct build_cubin){ .abi = 8,
                                           .e_flags = 0x06006402,
                                           .toolkit = 130,
                                           .arguments = "-arch sm_100f",
                                           .compat_a = true });
    build_zero(&b, 1);
    size_t cubin_end = b.size - 1;
    build_bytes(&b, ptx, sizeof ptx - 1);
    for (size_t i = 0; i < b.size; i++) {
        uint8_t *data = exact(b.data, i);
        seen_scan_memory(&seen, data, i, true);
        cr_assert_eq(seen.image_count > 0, i >= cubin_end, "cut at %zu", i);
        cr_assert_eq(seen.problem_count, i >= 64 && i < cubin_end ? 1 : 0, "cut at %zu", i);
        free(data);
        data = exact(b.data, b.size);
        data[i] ^= 0xff;
        seen_scan_memory(&seen, data, b.size, true);
        if (i < cubin_end)
            cr_assert_eq(seen.images[seen.image_count - 1].kind, IMAGE_PTX, "byte %zu", i);
        free(data);
    }
    build_free(&b);
}

Test(damage, hostile_sizes_are_refused_and_the_image_is_still_listed)
{
    static const uint64_t sizes[] = { UNPACK_MAX + 1, UINT64_MAX };
    for (size_t i = 0; i < 2; i++) {
        for (enum build_packing packing = BUILD_LZ4; packing <= BUILD_ZSTD; packing++) {
            struct build b = { 0 };
            struct build_entry entries[] = {
                { .kind = 1,
                  .arch = 35,
                  .packing = packing,
                  .payload = ptx,
                  .payload_size = sizeof ptx,
                  .stated_size = sizes[i] },
                { .kind = 1,
                  .arch = 50,
                  .packing = packing,
                  .payload = ptx,
                  .payload_size = sizeof ptx },
            };
            build_fatbin(&b, entries, 2);
            seen_scan_memory(&seen, b.data, b.size, true);
            cr_assert_str_eq(seen_list(&seen, 0), "compute_35 compute_50 ");
            cr_assert_eq(seen.images[0].unpacked_size, sizes[i]);
            cr_assert_eq(seen.payload_count, 1);
            cr_assert_eq(seen.payload_bytes, sizeof ptx);
            cr_assert_eq(seen.problem_count, 1);
            cr_assert_eq(seen.problems[0].code, ERR_LIMIT);
            cr_assert_eq(seen.problems[0].offset, 16);
            build_free(&b);
        }
    }
}

Test(damage, a_payload_that_does_not_unpack_is_named_and_the_next_one_given)
{
    for (enum build_packing packing = BUILD_LZ4; packing <= BUILD_ZSTD; packing++) {
        struct build b = { 0 };
        struct build_entry entries[] = {
            { .kind = 1,
              .arch = 35,
              .packing = packing,
              .payload = ptx,
              .payload_size = sizeof ptx,
              .stated_size = sizeof ptx + 1 },
            { .kind = 1,
              .arch = 50,
              .packing = packing,
              .payload = ptx,
              .payload_size = sizeof ptx },
        };
        build_fatbin(&b, entries, 2);
        seen_scan_memory(&seen, b.data, b.size, true);
        cr_assert_eq(seen.image_count, 2);
        cr_assert_eq(seen.payload_count, 1);
        cr_assert_eq(seen.problem_count, 1);
        cr_assert_eq(seen.problems[0].offset, seen.images[0].payload_offset);
        build_free(&b);
    }
}

Test(damage, sizes_that_wrap_around_hide_nothing)
{
    static const uint64_t sizes[] = { UINT64_MAX, UINT64_MAX - 15, UINT64_MAX - 16 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct build b = { 0 };
        build_fatbin(&b, &(struct build_entry){ .kind = 2, .arch = 35 }, 1);
        build_patch(&b, 8, sizes[i], 8);
        build_patch(&b, 16 + 8, sizes[i] - 64, 8);
        size_t second = add_container(&b, NULL);
        seen_scan_memory(&seen, b.data, b.size, false);
        cr_assert_eq(seen.container_count, 1);
        cr_assert_eq(seen.containers[0].offset, second);
        cr_assert_eq(seen.problem_count, 1);
        build_free(&b);
    }
}

Test(damage, a_fat_binary_of_cuda_3_is_named)
{
    struct build b = { 0 };
    build_zero(&b, 100);
    build_int(&b, 0x1ee55a01, 8);
    build_int(&b, 4, 8);
    build_zero(&b, 40);
    build_int(&b, 0x1ee55a01, 4); /* the number in other data says nothing */
    build_text(&b, "unrelated");
    seen_scan_memory(&seen, b.data, b.size, false);
    cr_assert_eq(seen.problem_count, 1);
    cr_assert_eq(seen.problems[0].offset, 100);
    cr_assert(strstr(seen.problems[0].msg, "CUDA 3"), "%s", seen.problems[0].msg);
    cr_assert_eq(seen.container_count, 0);
    build_free(&b);
}

Test(damage, a_header_without_a_valid_entry_is_named_but_no_container)
{
    struct build b = { 0 };
    build_zero(&b, 10);
    build_fatbin(&b, NULL, 0);
    build_patch(&b, 10 + 8, 64, 8);
    build_zero(&b, 64);
    seen_scan_memory(&seen, b.data, b.size, false);
    cr_assert_eq(seen.container_count, 0);
    cr_assert_eq(seen.problem_count, 1);
    cr_assert_eq(seen.problems[0].offset, 26);
    build_free(&b);
}

Test(damage, the_magic_in_code_that_tests_for_it_is_passed_over)
{
    struct build b = { 0 };
    build_zero(&b, 10);
    build_int(&b, 0x00100001ba55ed50, 8); /* the operand of a comparison, */
    build_int(&b, 0x0375c839485024b8, 8); /* then instructions */
    build_int(&b, 0x8d4866c3c0310001, 8);
    build_zero(&b, 60);
    size_t real = add_container(&b, NULL);
    seen_scan_memory(&seen, b.data, b.size, false);
    cr_assert_eq(seen.problem_count, 0, "%s", seen.problems[0].msg);
    cr_assert_eq(seen.container_count, 1);
    cr_assert_eq(seen.containers[0].offset, real);
    build_free(&b);
}

Test(damage, a_raw_fat_binary_of_an_unknown_version_is_named)
{
    struct build b = { 0 };
    add_container(&b, NULL);
    build_patch(&b, 4, 2, 2);
    seen_scan_memory(&seen, b.data, b.size, false);
    cr_assert_eq(seen.kind, SCAN_FATBIN);
    cr_assert_geq(seen.problem_count, 1);
    cr_assert_eq(seen.problems[0].offset, 4);
    build_free(&b);
}

/* ---- errors that do end the scan ----------------------------------------------------------- */

enum stop { STOP_CONTAINER, STOP_IMAGE, STOP_PAYLOAD, STOP_END, STOPS };

static int stop(void *self, struct err *err)
{
    ++*(int *)self;
    return err_set(err, ERR_USAGE, "stopped");
}

static int stop_container(void *self, const struct scan_container *c, struct err *err)
{
    (void)c;
    return stop(self, err);
}

static int stop_image(void *self, const struct scan_container *c, const struct image *image,
                      struct err *err)
{
    (void)c;
    (void)image;
    return stop(self, err);
}

static int stop_payload(void *self, const struct image *image, const uint8_t *data, size_t size,
                        struct err *err)
{
    (void)image;
    (void)data;
    (void)size;
    return stop(self, err);
}

Test(damage, a_callback_that_fails_ends_the_scan_with_its_error)
{
    struct build b = { 0 };
    add_container(&b, NULL);
    add_container(&b, NULL);
    for (enum stop what = 0; what < STOPS; what++) {
        int calls = 0;
        struct err err = { 0 };
        struct scan_options options = { .payloads = true };
        struct scan_sink sink = { .self = &calls };
        if (what == STOP_CONTAINER)
            sink.container = stop_container;
        else if (what == STOP_IMAGE)
            sink.image = stop_image;
        else if (what == STOP_PAYLOAD)
            sink.payload = stop_payload;
        else
            sink.container_end = stop_container;
        struct input *in = input_from_memory(b.data, b.size, &err);
        cr_assert_eq(scan_input(in, &options, &sink, NULL, &err), -1);
        cr_assert_eq(err.code, ERR_USAGE);
        cr_assert_eq(calls, 1);
        input_close(in);
    }
    build_free(&b);
}

struct broken {
    const uint8_t *data;
    size_t pos, fails_at;
};

static long long broken_read(void *self, void *to, size_t size, struct err *err)
{
    struct broken *b = self;
    size_t n = b->fails_at - b->pos < size ? b->fails_at - b->pos : size;
    if (n == 0)
        return err_set(err, ERR_IO, "medium error");
    memcpy(to, b->data + b->pos, n);
    b->pos += n;
    return (long long)n;
}

Test(damage, a_read_error_anywhere_ends_the_scan_with_it)
{
    static const struct input_ops ops = { .read = broken_read };
    struct build b = { 0 };
    build_text(&b, "before");
    add_container(&b, NULL);
    for (size_t at = 0; at < b.size; at += 7) {
        struct broken broken = { b.data, 0, at };
        struct err err = { 0 };
        struct scan_sink sink = seen_sink(&seen);
        memset(&seen, 0, sizeof seen);
        struct input *in = input_new(&ops, &broken, INPUT_SIZE_UNKNOWN, &err);
        cr_assert_eq(scan_input(in, NULL, &sink, NULL, &err), -1, "at %zu", at);
        cr_assert_eq(err.code, ERR_IO);
        input_close(in);
    }
    build_free(&b);
}
