/* Networks from ONNX files. Shapes are worked out here, from the operators that image networks use; weights are
 * counted by their shapes alone, so a file without their bytes will do. An operator that nobody here knows becomes
 * LAYER_OTHER and counts as a pass over its inputs and outputs.
 *
 * Counted as parameters: the elements of all tensors of a floating-point or 8-bit type with at least one dimension
 * (initializers; Constant nodes with more than one element), but for the running mean and variance of a batch
 * normalisation, which are buffers. */
#ifndef SIZE_ONNX_H
#define SIZE_ONNX_H

#include "size/net.h"

#define ONNX_SIZE_MAX (UINT32_C(1) << 31)

/* `image`: in place of the stated one, 0 x 0 keeps it. The batch of the file, if fixed, is
 * divided out. ERR_FORMAT: no ONNX, a cycle, shapes that do not match; ERR_LIMIT: nested or large beyond reason;
 * ERR_USAGE: an input size that must be given. */
int onnx_read(struct net *net, const void *data, size_t size, struct net_image image, struct err *err);

/* True for what may be an ONNX file: not text. */
bool onnx_likely(const void *data, size_t size);

#endif
