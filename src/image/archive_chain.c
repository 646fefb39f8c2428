#include "image/archive_chain.h"

#include <string.h>
#include <sys/stat.h>

#include "core/bytes.h"
#include "image/archive.h"

#define AR_MAGIC_SIZE    8u
#define AR_HEADER_SIZE   60u
#define NEWC_HEADER_SIZE 110u
#define ODC_HEADER_SIZE  76u
#define STORED_NAME_MAX  ((uint64_t)64 << 10) /* more is no name */

static const char ends_early[] = "it ends early";
static const char bad_header[] = "the header of a member is malformed";

struct archive_chain archive_chain_of(enum archive_kind kind, struct input *in)
{
    return (struct archive_chain){ .in = in, .kind = kind };
}

uint64_t archive_chain_offset(const struct archive_chain *c)
{
    return input_pos(c->in) + c->lent;
}

static int fault(struct archive_chain *c, const char *what)
{
    c->fault = what;
    return -1;
}

static unsigned digit_of(uint8_t c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    if (c >= 'a' && c <= 'f')
        return (unsigned)(c - 'a') + 10;
    if (c >= 'A' && c <= 'F')
        return (unsigned)(c - 'A') + 10;
    return UINT32_MAX;
}

/* A number of `size` digits; ar pads with blanks behind. */
static bool number(struct bytes header, uint64_t offset, uint64_t size, unsigned base,
                   uint64_t *value)
{
    struct bytes field = bytes_slice(&header, offset, size);
    size_t digits = 0;
    bool padded = false;
    *value = 0;
    while (bytes_left(&field) > 0) {
        uint8_t c = bytes_u8(&field);
        unsigned digit = digit_of(c);
        if (c == ' ')
            padded = true;
        else if (digit >= base || padded)
            return false;
        else
            *value = *value * base + digit;
        digits += c != ' ';
    }
    return !field.failed && digits > 0;
}

/* Passes `size` bytes; false in `*whole` when the input ends before. */
static int pass(struct archive_chain *c, uint64_t size, bool *whole, struct err *err)
{
    uint64_t before = input_pos(c->in);
    if (input_skip(c->in, size, err) < 0)
        return -1;
    *whole = input_pos(c->in) - before == size;
    return 0;
}

static int give_back(struct archive_chain *c, struct err *err)
{
    size_t lent = c->lent;
    c->lent = 0;
    return input_skip(c->in, lent, err);
}

/* The last member of an ar archive may lack its padding. */
static int finish_member(struct archive_chain *c, struct err *err)
{
    bool whole;
    if (give_back(c, err) < 0 || pass(c, c->left, &whole, err) < 0)
        return -1;
    if (!whole)
        return fault(c, ends_early);
    if (pass(c, c->padding, &whole, err) < 0)
        return -1;
    c->left = c->padding = 0;
    return 0;
}

/* ---- ar ----------------------------------------------------------------------------------------
 */

static int next_in_ar(struct archive_chain *c, struct archive_chain_member *m, struct err *err)
{
    size_t got;
    if (input_pos(c->in) == 0 && input_skip(c->in, AR_MAGIC_SIZE, err) < 0)
        return -1;
    const uint8_t *data = input_peek(c->in, AR_HEADER_SIZE, &got, err);
    if (!data)
        return -1;
    if (got == 0)
        return 0;
    if (got < AR_HEADER_SIZE)
        return fault(c, ends_early);
    struct bytes header = bytes_of(data, AR_HEADER_SIZE);
    if (!number(header, 48, 10, 10, &c->left) || memcmp(data + 58, "`\n", 2) != 0)
        return fault(c, bad_header);
    size_t length = 16;
    while (length > 0 && (data[length - 1] == ' ' || data[length - 1] == '/'))
        length--;
    str_clear(m->name);
    str_add_bytes(m->name, (const char *)data, strnlen((const char *)data, length));
    m->size = c->left;
    m->is_file = true;
    c->padding = c->left & 1;
    return input_skip(c->in, AR_HEADER_SIZE, err) < 0 ? -1 : 1;
}

/* ---- cpio --------------------------------------------------------------------------------------
 */

struct cpio_header {
    size_t size;
    uint64_t mode, links, data_size, name_size;
    uint64_t align;
};

static bool parse_cpio(const uint8_t *data, size_t got, struct cpio_header *h)
{
    struct bytes header = bytes_of(data, got);
    if (got >= ODC_HEADER_SIZE && memcmp(data, "070707", 6) == 0) {
        h->size = ODC_HEADER_SIZE;
        h->align = 1;
        return number(header, 18, 6, 8, &h->mode) && number(header, 36, 6, 8, &h->links) &&
               number(header, 59, 6, 8, &h->name_size) && number(header, 65, 11, 8, &h->data_size);
    }
    if (got < NEWC_HEADER_SIZE ||
        (memcmp(data, "070701", 6) != 0 && memcmp(data, "070702", 6) != 0))
        return false;
    h->size = NEWC_HEADER_SIZE;
    h->align = 4;
    return number(header, 14, 8, 16, &h->mode) && number(header, 38, 8, 16, &h->links) &&
           number(header, 54, 8, 16, &h->data_size) && number(header, 94, 8, 16, &h->name_size);
}

static uint64_t padding_of(uint64_t size, uint64_t align)
{
    return (align - size % align) % align;
}

/* Name and padding: what of it is kept ends at the NUL that its size counts. */
static int take_name(struct archive_chain *c, const struct cpio_header *h, struct str *name,
                     struct err *err)
{
    size_t got;
    bool whole;
    uint64_t stored = h->name_size + padding_of(h->size + h->name_size, h->align);
    const uint8_t *data = input_peek(c->in, (size_t)stored, &got, err);
    if (!data)
        return -1;
    if (got < h->name_size)
        return fault(c, ends_early);
    size_t most = h->name_size < ARCHIVE_NAME_MAX ? (size_t)h->name_size : ARCHIVE_NAME_MAX;
    str_clear(name);
    str_add_bytes(name, (const char *)data, strnlen((const char *)data, most));
    return pass(c, stored, &whole, err);
}

static int next_in_cpio(struct archive_chain *c, struct archive_chain_member *m, struct err *err)
{
    size_t got;
    struct cpio_header h;
    const uint8_t *data = input_peek(c->in, NEWC_HEADER_SIZE, &got, err);
    if (!data)
        return -1;
    if (got < ODC_HEADER_SIZE)
        return fault(c, ends_early);
    if (!parse_cpio(data, got, &h) || h.name_size == 0 || h.name_size > STORED_NAME_MAX)
        return fault(c, bad_header);
    if (input_skip(c->in, h.size, err) < 0 || take_name(c, &h, m->name, err) < 0)
        return -1;
    if (strcmp(m->name->p, "TRAILER!!!") == 0)
        return 0;
    c->left = h.data_size;
    c->padding = padding_of(h.data_size, h.align);
    m->size = h.data_size;
    m->is_file = S_ISREG((mode_t)h.mode) && !(h.links > 1 && h.data_size == 0);
    return 1;
}

int archive_chain_next(struct archive_chain *c, struct archive_chain_member *m, struct err *err)
{
    if (finish_member(c, err) < 0)
        return -1;
    return c->kind == ARCHIVE_KIND_DEB ? next_in_ar(c, m, err) : next_in_cpio(c, m, err);
}

long long archive_chain_data(struct archive_chain *c, const uint8_t **data, struct err *err)
{
    size_t got;
    if (give_back(c, err) < 0)
        return -1;
    if (c->left == 0)
        return 0;
    *data = input_peek(c->in, 1, &got, err);
    if (!*data)
        return -1;
    if (got == 0)
        return fault(c, ends_early);
    size_t n = got < c->left ? got : (size_t)c->left;
    c->lent = n;
    c->left -= n;
    return (long long)n;
}
