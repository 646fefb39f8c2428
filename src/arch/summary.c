/* The part of rules.h about many containers. */
#include "arch/rules.h"

void arch_summary_add(struct arch_summary *summary, enum verdict verdict)
{
    summary->containers++;
    summary->counts[verdict]++;
    if (verdict == VERDICT_RUNS || verdict == VERDICT_RUNS_BY_JIT)
        summary->usable++;
    else if (verdict != VERDICT_NO_GPU_CODE)
        summary->without++;
}

void arch_summary_merge(struct arch_summary *to, const struct arch_summary *from)
{
    for (size_t i = 0; i < VERDICT_COUNT; i++)
        to->counts[i] += from->counts[i];
    to->containers += from->containers;
    to->usable += from->usable;
    to->without += from->without;
}

enum verdict arch_summary_verdict(const struct arch_summary *summary)
{
    static const enum verdict order[] = {
        VERDICT_RUNS,           VERDICT_RUNS_BY_JIT,   VERDICT_UNCERTAIN,
        VERDICT_DRIVER_TOO_OLD, VERDICT_LIBRARY_FLOOR, VERDICT_DRIVER_DROPPED_CARD,
        VERDICT_NO_IMAGE,
    };
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (summary->counts[order[i]])
            return order[i];
    return VERDICT_NO_GPU_CODE;
}
