#include "image/cubin.h"

#include <string.h>

#include "core/bytes.h"
#include "image/elf.h"
#include "image/ptx.h"

#define ABI_NEW          8
#define OLD_FLAG_A       0x800 /* documented by LLVM; in older cubins it means something else: */
#define OLD_FLAG_A_FROM  90    /* torch 1.3.0 has it in images for sm_50, 60 and 61 */
#define NEW_FLAG_A       0x8   /* 12.9 sets it, 13.0 does not */
#define TOOLKIT_MIN      20    /* e_version of a compiler that states its toolkit; before it is 1 */
#define NOTE_CUINFO      1000
#define NOTE_TKINFO      2000
#define COMPAT_ARCH_A    9 /* record of .nv.compat: 1 for an arch-specific image */
#define SYMBOL_FUNCTION  2
#define SYMBOL_IS_KERNEL 0x10 /* in st_other */

static const char note_owner[] = "NVIDIA Corp"; /* with its NUL: 12 bytes */

#define NAMES_READ_MAX 4 /* all kernel names together, as multiples of the cubin */
#define TOOL_TEXT_MAX  ((size_t)64 << 10)
#define OWNERS_MAX     64 /* notes that are looked at where the section table is not at hand */

struct sections {
    struct elf elf;
    struct bytes file, table, names;
    uint64_t opened; /* bytes of the sections opened so far */
};

static void set_toolkit(struct cubin *cubin, unsigned number)
{
    if (number < TOOLKIT_MIN)
        return;
    cubin->toolkit_major = number / 10;
    cubin->toolkit_minor = number % 10;
}

static void fill_from_header(const struct elf *elf, struct cubin *cubin)
{
    cubin->abi = elf->abi_version;
    cubin->relocatable = elf->type == 1;
    cubin->bits32 = !elf->bits64;
    cubin->section_count = elf->section_count;
    cubin->size = elf_tables_end(elf);
    if (cubin->abi >= ABI_NEW) {
        cubin->arch = elf->flags >> 8 & 0xff;
        cubin->suffix = elf->flags & NEW_FLAG_A ? 'a' : 0;
    } else {
        cubin->arch = elf->flags & 0xff;
        cubin->suffix = elf->flags & OLD_FLAG_A && cubin->arch >= OLD_FLAG_A_FROM ? 'a' : 0;
        set_toolkit(cubin, elf->version);
    }
}

int cubin_parse_header(const uint8_t *data, size_t size, struct cubin *cubin, struct err *err)
{
    struct elf elf;
    memset(cubin, 0, sizeof *cubin);
    if (elf_parse_header(data, size, &elf, err) < 0)
        return -1;
    if (elf.machine != ELF_MACHINE_CUDA)
        return err_format(err, 18, "ELF file is for machine %u, not for CUDA", elf.machine);
    unsigned header = elf.bits64 ? 64 : 52, section = elf.bits64 ? 64 : 40;
    if (elf.header_size != header || (elf.section_count && elf.section_entry_size != section))
        return err_format(err, 0, "cubin has an ELF header of %u bytes and sections of %u",
                          elf.header_size, elf.section_entry_size);
    if (elf.type != 1 && elf.type != 2)
        return err_format(err, 16, "cubin has ELF type %u", elf.type);
    fill_from_header(&elf, cubin);
    return 0;
}

/* ---- sections ------------------------------------------------------------------------------ */

static int open_sections(const uint8_t *data, size_t size, struct sections *s, struct err *err)
{
    if (elf_parse_header(data, size, &s->elf, err) < 0)
        return -1;
    s->opened = 0;
    s->file = bytes_of(data, size);
    s->table = bytes_slice(&s->file, s->elf.section_offset, elf_section_table_size(&s->elf));
    struct elf_section names;
    if (s->table.failed || !elf_section_at(&s->elf, &s->table, s->elf.names_index, &names))
        return err_format(err, s->elf.section_offset, "section table of the cubin breaks off");
    s->names = bytes_slice(&s->file, names.offset, names.size);
    return 0;
}

static bool section_is(const struct sections *s, const struct elf_section *section,
                       const char *name)
{
    size_t size = strlen(name) + 1;
    struct bytes own = bytes_slice(&s->names, section->name, size);
    return !own.failed && !memcmp(own.data, name, size);
}

/* Sections that are read through share no bytes: where they do, they are made to cost time, and
 * what comes once the file has been read once over has failed. */
static struct bytes open_section(struct sections *s, const struct elf_section *section)
{
    struct bytes b = bytes_slice(&s->file, section->offset, section->size);
    if (b.size > s->file.size - s->opened)
        b = (struct bytes){ .failed = true };
    s->opened += b.size;
    return b;
}

/* Sections that state a size but have no bytes in the file: ELF's own, and in relocatable cubins
 * CUDA's types for global and shared memory and Mercury's for shared. */
static bool has_no_bytes(uint32_t type)
{
    return type == 0 || type == ELF_SECTION_NOBITS || type == 0x70000007 || type == 0x7000000a ||
           type == 0x70000015;
}

uint64_t cubin_file_size(const uint8_t *data, size_t size)
{
    struct elf elf;
    struct elf_section section;
    if (elf_parse_header(data, size, &elf, NULL) < 0)
        return 0;
    struct bytes file = bytes_of(data, size);
    struct bytes table = bytes_slice(&file, elf.section_offset, elf_section_table_size(&elf));
    uint64_t end = elf_tables_end(&elf);
    for (unsigned i = 0; i < elf.section_count && elf_section_at(&elf, &table, i, &section); i++) {
        if (has_no_bytes(section.type))
            continue;
        if (section.size > UINT64_MAX - section.offset)
            return UINT64_MAX;
        if (section.offset + section.size > end)
            end = section.offset + section.size;
    }
    return end;
}

/* ---- notes --------------------------------------------------------------------------------- */

/* "... -arch sm_100f ..." among the strings of the note; the number must be the cubin's own. */
static void read_command_line(struct bytes text, struct cubin *cubin)
{
    static const char option[] = "-arch sm_";
    const uint8_t *at = memmem(text.data, text.size, option, sizeof option - 1);
    if (!at)
        return;
    bytes_seek(&text, (uint64_t)(at - text.data) + sizeof option - 1);
    unsigned arch = 0;
    uint8_t c = bytes_u8(&text);
    for (; c >= '0' && c <= '9' && arch < 1000; c = bytes_u8(&text))
        arch = arch * 10 + (unsigned)(c - '0');
    if (arch == cubin->arch && (c == 'a' || c == 'f'))
        cubin->suffix = (char)c;
}

/* The text of a note about one tool: its release, if no other note has said it, and its options. */
static void read_tool(struct bytes text, struct cubin *cubin)
{
    if (text.size > TOOL_TEXT_MAX)
        text.size = TOOL_TEXT_MAX;
    if (cubin->toolkit_major == 0)
        ptx_find_toolkit(text.data, text.size, &cubin->toolkit_major, &cubin->toolkit_minor);
    read_command_line(text, cubin);
}

/* u16 form, u16 virtual arch, and from form 2 (12.9) on u16 toolkit. 12.8 has only the tool's note.
 */
static bool read_cuinfo(struct bytes body, struct cubin *cubin)
{
    unsigned form = bytes_u16(&body);
    bytes_skip(&body, 2);
    unsigned toolkit = bytes_u16(&body);
    if (body.failed || form < 2 || toolkit < TOOLKIT_MIN)
        return false;
    set_toolkit(cubin, toolkit);
    return true;
}

/* One ELF note at the cursor; moves behind it. Returns false at the end or when it is damaged. */
static bool read_note(struct bytes *b, struct cubin *cubin, bool *found_toolkit)
{
    uint32_t name_size = bytes_u32(b), size = bytes_u32(b), type = bytes_u32(b);
    struct bytes name = bytes_slice(b, b->pos, name_size);
    bytes_skip(b, ((uint64_t)name_size + 3) & ~(uint64_t)3);
    struct bytes body = bytes_slice(b, b->pos, size);
    bytes_skip(b, ((uint64_t)size + 3) & ~(uint64_t)3);
    if (body.failed || name.size != sizeof note_owner ||
        memcmp(name.data, note_owner, sizeof note_owner) != 0)
        return !b->failed;
    if (type == NOTE_TKINFO)
        read_tool(body, cubin);
    if (type == NOTE_CUINFO)
        *found_toolkit |= read_cuinfo(body, cubin);
    return !b->failed;
}

static void read_note_section(struct bytes b, struct cubin *cubin)
{
    bool found = false;
    while (bytes_left(&b) > 0 && read_note(&b, cubin, &found))
        ;
}

/* Records: a format byte, an attribute byte, then two bytes of value or of a length that follows.
 */
static void read_compat(struct bytes b, struct cubin *cubin)
{
    while (bytes_left(&b) >= 4 && !b.failed) {
        uint8_t format = bytes_u8(&b), attribute = bytes_u8(&b);
        uint16_t value = bytes_u16(&b);
        if (format == 4)
            bytes_skip(&b, value);
        else if (format == 2 && attribute == COMPAT_ARCH_A && (value & 0xff) == 1 && !cubin->suffix)
            cubin->suffix = 'a';
    }
}

void cubin_read_notes(const uint8_t *data, size_t size, struct cubin *cubin)
{
    struct sections s;
    struct elf_section section;
    if (open_sections(data, size, &s, NULL) < 0)
        return;
    for (unsigned i = 0; i < s.elf.section_count; i++) {
        if (!elf_section_at(&s.elf, &s.table, i, &section))
            return;
        if (section.type == ELF_SECTION_NOTE)
            read_note_section(open_section(&s, &section), cubin);
        else if (section_is(&s, &section, ".nv.compat"))
            read_compat(open_section(&s, &section), cubin);
        else if (section_is(&s, &section, ".debug_info"))
            cubin->debug = true;
    }
}

bool cubin_find_notes(const uint8_t *data, size_t size, struct cubin *cubin)
{
    const size_t head = 12; /* three words before the owner's name */
    struct bytes b = bytes_of(data, size);
    size_t from = head;
    for (int i = 0; i < OWNERS_MAX && from < size; i++) {
        const uint8_t *at = memmem(data + from, size - from, note_owner, sizeof note_owner);
        if (!at)
            break;
        size_t name = (size_t)(at - data);
        bool found = false;
        bytes_seek(&b, name - head);
        read_note(&b, cubin, &found);
        if (found)
            return true;
        b.failed = false;
        from = name + 1;
    }
    return cubin->toolkit_major != 0;
}

/* ---- kernels ------------------------------------------------------------------------------- */

struct symbol {
    uint32_t name;
    uint8_t info, other;
    uint16_t section;
};

static bool symbol_at(struct bytes *b, bool bits64, struct symbol *symbol)
{
    symbol->name = bytes_u32(b);
    if (!bits64)
        bytes_skip(b, 8); /* value and size stand before the rest */
    symbol->info = bytes_u8(b);
    symbol->other = bytes_u8(b);
    symbol->section = bytes_u16(b);
    if (bits64)
        bytes_skip(b, 16);
    return !b->failed;
}

/* Of any binding: static kernels, and all of some libraries, are local symbols. */
static bool is_kernel(const struct symbol *symbol)
{
    return (symbol->info & 0xf) == SYMBOL_FUNCTION && symbol->section != 0 &&
           symbol->other & SYMBOL_IS_KERNEL;
}

static int symbols_of(struct sections *s, const struct elf_section *section,
                      int (*kernel)(void *self, const char *name, size_t length, struct err *err),
                      void *self, struct err *err)
{
    struct elf_section strings;
    struct bytes symbols = open_section(s, section);
    if (symbols.failed || !elf_section_at(&s->elf, &s->table, section->link, &strings))
        return err_format(err, section->offset, "symbol table of the cubin breaks off");
    struct bytes names = bytes_slice(&s->file, strings.offset, strings.size);
    uint64_t names_left = s->file.size * NAMES_READ_MAX;
    struct symbol symbol;
    while (bytes_left(&symbols) > 0 && symbol_at(&symbols, s->elf.bits64, &symbol)) {
        if (!is_kernel(&symbol))
            continue;
        const char *name = bytes_string(&names, symbol.name);
        if (!name)
            return err_format(err, section->offset, "kernel name of the cubin is out of bounds");
        size_t length = strlen(name);
        if (length > names_left)
            return err_format(err, section->offset, "kernel names of the cubin overlap");
        names_left -= length;
        if (kernel(self, name, length, err) < 0)
            return -1;
    }
    return 0;
}

int cubin_kernels(const uint8_t *data, size_t size,
                  int (*kernel)(void *self, const char *name, size_t length, struct err *err),
                  void *self, struct err *err)
{
    struct sections s;
    struct elf_section section;
    if (open_sections(data, size, &s, err) < 0)
        return -1;
    for (unsigned i = 0; i < s.elf.section_count; i++) {
        if (elf_section_at(&s.elf, &s.table, i, &section) && section.type == ELF_SECTION_SYMBOLS &&
            symbols_of(&s, &section, kernel, self, err) < 0)
            return -1;
    }
    return 0;
}
