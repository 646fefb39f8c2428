/* Any bytes as a host file: the sections of PE and ELF have names that end and ranges that are not
 * empty, and a lookup gives the section that holds the offset. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "image/pe.h"
#include "image/section.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct section_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct section *s = &table->list[i];
        if (s->start >= s->end || !memchr(s->name, 0, sizeof s->name))
            abort();
        const struct section *at = section_at(table, s->end - 1);
        if (at && (at->start >= s->end || at->end < s->end))
            abort();
        /* Where sections overlap, which no linker makes, the one that begins last may end first. */
        bool alone = i + 1 == table->count || s[1].start >= s->end;
        if (!at && alone)
            abort();
        if (!scan_place_name(section_place(s->name)))
            abort();
        if (i > 64)
            break; /* looking up all of 65535 takes too long here */
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = { 0 };
    struct pe pe;
    struct section_table table = { 0 };
    if (pe_parse_header(data, size, &pe, &err) < 0 && err.code != ERR_FORMAT)
        abort();
    if (pe_recognised(data, size) != (err.code == ERR_NONE))
        abort();
    section_table_parse_pe(&table, data, size);
    if (table.count && !pe_recognised(data, size))
        abort();
    check(&table);

    struct input *in = input_from_memory(data, size, &err);
    section_table_read_elf(&table, in, 0);
    check(&table);
    section_table_read_elf(&table, in, size / 2);
    check(&table);
    section_table_free(&table);
    input_close(in);
    return 0;
}
