/* Inside of the engine: what a running warp is. Shared by exec_*.c, mem_*.c and, for the names of
 * functions, decode_*.c. */
#ifndef VGPU_EXEC_WARP_H
#define VGPU_EXEC_WARP_H

#include <pthread.h>
#include <stdatomic.h>

#include "vgpu/decode.h"
#include "vgpu/exec.h"

#define EXEC_ALL_LANES UINT32_MAX

enum exec_pred_op { EXEC_PRED_NONE, EXEC_PRED_AND, EXEC_PRED_OR, EXEC_PRED_XOR };
enum exec_carry_op { EXEC_CARRY_ADD, EXEC_CARRY_SUB, EXEC_CARRY_MAD_LO, EXEC_CARRY_MAD_HI };
enum exec_bar_op { EXEC_BAR_SYNC, EXEC_BAR_ARRIVE, EXEC_BAR_POPC, EXEC_BAR_AND, EXEC_BAR_OR };
enum exec_shfl_mode { EXEC_SHFL_UP, EXEC_SHFL_DOWN, EXEC_SHFL_BFLY, EXEC_SHFL_IDX };
enum exec_vote_mode { EXEC_VOTE_ALL, EXEC_VOTE_ANY, EXEC_VOTE_UNI, EXEC_VOTE_BALLOT };
enum mem_atom_op {
    MEM_ATOM_ADD,
    MEM_ATOM_MIN,
    MEM_ATOM_MAX,
    MEM_ATOM_AND,
    MEM_ATOM_OR,
    MEM_ATOM_XOR,
    MEM_ATOM_EXCH,
    MEM_ATOM_CAS,
    MEM_ATOM_INC,
    MEM_ATOM_DEC,
};
enum mem_copy_flags { MEM_COPY_WIDE = 1, MEM_COPY_DYNAMIC = 2 };

/* One activation of a function. */
struct frame {
    struct frame *caller;
    struct frame *next_free;
    const struct code_function *fn;
    uint32_t function; /* its number */
    uint32_t depth;
    uint32_t local_base; /* of its frame in each thread's local memory */
    uint32_t call;       /* the call instruction in the caller */
    uint32_t users;      /* entries of the split stack */
    uint8_t *regs;
};

/* Lanes that run together. The stack's upper entries cover parts of lower ones: an entry goes on
 * when all that lies above it and shares lanes with it has reached `rejoin`. */
struct split {
    uint32_t pc, rejoin, mask;
    uint8_t wait; /* enum split_wait */
    uint8_t barrier;
    uint8_t parked;     /* the instruction at `pc` is to be run when all members wait */
    uint32_t wait_mask; /* of bar.warp.sync */
    struct frame *frame;
};

enum split_wait { WAIT_NONE, WAIT_BARRIER, WAIT_WARP };

/* What the addresses of a warp looked like the last time an instruction ran: distances from the
 * first active lane's, and what follows from them. Loops repeat it, so it is computed once. */
struct pattern {
    uint32_t mask;
    uint8_t kind;     /* enum pattern_kind */
    uint8_t base_low; /* first address modulo 128 */
    uint8_t low_bits; /* or of the distances' low bits */
    int32_t least, most;
    uint32_t sectors, lines, cycles;
    int32_t delta[OP_LANES] __attribute__((aligned(64)));
};

enum pattern_kind { PATTERN_NONE, PATTERN_SAME, PATTERN_DENSE, PATTERN_ANY };

struct profile {
    uint64_t issued, lanes;
};

struct run;
struct block;
struct worker;

struct warp {
    struct block *block;
    struct worker *worker;
    struct split *splits;
    uint32_t depth, split_cap;
    uint32_t id;
    uint32_t valid; /* lanes that exist */
    uint32_t live;  /* that have not left */
    /* of the split that runs */
    struct frame *frame;
    uint8_t *regs;
    const uint8_t *consts;
    const struct inst *code;
    uint32_t pc;
    uint64_t issued;
    uint8_t *local; /* lane i's memory at i * local_stride */
};

struct barrier {
    uint32_t arrived;         /* threads */
    uint32_t expected;        /* 0: all that live */
    uint32_t popc, and_, or_; /* the reduction so far */
    uint32_t generation;
};

enum { EXEC_BARRIERS = 16 };

struct block {
    struct warp *warps;
    uint32_t warp_count;
    uint32_t index[3];
    uint64_t linear;
    uint32_t live_threads;
    uint8_t *shared;
    uint32_t shared_bytes;
    struct barrier barriers[EXEC_BARRIERS];
    uint32_t bar_result[EXEC_BARRIERS]; /* of the last completed reduction */
};

/* One host thread of a launch with all that it needs for one block at a time. */
struct worker {
    struct run *run;
    struct block block;
    const struct mem_block *last_block; /* of global memory, see mem_access */
    struct pattern **patterns;          /* by function, then by the instruction's slot */
    struct profile **profiles;          /* by function, then by instruction */
    struct frame **free_frames;         /* by function */
    struct exec_counters counters;
    uint64_t issued_before; /* not yet reported to the budget */
    uint8_t *scratch;       /* a 64-bit register */
    pthread_t thread;
    bool failed; /* out of memory */
};

struct run {
    const struct code *code;
    const struct code_function *fn;
    uint32_t function;
    const struct exec_launch *launch;
    struct mem_map map;
    uint8_t *params; /* a padded copy */
    uint32_t block_threads, warps_per_block;
    uint32_t shared_bytes, dynamic_base;
    uint32_t local_stride;
    uint64_t block_count;
    uint64_t budget;
    unsigned bank_bytes;
    bool independent; /* threads of a warp: capability 7.0 and up */
    _Atomic uint64_t next_block, issued;
    _Atomic bool stop;
    pthread_mutex_t lock;
    struct exec_fault fault; /* the first; under the lock */
    uint64_t fault_block;
    struct exec_fault unwritten; /* likewise the first, not a fault */
    uint64_t unwritten_reads, unwritten_block;
};

static inline const void *warp_in(const struct warp *w, uint32_t ref)
{
    return ref & INST_CONST ? w->consts + (ref & ~INST_CONST) : w->regs + ref;
}

static inline uint32_t warp_pred(const struct warp *w, uint32_t ref)
{
    return *(const uint32_t *)warp_in(w, ref);
}

/* Lanes of registers as numbers; `size` is 8 for wide registers. */
typedef uint32_t __attribute__((may_alias)) reg32;
typedef uint64_t __attribute__((may_alias)) reg64;

static inline uint64_t warp_lane(const void *reg, unsigned size, unsigned lane)
{
    return size == 8 ? ((const reg64 *)reg)[lane] : ((const reg32 *)reg)[lane];
}

static inline void warp_set_lane(void *reg, unsigned size, unsigned lane, uint64_t value)
{
    if (size == 8)
        ((reg64 *)reg)[lane] = value;
    else
        ((reg32 *)reg)[lane] = (uint32_t)value;
}

static inline void warp_set_pred(struct warp *w, uint32_t ref, uint32_t value, uint32_t mask)
{
    uint32_t *p = (uint32_t *)(w->regs + ref);
    *p = (*p & ~mask) | (value & mask);
}

/* for each lane of a mask; `m` is used up */
#define FOR_LANES(lane, m)                                                                         \
    for (unsigned lane; (m) && (lane = (unsigned)__builtin_ctz(m), true); (m) &= (m)-1)

/* exec_warp.c: runs until the warp waits, ends, faults (-1) or has used its share. */
enum warp_state { WARP_READY, WARP_WAITING, WARP_DONE, WARP_FAULT };
enum warp_state exec_run_warp(struct warp *w, uint32_t share);
/* Lanes leave for good. */
void exec_leave(struct warp *w, uint32_t mask);

/* exec_split.c: the stack of diverged lanes. */
int exec_push(struct warp *w, struct split s);
void exec_load_top(struct warp *w);
/* Drops finished entries; false when the warp has none left. */
bool exec_settle(struct warp *w);
/* Brings another group of lanes to the top that can run now; false when all wait. */
bool exec_rotate(struct warp *w);
/* Lets another group of lanes run first, if there is one; from 7.0 on no group starves. */
void exec_give_way(struct warp *w);
/* When nothing else can go on, lanes that wait for others to meet them go on alone, from 7.0 on. */
bool exec_part_waiting(struct warp *w);
int exec_branch(struct warp *w, const struct inst *in, uint32_t taken, uint32_t mask);
int exec_branch_table(struct warp *w, const struct inst *in, uint32_t mask);
int exec_call(struct warp *w, const struct inst *in, uint32_t mask);
void exec_return(struct warp *w, uint32_t mask);
struct frame *exec_new_frame(struct warp *w, uint32_t function);
void exec_release_frame(struct worker *worker, struct frame *frame);

/* exec_barrier.c */
int exec_barrier(struct warp *w, const struct inst *in, uint32_t mask);
int exec_warp_barrier(struct warp *w, const struct inst *in, uint32_t mask);
/* Before a .sync instruction, whose members stand in `e`: 0 when all are here, 1 when the group has
 * been parked (and perhaps run already, with others), negative on a fault. */
int exec_sync(struct warp *w, const struct inst *in, uint32_t mask);
/* After lanes have left: barriers may have become complete. */
void exec_check_barriers(struct block *b);

/* exec_fault.c: records the first fault of the launch and returns its code. */
int exec_fail(struct warp *w, const struct inst *in, unsigned lane, enum exec_code code,
              const char *fmt, ...) __attribute__((format(printf, 5, 6)));
int exec_fail_access(struct warp *w, const struct inst *in, unsigned lane, enum exec_code code,
                     enum ptx_space space, uint64_t address, uint32_t bytes, bool is_write);

/* A load of memory that nobody wrote. */
void exec_note_unwritten(struct warp *w, const struct inst *in, unsigned lane, enum ptx_space space,
                         uint64_t address, uint32_t bytes);

/* Bytes of one actual parameter of a call at one lane; at most `size` are copied. */
void exec_get_arg(struct warp *w, const struct code_param *arg, unsigned lane, void *to,
                  uint32_t size);
void exec_set_arg(struct warp *w, const struct code_param *arg, unsigned lane, const void *from,
                  uint32_t size);

/* Functions of instructions. */
inst_warp_fn exec_read_special, exec_read_address, exec_carry, exec_is_space;
inst_warp_fn exec_print, exec_assert;
inst_warp_fn exec_shfl, exec_vote, exec_match, exec_activemask, exec_redux, exec_elect;
inst_warp_fn exec_wmma_load, exec_wmma_store, exec_mma, exec_ldmatrix, exec_movmatrix;
inst_warp_fn mem_load, mem_store, mem_load_param, mem_atom, mem_copy_async;

bool exec_special_known(enum ptx_word word);

/* mem_access.c: host memory for `bytes` at one lane's address in a space; NULL and a recorded fault
 * when it may not be accessed. */
uint8_t *mem_lane_host(struct warp *w, const struct inst *in, unsigned lane, enum ptx_space space,
                       uint64_t address, uint32_t bytes, uint32_t align, bool is_write);
/* The address that lane has: register + offset, frame and dynamic base included. */
uint64_t mem_lane_address(const struct warp *w, const struct inst *in, unsigned lane);

#endif
