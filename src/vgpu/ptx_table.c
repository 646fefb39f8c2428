#include "vgpu/ptx_table.h"

#include <stdlib.h>
#include <string.h>

void ptx_table_free(struct ptx_table *table)
{
    free(table->slots);
    *table = (struct ptx_table){ 0 };
}

static size_t hash(const char *name, size_t size, uint32_t scope, bool range)
{
    uint64_t h = 14695981039346656037u ^ ((uint64_t)scope << 1 | range);
    for (size_t i = 0; i < size; i++)
        h = (h ^ (uint8_t)name[i]) * 1099511628211u;
    return (size_t)(h ^ h >> 29);
}

static bool matches(const struct ptx_entry *e, const char *name, size_t size, uint32_t scope,
                    bool range)
{
    return e->scope == scope && e->name_size == size && (e->kind == PTX_ENTRY_RANGE) == range &&
           memcmp(e->name, name, size) == 0;
}

struct ptx_entry *ptx_table_find(const struct ptx_table *table, const char *name, size_t size,
                                 uint32_t scope, bool range)
{
    if (!table->slot_count)
        return NULL;
    size_t mask = table->slot_count - 1;
    for (size_t at = hash(name, size, scope, range) & mask; table->slots[at].kind;
         at = (at + 1) & mask)
        if (matches(&table->slots[at], name, size, scope, range))
            return &table->slots[at];
    return NULL;
}

static struct ptx_entry *free_slot(const struct ptx_table *table, const char *name, size_t size,
                                   uint32_t scope, bool range)
{
    size_t mask = table->slot_count - 1;
    size_t at = hash(name, size, scope, range) & mask;
    while (table->slots[at].kind)
        at = (at + 1) & mask;
    return &table->slots[at];
}

static bool grow(struct ptx_table *table)
{
    struct ptx_table bigger = { .slot_count = table->slot_count ? table->slot_count * 2 : 256 };
    bigger.slots = calloc(bigger.slot_count, sizeof *bigger.slots);
    if (!bigger.slots)
        return false;
    for (size_t i = 0; i < table->slot_count; i++) {
        const struct ptx_entry *e = &table->slots[i];
        if (e->kind)
            *free_slot(&bigger, e->name, e->name_size, e->scope, e->kind == PTX_ENTRY_RANGE) = *e;
    }
    bigger.used = table->used;
    free(table->slots);
    *table = bigger;
    return true;
}

struct ptx_entry *ptx_table_add(struct ptx_table *table, const char *name, size_t size,
                                uint32_t scope, enum ptx_entry_kind kind)
{
    if (table->used * 2 >= table->slot_count && !grow(table))
        return NULL;
    struct ptx_entry *e = free_slot(table, name, size, scope, kind == PTX_ENTRY_RANGE);
    *e = (struct ptx_entry){
        .name = name, .name_size = (uint32_t)size, .scope = scope, .kind = (uint8_t)kind
    };
    table->used++;
    return e;
}
