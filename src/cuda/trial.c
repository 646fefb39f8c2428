#include "cuda/trial.h"

#include "core/str.h"
#include "cuda/driver.h"
#include "cuda/nvml.h"

enum { TIMEOUT_MS = 60000 }; /* a first start may have to wake several cards */

static void write_line(FILE *report, json_t *line)
{
    json_dumpf(line, report, JSON_COMPACT);
    fputc('\n', report);
    fflush(report);
    json_decref(line);
}

static void write_version(FILE *report)
{
    char version[80];
    struct err unused;
    err_clear(&unused);
    struct nvml *nvml = nvml_open(NULL, &unused);
    if (nvml && nvml_driver_version(nvml, version, sizeof version))
        write_line(report, json_pack("{s:s}", "version", version));
    nvml_close(nvml);
}

static int run(const json_t *input, FILE *report, struct err *err)
{
    (void)err;
    struct driver d;
    struct err unused;
    err_clear(&unused);
    driver_open(&d, json_string_value(json_object_get(input, "library")), &unused);
    write_line(report, json_pack("{s:b}", "survived", 1));
    driver_close(&d);
    if (json_is_true(json_object_get(input, "version")))
        write_version(report);
    return 0;
}

const struct worker_task trial_task = { "trial", run };

int trial_run(const char *path, bool ask_version, struct trial *trial, struct err *err)
{
    *trial = (struct trial){ 0 };
    struct worker_result ran;
    json_t *input = json_pack("{s:s*, s:b}", "library", path, "version", ask_version), *line;
    int failed = worker_call(trial_task.name, input, NULL, TIMEOUT_MS, &ran, err);
    json_decref(input);
    size_t i;
    json_array_foreach(ran.lines, i, line)
    {
        const char *version = json_string_value(json_object_get(line, "version"));
        trial->survived = trial->survived || json_is_true(json_object_get(line, "survived"));
        if (version)
            str_copy(trial->version, sizeof trial->version, version);
    }
    char how[128];
    worker_describe(&ran, how, sizeof how);
    snprintf(trial->how, sizeof trial->how,
             "'%.200s' does not let a program live that opens it: %s", path ? path : "libcuda.so.1",
             *how ? how : "it ended without a word");
    worker_result_free(&ran);
    return failed;
}
