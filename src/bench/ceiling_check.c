#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/ceiling_parts.h"
#include "bench/number.h"
#include "kernels/ceil.h"

/* Results repeat: after `period` elements they begin again. `values` is one period of them. */
struct expected {
    unsigned char *values;
    size_t element, period;
};

/* ---- arithmetic ---------------------------------------------------------------------------------
 */

static uint32_t half_step(uint32_t r, uint32_t factor)
{
    uint32_t result = 0;
    for (int i = 0; i < 2; i++) {
        uint16_t part[2] = { (uint16_t)(r >> 16 * i), (uint16_t)(factor >> 16 * i) }, rounded;
        float x = (float)number_read(NUMBER_F16, part, 0),
              f = (float)number_read(NUMBER_F16, part, 1);
        number_write(NUMBER_F16, &rounded, 0, fmaf(x, f, x));
        result |= (uint32_t)rounded << 16 * i;
    }
    return result;
}

static uint32_t half_sum(uint32_t a, uint32_t b)
{
    uint32_t result = 0;
    for (int i = 0; i < 2; i++) {
        uint16_t part[2] = { (uint16_t)(a >> 16 * i), (uint16_t)(b >> 16 * i) }, rounded;
        double sum = number_read(NUMBER_F16, part, 0) + number_read(NUMBER_F16, part, 1);
        number_write(NUMBER_F16, &rounded, 0, (float)sum);
        result |= (uint32_t)rounded << 16 * i;
    }
    return result;
}

static uint32_t dot_step(uint32_t r, uint32_t factor)
{
    uint32_t sum = r;
    for (int i = 0; i < 4; i++)
        sum += (uint32_t)((int8_t)(r >> 8 * i) * (int8_t)(factor >> 8 * i));
    return sum;
}

static union ceiling_value step(enum bench_precision p, union ceiling_value r,
                                union ceiling_value f)
{
    switch (p) {
    case BENCH_FP32:
        r.f32 = fmaf(r.f32, f.f32, r.f32);
        break;
    case BENCH_FP64:
        r.f64 = fma(r.f64, f.f64, r.f64);
        break;
    case BENCH_HALF2:
        r.bits = half_step(r.bits, f.bits);
        break;
    case BENCH_DP4A:
        r.bits = dot_step(r.bits, f.bits);
        break;
    default:
        r.bits = r.bits * f.bits + CEILING_ADDEND;
    }
    return r;
}

static union ceiling_value join(enum bench_precision p, union ceiling_value a,
                                union ceiling_value b)
{
    switch (p) {
    case BENCH_FP32:
        a.f32 += b.f32;
        break;
    case BENCH_FP64:
        a.f64 += b.f64;
        break;
    case BENCH_HALF2:
        a.bits = half_sum(a.bits, b.bits);
        break;
    default:
        a.bits ^= b.bits;
    }
    return a;
}

/* Thread t begins with chain t, so that threads differ in the order of their sum alone. */
static void expect_arithmetic(const struct ceiling_job *job, struct expected *e)
{
    enum bench_precision p = job->ceiling->precision;
    union ceiling_value chains[CEIL_CHAINS], factor = ceiling_factor(p);
    for (int c = 0; c < CEIL_CHAINS; c++) {
        chains[c] = ceiling_start(p, c);
        for (unsigned s = 0; s < job->size.rounds * CEIL_STEPS; s++)
            chains[c] = step(p, chains[c], factor);
    }
    for (size_t t = 0; t < CEIL_CHAINS; t++) {
        union ceiling_value sum = chains[t];
        for (size_t c = 1; c < CEIL_CHAINS; c++)
            sum = join(p, sum, chains[(c + t) % CEIL_CHAINS]);
        memcpy(e->values + t * e->element, &sum, e->element);
    }
}

/* ---- the others ---------------------------------------------------------------------------------
 */

static void expect_tensor(const struct ceiling_job *job, struct expected *e)
{
    enum bench_precision p = job->ceiling->precision;
    int64_t steps = (int64_t)job->size.rounds * CEIL_TC_STEPS;
    for (int row = 0; row < 16; row++)
        for (int column = 0; column < 16; column++) {
            int64_t sum = 0;
            for (int k = 0; k < ceiling_depth(p); k++)
                sum +=
                    (ceiling_operand(p, false, row, k) + ceiling_operand(p, false, row + 16, k)) *
                    (ceiling_operand(p, true, column, k) +
                     ceiling_operand(p, true, column + 16, k));
            int32_t whole = (int32_t)(sum * steps);
            float eighths = (float)(sum * steps) / 64;
            memcpy(e->values + (row * 16 + column) * 4,
                   p == BENCH_TC_INT8 ? (void *)&whole : &eighths, 4);
        }
}

static uint32_t rotate(uint32_t v, unsigned by)
{
    return by ? v << by | v >> (32 - by) : v;
}

/* Word by word: what one round reads from there, folded as the kernel does, by place. */
static void expect_shared(const struct ceiling_job *job, struct expected *e)
{
    unsigned places = (unsigned)(job->ceiling->per_round / (4 * CEIL_SHARED_LOADS));
    for (unsigned t = 0; t < job->size.threads; t++) {
        uint32_t whole = 0;
        for (unsigned place = 0; place < places; place++) {
            uint32_t sum = place;
            for (unsigned i = 0; i < job->size.rounds; i++)
                for (unsigned l = 0; l < CEIL_SHARED_LOADS; l++) {
                    unsigned word = (t + i) % CEIL_SHARED_WORDS + l * CEIL_SHARED_APART;
                    sum ^= (word * 2654435761u + CEILING_SEED) ^ place;
                }
            whole ^= rotate(sum, place);
        }
        memcpy(e->values + t * 4, &whole, 4);
    }
}

static void expect_memory(const struct ceiling_job *job, struct expected *e)
{
    for (size_t i = 0; i < e->period; i++) {
        float value = ceiling_word(1, i);
        if (job->array_bytes[2])
            value = fmaf(value, 0.75f, ceiling_word(2, i));
        memcpy(e->values + i * 4, &value, 4);
    }
}

static void expect_launch(struct expected *e)
{
    for (size_t i = 0; i < e->period; i++) {
        uint32_t value = CEILING_SEED + (uint32_t)i;
        memcpy(e->values + i * 4, &value, 4);
    }
}

static size_t period_of(const struct ceiling_job *job)
{
    switch (job->ceiling->kind) {
    case CEILING_ARITHMETIC:
        return CEIL_CHAINS;
    case CEILING_TENSOR:
        return 256;
    case CEILING_SHARED:
        return job->size.threads;
    case CEILING_LAUNCH:
        return job->size.blocks;
    case CEILING_MEMORY:
    case CEILING_TRANSFER:
        break;
    }
    return CEILING_PERIOD;
}

static int expect(const struct ceiling_job *job, struct expected *e, struct err *err)
{
    e->element = ceiling_element(job->ceiling->precision);
    e->period = period_of(job);
    e->values = malloc(e->period * e->element);
    if (!e->values)
        return err_set(err, ERR_MEMORY, "out of memory");
    switch (job->ceiling->kind) {
    case CEILING_ARITHMETIC:
        expect_arithmetic(job, e);
        break;
    case CEILING_TENSOR:
        expect_tensor(job, e);
        break;
    case CEILING_SHARED:
        expect_shared(job, e);
        break;
    case CEILING_LAUNCH:
        expect_launch(e);
        break;
    case CEILING_MEMORY:
    case CEILING_TRANSFER:
        expect_memory(job, e);
    }
    return 0;
}

/* ---- comparing ----------------------------------------------------------------------------------
 */

enum { WINDOW = 64 << 10, WHOLE = 16 << 20, SAMPLES = 30 };

static void note(const struct ceiling_job *job, struct ceiling_verdict *v, const struct expected *e,
                 size_t index, const unsigned char *got)
{
    uint64_t have = 0, want = 0;
    v->wrong++;
    if (v->first[0])
        return;
    memcpy(&have, got, e->element);
    memcpy(&want, e->values + index % e->period * e->element, e->element);
    snprintf(v->first, sizeof v->first, "ceiling '%s': element %zu is 0x%llx, not 0x%llx",
             job->ceiling->name, index, (unsigned long long)have, (unsigned long long)want);
}

static void compare(const struct ceiling_job *job, struct ceiling_verdict *v,
                    const struct expected *e, size_t offset, const unsigned char *got, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += e->element) {
        size_t index = (offset + at) / e->element;
        v->checked++;
        if (memcmp(got + at, e->values + index % e->period * e->element, e->element) != 0)
            note(job, v, e, index, got + at);
    }
}

/* One window of the result, from the device or, of a copy to the host, from there. */
static int look(const struct ceiling_job *job, struct ceiling_verdict *v, const struct expected *e,
                size_t offset, unsigned char *buffer, struct err *err)
{
    size_t left = job->array_bytes[0] - offset, bytes = left < WINDOW ? left : WINDOW;
    const unsigned char *got = buffer;
    if (job->host && !ceiling_is_host_to_device(job->ceiling))
        got = (unsigned char *)job->host + offset;
    else if (gpu_download(job->gpu, buffer, job->arrays[0] + offset, bytes, err))
        return -1;
    compare(job, v, e, offset, got, bytes);
    return 0;
}

static int look_at_guards(const struct ceiling_job *job, struct ceiling_verdict *v, struct err *err)
{
    unsigned char guard[CEILING_GUARD];
    uint64_t at[2] = { job->arrays[0] - CEILING_GUARD, job->arrays[0] + job->array_bytes[0] };
    for (int side = 0; side < 2; side++) {
        if (gpu_download(job->gpu, guard, at[side], sizeof guard, err))
            return -1;
        for (size_t i = 0; i < sizeof guard; i++) {
            if (guard[i] == CEILING_POISON)
                continue;
            v->wrong++;
            if (!v->first[0])
                snprintf(v->first, sizeof v->first,
                         "ceiling '%s': something was written %s the result", job->ceiling->name,
                         side ? "behind" : "before");
            break;
        }
    }
    return 0;
}

static int look_at_all(const struct ceiling_job *job, struct ceiling_verdict *v,
                       const struct expected *e, unsigned char *buffer, struct err *err)
{
    size_t windows = (job->array_bytes[0] + WINDOW - 1) / WINDOW;
    if (job->array_bytes[0] <= WHOLE) {
        for (size_t w = 0; w < windows; w++)
            if (look(job, v, e, w * WINDOW, buffer, err))
                return -1;
        return 0;
    }
    for (size_t s = 0; s < SAMPLES; s++)
        if (look(job, v, e, (windows - 1) * s / (SAMPLES - 1) * WINDOW, buffer, err))
            return -1;
    return 0;
}

int ceiling_check(const struct ceiling_job *job, struct ceiling_verdict *verdict, struct err *err)
{
    struct expected e = { 0 };
    unsigned char *buffer = malloc(WINDOW);
    *verdict = (struct ceiling_verdict){ 0 };
    int failed = buffer ? gpu_wait(job->gpu, err) : err_set(err, ERR_MEMORY, "out of memory");
    failed = failed || expect(job, &e, err) || look_at_all(job, verdict, &e, buffer, err) ||
             look_at_guards(job, verdict, err);
    free(e.values);
    free(buffer);
    return failed ? -1 : 0;
}
