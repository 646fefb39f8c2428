#include "size/offer.h"

#include <stdlib.h>
#include <string.h>

#include "core/str.h"
#include "data/data.h"

const char *offer_answer_name(enum offer_answer answer)
{
    static const char *const names[] = { "no", "yes", "unlikely", "same", "likely", "unknown" };
    return names[answer];
}

/* ---- works ---------------------------------------------------------------------------------------- */

static enum offer_answer half_works(const struct offer_card *c, const char **why)
{
    double ratio = c->card.fp16_ratio;
    *why = ratio < 0                             ? "offer.works.unknown"
           : ratio == 0                          ? "offer.works.no_half"
           : ratio < 0.5                         ? "offer.works.slow_half"
           : c->card.cc == 75 && !(c->card.tensor_ratio > 0) ? "offer.works.no_tensor"
           : c->card.tensor_ratio > 0                      ? "offer.works.tensor"
                                                 : "offer.works.half";
    return ratio < 0 ? OFFER_UNKNOWN : ratio == 0 ? OFFER_NO : OFFER_YES;
}

static enum offer_answer mixed_works(const struct offer_card *c, const char **why)
{
    *why = c->card.tensor_ratio > 0         ? "offer.works.tensor"
           : c->card.cc == 75     ? "offer.works.no_tensor"
           : c->card.cc < 50      ? "offer.works.no_products"
                                  : "offer.works.mixed_storage";
    return c->card.cc < 50 ? OFFER_NO : OFFER_YES;
}

enum offer_answer offer_works(const struct offer_card *c, enum precision precision, bool training,
                              const char **why)
{
    switch (precision) {
    case PRECISION_FP16_STORAGE:
        *why = "offer.works.storage";
        return OFFER_YES;
    case PRECISION_FP16:
        return half_works(c, why);
    case PRECISION_AMP:
        return mixed_works(c, why);
    case PRECISION_INT8:
        *why = training ? "offer.works.int8_training"
               : c->dp4a ? "offer.works.int8"
                         : "offer.works.no_int8";
        return !training && c->dp4a ? OFFER_YES : OFFER_NO;
    default:
        *why = "offer.works.fp32";
        return OFFER_YES;
    }
}

/* ---- the framework ------------------------------------------------------------------------------------ */

/* "1.10.2" against "1.6.0" */
static int compare_releases(const char *a, const char *b)
{
    while (*a || *b) {
        char *end_a, *end_b;
        long x = strtol(a, &end_a, 10), y = strtol(b, &end_b, 10);
        if (x != y)
            return x < y ? -1 : 1;
        a = *end_a == '.' ? end_a + 1 : "";
        b = *end_b == '.' ? end_b + 1 : "";
    }
    return 0;
}

static size_t offer_row(const struct table *t, enum precision precision)
{
    size_t row = 0;
    while (row + 1 < t->row_count && strcmp(table_get(t, row, 0), precision_name(precision)) != 0)
        row++;
    return row;
}

static void framework(const struct offer_card *c, struct offer *o)
{
    const struct table *t = data_table(DATA_OFFERS);
    size_t row = offer_row(t, o->precision);
    const char *least = table_field(t, row, "least"), *how = table_field(t, row, "how");
    double min_cc = 0;
    table_number(t, row, table_column(t, "min_cc"), &min_cc);
    o->framework = OFFER_NO;
    if (!c->framework) {
        o->framework = OFFER_UNKNOWN;
        o->framework_why = "offer.framework.not_asked";
    } else if (table_blank(least)) {
        o->framework_why = "offer.framework.never";
    } else if (!*c->framework) {
        o->framework_why = "offer.framework.no_release";
    } else if (compare_releases(c->framework, least) < 0) {
        o->framework_why = "offer.framework.too_old";
    } else if (c->card.cc < min_cc * 10 - 0.5) {
        o->framework_why = "offer.framework.products";
    } else {
        o->framework = OFFER_YES;
        o->framework_why = "offer.framework.yes";
    }
    str_copy(o->since, sizeof o->since, table_blank(least) ? "" : least);
    str_copy(o->how, sizeof o->how, table_blank(how) ? "" : how);
}

/* ---- memory and speed ------------------------------------------------------------------------------------ */

static void speed(const struct choice_point *fp32, const struct choice_point *own, struct offer *o)
{
    o->faster = OFFER_UNKNOWN;
    o->faster_why = own->pace.reason ? own->pace.reason : "offer.faster.unknown";
    if (fp32->rate.mid <= 0 || own->rate.mid <= 0)
        return;
    o->ratio = (struct pace_span){ own->rate.low / fp32->rate.mid, own->rate.mid / fp32->rate.mid,
                                   own->rate.high / fp32->rate.mid };
    o->memory_share = fp32->pace.memory_bound;
    o->faster = o->ratio.low > 1.05    ? OFFER_YES
                : o->ratio.high < 0.95 ? OFFER_NO
                : o->ratio.mid >= 1.1  ? OFFER_LIKELY
                : o->ratio.mid <= 0.9  ? OFFER_UNLIKELY
                                       : OFFER_SAME;
    o->faster_why = o->ratio.mid <= 0.9   ? "offer.faster.slow_arithmetic"
                    : o->ratio.mid < 1.1  ? "offer.faster.arithmetic"
                    : o->ratio.mid < 1 / (1 - o->memory_share / 2) + 0.1
                        ? "offer.faster.memory"
                        : "offer.faster.units";
}

void offer_make(const struct offer_card *c, enum precision precision, bool training,
                const struct choice_point *fp32, const struct choice_point *own, struct offer *o)
{
    *o = (struct offer){ .precision = precision, .batch = own->batch,
                         .bytes = own->memory.mid, .fp32_bytes = fp32->memory.mid };
    o->works = offer_works(c, precision, training, &o->works_why);
    framework(c, o);
    o->faster = OFFER_UNKNOWN;
    o->faster_why = "offer.faster.does_not_work";
    if (o->works == OFFER_NO) {
        o->saves = OFFER_NO;
        return;
    }
    o->saves = o->bytes < 0.98 * o->fp32_bytes ? OFFER_YES : OFFER_NO;
    speed(fp32, own, o);
}
