/* Driver versions as people write them: "470", "470.256.02", "425.31". */
#ifndef ARCH_VERSION_H
#define ARCH_VERSION_H

#include <stdbool.h>
#include <stddef.h>

struct driver_version {
    unsigned major, minor, patch; /* 470.256.02; all 0 = not known */
};

/* Longest text of version_text with its NUL. */
#define VERSION_TEXT_MAX 40

/* Takes one to three numbers with dots between them and nothing else; false otherwise. A branch
 * without its minor version ("470") has minor and patch 0. */
bool version_parse(const char *text, struct driver_version *version);

/* <0, 0, >0 as a is older than, the same as, newer than b. */
int version_compare(struct driver_version a, struct driver_version b);

bool version_known(struct driver_version version);

/* "470.256.02", "425.31", "470": as NVIDIA prints it (the parts after the first with two digits).
 * Returns `to`. */
const char *version_text(struct driver_version version, char to[VERSION_TEXT_MAX]);

#endif
