/* A regular file as an input that gives up at a given time, however slow or large it is. */
#ifndef DOCTOR_PATIENT_H
#define DOCTOR_PATIENT_H

#include <stdint.h>

#include "image/input.h"

/* NULL with `err` when it is no regular file or cannot be read. Reading after `deadline_ns`
 * (os_now_ns; 0: never) fails with ERR_LIMIT. */
struct input *patient_open(const char *path, uint64_t deadline_ns, struct err *err);

#endif
