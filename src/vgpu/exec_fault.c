#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "vgpu/exec_warp.h"

static const char *const space_names[] = {
    [PTX_GENERIC] = "generic", [PTX_GLOBAL] = "global", [PTX_SHARED] = "shared",
    [PTX_CONST] = "constant",  [PTX_LOCAL] = "local",   [PTX_PARAM] = "parameter",
};

/* The thread's index in its block from its number. */
static void thread_index(const struct run *run, uint32_t number, uint32_t index[3])
{
    const uint32_t *size = run->launch->block;
    index[0] = number % size[0];
    index[1] = number / size[0] % size[1];
    index[2] = number / size[0] / size[1];
}

static struct exec_fault new_fault(const struct warp *w, const struct inst *in, unsigned lane,
                                   enum exec_code code)
{
    struct exec_fault f = { .code = code,
                            .space = "",
                            .line = in->line,
                            .kernel = w->frame->fn->name,
                            .opcode = ptx_word_text((enum ptx_word)in->word) };
    memcpy(f.block, w->block->index, sizeof f.block);
    thread_index(w->worker->run, w->id * OP_LANES + lane, f.thread);
    return f;
}

/* The first fault stays; of several at about the same time the lowest block's, so that results do
 * not depend on the number of host threads more than they must. */
static int report(struct warp *w, const struct exec_fault *f)
{
    struct run *run = w->worker->run;
    pthread_mutex_lock(&run->lock);
    if (run->fault.code == EXEC_OK || w->block->linear < run->fault_block) {
        run->fault = *f;
        run->fault_block = w->block->linear;
    }
    pthread_mutex_unlock(&run->lock);
    atomic_store(&run->stop, true);
    return (int)f->code;
}

static void add_place(struct exec_fault *f)
{
    size_t used = strlen(f->text);
    snprintf(f->text + used, sizeof f->text - used,
             ", block (%u,%u,%u) thread (%u,%u,%u), '%s' line %u of '%.40s'", f->block[0],
             f->block[1], f->block[2], f->thread[0], f->thread[1], f->thread[2], f->opcode, f->line,
             f->kernel);
}

int exec_fail(struct warp *w, const struct inst *in, unsigned lane, enum exec_code code,
              const char *fmt, ...)
{
    struct exec_fault f = new_fault(w, in, lane, code);
    va_list args;
    va_start(args, fmt);
    vsnprintf(f.text, sizeof f.text, fmt, args);
    va_end(args);
    add_place(&f);
    return report(w, &f);
}

int exec_fail_access(struct warp *w, const struct inst *in, unsigned lane, enum exec_code code,
                     enum ptx_space space, uint64_t address, uint32_t bytes, bool is_write)
{
    struct exec_fault f = new_fault(w, in, lane, code);
    f.space = space_names[space];
    f.address = address;
    f.access_bytes = bytes;
    f.is_write = is_write;
    snprintf(f.text, sizeof f.text, "%s %s of %u bytes at %s address 0x%llx",
             code == EXEC_MISALIGNED      ? "misaligned"
             : code == EXEC_INVALID_SPACE ? "forbidden"
                                          : "invalid",
             is_write ? "write" : "read", bytes, f.space, (unsigned long long)address);
    add_place(&f);
    return report(w, &f);
}

void exec_note_unwritten(struct warp *w, const struct inst *in, unsigned lane, enum ptx_space space,
                         uint64_t address, uint32_t bytes)
{
    struct run *run = w->worker->run;
    struct exec_fault f = new_fault(w, in, lane, EXEC_OK);
    f.space = space_names[space];
    f.address = address;
    f.access_bytes = bytes;
    snprintf(f.text, sizeof f.text, "read of %u bytes that nobody wrote at %s address 0x%llx",
             bytes, f.space, (unsigned long long)address);
    add_place(&f);
    pthread_mutex_lock(&run->lock);
    if (run->unwritten_reads++ == 0 || w->block->linear < run->unwritten_block) {
        run->unwritten = f;
        run->unwritten_block = w->block->linear;
    }
    pthread_mutex_unlock(&run->lock);
}
