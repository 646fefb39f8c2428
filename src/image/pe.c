#include "image/pe.h"

#include <string.h>

#define DOS_MAGIC        0x5a4d     /* "MZ" */
#define PE_MAGIC         0x00004550 /* "PE\0\0" */
#define DOS_PE_OFFSET    0x3c
#define COFF_HEADER_SIZE 20

bool pe_recognised(const uint8_t *data, size_t size)
{
    struct pe pe;
    return pe_parse_header(data, size, &pe, NULL) == 0;
}

int pe_parse_header(const uint8_t *data, size_t size, struct pe *pe, struct err *err)
{
    struct bytes b = bytes_of(data, size);
    memset(pe, 0, sizeof *pe);
    if (bytes_u16(&b) != DOS_MAGIC)
        return err_format(err, 0, "not a PE file");
    bytes_seek(&b, DOS_PE_OFFSET);
    uint32_t start = bytes_u32(&b);
    bytes_seek(&b, start);
    if (bytes_u32(&b) != PE_MAGIC || b.failed)
        return err_format(err, start, "PE header is not where the DOS header says");
    pe->machine = bytes_u16(&b);
    pe->section_count = bytes_u16(&b);
    bytes_skip(&b, 12); /* time, symbol table, symbol count */
    uint16_t optional_size = bytes_u16(&b);
    pe->table_offset = (uint64_t)start + 4 + COFF_HEADER_SIZE + optional_size;
    if (b.failed)
        return err_format(err, start, "PE header breaks off");
    return 0;
}

bool pe_section_at(const struct bytes *table, unsigned index, struct pe_section *section)
{
    struct bytes b = bytes_slice(table, (uint64_t)index * PE_SECTION_SIZE, PE_SECTION_SIZE);
    for (size_t i = 0; i < 8; i++)
        section->name[i] = (char)bytes_u8(&b);
    section->name[8] = 0;
    bytes_skip(&b, 8); /* size and address in memory */
    section->size = bytes_u32(&b);
    section->offset = bytes_u32(&b);
    return !b.failed;
}
