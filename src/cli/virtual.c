#include "cli/virtual.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/assume.h"
#include "core/os_process.h"
#include "core/str.h"
#include "data/data.h"

/* Whether the row has what the virtual GPU cannot guess. */
static bool has_figures(const struct table *t, size_t row)
{
    static const char *const needed[] = { "sms",        "cores",    "base_mhz",
                                          "memory_mib", "bus_bits", "bandwidth_gbps" };
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        if (table_blank(table_field(t, row, needed[i])))
            return false;
    return true;
}

/* The names, as the table of figures has them (the match may say what the PCI list calls the card),
 * joined by ";". */
static int join_names(const struct assumption *a, struct str *names, struct err *err)
{
    for (size_t i = 0; i < a->count; i++) {
        const struct assumed *one = &a->cards[i];
        if (!one->is_card)
            return err_set(err, ERR_USAGE, "a virtual GPU needs a card, not an architecture");
        const struct table *t = data_table(DATA_CARDS);
        int row = one->match.card.card_row;
        if (row < 0 || !has_figures(t, (size_t)row))
            return err_set(err, ERR_USAGE, "there are no figures for a virtual '%s'",
                           one->match.card.name);
        str_addf(names, "%s%s", i ? ";" : "", table_field(t, (size_t)row, "name"));
    }
    return 0;
}

static struct driver_span span_of(const struct arch_target *t)
{
    const struct arch_facts *facts = facts_arch(t->cc);
    return facts ? facts_span(facts, t->os, t->notebook) : (struct driver_span){ 0 };
}

/* The newest driver that all cards can have. */
static int common_driver(const struct assumption *a, struct driver_version *driver, struct err *err)
{
    struct driver_version first = { 0 }, last = { 0 };
    for (size_t i = 0; i < a->count; i++) {
        struct driver_span span = span_of(&a->cards[i].target);
        if (version_compare(span.first, first) > 0)
            first = span.first;
        if (version_known(span.last) &&
            (!version_known(last) || version_compare(span.last, last) < 0))
            last = span.last;
    }
    if (version_known(last) && version_compare(first, last) > 0)
        return err_set(err, ERR_USAGE, "no driver knows all of these cards; name one with driver=");
    *driver = last;
    if (!version_known(last))
        driver->major = facts_newest(a->cards[0].target.os)->branch;
    return 0;
}

/* By the list of images the virtual driver finds the PTX behind a cubin. It lies beside the
 * program, or one level up for the other variants of a build, which share the images. A user's own
 * choice stands. */
static void point_to_manifest(const char *folder)
{
    static const char *const places[] = { "fatbin", "../fatbin" };
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        char path[4200];
        snprintf(path, sizeof path, "%s/%s/manifest.tsv", folder, places[i]);
        if (access(path, R_OK) == 0) {
            setenv("SMFIT_VGPU_MANIFEST", path, 0);
            return;
        }
    }
}

static int find_library(char *library, size_t size, struct err *err)
{
    char self[4096];
    if (os_self_path(self, sizeof self, err))
        return -1;
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = 0;
    int n = snprintf(library, size, "%s/vgpu/libcuda.so.1", self);
    if (n < 0 || (size_t)n >= size)
        return err_set(err, ERR_LIMIT, "path of the program is too long");
    if (access(library, R_OK))
        return err_set(err, ERR_MISSING, "this build has no virtual GPU: '%s' is missing", library);
    point_to_manifest(self);
    return 0;
}

int virtual_use(const char *words, char *library, size_t size, struct err *err)
{
    struct assumption a;
    struct str names = STR_INIT;
    int failed = -1;
    if (assume_parse(words, &a, err) || join_names(&a, &names, err))
        goto done;
    struct driver_version driver = a.cards[0].target.driver;
    if (!version_known(driver) && common_driver(&a, &driver, err))
        goto done;
    if (find_library(library, size, err))
        goto done;
    char text[VERSION_TEXT_MAX];
    setenv("SMFIT_VGPU", names.p, 1);
    setenv("SMFIT_VGPU_DRIVER", version_text(driver, text), 1);
    setenv("SMFIT_VGPU_OS", a.cards[0].target.os == ARCH_WINDOWS ? "windows" : "linux", 1);
    failed = 0;
done:
    str_free(&names);
    return failed;
}
