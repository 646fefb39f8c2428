/* Which kernel was fastest for a shape on this card with this driver, kept in the user's cache
 * folder
 * ($XDG_CACHE_HOME/smfit, else ~/.cache/smfit), so that it is tried out once. The file is named by
 * a hash of card and driver; that it cannot be read or written is no failure. */
#ifndef BENCH_TUNE_H
#define BENCH_TUNE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tune_entry {
    char key[208],
        value[80]; /* "gemm fp32 NN 64x64x64", "gemm_f32_64x64 2": no tabs, no newlines */
};

struct tune {
    char path[1024]; /* "": nowhere */
    struct tune_entry *entries;
    size_t count, room;
    bool changed;
};

/* The identity of a card with a driver, as sixteen hex digits and nothing that leads back to it. */
void tune_hash(const char *uuid, const char *driver, char text[17]);

/* Reads what there is for the card; lines that are none are passed over. */
void tune_open(struct tune *tune, const char *hash);
/* Writes it when something was added, in one step, so that two runs do not spoil each other's. */
void tune_close(struct tune *tune);

/* NULL: not known. */
const char *tune_find(const struct tune *tune, const char *key);
void tune_add(struct tune *tune, const char *key, const char *value);

#endif
