/* One run of `smfit bench`: what its parts share. */
#ifndef CLI_BENCH_RUN_H
#define CLI_BENCH_RUN_H

#include "bench/bench_host.h"
#include "bench/campaign.h"
#include "bench/survey.h"
#include "cli/bench_nets.h"
#include "cli/cmd.h"
#include "cli/machine.h"

struct bench_options {
    bool list, quick, full, cpu, csv, uuid, compare;
    struct opts_list cases, precisions, shapes, nets, batches, lib_dirs;
    const char *out, *resume, *plot;
};

struct bench_run {
    struct cmd_run *run;
    struct bench_options options; /* those of the command line, or of the file that is resumed */
    json_t *header;               /* of that file; owns the texts of the options */
    struct machine machine;
    const struct device *device; /* NULL: on the CPU alone, or none is there */
    char driver[80];
    char hash[17], card_hash[17]; /* of card and driver; of the card alone */
    char name[128];               /* the card's, for people */
    struct roof roof;
    struct survey survey;
    struct bench_host host;
    struct bench_nets nets;
    struct gemm_shape shapes[OPTS_LIST_MAX];
    const char *sites[16];
    size_t site_count;
    struct plan_options wanted;
    struct plan plan;
    struct row_list rows;
    struct stream stream;
    uint64_t start_ns;
    double done_before_s; /* of the plan, by an earlier run */
};

/* bench_options.c: the words of the options as a plan wants them, but for where it runs. ERR_USAGE. */
int bench_options_read(struct bench_run *r, struct plan_options *to, struct err *err);
/* Whether any option is given that --compare has no use for. */
bool bench_options_measure(const struct bench_options *options);
/* What a resumed file must agree with: options and card. */
json_t *bench_options_header(const struct bench_run *r);
/* Takes the options of a file's header in place of the command line's. */
int bench_options_resume(struct bench_run *r, struct err *err);

/* bench_json.c */
void bench_json_fill(struct bench_run *r);
void bench_json_list(struct bench_run *r);
json_t *bench_json_environment(const struct bench_run *r);

/* bench_text.c: the table, and the plan. bench_csv.c: one line a row. */
void bench_text_rows(const struct bench_run *r);
void bench_text_list(const struct bench_run *r);
void bench_text_libraries(const struct bench_run *r);
void bench_csv_rows(const struct row_list *rows);

/* bench_compare.c: two files beside each other; the exit code, or -1. */
int bench_compare(struct cmd_run *run, struct err *err);

#endif
