/* Builds one struct op_table named OP_TABLE for the instruction set that the including file has
 * switched on. Everything below is static, so the three copies do not meet. */

#include "vgpu/op_lanes.h"

#include "vgpu/op_int.h"

#include "vgpu/op_bit.h"

#include "vgpu/op_f32.h"

#include "vgpu/op_f64.h"

#include "vgpu/op_half.h"

#include "vgpu/op_math.h"

#include "vgpu/op_cvt.h"

#include "vgpu/op_cmp.h"

static void blend32(void *pd, const void *ps, uint32_t mask)
{
    lane_u32 *d = ALIGNED(pd);
    const lane_u32 *s = ALIGNED(ps);
    LANES d[i] = mask >> i & 1 ? s[i] : d[i];
}

static void blend64(void *pd, const void *ps, uint32_t mask)
{
    lane_u64 *d = ALIGNED(pd);
    const lane_u64 *s = ALIGNED(ps);
    LANES d[i] = mask >> i & 1 ? s[i] : d[i];
}

static bool deltas64(int32_t *delta, const lane_u64 *a, uint64_t base, uint32_t mask)
{
    uint64_t far = 0;
    LANES
    {
        uint64_t wide = mask >> i & 1 ? a[i] - base : 0;
        delta[i] = (int32_t)wide;
        far |= wide ^ (uint64_t)(int64_t)(int32_t)wide;
    }
    return far == 0;
}

static bool deltas(int32_t *delta, const void *addr, bool wide, uint64_t base, uint32_t mask,
                   const int32_t *before, bool *same)
{
    bool near = true;
    if (wide) {
        near = deltas64(delta, ALIGNED(addr), base, mask);
    } else {
        const lane_u32 *a = ALIGNED(addr);
        LANES delta[i] = (int32_t)(mask >> i & 1 ? a[i] - (uint32_t)base : 0);
    }
    int32_t differ = 0;
    LANES differ |= delta[i] ^ before[i];
    *same = differ == 0;
    return near;
}

static void gather32(void *pd, const void *base, const int32_t *delta)
{
    lane_u32 *d = ALIGNED(pd);
    for (int i = 0; i < OP_LANES; i++)
        d[i] = *(const lane_u32 *)((const unsigned char *)base + delta[i]);
}

const struct op_table OP_TABLE = {
    .isa = OP_ISA_NAME,
    .lane = {
#define OP_LANE(name) [OP_##name] = name,
#define OP_CMP(name)
#include "vgpu/op.def"
#undef OP_LANE
#undef OP_CMP
    },
    .cmp = {
#define OP_LANE(name)
#define OP_CMP(name) [OP_CMP_##name] = cmp_##name,
#include "vgpu/op.def"
#undef OP_LANE
#undef OP_CMP
    },
    .blend32 = blend32,
    .blend64 = blend64,
    .deltas = deltas,
    .gather32 = gather32,
};
