/* The pure rules: does this image run on that card with that driver?
 *
 * Facts come from src/data (archs, drivers, toolkits); no I/O, no driver. Every rule has an id, a
 * source and a confidence; what nobody knows is answered VERDICT_UNCERTAIN, not guessed. */
#ifndef ARCH_RULES_H
#define ARCH_RULES_H

#include <stdbool.h>
#include <stddef.h>

enum verdict {
    VERDICT_RUNS,
    VERDICT_RUNS_BY_JIT,
    VERDICT_NO_IMAGE,            /* never on this card with any driver it can have */
    VERDICT_DRIVER_TOO_OLD,      /* a newer driver that knows the card would take it */
    VERDICT_DRIVER_DROPPED_CARD, /* the driver does not know the card (too new or too old for it) */
    VERDICT_LIBRARY_FLOOR,
    VERDICT_UNCERTAIN,
    VERDICT_NO_GPU_CODE,
    VERDICT_COUNT
};

/* "runs", "runs_by_jit", ...: the stable names used in JSON and in text ids. */
const char *verdict_name(enum verdict verdict);

enum arch_os { ARCH_LINUX, ARCH_WINDOWS };

/* How the image reaches the driver; codes differ by path. */
enum arch_path { ARCH_CONTAINER, ARCH_BARE_CUBIN, ARCH_BARE_PTX };

enum arch_image_kind { ARCH_CUBIN, ARCH_PTX, ARCH_LTO, ARCH_OTHER };

struct arch_image {
    enum arch_image_kind kind;
    unsigned arch; /* 35, 90, 120; 0 unknown */
    char suffix;   /* 'a', 'f', 0 */
    unsigned ptx_major, ptx_minor;
    unsigned toolkit_major, toolkit_minor; /* 0.0 unknown */
    bool zstd;
};

struct driver_version {
    unsigned major, minor, patch; /* 470.256.02; all 0 = not known */
};

struct arch_target {
    unsigned cc; /* 35, 121 */
    enum arch_os os;
    bool notebook;                /* matters for Kepler on Windows */
    struct driver_version driver; /* all 0: any driver that this card can have (the newest is assumed) */
};

#define ARCH_CODES_MAX 4

struct arch_verdict {
    enum verdict verdict;
    const char *rule;       /* "cubin-same-major", "ptx-isa-above-driver", ... */
    const char *confidence; /* "measured", "documented", "inferred", "claimed" */
    int codes[ARCH_CODES_MAX]; /* driver codes expected on a load; 0 = success; filled up to code_count */
    size_t code_count;
    struct driver_version least_driver; /* with VERDICT_DRIVER_TOO_OLD: the least that takes it */
};

/* One image by itself. */
struct arch_verdict arch_judge(const struct arch_image *image, const struct arch_target *target,
                               enum arch_path path);

/* A container: which image the driver would take and what follows. `*chosen` is its index or
 * SIZE_MAX. An empty container, or one with LTO-IR only, is VERDICT_NO_GPU_CODE. */
struct arch_verdict arch_judge_container(const struct arch_image *images, size_t count,
                                         const struct arch_target *target, size_t *chosen);

#endif
