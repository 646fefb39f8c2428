#include "vgpu/drv_fault.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/str.h"

static bool number(const char *text, uint64_t max, uint64_t *value)
{
    if (*text < '0' || *text > '9')
        return false;
    char *end;
    unsigned long long n = strtoull(text, &end, 10);
    *value = n;
    return *end == 0 && n <= max;
}

/* "cuMemAlloc_v2" is the same call as "cuMemAlloc". */
static void strip_version(char *name)
{
    size_t n = strlen(name);
    if (n > 3 && name[n - 3] == '_' && name[n - 2] == 'v' && name[n - 1] >= '2')
        name[n - 3] = 0;
}

static int add_call(struct drv_faults *f, const char *name, const char *nth, const char *code,
                    struct err *err)
{
    uint64_t n = 0, result;
    if (f->count == sizeof f->items / sizeof *f->items)
        return err_set(err, ERR_LIMIT, "too many faults are asked for");
    struct drv_fault *item = &f->items[f->count];
    if (!number(code, 99999, &result) || result == 0)
        return err_set(err, ERR_USAGE, "fault in '%s' has no result code", name);
    if (nth && (!number(nth, UINT32_MAX, &n) || n == 0))
        return err_set(err, ERR_USAGE, "fault in '%s' does not say which call", name);
    if (!str_copy(item->call, sizeof item->call, name))
        return err_set(err, ERR_USAGE, "no driver call '%s'", name);
    strip_version(item->call);
    item->nth = (unsigned long)n;
    item->code = (int)result;
    f->count++;
    return 0;
}

static int add_missing(struct drv_faults *f, const char *name, struct err *err)
{
    if (f->missing_count == sizeof f->missing / sizeof *f->missing)
        return err_set(err, ERR_LIMIT, "too many missing calls are asked for");
    char *to = f->missing[f->missing_count];
    if (!str_copy(to, sizeof *f->missing, name))
        return err_set(err, ERR_USAGE, "no driver call '%s'", name);
    strip_version(to);
    f->missing_count++;
    return 0;
}

/* "50" or "50@1000" */
static bool add_throttle(struct drv_faults *f, const char *value)
{
    char percent[8];
    uint64_t n = 0, from = 0;
    const char *at = strchr(value, '@');
    size_t length = at ? (size_t)(at - value) : strlen(value);
    if (length >= sizeof percent)
        return false;
    memcpy(percent, value, length);
    percent[length] = 0;
    if (!number(percent, 100, &n) || n == 0 || (at && !number(at + 1, UINT32_MAX, &from)))
        return false;
    f->clock_percent = (unsigned)n;
    f->throttled_from = (unsigned long)from;
    return true;
}

/* The settings; 1 when `name` is one of them. */
static int add_setting(struct drv_faults *f, const char *name, const char *value, struct err *err)
{
    uint64_t n = 0;
    bool fine;
    if (strcmp(name, "less-memory") == 0) {
        fine = number(value, UINT64_MAX, &f->less_memory_bytes);
    } else if (strcmp(name, "slow-start") == 0) {
        fine = number(value, 600000, &n);
        f->slow_start_ms = (unsigned)n;
    } else if (strcmp(name, "throttle") == 0) {
        fine = add_throttle(f, value);
    } else {
        return 0;
    }
    return fine ? 1 : err_set(err, ERR_USAGE, "'%s=%s' is out of range", name, value);
}

static int add_item(struct drv_faults *f, char *item, struct err *err)
{
    if (strcmp(item, "no-jit") == 0 || strcmp(item, "nvml-full") == 0) {
        *(item[1] == 'o' ? &f->no_jit : &f->nvml_full) = true;
        return 0;
    }
    char *value = strchr(item, '=');
    if (!value)
        return err_set(err, ERR_USAGE, "fault '%s' is not understood", item);
    *value++ = 0;
    if (strcmp(item, "missing") == 0)
        return add_missing(f, value, err);
    int setting = add_setting(f, item, value, err);
    if (setting)
        return setting < 0 ? -1 : 0;
    char *nth = strchr(item, ':');
    if (nth)
        *nth++ = 0;
    return add_call(f, item, nth, value, err);
}

int drv_fault_parse(struct drv_faults *faults, const char *text, struct err *err)
{
    memset(faults, 0, sizeof *faults);
    faults->clock_percent = 100;
    if (!text)
        return 0;
    char *copy = strdup(text);
    if (!copy)
        return err_set(err, ERR_MEMORY, "out of memory");
    int result = 0;
    char *rest = NULL;
    for (char *item = strtok_r(copy, ", ", &rest); item && result == 0;
         item = strtok_r(NULL, ", ", &rest))
        result = add_item(faults, item, err);
    free(copy);
    return result;
}

unsigned drv_fault_clock(const struct drv_faults *faults)
{
    return faults->launches >= faults->throttled_from ? faults->clock_percent : 100;
}

int drv_fault_hit(struct drv_faults *faults, const char *name)
{
    int code = 0;
    if (strcmp(name, "launch") == 0)
        faults->launches++;
    for (unsigned i = 0; i < faults->count; i++) {
        struct drv_fault *item = &faults->items[i];
        if (strcmp(item->call, name) != 0)
            continue;
        item->seen++;
        if (!code && (item->nth == 0 || item->nth == item->seen))
            code = item->code;
    }
    return code;
}

bool drv_fault_missing(const struct drv_faults *faults, const char *name)
{
    for (unsigned i = 0; i < faults->missing_count; i++)
        if (strcmp(faults->missing[i], name) == 0)
            return true;
    return false;
}

bool drv_fault_is_sticky(int code)
{
    return code == 700 || code == 702 || (code >= 714 && code <= 719);
}
