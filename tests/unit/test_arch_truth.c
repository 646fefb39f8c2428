/* Every row of tests/data/load-matrix.tsv, answered by the rules. The table is written by others,
 * from its sources; what the columns mean is said in tests/data/README.md. Run from the project's
 * root. */
#include <criterion/criterion.h>

#include <stdint.h>
#include <stdlib.h>

#include "arch_specs.h"
#include "core/table.h"

#define MATRIX "tests/data/load-matrix.tsv"
#define IMAGES 16

static char *read_file(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    cr_assert(f, "cannot open '%s': run from the project's root", path);
    fseek(f, 0, SEEK_END);
    *size = (size_t)ftell(f);
    rewind(f);
    char *text = malloc(*size);
    cr_assert(text && fread(text, 1, *size, f) == *size);
    fclose(f);
    return text;
}

static struct table load(void)
{
    size_t size;
    char *text = read_file(MATRIX, &size);
    struct table t;
    struct err err;
    err_clear(&err);
    cr_assert(!table_parse(&t, text, size, &err), "%s", err.msg);
    free(text);
    return t;
}

struct row {
    const char *id, *images, *outcome, *codes, *chosen, *source;
    struct arch_image image[IMAGES];
    int count;
    struct arch_target target;
    enum arch_path path;
};

static struct row read_row(const struct table *t, size_t i)
{
    struct row r = { .id = table_field(t, i, "id"),
                     .images = table_field(t, i, "images"),
                     .outcome = table_field(t, i, "outcome"),
                     .codes = table_field(t, i, "codes"),
                     .chosen = table_field(t, i, "chosen"),
                     .source = table_field(t, i, "source") };
    const char *path = table_field(t, i, "path"), *driver = table_field(t, i, "driver");
    r.count = spec_images(r.images, r.image, IMAGES);
    cr_assert_geq(r.count, 0, "%s: '%s'", r.id, r.images);
    for (int k = 0; k < r.count; k++)
        if (r.image[k].kind == ARCH_PTX && !r.image[k].ptx_major)
            r.image[k].ptx_major = 1; /* "old enough for every driver of that card" */
    unsigned major, minor;
    cr_assert_eq(sscanf(table_field(t, i, "cc"), "%u.%u", &major, &minor), 2, "%s", r.id);
    r.target.cc = major * 10 + minor;
    r.target.os = strcmp(table_field(t, i, "os"), "windows") ? ARCH_LINUX : ARCH_WINDOWS;
    r.target.notebook = !strcmp(table_field(t, i, "system"), "notebook");
    if (strcmp(driver, "-"))
        cr_assert(version_parse(driver, &r.target.driver), "%s: '%s'", r.id, driver);
    r.path = !strcmp(path, "cubin") ? ARCH_BARE_CUBIN
             : !strcmp(path, "ptx") ? ARCH_BARE_PTX
                                    : ARCH_CONTAINER;
    return r;
}

static struct arch_verdict judge(const struct row *r, size_t *chosen)
{
    *chosen = SIZE_MAX;
    if (r->path != ARCH_CONTAINER)
        return arch_judge(r->image, &r->target, r->path);
    return arch_judge_container(r->image, (size_t)r->count, &r->target, chosen);
}

static bool listed(const char *codes, int code)
{
    for (const char *p = codes; p && *p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
        if (atoi(p) == code)
            return true;
    return false;
}

/* The rules may be more exact than the table, never foresee a code that it does not allow. */
static void check_codes(const struct row *r, const struct arch_verdict *v)
{
    for (size_t i = 0; i < v->code_count; i++)
        cr_expect(listed(r->codes, v->codes[i]), "%s: code %d, not in %s (%s)", r->id, v->codes[i],
                  r->codes, r->source);
    if (v->verdict != VERDICT_UNCERTAIN)
        cr_expect(v->code_count, "%s: no code foreseen", r->id);
}

static void check_chosen(const struct row *r, size_t chosen)
{
    struct arch_image image;
    if (!strcmp(r->chosen, "-"))
        return;
    cr_assert(spec_image(r->chosen, &image), "%s: '%s'", r->id, r->chosen);
    cr_expect_neq(chosen, SIZE_MAX, "%s: nothing chosen, not %s", r->id, r->chosen);
    if (chosen == SIZE_MAX)
        return;
    const struct arch_image *taken = &r->image[chosen];
    cr_expect(taken->kind == image.kind && taken->arch == image.arch &&
                  taken->suffix == image.suffix,
              "%s: image %zu chosen, not %s", r->id, chosen, r->chosen);
}

Test(truth, every_row_of_the_load_matrix_is_answered_as_its_source_says)
{
    struct table t = load();
    cr_assert_geq(t.row_count, 150);
    for (size_t i = 0; i < t.row_count; i++) {
        struct row r = read_row(&t, i);
        size_t chosen;
        struct arch_verdict v = judge(&r, &chosen);
        const char *answer = verdict_name(v.verdict);
        cr_expect_str_eq(answer, r.outcome, "%s: '%s' on %u: %s by %s, not %s (%s)", r.id,
                         r.images, r.target.cc, answer, v.rule, r.outcome, r.source);
        if (strcmp(answer, r.outcome))
            continue;
        check_codes(&r, &v);
        check_chosen(&r, chosen);
    }
    table_free(&t);
}
