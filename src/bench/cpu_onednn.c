#include "bench/cpu_onednn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/os_cpu.h"
#include "core/os_library.h"
#include "core/str.h"

static const struct search_for library = {
    .names = (const char *const[]){ "libdnnl.so.3", "libdnnl.so.2", "libdnnl.so*", NULL },
    .inside = (const char *const[]){ "../..", "onednn/lib", NULL },
};

static const struct {
    int version;
    const char *name;
    size_t offset;
} calls[] = {
#define X(version, member, name, result, arguments)                                                \
    { version, name, offsetof(struct cpu_onednn, call.member) },
#include "bench/cpu_onednn.def"
#undef X
};

static int resolve(void *self, const struct search_found *found, struct err *err)
{
    struct cpu_onednn *onednn = self;
    const struct onednn_version *(*version)(void);
    void *symbol = os_library_symbol(found->library, "dnnl_version");
    memcpy(&version, &symbol, sizeof symbol);
    if (!version)
        return err_set(err, ERR_MISSING, "'%s' lacks 'dnnl_version'", found->path);
    const struct onednn_version *v = version();
    if (v->major != 2 && v->major != 3)
        return err_set(err, ERR_MISSING, "'%s' is oneDNN %d.%d, not 2 or 3", found->path, v->major,
                       v->minor);
    onednn->major = v->major;
    snprintf(onednn->name, sizeof onednn->name, "oneDNN %d.%d.%d", v->major, v->minor, v->patch);
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        if (calls[i].version && calls[i].version != v->major)
            continue;
        symbol = os_library_symbol(found->library, calls[i].name);
        if (!symbol)
            return err_set(err, ERR_MISSING, "'%s' lacks '%s'", found->path, calls[i].name);
        memcpy((char *)onednn + calls[i].offset, &symbol, sizeof symbol);
    }
    return 0;
}

/* oneDNN takes as many threads as OpenMP gives it; the library's own OpenMP is among what it needs. */
static unsigned set_threads(void *handle, unsigned threads)
{
    void (*set)(int);
    int (*get)(void);
    void *symbols[] = { os_library_symbol(handle, "omp_set_num_threads"),
                        os_library_symbol(handle, "omp_get_max_threads") };
    if (!symbols[0] || !symbols[1])
        return 0;
    memcpy(&set, &symbols[0], sizeof set);
    memcpy(&get, &symbols[1], sizeof get);
    set((int)threads);
    return (unsigned)get();
}

int cpu_onednn_check(struct err *err, unsigned status, const char *call)
{
    if (status == ONEDNN_OK)
        return 0;
    err_set(err, status == ONEDNN_UNIMPLEMENTED ? ERR_MISSING : ERR_DRIVER,
            "%s failed with status %u%s", call, status,
            status == ONEDNN_UNIMPLEMENTED ? " (not implemented)" : "");
    if (err && !err->native)
        err->native = (int)status;
    return -1;
}

struct cpu_onednn *cpu_onednn_open(const struct search *where, unsigned threads, struct err *err)
{
    struct cpu_onednn *o = calloc(1, sizeof *o);
    if (!o) {
        err_set(err, ERR_MEMORY, "out of memory");
        return NULL;
    }
    if (search_open(where, &library, resolve, o, &o->found, err))
        goto fail;
    o->threads = set_threads(o->found.library, threads ? threads : os_cpu_cores());
    if (cpu_onednn_check(err, o->call.engine_create(&o->engine, ONEDNN_CPU, 0),
                         "dnnl_engine_create") ||
        cpu_onednn_check(err,
                         o->call.stream_create(&o->stream, o->engine, ONEDNN_STREAM_DEFAULT),
                         "dnnl_stream_create"))
        goto fail;
    return o;
fail:
    cpu_onednn_close(o);
    return NULL;
}

/* The library stays loaded: the threads of its OpenMP wait in the code of that. */
void cpu_onednn_close(struct cpu_onednn *onednn)
{
    if (!onednn)
        return;
    if (onednn->stream)
        onednn->call.stream_destroy(onednn->stream);
    if (onednn->engine)
        onednn->call.engine_destroy(onednn->engine);
    free(onednn);
}
