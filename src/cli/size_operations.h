/* smfit size for single operations: --gemm, --conv, --shapes, --calibrate. Always by the model, for one card. */
#ifndef CLI_SIZE_OPERATIONS_H
#define CLI_SIZE_OPERATIONS_H

#include <stdbool.h>

#include "cli/cmd.h"
#include "cli/opts.h"
#include "cli/target.h"

/* As the command line has them; part of the struct of the command's options. */
struct size_operations {
    struct opts_list gemm, conv;
    const char *shapes, *calibrate;
};

/* Rows of an option table whose struct has `member`, a struct size_operations. */
#define SIZE_OPERATIONS_OPTIONS(type, member)                                                      \
    { 0, "gemm", OPTS_LIST, "M,N,K[,nn|nt|tn]", NULL, "opt.size_gemm",                             \
      offsetof(type, member.gemm) },                                                               \
        { 0, "conv", OPTS_LIST, "W,H,C,N,K,S,R,PADW,PADH,STRIDEW,STRIDEH", NULL, "opt.size_conv",  \
          offsetof(type, member.conv) },                                                           \
        { 0, "shapes", OPTS_TEXT, "FILE.tsv", NULL, "opt.size_shapes",                             \
          offsetof(type, member.shapes) },                                                         \
    {                                                                                              \
        0, "calibrate", OPTS_TEXT, "M,N,K[,nn|nt|tn]=MS", NULL, "opt.size_calibrate",              \
            offsetof(type, member.calibrate)                                                       \
    }

/* True when one of --gemm, --conv, --shapes was given. */
bool size_operations_asked(const struct size_operations *operations);

/* Predicts them for the card and prints a table, or fills the document: "target", "calibration", "rows".
 * `precision`: of operations that do not name one, and of the calibrating product; NULL is fp32. Returns the exit
 * code (CMD_NOT_FIT when nothing could be predicted), or -1 with err set: ERR_USAGE for words and lines that are off. */
int size_operations_run(struct cmd_run *run, const struct size_operations *operations, const char *precision,
                        const struct target *target, struct err *err);

#endif
