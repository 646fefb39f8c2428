#include "image/elf.h"

#include <string.h>

static uint64_t word(struct bytes *b, bool bits64)
{
    return bits64 ? bytes_u64(b) : bytes_u32(b);
}

int elf_parse_header(const uint8_t *data, size_t size, struct elf *elf, struct err *err)
{
    struct bytes b = bytes_of(data, size);
    memset(elf, 0, sizeof *elf);
    if (bytes_u32(&b) != 0x464c457f)
        return err_format(err, 0, "not an ELF file");
    uint8_t class = bytes_u8(&b), order = bytes_u8(&b);
    if ((class != 1 && class != 2) || order != 1)
        return err_format(err, 4, "ELF class %u with byte order %u is not known", class, order);
    bytes_u8(&b);
    elf->bits64 = class == 2;
    elf->osabi = bytes_u8(&b);
    elf->abi_version = bytes_u8(&b);
    bytes_seek(&b, 16);
    elf->type = bytes_u16(&b);
    elf->machine = bytes_u16(&b);
    elf->version = bytes_u32(&b);
    word(&b, elf->bits64); /* entry point */
    elf->program_offset = word(&b, elf->bits64);
    elf->section_offset = word(&b, elf->bits64);
    elf->flags = bytes_u32(&b);
    elf->header_size = bytes_u16(&b);
    elf->program_entry_size = bytes_u16(&b);
    elf->program_count = bytes_u16(&b);
    elf->section_entry_size = bytes_u16(&b);
    elf->section_count = bytes_u16(&b);
    elf->names_index = bytes_u16(&b);
    if (b.failed)
        return err_format(err, size, "ELF header breaks off");
    return 0;
}

uint64_t elf_section_table_size(const struct elf *elf)
{
    return (uint64_t)elf->section_count * elf->section_entry_size;
}

static uint64_t end_of(uint64_t offset, uint64_t size)
{
    return offset > UINT64_MAX - size ? UINT64_MAX : offset + size;
}

uint64_t elf_tables_end(const struct elf *elf)
{
    uint64_t sections = end_of(elf->section_offset, elf_section_table_size(elf));
    uint64_t programs =
        end_of(elf->program_offset, (uint64_t)elf->program_count * elf->program_entry_size);
    uint64_t end = sections > programs ? sections : programs;
    return end > elf->header_size ? end : elf->header_size;
}

bool elf_section_at(const struct elf *elf, const struct bytes *table, unsigned index,
                    struct elf_section *section)
{
    uint64_t offset = (uint64_t)index * elf->section_entry_size;
    struct bytes b = bytes_slice(table, offset, elf->section_entry_size);
    section->name = bytes_u32(&b);
    section->type = bytes_u32(&b);
    section->flags = word(&b, elf->bits64);
    word(&b, elf->bits64); /* address */
    section->offset = word(&b, elf->bits64);
    section->size = word(&b, elf->bits64);
    section->link = bytes_u32(&b);
    return !b.failed;
}
