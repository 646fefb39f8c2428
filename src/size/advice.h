/* What to do with the result: sentences with their numbers. Each is there because a figure asks for it. */
#ifndef SIZE_ADVICE_H
#define SIZE_ADVICE_H

#include "size/offer.h"

#define ADVICE_MAX   16
#define ADVICE_WORDS 6

struct advice {
    const char *id; /* "advice.steps": of its sentence */
    struct {
        const char *name; /* placeholder of the sentence */
        char value[64];
    } words[ADVICE_WORDS];
    size_t word_count;
};

struct advice_list {
    struct advice list[ADVICE_MAX];
    size_t count;
};

struct advice_ask {
    const struct choice_ask *choice_ask;
    const struct choice *choice;
    const struct offer *offers; /* PRECISION_COUNT of them */
    int target_batch;           /* 0: not asked */
    long dataset;               /* images an epoch; 0: not asked */
    struct net_image image;     /* 0 x 0: none */
    bool built_in;              /* lighter networks can be compared at another image size */
    double transfer_gbps;       /* host to device; 0 not known */
};

void advice_make(const struct advice_ask *ask, struct advice_list *advice);

/* Accumulation steps for the wanted batch; 1 without one. */
int advice_steps(int target_batch, int batch);

/* Share of the multiply-adds in dense convolutions wider than 1 x 1, and of parameters in linear layers. */
double advice_dense_share(const struct net *net);
double advice_head_share(const struct net *net);

#endif
