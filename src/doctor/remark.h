/* A sentence of text.tsv with what fills it, kept until somebody prints it: doctor finds, cli says.
 */
#ifndef DOCTOR_REMARK_H
#define DOCTOR_REMARK_H

#include <stddef.h>

#define REMARK_ARGS_MAX  8
#define REMARK_VALUE_MAX 400

struct remark_arg {
    const char *name;
    char value[REMARK_VALUE_MAX];
};

struct remark {
    const char *id; /* NULL: none */
    struct remark_arg args[REMARK_ARGS_MAX];
    size_t arg_count;
};

struct remark remark_new(const char *id);

/* Chains: remark_put(&r, "card", name). What does not fit is cut or left out. */
void remark_put(struct remark *r, const char *name, const char *value);
void remark_putf(struct remark *r, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
