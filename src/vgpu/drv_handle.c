#include "vgpu/drv_handle.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* A handle is 0x76 ("v") in the top byte, the kind, the slot's generation and the slot. The top
 * byte keeps it out of any process's addresses. */
#define MARK             UINT64_C(0x76)
#define GENERATION_LIMIT UINT64_C(0xffffff)
#define SLOTS_LIMIT      UINT64_C(0x1000000)

struct slot {
    void *object;
    enum drv_handle_kind kind;
    uint32_t generation;
    uint32_t next_free; /* index + 1 */
};

static struct slot *slots;
static uint32_t slot_count, slot_capacity, first_free;

static void *encode(enum drv_handle_kind kind, uint32_t generation, uint32_t index)
{
    uint64_t value = MARK << 56 | (uint64_t)kind << 48 | (uint64_t)generation << 24 | index;
    return (void *)(uintptr_t)value;
}

static bool grow(void)
{
    uint32_t capacity = slot_capacity ? 2 * slot_capacity : 64;
    if (capacity > SLOTS_LIMIT)
        return false;
    struct slot *more = realloc(slots, capacity * sizeof *more);
    if (!more)
        return false;
    slots = more;
    slot_capacity = capacity;
    return true;
}

void *drv_handle_new(enum drv_handle_kind kind, void *object)
{
    uint32_t index;
    if (first_free) {
        index = first_free - 1;
        first_free = slots[index].next_free;
    } else {
        if (slot_count == slot_capacity && !grow())
            return NULL;
        index = slot_count++;
        slots[index].generation = 0;
    }
    struct slot *slot = &slots[index];
    slot->object = object;
    slot->kind = kind;
    /* A slot that has used up its generations is never given out again, see drv_handle_free. */
    slot->generation++;
    return encode(kind, slot->generation, index);
}

/* The slot that a value points at; NULL when it is no handle at all. */
static struct slot *slot_of(enum drv_handle_kind kind, const void *handle)
{
    uint64_t value = (uint64_t)(uintptr_t)handle;
    uint32_t index = (uint32_t)(value & 0xffffff);
    if (value >> 56 != MARK || (value >> 48 & 0xff) != kind || index >= slot_count)
        return NULL;
    return &slots[index];
}

static uint32_t generation_of(const void *handle)
{
    return (uint32_t)((uint64_t)(uintptr_t)handle >> 24 & GENERATION_LIMIT);
}

void *drv_handle_object(enum drv_handle_kind kind, const void *handle)
{
    const struct slot *slot = slot_of(kind, handle);
    if (!slot || slot->kind != kind || slot->generation != generation_of(handle))
        return NULL;
    return slot->object;
}

bool drv_handle_is_stale(enum drv_handle_kind kind, const void *handle)
{
    const struct slot *slot = slot_of(kind, handle);
    if (!slot || generation_of(handle) > slot->generation)
        return false;
    return !drv_handle_object(kind, handle);
}

void drv_handle_free(void *handle)
{
    if (!handle)
        return;
    uint32_t index = (uint32_t)((uint64_t)(uintptr_t)handle & 0xffffff);
    struct slot *slot = &slots[index];
    slot->kind = DRV_HANDLE_FREE;
    slot->object = NULL;
    if (slot->generation >= GENERATION_LIMIT)
        return;
    slot->next_free = first_free;
    first_free = index + 1;
}
