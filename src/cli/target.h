/* The cards that a command answers for: those in the machine, or those that were assumed. */
#ifndef CLI_TARGET_H
#define CLI_TARGET_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "arch/cards.h"
#include "arch/rules.h"
#include "cli/cmd.h"
#include "core/str.h"

#define TARGETS_MAX 16

enum target_how { TARGET_ASSUMED, TARGET_PCI };

struct target {
    struct arch_target rule;
    enum target_how how;
    char name[96];    /* "GeForce 920M"; "sm_35" when only an arch was assumed */
    char pci_id[16];  /* "10de:1299"; "" not known */
    bool is_card;     /* `card` holds */
    struct card card; /* in the tables */
    enum card_note note;
    char others[160];       /* with a note: the ones not taken */
    char slot[16];          /* of a card in the machine */
    char kernel_driver[32]; /* bound to it: "nvidia", "nouveau"; "" none */
    bool headless;          /* of the PCI class "3D controller": nothing can be plugged into it */
};

struct target_list {
    struct target *list;
    size_t count;
};

/* --assume, or else the machine. ERR_USAGE for a card that nobody knows or that is several. */
int target_find(const struct cmd_globals *globals, struct target_list *targets, struct err *err);

/* Those that the words mean, as --assume takes them. */
int target_assume(struct target_list *targets, const char *words, struct err *err);

void target_free(struct target_list *targets);

/* Says on stderr which of several alike cards was taken. */
void target_note(const struct target_list *targets);

/* "3.5" */
void target_add_cc(struct str *to, unsigned cc);

/* "GeForce 920M (3.5), driver 470.256.02" */
void target_add_label(struct str *to, const struct target *target);

/* The drivers that know the card; `last` not known: not dropped yet. */
struct driver_span target_span(const struct target *target);

/* The driver that verdicts are made for: its own, or the last that the card can have. */
struct driver_version target_driver(const struct target *target);

/* Newest PTX ISA and CUDA that this driver knows, as levels (704, 1104); 0 not known. */
unsigned target_ptx_isa(const struct target *target);
unsigned target_cuda(const struct target *target);

/* {"card", "pci_id", "chip", "cc", "driver", "last_driver", "os", "how", ...} */
json_t *target_json(const struct target *target);

/* "target": the first or null, and "targets": all. */
void target_put_json(json_t *doc, const struct target_list *targets);

#endif
