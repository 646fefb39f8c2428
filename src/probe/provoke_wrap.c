#include "probe/provoke_wrap.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "core/str.h"
#include "image/fatbin.h"

enum {
    TAIL = 4096, /* zero bytes behind what a driver is given: it trusts the sizes inside */
    /* offsets into an entry header, see image/fatbin.h */
    AT_PADDED = 8,
    AT_COMPRESSED = 16,
    AT_PTX_MINOR = 24,
    AT_ARCH = 28,
    AT_FLAGS = 40,
    AT_UNPACKED = 56,
    /* offset into an ELF header: e_version, where ABI 7 keeps the toolkit */
    AT_ELF_VERSION = 20,
    COMPRESSION_LEVEL = 3,
};

static void put(unsigned char *to, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        to[i] = (unsigned char)(value >> (8 * i));
}

static uint64_t get(const unsigned char *from, size_t bytes)
{
    uint64_t value = 0;
    for (size_t i = bytes; i-- > 0;)
        value = value << 8 | from[i];
    return value;
}

static size_t header_size(const struct probe_image *image)
{
    return (size_t)(image->info.payload_offset - image->info.offset);
}

/* Stored bytes with what they unpack to; free `packed`. */
struct payload {
    const void *data;
    size_t size, unpacked;
    void *packed;
};

static int make_payload(const struct wrap_entry *e, struct payload *p, struct err *err)
{
    bool own = e->payload == NULL;
    *p = (struct payload){ .data = own ? e->like->data : e->payload,
                           .size = own ? (size_t)e->like->info.payload_size : e->size + 1 };
    if (!e->zstd)
        return 0;
    size_t bound = ZSTD_compressBound(p->size);
    p->unpacked = p->size;
    p->packed = malloc(bound);
    if (!p->packed)
        return err_set(err, ERR_MEMORY, "out of memory");
    p->size = ZSTD_compress(p->packed, bound, p->data, p->unpacked, COMPRESSION_LEVEL);
    p->data = p->packed;
    return ZSTD_isError(p->size) ? err_set(err, ERR_MEMORY, "an image could not be compressed") : 0;
}

static void put_header(unsigned char *to, const struct wrap_entry *e, const struct payload *p,
                       size_t padded)
{
    size_t size = header_size(e->like);
    memcpy(to, (const unsigned char *)e->like->data - size, size);
    put(to + AT_PADDED, padded, 8);
    if (e->arch)
        put(to + AT_ARCH, e->arch, 4);
    if (e->ptx_major)
        put(to + AT_PTX_MINOR, e->ptx_major << 16 | e->ptx_minor, 4);
    uint64_t flags = get(to + AT_FLAGS, 8);
    if (e->suffix)
        flags |= e->suffix == 'a' ? FATBIN_ARCH_SPECIFIC : FATBIN_FAMILY;
    if (e->zstd) {
        flags |= FATBIN_ZSTD;
        put(to + AT_COMPRESSED, p->size, 4);
        put(to + AT_UNPACKED, p->unpacked, 8);
    }
    put(to + AT_FLAGS, flags, 8);
}

static int add_entry(struct str *to, const struct wrap_entry *e, struct err *err)
{
    static const char zeros[8];
    struct payload p;
    unsigned char header[FATBIN_ENTRY_MAX];
    int failed = -1;
    if (header_size(e->like) > sizeof header) {
        err_set(err, ERR_LIMIT, "an embedded image has too long a header");
        return -1;
    }
    if (make_payload(e, &p, err))
        goto done;
    size_t padded = (p.size + 7) & ~(size_t)7;
    put_header(header, e, &p, padded);
    str_add_bytes(to, (const char *)header, header_size(e->like));
    str_add_bytes(to, p.data, p.size);
    str_add_bytes(to, zeros, padded - p.size);
    failed = 0;
done:
    free(p.packed);
    return failed;
}

void *wrap_container(const struct wrap_entry *entries, size_t count, size_t *size, struct err *err)
{
    static const char tail[TAIL];
    unsigned char header[FATBIN_HEADER_SIZE] = { 0 };
    struct str s = STR_INIT;
    put(header, FATBIN_MAGIC, 4);
    put(header + 4, 1, 2);
    put(header + 6, FATBIN_HEADER_SIZE, 2);
    str_add_bytes(&s, (const char *)header, sizeof header);
    for (size_t i = 0; i < count; i++)
        if (add_entry(&s, &entries[i], err))
            goto fail;
    *size = s.len;
    str_add_bytes(&s, tail, sizeof tail);
    if (s.failed) {
        err_set(err, ERR_MEMORY, "out of memory");
        goto fail;
    }
    put((unsigned char *)s.p + 8, *size - FATBIN_HEADER_SIZE, 8);
    return s.p;
fail:
    str_free(&s);
    return NULL;
}

/* before [from, to) put with `with` in its place behind; NULL when out of memory. */
static char *splice(const char *text, size_t from, size_t to, const char *with)
{
    static const char tail[TAIL];
    struct str s = STR_INIT;
    str_add_bytes(&s, text, from);
    str_add(&s, with);
    str_add(&s, text + to);
    str_add_bytes(&s, tail, sizeof tail);
    if (!s.failed)
        return s.p;
    str_free(&s);
    return NULL;
}

char *wrap_ptx_replace(const char *text, const char *from, const char *to)
{
    const char *p = strstr(text, from);
    if (!p)
        return NULL;
    return splice(text, (size_t)(p - text), (size_t)(p - text) + strlen(from), to);
}

/* Replaces the line that begins with `word`. */
static char *replace_line(const char *text, const char *word, const char *line)
{
    const char *p = strstr(text, word);
    if (!p)
        return NULL;
    return splice(text, (size_t)(p - text), (size_t)(p - text) + strcspn(p, "\n"), line);
}

char *wrap_ptx_header(const char *text, unsigned major, unsigned minor, const char *target)
{
    struct str version = STR_INIT, line = STR_INIT;
    str_addf(&version, ".version %u.%u", major, minor);
    str_addf(&line, ".target %s", target);
    char *first = replace_line(text, ".version", version.p);
    char *both = first ? replace_line(first, ".target", line.p) : NULL;
    free(first);
    str_free(&line);
    str_free(&version);
    return both;
}

char *wrap_ptx_body(const char *text, const char *body)
{
    const char *entry = strstr(text, ".entry");
    const char *open = entry ? strchr(entry, '{') : NULL, *close = strrchr(text, '}');
    if (!open || !close || close < open)
        return NULL;
    return splice(text, (size_t)(open + 1 - text), (size_t)(close - text), body);
}

void *wrap_cubin_toolkit(const struct probe_image *image, unsigned major, unsigned minor)
{
    size_t size = (size_t)image->info.payload_size;
    if (image->info.kind != IMAGE_CUBIN || image->info.abi != 7 || size < AT_ELF_VERSION + 4)
        return NULL;
    unsigned char *copy = calloc(1, size + TAIL);
    if (!copy)
        return NULL;
    memcpy(copy, image->data, size);
    put(copy + AT_ELF_VERSION, major * 10 + minor, 4);
    return copy;
}
