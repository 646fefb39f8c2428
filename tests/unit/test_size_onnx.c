/* ONNX files against independent counters: tests/size/onnx.tsv, made by tests/size/export.py with onnx's own shape
 * inference and PyTorch's own counter; the files are in tests/data/onnx, without the bytes of their weights, packed.
 * Broken files by tests/size/broken.py. Run from the project's root. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "core/os.h"
#include "core/table.h"
#include "size/onnx.h"

static void read_file(const char *path, struct str *text)
{
    struct err err;
    err_clear(&err);
    cr_assert_eq(os_read_file(path, 1 << 20, text, &err), 0, "%s", err.msg);
}

static void unpack(const char *name, struct str *to)
{
    char path[256];
    struct str packed = STR_INIT;
    snprintf(path, sizeof path, "tests/data/onnx/%s.onnx.zst", name);
    read_file(path, &packed);
    unsigned long long size = ZSTD_getFrameContentSize(packed.p, packed.len);
    cr_assert_lt(size, 1 << 22, "'%s'", path);
    char *bytes = malloc((size_t)size + 1);
    size_t got = ZSTD_decompress(bytes, (size_t)size, packed.p, packed.len);
    cr_assert_eq(got, (size_t)size, "'%s'", path);
    str_add_bytes(to, bytes, got);
    free(bytes);
    str_free(&packed);
}

/* How many of the figures in the two columns agree with `ours`; a "?" or "-" says nothing. */
static size_t agreeing(const struct table *t, size_t row, const char *column, double ours)
{
    double theirs;
    int index = table_column(t, column);
    cr_assert_geq(index, 0);
    if (!table_number(t, row, index, &theirs))
        return 0;
    cr_assert_eq(ours, theirs, "%s: %s is %.0f, counted %.0f", table_get(t, row, 0), column, ours,
                 theirs);
    return 1;
}

Test(size_onnx, real_models_have_the_parameters_and_multiply_adds_that_others_count)
{
    struct str text = STR_INIT;
    struct table t;
    struct err err;
    size_t with_macs = 0;
    err_clear(&err);
    read_file("tests/size/onnx.tsv", &text);
    cr_assert_eq(table_parse(&t, text.p, text.len, &err), 0, "%s", err.msg);
    for (size_t row = 0; row < t.row_count; row++) {
        struct str file = STR_INIT;
        struct net net;
        double image = 0;
        unpack(table_get(&t, row, 0), &file);
        table_number(&t, row, table_column(&t, "image"), &image);
        err_clear(&err);
        cr_assert_eq(onnx_read(&net, file.p, file.len, (struct net_image){ (int)image, (int)image }, &err), 0, "%s: %s",
                     table_get(&t, row, 0), err.msg);
        struct net_totals totals = net_totals(&net);
        agreeing(&t, row, "params", (double)totals.params);
        with_macs += agreeing(&t, row, "macs_onnx", (double)totals.macs) +
                             agreeing(&t, row, "macs_torch", (double)totals.macs) >
                     0;
        cr_assert_eq(totals.unknown, 0, "%s has unknown operators", table_get(&t, row, 0));
        net_free(&net);
        str_free(&file);
    }
    cr_assert_geq(with_macs, 10);
    table_free(&t);
    str_free(&text);
}

static const struct {
    const char *file;
    enum err_code code;
    const char *says;
} broken[] = {
    { "cycle", ERR_FORMAT, "cycle" },
    { "waits", ERR_FORMAT, "nothing makes" },
    { "twice", ERR_FORMAT, "twice" },
    { "mismatch", ERR_FORMAT, "weights that do not match" },
    { "too-small", ERR_FORMAT, "image is too small" },
    { "absurd-stride", ERR_FORMAT, "makes no sense" },
    { "absurd-groups", ERR_FORMAT, "weights that do not match" },
    { "absurd-weights", ERR_LIMIT, "larger than any real one" },
    { "absurd-image", ERR_LIMIT, "larger than any real one" },
    { "no-graph", ERR_FORMAT, "no graph" },
    { "no-nodes", ERR_FORMAT, "computes nothing" },
    { "open-size", ERR_USAGE, "--image" },
    { "nested", ERR_LIMIT, "nested" },
    { "reshape", ERR_FORMAT, "does not match its input" },
};

static int read_broken(const char *name, struct net_image image, struct net *net, struct err *err)
{
    char path[256];
    struct str file = STR_INIT;
    snprintf(path, sizeof path, "tests/data/onnx/broken/%s.onnx", name);
    read_file(path, &file);
    err_clear(err);
    int bad = onnx_read(net, file.p, file.len, image, err);
    str_free(&file);
    return bad;
}

Test(size_onnx, what_is_wrong_is_said)
{
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        struct net net;
        struct err err;
        cr_assert_eq(read_broken(broken[i].file, (struct net_image){ 0 }, &net, &err), -1, "%s", broken[i].file);
        cr_assert_eq(err.code, broken[i].code, "%s: %s", broken[i].file, err.msg);
        cr_assert_not_null(strstr(err.msg, broken[i].says), "%s: %s", broken[i].file, err.msg);
    }
}

Test(size_onnx, odd_files_that_are_right_are_read)
{
    struct net net;
    struct err err;
    cr_assert_eq(read_broken("backwards", (struct net_image){ 0 }, &net, &err), 0, "%s", err.msg);
    cr_assert_eq(net_totals(&net).macs, 36 * 4 * 27);
    net_free(&net);
    /* the batch is divided out: 4 images of 36 positions, 4 filters of 27; then 144 x 10 */
    cr_assert_eq(read_broken("batch-of-four", (struct net_image){ 0 }, &net, &err), 0, "%s", err.msg);
    cr_assert_eq(net_totals(&net).macs, 36 * 4 * 27 + 144 * 10);
    cr_assert_eq(net_totals(&net).params, 4 * 27 + 144 * 10);
    net_free(&net);
    cr_assert_eq(read_broken("open-size", (struct net_image){ 16, 16 }, &net, &err), 0, "%s", err.msg);
    cr_assert_eq(net_totals(&net).macs, 14 * 14 * 4 * 27);
    net_free(&net);
    cr_assert_eq(read_broken("open-size", (struct net_image){ 12, 30 }, &net, &err), 0, "%s", err.msg);
    cr_assert_eq(net.layers[0].out.size[1], 12);
    cr_assert_eq(net.layers[0].out.size[2], 30);
    cr_assert_eq(net_totals(&net).macs, 10 * 28 * 4 * 27);
    net_free(&net);
}

Test(size_onnx, an_unknown_operator_is_named_and_what_stands_behind_it_is_known)
{
    struct net net;
    struct err err;
    cr_assert_eq(read_broken("unknown", (struct net_image){ 0 }, &net, &err), 0, "%s", err.msg);
    cr_assert_eq(net_totals(&net).unknown, 1);
    cr_assert_str_eq(net.layers[2].type, "FancyThing");
    net_free(&net);
}

/* A protocol buffer that is cut at the border of a field is a whole one with less in it. */
Test(size_onnx, every_beginning_of_a_file_is_refused_with_a_reason_or_read)
{
    struct str file = STR_INIT;
    size_t refused = 0;
    unpack("lenet5", &file);
    for (size_t size = 0; size < file.len; size++) {
        struct net net;
        struct err err;
        char *copy = malloc(size + 1); /* so that a sanitizer sees its end */
        memcpy(copy, file.p, size);
        err_clear(&err);
        if (onnx_read(&net, copy, size, (struct net_image){ 0 }, &err) == 0) {
            cr_expect_gt(net.count, 0, "the first %zu bytes", size);
            net_free(&net);
        } else {
            cr_expect(err.code != ERR_NONE && *err.msg, "the first %zu bytes", size);
            refused++;
        }
        free(copy);
    }
    cr_assert_gt(refused, file.len / 2); /* the graph is one field, and nearly all of the file */
    str_free(&file);
}
