/* Device memory: allocations with 64-bit addresses of their own, each backed by host memory.
 *
 * Addresses are never handed out twice and lie at least a megabyte apart, so that reading past an
 * end or after a free meets nothing. Fresh memory holds MEM_POISON, which is a NaN in every
 * floating-point type. All functions may be called from several threads. */
#ifndef VGPU_MEM_H
#define VGPU_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"

#define MEM_POISON UINT16_C(0xfffa)

/* Generic addresses: shared, local and parameter memory appear in windows below all allocations. */
#define MEM_SHARED_WINDOW UINT64_C(0x0100000000)
#define MEM_LOCAL_WINDOW  UINT64_C(0x0200000000)
#define MEM_PARAM_WINDOW  UINT64_C(0x0300000000)
#define MEM_WINDOW_BYTES  UINT64_C(0x0001000000)
#define MEM_FIRST         UINT64_C(0x0700000000)

enum { MEM_CODE_INVALID = 1, MEM_CODE_OUT_OF_MEMORY = 2 };

enum mem_flags {
    MEM_CONST = 1,   /* kernels may read it only */
    MEM_ADOPTED = 2, /* host memory of the caller; its device address is its host address */
    MEM_LAZY = 4,    /* large: poisoned piece by piece where it is touched */
};

struct mem_block {
    uint64_t addr, size;
    uint8_t *host;
    uint8_t *pieces; /* of lazy blocks: state of each piece of MEM_PIECE bytes */
    unsigned flags;
};

/* The blocks at one moment, by address: what a launch sees. */
struct mem_map {
    struct mem_block *blocks;
    uint32_t count;
};

struct mem_arena;

struct mem_arena *mem_new(uint64_t total_bytes, struct err *err);
void mem_delete(struct mem_arena *arena);
/* Where addresses begin from now on, MEM_FIRST or above: so that devices do not share any. */
void mem_start_at(struct mem_arena *arena, uint64_t addr);

/* `align`: a power of two up to 2 MiB; 0 for the driver's 512. err->native: 2 when memory is out.
 */
int mem_alloc(struct mem_arena *arena, uint64_t size, uint64_t align, unsigned flags,
              uint64_t *addr, struct err *err);
/* Makes caller's memory visible to kernels at its own address until mem_release(). */
int mem_adopt(struct mem_arena *arena, void *host, uint64_t size, struct err *err);
/* `addr` must be the start of a block; err->native is 1 when it is not. */
int mem_release(struct mem_arena *arena, uint64_t addr, struct err *err);

/* Host memory behind [addr, addr + size), or NULL when that does not lie in one block. */
void *mem_host(struct mem_arena *arena, uint64_t addr, uint64_t size);
/* The block that holds `addr`; false when none does. */
bool mem_range(struct mem_arena *arena, uint64_t addr, uint64_t *base, uint64_t *size);
uint64_t mem_total(const struct mem_arena *arena);
uint64_t mem_used(struct mem_arena *arena);

int mem_map_take(struct mem_arena *arena, struct mem_map *map, struct err *err);
void mem_map_free(struct mem_map *map);

/* The block that holds [addr, addr + size) whole, or NULL. */
const struct mem_block *mem_find(const struct mem_map *map, uint64_t addr, uint64_t size);

/* Must be called before a lazy block's bytes are read or written. */
void mem_touch(const struct mem_block *block, uint64_t offset, uint64_t size);

/* Fills with the poison pattern. */
void mem_poison(void *p, uint64_t size);

#endif
