#include "bench/cpu_timer.h"

#include "core/os.h"
#include "core/stats.h"

#define REPEATS_MAX 10000000u

int cpu_timer_sample(cpu_timer_work *work, void *self, unsigned repeats, double *ms,
                     struct err *err)
{
    uint64_t start = os_now_ns();
    for (unsigned i = 0; i < repeats; i++)
        if (work(self, err))
            return -1;
    *ms = (double)(os_now_ns() - start) * 1e-6 / repeats;
    return 0;
}

/* More runs a sample where they took less than a sample should; a first run that was slow does no harm. */
static void adjust(unsigned *repeats, double ms, double sample_ms)
{
    double wanted = ms > 0 ? sample_ms / ms : 2.0 * *repeats;
    if (wanted > REPEATS_MAX)
        wanted = REPEATS_MAX;
    if (wanted > *repeats)
        *repeats = (unsigned)wanted + 1;
}

int cpu_timer_warm(cpu_timer_work *work, void *self, double sample_ms, double limit_ms,
                   unsigned *repeats, struct err *err)
{
    uint64_t start = os_now_ns();
    double last[3] = { 0 };
    *repeats = 1;
    for (unsigned i = 0;; i++) {
        double *sample = &last[i % 3];
        unsigned before = *repeats;
        if (cpu_timer_sample(work, self, *repeats, sample, err))
            return -1;
        adjust(repeats, *sample, sample_ms);
        if (i >= 2 && before == *repeats && stats_agree(last, 3, 0.01))
            return 0;
        if ((double)(os_now_ns() - start) * 1e-6 > limit_ms && i)
            return 0;
    }
}
