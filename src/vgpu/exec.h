/* The virtual GPU's engine: PTX text in, kernels that run on the CPU out.
 *
 *     struct mem_arena *arena = mem_new(2u << 30, &err);
 *     exec_load(&module, text, size, arena, &(struct exec_target){ .capability = 35 }, &err);
 *     exec_launch(module, exec_find(module, "saxpy"), &launch, &result, &err);
 *
 * A module belongs to one arena (device or context); launches of one module or arena may run at the
 * same time from several threads. Errors of the engine are in `err`, with the driver's code in
 * err->native; faults of a kernel are data in the result. Nothing here prints.
 *
 * Figures about registers and time are estimates and estimates' raw material: PTX is executed, not
 * what a real compiler would make of it. */
#ifndef VGPU_EXEC_H
#define VGPU_EXEC_H

#include <stdbool.h>
#include <stdint.h>

#include "core/err.h"
#include "vgpu/mem.h"

/* The driver's codes, as far as the engine gives them. */
enum exec_code {
    EXEC_OK = 0,
    EXEC_INVALID_VALUE = 1,      /* a launch that cannot be: sizes, parameters */
    EXEC_OUT_OF_MEMORY = 2,      /* for the module's variables */
    EXEC_INVALID_PTX = 218,      /* err->msg: line and opcode; for the JIT log */
    EXEC_OUT_OF_RESOURCES = 701, /* more registers than the caller allows */
    EXEC_ILLEGAL_ADDRESS = 700,
    EXEC_TIMEOUT = 702, /* the budget of instructions is used up, or nothing can go on */
    EXEC_ASSERT = 710,  /* a kernel's assert() */
    EXEC_ILLEGAL_INSTRUCTION = 715,
    EXEC_MISALIGNED = 716,
    EXEC_INVALID_SPACE = 717, /* a write to constant memory */
    EXEC_LAUNCH_FAILED = 719, /* trap, barrier in divergent code, call stack too deep */
};

struct exec_target {
    unsigned capability; /* 35 for 3.5; decides what diverged barriers do */
    unsigned binary;     /* arch of the cubin that this text stands for, 0: it is PTX itself */
    bool keep_registers; /* tests: no sharing of registers */
    const char *isa;     /* tests: "plain", "avx2", NULL for the best */
};

struct exec_module;
struct exec_kernel;

/* Compiles the text and places its variables in `arena`, which must outlive the module.
 * err->native: 218 (err->msg holds "line N: ..."), 2. */
int exec_load(struct exec_module **module, const char *text, size_t size, struct mem_arena *arena,
              const struct exec_target *target, struct err *err);
void exec_unload(struct exec_module *module);

/* What the text says of itself, without compiling it. */
struct exec_header {
    unsigned version_major, version_minor; /* .version */
    unsigned target;                       /* .target: 90 for sm_90a */
    char suffix;                           /* 'a', 'f' or 0 */
};
int exec_read_header(const char *text, size_t size, struct exec_header *header, struct err *err);

struct exec_module_info {
    struct exec_header header;
    unsigned binary; /* as given to exec_load() */
    uint32_t kernel_count, var_count;
};
void exec_module_info(const struct exec_module *module, struct exec_module_info *info);

/* Kernels by number (in order of the text) or name; NULL when there is none. */
const struct exec_kernel *exec_kernel_at(const struct exec_module *module, uint32_t index);
const struct exec_kernel *exec_find(const struct exec_module *module, const char *name);

struct exec_kernel_info {
    const char *name; /* lives as long as the module */
    uint32_t param_count, param_bytes;
    uint32_t shared_bytes;  /* static */
    uint32_t const_bytes;   /* of the module's .const variables */
    uint32_t local_bytes;   /* a thread */
    uint32_t registers;     /* 32-bit registers a thread: alive at once in the PTX, an estimate */
    uint32_t ptx_registers; /* virtual ones, as written */
    uint32_t max_threads;   /* .maxntid, 1024 when not given */
    uint32_t required[3];   /* .reqntid, zeros when not given */
    uint32_t instructions;  /* PTX instructions in the body */
};
void exec_kernel_info(const struct exec_kernel *kernel, struct exec_kernel_info *info);

struct exec_param {
    uint32_t offset, size, align; /* in the parameter buffer */
};
/* False when there is no such parameter. */
bool exec_kernel_param(const struct exec_kernel *kernel, uint32_t index, struct exec_param *param);

struct exec_var {
    const char *name;
    uint64_t address, size;
    bool is_const;
};
bool exec_var_at(const struct exec_module *module, uint32_t index, struct exec_var *var);
bool exec_var_find(const struct exec_module *module, const char *name, struct exec_var *var);

struct exec_launch {
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared_bytes;
    const void *params; /* the parameter buffer, laid out as exec_kernel_param() says */
    uint32_t params_bytes;
    unsigned threads;            /* of the host; 0: one a processor */
    uint64_t instruction_budget; /* warp instructions over all blocks; 0: 2^40 */
    unsigned bank_bytes;         /* of shared memory: 4 or 8; 0: 4 */
    bool relaxed_barriers;       /* below 7.0: a diverged barrier counts as the warp's arrival */
    /* Looks for loads of two bytes and more that find nothing but poison: memory that nobody wrote.
     * Such loads go on. Atomics, matrix loads and asynchronous copies are not looked at. */
    bool find_unwritten;
    uint32_t max_shared_bytes; /* a block; 0: 48 KiB */
    unsigned sm_count;         /* for %smid and %nsmid; 0: 1 */
    uint64_t clock_khz;        /* for %globaltimer and %clock; 0: 1 GHz */
    uint64_t start_ns; /* what %globaltimer says at the launch's beginning, and %clock in cycles */
    /* Gets what kernels print, a thread's call at a time and never two at once; NULL: it is lost.
     */
    void (*print)(void *context, const char *text);
    void *print_context;
};

/* By what instructions do; see exec_class_name(). */
enum { EXEC_CLASSES = 20 };

struct exec_counters {
    uint64_t warp_instructions[EXEC_CLASSES]; /* issued by warps */
    uint64_t lane_instructions[EXEC_CLASSES]; /* the same times active lanes */
    uint64_t issued;                          /* sum over classes */
    uint64_t lanes;
    uint64_t blocks, warps, threads;
    uint64_t global_load_requests, global_store_requests; /* warp instructions that reach memory */
    uint64_t global_load_sectors, global_store_sectors;   /* of 32 bytes, after coalescing */
    uint64_t global_load_lines, global_store_lines;       /* of 128 bytes */
    uint64_t global_load_bytes, global_store_bytes;       /* asked for by lanes */
    uint64_t shared_requests;
    uint64_t shared_cycles; /* passes over the banks; shared_requests when nothing conflicts */
    uint64_t local_requests, local_sectors;
    uint64_t atomic_requests, atomic_operations; /* the latter by lane */
    uint64_t divergent_branches;
};

/* "fp32", "load_global" ...; NULL from EXEC_CLASSES on. */
const char *exec_class_name(unsigned index);

struct exec_fault {
    enum exec_code code;
    uint64_t address;  /* as the instruction had it (shared, local: an offset) */
    const char *space; /* "global", "shared" ... or "" */
    uint32_t access_bytes;
    bool is_write;
    uint32_t block[3], thread[3];
    const char *kernel; /* or function */
    const char *opcode;
    uint32_t line;  /* of the PTX text */
    char text[200]; /* all of it as a sentence */
};

struct exec_result {
    enum exec_code code; /* EXEC_OK, or what the fault says */
    struct exec_fault fault;
    struct exec_counters counters;
    uint64_t unwritten_reads;    /* by lane, with find_unwritten */
    struct exec_fault unwritten; /* the first of them, when there are any; its code is EXEC_OK */
    double host_seconds;
};

/* Runs a kernel to its end. -1 (err->native 1 or 701): it could not start. 0: it ran, and
 * result->code tells how that ended. */
int exec_launch(const struct exec_module *module, const struct exec_kernel *kernel,
                const struct exec_launch *launch, struct exec_result *result, struct err *err);

#endif
