/* Any bytes as a file. What is reported lies inside it and inside its container, entries follow
 * each other without overlap and end where the header said, and reading forwards in pieces shows
 * the same as reading from memory. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "image/scan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            abort();                                                                               \
    } while (0)

struct seen {
    uint64_t size;      /* of the input */
    uint64_t next;      /* where the next image or container may begin */
    bool exact;         /* it must begin there: nothing padded is in front of it */
    bool open, damaged; /* inside a container; a problem was reported in it */
    uint64_t containers, images, problems, payloads;
    uint64_t digest; /* of all that does not depend on how it is read */
};

static void mix(struct seen *s, uint64_t value)
{
    s->digest = (s->digest ^ value) * 0x9e3779b97f4a7c15u;
    s->digest ^= s->digest >> 29;
}

static int container(void *self, const struct scan_container *c, struct err *err)
{
    struct seen *s = self;
    (void)err;
    CHECK(!s->open && c->index == s->containers++);
    CHECK(c->offset >= s->next && c->offset < s->size);
    s->next = c->offset + (c->kind == IMAGE_IN_FATBIN ? 16 : 0);
    s->exact = true;
    s->open = true;
    s->damaged = false;
    mix(s, c->kind);
    mix(s, c->offset);
    mix(s, c->size);
    return 0;
}

static int image(void *self, const struct scan_container *c, const struct image *i, struct err *err)
{
    struct seen *s = self;
    (void)err;
    CHECK(s->open && (s->exact ? i->offset == s->next : i->offset >= s->next));
    CHECK(i->payload_offset >= i->offset && i->payload_offset <= s->size);
    CHECK(i->payload_size <= s->size - i->payload_offset);
    CHECK(i->payload_offset + i->payload_size <= c->offset + c->size);
    CHECK(strlen(i->identifier) < sizeof i->identifier);
    char name[32];
    image_arch_name(i, name, sizeof name);
    CHECK(image_kind_name(i->kind) && image_compression_name(i->compression) && name[0]);
    s->next = i->payload_offset + i->payload_size;
    s->exact = i->compression == IMAGE_PLAIN;
    s->images++;
    mix(s, i->offset);
    mix(s, i->payload_offset);
    mix(s, i->payload_size);
    mix(s, i->unpacked_size);
    mix(s, i->flags);
    mix(s, (uint64_t)i->arch << 32 | (uint64_t)i->suffix << 16 | i->raw_kind);
    mix(s, i->toolkit_major * 100 + i->toolkit_minor + (i->relocatable ? 100000 : 0));
    return 0;
}

static int payload(void *self, const struct image *i, const uint8_t *data, size_t size,
                   struct err *err)
{
    struct seen *s = self;
    (void)err;
    CHECK(!i->obfuscated);
    CHECK(size == (i->compression == IMAGE_PLAIN ? i->payload_size : i->unpacked_size));
    uint8_t any = 0; /* every byte must be there */
    for (size_t k = 0; k < size; k++)
        any |= data[k];
    s->payloads += any ? 1 : 0;
    return 0;
}

static int container_end(void *self, const struct scan_container *c, struct err *err)
{
    struct seen *s = self;
    (void)err;
    CHECK(s->open);
    s->open = false;
    if (!s->damaged) {
        CHECK(c->offset + c->size <= s->size);
        CHECK(s->exact ? s->next == c->offset + c->size : s->next <= c->offset + c->size);
        s->next = c->offset + c->size;
    }
    return 0;
}

static void problem(void *self, const struct err *p)
{
    struct seen *s = self;
    s->damaged = true;
    s->problems++;
    CHECK(p->code != ERR_NONE && p->msg[0] && p->offset <= s->size);
}

struct drip {
    const uint8_t *data;
    size_t size, pos, step;
};

static long long drip_read(void *self, void *to, size_t size, struct err *err)
{
    struct drip *d = self;
    (void)err;
    size_t n = d->step < size ? d->step : size;
    if (n > d->size - d->pos)
        n = d->size - d->pos;
    memcpy(to, d->data + d->pos, n);
    d->pos += n;
    return (long long)n;
}

static struct seen scan(struct input *in, size_t size, bool payloads)
{
    struct seen seen = { .size = size };
    struct err err = { 0 };
    struct scan_options options = { .payloads = payloads, .unpacked_max = 1 << 20 };
    struct scan_sink sink = { .self = &seen,
                              .container = container,
                              .image = image,
                              .payload = payload,
                              .container_end = container_end,
                              .problem = problem };
    enum scan_file_kind kind;
    CHECK(in && scan_input(in, &options, &sink, &kind, &err) == 0);
    CHECK(!seen.open && input_pos(in) <= size && scan_file_kind_name(kind));
    input_close(in);
    return seen;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct input_ops ops = { .read = drip_read };
    static const size_t steps[] = { 1, 13, 64, 5000 };
    struct drip drip = { data, size, 0, steps[size % 4] };
    struct err err = { 0 };
    struct seen memory = scan(input_from_memory(data, size, &err), size, false);
    struct seen whole = scan(input_from_memory(data, size, &err), size, true);
    struct seen forwards = scan(input_new(&ops, &drip, INPUT_SIZE_UNKNOWN, &err), size, false);
    CHECK(memory.containers == forwards.containers && memory.images == forwards.images);
    CHECK(memory.digest == forwards.digest && memory.problems == forwards.problems);
    CHECK(whole.images >= memory.images && whole.containers == memory.containers);
    return 0;
}
