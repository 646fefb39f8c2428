#include "core/str.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char str_empty[1] = "";

void str_free(struct str *s)
{
    if (s->cap)
        free(s->p);
    *s = (struct str)STR_INIT;
}

void str_clear(struct str *s)
{
    s->len = 0;
    if (s->cap)
        s->p[0] = 0;
}

static bool reserve(struct str *s, size_t more)
{
    if (s->failed)
        return false;
    size_t need = s->len + more + 1;
    if (need <= s->cap)
        return true;
    size_t cap = s->cap ? s->cap * 2 : 64;
    if (cap < need)
        cap = need;
    char *p = realloc(s->cap ? s->p : NULL, cap);
    if (!p) {
        s->failed = true;
        return false;
    }
    p[s->len] = 0;
    s->p = p;
    s->cap = cap;
    return true;
}

void str_add_bytes(struct str *s, const char *bytes, size_t n)
{
    if (!reserve(s, n))
        return;
    memcpy(s->p + s->len, bytes, n);
    s->len += n;
    s->p[s->len] = 0;
}

void str_add(struct str *s, const char *text)
{
    str_add_bytes(s, text, strlen(text));
}

void str_addf(struct str *s, const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    if (n < 0)
        s->failed = true;
    else if (reserve(s, (size_t)n)) {
        vsnprintf(s->p + s->len, (size_t)n + 1, fmt, again);
        s->len += (size_t)n;
    }
    va_end(again);
}

bool str_copy(char *to, size_t size, const char *text)
{
    size_t n = strlen(text);
    bool fits = n < size;
    if (!fits)
        n = size - 1;
    memcpy(to, text, n);
    to[n] = 0;
    return fits;
}

bool str_starts(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool str_ends(const char *text, const char *suffix)
{
    size_t n = strlen(text), m = strlen(suffix);
    return n >= m && memcmp(text + n - m, suffix, m) == 0;
}

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
    unsigned m = a < b ? a : b;
    return m < c ? m : c;
}

unsigned str_distance(const char *a, const char *b)
{
    enum { MAX = 64 };
    unsigned row[MAX + 1];
    size_t na = strnlen(a, MAX), nb = strnlen(b, MAX);
    for (size_t j = 0; j <= nb; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; i <= na; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= nb; j++) {
            unsigned above = row[j];
            row[j] = min3(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[nb];
}

bool str_number(const char *text, long min, long max, long *value)
{
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    long v = strtol(text, &end, 10);
    if (errno || *end || v < min || v > max)
        return false;
    *value = v;
    return true;
}
