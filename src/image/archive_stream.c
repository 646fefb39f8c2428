#include "image/archive_stream.h"

#include <archive.h>
#include <archive_entry.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/archive.h"
#include "image/archive_chain.h"
#include "image/archive_source.h"

#define RETRY_MAX    3
#define EMPTY_MAX    1000
#define RESTARTS_MAX 64 /* each reads the zip's directory again */
#define LEFT_OUT     "; what follows is left out"

struct archive_stream {
    enum archive_kind kind;
    struct archive_source source;
    struct archive_stream *parent;
    struct archive_budget *budget;
    struct archive *handle; /* NULL: read by `chain` */
    struct archive_chain chain;
    locale_t utf8; /* (locale_t)0: the system has none */

    /* The current member. */
    struct archive_entry *entry;
    struct archive_member member;
    uint64_t index;      /* members seen, this one included */
    uint64_t began;      /* compressed bytes used up when it began */
    uint64_t given;      /* bytes of it that were given, holes included */
    const uint8_t *data; /* libarchive's block, what is left of it */
    size_t data_size;
    uint64_t hole; /* zeros before `data` */
    bool ended, broken;

    struct err damage;
    struct err last; /* that ended a handle at a header */
    bool told;
    bool dead; /* libarchive will not read this handle any more */
    bool lost; /* because of a header: the member after it cannot be found by counting */
    bool failed_to_open;
    bool was_damaged, ends_short;
    unsigned restarts;
};

/* ---- damage ------------------------------------------------------------------------------------
 */

static uint64_t used_bytes(const struct archive_stream *s)
{
    if (archive_kind_is_chain(s->kind))
        return archive_chain_offset(&s->chain);
    return archive_source_offset(&s->source, s->handle);
}

uint64_t archive_budget_offset(const struct archive_budget *budget)
{
    return budget->outermost ? used_bytes(budget->outermost) : ERR_NO_OFFSET;
}

/* Nothing comes behind its one member. */
static bool is_single(const struct archive_stream *s)
{
    return archive_kind_is_stream(s->kind);
}

/* Only a zip's members can be found again, by their headers. */
static bool can_restart(const struct archive_stream *s)
{
    return s->kind == ARCHIVE_KIND_ZIP && s->restarts < RESTARTS_MAX &&
           s->source.err.code == ERR_NONE;
}

/* What libarchive or the input below it says, once: the first damage of a member is its cause. */
static void note_damage(struct archive_stream *s, const char *more)
{
    if (s->damage.code != ERR_NONE)
        return;
    s->was_damaged = true;
    if (s->source.err.code != ERR_NONE) {
        s->damage = s->source.err;
        return;
    }
    const char *text = s->handle ? archive_error_string(s->handle) : s->chain.fault;
    if (s->ends_short)
        text = "it ends without its directory of members";
    else if (!text)
        text = "it ends early or is malformed";
    else if (strcmp(text, "ZIP decompression failed (-5)") == 0)
        text = "it ends early"; /* zlib's Z_BUF_ERROR */
    err_format(&s->damage, archive_budget_offset(s->budget), "damaged %s: %.*s%s",
               archive_kind_name(s->kind), (int)strcspn(text, "\n"), text, more);
}

static void note_fatal(struct archive_stream *s)
{
    s->dead = true;
    note_damage(s, can_restart(s) || is_single(s) ? "" : LEFT_OUT);
}

const struct err *archive_stream_damage(const struct archive_stream *s)
{
    return s->damage.code != ERR_NONE && !s->told ? &s->damage : NULL;
}

void archive_stream_told(struct archive_stream *s)
{
    s->told = true;
    if (s->source.err.code != ERR_NONE && s->parent)
        archive_stream_told(s->parent);
}

bool archive_stream_broken(const struct archive_stream *s)
{
    return s->broken;
}

/* ---- opening -----------------------------------------------------------------------------------
 */

static int open_handle(struct archive_stream *s, struct err *err)
{
    int status;
    if (archive_kind_is_chain(s->kind)) {
        s->chain = archive_chain_of(s->kind, s->source.in);
        return 0;
    }
    s->handle = archive_source_open(&s->source, s->kind, &status, err);
    if (!s->handle)
        return -1;
    s->dead = status < ARCHIVE_WARN;
    if (s->dead)
        note_fatal(s);
    return 0;
}

struct archive_stream *archive_stream_open(enum archive_kind kind, struct input *in,
                                           struct archive_stream *parent,
                                           struct archive_budget *budget, struct err *err)
{
    struct archive_stream *s = calloc(1, sizeof *s);
    if (!s) {
        err_set(err, ERR_MEMORY, "out of memory");
        return NULL;
    }
    *s = (struct archive_stream){
        .kind = kind, .parent = parent, .budget = budget, .member = { .name = STR_INIT }
    };
    err_clear(&s->damage);
    if (!budget->outermost)
        budget->outermost = s;
    if (archive_source_init(&s->source, in, err) < 0)
        goto fail;
    s->utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    if (open_handle(s, err) < 0)
        goto fail;
    s->failed_to_open = s->lost = s->dead;
    return s;
fail:
    archive_stream_close(s);
    return NULL;
}

void archive_stream_close(struct archive_stream *s)
{
    if (!s)
        return;
    if (s->budget->outermost == s)
        s->budget->outermost = NULL;
    if (s->handle)
        archive_read_free(s->handle);
    str_free(&s->member.name);
    archive_source_free(&s->source);
    if (s->utf8)
        freelocale(s->utf8);
    free(s);
}

/* ---- members -----------------------------------------------------------------------------------
 */

/* libarchive drops a name that is declared as UTF-8 where the locale is not, so it gets one that
 * is, for as long as it looks at a header. */
static int next_header(struct archive_stream *s)
{
    int rc = ARCHIVE_RETRY;
    locale_t before = s->utf8 ? uselocale(s->utf8) : (locale_t)0;
    for (int i = 0; i < RETRY_MAX && rc == ARCHIVE_RETRY; i++)
        rc = archive_read_next_header(s->handle, &s->entry);
    if (s->utf8)
        uselocale(before);
    return rc;
}

/* Opens the handle anew in front of the member that comes next by the directory. */
static bool skip_seen(struct archive_stream *s)
{
    for (uint64_t i = 0; i < s->index; i++) {
        int rc = next_header(s);
        if (rc < ARCHIVE_WARN || rc == ARCHIVE_EOF)
            return false;
    }
    return true;
}

/* Damage ends libarchive's handle. Damaged data of a member is passed by the directory where there
 * is one; without it, or where a header is damaged, the next header is searched for. */
static bool restart(struct archive_stream *s)
{
    struct err err;
    if (!can_restart(s))
        return false;
    s->restarts++;
    bool by_directory = s->source.by_directory && !s->lost;
    /* With nothing read yet the directory itself may be at fault. */
    uint64_t from = s->source.by_directory && s->index == 0 ? 0 : used_bytes(s) + 1;
    if (!by_directory && !archive_source_resume(&s->source, from))
        return false;
    s->lost = false;
    archive_read_free(s->handle);
    s->handle = NULL;
    err_clear(&err);
    if (open_handle(s, &err) < 0 || s->dead)
        return false;
    return !by_directory || skip_seen(s);
}

/* Names are kept as bytes. libarchive may hold one in a single form, hence the second attempt. */
static void take_name(struct archive_stream *s)
{
    struct str *name = &s->member.name;
    const char *text = archive_entry_pathname(s->entry);
    if (!text)
        text = archive_entry_pathname_utf8(s->entry);
    str_clear(name);
    if (text && *text)
        str_add_bytes(name, text, strnlen(text, ARCHIVE_NAME_MAX));
    else
        str_addf(name, "member-%llu", (unsigned long long)s->index);
}

/* A hard link names data that came before, unless it brings its own (cpio does, on the last one).
 */
static bool brings_data(struct archive_entry *entry)
{
    mode_t type = archive_entry_filetype(entry);
    if (type != AE_IFREG && type != 0)
        return false;
    bool is_link = archive_entry_hardlink(entry) || archive_entry_hardlink_utf8(entry);
    return !is_link || (archive_entry_size_is_set(entry) && archive_entry_size(entry) > 0);
}

static void take_member(struct archive_stream *s)
{
    struct archive_member *m = &s->member;
    la_int64_t size = archive_entry_size_is_set(s->entry) ? archive_entry_size(s->entry) : -1;
    s->index++;
    s->began = used_bytes(s);
    take_name(s);
    m->size = size < 0 ? INPUT_SIZE_UNKNOWN : (uint64_t)size;
    m->is_file = brings_data(s->entry);
    m->is_encrypted = archive_entry_is_encrypted(s->entry) != 0;
    if (m->is_file && m->is_encrypted)
        err_format(&s->damage, archive_budget_offset(s->budget), "the member is encrypted");
}

static void forget_member(struct archive_stream *s)
{
    s->given = s->hole = 0;
    s->data = NULL;
    s->data_size = 0;
    s->ended = s->broken = s->told = false;
    err_clear(&s->damage);
}

/* As next_header, for what is read by `chain`. */
static int next_link(struct archive_stream *s)
{
    struct archive_chain_member m = { .name = &s->member.name };
    int rc = archive_chain_next(&s->chain, &m, &s->source.err);
    if (rc <= 0)
        return rc < 0 ? ARCHIVE_FATAL : ARCHIVE_EOF;
    s->index++;
    s->began = used_bytes(s);
    s->member.size = m.size;
    s->member.is_file = m.is_file;
    return ARCHIVE_OK;
}

/* A damaged first header is met again when reading begins anew. */
static void told_before(struct archive_stream *s)
{
    s->told = s->damage.offset == s->last.offset && strcmp(s->damage.msg, s->last.msg) == 0;
    s->last = s->damage;
}

int archive_stream_next(struct archive_stream *s, const struct archive_member **member)
{
    *member = &s->member;
    if (s->failed_to_open) {
        s->failed_to_open = false;
        return -1;
    }
    forget_member(s);
    if (s->ends_short || (s->dead && !restart(s)))
        return 0;
    int rc = s->handle ? next_header(s) : next_link(s);
    /* libarchive takes the end of an rpm's headers for the end of what it holds. */
    if (rc == ARCHIVE_EOF && s->kind == ARCHIVE_KIND_RPM && s->index == 0)
        rc = ARCHIVE_FATAL;
    if (rc == ARCHIVE_EOF && s->source.has_no_end && !s->was_damaged) {
        s->ends_short = true;
        rc = ARCHIVE_FATAL;
    }
    if (rc == ARCHIVE_EOF)
        return 0;
    if (rc < ARCHIVE_WARN) {
        s->lost = true;
        note_fatal(s);
        told_before(s);
        return -1;
    }
    if (s->handle)
        take_member(s);
    return 1;
}

/* ---- data of a member --------------------------------------------------------------------------
 */

/* Passing over what is left of a member costs as much as reading it in these. */
static bool skipping_expands(const struct archive_stream *s)
{
    return is_single(s) || (s->kind == ARCHIVE_KIND_ZIP && !s->source.by_directory);
}

static uint64_t root_bytes(const struct archive_budget *budget)
{
    uint64_t size = input_size(budget->root);
    return size != INPUT_SIZE_UNKNOWN ? size : input_pos(budget->root);
}

/* Counts `size` bytes more of the member against the bounds of archive.h. */
static int charge(struct archive_stream *s, uint64_t size)
{
    struct archive_budget *b = s->budget;
    uint64_t used = used_bytes(s) - s->began;
    s->given += size;
    b->produced += size;
    b->spent =
        b->produced > ARCHIVE_TOTAL_FREE_BYTES && b->produced / ARCHIVE_RATIO_MAX > root_bytes(b);
    bool grows = s->given > ARCHIVE_FREE_BYTES && s->given / ARCHIVE_RATIO_MAX > used;
    if (!b->spent && !grows && s->given <= ARCHIVE_MEMBER_MAX)
        return 0;
    s->broken = true;
    s->dead = s->dead || skipping_expands(s);
    const char *more = b->spent || (s->dead && !is_single(s) && !can_restart(s)) ? LEFT_OUT : "";
    if (b->spent || grows)
        err_set(&s->damage, ERR_LIMIT, "%s to more than %llu times its size%s",
                b->spent ? "the whole file expands" : "it expands",
                (unsigned long long)ARCHIVE_RATIO_MAX, more);
    else
        err_set(&s->damage, ERR_LIMIT, "it is larger than %llu GiB%s",
                (unsigned long long)(ARCHIVE_MEMBER_MAX >> 30), more);
    s->damage.offset = archive_budget_offset(b);
    return -1;
}

static int read_link(struct archive_stream *s, size_t *size)
{
    long long n = archive_chain_data(&s->chain, &s->data, &s->source.err);
    *size = n > 0 ? (size_t)n : 0;
    return n < 0 ? ARCHIVE_FATAL : n == 0 ? ARCHIVE_EOF : ARCHIVE_OK;
}

/* An empty block is no end, but a decoder that gives nothing else gets nowhere. */
static int read_block(struct archive_stream *s, size_t *size, la_int64_t *offset)
{
    for (int i = 0; i < EMPTY_MAX; i++) {
        const void *data = NULL;
        *size = 0;
        *offset = 0;
        int rc = archive_read_data_block(s->handle, &data, size, offset);
        s->data = data;
        if (rc != ARCHIVE_RETRY && (rc != ARCHIVE_OK || *size > 0 || *offset > (int64_t)s->given))
            return rc;
    }
    return ARCHIVE_FATAL;
}

/* Asks for what comes next: 1, 0 at the end, -1 when broken. */
static int next_block(struct archive_stream *s)
{
    size_t size;
    la_int64_t offset = 0;
    int rc = s->handle ? read_block(s, &size, &offset) : read_link(s, &size);
    if (rc < ARCHIVE_WARN) {
        s->broken = true;
        if (rc == ARCHIVE_FATAL)
            note_fatal(s);
        else
            note_damage(s, "");
        return -1;
    }
    if (rc == ARCHIVE_WARN)
        note_damage(s, "");
    s->ended = rc == ARCHIVE_EOF;
    s->data_size = s->ended ? 0 : size;
    s->hole = offset > 0 && (uint64_t)offset > s->given ? (uint64_t)offset - s->given : 0;
    return s->hole > 0 || s->data_size > 0;
}

/* Moves up to `size` bytes on, copying them to `to` unless that is NULL. Fewer only at the end;
 * -1 when broken and nothing was moved. */
static long long advance(struct archive_stream *s, uint8_t *to, uint64_t size)
{
    uint64_t done = 0;
    while (done < size && !s->broken) {
        if (s->hole == 0 && s->data_size == 0 && (s->ended || next_block(s) <= 0))
            break;
        uint64_t have = s->hole > 0 ? s->hole : s->data_size;
        size_t n = (size_t)(have < size - done ? have : size - done);
        if (charge(s, n) < 0)
            break;
        if (s->hole > 0) {
            if (to)
                memset(to + done, 0, n);
            s->hole -= n;
        } else {
            if (to)
                memcpy(to + done, s->data, n);
            s->data += n;
            s->data_size -= n;
        }
        done += n;
    }
    return done == 0 && s->broken ? -1 : (long long)done;
}

static int fail_member(const struct archive_stream *s, struct err *err)
{
    if (err && err->code == ERR_NONE)
        *err = s->damage;
    return -1;
}

static long long member_read(void *self, void *to, size_t size, struct err *err)
{
    struct archive_stream *s = self;
    long long n = advance(s, to, size);
    return n < 0 ? fail_member(s, err) : n;
}

static int member_skip(void *self, uint64_t size, struct err *err)
{
    struct archive_stream *s = self;
    long long n = advance(s, NULL, size);
    if (n >= 0 && (uint64_t)n == size)
        return 0;
    s->broken = true;
    if (s->damage.code == ERR_NONE)
        err_format(&s->damage, archive_budget_offset(s->budget),
                   "the member is shorter than its header says");
    return fail_member(s, err);
}

static const struct input_ops member_ops = { .read = member_read, .skip = member_skip };

struct input *archive_stream_data(struct archive_stream *s, struct err *err)
{
    return input_new(&member_ops, s, s->member.size, err);
}
