/* Input that is made to cost: parts that share bytes, so that a reader which follows each of them
 * reads the same bytes again and again. What a scan does must grow with the input. Before these
 * bounds each of the cases took minutes, hence the limit of time. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "build_fatbin.h"
#include "image/cubin.h"
#include "image/section.h"
#include "image/unpack.h"
#include "scan_seen.h"

#define SECONDS 30 /* with sanitizers, on a busy machine */

static struct seen seen;

static void repeat(struct build *b, const char *text, size_t times)
{
    for (size_t i = 0; i < times; i++)
        build_text(b, text);
}

/* ---- PTX ----------------------------------------------------------------------------------- */

#define MODULE ".version 3.1\n.target sm_35\n"

Test(cost, modules_in_one_text_are_told_apart_without_reading_to_its_end_for_each,
     .timeout = SECONDS)
{
    enum { MODULES = 300000 };
    struct build b = { 0 };
    repeat(&b, MODULE, MODULES);
    seen_scan_memory(&seen, b.data, b.size, false);
    cr_assert_eq(seen.container_count, MODULES);
    cr_assert_eq(seen.containers[1].offset, sizeof MODULE - 1);
    cr_assert_eq(seen.containers[1].size, sizeof MODULE - 1);
    build_free(&b);
}

Test(cost, comments_without_an_end_are_not_searched_for_one_each_time, .timeout = SECONDS)
{
    struct build b = { 0 };
    repeat(&b, "\n.version 3.1 /*", 200000);
    seen_scan_memory(&seen, b.data, b.size, false);
    cr_assert_eq(seen.container_count, 0);
    build_free(&b);
    build_text(&b, MODULE);
    repeat(&b, "\n.version 3.1 /*", 200000);
    seen_scan_memory(&seen, b.data, b.size, false);
    cr_assert_eq(seen.container_count, 1);
    cr_assert_eq(seen.containers[0].size, b.size);
    build_free(&b);
}

/* The steps in which the end is searched must not hide it. */
Test(cost, a_module_of_any_length_ends_where_the_next_begins)
{
    for (size_t length = 0; length < 3000; length += 7) {
        struct build b = { 0 };
        build_text(&b, MODULE);
        repeat(&b, "x", length);
        build_text(&b, "\n");
        size_t end = b.size;
        build_text(&b, MODULE);
        seen_scan_memory(&seen, b.data, b.size, false);
        cr_assert_eq(seen.container_count, 2, "length %zu", length);
        cr_assert_eq(seen.containers[1].offset, end);
        build_free(&b);
    }
}

/* ---- cubins -------------------------------------------------------------------------------- */

enum { SECTIONS = 65535, BODY = 1 << 20 };

/* A cubin for sm_35: `body`, then SECTIONS sections that all lie over it. The second holds the
 * names, `one` all others. */
static struct build cubin_of(const struct build *body, unsigned type, unsigned name)
{
    struct build b = { 0 };
    build_cubin(&b, &(struct build_cubin){ .abi = 7, .e_version = 118, .e_flags = 0x00230523 });
    b.size = 64;
    build_bytes(&b, body->data, body->size);
    build_patch(&b, 32, 0, 8);
    build_patch(&b, 40, b.size, 8);
    build_patch(&b, 54, 0, 4);
    build_patch(&b, 58, 64, 2);
    build_patch(&b, 60, SECTIONS, 2);
    build_patch(&b, 62, 1, 2);
    for (unsigned i = 0; i < SECTIONS; i++) {
        build_int(&b, i < 2 ? 0 : name, 4);
        build_int(&b, i == 0 ? 0 : i == 1 ? 3 : type, 4);
        build_zero(&b, 16);
        build_int(&b, i ? 64 : 0, 8);
        build_int(&b, i ? body->size : 0, 8);
        build_int(&b, 1, 4);
        build_zero(&b, 20);
    }
    return b;
}

static void assert_one_image(struct build *b)
{
    seen_scan_memory(&seen, b->data, b->size, false);
    cr_assert_str_eq(seen_list(&seen, SEEN_ALL), "sm_35 ");
    build_free(b);
}

Test(cost, sections_of_a_cubin_that_share_their_bytes_are_read_once, .timeout = SECONDS)
{
    struct build body = { 0 };
    build_zero(&body, BODY); /* as notes: one every 12 bytes */
    struct build b = cubin_of(&body, 7, 0);
    assert_one_image(&b);
    memset(body.data, 'a', BODY - 1); /* as a name: one of a megabyte */
    b = cubin_of(&body, 1, 0);
    assert_one_image(&b);
    build_free(&body);
}

struct counted {
    uint64_t calls, bytes;
};

static int count_name(void *self, const char *name, size_t length, struct err *err)
{
    struct counted *c = self;
    (void)err;
    (void)name;
    c->calls++;
    c->bytes += length;
    return 0;
}

/* A symbol table; names begin at `name` and `step` further for each. */
static void add_symbols(struct build *b, size_t count, unsigned name, unsigned step)
{
    for (size_t i = 0; i < count; i++) {
        build_int(b, name + i * step, 4);
        build_int(b, 0x1012, 2);
        build_int(b, 1, 2);
        build_zero(b, 16);
    }
}

Test(cost, symbol_tables_that_share_their_bytes_are_refused, .timeout = SECONDS)
{
    struct build body = { 0 };
    struct counted counted = { 0 };
    struct err err = { 0 };
    add_symbols(&body, BODY / 24, 0, 0);
    struct build b = cubin_of(&body, 2, 0);
    cr_assert_eq(cubin_kernels(b.data, b.size, count_name, &counted, &err), -1);
    cr_assert_eq(err.code, ERR_FORMAT);
    cr_assert_leq(counted.calls, b.size / 24);
    build_free(&b);
    build_free(&body);
}

Test(cost, kernel_names_that_share_their_bytes_are_refused, .timeout = SECONDS)
{
    enum { NAMES = 1 << 20, COUNT = 20000 };
    struct build body = { 0 }, b = { 0 };
    struct counted counted = { 0 };
    struct err err = { 0 };
    repeat(&body, "k", NAMES - 1);
    build_zero(&body, 1);
    add_symbols(&body, COUNT, 0, 1);
    b = cubin_of(&body, 1, 0);
    size_t table = b.size - (size_t)SECTIONS * 64;
    build_patch(&b, table + 64 + 32, NAMES, 8); /* the names */
    build_patch(&b, table + 128 + 4, 2, 4);     /* one symbol table */
    build_patch(&b, table + 128 + 24, 64 + NAMES, 8);
    build_patch(&b, table + 128 + 32, COUNT * 24, 8);
    cr_assert_eq(cubin_kernels(b.data, b.size, count_name, &counted, &err), -1);
    cr_assert_str_eq(err.msg, "kernel names of the cubin overlap");
    cr_assert_leq(counted.bytes, 4 * b.size);
    build_free(&b);
    build_free(&body);
}

/* ---- ELF headers --------------------------------------------------------------------------- */

/* A header for `machine` that states SECTIONS sections from byte 64 of itself on. */
static void add_header(struct build *b, unsigned machine)
{
    size_t at = b->size;
    build_cubin(b, &(struct build_cubin){ .abi = 7, .e_version = 118, .e_flags = 0x00230523 });
    b->size = at + 64;
    build_patch(b, at + 18, machine, 2);
    build_patch(b, at + 32, 0, 8);
    build_patch(b, at + 40, 64, 8);
    build_patch(b, at + 54, 0, 4);
    build_patch(b, at + 58, 64, 2);
    build_patch(b, at + 60, SECTIONS, 2);
    build_patch(b, at + 62, 1, 2);
}

Test(cost, headers_that_share_a_section_table_do_not_have_it_read_for_each, .timeout = SECONDS)
{
    enum { HEADERS = 100000 };
    struct build b = { 0 };
    for (int i = 0; i < HEADERS; i++) {
        add_header(&b, 62);
        build_int(&b, 0xba55ed50, 4);
        build_int(&b, 1, 2);
        build_int(&b, 16, 2);
        build_zero(&b, 8 + 48);
    }
    seen_scan_memory(&seen, b.data, b.size, false);
    cr_assert_eq(seen.container_count, HEADERS);
    build_free(&b);
}

/* The headers behind one are its sections, and state that they lie beyond any input. */
Test(cost, cubins_that_break_off_do_not_have_their_tables_read_without_end, .timeout = SECONDS)
{
    enum { HEADERS = 150000 };
    struct build b = { 0 };
    for (int i = 0; i < HEADERS; i++) {
        size_t at = b.size;
        add_header(&b, 190);
        build_patch(&b, at + 24, (uint64_t)1 << 40, 8);
    }
    seen_scan_memory(&seen, b.data, b.size, false);
    cr_assert_eq(seen.container_count, 0);
    cr_assert_eq(seen.problem_count, HEADERS);
    build_free(&b);
}

/* ---- holes --------------------------------------------------------------------------------- */

Test(cost, what_was_never_written_of_a_file_is_not_read, .timeout = SECONDS)
{
    enum { EVERY = 1 << 20 };
    const off_t size = (off_t)1 << 40;
    char path[] = "/tmp/smfit-hole-XXXXXX";
    int fd = mkstemp(path);
    struct err err = { 0 };
    cr_assert_geq(fd, 0);
    unlink(path);
    if (ftruncate(fd, size))
        cr_skip_test("no file of a terabyte can be had here");
    const off_t at[] = { EVERY, EVERY * 3, size / 2, size - (off_t)sizeof MODULE };
    for (size_t i = 0; i < 4; i++)
        cr_assert_eq(pwrite(fd, MODULE, sizeof MODULE, at[i]), sizeof MODULE);
    char name[64];
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    seen_scan(&seen, input_open(name, &err), false);
    cr_assert_eq(seen.container_count, 4);
    for (size_t i = 0; i < 4; i++)
        cr_assert_eq(seen.containers[i].offset, (uint64_t)at[i]);
    cr_assert_eq(seen.problem_count, 0);
    close(fd);
}

/* ---- compressed images --------------------------------------------------------------------- */

Test(cost, images_together_expand_to_a_bounded_multiple_of_what_is_stored, .timeout = SECONDS)
{
    enum { SIZE = 64 << 20, TIMES = 40 };
    struct err err = { 0 };
    uint8_t *zeros = calloc(1, SIZE);
    size_t stored, size;
    const struct build_entry e = { .packing = BUILD_ZSTD, .payload = zeros, .payload_size = SIZE };
    uint8_t *packed = build_pack(&e, &stored);
    const struct image image = {
        .compression = IMAGE_ZSTD, .unpacked_size = SIZE, .payload_size = stored, .offset = 7
    };
    struct unpack *u = unpack_new(0, &err);
    const uint8_t *data;
    int done = 0;
    while (done < TIMES && unpack_image(u, &image, packed, stored, &data, &size, &err) == 0)
        done++;
    cr_assert_eq(done, UNPACK_FREE_BYTES / SIZE);
    cr_assert_eq(err.code, ERR_LIMIT);
    cr_assert_eq(err.offset, 7);
    cr_assert_eq(unpack_start(u, IMAGE_ZSTD, packed, stored, SIZE, &data), 0);
    unpack_free(u);
    free(packed);
    free(zeros);
}
