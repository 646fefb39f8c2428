#include "cli/grid.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/text.h"
#include "core/utf8.h"

#define GAP 2

struct grid {
    const struct grid_column *columns;
    size_t count;
    size_t *widths;
    char **cells; /* cell_count of them, row by row */
    size_t cell_count, cell_cap;
    bool titled;
};

struct grid *grid_new(const struct grid_column *columns, size_t count)
{
    struct grid *g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    g->columns = columns;
    g->count = count;
    g->widths = calloc(count, sizeof *g->widths);
    if (!g->widths) {
        free(g);
        return NULL;
    }
    return g;
}

static void forget(struct grid *g)
{
    for (size_t i = 0; i < g->cell_count; i++)
        free(g->cells[i]);
    g->cell_count = 0;
}

void grid_free(struct grid *g)
{
    if (!g)
        return;
    forget(g);
    free(g->cells);
    free(g->widths);
    free(g);
}

void grid_cell(struct grid *g, const char *text)
{
    if (g->cell_count == g->cell_cap) {
        size_t cap = g->cell_cap ? g->cell_cap * 2 : 64;
        char **cells = reallocarray(g->cells, cap, sizeof *cells);
        if (!cells)
            return;
        g->cells = cells;
        g->cell_cap = cap;
    }
    struct str safe = STR_INIT;
    utf8_add_printable(&safe, text);
    char *copy = strdup(safe.p);
    if (copy) {
        size_t column = g->cell_count % g->count, width = utf8_width(copy);
        if (width > g->widths[column])
            g->widths[column] = width;
        g->cells[g->cell_count++] = copy;
    }
    str_free(&safe);
}

void grid_cellf(struct grid *g, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    grid_cell(g, text);
}

size_t grid_rows(const struct grid *g)
{
    return g->cell_count / g->count;
}

static const char *title(const struct grid *g, size_t column)
{
    const char *id = g->columns[column].title_id;
    return id ? text_get(id) : "";
}

/* One line; `cells` has a text per column. Nothing is padded behind the last one. */
static void print_line(const struct grid *g, size_t indent, const char *const *cells,
                       enum out_style style)
{
    size_t pending = indent;
    for (size_t i = 0; i < g->count; i++) {
        if (!g->widths[i])
            continue;
        size_t blank = g->widths[i] - utf8_width(cells[i]);
        if (g->columns[i].right)
            pending += blank;
        if (*cells[i]) {
            out_pad(pending);
            out_text(style, cells[i]);
            pending = 0;
        }
        pending += GAP + (g->columns[i].right ? 0 : blank);
    }
    out_line(OUT_PLAIN, "");
}

static void print_titles(struct grid *g, size_t indent)
{
    const char **titles = calloc(g->count, sizeof *titles);
    if (!titles)
        return;
    bool any = false;
    for (size_t i = 0; i < g->count; i++) {
        titles[i] = title(g, i);
        any |= *titles[i] && g->widths[i];
        if (g->widths[i] && utf8_width(titles[i]) > g->widths[i])
            g->widths[i] = utf8_width(titles[i]);
    }
    if (any)
        print_line(g, indent, titles, OUT_DIM);
    free(titles);
    g->titled = true;
}

void grid_print(struct grid *g, size_t indent)
{
    if (!g->titled && grid_rows(g))
        print_titles(g, indent);
    for (size_t row = 0; row < grid_rows(g); row++)
        print_line(g, indent, (const char *const *)g->cells + row * g->count, OUT_PLAIN);
    forget(g);
}
