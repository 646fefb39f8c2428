#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "build_fatbin.h"
#include "image/cubin.h"

static const struct build_symbol symbols[] = {
    { "_Z5saxpyiPf", 0x12, 0x10, false },   /* global kernel */
    { "helper", 0x12, 0x00, false },        /* global device function */
    { "static_kernel", 0x02, 0x10, false }, /* local kernel */
    { "table", 0x11, 0x10, false },         /* an object, whatever its other bits */
    { "weak_kernel", 0x22, 0x10, false },   { "alias", 0x12, 0xa0, false },
    { "elsewhere", 0x12, 0x10, true },
};
#define SYMBOLS (sizeof symbols / sizeof *symbols)

static struct build make(struct build_cubin spec)
{
    struct build b = { 0 };
    spec.symbols = symbols;
    spec.symbol_count = SYMBOLS;
    build_cubin(&b, &spec);
    return b;
}

static struct cubin read_all(const struct build *b)
{
    struct cubin cubin;
    struct err err = { 0 };
    cr_assert_eq(cubin_parse_header(b->data, b->size, &cubin, &err), 0, "%s", err.msg);
    cr_assert_eq(cubin_file_size(b->data, b->size), b->size);
    cubin_read_notes(b->data, b->size, &cubin);
    return cubin;
}

static int add_name(void *self, const char *name, size_t length, struct err *err)
{
    char *list = self;
    (void)err;
    strncat(list, name, length);
    strcat(list, " ");
    return 0;
}

/* Flags as ptxas wrote them: 11.8 for sm_90; 11.8 for compute_50 as sm_86; 12.9; 13.0. */
Test(cubin, arch_suffix_and_toolkit_are_read_in_both_abis)
{
    static const struct {
        struct build_cubin spec;
        unsigned arch, toolkit_major, toolkit_minor;
        char suffix;
    } cases[] = {
        { { .abi = 7, .e_version = 118, .e_flags = 0x005a055a }, 90, 11, 8, 0 },
        { { .abi = 7, .e_version = 118, .e_flags = 0x00320556 }, 86, 11, 8, 0 },
        { { .abi = 7, .e_version = 65, .e_flags = 0x00230523 }, 35, 6, 5, 0 },
        { { .abi = 7, .e_version = 129, .e_flags = 0x005a0d5a }, 90, 12, 9, 'a' },
        { { .abi = 7, .e_version = 101, .e_flags = 0x00320d32 }, 50, 10, 1, 0 }, /* torch 1.3.0 */
        { { .abi = 4, .e_version = 1, .e_flags = 0x00140514 }, 20, 0, 0, 0 },
        { { .abi = 8, .e_version = 1, .e_flags = 0x0600780a, .toolkit = 129 }, 120, 12, 9, 'a' },
        { { .abi = 8, .e_version = 1, .e_flags = 0x06005a04, .toolkit = 130 }, 90, 13, 0, 0 },
        { { .abi = 8, .e_version = 1, .e_flags = 0x06005a04, .toolkit = 130, .compat_a = true },
          90,
          13,
          0,
          'a' },
        { { .abi = 8,
            .e_version = 1,
            .e_flags = 0x06006402,
            .toolkit = 130,
            .arguments = "-arch sm_100f -m 64" },
          100,
          13,
          0,
          'f' },
        { { .abi = 8,
            .e_version = 1,
            .e_flags = 0x06006402,
            .toolkit = 130,
            .arguments = "-arch sm_100 -m 64" },
          100,
          13,
          0,
          0 },
        { { .abi = 8,
            .e_version = 1,
            .e_flags = 0x06006402,
            .toolkit = 130,
            .arguments = "-arch sm_103f -m 64" },
          100,
          13,
          0,
          0 }, /* not this cubin's arch */
        { { .abi = 8,
            .e_version = 1,
            .e_flags = 0x06006402,
            .old_cuinfo = true,
            .arguments = "Cuda compilation tools, release 12.8, V12.8.93 -arch sm_100a -m 64" },
          100,
          12,
          8,
          'a' },
        { { .abi = 8, .e_version = 1, .e_flags = 0x06007902 }, 121, 0, 0, 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct build b = make(cases[i].spec);
        struct cubin cubin = read_all(&b);
        cr_assert_eq(cubin.abi, cases[i].spec.abi);
        cr_assert_eq(cubin.arch, cases[i].arch, "case %zu: %u", i, cubin.arch);
        cr_assert_eq(cubin.suffix, cases[i].suffix, "case %zu: '%c'", i, cubin.suffix);
        cr_assert_eq(cubin.toolkit_major, cases[i].toolkit_major, "case %zu", i);
        cr_assert_eq(cubin.toolkit_minor, cases[i].toolkit_minor, "case %zu", i);
        cr_assert(!cubin.relocatable && !cubin.bits32);
        build_free(&b);
    }
}

Test(cubin, relocatable_and_32_bit_cubins_are_marked)
{
    struct build b = make((struct build_cubin){
        .abi = 7, .e_version = 118, .e_flags = 0x00230123, .bits32 = true, .relocatable = true });
    struct cubin cubin = read_all(&b);
    cr_assert(cubin.relocatable && cubin.bits32);
    cr_assert_eq(cubin.arch, 35);
    build_free(&b);
}

Test(cubin, kernels_are_functions_marked_as_entries_of_any_binding)
{
    for (int bits32 = 0; bits32 < 2; bits32++) {
        struct build b = make((struct build_cubin){ .abi = 7, .bits32 = bits32, .code_size = 64 });
        char list[256] = "";
        struct err err = { 0 };
        cr_assert_eq(cubin_kernels(b.data, b.size, add_name, list, &err), 0, "%s", err.msg);
        cr_assert_str_eq(list, "_Z5saxpyiPf static_kernel weak_kernel ");
        build_free(&b);
    }
}

static int refuse(void *self, const char *name, size_t length, struct err *err)
{
    (void)name;
    (void)length;
    ++*(int *)self;
    return err_set(err, ERR_LIMIT, "enough");
}

Test(cubin, a_callback_that_fails_ends_the_list)
{
    struct build b = make((struct build_cubin){ .abi = 7 });
    struct err err = { 0 };
    int calls = 0;
    cr_assert_eq(cubin_kernels(b.data, b.size, refuse, &calls, &err), -1);
    cr_assert_eq(calls, 1);
    cr_assert_eq(err.code, ERR_LIMIT);
    build_free(&b);
}

Test(cubin, tables_in_front_of_the_sections_do_not_shorten_the_file)
{
    struct build b = make((struct build_cubin){
        .abi = 8, .e_flags = 0x06005a04, .toolkit = 130, .code_size = 5000, .tables_first = true });
    struct cubin cubin = read_all(&b);
    cr_assert_lt(cubin.size, b.size);
    cr_assert_eq(cubin_file_size(b.data, (size_t)cubin.size), b.size);
    cr_assert_eq(cubin.toolkit_major, 13);
    build_free(&b);
}

Test(cubin, notes_are_found_without_the_section_table)
{
    struct build b = make((struct build_cubin){
        .abi = 8, .e_flags = 0x06005a04, .toolkit = 131, .arguments = "-m 64", .code_size = 3000 });
    struct cubin cubin = { .arch = 90 };
    const uint8_t *info = memmem(b.data, b.size, "\xe8\x03\0\0NVIDIA Corp", 16);
    cr_assert(info);
    size_t end = (size_t)(info - b.data) + 4 + 12 + 8;
    cr_assert(cubin_find_notes(b.data, end, &cubin));
    cr_assert_eq(cubin.toolkit_major, 13);
    cr_assert_eq(cubin.toolkit_minor, 1);
    for (size_t size = 0; size < end; size++) {
        struct cubin none = { .arch = 90 };
        cr_assert_not(cubin_find_notes(b.data, size, &none), "in %zu of %zu bytes", size, end);
    }
    build_free(&b);
}

Test(cubin, host_files_and_unknown_shapes_are_no_cubins)
{
    static const struct {
        size_t at;
        unsigned bytes, value;
    } damages[] = { { 0, 1, 0x7e }, { 4, 1, 3 },   { 5, 1, 2 },  { 16, 2, 3 },
                    { 18, 2, 62 },  { 52, 2, 65 }, { 58, 2, 56 } };
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        struct build b = make((struct build_cubin){ .abi = 7 });
        struct cubin cubin;
        struct err err = { 0 };
        build_patch(&b, damages[i].at, damages[i].value, damages[i].bytes);
        cr_assert_eq(cubin_parse_header(b.data, b.size, &cubin, &err), -1, "damage %zu", i);
        cr_assert_eq(err.code, ERR_FORMAT);
        build_free(&b);
    }
}

/* Every prefix, and every byte changed to three values: it may say no, but must stay inside. */
Test(cubin, damage_of_any_byte_stays_inside_the_cubin)
{
    struct build b = make((struct build_cubin){ .abi = 8,
                                                .e_flags = 0x06006402,
                                                .toolkit = 130,
                                                .arguments = "-arch sm_100f",
                                                .compat_a = true });
    for (size_t i = 0; i < b.size; i++) {
        static const uint8_t masks[] = { 0x00, 0x01, 0x80, 0xff };
        for (size_t m = 0; m < sizeof masks; m++) {
            size_t size = masks[m] ? b.size : i;
            uint8_t *exact = malloc(size + 1);
            struct cubin cubin = { 0 };
            char list[4096] = "";
            memcpy(exact, b.data, size);
            if (masks[m])
                exact[i] ^= masks[m];
            cubin_parse_header(exact, size, &cubin, NULL);
            cubin_file_size(exact, size);
            cubin_read_notes(exact, size, &cubin);
            cubin_find_notes(exact, size, &cubin);
            struct err err = { 0 };
            if (cubin_kernels(exact, size, add_name, list, &err) < 0)
                cr_assert_eq(err.code, ERR_FORMAT);
            free(exact);
        }
    }
    build_free(&b);
}
