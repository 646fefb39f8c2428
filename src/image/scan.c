#include "image/scan.h"

#include <string.h>

#include "core/bytes.h"
#include "image/ahead.h"
#include "image/elf.h"
#include "image/fatbin.h"
#include "image/find.h"
#include "image/pe.h"
#include "image/ptx.h"
#include "image/walk.h"

#define WINDOW 64 /* least bytes to search in; after a container it is all that is there */

static const char *const kind_names[] = {
    [SCAN_DATA] = "data", [SCAN_ELF] = "elf",       [SCAN_PE] = "pe",       [SCAN_MACHO] = "mach-o",
    [SCAN_AR] = "ar",     [SCAN_FATBIN] = "fatbin", [SCAN_CUBIN] = "cubin", [SCAN_PTX] = "ptx",
};

static const char *const place_names[] = {
    [SCAN_PLACE_UNKNOWN] = "unknown",
    [SCAN_PLACE_REGISTERED] = "registered",
    [SCAN_PLACE_RELOCATABLE] = "relocatable",
    [SCAN_PLACE_DATA] = "data",
};

const char *scan_file_kind_name(enum scan_file_kind kind)
{
    return kind_names[kind];
}

const char *scan_place_name(enum scan_place place)
{
    return place_names[place];
}

/* ---- what the file is ---------------------------------------------------------------------- */

static bool is_macho(uint32_t magic, uint32_t second)
{
    if (magic == 0xfeedface || magic == 0xfeedfacf)
        return true;
    /* A universal file counts its parts, big-endian; a Java class, which shares the magic, has its
     * version (45 or more) in the same place. */
    return magic == 0xbebafeca && __builtin_bswap32(second) < 45;
}

static enum scan_file_kind kind_of_elf(const uint8_t *data, size_t size)
{
    struct elf elf;
    return elf_parse_header(data, size, &elf, NULL) == 0 && elf.machine == ELF_MACHINE_CUDA
               ? SCAN_CUBIN
               : SCAN_ELF;
}

enum scan_file_kind scan_kind_of(const uint8_t *data, size_t size)
{
    struct bytes b = bytes_of(data, size);
    struct ptx ptx;
    uint32_t magic = bytes_u32(&b), second = bytes_u32(&b);
    if (magic == 0x464c457f)
        return kind_of_elf(data, size);
    if (magic == FATBIN_MAGIC || fatbin_old_recognised(data, size))
        return SCAN_FATBIN;
    if (size >= 8 && (!memcmp(data, "!<arch>\n", 8) || !memcmp(data, "!<thin>\n", 8)))
        return SCAN_AR;
    if (!b.failed && is_macho(magic, second))
        return SCAN_MACHO;
    if (pe_recognised(data, size))
        return SCAN_PE;
    return ptx_parse_header(data, size, &ptx) ? SCAN_PTX : SCAN_DATA;
}

/* Looks at the first bytes; a PTX file is walked from here, so that its leading comments belong to
 * it. */
static int begin(struct walk *w, enum scan_file_kind *kind, struct err *err)
{
    size_t got;
    const uint8_t *data = input_peek(w->in, SCAN_KIND_BYTES, &got, err);
    if (!data)
        return -1;
    *kind = scan_kind_of(data, got);
    if (*kind == SCAN_PE)
        section_table_parse_pe(&w->outer, data, got);
    if (*kind == SCAN_ELF)
        section_table_read_elf(&w->outer, w->in, 0);
    if (*kind == SCAN_FATBIN && !fatbin_recognised(data, got) &&
        !fatbin_old_recognised(data, got)) {
        struct err problem = { 0 };
        err_format(&problem, 4, "fat binary header has an unknown version");
        walk_problem(w, &problem);
    }
    return *kind == SCAN_PTX && walk_ptx(w, SCAN_KIND_BYTES, err) < 0 ? -1 : 0;
}

/* ---- candidates ---------------------------------------------------------------------------- */

static int old_fatbin(struct walk *w, struct err *err)
{
    struct err problem = { 0 };
    size_t got;
    const uint8_t *data = input_peek(w->in, 16, &got, err);
    if (!data)
        return -1;
    if (fatbin_old_recognised(data, got)) {
        err_format(&problem, input_pos(w->in),
                   "fat binary of CUDA 3 or before (magic 0x%08x) is not decoded",
                   FATBIN_OLD_MAGIC);
        walk_problem(w, &problem);
    }
    return 0;
}

static int elf(struct walk *w, struct err *err)
{
    int rc = walk_cubin(w, err);
    if (rc == 0 && input_can_read_at(w->in)) {
        w->inner_base = input_pos(w->in);
        w->inner_pending = true;
    }
    return rc;
}

/* A line or a C string may begin behind these. */
static bool starts_line(uint8_t before)
{
    return before < ' ';
}

static int try_candidate(struct walk *w, enum find_kind kind, uint8_t before, struct err *err)
{
    switch (kind) {
    case FIND_FATBIN:
        return walk_fatbin(w, err);
    case FIND_OLD_FATBIN:
        return old_fatbin(w, err);
    case FIND_ELF:
        return elf(w, err);
    case FIND_PTX:
        return starts_line(before) ? walk_ptx(w, WALK_PTX_HEADER_MAX, err) : 0;
    case FIND_NOTHING:
        break;
    }
    return 0;
}

static int scan_all(struct walk *w, struct err *err)
{
    struct ahead ahead = { 0 };
    uint8_t before = 0; /* the byte in front of the position */
    for (;;) {
        size_t got, at;
        const uint8_t *data = input_peek(w->in, WINDOW, &got, err);
        if (!data)
            return -1;
        if (got < FIND_OVERLAP)
            return 0;
        enum find_kind found = find_candidate(data, got, &at);
        if (at > 0)
            before = data[at - 1];
        if (input_skip(w->in, at, err) < 0)
            return -1;
        walk_progress(w);
        ahead_note(&ahead, at, found);
        if (ahead_skip(&ahead, w->in, &before, err) < 0)
            return -1;
        int rc = found == FIND_NOTHING ? input_skip_hole(w->in, err)
                                       : try_candidate(w, found, before, err);
        if (rc == 0 && found == FIND_NOTHING)
            continue;
        if (rc < 0 || (rc == 0 && input_skip(w->in, 1, err) < 0))
            return -1;
        before = rc ? 0 : 'x'; /* no pattern ends in a byte that starts a line */
    }
}

int scan_input(struct input *in, const struct scan_options *options, const struct scan_sink *sink,
               enum scan_file_kind *kind, struct err *err)
{
    struct walk w = { .in = in, .sink = *sink };
    enum scan_file_kind found = SCAN_DATA;
    if (options)
        w.options = *options;
    w.unpack = unpack_new(w.options.unpacked_max, err);
    int rc = w.unpack ? begin(&w, &found, err) : -1;
    if (rc == 0)
        rc = scan_all(&w, err);
    if (kind)
        *kind = found;
    section_table_free(&w.outer);
    section_table_free(&w.inner);
    unpack_free(w.unpack);
    return rc;
}
