/* The roofline as one SVG file that needs nothing else: what was measured of the card as lines,
 * what was measured of operations as points below them. Pure. */
#ifndef BENCH_PLOT_H
#define BENCH_PLOT_H

#include "bench/row.h"
#include "core/str.h"

/* Words, in the language of whoever reads it. */
struct plot_labels {
    const char *title, *subtitle;
    const char *x_axis, *y_axis;
    const char *nothing; /* in place of a plot when no row has arithmetic and traffic */
};

/* Appends the document; out->failed when out of memory. */
void plot_svg(const struct row_list *rows, const struct plot_labels *labels, struct str *out);

#endif
