/* Layer files: a network as text, a line a layer.
 *
 *     # a comment
 *     net NAME
 *     input 3x224x224              C x H x W; or tokens x features; or tokens (for an embedding)
 *     block NAME [KEY=DEFAULT...]  lines up to "end" are a block; $KEY in them is replaced, and "in" is
 *     ...                          the layer that the block is given; its last line is its output
 *     end
 *     LAYER OP [KEY=VALUE...] [from=LAYER[,LAYER...]]
 *
 * Without from= a layer reads the one above it. A layer in a block is "INSTANCE.LAYER" outside. OP is a
 * word of layer.def, "dwconv" (a convolution with a group a channel), or a block. Keys:
 *     conv, dwconv   out, kernel (3 or 3x5), stride 1, pad 0, dilation 1, groups 1, bias yes
 *     linear         out, bias yes
 *     embedding      out, rows (size of the vocabulary)
 *     maxpool, avgpool  kernel, stride (as kernel), pad 0, ceil no
 *     adaptivepool   out (its side)
 *     relu6, hardswish, silu ...  inplace no
 *     concat, add, mul  from=a,b,...
 *     matmul         from=a,b, heads 1, transpose no: tokens x features are seen as heads x tokens x part
 *     shuffle        groups
 *     slice          of, part 0: the part-th of `of` equal parts of the channels
 *     resize         scale 2
 *     other          counted as a pass over its inputs and output
 *     all of them    held no: a variable of the block keeps the output until the block is done (inference) */
#ifndef SIZE_NET_TEXT_H
#define SIZE_NET_TEXT_H

#include "size/net.h"

#define NET_TEXT_SIZE_MAX (4u << 20)

/* `text` need not end with a NUL. `image`: in place of the stated one, 0 x 0 keeps
 * it. ERR_FORMAT says the line. `net` is free to use on success only. */
int net_text_read(struct net *net, const char *text, size_t size, struct net_image image, struct err *err);

#endif
