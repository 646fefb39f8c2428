#include "vgpu/decode_graph.h"

#include <stdlib.h>
#include <string.h>

enum { RESTORE_ROUNDS = 64 }; /* after so many all that is needed comes back at once */

void graph_free(struct graph *g)
{
    free(g->start);
    free(g->block_of);
    free(g->succ);
    free(g->succ_at);
    free(g->pred);
    free(g->pred_at);
    free(g->keep);
    *g = (struct graph){ 0 };
}

static bool ends_block(const struct inst *in)
{
    switch (in->kind) {
    case INST_BRA:
    case INST_BRX:
    case INST_RET:
    case INST_EXIT:
    case INST_TRAP:
        return true;
    default:
        return false;
    }
}

/* Calls f with each successor of an instruction that ends a block; `count` stands for the exit. */
static unsigned successors(const struct code_function *fn, uint32_t at, uint32_t *out)
{
    const struct inst *in = &fn->code[at];
    unsigned n = 0;
    if (in->kind == INST_BRA) {
        out[n++] = in->target;
    } else if (in->kind == INST_BRX) {
        for (int64_t i = 0; i < in->imm; i++)
            out[n++] = fn->lists[in->list + i];
    } else if (ends_block(in)) {
        out[n++] = fn->count;
    }
    if (!ends_block(in) || in->guard != INST_NONE)
        out[n++] = at + 1;
    return n;
}

static void mark_leaders(const struct code_function *fn, uint8_t *leader)
{
    uint32_t to[PTX_LIST_CAP + 1];
    leader[0] = 1;
    for (uint32_t i = 0; i < fn->count; i++) {
        if (!ends_block(&fn->code[i]))
            continue;
        unsigned n = successors(fn, i, to);
        for (unsigned k = 0; k < n; k++)
            leader[to[k]] = 1;
        leader[i + 1] = 1;
    }
}

static bool cut_blocks(struct graph *g, const struct code_function *fn)
{
    uint8_t *leader = calloc(fn->count + 1, 1);
    g->start = malloc((fn->count + 2) * sizeof *g->start);
    g->block_of = malloc((fn->count + 1) * sizeof *g->block_of);
    if (!leader || !g->start || !g->block_of) {
        free(leader);
        return false;
    }
    mark_leaders(fn, leader);
    for (uint32_t i = 0; i < fn->count; i++) {
        if (leader[i])
            g->start[g->block_count++] = i;
        g->block_of[i] = g->block_count - 1;
    }
    g->start[g->block_count] = fn->count;
    g->block_of[fn->count] = g->block_count;
    free(leader);
    return true;
}

static bool leaves(const struct code_function *fn, uint32_t at)
{
    if (at == fn->count)
        return true;
    const struct inst *in = &fn->code[at];
    return (in->kind == INST_RET || in->kind == INST_EXIT) && in->guard == INST_NONE;
}

/* Keeps the successors that do not leave, unless all do. */
static unsigned drop_leaving(const struct code_function *fn, uint32_t *to, unsigned n)
{
    unsigned kept = 0, staying = 0;
    for (unsigned k = 0; k < n; k++)
        staying += !leaves(fn, to[k]);
    for (unsigned k = 0; k < n; k++)
        if (!staying || !leaves(fn, to[k]))
            to[kept++] = to[k];
    return kept;
}

/* Fills succ (when it exists) and returns the number of edges. */
static uint32_t edges(struct graph *g, const struct code_function *fn)
{
    uint32_t to[PTX_LIST_CAP + 1], count = 0;
    for (uint32_t b = 0; b < g->block_count; b++) {
        g->succ_at[b] = count;
        unsigned n = successors(fn, g->start[b + 1] - 1, to);
        if (!g->keep[b])
            n = drop_leaving(fn, to, n);
        for (unsigned k = 0; k < n; k++, count++)
            if (g->succ)
                g->succ[count] = g->block_of[to[k]];
    }
    g->succ_at[g->block_count] = count;
    return count;
}

static bool link_predecessors(struct graph *g, uint32_t edge_count)
{
    uint32_t nodes = g->block_count + 1;
    g->pred_at = calloc(nodes + 1, sizeof *g->pred_at);
    g->pred = malloc((edge_count + 1) * sizeof *g->pred);
    uint32_t *fill = calloc(nodes + 1, sizeof *fill);
    if (!g->pred_at || !g->pred || !fill) {
        free(fill);
        return false;
    }
    for (uint32_t e = 0; e < edge_count; e++)
        g->pred_at[g->succ[e] + 1]++;
    for (uint32_t n = 0; n < nodes; n++)
        g->pred_at[n + 1] += g->pred_at[n];
    for (uint32_t b = 0; b < g->block_count; b++)
        for (uint32_t e = g->succ_at[b]; e < g->succ_at[b + 1]; e++)
            g->pred[g->pred_at[g->succ[e]] + fill[g->succ[e]]++] = b;
    free(fill);
    return true;
}

static bool link_blocks(struct graph *g, const struct code_function *fn)
{
    free(g->succ);
    free(g->pred);
    free(g->pred_at);
    g->succ = g->pred = g->pred_at = NULL;
    uint32_t edge_count = edges(g, fn);
    g->succ = malloc((edge_count + 1) * sizeof *g->succ);
    if (!g->succ)
        return false;
    edges(g, fn);
    return link_predecessors(g, edge_count);
}

/* Numbers the blocks in the order in which a search from the exit, against the edges, leaves them.
 */
static bool order_from_exit(const struct graph *g, uint32_t *order, uint32_t *number,
                            uint32_t *count)
{
    uint32_t nodes = g->block_count + 1, depth = 0;
    uint32_t *stack = malloc(nodes * sizeof *stack), *next = malloc(nodes * sizeof *next);
    if (!stack || !next) {
        free(stack);
        free(next);
        return false;
    }
    for (uint32_t n = 0; n < nodes; n++)
        number[n] = INST_NONE;
    *count = 0;
    stack[depth] = g->block_count;
    next[depth++] = g->pred_at[g->block_count];
    number[g->block_count] = 0;
    while (depth) {
        uint32_t n = stack[depth - 1];
        if (next[depth - 1] == g->pred_at[n + 1]) {
            number[n] = *count;
            order[(*count)++] = n;
            depth--;
            continue;
        }
        uint32_t p = g->pred[next[depth - 1]++];
        if (number[p] != INST_NONE)
            continue;
        number[p] = 0;
        stack[depth] = p;
        next[depth++] = g->pred_at[p];
    }
    free(stack);
    free(next);
    return true;
}

/* Without the edges of lanes that leave, a loop that ends only there has no way out. The last such
 * block in the text gets its edge back, until every block can leave. False without memory. */
static bool restore_exits(struct graph *g, const struct code_function *fn)
{
    uint32_t nodes = g->block_count + 1, to[PTX_LIST_CAP + 1], count = 0;
    uint32_t *order = malloc(nodes * sizeof *order), *number = malloc(nodes * sizeof *number);
    bool ok = order && number;
    for (unsigned round = 0; ok; round++) {
        ok = order_from_exit(g, order, number, &count);
        uint32_t found = INST_NONE;
        for (uint32_t b = 0; ok && b < g->block_count; b++) {
            unsigned n = successors(fn, g->start[b + 1] - 1, to);
            if (number[b] == INST_NONE && !g->keep[b] && drop_leaving(fn, to, n) < n) {
                found = b;
                g->keep[b] |= round == RESTORE_ROUNDS;
            }
        }
        if (!ok || found == INST_NONE)
            break;
        g->keep[found] = 1;
        ok = link_blocks(g, fn);
    }
    free(order);
    free(number);
    return ok;
}

bool graph_build(struct graph *g, const struct code_function *fn, bool lasting)
{
    *g = (struct graph){ 0 };
    if (!cut_blocks(g, fn))
        return false;
    g->succ_at = malloc((g->block_count + 1) * sizeof *g->succ_at);
    g->keep = malloc(g->block_count + 1);
    if (!g->succ_at || !g->keep)
        return false;
    memset(g->keep, !lasting, g->block_count + 1);
    return link_blocks(g, fn) && (!lasting || restore_exits(g, fn));
}

static uint32_t meet(const uint32_t *ipdom, const uint32_t *number, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (number[a] < number[b])
            a = ipdom[a];
        while (number[b] < number[a])
            b = ipdom[b];
    }
    return a;
}

/* The iterative algorithm of Cooper, Harvey and Kennedy on the reversed graph. */
bool graph_post_dominators(const struct graph *g, uint32_t *ipdom)
{
    uint32_t nodes = g->block_count + 1, count;
    uint32_t *order = malloc(nodes * sizeof *order), *number = malloc(nodes * sizeof *number);
    bool ok = order && number && order_from_exit(g, order, number, &count);
    for (uint32_t n = 0; n < nodes; n++)
        ipdom[n] = INST_NONE;
    ipdom[g->block_count] = g->block_count;
    for (bool changed = ok; changed;) {
        changed = false;
        for (uint32_t k = count; k-- > 0;) {
            uint32_t n = order[k], best = INST_NONE;
            if (n == g->block_count)
                continue;
            for (uint32_t e = g->succ_at[n]; e < g->succ_at[n + 1]; e++) {
                uint32_t s = g->succ[e];
                if (ipdom[s] == INST_NONE)
                    continue;
                best = best == INST_NONE ? s : meet(ipdom, number, best, s);
            }
            changed |= ipdom[n] != best;
            ipdom[n] = best;
        }
    }
    free(order);
    free(number);
    return ok;
}
