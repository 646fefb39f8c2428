#include <criterion/criterion.h>

#include <stdint.h>

#include "arch_specs.h"

#define LINUX(version)    .os = ARCH_LINUX, .driver = version
#define WINDOWS(version)  .os = ARCH_WINDOWS, .driver = version
#define NOTEBOOK(version) .os = ARCH_WINDOWS, .notebook = true, .driver = version

/* One load each, with what the driver is known to do. `codes` is the whole set, in any order. */
static const struct {
    const char *images;
    unsigned cc;
    enum arch_os os;
    bool notebook;
    const char *driver;
    enum arch_path path;
    enum verdict verdict;
    int codes[3], code_count;
    const char *source;
} loads[] = {
    /* SASS: same major, lower or same minor */
    { "sm_35@tk11.8", 35, LINUX("470.256.02"), .path = ARCH_CONTAINER, .verdict = VERDICT_RUNS,
      .codes = { 0 }, .code_count = 1, .source = "issue 2: no doubt about this one" },
    { "sm_30", 35, LINUX("470.256.02"), .path = ARCH_CONTAINER, .verdict = VERDICT_RUNS,
      .codes = { 0 }, .code_count = 1, .source = "notes, finding 28" },
    { "sm_35", 37, LINUX("470.256.02"), .path = ARCH_CONTAINER, .verdict = VERDICT_RUNS,
      .codes = { 0 }, .code_count = 1, .source = "torch 1.2.0 on a K80 (compat notes)" },
    { "sm_20", 21, LINUX("390.157"), .path = ARCH_CONTAINER, .verdict = VERDICT_RUNS,
      .codes = { 0 }, .code_count = 1, .source = "notes, finding 28" },
    { "sm_37", 35, LINUX("470.256.02"), .path = ARCH_CONTAINER, .verdict = VERDICT_NO_IMAGE,
      .codes = { 209 }, .code_count = 1, .source = "pytorch#31319: K40c, GT 710 fail, K80 works" },
    { "sm_86", 75, LINUX("535.261.03"), .path = ARCH_BARE_CUBIN, .verdict = VERDICT_NO_IMAGE,
      .codes = { 209, 200 }, .code_count = 2, .source = "DotCompute#189 (209), triton#1323 (200)" },
    { "sm_50 sm_60 sm_70", 35, LINUX("470.86"), .path = ARCH_CONTAINER, .verdict = VERDICT_NO_IMAGE,
      .codes = { 209 }, .code_count = 1, .source = "cuda_memtest#33: GT 720 on 470.86" },
    { "sm_120", 121, LINUX("580.95.05"), .path = ARCH_CONTAINER, .verdict = VERDICT_RUNS,
      .codes = { 0 }, .code_count = 1, .source = "cuda-oxide#379" },
    /* a and f */
    { "sm_90a", 90, LINUX("550.54.14"), .path = ARCH_CONTAINER, .verdict = VERDICT_RUNS,
      .codes = { 0 }, .code_count = 1, .source = "PTX ISA on a targets" },
    { "sm_100a", 103, LINUX("580.65.06"), .path = ARCH_CONTAINER, .verdict = VERDICT_NO_IMAGE,
      .codes = { 209 }, .code_count = 1, .source = "PTX ISA on a targets" },
    { "sm_100f", 103, LINUX("580.65.06"), .path = ARCH_CONTAINER, .verdict = VERDICT_RUNS,
      .codes = { 0 }, .code_count = 1, .source = "notes, finding 28" },
    { "sm_120f", 121, LINUX("580.65.06"), .path = ARCH_CONTAINER, .verdict = VERDICT_RUNS,
      .codes = { 0 }, .code_count = 1, .source = "notes, finding 28" },
    { "sm_103f", 100, LINUX("580.65.06"), .path = ARCH_CONTAINER, .verdict = VERDICT_NO_IMAGE,
      .codes = { 209 }, .code_count = 1, .source = "ptxas 13.0 refuses sm_103f for sm_100" },
    { "sm_100f", 120, LINUX("580.65.06"), .path = ARCH_CONTAINER, .verdict = VERDICT_NO_IMAGE,
      .codes = { 209 }, .code_count = 1, .source = "ptxas 13.0 refuses sm_100f for sm_120" },
    { "compute_90a@isa8.0", 100, LINUX("570.86.10"), .path = ARCH_CONTAINER,
      .verdict = VERDICT_NO_IMAGE, .codes = { 209 }, .code_count = 1,
      .source = "notes, section B" },
    { "compute_90a@isa8.0", 35, LINUX("470.256.02"), .path = ARCH_BARE_PTX,
      .verdict = VERDICT_NO_IMAGE, .codes = { 222 }, .code_count = 1,
      .source = "LuxCore#490: .version is looked at first" },
    /* Tegra, both ways; PTX is not affected */
    { "sm_50", 53, LINUX(""), .path = ARCH_CONTAINER, .verdict = VERDICT_NO_IMAGE,
      .codes = { 209, 200 }, .code_count = 2, .source = "nervanagpu#22: 200 on a TX1" },
    { "sm_72", 75, LINUX("535.261.03"), .path = ARCH_CONTAINER, .verdict = VERDICT_NO_IMAGE,
      .codes = { 209 }, .code_count = 1, .source = "Programming Guide: not for Tegra" },
    { "sm_87", 89, LINUX("535.261.03"), .path = ARCH_CONTAINER, .verdict = VERDICT_NO_IMAGE,
      .codes = { 209 }, .code_count = 1, .source = "Programming Guide: not for Tegra" },
    { "sm_80", 87, LINUX(""), .path = ARCH_CONTAINER, .verdict = VERDICT_NO_IMAGE, .codes = { 209 },
      .code_count = 1, .source = "jax#40492: 209 on an Orin" },
    { "sm_53", 53, LINUX(""), .path = ARCH_CONTAINER, .verdict = VERDICT_RUNS, .codes = { 0 },
      .code_count = 1, .source = "Programming Guide: not for Tegra" },
    { "sm_101", 110, LINUX(""), .path = ARCH_CONTAINER, .verdict = VERDICT_RUNS, .codes = { 0 },
      .code_count = 1, .source = "PyTorch pull request 166185: renamed" },
    { "compute_50@isa4.0", 53, LINUX(""), .path = ARCH_CONTAINER, .verdict = VERDICT_RUNS_BY_JIT,
      .codes = { 0 }, .code_count = 1, .source = "notes, finding 17" },
    { "sm_80", 88, LINUX("580.65.06"), .path = ARCH_CONTAINER, .verdict = VERDICT_UNCERTAIN,
      .source = "notes, finding 17: class unknown" },
    /* PTX */
    { "compute_35@isa7.4", 35, LINUX("470.256.02"), .path = ARCH_CONTAINER,
      .verdict = VERDICT_RUNS_BY_JIT, .codes = { 0 }, .code_count = 1,
      .source = "PTX ISA: 7.4 is driver r470" },
    { "compute_52@isa4.3", 37, LINUX("470.256.02"), .path = ARCH_CONTAINER,
      .verdict = VERDICT_NO_IMAGE, .codes = { 209 }, .code_count = 1,
      .source = "rust-gpu-tools#79: compute_52 on a K80" },
    { "compute_52@isa4.3", 50, LINUX("470.256.02"), .path = ARCH_BARE_PTX,
      .verdict = VERDICT_NO_IMAGE, .codes = { 218 }, .code_count = 1,
      .source = "LuxCore#492: 218 on a GTX 750 Ti" },
    { "compute_35@isa7.7", 50, LINUX("470.82.01"), .path = ARCH_CONTAINER,
      .verdict = VERDICT_DRIVER_TOO_OLD, .codes = { 222 }, .code_count = 1,
      .source = "jupyter-earth#134: 7.7 on a driver of 7.4" },
    { "compute_50@isa6.0", 61, LINUX("375.26"), .path = ARCH_BARE_PTX,
      .verdict = VERDICT_DRIVER_TOO_OLD, .codes = { 218 }, .code_count = 1,
      .source = "ILGPU#36: 6.0 on a driver of 5.0 gives 218" },
    { "compute_35@isa7.8", 35, LINUX("470.256.02"), .path = ARCH_CONTAINER,
      .verdict = VERDICT_NO_IMAGE, .codes = { 222 }, .code_count = 1,
      .source = "notes, finding 6: R470 is the last" },
    { "compute_35@isa7.8", 35, NOTEBOOK("425.31"), .path = ARCH_CONTAINER,
      .verdict = VERDICT_NO_IMAGE, .codes = { 218 }, .code_count = 1,
      .source = "notes, findings 3 and 6" },
    { "compute_35@isa6.4", 35, NOTEBOOK("425.31"), .path = ARCH_CONTAINER,
      .verdict = VERDICT_RUNS_BY_JIT, .codes = { 0 }, .code_count = 1,
      .source = "notes, section F: 425.31 takes up to 6.4" },
    { "compute_50@isa6.3", 61, LINUX("390.87"), .path = ARCH_BARE_PTX,
      .verdict = VERDICT_DRIVER_TOO_OLD, .codes = { 218 }, .code_count = 1,
      .source = "numba#3794: current version is '6.1'" },
    { "compute_60@isa7.1", 70, LINUX("450.80.02"), .path = ARCH_BARE_PTX,
      .verdict = VERDICT_DRIVER_TOO_OLD, .codes = { 222 }, .code_count = 1,
      .source = "hashcat#2626: 450.80.02 gives 222" },
    { "compute_53@isa7.4", 53, LINUX(""), .path = ARCH_BARE_PTX, .verdict = VERDICT_NO_IMAGE,
      .codes = { 218 }, .code_count = 1, .source = "rust-cuda#34: Jetson Nano" },
    /* the driver and the card */
    { "sm_35", 35, LINUX("535.129.03"), .path = ARCH_CONTAINER,
      .verdict = VERDICT_DRIVER_DROPPED_CARD, .codes = { 100 }, .code_count = 1,
      .source = "talos#8764: GT 710 on 535.129.03" },
    { "sm_35", 35, LINUX("495.29.05"), .path = ARCH_CONTAINER,
      .verdict = VERDICT_DRIVER_DROPPED_CARD, .codes = { 100 }, .code_count = 1,
      .source = "notes, section F" },
    { "sm_61", 61, LINUX("590.44.01"), .path = ARCH_CONTAINER,
      .verdict = VERDICT_DRIVER_DROPPED_CARD, .codes = { 100 }, .code_count = 1,
      .source = "nixos-hardware#1828" },
    { "sm_90", 90, LINUX("470.256.02"), .path = ARCH_CONTAINER,
      .verdict = VERDICT_DRIVER_DROPPED_CARD, .codes = { 100 }, .code_count = 1,
      .source = "notes, finding 5: h200 with 470" },
    { "sm_35", 35, NOTEBOOK("430.39"), .path = ARCH_CONTAINER,
      .verdict = VERDICT_DRIVER_DROPPED_CARD, .codes = { 100 }, .code_count = 1,
      .source = "compat notes: 425.31 is the last" },
    { "sm_35@tk11.4", 35, WINDOWS("472.12"), .path = ARCH_CONTAINER, .verdict = VERDICT_RUNS,
      .codes = { 0 }, .code_count = 1, .source = "compat notes: 472.12, CUDA 11.4, desktop" },
    /* SASS of a newer toolkit */
    { "sm_80@tk12.3", 80, LINUX("470.182.03"), .path = ARCH_BARE_CUBIN,
      .verdict = VERDICT_DRIVER_TOO_OLD, .codes = { 200 }, .code_count = 1,
      .source = "triton#2971" },
    { "sm_35@tk11.8", 35, NOTEBOOK("425.31"), .path = ARCH_CONTAINER, .verdict = VERDICT_UNCERTAIN,
      .codes = { 200 }, .code_count = 1, .source = "notes, finding 4: likely 200" },
    { "sm_80@tk11.8", 80, LINUX("450.80.02"), .path = ARCH_CONTAINER, .verdict = VERDICT_RUNS,
      .codes = { 0 }, .code_count = 1, .source = "minor version compatibility of CUDA 11" },
    { "sm_100f@tk12.9", 100, LINUX("570.124.06"), .path = ARCH_CONTAINER,
      .verdict = VERDICT_UNCERTAIN, .codes = { 200, 209 }, .code_count = 2,
      .source = "notes, finding 28: unknown to drivers before 12.9" },
    /* compression */
    { "sm_70@zstd@tk12.8", 70, LINUX("535.288.01"), .path = ARCH_CONTAINER,
      .verdict = VERDICT_DRIVER_TOO_OLD, .codes = { 200 }, .code_count = 1,
      .source = "ollama#16449: V100 on 535.288" },
    { "sm_70@zstd@tk12.8", 70, LINUX("550.54.14"), .path = ARCH_CONTAINER, .verdict = VERDICT_RUNS,
      .codes = { 0 }, .code_count = 1, .source = "nvcc manual (mlx#2407)" },
    { "sm_35@zstd", 35, LINUX("470.256.02"), .path = ARCH_CONTAINER, .verdict = VERDICT_NO_IMAGE,
      .codes = { 200 }, .code_count = 1, .source = "notes, findings 6 and 12" },
    /* which of several */
    { "compute_30@isa3.1 sm_30 sm_35", 35, LINUX("470.256.02"), .path = ARCH_CONTAINER,
      .verdict = VERDICT_RUNS, .codes = { 0 }, .code_count = 1, .source = "notes, finding 25" },
    { "compute_35@isa7.8 compute_30@isa3.1", 35, LINUX("470.256.02"), .path = ARCH_CONTAINER,
      .verdict = VERDICT_UNCERTAIN, .codes = { 222 }, .code_count = 1,
      .source = "notes, finding 25: fallback unknown" },
    { "lto_80", 80, LINUX("535.261.03"), .path = ARCH_CONTAINER, .verdict = VERDICT_NO_GPU_CODE,
      .codes = { 200, 209 }, .code_count = 2, .source = "rules.h" },
    { "", 35, LINUX("535.261.03"), .path = ARCH_CONTAINER, .verdict = VERDICT_NO_GPU_CODE,
      .codes = { 200, 209 }, .code_count = 2, .source = "rules.h" },
};

static struct arch_target target(unsigned cc, enum arch_os os, bool notebook, const char *driver)
{
    struct arch_target t = { .cc = cc, .os = os, .notebook = notebook };
    if (*driver)
        cr_assert(version_parse(driver, &t.driver), "'%s'", driver);
    return t;
}

static bool has_code(const struct arch_verdict *v, int code)
{
    for (size_t i = 0; i < v->code_count; i++)
        if (v->codes[i] == code)
            return true;
    return false;
}

Test(rules, loads_end_as_the_sources_say)
{
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        struct arch_image images[8];
        int count = spec_images(loads[i].images, images, 8);
        cr_assert_geq(count, 0, "row %zu: '%s'", i, loads[i].images);
        struct arch_target t = target(loads[i].cc, loads[i].os, loads[i].notebook, loads[i].driver);
        struct arch_verdict v = loads[i].path == ARCH_CONTAINER
                                    ? arch_judge_container(images, (size_t)count, &t, NULL)
                                    : arch_judge(images, &t, loads[i].path);
        cr_expect_eq(v.verdict, loads[i].verdict, "'%s' on %u with %s (%s): %s by %s",
                     loads[i].images, loads[i].cc, loads[i].driver, loads[i].source,
                     verdict_name(v.verdict), v.rule);
        cr_expect_eq(v.code_count, (size_t)loads[i].code_count, "'%s' on %u with %s: %zu codes",
                     loads[i].images, loads[i].cc, loads[i].driver, v.code_count);
        for (int k = 0; k < loads[i].code_count; k++)
            cr_expect(has_code(&v, loads[i].codes[k]), "'%s' on %u with %s: no code %d",
                      loads[i].images, loads[i].cc, loads[i].driver, loads[i].codes[k]);
    }
}

Test(rules, the_nearest_sass_is_chosen_before_any_ptx)
{
    struct arch_image images[4];
    struct arch_target t = target(89, ARCH_LINUX, false, "535.261.03");
    size_t chosen;
    /* CUDA compatibility guide: SASS wins over PTX, and the closest is taken */
    cr_assert_eq(spec_images("compute_89@isa7.8 sm_80 sm_86 sm_90", images, 4), 4);
    arch_judge_container(images, 4, &t, &chosen);
    cr_expect_eq(chosen, 2);
    cr_assert_eq(
        spec_images("compute_50@isa5.0 compute_80@isa7.0 compute_90@isa7.8 sm_90", images, 4), 4);
    arch_judge_container(images, 4, &t, &chosen);
    cr_expect_eq(chosen, 1);
    cr_assert_eq(spec_images("sm_90 sm_75", images, 4), 2);
    arch_judge_container(images, 2, &t, &chosen);
    cr_expect_eq(chosen, SIZE_MAX);
}

static const struct {
    const char *image, *driver;
    unsigned cc;
    enum arch_os os;
    const char *least;
} leasts[] = {
    /* CUDA 13.2 release notes, table of driver versions */
    { "compute_50@isa7.8", "470.82.01", 50, ARCH_LINUX, "520.61.05" },
    { "compute_50@isa7.8", "472.12", 50, ARCH_WINDOWS, "520.06" },
    { "compute_50@isa6.4", "390.157", 61, ARCH_LINUX, "418.39" },
    { "sm_70@zstd", "535.288.01", 70, ARCH_LINUX, "550.54.14" },
    { "sm_70@zstd", "538.46", 70, ARCH_WINDOWS, "551.61" },
    { "sm_80@tk12.3", "470.182.03", 80, ARCH_LINUX, "525.60.13" },
};

Test(rules, a_too_old_driver_is_told_which_one_would_do)
{
    for (size_t i = 0; i < sizeof leasts / sizeof *leasts; i++) {
        struct arch_image image;
        cr_assert(spec_image(leasts[i].image, &image));
        struct arch_target t = target(leasts[i].cc, leasts[i].os, false, leasts[i].driver);
        struct arch_verdict v = arch_judge_container(&image, 1, &t, NULL);
        char text[VERSION_TEXT_MAX];
        cr_expect_str_eq(version_text(v.least_driver, text), leasts[i].least, "row %zu", i);
    }
}

static const struct {
    unsigned major, minor, cc;
    enum arch_os os;
    bool notebook;
    const char *driver;
    enum verdict verdict;
    int code;
} runtimes[] = {
    /* notes, finding 14: measured with stub drivers that report any version, and on 535 */
    { 11, 8, 35, LINUX("470.256.02"), .verdict = VERDICT_RUNS, .code = 0 },
    { 11, 8, 61, LINUX("418.39"), .verdict = VERDICT_LIBRARY_FLOOR, .code = 35 },
    { 11, 8, 61, LINUX("440.33"), .verdict = VERDICT_LIBRARY_FLOOR, .code = 35 },
    { 13, 0, 75, LINUX("535.261.03"), .verdict = VERDICT_LIBRARY_FLOOR, .code = 35 },
    { 13, 0, 75, LINUX("580.65.06"), .verdict = VERDICT_RUNS, .code = 0 },
    /* notes, findings 6 and 14: wheels of 12 and 13 on a 920M give 35, not 209 */
    { 12, 1, 35, LINUX("470.256.02"), .verdict = VERDICT_LIBRARY_FLOOR, .code = 35 },
    { 10, 2, 35, NOTEBOOK("425.31"), .verdict = VERDICT_LIBRARY_FLOOR, .code = 35 },
    { 10, 1, 35, NOTEBOOK("425.31"), .verdict = VERDICT_RUNS, .code = 0 },
    /* with 13.0 and 535, a card or none: 35 comes before 100 */
    { 13, 0, 35, LINUX("535.261.03"), .verdict = VERDICT_LIBRARY_FLOOR, .code = 35 },
    { 11, 8, 35, LINUX("535.261.03"), .verdict = VERDICT_DRIVER_DROPPED_CARD, .code = 100 },
};

Test(rules, a_runtime_refuses_drivers_below_its_floor)
{
    for (size_t i = 0; i < sizeof runtimes / sizeof *runtimes; i++) {
        struct arch_target t =
            target(runtimes[i].cc, runtimes[i].os, runtimes[i].notebook, runtimes[i].driver);
        struct arch_verdict v = arch_judge_runtime(runtimes[i].major, runtimes[i].minor, &t);
        cr_expect_eq(v.verdict, runtimes[i].verdict, "row %zu: %s", i, verdict_name(v.verdict));
        cr_expect_eq(v.codes[0], runtimes[i].code, "row %zu: %d", i, v.codes[0]);
    }
}

Test(rules, no_driver_named_means_the_newest_that_the_card_can_have)
{
    struct arch_image image;
    struct arch_target t = target(35, ARCH_LINUX, false, "");
    cr_assert(spec_image("compute_35@isa7.4", &image));
    cr_expect_eq(arch_judge(&image, &t, ARCH_CONTAINER).verdict, VERDICT_RUNS_BY_JIT);
    image.ptx_minor = 5; /* R470 is the last and takes 7.4 */
    cr_expect_eq(arch_judge(&image, &t, ARCH_CONTAINER).verdict, VERDICT_NO_IMAGE);
    t.cc = 90;
    cr_expect_eq(arch_judge(&image, &t, ARCH_CONTAINER).verdict, VERDICT_RUNS_BY_JIT);
}

Test(rules, an_unknown_capability_is_uncertain)
{
    struct arch_image image;
    struct arch_target t = target(79, ARCH_LINUX, false, "");
    cr_assert(spec_image("sm_75", &image));
    cr_expect_eq(arch_judge(&image, &t, ARCH_CONTAINER).verdict, VERDICT_UNCERTAIN);
}

Test(rules, every_rule_has_a_source_and_a_known_confidence)
{
    static const char *const words[] = { "measured", "documented", "inferred", "claimed" };
    size_t count;
    const struct arch_rule *rules = arch_rules(&count);
    for (size_t i = 0; i < count; i++) {
        bool known = false;
        for (size_t k = 0; k < 4; k++)
            known |= !strcmp(rules[i].confidence, words[k]);
        cr_expect(known && *rules[i].source, "rule '%s'", rules[i].id);
        cr_expect_eq(arch_rule_find(rules[i].id), &rules[i], "id '%s' twice", rules[i].id);
    }
}

Test(rules, a_library_with_one_usable_container_runs)
{
    /* notes on the container format, section 12: libcublasLt.so.11 on 8.6 = 498 / 0 / 298 */
    struct arch_summary s = { 0 };
    for (int i = 0; i < 498; i++)
        arch_summary_add(&s, VERDICT_RUNS);
    for (int i = 0; i < 298; i++)
        arch_summary_add(&s, VERDICT_NO_IMAGE);
    arch_summary_add(&s, VERDICT_NO_GPU_CODE);
    cr_expect_eq(arch_summary_verdict(&s), VERDICT_RUNS);
    cr_expect_eq(s.usable, 498);
    cr_expect_eq(s.without, 298);
    cr_expect_eq(s.containers, 797);
}

Test(rules, a_file_without_any_usable_container_has_no_image)
{
    struct arch_summary s = { 0 }, more = { 0 };
    cr_expect_eq(arch_summary_verdict(&s), VERDICT_NO_GPU_CODE);
    arch_summary_add(&s, VERDICT_NO_GPU_CODE);
    cr_expect_eq(arch_summary_verdict(&s), VERDICT_NO_GPU_CODE);
    arch_summary_add(&s, VERDICT_NO_IMAGE);
    cr_expect_eq(arch_summary_verdict(&s), VERDICT_NO_IMAGE);
    arch_summary_add(&more, VERDICT_DRIVER_TOO_OLD);
    arch_summary_merge(&s, &more);
    cr_expect_eq(arch_summary_verdict(&s), VERDICT_DRIVER_TOO_OLD);
    cr_expect_eq(s.without, 2);
}
