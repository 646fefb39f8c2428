/* Operations as the command line and tables name them. */
#ifndef CLI_SIZE_SHAPES_H
#define CLI_SIZE_SHAPES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/err.h"
#include "core/table.h"
#include "size/time.h"

/* One line of a table, or one word of the command line. */
struct shape {
    bool is_conv;
    int precision; /* enum time_precision; -1: not one of them */
    struct time_gemm gemm;
    struct time_conv conv; /* its pass is not set */
    const char *precision_word;
    size_t row; /* in the table */
};

struct shape_list {
    struct shape *list;
    size_t count;
    struct table table; /* with from_table: what the rows were */
    bool from_table;
};

/* "M,N,K[,nn|nt|tn|tt]" */
int shape_parse_gemm(const char *text, struct time_gemm *gemm, struct err *err);
/* "W,H,C,N,K,S,R,PADW,PADH,STRIDEW,STRIDEH" */
int shape_parse_conv(const char *text, struct time_conv *conv, struct err *err);
/* "M,N,K[,nn|nt|tn|tt]=MS" */
int shape_parse_calibration(const char *text, struct time_calibration *calibration, struct err *err);
/* A name of time.h or "amp"; NULL and "auto" are fp32. -1: none of them. */
int shape_precision(const char *word);

/* Rows with the columns of published tables: m, n, k, trans_a, trans_b; or width, height, in_channels, batch,
 * out_channels, filter_w, filter_h, pad_w, pad_h, stride_w, stride_h. Where there is no column `precision` it is
 * `word`. ERR_USAGE says which line is off; ERR_LIMIT for more than a megabyte or two would hold. */
int shape_read(const char *path, const char *word, struct shape_list *to, struct err *err);
/* Of one word. */
int shape_add_gemm(struct shape_list *to, const char *text, const char *precision, struct err *err);
int shape_add_conv(struct shape_list *to, const char *text, const char *precision, struct err *err);
void shape_free(struct shape_list *shapes);

/* The row's columns, numbers as numbers. A column that has the name of an answer becomes given_NAME. */
json_t *shape_json(const struct shape_list *shapes, const struct shape *shape);

/* "gemm 1760x128x1760 nn", "conv 224x224x3 n8 64x3x3 /1" */
void shape_text(const struct shape *shape, char *to, size_t size);

#endif
