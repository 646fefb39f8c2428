/* Collects what a scan reports, for tests. */
#ifndef TESTS_SCAN_SEEN_H
#define TESTS_SCAN_SEEN_H

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/scan.h"

#define SEEN_MAX 512

struct seen {
    struct scan_container containers[SEEN_MAX];
    struct image images[SEEN_MAX];
    struct err problems[SEEN_MAX];
    uint64_t container_of[SEEN_MAX];
    size_t container_count, ended, image_count, problem_count, payload_count, payload_bytes;
    uint32_t payload_sums[SEEN_MAX]; /* of payload i */
    enum scan_file_kind kind;
};

static inline uint32_t seen_sum(const void *bytes, size_t size)
{
    uint32_t sum = 2166136261u;
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ ((const uint8_t *)bytes)[i]) * 16777619u;
    return sum;
}

static inline int seen_container(void *self, const struct scan_container *c, struct err *err)
{
    struct seen *s = self;
    (void)err;
    cr_assert_eq(c->index, s->container_count);
    if (s->container_count < SEEN_MAX)
        s->containers[s->container_count] = *c;
    s->container_count++;
    return 0;
}

static inline int seen_image(void *self, const struct scan_container *c, const struct image *image,
                             struct err *err)
{
    struct seen *s = self;
    (void)err;
    cr_assert_eq(c->index, s->container_count - 1);
    if (s->image_count < SEEN_MAX) {
        s->images[s->image_count] = *image;
        s->container_of[s->image_count] = c->index;
    }
    s->image_count++;
    return 0;
}

static inline int seen_payload(void *self, const struct image *image, const uint8_t *data,
                               size_t size, struct err *err)
{
    struct seen *s = self;
    (void)err;
    cr_assert(s->image_count > 0);
    cr_assert_eq(image->offset, s->images[s->image_count - 1].offset);
    if (s->payload_count < SEEN_MAX)
        s->payload_sums[s->payload_count] = seen_sum(data, size);
    s->payload_count++;
    s->payload_bytes += size;
    return 0;
}

static inline int seen_end(void *self, const struct scan_container *c, struct err *err)
{
    struct seen *s = self;
    (void)err;
    cr_assert_eq(c->index, s->ended++);
    return 0;
}

static inline void seen_problem(void *self, const struct err *problem)
{
    struct seen *s = self;
    cr_assert_neq(problem->offset, ERR_NO_OFFSET, "%s", problem->msg);
    if (s->problem_count < SEEN_MAX)
        s->problems[s->problem_count] = *problem;
    s->problem_count++;
}

static inline struct scan_sink seen_sink(struct seen *s)
{
    return (struct scan_sink){ .self = s,
                               .container = seen_container,
                               .image = seen_image,
                               .payload = seen_payload,
                               .container_end = seen_end,
                               .problem = seen_problem };
}

/* Scans and closes `in`. */
static inline void seen_scan(struct seen *s, struct input *in, bool payloads)
{
    struct err err = { 0 };
    struct scan_options options = { .payloads = payloads };
    struct scan_sink sink = seen_sink(s);
    memset(s, 0, sizeof *s);
    cr_assert_eq(scan_input(in, &options, &sink, &s->kind, &err), 0, "%s", err.msg);
    cr_assert_eq(s->ended, s->container_count);
    input_close(in);
}

static inline void seen_scan_memory(struct seen *s, const void *data, size_t size, bool payloads)
{
    struct err err = { 0 };
    seen_scan(s, input_from_memory(data, size, &err), payloads);
}

/* "sm_35 compute_35 ": the images of container `index`, or of all for UINT64_MAX. */
static inline const char *seen_list(const struct seen *s, uint64_t index)
{
    static char list[4096];
    list[0] = 0;
    for (size_t i = 0; i < s->image_count && i < SEEN_MAX; i++) {
        char name[32];
        if (index != UINT64_MAX && s->container_of[i] != index)
            continue;
        image_arch_name(&s->images[i], name, sizeof name);
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s ", name);
    }
    return list;
}

#define SEEN_ALL UINT64_MAX

/* All that was reported, a line each; the caller frees it. */
static inline char *seen_text(const struct seen *s)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    cr_assert(f);
    fprintf(f, "file %d\n", (int)s->kind);
    for (size_t i = 0; i < s->container_count; i++) {
        const struct scan_container *c = &s->containers[i];
        fprintf(f, "container %d %ju %ju %d '%s'\n", (int)c->kind, (uintmax_t)c->offset,
                (uintmax_t)c->size, (int)c->place, c->section);
    }
    for (size_t i = 0; i < s->image_count; i++) {
        const struct image *m = &s->images[i];
        char name[32];
        image_arch_name(m, name, sizeof name);
        fprintf(f, "image %s in %ju: %u %d%d%d%d ptx %u.%u abi %u toolkit %u.%u %d %jx %jx ", name,
                (uintmax_t)s->container_of[i], (unsigned)m->raw_kind, m->relocatable, m->obfuscated,
                m->bits32, m->debug, m->ptx_major, m->ptx_minor, m->abi, m->toolkit_major,
                m->toolkit_minor, (int)m->compression, (uintmax_t)m->flags,
                (uintmax_t)m->unknown_flags);
        fprintf(f, "%ju %ju %ju %ju '%s'\n", (uintmax_t)m->offset, (uintmax_t)m->payload_offset,
                (uintmax_t)m->payload_size, (uintmax_t)m->unpacked_size, m->identifier);
    }
    for (size_t i = 0; i < s->payload_count; i++)
        fprintf(f, "payload %08x\n", (unsigned)s->payload_sums[i]);
    for (size_t i = 0; i < s->problem_count; i++)
        fprintf(f, "problem %d %ju %s\n", (int)s->problems[i].code,
                (uintmax_t)s->problems[i].offset, s->problems[i].msg);
    fclose(f);
    return text;
}

/* ---- a source that is read forwards only, a few bytes at a time ---------------------------- */

struct seen_drip {
    const uint8_t *data;
    size_t size, pos, step;
};

static inline long long seen_drip_read(void *self, void *to, size_t size, struct err *err)
{
    struct seen_drip *d = self;
    size_t n = d->step < size ? d->step : size;
    (void)err;
    if (n > d->size - d->pos)
        n = d->size - d->pos;
    memcpy(to, d->data + d->pos, n);
    d->pos += n;
    return (long long)n;
}

static inline void seen_scan_drip(struct seen *s, const void *data, size_t size, size_t step,
                                  bool payloads)
{
    static const struct input_ops ops = { .read = seen_drip_read };
    struct seen_drip drip = { data, size, 0, step };
    struct err err = { 0 };
    seen_scan(s, input_new(&ops, &drip, INPUT_SIZE_UNKNOWN, &err), payloads);
}

#endif
