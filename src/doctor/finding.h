/* What may be wrong, each with the file at fault and the evidence, and the one that is the
 * likeliest. Pure over what doctor_run found. */
#ifndef DOCTOR_FINDING_H
#define DOCTOR_FINDING_H

#include "doctor/doctor.h"
#include "doctor/doctor_error.h"
#include "doctor/remark.h"

#define FINDINGS_MAX         512
#define FINDING_EVIDENCE_MAX 5
#define FINDING_CURES_MAX    6
#define FINDING_COMMANDS_MAX 4

enum finding_confidence {
    FINDING_CERTAIN,  /* files, driver and rules show it */
    FINDING_LIKELY,   /* they allow it and the error text, or nothing else, points there */
    FINDING_POSSIBLE, /* by the error text alone */
};

/* "certain", "likely", "possible" */
const char *finding_confidence_name(enum finding_confidence confidence);

/* A way out, the cheaper first. */
struct finding_cure {
    struct remark what;
    char commands[FINDING_COMMANDS_MAX][400];
    size_t command_count;
};

struct finding {
    enum doctor_cause cause;
    int gpu, package;         /* in doctor; -1 none */
    char path[ROOT_PATH_MAX]; /* the file at fault; "" none */
    int weight;               /* the greater, the likelier */
    int shown;                /* the weight by files and driver alone */
    struct driver_version least; /* driver that would do; not known: what the package asks for */
    enum finding_confidence confidence;
    struct remark evidence[FINDING_EVIDENCE_MAX];
    size_t evidence_count;
    struct remark sure; /* what would make it certain; no id: nothing more is needed */
    struct finding_cure cures[FINDING_CURES_MAX];
    size_t cure_count;
};

struct findings {
    struct finding *list; /* the likeliest first */
    size_t count;
    struct doctor_error error; /* causes by the error text; none: not given, or not known */
};

/* -1 only without memory. findings_free after both. */
int findings_find(const struct doctor *d, struct findings *f, struct err *err);
void findings_free(struct findings *f);

#endif
