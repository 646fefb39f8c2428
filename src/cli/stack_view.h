/* What `smfit stack` found, for its two outputs. */
#ifndef CLI_STACK_VIEW_H
#define CLI_STACK_VIEW_H

#include "cli/cmd.h"
#include "cli/target.h"
#include "doctor/stack_spec.h"

/* One card and the builds that work on it. */
struct stack_card {
    const struct target *target;
    struct stack_answer *builds; /* newest first */
    size_t count, others;        /* others: builds of it that do not work here */
};

struct stack_view {
    const struct cmd_run *run;
    const char *framework; /* NULL: torch, and the newest of each of the others */
    bool why;
    const struct target_list *targets;
    struct stack_card cards[TARGETS_MAX];
    size_t card_count;
    const char *words; /* behind --assume, for the lines to type; NULL */

    const char *spec_text; /* with check; NULL */
    struct stack_spec spec;
    struct stack_check checks[TARGETS_MAX];
};

/* Which are the newest builds of the other frameworks: one each, up to `max`. */
size_t stack_view_others(const struct stack_card *card, const struct stack_answer **list,
                         size_t max);

/* A Jetson: desktop packages, all that the table has, do not run there. */
bool stack_view_is_tegra(const struct target *target);

/* The driver's branch that install.tsv lists for the card: "470", "current"; "" none. */
void stack_view_branch(const struct target *target, char to[16]);

/* Newest toolkit that knows the card, "11.8"; "" any current one. */
const char *stack_view_toolkit(const struct target *target);

/* Ids of the ways out beside official builds, "stack.alternative.cpu" ...; NULL behind the last. */
void stack_view_alternatives(const struct stack_card *card, const char *ids[8]);

void stack_text_print(const struct stack_view *view);
void stack_text_check(const struct stack_view *view);
void stack_json_fill(json_t *doc, const struct stack_view *view);

#endif
