/* UTF-8: decoding, width on a terminal, and names from outside made safe to print. */
#ifndef CORE_UTF8_H
#define CORE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/str.h"

/* Decodes the character at `p` (NUL-terminated). Returns its length in bytes, 0 at the end; a byte
 * that starts no valid sequence gives length 1 and *valid = false. */
size_t utf8_next(const char *p, uint32_t *code, bool *valid);

/* Columns that the text takes on a terminal: 2 for the wide characters of East Asia, 0 for
 * combining marks. */
size_t utf8_width(const char *text);

/* Appends `text` with bytes that are not UTF-8 as "\xNN". */
void utf8_add_valid(struct str *to, const char *text);

/* The same for output to a terminal: control characters (also C1) and the marks that reorder text
 * are escaped as well, "\x1b" or "\u202e". */
void utf8_add_printable(struct str *to, const char *text);

/* The same for the text of an XML document: "&lt;" and so on, and what no document may hold is
 * escaped as above. */
void utf8_add_xml(struct str *to, const char *text);

#endif
