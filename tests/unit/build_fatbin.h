/* Writes fat binaries and cubins field by field, for tests: what nobody's compiler produces here
 * (old versions, unknown kinds, damage), with every number chosen by the test. Knows the formats
 * from their description only; shares nothing with the readers in src/image. */
#ifndef TESTS_BUILD_FATBIN_H
#define TESTS_BUILD_FATBIN_H

#include <lz4.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

struct build {
    uint8_t *data;
    size_t size, capacity;
};

static inline void build_free(struct build *b)
{
    free(b->data);
    *b = (struct build){ 0 };
}

/* Memory that runs out in a test may end the test. */
static inline void build_bytes(struct build *b, const void *bytes, size_t size)
{
    while (b->size + size > b->capacity) {
        b->capacity = b->capacity ? b->capacity * 2 : 256;
        b->data = realloc(b->data, b->capacity);
        if (!b->data)
            abort();
    }
    if (size)
        memcpy(b->data + b->size, bytes, size);
    b->size += size;
}

static inline void build_zero(struct build *b, size_t n)
{
    static const uint8_t zero[256];
    for (; n > sizeof zero; n -= sizeof zero)
        build_bytes(b, zero, sizeof zero);
    build_bytes(b, zero, n);
}

static inline void build_int(struct build *b, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        uint8_t byte = (uint8_t)(value >> 8 * i);
        build_bytes(b, &byte, 1);
    }
}

static inline void build_text(struct build *b, const char *text)
{
    build_bytes(b, text, strlen(text));
}

static inline void build_align(struct build *b, size_t to)
{
    while (b->size % to)
        build_zero(b, 1);
}

/* Changes bytes that are already there. */
static inline void build_patch(struct build *b, size_t at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        b->data[at + i] = (uint8_t)(value >> 8 * i);
}

/* ---- fat binaries -------------------------------------------------------------------------- */

enum build_packing { BUILD_PLAIN, BUILD_LZ4, BUILD_ZSTD };

struct build_entry {
    unsigned kind;  /* 1 PTX, 2 ELF, 4 cubin text, 8 NVVM */
    bool old;       /* version 0x0100: 56 bytes, no padding */
    unsigned extra; /* bytes that the header is longer than it need be */
    unsigned major, minor, arch;
    uint64_t flags;                   /* those of `packing` are added */
    const char *identifier, *options; /* or NULL */
    enum build_packing packing;
    const void *payload;
    size_t payload_size;
    uint64_t stated_size; /* unpacked size in the header when it is to be a wrong one */
};

/* The payload as it is stored; the caller frees it. */
static inline uint8_t *build_pack(const struct build_entry *e, size_t *size)
{
    size_t bound =
        ZSTD_compressBound(e->payload_size) + (size_t)LZ4_compressBound((int)e->payload_size);
    uint8_t *packed = malloc(bound + 1);
    if (!packed)
        abort();
    if (e->packing == BUILD_LZ4)
        *size = (size_t)LZ4_compress_default(e->payload, (char *)packed, (int)e->payload_size,
                                             (int)bound);
    else if (e->packing == BUILD_ZSTD)
        *size = ZSTD_compress(packed, bound, e->payload, e->payload_size, 3);
    else {
        *size = e->payload_size;
        if (*size)
            memcpy(packed, e->payload, *size);
    }
    return packed;
}

/* Returns the offset of the entry's first byte. Options stand before the identifier, as in 11.8. */
static inline size_t build_entry(struct build *b, const struct build_entry *e)
{
    size_t start = b->size, stored;
    uint8_t *payload = build_pack(e, &stored);
    size_t fixed = e->old ? 56 : 64;
    size_t options = e->options ? 8 + strlen(e->options) + 1 : 0;
    size_t name = e->identifier ? strlen(e->identifier) + 1 : 0;
    size_t header = fixed + options + name + e->extra;
    if (!e->old)
        header = (header + 7) / 8 * 8;
    size_t padded = e->old ? stored : (stored + 7) / 8 * 8;
    bool packed = e->packing != BUILD_PLAIN;

    build_int(b, e->kind, 2);
    build_int(b, e->old ? 0x0100 : 0x0101, 2);
    build_int(b, header, 4);
    build_int(b, padded, 8);
    build_int(b, packed ? stored : 0, 4);
    build_int(b, options ? fixed : 0, 4);
    build_int(b, e->minor, 2);
    build_int(b, e->major, 2);
    build_int(b, e->arch, 4);
    build_int(b, name ? fixed + options : 0, 4);
    build_int(b, name ? name - 1 : 0, 4);
    build_int(b, e->flags | (e->packing == BUILD_LZ4 ? 0x2000 : packed ? 0x8000 : 0), 8);
    build_int(b, 0, 8);
    if (!e->old)
        build_int(b, e->stated_size ? e->stated_size : packed ? e->payload_size : 0, 8);
    if (options) {
        build_int(b, fixed + 8, 4);
        build_int(b, options - 9, 4);
        build_bytes(b, e->options, options - 8);
    }
    if (name)
        build_bytes(b, e->identifier, name);
    build_zero(b, start + header - b->size);
    build_bytes(b, payload, stored);
    build_zero(b, padded - stored);
    free(payload);
    return start;
}

/* Returns the offset of the fat header. */
static inline size_t build_fatbin(struct build *b, const struct build_entry *entries, size_t count)
{
    size_t start = b->size;
    build_int(b, 0xba55ed50, 4);
    build_int(b, 1, 2);
    build_int(b, 16, 2);
    build_int(b, 0, 8);
    for (size_t i = 0; i < count; i++)
        build_entry(b, &entries[i]);
    build_patch(b, start + 8, b->size - start - 16, 8);
    return start;
}

/* ---- cubins -------------------------------------------------------------------------------- */

struct build_symbol {
    const char *name;
    unsigned info, other; /* 0x12 and 0x10 for a global kernel */
    bool undefined;       /* of another cubin */
};

struct build_cubin {
    bool bits32, relocatable;
    unsigned abi; /* 7 or 8 */
    unsigned e_version, e_flags;
    const struct build_symbol *symbols;
    size_t symbol_count;
    unsigned toolkit;      /* of .note.nv.cuinfo; 0: no such note */
    bool old_cuinfo;       /* that note in the form of 12.8, which has no toolkit */
    const char *arguments; /* of .note.nv.tkinfo, "-arch sm_100f -m 64"; NULL: no such note */
    bool compat_a;         /* .nv.compat says that the image is arch-specific */
    size_t code_size;      /* of .text */
    bool tables_first;     /* section table in front of the sections */
};

struct build_section {
    const char *name;
    unsigned type, link;
    struct build bytes;
};

#define BUILD_SECTIONS 8

static inline void build_note(struct build *b, unsigned type, const void *body, size_t size)
{
    build_int(b, 12, 4);
    build_int(b, size, 4);
    build_int(b, type, 4);
    build_bytes(b, "NVIDIA Corp", 12);
    build_bytes(b, body, size);
    build_align(b, 4);
}

static inline void build_cubin_symbols(const struct build_cubin *c, struct build *symbols,
                                       struct build *strings)
{
    build_zero(symbols, c->bits32 ? 16 : 24);
    build_zero(strings, 1);
    for (size_t i = 0; i < c->symbol_count; i++) {
        build_int(symbols, strings->size, 4);
        if (c->bits32)
            build_zero(symbols, 8);
        build_int(symbols, c->symbols[i].info, 1);
        build_int(symbols, c->symbols[i].other, 1);
        build_int(symbols, c->symbols[i].undefined ? 0 : 4, 2);
        if (!c->bits32)
            build_zero(symbols, 16);
        build_text(strings, c->symbols[i].name);
        build_zero(strings, 1);
    }
}

static inline void build_cubin_notes(const struct build_cubin *c, struct build *notes,
                                     struct build *compat)
{
    if (c->arguments) {
        struct build text = { 0 };
        build_int(&text, 2, 4);
        build_bytes(&text, "ptxas", 6);
        build_bytes(&text, c->arguments, strlen(c->arguments) + 1);
        build_note(notes, 2000, text.data, text.size);
        build_free(&text);
    }
    if (c->toolkit || c->old_cuinfo) {
        struct build info = { 0 };
        build_int(&info, c->old_cuinfo ? 1 : 2, 2);
        build_int(&info, 75, 2);
        build_int(&info, c->old_cuinfo ? 1 : c->toolkit, 2);
        build_int(&info, 0, 2);
        build_zero(&info, c->old_cuinfo ? 4 : 0);
        build_note(notes, 1000, info.data, info.size);
        build_free(&info);
    }
    if (c->compat_a) {
        build_bytes(compat, "\x04\x0b\x04\x00\x01\x02\x03\x04", 8); /* a record with data */
        build_bytes(compat, "\x02\x09\x01\x00", 4);
    }
}

static inline void build_cubin_section(struct build *b, bool bits32, const struct build_section *s,
                                       size_t name, size_t offset)
{
    unsigned word = bits32 ? 4 : 8;
    build_int(b, name, 4);
    build_int(b, s->type, 4);
    build_int(b, 0, word);
    build_int(b, 0, word);
    build_int(b, s->type ? offset : 0, word);
    build_int(b, s->bytes.size, word);
    build_int(b, s->link, 4);
    build_int(b, 0, 4);
    build_int(b, 1, word);
    build_int(b, 0, word);
}

static inline void build_cubin_header(struct build *b, const struct build_cubin *c, size_t table)
{
    unsigned word = c->bits32 ? 4 : 8;
    build_bytes(b,
                "\x7f"
                "ELF",
                4);
    build_int(b, c->bits32 ? 1 : 2, 1);
    build_int(b, 0x0101, 2);
    build_int(b, c->abi >= 8 ? 0x41 : 0x33, 1);
    build_int(b, c->abi, 1);
    build_zero(b, 7);
    build_int(b, c->relocatable ? 1 : 2, 2);
    build_int(b, 190, 2);
    build_int(b, c->e_version, 4);
    build_int(b, 0, word);
    build_int(b, 0, word);
    build_int(b, table, word);
    build_int(b, c->e_flags, 4);
    build_int(b, c->bits32 ? 52 : 64, 2);
    build_int(b, 0, 4); /* no program headers */
    build_int(b, c->bits32 ? 40 : 64, 2);
    build_int(b, BUILD_SECTIONS, 2);
    build_int(b, 1, 2);
}

/* A whole cubin; returns the offset of its first byte. */
static inline size_t build_cubin(struct build *b, const struct build_cubin *c)
{
    struct build_section s[BUILD_SECTIONS] = {
        { .name = "" },
        { .name = ".shstrtab", .type = 3 },
        { .name = ".strtab", .type = 3 },
        { .name = ".symtab", .type = 2, .link = 2 },
        { .name = ".text", .type = 1 },
        { .name = ".note.nv", .type = 7 },
        { .name = ".nv.compat", .type = 0x70000086 },
        { .name = ".nv.shared", .type = 8 },
    };
    size_t names[BUILD_SECTIONS], start = b->size, header = c->bits32 ? 52 : 64;
    size_t table_size = BUILD_SECTIONS * (c->bits32 ? 40 : 64), at = header;
    for (size_t i = 0; i < BUILD_SECTIONS; i++) {
        names[i] = s[1].bytes.size;
        build_bytes(&s[1].bytes, s[i].name, strlen(s[i].name) + 1);
    }
    build_cubin_symbols(c, &s[3].bytes, &s[2].bytes);
    build_zero(&s[4].bytes, c->code_size);
    build_cubin_notes(c, &s[5].bytes, &s[6].bytes);

    size_t total = header;
    for (size_t i = 0; i < BUILD_SECTIONS; i++)
        total += s[i].bytes.size;
    build_cubin_header(b, c, c->tables_first ? header : total);
    if (c->tables_first)
        at += table_size;
    struct build table = { 0 };
    for (size_t i = 0; i < BUILD_SECTIONS; i++) {
        build_cubin_section(&table, c->bits32, &s[i], names[i], at);
        at += s[i].bytes.size;
    }
    if (c->tables_first)
        build_bytes(b, table.data, table.size);
    for (size_t i = 0; i < BUILD_SECTIONS; i++) {
        build_bytes(b, s[i].bytes.data, s[i].bytes.size);
        build_free(&s[i].bytes);
    }
    if (!c->tables_first)
        build_bytes(b, table.data, table.size);
    build_free(&table);
    return start;
}

/* ---- host files ---------------------------------------------------------------------------- */

struct build_part {
    const char *name;
    const void *bytes;
    size_t size;
    size_t offset; /* out: where in the file its bytes stand */
};

/* A 64-bit ELF file with these sections, its section table at the end as linkers write it. */
static inline void build_elf(struct build *b, struct build_part *parts, size_t count)
{
    struct build names = { 0 }, table = { 0 };
    size_t start = b->size, entries = count + 2;
    build_bytes(b,
                "\x7f"
                "ELF\x02\x01\x01",
                7);
    build_zero(b, 9);
    build_int(b, 3, 2);
    build_int(b, 62, 2);
    build_int(b, 1, 4);
    build_zero(b, 28); /* entry, program and section headers, flags: patched below */
    build_int(b, 64, 2);
    build_int(b, 0, 4);
    build_int(b, 64, 2);
    build_int(b, entries, 2);
    build_int(b, 1, 2);
    build_zero(&table, 64);
    build_zero(&names, 1);
    for (size_t i = 0; i < count + 1; i++) {
        bool own = i == 0;
        const char *name = own ? ".shstrtab" : parts[i - 1].name;
        build_int(&table, names.size, 4);
        build_int(&table, own ? 3 : 1, 4);
        build_zero(&table, 56);
        build_bytes(&names, name, strlen(name) + 1);
    }
    for (size_t i = 0; i < count; i++) {
        build_align(b, 16);
        parts[i].offset = b->size;
        build_patch(&table, 64 * (i + 2) + 24, b->size - start, 8);
        build_patch(&table, 64 * (i + 2) + 32, parts[i].size, 8);
        build_bytes(b, parts[i].bytes, parts[i].size);
    }
    build_patch(&table, 64 + 24, b->size - start, 8);
    build_patch(&table, 64 + 32, names.size, 8);
    build_bytes(b, names.data, names.size);
    build_patch(b, start + 40, b->size - start, 8);
    build_bytes(b, table.data, table.size);
    build_free(&names);
    build_free(&table);
}

/* A Windows PE file with these sections; names longer than 8 characters are cut, as there. */
static inline void build_pe(struct build *b, struct build_part *parts, size_t count)
{
    const size_t dos = 128, optional = 240;
    size_t start = b->size, at = 1024;
    build_text(b, "MZ");
    build_zero(b, 58);
    build_int(b, dos, 4);
    build_zero(b, dos - 64);
    build_bytes(b, "PE\0\0", 4);
    build_int(b, 0x8664, 2);
    build_int(b, count, 2);
    build_zero(b, 12);
    build_int(b, optional, 2);
    build_int(b, 0x2022, 2);
    build_zero(b, optional);
    for (size_t i = 0; i < count; i++) {
        char name[8] = { 0 };
        memcpy(name, parts[i].name, strlen(parts[i].name) < 8 ? strlen(parts[i].name) : 8);
        parts[i].offset = start + at;
        build_bytes(b, name, 8);
        build_int(b, parts[i].size, 4);
        build_int(b, 0x1000 * (i + 1), 4);
        build_int(b, parts[i].size, 4);
        build_int(b, at, 4);
        build_zero(b, 16);
        at += (parts[i].size + 511) / 512 * 512;
    }
    for (size_t i = 0; i < count; i++) {
        build_zero(b, parts[i].offset - b->size);
        build_bytes(b, parts[i].bytes, parts[i].size);
    }
}

#endif
