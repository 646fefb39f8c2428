/* The files of tests/data/specimens: read into memory, scanned, and put into the words of
 * manifest.tsv. Tests run from the project's root. */
#ifndef SPECIMENS_H
#define SPECIMENS_H

#include <criterion/criterion.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/str.h"
#include "core/table.h"
#include "image/archive.h"
#include "image/check.h"
#include "image/scan.h"

#define SPECIMENS "tests/data/specimens"

struct specimen {
    const char *file;
    uint8_t *data; /* exactly `size` bytes, so that a read behind them is seen */
    size_t size;
};

static inline struct specimen specimen_read(const char *file)
{
    char path[256];
    snprintf(path, sizeof path, SPECIMENS "/%s", file);
    FILE *f = fopen(path, "rb");
    cr_assert(f, "cannot open '%s': run from the project's root", path);
    struct specimen s = { .file = file };
    fseek(f, 0, SEEK_END);
    s.size = (size_t)ftell(f);
    rewind(f);
    s.data = malloc(s.size);
    cr_assert(s.data && fread(s.data, 1, s.size, f) == s.size, "'%s'", path);
    fclose(f);
    return s;
}

static inline struct table specimen_manifest(void)
{
    struct specimen text = specimen_read("manifest.tsv");
    struct table t;
    struct err err;
    err_clear(&err);
    cr_assert(!table_parse(&t, (char *)text.data, text.size, &err), "%s", err.msg);
    free(text.data);
    return t;
}

/* ---- a list of words, each with how often it came ------------------------------------------- */

#define WORDS_MAX 256

struct words {
    char *list[WORDS_MAX];
    size_t count;
};

static inline void words_add(struct words *w, const char *word)
{
    cr_assert_lt(w->count, (size_t)WORDS_MAX);
    w->list[w->count++] = strdup(word);
}

static inline void words_clear(struct words *w)
{
    for (size_t i = 0; i < w->count; i++)
        free(w->list[i]);
    w->count = 0;
}

static inline int words_compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* "1*sm_35 2*sm_50", or "-" for none. */
static inline void words_put(struct words *w, struct str *to)
{
    qsort(w->list, w->count, sizeof *w->list, words_compare);
    if (!w->count)
        str_add(to, "-");
    for (size_t i = 0, n; i < w->count; i += n) {
        for (n = 1; i + n < w->count && !strcmp(w->list[i], w->list[i + n]); n++)
            ;
        str_addf(to, "%s%zu*%s", i ? " " : "", n, w->list[i]);
    }
}

/* ---- one scan ------------------------------------------------------------------------------- */

#define SPANS_MAX 64

/* What a scan of one specimen met. */
struct seen {
    struct str lines; /* member, host, containers and images, as in the manifest; each ends in \n */
    struct words containers, images;
    const char *member;
    size_t image_count, payload_count; /* of all members */
    struct str problems;               /* a line each */
    size_t problem_count;
    uint64_t problem_offset; /* of the first; ERR_NO_OFFSET when it has none */
    struct {                 /* containers of the last member */
        uint64_t start, end;
    } spans[SPANS_MAX];
    size_t span_count;
    struct { /* payloads of the last member, which mutations leave alone */
        uint64_t start, end;
    } payloads[SPANS_MAX];
    size_t payload_span_count;
};

static inline void seen_free(struct seen *s)
{
    str_free(&s->lines);
    str_free(&s->problems);
    words_clear(&s->containers);
    words_clear(&s->images);
}

static inline void seen_problem(void *self, const struct err *problem)
{
    struct seen *s = self;
    cr_assert(problem->code != ERR_NONE && problem->msg[0]);
    if (s->problem_count++ == 0)
        s->problem_offset = problem->offset;
    if (s->problem_count < 20)
        str_addf(&s->problems, "%s\n", problem->msg);
}

static inline void seen_archive_problem(void *self, const char *member, const struct err *problem)
{
    (void)member;
    seen_problem(self, problem);
}

static inline int seen_container(void *self, const struct scan_container *c, struct err *err)
{
    static const char *const kinds[] = {
        [IMAGE_IN_FATBIN] = "fatbin", [IMAGE_BARE_CUBIN] = "cubin", [IMAGE_BARE_PTX] = "ptx"
    };
    struct seen *s = self;
    char word[64];
    (void)err;
    snprintf(word, sizeof word, "%s/%s", kinds[c->kind], scan_place_name(c->place));
    if (s->containers.count < WORDS_MAX)
        words_add(&s->containers, word);
    if (s->span_count < SPANS_MAX && c->kind == IMAGE_IN_FATBIN) {
        s->spans[s->span_count].start = c->offset;
        s->spans[s->span_count++].end = c->offset + c->size;
    }
    return 0;
}

static inline void seen_image_word(const struct image *i, struct str *word)
{
    char arch[24];
    image_arch_name(i, arch, sizeof arch);
    str_addf(word, "%s%s/%s", i->kind == IMAGE_CUBIN_TEXT ? "cubin-text:" : "", arch,
             image_compression_name(i->compression));
    if (i->abi)
        str_addf(word, "/abi%u", i->abi);
    if (i->ptx_major)
        str_addf(word, "/isa%u.%u", i->ptx_major, i->ptx_minor);
    if (i->toolkit_major)
        str_addf(word, "/tk%u.%u", i->toolkit_major, i->toolkit_minor);
    if (i->kind == IMAGE_UNKNOWN)
        str_addf(word, "/raw%u", i->raw_kind);
    str_add(word, i->relocatable ? "/rel" : "");
    str_add(word, i->obfuscated ? "/obf" : "");
    str_add(word, i->debug ? "/debug" : "");
    str_add(word, i->bits32 ? "/32" : "");
    if (i->unknown_flags)
        str_addf(word, "/flags=0x%" PRIx64, i->unknown_flags);
    if (*i->identifier)
        str_addf(word, "/id=%s", i->identifier);
    for (char *p = word->p; *p; p++)
        if (*p == ' ')
            *p = '_';
}

static inline int seen_image(void *self, const struct scan_container *c, const struct image *image,
                             struct err *err)
{
    struct seen *s = self;
    struct str word = STR_INIT;
    (void)c, (void)err;
    s->image_count++;
    seen_image_word(image, &word);
    if (s->images.count < WORDS_MAX)
        words_add(&s->images, word.p);
    str_free(&word);
    if (s->payload_span_count < SPANS_MAX) {
        s->payloads[s->payload_span_count].start = image->payload_offset;
        s->payloads[s->payload_span_count++].end = image->payload_offset + image->payload_size;
    }
    return 0;
}

static inline int seen_payload(void *self, const struct image *image, const uint8_t *data,
                               size_t size, struct err *err)
{
    struct seen *s = self;
    struct err problem;
    uint8_t last = size ? data[size - 1] : 0; /* touched, for the sanitizer */
    (void)err, (void)last;
    s->payload_count++;
    err_clear(&problem);
    if (check_payload(image, data, size, &problem) < 0)
        seen_problem(s, &problem);
    return 0;
}

static inline int seen_file(void *self, const char *member, struct input *in, struct err *err)
{
    struct seen *s = self;
    const struct scan_options options = { .payloads = true };
    const struct scan_sink sink = { .self = s,
                                    .container = seen_container,
                                    .image = seen_image,
                                    .payload = seen_payload,
                                    .problem = seen_problem };
    enum scan_file_kind kind;
    s->span_count = s->payload_span_count = 0;
    int rc = scan_input(in, &options, &sink, &kind, err);
    if (!*member || s->containers.count) {
        str_addf(&s->lines, "%s\t%s\t", *member ? member : "-", scan_file_kind_name(kind));
        words_put(&s->containers, &s->lines);
        str_add(&s->lines, "\t");
        words_put(&s->images, &s->lines);
        str_add(&s->lines, "\n");
    }
    words_clear(&s->containers);
    words_clear(&s->images);
    return rc;
}

/* Scans `in` and closes it. */
static inline void specimen_scan(const char *name, struct input *in, struct seen *s)
{
    const struct archive_sink sink = { s, seen_file, seen_archive_problem, NULL };
    struct err err;
    err_clear(&err);
    *s = (struct seen){ .lines = STR_INIT, .problems = STR_INIT, .problem_offset = ERR_NO_OFFSET };
    cr_assert(in, "out of memory");
    cr_assert_eq(archive_walk_input(name, in, &sink, &err), 0, "%s: %s", name, err.msg);
    input_close(in);
}

#endif
