/* One archive or compressed stream, read through libarchive from an input and giving its members as
 * inputs. Knows the bounds on expansion; knows nothing of nesting. */
#ifndef IMAGE_ARCHIVE_STREAM_H
#define IMAGE_ARCHIVE_STREAM_H

#include "core/str.h"
#include "image/archive_kind.h"
#include "image/input.h"

/* Shared by all streams of one walk. */
struct archive_budget {
    struct input *root;                     /* the outermost input */
    const struct archive_stream *outermost; /* the stream that reads it, once open */
    uint64_t produced;                      /* bytes that all levels gave */
    bool spent;                             /* a bound on the whole was met: end the walk */
};

struct archive_stream; /* opaque */

struct archive_member {
    struct str name; /* freed by archive_stream_close */
    uint64_t size;   /* INPUT_SIZE_UNKNOWN where the archive does not say */
    bool is_file;    /* carries data: no folder, link or device */
    bool is_encrypted;
};

/* `in` and `budget` must outlive the stream. `parent` is the stream that `in` is a member of. */
struct archive_stream *archive_stream_open(enum archive_kind kind, struct input *in,
                                           struct archive_stream *parent,
                                           struct archive_budget *budget, struct err *err);
void archive_stream_close(struct archive_stream *s); /* NULL is allowed */

/* The next member: 1, 0 at the end, -1 on damage (see archive_stream_damage); after -1 another call
 * goes on behind the damage where the format allows it, and returns 0 where not. `*member` is valid
 * until the next call. */
int archive_stream_next(struct archive_stream *s, const struct archive_member **member);

/* The current member's data, once per member. Close it before the next call of ..._next. */
struct input *archive_stream_data(struct archive_stream *s, struct err *err);

/* What is wrong with the current member or the archive; NULL when nothing is, or when it was told
 * already (here or by a stream inside it, for the same cause). */
const struct err *archive_stream_damage(const struct archive_stream *s);
void archive_stream_told(struct archive_stream *s);

/* Reading the current member failed because of damage, not because of its reader. */
bool archive_stream_broken(const struct archive_stream *s);

/* Where the outermost file stands, for messages. */
uint64_t archive_budget_offset(const struct archive_budget *budget);

#endif
