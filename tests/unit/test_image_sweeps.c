/* Every specimen cut short at every offset, and each byte of its headers changed: no crash, no
 * hang, no read out of bounds (each input is an allocation of exactly its size, so that a sanitizer
 * sees one), and an error that says where. `make test` takes a sample; SMFIT_FULL=1 does all. */
#include "specimens.h"

#include <time.h>

#define SECONDS_MAX 10 /* for one scan of at most 64 KiB, on a busy machine under a sanitizer */

/* Of a payload, which is whatever bytes, its own headers and tables are changed too. */
#define PAYLOAD_HEAD 256
#define PAYLOAD_TAIL 1024

struct sweep {
    struct specimen file;
    struct seen whole;
    bool archive;
    uint64_t scans;
};

static bool full(void)
{
    const char *value = getenv("SMFIT_FULL");
    return value && *value && *value != '0';
}

/* Odd, so that a sample meets every alignment. */
static size_t step_of(size_t size, size_t sample)
{
    return full() || size <= sample ? 1 : size / sample | 1;
}

static void scan_bytes(struct sweep *w, uint8_t *data, size_t size, struct seen *s)
{
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    specimen_scan(w->file.file, input_from_memory(data, size, NULL), s);
    clock_gettime(CLOCK_MONOTONIC, &to);
    cr_assert_lt(to.tv_sec - from.tv_sec, SECONDS_MAX, "%s of %zu bytes", w->file.file, size);
    w->scans++;
}

/* Runs `one` on every specimen that is an archive, or that is none. */
static void each(bool archives, void (*one)(struct sweep *w))
{
    struct table t = specimen_manifest();
    const char *last = "";
    uint64_t scans = 0;
    for (size_t i = 0; i < t.row_count; i++) {
        struct sweep w = { .archive = !table_blank(table_field(&t, i, "member")) };
        const char *file = table_field(&t, i, "file");
        if (w.archive != archives || !strcmp(file, last))
            continue;
        last = file;
        w.file = specimen_read(file);
        scan_bytes(&w, w.file.data, w.file.size, &w.whole);
        one(&w);
        scans += w.scans;
        seen_free(&w.whole);
        free(w.file.data);
    }
    cr_assert_geq(scans, (uint64_t)1000);
    table_free(&t);
}

/* ---- cut short ---------------------------------------------------------------------------------
 */

/* A container that breaks off behind its magic, version and size is told of, with its place. */
static void check_cut(const struct sweep *w, size_t size, const struct seen *s)
{
    for (size_t i = 0; i < w->whole.span_count && !w->archive; i++) {
        uint64_t start = w->whole.spans[i].start, end = w->whole.spans[i].end;
        if (size < start + 16 || size >= end)
            continue;
        cr_assert_gt(s->problem_count, (size_t)0, "%s cut to %zu bytes", w->file.file, size);
        cr_assert(s->problem_offset >= start && s->problem_offset <= size,
                  "%s cut to %zu bytes: offset %" PRIu64, w->file.file, size, s->problem_offset);
    }
    /* An archive that lists less says why. Its first bytes must be there to know it for one; and a
     * tar file that ends behind a member lacks only its end marker, which many do. */
    bool whole_members = str_ends(w->file.file, ".tar") && size % 512 == 0;
    if (w->archive && size >= 512 && !whole_members && strcmp(s->lines.p, w->whole.lines.p) != 0)
        cr_assert_gt(s->problem_count, (size_t)0, "%s cut to %zu bytes: %s", w->file.file, size,
                     s->lines.p);
}

static void cut(struct sweep *w)
{
    for (size_t size = 0; size < w->file.size; size += step_of(w->file.size, 200)) {
        uint8_t *part = malloc(size ? size : 1);
        struct seen s;
        cr_assert(part);
        memcpy(part, w->file.data, size);
        scan_bytes(w, part, size, &s);
        check_cut(w, size, &s);
        seen_free(&s);
        free(part);
    }
}

/* ---- bytes changed
 * -------------------------------------------------------------------------------
 */

static bool in_header(const struct sweep *w, size_t at)
{
    for (size_t i = 0; i < w->whole.payload_span_count && !w->archive; i++) {
        uint64_t start = w->whole.payloads[i].start, end = w->whole.payloads[i].end;
        if (at >= start + PAYLOAD_HEAD && at + PAYLOAD_TAIL < end)
            return false;
    }
    return true;
}

static void change_byte(struct sweep *w, size_t at, uint8_t value)
{
    struct seen s;
    uint8_t old = w->file.data[at];
    if (value == old)
        return;
    w->file.data[at] = value;
    scan_bytes(w, w->file.data, w->file.size, &s);
    if (!w->archive && s.problem_count)
        cr_assert(s.problem_offset == ERR_NO_OFFSET || s.problem_offset <= w->file.size,
                  "%s with byte %zu changed to 0x%02x: offset %" PRIu64, w->file.file, at, value,
                  s.problem_offset);
    seen_free(&s);
    w->file.data[at] = old;
}

static void change(struct sweep *w)
{
    for (size_t at = 0; at < w->file.size; at += step_of(w->file.size, 300)) {
        uint8_t old = w->file.data[at];
        const uint8_t values[] = { 0x00, 0xff, 0x7f, old ^ 0x01, old ^ 0x80, (uint8_t)(old + 1) };
        if (!in_header(w, at))
            continue;
        for (size_t i = 0; i < sizeof values && full(); i++)
            change_byte(w, at, values[i]);
        if (!full())
            change_byte(w, at, values[at % sizeof values]);
    }
}

Test(sweeps, files_cut_short_say_where, .timeout = 3000)
{
    each(false, cut);
}

Test(sweeps, archives_cut_short_say_so, .timeout = 3000)
{
    each(true, cut);
}

Test(sweeps, files_with_a_header_byte_changed_are_read_within_bounds, .timeout = 3000)
{
    each(false, change);
}

Test(sweeps, archives_with_a_byte_changed_are_read_within_bounds, .timeout = 3000)
{
    each(true, change);
}
