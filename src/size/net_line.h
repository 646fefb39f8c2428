/* One line of a layer file: the words, and what they make of the layers that they read. */
#ifndef SIZE_NET_LINE_H
#define SIZE_NET_LINE_H

#include "size/net.h"

#define LINE_SIZE_MAX   1024
#define LINE_KEYS_MAX   24
#define LINE_INPUTS_MAX 128

struct line_key {
    const char *key, *value;
    bool used;
};

struct line {
    char text[LINE_SIZE_MAX]; /* cut into words */
    const char *name, *op;    /* NULL: not there */
    struct line_key keys[LINE_KEYS_MAX];
    size_t key_count;
};

/* Cuts `text` (without its newline and comment) into NAME OP KEY=VALUE... */
int line_cut(struct line *line, const char *text, size_t size, struct err *err);

/* The value of a key, or NULL. Marks it as used. */
const char *line_value(struct line *line, const char *key);

/* A whole number; `missing` where the key is not given (below `least`: it must be). */
int line_number(struct line *line, const char *key, int64_t least, int64_t missing, int64_t *value,
                struct err *err);

/* "3", or "3x5": rows and columns. */
int line_pair(struct line *line, const char *key, int64_t least, int64_t missing, int64_t value[2],
              struct err *err);

int line_flag(struct line *line, const char *key, bool missing, bool *value, struct err *err);

/* Fills the layer that the line means from the layers that it reads; ERR_FORMAT for an operation that
 * does not take these, or does not know a key. */
int line_layer(struct line *line, const struct layer *const *inputs, size_t input_count,
               struct layer *layer, struct err *err);

#endif
