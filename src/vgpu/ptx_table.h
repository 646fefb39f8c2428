/* The names of one module by scope: one hash table, keyed by name and scope number. */
#ifndef VGPU_PTX_TABLE_H
#define VGPU_PTX_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ptx_entry_kind {
    PTX_ENTRY_FREE,
    PTX_ENTRY_REG,   /* value: the register's number */
    PTX_ENTRY_RANGE, /* `%r<39>`: name is "%r", value the count, type its type */
    PTX_ENTRY_SYMBOL,
    PTX_ENTRY_FUNCTION,
    PTX_ENTRY_LABEL,   /* value: index of the instruction that follows */
    PTX_ENTRY_TARGETS, /* object: struct ptx_operand of kind PTX_OPERAND_TARGETS */
};

struct ptx_entry {
    const char *name; /* borrows from the text or the pool */
    uint32_t name_size;
    uint32_t scope;
    uint8_t kind;
    uint8_t type; /* enum ptx_type of registers */
    uint32_t value;
    void *object;
};

struct ptx_table {
    struct ptx_entry *slots;
    size_t slot_count;
    size_t used;
};

void ptx_table_free(struct ptx_table *table);

/* The entry with that name in exactly that scope and of that class (ranges are a class of their
 * own), or NULL. */
struct ptx_entry *ptx_table_find(const struct ptx_table *table, const char *name, size_t size,
                                 uint32_t scope, bool range);

/* A new entry; the caller has checked that there is none. NULL without memory. It is valid until
 * the next addition. */
struct ptx_entry *ptx_table_add(struct ptx_table *table, const char *name, size_t size,
                                uint32_t scope, enum ptx_entry_kind kind);

#endif
