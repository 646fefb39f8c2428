/* What `smfit size` has worked out for one card, before it is printed. */
#ifndef CLI_SIZE_VIEW_H
#define CLI_SIZE_VIEW_H

#include "bench/bench_host.h"
#include "cli/cmd.h"
#include "cli/size_operations.h"
#include "cli/target.h"
#include "size/advice.h"

struct size_options {
    const char *net, *batch, *image, *optimizer, *precision, *target_batch, *budget, *dataset, *plot;
    bool train, infer, checkpoint, layers, measure;
    struct size_operations operations; /* in place of a network */
};

/* The words of the options as numbers. */
struct size_request {
    const struct size_options *options;
    int batch, target_batch; /* 0: not given */
    struct net_image image;  /* 0 x 0: not given */
    long dataset;
    double budget_bytes; /* 0: not given */
    enum memory_optimizer optimizer;
    int precision; /* -1: auto */
};

/* The network read once, in both of its modes. */
struct size_net {
    struct net net;
    struct kept kept[2]; /* inference, training */
    bool built_in;
    struct net_image image; /* 0 x 0: reads none */
};

struct size_measure;

/* Training or inference on the card. */
struct size_mode {
    struct choice_ask ask;
    struct choice choice;
    struct memory_bill bill; /* at the chosen batch */
    struct offer offers[PRECISION_COUNT];
    struct pace host; /* the same batch on this machine's processor */
    struct pace_span host_rate;
    struct pace_span times_host; /* how many times as fast as that; 0 not known */
    double break_even;           /* images from which the card's start pays; 0: never or not known */
};

struct size_view {
    struct cmd_run *run;
    const struct size_request *request;
    const struct size_net *net;
    const struct target *target;
    const struct bench_host *cpu;
    const struct host *host;
    struct offer_card card;
    char framework[16]; /* newest PyTorch with kernels for the card; "" none */
    struct time_model models[PRECISION_COUNT];
    const char *no_times; /* NULL, or the id of a sentence why there are none */
    double transfer_gbps;
    double card_bytes;
    struct size_mode modes[2]; /* inference, training */
    bool training;             /* which of them was asked for */
    struct choice_point latency; /* one image, inference */
    struct advice_list advice;
    /* --measure; else NULL, 0 and -1 */
    const char *basis;                /* "measured", "simulated"; NULL: "modelled" */
    const struct measured *measured, *host_measured;
    const struct size_measure *measurement;
    double memory_bytes, used_bytes;  /* of the device; what others and the driver's context hold of it */
    double short_bytes, tried_bytes;  /* free by its word, but not given; what was taken for a trial */
    int most;                         /* no larger batch: a layer ran out of memory there; 0: none did */
};

/* ERR_USAGE for a number that makes no sense. */
int size_request_read(const struct size_options *options, struct size_request *request,
                      struct err *err);

int size_net_open(struct size_net *net, const struct size_request *request, struct err *err);
void size_net_close(struct size_net *net);

/* request, net, target, cpu, host and run are set; all else is filled in. */
int size_view_make(struct size_view *view, struct err *err);

const struct size_mode *size_view_asked(const struct size_view *view);
const struct choice_point *size_view_chosen(const struct size_mode *mode);

/* Each layer of the asked mode at the chosen batch: in fp32 and with fp16 in memory on the card, and in fp32 on the
 * processor; zeros where nothing is known. */
struct size_layers {
    struct pace_layer *fp32, *half, *host;
};
int size_layers_open(const struct size_view *view, struct size_layers *layers);
void size_layers_close(struct size_layers *layers);

/* The three outputs. */
void size_text_print(const struct size_view *view);
void size_tables_print(const struct size_view *view);
void size_layers_print(const struct size_view *view);
void size_advice_print(const struct size_view *view);
void size_json_fill(json_t *result, const struct size_view *view);
int size_plot_write(const struct size_view *view, const char *path, struct err *err);

/* "35 (25 to 47)", "114"; at most three digits that count. */
void size_add_number(struct str *to, double value);
void size_add_span(struct str *to, const struct pace_span *span);
void size_add_bytes(struct str *to, double bytes);

#endif
