#include "bench/op_array.h"

#include <stdlib.h>
#include <string.h>

#include "bench/reference.h"

enum { POISON = 0xff }; /* a NaN in fp16, bf16 and fp32 */

int op_array_new(struct op_array *a, const struct gpu *gpu, enum number number, size_t count,
                 unsigned turns, struct err *err)
{
    *a = (struct op_array){ .gpu = gpu, .number = number, .count = count, .turns = turns };
    a->bytes = count * number_bytes(number);
    size_t round = (a->bytes + OP_ARRAY_GUARD - 1) / OP_ARRAY_GUARD * OP_ARRAY_GUARD;
    a->stride = round + OP_ARRAY_GUARD;
    size_t total = OP_ARRAY_GUARD + a->stride * turns;
    if (gpu_alloc(gpu, total, &a->base, err))
        return -1;
    if (gpu_set_bytes(gpu, a->base, POISON, total, err) == 0)
        return 0;
    op_array_free(a);
    return -1;
}

void op_array_free(struct op_array *a)
{
    if (a->gpu)
        gpu_free(a->gpu, a->base);
    *a = (struct op_array){ 0 };
}

uint64_t op_array_at(const struct op_array *a, unsigned turn)
{
    return a->base + OP_ARRAY_GUARD + a->stride * (turn % a->turns);
}

float *op_array_values(const struct op_array *a, uint64_t seed)
{
    float *values = reallocarray(NULL, a->count, sizeof *values);
    if (values)
        reference_fill(values, a->count, a->number, seed);
    return values;
}

int op_array_fill(struct op_array *a, uint64_t seed, struct err *err)
{
    float *values = op_array_values(a, seed);
    void *packed = malloc(a->bytes ? a->bytes : 1);
    int failed = values && packed ? 0 : err_set(err, ERR_MEMORY, "out of memory");
    if (!failed)
        number_pack(a->number, values, a->count, packed);
    if (!failed)
        failed = gpu_upload(a->gpu, op_array_at(a, 0), packed, a->bytes, err);
    for (unsigned t = 1; t < a->turns && !failed; t++)
        failed = gpu_copy(a->gpu, op_array_at(a, t), op_array_at(a, 0), a->bytes, err);
    free(values);
    free(packed);
    return failed;
}

int op_array_poison(struct op_array *a, struct err *err)
{
    return gpu_set_bytes(a->gpu, a->base, POISON, OP_ARRAY_GUARD + a->stride, err);
}

static bool is_poison(const unsigned char *bytes, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (bytes[i] != POISON)
            return false;
    return true;
}

void *op_array_read(const struct op_array *a, bool *intact, struct err *err)
{
    size_t total = OP_ARRAY_GUARD + a->stride;
    unsigned char *bytes = malloc(total);
    if (!bytes)
        err_set(err, ERR_MEMORY, "out of memory");
    if (!bytes || gpu_download(a->gpu, bytes, a->base, total, err)) {
        free(bytes);
        return NULL;
    }
    *intact =
        is_poison(bytes, 0, OP_ARRAY_GUARD) && is_poison(bytes, OP_ARRAY_GUARD + a->bytes, total);
    memmove(bytes, bytes + OP_ARRAY_GUARD, a->bytes);
    return bytes;
}
