/* `smfit size --plot FILE`: throughput and memory over batch as an SVG drawing. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/size_parts.h"
#include "core/utf8.h"

#define WIDTH  640.0
#define LEFT   70.0
#define RIGHT  20.0
#define PANEL  190.0 /* height of one of the two panels */
#define TOP    50.0
#define GAP    50.0

struct axis {
    double top, most; /* the panel's upper edge and the value there */
};

struct plot {
    FILE *file;
    const struct choice *choice;
    double first, last; /* log2 of the batches */
};

static double x_of(const struct plot *p, double batch)
{
    double span = p->last > p->first ? p->last - p->first : 1;
    return LEFT + (WIDTH - LEFT - RIGHT) * (log2(batch) - p->first) / span;
}

static double y_of(const struct axis *a, double value)
{
    return a->top + PANEL * (1 - value / a->most);
}

/* 1, 2 or 5 times a power of ten, about a fifth of the range. */
static double tick_of(double most)
{
    double raw = most / 5, power = pow(10, floor(log10(raw)));
    double ratio = raw / power;
    return power * (ratio < 1.5 ? 1 : ratio < 3.5 ? 2 : ratio < 7.5 ? 5 : 10);
}

static void label(const struct plot *p, double x, double y, const char *anchor, const char *text)
{
    struct str safe = STR_INIT;
    utf8_add_xml(&safe, text);
    fprintf(p->file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor,
            safe.p);
    str_free(&safe);
}

static void rule(const struct plot *p, const char *class, double x1, double y1, double x2, double y2)
{
    fprintf(p->file, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", class,
            x1, y1, x2, y2);
}

static void frame(const struct plot *p, const struct axis *a, const char *title_id)
{
    double bottom = a->top + PANEL, step = tick_of(a->most);
    label(p, LEFT, a->top - 8, "start", text_get(title_id));
    for (double v = 0; v <= a->most * 1.0001; v += step) {
        char text[32];
        snprintf(text, sizeof text, "%g", v);
        rule(p, "grid", LEFT, y_of(a, v), WIDTH - RIGHT, y_of(a, v));
        label(p, LEFT - 6, y_of(a, v) + 4, "end", text);
    }
    for (size_t i = 0; i < p->choice->count; i++) {
        char text[16];
        int batch = p->choice->points[i].batch;
        snprintf(text, sizeof text, "%d", batch);
        if ((batch & (batch - 1)) == 0)
            label(p, x_of(p, batch), bottom + 16, "middle", text);
    }
}

static double rate_at(const struct choice_point *p, int which)
{
    return which < 0 ? p->rate.low : which > 0 ? p->rate.high : p->rate.mid;
}

static void curve(const struct plot *p, const struct axis *a, const char *class,
                  double (*value)(const struct choice_point *, int), int which)
{
    fprintf(p->file, "<polyline class=\"%s\" points=\"", class);
    for (size_t i = 0; i < p->choice->count; i++)
        fprintf(p->file, "%.1f,%.1f ", x_of(p, p->choice->points[i].batch),
                y_of(a, value(&p->choice->points[i], which)));
    fprintf(p->file, "\"/>\n");
}

static double memory_at(const struct choice_point *p, int which)
{
    const struct memory_range *m = &p->memory;
    return (which < 0 ? m->low : which > 0 ? m->high : m->mid) / 1e6;
}

static void mark(const struct plot *p, const struct axis *a, double value, const char *text)
{
    double x = x_of(p, p->choice->points[p->choice->knee].batch);
    fprintf(p->file, "<circle class=\"knee\" cx=\"%.1f\" cy=\"%.1f\" r=\"5\"/>\n", x, y_of(a, value));
    label(p, x + 8, y_of(a, value) - 8, "start", text);
}

static void throughput(const struct plot *p)
{
    struct axis a = { TOP, 0 };
    for (size_t i = 0; i < p->choice->count; i++)
        a.most = fmax(a.most, 1.05 * p->choice->points[i].rate.high);
    if (a.most <= 0) {
        label(p, LEFT, TOP + PANEL / 2, "start", text_get("size.short.no_rate"));
        return;
    }
    char knee[64];
    const struct choice_point *k = &p->choice->points[p->choice->knee];
    frame(p, &a, "size.plot.rate");
    curve(p, &a, "edge", rate_at, -1);
    curve(p, &a, "edge", rate_at, 1);
    curve(p, &a, "line", rate_at, 0);
    snprintf(knee, sizeof knee, "%s %d", text_get("size.mark.knee"), k->batch);
    mark(p, &a, k->rate.mid, knee);
}

static void memory(const struct plot *p, double limit)
{
    struct axis a = { TOP + PANEL + GAP, 1.1 * limit };
    for (size_t i = 0; i < p->choice->count; i++)
        a.most = fmax(a.most, 1.05 * memory_at(&p->choice->points[i], 1));
    frame(p, &a, "size.plot.memory");
    curve(p, &a, "edge", memory_at, -1);
    curve(p, &a, "edge", memory_at, 1);
    curve(p, &a, "line", memory_at, 0);
    rule(p, "limit", LEFT, y_of(&a, limit), WIDTH - RIGHT, y_of(&a, limit));
    label(p, WIDTH - RIGHT, y_of(&a, limit) - 6, "end", text_get("size.plot.limit"));
}

static void draw(const struct size_view *v, struct plot *p)
{
    struct str title = STR_INIT;
    const char *style = "text{font:12px sans-serif;fill:#222}.grid{stroke:#ddd}"
                        ".line{fill:none;stroke:#1a6fb5;stroke-width:2}"
                        ".edge{fill:none;stroke:#1a6fb5;stroke-dasharray:3 3}"
                        ".limit{stroke:#c22;stroke-width:1.5}.knee{fill:#d80}";
    fprintf(p->file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
            "viewBox=\"0 0 %.0f %.0f\">\n<style>%s</style>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
            WIDTH, TOP + 2 * PANEL + GAP + 40, WIDTH, TOP + 2 * PANEL + GAP + 40, style);
    str_addf(&title, "%s, %s, %s (%s)", v->net->net.name, v->target->name,
             text_get(v->training ? "size.answer.train" : "size.answer.infer"), text_word(v->basis));
    label(p, LEFT, 20, "start", title.p);
    throughput(p);
    memory(p, v->card_bytes / 1e6);
    label(p, WIDTH / 2, TOP + 2 * PANEL + GAP + 34, "middle", text_get("col.batch"));
    fprintf(p->file, "</svg>\n");
    str_free(&title);
}

int size_plot_write(const struct size_view *v, const char *path, struct err *err)
{
    struct plot p = { .choice = &size_view_asked(v)->choice };
    p.first = log2(p.choice->points[0].batch);
    p.last = log2(p.choice->points[p.choice->count - 1].batch);
    p.file = fopen(path, "w");
    if (!p.file)
        return err_errno(err, "cannot write '%s'", path);
    draw(v, &p);
    int lost = ferror(p.file);
    if (fclose(p.file) || lost)
        return err_errno(err, "cannot write '%s'", path);
    return 0;
}
