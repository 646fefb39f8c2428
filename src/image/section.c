#include "image/section.h"

#include <stdlib.h>

#include "core/str.h"
#include "image/elf.h"
#include "image/pe.h"

#define NAMES_MAX ((size_t)4 << 20) /* a table of names longer than this is not read */

/* First match wins. PE names have at most 8 characters. */
static const struct {
    const char *prefix;
    enum scan_place place;
} places[] = {
    { ".nv_fatb", SCAN_PLACE_REGISTERED },        { "__nv_fatbin", SCAN_PLACE_REGISTERED },
    { "__nv_relfatbin", SCAN_PLACE_RELOCATABLE }, { ".nv_rel", SCAN_PLACE_RELOCATABLE },
    { "__nv_rel", SCAN_PLACE_RELOCATABLE },
};

enum scan_place section_place(const char *name)
{
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (str_starts(name, places[i].prefix))
            return places[i].place;
    }
    return name[0] ? SCAN_PLACE_DATA : SCAN_PLACE_UNKNOWN;
}

void section_table_free(struct section_table *table)
{
    free(table->list);
    *table = (struct section_table){ 0 };
}

static void add(struct section_table *table, const char *name, uint64_t start, uint64_t size)
{
    struct section *section = &table->list[table->count];
    if (size == 0 || start > UINT64_MAX - size)
        return;
    str_copy(section->name, sizeof section->name, name);
    section->start = start;
    section->end = start + size;
    table->count++;
}

static void *read_part(struct input *in, uint64_t base, uint64_t offset, uint64_t size)
{
    if (size == 0 || size > NAMES_MAX || offset > UINT64_MAX - base)
        return NULL;
    void *part = malloc((size_t)size);
    if (part && input_read_at(in, base + offset, part, (size_t)size, NULL) != (long long)size) {
        free(part);
        part = NULL;
    }
    return part;
}

/* The start of the name at `offset`; a longer one is cut here already, so that names which share
 * their bytes cost no more than their number. */
static bool short_name(const struct bytes *names, uint64_t offset, char *to, size_t size)
{
    struct bytes b = *names;
    size_t n = 0;
    bytes_seek(&b, offset);
    if (b.failed)
        return false;
    while (n + 1 < size && (to[n] = (char)bytes_u8(&b)))
        n++;
    to[n] = 0;
    return !b.failed;
}

static void add_elf_sections(struct section_table *t, const struct elf *elf,
                             const struct bytes *table, const struct bytes *names, uint64_t base)
{
    struct elf_section s;
    char name[sizeof t->list->name];
    for (unsigned i = 0; i < elf->section_count && elf_section_at(elf, table, i, &s); i++) {
        if (short_name(names, s.name, name, sizeof name) && s.type != 0 &&
            s.type != ELF_SECTION_NOBITS && s.offset <= UINT64_MAX - base)
            add(t, name, base + s.offset, s.size);
    }
}

static int by_start(const void *a, const void *b)
{
    const struct section *x = a, *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

uint64_t section_table_read_elf(struct section_table *t, struct input *in, uint64_t base)
{
    uint8_t header[ELF_HEADER_MAX];
    struct elf elf;
    struct elf_section names;
    uint8_t *table_bytes = NULL, *name_bytes = NULL;
    section_table_free(t);
    long long got =
        input_can_read_at(in) ? input_read_at(in, base, header, sizeof header, NULL) : -1;
    if (got < 0 || elf_parse_header(header, (size_t)got, &elf, NULL) < 0)
        return sizeof header;
    uint64_t table_size = elf_section_table_size(&elf), cost = sizeof header;
    table_bytes = read_part(in, base, elf.section_offset, table_size);
    if (!table_bytes)
        goto done;
    cost += table_size;
    struct bytes table = bytes_of(table_bytes, (size_t)table_size);
    if (!elf_section_at(&elf, &table, elf.names_index, &names))
        goto done;
    name_bytes = read_part(in, base, names.offset, names.size);
    t->list = name_bytes ? calloc(elf.section_count, sizeof *t->list) : NULL;
    if (!t->list)
        goto done;
    cost += names.size;
    struct bytes text = bytes_of(name_bytes, (size_t)names.size);
    add_elf_sections(t, &elf, &table, &text, base);
    qsort(t->list, t->count, sizeof *t->list, by_start);
done:
    free(name_bytes);
    free(table_bytes);
    return cost;
}

void section_table_parse_pe(struct section_table *t, const uint8_t *data, size_t size)
{
    struct pe pe;
    struct pe_section s;
    section_table_free(t);
    if (pe_parse_header(data, size, &pe, NULL) < 0 || pe.table_offset > size)
        return;
    struct bytes file = bytes_of(data, size);
    struct bytes table = bytes_slice(&file, pe.table_offset, size - pe.table_offset);
    t->list = calloc(pe.section_count ? pe.section_count : 1, sizeof *t->list);
    if (!t->list)
        return;
    for (unsigned i = 0; i < pe.section_count && pe_section_at(&table, i, &s); i++)
        add(t, s.name, s.offset, s.size);
    qsort(t->list, t->count, sizeof *t->list, by_start);
}

const struct section *section_at(const struct section_table *table, uint64_t offset)
{
    size_t low = 0, high = table->count; /* the last that begins at or before `offset` */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table->list[middle].start <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low && offset < table->list[low - 1].end ? &table->list[low - 1] : NULL;
}
