/* What guides claim about versions (tests/data/claims.tsv), and the table of builds. Run from the
 * project's root. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/os.h"
#include "core/str.h"
#include "core/table.h"
#include "data/data.h"
#include "doctor/stack.h"
#include "doctor/stack_spec.h"

/* ---- the tables ---- */

static bool is_confidence(const char *word)
{
    char spaced[32];
    snprintf(spaced, sizeof spaced, " %s ", word);
    return strstr(" measured documented inferred claimed ", spaced);
}

Test(stack, every_build_is_well_formed)
{
    const struct table *t = data_table(DATA_BUILDS);
    cr_assert_geq(t->row_count, 500);
    for (size_t row = 0; row < t->row_count; row++) {
        const char *package = table_field(t, row, "package"), *cuda = table_field(t, row, "cuda"),
                   *os = table_field(t, row, "os"), *archs = table_field(t, row, "archs"),
                   *channel = table_field(t, row, "channel");
        unsigned major, minor;
        cr_assert_eq(sscanf(cuda, "%u.%u", &major, &minor), 2, "%s %s", package, cuda);
        cr_assert(!strcmp(os, "linux") || !strcmp(os, "windows"), "%s", os);
        cr_assert(!strcmp(channel, "pip") || !strcmp(channel, "conda") || !strcmp(channel, "app"));
        cr_assert(is_confidence(table_field(t, row, "confidence")), "%s", package);
        cr_assert_gt(strlen(table_field(t, row, "source")), 3, "%s", package);
        cr_assert(!table_blank(archs) || *archs == '?', "%s", package);
        for (const char *p = archs; *p && *archs != '?'; p += strcspn(p, " "), p += strspn(p, " "))
            cr_assert(str_starts(p, "sm_") || str_starts(p, "compute_") || str_starts(p, "cc_"),
                      "%s: %s", package, archs);
        for (size_t other = 0; other < row; other++)
            cr_assert(
                strcmp(package, table_field(t, other, "package")) != 0 ||
                    strcmp(cuda, table_field(t, other, "cuda")) != 0 ||
                    strcmp(os, table_field(t, other, "os")) != 0 ||
                    strcmp(channel, table_field(t, other, "channel")) != 0 ||
                    strcmp(table_field(t, row, "version"), table_field(t, other, "version")) != 0,
                "%s %s twice", package, table_field(t, row, "version"));
    }
}

Test(stack, measured_packages_are_in_the_table)
{
    cr_assert_eq(system("scripts/update-builds --check"), 0);
}

Test(stack, the_other_tables_are_well_formed)
{
    const enum data_id ids[] = { DATA_RELEASES, DATA_INSTALL, DATA_BELIEFS };
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        const struct table *t = data_table(ids[i]);
        cr_assert_gt(t->row_count, 5);
        for (size_t row = 0; row < t->row_count; row++) {
            cr_assert(is_confidence(table_field(t, row, "confidence")), "%s row %zu",
                      data_name(ids[i]), row);
            cr_assert_gt(strlen(table_field(t, row, "source")), 3);
        }
    }
}

/* ---- claims ---- */

static struct str claims_text = STR_INIT;
static struct table claims;

static void open_claims(void)
{
    struct err err;
    err_clear(&err);
    cr_assert_eq(os_read_file("tests/data/claims.tsv", 1 << 20, &claims_text, &err), 0, "%s",
                 err.msg);
    cr_assert_eq(table_parse(&claims, claims_text.p, claims_text.len, &err), 0, "%s", err.msg);
}

static void close_claims(void)
{
    table_free(&claims);
    str_free(&claims_text);
}

static const struct {
    const char *column;
    unsigned cc;
} cards[] = { { "cc3.0", 30 }, { "cc3.5", 35 }, { "cc3.7", 37 }, { "cc5.0", 50 }, { "cc7.5", 75 } };

static struct arch_target target_of(size_t row, unsigned cc)
{
    struct arch_target target = { .cc = cc };
    target.os = strcmp(table_field(&claims, row, "os"), "windows") ? ARCH_LINUX : ARCH_WINDOWS;
    target.notebook = strcmp(table_field(&claims, row, "system"), "notebook") == 0;
    if (strcmp(table_field(&claims, row, "driver"), "-") != 0)
        cr_assert(version_parse(table_field(&claims, row, "driver"), &target.driver));
    return target;
}

static const char *answer(const struct stack_spec *spec, const struct arch_target *target)
{
    struct stack_check check;
    if (spec->belief >= 0)
        return table_field(data_table(DATA_BELIEFS), (size_t)spec->belief, "verdict");
    for (size_t i = 0; i < spec->card_count; i++)
        if (!spec->cards[i].right)
            return "false";
    if (spec->card_count)
        return "true";
    stack_spec_check(spec, target, &check);
    return stack_status_name(check.status);
}

Test(stack, every_claim_gets_its_answer, .init = open_claims, .fini = close_claims)
{
    cr_assert_geq(claims.row_count, 40);
    for (size_t row = 0; row < claims.row_count; row++) {
        struct stack_spec spec;
        struct err err;
        const char *id = table_field(&claims, row, "id"), *text = table_field(&claims, row, "spec");
        err_clear(&err);
        cr_expect_eq(stack_spec_parse(text, &spec, &err), 0, "%s: %s", id, err.msg);
        for (size_t i = 0; i < sizeof cards / sizeof cards[0]; i++) {
            struct arch_target target = target_of(row, cards[i].cc);
            cr_expect_str_eq(answer(&spec, &target), table_field(&claims, row, cards[i].column),
                             "%s '%s' on %u", id, text, cards[i].cc);
        }
    }
}

/* ---- specs ---- */

static const struct {
    const char *text, *package, *version, *cuda, *python;
} specs[] = {
    { "torch==1.12.1+cu102", "torch", "1.12.1", "10.2", "" },
    { "TORCH==1.12.1+CU102", "torch", "1.12.1", "10.2", "" },
    { "torch 1.3.0 cu92 py37", "torch", "1.3.0", "9.2", "3.7" },
    { "torch-1.5.1", "torch", "1.5.1", "", "" },
    { "pytorch==1.2.0 cudatoolkit=9.2", "torch", "1.2.0", "9.2", "" },
    { "torch-2.0.1%2Bcu118-cp39-cp39-win_amd64.whl", "torch", "2.0.1", "11.8", "3.9" },
    { "/home/x/Downloads/torch-1.3.0-cp37-cp37m-manylinux1_x86_64.whl", "torch", "1.3.0", "",
      "3.7" },
    { "pytorch/pytorch:1.5-cuda10.1-cudnn7-runtime", "torch", "1.5", "10.1", "" },
    { "docker.io/pytorch/pytorch:2.7.1-cuda12.6-cudnn9-devel", "torch", "2.7.1", "12.6", "" },
    { "tensorflow/tensorflow:2.3.0-gpu", "tensorflow", "2.3.0", "", "" },
    { "nvidia/cuda:11.8.0-runtime-ubuntu22.04", "", "", "11.8", "" },
    { "tensorflow_gpu==2.3.0", "tensorflow-gpu", "2.3.0", "", "" },
    { "cuda 10.2", "", "", "10.2", "" },
    { "driver 441.22, torch==1.5.1, python=3.8", "torch", "1.5.1", "", "3.8" },
};

Test(stack, specs_are_read_as_people_write_them)
{
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        struct stack_spec s;
        struct err err;
        err_clear(&err);
        cr_assert_eq(stack_spec_parse(specs[i].text, &s, &err), 0, "%s", err.msg);
        cr_assert_str_eq(s.package, specs[i].package, "'%s'", specs[i].text);
        cr_assert_str_eq(s.version, specs[i].version, "'%s'", specs[i].text);
        cr_assert_str_eq(s.cuda, specs[i].cuda, "'%s'", specs[i].text);
        cr_assert_str_eq(s.python, specs[i].python, "'%s'", specs[i].text);
    }
}

Test(stack, what_means_nothing_is_refused)
{
    static const char *const texts[] = { "",
                                         "hello",
                                         "foo==1.2",
                                         "is 5.0",
                                         "a/b:c",
                                         ".whl",
                                         "-----.whl",
                                         "driver x",
                                         "=",
                                         "==",
                                         "cu",
                                         "py",
                                         "torch==",
                                         "torch==+cu102",
                                         "cudnn=",
                                         "cuda ==",
                                         "torch== cuda 10.2",
                                         "python 3.8" };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct stack_spec s;
        struct err err;
        err_clear(&err);
        cr_assert_eq(stack_spec_parse(texts[i], &s, &err), -1, "'%s'", texts[i]);
        cr_assert_eq(err.code, ERR_USAGE);
    }
}

/* Said twice is fine when it is the same, or the second says it more closely. */
Test(stack, a_spec_that_contradicts_itself_is_refused)
{
    static const struct {
        const char *text, *told; /* NULL: no contradiction */
    } pairs[] = {
        { "torch==1.3.0 torch==1.4.0", "'1.3.0' and '1.4.0'" },
        { "torch==1.3.0 torchvision==0.4.1", "'torch' and 'torchvision'" },
        { "torch==1.3.0+cpu torch==1.3.0+cu92", "'cpu' and 'cu92'" },
        { "torch==1.12.1+cu102 cuda 11.8", "'10.2' and '11.8'" },
        { "torch==1.3.0 python 3.7 py38", "'3.7' and '3.8'" },
        { "driver 470 driver 535 cuda 11.4", "'470' and '535'" },
        { "cudnn 7.6 cudnn 8", "'7.6' and '8'" },
        { "torch-1.3.0-cp37-cp37m-win_amd64.whl torch-1.3.0-cp37-cp37m-manylinux1_x86_64.whl",
          "'linux' and 'windows'" },
        { "torch==1.3.0 torch==1.3.0", NULL },
        { "torch 1.3 torch==1.3.0", NULL },
        { "torch==1.3.0 torch==1.3.0+cu92", NULL },
        { "pytorch==1.2.0 cudatoolkit=9.2 cu92", NULL },
        { "pytorch/pytorch:1.5-cuda10.1-cudnn7-runtime cudnn 7.6", NULL },
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        struct stack_spec s;
        struct err err;
        err_clear(&err);
        int got = stack_spec_parse(pairs[i].text, &s, &err);
        cr_expect_eq(got, pairs[i].told ? -1 : 0, "'%s': %s", pairs[i].text, err.msg);
        if (pairs[i].told)
            cr_expect(err.code == ERR_USAGE && strstr(err.msg, pairs[i].told), "'%s': %s",
                      pairs[i].text, err.msg);
    }
}

/* ---- answers ---- */

static enum stack_status status_of(const char *text, const struct arch_target *target)
{
    struct stack_spec spec;
    struct stack_check check;
    struct err err;
    err_clear(&err);
    cr_assert_eq(stack_spec_parse(text, &spec, &err), 0, "%s", err.msg);
    stack_spec_check(&spec, target, &check);
    return check.status;
}

/* All but 2.99.0 and the CUDA to come are releases that work on an A100, so "no" would be wrong. */
Test(stack, what_the_tables_do_not_know_is_neither_good_nor_bad)
{
    static const char *const texts[] = { "jax==0.4.30",          "tensorflow==2.16.1",
                                         "cupy==13.3.0",         "onnxruntime-gpu==1.18.0",
                                         "vllm==0.5.0",          "torch==2.99.0",
                                         "torch==1.9.0+nv21.08", "cuda 99.9",
                                         "driver 999 cuda 99.9" };
    struct arch_target target = { .cc = 80 }, old = { .cc = 35 };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        enum stack_status status = status_of(texts[i], &target);
        cr_expect_eq(status, STACK_UNKNOWN_RELEASE, "'%s': %s", texts[i],
                     stack_status_name(status));
        cr_expect(stack_is_unknown(status) && !stack_works(status), "'%s'", texts[i]);
    }
    cr_expect_eq(status_of("cuda 99.9", &old), STACK_DRIVER_NEVER);
    cr_expect_eq(status_of("cudnn 4", &target), STACK_UNKNOWN_RELEASE);
    cr_expect_eq(status_of("cudnn 9", &target), STACK_WORKS);
    cr_expect_eq(status_of("cudnn 9", &old), STACK_CUDNN_FLOOR);
    cr_expect_eq(status_of("cuda 10.2", &(struct arch_target){ .cc = 72 }), STACK_UNKNOWN);
    cr_expect_not(stack_is_unknown(STACK_NO_KERNELS));
}

/* Asked of pip for win_amd64: PyPI has none before 1.7.0. torch_stable.html and guides of the time:
 * cu101/torch-1.3.0, cu102/torch-1.6.0 and cu102/torch-1.7.1 for win_amd64; cpu/torch-1.3.0%2Bcpu;
 * torch-1.1.0 in each of cpu, cu90 and cu100. */
static const struct {
    const char *text;
    enum stack_status status;
    const char *cuda; /* of the one build that is meant; "" none */
} plain_names[] = {
    { "torch-1.3.0-cp37-cp37m-win_amd64.whl", STACK_WORKS, "10.1" },
    { "torch-1.3.0+cpu-cp37-cp37m-win_amd64.whl", STACK_CPU_BUILD, "" },
    { "torch-1.3.0+cu92-cp37-cp37m-win_amd64.whl", STACK_WORKS, "9.2" },
    { "torch==1.3.0", STACK_WORKS, "10.1" },
    { "torch-1.6.0-cp37-cp37m-win_amd64.whl", STACK_WORKS, "10.2" },
    { "torch-1.1.0-cp37-cp37m-win_amd64.whl", STACK_UNKNOWN, "" },
    { "https://download.pytorch.org/whl/cu90/torch-1.1.0-cp37-cp37m-win_amd64.whl", STACK_WORKS,
      "9.0" },
    { "https://download.pytorch.org/whl/cpu/torch-1.1.0-cp37-cp37m-win_amd64.whl", STACK_CPU_BUILD,
      "" },
    { "torch-1.1.0-cp37-cp37m-linux_x86_64.whl", STACK_UNKNOWN, "" },
    { "torch-1.1.0-cp37-cp37m-manylinux1_x86_64.whl", STACK_WORKS, "9.0" },
    { "torch-1.6.0-cp37-cp37m-linux_x86_64.whl", STACK_WORKS, "10.2" },
    { "torch-1.7.1-cp36-cp36m-win_amd64.whl", STACK_UNKNOWN, "" },
    { "torch==1.7.1", STACK_CPU_BUILD, "" },
    { "torch-1.12.1-cp38-cp38-win_amd64.whl", STACK_CPU_BUILD, "" },
    { "torch==1.12.1+rocm5.2", STACK_NO_BUILD, "" },
};

Test(stack, wheels_without_a_local_version_are_told_apart)
{
    struct arch_target target = { .cc = 61, .os = ARCH_WINDOWS };
    for (size_t i = 0; i < sizeof plain_names / sizeof plain_names[0]; i++) {
        struct stack_spec spec;
        struct stack_check check;
        struct err err;
        err_clear(&err);
        cr_assert_eq(stack_spec_parse(plain_names[i].text, &spec, &err), 0, "%s", err.msg);
        stack_spec_check(&spec, &target, &check);
        cr_expect_eq(check.status, plain_names[i].status, "'%s': %s", plain_names[i].text,
                     stack_status_name(check.status));
        cr_expect_eq(check.answer_count, *plain_names[i].cuda ? 1 : 0, "'%s'", plain_names[i].text);
        cr_expect_eq(check.same_name, plain_names[i].status == STACK_UNKNOWN);
        if (check.answer_count)
            cr_expect_str_eq(table_field(data_table(DATA_BUILDS), check.answers[0].build, "cuda"),
                             plain_names[i].cuda, "'%s'", plain_names[i].text);
    }
}

/* ---- lists ---- */

static const char *column(const struct stack_answer *a, const char *name)
{
    return table_field(data_table(DATA_BUILDS), a->build, name);
}

/* The newest torch for each; from the build recipes and the opened wheels. */
static const struct {
    unsigned cc;
    bool windows, notebook;
    const char *version, *cuda;
} newest[] = {
    { 35, false, true, "1.3.0", "10.1" },    { 37, false, false, "2.7.1", "11.8" },
    { 50, false, true, "2.14.0", "12.6" },   { 61, false, false, "2.14.0", "12.6" },
    { 120, false, false, "2.15.0", "13.2" },
};

Test(stack, the_newest_build_comes_first)
{
    for (size_t i = 0; i < sizeof newest / sizeof newest[0]; i++) {
        struct arch_target target = { .cc = newest[i].cc,
                                      .os = newest[i].windows ? ARCH_WINDOWS : ARCH_LINUX,
                                      .notebook = newest[i].notebook };
        size_t count, others;
        struct stack_answer *list = stack_find("torch", &target, &count, &others);
        cr_assert_not_null(list);
        cr_assert_str_eq(column(&list[0], "version"), newest[i].version, "%u", newest[i].cc);
        cr_assert_str_eq(column(&list[0], "cuda"), newest[i].cuda, "%u", newest[i].cc);
        for (size_t j = 1; j < count; j++)
            cr_assert_leq(
                stack_compare(column(&list[j], "version"), column(&list[j - 1], "version")), 0);
        free(list);
    }
}

Test(stack, no_torch_has_kernels_for_3_0)
{
    struct arch_target target = { .cc = 30 };
    size_t count, others;
    cr_assert_null(stack_find("torch", &target, &count, &others));
    cr_assert_eq(count, 0);
    cr_assert_gt(others, 200);
}

/* ---- commands ---- */

static size_t find_build(const char *version, const char *cuda, const char *os, const char *channel)
{
    const struct table *t = data_table(DATA_BUILDS);
    for (size_t row = 0; row < t->row_count; row++)
        if (!strcmp(table_field(t, row, "package"), "torch") &&
            !strcmp(table_field(t, row, "version"), version) &&
            !strcmp(table_field(t, row, "cuda"), cuda) && !strcmp(table_field(t, row, "os"), os) &&
            !strcmp(table_field(t, row, "channel"), channel))
            return row;
    cr_assert(false, "no build of %s", version);
    return 0;
}

/* As PyTorch's page of previous versions prints them. */
static const struct {
    const char *version, *cuda, *os, *channel;
    size_t which;
    const char *line;
} commands[] = {
    { "1.2.0", "10.0", "linux", "pip", 0, "pip install torch==1.2.0 torchvision==0.4.0\n" },
    { "1.2.0", "9.2", "linux", "pip", 0,
      "pip install torch==1.2.0+cu92 torchvision==0.4.0+cu92 -f "
      "https://download.pytorch.org/whl/torch_stable.html\n" },
    { "1.1.0", "10.0", "linux", "pip", 0,
      "pip install https://download.pytorch.org/whl/cu100/torch-1.1.0-cp37-cp37m-linux_x86_64.whl\n"
      "pip install "
      "https://download.pytorch.org/whl/cu100/torchvision-0.3.0-cp37-cp37m-linux_x86_64.whl\n" },
    { "1.1.0", "9.0", "windows", "pip", 0,
      "pip install https://download.pytorch.org/whl/cu90/torch-1.1.0-cp37-cp37m-win_amd64.whl\n"
      "pip install "
      "https://download.pytorch.org/whl/cu90/torchvision-0.3.0-cp37-cp37m-win_amd64.whl\n" },
    { "1.0.1", "8.0", "windows", "pip", 0,
      "pip install https://download.pytorch.org/whl/cu80/torch-1.0.1-cp37-cp37m-win_amd64.whl\n"
      "pip install torchvision==0.2.2\n" },
    { "1.1.0", "9.0", "linux", "pip", 0, "pip install torch==1.1.0 torchvision==0.3.0\n" },
    { "1.7.1", "11.0", "windows", "pip", 0,
      "pip install torch==1.7.1+cu110 torchvision==0.8.2+cu110 -f "
      "https://download.pytorch.org/whl/torch_stable.html\n" },
    { "1.12.1", "11.3", "linux", "pip", 0,
      "pip install torch==1.12.1+cu113 torchvision==0.13.1+cu113 --extra-index-url "
      "https://download.pytorch.org/whl/cu113\n" },
    { "2.3.0", "11.8", "linux", "pip", 0,
      "pip install torch==2.3.0 torchvision==0.18.0 --index-url "
      "https://download.pytorch.org/whl/cu118\n" },
    { "1.2.0", "9.2", "linux", "conda", 1,
      "conda install pytorch==1.2.0 torchvision==0.4.0 cudatoolkit=9.2 -c pytorch\n" },
    { "2.0.1", "11.8", "linux", "conda", 1,
      "conda install pytorch==2.0.1 torchvision==0.15.2 pytorch-cuda=11.8 -c pytorch -c nvidia\n" },
    { "1.3.0", "10.1", "linux", "pip", 2,
      "docker run --gpus all -it pytorch/pytorch:1.3-cuda10.1-cudnn7-runtime\n" },
};

Test(stack, commands_are_those_of_the_page_of_previous_versions)
{
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        struct str text = STR_INIT;
        size_t build =
            find_build(commands[i].version, commands[i].cuda, commands[i].os, commands[i].channel);
        cr_assert(stack_command(build, commands[i].which, &text), "%s", commands[i].line);
        cr_assert(str_ends(text.p, commands[i].line), "'%s' instead of '%s'", text.p,
                  commands[i].line);
        str_free(&text);
    }
}

Test(stack, versions_compare_by_number)
{
    cr_assert_lt(stack_compare("1.9.1", "1.10.0"), 0);
    cr_assert_gt(stack_compare("2.14.0", "2.7.1"), 0);
    cr_assert_eq(stack_compare("1.3.0", "1.3.0"), 0);
    cr_assert_gt(stack_compare("1.8.2-LTS", "1.8.1"), 0);
    char python[8];
    cr_assert_str_eq(stack_last_python("2.7 3.5-3.7", python), "3.7");
    cr_assert_str_eq(stack_last_python("3.10-3.15 (3.15 experimental)", python), "3.14");
    cr_assert_str_eq(stack_last_python("3.8-3.12", python), "3.12");
    cr_assert_str_eq(stack_last_python("?", python), "");
}
