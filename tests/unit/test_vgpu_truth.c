/* Every row of tests/data/load-matrix.tsv, put to the virtual driver's loader as bytes: cubins, PTX
 * and fat binaries are made here from the row's words. The table is written by others, from its
 * sources; its columns are described in tests/data/README.md. Run from the project's folder. */
#include <criterion/criterion.h>
#include <lz4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "core/str.h"
#include "core/table.h"
#include "vgpu/drv_loader.h"

#define MATRIX "tests/data/load-matrix.tsv"

/* ---- images out of words ------------------------------------------------------------------------
 */

struct word {
    bool ptx, lto, zstd, lz4;
    unsigned arch, toolkit, isa; /* toolkit 118, isa 78; 0 when not given */
    char suffix;
};

struct blob {
    unsigned char bytes[4096];
    size_t size;
};

static void put(struct blob *b, size_t at, unsigned long long value, size_t n)
{
    cr_assert(at + n <= sizeof b->bytes);
    for (size_t i = 0; i < n; i++)
        b->bytes[at + i] = (unsigned char)(value >> 8 * i);
    if (at + n > b->size)
        b->size = at + n;
}

static void put_text(struct blob *b, size_t at, const char *text, size_t n)
{
    cr_assert(at + n <= sizeof b->bytes);
    memcpy(b->bytes + at, text, n);
    if (at + n > b->size)
        b->size = at + n;
}

static unsigned dotted(const char *text)
{
    unsigned major = 0, minor = 0;
    cr_assert_eq(sscanf(text, "%u.%u", &major, &minor), 2, "'%s'", text);
    return major * 10 + minor;
}

static struct word parse_word(const char *text)
{
    struct word w = { 0 };
    char kind[16] = "";
    int n = 0;
    cr_assert_eq(sscanf(text, "%15[a-z]_%u%n", kind, &w.arch, &n), 2, "'%s'", text);
    w.ptx = strcmp(kind, "compute") == 0;
    w.lto = strcmp(kind, "lto") == 0;
    if (text[n] == 'a' || text[n] == 'f')
        w.suffix = text[n++];
    for (const char *at = strchr(text, '@'); at; at = strchr(at + 1, '@')) {
        if (strncmp(at, "@tk", 3) == 0)
            w.toolkit = dotted(at + 3);
        else if (strncmp(at, "@isa", 4) == 0)
            w.isa = dotted(at + 4);
        w.zstd |= strncmp(at, "@zstd", 5) == 0;
        w.lz4 |= strncmp(at, "@lz4", 4) == 0;
    }
    return w;
}

/* ABI 7: the toolkit is e_version. */
static void cubin_old(struct blob *b, const struct word *w)
{
    put_text(b, 0,
             "\x7f"
             "ELF\x02\x01\x01\x33\x07",
             9);
    put(b, 16, 2, 2);
    put(b, 18, 190, 2);
    put(b, 20, w->toolkit ? w->toolkit : 1, 4);
    put(b, 48, w->arch | w->arch << 16 | 0x500 | (w->suffix == 'a' ? 0x800 : 0), 4);
    put(b, 52, 64, 2);
    put(b, 58, 64, 2);
    put(b, 62, 0, 2);
}

static void section(struct blob *b, size_t at, unsigned name, unsigned type, size_t offset,
                    size_t size)
{
    put(b, at, name, 4);
    put(b, at + 4, type, 4);
    put(b, at + 24, offset, 8);
    put(b, at + 32, size, 8);
    put(b, at + 56, 0, 8);
}

/* ABI 8: the toolkit is in a note, which needs a section table. */
static void cubin_new(struct blob *b, const struct word *w)
{
    static const char names[] = "\0.shstrtab\0.note.nv.cuinfo";
    put_text(b, 0,
             "\x7f"
             "ELF\x02\x01\x01\x41\x08",
             9);
    put(b, 16, 2, 2);
    put(b, 18, 190, 2);
    put(b, 20, 1, 4);
    put(b, 40, 192, 8); /* section table */
    put(b, 48, 0x06000002u | w->arch << 8 | (w->suffix == 'a' ? 8 : 0), 4);
    put(b, 52, 64, 2);
    put(b, 58, 64, 2);
    put(b, 60, 3, 2);
    put(b, 62, 1, 2);
    put_text(b, 64, names, sizeof names);
    put(b, 128, 12, 4);
    put(b, 132, 8, 4);
    put(b, 136, 1000, 4);
    put_text(b, 140, "NVIDIA Corp", 12);
    put(b, 152, 2, 2);
    put(b, 154, w->arch, 2);
    put(b, 156, w->toolkit, 2);
    put(b, 158, 0, 2);
    section(b, 192, 0, 0, 0, 0);
    section(b, 256, 1, 3, 64, sizeof names);
    section(b, 320, 11, 7, 128, 32);
}

static void make_image(struct blob *b, const struct word *w)
{
    memset(b, 0, sizeof *b);
    if (w->ptx) {
        unsigned isa = w->isa ? w->isa : 31;
        b->size = (size_t)snprintf((char *)b->bytes, sizeof b->bytes,
                                   "//\n.version %u.%u\n.target sm_%u%.1s\n.address_size 64\n"
                                   ".visible .entry k()\n{\nret;\n}\n",
                                   isa / 10, isa % 10, w->arch, w->suffix ? &w->suffix : "");
        b->size++; /* the NUL belongs to it */
    } else if (w->toolkit >= 130 || w->arch >= 100) {
        cubin_new(b, w);
    } else {
        cubin_old(b, w);
    }
}

static void pack(struct blob *image, const struct word *w)
{
    static struct blob packed;
    if (w->zstd) {
        size_t n = ZSTD_compress(packed.bytes, sizeof packed.bytes, image->bytes, image->size, 3);
        cr_assert_not(ZSTD_isError(n));
        packed.size = n;
        *image = packed;
    } else if (w->lz4) {
        int n = LZ4_compress_default((const char *)image->bytes, (char *)packed.bytes,
                                     (int)image->size, (int)sizeof packed.bytes);
        cr_assert_gt(n, 0);
        packed.size = (size_t)n;
        *image = packed;
    }
}

static void add_entry(struct blob *b, const struct word *w)
{
    static struct blob image;
    make_image(&image, w);
    size_t plain = image.size, at = b->size;
    pack(&image, w);
    bool packed = w->zstd || w->lz4;
    size_t padded = (image.size + 7) / 8 * 8;
    unsigned isa = w->isa ? w->isa : 31;
    bool new_abi = w->toolkit >= 130 || w->arch >= 100;
    put(b, at, w->lto ? 8 : w->ptx ? 1 : 2, 2);
    put(b, at + 2, 0x0101, 2);
    put(b, at + 4, 64, 4);
    put(b, at + 8, padded, 8);
    put(b, at + 16, packed ? image.size : 0, 4);
    put(b, at + 24, w->ptx ? isa % 10 : new_abi ? 8 : 7, 2);
    put(b, at + 26, w->ptx ? isa / 10 : 1, 2);
    put(b, at + 28, w->arch, 4);
    put(b, at + 40,
        0x11 | (w->lz4 ? 0x2000 : 0) | (w->zstd ? 0x8000 : 0) |
            (w->suffix == 'a'   ? 0x100000
             : w->suffix == 'f' ? 0x200000
                                : 0),
        8);
    put(b, at + 56, packed ? plain : 0, 8);
    put_text(b, at + 64, (const char *)image.bytes, image.size);
    put(b, at + 64 + padded - 1, b->bytes[at + 64 + padded - 1], 1);
}

static void make_container(struct blob *b, const char *images)
{
    char copy[256], *rest = NULL;
    memset(b, 0, sizeof *b);
    put(b, 0, 0xba55ed50, 4);
    put(b, 4, 1, 2);
    put(b, 6, 16, 2);
    b->size = 16;
    str_copy(copy, sizeof copy, images);
    for (char *w = strtok_r(copy, ",", &rest); w; w = strtok_r(NULL, ",", &rest)) {
        if (strcmp(w, "-") == 0)
            continue;
        struct word word = parse_word(w);
        add_entry(b, &word);
    }
    put(b, 8, b->size - 16, 8);
}

/* ---- rows
 * ---------------------------------------------------------------------------------------- */

struct row {
    const struct table *t;
    size_t index;
};

static const char *field(const struct row *r, const char *column)
{
    return table_field(r->t, r->index, column);
}

static void read_driver(const struct row *r, struct drv_config *config)
{
    struct err err;
    err_clear(&err);
    struct drv_card *card = &config->cards[0];
    config->driver.os = strcmp(field(r, "os"), "windows") == 0 ? DRV_WINDOWS : DRV_LINUX;
    if (strcmp(field(r, "driver"), "-") != 0) {
        cr_assert_eq(drv_driver_parse(&config->driver, field(r, "driver"), &err), 0, "%s: %s",
                     field(r, "id"), err.msg);
        return;
    }
    unsigned branch = 0;
    for (size_t i = 0; drv_driver_branch(i, &branch); i++) {
        char text[12];
        snprintf(text, sizeof text, "%u", branch);
        cr_assert_eq(drv_driver_parse(&config->driver, text, &err), 0);
        if (drv_card_enumerated(card, &config->driver))
            return;
    }
    cr_assert_fail("%s: no driver for the card", field(r, "id"));
}

static void read_config(const struct row *r, struct drv_config *config)
{
    struct err err;
    err_clear(&err);
    memset(config, 0, sizeof *config);
    config->card_count = 1;
    config->cards[0].cc = dotted(field(r, "cc"));
    config->cards[0].notebook = strcmp(field(r, "system"), "notebook") == 0;
    cr_assert_eq(drv_config_unknown(config, NULL, &err), 0);
    read_driver(r, config);
}

static bool code_expected(const char *codes, int code)
{
    char copy[64], *rest = NULL;
    str_copy(copy, sizeof copy, codes);
    for (char *w = strtok_r(copy, ",", &rest); w; w = strtok_r(NULL, ",", &rest))
        if (atoi(w) == code)
            return true;
    return false;
}

static void check_chosen(const struct row *r, const struct drv_loaded *loaded, struct str *wrong)
{
    const char *chosen = field(r, "chosen");
    if (loaded->code || strcmp(chosen, "-") == 0 || strcmp(chosen, "") == 0)
        return;
    struct word w = parse_word(chosen);
    if (w.ptx != loaded->is_ptx || w.arch != loaded->arch || w.suffix != loaded->suffix)
        str_addf(wrong, "%s: took %s_%u%.1s, not %s\n", field(r, "id"),
                 loaded->is_ptx ? "compute" : "sm", loaded->arch,
                 loaded->suffix ? &loaded->suffix : "", chosen);
}

static void check_row(const struct row *r, struct str *wrong)
{
    static struct drv_config config;
    static struct blob image;
    read_config(r, &config);
    struct drv_loaded loaded = { .error = STR_INIT };
    if (!drv_card_enumerated(&config.cards[0], &config.driver)) {
        loaded.code = 100;
    } else {
        if (strcmp(field(r, "path"), "container") == 0) {
            make_container(&image, field(r, "images"));
        } else {
            struct word w = parse_word(field(r, "images"));
            make_image(&image, &w);
        }
        void *exact = malloc(image.size); /* so that a sanitizer sees a byte too many */
        memcpy(exact, image.bytes, image.size);
        drv_loader_load(&loaded, &config, config.cards[0].cc, exact);
        free(exact);
    }
    bool runs = strncmp(field(r, "outcome"), "runs", 4) == 0;
    bool uncertain = strcmp(field(r, "outcome"), "uncertain") == 0;
    if (!code_expected(field(r, "codes"), loaded.code) ||
        (!uncertain && runs != (loaded.code == 0)))
        str_addf(wrong, "%s: %s on %s, driver %s (%s %u), %s: %d, not %s (%s)\n", field(r, "id"),
                 field(r, "images"), field(r, "cc"), field(r, "driver"), field(r, "os"),
                 config.driver.branch, field(r, "path"), loaded.code, field(r, "codes"),
                 field(r, "outcome"));
    else if (!uncertain)
        check_chosen(r, &loaded, wrong);
    drv_loader_free(&loaded);
}

static char *read_matrix(size_t *size)
{
    FILE *f = fopen(MATRIX, "r");
    cr_assert_not_null(f, "run from the project's folder");
    char *text = malloc(1 << 20);
    *size = fread(text, 1, 1 << 20, f);
    fclose(f);
    cr_assert_lt(*size, 1 << 20);
    return text;
}

Test(truth, every_row_of_the_table_loads_or_fails_as_it_says)
{
    struct table t;
    struct err err;
    err_clear(&err);
    size_t size;
    char *text = read_matrix(&size);
    cr_assert_eq(table_parse(&t, text, size, &err), 0, "%s", err.msg);
    cr_assert_geq(t.row_count, 150);
    struct str wrong = STR_INIT;
    for (size_t i = 0; i < t.row_count; i++) {
        struct row row = { &t, i };
        check_row(&row, &wrong);
    }
    cr_assert_str_empty(wrong.p, "%s", wrong.p);
    str_free(&wrong);
    table_free(&t);
    free(text);
}

/* ---- what nobody knows of real drivers
 * -------------------------------------------------------------- */

static int load_container(const char *images, unsigned cc, const char *driver, const char *unknown)
{
    static struct drv_config config;
    static struct blob image;
    struct err err;
    err_clear(&err);
    memset(&config, 0, sizeof config);
    config.driver.os = DRV_LINUX;
    cr_assert_eq(drv_driver_parse(&config.driver, driver, &err), 0, "%s", err.msg);
    cr_assert_eq(drv_config_unknown(&config, unknown, &err), 0, "%s", err.msg);
    if (strchr(images, ',')) {
        make_container(&image, images);
    } else {
        struct word w = parse_word(images);
        make_image(&image, &w);
    }
    struct drv_loaded loaded;
    drv_loader_load(&loaded, &config, cc, image.bytes);
    int code = loaded.code;
    drv_loader_free(&loaded);
    return code;
}

Test(truth, what_is_unknown_can_be_switched_the_other_way)
{
    static const struct {
        const char *images, *driver, *unknown;
        unsigned cc;
        int without, with;
    } rows[] = {
        { "compute_50@isa7.8,compute_35@isa4.0", "470.256", "isa-fallback", 50, 222, 0 },
        { "compute_50@isa7.8,compute_35@isa7.8", "470.256", "isa-fallback", 50, 222, 209 },
        { "sm_50@tk12.4,compute_50@isa6.0", "470.256", "cubin-fallback", 50, 200, 0 },
        { "sm_50@tk12.4,compute_50@isa7.8", "470.256", "cubin-fallback,isa-fallback", 50, 200,
          209 },
        { "sm_50@zstd,compute_50@isa6.0", "535.129", "cubin-fallback", 50, 200, 0 },
        { "sm_50@tk11.8", "470.256", "cubin-arch=200", 35, 209, 200 },
        { "compute_50@isa6.0", "470.256", "ptx-target=209", 35, 218, 209 },
        { "compute_35@isa7.0", "440.33", "isa-440=222", 35, 218, 222 },
        { "compute_35@isa7.0", "450.80", "isa-440=222", 35, 0, 0 },
        { "compute_35@isa7.0", "418.40", "isa-440=222", 35, 218, 218 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect_eq(load_container(rows[i].images, rows[i].cc, rows[i].driver, NULL),
                     rows[i].without, "%zu without", i);
        cr_expect_eq(load_container(rows[i].images, rows[i].cc, rows[i].driver, rows[i].unknown),
                     rows[i].with, "%zu with %s", i, rows[i].unknown);
    }
    struct drv_config config;
    struct err err;
    err_clear(&err);
    cr_expect_eq(drv_config_unknown(&config, "no-such-word", &err), -1);
}
