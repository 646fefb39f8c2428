#include "vgpu/ptx_pool.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct ptx_pool_block {
    struct ptx_pool_block *next;
    size_t size; /* of data */
    size_t used;
    size_t pad; /* keeps data aligned to 16 */
    unsigned char data[];
};

enum { BLOCK_BYTES = 64 * 1024 };

void ptx_pool_init(struct ptx_pool *pool, size_t cap_bytes)
{
    *pool = (struct ptx_pool){ .cap_bytes = cap_bytes };
}

void ptx_pool_free(struct ptx_pool *pool)
{
    for (struct ptx_pool_block *b = pool->blocks; b;) {
        struct ptx_pool_block *next = b->next;
        free(b);
        b = next;
    }
    pool->blocks = NULL;
    pool->used_bytes = 0;
}

static struct ptx_pool_block *new_block(struct ptx_pool *pool, size_t bytes)
{
    size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
    if (size > pool->cap_bytes - pool->used_bytes)
        return NULL;
    struct ptx_pool_block *b = calloc(1, sizeof *b + size);
    if (!b)
        return NULL;
    b->size = size;
    b->next = pool->blocks;
    pool->blocks = b;
    pool->used_bytes += size;
    return b;
}

void *ptx_pool_take(struct ptx_pool *pool, size_t count, size_t size)
{
    if (size && count > pool->cap_bytes / size)
        return NULL;
    size_t bytes = (count * size + 15) & ~(size_t)15;
    struct ptx_pool_block *b = pool->blocks;
    if (!b || b->size - b->used < bytes)
        b = new_block(pool, bytes);
    if (!b)
        return NULL;
    void *p = b->data + b->used;
    b->used += bytes;
    return p;
}

char *ptx_pool_text(struct ptx_pool *pool, const char *text, size_t size)
{
    char *p = ptx_pool_take(pool, size + 1, 1);
    if (p)
        memcpy(p, text, size);
    return p;
}

void *ptx_pool_grow(struct ptx_pool *pool, void *array, size_t count, size_t *cap, size_t size)
{
    if (count < *cap)
        return array;
    size_t wanted = *cap ? *cap * 2 : 8;
    void *p = ptx_pool_take(pool, wanted, size);
    if (!p)
        return NULL;
    if (count)
        memcpy(p, array, count * size);
    *cap = wanted;
    return p;
}
