#include "vgpu/drv_rule.h"

/* Thor's capability was called 10.1 before CUDA 13. */
static unsigned renamed(unsigned arch)
{
    return arch == 101 ? 110 : arch;
}

static bool is_tegra(unsigned arch)
{
    static const unsigned tegra[] = { 32, 53, 62, 72, 87, 110 };
    for (size_t i = 0; i < sizeof tegra / sizeof *tegra; i++)
        if (tegra[i] == arch)
            return true;
    return false;
}

bool drv_rule_cubin_fits(unsigned arch, char suffix, unsigned cc)
{
    arch = renamed(arch);
    cc = renamed(cc);
#ifdef VGPU_BREAK_SM37_ON_35
    /* Wrong on purpose: a build for the test that a program's own prediction notices it. */
    if (arch == 37 && cc == 35)
        return true;
#endif
    if (suffix == 'a' || is_tegra(arch) || is_tegra(cc))
        return arch == cc;
    return arch / 10 == cc / 10 && arch <= cc;
}

bool drv_rule_ptx_fits(unsigned arch, char suffix, unsigned cc)
{
    arch = renamed(arch);
    cc = renamed(cc);
    if (suffix == 'a')
        return arch == cc;
    if (suffix == 'f')
        return arch / 10 == cc / 10 && arch <= cc;
    return arch <= cc;
}

/* Higher targets first; of one target the most specific. */
static unsigned rank(const struct drv_candidate *c)
{
    return renamed(c->arch) * 4 + (c->suffix == 'a' ? 2 : c->suffix == 'f' ? 1 : 0);
}

size_t drv_rule_pick(const struct drv_candidate *candidates, size_t count, const bool *tried,
                     bool ptx, unsigned cc)
{
    size_t best = count;
    for (size_t i = 0; i < count; i++) {
        const struct drv_candidate *c = &candidates[i];
        if (c->is_ptx != ptx || c->other_size || (tried && tried[i]))
            continue;
        if (ptx ? !drv_rule_ptx_fits(c->arch, c->suffix, cc)
                : !drv_rule_cubin_fits(c->arch, c->suffix, cc))
            continue;
        if (best == count || rank(c) > rank(&candidates[best]))
            best = i;
    }
    return best;
}

/* 222 is known from 450.80.02 on, 218 up to 425; of 440 both are reported (hashcat#2626,
 * openmm#3598, Jittor#194). */
int drv_rule_isa(const struct drv_config *config, unsigned isa)
{
    if (isa <= config->driver.isa)
        return 0;
    if (config->driver.branch >= 450)
        return 222;
    return config->driver.branch >= 440 && config->isa_440_is_222 ? 222 : 218;
}

/* A later minor of the same major loads (minor version compatibility); reports: pytorch#119054,
 * triton#2971. */
int drv_rule_toolkit(const struct drv_driver *driver, unsigned toolkit_major)
{
    return toolkit_major > (unsigned)driver->cuda / 1000 ? 200 : 0;
}

/* RAPIDS' build notes: 550.54.14; 200 by ollama#12258. */
int drv_rule_zstd(const struct drv_driver *driver)
{
    return drv_driver_at_least(driver, 550, 54) ? 0 : 200;
}

/* 223 came with CUDA 11.2; 221 is older than all drivers that are known here. */
int drv_rule_jit(const struct drv_config *config, bool library_works)
{
    if (config->disable_jit)
        return config->driver.branch >= 460 ? 223 : 209;
    return library_works ? 0 : 221;
}
