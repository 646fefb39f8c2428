/* Atomics and asynchronous copies: lane by lane, in the order of the lanes. */
#include <math.h>
#include <string.h>

#include "vgpu/exec_warp.h"
#include "vgpu/op_convert.h"

static int64_t as_signed(uint64_t v, unsigned size)
{
    unsigned shift = 64 - 8 * size;
    return (int64_t)(v << shift) >> shift;
}

static double flushed(double x, bool flush)
{
    return flush && fabs(x) < 0x1p-126 ? copysign(0.0, x) : x;
}

/* Sums of f16 and bf16 are formed in double and rounded once. f32 in global memory flushes
 * subnormals, as the manual says of current devices; in shared memory it does not. */
static uint64_t add_float(uint64_t old, uint64_t v, enum ptx_type type, bool flush)
{
    const struct op_format *f = op_format_of(type);
    if (type == PTX_F32) {
        float x = (float)flushed(op_unpack(f, old), flush);
        float y = (float)flushed(op_unpack(f, v), flush);
        return op_pack_double(f, flushed((double)(x + y), flush), ROUND_RN, false);
    }
    return op_pack_double(f, op_unpack(f, old) + op_unpack(f, v), ROUND_RN, false);
}

static uint64_t pick_float(uint64_t old, uint64_t v, enum ptx_type type, bool max)
{
    const struct op_format *f = op_format_of(type);
    double x = op_unpack(f, old), y = op_unpack(f, v);
    if (x != x || y != y)
        return x == x ? old : y == y ? v : f->nan;
    bool less = x < y || (x == y && signbit(x) && !signbit(y));
    return less == max ? v : old;
}

static uint64_t float_op(uint64_t old, uint64_t v, const struct inst *in, bool flush)
{
    enum ptx_type type = (enum ptx_type)in->type;
    bool add = in->op == MEM_ATOM_ADD, max = in->op == MEM_ATOM_MAX;
    if (type != PTX_F16X2 && type != PTX_BF16X2)
        return add ? add_float(old, v, type, flush) : pick_float(old, v, type, max);
    uint64_t low = add ? add_float(old & 0xffff, v & 0xffff, type, false)
                       : pick_float(old & 0xffff, v & 0xffff, type, max);
    uint64_t high = add ? add_float(old >> 16, v >> 16, type, false)
                        : pick_float(old >> 16, v >> 16, type, max);
    return high << 16 | low;
}

static uint64_t int_op(uint64_t old, uint64_t v, uint64_t c, const struct inst *in)
{
    bool sign = ptx_type_signed((enum ptx_type)in->type);
    bool less = sign ? as_signed(v, in->size) < as_signed(old, in->size) : v < old;
    switch (in->op) {
    case MEM_ATOM_ADD:
        return old + v;
    case MEM_ATOM_MIN:
        return less ? v : old;
    case MEM_ATOM_MAX:
        return less || v == old ? old : v;
    case MEM_ATOM_AND:
        return old & v;
    case MEM_ATOM_OR:
        return old | v;
    case MEM_ATOM_XOR:
        return old ^ v;
    case MEM_ATOM_EXCH:
        return v;
    case MEM_ATOM_CAS:
        return old == v ? c : old;
    case MEM_ATOM_INC:
        return old >= v ? 0 : old + 1;
    default:
        return old == 0 || old > v ? v : old - 1;
    }
}

static uint64_t load(const uint8_t *p, unsigned size)
{
    switch (size) {
    case 2:
        return __atomic_load_n((const uint16_t *)(const void *)p, __ATOMIC_SEQ_CST);
    case 4:
        return __atomic_load_n((const uint32_t *)(const void *)p, __ATOMIC_SEQ_CST);
    default:
        return __atomic_load_n((const uint64_t *)(const void *)p, __ATOMIC_SEQ_CST);
    }
}

/* True when memory still held *old; else *old is what it holds now. */
static bool swap(uint8_t *p, unsigned size, uint64_t *old, uint64_t new)
{
    uint16_t narrow = (uint16_t)*old;
    uint32_t word = (uint32_t)*old;
    bool ok;
    switch (size) {
    case 2:
        ok = __atomic_compare_exchange_n((uint16_t *)(void *)p, &narrow, (uint16_t) new, false,
                                         __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
        *old = narrow;
        return ok;
    case 4:
        ok = __atomic_compare_exchange_n((uint32_t *)(void *)p, &word, (uint32_t) new, false,
                                         __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
        *old = word;
        return ok;
    default:
        return __atomic_compare_exchange_n((uint64_t *)(void *)p, old, new, false, __ATOMIC_SEQ_CST,
                                           __ATOMIC_SEQ_CST);
    }
}

int mem_atom(struct warp *w, const struct inst *in, uint32_t mask)
{
    struct exec_counters *counters = &w->worker->counters;
    bool is_float = ptx_type_float((enum ptx_type)in->type);
    const void *b = warp_in(w, in->b);
    const void *c = in->c == INST_NONE ? b : warp_in(w, in->c);
    counters->atomic_requests++;
    counters->atomic_operations += (uint32_t)__builtin_popcount(mask);
    FOR_LANES(lane, mask)
    {
        uint64_t address = mem_lane_address(w, in, lane);
        bool shared = in->space == PTX_SHARED ||
                      (in->space == PTX_GENERIC && address - MEM_SHARED_WINDOW < MEM_WINDOW_BYTES);
        uint8_t *host = mem_lane_host(w, in, lane, (enum ptx_space)in->space, address, in->size,
                                      in->size, true);
        if (!host)
            return EXEC_ILLEGAL_ADDRESS; /* what exactly stands in the fault */
        uint64_t v = warp_lane(b, in->size, lane), other = warp_lane(c, in->size, lane);
        uint64_t old = load(host, in->size), new;
        do
            new = is_float && in->op <= MEM_ATOM_MAX ? float_op(old, v, in, !shared)
                                                     : int_op(old, v, other, in);
        while (!swap(host, in->size, &old, new));
        if (in->d != INST_NONE)
            warp_set_lane(w->regs + in->d, in->size, lane, old);
    }
    return 0;
}

int mem_copy_async(struct warp *w, const struct inst *in, uint32_t mask)
{
    struct exec_counters *counters = &w->worker->counters;
    uint32_t lanes = (uint32_t)__builtin_popcount(mask);
    counters->global_load_requests++;
    counters->global_load_bytes += (uint64_t)lanes * in->size;
    counters->global_load_sectors += ((uint64_t)lanes * in->size + 31) / 32;
    counters->global_load_lines += ((uint64_t)lanes * in->size + 127) / 128;
    FOR_LANES(lane, mask)
    {
        uint64_t to = warp_lane(warp_in(w, in->c), 8, lane);
        if (in->b != INST_NONE)
            to += warp_lane(warp_in(w, in->b), in->op & MEM_COPY_WIDE ? 8 : 4, lane);
        if (in->op & MEM_COPY_DYNAMIC)
            to += w->worker->run->dynamic_base;
        uint32_t bytes =
            in->e == INST_NONE ? in->size : (uint32_t)warp_lane(warp_in(w, in->e), 4, lane);
        if (bytes > in->size)
            bytes = in->size;
        uint8_t *into = mem_lane_host(w, in, lane, PTX_SHARED, to, in->size, in->size, true);
        uint8_t *from = into;
        if (into && bytes)
            from = mem_lane_host(w, in, lane, PTX_GLOBAL, mem_lane_address(w, in, lane), bytes,
                                 in->size, false);
        if (!from)
            return EXEC_ILLEGAL_ADDRESS; /* what exactly stands in the fault */
        if (bytes)
            memcpy(into, from, bytes);
        memset(into + bytes, 0, in->size - bytes);
    }
    return 0;
}
