/* Memory for what a parse makes: taken in small pieces, released all at once, with a stated bound
 * so that hostile text cannot make it grow without end. */
#ifndef VGPU_PTX_POOL_H
#define VGPU_PTX_POOL_H

#include <stddef.h>

struct ptx_pool {
    struct ptx_pool_block *blocks;
    size_t used_bytes; /* handed out and overhead */
    size_t cap_bytes;
};

void ptx_pool_init(struct ptx_pool *pool, size_t cap_bytes);
void ptx_pool_free(struct ptx_pool *pool);

/* Zeroed memory aligned to 16 bytes; NULL above the bound or without memory. */
void *ptx_pool_take(struct ptx_pool *pool, size_t count, size_t size);

/* A NUL-terminated copy. */
char *ptx_pool_text(struct ptx_pool *pool, const char *text, size_t size);

/* Makes room for one element more in a growing array; NULL without memory. The old array stays
 * where it was until the pool is freed. */
void *ptx_pool_grow(struct ptx_pool *pool, void *array, size_t count, size_t *cap, size_t size);

#endif
