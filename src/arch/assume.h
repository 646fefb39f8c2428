/* A machine that is not there, as --assume and --virtual name it:
 *   CARD|sm_XY[,CARD...][,driver=V][,os=linux|windows][,notebook|desktop]
 * CARD is any name that cards.h takes; a comma between parentheses belongs to the name. */
#ifndef ARCH_ASSUME_H
#define ARCH_ASSUME_H

#include <stdbool.h>
#include <stddef.h>

#include "arch/cards.h"
#include "arch/rules.h"

#define ASSUME_CARDS_MAX 16

struct assumed {
    struct arch_target target;
    bool is_card;            /* else only an architecture was named */
    struct card_match match; /* with is_card */
};

struct assumption {
    struct assumed cards[ASSUME_CARDS_MAX];
    size_t count;
};

/* One or more cards with what holds for all of them. ERR_USAGE says which word is off. */
int assume_parse(const char *text, struct assumption *assumption, struct err *err);

/* "sm_35" or "3.5"; false for anything else. The capability need not be a known one. */
bool assume_parse_arch(const char *text, unsigned *cc);

#endif
