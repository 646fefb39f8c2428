#include <criterion/criterion.h>

#include <string.h>

#include "build_fatbin.h"
#include "scan_seen.h"

static struct seen seen; /* too large for a stack */

static const char ptx[] = ".version 7.8\n.target sm_35\n.address_size 64\n.entry k(){ret;}\n";

/* A cubin of ABI 7 for sm_35, by toolkit 11.8. */
static struct build old_cubin(void)
{
    struct build b = { 0 };
    build_cubin(&b, &(struct build_cubin){
                        .abi = 7, .e_version = 118, .e_flags = 0x00230523, .code_size = 200 });
    return b;
}

/* `size` letters that do not compress away, and a NUL. */
static const char *random_name(char *name, size_t size)
{
    uint32_t state = 1;
    for (size_t i = 0; i < size; i++) {
        state = state * 1664525 + 1013904223;
        name[i] = (char)('a' + (state >> 24) % 26);
    }
    name[size] = 0;
    return name;
}

/* A cubin of ABI 8 for sm_90, by toolkit 13.0, whose note stands behind `before` bytes of names. */
static struct build new_cubin(size_t before)
{
    struct build b = { 0 };
    char *name = malloc(before + 1);
    struct build_symbol symbol = { random_name(name, before), 0x12, 0x10, false };
    build_cubin(&b, &(struct build_cubin){ .abi = 8,
                                           .e_version = 1,
                                           .e_flags = 0x06005a04,
                                           .toolkit = 130,
                                           .symbols = &symbol,
                                           .symbol_count = 1,
                                           .code_size = 64 });
    free(name);
    return b;
}

/* Three images: sm_35, sm_90a by LZ4 and compute_35 by zstd. */
static size_t add_container(struct build *b)
{
    struct build old = old_cubin(), new = new_cubin(10);
    struct build_entry entries[] = {
        { .kind = 2,
          .minor = 7,
          .major = 1,
          .arch = 35,
          .flags = 0x11,
          .payload = old.data,
          .payload_size = old.size },
        { .kind = 2,
          .minor = 8,
          .major = 1,
          .arch = 90,
          .flags = 0x100011,
          .packing = BUILD_LZ4,
          .payload = new.data,
          .payload_size = new.size },
        { .kind = 1,
          .minor = 8,
          .major = 7,
          .arch = 35,
          .flags = 0x11,
          .packing = BUILD_ZSTD,
          .options = "-O3",
          .payload = ptx,
          .payload_size = sizeof ptx },
    };
    size_t at = build_fatbin(b, entries, 3);
    build_free(&old);
    build_free(&new);
    return at;
}

#define LIST "sm_35 sm_90a compute_35 "

Test(scan, a_container_is_walked_with_all_that_its_headers_say)
{
    struct build b = { 0 };
    add_container(&b);
    seen_scan_memory(&seen, b.data, b.size, false);
    cr_assert_eq(seen.kind, SCAN_FATBIN);
    cr_assert_eq(seen.container_count, 1);
    cr_assert_eq(seen.containers[0].kind, IMAGE_IN_FATBIN);
    cr_assert_eq(seen.containers[0].offset, 0);
    cr_assert_eq(seen.containers[0].size, b.size);
    cr_assert_str_eq(seen_list(&seen, 0), LIST);
    cr_assert_eq(seen.problem_count, 0);
    cr_assert_eq(seen.images[0].offset, 16);
    cr_assert_eq(seen.images[2].ptx_major, 7);
    cr_assert_eq(seen.images[2].ptx_minor, 8);
    build_free(&b);
}

Test(scan, toolkit_and_relocatable_are_read_from_the_payloads)
{
    char name[5001];
    struct build_symbol symbol = { random_name(name, 5000), 0x12, 0x10, false };
    for (int relocatable = 0; relocatable < 2; relocatable++) {
        for (enum build_packing packing = BUILD_PLAIN; packing <= BUILD_ZSTD; packing++) {
            struct build b = { 0 }, cubin = { 0 };
            build_cubin(&cubin, &(struct build_cubin){ .abi = 7,
                                                       .e_version = 102,
                                                       .e_flags = 0x00230523,
                                                       .symbols = &symbol,
                                                       .symbol_count = 1,
                                                       .relocatable = relocatable });
            build_fatbin(&b,
                         &(struct build_entry){ .kind = 2,
                                                .minor = 7,
                                                .arch = 35,
                                                .flags = 0x11,
                                                .packing = packing,
                                                .payload = cubin.data,
                                                .payload_size = cubin.size },
                         1);
            seen_scan_memory(&seen, b.data, b.size, false);
            cr_assert_eq(seen.images[0].toolkit_major, 10);
            cr_assert_eq(seen.images[0].toolkit_minor, 2);
            cr_assert_eq(seen.images[0].relocatable, relocatable);
            build_free(&cubin);
            build_free(&b);
        }
    }
}

Test(scan, notes_of_abi_8_are_found_near_and_far)
{
    static const size_t before[] = { 10, 5000, 120000, 140000, 3000000 };
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        for (enum build_packing packing = BUILD_PLAIN; packing <= BUILD_ZSTD; packing++) {
            struct build b = { 0 }, cubin = new_cubin(before[i]);
            build_fatbin(&b,
                         &(struct build_entry){ .kind = 2,
                                                .minor = 8,
                                                .arch = 90,
                                                .flags = 0x11,
                                                .packing = packing,
                                                .payload = cubin.data,
                                                .payload_size = cubin.size },
                         1);
            seen_scan_memory(&seen, b.data, b.size, false);
            cr_assert_eq(seen.image_count, 1);
            cr_assert_eq(seen.images[0].toolkit_major, 13, "note behind %zu bytes, packing %d",
                         before[i], packing);
            build_free(&cubin);
            build_free(&b);
        }
    }
}

Test(scan, containers_are_found_at_any_alignment_between_anything)
{
    struct build b = { 0 };
    size_t at[16];
    uint32_t state = 99;
    for (size_t i = 0; i < 16; i++) {
        for (size_t n = 0; n < 100 + i; n++) {
            state = state * 1664525 + 1013904223;
            build_int(&b, state >> 16, 1);
        }
        build_bytes(&b, "\x50\xed\x55\xba\x01\x00\x11\x00", 8); /* the magic, but no header */
        build_bytes(&b, "\x50\xed\x55", i % 4 < 3 ? i % 4 : 0); /* and parts of it right before */
        at[i] = add_container(&b);
    }
    seen_scan_memory(&seen, b.data, b.size, false);
    cr_assert_eq(seen.container_count, 16);
    for (size_t i = 0; i < 16; i++) {
        cr_assert_eq(seen.containers[i].offset, at[i]);
        cr_assert_str_eq(seen_list(&seen, i), LIST);
    }
    cr_assert_eq(seen.problem_count, 0);
    build_free(&b);
}

Test(scan, a_source_read_forwards_in_pieces_shows_the_same)
{
    static const size_t steps[] = { 1, 7, 64, 4096 };
    struct build b = { 0 };
    for (size_t i = 0; i < 20; i++) {
        build_zero(&b, i * 13);
        add_container(&b);
        build_text(&b, "padding");
        struct build cubin = old_cubin();
        build_bytes(&b, cubin.data, cubin.size);
        build_free(&cubin);
        build_zero(&b, 1);
        build_bytes(&b, ptx, sizeof ptx);
    }
    for (int payloads = 0; payloads < 2; payloads++) {
        seen_scan_memory(&seen, b.data, b.size, payloads);
        cr_assert_eq(seen.container_count, 60);
        char *want = seen_text(&seen);
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
            seen_scan_drip(&seen, b.data, b.size, steps[i], payloads);
            char *got = seen_text(&seen);
            cr_assert_str_eq(got, want, "in steps of %zu", steps[i]);
            free(got);
        }
        free(want);
    }
    build_free(&b);
}

Test(scan, payloads_are_handed_over_unpacked)
{
    struct build b = { 0 }, old = old_cubin(), new = new_cubin(10);
    add_container(&b);
    seen_scan_memory(&seen, b.data, b.size, true);
    cr_assert_eq(seen.payload_count, 3);
    build_align(&old, 8); /* what is not compressed comes with its padding */
    cr_assert_eq(seen.payload_sums[0], seen_sum(old.data, old.size));
    cr_assert_eq(seen.payload_sums[1], seen_sum(new.data, new.size));
    cr_assert_eq(seen.payload_sums[2], seen_sum(ptx, sizeof ptx));
    build_free(&old);
    build_free(&new);
    build_free(&b);
}

Test(scan, bare_cubins_are_found_with_suffix_and_toolkit)
{
    struct build b = { 0 };
    build_text(&b, "resource: ");
    size_t at = build_cubin(&b, &(struct build_cubin){ .abi = 8,
                                                       .e_flags = 0x06006402,
                                                       .toolkit = 130,
                                                       .code_size = 900,
                                                       .arguments = "-arch sm_100f",
                                                       .tables_first = true });
    size_t end = b.size;
    add_container(&b);
    seen_scan_memory(&seen, b.data, b.size, true);
    cr_assert_eq(seen.container_count, 2);
    cr_assert_eq(seen.containers[0].kind, IMAGE_BARE_CUBIN);
    cr_assert_eq(seen.containers[0].offset, at);
    cr_assert_eq(seen.containers[0].size, end - at);
    cr_assert_str_eq(seen_list(&seen, 0), "sm_100f ");
    cr_assert_eq(seen.images[0].toolkit_major, 13);
    cr_assert_eq(seen.payload_sums[0], seen_sum(b.data + at, end - at));
    cr_assert_str_eq(seen_list(&seen, 1), LIST);
    build_free(&b);
}

Test(scan, ptx_text_is_found_in_other_bytes)
{
    struct build b = { 0 };
    build_text(&b, "module .version 7.8\n.target sm_99\n"); /* not where a line begins: no PTX */
    build_bytes(&b, "x.version 7.8\n.target sm_99\n", 27);
    build_zero(&b, 1);
    size_t first = b.size;
    build_bytes(&b, ptx, sizeof ptx - 1);
    size_t second = b.size;
    build_text(&b, ".version 6.4\n.target sm_70, debug\n");
    build_zero(&b, 1);
    build_text(&b, ".version %d.%d\n.target sm_%d\n");
    seen_scan_memory(&seen, b.data, b.size, true);
    cr_assert_str_eq(seen_list(&seen, SEEN_ALL), "compute_35 compute_70 ");
    cr_assert_eq(seen.containers[0].kind, IMAGE_BARE_PTX);
    cr_assert_eq(seen.containers[0].offset, first);
    cr_assert_eq(seen.containers[0].size, sizeof ptx - 1);
    cr_assert_eq(seen.containers[1].offset, second);
    cr_assert_eq(seen.images[1].ptx_major, 6);
    cr_assert(seen.images[1].debug);
    cr_assert_eq(seen.payload_sums[0], seen_sum(ptx, sizeof ptx - 1));
    build_free(&b);
}

Test(scan, a_ptx_file_begins_with_its_comments)
{
    struct build b = { 0 };
    build_text(&b, "//\n// Cuda compilation tools, release 10.2, V10.2.89\n//\n\n");
    build_bytes(&b, ptx, sizeof ptx - 1);
    seen_scan_memory(&seen, b.data, b.size, false);
    cr_assert_eq(seen.kind, SCAN_PTX);
    cr_assert_eq(seen.container_count, 1);
    cr_assert_eq(seen.containers[0].offset, 0);
    cr_assert_eq(seen.containers[0].size, b.size);
    cr_assert_eq(seen.images[0].toolkit_major, 10);
    cr_assert_eq(seen.images[0].toolkit_minor, 2);
    build_free(&b);
}

Test(scan, unknown_kinds_and_flags_are_listed)
{
    struct build b = { 0 };
    struct build_entry entries[] = {
        { .kind = 0x40,
          .arch = 120,
          .flags = 0x8000000000000011u,
          .payload = "?",
          .payload_size = 1 },
        { .kind = 8,
          .arch = 80,
          .major = 1,
          .minor = 60,
          .flags = 0x10011,
          .packing = BUILD_ZSTD,
          .payload = "bitcode",
          .payload_size = 7 },
        { .kind = 4, .arch = 13, .old = true, .payload = "code {}", .payload_size = 7 },
        { .kind = 2, .minor = 7, .arch = 35, .flags = 0x4011, .payload = "?", .payload_size = 1 },
    };
    build_fatbin(&b, entries, 4);
    seen_scan_memory(&seen, b.data, b.size, true);
    cr_assert_str_eq(seen_list(&seen, 0), "arch_120 lto_80 sm_13 sm_35 ");
    cr_assert_eq(seen.images[0].unknown_flags, 0x8000000000000000u);
    cr_assert(seen.images[1].obfuscated);
    cr_assert_eq(seen.payload_count, 2, "of the unknown kind and of the old cubin");
    cr_assert_eq(seen.problem_count, 1, "the unknown compression");
    cr_assert_eq(seen.problems[0].offset, seen.images[3].payload_offset);
    build_free(&b);
}

Test(scan, the_section_of_a_container_is_named)
{
    struct build c = { 0 }, b = { 0 };
    add_container(&c);
    struct build_part parts[] = { { .name = ".data", .bytes = c.data, .size = c.size },
                                  { .name = ".nv_fatbin", .bytes = c.data, .size = c.size },
                                  { .name = "__nv_relfatbin", .bytes = c.data, .size = c.size } };
    build_elf(&b, parts, 3);
    seen_scan_memory(&seen, b.data, b.size, false);
    cr_assert_eq(seen.kind, SCAN_ELF);
    cr_assert_eq(seen.container_count, 3);
    cr_assert_str_eq(seen.containers[0].section, ".data");
    cr_assert_eq(seen.containers[0].place, SCAN_PLACE_DATA);
    cr_assert_eq(seen.containers[1].place, SCAN_PLACE_REGISTERED);
    cr_assert_eq(seen.containers[2].place, SCAN_PLACE_RELOCATABLE);
    memset(b.data + 40, 0, 8); /* stripped of its section table */
    seen_scan_memory(&seen, b.data, b.size, false);
    cr_assert_eq(seen.container_count, 3);
    cr_assert_str_eq(seen.containers[1].section, "");
    cr_assert_eq(seen.containers[1].place, SCAN_PLACE_UNKNOWN);
    build_free(&b);

    build_pe(&b, parts, 3);
    seen_scan_drip(&seen, b.data, b.size, 1000, false);
    cr_assert_eq(seen.kind, SCAN_PE);
    cr_assert_str_eq(seen.containers[1].section, ".nv_fatb");
    cr_assert_eq(seen.containers[1].place, SCAN_PLACE_REGISTERED);
    build_free(&b);
    build_free(&c);
}

Test(scan, each_member_of_a_static_archive_has_sections_of_its_own)
{
    struct build c = { 0 }, b = { 0 };
    add_container(&c);
    struct build_part data = { .name = ".data", .bytes = c.data, .size = c.size };
    struct build_part fatbin = { .name = ".nv_fatbin", .bytes = c.data, .size = c.size };
    build_text(&b, "!<arch>\na.o/            0           0     0     644     1234      `\n");
    build_elf(&b, &data, 1);
    build_text(&b, "\nb.o/            0           0     0     644     1234      `\n");
    build_elf(&b, &fatbin, 1);
    seen_scan_memory(&seen, b.data, b.size, false);
    cr_assert_eq(seen.kind, SCAN_AR);
    cr_assert_eq(seen.container_count, 2);
    cr_assert_str_eq(seen.containers[0].section, ".data");
    cr_assert_str_eq(seen.containers[1].section, ".nv_fatbin");
    build_free(&b);
    build_free(&c);
}

Test(scan, the_kind_of_a_file_is_told_by_its_first_bytes)
{
    static const struct {
        const char *bytes;
        size_t size;
        enum scan_file_kind kind;
    } cases[] = {
        { "", 0, SCAN_DATA },
        { "\x7f", 1, SCAN_DATA },
        { "MZ", 2, SCAN_DATA },
        { "\x7f"
          "ELF",
          4, SCAN_ELF },
        { "!<arch>\n", 8, SCAN_AR },
        { "!<thin>\n", 8, SCAN_AR },
        { "\xcf\xfa\xed\xfe\x07\x00\x00\x01", 8, SCAN_MACHO },
        { "\xca\xfe\xba\xbe\x00\x00\x00\x02", 8, SCAN_MACHO },
        { "\xca\xfe\xba\xbe\x00\x00\x00\x34", 8, SCAN_DATA }, /* a Java class */
        { "\x50\xed\x55\xba\x01\x00\x10\x00", 8, SCAN_FATBIN },
        { "\x50\xed\x55\xba\x02\x00\x20\x00", 8, SCAN_FATBIN }, /* of a version to come */
        { ".version 1.0\n.target sm_10\n", 27, SCAN_PTX },
        { "#include <cuda.h>\n", 18, SCAN_DATA },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_assert_eq(scan_kind_of((const uint8_t *)cases[i].bytes, cases[i].size), cases[i].kind,
                     "case %zu", i);
    struct build cubin = old_cubin();
    cr_assert_eq(scan_kind_of(cubin.data, cubin.size), SCAN_CUBIN);
    build_free(&cubin);
}

/* ---- very large, from a source that has no bytes of its own -------------------------------- */

struct large {
    struct build head;
    uint64_t pos, size, read;
};

static long long large_read(void *self, void *to, size_t size, struct err *err)
{
    struct large *l = self;
    (void)err;
    uint64_t left = l->size - l->pos;
    size_t n = size < left ? size : (size_t)left;
    memset(to, 0, n);
    for (size_t i = 0; i < n && l->pos + i < l->head.size; i++)
        ((uint8_t *)to)[i] = l->head.data[l->pos + i];
    l->pos += n;
    l->read += n;
    return (long long)n;
}

static int large_skip(void *self, uint64_t size, struct err *err)
{
    (void)err;
    ((struct large *)self)->pos += size;
    return 0;
}

Test(scan, payloads_of_more_than_4_gib_are_stepped_over)
{
    static const struct input_ops ops = { .read = large_read, .skip = large_skip };
    const uint64_t payload = UINT64_C(5) << 30;
    struct large l = { 0 };
    struct err err = { 0 };
    build_fatbin(&l.head, &(struct build_entry){ .kind = 2, .minor = 7, .arch = 90 }, 1);
    build_patch(&l.head, 8, 64 + payload, 8);
    build_patch(&l.head, 16 + 8, payload, 8);
    l.size = l.head.size + payload + 1000;
    for (int payloads = 0; payloads < 2; payloads++) {
        l.pos = l.read = 0;
        seen_scan(&seen, input_new(&ops, &l, l.size, &err), payloads);
        cr_assert_str_eq(seen_list(&seen, SEEN_ALL), "sm_90 ");
        cr_assert_eq(seen.images[0].payload_size, payload);
        cr_assert_eq(seen.problem_count, payloads ? 1 : 0);
        cr_assert_lt(l.read, 100000, "the payload was read: %llu bytes",
                     (unsigned long long)l.read);
    }
    build_free(&l.head);
}
