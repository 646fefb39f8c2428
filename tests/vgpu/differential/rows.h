/* Expressions that kernels are made of: each alone, and, where `in_programs`, inside of generated
 * programs. $x stands for an operand of type x: u i 32 bits, w l 64, h s 16, b c 8 (the second of
 * each pair signed), f d single and double, H P half and two of them, B bfloat16. */
#ifndef DIFFERENTIAL_ROWS_H
#define DIFFERENTIAL_ROWS_H

#include <stdbool.h>

struct row {
    char type;
    unsigned char least_arch;
    bool in_programs;
    double ulps; /* 0: exact; below 0: an absolute error */
    const char *text;
};

/* exact: in programs too, alone only, from an architecture on; bounded */
#define P(type, text)              { type, 35, true, 0, text },
#define S(type, text)              { type, 35, false, 0, text },
#define A(type, arch, text)        { type, arch, false, 0, text },
#define X(type, arch, bound, text) { type, arch, false, bound, text },

/* for each rounding */
#define DIRECTIONS(type, before, after)                                                            \
    S(type, before "_rn" after)                                                                    \
    S(type, before "_rz" after) S(type, before "_rd" after) S(type, before "_ru" after)
#define HALF_DIRECTIONS(type, before, after)                                                       \
    A(type, 53, before "_rn" after)                                                                \
    A(type, 53, before "_rz" after)                                                                \
    A(type, 53, before "_rd" after) A(type, 53, before "_ru" after)
#define COMPARISONS(kind, a, b)                                                                    \
    kind('u', "(" a " == " b " ? $u : $u)") kind('u', "(" a " != " b " ? $u : $u)")                \
        kind('u', "(" a " < " b " ? $u : $u)") kind('u', "(" a " <= " b " ? $u : $u)")             \
            kind('u', "(" a " > " b " ? $u : $u)") kind('u', "(" a " >= " b " ? $u : $u)")

/* clang-format off */
static const struct row int_rows[] = {
    P('u', "($u + $u)") P('u', "($u - $u)") P('u', "($u * $u)") P('u', "($u / ($u | 1u))")
    P('u', "($u % ($u | 1u))") P('u', "($u & $u)") P('u', "($u | $u)") P('u', "($u ^ $u)") P('u', "(~$u)")
    P('u', "($u << ($u & 31u))") P('u', "($u >> ($u & 31u))") P('u', "min($u, $u)") P('u', "max($u, $u)")
    P('u', "($u * 37u + $u)") P('u', "($u / 10u)") P('u', "($u % 7u)") P('u', "($u >> 5 & 0x7ffu)")
    P('u', "(u32)($w >> 32)") P('u', "(u32)$w") P('u', "(u32)$i") P('u', "(u32)$h") P('u', "(u32)$s")
    P('u', "(u32)($u && $i)") P('u', "(u32)($u < $u || $i > 3)") P('u', "($u & ~$u ^ $u)")
    P('u', "__umulhi($u, $u)") P('u', "(u32)__popc($u)") P('u', "(u32)__clz((s32)$u)") P('u', "__brev($u)")
    P('u', "(u32)__ffs((s32)$u)") P('u', "__byte_perm($u, $u, $u)") P('u', "__byte_perm($u, $u, 0x5163)")
    P('u', "__funnelshift_l($u, $u, $u)") P('u', "__funnelshift_r($u, $u, $u)")
    P('u', "__funnelshift_lc($u, $u, $u & 63u)") P('u', "__funnelshift_rc($u, $u, $u & 63u)")
    P('u', "__usad($u, $u, $u)") P('u', "__sad($i, $i, $u)") P('u', "__umul24($u, $u)") P('u', "__uhadd($u, $u)")
    P('u', "__urhadd($u, $u)") P('u', "(u32)__popcll($w)") P('u', "(u32)__clzll((s64)$w)")
    P('u', "(u32)__ffsll((s64)$w)") P('u', "($u << 7 | $u >> 25)") P('u', "(u32)($u * (u64)$u >> 19)")
    COMPARISONS(P, "$u", "$u") COMPARISONS(P, "$i", "$i") COMPARISONS(P, "$w", "$w") COMPARISONS(P, "$l", "$l")
    COMPARISONS(S, "$h", "$h") COMPARISONS(S, "$s", "$s") COMPARISONS(S, "$b", "$b") COMPARISONS(S, "$c", "$c")
    P('i', "add_i($i, $i)") P('i', "sub_i($i, $i)") P('i', "mul_i($i, $i)") P('i', "div_i($i, $i)")
    P('i', "rem_i($i, $i)") P('i', "($i >> ($u & 31u))") P('i', "min($i, $i)") P('i', "max($i, $i)")
    P('i', "abs_i($i)") P('i', "sub_i(0, $i)") P('i', "(s32)$u") P('i', "($i / 10)") P('i', "($i % 13)")
    P('i', "($i / 8)") P('i', "($i % 16)") P('i', "(s32)$l") P('i', "(s32)$s") P('i', "(s32)(s8)$i")
    P('i', "(s32)($l >> 20)") P('i', "__mulhi($i, $i)") P('i', "__mul24($i, $i & 255)") P('i', "__hadd($i, $i)")
    P('i', "__rhadd($i, $i)") P('i', "($i < $i ? $i : $i)") P('i', "(!$u ? $i : ~$i)")
    P('i', "((s32)($u << 9) >> 14)") P('i', "add_i(mul_i($i, $i), $i)")
    P('w', "($w + $w)") P('w', "($w - $w)") P('w', "($w * $w)") P('w', "($w / ($w | 1u))")
    P('w', "($w % ($w | 1u))") P('w', "($w & $w)") P('w', "($w | $w)") P('w', "($w ^ $w)") P('w', "(~$w)")
    P('w', "($w << ($u & 63u))") P('w', "($w >> ($u & 63u))") P('w', "min($w, $w)") P('w', "max($w, $w)")
    P('w', "(u64)$u") P('w', "((u64)$u << 32 | $u)") P('w', "((u64)$u * $u)") P('w', "((u64)$u * $u + $w)")
    P('w', "__umul64hi($w, $w)") P('w', "__brevll($w)") P('w', "($w / 1000000007u)") P('w', "($w % 97u)")
    P('w', "(u64)$l") P('w', "(u64)$i") P('w', "($w < $w ? $w : $w)") P('w', "($w >> 13 & 0xfffffu)") S('w', "(u64)$h")
    P('l', "add_l($l, $l)") P('l', "sub_l($l, $l)") P('l', "mul_l($l, $l)") P('l', "div_l($l, $l)")
    P('l', "rem_l($l, $l)") P('l', "($l >> ($u & 63u))") P('l', "min($l, $l)") P('l', "max($l, $l)")
    P('l', "abs_l($l)") P('l', "sub_l(0, $l)") P('l', "(s64)$i") P('l', "((s64)$i * $i)")
    P('l', "add_l((s64)$i * $i, $l)") P('l', "__mul64hi($l, $l)") P('l', "($l / 1000)") P('l', "(s64)$s")
    P('l', "(s64)$w") P('l', "($l >= $l ? $l : $l)")
    P('h', "(u16)($h + $h)") P('h', "(u16)($h - $h)") P('h', "(u16)((u32)$h * $h)") P('h', "(u16)($h / ($h | 1))")
    P('h', "(u16)($h % ($h | 1))") P('h', "(u16)($h & $h)") P('h', "(u16)($h ^ ~$h)") P('h', "(u16)($h >> ($u & 15u))")
    P('h', "(u16)($h << ($u & 15u))") P('h', "(u16)$u") P('h', "(u16)$s") P('h', "($h < $h ? $h : $h)")
    P('s', "(s16)($s + $s)") P('s', "(s16)($s - $s)") P('s', "(s16)($s * $s)") P('s', "(s16)($s >> ($u & 15u))")
    P('s', "(s16)$i") P('s', "(s16)$h") P('s', "(s16)($s / (s16)($s | 1))") P('s', "($s <= $s ? $s : $s)")
    S('b', "(u8)($b + $b)") S('b', "(u8)($b * $b)") S('b', "(u8)$u") S('b', "(u8)($b / ($b | 1))")
    S('c', "(s8)($c - $c)") S('c', "(s8)$i") S('c', "(s8)($c >> 2)") S('c', "(s8)($c / (s8)($c | 1))")
    S('u', "(u32)$b") S('i', "(s32)$c") S('l', "(s64)$c") S('w', "(u64)$b")
    A('u', 61, "__dp4a($u, $u, $u)") A('i', 61, "__dp4a($i, $i, $i)")
    A('u', 61, "__dp2a_lo($u, $u, $u)") A('u', 61, "__dp2a_hi($u, $u, $u)")
};

static const struct row float_rows[] = {
    P('f', "($f + $f)") P('f', "($f - $f)") P('f', "($f * $f)") P('f', "($f / $f)") P('f', "fmaf($f, $f, $f)")
    P('f', "min_f($f, $f)") P('f', "max_f($f, $f)") P('f', "fabsf($f)") P('f', "(-$f)") P('f', "sqrtf($f)")
    P('f', "sqrtf(fabsf($f))") P('f', "truncf($f)") P('f', "floorf($f)") P('f', "ceilf($f)") P('f', "rintf($f)")
    P('f', "roundf($f)") P('f', "(f32)$i") P('f', "(f32)$u") P('f', "($f * 0.1f)") P('f', "($f / 3.0f)")
    P('f', "(1.0f / $f)") P('f', "($f * $f + $f)") P('f', "($f < $f ? $f : $f)") P('f', "($f >= $f ? $f : $f)")
    P('f', "(!($f > $f) ? $f : $f)") P('f', "__saturatef($f)") S('f', "fmodf($f, $f)") S('f', "nearbyintf($f)")
    COMPARISONS(P, "$f", "$f") S('u', "(!($f < $f) ? $u : $u)") S('u', "(!($f <= $f) ? $u : $u)")
    S('u', "(!($f > $f) ? $u : $u)") S('u', "(!($f >= $f) ? $u : $u)") S('u', "(isnan($f) ? $u : $u)")
    S('u', "(isinf($f) ? $u : $u)") S('u', "(isfinite($f) ? $u : $u)") S('u', "(signbit($f) ? $u : $u)")
    S('u', "((isnan($f) || isnan($f)) ? $u : $u)") P('i', "i_of_f($f)") P('u', "u_of_f($f)")
    DIRECTIONS('f', "__fadd", "($f, $f)") DIRECTIONS('f', "__fsub", "($f, $f)") DIRECTIONS('f', "__fmul", "($f, $f)")
    DIRECTIONS('f', "__fdiv", "($f, $f)") DIRECTIONS('f', "__frcp", "($f)") DIRECTIONS('f', "__fsqrt", "($f)")
    DIRECTIONS('f', "__fmaf", "($f, $f, $f)")
};

static const struct row double_rows[] = {
    P('d', "($d + $d)") P('d', "($d - $d)") P('d', "($d * $d)") P('d', "($d / $d)") P('d', "fma($d, $d, $d)")
    P('d', "min_d($d, $d)") P('d', "max_d($d, $d)") P('d', "fabs($d)") P('d', "(-$d)") P('d', "sqrt($d)")
    P('d', "trunc($d)") P('d', "floor($d)") P('d', "ceil($d)") P('d', "rint($d)") P('d', "(f64)$i") P('d', "(f64)$u")
    P('d', "(f64)$l") P('d', "(f64)$w") P('d', "($d / 7.0)") P('d', "($d * $d + $d)") P('d', "($d < $d ? $d : $d)")
    P('d', "($d >= $d ? $d : $d)") P('d', "(f64)(f32)$d") S('d', "fmod($d, $d)") S('d', "(f64)$f")
    COMPARISONS(P, "$d", "$d") S('u', "(!($d < $d) ? $u : $u)") S('u', "(!($d <= $d) ? $u : $u)")
    S('u', "(!($d > $d) ? $u : $u)") S('u', "(!($d >= $d) ? $u : $u)") S('u', "(isnan($d) ? $u : $u)")
    S('u', "(isinf($d) ? $u : $u)") P('i', "i_of_d($d)") P('u', "u_of_d($d)")
    DIRECTIONS('d', "__dadd", "($d, $d)") DIRECTIONS('d', "__dsub", "($d, $d)") DIRECTIONS('d', "__dmul", "($d, $d)")
    DIRECTIONS('d', "__ddiv", "($d, $d)") DIRECTIONS('d', "__drcp", "($d)") DIRECTIONS('d', "__dsqrt", "($d)")
    DIRECTIONS('d', "__fma", "($d, $d, $d)")
};

static const struct row convert_rows[] = {
    DIRECTIONS('i', "__float2int", "($f)") DIRECTIONS('u', "__float2uint", "($f)")
    DIRECTIONS('l', "__float2ll", "($f)") DIRECTIONS('w', "__float2ull", "($f)")
    DIRECTIONS('i', "__double2int", "($d)") DIRECTIONS('u', "__double2uint", "($d)")
    DIRECTIONS('l', "__double2ll", "($d)") DIRECTIONS('w', "__double2ull", "($d)")
    DIRECTIONS('f', "__int2float", "($i)") DIRECTIONS('f', "__uint2float", "($u)")
    DIRECTIONS('f', "__ll2float", "($l)") DIRECTIONS('f', "__ull2float", "($w)")
    DIRECTIONS('d', "__ll2double", "($l)") DIRECTIONS('d', "__ull2double", "($w)")
    DIRECTIONS('f', "__double2float", "($d)")
    S('f', "(f32)$h") S('f', "(f32)$s") S('f', "(f32)$b") S('f', "(f32)$c") S('f', "(f32)$l") S('f', "(f32)$w")
    S('d', "(f64)$h") S('d', "(f64)$s") S('d', "(f64)$b") S('d', "(f64)$c")
    S('u', "__float_as_uint($fm)") S('i', "__float_as_int($fm)") S('f', "__uint_as_float($u)")
    S('i', "__double2hiint($dm)") S('i', "__double2loint($dm)") S('d', "__hiloint2double($i, $i)")
    S('d', "__longlong_as_double($l)") S('l', "__double_as_longlong($dm)")
    S('f', "__half2float($H)") DIRECTIONS('H', "__float2half", "($f)") S('H', "__double2half($d)")
    S('P', "__floats2half2_rn($f, $f)") S('P', "__halves2half2($H, $H)") S('P', "__lowhigh2highlow($P)")
    S('P', "__lows2half2($P, $P)")
    HALF_DIRECTIONS('H', "__int2half", "($i)") HALF_DIRECTIONS('H', "__uint2half", "($u)")
    HALF_DIRECTIONS('H', "__short2half", "($s)") HALF_DIRECTIONS('H', "__ushort2half", "($h)")
    A('H', 53, "__ll2half_rn($l)") A('H', 53, "__ull2half_rn($w)")
    HALF_DIRECTIONS('i', "__half2int", "($H)") HALF_DIRECTIONS('u', "__half2uint", "($H)")
    HALF_DIRECTIONS('s', "__half2short", "($H)") HALF_DIRECTIONS('h', "__half2ushort", "($H)")
    A('l', 53, "__half2ll_rz($H)") A('w', 53, "__half2ull_rn($H)")
};

#define HALF_COMPARISONS(op)                                                                       \
    A('u', 53, "(__h" op "($H, $H) ? $u : $u)") A('u', 53, "(__h" op "u($H, $H) ? $u : $u)")        \
    A('P', 53, "__h" op "2($P, $P)") A('u', 53, "(__hb" op "2($P, $P) ? $u : $u)")
static const struct row half_rows[] = {
    A('H', 53, "__hadd($H, $H)") A('H', 53, "__hsub($H, $H)") A('H', 53, "__hmul($H, $H)")
    A('H', 53, "__hfma($H, $H, $H)") A('H', 53, "__hneg($H)") A('H', 53, "__habs($H)")
    A('H', 53, "__hadd_sat($H, $H)") A('H', 53, "__hsub_sat($H, $H)") A('H', 53, "__hmul_sat($H, $H)")
    A('H', 53, "__hfma_sat($H, $H, $H)") A('P', 53, "__hadd2($P, $P)") A('P', 53, "__hsub2($P, $P)")
    A('P', 53, "__hmul2($P, $P)") A('P', 53, "__hfma2($P, $P, $P)") A('P', 53, "__hneg2($P)")
    A('P', 53, "__habs2($P)") A('P', 53, "__hadd2_sat($P, $P)") A('P', 53, "__hfma2_sat($P, $P, $P)")
    A('H', 53, "hfloor($H)") A('H', 53, "hceil($H)") A('H', 53, "htrunc($H)") A('H', 53, "hrint($H)")
    A('u', 53, "(__hisnan($H) ? $u : $u)") HALF_COMPARISONS("eq") HALF_COMPARISONS("ne") HALF_COMPARISONS("lt")
    HALF_COMPARISONS("le") HALF_COMPARISONS("gt") HALF_COMPARISONS("ge")
    A('H', 53, "__hmin($H, $H)") A('H', 53, "__hmax($H, $H)") A('H', 80, "__hmax_nan($H, $H)")
    A('H', 53, "__hfma(__hadd($H, $H), $H, __hmul($H, $H))")
    A('P', 53, "__hfma2(__hsub2($P, $P), $P, __hfma2($P, $P, $P))")
    A('H', 53, "(__hlt($H, $H) ? __hadd($H, $H) : __hmul($H, $H))")
};

static const struct row bfloat_rows[] = {
    A('f', 80, "__bfloat162float($B)") A('B', 80, "__float2bfloat16_rn($f)") A('B', 80, "__float2bfloat16_rz($f)")
    A('B', 80, "__hfma($B, $B, $B)") A('B', 80, "__hadd($B, $B)") A('B', 80, "__hsub($B, $B)")
    A('B', 80, "__hmul($B, $B)") A('B', 80, "__hmin($B, $B)") A('B', 80, "__hmax($B, $B)") A('B', 80, "__hneg($B)")
    A('B', 80, "__habs($B)") A('u', 80, "(__hlt($B, $B) ? $u : $u)") A('u', 80, "(__hgeu($B, $B) ? $u : $u)")
};

/* Bounds: the tables of the CUDA programming guide, one more for the host's own rounding. */
static const struct row approximate_rows[] = {
    X('f', 35, 2, "m_expf($fm)") X('f', 35, 3, "m_exp2f($fm)") X('f', 35, 2, "m_expm1f($fm)")
    X('f', 35, 2, "m_logf(fabsf($fm))") X('f', 35, 2, "m_log2f(fabsf($fm))") X('f', 35, 2, "m_log1pf(fabsf($fm))")
    X('f', 35, 3, "m_sinf($fm)") X('f', 35, 3, "m_cosf($fm)") X('f', 35, 5, "m_tanf($fm)") X('f', 35, 3, "m_atanf($fm)")
    X('f', 35, 4, "m_sinhf($fm)") X('f', 35, 3, "m_tanhf($fm)") X('f', 35, 2, "m_cbrtf($fm)") X('f', 35, 3, "m_erff($fm)")
    X('f', 35, 3, "m_rsqrtf(fabsf($fm))") X('f', 35, 5, "m_powf(fabsf($fm), $fm)") X('f', 35, 4, "m_hypotf($fm, $fm)")
    X('f', 35, 3, "m_fast_div($fm, $fm)") X('f', 35, -0x1p-19, "m_fast_log(fabsf($fm))")
    X('f', 35, -0x1p-21, "m_fast_sin($fm * 0.04f)") X('f', 35, -0x1p-21, "m_fast_cos($fm * 0.04f)")
    X('f', 35, 80, "m_fast_exp($fm)")
    X('d', 35, 2, "m_exp($dm)") X('d', 35, 2, "m_exp2($dm)") X('d', 35, 2, "m_log(fabs($dm))") X('d', 35, 3, "m_log2(fabs($dm))")
    X('d', 35, 3, "m_sin($dm)") X('d', 35, 3, "m_cos($dm)") X('d', 35, 3, "m_tan($dm)") X('d', 35, 3, "m_atan($dm)")
    X('d', 35, 2, "m_cbrt($dm)") X('d', 35, 3, "m_tanh($dm)") X('d', 35, 3, "m_erf($dm)") X('d', 35, 2, "m_rsqrt(fabs($dm))")
    X('d', 35, 3, "m_pow(fabs($dm), $dm)")
};
/* clang-format on */

#define ROW_COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

#endif
