#include "host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { THREADS = 256, LANES = 32, STACK_BYTES = 128 * 1024, MASKS = 8 };

struct thread {
    ucontext_t context;
    struct host_index index;
    bool done;
    unsigned barriers;     /* passed or waited at */
    unsigned meets[MASKS]; /* by mask */
};

/* Lanes of one mask meet; two rounds of values, since some lanes may be one round ahead. */
struct meeting {
    unsigned mask;
    unsigned long long values[2][LANES];
};

static struct thread threads[THREADS];
static struct meeting meetings[THREADS / LANES][MASKS];
static char *stacks;
static ucontext_t scheduler;
static struct thread *current;
static unsigned thread_count, block;
static const struct kernel *running;
static unsigned votes[3], arrived[3]; /* of three rounds of barriers */
static unsigned dynamic_shared[4096];
static struct {
    unsigned long long *out;
    const unsigned *in;
    unsigned *work;
} args;

struct host_index host_index(enum host_place place)
{
    switch (place) {
    case HOST_THREAD:
        return current->index;
    case HOST_BLOCK:
        return (struct host_index){ block, 0, 0 };
    case HOST_BLOCK_SIZE:
        return (struct host_index){ running->block[0], running->block[1], running->block[2] };
    default:
        return (struct host_index){ running->grid, 1, 1 };
    }
}

unsigned *host_dynamic_shared(void)
{
    return dynamic_shared;
}

static unsigned thread_number(void)
{
    return (unsigned)(current - threads);
}

unsigned host_lane(void)
{
    return thread_number() % LANES;
}

static void wait_a_turn(void)
{
    swapcontext(&current->context, &scheduler);
}

static unsigned live(void)
{
    unsigned n = 0;
    for (unsigned i = 0; i < thread_count; i++)
        n += !threads[i].done;
    return n;
}

unsigned host_barrier(bool vote)
{
    unsigned round = current->barriers++ % 3, next = (round + 1) % 3;
    votes[round] += vote;
    arrived[round]++;
    /* whoever is here has left the last round but one, and nobody has passed this one */
    votes[next] = arrived[next] = 0;
    while (arrived[round] < live())
        wait_a_turn();
    return votes[round];
}

static unsigned meeting_of(struct meeting *of_warp, unsigned mask)
{
    for (unsigned m = 0; m < MASKS; m++) {
        if (of_warp[m].mask == mask || of_warp[m].mask == 0) {
            of_warp[m].mask = mask;
            return m;
        }
    }
    fprintf(stderr, "too many masks in one warp\n");
    abort();
}

static bool all_met(unsigned first, unsigned mask, unsigned m, unsigned round)
{
    for (unsigned l = 0; l < LANES && first + l < thread_count; l++)
        if (mask >> l & 1 && !threads[first + l].done && threads[first + l].meets[m] < round)
            return false;
    return true;
}

void host_meet(unsigned mask, unsigned long long value, unsigned long long values[32])
{
    unsigned warp = thread_number() / LANES, m = meeting_of(meetings[warp], mask);
    unsigned round = ++current->meets[m];
    struct meeting *meeting = &meetings[warp][m];
    meeting->values[round % 2][host_lane()] = value;
    while (!all_met(warp * LANES, mask, m, round))
        wait_a_turn();
    memcpy(values, meeting->values[round % 2], sizeof meeting->values[0]);
}

static void thread_main(void)
{
    running->run(args.out, args.in, args.work);
    current->done = true;
}

static void start_thread(unsigned i)
{
    struct thread *t = &threads[i];
    const unsigned *size = running->block;
    memset(t->meets, 0, sizeof t->meets);
    t->barriers = 0;
    t->done = false;
    t->index = (struct host_index){ i % size[0], i / size[0] % size[1], i / size[0] / size[1] };
    if (!running->meets)
        return;
    getcontext(&t->context);
    t->context.uc_stack.ss_sp = stacks + (size_t)i * STACK_BYTES;
    t->context.uc_stack.ss_size = STACK_BYTES;
    t->context.uc_link = &scheduler;
    makecontext(&t->context, thread_main, 0);
}

static void run_block(void)
{
    memset(meetings, 0, sizeof meetings);
    memset(votes, 0, sizeof votes);
    memset(arrived, 0, sizeof arrived);
    memset(dynamic_shared, 0xfa, sizeof dynamic_shared);
    for (unsigned i = 0; i < thread_count; i++)
        start_thread(i);
    for (bool more = true; more;) {
        more = false;
        for (unsigned i = 0; i < thread_count; i++) {
            if (threads[i].done)
                continue;
            current = &threads[i];
            if (running->meets)
                swapcontext(&scheduler, &current->context);
            else
                thread_main();
            more |= !current->done;
        }
    }
}

void host_run(const struct kernel *kernel, unsigned long long *out, const unsigned *in,
              unsigned *work)
{
    if (!stacks)
        stacks = malloc((size_t)THREADS * STACK_BYTES);
    running = kernel;
    thread_count = kernel->block[0] * kernel->block[1] * kernel->block[2];
    if (!stacks || thread_count > THREADS)
        abort();
    args.out = out;
    args.in = in;
    args.work = work;
    for (block = 0; block < kernel->grid; block++)
        run_block();
}
