/* Comparisons and tests: one bit a lane. */

#define CMP(name, T, expr)                                                                         \
    static uint32_t cmp_##name(const void *pa, const void *pb, const struct inst *in)              \
    {                                                                                              \
        const S_##T *a = ALIGNED(pa);                                                              \
        const S_##T *b = ALIGNED(pb);                                                              \
        uint32_t mask = 0;                                                                         \
        (void)in;                                                                                  \
        LANES                                                                                      \
        {                                                                                          \
            V_##T x = (V_##T)a[i], y = (V_##T)b[i];                                                \
            mask |= (uint32_t)(expr) << i;                                                         \
        }                                                                                          \
        return mask;                                                                               \
    }

#define CMP_INT(T)                                                                                 \
    CMP(eq_##T, T, x == y)                                                                         \
    CMP(ne_##T, T, x != y)                                                                         \
    CMP(lt_##T, T, x < y)                                                                          \
    CMP(le_##T, T, x <= y)                                                                         \
    CMP(gt_##T, T, x > y)                                                                          \
    CMP(ge_##T, T, x >= y)
ALL_INT(CMP_INT)

/* The float forms in terms of READ, which turns a lane into a float or double. `ne` is false and
 * `neu` true on a NaN. */
#define CMP_FLOAT_OP(name, S, R, READ, expr)                                                       \
    static uint32_t cmp_##name(const void *pa, const void *pb, const struct inst *in)              \
    {                                                                                              \
        const S *a = ALIGNED(pa);                                                                  \
        const S *b = ALIGNED(pb);                                                                  \
        uint32_t mask = 0;                                                                         \
        bool ftz = in->mods & MOD_FTZ;                                                             \
        (void)ftz;                                                                                 \
        LANES                                                                                      \
        {                                                                                          \
            R x = READ(a[i]), y = READ(b[i]);                                                      \
            mask |= (uint32_t)(expr) << i;                                                         \
        }                                                                                          \
        return mask;                                                                               \
    }

#define CMP_FLOAT(T, S, R, READ)                                                                   \
    CMP_FLOAT_OP(eq_##T, S, R, READ, x == y)                                                       \
    CMP_FLOAT_OP(ne_##T, S, R, READ, (x < y) | (x > y))                                            \
    CMP_FLOAT_OP(lt_##T, S, R, READ, x < y)                                                        \
    CMP_FLOAT_OP(le_##T, S, R, READ, x <= y)                                                       \
    CMP_FLOAT_OP(gt_##T, S, R, READ, x > y)                                                        \
    CMP_FLOAT_OP(ge_##T, S, R, READ, x >= y)                                                       \
    CMP_FLOAT_OP(equ_##T, S, R, READ, !((x < y) | (x > y)))                                        \
    CMP_FLOAT_OP(neu_##T, S, R, READ, !(x == y))                                                   \
    CMP_FLOAT_OP(ltu_##T, S, R, READ, !(x >= y))                                                   \
    CMP_FLOAT_OP(leu_##T, S, R, READ, !(x > y))                                                    \
    CMP_FLOAT_OP(gtu_##T, S, R, READ, !(x <= y))                                                   \
    CMP_FLOAT_OP(geu_##T, S, R, READ, !(x < y))                                                    \
    CMP_FLOAT_OP(num_##T, S, R, READ, (x == x) & (y == y))                                         \
    CMP_FLOAT_OP(nan_##T, S, R, READ, (x != x) | (y != y))

#define READ_F32(v)   (ftz ? flush_f32(v) : (v))
#define READ_F64(v)   (v)
#define READ_F16(v)   flush_half(float_of_half((v)&0xffff), ftz)
#define READ_BF16(v)  float_of_bf16((v)&0xffff)
#define READ_F16H(v)  flush_half(float_of_half((v) >> 16), ftz)
#define READ_BF16H(v) float_of_bf16((v) >> 16)

CMP_FLOAT(f32, lane_f32, float, READ_F32)
CMP_FLOAT(f64, lane_f64, double, READ_F64)
CMP_FLOAT(f16, lane_u32, float, READ_F16)
CMP_FLOAT(bf16, lane_u32, float, READ_BF16)
CMP_FLOAT(f16hi, lane_u32, float, READ_F16H) /* the upper halves of f16x2 */
CMP_FLOAT(bf16hi, lane_u32, float, READ_BF16H)

#define TEST_F32(name, expr) CMP(test_##name##_f32, u32, expr)
#define TEST_F64(name, expr) CMP(test_##name##_f64, u64, expr)
#define MAG32                ((x)&0x7fffffff)
#define MAG64                ((x)&0x7fffffffffffffff)
TEST_F32(finite, ((void)y, MAG32 < 0x7f800000))
TEST_F32(infinite, ((void)y, MAG32 == 0x7f800000))
TEST_F32(number, ((void)y, MAG32 <= 0x7f800000))
TEST_F32(notanumber, ((void)y, MAG32 > 0x7f800000))
TEST_F32(normal, ((void)y, MAG32 >= 0x00800000 && MAG32 < 0x7f800000))
TEST_F32(subnormal, ((void)y, MAG32 < 0x00800000))
TEST_F64(finite, ((void)y, MAG64 < 0x7ff0000000000000))
TEST_F64(infinite, ((void)y, MAG64 == 0x7ff0000000000000))
TEST_F64(number, ((void)y, MAG64 <= 0x7ff0000000000000))
TEST_F64(notanumber, ((void)y, MAG64 > 0x7ff0000000000000))
TEST_F64(normal, ((void)y, MAG64 >= 0x0010000000000000 && MAG64 < 0x7ff0000000000000))
TEST_F64(subnormal, ((void)y, MAG64 < 0x0010000000000000))
