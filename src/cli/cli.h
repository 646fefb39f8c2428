/* The command line. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#define CLI_VERSION "0.1.0"

/* Runs the command that the words name; returns the exit code. */
int cli_main(int argc, char **argv);

#endif
