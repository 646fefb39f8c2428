#include "doctor/explain_text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ESCAPE          0x1b
#define PLACEHOLDER_MAX 24
#define ESCAPE_MAX      64

struct reader {
    const unsigned char *p, *end;
};

static bool starts(const struct reader *r, const char *bytes)
{
    size_t n = strlen(bytes);
    return (size_t)(r->end - r->p) >= n && memcmp(r->p, bytes, n) == 0;
}

/* ---- what is left out ---- */

/* "ESC [ 1 ; 31 m", "ESC ] title BEL", "ESC c". */
static const unsigned char *after_escape(const struct reader *r)
{
    const unsigned char *p = r->p + 1,
                        *most = r->end - r->p > ESCAPE_MAX ? r->p + ESCAPE_MAX : r->end;
    if (p == most)
        return p;
    if (*p == ']') {
        while (p < most && *p != '\a' && *p != ESCAPE)
            p++;
        return p < most && *p == ESCAPE && p + 1 < most ? p + 2 : p < most ? p + 1 : p;
    }
    if (*p != '[')
        return p + 1;
    for (p++; p < most && (*p < 0x40 || *p > 0x7e); p++)
        ;
    return p < most ? p + 1 : p;
}

/* "[1;31m" whose ESC got lost on the way. NULL: something else. */
static const unsigned char *after_bare_color(const struct reader *r)
{
    const unsigned char *p = r->p + 1;
    while (p < r->end && p - r->p < 12 && (isdigit(*p) || *p == ';'))
        p++;
    return p < r->end && *p == 'm' && p - r->p > 1 ? p + 1 : NULL;
}

/* ---- what becomes something plainer ---- */

static const struct {
    const char *from, *to;
} plain[] = {
    { "\xe2\x80\x98", "'" },  { "\xe2\x80\x99", "'" }, { "\xe2\x80\x9c", "\"" },
    { "\xe2\x80\x9d", "\"" }, { "\xc2\xa0", " " },     { "`", "'" },
};

static const char *plainer(const struct reader *r, size_t *used)
{
    if (*r->p < 0x80 && *r->p != '`')
        return NULL;
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        if (starts(r, plain[i].from)) {
            *used = strlen(plain[i].from);
            return plain[i].to;
        }
    return NULL;
}

/* Appends one character; a run of blanks is one, and a line end in it wins. */
static void put(struct explain_text *text, char c)
{
    bool blank = c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f' || !c;
    if (!blank) {
        text->shown[text->size++] = c;
        return;
    }
    if (!text->size)
        return;
    char *last = &text->shown[text->size - 1];
    if (*last != ' ' && *last != '\n')
        text->shown[text->size++] = c == '\n' ? '\n' : ' ';
    else if (c == '\n')
        *last = '\n';
}

static void clean(struct reader *r, struct explain_text *text)
{
    while (r->p < r->end) {
        const unsigned char *after = NULL;
        const char *other;
        size_t used = 0;
        if (*r->p == ESCAPE)
            after = after_escape(r);
        else if (*r->p == '[')
            after = after_bare_color(r);
        if (after)
            r->p = after;
        else if ((other = plainer(r, &used))) {
            put(text, *other);
            r->p += used;
        } else
            put(text, (char)*r->p++);
    }
}

/* ---- UTF-16 ---- */

static void put_code(struct str *to, uint32_t code)
{
    char bytes[4];
    size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : 3; /* halves of pairs are of no use here */
    if (n == 1)
        bytes[0] = (char)code;
    else if (n == 2) {
        bytes[0] = (char)(0xc0 | (code >> 6));
        bytes[1] = (char)(0x80 | (code & 0x3f));
    } else {
        bytes[0] = (char)(0xe0 | (code >> 12));
        bytes[1] = (char)(0x80 | ((code >> 6) & 0x3f));
        bytes[2] = (char)(0x80 | (code & 0x3f));
    }
    str_add_bytes(to, bytes, n);
}

static bool is_utf16(const unsigned char *p, size_t size, bool *big)
{
    if (size < 2)
        return false;
    *big = p[0] == 0xfe && p[1] == 0xff;
    return *big || (p[0] == 0xff && p[1] == 0xfe);
}

static void from_utf16(const unsigned char *p, size_t size, bool big, struct str *to)
{
    for (size_t i = 2; i + 1 < size; i += 2)
        put_code(to, (uint32_t)(big ? p[i] << 8 | p[i + 1] : p[i + 1] << 8 | p[i]));
}

/* ---- the whole ---- */

static void lower(struct explain_text *text)
{
    for (size_t i = 0; i < text->size; i++) {
        char c = text->shown[i];
        text->lower[i] = c == '\n' ? ' ' : c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    memset(text->shown + text->size, 0, EXPLAIN_TEXT_PAD);
    memset(text->lower + text->size, 0, EXPLAIN_TEXT_PAD);
}

int explain_text_decode(const char *bytes, size_t size, struct str *to, struct err *err)
{
    bool big;
    if (is_utf16((const unsigned char *)bytes, size, &big))
        from_utf16((const unsigned char *)bytes, size, big, to);
    else
        str_add_bytes(to, bytes, size);
    return to->failed ? err_set(err, ERR_MEMORY, "out of memory") : 0;
}

int explain_text_make(const char *bytes, size_t size, struct explain_text *text, struct err *err)
{
    struct str wide = STR_INIT;
    bool big;
    *text = (struct explain_text){ 0 };
    if (is_utf16((const unsigned char *)bytes, size, &big)) {
        from_utf16((const unsigned char *)bytes, size, big, &wide);
        bytes = wide.p;
        size = wide.len;
    }
    text->shown = malloc(size + EXPLAIN_TEXT_PAD);
    text->lower = malloc(size + EXPLAIN_TEXT_PAD);
    bool failed = wide.failed || !text->shown || !text->lower;
    if (!failed) {
        struct reader r = { (const unsigned char *)bytes, (const unsigned char *)bytes + size };
        clean(&r, text);
        lower(text);
    }
    str_free(&wide);
    return failed ? err_set(err, ERR_MEMORY, "out of memory") : 0;
}

void explain_text_free(struct explain_text *text)
{
    free(text->shown);
    free(text->lower);
    *text = (struct explain_text){ 0 };
}

void explain_text_line(const struct explain_text *text, size_t offset, size_t most, struct str *to)
{
    size_t start = offset, end = offset;
    while (start > 0 && text->shown[start - 1] != '\n' && offset - start < most / 3)
        start--;
    while (start < offset && ((unsigned char)text->shown[start] & 0xc0) == 0x80)
        start++;
    while (end < text->size && text->shown[end] != '\n' && end - start < most)
        end++;
    while (end > start && end < text->size && ((unsigned char)text->shown[end] & 0xc0) == 0x80)
        end--;
    str_add_bytes(to, text->shown + start, end - start);
}

const char *explain_text_number(const char *p, const char *end)
{
    const char *start = p;
    while (p < end && (isdigit((unsigned char)*p) ||
                       (*p == '.' && p > start && p + 1 < end && isdigit((unsigned char)p[1]))))
        p++;
    while (p > start && end - p >= 2 && p[0] == '.' && p[1] == 'x') /* "470.xx" */
        for (p++; p < end && *p == 'x'; p++)
            ;
    if (p > start)
        return p;
    if (end - p >= 2 && p[0] == '%' && (p[1] == 'd' || p[1] == 's' || p[1] == 'i'))
        return p + 2;
    if (p < end && (*p == '<' || *p == '{')) {
        char close = *p == '<' ? '>' : '}';
        while (p < end && *p != close && p - start < PLACEHOLDER_MAX)
            p++;
        return p < end && *p == close ? p + 1 : NULL;
    }
    while (p < end && (*p == 'x' || *p == '?' || (*p == '.' && p > start)))
        p++;
    return p > start ? p : NULL;
}
