#include "vgpu/drv_model.h"

#include <math.h>

#include "vgpu/decode.h"

/* What the multiprocessors of a family can do. Rates are lanes a clock and multiprocessor; that of
 * fp32, half and fp64 comes from the card's row.
 *
 * Sources: rates: CUDA C++ Programming Guide, throughput of native arithmetic instructions.
 * Latencies: Jia et al., "Dissecting the NVIDIA Volta GPU architecture via microbenchmarking"
 * (2018) and the Turing report of 2019, to a cycle or two; Ampere and later taken as Volta's.
 * `sustained` and `dram` are fitted to clpeak's published results, one value a family and none for
 * a card: the share of peak at the table's clock (above 1: cards clock higher than the table says),
 * and of the memory's theoretical bandwidth. L2 rates are round figures, bytes a clock and
 * multiprocessor. */
struct family {
    unsigned cc;     /* from this capability on */
    double issue;    /* warp instructions a clock */
    bool shared_alu; /* integer work takes fp32's lanes */
    double integer, multiply, special, convert;
    double latency_alu, latency_shared, latency_global;
    double l2_bytes;
    double sustained, dram;
};

static const struct family families[] = {
    { 20, 2, true, 32, 16, 4, 16, 18, 30, 400, 32, 0.95, 0.85 },
    { 30, 7, true, 160, 32, 32, 32, 9, 26, 230, 32, 0.85, 0.81 },
    { 50, 4.5, true, 128, 43, 32, 32, 6, 24, 210, 64, 1.00, 0.84 },
    { 60, 2.5, true, 64, 21, 16, 16, 6, 24, 234, 64, 1.00, 0.86 },
    { 61, 4.5, true, 128, 43, 32, 32, 6, 23, 216, 64, 1.08, 0.86 },
    { 70, 4, false, 64, 64, 16, 16, 4, 19, 193, 64, 0.92, 0.86 },
    { 75, 4, false, 64, 64, 16, 16, 4, 19, 188, 64, 1.10, 0.88 },
    { 80, 4, false, 64, 64, 16, 16, 4, 23, 200, 64, 1.00, 0.93 },
    { 86, 4, false, 64, 64, 16, 16, 4, 23, 200, 64, 1.00, 0.90 },
    { 90, 4, false, 64, 64, 16, 16, 4, 23, 200, 64, 1.00, 0.90 },
    { 120, 4, true, 128, 64, 16, 16, 4, 23, 200, 64, 1.00, 0.90 },
};

/* Assumptions of the model itself, not of any card. */
#define ILP              2.0  /* independent instructions that a thread has in flight */
#define MEMORY_PARALLEL  4.0  /* and independent loads */
#define MOVE_SHARE       0.25 /* of PTX's moves, the part that a compiler leaves */
#define BARRIER_CYCLES   20.0
#define ATOMIC_CYCLES    2.0    /* at the L2, for each lane */
#define L2_MISS_REUSE    0.3    /* of repeated reads of what the L2 cannot hold, those that miss */
#define TENSOR_FMA       4096.0 /* a wmma instruction of 16x16x16 */
#define KERNEL_FIXED_NS  1000.0
#define WATCHDOG_SECONDS 2.0 /* Windows' default; X on Linux waits longer */
#define LAUNCH_US        6.0 /* where the card's row has none */
#define LINK_GBPS        3.0

static const struct family *family_of(const struct drv_card *card)
{
    const struct family *found = &families[0];
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (families[i].cc <= card->cc)
            found = &families[i];
    return found;
}

/* Server boards of Kepler run at their base clock unless told otherwise (application clocks). */
static double clock_hz(const struct drv_model *m)
{
    bool at_base = m->card->cc < 50 && !m->card->display;
    double mhz = at_base ? m->card->base_mhz : m->card->boost_mhz;
    unsigned percent = m->clock_percent ? m->clock_percent : 100;
    return mhz * 1e6 * family_of(m->card)->sustained * percent / 100;
}

/* ---- copies and launches
 * ---------------------------------------------------------------------------- */

uint64_t drv_model_launch_ns(const struct drv_model *m)
{
    double us = m->card->launch_us > 0 ? m->card->launch_us : LAUNCH_US;
    return (uint64_t)(us * 1000);
}

uint64_t drv_model_copy_ns(const struct drv_model *m, enum drv_copy kind, uint64_t bytes)
{
    double memory = m->card->bandwidth_gbps * family_of(m->card)->dram;
    double link = m->card->h2d_gbps > 0 ? m->card->h2d_gbps : LINK_GBPS;
    double gbps = kind == DRV_COPY_ON_DEVICE ? memory / 2 : kind == DRV_COPY_SET ? memory : link;
    return drv_model_launch_ns(m) + (uint64_t)((double)bytes / gbps);
}

/* ---- kernels
 * ---------------------------------------------------------------------------------------- */

static double count(const struct exec_counters *c, enum inst_class cls)
{
    return (double)c->warp_instructions[cls];
}

static double longest(double a, double b)
{
    return a > b ? a : b;
}

/* FMAs of a tensor instruction a clock and multiprocessor, dense, 16 bit in and 32 out. */
static double tensor_rate(const struct drv_card *card)
{
    if (card->tensor_fma > 0)
        return card->tensor_fma;
    return 32; /* executed without tensor cores, as the GTX 16 series does */
}

/* Clocks that the arithmetic takes on one multiprocessor that does all of it. */
static double arithmetic(const struct drv_card *card, const struct family *f,
                         const struct exec_counters *c)
{
    double lanes = (double)card->cores / card->sms;
    double integer =
        count(c, CLASS_INT) + MOVE_SHARE * count(c, CLASS_OTHER) + count(c, CLASS_BRANCH);
    double fp32 = count(c, CLASS_FP32) * 32 / lanes, whole = integer * 32 / f->integer;
    double t = f->shared_alu ? fp32 + whole : longest(fp32, whole);
    double half = card->fp16_ratio > 0 ? lanes * card->fp16_ratio / 2 : 1;
    double fp64 = card->fp64_ratio > 0 ? lanes * card->fp64_ratio : 1;
    t = longest(t, count(c, CLASS_INT_MUL) * 32 / f->multiply);
    t = longest(t, count(c, CLASS_SFU) * 32 / f->special);
    t = longest(t, count(c, CLASS_CONVERT) * 32 / f->convert);
    t = longest(t, count(c, CLASS_HALF) * 32 / half);
    t = longest(t, count(c, CLASS_FP64) * 32 / fp64);
    return longest(t, count(c, CLASS_TENSOR) * TENSOR_FMA / tensor_rate(card));
}

static double sectors(const struct exec_counters *c)
{
    return (double)c->global_load_sectors + (double)c->global_store_sectors +
           (double)c->local_sectors;
}

/* Clocks of the load-store unit and of the way to the L2, likewise. */
static double memory(const struct family *f, const struct exec_counters *c)
{
    double unit = (double)c->shared_cycles + (double)c->global_load_lines +
                  (double)c->global_store_lines + count(c, CLASS_SHUFFLE);
    double l2 = sectors(c) * 32 / f->l2_bytes + (double)c->atomic_operations * ATOMIC_CYCLES;
    return longest(unit, l2);
}

static double issued(const struct exec_counters *c)
{
    return (double)c->issued - (1 - MOVE_SHARE) * count(c, CLASS_OTHER);
}

/* Clocks that one warp takes when it only waits for itself. */
static double alone(const struct family *f, const struct exec_counters *c)
{
    double global =
        count(c, CLASS_LOAD_GLOBAL) + count(c, CLASS_LOAD_LOCAL) + count(c, CLASS_ATOMIC);
    double shared = count(c, CLASS_LOAD_SHARED) + count(c, CLASS_SHUFFLE);
    double rest = issued(c) - global - shared;
    double clocks = rest * f->latency_alu / ILP + shared * f->latency_shared / ILP +
                    global * f->latency_global / MEMORY_PARALLEL +
                    count(c, CLASS_BARRIER) * BARRIER_CYCLES;
    return c->warps ? clocks / (double)c->warps : 0;
}

/* Seconds of the memory itself: what is touched once, and what the L2 could not keep. */
static double dram(const struct drv_model *m, const struct family *f, const struct exec_counters *c)
{
    double bytes = sectors(c) * 32, l2 = (double)m->card->l2_bytes;
    double footprint = fmin(bytes, (double)m->footprint_bytes);
    double missing = footprint > l2 ? 1 - l2 / footprint : 0;
    double moved = footprint + (bytes - footprint) * missing * L2_MISS_REUSE;
    return moved / (m->card->bandwidth_gbps * 1e9 * f->dram);
}

uint64_t drv_model_kernel_ns(const struct drv_model *m, const struct exec_counters *c,
                             unsigned blocks_sm)
{
    const struct family *f = family_of(m->card);
    double blocks = (double)c->blocks, sms = m->card->sms;
    if (blocks < 1)
        return (uint64_t)KERNEL_FIXED_NS;
    double work = longest(arithmetic(m->card, f, c), memory(f, c));
    work = longest(work, issued(c) / f->issue);
    /* the multiprocessor with most blocks is the last to end */
    double busiest = work * ceil(blocks / sms) / blocks;
    double waves = ceil(blocks / (sms * (blocks_sm ? blocks_sm : 1)));
    double clocks = longest(busiest, waves * alone(f, c));
    double seconds = longest(clocks / clock_hz(m), dram(m, f, c));
    return (uint64_t)(seconds * 1e9 + KERNEL_FIXED_NS);
}

uint64_t drv_model_watchdog(const struct drv_model *m, uint64_t warps)
{
    if (!m->card->display)
        return UINT64_MAX;
    const struct family *f = family_of(m->card);
    double rate = fmin((double)warps * ILP / f->latency_alu, f->issue * m->card->sms);
    double instructions = WATCHDOG_SECONDS * clock_hz(m) * rate;
    return instructions < 1e6 ? 1000000 : (uint64_t)instructions;
}
