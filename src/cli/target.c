#include "cli/target.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/assume.h"
#include "cli/out.h"
#include "cli/text.h"
#include "core/json.h"
#include "doctor/pci.h"

static void set_card(struct target *t, const struct card *card)
{
    t->card = *card;
    t->is_card = true;
    str_copy(t->name, sizeof t->name, card->name);
    if (card->device_id)
        snprintf(t->pci_id, sizeof t->pci_id, "10de:%04x", card->device_id);
}

static int add(struct target_list *targets, const struct target *target, struct err *err)
{
    if (targets->count == TARGETS_MAX)
        return err_set(err, ERR_USAGE, "more than %d cards", TARGETS_MAX);
    struct target *list = reallocarray(targets->list, targets->count + 1, sizeof *list);
    if (!list)
        return err_set(err, ERR_MEMORY, "out of memory");
    targets->list = list;
    list[targets->count++] = *target;
    return 0;
}

static int add_assumed(struct target_list *targets, const char *words, struct err *err)
{
    struct assumption assumption;
    if (assume_parse(words, &assumption, err))
        return -1;
    for (size_t i = 0; i < assumption.count; i++) {
        const struct assumed *a = &assumption.cards[i];
        struct target t = { .rule = a->target, .how = TARGET_ASSUMED, .note = a->match.note };
        snprintf(t.name, sizeof t.name, "sm_%u", a->target.cc);
        if (a->is_card) {
            set_card(&t, &a->match.card);
            str_copy(t.others, sizeof t.others, a->match.others);
        }
        if (add(targets, &t, err))
            return -1;
    }
    return 0;
}

static struct target from_bus(const struct pci_gpu *gpu, const char *version)
{
    struct target t = { .how = TARGET_PCI,
                        .rule.os = ARCH_LINUX,
                        .headless = gpu->class_code >> 8 == PCI_CLASS_3D };
    struct card card;
    str_copy(t.slot, sizeof t.slot, gpu->slot);
    str_copy(t.kernel_driver, sizeof t.kernel_driver, gpu->driver);
    version_parse(version, &t.rule.driver);
    if (cards_by_id(gpu->device, &card)) {
        set_card(&t, &card);
        t.rule.cc = card.cc;
        t.rule.notebook = card.notebook;
    } else {
        snprintf(t.name, sizeof t.name, "NVIDIA 10de:%04x", gpu->device);
        snprintf(t.pci_id, sizeof t.pci_id, "10de:%04x", gpu->device);
    }
    return t;
}

static int add_present(struct target_list *targets, const char *sysroot, struct err *err)
{
    struct pci_gpus gpus;
    char version[VERSION_TEXT_MAX];
    int rc = 0;
    if (pci_scan(sysroot, &gpus, err))
        return -1;
    pci_driver_version(sysroot, version, sizeof version);
    for (size_t i = 0; i < gpus.count && i < TARGETS_MAX && !rc; i++) {
        struct target t = from_bus(&gpus.list[i], version);
        rc = add(targets, &t, err);
    }
    pci_free(&gpus);
    return rc;
}

int target_find(const struct cmd_globals *globals, struct target_list *targets, struct err *err)
{
    *targets = (struct target_list){ 0 };
    for (size_t i = 0; i < globals->assume.count; i++)
        if (add_assumed(targets, globals->assume.items[i], err)) {
            err_wrap(err, "--assume");
            goto fail;
        }
    if (!globals->assume.count &&
        add_present(targets, globals->sysroot ? globals->sysroot : "", err))
        goto fail;
    return 0;
fail:
    target_free(targets);
    return -1;
}

int target_assume(struct target_list *targets, const char *words, struct err *err)
{
    *targets = (struct target_list){ 0 };
    if (add_assumed(targets, words, err) == 0)
        return 0;
    target_free(targets);
    return -1;
}

void target_free(struct target_list *targets)
{
    free(targets->list);
    *targets = (struct target_list){ 0 };
}

void target_note(const struct target_list *targets)
{
    for (size_t i = 0; i < targets->count; i++) {
        const struct target *t = &targets->list[i];
        const char *name = t->name, *chip = t->card.chip;
        struct str text = STR_INIT;
        if (t->note == CARD_NOTE_NONE)
            continue;
        text_add(&text, t->note == CARD_NOTE_RARE ? "note.rare" : "note.commonest",
                 TEXT_ARGS({ "card", name }, { "chip", chip }, { "pci", t->pci_id },
                           { "others", t->others }));
        out_note("%s", text.p);
        str_free(&text);
    }
}

void target_add_cc(struct str *to, unsigned cc)
{
    if (cc)
        str_addf(to, "%u.%u", cc / 10, cc % 10);
    else
        str_add(to, "?");
}

void target_add_label(struct str *to, const struct target *t)
{
    char driver[VERSION_TEXT_MAX];
    bool given = version_known(t->rule.driver);
    struct driver_version version = target_driver(t);
    str_addf(to, "%s (", t->name);
    target_add_cc(to, t->rule.cc);
    str_add(to, ")");
    if (t->rule.os == ARCH_WINDOWS)
        str_add(to, ", Windows");
    if (version_known(version))
        text_add(to, given ? "label.driver" : "label.last_driver",
                 TEXT_ARGS({ "driver", version_text(version, driver) }));
}

struct driver_span target_span(const struct target *t)
{
    const struct arch_facts *arch = facts_arch(t->rule.cc);
    return arch ? facts_span(arch, t->rule.os, t->rule.notebook) : (struct driver_span){ 0 };
}

struct driver_version target_driver(const struct target *t)
{
    return version_known(t->rule.driver) ? t->rule.driver : target_span(t).last;
}

static const struct branch_facts *branch(const struct target *t)
{
    struct driver_version driver = target_driver(t);
    return version_known(driver) ? facts_branch(driver, t->rule.os) : facts_newest(t->rule.os);
}

unsigned target_ptx_isa(const struct target *t)
{
    const struct branch_facts *b = branch(t);
    return b ? b->isa : 0;
}

unsigned target_cuda(const struct target *t)
{
    const struct branch_facts *b = branch(t);
    return b ? b->cuda : 0;
}

static void put_version(json_t *o, const char *key, struct driver_version version,
                        const char *reason)
{
    char text[VERSION_TEXT_MAX];
    if (version_known(version))
        json_put_text(o, key, version_text(version, text));
    else
        json_put_unknown(o, key, reason);
}

json_t *target_json(const struct target *t)
{
    struct str cc = STR_INIT;
    json_t *o = json_object();
    target_add_cc(&cc, t->rule.cc);
    if (t->is_card || t->how == TARGET_PCI)
        json_put_text(o, "card", t->name);
    else
        json_put_unknown(o, "card", "only an architecture was assumed");
    json_put_filled(o, "pci_id", t->pci_id);
    json_put_filled(o, "chip", t->is_card ? t->card.chip : NULL);
    if (t->rule.cc)
        json_put_text(o, "cc", cc.p);
    else
        json_put_unknown(o, "cc", "not in the tables");
    put_version(o, "driver", t->rule.driver,
                t->how == TARGET_PCI ? "no NVIDIA driver is loaded" : "none was given");
    put_version(o, "last_driver", target_span(t).last, "current drivers support the card");
    json_put_text(o, "os", t->rule.os == ARCH_WINDOWS ? "windows" : "linux");
    json_put_bool(o, "notebook", t->rule.notebook);
    json_put_text(o, "how", t->how == TARGET_PCI ? "pci" : "assumed");
    json_put_filled(o, "slot", t->slot);
    json_put_filled(o, "kernel_driver", t->kernel_driver);
    json_put_filled(o, "others", t->others);
    str_free(&cc);
    return o;
}

void target_put_json(json_t *doc, const struct target_list *targets)
{
    json_t *list = json_array();
    for (size_t i = 0; i < targets->count; i++)
        json_array_append_new(list, target_json(&targets->list[i]));
    json_put(doc, "target", targets->count ? target_json(&targets->list[0]) : json_null());
    json_put(doc, "targets", list);
}
