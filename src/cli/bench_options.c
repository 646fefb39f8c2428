/* The options of `smfit bench` and of the files that it writes. */
#include <stdio.h>
#include <string.h>

#include "cli/bench_run.h"
#include "core/json.h"
#include "core/str.h"

enum { LENGTH_MOST = 65536, BATCH_MOST = 65536 };

static int read_precisions(const struct opts_list *list, bool *to, struct err *err)
{
    for (size_t i = 0; i < list->count; i++) {
        int p = bench_precision_find(list->items[i]);
        if (p < 0) {
            struct str all = STR_INIT;
            for (int k = 0; k < BENCH_PRECISION_COUNT; k++)
                str_addf(&all, "%s%s", k ? ", " : "",
                         bench_precision_name((enum bench_precision)k));
            err_set(err, ERR_USAGE, "no precision '%s'; there is %s", list->items[i], all.p);
            str_free(&all);
            return -1;
        }
        to[p] = true;
    }
    return 0;
}

/* "1000,32,2048" */
static int read_shape(const char *text, struct gemm_shape *shape, struct err *err)
{
    char word[3][16];
    long value[3];
    bool fine = sscanf(text, "%15[0-9],%15[0-9],%15[0-9]", word[0], word[1], word[2]) == 3 &&
                strlen(word[0]) + strlen(word[1]) + strlen(word[2]) + 2 == strlen(text);
    for (int i = 0; i < 3 && fine; i++)
        fine = str_number(word[i], 1, LENGTH_MOST, &value[i]);
    if (!fine)
        return err_set(err, ERR_USAGE, "'--shape' takes M,N,K of 1 to %d each, not '%s'",
                       LENGTH_MOST, text);
    *shape = (struct gemm_shape){ (int)value[0], (int)value[1], (int)value[2], false, false, 1 };
    return 0;
}

static int read_batches(const struct opts_list *list, int *to, size_t most, struct err *err)
{
    if (list->count > most)
        return err_set(err, ERR_USAGE, "option '--batch' was given more than %zu times", most);
    for (size_t i = 0; i < list->count; i++) {
        long value;
        if (!str_number(list->items[i], 1, BATCH_MOST, &value))
            return err_set(err, ERR_USAGE, "'--batch' takes 1 to %d images, not '%s'", BATCH_MOST,
                           list->items[i]);
        to[i] = (int)value;
    }
    return 0;
}

/* Without --net: a dense network and one of depthwise convolutions. */
static int load_nets(struct bench_run *r, struct err *err)
{
    static const char *const usual[] = { "resnet18", "mobilenet_v2" };
    const struct opts_list *asked = &r->options.nets;
    return asked->count ? bench_nets_load(&r->nets, asked->items, asked->count, err)
                        : bench_nets_load(&r->nets, usual, 2, err);
}

int bench_options_read(struct bench_run *r, struct plan_options *to, struct err *err)
{
    const struct bench_options *o = &r->options;
    if (o->quick && o->full)
        return err_set(err, ERR_USAGE, "options '--quick' and '--full' exclude each other");
    if (o->shapes.count && o->nets.count)
        return err_set(err, ERR_USAGE, "options '--shape' and '--net' exclude each other");
    if (o->batches.count && (o->shapes.count || (o->quick && !o->nets.count)))
        return err_set(err, ERR_USAGE, "'--batch' is for networks, and none would be measured");
    *to = (struct plan_options){
        .extent = o->quick  ? PLAN_QUICK
                  : o->full ? PLAN_FULL
                            : PLAN_DEFAULT,
        .patterns = o->cases.items,
        .pattern_count = o->cases.count,
        .shapes = r->shapes,
        .shape_count = o->shapes.count,
        .nets_only = o->nets.count > 0,
    };
    for (size_t i = 0; i < o->shapes.count; i++)
        if (read_shape(o->shapes.items[i], &r->shapes[i], err))
            return -1;
    if (read_precisions(&o->precisions, to->precisions, err) ||
        read_batches(&o->batches, to->batches, 3, err) || load_nets(r, err))
        return -1;
    to->nets = r->nets.list;
    to->net_count = r->nets.count;
    return 0;
}

/* ---- the header of a file ---- */

#define MEMBER(name) offsetof(struct bench_options, name)

static const struct {
    const char *key;
    size_t offset;
    bool is_list;
} members[] = {
    { "quick", MEMBER(quick), false },
    { "full", MEMBER(full), false },
    { "cpu", MEMBER(cpu), false },
    { "case", MEMBER(cases), true },
    { "precision", MEMBER(precisions), true },
    { "shape", MEMBER(shapes), true },
    { "net", MEMBER(nets), true },
    { "batch", MEMBER(batches), true },
};

#define MEMBERS (sizeof members / sizeof members[0])

static json_t *list_json(const struct opts_list *list)
{
    json_t *j = json_array();
    for (size_t i = 0; i < list->count; i++)
        json_array_append_new(j, json_text(list->items[i]));
    return j;
}

json_t *bench_options_header(const struct bench_run *r)
{
    const char *base = (const char *)&r->options;
    json_t *header = json_object(), *options = json_object();
    json_put_text(header, "schema", "smfit.bench.stream");
    json_put_number(header, "version", STREAM_VERSION);
    for (size_t i = 0; i < MEMBERS; i++) {
        const void *at = base + members[i].offset;
        json_put(options, members[i].key,
                 members[i].is_list ? list_json(at) : json_boolean(*(const bool *)at));
    }
    json_put(header, "options", options);
    json_put_text(header, "on", r->device ? r->hash : "cpu");
    json_put_text(header, "name", r->device ? r->name : r->host.cpu);
    json_put(header, "environment", bench_json_environment(r));
    return header;
}

static int take_list(struct opts_list *to, const json_t *list)
{
    *to = (struct opts_list){ .count = 0 };
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *text = json_string_value(json_array_get(list, i));
        if (!text || to->count == OPTS_LIST_MAX)
            return -1;
        to->items[to->count++] = text;
    }
    return 0;
}

bool bench_options_measure(const struct bench_options *o)
{
    const char *base = (const char *)o;
    bool any = o->list || o->csv || o->uuid || o->out || o->resume || o->plot || o->lib_dirs.count;
    for (size_t i = 0; i < MEMBERS; i++) {
        const void *at = base + members[i].offset;
        any = any || (members[i].is_list ? ((const struct opts_list *)at)->count > 0
                                         : *(const bool *)at);
    }
    return any;
}

int bench_options_resume(struct bench_run *r, struct err *err)
{
    const json_t *options = json_object_get(r->header, "options");
    char *base = (char *)&r->options;
    for (size_t i = 0; i < MEMBERS; i++) {
        void *at = base + members[i].offset;
        const json_t *value = json_object_get(options, members[i].key);
        bool given = members[i].is_list ? ((struct opts_list *)at)->count > 0 : *(bool *)at;
        if (given)
            return err_set(err, ERR_USAGE,
                           "'--resume' goes on with the options of '%s'; '--%s' has no place here",
                           r->options.resume, members[i].key);
        if (members[i].is_list ? take_list(at, value) : !json_is_boolean(value))
            return err_set(err, ERR_FORMAT, "'%s' holds no options", r->options.resume);
        if (!members[i].is_list)
            *(bool *)at = json_is_true(value);
    }
    return 0;
}
