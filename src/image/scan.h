/* Finds every kernel image in a forward input, whatever kind of file it is.
 *
 * The scan looks for fat binary headers, bare cubins and PTX text anywhere in the bytes, walks each
 * container it meets (headers only, unless payloads are asked for), and goes on behind it. It does
 * not know archives: archive.h opens members and calls this for each.
 *
 * Of a payload a listing reads only the first bytes, for what the entry header does not say:
 * whether a cubin is relocatable and which toolkit wrote it. For a cubin of ABI 8 that stands in a
 * note behind its symbols, which is looked for in the first 8 MiB; a huge cubin whose note lies
 * further back has no toolkit in the listing. With options.payloads every image is read whole.
 */
#ifndef IMAGE_SCAN_H
#define IMAGE_SCAN_H

#include "image/image.h"
#include "image/input.h"

enum scan_file_kind {
    SCAN_DATA, /* none of the others: still scanned */
    SCAN_ELF,
    SCAN_PE,
    SCAN_MACHO,
    SCAN_AR,     /* static archive, scanned as one run of bytes */
    SCAN_FATBIN, /* starts with a fat header */
    SCAN_CUBIN,
    SCAN_PTX,
};

/* "elf", "pe", ... */
const char *scan_file_kind_name(enum scan_file_kind kind);

/* What the first bytes of a file (SCAN_KIND_BYTES, or all of a shorter one) say it is. */
#define SCAN_KIND_BYTES 8192
enum scan_file_kind scan_kind_of(const uint8_t *data, size_t size);

/* The part of the host file that a container lies in, by the name of its section. */
enum scan_place {
    SCAN_PLACE_UNKNOWN,     /* no host file, no section table, or one that could not be read */
    SCAN_PLACE_REGISTERED,  /* .nv_fatbin and its like: the CUDA runtime is told of it */
    SCAN_PLACE_RELOCATABLE, /* __nv_relfatbin: input of the device linker, not loaded */
    SCAN_PLACE_DATA,        /* any other section: a library that loads modules itself */
};

/* "unknown", "registered", "relocatable", "data" */
const char *scan_place_name(enum scan_place place);

struct scan_container {
    enum image_container_kind kind;
    uint64_t index;  /* counts from 0 within one input */
    uint64_t offset; /* of the fat header or bare image */
    uint64_t size;   /* header included, as the header states it */
    enum scan_place place;
    char section[24]; /* its section in the host file, "" when unknown (always, for an ELF file
                         that can only be read forwards: its section table stands at the end) */
};

struct scan_options {
    bool payloads; /* hand each image's unpacked bytes to `payload` (skips images over the cap) */
    uint64_t unpacked_max; /* the cap; 0: UNPACK_MAX */
    uint64_t stored_max;   /* only those of at most so many stored bytes; 0: all */
};

/* Callbacks; any may be NULL. They return 0, or -1 to stop the scan (with err set). */
struct scan_sink {
    void *self;
    int (*container)(void *self, const struct scan_container *c, struct err *err);
    int (*image)(void *self, const struct scan_container *c, const struct image *image,
                 struct err *err);
    /* Follows `image` for the same image. Not called for an obfuscated image or one that does not
     * unpack. */
    int (*payload)(void *self, const struct image *image, const uint8_t *data, size_t size,
                   struct err *err);
    int (*container_end)(void *self, const struct scan_container *c, struct err *err);
    /* Damage that does not end the scan: a container that breaks off, a payload that does not
     * unpack. */
    void (*problem)(void *self, const struct err *problem);
    void (*progress)(void *self, uint64_t done, uint64_t total);
};

/* Returns -1 only when reading fails or a callback stops it. `kind` may be NULL. */
int scan_input(struct input *in, const struct scan_options *options, const struct scan_sink *sink,
               enum scan_file_kind *kind, struct err *err);

#endif
