#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "vgpu/mem.h"

enum {
    PIECE_BYTES = 64 * 1024,
    GAP_BYTES = 1 << 20,
    DEFAULT_ALIGN = 512,
    MAX_ALIGN = 2 << 20,
    HOST_ALIGN = 512,
};
#define LAZY_BYTES    UINT64_C(0x1000000) /* blocks from here on are poisoned when touched */
#define LAST_ADDRESS  UINT64_C(0x400000000000)
#define ADDRESS_LIMIT UINT64_C(0x800000000000)

enum piece { PIECE_FRESH, PIECE_BUSY, PIECE_READY };

struct mem_arena {
    pthread_mutex_t lock;
    struct mem_block *blocks; /* by address */
    uint32_t count, cap;
    uint64_t total, used, next;
};

void mem_poison(void *p, uint64_t size)
{
    uint8_t *bytes = p;
    for (uint64_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(MEM_POISON >> (i & 1) * 8);
}

struct mem_arena *mem_new(uint64_t total_bytes, struct err *err)
{
    struct mem_arena *arena = calloc(1, sizeof *arena);
    if (!arena) {
        err_set(err, ERR_MEMORY, "cannot allocate an arena");
        return NULL;
    }
    pthread_mutex_init(&arena->lock, NULL);
    arena->total = total_bytes;
    arena->next = MEM_FIRST;
    return arena;
}

void mem_start_at(struct mem_arena *arena, uint64_t addr)
{
    arena->next = addr;
}

static void free_block(struct mem_block *b)
{
    if (!(b->flags & MEM_ADOPTED))
        free(b->host);
    free(b->pieces);
}

void mem_delete(struct mem_arena *arena)
{
    if (!arena)
        return;
    for (uint32_t i = 0; i < arena->count; i++)
        free_block(&arena->blocks[i]);
    free(arena->blocks);
    pthread_mutex_destroy(&arena->lock);
    free(arena);
}

/* The number of blocks that start at or below `addr`. */
static uint32_t blocks_up_to(const struct mem_block *blocks, uint32_t count, uint64_t addr)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (blocks[mid].addr <= addr)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

const struct mem_block *mem_find(const struct mem_map *map, uint64_t addr, uint64_t size)
{
    uint32_t n = blocks_up_to(map->blocks, map->count, addr);
    const struct mem_block *b = n ? &map->blocks[n - 1] : NULL;
    return b && size <= b->size && addr - b->addr <= b->size - size ? b : NULL;
}

static bool insert(struct mem_arena *arena, struct mem_block block)
{
    if (arena->count == arena->cap) {
        uint32_t cap = arena->cap ? arena->cap * 2 : 16;
        struct mem_block *blocks = realloc(arena->blocks, cap * sizeof *blocks);
        if (!blocks)
            return false;
        arena->blocks = blocks;
        arena->cap = cap;
    }
    uint32_t at = blocks_up_to(arena->blocks, arena->count, block.addr);
    memmove(&arena->blocks[at + 1], &arena->blocks[at],
            (arena->count - at) * sizeof *arena->blocks);
    arena->blocks[at] = block;
    arena->count++;
    return true;
}

static uint64_t round_up(uint64_t n, uint64_t to)
{
    return (n + to - 1) & ~(to - 1);
}

static bool back(struct mem_block *b)
{
    uint64_t bytes = round_up(b->size, HOST_ALIGN);
    if (b->size < LAZY_BYTES) {
        b->host = aligned_alloc(HOST_ALIGN, bytes);
        if (b->host)
            mem_poison(b->host, b->size);
        return b->host != NULL;
    }
    b->flags |= MEM_LAZY;
    b->host = aligned_alloc(HOST_ALIGN, bytes);
    b->pieces = calloc(b->size / PIECE_BYTES + 1, 1);
    return b->host && b->pieces;
}

static int out_of_memory(struct err *err, uint64_t size)
{
    err_set(err, ERR_MEMORY, "cannot allocate %llu bytes of device memory",
            (unsigned long long)size);
    if (err)
        err->native = MEM_CODE_OUT_OF_MEMORY;
    return -1;
}

int mem_alloc(struct mem_arena *arena, uint64_t size, uint64_t align, unsigned flags,
              uint64_t *addr, struct err *err)
{
    if (align < DEFAULT_ALIGN)
        align = DEFAULT_ALIGN;
    if (align > MAX_ALIGN || (align & (align - 1)) || size == 0) {
        err_set(err, ERR_USAGE, "cannot allocate %llu bytes", (unsigned long long)size);
        if (err)
            err->native = MEM_CODE_INVALID;
        return -1;
    }
    int status = -1;
    struct mem_block b = { .size = size, .flags = flags & MEM_CONST };
    pthread_mutex_lock(&arena->lock);
    b.addr = round_up(arena->next, align);
    if (size > arena->total - arena->used || size > LAST_ADDRESS - b.addr || !back(&b) ||
        !insert(arena, b)) {
        free_block(&b);
        out_of_memory(err, size);
        goto done;
    }
    arena->used += size;
    arena->next = b.addr + size + GAP_BYTES;
    *addr = b.addr;
    status = 0;
done:
    pthread_mutex_unlock(&arena->lock);
    return status;
}

int mem_adopt(struct mem_arena *arena, void *host, uint64_t size, struct err *err)
{
    uint64_t addr = (uint64_t)(uintptr_t)host;
    struct mem_block b = { .addr = addr, .size = size, .host = host, .flags = MEM_ADOPTED };
    int status = -1;
    pthread_mutex_lock(&arena->lock);
    uint32_t n = blocks_up_to(arena->blocks, arena->count, addr);
    bool clash = (n && arena->blocks[n - 1].addr + arena->blocks[n - 1].size > addr) ||
                 (n < arena->count && arena->blocks[n].addr - addr < size);
    if (!size || addr < LAST_ADDRESS || addr >= ADDRESS_LIMIT || clash) {
        err_set(err, ERR_USAGE, "cannot register host memory");
        if (err)
            err->native = MEM_CODE_INVALID;
    } else if (!insert(arena, b)) {
        out_of_memory(err, size);
    } else {
        status = 0;
    }
    pthread_mutex_unlock(&arena->lock);
    return status;
}

int mem_release(struct mem_arena *arena, uint64_t addr, struct err *err)
{
    int status = -1;
    pthread_mutex_lock(&arena->lock);
    uint32_t n = blocks_up_to(arena->blocks, arena->count, addr);
    if (n && arena->blocks[n - 1].addr == addr) {
        struct mem_block b = arena->blocks[n - 1];
        memmove(&arena->blocks[n - 1], &arena->blocks[n],
                (arena->count - n) * sizeof *arena->blocks);
        arena->count--;
        if (!(b.flags & MEM_ADOPTED))
            arena->used -= b.size;
        free_block(&b);
        status = 0;
    } else {
        err_set(err, ERR_USAGE, "no allocation starts at 0x%llx", (unsigned long long)addr);
        if (err)
            err->native = MEM_CODE_INVALID;
    }
    pthread_mutex_unlock(&arena->lock);
    return status;
}

/* One thread poisons a piece; whoever comes meanwhile waits the microseconds that it takes. */
static void ready_piece(const struct mem_block *b, uint64_t piece)
{
    _Atomic uint8_t *state = (_Atomic uint8_t *)&b->pieces[piece];
    uint8_t seen = PIECE_FRESH;
    if (atomic_compare_exchange_strong(state, &seen, PIECE_BUSY)) {
        uint64_t at = piece * PIECE_BYTES;
        mem_poison(b->host + at, b->size - at < PIECE_BYTES ? b->size - at : PIECE_BYTES);
        atomic_store(state, PIECE_READY);
    }
    while (atomic_load_explicit(state, memory_order_acquire) != PIECE_READY)
        ;
}

void mem_touch(const struct mem_block *block, uint64_t offset, uint64_t size)
{
    if (!block->pieces || !size)
        return;
    uint64_t last = (offset + size - 1) / PIECE_BYTES;
    for (uint64_t piece = offset / PIECE_BYTES; piece <= last; piece++) {
        _Atomic uint8_t *state = (_Atomic uint8_t *)&block->pieces[piece];
        if (atomic_load_explicit(state, memory_order_acquire) != PIECE_READY)
            ready_piece(block, piece);
    }
}

void *mem_host(struct mem_arena *arena, uint64_t addr, uint64_t size)
{
    pthread_mutex_lock(&arena->lock);
    struct mem_map map = { .blocks = arena->blocks, .count = arena->count };
    const struct mem_block *b = mem_find(&map, addr, size);
    void *host = b ? b->host + (addr - b->addr) : NULL;
    if (b)
        mem_touch(b, addr - b->addr, size);
    pthread_mutex_unlock(&arena->lock);
    return host;
}

bool mem_range(struct mem_arena *arena, uint64_t addr, uint64_t *base, uint64_t *size)
{
    pthread_mutex_lock(&arena->lock);
    struct mem_map map = { .blocks = arena->blocks, .count = arena->count };
    const struct mem_block *b = mem_find(&map, addr, 1);
    if (b) {
        *base = b->addr;
        *size = b->size;
    }
    pthread_mutex_unlock(&arena->lock);
    return b != NULL;
}

uint64_t mem_total(const struct mem_arena *arena)
{
    return arena->total;
}

uint64_t mem_used(struct mem_arena *arena)
{
    pthread_mutex_lock(&arena->lock);
    uint64_t used = arena->used;
    pthread_mutex_unlock(&arena->lock);
    return used;
}

int mem_map_take(struct mem_arena *arena, struct mem_map *map, struct err *err)
{
    int status = 0;
    pthread_mutex_lock(&arena->lock);
    map->count = arena->count;
    map->blocks = malloc((arena->count + 1) * sizeof *map->blocks);
    if (map->blocks && arena->count)
        memcpy(map->blocks, arena->blocks, arena->count * sizeof *map->blocks);
    else if (!map->blocks)
        status = err_set(err, ERR_MEMORY, "cannot allocate a map of device memory");
    pthread_mutex_unlock(&arena->lock);
    return status;
}

void mem_map_free(struct mem_map *map)
{
    free(map->blocks);
    *map = (struct mem_map){ 0 };
}
