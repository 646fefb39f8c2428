#include "image/walk.h"

#include <string.h>

#include "core/str.h"
#include "image/cubin.h"
#include "image/fatbin.h"
#include "image/ptx.h"

#define NOTES_NEAR     ((size_t)128 << 10) /* the notes of 19 in 20 cubins of ABI 8 begin before */
#define NOTES_FAR      ((size_t)8 << 20)   /* and those of all but a few huge ones */
#define PTX_STEP       ((size_t)512)
#define ZSTD_BLOCK_MAX ((size_t)128 << 10) /* nothing comes out before the first block ends */
#define PROGRESS_STEP  ((uint64_t)8 << 20)
#define SMALL_RATIO    32u /* an image of few stored bytes that expands further is not small */
#define TABLES_FREE    ((uint64_t)64 << 20)

void walk_problem(struct walk *w, struct err *problem)
{
    if (w->sink.problem)
        w->sink.problem(w->sink.self, problem);
    err_clear(problem);
}

void walk_progress(struct walk *w)
{
    uint64_t pos = input_pos(w->in);
    if (!w->sink.progress || pos < w->next_progress)
        return;
    w->next_progress = pos + PROGRESS_STEP;
    w->sink.progress(w->sink.self, pos, input_size(w->in));
}

/* ---- containers ---------------------------------------------------------------------------- */

/* The tables of real files are parts of the input, so all of them together are smaller. Headers
 * that share a table would have it read for each. */
static bool may_read_tables(const struct walk *w)
{
    return w->table_bytes < TABLES_FREE || w->table_bytes - TABLES_FREE < input_pos(w->in);
}

static void find_section(struct walk *w, struct scan_container *c)
{
    if (w->inner_pending) {
        section_table_free(&w->inner);
        if (may_read_tables(w))
            w->table_bytes += section_table_read_elf(&w->inner, w->in, w->inner_base);
        w->inner_pending = false;
    }
    const struct section *s = section_at(&w->inner, c->offset);
    if (!s)
        s = section_at(&w->outer, c->offset);
    if (!s)
        return;
    str_copy(c->section, sizeof c->section, s->name);
    c->place = section_place(s->name);
}

static int begin(struct walk *w, enum image_container_kind kind, uint64_t size,
                 struct scan_container *c, struct err *err)
{
    *c = (struct scan_container){
        .kind = kind, .index = w->next_index++, .offset = input_pos(w->in), .size = size
    };
    find_section(w, c);
    return w->sink.container ? w->sink.container(w->sink.self, c, err) : 0;
}

static int end(struct walk *w, const struct scan_container *c, struct err *err)
{
    walk_progress(w);
    return w->sink.container_end ? w->sink.container_end(w->sink.self, c, err) : 0;
}

static int give_image(struct walk *w, const struct scan_container *c, const struct image *image,
                      struct err *err)
{
    return w->sink.image ? w->sink.image(w->sink.self, c, image, err) : 0;
}

static uint64_t whole_size(const struct image *image)
{
    return image->compression == IMAGE_PLAIN ? image->payload_size : image->unpacked_size;
}

static bool wants_payload(const struct walk *w, const struct image *image)
{
    uint64_t max = w->options.stored_max;
    return w->options.payloads && w->sink.payload && !image->obfuscated &&
           (max == 0 || (image->payload_size <= max && whole_size(image) <= max * SMALL_RATIO));
}

/* `stored` is the whole payload. */
static int give_payload(struct walk *w, const struct image *image, const uint8_t *stored,
                        struct err *err)
{
    struct err problem = { 0 };
    const uint8_t *data;
    size_t size;
    if (unpack_image(w->unpack, image, stored, (size_t)image->payload_size, &data, &size,
                     &problem) < 0) {
        walk_problem(w, &problem);
        return 0;
    }
    return w->sink.payload(w->sink.self, image, data, size, err);
}

/* ---- what only the payload says ------------------------------------------------------------ */

/* Stored bytes that yield `want` unpacked ones. No compressor makes them longer, but a few bytes
 * of framing come on top, and zstd gives nothing before a block is complete. */
static size_t start_stored(const struct image *image, size_t want)
{
    size_t size = want;
    if (image->compression != IMAGE_PLAIN)
        size += want / 128 + 256;
    if (image->compression == IMAGE_ZSTD)
        size += ZSTD_BLOCK_MAX;
    return size < image->payload_size ? size : (size_t)image->payload_size;
}

/* The first `want` unpacked bytes, or what can be had of them, behind `before` bytes of the window
 * (an entry header). Valid until the next call. -1 only on a read error. */
static int read_start(struct walk *w, const struct image *image, size_t before, size_t want,
                      const uint8_t **start, size_t *size, struct err *err)
{
    if (want > whole_size(image))
        want = (size_t)whole_size(image);
    size_t got, n = start_stored(image, want);
    const uint8_t *window = input_peek(w->in, before + n, &got, err);
    *size = 0;
    if (!window)
        return -1;
    if (got < before + n)
        return 0; /* the walk finds out by itself that the input ends here */
    *size = unpack_start(w->unpack, image->compression, window + before, n, want, start);
    return 0;
}

/* Completes a cubin of a fat binary from its first bytes. (PTX there has lost nvcc's comments.) */
static int describe(struct walk *w, struct image *image, size_t before, struct err *err)
{
    struct cubin cubin;
    const uint8_t *start;
    size_t size, want = image->abi >= 8 ? NOTES_NEAR : CUBIN_HEADER_SIZE;
    if (image->kind != IMAGE_CUBIN || image->obfuscated)
        return 0;
    if (read_start(w, image, before, want, &start, &size, err) < 0)
        return -1;
    if (size == 0 || cubin_parse_header(start, size, &cubin, NULL) < 0)
        return 0;
    image->relocatable = cubin.relocatable;
    image->abi = cubin.abi;
    if (cubin.abi >= 8 && !cubin_find_notes(start, size, &cubin) && size < whole_size(image)) {
        if (read_start(w, image, before, NOTES_FAR, &start, &size, err) < 0)
            return -1;
        cubin_find_notes(start, size, &cubin);
    }
    image->toolkit_major = cubin.toolkit_major;
    image->toolkit_minor = cubin.toolkit_minor;
    return 0;
}

/* ---- fat binaries -------------------------------------------------------------------------- */

/* The entry header at the position. 0, -1 on a read error, 1 with `problem` set when it is damaged.
 */
static int read_entry(struct walk *w, uint64_t left, struct fatbin_entry *entry,
                      struct err *problem, struct err *err)
{
    uint64_t pos = input_pos(w->in), size = input_size(w->in);
    uint32_t header_size;
    size_t got;
    const uint8_t *data = input_peek(w->in, FATBIN_ENTRY_FIXED, &got, err);
    if (!data)
        return -1;
    if (fatbin_entry_size(data, got, pos, left, &header_size, problem) < 0)
        return 1;
    data = input_peek(w->in, header_size, &got, err);
    if (!data)
        return -1;
    if (fatbin_parse_entry(data, got, pos, left, entry, problem) < 0)
        return 1;
    uint64_t end_of_entry = pos + entry->header_size + entry->padded_size;
    if (size != INPUT_SIZE_UNKNOWN && end_of_entry > size) {
        err_format(problem, pos, "file ends inside a fat binary entry that states %llu bytes",
                   (unsigned long long)(entry->header_size + entry->padded_size));
        return input_skip(w->in, size, err) < 0 ? -1 : 1; /* what is left is a part of it */
    }
    return 0;
}

/* Moves behind the entry. 1 with `problem` when the input ends before it does. */
static int leave_entry(struct walk *w, const struct fatbin_entry *entry, struct err *problem,
                       struct err *err)
{
    uint64_t to = entry->image.offset + entry->header_size + entry->padded_size;
    if (input_skip(w->in, to - input_pos(w->in), err) < 0)
        return -1;
    if (input_pos(w->in) == to)
        return 0;
    err_format(problem, entry->image.offset, "input ends inside a fat binary entry");
    return 1;
}

/* The entry's payload goes to the sink. 1 with `problem` when the input ends before it does. */
static int entry_with_payload(struct walk *w, const struct scan_container *c,
                              const struct fatbin_entry *entry, struct err *problem,
                              struct err *err)
{
    const struct image *image = &entry->image;
    size_t got, whole = entry->header_size + (size_t)image->payload_size;
    const uint8_t *data = input_peek(w->in, whole, &got, err);
    if (!data)
        return -1;
    if (got >= whole && (give_image(w, c, image, err) < 0 ||
                         give_payload(w, image, data + entry->header_size, err) < 0))
        return -1;
    return leave_entry(w, entry, problem, err);
}

static int entry_without_payload(struct walk *w, const struct scan_container *c,
                                 const struct fatbin_entry *entry, struct err *problem,
                                 struct err *err)
{
    int rc = leave_entry(w, entry, problem, err);
    return rc ? rc : give_image(w, c, &entry->image, err);
}

static int walk_entry(struct walk *w, const struct scan_container *c, struct fatbin_entry *entry,
                      struct err *problem, struct err *err)
{
    struct image *image = &entry->image;
    if (describe(w, image, entry->header_size, err) < 0)
        return -1;
    if (!wants_payload(w, image))
        return entry_without_payload(w, c, entry, problem, err);
    if (image->payload_size <= INPUT_WINDOW_MAX - entry->header_size)
        return entry_with_payload(w, c, entry, problem, err);
    struct err large = { 0 };
    err_format(&large, image->offset, "image of %llu stored bytes is too large to be read whole",
               (unsigned long long)image->payload_size);
    large.code = ERR_LIMIT;
    walk_problem(w, &large);
    return entry_without_payload(w, c, entry, problem, err);
}

/* Entry after entry, `left` bytes of them; ends at the first that is damaged. */
static int walk_entries(struct walk *w, const struct scan_container *c, uint64_t left,
                        struct err *err)
{
    struct err problem = { 0 };
    struct fatbin_entry entry;
    while (left > 0) {
        int rc = read_entry(w, left, &entry, &problem, err);
        if (rc == 0)
            rc = walk_entry(w, c, &entry, &problem, err);
        if (rc < 0)
            return -1;
        if (rc > 0) {
            walk_problem(w, &problem);
            return 0;
        }
        left -= entry.header_size + entry.padded_size;
        walk_progress(w);
    }
    return 0;
}

/* Whether what follows the magic can be a container. `problem` says why not. (One without entries
 * can: static cuDNN has some.) */
static bool plausible_fatbin(const uint8_t *data, size_t size, uint64_t pos, uint64_t *entries,
                             struct err *problem)
{
    uint32_t header_size;
    if (size < FATBIN_HEADER_SIZE) {
        err_format(problem, pos, "fat binary breaks off in its header");
        return false;
    }
    *entries = fatbin_entries_size(data, size);
    if (*entries > UINT64_MAX / 2 - pos) {
        err_format(problem, pos, "fat binary states %llu bytes", (unsigned long long)*entries);
        return false;
    }
    return *entries == 0 ||
           fatbin_entry_size(data + FATBIN_HEADER_SIZE, size - FATBIN_HEADER_SIZE,
                             pos + FATBIN_HEADER_SIZE, *entries, &header_size, problem) == 0;
}

/* Programs that look for containers hold the eight bytes of the magic in their code (this one does,
 * as clang compiles it). What follows there is instructions: neither a size that any file has room
 * for nor an entry. Damage to a real header spoils one of them, or begins the input. */
#define ENTRIES_MAX ((uint64_t)1 << 40)
static bool accidental(const struct walk *w, const uint8_t *data, size_t got)
{
    return input_pos(w->in) > 0 && got > FATBIN_HEADER_SIZE + 4 &&
           fatbin_entries_size(data, got) > ENTRIES_MAX &&
           !fatbin_entry_recognised(data + FATBIN_HEADER_SIZE, got - FATBIN_HEADER_SIZE);
}

int walk_fatbin(struct walk *w, struct err *err)
{
    struct scan_container c;
    struct err problem = { 0 };
    uint64_t entries;
    size_t got;
    const uint8_t *data = input_peek(w->in, FATBIN_HEADER_SIZE + FATBIN_ENTRY_FIXED, &got, err);
    if (!data)
        return -1;
    if (!fatbin_recognised(data, got) || accidental(w, data, got))
        return 0;
    if (!plausible_fatbin(data, got, input_pos(w->in), &entries, &problem)) {
        walk_problem(w, &problem);
        return 0;
    }
    if (begin(w, IMAGE_IN_FATBIN, FATBIN_HEADER_SIZE + entries, &c, err) < 0 ||
        input_skip(w->in, FATBIN_HEADER_SIZE, err) < 0 || walk_entries(w, &c, entries, err) < 0 ||
        end(w, &c, err) < 0)
        return -1;
    return 1;
}

/* ---- bare images --------------------------------------------------------------------------- */

/* A container of one image whose bytes are at hand (or not: `data` NULL). */
static int give_bare(struct walk *w, enum image_container_kind kind, struct image *image,
                     const uint8_t *data, struct err *err)
{
    struct scan_container c;
    if (begin(w, kind, image->payload_size, &c, err) < 0 || give_image(w, &c, image, err) < 0)
        return -1;
    if (data && wants_payload(w, image) && give_payload(w, image, data, err) < 0)
        return -1;
    if (input_skip(w->in, image->payload_size, err) < 0 || end(w, &c, err) < 0)
        return -1;
    return 1;
}

static void image_of_cubin(const struct cubin *cubin, uint64_t offset, struct image *image)
{
    *image = (struct image){ .kind = IMAGE_CUBIN,
                             .raw_kind = 2,
                             .arch = cubin->arch,
                             .suffix = cubin->suffix,
                             .abi = cubin->abi,
                             .relocatable = cubin->relocatable,
                             .bits32 = cubin->bits32,
                             .debug = cubin->debug,
                             .offset = offset,
                             .payload_offset = offset,
                             .payload_size = cubin->size };
    image->toolkit_major = cubin->toolkit_major;
    image->toolkit_minor = cubin->toolkit_minor;
}

/* Brings the whole cubin into the window: first up to its tables, then as far as those say. */
static const uint8_t *peek_cubin(struct walk *w, struct cubin *cubin, bool *whole, struct err *err)
{
    const uint8_t *data = NULL;
    uint64_t size = 0;
    size_t got;
    *whole = true;
    while (*whole && size < cubin->size) {
        size = cubin->size;
        *whole = size <= INPUT_WINDOW_MAX;
        data = input_peek(w->in, *whole ? (size_t)size : CUBIN_HEADER_SIZE, &got, err);
        if (!data)
            return NULL;
        *whole = *whole && got >= size;
        if (*whole)
            cubin->size = cubin_file_size(data, (size_t)size);
    }
    return data;
}

/* Not all of it is there: says so. */
static int pass_over(struct walk *w, const struct cubin *cubin)
{
    struct err problem = { 0 };
    w->table_bytes += cubin->section_count * (uint64_t)CUBIN_HEADER_SIZE;
    err_format(&problem, input_pos(w->in), "cubin that states %llu bytes %s",
               (unsigned long long)cubin->size,
               cubin->size > INPUT_WINDOW_MAX ? "is too large to be read whole" : "breaks off");
    walk_problem(w, &problem);
    return 0;
}

int walk_cubin(struct walk *w, struct err *err)
{
    struct cubin cubin;
    struct image image;
    bool whole;
    uint64_t pos = input_pos(w->in);
    size_t got;
    const uint8_t *data = input_peek(w->in, CUBIN_HEADER_SIZE, &got, err);
    if (!data)
        return -1;
    if (cubin_parse_header(data, got, &cubin, NULL) < 0)
        return 0;
    if (!may_read_tables(w))
        return pass_over(w, &cubin);
    data = peek_cubin(w, &cubin, &whole, err);
    if (!data)
        return -1;
    if (!whole)
        return pass_over(w, &cubin);
    cubin_read_notes(data, (size_t)cubin.size, &cubin);
    image_of_cubin(&cubin, pos, &image);
    return give_bare(w, IMAGE_BARE_CUBIN, &image, data, err);
}

/* Whether a module begins at `start`. The window is made long enough to tell. */
static const uint8_t *peek_next_module(struct walk *w, size_t start, bool *is_module,
                                       struct err *err)
{
    struct ptx ptx;
    size_t got, left = INPUT_WINDOW_MAX - start;
    size_t header = left < WALK_PTX_HEADER_MAX ? left : WALK_PTX_HEADER_MAX;
    const uint8_t *data = input_peek(w->in, start + header, &got, err);
    if (!data)
        return NULL;
    left = got - start;
    *is_module = ptx_parse_header(data + start, left < header ? left : header, &ptx);
    return data;
}

/* Brings the module at the position into the window: it ends at its first NUL, or where the next
 * module of a file of several begins. Searched in steps that grow, so that a file of many modules
 * is not searched to its end for each. */
static const uint8_t *peek_module(struct walk *w, size_t header, size_t *size, struct err *err)
{
    static const char next[] = "\n.version";
    const size_t length = sizeof next - 1;
    size_t text = header, from = header, step = PTX_STEP, got;
    for (bool ended = false; !ended; step *= 2) {
        size_t want = step < INPUT_WINDOW_MAX - text ? text + step : INPUT_WINDOW_MAX;
        const uint8_t *at, *data = input_peek(w->in, want, &got, err);
        if (!data)
            return NULL;
        text += ptx_text_size(data + text, (got < want ? got : want) - text);
        ended = text < want || want == INPUT_WINDOW_MAX;
        while (from < text && (at = memmem(data + from, text - from, next, length))) {
            bool is_module;
            *size = from = (size_t)(at - data) + 1;
            data = peek_next_module(w, from, &is_module, err);
            if (!data || is_module)
                return data;
        }
        if (text >= from + length)
            from = text - length + 1;
    }
    *size = text;
    return input_peek(w->in, text, &got, err);
}

int walk_ptx(struct walk *w, size_t header_max, struct err *err)
{
    struct ptx ptx;
    size_t got, size;
    const uint8_t *data = input_peek(w->in, header_max, &got, err);
    if (!data)
        return -1;
    if (!ptx_parse_header(data, got < header_max ? got : header_max, &ptx))
        return 0;
    data = peek_module(w, ptx.start + 1, &size, err);
    if (!data)
        return -1;
    uint64_t pos = input_pos(w->in);
    struct image image = { .kind = IMAGE_PTX,
                           .raw_kind = 1,
                           .arch = ptx.arch,
                           .suffix = ptx.suffix,
                           .bits32 = ptx.address_size == 32,
                           .debug = ptx.debug,
                           .ptx_major = ptx.version_major,
                           .ptx_minor = ptx.version_minor,
                           .toolkit_major = ptx.toolkit_major,
                           .toolkit_minor = ptx.toolkit_minor,
                           .offset = pos,
                           .payload_offset = pos,
                           .payload_size = size };
    return give_bare(w, IMAGE_BARE_PTX, &image, data, err);
}
