/* Gives registers their places in the warp's file.
 *
 * Compilers write a new register for almost every result. Registers whose lives do not overlap
 * share a place here, so that a warp's file stays in the first-level cache; the number that are
 * alive at once is also the estimate of what the real compiler would need.
 *
 * Lanes of one warp may be in different branches. A place is shared only among registers of the
 * same width, so that one lane's bytes never hold another lane's value, and writes are masked; what
 * is dead for a thread may then be overwritten by that thread only. */
#include <stdlib.h>
#include <string.h>

#include "vgpu/decode_graph.h"
#include "vgpu/decode_impl.h"

enum { LIVE_WORDS_CAP = 32 << 20 }; /* 64-bit words of live sets; above it nothing is shared */

enum width { WIDTH_8, WIDTH_4, WIDTH_PRED, WIDTHS };

static const uint32_t width_bytes[WIDTHS] = { 8 * OP_LANES, 4 * OP_LANES, 4 };

struct life {
    uint32_t reg;
    uint32_t start, end; /* in half instructions; start above end: never mentioned */
};

struct regs {
    struct decoder *d;
    struct graph g;
    uint32_t words; /* of one live set */
    uint64_t *live_in, *live_out, *used, *killed;
    struct life *lives;
    uint32_t *place;
};

static enum width width_of(const struct decoder *d, uint32_t reg)
{
    unsigned size = ptx_type_size((enum ptx_type)d->types[reg]);
    return d->types[reg] == PTX_PRED ? WIDTH_PRED : size == 8 ? WIDTH_8 : WIDTH_4;
}

/* References of one instruction, definitions first. */
struct mentions {
    uint32_t *ref[16 + 2 * PTX_LIST_CAP];
    unsigned defs, count;
};

static void mention(struct mentions *m, uint32_t *ref)
{
    if (!(*ref & INST_CONST))
        m->ref[m->count++] = ref;
}

static void mentions_of(struct code_function *fn, struct inst *in, struct mentions *m)
{
    m->count = 0;
    mention(m, &in->d);
    if (in->e_is_def)
        mention(m, &in->e);
    for (unsigned i = 0; i < in->list_defs; i++)
        mention(m, &fn->lists[in->list + i]);
    m->defs = m->count;
    mention(m, &in->a);
    mention(m, &in->b);
    mention(m, &in->c);
    if (!in->e_is_def)
        mention(m, &in->e);
    mention(m, &in->guard);
    for (unsigned i = 0; i < in->list_uses; i++)
        mention(m, &fn->lists[in->list + in->list_defs + i]);
}

static bool get(const uint64_t *set, uint32_t reg)
{
    return set[reg / 64] >> reg % 64 & 1;
}

static void put(uint64_t *set, uint32_t reg)
{
    set[reg / 64] |= UINT64_C(1) << reg % 64;
}

static bool allocate(struct regs *r)
{
    struct decoder *d = r->d;
    size_t blocks = r->g.block_count;
    r->words = d->reg_count / 64 + 1;
    r->place = malloc((d->reg_count + 1) * sizeof *r->place);
    r->lives = malloc((d->reg_count + 1) * sizeof *r->lives);
    if (!r->place || !r->lives)
        return false;
    if (blocks * r->words * 4 > LIVE_WORDS_CAP)
        return true;
    r->live_in = calloc(blocks * r->words, sizeof *r->live_in);
    r->live_out = calloc(blocks * r->words, sizeof *r->live_out);
    r->used = calloc(blocks * r->words, sizeof *r->used);
    r->killed = calloc(blocks * r->words, sizeof *r->killed);
    return r->live_in && r->live_out && r->used && r->killed;
}

static void release(struct regs *r)
{
    free(r->live_in);
    free(r->live_out);
    free(r->used);
    free(r->killed);
    free(r->lives);
    free(r->place);
    graph_free(&r->g);
}

/* What each block reads before it writes, and what it writes whatever happens. A guarded write may
 * not happen. */
static void summarise_blocks(struct regs *r)
{
    struct code_function *fn = r->d->out;
    struct mentions m;
    for (uint32_t b = 0; b < r->g.block_count; b++) {
        uint64_t *used = r->used + (size_t)b * r->words, *killed = r->killed + (size_t)b * r->words;
        for (uint32_t i = r->g.start[b]; i < r->g.start[b + 1]; i++) {
            mentions_of(fn, &fn->code[i], &m);
            for (unsigned k = m.defs; k < m.count; k++)
                if (!get(killed, *m.ref[k]))
                    put(used, *m.ref[k]);
            for (unsigned k = 0; k < m.defs && fn->code[i].guard == INST_NONE; k++)
                put(killed, *m.ref[k]);
        }
    }
}

static void solve(struct regs *r)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = r->g.block_count; b-- > 0;) {
            uint64_t *in = r->live_in + (size_t)b * r->words;
            uint64_t *out = r->live_out + (size_t)b * r->words;
            const uint64_t *used = r->used + (size_t)b * r->words;
            const uint64_t *killed = r->killed + (size_t)b * r->words;
            for (uint32_t e = r->g.succ_at[b]; e < r->g.succ_at[b + 1]; e++) {
                uint32_t s = r->g.succ[e];
                for (uint32_t w = 0; s < r->g.block_count && w < r->words; w++)
                    out[w] |= r->live_in[(size_t)s * r->words + w];
            }
            for (uint32_t w = 0; w < r->words; w++) {
                uint64_t next = used[w] | (out[w] & ~killed[w]);
                changed |= next != in[w];
                in[w] = next;
            }
        }
    }
}

static void extend(struct life *life, uint32_t at)
{
    if (at < life->start)
        life->start = at;
    if (at > life->end)
        life->end = at;
}

static void extend_set(struct regs *r, const uint64_t *set, uint32_t at)
{
    for (uint32_t w = 0; w < r->words; w++)
        for (uint64_t bits = set[w]; bits; bits &= bits - 1)
            extend(&r->lives[w * 64 + (uint32_t)__builtin_ctzll(bits)], at);
}

/* Only element-wise instructions may write a place that they read: their results begin half an
 * instruction later. */
static void find_lives(struct regs *r)
{
    struct code_function *fn = r->d->out;
    struct mentions m;
    for (uint32_t b = 0; b < r->g.block_count; b++) {
        extend_set(r, r->live_in + (size_t)b * r->words, 2 * r->g.start[b]);
        extend_set(r, r->live_out + (size_t)b * r->words, 2 * r->g.start[b + 1] - 1);
        for (uint32_t i = r->g.start[b]; i < r->g.start[b + 1]; i++) {
            mentions_of(fn, &fn->code[i], &m);
            for (unsigned k = 0; k < m.count; k++)
                extend(&r->lives[*m.ref[k]], 2 * i + (k < m.defs && fn->code[i].kind == INST_LANE));
        }
    }
}

/* The most 32-bit registers that are alive behind one instruction. */
static uint32_t pressure(struct regs *r)
{
    static const uint8_t weight[WIDTHS] = { 2, 1, 0 };
    struct code_function *fn = r->d->out;
    struct mentions m;
    uint32_t most = 0;
    uint64_t *live = malloc(r->words * sizeof *live);
    for (uint32_t b = 0; live && b < r->g.block_count; b++) {
        uint32_t now = 0;
        memcpy(live, r->live_out + (size_t)b * r->words, r->words * sizeof *live);
        for (uint32_t w = 0; w < r->words; w++)
            for (uint64_t bits = live[w]; bits; bits &= bits - 1)
                now += weight[width_of(r->d, w * 64 + (uint32_t)__builtin_ctzll(bits))];
        for (uint32_t i = r->g.start[b + 1]; i-- > r->g.start[b];) {
            most = now > most ? now : most;
            mentions_of(fn, &fn->code[i], &m);
            for (unsigned k = 0; k < m.count; k++) {
                uint32_t reg = *m.ref[k];
                bool kill = k < m.defs && fn->code[i].guard == INST_NONE;
                if (kill ? get(live, reg) : k >= m.defs && !get(live, reg)) {
                    live[reg / 64] ^= UINT64_C(1) << reg % 64;
                    now = kill ? now - weight[width_of(r->d, reg)]
                               : now + weight[width_of(r->d, reg)];
                }
            }
        }
    }
    free(live);
    return most;
}

static int by_start(const void *x, const void *y)
{
    const struct life *a = x, *b = y;
    return a->start < b->start ? -1 : a->start > b->start ? 1 : a->reg < b->reg ? -1 : 1;
}

/* Linear scan for one width: places become free when their register's life has ended. */
struct scan {
    uint32_t *free_places, free_count;
    struct life *active; /* reg: the place; a heap would be faster, lists are short */
    uint32_t active_count, place_count;
};

static void expire(struct scan *s, uint32_t start)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->active_count; i++) {
        if (s->active[i].end < start)
            s->free_places[s->free_count++] = s->active[i].reg;
        else
            s->active[kept++] = s->active[i];
    }
    s->active_count = kept;
}

static void place_shared(struct regs *r, struct scan *scans)
{
    qsort(r->lives, r->d->reg_count, sizeof *r->lives, by_start);
    for (uint32_t i = 0; i < r->d->reg_count; i++) {
        struct life life = r->lives[i];
        struct scan *s = &scans[width_of(r->d, life.reg)];
        if (life.start > life.end) {
            r->place[life.reg] = 0;
            continue;
        }
        expire(s, life.start);
        uint32_t place = s->free_count ? s->free_places[--s->free_count] : s->place_count++;
        r->place[life.reg] = place;
        life.reg = place;
        s->active[s->active_count++] = life;
    }
}

static void place_apart(struct regs *r, struct scan *scans)
{
    for (uint32_t reg = 0; reg < r->d->reg_count; reg++)
        r->place[reg] = scans[width_of(r->d, reg)].place_count++;
}

static uint32_t moved(const struct regs *r, const uint32_t *base, uint32_t ref)
{
    if (ref & INST_CONST)
        return ref;
    enum width w = width_of(r->d, ref);
    return base[w] + r->place[ref] * width_bytes[w];
}

static void rewrite(struct regs *r, const struct scan *scans)
{
    struct code_function *fn = r->d->out;
    struct mentions m;
    uint32_t base[WIDTHS], at = 0;
    for (unsigned w = 0; w < WIDTHS; w++) {
        base[w] = at;
        at += (scans[w].place_count ? scans[w].place_count : 1) * width_bytes[w];
    }
    fn->reg_bytes = (at + 63) / 64 * 64;
    for (uint32_t i = 0; i < fn->count; i++) {
        mentions_of(fn, &fn->code[i], &m);
        for (unsigned k = 0; k < m.count; k++)
            *m.ref[k] = moved(r, base, *m.ref[k]);
        struct inst *in = &fn->code[i];
        if (in->kind == INST_LANE) { /* absent operands point somewhere harmless */
            uint32_t *const refs[] = { &in->a, &in->b, &in->c, &in->e };
            for (unsigned k = 0; k < 4; k++)
                *refs[k] = *refs[k] == INST_NONE ? 0 : *refs[k];
        }
    }
    for (uint32_t i = 0; i < fn->arg_count; i++)
        fn->args[i].reg = moved(r, base, fn->args[i].reg);
    for (uint32_t i = 0; i < fn->param_count; i++)
        fn->params[i].reg = moved(r, base, fn->params[i].reg);
    for (uint32_t i = 0; i < fn->return_count; i++)
        fn->returns[i].reg = moved(r, base, fn->returns[i].reg);
}

/* Parameters that are registers live from end to end: the caller reads and writes them. */
static void extend_params(struct regs *r, const struct code_param *params, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (params[i].reg & INST_CONST)
            continue;
        extend(&r->lives[params[i].reg], 0);
        extend(&r->lives[params[i].reg], 2 * r->d->out->count);
    }
}

static void analyse(struct regs *r)
{
    struct code_function *fn = r->d->out;
    for (uint32_t reg = 0; reg < r->d->reg_count; reg++)
        r->lives[reg] = (struct life){ .reg = reg, .start = UINT32_MAX, .end = 0 };
    summarise_blocks(r);
    solve(r);
    find_lives(r);
    extend_params(r, fn->params, fn->param_count);
    extend_params(r, fn->returns, fn->return_count);
    fn->regs_used = pressure(r);
}

void decode_place_registers(struct decoder *d)
{
    struct regs r = { .d = d };
    struct scan scans[WIDTHS] = { 0 };
    bool ok = graph_build(&r.g, d->out, false) && allocate(&r);
    for (unsigned w = 0; ok && w < WIDTHS; w++) {
        scans[w].free_places = malloc((d->reg_count + 1) * sizeof(uint32_t));
        scans[w].active = malloc((d->reg_count + 1) * sizeof(struct life));
        ok = scans[w].free_places && scans[w].active;
    }
    if (ok && r.killed)
        analyse(&r);
    if (ok && r.killed && !d->code->options.keep_registers)
        place_shared(&r, scans);
    else if (ok)
        place_apart(&r, scans);
    if (ok)
        rewrite(&r, scans);
    else
        decode_fail_memory(d);
    for (unsigned w = 0; w < WIDTHS; w++) {
        free(scans[w].free_places);
        free(scans[w].active);
    }
    release(&r);
}
