/* What a card's arithmetic reaches, by its generation, where nobody measured it. */
#include <math.h>

#include "size/time_parts.h"

/* Share of cores * clock * 2 that large matrix products of the vendor's library reach (clock: boost
 * by data sheet, which real cards leave in both directions). The last row not above the capability
 * counts. */
static const struct {
    unsigned cc;
    double fp32, tensor;
    const char *source;
} shares[] = {
    { 10, 0.60, 0, "no source; cards before Kepler run no library of today" },
    { 30, 0.75, 0, "K20m 2705 of 3524 GFLOP/s (PPoPP 2017 artifact), K40m about 80 %" },
    { 50, 0.78, 0, "DeepBench: TITAN X 5211 of 6691, M40 4930 of 6844" },
    { 60, 0.93, 0, "DeepBench: TITAN X (Pascal) 10191 of 10974" },
    { 70, 0.83, 0.86, "DeepBench: V100 13014 of 15667, tensor cores 107640 of 125338" },
    { 75, 0.83, 0.70,
      "no rows: arithmetic as Volta, tensor cores with less bandwidth to feed them" },
};

/* Tensor cores, fp16 with fp32 sums, relative to fp32 arithmetic, from NVIDIA's white papers on
 * each architecture. GeForce cards sum in fp32 at half rate where `geforce` says so. */
static const struct {
    unsigned cc;
    double ratio, geforce;
} tensor_ratios[] = {
    { 70, 8, 8 }, { 72, 8, 8 },   { 75, 8, 4 },    { 80, 16, 16 },  { 86, 4, 2 },  { 87, 4, 4 },
    { 89, 4, 2 }, { 90, 15, 15 }, { 100, 28, 28 }, { 103, 28, 28 }, { 120, 4, 2 }, { 121, 4, 2 },
};

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* dp4a does four int8 products in the place of one fp32 multiply-add. */
#define DP4A_RATIO 4

double time_tensor_ratio(unsigned cc, bool geforce)
{
    for (size_t i = 0; i < COUNT(tensor_ratios); i++)
        if (tensor_ratios[i].cc == cc)
            return geforce ? tensor_ratios[i].geforce : tensor_ratios[i].ratio;
    return 0;
}

static size_t share_of(unsigned cc)
{
    size_t i = 0;
    while (i + 1 < COUNT(shares) && shares[i + 1].cc <= cc)
        i++;
    return i;
}

bool time_uses_tensor(const struct time_model *model)
{
    const struct time_card *card = &model->card;
    switch (model->precision) {
    case TIME_FP16_MIXED:
        return card->tensor_ratio > 0;
    case TIME_BF16_MIXED:
    case TIME_TF32:
        return card->tensor_ratio > 0 && card->cc >= 80;
    case TIME_INT8:
        return card->tensor_ratio > 0 && card->cc >= 72;
    default:
        return false;
    }
}

/* Relative to fp32 arithmetic; 0: the card has none. */
static double arithmetic_ratio(const struct time_model *model)
{
    const struct time_card *card = &model->card;
    if (time_uses_tensor(model))
        return card->tensor_ratio * (model->precision == TIME_INT8   ? 2
                                     : model->precision == TIME_TF32 ? 0.5
                                                                     : 1);
    switch (model->precision) {
    case TIME_FP16:
        return card->fp16_ratio;
    case TIME_INT8:
        return card->cc >= 61 && card->cc != 62 ? DP4A_RATIO : 0;
    case TIME_BF16_MIXED:
    case TIME_TF32:
        return 0;
    default:
        return 1;
    }
}

static double sheet_fp32(const struct time_card *card)
{
    return 2 * card->cores * card->clock_mhz * 1e-3;
}

double time_sheet_gflops(const struct time_card *card, enum time_precision precision)
{
    struct time_model model = { .card = *card, .precision = precision };
    double ratio = arithmetic_ratio(&model);
    /* Libraries compute products of halves on tensor cores, which sum in fp16 at up to twice the
     * rate; what a card has no arithmetic for they compute in fp32. */
    if (precision == TIME_FP16)
        ratio = fmax(ratio, 2 * card->tensor_ratio);
    return sheet_fp32(card) * (ratio > 0 ? ratio : 1);
}

double time_peak(const struct time_model *model)
{
    size_t row = share_of(model->card.cc);
    double fp32 = sheet_fp32(&model->card);
    double share = time_uses_tensor(model) ? shares[row].tensor : shares[row].fp32;
    return fp32 * arithmetic_ratio(model) * share;
}
