/* Finds every kernel image in a forward input, whatever kind of file it is.
 *
 * The scan looks for fat binary headers, bare cubins and PTX text anywhere in the bytes, walks each
 * container it meets (headers only, unless payloads are asked for), and goes on behind it. It does
 * not know archives: archive.h opens members and calls this for each. */
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

struct scan_container {
    enum image_container_kind kind;
    uint64_t index;  /* counts from 0 within one input */
    uint64_t offset; /* of the fat header or bare image */
    uint64_t size;   /* header included */
};

struct scan_options {
    bool payloads; /* hand each image's unpacked bytes to `payload` (skips images over the cap) */
};

/* Callbacks; any may be NULL. They return 0, or -1 to stop the scan (with err set). */
struct scan_sink {
    void *self;
    int (*container)(void *self, const struct scan_container *c, struct err *err);
    int (*image)(void *self, const struct scan_container *c, const struct image *image, struct err *err);
    int (*payload)(void *self, const struct image *image, const uint8_t *data, size_t size, struct err *err);
    int (*container_end)(void *self, const struct scan_container *c, struct err *err);
    /* Damage that does not end the scan: a container that breaks off, a payload that does not unpack. */
    void (*problem)(void *self, const struct err *problem);
    void (*progress)(void *self, uint64_t done, uint64_t total);
};

/* Returns -1 only when reading fails or a callback stops it. */
int scan_input(struct input *in, const struct scan_options *options, const struct scan_sink *sink,
               enum scan_file_kind *kind, struct err *err);

#endif
