/* The part of the scan that stands at a candidate: is it a container, and what is in it? Used by
 * scan.c only. */
#ifndef IMAGE_WALK_H
#define IMAGE_WALK_H

#include "image/scan.h"
#include "image/section.h"
#include "image/unpack.h"

/* One scan under way. */
struct walk {
    struct input *in;
    struct scan_options options;
    struct scan_sink sink;
    struct unpack *unpack;
    uint64_t next_index;    /* of the next container */
    uint64_t next_progress; /* position at which to report again */

    /* The host file around: the outermost from its first bytes, and the last ELF header met (a
     * member of a static archive). Read when the first container asks for it. */
    struct section_table outer, inner;
    uint64_t inner_base;
    bool inner_pending;

    uint64_t table_bytes; /* of section tables looked at without a container to show for it */
};

/* Each looks at the current position. 1: it was a container (damaged or not) and the input has
 * moved into or behind it. 0: it was none and the input has not moved. -1: reading failed, or a
 * callback stopped the scan. */
int walk_fatbin(struct walk *w, struct err *err);
int walk_cubin(struct walk *w, struct err *err);
/* The header, with the comments in front of it, must end within `header_max` bytes. */
int walk_ptx(struct walk *w, size_t header_max, struct err *err);
#define WALK_PTX_HEADER_MAX ((size_t)1 << 10) /* from ".version" to the target */

/* Hands damage to the sink and clears it. */
void walk_problem(struct walk *w, struct err *problem);

void walk_progress(struct walk *w);

#endif
