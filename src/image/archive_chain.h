/* The two formats that are a plain chain of header, name and data: ar as deb packages use it, and
 * cpio as rpm packages do (newc, crc and odc). Read here because libarchive takes as much memory as
 * a header of theirs claims; a name is bounded here, and data is lent from the input's window. */
#ifndef IMAGE_ARCHIVE_CHAIN_H
#define IMAGE_ARCHIVE_CHAIN_H

#include "core/str.h"
#include "image/archive_kind.h"
#include "image/input.h"

struct archive_chain {
    struct input *in;
    enum archive_kind kind;
    uint64_t left;     /* data of the member that was not given yet */
    uint64_t padding;  /* behind it */
    size_t lent;       /* bytes given last, to be passed before anything else is read */
    const char *fault; /* what is wrong with the chain itself */
};

struct archive_chain_member {
    struct str *name; /* replaced */
    uint64_t size;
    bool is_file; /* regular, and not a further name of data that comes elsewhere */
};

/* ARCHIVE_KIND_DEB or ARCHIVE_KIND_CPIO, from where `in` stands. */
struct archive_chain archive_chain_of(enum archive_kind kind, struct input *in);

/* The next member: 1, 0 at the end, -1 on damage: `fault` says which, or `err` when it is the
 * input's. What was left of the current one is passed over. */
int archive_chain_next(struct archive_chain *c, struct archive_chain_member *m, struct err *err);

/* More of the current member's data: how much, 0 at its end, or -1 as above. Valid until the next
 * call. */
long long archive_chain_data(struct archive_chain *c, const uint8_t **data, struct err *err);

/* Bytes of the input that were used. */
uint64_t archive_chain_offset(const struct archive_chain *c);

#endif
