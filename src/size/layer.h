/* One operation of a network, and what it costs by definition. Everything is for one image (or one
 * sequence): the batch is a factor that comes later. */
#ifndef SIZE_LAYER_H
#define SIZE_LAYER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"

enum layer_op {
#define LAYER_OP(id, word, keeps, flags) LAYER_##id,
#include "size/layer.def"
#undef LAYER_OP
    LAYER_OP_COUNT
};

/* What is kept for the backward pass; see layer.def. */
enum layer_keeps {
    LAYER_KEEPS_NOTHING,
    LAYER_KEEPS_INPUT,
    LAYER_KEEPS_OUTPUT,
    LAYER_KEEPS_BOTH,
    LAYER_KEEPS_INDICES,
    LAYER_KEEPS_MASK,
    LAYER_KEEPS_INPUT_OR_OUTPUT,
    LAYER_KEEPS_INPUT_COPY,
};

enum layer_flags { LAYER_VIEW = 1, LAYER_STATS = 2 };

#define DIMS_MAX 7
/* Bounds that no real network meets. A product of two dimensions fits into 64 bits, and so does the
 * sum of all layers' elements or multiply-adds; an element count times a dimension does not. */
#define DIM_MOST      (INT64_C(1) << 28)
#define ELEMENTS_MOST (INT64_C(1) << 38)
#define MACS_MOST     (INT64_C(1) << 48) /* of one layer */

/* Without the batch: 3 x 224 x 224, 128 x 256 (tokens x features), 1000. */
struct dims {
    int count;
    int64_t size[DIMS_MAX];
};

/* Input c x h x w, output k x p x q, filter r x s (rows x columns). `transposed`: the output is the
 * larger one, and work is counted on the input's positions. Pools use it too, with k = c = groups. */
struct layer_conv {
    int64_t c, h, w, k, r, s, p, q;
    int64_t pad_h, pad_w, stride_h, stride_w, dilation_h, dilation_w, groups;
    bool transposed;
};

/* `count` products of m x k with k x n. A linear layer: m rows (tokens; 1 for a vector), count 1. */
struct layer_gemm {
    int64_t count, m, n, k;
};

#define LAYER_NAME_MAX 96

struct layer {
    char name[LAYER_NAME_MAX];
    char type[32]; /* LAYER_OTHER: the operator as its file names it ... */
    bool unknown;  /* ... and whether nobody here knows it, or only its shapes are not known */
    enum layer_op op;
    bool inplace, bias;
    bool held; /* while a block is read: a variable of it keeps the output until its end */
    size_t first_input, input_count; /* in the net's list of inputs */
    size_t held_until; /* index of a later layer until which Python's frames keep the output alive; 0 */
    struct dims out;
    union {
        struct layer_conv conv; /* CONV, MAXPOOL, AVGPOOL, ADAPTIVEPOOL */
        struct layer_gemm gemm; /* LINEAR, MATMUL */
    };
    int64_t rows;    /* LAYER_STATS: pairs of statistics, of one call for BATCHNORM, else of one image */
    int64_t params;  /* trained numbers */
    int64_t buffers; /* numbers that are kept but not trained: running means and variances */
    int64_t macs;    /* multiply-adds of one image: convolutions and matrix products alone */
};

const char *layer_op_word(enum layer_op op);
/* LAYER_OP_COUNT: no such word. */
enum layer_op layer_op_find(const char *word);
enum layer_keeps layer_keeps(enum layer_op op);
unsigned layer_flags(enum layer_op op);

/* Product of the sizes; 1 for no dimension, -1 when a size is not in 1 ... DIM_MOST or the product is
 * above ELEMENTS_MOST. */
int64_t dims_elements(const struct dims *dims);
/* Multiplies *elements, at most ELEMENTS_MOST, by a size from 0 on. False, and nothing is changed, where the
 * size or the product is above its bound. */
bool dims_grow(int64_t *elements, int64_t size);
bool dims_equal(const struct dims *a, const struct dims *b);
/* "3x224x224"; cut where `size` ends. Returns `to`. */
const char *dims_text(const struct dims *dims, char *to, size_t size);

/* Fills params, buffers and macs from the operation's attributes and `out`. ERR_LIMIT for sizes that
 * no network has. */
int layer_count(struct layer *layer, struct err *err);

/* The output's extent of a sliding window: floor((size + 2 pad - dilation (window - 1) - 1) / stride) + 1,
 * rounded up with `ceil` unless that last window would begin in the padding; 0 when it does not fit. */
int64_t layer_window(int64_t size, int64_t window, int64_t stride, int64_t pad, int64_t dilation,
                     bool ceil);

#endif
