#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "doctor/cure.h"

struct finding_cure *cure_add(struct finding *f, const char *id)
{
    static struct finding_cure nowhere;
    struct finding_cure *c =
        f->cure_count < FINDING_CURES_MAX ? &f->cures[f->cure_count++] : &nowhere;
    *c = (struct finding_cure){ .what = remark_new(id) };
    return c;
}

void cure_command(struct finding_cure *c, const char *fmt, ...)
{
    va_list list;
    if (c->command_count == FINDING_COMMANDS_MAX)
        return;
    va_start(list, fmt);
    vsnprintf(c->commands[c->command_count++], sizeof c->commands[0], fmt, list);
    va_end(list);
}

const struct doctor_gpu *cure_gpu(const struct doctor *d, const struct finding *f)
{
    return f->gpu >= 0 ? &d->gpus[f->gpu] : d->gpu_count ? &d->gpus[0] : NULL;
}

/* How each system is asked for a branch; %u is the branch. The last row is for all others. */
static const struct {
    const char *distro, *line;
} installers[] = {
    { "ubuntu", "sudo apt install nvidia-driver-%u" },
    { "linuxmint", "sudo apt install nvidia-driver-%u" },
    { "pop", "sudo apt install nvidia-driver-%u" },
    { "nixos", "hardware.nvidia.package = config.boot.kernelPackages.nvidiaPackages.legacy_%u;" },
    { "arch", "sudo pacman -S --needed dkms  # then nvidia-%uxx-dkms from the AUR" },
    { "manjaro", "sudo mhwd -i pci video-nvidia-%uxx" },
    { "fedora", "sudo dnf install akmod-nvidia-%uxx  # RPM Fusion" },
};

/* What the package manager's own lists have within the bounds, the newest branch first; false: they
 * have nothing, or there are none. */
static bool offered_command(const struct doctor *d, struct finding_cure *c, unsigned least,
                            unsigned last)
{
    const struct host_offer *best = NULL;
    for (size_t i = 0; i < d->host.offer_count; i++) {
        const struct host_offer *o = &d->host.offers[i];
        bool plain = !strstr(o->package, "-open") && !strstr(o->package, "-server");
        if (plain && o->branch && o->branch >= least && (!last || o->branch <= last) &&
            (!best || o->branch > best->branch))
            best = o;
    }
    if (best && strstr(best->package, "kmod-nvidia"))
        cure_command(c, "sudo dnf install %s", best->package);
    else if (best)
        cure_command(c, "sudo apt install %s%s%s%s", best->package, *best->version ? "  # " : "",
                best->version, *best->version ? " is offered" : "");
    return best != NULL;
}

static void driver_command(const struct doctor *d, struct finding_cure *c, unsigned branch,
                           enum arch_os os)
{
    if (os == ARCH_WINDOWS)
        return;
    for (size_t i = 0; i < sizeof installers / sizeof installers[0]; i++)
        if (strcmp(d->host.distro, installers[i].distro) == 0) {
            char line[200];
            const char *at = strstr(installers[i].line, "%u");
            snprintf(line, sizeof line, "%.*s%u%s", (int)(at - installers[i].line),
                     installers[i].line, branch, at + 2);
            cure_command(c, "%s", line);
            return;
        }
    if (strcmp(d->host.distro, "debian") == 0)
        cure_command(c,
                branch == 470 || branch == 418 ? "sudo apt install nvidia-tesla-%u-driver"
                : branch == 390                ? "sudo apt install nvidia-legacy-%uxx-driver"
                                               : "sudo apt install nvidia-driver  # %u or newer",
                branch);
}

void cure_driver(const struct doctor *d, struct finding *f, struct driver_version least)
{
    const struct doctor_gpu *g = cure_gpu(d, f);
    const struct arch_facts *facts = g ? facts_arch(g->rule.cc) : NULL;
    if (!facts)
        return;
    struct driver_span span = facts_span(facts, g->rule.os, g->rule.notebook);
    char first[VERSION_TEXT_MAX], last[VERSION_TEXT_MAX];
    bool bounded = version_known(span.last);
    if (bounded && version_known(least) && version_compare(least, span.last) > 0)
        return;
    bool any = !version_known(least);
    if (any)
        least = span.first;
    struct finding_cure *c = cure_add(f, !bounded ? "cure.driver_least"
                                     : any    ? "cure.driver_last"
                                              : "cure.driver_between");
    remark_put(&c->what, "least", version_known(least) ? version_text(least, first) : "?");
    if (bounded)
        remark_put(&c->what, "last", version_text(span.last, last));
    unsigned branch = bounded ? span.last.major : least.major;
    bool offered = g->rule.os != ARCH_WINDOWS && !d->image &&
                   offered_command(d, c, least.major, bounded ? span.last.major : 0);
    if (branch && !offered)
        driver_command(d, c, branch, g->rule.os);
}
