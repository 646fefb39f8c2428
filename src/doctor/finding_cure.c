#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "data/data.h"
#include "doctor/builds.h"
#include "doctor/finding_parts.h"

static struct finding_cure *cure(struct finding *f, const char *id)
{
    static struct finding_cure nowhere;
    struct finding_cure *c =
        f->cure_count < FINDING_CURES_MAX ? &f->cures[f->cure_count++] : &nowhere;
    *c = (struct finding_cure){ .what = remark_new(id) };
    return c;
}

__attribute__((format(printf, 2, 3))) static void command(struct finding_cure *c, const char *fmt,
                                                          ...)
{
    va_list list;
    if (c->command_count == FINDING_COMMANDS_MAX)
        return;
    va_start(list, fmt);
    vsnprintf(c->commands[c->command_count++], sizeof c->commands[0], fmt, list);
    va_end(list);
}

static const struct doctor_gpu *gpu_of(const struct doctor *d, const struct finding *f)
{
    return f->gpu >= 0 ? &d->gpus[f->gpu] : d->gpu_count ? &d->gpus[0] : NULL;
}

static const char *python_of(const struct doctor *d, const struct finding *f)
{
    int env = f->package >= 0 ? d->packages[f->package].env : d->env_count ? 0 : -1;
    return env >= 0 ? d->envs[env].python : "";
}

/* ---- drivers ---- */

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
        command(c, "sudo dnf install %s", best->package);
    else if (best)
        command(c, "sudo apt install %s%s%s%s", best->package, *best->version ? "  # " : "",
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
            command(c, "%s", line);
            return;
        }
    if (strcmp(d->host.distro, "debian") == 0)
        command(c,
                branch == 470 || branch == 418 ? "sudo apt install nvidia-tesla-%u-driver"
                : branch == 390                ? "sudo apt install nvidia-legacy-%uxx-driver"
                                               : "sudo apt install nvidia-driver  # %u or newer",
                branch);
}

/* A driver between `least` and the last that knows the card. */
static void driver_cure(const struct doctor *d, struct finding *f, struct driver_version least)
{
    const struct doctor_gpu *g = gpu_of(d, f);
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
    struct finding_cure *c = cure(f, !bounded ? "cure.driver_least"
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

/* ---- another build ---- */

static void pip_command(struct finding_cure *c, const struct builds_pick *pick, bool windows)
{
    unsigned major = 0, minor = 0;
    sscanf(pick->cuda, "%u.%u", &major, &minor);
    if (pick->pypi && !windows)
        command(c, "pip install torch==%s", pick->version);
    else if (str_starts(pick->index, "--index-url"))
        command(c, "pip install torch==%s %s", pick->version, pick->index);
    else
        command(c, "pip install torch==%s+cu%u%u %s", pick->version, major, minor, pick->index);
}

/* "2.7 3.5-3.7" to "3.7": the newest Python of the list. */
static void last_python(const char *ranges, char to[8])
{
    unsigned major = 0, minor = 0, best = 0;
    for (const char *p = ranges; *p && *p != '('; p++)
        if ((p == ranges || strchr(" -", p[-1])) && sscanf(p, "%1u.%2u", &major, &minor) == 2 &&
            major * 100 + minor > best) {
            best = major * 100 + minor;
            snprintf(to, 8, "%u.%u", major, minor);
        }
}

static bool torch_cure(const struct doctor *d, struct finding *f)
{
    const struct doctor_gpu *g = gpu_of(d, f);
    struct builds_pick pick;
    char python[8] = "3";
    if (!g || !builds_best("torch", &g->rule, python_of(d, f), &pick))
        return false;
    if (pick.needs_driver)
        driver_cure(d, f, pick.driver);
    struct finding_cure *c = cure(f, "cure.torch");
    remark_put(&c->what, "version", pick.version);
    remark_put(&c->what, "cuda", pick.cuda);
    remark_put(&c->what, "archs", pick.archs);
    remark_put(&c->what, "confidence", pick.confidence);
    remark_put(&c->what, "python", pick.python);
    if (pick.needs_python) {
        last_python(pick.python, python);
        command(c, "conda create -n torch-%s python=%s", pick.version, python);
        command(c, "conda activate torch-%s", pick.version);
    }
    pip_command(c, &pick, g->rule.os == ARCH_WINDOWS);
    command(c, "python -c \"import torch; print(torch.ones(4, device='cuda') + 1)\"");
    return true;
}

/* A sentence about the last toolkit that compiles for the card, or, where there is none yet, about
 * the first: the second id. */
static struct finding_cure *toolkit_cure(struct finding *f, const struct doctor_gpu *g,
                                         const char *last_id, const char *first_id)
{
    const struct arch_facts *facts = facts_arch(g->rule.cc);
    const struct table *t = data_table(DATA_ARCHS);
    const char *last = facts ? table_field(t, facts->row, "last_toolkit") : "?";
    bool ended = strcmp(last, "current") != 0;
    struct finding_cure *c = cure(f, ended ? last_id : first_id);
    remark_put(&c->what, "toolkit", ended ? last : table_field(t, facts->row, "first_toolkit"));
    return c;
}

static void rebuild_extension(const struct doctor *d, struct finding *f)
{
    const struct doctor_gpu *g = gpu_of(d, f);
    const struct doctor_package *p = f->package >= 0 ? &d->packages[f->package] : NULL;
    if (!g || !p)
        return;
    struct finding_cure *c = toolkit_cure(f, g, "cure.rebuild", "cure.rebuild_from");
    remark_put(&c->what, "package", p->name);
    finding_put_gpu(&c->what, g);
    command(c,
            "TORCH_CUDA_ARCH_LIST=\"%u.%u\" pip install --no-cache-dir --no-build-isolation "
            "--no-binary %s %s%s%s",
            g->rule.cc / 10, g->rule.cc % 10, p->name, p->name, *p->version ? "==" : "",
            p->version);
}

static void rebuild_own(const struct doctor *d, struct finding *f)
{
    const struct doctor_gpu *g = gpu_of(d, f);
    if (!g)
        return;
    struct finding_cure *c = toolkit_cure(f, g, "cure.rebuild_own", "cure.rebuild_own_from");
    finding_put_gpu(&c->what, g);
    command(c, "cmake -DCMAKE_CUDA_ARCHITECTURES=%u ...", g->rule.cc);
    command(c, "nvcc -gencode arch=compute_%u,code=[sm_%u,compute_%u] ...", g->rule.cc, g->rule.cc,
            g->rule.cc);
    command(c, "TORCH_CUDA_ARCH_LIST=\"%u.%u\" python setup.py install", g->rule.cc / 10,
            g->rule.cc % 10);
}

static void other_release(const struct doctor *d, struct finding *f)
{
    if (f->package < 0)
        return;
    struct finding_cure *c = cure(f, "cure.other_release");
    const struct doctor_gpu *g = gpu_of(d, f);
    remark_put(&c->what, "package", d->packages[f->package].name);
    if (g)
        finding_put_gpu(&c->what, g);
    command(c, "smfit inspect --assume %u.%u FILE.whl", g ? g->rule.cc / 10 : 0,
            g ? g->rule.cc % 10 : 0);
}

static void use_cpu(const struct doctor *d, struct finding *f)
{
    const struct doctor_gpu *g = gpu_of(d, f);
    struct finding_cure *c = cure(f, "cure.cpu");
    if (g)
        finding_put_gpu(&c->what, g);
    command(c, "CUDA_VISIBLE_DEVICES= python PROGRAM");
}

/* ---- by cause ---- */

static void gap(const struct doctor *d, struct finding *f)
{
    bool torch = f->package >= 0 && finding_is_torch(d->packages[f->package].name);
    if (torch && !torch_cure(d, f))
        cure(f, "cure.no_release");
    if (!torch)
        other_release(d, f);
    rebuild_own(d, f);
    use_cpu(d, f);
}

static void extension(const struct doctor *d, struct finding *f)
{
    rebuild_extension(d, f);
    other_release(d, f);
    use_cpu(d, f);
}

static void own_build(const struct doctor *d, struct finding *f)
{
    rebuild_own(d, f);
    use_cpu(d, f);
}

static void tegra(const struct doctor *d, struct finding *f)
{
    cure(f, "cure.jetpack");
    rebuild_own(d, f);
}

/* The GPUs that the package runs on, in nvidia-smi's order. */
static void hide(const struct doctor *d, struct finding *f)
{
    struct finding_cure *c = cure(f, "cure.hide");
    struct str list = STR_INIT;
    for (size_t g = 0; g < d->gpu_count && f->package >= 0; g++)
        if (!judge_fails(&d->packages[f->package].judge[g]))
            str_addf(&list, "%s%zu", list.len ? "," : "", g);
    command(c, "export CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=%s", list.p);
    str_free(&list);
    rebuild_own(d, f);
}

static void jit(const struct doctor *d, struct finding *f)
{
    const char *off = host_variable(&d->host, "CUDA_CACHE_DISABLE");
    if (off && strcmp(off, "1") == 0)
        command(cure(f, "cure.cache_on"), "unset CUDA_CACHE_DISABLE");
    struct finding_cure *c = cure(f, "cure.cache");
    command(c, "export CUDA_CACHE_MAXSIZE=4294967296");
    if (f->package >= 0 && finding_is_torch(d->packages[f->package].name))
        torch_cure(d, f);
    rebuild_own(d, f);
}

/* How new it must be is not known, but newer than the one that is there. */
static void any_newer_driver(const struct doctor *d, struct finding *f, const struct doctor_gpu *g)
{
    const struct arch_facts *facts = facts_arch(g->rule.cc);
    struct driver_version last = { 0 };
    char version[VERSION_TEXT_MAX];
    if (facts)
        last = facts_span(facts, g->rule.os, g->rule.notebook).last;
    if (!version_known(last))
        remark_put(&cure(f, "cure.driver_newer")->what, "driver",
                   version_text(g->rule.driver, version));
    else if (version_compare(g->rule.driver, last) < 0 || !g->present) /* one that is assumed */
        driver_cure(d, f, (struct driver_version){ 0 });
}

static void newer_driver(const struct doctor *d, struct finding *f)
{
    const struct doctor_gpu *g = gpu_of(d, f);
    struct driver_version least = f->least;
    if (!version_known(least) && f->package >= 0 && f->gpu >= 0)
        least = d->packages[f->package].judge[f->gpu].why.least_driver;
    if (!g || !version_known(g->rule.driver) ||
        (version_known(least) && version_compare(least, g->rule.driver) > 0))
        driver_cure(d, f, least);
    else
        any_newer_driver(d, f, g);
    if (f->package >= 0 && finding_is_torch(d->packages[f->package].name))
        torch_cure(d, f);
    cure(f, "cure.older_toolkit");
}

static void compiler(const struct doctor *d, struct finding *f)
{
    const struct doctor_gpu *g = gpu_of(d, f);
    if (g)
        finding_put_gpu(&toolkit_cure(f, g, "cure.toolkit", "cure.toolkit_from")->what, g);
    if (f->package >= 0 && str_starts(d->packages[f->package].name, "triton"))
        command(cure(f, "cure.no_compile"), "export TORCHDYNAMO_DISABLE=1");
}

/* What is built on a main library can often be left out; all else must be one for this card. */
static void software_floor(const struct doctor *d, struct finding *f)
{
    const struct doctor_package *p = f->package >= 0 ? &d->packages[f->package] : NULL;
    const struct doctor_gpu *g = gpu_of(d, f);
    if ((!p || p->role != DOCTOR_EXTENSION) && g) {
        finding_put_gpu(&cure(f, "cure.older_library")->what, g);
        return;
    }
    struct finding_cure *c = cure(f, "cure.without");
    remark_put(&c->what, "package", p ? p->name : "?"); /* without a GPU there is no floor */
    if (p && p->origin == DOCTOR_PIP)
        command(c, "pip uninstall %s", p->name);
}

static void visibility(const struct doctor *d, struct finding *f)
{
    const char *id = f->evidence_count ? f->evidence[0].id : "";
    if (strcmp(id, "doctor.mig") == 0) {
        struct finding_cure *c = cure(f, "cure.mig");
        command(c, "nvidia-smi -L");
        command(c, "export CUDA_VISIBLE_DEVICES=MIG-UUID");
    } else if (strcmp(id, "doctor.wsl_shadowed") == 0) {
        struct finding_cure *c = cure(f, "cure.wsl");
        command(c, "export LD_LIBRARY_PATH=/usr/lib/wsl/lib:$LD_LIBRARY_PATH");
    } else if (strcmp(id, "doctor.no_nodes_container") == 0) {
        command(cure(f, "cure.container"), "docker run --gpus all ...");
    } else if (strcmp(id, "doctor.no_access") == 0) {
        struct finding_cure *c = cure(f, "cure.group");
        remark_put(&c->what, "group", d->host.node_group);
        command(c, "sudo usermod -aG %s \"$USER\"", d->host.node_group);
    } else if (strcmp(id, "doctor.fewer_nodes") == 0 && *d->host.container) {
        command(cure(f, "cure.container"), "docker run --gpus all ...");
    } else if (strcmp(id, "doctor.no_nodes") == 0 || strcmp(id, "doctor.no_uvm") == 0) {
        command(cure(f, "cure.nodes"), "sudo nvidia-modprobe -u -c 0");
    } else if (strcmp(id, "doctor.hidden") == 0) {
        command(cure(f, "cure.unset"), "unset CUDA_VISIBLE_DEVICES");
    } else {
        command(cure(f, "cure.order"),
                "export CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=N");
    }
}

static void parts(const struct doctor *d, struct finding *f)
{
    const struct host *h = &d->host;
    if (h->library_is_compat || f->confidence == FINDING_POSSIBLE) {
        struct finding_cure *c = cure(f, "cure.no_compat");
        if (h->library_how == LOADER_ENVIRONMENT)
            command(c, "unset LD_LIBRARY_PATH");
        command(c, "sudo apt remove 'cuda-compat-*'");
        struct driver_version least = { 0 };
        if (h->library_is_compat && version_parse(h->library_version, &least))
            driver_cure(d, f, least); /* as new as what the package stands in for */
        else if (!h->library_is_compat)
            command(cure(f, "cure.reboot"), "sudo reboot");
    } else if (*h->library && !*h->jit_library) {
        cure(f, "cure.jit_library");
    } else {
        struct finding_cure *c = cure(f, "cure.reboot");
        command(c, "sudo reboot");
        cure(f, "cure.same_driver");
    }
}

static void dropped(const struct doctor *d, struct finding *f)
{
    if (f->evidence_count && strcmp(f->evidence[0].id, "doctor.open_module") == 0)
        cure(f, "cure.closed_module");
    driver_cure(d, f, (struct driver_version){ 0 });
}

static void no_driver(const struct doctor *d, struct finding *f)
{
    driver_cure(d, f, (struct driver_version){ 0 });
    if (d->host.nouveau)
        command(cure(f, "cure.nouveau"),
                "echo 'blacklist nouveau' | sudo tee /etc/modprobe.d/blacklist-nouveau.conf");
}

static void copy(const struct doctor *d, struct finding *f)
{
    if (f->evidence_count && strcmp(f->evidence[0].id, "doctor.mix") == 0) {
        struct finding_cure *c = cure(f, "cure.one_installer");
        command(c, "pip uninstall %s", d->packages[f->package].name);
        command(c, "conda remove --force %s", finding_is_torch(d->packages[f->package].name)
                                                  ? "pytorch"
                                                  : d->packages[f->package].name);
        return;
    }
    if (f->evidence_count && strcmp(f->evidence[0].id, "doctor.no_copy") == 0) {
        remark_put(&cure(f, "cure.no_copy")->what, "package", d->packages[f->package].name);
        return;
    }
    command(cure(f, "cure.library_path"), "unset LD_LIBRARY_PATH");
}

static void library_floor(const struct doctor *d, struct finding *f)
{
    const struct doctor_gpu *g = gpu_of(d, f);
    struct finding_cure *c = cure(f, "cure.older_library");
    if (g)
        finding_put_gpu(&c->what, g);
    use_cpu(d, f);
}

static void cpu_build(const struct doctor *d, struct finding *f)
{
    if (!torch_cure(d, f))
        cure(f, "cure.no_release");
    use_cpu(d, f);
}

static void engine(const struct doctor *d, struct finding *f)
{
    (void)d;
    cure(f, "cure.engine");
}

static void not_arch(const struct doctor *d, struct finding *f)
{
    if (f->evidence_count && strcmp(f->evidence[0].id, "doctor.old_system") == 0) {
        struct finding_cure *c = cure(f, "cure.old_system");
        remark_put(&c->what, "package", d->packages[f->package].name);
        return;
    }
    command(cure(f, "cure.not_arch"), "CUDA_LAUNCH_BLOCKING=1 python PROGRAM");
}

void finding_cure(const struct doctor *d, struct finding *finding)
{
    static void (*const by_cause[CAUSE_COUNT])(const struct doctor *, struct finding *) = {
        [CAUSE_A1] = gap,
        [CAUSE_A2] = gap,
        [CAUSE_A3] = extension,
        [CAUSE_A4] = own_build,
        [CAUSE_A5] = tegra,
        [CAUSE_A6] = hide,
        [CAUSE_A7] = extension,
        [CAUSE_A8] = jit,
        [CAUSE_A9] = newer_driver,
        [CAUSE_A10] = compiler,
        [CAUSE_A11] = software_floor,
        [CAUSE_A12] = visibility,
        [CAUSE_A13] = newer_driver,
        [CAUSE_A14] = parts,
        [CAUSE_A15] = dropped,
        [CAUSE_A16] = engine,
        [CAUSE_A17] = library_floor,
        [CAUSE_A18] = copy,
        [CAUSE_A19] = not_arch,
        [CAUSE_N1] = cpu_build,
        [CAUSE_N2] = no_driver,
        [CAUSE_N3] = cpu_build,
    };
    by_cause[finding->cause](d, finding);
}
