/* `smfit probe FILE`: the containers of a user's file, given to the driver one by one. */
#ifndef CLI_PROBE_FILE_H
#define CLI_PROBE_FILE_H

#include "cli/machine.h"

/* Returns the exit code, or -1. */
int probe_file(struct cmd_run *run, const struct machine *m, const char *path, struct err *err);

#endif
