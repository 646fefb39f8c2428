/* Prediction and fact side by side: every embedded image on one device. */
#ifndef PROBE_PROBE_H
#define PROBE_PROBE_H

#include "arch/rules.h"
#include "probe/images.h"
#include "probe/load.h"

/* What a row's prediction and fact say together. */
enum probe_agreement {
    PROBE_AGREES,
    PROBE_DISAGREES, /* the fact is outside what the rules expect */
    PROBE_RECORDED,  /* the rule is uncertain; the fact is inside the expected set and narrows it */
    PROBE_UNKNOWN,   /* no fact: the worker did not come to it */
};

struct probe_row {
    struct load_item item;
    struct arch_verdict predicted;
    size_t
        predicted_choice; /* container rows: index of the image the rules expect; SIZE_MAX: none */
    struct load_fact fact;
    size_t ran_image; /* index of the image whose kernel answered; SIZE_MAX: none */
    enum probe_agreement agreement;
    char disagreement[160]; /* why, for people and JSON; "" else */
};

struct probe_result_set {
    struct probe_row *rows; /* first every image, then every container */
    size_t count;
    size_t image_rows;
};

/* Loads every image and every container of `images` on the device of `plan` (its items are set
 * here) and judges each. `target` is that device for the rules. */
int probe_device(const struct probe_images *images, const struct arch_target *target,
                 struct load_plan *plan, struct probe_result_set *set, struct err *err);
void probe_result_set_free(struct probe_result_set *set);

/* Pure: fills ran_image, agreement and disagreement from prediction and fact. */
void probe_judge(const struct probe_images *images, const struct arch_target *target,
                 struct probe_row *row);

const char *probe_agreement_name(enum probe_agreement agreement);

#endif
