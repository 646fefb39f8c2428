/* Kernels whose threads work together, and others that no generator would find. @1, @2 ... are
 * replaced by the words of one line of `words` (lines end with ';', words are separated by '|'). */
#ifndef DIFFERENTIAL_BLOCKS_H
#define DIFFERENTIAL_BLOCKS_H

struct block_template {
    const char *name;
    char kind;
    unsigned char least_arch, most_arch;
    unsigned char block[3];
    bool meets;
    const char *words, *before, *body;
};

#define ANY 35, 255
#define T64 { 64, 1, 1 }
#define T96 { 96, 1, 1 }

static const struct block_template shared_templates[] = {
    { "reduce", 'u', ANY, T64, true, "u32|in_u|+;u64|in_w|^;u16|in_h|+;f32|in_fm|*;f64|in_dm|+;s32|in_i|&;",
      "",
      "__shared__ @1 s[64]; s[t] = @2(in, i, 1); __syncthreads();"
      "for (u32 k = 32; k; k >>= 1) { if (t < k) s[t] = (@1)(s[t] @3 s[t + k]); __syncthreads(); }"
      "out[i] = bits(s[0]);" },
    { "scan", 'u', ANY, T96, true, "u32|in_u;u64|in_w;u8|in_b;", "",
      "__shared__ @1 s[2][96]; u32 now = 0; s[0][t] = @2(in, i, 2); __syncthreads();"
      "for (u32 k = 1; k < 96; k *= 2) { @1 v = s[now][t]; if (t >= k) v = (@1)(v + s[now][t - k]);"
      "now ^= 1; s[now][t] = v; __syncthreads(); } out[i] = bits(s[now][t]);" },
    { "transpose", 'u', ANY, T64, true, "u32|in_u|9;u16|in_h|8;f64|in_dm|9;", "",
      "__shared__ @1 s[8][@3]; s[t / 8][t % 8] = @2(in, i, 3); __syncthreads();"
      "out[i] = bits(s[t % 8][t / 8]);" },
    { "stencil", 'f', ANY, T64, true, "f32|in_fm|0.25f;f32|in_f|-3.5f;", "",
      "__shared__ @1 s[66]; s[t + 1] = @2(in, i, 4); if (t == 0) s[0] = @2(in, i, 5);"
      "if (t == 63) s[65] = @2(in, i, 6); __syncthreads();"
      "@1 v = (s[t] + s[t + 2]) * @3 + s[t + 1]; __syncthreads(); s[t + 1] = v; __syncthreads();"
      "out[i] = bits(s[t] - s[t + 2]);" },
    { "sort", 'u', ANY, T64, true, "u32|in_u|>;s32|in_i|<;s64|in_l|>;", "",
      "__shared__ @1 s[64]; s[t] = @2(in, i, 7); __syncthreads();"
      "for (u32 k = 2; k <= 64; k *= 2) for (u32 j = k / 2; j; j /= 2) { u32 o = t ^ j;"
      "if (o > t && ((s[t] @3 s[o]) == ((t & k) == 0))) { @1 x = s[t]; s[t] = s[o]; s[o] = x; }"
      "__syncthreads(); } out[i] = bits(s[t]);" },
    { "histogram", 'u', ANY, T64, true, "16|&;8|>> 3 &;", "",
      "__shared__ u32 s[16]; if (t < 16) s[t] = 0; __syncthreads();"
      "for (u32 k = 0; k < 4; k++) atomicAdd(&s[in_u(in, i, k) @2 (@1 - 1)], 1u + k); __syncthreads();"
      "out[i] = s[t & 15];" },
    { "votes", 'u', ANY, T96, true, "count|3;and|0;or|40;", "",
      "u32 r = (u32)__syncthreads_@1(in_u(in, i, 1) % 5u > @2u % 5u);"
      "out[i] = r * 3 + (u32)__syncthreads_@1(t >= 0) * 1000 + (u32)__syncthreads_@1(t > 95) * 100000;" },
    { "dynamic", 'u', ANY, T64, true, "5;11;", "",
      "DYNAMIC(s); s[t] = in_u(in, i, 1); s[t + 64] = t * @1; __syncthreads();"
      "u32 k = s[(s[t * @1 % 64] & 63) + 64]; __syncthreads(); s[t] ^= k; __syncthreads();"
      "out[i] = mix(s[63 - t], s[(t * 7) & 63]);" },
    { "vectors", 'u', ANY, T64, true, "uint4|u32|in_u;float4|f32|in_f;", "",
      "__shared__ @1 s[64]; @1 v; v.x = @3(in, i, 1); v.y = @3(in, i, 2); v.z = @3(in, i, 3);"
      "v.w = @3(in, i, 4); s[t] = v; __syncthreads(); v = s[t ^ 21]; const @2 *p = (const @2 *)s;"
      "out[i] = bits(v.y) << 32 | bits(t & 1 ? v.w : v.x); work[i] = (u32)bits(p[t * 3]);" },
    { "plane", 'u', ANY, { 8, 4, 2 }, true, "3;6;", "",
      "__shared__ u32 s[2][4][8]; s[threadIdx.z][threadIdx.y][threadIdx.x] = in_u(in, i, @1);"
      "__syncthreads(); u32 v = s[1 - threadIdx.z][(threadIdx.y + 1) & 3][threadIdx.x ^ @1];"
      "out[i] = mix(v, threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z) + gridDim.x);" },
    { "leave_warp", 'u', ANY, T64, true, "32;", "",
      "__shared__ u32 s[64]; s[t] = in_u(in, i, 1); __syncthreads(); if (t >= @1) { out[i] = s[t]; return; }"
      "s[t] = s[t] * 3 + s[63 - t]; __syncthreads(); out[i] = mix(s[t], s[(t + 5) % @1]);" },
    /* before 7.0 a part of a warp must not leave: the compiler lets it wait behind the barrier */
    { "leave", 'u', 70, 255, T64, true, "40;33;", "",
      "__shared__ u32 s[64]; s[t] = in_u(in, i, 1); __syncthreads(); if (t >= @1) { out[i] = s[t]; return; }"
      "s[t] = s[t] * 3 + s[63 - (t & 15)]; __syncthreads(); out[i] = mix(s[t], s[(t + 5) % @1]);" },
    { "tiles", 'f', ANY, T64, true, "f32|in_fm|8;f32|in_f|3;", "",
      "__shared__ @1 a[8][8], b[8][8]; u32 x = t % 8, y = t / 8; @1 sum = 0;"
      "for (u32 k = 0; k < @3; k++) { a[y][x] = @2(in, i, 2 * k); b[y][x] = @2(in, i + 64, 2 * k + 1);"
      "__syncthreads(); for (u32 n = 0; n < 8; n++) sum += a[y][n] * b[n][x]; __syncthreads(); }"
      "out[i] = bits(sum);" },
    { "bytes", 'u', ANY, T64, true, "u8|in_b;s8|in_c;s16|in_s;", "",
      "__shared__ @1 s[128]; s[t] = @2(in, i, 1); s[t + 64] = @2(in, i, 2); __syncthreads();"
      "u32 sum = 0; for (u32 k = 0; k < 8; k++) sum = sum * 5 + (u32)(s32)s[(t * 3 + k * 17) & 127];"
      "out[i] = sum;" },
};

static const struct block_template warp_templates[] = {
    { "shuffle_xor", 'u', ANY, T64, true, "u32|in_u|32;u64|in_w|16;f32|in_fm|8;s32|in_i|4;", "",
      "@1 v = @2(in, i, 1); for (u32 k = 1; k < 32; k *= 2) v = (@1)(v + __shfl_xor_sync(~0u, v, k, @3));"
      "out[i] = bits(v);" },
    { "shuffle_down", 'u', ANY, T64, true, "u32|in_u|32;f64|in_dm|32;u32|in_u|8;", "",
      "@1 v = @2(in, i, 1); for (u32 k = 16; k; k /= 2) v = (@1)(v - __shfl_down_sync(~0u, v, k, @3));"
      "out[i] = bits(v);" },
    { "shuffle_up", 'u', ANY, T64, true, "u32|in_u|32;s64|in_l|16;", "",
      "@1 v = @2(in, i, 1); for (u32 k = 1; k < @3; k *= 2) { @1 o = __shfl_up_sync(~0u, v, k, @3);"
      "if ((t & (@3 - 1)) >= k) v = (@1)((u64)v + (u64)o); } out[i] = bits(v);" },
    { "shuffle_any", 'u', ANY, T64, true, "u32|in_u|32;f32|in_f|16;u32|in_u|2;", "",
      "@1 v = @2(in, i, 1); u32 from = in_u(in, i, 2); @1 a = __shfl_sync(~0u, v, from & 31, @3);"
      "@1 b = __shfl_sync(~0u, v, (t * 7 + 3) & 31, @3); @1 c = __shfl_sync(~0u, a, 5, @3);"
      "out[i] = mix(mix(bits(a), bits(b)), bits(c));" },
    { "shuffle_before_7", 'u', 35, 69, T64, true, "u32|in_u|32;f32|in_fm|8;", "",
      "@1 v = @2(in, i, 1); v = (@1)(v + __shfl_xor(v, 5)); v = (@1)(v + __shfl_up(v, 3, @3));"
      "v = (@1)(v + __shfl_down(v, 2, @3)); out[i] = bits((@1)(v + __shfl(v, (t * 3) & 31, @3)));" },
    { "votes_before_7", 'u', 35, 69, T64, true, "1;7;", "",
      "u32 v = in_u(in, i, @1); u32 b = __ballot(v & @1); b ^= __any(v == 1) ? 0x10u : 0; "
      "out[i] = mix(b, (u32)__all(v != 1) + 2u * (u32)__any(t > 31));" },
    { "votes", 'u', ANY, T64, true, "1;6;", "",
      "u32 v = in_u(in, i, @1); u32 b = __ballot_sync(~0u, v & @1); b ^= __any_sync(~0u, v == 2) ? 0x10u : 0;"
      "b += (u32)__popc(b & ((1u << (t & 31)) - 1)); out[i] = mix(b, (u32)__all_sync(~0u, v != 2) + 2u * (u32)__any_sync(~0u, t > 31));" },
    { "half_warps", 'u', ANY, T64, true, "+|1;^|2;", "",
      "u32 v = in_u(in, i, 1); if ((t & 31) < 16) { for (u32 k = 1; k < 16; k *= 2) v = v @1 __shfl_xor_sync(0xffffu, v, k); }"
      "else { for (u32 k = 8; k; k /= 2) v = v * @2 + __shfl_xor_sync(0xffff0000u, v, k); }"
      "out[i] = v + __shfl_sync(~0u, v, (t + 9) & 31) * 3;" },
    { "compact", 'u', ANY, T64, true, "3;5;", "",
      "__shared__ u32 s[64], n[2]; u32 v = in_u(in, i, 1); u32 b = __ballot_sync(~0u, v % @1 == 0), lane = t & 31;"
      "s[t] = 0; if (lane == 0) n[t / 32] = (u32)__popc(b); __syncthreads();"
      "if (v % @1 == 0) s[(t < 32 ? 0 : n[0]) + (u32)__popc(b & ((1u << lane) - 1))] = v; __syncthreads();"
      "out[i] = s[t] + n[0] + n[1];" },
    { "sync_warp", 'u', ANY, T64, true, "1;2;", "",
      "__shared__ volatile u32 s[64]; u32 v = in_u(in, i, @1); for (u32 k = 0; k < 3; k++) { s[t] = v; __syncwarp();"
      "v = v * 5 + s[t ^ (1u << k)]; __syncwarp(); } out[i] = v;" },
    { "block_sum", 'u', ANY, T96, true, "u32|in_u;u64|in_w;", "",
      "__shared__ @1 s[3]; @1 v = @2(in, i, 1); for (u32 k = 16; k; k /= 2) v += __shfl_down_sync(~0u, v, k);"
      "if ((t & 31) == 0) s[t / 32] = v; __syncthreads(); out[i] = s[0] + s[1] * 3 + s[2] * 7;" },
    { "match", 'u', 70, 255, T64, true, "u32|in_u|& 7;u64|in_w|& 3;", "",
      "@1 v = @2(in, i, 1) @3; int all; u32 m = __match_any_sync(~0u, v);"
      "u32 a = __match_all_sync(~0u, v * (t < 32), &all); out[i] = mix(m, a) + (u32)all;" },
    { "redux", 'u', 80, 255, T64, true, "u32|in_u;", "",
      "@1 v = @2(in, i, 1); s32 w = in_i(in, i, 2); u32 r = __reduce_add_sync(~0u, v) ^ __reduce_xor_sync(~0u, v) * 3;"
      "r += __reduce_min_sync(~0u, v) + __reduce_max_sync(~0u, v) * 5 + (u32)__reduce_min_sync(~0u, w) * 7;"
      "r ^= (u32)__reduce_max_sync(~0u, w) + __reduce_and_sync(~0u, v | 0xff) + __reduce_or_sync(~0u, v & 0xff00);"
      "out[i] = r;" },
};

static const struct block_template atomic_templates[] = {
    { "global", 'u', ANY, T64, false,
      "u32|atomicAdd|in_u;u32|atomicMin|in_u;u32|atomicMax|in_u;u32|atomicAnd|in_u;u32|atomicOr|in_u;u32|atomicXor|in_u;"
      "s32|atomicAdd|in_i;s32|atomicMin|in_i;s32|atomicMax|in_i;u64|atomicAdd|in_w;u64|atomicMin|in_w;u64|atomicMax|in_w;"
      "u64|atomicAnd|in_w;u64|atomicOr|in_w;u64|atomicXor|in_w;s32|atomicSub|in_i;s64|atomicMin|in_l;s64|atomicMax|in_l;",
      "",
      "@1 *p = (@1 *)work; @2(&p[in_u(in, i, 1) & 7], @3(in, i, 2)); @2(&p[8], @3(in, i, 3)); out[i] = t;" },
    { "returned", 'u', ANY, T64, false,
      "u32|atomicAdd|1|Xor;u32|atomicInc|100|Xor;u32|atomicDec|77|Add;u32|atomicOr|0|Max;u32|atomicSub|3|Xor;", "",
      "u32 old = @2(&work[0], @3u); atomic@4(&work[1], old * 2654435761u); atomic@4(&work[2 + (t & 3)], @2(&work[8 + t], 5u)); out[i] = t;" },
    { "shared", 'u', ANY, T64, true,
      "u32|atomicAdd|in_u;u32|atomicMin|in_u;s32|atomicMax|in_i;u64|atomicXor|in_w;u64|atomicAdd|in_w;s32|atomicMin|in_i;u32|atomicXor|in_u;", "",
      "__shared__ @1 s[4]; if (t < 4) s[t] = 5; __syncthreads(); @2(&s[in_u(in, i, 1) & 3], @3(in, i, 2)); __syncthreads();"
      "out[i] = bits(s[t & 3]);" },
    { "floats", 'u', ANY, T64, false, "f32|in_u|1;", "",
      "f32 *p = (f32 *)work; atomicAdd(&p[@2(in, i, 1) & 7], (f32)((s32)(@2(in, i, 2) & 255) - 100)); out[i] = @3;" },
    { "doubles", 'u', 60, 255, T64, false, "f64|in_u|1;", "",
      "f64 *p = (f64 *)work; atomicAdd(&p[@2(in, i, 1) & 7], (f64)((s32)(@2(in, i, 2) & 0xfffff) - 100)); out[i] = @3;" },
    { "exchange", 'u', ANY, T64, false, "u32|in_u;u64|in_w;", "",
      "@1 *p = (@1 *)work; @1 a = atomicExch(&p[i], @2(in, i, 1)), b = atomicExch(&p[i], @2(in, i, 2));"
      "out[i] = mix(bits(a), bits(b));" },
    { "swap", 'u', ANY, T64, false, "u32|in_u|*|3;u64|in_w|*|9;", "",
      "@1 *p = (@1 *)work; @1 old = p[i & 3], seen; do { seen = old; old = atomicCAS(&p[i & 3], seen, (seen | 1) @3 (@2(in, i, 1) | 1)); } while (old != seen);"
      "out[i] = atomicCAS(&p[32 + i], 0u, (@1)(i + @4)) ? 1 : 2;" },
    { "float_max", 'u', ANY, T64, false, "in_fm;in_f;", "",
      "f32 v = @1(in, i, 1); u32 *p = &work[i & 7], old = *p, seen; do { seen = old; if (!(as_f32(seen) < v)) break;"
      "old = atomicCAS(p, seen, __float_as_uint(v)); } while (old != seen); out[i] = 0;" },
    { "tickets", 'u', ANY, T64, true, "1;3;", "",
      "__shared__ u32 s, list[64]; if (t == 0) s = 0; __syncthreads(); u32 n = atomicAdd(&s, @1u); list[n / @1] = t; __syncthreads();"
      "u32 found = 0; for (u32 k = 0; k < 64; k++) found += list[k] == t; out[i] = found * 100 + s;" },
};

static const struct block_template other_templates[] = {
    { "calls", 'u', ANY, T64, false, "u32|in_u|* 3;u64|in_w|^ 77;f32|in_fm|* 0.5f;f64|in_dm|+ 2.0;",
      "HELPER(@1) helper_@0(@1 a, @1 b) { return b == 0 ? a : (@1)(a @3 + b); }\n",
      "@1 v = @2(in, i, 1); for (u32 k = 0; k < (in_u(in, i, 2) & 7); k++) v = helper_@0(v, @2(in, i, k)); out[i] = bits(v);" },
    { "recursion", 'u', ANY, T64, false, "2;3;",
      "HELPER(u32) helper_@0(u32 n, u32 x) { return n == 0 ? x : helper_@0(n - 1, x * @1 + n) + n * helper_@0(n / @1, x); }\n",
      "out[i] = helper_@0(in_u(in, i, 1) % 7u, t);" },
    { "structs", 'u', ANY, T64, false, "u32|u64|in_u|in_w;u8|f64|in_b|in_dm;s16|f32|in_s|in_f;",
      "struct pair_@0 { @1 a; @2 b[3]; };\n"
      "HELPER(pair_@0) helper_@0(pair_@0 p, @1 a) { pair_@0 q = p; q.b[1] = p.b[2]; q.b[2] = p.b[0]; q.a = (@1)(p.a + a); return q; }\n",
      "pair_@0 p; p.a = @3(in, i, 1); for (u32 k = 0; k < 3; k++) p.b[k] = @4(in, i, 2 + k); p = helper_@0(p, (@1)t); p = helper_@0(p, 3);"
      "out[i] = mix(bits(p.a), mix(bits(p.b[0]), bits(p.b[2])));" },
    { "tables", 'u', ANY, T64, false, "3;5;",
      "TABLE(table_@0) = { 0x12345678, 2, 0xfffffff0, 4, 5, 0x80000000, 7, @1 };\n",
      "u32 v = in_u(in, i, 1); for (u32 k = 0; k < @1; k++) v = v * 31 + table_@0[(v >> k) & 7]; out[i] = v;" },
    { "loads", 'u', ANY, T64, false, "uint4|u32;ushort4|u16;uchar4|u8;float4|f32;ulonglong2|u64;double2|f64;uint2|u32;uchar2|u8;", "",
      "const @1 *p = (const @1 *)in; @1 v = p[i & 255]; @1 w = __ldg(&p[(i * 5) & 255]); out[i] = mix(bits(v.x), bits(v.y)) + bits(w.y) * 3;"
      "@1 *q = (@1 *)work; if (i < 64) { v.x = w.y; q[i & 63] = v; }" },
    { "stores", 'u', ANY, T64, false, "u8|in_b;u16|in_h;u32|in_u;u64|in_w;f32|in_f;f64|in_d;s8|in_c;s16|in_s;", "",
      "volatile @1 *p = (volatile @1 *)work; p[i] = @2(in, i, 1); @1 v = p[i]; p[i] = v; out[i] = t;" },
    { "local_sort", 'u', ANY, T64, false, "u32|in_u|12;f32|in_fm|9;u64|in_w|7;s16|in_s|16;", "",
      "@1 a[@3]; for (u32 k = 0; k < @3; k++) a[k] = @2(in, i, k); for (u32 k = 1; k < @3; k++) { @1 v = a[k]; u32 j = k;"
      "while (j && v < a[j - 1]) { a[j] = a[j - 1]; j--; } a[j] = v; } u64 r = 0; for (u32 k = 0; k < @3; k++) r = mix(r, bits(a[k])); out[i] = r;" },
    { "local_table", 'u', ANY, T64, false, "u8|32;u32|17;u16|40;", "",
      "@1 a[@2]; for (u32 k = 0; k < @2; k++) a[k] = (@1)(k * 7 + t); u32 x = in_u(in, i, 1); for (u32 k = 0; k < 20; k++) {"
      "u32 n = x % @2u; a[n] = (@1)(a[n] * 3 + a[(n + k) % @2u]); x = x / 3 + a[n] * 5 + k; } out[i] = x;" },
    { "matrix", 'f', ANY, T64, false, "f32|in_fm|4;f32|in_f|3;", "",
      "@1 a[@3][@3], b[@3][@3]; for (u32 k = 0; k < @3 * @3; k++) { a[k / @3][k % @3] = @2(in, i, k); b[k % @3][k / @3] = @2(in, i, k + 20); }"
      "u32 x = in_u(in, i, 1) % @3, y = in_u(in, i, 2) % @3; @1 s = 0; for (u32 k = 0; k < @3; k++) s += a[y][k] * b[k][x]; out[i] = bits(s);" },
    { "strided", 'u', ANY, T64, false, "3;7;", "",
      "u32 s = 0; for (u32 k = i; k < 4096; k += blockDim.x * gridDim.x * @1) s = s * 9 + in[k]; out[i] = s;" },
    { "gcd", 'u', ANY, T64, false, "u32|in_u;u64|in_w;", "",
      "@1 a = @2(in, i, 1), b = @2(in, i, 2); u32 n = 0; while (b) { @1 r = a % b; a = b; b = r; n++; } out[i] = mix(bits(a), n);" },
    { "collatz", 'u', ANY, T64, false, "3;5;", "",
      "u32 x = in_u(in, i, 1) & 0xffff, n = 0; while (x > 1 && n < 300) { x = x & 1 ? x * @1 + 1 : x / 2; n++; if (n == 250) continue; } out[i] = mix(n, x);" },
    { "bisect", 'd', ANY, T64, false, "f64|in_dm;", "",
      "@1 x = fabs(@2(in, i, 1)), low = 0, high = x + 1; for (u32 k = 0; k < 60; k++) { @1 m = (low + high) * 0.5; if (m * m > x) high = m; else low = m; } out[i] = bits(low);" },
    { "mandelbrot", 'u', ANY, T64, false, "f32|in_fm|0.05f;f64|in_dm|0.05;", "",
      "@1 cx = @2(in, i, 1) * @3, cy = @2(in, i, 2) * @3, x = 0, y = 0; u32 n = 0; while (n < 100 && x * x + y * y < 4) { @1 z = x * x - y * y + cx; y = 2 * x * y + cy; x = z; n++; } out[i] = n;" },
    { "crc", 'u', ANY, T64, false, "0xedb88320u;0x82f63b78u;", "",
      "u32 c = ~0u; for (u32 k = 0; k < 4; k++) { c ^= in_u(in, i, k); for (u32 b = 0; b < 32; b++) c = c & 1 ? c >> 1 ^ @1 : c >> 1; } out[i] = ~c;" },
};

#endif
