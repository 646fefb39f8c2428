#include "doctor/explain_pattern.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "data/data.h"

#define GAP_MAX      160 /* bytes that '*' stands for at most */
#define SLOTS        4096
#define PATTERNS_MAX 2048
#define SEPARATOR    " | "
#define LEAST_BYTES  3 /* that a pattern begins with; the slot of a place is found from them */

struct explain_patterns {
    struct explain_pattern list[PATTERNS_MAX];
    unsigned next[PATTERNS_MAX]; /* of the same slot, +1; 0: the last */
    size_t count;
    unsigned slots[SLOTS];
    unsigned char begins[1 << 13]; /* a bit for each beginning: most places are passed by it */
    struct str texts;              /* those that are not as the tables have them */
};

static uint32_t hash(const char *p)
{
    const unsigned char *b = (const unsigned char *)p;
    uint32_t h = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16;
    return h * 2654435761u;
}

static unsigned slot_of(const char *p)
{
    return hash(p) >> 20;
}

static unsigned bit_of(const char *p)
{
    return hash(p) >> 16;
}

/* ---- compiling ---- */

/* Letters up to the next '#' or '*'. */
static size_t literal(const char *p, const char *end)
{
    size_t n = 0;
    while (p + n < end && p[n] != '#' && p[n] != '*')
        n++;
    return n;
}

static size_t weight_of(const char *text, size_t length)
{
    size_t weight = 0;
    for (size_t i = 0; i < length; i++)
        weight += !strchr("#*^ ", text[i]);
    return weight;
}

static void add(struct explain_patterns *p, const char *text, size_t length, int error, int code)
{
    const char *start = text + (*text == '^');
    if (p->count == PATTERNS_MAX)
        abort(); /* a build fault: a test compiles all of them */
    struct explain_pattern *pattern = &p->list[p->count];
    *pattern = (struct explain_pattern){ .text = text,
                                         .length = length,
                                         .weight = weight_of(text, length),
                                         .error = error,
                                         .code = code };
    size_t head = literal(start, text + length);
    head = head < sizeof pattern->head ? head : sizeof pattern->head;
    memcpy(&pattern->head, start, head);
    memset(&pattern->mask, 0xff, head);
    unsigned *slot = &p->slots[slot_of(start)];
    p->next[p->count++] = *slot;
    *slot = (unsigned)p->count;
    p->begins[bit_of(start) / 8] |= (unsigned char)(1u << bit_of(start) % 8);
}

static void add_errors(struct explain_patterns *p)
{
    const struct table *t = data_table(DATA_ERRORS);
    int column = table_column(t, "pattern");
    for (size_t row = 0; row < t->row_count; row++)
        for (const char *text = table_get(t, row, column); text;) {
            const char *end = strstr(text, SEPARATOR);
            add(p, text, end ? (size_t)(end - text) : strlen(text), (int)row, -1);
            text = end ? end + strlen(SEPARATOR) : NULL;
        }
}

/* A text of the driver becomes a pattern: small letters, and no signs of ours. */
static void add_lower(struct str *to, const char *text)
{
    for (; *text; text++) {
        char c = (char)tolower((unsigned char)*text);
        str_add_bytes(to, strchr("#*^", c) ? " " : &c, 1);
    }
    str_add_bytes(to, "", 1);
}

/* The name of a code, or its text: that only behind these words, since "operation not permitted"
 * and its like stand in many a log that has nothing to do with a GPU. */
static const char *code_text(const struct table *t, size_t row, size_t which)
{
    const char *text = table_field(t, row, which ? "text" : "name");
    return strcmp(table_field(t, row, "code"), "0") == 0 || table_blank(text) ? NULL : text;
}

/* For those that no row of errors.tsv has. */
static void add_codes(struct explain_patterns *p)
{
    const struct table *t = data_table(DATA_CODES);
    for (size_t i = 0; i < t->row_count * 2; i++) {
        const char *text = code_text(t, i / 2, i % 2);
        if (text && i % 2)
            str_add(&p->texts, "cuda error: ");
        if (text)
            add_lower(&p->texts, text);
    }
    const char *at = p->texts.p; /* does not move any more */
    for (size_t i = 0; i < t->row_count * 2 && !p->texts.failed; i++)
        if (code_text(t, i / 2, i % 2)) {
            add(p, at, strlen(at), -1, (int)(i / 2));
            at += strlen(at) + 1;
        }
}

struct explain_patterns *explain_patterns_new(void)
{
    struct explain_patterns *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->texts = (struct str)STR_INIT;
    add_codes(p); /* first: the last that is added is tried first, and errors.tsv has the word */
    add_errors(p);
    if (!p->texts.failed)
        return p;
    explain_patterns_free(p);
    return NULL;
}

void explain_patterns_free(struct explain_patterns *p)
{
    if (!p)
        return;
    str_free(&p->texts);
    free(p);
}

size_t explain_patterns_count(const struct explain_patterns *p)
{
    return p->count;
}

const struct explain_pattern *explain_patterns_get(const struct explain_patterns *p, size_t i)
{
    return &p->list[i];
}

/* ---- matching ---- */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Where the letters behind a '*' stand, at most GAP_MAX further and on the same line. */
static const char *find_gap(const struct explain_text *text, const char *at, const char *letters,
                            size_t length)
{
    const char *end = text->lower + text->size, *shown = text->shown + (at - text->lower);
    size_t left = (size_t)(end - at), room = left > GAP_MAX + length ? GAP_MAX + length : left;
    const char *line = memchr(shown, '\n', room);
    if (line)
        room = (size_t)(line - shown);
    return length ? memmem(at, room, letters, length) : at;
}

size_t explain_pattern_match(const struct explain_pattern *pattern, const struct explain_text *text,
                             size_t offset)
{
    const char *p = pattern->text, *p_end = p + pattern->length;
    const char *at = text->lower + offset, *end = text->lower + text->size;
    if (*p == '^') {
        p++;
        if (offset && is_word(at[-1]))
            return 0;
    }
    while (p < p_end) {
        size_t n = literal(p, p_end);
        if ((size_t)(end - at) < n || memcmp(at, p, n) != 0)
            return 0;
        p += n;
        at += n;
        if (p < p_end && *p == '#') {
            p++;
            at = explain_text_number(at, end);
        } else if (p < p_end) {
            p++;
            at = find_gap(text, at, p, literal(p, p_end));
        }
        if (!at)
            return 0;
    }
    /* a name is no beginning of a longer one */
    bool cut = at < end && is_word(p_end[-1]) && is_word(*at) && p_end[-1] != '#';
    return cut ? 0 : (size_t)(at - text->lower);
}

struct place {
    const struct explain_pattern *pattern;
    size_t start, end;
};

/* The pattern that says most at this place. */
static struct place best_at(const struct explain_patterns *p, const struct explain_text *text,
                            size_t offset)
{
    struct place best = { 0 };
    uint64_t here;
    memcpy(&here, text->lower + offset, sizeof here);
    for (unsigned i = p->slots[slot_of(text->lower + offset)]; i; i = p->next[i - 1]) {
        const struct explain_pattern *pattern = &p->list[i - 1];
        if ((here & pattern->mask) != pattern->head ||
            (best.pattern && best.pattern->weight >= pattern->weight))
            continue;
        size_t end = explain_pattern_match(pattern, text, offset);
        if (end)
            best = (struct place){ pattern, offset, end };
    }
    return best;
}

void explain_patterns_scan(const struct explain_patterns *p, const struct explain_text *text,
                           void (*found)(void *self, const struct explain_pattern *pattern,
                                         size_t start, size_t end),
                           void *self)
{
    struct place best = { 0 };
    for (size_t i = 0; i + LEAST_BYTES <= text->size; i++) {
        unsigned bit = bit_of(text->lower + i);
        if (!(p->begins[bit / 8] & 1u << bit % 8))
            continue;
        struct place here = best_at(p, text, i);
        if (!here.pattern)
            continue;
        if (best.pattern && here.start >= best.end) {
            found(self, best.pattern, best.start, best.end);
            best.pattern = NULL;
        }
        if (!best.pattern || here.pattern->weight > best.pattern->weight)
            best = here;
    }
    if (best.pattern)
        found(self, best.pattern, best.start, best.end);
}
