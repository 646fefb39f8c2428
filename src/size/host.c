#include "size/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Behind the first line that begins with `key`; NULL. */
static const char *field(const char *text, const char *key)
{
    size_t length = strlen(key);
    for (const char *p = text; p && *p; p = strchr(p, '\n'), p = p ? p + 1 : NULL)
        if (strncmp(p, key, length) == 0) {
            const char *colon = strchr(p, ':');
            return colon ? colon + 1 : NULL;
        }
    return NULL;
}

static bool has_flag(const char *flags, const char *flag)
{
    size_t length = strlen(flag);
    const char *end = flags ? strchr(flags, '\n') : NULL;
    for (const char *p = flags; p && (!end || p < end) && (p = strstr(p, flag)); p += length)
        if ((!end || p < end) && p[-1] == ' ' && (p[length] == ' ' || p[length] == '\n' || !p[length]))
            return true;
    return false;
}

/* Two units that multiply and add, each as wide as the registers; without FMA one of each kind. */
static int flop_per_cycle(const char *flags)
{
    if (has_flag(flags, "avx512f"))
        return 64;
    if (has_flag(flags, "avx2") && has_flag(flags, "fma"))
        return 32;
    return has_flag(flags, "avx") ? 16 : 8;
}

/* The clock that the name states, which notebooks keep under load; else the present one. */
static double clock_ghz(const char *cpuinfo)
{
    const char *name = field(cpuinfo, "model name"), *now = field(cpuinfo, "cpu MHz");
    const char *end = name ? strchr(name, '\n') : NULL, *at = name ? strstr(name, "@ ") : NULL;
    if (at && (!end || at < end)) {
        double ghz = strtod(at + 2, NULL);
        if (ghz > 0.1 && ghz < 10)
            return ghz;
    }
    double mhz = now ? strtod(now, NULL) : 0;
    return mhz > 100 && mhz < 10000 ? mhz / 1000 : 0;
}

static int processors(const char *cpuinfo)
{
    int count = 0;
    for (const char *p = cpuinfo; p && *p; p = strchr(p, '\n'), p = p ? p + 1 : NULL)
        count += strncmp(p, "processor\t", 10) == 0 || strncmp(p, "processor ", 10) == 0;
    return count;
}

void host_model(const char *cpuinfo, int cores, struct host *host)
{
    *host = (struct host){ .cores = cores > 0 ? cores : processors(cpuinfo),
                           .ghz = clock_ghz(cpuinfo),
                           .flop_per_cycle = flop_per_cycle(field(cpuinfo, "flags")) };
    double peak = host->cores * host->ghz * host->flop_per_cycle;
    host->known = peak > 0;
    host->gflops = (struct host_range){ 0.4 * peak, 0.6 * peak, 0.8 * peak };
    host->gbps = (struct host_range){ 0.7 * 12.8, 0.7 * 25.6, 0.7 * 51.2 };
}
