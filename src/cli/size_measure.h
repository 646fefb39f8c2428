/* smfit size --measure: the network's layers on the card, through the benchmark. */
#ifndef CLI_SIZE_MEASURE_H
#define CLI_SIZE_MEASURE_H

#include "bench/room.h"
#include "bench/survey.h"
#include "cli/bench_nets.h"
#include "cli/machine.h"
#include "size/measured.h"
#include "size/net.h"

struct size_measure {
    struct cmd_run *run;
    struct machine machine;
    struct roof roof;
    struct bench_nets nets;
    struct row_list rows;     /* of the last round; rows of earlier ones are in `measured` */
    struct measured measured, host; /* on the card, and on this machine's processor */
    struct survey survey;           /* the processor's libraries */
    struct room room;
    int out_of_memory;        /* smallest batch at which a layer ran out of it; 0: none */
    size_t layers, failed;    /* rows of layers, and those of them without a time */
    size_t throttled;         /* rows whose clock fell */
    double seconds;           /* that the last round was expected to take */
    bool confirmed;           /* the batch came out the same in fresh rounds */
};

/* Opens the device (the machine's, or the virtual one). CMD_NOT_FIT where there is none, with the reason printed;
 * 0 done; -1. size_measure_close in all cases. */
int size_measure_open(struct size_measure *m, struct cmd_run *run, const struct net *net, struct err *err);
void size_measure_close(struct size_measure *m);

/* One round over the network's layers at these batches (ends with 0, four at most with it), in fp32 and with `half` with
 * fp16 in memory too; what it finds replaces what was known of the same operations. */
int size_measure_round(struct size_measure *m, const int *batches, bool half, struct err *err);

/* Whether the device really gives so many bytes: m->room. */
int size_measure_room(struct size_measure *m, double bytes, struct err *err);

/* The card's name in the tables: the device's own, without the mark of a virtual one. */
void size_measure_card(const struct size_measure *m, char *name, size_t size);

#endif
