#include "bench/room.h"

#include <stdio.h>

#include "bench/gpu.h"
#include "core/json.h"

enum { TIMEOUT_MS = 60000, BLOCKS_MOST = 4096 };

#define BLOCK_BYTES (64.0 * 1048576)

/* ---- the worker -------------------------------------------------------------------------------- */

/* In blocks, as frameworks' allocators take it, until one is refused. Freed by the end of the context. */
static double take(const struct gpu *gpu, double wanted)
{
    double got = 0;
    for (int i = 0; i < BLOCKS_MOST && got < wanted; i++) {
        double block = wanted - got < BLOCK_BYTES ? wanted - got : BLOCK_BYTES;
        uint64_t address;
        struct err refused;
        err_clear(&refused);
        if (gpu_alloc(gpu, (size_t)block, &address, &refused))
            break;
        got += block;
    }
    return got;
}

static int run(const json_t *input, FILE *to, struct err *err)
{
    char ordinal[16];
    struct gpu gpu;
    size_t free_bytes = 0, total = 0;
    snprintf(ordinal, sizeof ordinal, "%d",
             (int)json_integer_value(json_object_get(input, "ordinal")));
    if (gpu_open(&gpu, json_string_value(json_object_get(input, "library")), ordinal, err))
        return -1;
    int failed = driver_check(err, gpu.driver.call.mem_info(&free_bytes, &total), "cuMemGetInfo");
    if (!failed) {
        json_t *line = json_object();
        double got = take(&gpu, json_number_value(json_object_get(input, "try_bytes")));
        json_put(line, "total", json_real((double)total));
        json_put(line, "free", json_real((double)free_bytes));
        json_put(line, "got", json_real(got));
        json_dumpf(line, to, JSON_COMPACT);
        fputc('\n', to);
        json_decref(line);
    }
    gpu_close(&gpu);
    return failed;
}

const struct worker_task room_task = { "room", run };

/* ---- the parent ---------------------------------------------------------------------------------- */

static int read_answer(const struct worker_result *ran, struct room *room, struct err *err)
{
    const char *said = ran->message;
    for (size_t i = 0; i < json_array_size(ran->lines); i++) {
        const json_t *line = json_array_get(ran->lines, i);
        const char *error =
            json_string_value(json_object_get(json_object_get(line, "error"), "message"));
        said = error ? error : said;
        if (!json_object_get(line, "total"))
            continue;
        room->total_bytes = json_number_value(json_object_get(line, "total"));
        room->free_bytes = json_number_value(json_object_get(line, "free"));
        room->got_bytes = json_number_value(json_object_get(line, "got"));
        return 0;
    }
    char how[160];
    worker_describe(ran, how, sizeof how);
    return err_set(err, ERR_DRIVER, "the device's memory could not be asked for: %s%s%s", said,
                   *said && *how ? "; " : "", how);
}

int room_ask(const char *library, int ordinal, double try_bytes, struct room *room, struct err *err)
{
    struct worker_result ran;
    json_t *input = json_object();
    json_put_text(input, "library", library);
    json_put_number(input, "ordinal", (uint64_t)ordinal);
    json_put(input, "try_bytes", json_real(try_bytes));
    *room = (struct room){ .total_bytes = 0 };
    int failed = worker_call(room_task.name, input, NULL, TIMEOUT_MS, &ran, err);
    json_decref(input);
    if (!failed)
        failed = read_answer(&ran, room, err);
    worker_result_free(&ran);
    return failed;
}
