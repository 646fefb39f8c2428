/* Every document that the program prints is what src/data/schema/ says, and the validator that
 * says so does find faults. Run from the project's root. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/cmd.h"
#include "cli/tasks.h"
#include "cli_validate.h"

#define WORDS_MAX 10

/* Before Criterion's main: a copy that a command has started is a worker of smfit. */
__attribute__((constructor)) static void become_worker(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--worker") == 0)
        worker_main(cli_tasks, argv[2]);
}

/* What the program prints for these words (separated by blanks) as JSON. */
static json_t *run(const char *words, int *status)
{
    char line[512], *argv[WORDS_MAX + 1] = { NULL }, path[] = "/tmp/smfit-schema-XXXXXX";
    int argc = 0, out = mkstemp(path), saved = dup(STDOUT_FILENO);
    cr_assert_geq(out, 0);
    snprintf(line, sizeof line, "smfit %s", words);
    for (char *p = strtok(line, " "); p && argc < WORDS_MAX; p = strtok(NULL, " "))
        argv[argc++] = p;
    fflush(stdout);
    dup2(out, STDOUT_FILENO);
    *status = cli_main(argc, argv);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    close(out);
    json_error_t error;
    json_t *doc = json_load_file(path, 0, &error);
    unlink(path);
    cr_assert_not_null(doc, "'%s' prints no JSON: line %d: %s", words, error.line, error.text);
    return doc;
}

static json_t *schema_of(const char *name)
{
    char path[128];
    json_error_t error;
    snprintf(path, sizeof path, "src/data/schema/%s.json", name);
    json_t *schema = json_load_file(path, 0, &error);
    cr_assert_not_null(schema, "'%s': %s", path, error.text);
    return schema;
}

static void assert_valid(const char *words, const json_t *doc)
{
    const char *name = json_string_value(json_object_get(doc, "schema"));
    cr_assert(name && strncmp(name, "smfit.", 6) == 0, "'%s' names no schema", words);
    json_t *schema = schema_of(name + 6);
    struct validation v = { .root = schema };
    cr_assert(validate(&v, schema, doc, ""), "'%s': %s", words, v.fault);
    json_decref(schema);
}

#define SPECIMENS "tests/data/specimens/"

static const struct {
    const char *words, *schema;
    int status;
} runs[] = {
    { "--json --sysroot /nonexistent", "smfit.home", 1 },
    { "--json --sysroot tests/stubs", "smfit.home", 0 },
    { "--json --assume 920m", "smfit.home", 0 },
    { "--json --assume 920m,driver=535", "smfit.home", 3 },
    { "--json --assume 8.7", "smfit.home", 0 },
    { "--json --assume gt730", "smfit.home", 2 },
    { "cards --json", "smfit.cards", 0 },
    { "cards --json 920m", "smfit.cards", 0 },
    { "cards --json no-such-card", "smfit.cards", 3 },
    { "cards --json a b", "smfit.cards", 2 },
    { "archs --json", "smfit.archs", 0 },
    { "archs --json x", "smfit.archs", 2 },
    { "--json no-such-command", "smfit.usage", 2 },
    { "--json --no-such-option", "smfit.usage", 2 },
    { "doctor --json --sysroot tests/stubs --assume 920m", "smfit.doctor", 0 },
    { "doctor --json --sysroot tests/stubs --error xyz", "smfit.doctor", 0 },
    { "doctor --json --sysroot tests/stubs --python /no", "smfit.doctor", 1 },
    { "doctor --json --no-such-option", "smfit.doctor", 2 },
    { "stack --json --assume 920m", "smfit.stack", 0 },
    { "stack --json --assume 3.0 --framework torch --os windows", "smfit.stack", 3 },
    { "stack --json --assume t4 --framework nothing", "smfit.stack", 2 },
    { "stack --json --sysroot tests/stubs", "smfit.stack", 1 },
    { "stack check --json torch==1.12.1+cu102 --assume 920m", "smfit.stack", 3 },
    { "stack check --json cuda 10.2 --assume 920m", "smfit.stack", 0 },
    { "stack check --json vllm==0.5.0 --assume a100", "smfit.stack", 3 },
    { "stack check --json K620 is 3.x", "smfit.stack", 3 },
    { "stack check --json is_available() is True", "smfit.stack", 3 },
    { "stack check --json", "smfit.stack", 2 },
    { "size --json --assume 920m --gemm 64,8,64 --conv 7,7,8,1,8,3,3,1,1,1,1", "smfit.size", 0 },
    { "size --json --assume 920m --gemm 64,8,64 --precision int8", "smfit.size", 3 },
    { "size --json --assume t4 --gemm 9,8,7,tn --calibrate 999,999,999=1", "smfit.size", 0 },
    { "size --json --assume 920m --shapes /nonexistent", "smfit.size", 1 },
    { "size --json --assume 920m", "smfit.size", 2 },
    { "size --json --net lenet5 --assume 920m --layers", "smfit.size", 0 },
    { "size --json --net resnet18 --assume 1660 --infer --dataset 1000", "smfit.size", 0 },
    { "size --json --net vgg11 --assume 920m", "smfit.size", 3 },
    { "size --json --net resnet18 --assume 3.5 --budget 2GB", "smfit.size", 0 },
    { "size --json --net resnet18 --assume 920m --precision fp16", "smfit.size", 3 },
    { "size --json --net resnet18 --assume 920m --batch 0", "smfit.size", 2 },
    { "size --json --net /nonexistent --assume 920m", "smfit.size", 1 },
    { "size --json --net lenet5 --sysroot tests/stubs", "smfit.size", 1 },
    { "explain --json no kernel image", "smfit.explain", 0 },
    { "explain --json CUDA error 716", "smfit.explain", 0 },
    { "explain --json hello", "smfit.explain", 3 },
    { "explain --json @/nonexistent", "smfit.explain", 1 },
    { "explain --json", "smfit.explain", 2 },
    { "repro --json", "smfit.repro", 0 },
    { "repro --json no-such-case", "smfit.repro", 2 },
    { "repro --json --all no-image", "smfit.repro", 2 },
    { "bench --json --list --assume 920m", "smfit.bench", 0 },
    { "bench --json --assume 920m", "smfit.bench", 2 },
    { "bench --json --compare a", "smfit.bench", 2 },
    { "bench --json --compare tests/data/bench/before.json tests/data/bench/after.jsonl",
      "smfit.bench", 0 },
    { "bench --json --cpu --quick --case no-such-case", "smfit.bench", 2 },
    { "bench --json --cpu --shape 3,4,5 --quick", "smfit.bench", 0 },
    { "inspect --json", "smfit.inspect", 2 },
    { "inspect --json -q --sysroot tests/stubs /nonexistent", "smfit.inspect", 1 },
    { "inspect --json --assume 920m /nonexistent src/main.c", "smfit.inspect", 1 },
    { "inspect --json --assume 920m --containers --kernels tests/cli/data/partly.so",
      "smfit.inspect", 0 },
    { "inspect --json --assume 920m --assume sm_120,driver=570 " SPECIMENS "cuda130-family.fatbin",
      "smfit.inspect", 3 },
    { "inspect --json --kernels --sysroot tests/stubs -q " SPECIMENS "unknown-kinds.fatbin",
      "smfit.inspect", 0 },
    { "inspect --json --assume 5.0 " SPECIMENS "demo-1.0-py3-none-any.whl", "smfit.inspect", 0 },
    { "inspect --json --assume sm_90,driver=550 " SPECIMENS "cuda130.sm_90.cubin", "smfit.inspect",
      0 },
    { "inspect --json --assume 920m " SPECIMENS "cuda.dylib", "smfit.inspect", 0 },
};

Test(schema, every_document_is_what_its_schema_says)
{
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        int status;
        json_t *doc = run(runs[i].words, &status);
        cr_assert_eq(status, runs[i].status, "'%s': exit code %d", runs[i].words, status);
        cr_assert_str_eq(json_string_value(json_object_get(doc, "schema")), runs[i].schema, "'%s'",
                         runs[i].words);
        assert_valid(runs[i].words, doc);
        json_decref(doc);
    }
}

/* Of a run on a virtual card, as it was printed. */
Test(schema, a_recorded_run_of_the_benchmark_is_what_its_schema_says)
{
    json_error_t error;
    json_t *doc = json_load_file("tests/data/bench/before.json", 0, &error);
    cr_assert_not_null(doc, "%s", error.text);
    assert_valid("before.json", doc);
    json_decref(doc);
}

Test(schema, every_command_has_a_schema)
{
    for (size_t i = 0; cmd_list[i]; i++)
        json_decref(schema_of(cmd_list[i]->name));
    json_decref(schema_of("home"));
}

/* Each changes a right document so that it is wrong; a validator that passes one checks nothing. */
static const struct {
    const char *key, *json;
} damages[] = {
    { "schema", "\"smfit.other\"" },
    { "version", "2" },
    { "version", "\"1\"" },
    { "basis", "\"guessed\"" },
    { "errors", "{}" },
    { "errors", "[{}]" },
    { "errors", "[{\"code\": \"odd\", \"message\": \"m\", \"path\": null, \"offset\": null}]" },
    { "cards", "[{\"name\": \"x\"}]" },
    { "cards", "[1]" },
    { "extra", "1" },
};

Test(schema, a_document_with_a_fault_is_refused)
{
    int status;
    json_t *doc = run("cards --json 920m", &status), *schema = schema_of("cards");
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        struct validation v = { .root = schema };
        json_t *wrong = json_deep_copy(doc);
        json_object_set_new(wrong, damages[i].key,
                            json_loads(damages[i].json, JSON_DECODE_ANY, NULL));
        cr_assert_not(validate(&v, schema, wrong, ""), "damage %zu is not found", i);
        json_decref(wrong);
    }
    struct validation v = { .root = schema };
    json_object_del(doc, "errors");
    cr_assert_not(validate(&v, schema, doc, ""), "a missing member is not found");
    json_decref(doc);
    json_decref(schema);
}
