#include "cli/diagnosis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/cards.h"
#include "cli/text.h"
#include "doctor/pci.h"

#define CARDS_MAX 32

static struct state_input start(const struct machine *m)
{
    return (struct state_input){ .sysroot = "",
                                 .driver = m->state,
                                 .code = m->why.native,
                                 .message = m->why.msg,
                                 .library = m->library        ? m->library
                                            : *m->driver.path ? m->driver.path
                                                              : "libcuda.so.1",
                                 .device_count = m->listed,
                                 .os = m->os,
                                 .visible = getenv("CUDA_VISIBLE_DEVICES") };
}

/* The machine's own bus. A bus that cannot be read counts as empty. */
static void find_real(const struct machine *m, struct state *state)
{
    struct state_input in = start(m);
    struct state_card cards[CARDS_MAX];
    struct pci_gpus gpus = { 0 };
    struct err unused;
    err_clear(&unused);
    pci_scan("", &gpus, &unused);
    for (size_t i = 0; i < gpus.count && i < CARDS_MAX; i++)
        cards[in.card_count++] =
            (struct state_card){ gpus.list[i].slot, gpus.list[i].device, gpus.list[i].driver };
    in.cards = cards;
    state_find(&in, state);
    pci_free(&gpus);
}

/* The virtual machine has the cards that were named and no files of its own. */
static void find_virtual(const struct machine *m, struct state *state)
{
    struct state_input in = start(m);
    struct state_card cards[CARDS_MAX];
    const char *names = getenv("SMFIT_VGPU");
    in.sysroot = "/nonexistent";
    in.module = getenv("SMFIT_VGPU_DRIVER");
    while (names && *names && in.card_count < CARDS_MAX) {
        struct card_match match;
        struct err unused;
        char name[96];
        size_t n = strcspn(names, ";");
        snprintf(name, sizeof name, "%.*s", (int)n, names);
        err_clear(&unused);
        if (cards_find(name, &match, &unused) == 0)
            cards[in.card_count++] =
                (struct state_card){ "virtual", match.card.device_id, "nvidia" };
        names += n + (names[n] != 0);
    }
    in.cards = cards;
    state_find(&in, state);
    if (state->cause == STATE_DRIVER_DROPPED || state->cause == STATE_DRIVER_TOO_OLD ||
        state->cause == STATE_SOME_NOT_COUNTED)
        str_copy(state->evidence, sizeof state->evidence, "--virtual");
}

void diagnosis_find(const struct machine *m, struct state *state)
{
    if (m->library)
        find_virtual(m, state);
    else
        find_real(m, state);
}

void diagnosis_add(struct str *to, const struct state *state)
{
    text_add(to, state_text_id(state->cause),
             TEXT_ARGS({ "card", state->card }, { "module", state->module },
                       { "last", state->last }, { "evidence", state->evidence }));
}
