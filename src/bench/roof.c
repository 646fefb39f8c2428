#include "bench/roof.h"

#include <math.h>
#include <string.h>

#include "core/str.h"
#include "data/data.h"

/* Shares of the roof for planning: what CUDA C kernels reach on Kepler (55 to 65 % of the peak,
 * measured by others; later chips do better), and 80 % of a data sheet's bandwidth. */
#define COMPUTE_SHARE 0.6
#define MEMORY_SHARE  0.8

enum { UNKNOWN_LAUNCH_US = 10 };

/* fp32 lanes of a multiprocessor; NVIDIA, CUDA C++ Programming Guide, table of arithmetic
 * throughput. */
static int lanes(unsigned cc)
{
    static const struct {
        unsigned cc;
        int lanes;
    } table[] = { { 20, 32 },  { 21, 48 }, { 30, 192 }, { 50, 128 }, { 60, 64 },
                  { 61, 128 }, { 70, 64 }, { 80, 64 },  { 86, 128 }, { 120, 128 } };
    int found = 128;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].cc <= cc)
            found = table[i].lanes;
    return found;
}

/* Floating-point operations of tensor instructions with fp16 inputs and fp32 sums, a multiprocessor
 * and clock; from the peaks that NVIDIA's white papers of each chip print. 0: none. */
static double tensor_rate(unsigned cc)
{
    return cc < 70 ? 0 : cc < 80 ? 1024 : cc == 80 ? 2048 : cc < 90 ? 512 : cc == 90 ? 4096 : 1024;
}

static void set_peaks(struct roof *r, double fp32_gflops, double fp64_ratio, double fp16_ratio,
                      double clock_ghz, bool tensor)
{
    double *peak = r->peak_gflops;
    peak[BENCH_FP32] = peak[BENCH_FP16S] = fp32_gflops;
    peak[BENCH_FP64] = fp32_gflops * fp64_ratio;
    peak[BENCH_INT32] = fp32_gflops * (r->cc < 70 ? 1.0 / 6 : 0.5);
    if (r->cc >= 53)
        peak[BENCH_HALF2] = fp32_gflops * fp16_ratio;
    if (r->cc >= 61)
        peak[BENCH_DP4A] = fp32_gflops * (r->cc < 70 ? 4 : 2);
    double rate = tensor ? tensor_rate(r->cc) * r->sms * clock_ghz : 0;
    if (r->cc >= 70)
        peak[BENCH_TC_FP16] = tensor ? rate : fp32_gflops / 8; /* executed, but slowly */
    if (r->cc >= 72)
        peak[BENCH_TC_INT8] = tensor ? 2 * rate : fp32_gflops / 8;
    if (r->cc >= 80) {
        peak[BENCH_TC_BF16] = rate;
        peak[BENCH_TC_TF32] = rate / 2;
    }
}

static double number(const struct table *t, size_t row, const char *column, double otherwise)
{
    double value;
    int c = table_column(t, column);
    return c >= 0 && table_number(t, row, c, &value) ? value : otherwise;
}

bool roof_of_card(const struct card *card, struct roof *r)
{
    *r = (struct roof){ .cc = card->cc };
    if (card->card_row < 0)
        return false;
    const struct table *t = data_table(DATA_CARDS);
    size_t row = (size_t)card->card_row;
    str_copy(r->card, sizeof r->card, card->name);
    double base = number(t, row, "base_mhz", 0), mhz = number(t, row, "boost_mhz", base);
    double cores = number(t, row, "cores", 0);
    r->sms = (int)number(t, row, "sms", 0);
    r->bandwidth_gbps = number(t, row, "bandwidth_gbps", 0);
    r->transfer_gbps = number(t, row, "h2d_gbps", 0);
    r->launch_us = number(t, row, "launch_us", UNKNOWN_LAUNCH_US);
    r->l2_bytes = number(t, row, "l2_kib", 0) * 1024;
    r->memory_bytes = number(t, row, "memory_mib", 0) * 1048576;
    set_peaks(r, 2 * cores * mhz / 1e3, number(t, row, "fp64_ratio", 1.0 / 32),
              number(t, row, "fp16_ratio", 1), mhz / 1e3,
              strcmp(table_field(t, row, "tensor"), "none") != 0);
    return cores > 0 && mhz > 0 && r->bandwidth_gbps > 0;
}

static void from_attributes(const struct device *d, struct roof *r)
{
    double ghz = d->clock_khz / 1e6;
    *r = (struct roof){ .cc = d->cc, .sms = d->sm_count, .launch_us = UNKNOWN_LAUNCH_US };
    /* Two transfers a clock: what the product of these two attributes means on every card. */
    r->bandwidth_gbps = 2.0 * d->memory_clock_khz * d->memory_bus_bits / 8 / 1e6;
    r->transfer_gbps = 5;
    set_peaks(r, 2.0 * lanes(d->cc) * d->sm_count * ghz, 1.0 / 32, 1, ghz, true);
}

void roof_of_device(const struct device *device, const char *name, struct roof *r)
{
    struct card_match match;
    struct err unused;
    err_clear(&unused);
    if (cards_find(name, &match, &unused) || match.card.cc != device->cc ||
        !roof_of_card(&match.card, r))
        from_attributes(device, r);
    str_copy(r->card, sizeof r->card, device->name);
    r->sms = device->sm_count;
    r->memory_bytes = (double)device->memory_bytes;
    if (device->l2_bytes)
        r->l2_bytes = device->l2_bytes;
}

double roof_expect_ms(const struct roof *r, const struct bench_case *c)
{
    double ms = 0;
    const struct ceiling *ceiling = c->kind == CASE_CEILING ? ceiling_find(c->ceiling) : NULL;
    double gbps = ceiling && ceiling->kind == CEILING_TRANSFER ? r->transfer_gbps
                  : ceiling && ceiling->kind == CEILING_SHARED ? r->peak_gflops[BENCH_FP32] / 2
                                                               : r->bandwidth_gbps;
    double peak = c->precision < BENCH_PRECISION_COUNT ? r->peak_gflops[c->precision] : 0;
    if (isfinite(c->flop) && peak > 0)
        ms = fmax(ms, c->flop / (peak * COMPUTE_SHARE) / 1e6);
    if (isfinite(c->bytes) && gbps > 0)
        ms = fmax(ms, c->bytes / (gbps * MEMORY_SHARE) / 1e6);
    return ms > 0 || (ceiling && ceiling->kind == CEILING_LAUNCH) ? ms + r->launch_us / 1e3 : 0;
}
