/* Help, made from the tables of commands and options. All on stdout. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cli/cmd.h"

void help_program(void);
void help_command(const struct cmd *cmd);

#endif
