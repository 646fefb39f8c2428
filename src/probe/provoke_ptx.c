/* Cases about PTX. All texts are made from the one PTX that this program embeds (the lowest target
 * and the lowest ISA), by changing what its first lines say or by breaking it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/table.h"
#include "data/data.h"
#include "probe/provoke.h"
#include "probe/provoke_wrap.h"

static unsigned level(unsigned major, unsigned minor)
{
    return facts_level(major, minor);
}

/* "8.6" of a table as a level; 0: not known. */
static unsigned parse_level(const char *text)
{
    struct driver_version v;
    return version_parse(text, &v) ? level(v.major, v.minor) : 0;
}

static int no_ptx(struct err *err)
{
    return err_set(err, ERR_MISSING, "this build holds no PTX for the device");
}

/* A text as bare PTX and in a container; frees it. `like`: the embedded PTX that it was made from.
 */
static int load_both(struct stage *s, const struct probe_image *like, char *text,
                     const struct wrap_entry *header, const char *label, struct err *err)
{
    if (!text)
        return err_set(err, ERR_MEMORY, "out of memory");
    stage_load(s, STAGE_FAULT, "ptx", label, text);
    struct wrap_entry entry = *header;
    entry.like = like;
    entry.payload = text;
    entry.size = strlen(text);
    size_t size;
    void *data = wrap_container(&entry, 1, &size, err);
    free(text);
    return stage_load_container(s, "container", label, data, size, err);
}

/* The embedded PTX with another first lines, through both paths. */
static int load_header(struct stage *s, unsigned isa, unsigned arch, char suffix, struct err *err)
{
    const struct probe_image *ptx = stage_ptx(s);
    if (!ptx)
        return no_ptx(err);
    char target[16], label[48], tail[2] = { suffix, 0 };
    snprintf(target, sizeof target, "sm_%u%s", arch, tail);
    snprintf(label, sizeof label, "compute_%u%s, PTX %u.%u", arch, tail, isa / 100, isa % 100);
    struct wrap_entry header = {
        .arch = arch, .suffix = suffix, .ptx_major = isa / 100, .ptx_minor = isa % 100
    };
    return load_both(s, ptx, wrap_ptx_header(ptx->data, isa / 100, isa % 100, target), &header,
                     label, err);
}

/* The lowest desktop target above the card that the driver's compiler knows. */
static bool find_target_above(const struct stage *s, unsigned *arch, unsigned *isa)
{
    const struct table *t = data_table(DATA_ARCHS);
    *arch = UINT32_MAX;
    for (size_t row = 0; row < t->row_count; row++) {
        struct driver_version cc;
        unsigned needed = parse_level(table_field(t, row, "min_ptx_isa"));
        if (!version_parse(table_field(t, row, "cc"), &cc) || !needed || needed > s->isa ||
            strcmp(table_field(t, row, "class"), "desktop") != 0)
            continue;
        unsigned found = cc.major * 10 + cc.minor;
        if (found > s->target.cc && found < *arch) {
            *arch = found;
            *isa = needed;
        }
    }
    return *arch != UINT32_MAX;
}

static int ptx_newer_card(struct stage *s, struct err *err)
{
    unsigned arch, isa;
    if (find_target_above(s, &arch, &isa))
        return load_header(s, isa, arch, 0, err);
    stage_unable(s, "no_newer_card", "920m");
    return 0;
}

/* The next ISA that was ever released; for a driver beyond the table one that is made up. */
static unsigned isa_above(unsigned isa)
{
    const struct table *t = data_table(DATA_DRIVERS);
    unsigned next = UINT32_MAX;
    for (size_t row = 0; row < t->row_count; row++) {
        unsigned found = parse_level(table_field(t, row, "max_ptx_isa"));
        if (found > isa && found < next)
            next = found;
    }
    return next == UINT32_MAX ? isa + 1 : next;
}

static int ptx_newer_driver(struct stage *s, struct err *err)
{
    const struct probe_image *ptx = stage_ptx(s);
    if (!ptx)
        return no_ptx(err);
    if (!s->isa) {
        stage_unable(s, "driver_unknown", "920m");
        return 0;
    }
    return load_header(s, isa_above(s->isa), ptx->info.arch, 0, err);
}

/* On a 9.0 card the image is right; below CUDA 12 its ISA is refused before its target is. */
static int ptx_90a(struct stage *s, struct err *err)
{
    if (s->target.cc != 90)
        return load_header(s, level(8, 0), 90, 'a', err);
    stage_unable(s, "card_is_90", "920m");
    return 0;
}

static int ptx_broken(struct stage *s, struct err *err)
{
    const struct probe_image *ptx = stage_ptx(s);
    if (!ptx)
        return no_ptx(err);
    struct wrap_entry header = { 0 };
    return load_both(s, ptx, wrap_ptx_replace(ptx->data, "ld.param", "ld.parm"), &header,
                     "\"ld.parm\"", err);
}

static int not_an_image(struct stage *s, struct err *err)
{
    (void)err;
    static const char text[4096] = "<html>404 Not Found</html>\n";
    stage_load(s, STAGE_FAULT, "text", "\"<html>...\"", text);
    return 0;
}

/* Keeps a text as the only image of a container, for the runtime's turn. */
static int keep_text(struct stage *s, const struct probe_image *like, const char *text,
                     struct err *err)
{
    size_t size;
    void *data = wrap_container(
        &(struct wrap_entry){ .like = like, .payload = text, .size = strlen(text) }, 1, &size, err);
    int failed = data ? stage_keep(s, data, size, err) : -1;
    free(data);
    return failed;
}

/* The parent has put a library without its entry point in the way of the driver's compiler. */
static int no_jit_library(struct stage *s, struct err *err)
{
    const struct probe_image *ptx = stage_ptx(s);
    if (!ptx)
        return no_ptx(err);
    char name[32];
    image_arch_name(&ptx->info, name, sizeof name);
    stage_load(s, STAGE_FAULT, "ptx", name, ptx->data);
    return keep_text(s, ptx, ptx->data, err);
}

/* A body that `#if __CUDA_ARCH__` has compiled out: loads, runs, and does nothing. */
static int kernel_empty(struct stage *s, struct err *err)
{
    const struct probe_image *ptx = stage_ptx(s);
    char *text = ptx ? wrap_ptx_body(ptx->data, "\nret;\n") : NULL;
    if (!ptx)
        return no_ptx(err);
    if (!text)
        return err_set(err, ERR_MEMORY, "out of memory");
    struct module_load load;
    struct kernel_outcome o = { .call = "" };
    module_load(&s->driver, text, &load);
    if (load.module)
        kernel_run(&s->driver, &load, &o);
    /* The fault is that all went well and nothing was written. */
    bool silent = !load.code && !o.code && o.ran && o.untouched;
    struct stage_step step = { .path = silent ? "silent" : "loud",
                               .call = load.code ? "cuModuleLoadDataEx"
                                       : o.code  ? o.call
                                                 : "cuLaunchKernel",
                               .code = load.code ? load.code : o.code,
                               .image = "compute_35, { ret; }",
                               .log = load.log,
                               .outcome = &o };
    stage_report(s, STAGE_FAULT, &step);
    module_unload(&s->driver, &load);
    int failed = keep_text(s, ptx, text, err);
    free(text);
    return failed;
}

const struct provoke provoke_ptx_cases[] = {
    { "ptx-newer-card", false, ptx_newer_card, stage_cure },
    { "ptx-newer-driver", false, ptx_newer_driver, stage_cure_ptx },
    { "ptx-broken", false, ptx_broken, stage_cure_ptx },
    { "not-an-image", false, not_an_image, stage_cure },
    { "ptx-90a", false, ptx_90a, stage_cure },
    { "kernel-empty", false, kernel_empty, stage_cure_ptx },
    { "no-jit-library", false, no_jit_library, stage_cure_ptx },
    { .name = NULL },
};
