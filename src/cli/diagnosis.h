/* The sentence that says why CUDA sees no device, or not all of them. */
#ifndef CLI_DIAGNOSIS_H
#define CLI_DIAGNOSIS_H

#include "cli/machine.h"
#include "core/str.h"
#include "probe/state.h"

/* Looks at bus, kernel module and device nodes of this machine, or at what --virtual names. */
void diagnosis_find(const struct machine *m, struct state *state);

void diagnosis_add(struct str *to, const struct state *state);

#endif
