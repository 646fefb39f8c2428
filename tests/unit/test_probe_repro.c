/* The table of cases, its sentences, and the judging of what came. */
#include <criterion/criterion.h>
#include <string.h>

#include "data/data.h"
#include "fatbin/images.h"
#include "probe/provoke.h"
#include "probe/repro_play.h"

static bool has_text(const char *id)
{
    const struct table *t = data_table(DATA_TEXT);
    for (size_t row = 0; row < t->row_count; row++)
        if (strcmp(table_field(t, row, "id"), id) == 0)
            return *table_field(t, row, "en") && *table_field(t, row, "zh");
    return false;
}

/* The cases that the work asks for. */
static const char *const asked[] = {
    "no-image",       "other-major",  "higher-minor",   "ptx-newer-card",      "ptx-newer-driver",
    "ptx-broken",     "not-an-image", "ptx-90a",        "cubin-newer-toolkit", "zstd-old-driver",
    "kernel-missing", "kernel-empty", "no-jit-library", "driver-too-old",      "driver-too-new",
    "mixed-gpus",     "lazy-loading", "sticky-error",   "out-of-memory",       "launch-timeout",
};

Test(repro, every_case_is_in_the_table_and_can_be_played)
{
    size_t n = sizeof asked / sizeof asked[0];
    cr_assert_eq(repro_count(), n);
    for (size_t i = 0; i < n; i++) {
        cr_expect_lt(repro_find(asked[i]), repro_count(), "'%s'", asked[i]);
        cr_expect(provoke_knows(asked[i]) || strcmp(asked[i], "driver-too-old") == 0, "'%s'",
                  asked[i]);
    }
    cr_assert_eq(repro_find("nonsense"), repro_count());
}

Test(repro, every_case_has_its_sentences)
{
    static const char *const what[] = { "what", "cause", "recognise", "cure" };
    for (size_t i = 0; i < repro_count(); i++)
        for (size_t k = 0; k < sizeof what / sizeof what[0]; k++) {
            char id[96];
            snprintf(id, sizeof id, "repro.%s.%s", repro_name(i), what[k]);
            cr_expect(has_text(id), "no '%s'", id);
        }
}

Test(repro, every_row_has_codes_a_source_and_words_for_its_path)
{
    const struct table *t = data_table(DATA_REPRO);
    for (size_t row = 0; row < t->row_count; row++) {
        const char *path = table_field(t, row, "path");
        char id[96];
        snprintf(id, sizeof id, "repro.path.%s", path);
        cr_expect(strncmp(path, "cudart:", 7) == 0 || has_text(id), "no '%s'", id);
        cr_expect(*table_field(t, row, "codes"));
        cr_expect_not(table_blank(table_field(t, row, "source")), "row %zu has no source", row);
    }
}

static const struct {
    const char *name, *path;
    int cuda;
    int codes[REPRO_CODES_MAX];
    size_t count;
} levels[] = {
    { "ptx-newer-driver", "ptx", 9010, { 218 }, 1 },
    { "ptx-newer-driver", "ptx", 10010, { 218 }, 1 },
    { "ptx-newer-driver", "container", 10020, { 218, 222 }, 2 },
    { "ptx-newer-driver", "ptx", 11000, { 222 }, 1 },
    { "ptx-newer-driver", "ptx", 13000, { 222 }, 1 },
    { "ptx-90a", "ptx", 11080, { 222 }, 1 },
    { "ptx-90a", "ptx", 12000, { 218 }, 1 },
    { "zstd-old-driver", "container", 12030, { 200 }, 1 },
    { "no-image", "container", 11040, { 209 }, 1 },
};

Test(repro, the_codes_expected_follow_the_driver)
{
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        struct repro_expected e;
        cr_assert(repro_expect(levels[i].name, levels[i].path, levels[i].cuda, &e), "%s %d",
                  levels[i].name, levels[i].cuda);
        cr_assert_eq(e.code_count, levels[i].count, "%s %d", levels[i].name, levels[i].cuda);
        for (size_t k = 0; k < e.code_count; k++)
            cr_expect_eq(e.codes[k], levels[i].codes[k], "%s %d", levels[i].name, levels[i].cuda);
    }
    struct repro_expected e;
    cr_assert_not(repro_expect("zstd-old-driver", "container", 12040, &e), "R550 unpacks zstd");
    cr_assert_not(repro_expect("no-image", "nonsense", 11040, &e));
}

/* What came, and what it makes of the case. */
static const struct {
    const char *name;
    int fault, cure_code;
    bool cure_right, with_cure;
    enum repro_status status;
} played[] = {
    { "no-image", 209, 0, true, true, REPRO_SEEN },
    { "no-image", 200, 0, true, true, REPRO_WRONG },
    { "no-image", 0, 0, true, true, REPRO_WRONG },
    { "no-image", 209, 0, false, true, REPRO_WRONG },
    { "no-image", 209, 700, false, true, REPRO_WRONG },
    { "no-image", 209, 0, false, false, REPRO_WRONG },
};

Test(repro, only_the_expected_error_with_a_working_cure_counts)
{
    for (size_t i = 0; i < sizeof played / sizeof played[0]; i++) {
        struct repro_result r = { .name = played[i].name };
        repro_add_step(&r, REPRO_FAULT, "container", "cuModuleLoadDataEx", played[i].fault);
        if (played[i].with_cure) {
            struct repro_step *cure =
                repro_add_step(&r, REPRO_CURE, "cure", "cuModuleLoadDataEx", played[i].cure_code);
            cure->ran = cure->right = played[i].cure_right;
        }
        repro_judge(&r, 11040);
        cr_expect_eq(r.status, played[i].status, "row %zu: %s", i, repro_status_name(r.status));
    }
}

Test(repro, a_check_beside_the_fault_counts_too)
{
    struct repro_result r = { .name = "sticky-error" };
    repro_add_step(&r, REPRO_FAULT, "launch", "cuCtxSynchronize", 700);
    repro_add_step(&r, REPRO_CHECK, "after_fault", "cuMemAlloc", 0);
    struct repro_step *cure = repro_add_step(&r, REPRO_CURE, "cure", "cuModuleLoadDataEx", 0);
    cure->ran = cure->right = true;
    repro_judge(&r, 11040);
    cr_assert_eq(r.status, REPRO_WRONG, "a context that works after 700 is no sticky error");
    r.steps[1].code = 700;
    r.status = REPRO_SEEN;
    repro_judge(&r, 11040);
    cr_assert_eq(r.status, REPRO_SEEN);
}

Test(repro, without_a_driver_a_case_says_that_it_cannot_be_provoked)
{
    struct repro_plan plan = { .library = NULL };
    struct repro_result *r = calloc(1, sizeof *r);
    struct err err;
    err_clear(&err);
    cr_assert_eq(repro_play(&plan, repro_find("no-image"), r, &err), 0, "%s", err.msg);
    cr_assert_eq(r->status, REPRO_UNABLE);
    /* A build without images lacks that first. */
    cr_assert_str_eq(r->unable, embedded_image_count ? "no_driver" : "build");
    cr_assert_str_eq(r->virtual_card, embedded_image_count ? "920m" : "");
    /* The table's codes are there all the same: 98 from the queries, 209 from the launch. */
    cr_assert_eq(r->runtime.count, 3);
    cr_assert_eq(r->runtime.calls[0].code, 98);
    cr_assert_eq(r->runtime.calls[2].code, 209);
    cr_assert_str_eq(r->runtime.calls[2].call, "cudaLaunchKernel");
    free(r);
}

Test(repro, below_its_floor_the_runtime_says_35_whatever_the_case)
{
    struct repro_runtime runtime;
    repro_runtime_document(&runtime, "no-image", 10010);
    cr_assert(runtime.below_floor);
    cr_assert_eq(runtime.count, 3);
    for (size_t i = 0; i < runtime.count; i++)
        cr_assert_eq(runtime.calls[i].code, 35);
    repro_runtime_document(&runtime, "no-image", 11000);
    cr_assert_not(runtime.below_floor);
}
