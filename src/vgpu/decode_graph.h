/* The flow graph of one function: basic blocks, their successors and predecessors. */
#ifndef VGPU_DECODE_GRAPH_H
#define VGPU_DECODE_GRAPH_H

#include "vgpu/decode.h"

struct graph {
    uint32_t block_count;     /* the exit is block number block_count */
    uint32_t *start;          /* first instruction of each block, block_count + 1 of them */
    uint32_t *block_of;       /* by instruction */
    uint32_t *succ, *succ_at; /* successors of b: succ[succ_at[b] .. succ_at[b + 1]) */
    uint32_t *pred, *pred_at; /* the same, also for the exit */
    uint8_t *keep;            /* blocks whose edges to the exit count */
};

/* Branch targets must be instruction numbers. False without memory; free in both cases.
 *
 * `lasting`: where some lanes of a branch leave at once (it goes straight to a `ret`), only the
 * other way counts: who has left does not come back to meet the others, and hardware does not wait.
 */
bool graph_build(struct graph *g, const struct code_function *fn, bool lasting);
void graph_free(struct graph *g);

/* The immediate post-dominator of each block: a block, block_count for the exit, or INST_NONE for
 * blocks that never reach it. False without memory. */
bool graph_post_dominators(const struct graph *g, uint32_t *ipdom);

#endif
