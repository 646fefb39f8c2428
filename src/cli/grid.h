/* Aligned columns. Cells are text in UTF-8; widths count terminal columns, so Chinese lines up. */
#ifndef CLI_GRID_H
#define CLI_GRID_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/out.h"

struct grid_column {
    const char *title_id; /* in text.tsv; NULL: no title */
    bool right;           /* numbers */
};

struct grid;

/* `columns` must outlive the grid. NULL when out of memory. */
struct grid *grid_new(const struct grid_column *columns, size_t count);
void grid_free(struct grid *g);

/* The next cell, from left to right; a row is complete with its last column. */
void grid_cell(struct grid *g, const char *text);
void grid_cellf(struct grid *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

size_t grid_rows(const struct grid *g);

/* Prints the rows, under the titles unless those were printed before, and forgets them; widths
 * stay, so that a long list can be printed in parts. Columns whose every cell is empty are left
 * out. */
void grid_print(struct grid *g, size_t indent);

#endif
