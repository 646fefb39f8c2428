/* Times that were measured on the card, in place of the model's. What was measured at one batch or two says what the same
 * operation takes at another; what was not measured at all is left to the model. */
#ifndef SIZE_MEASURED_H
#define SIZE_MEASURED_H

#include "core/err.h"
#include "size/time.h"

struct measured_span {
    double low, mid, high; /* milliseconds: the median, and what it lies between */
};

struct measured_op {
    struct time_op op; /* GEMM or CONV, with its batch */
    enum time_precision precision;
    struct measured_span ms;
};

struct measured {
    struct measured_op *list;
    size_t count, room;
    double copy_gbps, launch_us; /* of memory and of launches; 0: not measured */
};

/* The shortest of several for the same operation stays: libraries choose among kernels, too. */
int measured_add(struct measured *measured, const struct measured_op *op, struct err *err);
/* All of `fresh` in place of what `measured` has of the same operations. */
int measured_replace(struct measured *measured, const struct measured *fresh, struct err *err);
void measured_free(struct measured *measured);

/* `op` at any batch: exactly as measured; on the line through the two measured batches next to it; or, with one batch
 * alone, by the model's ratio of the two. `model` NULL: a processor in fp32, in proportion. False: nothing of this shape
 * and precision was measured. */
bool measured_find(const struct measured *measured, const struct time_model *model,
                   const struct time_op *op, struct measured_span *ms);

#endif
