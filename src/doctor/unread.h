/* What doctor was to look at and could not read: it must not pass for what is not there. */
#ifndef DOCTOR_UNREAD_H
#define DOCTOR_UNREAD_H

#include <stdbool.h>

#include "doctor/doctor.h"

/* Counts a file or folder that could not be read, and keeps the first one with the reason. Of what
 * nobody asked for (d->unasked) nothing is kept: on any machine there are folders of other users.
 * `full` is this machine's path. */
void unread_note(struct doctor *d, const char *full, const struct err *why);

/* The same for a path of the tree that is there and may not be read; true when it was noted. */
bool unread_check(struct doctor *d, const char *path);

/* A shared library or program that has lost its end: the loader refuses it, and what it held is not
 * known. */
bool unread_is_cut(const char *full);

#endif
