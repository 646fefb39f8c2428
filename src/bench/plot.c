#include "bench/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/ceiling.h"
#include "bench/shape.h"
#include "core/utf8.h"

/* Pixels. The legend stands right of the plot. */
enum { WIDTH = 1100, HEIGHT = 680, LEFT = 90, RIGHT = 830, TOP = 80, BOTTOM = 600, RADIUS = 5,
       LINE_HEIGHT = 14 };

/* Colours that stay apart for the colour-blind: Okabe and Ito, Color Universal Design. */
static const char *const colours[BENCH_PRECISION_COUNT] = {
    [BENCH_FP32] = "#0072b2",    [BENCH_FP16S] = "#56b4e9",   [BENCH_HALF2] = "#009e73",
    [BENCH_TC_FP16] = "#d55e00", [BENCH_TC_BF16] = "#e69f00", [BENCH_TC_TF32] = "#cc79a7",
    [BENCH_DP4A] = "#7f6f00",    [BENCH_TC_INT8] = "#8c2d04", [BENCH_FP64] = "#555555",
    [BENCH_INT32] = "#999999",
};

struct plot {
    const struct row_list *rows;
    struct str *out;
    double x_low, x_high, y_low, y_high; /* powers of ten */
    double bandwidth;                    /* 10^9 byte/s; 0: not measured */
    const char *bandwidth_name;
};

static double at_x(const struct plot *p, double intensity)
{
    return LEFT + (log10(intensity) - p->x_low) / (p->x_high - p->x_low) * (RIGHT - LEFT);
}

static double at_y(const struct plot *p, double gflops)
{
    return BOTTOM - (log10(gflops) - p->y_low) / (p->y_high - p->y_low) * (BOTTOM - TOP);
}

static void add_words(struct str *to, double x, double y, const char *anchor, int size,
                      const char *fill, const char *text)
{
    str_addf(to, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-size=\"%d\" fill=\"%s\">", x,
             y, anchor, size, fill);
    utf8_add_xml(to, text);
    str_add(to, "</text>\n");
}

static void add_line(struct str *to, double x1, double y1, double x2, double y2, const char *stroke,
                     double width)
{
    str_addf(to,
             "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
             "stroke-width=\"%.1f\"/>\n",
             x1, y1, x2, y2, stroke, width);
}

static bool is_point(const struct row *r)
{
    return r->status == ROW_OK && isfinite(r->gflops) && r->gflops > 0 && isfinite(r->bytes) &&
           r->bytes > 0 && isfinite(r->flop);
}

static bool is_roof(const struct row *r)
{
    return r->status == ROW_OK && strncmp(r->name, "ceiling/", 8) == 0 && isfinite(r->gflops) &&
           r->gflops > 0;
}

static void find_bandwidth(struct plot *p)
{
    for (size_t i = 0; i < p->rows->count; i++) {
        const struct row *r = &p->rows->list[i];
        const struct ceiling *c =
            strncmp(r->name, "ceiling/", 8) == 0 ? ceiling_find(r->name + 8) : NULL;
        if (r->status == ROW_OK && c && c->kind == CEILING_MEMORY && r->gbps > p->bandwidth) {
            p->bandwidth = r->gbps;
            p->bandwidth_name = r->name + 8;
        }
    }
}

static void include(double value, double *low, double *high)
{
    double power = log10(value);
    *low = fmin(*low, floor(power - 0.05));
    *high = fmax(*high, ceil(power + 0.05));
}

/* False when there is nothing to draw. */
static bool find_ranges(struct plot *p)
{
    size_t points = 0;
    p->x_low = p->y_low = INFINITY;
    p->x_high = p->y_high = -INFINITY;
    for (size_t i = 0; i < p->rows->count; i++) {
        const struct row *r = &p->rows->list[i];
        if (is_point(r)) {
            include(r->flop / r->bytes, &p->x_low, &p->x_high);
            points++;
        }
        if (is_point(r) || is_roof(r))
            include(r->gflops, &p->y_low, &p->y_high);
        if (is_roof(r) && p->bandwidth > 0)
            include(r->gflops / p->bandwidth, &p->x_low, &p->x_high);
    }
    return points > 0;
}

static void add_power(struct str *to, double x, double y, const char *anchor, double power)
{
    char text[32];
    snprintf(text, sizeof text, "%.*f", power < 0 ? (int)-power : 0, pow(10, power));
    add_words(to, x, y, anchor, 13, "#333", text);
}

static void add_axes(const struct plot *p, const struct plot_labels *labels)
{
    struct str *o = p->out;
    for (double x = p->x_low; x <= p->x_high; x++) {
        double at = at_x(p, pow(10, x));
        add_line(o, at, TOP, at, BOTTOM, "#ddd", 1);
        add_power(o, at, BOTTOM + 20, "middle", x);
    }
    for (double y = p->y_low; y <= p->y_high; y++) {
        double at = at_y(p, pow(10, y));
        add_line(o, LEFT, at, RIGHT, at, "#ddd", 1);
        add_power(o, LEFT - 8, at + 4, "end", y);
    }
    add_line(o, LEFT, BOTTOM, RIGHT, BOTTOM, "#333", 1.5);
    add_line(o, LEFT, TOP, LEFT, BOTTOM, "#333", 1.5);
    add_words(o, (LEFT + RIGHT) / 2.0, BOTTOM + 48, "middle", 15, "#111", labels->x_axis);
    str_addf(o, "<g transform=\"translate(26 %d) rotate(-90)\">", (TOP + BOTTOM) / 2);
    add_words(o, 0, 0, "middle", 15, "#111", labels->y_axis);
    str_add(o, "</g>\n");
}

static const char *colour_of(const struct row *r)
{
    int precision = bench_precision_find(r->precision);
    return precision < 0 ? "#000" : colours[precision];
}

/* "12.34", "31700": four digits and no power of ten. */
static const char *number(char text[24], double value)
{
    snprintf(text, 24, value >= 1000 ? "%.0f" : "%.4g", value);
    return text;
}

enum { ROOFS_MOST = 64 };

static int by_rate(const void *a, const void *b)
{
    double x = (*(const struct row *const *)a)->gflops, y = (*(const struct row *const *)b)->gflops;
    return (x < y) - (x > y);
}

/* The flat roofs, the highest first. */
static size_t roofs_of(const struct plot *p, const struct row *roofs[ROOFS_MOST])
{
    size_t n = 0;
    for (size_t i = 0; i < p->rows->count && n < ROOFS_MOST; i++)
        if (is_roof(&p->rows->list[i]))
            roofs[n++] = &p->rows->list[i];
    qsort(roofs, n, sizeof *roofs, by_rate);
    return n;
}

/* Words stand above their line, or as low as those of the roof above leave room. */
static void add_flat_roofs(const struct plot *p, const struct row *const *roofs, size_t count)
{
    double free_y = 0;
    for (size_t i = 0; i < count; i++) {
        const struct row *r = roofs[i];
        char text[160], rate[24];
        double from = p->bandwidth > 0 ? r->gflops / p->bandwidth : pow(10, p->x_low);
        double x = fmax(from, pow(10, p->x_low)), y = at_y(p, r->gflops);
        double words_y = fmax(y - 5, free_y);
        free_y = words_y + LINE_HEIGHT;
        add_line(p->out, at_x(p, x), y, RIGHT, y, colour_of(r), 2);
        snprintf(text, sizeof text, "%s: %s G%sOP/s", r->name + 8, number(rate, r->gflops),
                 strstr(r->precision, "int") ? "" : "FL");
        add_words(p->out, RIGHT - 4, words_y, "end", 12, colour_of(r), text);
    }
}

/* The slope of the memory up to the highest of the flat roofs, and those from where it meets them.
 */
static void add_roofs(const struct plot *p)
{
    const struct row *roofs[ROOFS_MOST];
    char text[160], rate[24];
    size_t count = roofs_of(p, roofs);
    double most = count ? roofs[0]->gflops : 0;
    add_flat_roofs(p, roofs, count);
    if (!(p->bandwidth > 0))
        return;
    double top = most > 0 ? most : pow(10, p->y_high);
    double low = fmax(pow(10, p->x_low), pow(10, p->y_low) / p->bandwidth);
    double high = fmin(pow(10, p->x_high), top / p->bandwidth);
    if (!(high > low))
        return;
    add_line(p->out, at_x(p, low), at_y(p, low * p->bandwidth), at_x(p, high),
             at_y(p, high * p->bandwidth), "#000", 2);
    snprintf(text, sizeof text, "%s: %s GB/s", p->bandwidth_name, number(rate, p->bandwidth));
    add_words(p->out, at_x(p, low) + 14, at_y(p, low * p->bandwidth) + 16, "start", 12, "#000",
              text);
}

/* Ours is a disc; a ring is somebody else's. */
static void add_mark(struct str *to, double x, double y, const struct row *r)
{
    bool ours = strcmp(r->implementation, "smfit") == 0;
    str_addf(to,
             "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%d\" fill=\"%s\" stroke=\"%s\" "
             "stroke-width=\"2\"",
             x, y, RADIUS, ours ? colour_of(r) : "#fff", colour_of(r));
}

static void add_points(const struct plot *p)
{
    for (size_t i = 0; i < p->rows->count; i++) {
        const struct row *r = &p->rows->list[i];
        char text[400], rate[24], ms[24];
        if (!is_point(r))
            continue;
        add_mark(p->out, at_x(p, r->flop / r->bytes), at_y(p, r->gflops), r);
        snprintf(text, sizeof text, "%s %s %s, %s: %s GFLOP/s, %s ms", r->name, r->shape,
                 r->precision, r->implementation, number(rate, r->gflops),
                 number(ms, r->time.median));
        str_add(p->out, "><title>");
        utf8_add_xml(p->out, text);
        str_add(p->out, "</title></circle>\n");
    }
}

static bool shown_before(const struct plot *p, size_t at)
{
    const struct row *r = &p->rows->list[at];
    for (size_t i = 0; i < at; i++) {
        const struct row *q = &p->rows->list[i];
        if (is_point(q) && strcmp(q->precision, r->precision) == 0 &&
            strcmp(q->implementation, r->implementation) == 0)
            return true;
    }
    return false;
}

static void add_legend(const struct plot *p)
{
    double y = TOP + 10;
    for (size_t i = 0; i < p->rows->count; i++) {
        const struct row *r = &p->rows->list[i];
        char text[64];
        if (!is_point(r) || shown_before(p, i))
            continue;
        snprintf(text, sizeof text, "%s, %s", r->implementation, r->precision);
        add_mark(p->out, RIGHT + 28, y - 4, r);
        str_add(p->out, "/>\n");
        add_words(p->out, RIGHT + 44, y, "start", 13, "#111", text);
        y += 22;
    }
}

void plot_svg(const struct row_list *rows, const struct plot_labels *labels, struct str *out)
{
    struct plot p = { .rows = rows, .out = out };
    str_addf(out,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
             "height=\"%d\" font-family=\"sans-serif\">\n",
             WIDTH, HEIGHT, WIDTH, HEIGHT);
    str_add(out, "<title>");
    utf8_add_xml(out, labels->title);
    str_addf(out, "</title>\n<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", WIDTH, HEIGHT);
    add_words(out, LEFT, 34, "start", 20, "#111", labels->title);
    add_words(out, LEFT, 58, "start", 14, "#444", labels->subtitle);
    find_bandwidth(&p);
    if (find_ranges(&p)) {
        add_axes(&p, labels);
        add_roofs(&p);
        add_points(&p);
        add_legend(&p);
    } else {
        add_words(out, WIDTH / 2.0, HEIGHT / 2.0, "middle", 16, "#111", labels->nothing);
    }
    str_add(out, "</svg>\n");
}
