#include "image/ahead.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#define SEGMENT      ((size_t)256 << 10) /* two of them stay in a processor's own cache */
#define SEGMENTS_MAX 128
#define QUIET_MIN    ((uint64_t)1 << 20)

/* One stretch of the file, taken segment by segment by whoever is free. */
struct search {
    struct input *in;
    uint64_t from;
    size_t count; /* of segments */
    atomic_size_t next;
    atomic_size_t stop;         /* the first segment known not to be clear to its end, or `count` */
    size_t clear[SEGMENTS_MAX]; /* bytes of each in which nothing begins */
    uint8_t last[SEGMENTS_MAX]; /* the last of those bytes */
};

struct searcher {
    struct search *search;
    uint8_t *buffer; /* SEGMENT + FIND_OVERLAP bytes */
};

void ahead_note(struct ahead *a, uint64_t bytes, enum find_kind found)
{
    a->quiet = found == FIND_NOTHING ? a->quiet + bytes : 0;
}

static void lower(atomic_size_t *to, size_t value)
{
    size_t now = atomic_load(to);
    while (value < now && !atomic_compare_exchange_weak(to, &now, value))
        continue;
}

static void look(struct searcher *s, size_t i)
{
    struct search *search = s->search;
    size_t at = 0;
    long long got = input_read_at(search->in, search->from + (uint64_t)i * SEGMENT, s->buffer,
                                  SEGMENT + FIND_OVERLAP - 1, NULL);
    enum find_kind found = got > 0 ? find_candidate(s->buffer, (size_t)got, &at) : FIND_NOTHING;
    search->clear[i] = at;
    search->last[i] = at > 0 ? s->buffer[at - 1] : 0;
    if (found != FIND_NOTHING || at < SEGMENT)
        lower(&search->stop, i);
}

static void *work(void *self)
{
    struct searcher *s = self;
    for (;;) {
        size_t i = atomic_fetch_add(&s->search->next, 1);
        if (i >= s->search->count || i > atomic_load(&s->search->stop))
            return NULL;
        look(s, i);
    }
}

/* Both threads look; when the second cannot be started the first does it all. */
static void look_through(struct search *search, uint8_t *buffers)
{
    struct searcher here = { search, buffers },
                    there = { search, buffers + SEGMENT + FIND_OVERLAP };
    pthread_t thread;
    bool second = pthread_create(&thread, NULL, work, &there) == 0;
    work(&here);
    if (second)
        pthread_join(thread, NULL);
}

/* How far it is clear, from what each segment says. */
static uint64_t clear_bytes(struct search *search, uint8_t *before)
{
    size_t stop = atomic_load(&search->stop);
    size_t last = stop < search->count ? stop : stop - 1;
    if (search->clear[last] > 0)
        *before = search->last[last];
    else if (last > 0)
        *before = search->last[last - 1];
    return (uint64_t)last * SEGMENT + search->clear[last];
}

static size_t segments_ahead(const struct ahead *a, const struct input *in)
{
    uint64_t left = input_dense_left(in), most = a->quiet < left ? a->quiet : left;
    uint64_t count = most / SEGMENT;
    if (a->quiet < QUIET_MIN || count < 2 || sysconf(_SC_NPROCESSORS_ONLN) < 2)
        return 0;
    return count < SEGMENTS_MAX ? (size_t)count : SEGMENTS_MAX;
}

int ahead_skip(struct ahead *a, struct input *in, uint8_t *before, struct err *err)
{
    size_t count = segments_ahead(a, in);
    if (count == 0)
        return 0;
    struct search search = { .in = in, .from = input_pos(in), .count = count, .stop = count };
    uint8_t *buffers = malloc(2 * (SEGMENT + FIND_OVERLAP));
    if (!buffers)
        return 0; /* the reader gets by with less */
    look_through(&search, buffers);
    free(buffers);
    uint64_t clear = clear_bytes(&search, before);
    a->quiet += clear;
    if (clear == 0)
        return 0;
    return input_skip(in, clear, err) < 0 ? -1 : 1;
}
