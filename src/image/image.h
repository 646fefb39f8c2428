/* What the image layer finds: kernel images (cubins, PTX, LTO-IR) in files of any kind.
 *
 * A *container* is one fat binary (or a bare cubin or PTX text, which counts as a container of one
 * image); the driver chooses one image per container. */
#ifndef IMAGE_IMAGE_H
#define IMAGE_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

enum image_kind {
    IMAGE_UNKNOWN, /* raw_kind says which number the file has */
    IMAGE_PTX,
    IMAGE_CUBIN,
    IMAGE_LTO,        /* NVVM / LTO-IR */
    IMAGE_CUBIN_TEXT, /* kind 4 of old fat binaries */
};

enum image_compression {
    IMAGE_PLAIN,
    IMAGE_LZ4,
    IMAGE_ZSTD,
    IMAGE_COMPRESSED_UNKNOWN, /* a flag that no known tool sets */
};

enum image_container_kind {
    IMAGE_IN_FATBIN,
    IMAGE_BARE_CUBIN,
    IMAGE_BARE_PTX,
};

/* One image as its header describes it. Offsets are from the start of the file or archive member.
 */
struct image {
    enum image_kind kind;
    uint16_t raw_kind;
    unsigned arch;    /* 35, 90, 120: major * 10 + minor; 0 when the bytes do not say */
    char suffix;      /* 'a', 'f' or 0 */
    bool relocatable; /* ET_REL cubin, as -rdc leaves it */
    bool obfuscated;  /* listed, not decoded */
    bool bits32;
    bool debug;
    unsigned ptx_major, ptx_minor;         /* PTX ISA; 0.0 when not PTX */
    unsigned abi;                          /* of a cubin: 7, 8; 0 when not a cubin */
    unsigned toolkit_major, toolkit_minor; /* that wrote it; 0.0 when the bytes do not say */
    enum image_compression compression;
    uint64_t flags;         /* as in the entry header */
    uint64_t unknown_flags; /* those of them that this program has no name for */
    uint64_t offset;        /* of the entry header, or of the bare image */
    uint64_t payload_offset;
    uint64_t payload_size;  /* stored bytes without padding where the header says so */
    uint64_t unpacked_size; /* 0 when not compressed */
    char identifier[128];   /* source name if present, else "" */
};

/* "cubin", "ptx", "lto", "cubin-text", "unknown" */
const char *image_kind_name(enum image_kind kind);

/* "none", "lz4", "zstd", "unknown" */
const char *image_compression_name(enum image_compression compression);

/* "sm_90a" for a cubin, "compute_35" for PTX, "lto_80" for LTO-IR, "arch_35" for an unknown kind.
 */
void image_arch_name(const struct image *image, char *name, unsigned size);

#endif
