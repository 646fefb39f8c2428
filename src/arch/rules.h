/* The pure rules: does this image run on that card with that driver?
 *
 * Facts come from src/data (archs, drivers); no I/O, no driver. Every rule is a row with an id, a
 * source and a confidence; what nobody knows is answered VERDICT_UNCERTAIN, not guessed. */
#ifndef ARCH_RULES_H
#define ARCH_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include "arch/facts.h"
#include "arch/version.h"

enum verdict {
    VERDICT_RUNS,
    VERDICT_RUNS_BY_JIT,
    VERDICT_NO_IMAGE,            /* never on this card with any driver it can have */
    VERDICT_DRIVER_TOO_OLD,      /* a newer driver that knows the card would take it */
    VERDICT_DRIVER_DROPPED_CARD, /* the driver does not know the card (too new or too old for it) */
    VERDICT_LIBRARY_FLOOR, /* the CUDA runtime refuses the driver before any image is looked at */
    VERDICT_UNCERTAIN,
    VERDICT_NO_GPU_CODE,
    VERDICT_COUNT
};

/* "runs", "runs_by_jit", ...: the stable names used in JSON and in text ids. */
const char *verdict_name(enum verdict verdict);

/* How the image reaches the driver; codes differ by path. */
enum arch_path { ARCH_CONTAINER, ARCH_BARE_CUBIN, ARCH_BARE_PTX };

enum arch_image_kind { ARCH_CUBIN, ARCH_PTX, ARCH_LTO, ARCH_OTHER };

struct arch_image {
    enum arch_image_kind kind;
    unsigned arch;                         /* 35, 90, 120; 0 unknown */
    char suffix;                           /* 'a', 'f', 0 */
    unsigned ptx_major, ptx_minor;         /* 0.0 unknown */
    unsigned toolkit_major, toolkit_minor; /* 0.0 unknown */
    bool zstd;
};

struct arch_target {
    unsigned cc; /* 35, 121; 101 is taken as 110 */
    enum arch_os os;
    bool notebook;                /* matters for Kepler on Windows */
    struct driver_version driver; /* all 0: the newest that this card can have is assumed */
};

#define ARCH_CODES_MAX 4

struct arch_verdict {
    enum verdict verdict;
    const char *rule;       /* "cubin-same-major", "ptx-isa-above-driver", ... */
    const char *text;       /* id of the sentence for people: "rule." and the rule's id */
    const char *confidence; /* "measured", "documented", "inferred", "claimed" */
    /* Driver codes expected on a load, 0 = success; with VERDICT_UNCERTAIN those to expect if it
     * fails, and success is possible too. */
    int codes[ARCH_CODES_MAX];
    size_t code_count;
    /* The least driver that takes it: with VERDICT_DRIVER_TOO_OLD, VERDICT_LIBRARY_FLOOR, a driver
     * older than the card, and where VERDICT_UNCERTAIN hangs on the driver. All 0: none that the
     * tables know, or none that the card can have. */
    struct driver_version least_driver;
};

struct arch_rule {
    const char *id, *text;
    enum verdict verdict;
    const char *confidence, *source;
};

/* The table of rules, in the order in which they are tried. */
const struct arch_rule *arch_rules(size_t *count);
const struct arch_rule *arch_rule_find(const char *id);

/* One image by itself. LTO-IR is VERDICT_NO_GPU_CODE: a driver does not load it. */
struct arch_verdict arch_judge(const struct arch_image *image, const struct arch_target *target,
                               enum arch_path path);

/* A container: which image the driver would take and what follows. SASS of the card's own
 * capability, else of the nearest lower minor version, else the PTX with the highest target that
 * the card takes. If that one fails to load, nobody knows whether the driver tries the next: then
 * the verdict is VERDICT_UNCERTAIN when a next one would load, else the chosen one's own.
 * `*chosen` is its index or SIZE_MAX; `chosen` may be NULL. An empty container, or one with LTO-IR
 * only, is VERDICT_NO_GPU_CODE. */
struct arch_verdict arch_judge_container(const struct arch_image *images, size_t count,
                                         const struct arch_target *target, size_t *chosen);

/* A program that uses the CUDA runtime `major.minor`: VERDICT_LIBRARY_FLOOR with code 35 when the
 * driver is below what that runtime asks for, else VERDICT_RUNS. */
struct arch_verdict arch_judge_runtime(unsigned major, unsigned minor,
                                       const struct arch_target *target);

/* What the containers of one file, package or folder add up to.
 *
 * A container counts as usable when its verdict is RUNS or RUNS_BY_JIT. Libraries such as cuBLASLt
 * ship containers for single architectures and choose among them, so containers without an image
 * are normal there: the whole runs as soon as one container does, and `without` says how many do
 * not, for the reader to decide whether the kernel that he calls is in one of those. Containers
 * without GPU code never count against the whole. */
struct arch_summary {
    size_t counts[VERDICT_COUNT]; /* containers by verdict */
    size_t containers;            /* all that were added */
    size_t usable, without;       /* with a usable image; with GPU code of which none is usable */
};

void arch_summary_add(struct arch_summary *summary, enum verdict verdict);
void arch_summary_merge(struct arch_summary *to, const struct arch_summary *from);

/* The first that some container has, in this order: RUNS, RUNS_BY_JIT, UNCERTAIN, DRIVER_TOO_OLD,
 * LIBRARY_FLOOR, DRIVER_DROPPED_CARD, NO_IMAGE; NO_GPU_CODE when no container has GPU code. So it
 * is the best that can be hoped for, and NO_IMAGE only when no container has anything for the card.
 */
enum verdict arch_summary_verdict(const struct arch_summary *summary);

#endif
