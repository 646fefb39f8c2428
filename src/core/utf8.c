#include "core/utf8.h"

static bool is_tail(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

/* Length of the sequence that this first byte announces, or 0. */
static size_t announced(unsigned char c)
{
    if (c < 0x80)
        return 1;
    if (c >= 0xC2 && c < 0xE0)
        return 2;
    if (c >= 0xE0 && c < 0xF0)
        return 3;
    return c >= 0xF0 && c < 0xF5 ? 4 : 0;
}

size_t utf8_next(const char *p, uint32_t *code, bool *valid)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    unsigned char first = (unsigned char)*p;
    size_t n = announced(first);
    *code = first;
    *valid = n == 1;
    if (!first)
        return 0;
    if (n < 2)
        return 1;
    uint32_t c = first & (0xFFu >> (n + 1));
    for (size_t i = 1; i < n; i++) {
        if (!is_tail(p[i]))
            return 1;
        c = c << 6 | ((unsigned char)p[i] & 0x3F);
    }
    if (c < least[n] || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF))
        return 1;
    *code = c;
    *valid = true;
    return n;
}

struct range {
    uint32_t first, last;
};

static bool in_ranges(uint32_t code, const struct range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (code >= ranges[i].first && code <= ranges[i].last)
            return true;
    return false;
}

/* The blocks of wide (W and F) characters in Unicode's EastAsianWidth.txt, joined where the gaps
 * between them are unassigned. */
static const struct range wide[] = {
    { 0x1100, 0x115F },   { 0x2E80, 0x303E },   { 0x3041, 0x33FF },   { 0x3400, 0x4DBF },
    { 0x4E00, 0x9FFF },   { 0xA000, 0xA4CF },   { 0xA960, 0xA97F },   { 0xAC00, 0xD7A3 },
    { 0xF900, 0xFAFF },   { 0xFE30, 0xFE6F },   { 0xFF00, 0xFF60 },   { 0xFFE0, 0xFFE6 },
    { 0x1F300, 0x1F64F }, { 0x1F900, 0x1F9FF }, { 0x20000, 0x3FFFD },
};

static const struct range combining[] = {
    { 0x0300, 0x036F },
    { 0x200B, 0x200F },
    { 0x20D0, 0x20FF },
    { 0xFE00, 0xFE0F },
};

static const struct range reordering[] = {
    { 0x200E, 0x200F },
    { 0x2028, 0x202E },
    { 0x2066, 0x2069 },
};

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

size_t utf8_width(const char *text)
{
    size_t width = 0, n;
    uint32_t code;
    bool valid;
    for (; (n = utf8_next(text, &code, &valid)); text += n) {
        if (valid && in_ranges(code, combining, COUNT(combining)))
            continue;
        width += valid && in_ranges(code, wide, COUNT(wide)) ? 2 : 1;
    }
    return width;
}

static bool is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0) ||
           in_ranges(code, reordering, COUNT(reordering));
}

static void add_checked(struct str *to, const char *text, bool escape_controls)
{
    uint32_t code;
    bool valid;
    for (size_t n; (n = utf8_next(text, &code, &valid)); text += n) {
        if (valid && !(escape_controls && is_control(code)))
            str_add_bytes(to, text, n);
        else if (code > 0xFF)
            str_addf(to, "\\u%04x", (unsigned)code);
        else
            str_addf(to, "\\x%02x", (unsigned)code);
    }
}

void utf8_add_valid(struct str *to, const char *text)
{
    add_checked(to, text, false);
}

void utf8_add_printable(struct str *to, const char *text)
{
    add_checked(to, text, true);
}

static const char *entity(uint32_t code)
{
    return code == '&' ? "&amp;" : code == '<' ? "&lt;" : code == '>' ? "&gt;" : code == '"' ? "&quot;" : NULL;
}

void utf8_add_xml(struct str *to, const char *text)
{
    uint32_t code;
    bool valid;
    for (size_t n; (n = utf8_next(text, &code, &valid)); text += n) {
        if (valid && entity(code))
            str_add(to, entity(code));
        else if (valid && !is_control(code) && code != 0xFFFE && code != 0xFFFF)
            str_add_bytes(to, text, n);
        else
            str_addf(to, code > 0xFF ? "\\u%04x" : "\\x%02x", (unsigned)code);
    }
}
