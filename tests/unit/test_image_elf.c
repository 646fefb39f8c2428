/* The host side: ELF and PE headers, and the names of their sections. */
#include <criterion/criterion.h>

#include <string.h>

#include "build_fatbin.h"
#include "image/elf.h"
#include "image/pe.h"
#include "image/section.h"

static struct build_part parts[] = {
    { .name = ".text", .bytes = "code", .size = 4 },
    { .name = ".nv_fatbin", .bytes = "containers", .size = 10 },
    { .name = "a_section_with_a_very_long_name", .bytes = "x", .size = 1 },
    { .name = "__nv_relfatbin", .bytes = "relocatable", .size = 11 },
    { .name = ".data", .bytes = "hidden", .size = 6 },
};
#define PARTS (sizeof parts / sizeof *parts)

static void check_name(const struct section_table *table, uint64_t offset, const char *name)
{
    const struct section *s = section_at(table, offset);
    cr_assert(s, "no section at %llu, wanted '%s'", (unsigned long long)offset, name);
    cr_assert_str_eq(s->name, name);
}

Test(elf, sections_are_found_by_offset_wherever_the_file_begins)
{
    static const size_t bases[] = { 0, 1, 5000 };
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
        struct build b = { 0 };
        struct err err = { 0 };
        struct section_table table = { 0 };
        build_zero(&b, bases[i]);
        build_elf(&b, parts, PARTS);
        struct input *in = input_from_memory(b.data, b.size, &err);
        section_table_read_elf(&table, in, bases[i]);
        check_name(&table, parts[0].offset, ".text");
        check_name(&table, parts[1].offset + 9, ".nv_fatbin");
        check_name(&table, parts[2].offset, "a_section_with_a_very_l");
        check_name(&table, parts[4].offset + 5, ".data");
        cr_assert_null(section_at(&table, parts[1].offset + 10));
        cr_assert_null(section_at(&table, b.size + 100));
        section_table_free(&table);
        input_close(in);
        build_free(&b);
    }
}

Test(elf, pe_sections_are_found_by_offset_with_eight_characters)
{
    struct build b = { 0 };
    struct section_table table = { 0 };
    build_pe(&b, parts, PARTS);
    cr_assert(pe_recognised(b.data, b.size));
    section_table_parse_pe(&table, b.data, 1024);
    check_name(&table, parts[1].offset, ".nv_fatb");
    check_name(&table, parts[3].offset, "__nv_rel");
    check_name(&table, parts[4].offset + 5, ".data");
    cr_assert_null(section_at(&table, 0));
    section_table_free(&table);
    build_free(&b);
}

Test(elf, the_name_of_a_section_tells_what_is_done_with_its_containers)
{
    static const struct {
        const char *name;
        enum scan_place place;
    } cases[] = {
        { ".nv_fatbin", SCAN_PLACE_REGISTERED },
        { ".nv_fatb", SCAN_PLACE_REGISTERED },
        { "__nv_relfatbin", SCAN_PLACE_RELOCATABLE },
        { ".nv_relf", SCAN_PLACE_RELOCATABLE },
        { ".data", SCAN_PLACE_DATA },
        { ".rodata", SCAN_PLACE_DATA },
        { ".cask_resource", SCAN_PLACE_DATA },
        { "", SCAN_PLACE_UNKNOWN },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_assert_eq(section_place(cases[i].name), cases[i].place, "'%s'", cases[i].name);
}

Test(elf, headers_of_both_sizes_are_read)
{
    for (int bits32 = 0; bits32 < 2; bits32++) {
        struct build b = { 0 };
        struct elf elf;
        struct err err = { 0 };
        build_cubin(&b, &(struct build_cubin){ .bits32 = bits32,
                                               .abi = 7,
                                               .e_version = 118,
                                               .e_flags = 0x230523,
                                               .code_size = 100 });
        cr_assert_eq(elf_parse_header(b.data, b.size, &elf, &err), 0, "%s", err.msg);
        cr_assert_eq(elf.bits64, !bits32);
        cr_assert_eq(elf.machine, ELF_MACHINE_CUDA);
        cr_assert_eq(elf.type, 2);
        cr_assert_eq(elf.osabi, 0x33);
        cr_assert_eq(elf.abi_version, 7);
        cr_assert_eq(elf.version, 118);
        cr_assert_eq(elf.flags, 0x230523);
        cr_assert_eq(elf.section_count, BUILD_SECTIONS);
        cr_assert_eq(elf_tables_end(&elf), b.size);
        build_free(&b);
    }
}

Test(elf, tables_that_end_behind_the_largest_offset_saturate)
{
    struct build b = { 0 };
    struct elf elf;
    build_cubin(&b, &(struct build_cubin){ .abi = 7 });
    build_patch(&b, 40, UINT64_MAX - 1, 8);
    cr_assert_eq(elf_parse_header(b.data, b.size, &elf, NULL), 0);
    cr_assert_eq(elf_tables_end(&elf), UINT64_MAX);
    build_free(&b);
}

Test(elf, big_endian_and_cut_headers_are_refused)
{
    struct build b = { 0 };
    struct elf elf;
    struct err err = { 0 };
    build_elf(&b, parts, PARTS);
    for (size_t size = 0; size < 64; size++)
        cr_assert_eq(elf_parse_header(b.data, size, &elf, NULL), -1, "at %zu", size);
    cr_assert_eq(elf_parse_header(b.data, 64, &elf, NULL), 0);
    b.data[5] = 2;
    cr_assert_eq(elf_parse_header(b.data, b.size, &elf, &err), -1);
    cr_assert_eq(err.code, ERR_FORMAT);
    build_free(&b);
}

/* Damage of header and table leaves fewer names, never a read outside. */
Test(elf, damage_of_any_byte_stays_inside)
{
    struct build files[2] = { { 0 }, { 0 } };
    build_elf(&files[0], parts, PARTS);
    build_pe(&files[1], parts, PARTS);
    for (size_t f = 0; f < 2; f++) {
        for (size_t i = 0; i < files[f].size * 2; i++) {
            struct err err = { 0 };
            struct section_table table = { 0 };
            bool cut = i >= files[f].size;
            size_t size = cut ? i - files[f].size : files[f].size;
            uint8_t *exact = malloc(size ? size : 1);
            memcpy(exact, files[f].data, size);
            if (!cut)
                exact[i] ^= 0xff;
            struct input *in = input_from_memory(exact, size, &err);
            section_table_read_elf(&table, in, 0);
            section_at(&table, 100);
            section_table_parse_pe(&table, exact, size);
            cr_assert_leq(table.count, 65535);
            section_table_free(&table);
            input_close(in);
            free(exact);
        }
        build_free(&files[f]);
    }
}

Test(elf, files_that_are_no_pe_are_refused_at_the_offset_of_the_header)
{
    struct build b = { 0 };
    struct pe pe;
    struct err err = { 0 };
    build_pe(&b, parts, PARTS);
    cr_assert_eq(pe_parse_header(b.data, b.size, &pe, &err), 0);
    cr_assert_eq(pe.section_count, PARTS);
    cr_assert_eq(pe.machine, 0x8664);
    build_patch(&b, 0x3c, 130, 4);
    cr_assert_eq(pe_parse_header(b.data, b.size, &pe, &err), -1);
    cr_assert_eq(err.offset, 130);
    build_patch(&b, 0x3c, 0xfffffff0, 4);
    cr_assert_not(pe_recognised(b.data, b.size));
    build_free(&b);
}

Test(section, the_table_may_be_in_any_order)
{
    struct build b = { 0 };
    struct build_part three[] = { { "first", "aaaaaaaa", 8, 0 },
                                  { "second", "bbbbbbbb", 8, 0 },
                                  { "third", "cccccccc", 8, 0 } };
    struct section_table table = { 0 };
    struct err err = { 0 };
    uint8_t entry[64];
    build_elf(&b, three, 3);
    uint8_t *last = b.data + b.size - 64, *first = last - 128;
    memcpy(entry, last, 64);
    memcpy(last, first, 64);
    memcpy(first, entry, 64);
    struct input *in = input_from_memory(b.data, b.size, &err);
    cr_assert_geq(section_table_read_elf(&table, in, 0), (uint64_t)64 * 5);
    for (size_t i = 0; i < 3; i++) {
        check_name(&table, three[i].offset, three[i].name);
        check_name(&table, three[i].offset + 7, three[i].name);
    }
    section_table_free(&table);
    input_close(in);
    build_free(&b);
}
