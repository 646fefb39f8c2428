#include "vgpu/drv_config.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/str.h"

static const char *filled(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value ? value : NULL;
}

static int add_card(struct drv_config *config, const char *name, size_t n, struct err *err)
{
    char text[96];
    while (n && *name == ' ')
        name++, n--;
    while (n && name[n - 1] == ' ')
        n--;
    if (n == 0)
        return 0;
    if (n >= sizeof text)
        return err_set(err, ERR_USAGE, "no card '%.40s...'", name);
    memcpy(text, name, n);
    text[n] = 0;
    if (config->card_count == DRV_CARDS_MAX)
        return err_set(err, ERR_LIMIT, "more than %d cards", DRV_CARDS_MAX);
    if (drv_card_find(&config->cards[config->card_count], text, err) < 0)
        return -1;
    config->card_count++;
    return 0;
}

/* Bytes up to the next separator; some printed names have a comma in brackets. */
static size_t name_length(const char *names)
{
    bool all_commas = !strchr(names, ';');
    int depth = 0;
    size_t n = 0;
    for (; names[n]; n++) {
        depth += (names[n] == '(') - (names[n] == ')');
        if (names[n] == ';' || (names[n] == ',' && all_commas && depth <= 0))
            break;
    }
    return n;
}

int drv_config_cards(struct drv_config *config, const char *names, struct err *err)
{
    config->card_count = 0;
    bool semicolons = strchr(names, ';') != NULL;
    while (*names) {
        size_t n = semicolons ? strcspn(names, ";") : name_length(names);
        if (add_card(config, names, n, err) < 0)
            return -1;
        names += n + (names[n] != 0);
    }
    if (config->card_count == 0)
        return err_set(err, ERR_USAGE, "SMFIT_VGPU names no card");
    return 0;
}

static bool all_enumerated(const struct drv_config *config)
{
    for (size_t i = 0; i < config->card_count; i++)
        if (!drv_card_enumerated(&config->cards[i], &config->driver))
            return false;
    return true;
}

/* The newest branch that knows all cards; without one, the newest that knows the first. */
static int default_driver(struct drv_config *config, struct err *err)
{
    size_t all = config->card_count;
    for (config->card_count = all; config->card_count > 0;
         config->card_count = config->card_count > 1 ? 1 : 0) {
        unsigned branch;
        for (size_t i = 0; drv_driver_branch(i, &branch); i++) {
            char text[8] = { (char)('0' + branch / 100), (char)('0' + branch / 10 % 10),
                             (char)('0' + branch % 10), 0 };
            if (drv_driver_parse(&config->driver, text, err) < 0)
                return -1;
            if (all_enumerated(config)) {
                config->card_count = all;
                return 0;
            }
        }
    }
    config->card_count = all;
    return err_set(err, ERR_USAGE, "no driver knows '%s'", config->cards[0].name);
}

static int read_driver(struct drv_config *config, struct err *err)
{
    const char *os = filled("SMFIT_VGPU_OS"), *version = filled("SMFIT_VGPU_DRIVER");
    config->driver.os = DRV_LINUX;
    if (os && strcmp(os, "windows") == 0)
        config->driver.os = DRV_WINDOWS;
    else if (os && strcmp(os, "linux") != 0)
        return err_set(err, ERR_USAGE, "SMFIT_VGPU_OS is '%s', not linux or windows", os);
    if (version)
        return drv_driver_parse(&config->driver, version, err);
    return default_driver(config, err);
}

int drv_config_unknown(struct drv_config *config, const char *words, struct err *err)
{
    const struct {
        const char *word;
        bool *flag;
        bool value;
    } flags[] = { { "isa-fallback", &config->isa_fallback, true },
                  { "cubin-fallback", &config->cubin_fallback, true },
                  { "isa-440=222", &config->isa_440_is_222, true },
                  { "divergent-barrier=off", &config->divergent_barriers, true },
                  { "report-uninitialised", &config->report_uninitialised, true } };
    config->cubin_arch_code = 209;
    config->ptx_target_code = 218;
    while (words && *words) {
        size_t n = strcspn(words, ", "), i = 0;
        while (i < sizeof flags / sizeof *flags &&
               !(strlen(flags[i].word) == n && strncmp(flags[i].word, words, n) == 0))
            i++;
        if (i < sizeof flags / sizeof *flags)
            *flags[i].flag = flags[i].value;
        else if (n == 14 && strncmp(words, "cubin-arch=200", n) == 0)
            config->cubin_arch_code = 200;
        else if (n == 14 && strncmp(words, "ptx-target=209", n) == 0)
            config->ptx_target_code = 209;
        else if (n)
            return err_set(err, ERR_USAGE, "SMFIT_VGPU_UNKNOWN has no word '%.*s'", (int)n, words);
        words += n + (words[n] != 0);
    }
    return 0;
}

/* Set and not "0". */
static bool is_set(const char *variable)
{
    const char *value = filled(variable);
    return value && strcmp(value, "0") != 0;
}

static void read_jit_switches(struct drv_config *config)
{
    bool new_names = config->driver.cuda >= 12000;
    config->force_jit = is_set("CUDA_FORCE_PTX_JIT") || (new_names && is_set("CUDA_FORCE_JIT"));
    config->disable_jit =
        is_set("CUDA_DISABLE_PTX_JIT") || (new_names && is_set("CUDA_DISABLE_JIT"));
}

int drv_config_read(struct drv_config *config, struct err *err)
{
    memset(config, 0, sizeof *config);
    const char *names = filled("SMFIT_VGPU");
    if (!names)
        return err_set(err, ERR_USAGE, "SMFIT_VGPU is not set: which card shall it be?");
    if (drv_config_cards(config, names, err) < 0 || read_driver(config, err) < 0 ||
        drv_fault_parse(&config->faults, getenv("SMFIT_VGPU_FAULT"), err) < 0 ||
        drv_config_unknown(config, getenv("SMFIT_VGPU_UNKNOWN"), err) < 0)
        return -1;
    long budget = 0;
    const char *given = filled("SMFIT_VGPU_BUDGET");
    if (given && !str_number(given, 1, LONG_MAX, &budget))
        return err_set(err, ERR_USAGE, "SMFIT_VGPU_BUDGET is no number: '%s'", given);
    config->budget = (uint64_t)budget;
    read_jit_switches(config);
    config->manifest = filled("SMFIT_VGPU_MANIFEST");
    config->counters = filled("SMFIT_VGPU_COUNTERS");
    return 0;
}
