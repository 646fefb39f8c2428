#include "vgpu/drv_loader.h"

#include <stdlib.h>
#include <string.h>

#include "core/os_library.h"
#include "image/cubin.h"
#include "image/fatbin.h"
#include "image/ptx.h"
#include "vgpu/drv_container.h"
#include "vgpu/drv_log.h"
#include "vgpu/drv_rule.h"

static const uint8_t wrapper_magic[] = { 0xb1, 0x43, 0x62, 0x46 };
static const uint8_t fatbin_magic[] = { 0x50, 0xed, 0x55, 0xba };
static const uint8_t elf_magic[] = { 0x7f, 'E', 'L', 'F' };

#define CUBIN_MAX ((uint64_t)1 << 30)
#define TEXT_MAX  ((size_t)32 << 20)

struct loader {
    const struct drv_config *config;
    unsigned cc;
    struct drv_loaded *out;
};

static int refuse(struct loader *l, int code, const char *why)
{
    drv_log("image refused with %d on %u.%u: %s", code, l->cc / 10, l->cc % 10, why);
    return code;
}

/* ---- PTX ---------------------------------------------------------------------------------------
 */

/* A driver looks for its compiler on the loader's path. That one is built in here, but a library of
 * that name that has not its entry point stands in the way as it would of the real one. */
static bool jit_library_works(const struct drv_config *config)
{
    if (config->faults.no_jit)
        return false;
    bool found = false;
    void *library = os_library_open("libnvidia-ptxjitcompiler.so.1", &found, NULL);
    if (!library)
        return !found;
    bool works = os_library_symbol(library, "__cuda_CallJitEntryPoint") != NULL;
    os_library_close(library);
    return works;
}

static unsigned line_of(const uint8_t *text, size_t at)
{
    unsigned line = 1;
    for (size_t i = 0; i < at; i++)
        line += text[i] == '\n';
    return line;
}

static int refuse_isa(struct loader *l, const struct ptx *ptx, int code)
{
    struct str *log = &l->out->error;
    str_addf(log,
             "ptxas application ptx input, line %u; fatal   : Unsupported .version %u.%u; current "
             "version is '%u.%u'\nptxas fatal   : Ptx assembly aborted due to errors",
             line_of(l->out->payload, ptx->start), ptx->version_major, ptx->version_minor,
             l->config->driver.isa / 10, l->config->driver.isa % 10);
    return refuse(l, code, log->p);
}

/* Words as ptxas 11.8 and 13.0 print them. */
static int refuse_target(struct loader *l, const struct ptx *ptx)
{
    struct str *log = &l->out->error;
    if (!ptx->suffix || ptx->arch > l->cc)
        str_add(log, "ptxas fatal   : SM version specified by .target is higher than default SM "
                     "version assumed");
    else if (ptx->arch == l->cc)
        str_addf(log,
                 "ptxas fatal   : PTX with .target 'sm_%u%c' cannot be compiled for architecture "
                 "'sm_%u'",
                 ptx->arch, ptx->suffix, l->cc);
    else
        str_addf(log,
                 "ptxas fatal   : Program with .target 'sm_%u%c' cannot be compiled to future "
                 "architecture",
                 ptx->arch, ptx->suffix);
    return refuse(l, l->config->ptx_target_code, log->p);
}

/* The text in out->payload: may and can it be compiled? ISA before target, as ptxas checks them. */
static int accept_ptx(struct loader *l)
{
    struct ptx ptx;
    l->out->is_ptx = true;
    int code = drv_rule_jit(l->config, jit_library_works(l->config));
    if (code)
        return refuse(l, code,
                      code == 221 ? "the PTX compiler library is missing"
                                  : "compiling PTX is switched off");
    if (!ptx_parse_header(l->out->payload, l->out->size, &ptx)) {
        str_add(&l->out->error, "ptxas fatal   : Ptx assembly aborted due to errors");
        return refuse(l, 218, "no .version and .target that can be read");
    }
    l->out->arch = ptx.arch;
    l->out->suffix = ptx.suffix;
    l->out->isa = ptx.version_major * 10 + ptx.version_minor;
    code = drv_rule_isa(l->config, l->out->isa);
    if (code)
        return refuse_isa(l, &ptx, code);
    return drv_rule_ptx_fits(ptx.arch, ptx.suffix, l->cc) ? 0 : refuse_target(l, &ptx);
}

/* ---- cubins ------------------------------------------------------------------------------------
 */

static int accept_cubin(struct loader *l, bool bare)
{
    struct cubin cubin;
    struct drv_loaded *out = l->out;
    out->is_ptx = false;
    if (cubin_parse_header(out->payload, out->size, &cubin, NULL) < 0)
        return refuse(l, 200, "no cubin");
    cubin_read_notes(out->payload, out->size, &cubin);
    out->arch = cubin.arch;
    out->suffix = cubin.suffix;
    if (drv_rule_toolkit(&l->config->driver, cubin.toolkit_major))
        return refuse(l, 200, "the cubin is from a newer CUDA than the driver");
    bool fits = drv_rule_cubin_fits(cubin.arch, bare ? cubin.suffix : 0, l->cc);
    if (!fits && bare)
        return refuse(l, l->config->cubin_arch_code, "the cubin is for another architecture");
    if (!fits)
        return refuse(l, 200, "the cubin is for another architecture than its container says");
    if (cubin.relocatable)
        return refuse(l, 200, "the cubin is relocatable and was not linked");
    return 0;
}

/* ---- the three things that a pointer can point at
 * ------------------------------------------------ */

static int load_candidate(struct loader *l, const struct drv_container *c, size_t index)
{
    const struct drv_candidate *candidate = &c->candidates[index];
    struct err err;
    err_clear(&err);
    drv_loader_free(l->out);
    if (candidate->zstd && drv_rule_zstd(&l->config->driver))
        return refuse(l, drv_rule_zstd(&l->config->driver), "zstd needs driver 550.54");
    if (drv_container_unpack(c, index, &l->out->payload, &l->out->size, &err) < 0)
        return refuse(l, 200, err.msg);
    int code = candidate->is_ptx ? accept_ptx(l) : accept_cubin(l, false);
    if (!candidate->is_ptx)
        l->out->suffix = candidate->suffix;
    return code;
}

/* Tries cubins, then PTX; goes on to the next only where a switch says that drivers do. */
static int load_best(struct loader *l, const struct drv_container *c, bool *tried)
{
    const struct drv_config *config = l->config;
    size_t best = c->count;
    if (!config->force_jit)
        best = drv_rule_pick(c->candidates, c->count, tried, false, l->cc);
    if (best < c->count) {
        int code = load_candidate(l, c, best);
        if (code != 200 || !config->cubin_fallback)
            return code;
    }
    while ((best = drv_rule_pick(c->candidates, c->count, tried, true, l->cc)) < c->count) {
        tried[best] = true;
        int code = load_candidate(l, c, best);
        if ((code != 222 && code != 218) || !config->isa_fallback)
            return code;
    }
    return refuse(l, 209, "no image in the container is for this device");
}

static int load_fatbin(struct loader *l, const void *image)
{
    struct drv_container c;
    struct err err;
    err_clear(&err);
    bool *tried = NULL;
    int code;
    if (drv_container_open(&c, image, &err) < 0)
        code = refuse(l, 200, err.msg);
    else if (!(tried = calloc(c.count + 1, sizeof *tried)))
        code = 2;
    else
        code = load_best(l, &c, tried);
    free(tried);
    drv_container_free(&c);
    return code;
}

static int take(struct loader *l, const void *data, size_t size)
{
    l->out->payload = malloc(size + 1);
    if (!l->out->payload)
        return 2;
    memcpy(l->out->payload, data, size);
    l->out->payload[size] = 0;
    l->out->size = size;
    return 0;
}

static int load_cubin(struct loader *l, const void *image)
{
    struct cubin cubin;
    if (cubin_parse_header(image, CUBIN_HEADER_SIZE, &cubin, NULL) < 0 || cubin.size > CUBIN_MAX)
        return refuse(l, 200, "an ELF file that is no cubin");
    if (l->config->force_jit)
        return refuse(l, 209, "CUDA_FORCE_PTX_JIT is set and there is no PTX");
    int code = take(l, image, (size_t)cubin.size);
    return code ? code : accept_cubin(l, true);
}

/* Where the first token begins: behind blanks and comments. */
static size_t first_token(const char *text, bool *comment)
{
    size_t at = 0;
    for (*comment = false;; *comment = true) {
        at += strspn(text + at, " \t\r\n\f\v");
        const char *end = NULL;
        if (text[at] == '/' && text[at + 1] == '/')
            end = strchr(text + at, '\n');
        else if (text[at] == '/' && text[at + 1] == '*' && (end = strstr(text + at + 2, "*/")))
            end += 2;
        if (!end)
            return at;
        at = (size_t)(end - text);
    }
}

/* A driver takes text for PTX by how it begins; anything else is no image at all. */
static int load_text(struct loader *l, const char *text)
{
    size_t size = strnlen(text, TEXT_MAX);
    if (size == TEXT_MAX)
        return refuse(l, 200, "neither an image nor a text that ends");
    bool comment;
    size_t at = first_token(text, &comment);
    if (!comment && !str_starts(text + at, ".version"))
        return refuse(l, 200, "neither a fat binary nor a cubin nor PTX");
    int code = take(l, text, size);
    return code ? code : accept_ptx(l);
}

/* Not a byte further than it agrees: a short text may end before the fourth. */
static bool begins_with(const uint8_t *image, const uint8_t magic[4])
{
    return image[0] == magic[0] && image[1] == magic[1] && image[2] == magic[2] &&
           image[3] == magic[3];
}

static int load(struct loader *l, const void *image)
{
    if (begins_with(image, wrapper_magic)) {
        const void *data; /* of this process, so not a matter of byte order */
        memcpy(&data, (const uint8_t *)image + 8, sizeof data);
        return data ? load_fatbin(l, data) : refuse(l, 200, "a wrapper around nothing");
    }
    if (begins_with(image, fatbin_magic))
        return load_fatbin(l, image);
    if (begins_with(image, elf_magic))
        return load_cubin(l, image);
    return load_text(l, image);
}

bool drv_loader_fits(const uint8_t *image, size_t size)
{
    struct cubin cubin;
    if (size < 4 || begins_with(image, wrapper_magic))
        return size < 4; /* a wrapper holds an address, which a file cannot */
    if (begins_with(image, fatbin_magic))
        return size >= FATBIN_HEADER_SIZE && fatbin_recognised(image, size) &&
               fatbin_entries_size(image, size) <= size - FATBIN_HEADER_SIZE;
    if (begins_with(image, elf_magic))
        return cubin_parse_header(image, size, &cubin, NULL) == 0 && cubin.size <= size;
    return true;
}

void drv_loader_load(struct drv_loaded *loaded, const struct drv_config *config, unsigned cc,
                     const void *image)
{
    *loaded = (struct drv_loaded){ .error = STR_INIT };
    struct loader l = { .config = config, .cc = cc, .out = loaded };
    loaded->code = load(&l, image);
}

void drv_loader_free(struct drv_loaded *loaded)
{
    str_free(&loaded->error);
    free(loaded->payload);
    *loaded = (struct drv_loaded){ .error = STR_INIT };
}
