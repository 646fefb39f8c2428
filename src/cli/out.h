/* The only writer to stdout: text with colour where wanted, and the words on stderr. */
#ifndef CLI_OUT_H
#define CLI_OUT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/err.h"
#include "core/str.h"

enum out_style { OUT_PLAIN, OUT_BOLD, OUT_DIM, OUT_GOOD, OUT_BAD, OUT_DOUBTFUL };

/* Gives closed standard streams a place, so that no file of ours is opened under their numbers;
 * writing to a closed stdout still fails. A file at its size limit is an error of the write. Comes
 * first of all. */
void out_start(void);

/* "auto", "always", "never"; auto is colour on a terminal unless NO_COLOR is set. */
void out_set_color(const char *when);
void out_set_quiet(bool quiet);

/* `text` is written as it is: what comes from outside has gone through utf8_add_printable. */
void out_text(enum out_style style, const char *text);
void out_line(enum out_style style, const char *text);
void out_pad(size_t columns);

/* Text by id from text.tsv (see text.h). */
struct text_arg;
void out_sentence(enum out_style style, const char *id, const struct text_arg *args);

/* The text broken at blanks (and between Chinese characters) to fit the width of the output, each
 * line indented. */
void out_wrapped(enum out_style style, size_t indent, const char *text);

/* The same behind `used` columns that the first line has already. */
void out_hanging(enum out_style style, size_t indent, size_t used, const char *text);

/* "12.3 MiB" */
void out_add_size(struct str *to, uint64_t bytes);

/* "smfit: MESSAGE" on stderr; control characters are escaped. `out_note` is silent under -q. */
void out_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void out_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Progress on stderr, where that is a terminal, at most ten times a second; done 0 of 0 wipes it.
 */
void out_progress(const char *what, uint64_t done, uint64_t total);

/* Flushes. Fails when anything written to stdout was lost. */
int out_finish(struct err *err);

#endif
