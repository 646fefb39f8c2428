/* A precision on a card: does it work, does a framework that runs there offer it, does it save memory, is it faster?
 * Decided by the card, not by its capability: GTX 16xx have no tensor cores, 6.1 has half arithmetic at 1/64. */
#ifndef SIZE_OFFER_H
#define SIZE_OFFER_H

#include "size/choice.h"

enum offer_answer { OFFER_NO, OFFER_YES, OFFER_UNLIKELY, OFFER_SAME, OFFER_LIKELY, OFFER_UNKNOWN };

struct offer {
    enum precision precision;
    enum offer_answer works, framework, saves, faster;
    const char *works_why;     /* ids of sentences, never NULL */
    const char *framework_why;
    const char *faster_why;
    char since[16], how[32];   /* framework: release and the words that ask for it; "" none */
    double bytes, fp32_bytes;  /* bill at the same batch */
    struct pace_span ratio;    /* of fp32's time to this one's; 0 not known */
    double memory_share;       /* of fp32's time, 0 ... 1 */
    int batch;                 /* that it was compared at */
};

struct offer_card {
    struct time_card card;
    bool dp4a;
    const char *framework; /* newest release with kernels for the card, "1.3.1"; "" none; NULL not asked */
    bool windows;
};

/* Works on the card at all, in training or in inference. */
enum offer_answer offer_works(const struct offer_card *card, enum precision precision, bool training,
                              const char **why);

/* `fp32` and `own` are at the same batch; rates may be unknown. */
void offer_make(const struct offer_card *card, enum precision precision, bool training,
                const struct choice_point *fp32, const struct choice_point *own,
                struct offer *offer);

/* "no", "yes", "unlikely", "same", "likely", "unknown" */
const char *offer_answer_name(enum offer_answer answer);

#endif
