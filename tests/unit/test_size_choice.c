/* Times that were measured, and the batch that follows from memory and times. Expectations are worked out by hand. */
#include <criterion/criterion.h>

#include "size/choice.h"
#include "size/net_text.h"
#include "size/nets.h"
#include "size/offer.h"

static const struct time_card card = { .cc = 35, .sms = 2, .cores = 384, .clock_mhz = 954,
                                       .bandwidth_gbps = 14.4, .launch_us = 6.7 };

static struct time_op conv_op(int batch)
{
    return (struct time_op){ .kind = TIME_OP_CONV,
                             .conv = { .w = 56, .h = 56, .c = 64, .n = batch, .k = 64, .s = 3, .r = 3,
                                       .pad_w = 1, .pad_h = 1, .stride_w = 1, .stride_h = 1,
                                       .dilation_w = 1, .dilation_h = 1, .groups = 1 } };
}

static void add(struct measured *m, int batch, double ms)
{
    const struct measured_op op = { conv_op(batch), TIME_FP32, { 0.9 * ms, ms, 1.1 * ms } };
    cr_assert_eq(measured_add(m, &op, NULL), 0);
}

static double found(const struct measured *m, int batch)
{
    struct time_model model;
    struct measured_span ms = { 0, 0, 0 };
    struct time_op op = conv_op(batch);
    time_model_init(&model, &card, TIME_FP32, NULL);
    cr_assert(measured_find(m, &model, &op, &ms));
    return ms.mid;
}

Test(size_choice, a_measured_batch_is_as_it_was_measured_and_others_lie_on_the_line)
{
    struct measured m = { .list = NULL };
    add(&m, 1, 2);
    add(&m, 4, 5);
    cr_assert_float_eq(found(&m, 1), 2, 1e-9);
    cr_assert_float_eq(found(&m, 2), 3, 1e-9);
    cr_assert_float_eq(found(&m, 4), 5, 1e-9);
    cr_assert_float_eq(found(&m, 10), 11, 1e-9);
    measured_free(&m);
}

Test(size_choice, no_line_leads_below_what_less_work_took)
{
    struct measured m = { .list = NULL };
    add(&m, 1, 4);
    add(&m, 2, 3); /* libraries choose other kernels: more work, less time */
    cr_assert_geq(found(&m, 8), 3);
    cr_assert_leq(found(&m, 8), 8 * 3.0 / 2);
    measured_free(&m);
}

Test(size_choice, a_processor_without_a_model_takes_time_in_proportion)
{
    struct measured m = { .list = NULL };
    struct measured_span ms;
    struct time_op op = conv_op(3);
    add(&m, 1, 2);
    cr_assert(measured_find(&m, NULL, &op, &ms));
    cr_assert_float_eq(ms.mid, 6, 1e-9);
    measured_free(&m);
}

Test(size_choice, the_shortest_of_several_stays_and_a_fresh_round_replaces_it)
{
    struct measured m = { .list = NULL }, fresh = { .list = NULL };
    add(&m, 1, 4);
    add(&m, 1, 3);
    add(&m, 1, 5);
    cr_assert_float_eq(found(&m, 1), 3, 1e-9);
    add(&fresh, 1, 6);
    cr_assert_eq(measured_replace(&m, &fresh, NULL), 0);
    cr_assert_float_eq(found(&m, 1), 6, 1e-9);
    measured_free(&m);
    measured_free(&fresh);
}

Test(size_choice, another_shape_or_precision_is_not_known)
{
    struct measured m = { .list = NULL };
    struct measured_span ms;
    struct time_model half, single;
    struct time_op op = conv_op(1);
    time_model_init(&single, &card, TIME_FP32, NULL);
    time_model_init(&half, &card, TIME_FP16_STORAGE, NULL);
    add(&m, 1, 2);
    cr_assert_not(measured_find(&m, &half, &op, &ms));
    op.conv.k = 128;
    cr_assert_not(measured_find(&m, &single, &op, &ms));
    measured_free(&m);
}

/* A 3x3 convolution by itself, so that its measured times are the network's. */
static void open_net(struct net *net, struct kept *kept)
{
    static const char text[] = "net one\ninput 64x56x56\nc conv out=64 kernel=3 pad=1 bias=no\n";
    struct err err;
    err_clear(&err);
    cr_assert_eq(net_text_read(net, text, sizeof text - 1, (struct net_image){ 0 }, &err), 0, "%s", err.msg);
    cr_assert_eq(kept_init(kept, net, false, &err), 0);
}

static void choose(const struct measured *m, struct choice_ask *ask, struct choice *c)
{
    static struct time_model model;
    static struct net net;
    static struct kept kept;
    open_net(&net, &kept);
    time_model_init(&model, &card, TIME_FP32, NULL);
    ask->net = &net;
    ask->kept = &kept;
    ask->model = &model;
    ask->measured = m;
    ask->memory = (struct memory_ask){ .card_bytes = 2147483648.0 };
    choice_make(ask, c);
    kept_free(&kept);
    net_free(&net);
}

/* 10 ms and 1 ms an image: 1/11, 2/12, 4/14 ... images a ms. The best of the points, 512/522, needs 95 % of it:
 * B/(10 + B) >= 0.9318, from B = 137 on; the first point from there is 192. The intervals of the samples are narrow. */
Test(size_choice, the_knee_is_the_smallest_batch_that_is_as_good_as_the_best)
{
    struct measured m = { .list = NULL };
    struct choice_ask ask = { .batch = 0 };
    struct choice c;
    const struct measured_op one = { conv_op(1), TIME_FP32, { 11, 11, 11 } };
    const struct measured_op two = { conv_op(2), TIME_FP32, { 12, 12, 12 } };
    cr_assert_eq(measured_add(&m, &one, NULL) || measured_add(&m, &two, NULL), 0);
    choose(&m, &ask, &c);
    cr_assert_eq(c.points[c.count - 1].batch, 512);
    cr_assert_eq(c.points[c.chosen].batch, 192, "%d", c.points[c.chosen].batch);
    ask.limit = 50;
    choose(&m, &ask, &c);
    cr_assert_eq(c.largest, 50);
    cr_assert_eq(c.points[c.count - 1].batch, 48);
    ask = (struct choice_ask){ .batch = 5 };
    choose(&m, &ask, &c);
    cr_assert_eq(c.points[c.chosen].batch, 5);
    cr_assert(c.fits);
    ask.batch = 65536;
    choose(&m, &ask, &c);
    cr_assert_eq(c.points[c.chosen].batch, 65536);
    cr_assert_not(c.fits);
    measured_free(&m);
}

Test(size_choice, rates_whose_ranges_overlap_are_too_close_to_call)
{
    const struct pace_span slow = { 1, 2, 3 }, fast = { 4, 5, 6 }, wide = { 2, 5, 9 }, none = { 0, 0, 0 };
    cr_assert_eq(choice_compare(&fast, &slow), 1);
    cr_assert_eq(choice_compare(&slow, &fast), -1);
    cr_assert_eq(choice_compare(&wide, &slow), 0);
    cr_assert_eq(choice_compare(&wide, &none), 0);
}

/* What the notes on devices say: by device, not by capability. */
static const struct {
    struct offer_card card;
    enum precision precision;
    bool training;
    enum offer_answer works;
} known[] = {
    { { .card = { .cc = 35, .fp16_ratio = 0 }, .framework = "1.3.1" }, PRECISION_FP16, false, OFFER_NO },
    { { .card = { .cc = 35 }, .framework = "1.3.1" }, PRECISION_FP16_STORAGE, false, OFFER_YES },
    { { .card = { .cc = 35 }, .framework = "1.3.1" }, PRECISION_AMP, true, OFFER_NO },
    { { .card = { .cc = 61, .fp16_ratio = 1.0 / 64 }, .dp4a = true }, PRECISION_FP16, false, OFFER_YES },
    { { .card = { .cc = 61, .fp16_ratio = 1.0 / 64 }, .dp4a = true }, PRECISION_INT8, false, OFFER_YES },
    { { .card = { .cc = 61, .fp16_ratio = 1.0 / 64 }, .dp4a = true }, PRECISION_INT8, true, OFFER_NO },
    { { .card = { .cc = 60, .fp16_ratio = 2 } }, PRECISION_INT8, false, OFFER_NO },
    { { .card = { .cc = 75, .fp16_ratio = 2 } }, PRECISION_AMP, true, OFFER_YES },
};

Test(size_choice, what_works_is_decided_by_the_card)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const char *why = NULL;
        cr_assert_eq(offer_works(&known[i].card, known[i].precision, known[i].training, &why),
                     known[i].works, "row %zu: %s", i, why);
        cr_assert_not_null(why);
    }
}

Test(size_choice, cards_of_one_capability_are_told_apart)
{
    const struct offer_card gtx = { .card = { .cc = 75, .fp16_ratio = 2 } };
    const struct offer_card rtx = { .card = { .cc = 75, .fp16_ratio = 2, .tensor_ratio = 4 } };
    const char *a, *b;
    offer_works(&gtx, PRECISION_AMP, true, &a);
    offer_works(&rtx, PRECISION_AMP, true, &b);
    cr_assert_str_eq(a, "offer.works.no_tensor");
    cr_assert_str_eq(b, "offer.works.tensor");
}
