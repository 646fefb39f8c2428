/* One error value, owned by the caller.
 *
 * A function that can fail takes a `struct err *` last, returns 0 or -1 (or a
 * pointer or NULL), and describes the failure with one of the setters below,
 * each of which returns -1 so that failing is one line:
 *
 *     if (size > CAP)
 *         return err_set(err, ERR_LIMIT, "member '%s' is larger than 1 GiB", name);
 *
 * Messages follow git's grammar: lower case, what failed first, the subject in
 * quotes, no full stop. The buffer is fixed, so reporting cannot fail. */
#ifndef CORE_ERR_H
#define CORE_ERR_H

#include <stdint.h>

enum err_code {
    ERR_NONE = 0,
    ERR_USAGE,   /* the user's words are off: exit code 2 */
    ERR_IO,      /* open, read, write; `native` is errno */
    ERR_FORMAT,  /* bytes that are not what they claim; `offset` points at them */
    ERR_LIMIT,   /* a stated bound was exceeded */
    ERR_MEMORY,  /* allocation failed */
    ERR_MISSING, /* something that this build or machine does not have */
    ERR_DRIVER,  /* a driver call failed; `native` is its code */
};

#define ERR_NO_OFFSET UINT64_MAX

struct err {
    enum err_code code;
    int native;      /* errno or driver code; 0 when there is none */
    uint64_t offset; /* bytes from the start of the file or member; ERR_NO_OFFSET when none */
    char msg[320];
};

/* Clears `err`; every command starts with this. */
void err_clear(struct err *err);

/* The first error wins: a setter on an err that is already set only returns -1. `err` may be NULL. */
int err_set(struct err *err, enum err_code code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* As err_set with ERR_FORMAT, at `offset` bytes into the input. */
int err_format(struct err *err, uint64_t offset, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* As err_set with ERR_IO and the current errno: appends ": " and its text. */
int err_errno(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Puts "context: " in front of the message; for outer layers. Returns -1. */
int err_wrap(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* "format", "io" ...: the stable name used in JSON. */
const char *err_code_name(enum err_code code);

#endif
