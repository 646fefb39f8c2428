#include "doctor/remark.h"

#include <stdarg.h>
#include <stdio.h>

#include "core/str.h"

struct remark remark_new(const char *id)
{
    return (struct remark){ .id = id };
}

void remark_put(struct remark *r, const char *name, const char *value)
{
    if (r->arg_count == REMARK_ARGS_MAX)
        return;
    struct remark_arg *arg = &r->args[r->arg_count++];
    arg->name = name;
    str_copy(arg->value, sizeof arg->value, value);
}

void remark_putf(struct remark *r, const char *name, const char *fmt, ...)
{
    if (r->arg_count == REMARK_ARGS_MAX)
        return;
    struct remark_arg *arg = &r->args[r->arg_count++];
    va_list list;
    arg->name = name;
    va_start(list, fmt);
    vsnprintf(arg->value, sizeof arg->value, fmt, list);
    va_end(list);
}
