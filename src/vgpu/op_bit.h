/* Bit fields, counts, permutations, dot products, selection. */

LANE_OP1(popc_b32, u32, u32, (uint32_t)__builtin_popcount(x))
LANE_OP1(popc_b64, u32, u64, (uint32_t)__builtin_popcountll(x))
LANE_OP1(clz_b32, u32, u32, x ? (uint32_t)__builtin_clz(x) : 32)
LANE_OP1(clz_b64, u32, u64, x ? (uint32_t)__builtin_clzll(x) : 64)

static inline uint32_t reverse32(uint32_t x)
{
    x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
    x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(x);
}

LANE_OP1(brev_b32, u32, u32, reverse32(x))
LANE_OP1(brev_b64, u64, u64,
         (uint64_t)reverse32((uint32_t)x) << 32 | reverse32((uint32_t)(x >> 32)))

/* The highest bit that differs from the sign; all ones when there is none. */
static inline uint32_t find32(uint32_t x, bool shift_amount)
{
    uint32_t lead = x ? (uint32_t)__builtin_clz(x) : 0;
    return x ? (shift_amount ? lead : 31 - lead) : UINT32_MAX;
}

static inline uint32_t find64(uint64_t x, bool shift_amount)
{
    uint32_t lead = x ? (uint32_t)__builtin_clzll(x) : 0;
    return x ? (shift_amount ? lead : 63 - lead) : UINT32_MAX;
}

LANE_OP1(bfind_u32, u32, u32, find32(x, in->imm != 0))
LANE_OP1(bfind_s32, u32, u32, find32((int32_t)x < 0 ? ~x : x, in->imm != 0))
LANE_OP1(bfind_u64, u32, u64, find64(x, in->imm != 0))
LANE_OP1(bfind_s64, u32, u64, find64((int64_t)x < 0 ? ~x : x, in->imm != 0))

/* Position and length count modulo 256; bits past the end are zeros, or the sign. */
static inline uint64_t extract(uint64_t x, uint32_t pos, uint32_t len, uint32_t width, bool sign)
{
    pos &= 0xff;
    len &= 0xff;
    uint64_t fill = 0;
    if (sign && len) {
        uint32_t top = pos + len - 1 < width - 1 ? pos + len - 1 : width - 1;
        fill = x >> top & 1 ? UINT64_MAX : 0;
    }
    uint64_t field = pos < width ? x >> pos : 0;
    uint32_t have = pos < width ? width - pos : 0;
    uint32_t keep = len < have ? len : have;
    uint64_t mask = keep > 63 ? UINT64_MAX : (UINT64_C(1) << keep) - 1;
    return (field & mask) | (fill & ~mask);
}

LANE_OP3(bfe_u32, u32, u32, u32, u32, extract(x, y, z, 32, false))
LANE_OP3(bfe_s32, u32, u32, u32, u32, extract(x, y, z, 32, true))
LANE_OP3(bfe_u64, u64, u64, u32, u32, extract(x, y, z, 64, false))
LANE_OP3(bfe_s64, u64, u64, u32, u32, extract(x, y, z, 64, true))

static inline uint64_t insert(uint64_t x, uint64_t base, uint32_t pos, uint32_t len, uint32_t width)
{
    pos &= 0xff;
    len &= 0xff;
    uint64_t mask = len > 63 ? UINT64_MAX : (UINT64_C(1) << len) - 1;
    mask = pos < width ? mask << pos : 0;
    return (base & ~mask) | (pos < width ? x << pos & mask : 0);
}

static void bfi_b32(LANE_ARGS)
{
    lane_u32 *d = ALIGNED(pd);
    const lane_u32 *a = ALIGNED(pa), *b = ALIGNED(pb), *c = ALIGNED(pc), *e = ALIGNED(pe);
    (void)in;
    LANES d[i] = (uint32_t)insert(a[i], b[i], c[i], e[i], 32);
}

static void bfi_b64(LANE_ARGS)
{
    lane_u64 *d = ALIGNED(pd);
    const lane_u64 *a = ALIGNED(pa), *b = ALIGNED(pb);
    const lane_u32 *c = ALIGNED(pc), *e = ALIGNED(pe);
    (void)in;
    LANES d[i] = insert(a[i], b[i], c[i], e[i], 64);
}

/* bmsk: a mask of y ones from bit x up. */
static inline uint32_t ones(uint32_t pos, uint32_t len)
{
    uint32_t field = len > 31 ? UINT32_MAX : (UINT32_C(1) << (len & 31)) - 1;
    return pos > 31 ? 0 : field << (pos & 31);
}

LANE_OP2(bmsk_clamp, u32, u32, u32, ones(x, y))
LANE_OP2(bmsk_wrap, u32, u32, u32, ones(x & 31, y & 31))

/* szext: x as a number of y bits. */
static inline uint32_t extend(uint32_t x, uint32_t bits, bool sign)
{
    if (bits > 31)
        return x;
    uint32_t mask = (UINT32_C(1) << bits) - 1;
    bool negative = sign && bits && (x >> ((bits - 1) & 31) & 1);
    return negative ? x | ~mask : x & mask;
}

LANE_OP2(szext_clamp_u32, u32, u32, u32, extend(x, y, false))
LANE_OP2(szext_clamp_s32, u32, u32, u32, extend(x, y, true))
LANE_OP2(szext_wrap_u32, u32, u32, u32, extend(x, y & 31, false))
LANE_OP2(szext_wrap_s32, u32, u32, u32, extend(x, y & 31, true))

/* fns: the bit that is the z-th set one of mask x from bit y on (upwards for z > 0, downwards for
 * z < 0, y itself for 0); all ones when there is none. */
static inline uint32_t nth_set(uint32_t mask, uint32_t base, int32_t offset)
{
    base &= 31;
    if (offset == 0)
        return mask >> base & 1 ? base : UINT32_MAX;
    int step = offset > 0 ? 1 : -1;
    uint32_t left = offset > 0 ? (uint32_t)offset : 0 - (uint32_t)offset;
    for (int at = (int)base; at >= 0 && at < 32; at += step)
        if (mask >> at & 1 && --left == 0)
            return (uint32_t)at;
    return UINT32_MAX;
}

LANE_OP3(fns_b32, u32, u32, u32, s32, nth_set(x, y, z))

static void lop3_b32(LANE_ARGS)
{
    lane_u32 *d = ALIGNED(pd);
    const lane_u32 *a = ALIGNED(pa), *b = ALIGNED(pb), *c = ALIGNED(pc);
    (void)pe;
    uint32_t on[8]; /* the table's column for each combination of a, b, c */
    for (unsigned k = 0; k < 8; k++)
        on[k] = in->imm >> k & 1 ? UINT32_MAX : 0;
    LANES
    {
        uint32_t x = a[i], y = b[i], z = c[i];
        uint32_t low = (~y & ((~z & on[0]) | (z & on[1]))) | (y & ((~z & on[2]) | (z & on[3])));
        uint32_t high = (~y & ((~z & on[4]) | (z & on[5]))) | (y & ((~z & on[6]) | (z & on[7])));
        d[i] = (~x & low) | (x & high);
    }
}

static inline uint32_t pick_byte(uint64_t bytes, uint32_t selector)
{
    uint32_t byte = (uint32_t)(bytes >> ((selector & 7) * 8)) & 0xff;
    return selector & 8 ? (byte & 0x80 ? 0xff : 0) : byte;
}

static inline uint32_t permute(uint32_t a, uint32_t b, uint32_t s)
{
    uint64_t bytes = (uint64_t)b << 32 | a;
    return pick_byte(bytes, s) | pick_byte(bytes, s >> 4) << 8 | pick_byte(bytes, s >> 8) << 16 |
           pick_byte(bytes, s >> 12) << 24;
}

LANE_OP3(prmt_b32, u32, u32, u32, u32, permute(x, y, z))

/* The named modes: which four bytes for each selector 0..3. */
static inline uint32_t permute_mode(uint32_t a, uint32_t b, uint32_t s, unsigned mode)
{
    static const uint16_t table[6][4] = {
        { 0x3210, 0x4321, 0x5432, 0x6543 }, /* f4e */
        { 0x5670, 0x6701, 0x7012, 0x0123 }, /* b4e */
        { 0x0000, 0x1111, 0x2222, 0x3333 }, /* rc8 */
        { 0x3210, 0x3211, 0x3222, 0x3333 }, /* ecl */
        { 0x0000, 0x1110, 0x2210, 0x3210 }, /* ecr */
        { 0x1010, 0x3232, 0x1010, 0x3232 }, /* rc16 */
    };
    return permute(a, b, table[mode][s & 3]);
}

LANE_OP3(prmt_mode, u32, u32, u32, u32, permute_mode(x, y, z, (unsigned)in->imm))

/* Bit 0 of imm: a is signed; bit 1: b is; bit 2: the high half of b (dp2a). */
static inline int32_t byte_at(uint32_t x, unsigned k, bool is_signed)
{
    return is_signed ? (int8_t)(x >> 8 * k) : (uint8_t)(x >> 8 * k);
}

static inline uint32_t dot4(uint32_t x, uint32_t y, uint32_t z, int64_t how)
{
    for (unsigned k = 0; k < 4; k++)
        z += (uint32_t)(byte_at(x, k, how & 1) * byte_at(y, k, how & 2));
    return z;
}

static inline uint32_t dot2(uint32_t x, uint32_t y, uint32_t z, int64_t how)
{
    for (unsigned k = 0; k < 2; k++) {
        int32_t half = how & 1 ? (int16_t)(x >> 16 * k) : (uint16_t)(x >> 16 * k);
        z += (uint32_t)(half * byte_at(y, how & 4 ? k + 2 : k, how & 2));
    }
    return z;
}

LANE_OP3(dp4a, u32, u32, u32, u32, dot4(x, y, z, in->imm))
LANE_OP3(dp2a, u32, u32, u32, u32, dot2(x, y, z, in->imm))

LANE_OP1(mov_b32, u32, u32, x)
LANE_OP1(mov_b64, u64, u64, x)

/* c is a predicate. */
static void selp_b32(LANE_ARGS)
{
    lane_u32 *d = ALIGNED(pd);
    const lane_u32 *a = ALIGNED(pa), *b = ALIGNED(pb);
    uint32_t mask = *(const lane_u32 *)pc ^ (in->mods & MOD_C_NOT ? UINT32_MAX : 0);
    (void)pe;
    LANES d[i] = mask >> i & 1 ? a[i] : b[i];
}

static void selp_b64(LANE_ARGS)
{
    lane_u64 *d = ALIGNED(pd);
    const lane_u64 *a = ALIGNED(pa), *b = ALIGNED(pb);
    uint32_t mask = *(const lane_u32 *)pc ^ (in->mods & MOD_C_NOT ? UINT32_MAX : 0);
    (void)pe;
    LANES d[i] = mask >> i & 1 ? a[i] : b[i];
}

/* a where c >= 0; NaN counts as negative, -0 does not. */
LANE_OP3(slct_b32_s32, u32, u32, u32, s32, z >= 0 ? x : y)
LANE_OP3(slct_b64_s32, u64, u64, u64, s32, z >= 0 ? x : y)
LANE_OP3(slct_b32_f32, u32, u32, u32, f32, (in->mods & MOD_FTZ ? flush_f32(z) : z) >= 0.0f ? x : y)
LANE_OP3(slct_b64_f32, u64, u64, u64, f32, (in->mods & MOD_FTZ ? flush_f32(z) : z) >= 0.0f ? x : y)

/* The parts of a wider register and back: imm is the part's first bit. */
LANE_OP1(unpack_b32_b64, u32, u64, x >> (in->imm & 63))
LANE_OP1(unpack_b16_b32, u16, u32, x >> (in->imm & 31))
LANE_OP1(unpack_b16_b64, u16, u64, x >> (in->imm & 63))
LANE_OP1(unpack_b8, u32, u32, x >> (in->imm & 31) & 0xff)
LANE_OP2(pack_b64_b32, u64, u32, u32, (uint64_t)y << 32 | x)
LANE_OP2(pack_b32_b16, u32, u32, u32, halves(x, y))
