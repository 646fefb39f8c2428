/* A network's forward pass as the launches that the benchmark measures, each shape once. */
#ifndef CLI_NET_LAYERS_H
#define CLI_NET_LAYERS_H

#include "bench/plan.h"
#include "size/net.h"

/* What is assumed of who runs the network, and what is counted once for it:
 *   convolution         one launch; its bias and a ReLU behind it are taken to cost nothing, since kernels do
 *                       them while storing (a 1x1 by the matrix product takes a pass, which is not counted)
 *   linear, matmul      one product; a bias is a pass of its own, with a ReLU behind it
 *   batch norm          a pass of its own, not folded into weights, with a ReLU or ReLU6 behind it
 *   sum of two tensors  a pass of its own, with a ReLU behind it
 *   other ReLU, pools   a pass each
 * "Behind" is an activation that alone reads the result. Views cost nothing, nor does dropout in
 * inference. Everything else has no kernel, and so have transposed convolutions, sums that spread an
 * operand, pools that are dilated or look beyond their padding.
 *
 * Fills `layers`, which has room for 2 * net->count, and `without`: "2 concat, 1 softmax", or "". */
int net_layers_gather(const struct net *net, struct plan_layer *layers, size_t *count, char *without,
                      size_t size, struct err *err);

#endif
