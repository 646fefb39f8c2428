#include "doctor/explain_code.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "data/data.h"

#define SHORT_TEXT 48 /* of a text that is nothing but the message */
#define LINE_MAX   2000

struct line {
    const char *start, *end;
};

static struct line line_of(const struct explain_text *text, size_t offset)
{
    size_t start = offset, end = offset;
    while (start > 0 && offset - start < LINE_MAX && text->shown[start - 1] != '\n')
        start--;
    while (end < text->size && end - offset < LINE_MAX && text->shown[end] != '\n')
        end++;
    return (struct line){ text->lower + start, text->lower + end };
}

static bool has(struct line line, const char *const *words)
{
    for (; *words; words++)
        if (memmem(line.start, (size_t)(line.end - line.start), *words, strlen(*words)))
            return true;
    return false;
}

/* Whether the number may be a result of CUDA and not of make, a library or an exit status. */
static bool speaks_of_cuda(const struct explain_text *text, struct line line)
{
    static const char *const cuda[] = { "cuda", "nvidia", "gpu", "curesult", NULL };
    static const char *const other[] = { "make",  "exit", "cublas", "cudnn",    "nvrtc", "cusparse",
                                         "cufft", "nccl", "nvml",   "cusolver", NULL };
    return !has(line, other) && (text->size <= SHORT_TEXT || has(line, cuda));
}

/* "cudagetdevicecount", "cuinit": a function whose result is noted behind its name; none that is
 * called with a number of its own. */
static bool is_call(const char *word, size_t length)
{
    static const char *const starts[] = { "cudagetdevicecount", "cudagetlasterror",
                                          "cudalaunchkernel",   "cudadevicesynchronize",
                                          "cudafuncgetattr",    "cuinit",
                                          "cudevicegetcount",   "cuctxcreate",
                                          "cumoduleload",       "culaunchkernel",
                                          "cuctxsynchronize",   "culibraryload" };
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        if (length >= strlen(starts[i]) && memcmp(word, starts[i], strlen(starts[i])) == 0)
            return true;
    return false;
}

/* Whether the word before the number says that one follows. */
static bool is_announced(const char *start, const char *number)
{
    static const char *const words[] = { "error",   "err",         "code",     "status",
                                         "failure", "failed",      "returned", "returns",
                                         "result",  "cudaerror_t", "curesult", "cudaerror" };
    const char *end = number;
    while (end > start && number - end < 7 && strchr(" :=#()[\"'->", end[-1]))
        end--;
    const char *word = end;
    while (word > start && (isalpha((unsigned char)word[-1]) || word[-1] == '_'))
        word--;
    for (size_t i = 0; end < number && i < sizeof words / sizeof words[0]; i++)
        if (strlen(words[i]) == (size_t)(end - word) &&
            memcmp(word, words[i], strlen(words[i])) == 0)
            return true;
    return end < number && is_call(word, (size_t)(end - word));
}

/* "(8 vs. 0)", as glog prints a comparison that failed. */
static bool is_compared(const char *end, const char *text_end)
{
    static const char rest[] = " vs. 0)";
    return text_end - end >= (long)sizeof rest - 1 && memcmp(end, rest, sizeof rest - 1) == 0;
}

static bool stands_alone(const char *start, const char *end, const char *text, const char *text_end)
{
    bool left =
        start == text || !(isalnum((unsigned char)start[-1]) || strchr("._-+/x", start[-1]));
    bool right = end == text_end || !(isalnum((unsigned char)*end) || *end == '_' || *end == '%' ||
                                      (*end == '.' && isdigit((unsigned char)end[1])));
    return left && right;
}

static bool is_all(const struct explain_text *text, const char *start, const char *end)
{
    while (end < text->lower + text->size && *end == ' ')
        end++;
    return start == text->lower && end == text->lower + text->size;
}

static bool is_result(const struct explain_text *text, const char *start, const char *end)
{
    if (!is_announced(text->lower, start) && !is_compared(end, text->lower + text->size))
        return false;
    return speaks_of_cuda(text, line_of(text, (size_t)(start - text->lower)));
}

void explain_codes_scan(const struct explain_text *text,
                        void (*found)(void *self, unsigned code, size_t start, size_t end),
                        void *self)
{
    const char *text_end = text->lower + text->size;
    for (const char *p = text->lower; p < text_end; p++) {
        if (!isdigit((unsigned char)*p))
            continue;
        const char *end = p;
        bool hex = *p == '0' && p + 1 < text_end && p[1] == 'x';
        end += hex ? 2 : 0;
        while (end < text_end && (hex ? isxdigit((unsigned char)*end) : isdigit((unsigned char)*end)))
            end++;
        if (end - p <= (hex ? 5 : 3) && stands_alone(p, end, text->lower, text_end) &&
            (is_all(text, p, end) || is_result(text, p, end)))
            found(self, (unsigned)strtoul(p, NULL, hex ? 16 : 10), (size_t)(p - text->lower),
                  (size_t)(end - text->lower));
        p = end - 1;
    }
}

int explain_code_row(unsigned code, bool *before_10_1)
{
    const struct table *t = data_table(DATA_CODES);
    int by_code = table_column(t, "code"), by_old = table_column(t, "runtime_before_10_1");
    *before_10_1 = false;
    int found = -1;
    for (size_t row = 0; row < t->row_count; row++) {
        const char *old = table_get(t, row, by_old);
        bool is = strtoul(table_get(t, row, by_code), NULL, 10) == code;
        if (!table_blank(old) && strtoul(old, NULL, 10) == code && !is) {
            *before_10_1 = true;
            return (int)row;
        }
        if (is && code)
            found = (int)row;
    }
    return found;
}
