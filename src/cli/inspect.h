/* What the parts of the inspect command share: the scan of one file, the verdicts on it, and its
 * output as text and JSON. */
#ifndef CLI_INSPECT_H
#define CLI_INSPECT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/cmd.h"
#include "cli/kernels.h"
#include "cli/tally.h"
#include "cli/target.h"
#include "image/scan.h"

struct inspect_options {
    bool containers, kernels;
    const char *kernel; /* only containers with a kernel that matches */
    bool verify;        /* unpack every image and hold it against its header */
};

/* How the containers of a file fare on one card. */
struct inspect_verdict {
    enum verdict verdict; /* of the file: the best that any container has */
    struct arch_summary sum;
    struct arch_verdict first[VERDICT_COUNT]; /* of the first container with that verdict */
    bool used[TALLY_ROWS_MAX];                /* rows from which a container would be served */
    bool without[TALLY_ROWS_MAX];             /* rows of the containers with VERDICT_NO_IMAGE */
};

struct inspect_file {
    const char *path;
    const char *member; /* "" when the file is no archive */
    enum scan_file_kind kind;
    struct tally tally;
    struct kernels kernels; /* of the container that is being read */
    uint64_t open_images;   /* of that container */
    json_t *containers;     /* with --json and --containers */
    uint64_t problems;
    uint64_t verified; /* images, with --verify */
};

/* Counts over the files of a package (an archive or a folder) or of all operands. */
struct inspect_sum {
    uint64_t files, gpu_files, containers, images, bytes;
    struct {
        uint64_t whole, partly, none, uncertain; /* files */
    } on[TARGETS_MAX];                           /* by card */
};

struct inspect {
    struct cmd_run *run;
    const struct inspect_options *options;
    struct target_list targets;
    struct inspect_file *file;   /* that is being read */
    struct inspect_sum *package; /* of the archive that is being read */
    struct inspect_sum archive, operand, total;
    json_t *files, *verdicts, *packages;
    struct grid *rows;                                             /* with --containers */
    bool is_archive;                                               /* the path has members */
    enum { INSPECT_NOTHING, INSPECT_LINE, INSPECT_BLOCK } printed; /* last */
    bool titled;      /* the package's name was printed */
    bool shows_plain; /* files without GPU code are worth a line */
    bool unfit;       /* some file has nothing that runs on some card */
    bool matched;     /* --kernel: some container had one */
};

/* inspect_scan.c: reads one path and everything in it. */
int inspect_path(struct inspect *in, const char *path, struct err *err);

/* "PATH" or "PATH!MEMBER"; the caller frees. */
struct str inspect_name(const struct inspect_file *file);

/* inspect_verdict.c */
struct arch_verdict inspect_judge_group(const struct tally *t, const struct tally_group *g,
                                        const struct target *target);
void inspect_judge(const struct tally *t, const struct target *target, struct inspect_verdict *v);
bool inspect_is_unfit(const struct inspect_verdict *v);

/* inspect_text.c */
void inspect_text_file(struct inspect *in, const struct inspect_file *file,
                       const struct inspect_verdict *verdicts);
void inspect_text_container(struct inspect *in, const struct inspect_file *file,
                            const struct scan_container *c, const struct tally_group *group);
void inspect_text_sum(struct inspect *in, const char *name, const struct inspect_sum *sum);

/* inspect_json.c */
void inspect_json_file(struct inspect *in, const struct inspect_file *file,
                       const struct inspect_verdict *verdicts);
int inspect_json_container(struct inspect *in, struct inspect_file *file,
                           const struct scan_container *c, const struct tally_group *group,
                           struct err *err);
json_t *inspect_json_sum(const struct inspect *in, const char *path, const struct inspect_sum *sum);

#endif
