/* The few parts of ELF that are needed: headers and sections, 32 and 64 bit, little-endian. */
#ifndef IMAGE_ELF_H
#define IMAGE_ELF_H

#include <stdbool.h>
#include <stdint.h>

#include "core/bytes.h"
#include "core/err.h"

#define ELF_HEADER_MAX   64 /* bytes that elf_parse_header looks at; a 32-bit header has 52 */
#define ELF_MACHINE_CUDA 190

struct elf {
    bool bits64;
    uint8_t osabi, abi_version;
    uint16_t type; /* 1 relocatable, 2 executable, 3 shared */
    uint16_t machine;
    uint32_t version, flags;
    uint64_t program_offset, section_offset;
    uint16_t header_size, program_entry_size, program_count;
    uint16_t section_entry_size, section_count, names_index;
};

struct elf_section {
    uint32_t name; /* offset into the section of names */
    uint32_t type;
    uint64_t flags, offset, size;
    uint32_t link;
};

#define ELF_SECTION_SYMBOLS 2
#define ELF_SECTION_NOTE    7
#define ELF_SECTION_NOBITS  8

/* ERR_FORMAT when it is not a complete little-endian ELF header. */
int elf_parse_header(const uint8_t *data, size_t size, struct elf *elf, struct err *err);

/* Bytes of the section table, and where the last of header and tables ends. Both saturate. */
uint64_t elf_section_table_size(const struct elf *elf);
uint64_t elf_tables_end(const struct elf *elf);

/* Section `index` of a table that begins at the start of `table`; false when it is not inside. */
bool elf_section_at(const struct elf *elf, const struct bytes *table, unsigned index,
                    struct elf_section *section);

#endif
