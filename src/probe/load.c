#include "probe/load.h"

#include <stdlib.h>
#include <string.h>

#include "core/str.h"

static json_t *plan_document(const struct load_plan *plan, size_t first)
{
    json_t *items = json_array();
    for (size_t i = first; i < plan->count; i++)
        json_array_append_new(items,
                              json_pack("{s:b, s:I}", "whole", plan->items[i].whole_container,
                                        "index", (json_int_t)plan->items[i].index));
    return json_pack("{s:s*, s:i, s:I, s:o}", "library", plan->library, "ordinal", plan->ordinal,
                     "first", (json_int_t)first, "items", items);
}

static const char *text_of(const json_t *line, const char *key)
{
    const char *text = json_string_value(json_object_get(line, key));
    return text ? text : "";
}

static int number_of(const json_t *line, const char *key)
{
    return (int)json_integer_value(json_object_get(line, key));
}

static void read_fact(const json_t *line, struct load_fact *fact)
{
    fact->crashed = false;
    fact->code = number_of(line, "code");
    fact->time_ms = json_number_value(json_object_get(line, "time_ms"));
    fact->run_code = number_of(line, "run_code");
    str_copy(fact->run_call, sizeof fact->run_call, text_of(line, "run_call"));
    fact->ran = json_is_true(json_object_get(line, "ran"));
    fact->right = json_is_true(json_object_get(line, "right"));
    fact->image_id = (unsigned)number_of(line, "image_id");
    fact->cuda_arch = (unsigned)number_of(line, "cuda_arch");
    fact->binary_version = number_of(line, "binary_version");
    fact->ptx_version = number_of(line, "ptx_version");
    str_copy(fact->log, sizeof fact->log, text_of(line, "log"));
}

/* Takes the lines of one worker in; returns how far it came: the first item that it did not begin.
 */
static size_t take_lines(const struct worker_result *ran, const struct load_plan *plan,
                         struct load_fact *facts, size_t first)
{
    size_t next = first, i;
    json_t *line;
    json_array_foreach(ran->lines, i, line)
    {
        json_t *begin = json_object_get(line, "begin"), *end = json_object_get(line, "item");
        size_t item = (size_t)json_integer_value(begin ? begin : end);
        if ((!begin && !end) || item < first || item >= plan->count)
            continue;
        if (begin) {
            /* Until its result line comes, the item counts as the one that the worker died in. */
            facts[item] = (struct load_fact){ .started = true, .crashed = true };
            next = item + 1;
        } else {
            read_fact(line, &facts[item]);
        }
    }
    return next;
}

/* The worker's own error line, if it wrote one. */
static int take_error(const struct worker_result *ran, struct err *err)
{
    size_t n = json_array_size(ran->lines);
    const json_t *error = n ? json_object_get(json_array_get(ran->lines, n - 1), "error") : NULL;
    if (!error)
        return 0;
    err_set(err, ERR_DRIVER, "%s", text_of(error, "message"));
    err->native = number_of(error, "native");
    return -1;
}

/* One worker from item `first` on; `*next` is where the following one goes on. */
static int run_worker(const struct load_plan *plan, struct load_fact *facts, size_t first,
                      size_t *next, struct err *err)
{
    struct worker_result ran;
    json_t *document = plan_document(plan, first);
    int failed =
        worker_call(load_task.name, document, plan->environment, plan->timeout_ms, &ran, err);
    json_decref(document);
    if (failed)
        goto done;
    *next = take_lines(&ran, plan, facts, first);
    failed = take_error(&ran, err);
    if (failed)
        goto done;
    char how[128];
    worker_describe(&ran, how, sizeof how);
    if (*next == first && first < plan->count) {
        failed = err_set(err, ERR_DRIVER, "worker did not come to its first image: %s%s%s", how,
                         *ran.message ? ": " : "", ran.message);
        goto done;
    }
    if (facts[*next - 1].crashed)
        str_copy(facts[*next - 1].note, sizeof facts->note, how);
done:
    worker_result_free(&ran);
    return failed;
}

int load_run(const struct load_plan *plan, struct load_fact *facts, struct err *err)
{
    memset(facts, 0, plan->count * sizeof *facts);
    for (size_t first = 0, next; first < plan->count; first = next)
        if (run_worker(plan, facts, first, &next, err))
            return -1;
    return 0;
}
