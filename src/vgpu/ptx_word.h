/* The fixed vocabulary of PTX: opcodes, modifiers, types, directives and special registers as small
 * numbers, so that nothing after the lexer compares text. */
#ifndef VGPU_PTX_WORD_H
#define VGPU_PTX_WORD_H

#include <stddef.h>
#include <stdint.h>

enum ptx_word {
    PTX_W_NONE,
#define PTX_WORD(id, text) PTX_W_##id,
#include "vgpu/ptx_word.def"
#undef PTX_WORD
    PTX_W_COUNT
};

/* The word spelled by text[0..size), or PTX_W_NONE. */
enum ptx_word ptx_word_find(const char *text, size_t size);

/* The spelling; "?" for PTX_W_NONE. */
const char *ptx_word_text(enum ptx_word word);

#endif
