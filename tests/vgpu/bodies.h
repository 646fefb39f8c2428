/* Small computations in the common part of C and CUDA: bodies.cu makes kernels of them, and the
 * test compiles the same text for the host. One call computes element i from 64 words of input. No
 * operation here is undefined in C, so both sides must agree bit for bit. */
#ifndef TEST_VGPU_BODIES_H
#define TEST_VGPU_BODIES_H

#ifndef BODY
#error "define BODY before"
#endif

#define WORDS 64

BODY unsigned bits_of(float x)
{
    union {
        float f;
        unsigned u;
    } v;
    v.f = x;
    return v.u;
}

/* A float of moderate size from a word. */
BODY float small_float(unsigned w)
{
    return (float)(int)(w % 20001u) * 0.0625f - 625.0f;
}

BODY unsigned body_divide(unsigned i, const unsigned *in)
{
    unsigned a = in[i % WORDS], b = in[(i * 7 + 1) % WORDS] | 1u;
    int s = (int)a, t = (int)(b >> 3) - 100000001;
    return a / b + a % b * 3u + a / 10u + a % 7u + (unsigned)(s / t) + (unsigned)(s % t) +
           (unsigned)(s / 13);
}

BODY unsigned body_wide(unsigned i, const unsigned *in)
{
    unsigned long long a = (unsigned long long)in[i % WORDS] << 32 | in[(i + 5) % WORDS];
    unsigned long long b = ((unsigned long long)in[(i + 9) % WORDS] << 17 ^ a >> 3) | 1u;
    long long s = (long long)(a >> 1) - (long long)(b >> 2), t = (long long)(b >> 5) + 3;
    unsigned long long r =
        a / b + a % b + a * b + (unsigned long long)(s / t) + (unsigned long long)(s % t);
    r ^= a << (i & 63) ^ b >> (i * 3 & 63);
    return (unsigned)(r ^ r >> 32);
}

BODY unsigned body_bits(unsigned i, const unsigned *in)
{
    unsigned x = in[i % WORDS], n = 0, r = 0;
    unsigned y;
    for (y = x; y; y &= y - 1)
        n++;
    for (y = 0; y < 32; y++)
        r = r << 1 | (x >> y & 1);
    return n + r + (x << (i & 31) | x >> (-i & 31)) + (unsigned)((int)x >> (i % 32));
}

BODY unsigned body_collatz(unsigned i, const unsigned *in)
{
    unsigned n = (in[i % WORDS] & 1023) + 1, steps = 0;
    while (n != 1) {
        n = n & 1 ? 3 * n + 1 : n >> 1;
        if (++steps > 200)
            break;
    }
    return steps;
}

BODY unsigned body_switch(unsigned i, const unsigned *in)
{
    unsigned x = in[i % WORDS], r = i, k;
    for (k = 0; k < 8; k++) {
        switch ((x >> 4 * k) & 15) {
        case 0:
            r += 17;
            break;
        case 1:
            r ^= x;
            break;
        case 2:
            r = r << 3 | r >> 29;
            break;
        case 3:
            r *= 2654435761u;
            break;
        case 4:
            r -= k * 5;
            break;
        case 5:
            return r;
        case 6:
            r = ~r;
            /* fall through */
        case 7:
            r += 1;
            break;
        case 8:
            r %= 1000003u;
            break;
        case 9:
            k++;
            break;
        default:
            r ^= r >> 5;
        }
    }
    return r;
}

BODY unsigned body_table(unsigned i, const unsigned *in)
{
    unsigned short table[24];
    unsigned k, sum = 0;
    for (k = 0; k < 24; k++)
        table[k] = (unsigned short)(in[(i + k) % WORDS] >> k % 16);
    for (k = 0; k < 100; k++) {
        unsigned at = table[(sum + k) % 24] % 24;
        sum = sum * 31 + table[at];
        table[(at * 5 + k) % 24] = (unsigned short)sum;
    }
    return sum;
}

struct pair {
    signed char small;
    short middle;
    long long large;
};

BODY struct pair make_pair(unsigned x)
{
    struct pair p;
    p.small = (signed char)(x & 255);
    p.middle = (short)(x >> 7 & 0xffff);
    p.large = (long long)(x >> 1) * (x >> 1) - 5;
    return p;
}

BODY unsigned body_struct(unsigned i, const unsigned *in)
{
    struct pair p[4];
    unsigned k;
    long long sum = 0;
    for (k = 0; k < 4; k++)
        p[(k + i) & 3] = make_pair(in[(i + k) % WORDS]);
    for (k = 0; k < 4; k++)
        sum += (p[k].small ^ p[k].middle) + (p[k].large >> (k + i) % 40);
    return (unsigned)sum ^ (unsigned)(sum >> 32);
}

BODY unsigned body_sort(unsigned i, const unsigned *in)
{
    unsigned v[12], a, b;
    for (a = 0; a < 12; a++)
        v[a] = in[(i * 3 + a * 5) % WORDS];
    for (a = 1; a < 12; a++) {
        unsigned x = v[a];
        for (b = a; b > 0 && v[b - 1] > x; b--)
            v[b] = v[b - 1];
        v[b] = x;
    }
    return v[0] ^ v[5] * 3 ^ v[11];
}

BODY unsigned body_polynomial(unsigned i, const unsigned *in)
{
    float x = small_float(in[i % WORDS]) * 0.001f, r = 1.0f;
    int k;
    for (k = 12; k > 0; k--)
        r = r * x / (float)k + 1.0f;
    return bits_of(r);
}

BODY unsigned body_fused(unsigned i, const unsigned *in)
{
    float a = small_float(in[i % WORDS]), b = small_float(in[(i + 1) % WORDS]), r = 0.1f;
    int k;
    for (k = 0; k < 20; k++)
        r = fmaf(r, 0.37f, fmaf(a, b, (float)k)) * 0.001f;
    return bits_of(r);
}

BODY unsigned body_root(unsigned i, const unsigned *in)
{
    float a = small_float(in[i % WORDS]), b = small_float(in[(i + 3) % WORDS]);
    float r = sqrtf(a * a + b * b) + fabsf(a) / (fabsf(b) + 0.1f);
    return bits_of(fminf(fmaxf(r, -3.0f), 1e6f) + floorf(a) - ceilf(b) + truncf(a * 0.3f) +
                   rintf(b));
}

BODY unsigned body_double(unsigned i, const unsigned *in)
{
    double x = (double)(int)in[i % WORDS] * 1e-6, y = (double)in[(i + 11) % WORDS] + 0.5, r = x;
    union {
        double d;
        unsigned long long u;
    } v;
    int k;
    for (k = 0; k < 10; k++)
        r = fma(r, 0.25, x / y) + sqrt(fabs(r)) - floor(r * 0.125);
    v.d = r;
    return (unsigned)(v.u ^ v.u >> 32);
}

BODY unsigned body_convert(unsigned i, const unsigned *in)
{
    unsigned w = in[i % WORDS];
    float f = (float)(int)w, g = (float)w * 0.5f;
    double d = (double)w * 1.25 - 1e9;
    long long l = (long long)(d * 7.0);
    unsigned char c = (unsigned char)(w >> 5);
    return (unsigned)(int)(f * 0.25f) + (unsigned)g + (unsigned)(int)(d * 0.25) + (unsigned)l +
           bits_of((float)d) + bits_of((float)l) + c + (unsigned)(signed char)c +
           (unsigned)(short)w;
}

BODY unsigned ackermann(unsigned m, unsigned n)
{
    if (m == 0)
        return n + 1;
    if (n == 0)
        return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

BODY unsigned body_recursion(unsigned i, const unsigned *in)
{
    return ackermann(2, in[i % WORDS] % 5) + ackermann(1, i % 7);
}

BODY unsigned body_mixed(unsigned i, const unsigned *in)
{
    unsigned sum = 0, a, b;
    for (a = 0; a < (in[i % WORDS] & 7); a++) {
        for (b = a; b < 12; b++) {
            if ((b + i) % 5 == 0)
                continue;
            if (in[(a * 12 + b + i) % WORDS] % 11 == 0)
                goto out;
            sum += (a + 1) * (b + 1) + (in[b] & 15);
        }
        if (sum > 3000)
            return sum * 2;
    }
out:
    return sum + a;
}

#define BODIES(X)                                                                                  \
    X(divide)                                                                                      \
    X(wide)                                                                                        \
    X(bits)                                                                                        \
    X(collatz)                                                                                     \
    X(switch)                                                                                      \
    X(table)                                                                                       \
    X(struct)                                                                                      \
    X(sort)                                                                                        \
    X(polynomial)                                                                                  \
    X(fused)                                                                                       \
    X(root)                                                                                        \
    X(double)                                                                                      \
    X(convert)                                                                                     \
    X(recursion)                                                                                   \
    X(mixed)

#endif
