/* Between the files that print `smfit size` for people. */
#ifndef CLI_SIZE_PARTS_H
#define CLI_SIZE_PARTS_H

#include "cli/out.h"
#include "cli/size_view.h"
#include "cli/text.h"

void size_heading(const char *id);
void size_sentence(enum out_style style, size_t indent, const char *id,
                   const struct text_arg *args);

#endif
