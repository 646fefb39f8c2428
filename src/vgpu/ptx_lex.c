#include "vgpu/ptx_lex.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void ptx_lex_init(struct ptx_lex *lex, const char *text, size_t size)
{
    *lex = (struct ptx_lex){ .in = bytes_of(text, size), .line = 1 };
}

/* The byte `ahead` of the cursor, 0 past the end: PTX text itself holds no NUL. */
static char peek(const struct ptx_lex *lex, size_t ahead)
{
    return bytes_left(&lex->in) > ahead ? (char)lex->in.data[lex->in.pos + ahead] : 0;
}

static void advance(struct ptx_lex *lex)
{
    if (bytes_u8(&lex->in) == '\n')
        lex->line++;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '$';
}

static int hex_digit(char c)
{
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static void skip_line(struct ptx_lex *lex)
{
    while (peek(lex, 0) && peek(lex, 0) != '\n')
        advance(lex);
}

static void skip_block_comment(struct ptx_lex *lex)
{
    while (peek(lex, 0) && !(peek(lex, 0) == '*' && peek(lex, 1) == '/'))
        advance(lex);
    if (peek(lex, 0)) {
        advance(lex);
        advance(lex);
    }
}

static void skip_blank(struct ptx_lex *lex)
{
    for (;;) {
        char c = peek(lex, 0);
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v') {
            advance(lex);
        } else if (c == '/' && peek(lex, 1) == '/') {
            skip_line(lex);
        } else if (c == '/' && peek(lex, 1) == '*') {
            advance(lex);
            advance(lex);
            skip_block_comment(lex);
        } else if ((c == '@' && peek(lex, 1) == '@') || c == '#') {
            skip_line(lex);
        } else {
            return;
        }
    }
}

static struct ptx_token start(const struct ptx_lex *lex, enum ptx_token_kind kind)
{
    return (struct ptx_token){ .kind = kind,
                               .text = (const char *)lex->in.data + lex->in.pos,
                               .line = lex->line };
}

static struct ptx_token finish(const struct ptx_lex *lex, struct ptx_token t)
{
    t.size = (uint32_t)((const char *)lex->in.data + lex->in.pos - t.text);
    return t;
}

static struct ptx_token bad(const struct ptx_lex *lex, const char *why)
{
    return (struct ptx_token){
        .kind = PTX_TOK_BAD, .text = why, .size = (uint32_t)strlen(why), .line = lex->line
    };
}

/* The digits of a number in `base`; stops at the first other character. False when it overflows. */
static bool read_digits(struct ptx_lex *lex, unsigned base, uint64_t *value)
{
    bool fits = true;
    *value = 0;
    for (int d; (d = hex_digit(peek(lex, 0))) >= 0 && (unsigned)d < base; advance(lex)) {
        fits = fits && *value <= (UINT64_MAX - (unsigned)d) / base;
        *value = *value * base + (unsigned)d;
    }
    return fits;
}

/* 0f3F800000 and 0d3FF0000000000000: the bits, in a fixed number of digits. */
static struct ptx_token read_bits(struct ptx_lex *lex, enum ptx_token_kind kind, unsigned digits)
{
    struct ptx_token t = start(lex, kind);
    advance(lex);
    advance(lex);
    for (unsigned i = 0; i < digits; i++, advance(lex)) {
        int d = hex_digit(peek(lex, 0));
        if (d < 0)
            return bad(lex, "a floating-point constant with too few digits");
        t.value = t.value << 4 | (unsigned)d;
    }
    return finish(lex, t);
}

static struct ptx_token read_decimal_float(struct ptx_lex *lex, struct ptx_token t)
{
    char copy[64];
    size_t n = 0;
    lex->in.pos = (size_t)((const uint8_t *)t.text - lex->in.data);
    for (char c; (c = peek(lex, 0)) != 0; advance(lex)) {
        bool sign = (c == '+' || c == '-') && n && (copy[n - 1] == 'e' || copy[n - 1] == 'E');
        if (!is_digit(c) && c != '.' && c != 'e' && c != 'E' && !sign)
            break;
        if (n + 1 >= sizeof copy)
            return bad(lex, "a floating-point constant that is too long");
        copy[n++] = c;
    }
    copy[n] = 0;
    double value = strtod(copy, NULL);
    t.kind = PTX_TOK_F64;
    memcpy(&t.value, &value, sizeof value);
    return finish(lex, t);
}

static struct ptx_token read_number(struct ptx_lex *lex)
{
    char second = peek(lex, 0) == '0' ? peek(lex, 1) : 0;
    if (second == 'f' || second == 'F')
        return read_bits(lex, PTX_TOK_F32, 8);
    if (second == 'd' || second == 'D')
        return read_bits(lex, PTX_TOK_F64, 16);
    struct ptx_token t = start(lex, PTX_TOK_INT);
    bool fits;
    if (second == 'x' || second == 'X' || second == 'b' || second == 'B') {
        advance(lex);
        advance(lex);
        if (hex_digit(peek(lex, 0)) < 0)
            return bad(lex, "a malformed number");
        fits = read_digits(lex, second == 'x' || second == 'X' ? 16 : 2, &t.value);
    } else {
        fits = read_digits(lex, 10, &t.value);
        char c = peek(lex, 0);
        if ((c == '.' && is_digit(peek(lex, 1))) || c == 'e' || c == 'E')
            return read_decimal_float(lex, t);
        if (second) { /* a leading 0: octal */
            lex->in.pos = (size_t)((const uint8_t *)t.text - lex->in.data);
            fits = read_digits(lex, 8, &t.value);
        }
    }
    if (!fits)
        return bad(lex, "an integer above 64 bits");
    if (peek(lex, 0) == 'U' || peek(lex, 0) == 'u')
        advance(lex);
    if (is_name_char(peek(lex, 0)))
        return bad(lex, "a malformed number");
    return finish(lex, t);
}

static struct ptx_token read_dot(struct ptx_lex *lex)
{
    advance(lex);
    struct ptx_token t = start(lex, PTX_TOK_DOT);
    while (is_name_char(peek(lex, 0)) ||
           (peek(lex, 0) == ':' && peek(lex, 1) == ':' && is_name_char(peek(lex, 2)))) {
        if (peek(lex, 0) == ':')
            advance(lex);
        advance(lex);
    }
    t = finish(lex, t);
    return t.size ? t : bad(lex, "a lone '.'");
}

static struct ptx_token read_string(struct ptx_lex *lex)
{
    advance(lex);
    struct ptx_token t = start(lex, PTX_TOK_STRING);
    while (peek(lex, 0) && peek(lex, 0) != '"' && peek(lex, 0) != '\n') {
        if (peek(lex, 0) == '\\' && peek(lex, 1) && peek(lex, 1) != '\n')
            advance(lex);
        advance(lex);
    }
    t = finish(lex, t);
    if (peek(lex, 0) != '"')
        return bad(lex, "a string without an end");
    advance(lex);
    return t;
}

struct ptx_token ptx_lex_next(struct ptx_lex *lex)
{
    skip_blank(lex);
    char c = peek(lex, 0);
    if (!c)
        return start(lex, PTX_TOK_END);
    if (is_digit(c))
        return read_number(lex);
    if (c == '.')
        return read_dot(lex);
    if (c == '"')
        return read_string(lex);
    struct ptx_token t = start(lex, PTX_TOK_PUNCT);
    t.value = (uint8_t)c;
    bool percent = c == '%' && is_name_char(peek(lex, 1));
    advance(lex);
    if (percent || is_name_char(c)) {
        t.kind = PTX_TOK_NAME;
        while (is_name_char(peek(lex, 0)))
            advance(lex);
    }
    return finish(lex, t);
}
