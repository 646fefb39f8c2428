#include "cli/size_measure.h"

#include <stdlib.h>
#include <string.h>

#include "bench/campaign.h"
#include "cli/diagnosis.h"
#include "cli/out.h"
#include "cli/text.h"
#include "core/str.h"

/* ---- the device ------------------------------------------------------------------------------------- */

void size_measure_card(const struct size_measure *m, char *name, size_t size)
{
    static const char mark[] = " (virtual)";
    str_copy(name, size, m->machine.devices[0].name);
    if (str_ends(name, mark))
        name[strlen(name) - strlen(mark)] = '\0';
}

static int no_device(const struct size_measure *m, struct err *err)
{
    struct state state;
    struct str why = STR_INIT;
    diagnosis_find(&m->machine, &state);
    diagnosis_add(&why, &state);
    err_set(err, ERR_MISSING, "nothing to measure on: %s", why.p);
    str_free(&why);
    return -1;
}

static struct measure_input input_of(const struct size_measure *m)
{
    return (struct measure_input){ .library = m->machine.library,
                                   .nvml = m->machine.nvml,
                                   .ordinal = m->machine.devices[0].ordinal };
}

int size_measure_open(struct size_measure *m, struct cmd_run *run, const struct net *net,
                      struct err *err)
{
    char name[128];
    *m = (struct size_measure){ .run = run };
    if (machine_open(&m->machine, run->globals, err))
        return -1;
    if (!m->machine.count)
        return no_device(m, err);
    size_measure_card(m, name, sizeof name);
    roof_of_device(&m->machine.devices[0], name, &m->roof);
    const struct measure_input input = input_of(m);
    bool real = !m->machine.simulated;
    return (real && survey_run(&input, true, true, &m->survey, err)) ||
                   bench_nets_add(&m->nets, net, err)
               ? -1
               : 0;
}

void size_measure_close(struct size_measure *m)
{
    bench_nets_free(&m->nets);
    row_list_free(&m->rows);
    measured_free(&m->measured);
    measured_free(&m->host);
    machine_close(&m->machine);
}

int size_measure_room(struct size_measure *m, double bytes, struct err *err)
{
    return room_ask(m->machine.library, m->machine.devices[0].ordinal, bytes, &m->room, err);
}

/* ---- a round ------------------------------------------------------------------------------------------- */

static int make_plan(struct size_measure *m, const int *batches, bool half, struct plan *plan,
                     struct err *err)
{
    struct plan_options o = { .extent = PLAN_QUICK,
                              .nets = m->nets.list,
                              .net_count = m->nets.count,
                              .nets_only = true,
                              .products_only = true,
                              .gpu = true,
                              .cpu = !m->machine.simulated, /* one sample a case is enough there, not here */
                              .simulated = m->machine.simulated };
    o.precisions[BENCH_FP32] = true;
    o.precisions[BENCH_FP16S] = half;
    for (int e = 0; e < ENGINE_COUNT; e++)
        o.missing[e] = survey_missing(&m->survey, (enum case_engine)e);
    for (int i = 0; i < 3 && batches[i]; i++)
        o.batches[i] = batches[i];
    return plan_build(&o, &m->roof, plan, err);
}

static void on_progress(void *self, const char *what, double seconds)
{
    const struct size_measure *m = self;
    out_progress(what, (uint64_t)(seconds * 1000), (uint64_t)(m->seconds * 1000) + 1);
}

static bool precision_of(enum bench_precision from, enum time_precision *to)
{
    *to = from == BENCH_FP32 ? TIME_FP32 : TIME_FP16_STORAGE;
    return from == BENCH_FP32 || from == BENCH_FP16S;
}

static enum time_pass pass_of(enum conv_pass pass)
{
    return pass == CONV_FORWARD         ? TIME_FORWARD
           : pass == CONV_BACKWARD_DATA ? TIME_BACKWARD_DATA
                                        : TIME_BACKWARD_WEIGHTS;
}

/* Products of weights count their columns as they grow with the batch; transposition is the layout's matter. */
static struct time_op op_of(const struct bench_case *c)
{
    struct time_op op = { .kind = c->kind == CASE_CONV ? TIME_OP_CONV : TIME_OP_GEMM };
    if (c->kind == CASE_CONV)
        op.conv = (struct time_conv){ .w = c->conv.w, .h = c->conv.h, .c = c->conv.c,
                                      .n = c->conv.n, .k = c->conv.k, .s = c->conv.s,
                                      .r = c->conv.r, .pad_w = c->conv.pad_w,
                                      .pad_h = c->conv.pad_h, .stride_w = c->conv.stride_w,
                                      .stride_h = c->conv.stride_h,
                                      .dilation_w = c->conv.dilation_w,
                                      .dilation_h = c->conv.dilation_h,
                                      .groups = c->conv.groups, .pass = pass_of(c->pass) };
    else
        op.gemm = (struct time_gemm){ .m = c->gemm.m, .n = c->gemm.n, .k = c->gemm.k,
                                      .count = c->gemm.batch };
    return op;
}

static void take_ceiling(struct measured *fresh, const struct row *row)
{
    if (row->status != ROW_OK)
        return;
    if (strcmp(row->name, "ceiling/copy") == 0)
        fresh->copy_gbps = row->gbps;
    if (strcmp(row->name, "ceiling/launch") == 0)
        fresh->launch_us = 1000 * row->time.median;
}

static struct measured_op time_of(const struct bench_case *c, enum time_precision precision,
                                  const struct row *row)
{
    return (struct measured_op){ op_of(c), precision,
                                 { row->time.low, row->time.median, row->time.high } };
}

/* A library that is not there is no failure. */
static int take_host(struct size_measure *m, const struct bench_case *c, const struct row *row,
                     struct err *err)
{
    const struct measured_op op = time_of(c, TIME_FP32, row);
    return row->status == ROW_OK ? measured_add(&m->host, &op, err) : 0;
}

static int take_layer(struct size_measure *m, struct measured *fresh, const struct bench_case *c,
                      const struct row *row, struct err *err)
{
    enum time_precision precision;
    int batch = c->kind == CASE_CONV ? c->conv.n : 0;
    if (row->status == ROW_UNSUPPORTED || row->status == ROW_SKIPPED ||
        !precision_of(c->precision, &precision))
        return 0;
    if (case_is_cpu(c))
        return take_host(m, c, row, err);
    m->layers++;
    m->throttled += row->throttled > 0;
    if (row->status != ROW_OK) {
        m->failed++;
        bool memory = strstr(row->reason, "OUT_OF_MEMORY") != NULL;
        if (memory && batch && (!m->out_of_memory || batch < m->out_of_memory))
            m->out_of_memory = batch;
        return 0;
    }
    const struct measured_op op = time_of(c, precision, row);
    return measured_add(fresh, &op, err);
}

static int take_rows(struct size_measure *m, struct measured *fresh, const struct plan *plan,
                     struct err *err)
{
    for (size_t i = 0; i < plan->count; i++) {
        const struct bench_case *c = &plan->cases[i];
        struct row like;
        case_row(c, m->machine.simulated, &like);
        const struct row *row = row_list_find(&m->rows, &like);
        row_free(&like);
        if (!row)
            continue;
        if (c->kind == CASE_CEILING)
            take_ceiling(fresh, row);
        if ((c->kind == CASE_CONV || c->kind == CASE_GEMM) && take_layer(m, fresh, c, row, err))
            return -1;
    }
    return 0;
}

int size_measure_round(struct size_measure *m, const int *batches, bool half, struct err *err)
{
    struct plan plan = { .count = 0 };
    if (make_plan(m, batches, half, &plan, err))
        return -1;
    struct campaign c = { .plan = &plan,
                          .nets = m->nets.list,
                          .net_count = m->nets.count,
                          .input = input_of(m),
                          .rows = &m->rows,
                          .self = m,
                          .on_progress = on_progress };
    row_list_free(&m->rows);
    m->seconds = plan.seconds;
    int failed = campaign_run(&c, err);
    out_progress(NULL, 0, 0);
    struct measured fresh = { .list = NULL };
    if (!failed)
        failed = take_rows(m, &fresh, &plan, err) || measured_replace(&m->measured, &fresh, err);
    measured_free(&fresh);
    plan_free(&plan);
    return failed ? -1 : 0;
}
