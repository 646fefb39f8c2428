#include <criterion/criterion.h>

#include <string.h>

#include "build_fatbin.h"
#include "image/fatbin.h"

/* Builds one entry at an odd offset and parses it there. */
static struct fatbin_entry parse(const struct build_entry *e)
{
    struct build b = { 0 };
    struct fatbin_entry entry;
    struct err err = { 0 };
    build_zero(&b, 7);
    size_t at = build_entry(&b, e);
    int rc = fatbin_parse_entry(b.data + at, b.size - at, at, b.size - at, &entry, &err);
    cr_assert_eq(rc, 0, "%s", err.msg);
    build_free(&b);
    return entry;
}

Test(fatbin, every_field_of_an_entry_is_read)
{
    struct fatbin_entry e = parse(&(struct build_entry){ .kind = 1,
                                                         .major = 7,
                                                         .minor = 8,
                                                         .arch = 90,
                                                         .flags = 0x13,
                                                         .identifier = "matmul.cu",
                                                         .options = "-O3",
                                                         .payload = "twelve bytes",
                                                         .payload_size = 12 });
    cr_assert_eq(e.image.kind, IMAGE_PTX);
    cr_assert_eq(e.image.raw_kind, 1);
    cr_assert_eq(e.image.ptx_major, 7);
    cr_assert_eq(e.image.ptx_minor, 8);
    cr_assert_eq(e.image.arch, 90);
    cr_assert_eq(e.image.flags, 0x13);
    cr_assert_eq(e.image.unknown_flags, 0);
    cr_assert(e.image.debug && !e.image.bits32 && !e.image.obfuscated);
    cr_assert_str_eq(e.image.identifier, "matmul.cu");
    cr_assert_eq(e.image.compression, IMAGE_PLAIN);
    cr_assert_eq(e.image.offset, 7);
    cr_assert_eq(e.header_size, 88, "64, a pair, '-O3', 'matmul.cu', up to a multiple of 8");
    cr_assert_eq(e.image.payload_offset, 7 + 88);
    cr_assert_eq(e.image.payload_size, 16, "without compression the padding is not told apart");
    cr_assert_eq(e.padded_size, 16);
    cr_assert_eq(e.image.unpacked_size, 0);
}

Test(fatbin, headers_of_every_size_that_was_seen_are_accepted)
{
    static const unsigned sizes[] = { 64, 72, 80, 88, 96, 104, 112, 120, 128, 136, 144 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct fatbin_entry e = parse(&(struct build_entry){ .kind = 2,
                                                             .minor = 7,
                                                             .arch = 35,
                                                             .extra = sizes[i] - 64,
                                                             .payload = "cubin...",
                                                             .payload_size = 8 });
        cr_assert_eq(e.header_size, sizes[i]);
        cr_assert_eq(e.image.payload_offset, 7 + sizes[i]);
        cr_assert_eq(e.image.abi, 7);
        cr_assert_eq(e.image.ptx_major, 0, "a cubin has no PTX version");
    }
}

Test(fatbin, entries_of_cuda_4_have_56_bytes_and_no_padding)
{
    struct fatbin_entry e = parse(&(struct build_entry){ .kind = 2,
                                                         .old = true,
                                                         .minor = 4,
                                                         .arch = 20,
                                                         .flags = 0x5,
                                                         .identifier = "a.cu",
                                                         .payload = "odd",
                                                         .payload_size = 3 });
    cr_assert_eq(e.header_size, 61);
    cr_assert_eq(e.padded_size, 3);
    cr_assert_eq(e.image.arch, 20);
    cr_assert_eq(e.image.abi, 4);
    cr_assert_eq(e.image.unpacked_size, 0);
    cr_assert_str_eq(e.image.identifier, "a.cu");
}

Test(fatbin, compression_and_both_sizes_are_told)
{
    static const char text[1000] = { 'x' };
    static const struct {
        enum build_packing packing;
        enum image_compression compression;
    } cases[] = { { BUILD_LZ4, IMAGE_LZ4 }, { BUILD_ZSTD, IMAGE_ZSTD } };
    for (size_t i = 0; i < 2; i++) {
        struct build_entry b = {
            .kind = 1, .packing = cases[i].packing, .payload = text, .payload_size = sizeof text
        };
        size_t stored;
        free(build_pack(&b, &stored));
        struct fatbin_entry e = parse(&b);
        cr_assert_eq(e.image.compression, cases[i].compression);
        cr_assert_eq(e.image.payload_size, stored);
        cr_assert_eq(e.image.unpacked_size, sizeof text);
        cr_assert_eq(e.padded_size, (stored + 7) / 8 * 8);
    }
}

Test(fatbin, a_compression_without_a_known_name_is_unknown)
{
    static const uint64_t flags[] = { 0x1000, 0x4000, 0x2000 | 0x8000, 0x1000 | 0x2000 };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        struct fatbin_entry e = parse(&(struct build_entry){
            .kind = 2, .flags = flags[i], .payload = "12345678", .payload_size = 8 });
        cr_assert_eq(e.image.compression, IMAGE_COMPRESSED_UNKNOWN, "flags 0x%x",
                     (unsigned)flags[i]);
        cr_assert_eq(e.image.unknown_flags, flags[i] & 0x5000);
    }
}

Test(fatbin, suffixes_and_marks_come_from_the_flags)
{
    static const struct {
        uint64_t flags, unknown;
        char suffix;
        bool obfuscated, bits32;
    } cases[] = {
        { 0x1, 0, 0, false, false },
        { 0x11, 0, 0, false, false },
        { 0x10, 0, 0, false, true },
        { 0x100011, 0, 'a', false, false },
        { 0x1200011, 0, 'f', false, false },
        { 0x10041, 0, 0, true, false },
        { UINT64_C(0x8000000000000001), UINT64_C(0x8000000000000000), 0, false, false },
        { 0x400001, 0x400000, 0, false, false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fatbin_entry e = parse(&(struct build_entry){
            .kind = 2, .flags = cases[i].flags, .payload = "12345678", .payload_size = 8 });
        cr_assert_eq(e.image.suffix, cases[i].suffix, "case %zu", i);
        cr_assert_eq(e.image.unknown_flags, cases[i].unknown, "case %zu", i);
        cr_assert_eq(e.image.obfuscated, cases[i].obfuscated, "case %zu", i);
        cr_assert_eq(e.image.bits32, cases[i].bits32, "case %zu", i);
    }
}

Test(fatbin, kinds_without_a_name_keep_their_number)
{
    static const struct {
        unsigned raw;
        enum image_kind kind;
    } cases[] = { { 1, IMAGE_PTX },     { 2, IMAGE_CUBIN },      { 4, IMAGE_CUBIN_TEXT },
                  { 8, IMAGE_LTO },     { 0x10, IMAGE_UNKNOWN }, { 0x40, IMAGE_UNKNOWN },
                  { 0, IMAGE_UNKNOWN }, { 3, IMAGE_UNKNOWN },    { 0xffff, IMAGE_UNKNOWN } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fatbin_entry e = parse(&(struct build_entry){ .kind = cases[i].raw, .arch = 75 });
        cr_assert_eq(e.image.kind, cases[i].kind, "kind 0x%x", cases[i].raw);
        cr_assert_eq(e.image.raw_kind, cases[i].raw);
        cr_assert_eq(e.image.arch, 75);
    }
}

Test(fatbin, a_name_longer_than_the_field_is_cut_and_one_out_of_bounds_ignored)
{
    char name[300];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    struct fatbin_entry e = parse(&(struct build_entry){ .kind = 2, .identifier = name });
    cr_assert_eq(strlen(e.image.identifier), sizeof e.image.identifier - 1);

    struct build b = { 0 };
    struct err err = { 0 };
    build_entry(&b, &(struct build_entry){ .kind = 2, .identifier = "k.cu" });
    build_patch(&b, 36, 0xfffffff0, 4);
    cr_assert_eq(fatbin_parse_entry(b.data, b.size, 0, b.size, &e, &err), 0, "%s", err.msg);
    cr_assert_str_eq(e.image.identifier, "");
    build_free(&b);
}

Test(fatbin, damage_is_refused_at_the_offset_of_the_entry)
{
    static const struct {
        size_t at;
        unsigned bytes;
        uint64_t value;
        const char *why;
    } damages[] = {
        { 2, 2, 0x0102, "unknown version 0x0102" }, { 2, 2, 0x0001, "unknown version" },
        { 4, 4, 63, "header of 63 bytes" },         { 4, 4, 0xffffffff, "header of 4294967295" },
        { 4, 4, 80, "ends behind its container" },  { 8, 8, UINT64_MAX, "ends behind" },
        { 8, 8, 17, "ends behind its container" },  { 16, 4, 17, "17 compressed bytes" },
    };
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        struct build b = { 0 };
        struct fatbin_entry e;
        struct err err = { 0 };
        build_entry(&b, &(struct build_entry){
                            .kind = 2, .payload = "sixteen bytes...", .payload_size = 16 });
        build_patch(&b, damages[i].at, damages[i].value, damages[i].bytes);
        cr_assert_eq(fatbin_parse_entry(b.data, b.size, 0x123456789a, b.size, &e, &err), -1);
        cr_assert_eq(err.code, ERR_FORMAT);
        cr_assert_eq(err.offset, 0x123456789a);
        cr_assert(strstr(err.msg, damages[i].why), "'%s' for '%s'", err.msg, damages[i].why);
        build_free(&b);
    }
}

Test(fatbin, a_header_that_breaks_off_is_refused_at_every_length)
{
    struct build b = { 0 };
    struct fatbin_entry e;
    build_entry(&b, &(struct build_entry){ .kind = 1, .identifier = "name", .options = "-g" });
    for (size_t size = 0; size < b.size; size++) {
        struct err err = { 0 };
        uint8_t *exact = malloc(size + 1); /* so that a sanitizer sees a read too far */
        memcpy(exact, b.data, size);
        cr_assert_eq(fatbin_parse_entry(exact, size, 0, b.size, &e, &err), -1, "at %zu", size);
        cr_assert_eq(err.code, ERR_FORMAT);
        free(exact);
    }
    build_free(&b);
}

Test(fatbin, only_version_1_with_16_bytes_is_a_fat_header)
{
    struct build b = { 0 };
    build_fatbin(&b, NULL, 0);
    cr_assert(fatbin_recognised(b.data, b.size));
    for (size_t at = 0; at < 8; at++) {
        b.data[at] ^= 1;
        cr_assert_not(fatbin_recognised(b.data, b.size), "byte %zu", at);
        b.data[at] ^= 1;
    }
    cr_assert_not(fatbin_recognised(b.data, 7));
    build_free(&b);
}

Test(fatbin, the_old_magic_counts_only_before_a_small_version)
{
    struct build wide = { 0 }, narrow = { 0 }, accident = { 0 };
    build_int(&wide, 0x1ee55a01, 8);
    build_int(&wide, 4, 8);
    build_int(&narrow, 0x1ee55a01, 4);
    build_int(&narrow, 4, 4);
    build_int(&accident, 0x1ee55a01, 4);
    build_int(&accident, 0x12345678, 4);
    build_zero(&accident, 8);
    cr_assert(fatbin_old_recognised(wide.data, wide.size));
    cr_assert(fatbin_old_recognised(narrow.data, narrow.size));
    cr_assert_not(fatbin_old_recognised(accident.data, accident.size));
    cr_assert_not(fatbin_old_recognised(wide.data, 15));
    build_free(&wide);
    build_free(&narrow);
    build_free(&accident);
}
