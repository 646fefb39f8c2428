#include "core/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void err_clear(struct err *err)
{
    *err = (struct err){ .offset = ERR_NO_OFFSET };
}

__attribute__((format(printf, 5, 0))) static int
set(struct err *err, enum err_code code, int native, uint64_t offset, const char *fmt, va_list args)
{
    if (!err || err->code != ERR_NONE)
        return -1;
    err->code = code;
    err->native = native;
    err->offset = offset;
    vsnprintf(err->msg, sizeof err->msg, fmt, args);
    return -1;
}

int err_set(struct err *err, enum err_code code, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    set(err, code, 0, ERR_NO_OFFSET, fmt, args);
    va_end(args);
    return -1;
}

int err_format(struct err *err, uint64_t offset, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    set(err, ERR_FORMAT, 0, offset, fmt, args);
    va_end(args);
    return -1;
}

int err_errno(struct err *err, const char *fmt, ...)
{
    int number = errno;
    if (!err || err->code != ERR_NONE)
        return -1;
    va_list args;
    va_start(args, fmt);
    set(err, ERR_IO, number, ERR_NO_OFFSET, fmt, args);
    va_end(args);
    size_t used = strlen(err->msg);
    char text[128];
    snprintf(err->msg + used, sizeof err->msg - used, ": %s",
             strerror_r(number, text, sizeof text));
    return -1;
}

int err_wrap(struct err *err, const char *fmt, ...)
{
    if (!err)
        return -1;
    char inner[sizeof err->msg];
    memcpy(inner, err->msg, sizeof inner);
    va_list args;
    va_start(args, fmt);
    vsnprintf(err->msg, sizeof err->msg, fmt, args);
    va_end(args);
    size_t used = strlen(err->msg);
    snprintf(err->msg + used, sizeof err->msg - used, ": %s", inner);
    return -1;
}

const char *err_code_name(enum err_code code)
{
    static const char *const names[] = {
        [ERR_NONE] = "none",       [ERR_USAGE] = "usage",   [ERR_IO] = "io",
        [ERR_FORMAT] = "format",   [ERR_LIMIT] = "limit",   [ERR_MEMORY] = "memory",
        [ERR_MISSING] = "missing", [ERR_DRIVER] = "driver",
    };
    return names[code];
}
