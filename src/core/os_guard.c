#include "core/os_guard.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

int os_guard_new(struct os_guard *g, size_t size, struct err *err)
{
    *g = (struct os_guard){ 0 };
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (size > SIZE_MAX / 2)
        return err_set(err, ERR_LIMIT, "image of %zu bytes is too large", size);
    /* Drivers read headers as whole words: the start is aligned to 16, which leaves up to 15 zero
     * bytes before the guard. The byte behind is the NUL that PTX text needs. */
    size_t room = (size + 1 + 15) / 16 * 16;
    size_t pages = (room + page - 1) / page;
    size_t mapped = (pages + 1) * page;
    void *base = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED)
        return err_errno(err, "cannot map %zu bytes", mapped);
    if (mprotect((char *)base + pages * page, page, PROT_NONE)) {
        err_errno(err, "cannot protect a guard page");
        munmap(base, mapped);
        return -1;
    }
    *g = (struct os_guard){
        .data = (char *)base + pages * page - room, .size = size, .base = base, .mapped = mapped
    };
    return 0;
}

void os_guard_free(struct os_guard *g)
{
    if (g->base)
        munmap(g->base, g->mapped);
    *g = (struct os_guard){ 0 };
}
