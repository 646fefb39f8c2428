#include "size/time.h"

#include <math.h>
#include <string.h>

#include "data/data.h"
#include "size/time_constants.h"
#include "size/time_parts.h"

/* Larger sizes than any network or benchmark has. */
#define SIZE_MOST (1 << 28)

static const struct {
    const char *name, *other;
    int bytes;
} precisions[TIME_PRECISION_COUNT] = {
    [TIME_FP32] = { "fp32", "float", 4 },
    [TIME_FP16_STORAGE] = { "fp16-storage", "fp16-store", 2 },
    [TIME_FP16] = { "fp16", "half", 2 },
    [TIME_FP16_MIXED] = { "fp16-mixed", "tc-fp16", 2 },
    [TIME_BF16_MIXED] = { "bf16-mixed", "tc-bf16", 2 },
    [TIME_TF32] = { "tf32", "tc-tf32", 4 },
    [TIME_INT8] = { "int8", "tc-int8", 1 },
};

const char *time_precision_name(enum time_precision precision)
{
    return precisions[precision].name;
}

int time_precision_find(const char *name)
{
    for (int i = 0; i < TIME_PRECISION_COUNT; i++)
        if (strcmp(precisions[i].name, name) == 0 || strcmp(precisions[i].other, name) == 0)
            return i;
    return -1;
}

int time_precision_bytes(enum time_precision precision)
{
    return precisions[precision].bytes;
}

/* ---- cards ---- */

static double figure(const struct table *t, int row, const char *column)
{
    double value = 0;
    return table_number(t, (size_t)row, table_column(t, column), &value) ? value : 0;
}

void time_card_load(struct time_card *to, const struct card *card)
{
    const struct table *t = data_table(DATA_CARDS);
    int row = card->card_row;
    *to = (struct time_card){ .cc = card->cc };
    if (row < 0)
        return;
    double boost = figure(t, row, "boost_mhz");
    to->sms = (unsigned)figure(t, row, "sms");
    to->cores = (unsigned)figure(t, row, "cores");
    to->clock_mhz = boost > 0 ? boost : figure(t, row, "base_mhz");
    to->bandwidth_gbps = figure(t, row, "bandwidth_gbps");
    to->launch_us = figure(t, row, "launch_us");
    to->fp16_ratio = figure(t, row, "fp16_ratio");
    const char *tensor = table_field(t, (size_t)row, "tensor");
    if (!table_blank(tensor) && strcmp(tensor, "none") != 0)
        to->tensor_ratio = time_tensor_ratio(card->cc, strncmp(card->name, "GeForce", 7) == 0);
}

bool time_is_old(const struct time_card *card)
{
    return card->cc < 70;
}

double time_bytes_per_ms(const struct time_card *card)
{
    return card->bandwidth_gbps * 1e6;
}

/* ---- calibration ---- */

static bool sizes_fit(const int *sizes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (sizes[i] < 1 || sizes[i] > SIZE_MOST)
            return false;
    return true;
}

static bool gemm_fits(const struct time_gemm *g)
{
    return sizes_fit((const int[]){ g->m, g->n, g->k, g->count ? g->count : 1 }, 4);
}

double time_calibration_gflops(const struct time_calibration *calibration)
{
    return time_gemm_flop(&calibration->shape) / (calibration->ms * 1e6);
}

static double gemm_ms(struct time_model *model, const struct time_gemm *gemm, double peak)
{
    model->peak_gflops = peak;
    return time_gemm_ms(model, gemm);
}

/* The peak with which the model says of the product what was measured. A product that is not bound
 * by arithmetic says little: then the end of what clocks allow is taken. */
static double peak_for(struct time_model *model, const struct time_calibration *calibration)
{
    double sheet = time_sheet_gflops(&model->card, TIME_FP32);
    double low = log(model->peak_gflops * 1e-4), high = log(2 * fmax(model->peak_gflops, sheet));
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (gemm_ms(model, &calibration->shape, exp(middle)) > calibration->ms)
            low = middle;
        else
            high = middle;
    }
    return exp(high);
}

/* A product that the library slows down by a factor that is not known well leaves a range; of that
 * the value nearest to what cards of the generation reach. */
static void calibrate(struct time_model *model, const struct time_calibration *calibration)
{
    double usual = model->peak_gflops, peak = peak_for(model, calibration);
    double slowdown = time_gemm_slowdown(&model->card, &calibration->shape);
    if (slowdown > 1)
        peak = fmin(fmax(usual, peak / slowdown), peak / slowdown * SLOWDOWN_MOST);
    model->peak_gflops = peak;
    model->calibrated = true;
}

/* Who measured a product in a precision that the card has no arithmetic for, measured a library
 * that computes in fp32. */
static double storage_peak(const struct time_model *model)
{
    struct time_model fp32 = { .card = model->card, .precision = TIME_FP32 };
    return time_peak(&fp32);
}

void time_model_init(struct time_model *model, const struct time_card *card,
                     enum time_precision precision, const struct time_calibration *calibration)
{
    *model = (struct time_model){ .card = *card, .precision = precision };
    if (!card->sms || !card->cores || !(card->clock_mhz > 0) || !(card->bandwidth_gbps > 0)) {
        model->reason = "time.no_figures";
        return;
    }
    bool measured = calibration && calibration->ms > 0 && gemm_fits(&calibration->shape);
    model->peak_gflops = time_peak(model);
    if (!(model->peak_gflops > 0) && measured)
        model->peak_gflops = storage_peak(model);
    if (!(model->peak_gflops > 0))
        model->reason = "time.no_precision";
    else if (measured)
        calibrate(model, calibration);
}

/* ---- prediction ---- */

static bool conv_fits(const struct time_conv *v)
{
    int groups = v->groups ? v->groups : 1;
    const int sizes[] = {
        v->w, v->h, v->c, v->n, v->k, v->s, v->r, v->stride_w, v->stride_h, groups
    };
    if (!sizes_fit(sizes, sizeof sizes / sizeof *sizes) || v->c % groups || v->k % groups)
        return false;
    if (v->pad_w < 0 || v->pad_h < 0 || v->pad_w > SIZE_MOST || v->pad_h > SIZE_MOST ||
        v->dilation_w < 0 || v->dilation_h < 0 || v->dilation_w > SIZE_MOST ||
        v->dilation_h > SIZE_MOST)
        return false;
    return time_conv_rows(v) >= 1 && time_conv_columns(v) >= 1;
}

static double traffic_ms(const struct time_model *model, const struct time_traffic *traffic)
{
    int launches = traffic->launches > 0 ? traffic->launches : 1;
    return traffic->bytes / (time_constants.gemm_bandwidth * time_bytes_per_ms(&model->card)) +
           model->card.launch_us * 1e-3 * launches;
}

static const char *predict(const struct time_model *model, const struct time_op *op,
                           struct time_result *result)
{
    if (op->kind == TIME_OP_GEMM) {
        if (!gemm_fits(&op->gemm))
            return "time.bad_shape";
        result->flop = time_gemm_flop(&op->gemm);
        result->bytes = time_gemm_bytes(model, &op->gemm);
        result->ms = time_gemm_ms(model, &op->gemm);
    } else if (op->kind == TIME_OP_CONV) {
        if (!conv_fits(&op->conv))
            return "time.bad_shape";
        result->flop = time_conv_flop(&op->conv);
        result->bytes = time_conv_bytes(model, &op->conv);
        result->ms = time_conv_ms(model, &op->conv);
    } else {
        if (!(op->traffic.bytes >= 0) || isinf(op->traffic.bytes))
            return "time.bad_shape";
        result->bytes = op->traffic.bytes;
        result->ms = traffic_ms(model, &op->traffic);
    }
    return NULL;
}

static enum time_bound bound_of(const struct time_model *model, const struct time_result *result)
{
    double compute = result->flop / (model->peak_gflops * 1e6);
    double memory = result->bytes / time_bytes_per_ms(&model->card);
    if (fmax(compute, memory) < result->ms / 2)
        return TIME_BOUND_LATENCY;
    return memory > compute ? TIME_BOUND_MEMORY : TIME_BOUND_COMPUTE;
}

static void set_range(const struct time_model *model, enum time_op_kind kind,
                      struct time_result *result)
{
    const struct time_spread *spread = kind == TIME_OP_CONV ? &time_spread_conv : &time_spread_gemm;
    result->low_ms = result->ms * spread->low;
    result->high_ms = result->ms * spread->high;
    if (model->calibrated || kind == TIME_OP_TRAFFIC)
        return;
    result->low_ms *= time_spread_uncalibrated.low;
    result->high_ms *= time_spread_uncalibrated.high;
}

void time_predict(const struct time_model *model, const struct time_op *op,
                  struct time_result *result)
{
    *result = (struct time_result){ .reason = model->reason };
    if (!result->reason)
        result->reason = predict(model, op, result);
    if (result->reason)
        return;
    result->bound = bound_of(model, result);
    set_range(model, op->kind, result);
}
