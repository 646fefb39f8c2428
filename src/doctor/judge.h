/* Does what a file holds run on a GPU? The rules of arch/ are asked for every group of containers;
 * here they are weighed: what the file's maker built for many architectures decides, not the few
 * containers for single architectures that a library picks from by itself. */
#ifndef DOCTOR_JUDGE_H
#define DOCTOR_JUDGE_H

#include "arch/rules.h"
#include "doctor/holds.h"

struct judge {
    enum verdict verdict;
    struct arch_verdict why;  /* of the group that decided */
    uint64_t usable, without; /* containers that count, with and without an image for the card */
    uint64_t by_jit;          /* of the usable ones, those with PTX alone */
    uint64_t too_new;         /* of the others, those for which the driver is too old */
    unsigned lowest, highest; /* archs of the cubins that count; 0 none */
    bool special_ptx;         /* the PTX that would do is for one architecture alone (90a) */
    bool linked_only;         /* all of it is input of the device linker */
};

void judge_file(const struct holds *holds, const struct arch_target *target, struct judge *judge);

/* True when it is known that the program's kernels do not run. */
bool judge_fails(const struct judge *judge);

#endif
