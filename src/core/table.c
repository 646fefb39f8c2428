#include "core/table.h"

#include <stdlib.h>
#include <string.h>

/* Cuts the line at `p` into fields; writes up to `max` of them. Returns how many there are. */
static size_t split(char *p, const char **fields, size_t max)
{
    size_t n = 0;
    for (;;) {
        char *tab = strchr(p, '\t');
        if (n < max)
            fields[n] = p;
        n++;
        if (!tab)
            return n;
        *tab = 0;
        p = tab + 1;
    }
}

static char *cut_line(char **cursor)
{
    char *line = *cursor;
    char *end = strchr(line, '\n');
    if (end) {
        *end = 0;
        *cursor = end + 1;
    } else {
        *cursor = line + strlen(line);
    }
    return line;
}

static size_t count(const char *text, char c)
{
    size_t n = 0;
    for (; *text; text++)
        n += *text == c;
    return n;
}

static bool is_content(const char *line)
{
    return *line && *line != '#';
}

static int parse_header(struct table *t, char **cursor, size_t *line, struct err *err)
{
    while (**cursor) {
        ++*line;
        char *text = cut_line(cursor);
        if (!is_content(text))
            continue;
        t->column_count = count(text, '\t') + 1;
        t->columns = calloc(t->column_count, sizeof *t->columns);
        if (!t->columns)
            return err_set(err, ERR_MEMORY, "out of memory");
        split(text, t->columns, t->column_count);
        return 0;
    }
    return err_set(err, ERR_FORMAT, "table has no header line");
}

int table_parse(struct table *t, const char *text, size_t size, struct err *err)
{
    *t = (struct table){ 0 };
    size_t line = 0;
    t->text = malloc(size + 1);
    if (!t->text)
        return err_set(err, ERR_MEMORY, "out of memory");
    memcpy(t->text, text, size);
    t->text[size] = 0;
    char *cursor = t->text;
    size_t lines = count(cursor, '\n') + 1;
    if (parse_header(t, &cursor, &line, err))
        goto fail;
    t->fields = calloc(lines * t->column_count, sizeof *t->fields);
    if (!t->fields) {
        err_set(err, ERR_MEMORY, "out of memory");
        goto fail;
    }
    while (*cursor) {
        line++;
        char *row = cut_line(&cursor);
        if (!is_content(row))
            continue;
        size_t n = split(row, t->fields + t->row_count * t->column_count, t->column_count);
        if (n != t->column_count) {
            err_set(err, ERR_FORMAT, "line %zu of the table has %zu fields, not %zu", line, n,
                    t->column_count);
            goto fail;
        }
        t->row_count++;
    }
    return 0;
fail:
    table_free(t);
    return -1;
}

void table_free(struct table *t)
{
    free(t->text);
    free(t->fields);
    free(t->columns);
    *t = (struct table){ 0 };
}

int table_column(const struct table *t, const char *name)
{
    for (size_t i = 0; i < t->column_count; i++)
        if (strcmp(t->columns[i], name) == 0)
            return (int)i;
    return -1;
}

const char *table_get(const struct table *t, size_t row, int column)
{
    return t->fields[row * t->column_count + (size_t)column];
}

const char *table_field(const struct table *t, size_t row, const char *column)
{
    int c = table_column(t, column);
    return c < 0 ? "" : table_get(t, row, c);
}

bool table_number(const struct table *t, size_t row, int column, double *value)
{
    const char *text = table_get(t, row, column);
    char *end;
    double v = strtod(text, &end);
    if (end == text || *end)
        return false;
    *value = v;
    return true;
}

bool table_blank(const char *field)
{
    return !*field || ((*field == '?' || *field == '-') && !field[1]);
}
