/* The worker's side of repro: does on purpose what goes wrong in real programs, one case a process.
 *
 * The parent names a case and a phase: "fault" provokes, "cure" shows that the same kernel runs
 * from the right image. Each call that matters becomes a line of the report, a step:
 *
 *   {"role": "fault"|"check"|"cure", "path", "call", "code", "image", "log", "ran", "right"}
 *
 * "path" is the row of repro.tsv whose codes are expected. What cannot be provoked on this device
 * with this driver is one line {"unable": REASON, "virtual": CARD}: text id "repro.unable." REASON,
 * and the words for --virtual with which it can. */
#ifndef PROBE_PROVOKE_H
#define PROBE_PROVOKE_H

#include <stdbool.h>

#include "cuda/device.h"
#include "cuda/worker.h"
#include "probe/images.h"
#include "probe/kernel.h"

extern const struct worker_task provoke_task;

/* Whether `name` is a case that the worker can provoke. */
bool provoke_knows(const char *name);

/* ---- for the provocations themselves --------------------------------------------------------- */

struct stage {
    struct driver driver;
    enum driver_state state;
    struct err why; /* with a state other than READY */
    struct probe_images images;
    struct device devices[DEVICES_MAX];
    size_t device_count;
    const struct device *device; /* NULL: the case needs none, or there is none */
    struct arch_target target;   /* the device for the rules */
    unsigned wanted_cc;          /* of the card that the parent plays with, seen or not */
    unsigned isa;                /* newest PTX ISA of the driver as a level, 704; 0: not known */
    bool allow_timeout;          /* the user wants a launch that never ends on his display's card */
    const char *save;            /* file for the container that failed, for the runtime's turn */
    FILE *report;
};

enum stage_role { STAGE_FAULT, STAGE_CHECK, STAGE_CURE };

struct stage_step {
    const char *path, *call;
    int code;
    const char *image; /* "sm_37"; NULL: none */
    const char *log;   /* the JIT's; NULL: none */
    const struct kernel_outcome *outcome;
};

void stage_report(struct stage *s, enum stage_role role, const struct stage_step *step);

/* Reports why there is nothing to provoke here, and which virtual card would do. */
void stage_unable(struct stage *s, const char *reason, const char *virtual_card);

/* Loads and reports; a module that loads is run, reported too, and unloaded. */
void stage_load(struct stage *s, enum stage_role role, const char *path, const char *image,
                const void *data);

/* Writes a container to s->save, when that is set. */
int stage_keep(struct stage *s, const void *data, size_t size, struct err *err);

/* As stage_load for a container, which is kept and freed. */
int stage_load_container(struct stage *s, const char *path, const char *image, void *data,
                         size_t size, struct err *err);

/* A cubin that the rules say is refused for its architecture, by a driver that knows its toolkit.
 */
bool stage_is_for_another(const struct stage *s, const struct probe_image *image);

enum stage_preference { STAGE_NATIVE, STAGE_PTX };

/* Index of the embedded image that is right for the device, by the rules; SIZE_MAX: none. */
size_t stage_right_image(const struct stage *s, enum stage_preference preference);

/* The embedded PTX, as text; NULL: none. */
const struct probe_image *stage_ptx(const struct stage *s);

/* Runs the kernel from the right image and reports it. For the `cure` of most cases. */
int stage_cure(struct stage *s, struct err *err);
int stage_cure_ptx(struct stage *s, struct err *err);

struct provoke {
    const char *name;
    bool without_device; /* the fault is there before any device is */
    int (*fault)(struct stage *s, struct err *err);
    int (*cure)(struct stage *s, struct err *err);
};

/* End with a NULL name. */
extern const struct provoke provoke_image_cases[], provoke_ptx_cases[], provoke_run_cases[];

#endif
