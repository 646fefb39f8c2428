/* Searches what lies ahead in a large file on two processors.
 *
 * In a library of half a gigabyte a quarter is no kernel image and has to be searched: copying
 * those bytes out of the page cache takes longer than comparing them, and both divide well. */
#ifndef IMAGE_AHEAD_H
#define IMAGE_AHEAD_H

#include "image/find.h"
#include "image/input.h"

/* How far a search goes at a time: short at first, since most gaps between containers are. */
struct ahead {
    uint64_t quiet; /* bytes behind the last candidate in which there was none */
};

/* To be told of every stretch that find_candidate went over, and of candidates. */
void ahead_note(struct ahead *a, uint64_t bytes, enum find_kind found);

/* Moves `in` over bytes in which nothing begins, as far as is sure; `*before` is then the byte in
 * front of the position. 1 when it moved, 0 when it did not (a short gap, a pipe, a member of an
 * archive, one processor), -1 on an error. What cannot be read is left to the reader to come upon.
 */
int ahead_skip(struct ahead *a, struct input *in, uint8_t *before, struct err *err);

#endif
