/* Puts verdicts into sentences: what happens, why, and what would cure it. */
#ifndef CLI_SENTENCE_H
#define CLI_SENTENCE_H

#include "cli/inspect.h"
#include "core/str.h"

struct sentence_file {
    const struct tally *tally;
    const struct target *target;
    const struct inspect_verdict *v;
};

/* The verdict in one line; the id of its text. */
const char *sentence_verdict_id(const struct sentence_file *f);
void sentence_verdict(struct str *to, const struct sentence_file *f);

/* Why, and the cure: as many sentences as there is reason for, none when all runs. */
void sentence_reasons(struct str *to, const struct sentence_file *f);

/* "error 209 (no kernel image is available for execution on the device)" for the codes of a
 * verdict, several joined by "or". */
void sentence_error(struct str *to, const struct arch_verdict *v);

#endif
