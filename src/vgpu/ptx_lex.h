/* Cuts PTX text into tokens. Comments, blanks and the lines of old debug sections ("@@DWARF")
 * vanish here. Text is untrusted: it is read through a bounded cursor, and a token borrows from it.
 */
#ifndef VGPU_PTX_LEX_H
#define VGPU_PTX_LEX_H

#include <stdint.h>

#include "core/bytes.h"

enum ptx_token_kind {
    PTX_TOK_END,
    PTX_TOK_NAME,   /* add, %r1, $L__BB0_2, _Z3fooPf */
    PTX_TOK_DOT,    /* .global, .v4, .L2::128B; the text excludes the dot */
    PTX_TOK_INT,    /* value */
    PTX_TOK_F32,    /* 0f3F800000: value holds the bits */
    PTX_TOK_F64,    /* 0d..., 1.5: value holds the bits */
    PTX_TOK_STRING, /* text excludes the quotes */
    PTX_TOK_PUNCT,  /* one character, in value */
    PTX_TOK_BAD     /* text says what; the parser reports it */
};

struct ptx_token {
    enum ptx_token_kind kind;
    const char *text; /* not NUL-terminated */
    uint32_t size;
    uint32_t line;
    uint64_t value;
};

struct ptx_lex {
    struct bytes in;
    uint32_t line;
};

void ptx_lex_init(struct ptx_lex *lex, const char *text, size_t size);

/* At the end of the text (or its first NUL) returns PTX_TOK_END, as often as asked. */
struct ptx_token ptx_lex_next(struct ptx_lex *lex);

#endif
