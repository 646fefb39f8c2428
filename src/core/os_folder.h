/* Temporary folders, which are gone when the program ends: by itself, by Ctrl-C (SIGINT), SIGTERM,
 * SIGHUP or a closed pipe (SIGPIPE). Only SIGKILL and a crash leave them. */
#ifndef CORE_OS_FOLDER_H
#define CORE_OS_FOLDER_H

#include <stddef.h>

#include "core/err.h"

#define OS_FOLDERS_MAX  4u   /* at a time */
#define OS_FOLDER_SIZE  512u /* of a path */
#define OS_FOLDER_DEPTH 128u /* folders in one another that a removal goes down */

/* Makes TMPDIR/smfit-PURPOSE-XXXXXX (without TMPDIR: in /tmp) for the user alone. -1: `path` is "". From
 * then on the signals above end a process that is being waited for (os_process.h), remove the folder and
 * end this one as they would have; those that were ignored stay so. */
int os_folder_make(const char *purpose, char path[OS_FOLDER_SIZE], struct err *err);

/* With all that is in it; "" is allowed. `path` is "" then. */
void os_folder_remove(char path[OS_FOLDER_SIZE]);

/* A file, or a folder with all that is in it, which is not under a folder of the above necessarily. Links are
 * removed, not followed. */
void os_remove_tree(const char *path);

#endif
