/* The numbers among the options of `smfit size`. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/size_view.h"

#define IMAGE_MOST (1 << 16)

static int number(const char *option, const char *text, long most, long *value, struct err *err)
{
    *value = 0;
    if (text && !str_number(text, 1, most, value))
        return err_set(err, ERR_USAGE, "option '--%s' takes a number from 1 to %ld, not '%s'", option,
                       most, text);
    return 0;
}

static int count(const char *option, const char *text, int most, int *value, struct err *err)
{
    long read;
    if (number(option, text, most, &read, err))
        return -1;
    *value = (int)read;
    return 0;
}

/* "224", "360x640" */
static int image(const char *text, struct net_image *image, struct err *err)
{
    char height[32];
    long high, wide;
    if (!text)
        return 0;
    bool fits = str_copy(height, sizeof height, text);
    char *x = strchr(height, 'x'), *width = x ? x + 1 : height;
    if (x)
        *x = 0;
    if (!fits || !str_number(height, 1, IMAGE_MOST, &high) ||
        !str_number(width, 1, IMAGE_MOST, &wide))
        return err_set(err, ERR_USAGE,
                       "option '--image' takes a side from 1 to %d or HEIGHTxWIDTH, not '%s'",
                       IMAGE_MOST, text);
    *image = (struct net_image){ (int)high, (int)wide };
    return 0;
}

/* "1500MB", "1.5 GiB", "2G": powers of 1000 but for the forms with an i. */
static int budget(const char *text, double *bytes, struct err *err)
{
    static const struct {
        const char *unit;
        double factor;
    } units[] = { { "MB", 1e6 }, { "M", 1e6 },          { "MiB", 1048576 },
                  { "GB", 1e9 }, { "G", 1e9 },          { "GiB", 1073741824 },
                  { "B", 1 },    { "KB", 1e3 } };
    char *end = NULL;
    *bytes = 0;
    if (!text)
        return 0;
    double value = strpbrk(text, "xX") ? -1 : strtod(text, &end); /* no hexadecimal numbers */
    while (end && *end == ' ')
        end++;
    for (size_t i = 0; end && end != text && i < sizeof units / sizeof units[0]; i++)
        if (strcmp(end, units[i].unit) == 0)
            *bytes = value * units[i].factor;
    if (!isfinite(*bytes) || *bytes < 1e6 || *bytes > 1e15)
        return err_set(err, ERR_USAGE, "option '--budget' takes a size such as 1500MB or 1.5GiB, not '%s'",
                       text);
    return 0;
}

int size_request_read(const struct size_options *o, struct size_request *r, struct err *err)
{
    *r = (struct size_request){ .options = o, .precision = -1, .optimizer = MEMORY_MOMENTUM };
    if (!o->net)
        return err_set(err, ERR_USAGE, "'size' needs '--net NAME', '--gemm', '--conv' or '--shapes'; see 'smfit size --help'");
    if (o->operations.calibrate)
        return err_set(err, ERR_USAGE, "option '--calibrate' is for single operations, not for networks");
    if (o->train && o->infer)
        return err_set(err, ERR_USAGE, "options '--train' and '--infer' exclude each other");
    if (count("batch", o->batch, MEMORY_BATCH_MOST, &r->batch, err) ||
        image(o->image, &r->image, err) ||
        count("target-batch", o->target_batch, 1 << 20, &r->target_batch, err) ||
        number("dataset", o->dataset, 1000000000000, &r->dataset, err) ||
        budget(o->budget, &r->budget_bytes, err))
        return -1;
    if (o->optimizer)
        r->optimizer = (enum memory_optimizer)memory_optimizer_find(o->optimizer);
    if (o->precision && strcmp(o->precision, "auto") != 0) {
        r->precision = precision_find(o->precision);
        if (r->precision < 0)
            return err_set(err, ERR_USAGE,
                           "option '--precision' is auto, fp32, fp16-storage, fp16, amp or int8, not '%s'",
                           o->precision);
    }
    return 0;
}
