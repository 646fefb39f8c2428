/* Layer files and the networks that are built in. Expected figures: the papers' and torchvision's published ones. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

#include "size/net_text.h"
#include "size/nets.h"

static int read_text(struct net *net, const char *text, struct err *err)
{
    err_clear(err);
    return net_text_read(net, text, strlen(text), (struct net_image){ 0 }, err);
}

/* Parameters and multiply-adds (10^6, rounded) that torchvision's documentation prints for each. */
static const struct {
    const char *name;
    int64_t params;
    double gmacs;
} published[] = {
    { "alexnet", 61100840, 0.71 },           { "vgg11", 132863336, 7.61 },
    { "resnet18", 11689512, 1.81 },          { "resnet34", 21797672, 3.66 },
    { "resnet50", 25557032, 4.09 },          { "mobilenet_v2", 3504872, 0.30 },
    { "mobilenet_v3_small", 2542856, 0.06 }, { "squeezenet1_1", 1235496, 0.35 },
    { "shufflenet_v2_x1_0", 2278604, 0.14 }, { "efficientnet_b0", 5288548, 0.39 },
};

Test(size_net, built_in_networks_are_those_that_torchvision_documents)
{
    for (size_t i = 0; i < sizeof published / sizeof published[0]; i++) {
        struct net net;
        struct err err;
        err_clear(&err);
        cr_assert_eq(nets_find(&net, published[i].name, (struct net_image){ 0 }, &err), 0, "%s", err.msg);
        struct net_totals t = net_totals(&net);
        cr_assert_eq(t.params, published[i].params, "%s: %" PRId64, published[i].name, t.params);
        cr_assert_float_eq((double)t.macs / 1e9, published[i].gmacs, 0.0051, "%s",
                           published[i].name);
        net_free(&net);
    }
}

Test(size_net, a_prefix_that_only_one_has_is_enough)
{
    struct net net;
    struct err err;
    err_clear(&err);
    cr_assert_eq(nets_find(&net, "squeezenet", (struct net_image){ 0 }, &err), 0, "%s", err.msg);
    cr_assert_str_eq(net.name, "squeezenet1_1");
    net_free(&net);
    cr_assert_eq(nets_find(&net, "mobilenet", (struct net_image){ 0 }, &err), -1);
    cr_assert_eq(err.code, ERR_USAGE);
    cr_assert_not_null(strstr(err.msg, "mobilenet_v1, mobilenet_v2, mobilenet_v3_small"));
    err_clear(&err);
    cr_assert_eq(nets_find(&net, "resnet81", (struct net_image){ 0 }, &err), -1);
    cr_assert_not_null(strstr(err.msg, "resnet18"), "%s", err.msg);
}

Test(size_net, every_network_of_images_takes_other_sizes_and_refuses_tiny_ones)
{
    for (size_t i = 0; i < nets_count(); i++) {
        struct net net;
        struct err err;
        err_clear(&err);
        bool tokens = strcmp(nets_name(i), "transformer_encoder") == 0;
        int bad = nets_find(&net, nets_name(i), (struct net_image){ 256, 256 }, &err);
        if (tokens || strcmp(nets_name(i), "lenet5") == 0) {
            if (!bad)
                net_free(&net);
            continue;
        }
        cr_assert_eq(bad, 0, "%s: %s", nets_name(i), err.msg);
        net_free(&net);
        cr_assert_eq(nets_find(&net, nets_name(i), (struct net_image){ 100000000, 100000000 }, &err), -1, "%s", nets_name(i));
    }
    struct net net;
    struct err err;
    err_clear(&err);
    cr_assert_eq(nets_find(&net, "alexnet", (struct net_image){ 16, 16 }, &err), -1);
    cr_assert_eq(err.code, ERR_USAGE);
    cr_assert_not_null(strstr(err.msg, "too small"), "%s", err.msg);
}

/* Every map of resnet18 is twice as wide at 224 x 448; its linear layer of 512 x 1000 stays. */
Test(size_net, an_image_need_not_be_square)
{
    struct net net;
    struct err err;
    err_clear(&err);
    cr_assert_eq(nets_find(&net, "resnet18", (struct net_image){ 0 }, &err), 0, "%s", err.msg);
    int64_t once = net_totals(&net).macs;
    net_free(&net);
    cr_assert_eq(nets_find(&net, "resnet18", (struct net_image){ 224, 448 }, &err), 0, "%s", err.msg);
    cr_assert_eq(net.layers[0].out.size[1], 224);
    cr_assert_eq(net.layers[0].out.size[2], 448);
    cr_assert_eq(net_totals(&net).macs, 2 * (once - 512000) + 512000);
    net_free(&net);
}

Test(size_net, a_layer_file_is_read_as_its_description_says)
{
    struct net net;
    struct err err;
    const char *text = "# two branches\n"
                       "net mine\n"
                       "input 3x10x12\n"
                       "block branch kernel=3 out=8\n"
                       "  conv conv out=$out kernel=$kernel pad=1 bias=no from=in\n"
                       "  relu relu\n"
                       "end\n"
                       "a branch\n"
                       "b branch out=4 from=input\n"
                       "join concat from=a,b   # 12 channels\n"
                       "pool globalpool\n"
                       "flat flatten\n"
                       "fc linear out=5";
    cr_assert_eq(read_text(&net, text, &err), 0, "%s", err.msg);
    struct net_totals t = net_totals(&net);
    cr_assert_str_eq(net.name, "mine");
    cr_assert_eq(t.params, 27 * 8 + 27 * 4 + 12 * 5 + 5);
    cr_assert_eq(t.macs, 120 * (27 * 8 + 27 * 4) + 12 * 5);
    cr_assert_neq(net_find(&net, "a.conv"), SIZE_MAX);
    cr_assert_eq(net.layers[net_find(&net, "join")].out.size[0], 12);
    net_free(&net);
}

static const struct {
    const char *text, *says;
} wrong[] = {
    { "", "no layers" },
    { "input 3x8x8\n", "no layers" },
    { "c conv out=3 kernel=3\n", "line 1: 'c' comes before the input" },
    { "input 3x8x8\nc conv kernel=3\n", "line 2: 'conv' needs out=" },
    { "input 3x8x8\nc conv out=4 kernel=3 kernal=5\n", "line 2: 'conv' has no key 'kernal'" },
    { "input 3x8x8\nc conv out=4 kernel=9\n", "line 2: 'conv' does not fit" },
    { "input 3x8x8\nc conv out=4 kernel=0\n", "kernel='0' is no size from 1 on" },
    { "input 3x8x8\nc conv out=4 kernel=3 stride=0\n", "stride='0'" },
    { "input 3x8x8\nc conv out=4 kernel=3 groups=2\n", "groups do not divide" },
    { "input 3x8x8\nc convolution\n", "no operation 'convolution' is known" },
    { "input 3x8x8\nc relu from=d\nd relu\n", "line 2: no layer 'd' stands above" },
    { "input 3x8x8\nc relu from=c\n", "no layer 'c' stands above" },
    { "input 0x8x8\nc relu\n", "no C x H x W" },
    { "input 3x999999999999x8\nc relu\n", "no C x H x W" },
    { "input 3x8x8\ninput 3x8x8\n", "line 2: there is a second input" },
    { "input 268435456x268435456x8\nc relu\n", "larger than any real one" },
    /* 2^38 times 2^28 is 4 modulo 2^64 */
    { "input 524288x524288x268435456\nc relu\n", "larger than any real one" },
    { "input 1048576x262144x268435456\nc relu\n", "larger than any real one" },
    /* 2^54 multiply-adds: a thousand such layers would not fit into 64 bits */
    { "input 65536x2048x2048\nc conv out=65536 kernel=1\n", "larger than any real one" },
    { "input 3x8x8\nblock b\nx relu\n", "a block has no end" },
    { "input 3x8x8\nblock b\nend\nx b\n", "block 'b' is empty" },
    { "input 3x8x8\nblock b\nx b\nend\nx b\n", "nested deeper" },
    { "input 3x8x8\nblock b\nx conv out=$k kernel=1\nend\nx b\n", "block 'b' needs k=" },
    { "input 3x8x8\na add from=input\n", "'add' reads 1 layers" },
    { "input 3x8x8\nc conv out=4 kernel=1\na add from=input,c\n", "different shapes" },
    { "input 3x8x8\nf linear out=3\n", "reads features" },
    { "input 3x8x8\nx relu inplace=maybe\n", "neither yes nor no" },
    { "input 3x8x8\nx relu inplace\n", "'inplace' is not KEY=VALUE" },
};

Test(size_net, what_is_wrong_in_a_layer_file_is_said_with_its_line)
{
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct net net;
        struct err err;
        cr_assert_eq(read_text(&net, wrong[i].text, &err), -1, "%s", wrong[i].text);
        cr_assert_not_null(strstr(err.msg, wrong[i].says), "'%s' says: %s", wrong[i].text, err.msg);
    }
}

Test(size_net, a_byte_order_mark_in_front_is_no_part_of_the_first_word)
{
    struct net net;
    struct err err;
    cr_assert_eq(read_text(&net, "\xef\xbb\xbfinput 3x8x8\r\nc relu\r\n", &err), 0, "%s", err.msg);
    cr_assert_eq(net.count, 2);
    net_free(&net);
}

Test(size_net, windows_are_placed_as_pytorch_places_them)
{
    cr_assert_eq(layer_window(224, 7, 2, 3, 1, false), 112);
    cr_assert_eq(layer_window(112, 3, 2, 1, 1, false), 56);
    cr_assert_eq(layer_window(54, 3, 2, 0, 1, true), 27);
    /* the last window of ceil mode may not begin in the padding */
    cr_assert_eq(layer_window(5, 2, 2, 1, 1, true), 3);
    cr_assert_eq(layer_window(4, 1, 3, 0, 1, true), 2);
    cr_assert_eq(layer_window(2, 3, 1, 0, 1, false), 0);
    cr_assert_eq(layer_window(10, 3, 1, 0, 4, false), 2);
}
