/* Sections of a host file (ELF or PE), to say where in it a container lies. Best effort: a table
 * that is damaged, stripped or out of reach leaves the list empty. */
#ifndef IMAGE_SECTION_H
#define IMAGE_SECTION_H

#include <stddef.h>
#include <stdint.h>

#include "image/input.h"
#include "image/scan.h"

struct section {
    char name[24]; /* longer names are cut */
    uint64_t start, end;
};

struct section_table {
    struct section *list;
    size_t count;
};

void section_table_free(struct section_table *table);

/* The ELF file that begins at `base` of an input that can be read anywhere. Returns the bytes that
 * were read for it. */
uint64_t section_table_read_elf(struct section_table *table, struct input *in, uint64_t base);

/* The PE file whose first bytes these are. */
void section_table_parse_pe(struct section_table *table, const uint8_t *data, size_t size);

/* NULL when no section holds `offset`. (Of sections that overlap, which none should, the one that
 * begins last counts.) */
const struct section *section_at(const struct section_table *table, uint64_t offset);

enum scan_place section_place(const char *name);

#endif
