#include "doctor/link.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/bytes.h"
#include "doctor/patient.h"
#include "image/elf.h"

#define SEGMENTS_MAX 64
#define DYNAMIC_MAX  (1u << 16)
#define SECTIONS_MAX (1u << 20)
#define VERSIONS_MAX 1000u

enum { PT_LOAD_ = 1, PT_DYNAMIC_ = 2 };
enum {
    TAG_NEEDED = 1,
    TAG_HASH = 4,
    TAG_STRINGS = 5,
    TAG_SYMBOLS = 6,
    TAG_STRING_SIZE = 10,
    TAG_SONAME = 14,
    TAG_RPATH = 15,
    TAG_RUNPATH = 29
};
#define TAG_GNU_HASH 0x6ffffef5u
#define TAG_DEFINED  0x6ffffffcu
#define TAG_NEEDS    0x6ffffffeu

struct segment {
    uint64_t address, offset, size;
};

/* An open file with its dynamic segment. */
struct reader {
    struct input *in;
    struct elf elf;
    struct segment loads[SEGMENTS_MAX];
    size_t load_count;
    struct bytes dynamic;
    uint8_t *dynamic_data;
    uint64_t strings, string_size, symbols, hash, gnu_hash; /* addresses and a size */
    uint64_t needed_versions, defined_versions;
};

/* `size` bytes at `offset`, all of them; NULL else. The caller frees. */
static uint8_t *read_block(struct input *in, uint64_t offset, uint64_t size, uint64_t max,
                           struct err *err)
{
    if (!size || size > max || size > input_size(in)) {
        err_format(err, offset, "a table of the ELF file is larger than it may be");
        return NULL;
    }
    uint8_t *data = malloc((size_t)size + 1);
    if (!data) {
        err_set(err, ERR_MEMORY, "out of memory");
        return NULL;
    }
    if (input_read_at(in, offset, data, (size_t)size, err) != (long long)size) {
        err_format(err, offset, "a table of the ELF file lies outside of it");
        free(data);
        return NULL;
    }
    data[size] = 0;
    return data;
}

static uint64_t word(struct bytes *b, bool bits64)
{
    return bits64 ? bytes_u64(b) : bytes_u32(b);
}

static void take_segment(struct reader *r, struct bytes *b, struct segment *dynamic)
{
    struct segment s;
    uint32_t type = bytes_u32(b);
    if (r->elf.bits64)
        bytes_skip(b, 4);
    s.offset = word(b, r->elf.bits64);
    s.address = word(b, r->elf.bits64);
    word(b, r->elf.bits64);
    s.size = word(b, r->elf.bits64);
    if (b->failed)
        return;
    if (type == PT_LOAD_ && r->load_count < SEGMENTS_MAX)
        r->loads[r->load_count++] = s;
    if (type == PT_DYNAMIC_)
        *dynamic = s;
}

static int read_segments(struct reader *r, struct err *err)
{
    struct segment dynamic = { 0 };
    uint64_t size = (uint64_t)r->elf.program_count * r->elf.program_entry_size;
    uint8_t *table = read_block(r->in, r->elf.program_offset, size, 1u << 20, err);
    if (!table)
        return -1;
    struct bytes all = bytes_of(table, (size_t)size);
    for (unsigned i = 0; i < r->elf.program_count; i++) {
        struct bytes one =
            bytes_slice(&all, (uint64_t)i * r->elf.program_entry_size, r->elf.program_entry_size);
        take_segment(r, &one, &dynamic);
    }
    free(table);
    r->dynamic_data = read_block(r->in, dynamic.offset, dynamic.size, DYNAMIC_MAX, err);
    r->dynamic = bytes_of(r->dynamic_data, r->dynamic_data ? (size_t)dynamic.size : 0);
    return r->dynamic_data ? 0 : -1;
}

static uint64_t offset_of(const struct reader *r, uint64_t address)
{
    for (size_t i = 0; i < r->load_count; i++)
        if (address >= r->loads[i].address && address - r->loads[i].address < r->loads[i].size)
            return r->loads[i].offset + (address - r->loads[i].address);
    return UINT64_MAX;
}

/* The next entry; false at the end. */
static bool next_tag(struct bytes *b, bool bits64, uint64_t *tag, uint64_t *value)
{
    *tag = word(b, bits64);
    *value = word(b, bits64);
    return !b->failed && *tag != 0;
}

static void find_tables(struct reader *r)
{
    struct bytes b = r->dynamic;
    uint64_t tag, value;
    while (next_tag(&b, r->elf.bits64, &tag, &value)) {
        if (tag == TAG_STRINGS)
            r->strings = value;
        else if (tag == TAG_STRING_SIZE)
            r->string_size = value;
        else if (tag == TAG_SYMBOLS)
            r->symbols = value;
        else if (tag == TAG_HASH)
            r->hash = value;
        else if (tag == TAG_GNU_HASH)
            r->gnu_hash = value;
        else if (tag == TAG_NEEDS)
            r->needed_versions = value;
        else if (tag == TAG_DEFINED)
            r->defined_versions = value;
    }
}

static int open_reader(struct reader *r, const char *full, struct err *err)
{
    uint8_t head[ELF_HEADER_MAX];
    *r = (struct reader){ .in = patient_open(full, 0, err) };
    if (!r->in)
        return -1;
    long long got = input_read_at(r->in, 0, head, sizeof head, err);
    if (got < 0 || elf_parse_header(head, (size_t)got, &r->elf, err))
        return -1;
    if (read_segments(r, err))
        return -1;
    find_tables(r);
    return 0;
}

static void close_reader(struct reader *r)
{
    input_close(r->in);
    free(r->dynamic_data);
}

static char *read_strings(struct reader *r, struct err *err)
{
    return (char *)read_block(r->in, offset_of(r, r->strings), r->string_size, LINK_STRINGS_MAX,
                              err);
}

static const char *name_at(const struct link *l, uint64_t at)
{
    return at < l->string_size ? l->strings + at : "";
}

static const char *keep(char **to, const char *name)
{
    size_t size = strlen(name) + 1;
    const char *kept = memcpy(*to, name, size);
    *to += size;
    return kept;
}

/* The names alone: the strings of a large library have megabytes. */
static int keep_names(struct link *l, struct err *err)
{
    size_t size = strlen(l->soname) + strlen(l->rpath) + strlen(l->runpath) + 3;
    for (size_t i = 0; i < l->needed_count; i++)
        size += strlen(l->needed[i]) + 1;
    char *names = malloc(size), *to = names;
    if (!names)
        return err_set(err, ERR_MEMORY, "out of memory");
    l->soname = keep(&to, l->soname);
    l->rpath = keep(&to, l->rpath);
    l->runpath = keep(&to, l->runpath);
    for (size_t i = 0; i < l->needed_count; i++)
        l->needed[i] = keep(&to, l->needed[i]);
    free(l->strings);
    l->strings = names;
    l->string_size = size;
    return 0;
}

int link_read(const char *full, struct link *link, struct err *err)
{
    struct reader r;
    uint64_t tag, value;
    *link = (struct link){ .soname = "", .rpath = "", .runpath = "" };
    if (open_reader(&r, full, err) || !(link->strings = read_strings(&r, err))) {
        close_reader(&r);
        return -1;
    }
    link->string_size = (size_t)r.string_size;
    struct bytes b = r.dynamic;
    while (next_tag(&b, r.elf.bits64, &tag, &value)) {
        if (tag == TAG_NEEDED && link->needed_count < LINK_NEEDED_MAX)
            link->needed[link->needed_count++] = name_at(link, value);
        else if (tag == TAG_SONAME)
            link->soname = name_at(link, value);
        else if (tag == TAG_RPATH)
            link->rpath = name_at(link, value);
        else if (tag == TAG_RUNPATH)
            link->runpath = name_at(link, value);
    }
    close_reader(&r);
    return keep_names(link, err);
}

void link_free(struct link *link)
{
    free(link->strings);
    *link = (struct link){ .soname = "", .rpath = "", .runpath = "" };
}

/* ---- symbols ---- */

static uint32_t word_at(struct reader *r, uint64_t offset)
{
    uint8_t data[4];
    struct err unused;
    err_clear(&unused);
    if (input_read_at(r->in, offset, data, 4, &unused) != 4)
        return 0;
    struct bytes b = bytes_of(data, 4);
    return bytes_u32(&b);
}

/* The dynamic segment does not say how many symbols there are; the hash tables do. */
static uint64_t count_by_gnu_hash(struct reader *r)
{
    uint64_t at = offset_of(r, r->gnu_hash);
    uint32_t buckets = word_at(r, at), first = word_at(r, at + 4), bloom = word_at(r, at + 8);
    uint64_t table = at + 16 + (uint64_t)bloom * (r->elf.bits64 ? 8 : 4), last = 0;
    if (buckets > LINK_SYMBOLS_MAX)
        return 0;
    for (uint32_t i = 0; i < buckets; i++) {
        uint32_t start = word_at(r, table + 4 * (uint64_t)i);
        last = start > last ? start : last;
    }
    if (last < first)
        return first;
    uint64_t chain = table + 4 * (uint64_t)buckets;
    while (last - first < LINK_SYMBOLS_MAX && !(word_at(r, chain + 4 * (last - first)) & 1))
        last++;
    return last + 1;
}

static uint64_t symbol_count(struct reader *r)
{
    uint64_t count = 0;
    if (r->hash)
        count = word_at(r, offset_of(r, r->hash) + 4);
    else if (r->gnu_hash)
        count = count_by_gnu_hash(r);
    return count > LINK_SYMBOLS_MAX ? LINK_SYMBOLS_MAX : count;
}

int link_symbols(const char *full, bool defined, bool (*name)(void *self, const char *symbol),
                 void *self, struct err *err)
{
    struct reader r;
    uint8_t *table = NULL;
    char *strings = NULL;
    int rc = open_reader(&r, full, err);
    uint64_t size = rc ? 0 : symbol_count(&r) * (r.elf.bits64 ? 24 : 16);
    if (!rc && (!(strings = read_strings(&r, err)) ||
                !(table = read_block(r.in, offset_of(&r, r.symbols), size, UINT32_MAX, err))))
        rc = -1;
    struct bytes b = bytes_of(table, rc ? 0 : (size_t)size);
    while (!rc && bytes_left(&b) >= (r.elf.bits64 ? 24u : 16u)) {
        uint32_t at = bytes_u32(&b);
        bytes_skip(&b, r.elf.bits64 ? 2 : 10);
        uint16_t section = bytes_u16(&b);
        bytes_skip(&b, r.elf.bits64 ? 16 : 0);
        if (at && at < r.string_size && (section != 0) == defined && !name(self, strings + at))
            break;
    }
    close_reader(&r);
    free(table);
    free(strings);
    return rc;
}

/* ---- versions of symbols ---- */

static unsigned version_number(const char *text)
{
    unsigned part[3] = { 0 };
    if (sscanf(text, "%4u.%3u.%3u", &part[0], &part[1], &part[2]) < 2)
        return 0;
    return part[0] * 1000000 + part[1] * 1000 + part[2];
}

const char *link_version_text(unsigned version, char to[LINK_VERSION_TEXT])
{
    unsigned last = version % 1000;
    *to = 0;
    if (version && last)
        snprintf(to, LINK_VERSION_TEXT, "%u.%u.%u", version / 1000000 % 1000, version / 1000 % 1000,
                 last);
    else if (version)
        snprintf(to, LINK_VERSION_TEXT, "%u.%u", version / 1000000 % 1000, version / 1000 % 1000);
    return to;
}

static void take_version(struct link_versions *v, const char *name)
{
    static const char *const families[] = { "GLIBC_", "GLIBCXX_", "CXXABI_" };
    unsigned *const values[] = { &v->glibc, &v->glibcxx, &v->cxxabi };
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        unsigned number =
            str_starts(name, families[i]) ? version_number(name + strlen(families[i])) : 0;
        if (number > *values[i])
            *values[i] = number;
    }
}

/* One record with its list of names. Both kinds begin with a version and a count, and have the
 * distance to the list and to the next record; of an entry the name stands at `name_at`. */
static uint64_t take_record(struct reader *r, uint64_t at, bool defined, const char *strings,
                            struct link_versions *v)
{
    uint8_t head[20];
    struct err unused;
    size_t size = defined ? 20 : 16;
    err_clear(&unused);
    if (input_read_at(r->in, at, head, size, &unused) != (long long)size)
        return 0;
    struct bytes b = bytes_of(head, size);
    bytes_skip(&b, defined ? 6 : 2);
    unsigned count = bytes_u16(&b);
    bytes_skip(&b, 4);
    uint64_t entry = at + bytes_u32(&b);
    uint32_t next = bytes_u32(&b);
    for (unsigned i = 0; i < count && i < VERSIONS_MAX; i++) {
        uint32_t name = word_at(r, entry + (defined ? 0 : 8));
        uint32_t step = word_at(r, entry + (defined ? 4 : 12));
        if (name < r->string_size)
            take_version(v, strings + name);
        if (!step)
            break;
        entry += step;
    }
    return next ? at + next : 0;
}

int link_read_versions(const char *full, bool defined, struct link_versions *versions,
                       struct err *err)
{
    struct reader r;
    char *strings = NULL;
    *versions = (struct link_versions){ 0 };
    int rc = open_reader(&r, full, err);
    uint64_t address = defined ? r.defined_versions : r.needed_versions;
    if (!rc && address && !(strings = read_strings(&r, err)))
        rc = -1;
    uint64_t at = strings ? offset_of(&r, address) : 0;
    for (unsigned i = 0; at && i < VERSIONS_MAX; i++)
        at = take_record(&r, at, defined, strings, versions);
    close_reader(&r);
    free(strings);
    return rc;
}

/* ---- sections ---- */

static bool names_gpu_section(const struct elf *elf, const struct bytes *table,
                              const struct bytes *names)
{
    static const char *const wanted[] = { ".nv_fatbin", "__nv_relfatbin", ".nvFatBinSegment" };
    struct elf_section section;
    for (unsigned i = 0; i < elf->section_count && elf_section_at(elf, table, i, &section); i++) {
        const char *name = bytes_string(names, section.name);
        for (size_t k = 0; name && k < sizeof wanted / sizeof wanted[0]; k++)
            if (strcmp(name, wanted[k]) == 0)
                return true;
    }
    return false;
}

bool link_is_cut(const char *full)
{
    struct err unused;
    uint8_t head[ELF_HEADER_MAX];
    struct reader r = { .in = NULL };
    bool cut = false;
    err_clear(&unused);
    r.in = patient_open(full, 0, &unused);
    long long got = r.in ? input_read_at(r.in, 0, head, sizeof head, &unused) : -1;
    if (got >= 4 && !elf_parse_header(head, (size_t)got, &r.elf, &unused) && r.elf.program_count) {
        uint64_t size = input_size(r.in),
                 table = (uint64_t)r.elf.program_count * r.elf.program_entry_size;
        read_segments(&r, &unused); /* without a dynamic segment there are segments, too */
        cut = r.elf.program_offset > size || table > size - r.elf.program_offset;
        for (size_t i = 0; i < r.load_count; i++)
            cut |= r.loads[i].offset > size || r.loads[i].size > size - r.loads[i].offset;
    }
    close_reader(&r);
    return cut;
}

bool link_has_gpu_section(const char *full)
{
    struct err unused;
    uint8_t head[ELF_HEADER_MAX], *table = NULL, *names = NULL;
    struct elf elf;
    struct elf_section strings;
    bool found = false;
    err_clear(&unused);
    struct input *in = patient_open(full, 0, &unused);
    long long got = in ? input_read_at(in, 0, head, sizeof head, &unused) : -1;
    if (got < 4 || elf_parse_header(head, (size_t)got, &elf, &unused))
        goto out;
    uint64_t size = elf_section_table_size(&elf);
    table = read_block(in, elf.section_offset, size, SECTIONS_MAX, &unused);
    struct bytes b = bytes_of(table, table ? (size_t)size : 0);
    if (!table || !elf_section_at(&elf, &b, elf.names_index, &strings))
        goto out;
    names = read_block(in, strings.offset, strings.size, SECTIONS_MAX, &unused);
    struct bytes n = bytes_of(names, names ? (size_t)strings.size : 0);
    found = names && names_gpu_section(&elf, &b, &n);
out:
    input_close(in);
    free(table);
    free(names);
    return found;
}
