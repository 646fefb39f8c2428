#include "bench/sample.h"

#include <math.h>

#include "core/os.h"
#include "core/os_cpu.h"

#define AGREE 0.01
enum { REPEATS_MAX = 20000, MEDIAN_OF = 3, MEDIANS = 3, QUIET_MS = 100 };

int sampler_open(struct sampler *s, const struct op_place *place,
                 const struct plan_settings *settings, const char *nvml_path, struct err *err)
{
    *s = (struct sampler){
        .settings = settings, .place = place, .random = 0x9e3779b97f4a7c15u, .engine = -1
    };
    struct err unused;
    err_clear(&unused);
    if (!place->gpu)
        return 0;
    if (gpu_timer_open(place->gpu, &s->timer, err))
        return -1;
    s->has_timer = true;
    /* A simulated clock counts a warp's own instructions and says nothing of the card's. */
    s->has_clock = !place->simulated && clock_open(&s->clock, place->gpu, 2, &unused) == 0;
    err_clear(&unused);
    if (!s->has_clock)
        s->nvml = nvml_open(nvml_path, &unused);
    return 0;
}

void sampler_close(struct sampler *s)
{
    if (s->has_clock)
        clock_close(&s->clock);
    if (s->has_timer)
        gpu_timer_close(s->place->gpu, &s->timer);
    nvml_close(s->nvml);
    s->nvml = NULL;
    s->has_clock = s->has_timer = false;
}

static int run_repeats(struct sample_op *s, struct err *err)
{
    for (unsigned i = 0; i < s->repeats; i++)
        if (op_run(&s->op, s->turn++, err))
            return -1;
    return 0;
}

static int take_host(struct sampler *s, struct sample_op *o, double *ms, struct err *err)
{
    if (s->engine != (int)o->op.c.engine)
        os_cpu_quiet(QUIET_MS);
    s->engine = (int)o->op.c.engine;
    uint64_t start = os_now_ns();
    if (run_repeats(o, err))
        return -1;
    *ms = (double)(os_now_ns() - start) / 1e6 / o->repeats;
    return 0;
}

static double told_mhz(const struct sampler *s)
{
    struct nvml_reading reading;
    if (!s->nvml)
        return NAN;
    nvml_read(s->nvml, s->place->gpu->device.pci_id, &reading);
    return reading.field[NVML_sm_clock].known ? (double)reading.field[NVML_sm_clock].value : NAN;
}

/* A clock that cannot be had is no failure of the sample. */
static double stamped_mhz(struct sampler *s)
{
    struct clock_span span;
    struct err unused;
    err_clear(&unused);
    return clock_between(&s->clock, 0, 1, &span, &unused) == 0 && span.mhz > 0 ? span.mhz : NAN;
}

static int take_device(struct sampler *s, struct sample_op *o, double *ms, double *mhz,
                       struct err *err)
{
    const struct gpu *gpu = s->place->gpu;
    if ((s->has_clock && clock_stamp(&s->clock, 0, err)) ||
        gpu_timer_mark(gpu, &s->timer, 0, err) || run_repeats(o, err) ||
        gpu_timer_mark(gpu, &s->timer, 1, err) ||
        (s->has_clock && clock_stamp(&s->clock, 1, err)) || gpu_timer_read(gpu, &s->timer, ms, err))
        return -1;
    *ms /= o->repeats;
    *mhz = s->has_clock ? stamped_mhz(s) : told_mhz(s);
    return 0;
}

int sampler_take(struct sampler *s, struct sample_op *o, double *ms, double *mhz, struct err *err)
{
    *mhz = NAN;
    return case_is_cpu(&o->op.c) ? take_host(s, o, ms, err) : take_device(s, o, ms, mhz, err);
}

int sampler_calibrate(struct sampler *s, struct sample_op *o, struct err *err)
{
    double ms = 0, mhz;
    o->repeats = 1;
    /* Twice, since the first few launches are slower and of a single one the timer sees little. */
    for (int i = 0; i < 2 && !s->settings->simulated; i++) {
        if (sampler_take(s, o, &ms, &mhz, err))
            return -1;
        double wanted = ms > 0 ? s->settings->sample_ms / ms : REPEATS_MAX;
        o->repeats = wanted < 1 ? 1 : wanted > REPEATS_MAX ? REPEATS_MAX : (unsigned)ceil(wanted);
    }
    return 0;
}

int sampler_warm(struct sampler *s, struct sample_op *o, struct err *err)
{
    double medians[MEDIANS] = { 0 };
    uint64_t start = os_now_ns();
    for (size_t n = 0; (double)(os_now_ns() - start) / 1e6 < s->settings->warm_ms; n++) {
        double ms[MEDIAN_OF], mhz;
        for (int i = 0; i < MEDIAN_OF; i++)
            if (sampler_take(s, o, &ms[i], &mhz, err))
                return -1;
        medians[n % MEDIANS] = stats_of(ms, MEDIAN_OF).median;
        if (n + 1 >= MEDIANS && stats_agree(medians, MEDIANS, AGREE))
            break;
    }
    return 0;
}

static uint64_t next_random(struct sampler *s)
{
    /* xorshift64*: Vigna, An experimental exploration of Marsaglia's xorshift generators, 2016 */
    s->random ^= s->random >> 12;
    s->random ^= s->random << 25;
    s->random ^= s->random >> 27;
    return s->random * 0x2545f4914f6cdd1du;
}

void sampler_shuffle(struct sampler *s, size_t *order, size_t count)
{
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    for (size_t i = count; i > 1; i--) {
        size_t k = (size_t)(next_random(s) >> 33) % i, kept = order[i - 1];
        order[i - 1] = order[k];
        order[k] = kept;
    }
}
