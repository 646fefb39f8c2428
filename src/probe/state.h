/* Why CUDA sees no device, or not all of them: one cause with its evidence.
 *
 * Pure but for small files below `sysroot` (/proc, /dev, /sys, /var/log), so that a saved machine
 * can be asked. What the driver library and the PCI bus say is the caller's to find out. */
#ifndef PROBE_STATE_H
#define PROBE_STATE_H

#include <stdbool.h>
#include <stddef.h>

#include "arch/rules.h"
#include "arch/version.h"
#include "cuda/driver.h"

enum state_cause {
    STATE_FINE,             /* as many devices as there are cards, or no way to tell */
    STATE_NO_CARD,          /* no NVIDIA card on the bus */
    STATE_NOUVEAU,          /* the free driver holds the card */
    STATE_NO_DRIVER,        /* a card, no kernel module, no library */
    STATE_NO_MODULE,        /* the library is there, the kernel module is not loaded */
    STATE_NO_LIBRARY,       /* the kernel module is loaded, the library is not found */
    STATE_BROKEN_LIBRARY,   /* it is found and does not load, or lacks a call */
    STATE_NO_NODES,         /* /dev/nvidiactl is missing, as in a container that was given no GPU */
    STATE_NO_PERMISSION,    /* ... may not be opened */
    STATE_DRIVER_DROPPED,   /* the driver no longer knows the card */
    STATE_DRIVER_TOO_OLD,   /* ... does not know it yet */
    STATE_PARTS_DIFFER,     /* 803: kernel module and library are of different versions */
    STATE_COMPAT,           /* 804: a compat libcuda on a card that may not use one */
    STATE_HIDDEN,           /* CUDA_VISIBLE_DEVICES leaves none */
    STATE_WSL_NO_LIBRARY,   /* WSL without the library that Windows' driver brings */
    STATE_WSL_SHADOWED,     /* WSL, and another library stands in front of that one */
    STATE_SOME_NOT_COUNTED, /* cards on the bus that the driver does not count */
    STATE_OTHER,            /* cuInit failed otherwise */
    STATE_CAUSE_COUNT
};

/* A card as the PCI bus shows it. */
struct state_card {
    const char *slot; /* 0000:01:00.0 */
    unsigned device_id;
    const char *driver; /* kernel driver that holds it; "" none */
};

struct state_input {
    const char *sysroot; /* "" for this machine */
    const char *module;  /* version of the kernel module of a machine without files; NULL: read */
    const struct state_card *cards; /* NVIDIA's, on the bus */
    size_t card_count;
    enum driver_state driver; /* what became of the library */
    int code;                 /* of cuInit, with DRIVER_INIT_FAILED */
    const char *message;      /* with any state but READY: what failed, for people */
    const char *library;      /* path or name of the library that opened or failed */
    size_t device_count;      /* that the driver counts */
    enum arch_os os;          /* of the driver: a virtual machine may have Windows */
    const char *visible;      /* CUDA_VISIBLE_DEVICES; NULL: not set */
};

struct state {
    enum state_cause cause;
    char card[96];      /* "GeForce 920M (10de:1299, 0000:01:00.0)"; "" */
    char module[48];    /* version of the kernel module; "" none is loaded */
    char last[48];      /* DROPPED: the last branch of the card; TOO_OLD: the first */
    char evidence[320]; /* the file, line, variable or message that shows it */
};

void state_find(const struct state_input *input, struct state *state);

/* "state.nouveau": the id of the sentence, with {card}, {module}, {last} and {evidence}. */
const char *state_text_id(enum state_cause cause);

#endif
