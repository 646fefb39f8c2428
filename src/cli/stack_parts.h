/* Parts of the text that stack_text.c and stack_check.c share. */
#ifndef CLI_STACK_PARTS_H
#define CLI_STACK_PARTS_H

#include "cli/out.h"
#include "cli/stack_view.h"

struct text_arg;
void stack_title(const char *id, const struct text_arg *args);
void stack_wrapped(enum out_style style, size_t indent, const char *id,
                   const struct text_arg *args);

/* Commands stand as they are typed, whatever the width. */
void stack_commands(const char *lines);

/* Where the row about a build is from. */
void stack_why(const struct stack_answer *a);

/* The drivers that know the card. */
void stack_span(const struct target *target);

/* What is measured or documented is recommended before what somebody inferred. */
bool stack_is_sure(const struct stack_answer *a);

#endif
