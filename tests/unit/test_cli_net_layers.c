/* What the benchmark makes of a network: held against counts by hand of torchvision's definitions. */
#include <criterion/criterion.h>
#include <string.h>

#include "bench/layers.h"
#include "cli/bench_nets.h"

static struct err err;
static struct bench_nets nets;

static const struct plan_net *load(const char *name)
{
    err_clear(&err);
    cr_assert_eq(bench_nets_load(&nets, &name, 1, &err), 0, "%s", err.msg);
    return &nets.list[0];
}

/* How many launches of a kind; `op` only of layers. */
static int count(const struct plan_net *net, enum case_kind kind, enum bench_layer op)
{
    int n = 0;
    for (size_t i = 0; i < net->count; i++)
        if (net->layers[i].kind == kind &&
            (kind != CASE_LAYER || net->layers[i].numbers[0] == (int)op))
            n += net->layers[i].count;
    return n;
}

static int passes(const struct plan_net *net, enum bench_layer op)
{
    return count(net, CASE_LAYER, op);
}

static int all(const struct plan_net *net)
{
    int n = 0;
    for (size_t i = 0; i < net->count; i++)
        n += net->layers[i].count;
    return n;
}

/* torchvision's resnet18: conv1, 8 blocks of two, 3 downsamples: 20 convolutions, a BatchNorm2d behind
 * each. ReLU: one behind bn1, in each block one behind its bn1 and one behind its sum: 17. 8 sums, one
 * max pool, one average pool, one linear layer with bias. */
Test(net_layers, resnet18_has_the_layers_that_its_definition_has)
{
    const struct plan_net *net = load("resnet18");
    int norm_relu = passes(net, BENCH_LAYER_BATCH_NORM_RELU);
    int sum_relu = passes(net, BENCH_LAYER_ADD_RELU);
    cr_expect_eq(count(net, CASE_CONV, 0), 20);
    cr_expect_eq(norm_relu + passes(net, BENCH_LAYER_BATCH_NORM), 20, "batch norm");
    cr_expect_eq(norm_relu + sum_relu, 17, "ReLU");
    cr_expect_eq(sum_relu, 8, "sums");
    cr_expect_eq(passes(net, BENCH_LAYER_MAX_POOL), 1);
    cr_expect_eq(passes(net, BENCH_LAYER_GLOBAL_POOL), 1);
    cr_expect_eq(count(net, CASE_GEMM, 0), 1);
    cr_expect_eq(passes(net, BENCH_LAYER_BIAS), 1);
    cr_expect_eq(all(net), 20 + 20 + 8 + 1 + 1 + 1 + 1, "and nothing else");
    cr_expect_str_eq(net->without, "");
    bench_nets_free(&nets);
}

/* layer1 works on 64 x 56 x 56: two blocks, each with one batch norm before a ReLU, one before the sum. */
Test(net_layers, resnet18s_layers_have_the_sizes_of_its_stages)
{
    static const struct {
        int numbers[CASE_LAYER_NUMBERS], count;
    } wanted[] = {
        { { BENCH_LAYER_BATCH_NORM_RELU, 1, 64, 112, 112 }, 1 },
        { { BENCH_LAYER_MAX_POOL, 1, 64, 112, 112, 3, 3, 2, 2, 1, 1 }, 1 },
        { { BENCH_LAYER_BATCH_NORM_RELU, 1, 64, 56, 56 }, 2 },
        { { BENCH_LAYER_BATCH_NORM, 1, 64, 56, 56 }, 2 },
        { { BENCH_LAYER_ADD_RELU, 1, 64, 56, 56 }, 2 },
        { { BENCH_LAYER_BATCH_NORM_RELU, 1, 256, 14, 14 }, 2 },
        { { BENCH_LAYER_BATCH_NORM, 1, 256, 14, 14 }, 3 }, /* and behind the downsample */
        { { BENCH_LAYER_ADD_RELU, 1, 512, 7, 7 }, 2 },
        { { BENCH_LAYER_GLOBAL_POOL, 1, 512, 7, 7 }, 1 },
        { { BENCH_LAYER_BIAS, 1, 1000, 1, 1 }, 1 },
    };
    const struct plan_net *net = load("resnet18");
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        int found = 0;
        for (size_t k = 0; k < net->count; k++)
            if (net->layers[k].kind == CASE_LAYER &&
                memcmp(net->layers[k].numbers, wanted[i].numbers, sizeof wanted[i].numbers) == 0)
                found += net->layers[k].count;
        cr_expect_eq(found, wanted[i].count, "row %zu: %d", i, found);
    }
    bench_nets_free(&nets);
}

/* mobilenet_v2: the first and the last convolution, one block of two and 16 of three: 52 with a
 * BatchNorm2d each; ReLU6 behind all but the 17 projections; 10 blocks have a sum. */
Test(net_layers, mobilenet_v2_has_the_layers_that_its_definition_has)
{
    const struct plan_net *net = load("mobilenet_v2");
    cr_expect_eq(count(net, CASE_CONV, 0), 52);
    cr_expect_eq(passes(net, BENCH_LAYER_BATCH_NORM_RELU6), 35);
    cr_expect_eq(passes(net, BENCH_LAYER_BATCH_NORM), 17);
    cr_expect_eq(passes(net, BENCH_LAYER_ADD), 10);
    cr_expect_eq(passes(net, BENCH_LAYER_GLOBAL_POOL), 1);
    cr_expect_eq(all(net), 52 + 52 + 10 + 1 + 2);
    cr_expect_str_eq(net->without, "");
    bench_nets_free(&nets);
}

/* vgg11: ReLU only behind convolutions, which do it themselves, and behind two linear layers of three,
 * where it goes with the bias. The adaptive pool from 7 x 7 to 7 x 7 is a copy. */
Test(net_layers, activations_behind_convolutions_and_biases_are_not_counted_twice)
{
    const struct plan_net *net = load("vgg11");
    cr_expect_eq(count(net, CASE_CONV, 0), 8);
    cr_expect_eq(passes(net, BENCH_LAYER_MAX_POOL), 5);
    cr_expect_eq(passes(net, BENCH_LAYER_AVERAGE_POOL), 1);
    cr_expect_eq(count(net, CASE_GEMM, 0), 3);
    cr_expect_eq(passes(net, BENCH_LAYER_BIAS_RELU), 2);
    cr_expect_eq(passes(net, BENCH_LAYER_BIAS), 1);
    cr_expect_eq(all(net), 8 + 5 + 1 + 3 + 3);
    bench_nets_free(&nets);
}

/* squeezenet1_1: eight fire modules with a concatenation each. The encoder: a softmax, a GELU and two
 * layer norms in each of four layers. */
Test(net_layers, what_has_no_kernel_is_named_with_its_number)
{
    const struct plan_net *net = load("squeezenet1_1");
    cr_expect_eq(count(net, CASE_CONV, 0), 26);
    cr_expect_eq(passes(net, BENCH_LAYER_MAX_POOL), 3);
    cr_expect_str_eq(net->without, "8 concat");
    bench_nets_free(&nets);
    net = load("transformer_encoder");
    cr_expect(strstr(net->without, "4 softmax"), "%s", net->without);
    cr_expect(strstr(net->without, "4 gelu"), "%s", net->without);
    cr_expect(strstr(net->without, "layernorm"), "%s", net->without);
    bench_nets_free(&nets);
}
