#include <stdio.h>
#include <string.h>

#include "data/data.h"
#include "doctor/builds.h"
#include "doctor/cure.h"
#include "doctor/finding_parts.h"

static const char *python_of(const struct doctor *d, const struct finding *f)
{
    int env = f->package >= 0 ? d->packages[f->package].env : d->env_count ? 0 : -1;
    return env >= 0 ? d->envs[env].python : "";
}

/* ---- another build ---- */

static void pip_command(struct finding_cure *c, const struct builds_pick *pick, bool windows)
{
    unsigned major = 0, minor = 0;
    sscanf(pick->cuda, "%u.%u", &major, &minor);
    if (pick->pypi && !windows)
        cure_command(c, "pip install torch==%s", pick->version);
    else if (str_starts(pick->index, "--index-url"))
        cure_command(c, "pip install torch==%s %s", pick->version, pick->index);
    else
        cure_command(c, "pip install torch==%s+cu%u%u %s", pick->version, major, minor, pick->index);
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
    const struct doctor_gpu *g = cure_gpu(d, f);
    struct builds_pick pick;
    char python[8] = "3";
    if (!g || !builds_best("torch", &g->rule, python_of(d, f), &pick))
        return false;
    if (pick.needs_driver)
        cure_driver(d, f, pick.driver);
    struct finding_cure *c = cure_add(f, "cure.torch");
    remark_put(&c->what, "version", pick.version);
    remark_put(&c->what, "cuda", pick.cuda);
    remark_put(&c->what, "archs", pick.archs);
    remark_put(&c->what, "confidence", pick.confidence);
    remark_put(&c->what, "python", pick.python);
    if (pick.needs_python) {
        last_python(pick.python, python);
        cure_command(c, "conda create -n torch-%s python=%s", pick.version, python);
        cure_command(c, "conda activate torch-%s", pick.version);
    }
    pip_command(c, &pick, g->rule.os == ARCH_WINDOWS);
    cure_command(c, "python -c \"import torch; print(torch.ones(4, device='cuda') + 1)\"");
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
    struct finding_cure *c = cure_add(f, ended ? last_id : first_id);
    remark_put(&c->what, "toolkit", ended ? last : table_field(t, facts->row, "first_toolkit"));
    return c;
}

static void rebuild_extension(const struct doctor *d, struct finding *f)
{
    const struct doctor_gpu *g = cure_gpu(d, f);
    const struct doctor_package *p = f->package >= 0 ? &d->packages[f->package] : NULL;
    if (!g || !p)
        return;
    struct finding_cure *c = toolkit_cure(f, g, "cure.rebuild", "cure.rebuild_from");
    remark_put(&c->what, "package", p->name);
    finding_put_gpu(&c->what, g);
    cure_command(c,
            "TORCH_CUDA_ARCH_LIST=\"%u.%u\" pip install --no-cache-dir --no-build-isolation "
            "--no-binary %s %s%s%s",
            g->rule.cc / 10, g->rule.cc % 10, p->name, p->name, *p->version ? "==" : "",
            p->version);
}

static void rebuild_own(const struct doctor *d, struct finding *f)
{
    const struct doctor_gpu *g = cure_gpu(d, f);
    if (!g)
        return;
    struct finding_cure *c = toolkit_cure(f, g, "cure.rebuild_own", "cure.rebuild_own_from");
    finding_put_gpu(&c->what, g);
    cure_command(c, "cmake -DCMAKE_CUDA_ARCHITECTURES=%u ...", g->rule.cc);
    cure_command(c, "nvcc -gencode arch=compute_%u,code=[sm_%u,compute_%u] ...", g->rule.cc, g->rule.cc,
            g->rule.cc);
    cure_command(c, "TORCH_CUDA_ARCH_LIST=\"%u.%u\" python setup.py install", g->rule.cc / 10,
            g->rule.cc % 10);
}

static void other_release(const struct doctor *d, struct finding *f)
{
    if (f->package < 0)
        return;
    struct finding_cure *c = cure_add(f, "cure.other_release");
    const struct doctor_gpu *g = cure_gpu(d, f);
    remark_put(&c->what, "package", d->packages[f->package].name);
    if (g)
        finding_put_gpu(&c->what, g);
    cure_command(c, "smfit inspect --assume %u.%u FILE.whl", g ? g->rule.cc / 10 : 0,
            g ? g->rule.cc % 10 : 0);
}

static void use_cpu(const struct doctor *d, struct finding *f)
{
    const struct doctor_gpu *g = cure_gpu(d, f);
    struct finding_cure *c = cure_add(f, "cure.cpu");
    if (g)
        finding_put_gpu(&c->what, g);
    cure_command(c, "CUDA_VISIBLE_DEVICES= python PROGRAM");
}

/* ---- by cause ---- */

static void gap(const struct doctor *d, struct finding *f)
{
    bool torch = f->package >= 0 && finding_is_torch(d->packages[f->package].name);
    if (torch && !torch_cure(d, f))
        cure_add(f, "cure.no_release");
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

/* What PyTorch has compiled when a program asked for it is compiled again when it is gone. */
static bool compiled_again(const struct doctor *d, struct finding *f)
{
    const struct doctor_gpu *g = cure_gpu(d, f);
    const char *slash = strrchr(f->path, '/');
    if (!g || !slash || !strstr(f->path, "torch_extensions/"))
        return false;
    struct finding_cure *c = cure_add(f, "cure.torch_extensions");
    finding_put_gpu(&c->what, g);
    cure_command(c, "rm -r '%.*s'", (int)(slash - f->path), f->path);
    cure_command(c, "TORCH_CUDA_ARCH_LIST=\"%u.%u\" python PROGRAM", g->rule.cc / 10, g->rule.cc % 10);
    return true;
}

static void own_build(const struct doctor *d, struct finding *f)
{
    if (!compiled_again(d, f))
        rebuild_own(d, f);
    use_cpu(d, f);
}

/* PyTorch's sources are on no index, so that pip cannot build it. */
static void kernel_gap(const struct doctor *d, struct finding *f)
{
    bool torch = f->package >= 0 && finding_is_torch(d->packages[f->package].name);
    (torch ? gap : extension)(d, f);
}

static void tegra(const struct doctor *d, struct finding *f)
{
    cure_add(f, "cure.jetpack");
    rebuild_own(d, f);
}

/* The GPUs that the package runs on, in nvidia-smi's order. */
static void hide(const struct doctor *d, struct finding *f)
{
    struct finding_cure *c = cure_add(f, "cure.hide");
    struct str list = STR_INIT;
    for (size_t g = 0; g < d->gpu_count && f->package >= 0; g++)
        if (!judge_fails(&d->packages[f->package].judge[g]))
            str_addf(&list, "%s%zu", list.len ? "," : "", g);
    cure_command(c, "export CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=%s", list.p);
    str_free(&list);
    rebuild_own(d, f);
}

static void jit(const struct doctor *d, struct finding *f)
{
    const char *off = host_variable(&d->host, "CUDA_CACHE_DISABLE");
    if (off && strcmp(off, "1") == 0)
        cure_command(cure_add(f, "cure.cache_on"), "unset CUDA_CACHE_DISABLE");
    struct finding_cure *c = cure_add(f, "cure.cache");
    cure_command(c, "export CUDA_CACHE_MAXSIZE=4294967296");
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
        remark_put(&cure_add(f, "cure.driver_newer")->what, "driver",
                   version_text(g->rule.driver, version));
    else if (version_compare(g->rule.driver, last) < 0 || !g->present) /* one that is assumed */
        cure_driver(d, f, (struct driver_version){ 0 });
}

static void newer_driver(const struct doctor *d, struct finding *f)
{
    const struct doctor_gpu *g = cure_gpu(d, f);
    struct driver_version least = f->least;
    const char *rule = f->package >= 0 && f->gpu >= 0
                           ? d->packages[f->package].judge[f->gpu].why.rule
                           : NULL;
    if (rule && strstr(rule, "above-last")) {
        cure_add(f, "cure.older_toolkit"); /* no driver for this card will do */
        rebuild_own(d, f);
        return;
    }
    if (!version_known(least) && f->package >= 0 && f->gpu >= 0)
        least = d->packages[f->package].judge[f->gpu].why.least_driver;
    if (!g || !version_known(g->rule.driver) ||
        (version_known(least) && version_compare(least, g->rule.driver) > 0))
        cure_driver(d, f, least);
    else
        any_newer_driver(d, f, g);
    if (f->package >= 0 && finding_is_torch(d->packages[f->package].name))
        torch_cure(d, f);
    cure_add(f, "cure.older_toolkit");
}

static void compiler(const struct doctor *d, struct finding *f)
{
    const struct doctor_gpu *g = cure_gpu(d, f);
    if (g)
        finding_put_gpu(&toolkit_cure(f, g, "cure.toolkit", "cure.toolkit_from")->what, g);
    if (f->package >= 0 && str_starts(d->packages[f->package].name, "triton"))
        cure_command(cure_add(f, "cure.no_compile"), "export TORCHDYNAMO_DISABLE=1");
}

/* What is built on a main library can often be left out; all else must be one for this card. */
static void software_floor(const struct doctor *d, struct finding *f)
{
    const struct doctor_package *p = f->package >= 0 ? &d->packages[f->package] : NULL;
    const struct doctor_gpu *g = cure_gpu(d, f);
    if ((!p || p->role != DOCTOR_EXTENSION) && g) {
        finding_put_gpu(&cure_add(f, "cure.older_library")->what, g);
        return;
    }
    struct finding_cure *c = cure_add(f, "cure.without");
    remark_put(&c->what, "package", p ? p->name : "?"); /* without a GPU there is no floor */
    if (p && p->origin == DOCTOR_PIP)
        cure_command(c, "pip uninstall %s", p->name);
}

static void visibility(const struct doctor *d, struct finding *f)
{
    const char *id = f->evidence_count ? f->evidence[0].id : "";
    if (strcmp(id, "doctor.mig") == 0) {
        struct finding_cure *c = cure_add(f, "cure.mig");
        cure_command(c, "nvidia-smi -L");
        cure_command(c, "export CUDA_VISIBLE_DEVICES=MIG-UUID");
    } else if (strcmp(id, "doctor.wsl_shadowed") == 0) {
        struct finding_cure *c = cure_add(f, "cure.wsl");
        cure_command(c, "export LD_LIBRARY_PATH=/usr/lib/wsl/lib:$LD_LIBRARY_PATH");
    } else if (strcmp(id, "doctor.no_nodes_container") == 0) {
        cure_command(cure_add(f, "cure.container"), "docker run --gpus all ...");
    } else if (strcmp(id, "doctor.no_access") == 0) {
        struct finding_cure *c = cure_add(f, "cure.group");
        remark_put(&c->what, "group", d->host.node_group);
        cure_command(c, "sudo usermod -aG %s \"$USER\"", d->host.node_group);
    } else if (strcmp(id, "doctor.fewer_nodes") == 0 && *d->host.container) {
        cure_command(cure_add(f, "cure.container"), "docker run --gpus all ...");
    } else if (strcmp(id, "doctor.no_nodes") == 0 || strcmp(id, "doctor.no_uvm") == 0) {
        cure_command(cure_add(f, "cure.nodes"), "sudo nvidia-modprobe -u -c 0");
    } else if (strcmp(id, "doctor.hidden") == 0) {
        cure_command(cure_add(f, "cure.unset"), "unset CUDA_VISIBLE_DEVICES");
    } else {
        cure_command(cure_add(f, "cure.order"),
                "export CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=N");
    }
}

static void parts(const struct doctor *d, struct finding *f)
{
    const struct host *h = &d->host;
    if (h->library_is_compat || f->confidence == FINDING_POSSIBLE) {
        struct finding_cure *c = cure_add(f, "cure.no_compat");
        if (h->library_how == LOADER_ENVIRONMENT)
            cure_command(c, "unset LD_LIBRARY_PATH");
        cure_command(c, "sudo apt remove 'cuda-compat-*'");
        struct driver_version least = { 0 };
        if (h->library_is_compat && version_parse(h->library_version, &least))
            cure_driver(d, f, least); /* as new as what the package stands in for */
        else if (!h->library_is_compat)
            cure_command(cure_add(f, "cure.reboot"), "sudo reboot");
    } else if (*h->library && !*h->jit_library) {
        cure_add(f, "cure.jit_library");
    } else {
        struct finding_cure *c = cure_add(f, "cure.reboot");
        cure_command(c, "sudo reboot");
        cure_add(f, "cure.same_driver");
    }
}

static void dropped(const struct doctor *d, struct finding *f)
{
    if (f->evidence_count && strcmp(f->evidence[0].id, "doctor.open_module") == 0)
        cure_add(f, "cure.closed_module");
    cure_driver(d, f, (struct driver_version){ 0 });
}

static void no_driver(const struct doctor *d, struct finding *f)
{
    cure_driver(d, f, (struct driver_version){ 0 });
    if (d->host.nouveau)
        cure_command(cure_add(f, "cure.nouveau"),
                "echo 'blacklist nouveau' | sudo tee /etc/modprobe.d/blacklist-nouveau.conf");
}

static void copy(const struct doctor *d, struct finding *f)
{
    if (f->evidence_count && strcmp(f->evidence[0].id, "doctor.mix") == 0) {
        struct finding_cure *c = cure_add(f, "cure.one_installer");
        cure_command(c, "pip uninstall %s", d->packages[f->package].name);
        cure_command(c, "conda remove --force %s", finding_is_torch(d->packages[f->package].name)
                                                  ? "pytorch"
                                                  : d->packages[f->package].name);
        return;
    }
    if (f->evidence_count && strcmp(f->evidence[0].id, "doctor.no_copy") == 0) {
        remark_put(&cure_add(f, "cure.no_copy")->what, "package", d->packages[f->package].name);
        return;
    }
    cure_command(cure_add(f, "cure.library_path"), "unset LD_LIBRARY_PATH");
}

static void library_floor(const struct doctor *d, struct finding *f)
{
    const struct doctor_gpu *g = cure_gpu(d, f);
    struct finding_cure *c = cure_add(f, "cure.older_library");
    if (g)
        finding_put_gpu(&c->what, g);
    use_cpu(d, f);
}

static void cpu_build(const struct doctor *d, struct finding *f)
{
    if (!torch_cure(d, f))
        cure_add(f, "cure.no_release");
    use_cpu(d, f);
}

static void engine(const struct doctor *d, struct finding *f)
{
    (void)d;
    cure_add(f, "cure.engine");
}

static void not_arch(const struct doctor *d, struct finding *f)
{
    if (f->evidence_count && strcmp(f->evidence[0].id, "doctor.old_system") == 0) {
        struct finding_cure *c = cure_add(f, "cure.old_system");
        remark_put(&c->what, "package", d->packages[f->package].name);
        return;
    }
    if (d->error && strcasestr(d->error, "out of memory")) {
        cure_command(cure_add(f, "cure.memory"), "smfit size --net FILE.onnx");
        return;
    }
    cure_command(cure_add(f, "cure.not_arch"), "CUDA_LAUNCH_BLOCKING=1 python PROGRAM");
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
        [CAUSE_A7] = kernel_gap,
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
