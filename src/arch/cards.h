/* Cards by the names that people use, over the tables pci.tsv (every NVIDIA display device) and
 * cards.tsv (figures of many of them).
 *
 * A text is compared with every name in four steps, and the first step with a hit decides:
 *   1. as printed, but for case;
 *   2. without spaces and hyphens;
 *   3. without a leading NVIDIA, GeForce, Quadro, Tesla;
 *   4. without a leading GTX, GT, RTX either;
 * then as the beginning of a name, ending where a word ends (so 920m is never 920MX). A text may
 * name the chip behind the card, "GT 730 (GK208B)", or be a PCI id, "10de:1299". */
#ifndef ARCH_CARDS_H
#define ARCH_CARDS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/err.h"

/* Strings point into the tables. */
struct card {
    const char *name, *chip;
    unsigned cc; /* 35; 0: older than CUDA, or not published */
    bool notebook, rare;
    unsigned device_id; /* 0x1299; 0: not known */
    int pci_row;        /* in pci.tsv, or -1 */
    int card_row;       /* in cards.tsv, or -1: no figures */
};

enum card_note {
    CARD_NOTE_NONE,
    CARD_NOTE_COMMONEST, /* several that are alike for every question of driver and image */
    CARD_NOTE_RARE,      /* another chip bears the name too, but hardly anybody has it */
};

struct card_match {
    struct card card;
    enum card_note note;
    char others[160]; /* with a note: the ones not taken, "GeForce GTX 750 Ti (GK106, 3.0)" */
};

/* All cards that the text may mean, the likeliest first and at most `max`. Returns how many. */
size_t cards_candidates(const char *text, struct card *cards, size_t max);

/* The one that it means. ERR_USAGE: nobody knows it (with the nearest name), it has no compute
 * capability, or it is several that differ in capability or last driver (they are listed). */
int cards_find(const char *text, struct card_match *match, struct err *err);

/* By PCI device id; false when pci.tsv has it not. */
bool cards_by_id(unsigned device_id, struct card *card);

/* True for "10de:1299" in any case. */
bool cards_parse_id(const char *text, unsigned *device_id);

#endif
