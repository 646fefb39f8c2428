#include "image/ptx.h"

#include <string.h>

/* A place in the text. All reads go through `peek`, which is 0 at and behind the end. */
struct cursor {
    const uint8_t *text;
    size_t size, pos;
};

struct word {
    const char *text;
    size_t length;
};

static uint8_t peek(const struct cursor *c, size_t ahead)
{
    return ahead < c->size - c->pos ? c->text[c->pos + ahead] : 0;
}

static bool is_space(uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' ||
           c == '$' || c == '%' || c == '.';
}

static void skip_to(struct cursor *c, const char *end)
{
    const uint8_t *at = memmem(c->text + c->pos, c->size - c->pos, end, strlen(end));
    c->pos = at ? (size_t)(at - c->text) + strlen(end) : c->size;
}

static void skip_blank(struct cursor *c)
{
    for (;;) {
        if (is_space(peek(c, 0)))
            c->pos++;
        else if (peek(c, 0) == '/' && peek(c, 1) == '/')
            skip_to(c, "\n");
        else if (peek(c, 0) == '/' && peek(c, 1) == '*')
            skip_to(c, "*/");
        else
            return;
    }
}

/* The word at the cursor, dots included (".entry", "sm_35", "7.8"); empty when there is none. */
static struct word next_word(struct cursor *c)
{
    size_t start = c->pos;
    while (is_word(peek(c, 0)))
        c->pos++;
    return (struct word){ (const char *)c->text + start, c->pos - start };
}

static bool word_is(struct word w, const char *text)
{
    return w.length == strlen(text) && !memcmp(w.text, text, w.length);
}

/* Decimal digits at the front of `w`, at most four; false when there are none or more. */
static bool take_number(struct word *w, unsigned *number)
{
    size_t n = 0;
    *number = 0;
    while (n < w->length && is_digit((uint8_t)w->text[n])) {
        if (n == 4)
            return false;
        *number = *number * 10 + (unsigned)(w->text[n++] - '0');
    }
    w->text += n;
    w->length -= n;
    return n > 0;
}

static bool take_text(struct word *w, const char *text)
{
    size_t n = strlen(text);
    if (w->length < n || memcmp(w->text, text, n) != 0)
        return false;
    w->text += n;
    w->length -= n;
    return true;
}

static bool parse_version(struct cursor *c, struct ptx *ptx)
{
    skip_blank(c);
    ptx->start = c->pos;
    if (!word_is(next_word(c), ".version"))
        return false;
    skip_blank(c);
    struct word w = next_word(c);
    return take_number(&w, &ptx->version_major) && take_text(&w, ".") &&
           take_number(&w, &ptx->version_minor) && w.length == 0;
}

/* "sm_90a" or "compute_90a" */
static bool parse_arch(struct word w, struct ptx *ptx)
{
    if (!take_text(&w, "sm_") && !take_text(&w, "compute_"))
        return false;
    if (!take_number(&w, &ptx->arch))
        return false;
    if (w.length == 1 && (*w.text == 'a' || *w.text == 'f'))
        ptx->suffix = *w.text;
    return w.length == (ptx->suffix ? 1 : 0);
}

static bool parse_target(struct cursor *c, struct ptx *ptx)
{
    skip_blank(c);
    if (!word_is(next_word(c), ".target"))
        return false;
    skip_blank(c);
    if (!parse_arch(next_word(c), ptx))
        return false;
    for (skip_blank(c); peek(c, 0) == ','; skip_blank(c)) {
        c->pos++;
        skip_blank(c);
        if (word_is(next_word(c), "debug"))
            ptx->debug = true;
    }
    return true;
}

static void parse_address_size(struct cursor *c, struct ptx *ptx)
{
    skip_blank(c);
    if (!word_is(next_word(c), ".address_size"))
        return;
    skip_blank(c);
    struct word w = next_word(c);
    unsigned bits;
    if (take_number(&w, &bits))
        ptx->address_size = bits;
}

bool ptx_parse_header(const uint8_t *text, size_t size, struct ptx *ptx)
{
    struct cursor c = { text, size, 0 };
    memset(ptx, 0, sizeof *ptx);
    if (!parse_version(&c, ptx) || !parse_target(&c, ptx))
        return false;
    parse_address_size(&c, ptx);
    ptx_find_toolkit(text, ptx->start, &ptx->toolkit_major, &ptx->toolkit_minor);
    return true;
}

bool ptx_find_toolkit(const uint8_t *text, size_t size, unsigned *major, unsigned *minor)
{
    static const char mark[] = "compilation tools, release ";
    const uint8_t *at = memmem(text, size, mark, sizeof mark - 1);
    if (!at)
        return false;
    struct cursor c = { text, size, (size_t)(at - text) + sizeof mark - 1 };
    struct word w = next_word(&c);
    unsigned m, n;
    if (!take_number(&w, &m) || !take_text(&w, ".") || !take_number(&w, &n))
        return false;
    *major = m;
    *minor = n;
    return true;
}

size_t ptx_text_size(const uint8_t *text, size_t size)
{
    size_t n = 0;
    while (n < size && (text[n] >= ' ' || is_space(text[n])) && text[n] != 0x7f)
        n++;
    return n;
}

int ptx_kernels(const uint8_t *text, size_t size,
                int (*kernel)(void *self, const char *name, size_t length, struct err *err),
                void *self, struct err *err)
{
    struct cursor c = { text, ptx_text_size(text, size), 0 };
    while (c.pos < c.size) {
        skip_blank(&c);
        struct word w = next_word(&c);
        if (word_is(w, ".entry")) {
            skip_blank(&c);
            w = next_word(&c);
            if (w.length && kernel(self, w.text, w.length, err) < 0)
                return -1;
        } else if (w.length == 0 && c.pos < c.size) {
            bool quote = c.text[c.pos++] == '"';
            if (quote)
                skip_to(&c, "\"");
        }
    }
    return 0;
}
