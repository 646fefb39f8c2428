#include "probe/repro_table.h"

#include <stdlib.h>
#include <string.h>

#include "core/str.h"
#include "data/data.h"

#define RUNTIME "cudart:"

static const char *field(size_t row, const char *column)
{
    return table_field(data_table(DATA_REPRO), row, column);
}

static size_t rows(void)
{
    return data_table(DATA_REPRO)->row_count;
}

/* Whether a row is the first of its case. */
static bool is_first(size_t row)
{
    return row == 0 || strcmp(field(row, "case"), field(row - 1, "case")) != 0;
}

size_t repro_count(void)
{
    size_t n = 0;
    for (size_t row = 0; row < rows(); row++)
        n += is_first(row);
    return n;
}

const char *repro_name(size_t index)
{
    for (size_t row = 0; row < rows(); row++)
        if (is_first(row) && index-- == 0)
            return field(row, "case");
    return "";
}

size_t repro_find(const char *name)
{
    size_t n = repro_count();
    for (size_t i = 0; i < n; i++)
        if (strcmp(repro_name(i), name) == 0)
            return i;
    return n;
}

/* "11.4" as cuDriverGetVersion says it; moves behind it. 0: no number there. */
static int parse_cuda(const char **p)
{
    char *end;
    long major = strtol(*p, &end, 10), minor = 0;
    if (end == *p || **p == '-')
        return 0;
    if (*end == '.')
        minor = strtol(end + 1, &end, 10);
    *p = end;
    return (int)(major * 1000 + minor * 10);
}

/* "any", "10.2", "-10.1", "11.0-", "11.0-11.8" */
static bool in_range(const char *range, int cuda)
{
    if (strcmp(range, "any") == 0)
        return true;
    int from = parse_cuda(&range);
    if (*range != '-')
        return cuda / 10 == from / 10;
    range++;
    int to = parse_cuda(&range);
    return cuda >= from && (!to || cuda / 10 <= to / 10);
}

static size_t parse_codes(const char *text, int *codes, size_t max)
{
    size_t n = 0;
    for (char *end; n < max; text = end + 1) {
        long code = strtol(text, &end, 10);
        if (end == text)
            break;
        codes[n++] = (int)code;
        if (*end != ',')
            break;
    }
    return n;
}

static void read_row(size_t row, struct repro_expected *expected)
{
    *expected = (struct repro_expected){ .path = field(row, "path"),
                                         .confidence = field(row, "confidence"),
                                         .source = field(row, "source") };
    expected->code_count = parse_codes(field(row, "codes"), expected->codes, REPRO_CODES_MAX);
}

bool repro_expect(const char *name, const char *path, int cuda, struct repro_expected *expected)
{
    for (size_t row = 0; row < rows(); row++) {
        if (strcmp(field(row, "case"), name) != 0 || strcmp(field(row, "path"), path) != 0 ||
            !in_range(field(row, "cuda"), cuda))
            continue;
        read_row(row, expected);
        return true;
    }
    return false;
}

size_t repro_runtime_rows(const char *name, int cuda, struct repro_expected *expected, size_t max)
{
    size_t n = 0;
    for (size_t row = 0; row < rows() && n < max; row++) {
        if (strcmp(field(row, "case"), name) != 0 || !str_starts(field(row, "path"), RUNTIME) ||
            !in_range(field(row, "cuda"), cuda))
            continue;
        read_row(row, &expected[n]);
        expected[n++].path += strlen(RUNTIME);
    }
    return n;
}

static bool add_code(int *codes, size_t *n, size_t max, int code)
{
    for (size_t i = 0; i < *n; i++)
        if (codes[i] == code)
            return false;
    if (*n < max)
        codes[(*n)++] = code;
    return true;
}

/* The calls around the fault, and the runtime's, which repeat the driver's code. */
static bool is_around(const char *path)
{
    return str_starts(path, RUNTIME) || str_starts(path, "after_") || strcmp(path, "good") == 0 ||
           strcmp(path, "small") == 0 || strcmp(path, "not_counted") == 0 ||
           strcmp(path, "refused") == 0 || strcmp(path, "driver_new") == 0;
}

size_t repro_all_codes(const char *name, int *codes, size_t max)
{
    size_t n = 0;
    for (int around = 0; around < 2 && !n; around++)
        for (size_t row = 0; row < rows(); row++) {
            int found[REPRO_CODES_MAX];
            if (strcmp(field(row, "case"), name) != 0 || (!around && is_around(field(row, "path"))))
                continue;
            size_t count = parse_codes(field(row, "codes"), found, REPRO_CODES_MAX);
            for (size_t i = 0; i < count; i++)
                add_code(codes, &n, max, found[i]);
        }
    return n;
}

bool repro_expects(const struct repro_expected *expected, int code)
{
    for (size_t i = 0; i < expected->code_count; i++)
        if (expected->codes[i] == code)
            return true;
    return false;
}
