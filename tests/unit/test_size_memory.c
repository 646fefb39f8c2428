/* The memory bill against what PyTorch holds: tests/size/memory.tsv, measured by tests/size/measure.py.
 * Run from the project's root. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/os.h"
#include "core/table.h"
#include "size/memory.h"
#include "size/nets.h"

static struct table measured;

static void load(void)
{
    struct str text = STR_INIT;
    struct err err;
    err_clear(&err);
    cr_assert_eq(os_read_file("tests/size/memory.tsv", 1 << 20, &text, &err), 0, "%s", err.msg);
    cr_assert_eq(table_parse(&measured, text.p, text.len, &err), 0, "%s", err.msg);
    str_free(&text);
}

static void unload(void)
{
    table_free(&measured);
}

TestSuite(size_memory, .init = load, .fini = unload);

static double figure(size_t row, const char *column)
{
    double value = 0;
    int index = table_column(&measured, column);
    cr_assert(index >= 0 && table_number(&measured, row, index, &value), "row %zu, %s", row, column);
    return value;
}

struct asked {
    struct net net;
    struct kept kept;
    struct memory_ask ask;
    const char *name;
};

static void open_net(struct asked *a, const char *name, bool training)
{
    struct err err;
    err_clear(&err);
    *a = (struct asked){ .name = name };
    cr_assert_eq(nets_find(&a->net, name, (struct net_image){ 0 }, &err), 0, "%s", err.msg);
    cr_assert_eq(kept_init(&a->kept, &a->net, training, &err), 0, "%s", err.msg);
}

static void ask_row(struct asked *a, size_t row)
{
    bool training = strcmp(table_field(&measured, row, "mode"), "train") == 0;
    open_net(a, table_field(&measured, row, "net"), training);
    a->ask = (struct memory_ask){ .training = training,
                                  .batch = (int)figure(row, "batch"),
                                  .card_bytes = 2e9 };
}

static void drop(struct asked *a)
{
    kept_free(&a->kept);
    net_free(&a->net);
}

static void assert_near(double got, double wanted, double share, const char *what, size_t row)
{
    double off = wanted > 0 ? fabs(got / wanted - 1) : got;
    cr_assert(off <= share, "%s %s batch %s: %s is %.0f, PyTorch has %.0f (%.2f %% off)",
              table_field(&measured, row, "net"), table_field(&measured, row, "mode"),
              table_field(&measured, row, "batch"), what, got, wanted, 100 * off);
}

Test(size_memory, covers_at_least_eight_networks_four_batches_and_both_modes)
{
    size_t train = 0, infer = 0;
    for (size_t row = 0; row < measured.row_count; row++)
        if (strcmp(table_field(&measured, row, "mode"), "train") == 0)
            train++;
        else
            infer++;
    cr_assert_geq(train, 8 * 4);
    cr_assert_geq(infer, 8 * 4);
}

Test(size_memory, parameters_are_exactly_pytorchs)
{
    for (size_t row = 0; row < measured.row_count; row++) {
        struct asked a;
        ask_row(&a, row);
        cr_assert_eq((double)net_totals(&a.net).params, figure(row, "params"), "%s", a.name);
        drop(&a);
    }
}

Test(size_memory, state_is_within_three_percent_for_each)
{
    for (size_t row = 0; row < measured.row_count; row++) {
        struct asked a;
        ask_row(&a, row);
        struct memory_bill bill;
        a.ask.optimizer = MEMORY_MOMENTUM;
        memory_bill(&a.kept, &a.ask, &bill);
        assert_near(bill.items[MEMORY_WEIGHTS].mid, figure(row, "state_bytes"), 0.03, "state", row);
        assert_near(bill.items[MEMORY_GRADIENTS].mid, figure(row, "gradient_bytes"), 0.03,
                    "gradients", row);
        assert_near(bill.items[MEMORY_OPTIMIZER].mid, figure(row, "momentum_bytes"), 0.03,
                    "momentum", row);
        a.ask.optimizer = MEMORY_ADAM;
        memory_bill(&a.kept, &a.ask, &bill);
        assert_near(bill.items[MEMORY_OPTIMIZER].mid, figure(row, "adam_bytes"), 0.03, "Adam", row);
        drop(&a);
    }
}

Test(size_memory, activations_are_within_eight_percent_for_each)
{
    for (size_t row = 0; row < measured.row_count; row++) {
        struct asked a;
        ask_row(&a, row);
        if (a.ask.training)
            assert_near(kept_bytes(&a.kept, PRECISION_FP32, a.ask.batch),
                        figure(row, "saved_bytes"), 0.08, "saved", row);
        else
            assert_near(kept_live_bytes(&a.kept, PRECISION_FP32, a.ask.batch),
                        figure(row, "peak_bytes"), 0.08, "alive", row);
        drop(&a);
    }
}

static void ask_net(struct asked *a, const char *name, bool training)
{
    open_net(a, name, training);
    a->ask = (struct memory_ask){ .training = training, .batch = 1, .card_bytes = 2147483648.0,
                                  .context_bytes = -1, .display_bytes = -1, .framework = true };
}

static double total(const struct asked *a, int batch)
{
    struct memory_ask ask = a->ask;
    struct memory_bill bill;
    ask.batch = batch;
    memory_bill(&a->kept, &ask, &bill);
    return bill.total.mid;
}

Test(size_memory, the_largest_batch_fits_and_the_next_does_not)
{
    for (size_t i = 0; i < nets_count(); i++) {
        struct asked a;
    ask_net(&a, nets_name(i), true);
        int batch = memory_largest_batch(&a.kept, &a.ask);
        if (batch)
            cr_assert_leq(total(&a, batch), a.ask.card_bytes, "%s", a.name);
        if (batch < MEMORY_BATCH_MOST)
            cr_assert_gt(total(&a, batch + 1), a.ask.card_bytes, "%s at %d", a.name, batch);
        cr_assert_leq(memory_sure_batch(&a.kept, &a.ask), batch);
        drop(&a);
    }
}

Test(size_memory, half_the_bytes_and_checkpoints_let_more_fit)
{
    struct asked a;
    ask_net(&a, "resnet50", true);
    int plain = memory_largest_batch(&a.kept, &a.ask);
    a.ask.precision = PRECISION_AMP;
    int amp = memory_largest_batch(&a.kept, &a.ask);
    a.ask.checkpoint = true;
    int both = memory_largest_batch(&a.kept, &a.ask);
    cr_assert_gt(plain, 0);
    cr_assert_gt(amp, plain);
    cr_assert_gt(both, amp);
    drop(&a);
}

Test(size_memory, a_card_that_is_too_small_fits_nothing)
{
    struct asked a;
    ask_net(&a, "vgg11", true);
    a.ask.optimizer = MEMORY_ADAM;
    /* 4 x 531 MB of state alone */
    cr_assert_eq(memory_largest_batch(&a.kept, &a.ask), 0);
    drop(&a);
}

Test(size_memory, items_add_up_and_ranges_are_in_order)
{
    struct asked a;
    ask_net(&a, "mobilenet_v2", true);
    struct memory_bill bill;
    double low = 0, mid = 0, high = 0;
    memory_bill(&a.kept, &a.ask, &bill);
    for (int i = 0; i < MEMORY_ITEM_COUNT; i++) {
        const struct memory_range *r = &bill.items[i];
        cr_assert(r->low <= r->mid && r->mid <= r->high, "%s", memory_item_word((enum memory_item)i));
        low += r->low;
        mid += r->mid;
        high += r->high;
    }
    cr_assert_float_eq(low, bill.total.low, 1);
    cr_assert_float_eq(mid, bill.total.mid, 1);
    cr_assert_float_eq(high, bill.total.high, 1);
    drop(&a);
}
