/* The few parts of a Windows PE file (.dll, .exe, .pyd) that are needed: its section table, which
 * stands near the front. */
#ifndef IMAGE_PE_H
#define IMAGE_PE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/bytes.h"
#include "core/err.h"

struct pe {
    uint64_t table_offset; /* of the section table, from the start of the file */
    uint16_t machine;
    uint16_t section_count;
};

#define PE_SECTION_SIZE 40

struct pe_section {
    char name[9];
    uint64_t offset, size; /* in the file */
};

/* True when the bytes begin as a PE file does: "MZ", and "PE\0\0" where that says. */
bool pe_recognised(const uint8_t *data, size_t size);

/* `data` is the beginning of the file; ERR_FORMAT with the offset when it is not a PE file. */
int pe_parse_header(const uint8_t *data, size_t size, struct pe *pe, struct err *err);

/* Section `index` of a table that begins at the start of `table`; false when it is not inside. */
bool pe_section_at(const struct bytes *table, unsigned index, struct pe_section *section);

#endif
