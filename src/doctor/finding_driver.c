#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "doctor/finding_parts.h"

/* Weights: what keeps every program from the GPU comes before what keeps one. */
enum {
    W_DROPPED = 100,
    W_NO_DRIVER = 98,
    W_PARTS = 95,
    W_HIDDEN = 90,
    W_SHADOWED = 88,
    W_NODES = 86,
    W_JIT_LIBRARY = 35,
    W_USELESS_VARIABLE = 45,
    W_MIG = 40,
    W_MIG_SPOKEN_OF = 1000, /* as if the text were known to mean it */
    W_FEWER_NODES = 38,
    W_NO_UVM = 10,
    W_NO_UVM_CONTAINER = 46,
    W_ORDER = 15
};

/* A driver is this machine's business only if it has a GPU, or one stands behind it. */
static bool concerns(const struct doctor *d)
{
    for (size_t i = 0; i < d->gpu_count; i++)
        if (d->gpus[i].present)
            return true;
    return d->host.wsl || *d->host.jetson || (*d->sysroot && *d->host.module);
}

static void put_path(struct finding *one, const struct doctor *d, const char *path)
{
    char real[ROOT_PATH_MAX];
    str_copy(one->path, sizeof one->path, root_real(d->sysroot, path, real) ? real : path);
}

/* ---- the driver and the card ---- */

static void dropped(const struct doctor *d, struct findings *f, size_t gpu)
{
    const struct doctor_gpu *g = &d->gpus[gpu];
    const struct arch_image image = { .kind = ARCH_CUBIN, .arch = g->rule.cc };
    struct arch_verdict v = arch_judge(&image, &g->rule, ARCH_CONTAINER);
    const struct arch_facts *facts = facts_arch(g->rule.cc);
    char version[VERSION_TEXT_MAX], last[VERSION_TEXT_MAX];
    bool open = g->present && d->host.open_module && g->rule.cc && g->rule.cc < 75;
    if (!version_known(g->rule.driver) || (v.verdict != VERDICT_DRIVER_DROPPED_CARD && !open))
        return;
    struct finding *one = finding_add(f, CAUSE_A15, W_DROPPED);
    if (!one || !facts)
        return;
    one->gpu = (int)gpu;
    struct driver_span span = facts_span(facts, g->rule.os, g->rule.notebook);
    if (v.verdict != VERDICT_DRIVER_DROPPED_CARD) {
        finding_put_gpu(finding_say(one, "doctor.open_module"), g);
        return;
    }
    bool too_old = strcmp(v.rule, "driver-before-card") == 0;
    struct remark *r = finding_say(one, too_old ? "doctor.driver_before" : "doctor.dropped");
    finding_put_gpu(r, g);
    remark_put(r, "driver", version_text(g->rule.driver, version));
    remark_put(r, "last", version_text(too_old ? v.least_driver : span.last, last));
}

/* The driver is installed, and its version is one that does not know the card. */
static bool is_dropped_by_library(const struct doctor *d, struct findings *f, size_t gpu)
{
    const struct doctor_gpu *g = &d->gpus[gpu];
    const struct arch_image image = { .kind = ARCH_CUBIN, .arch = g->rule.cc };
    const struct arch_facts *facts = facts_arch(g->rule.cc);
    struct arch_target target = g->rule;
    char last[VERSION_TEXT_MAX];
    if (!facts || !version_parse(d->host.library_version, &target.driver) ||
        d->host.library_is_compat ||
        arch_judge(&image, &target, ARCH_CONTAINER).verdict != VERDICT_DRIVER_DROPPED_CARD)
        return false;
    struct finding *one = finding_add(f, CAUSE_A15, W_DROPPED);
    if (!one)
        return false;
    one->gpu = (int)gpu;
    struct remark *r = finding_say(one, "doctor.dropped");
    finding_put_gpu(r, g);
    remark_put(r, "driver", d->host.library_version);
    remark_put(r, "last",
               version_text(facts_span(facts, g->rule.os, g->rule.notebook).last, last));
    return true;
}

static void no_driver(const struct doctor *d, struct findings *f, size_t gpu)
{
    const struct doctor_gpu *g = &d->gpus[gpu];
    bool nouveau = strcmp(g->kernel_driver, "nouveau") == 0;
    if (!g->present || *d->host.module || strcmp(g->kernel_driver, "nvidia") == 0)
        return;
    if (!nouveau && is_dropped_by_library(d, f, gpu))
        return;
    struct finding *one = finding_add(f, CAUSE_N2, W_NO_DRIVER);
    if (!one)
        return;
    one->gpu = (int)gpu;
    struct remark *r =
        finding_say(one, nouveau                                     ? "doctor.nouveau"
                         : strcmp(g->kernel_driver, "vfio-pci") == 0 ? "doctor.vfio"
                                                                     : "doctor.no_driver");
    finding_put_gpu(r, g);
}

/* ---- parts that must be of one version ---- */

static bool all_server(const struct doctor *d)
{
    for (size_t i = 0; i < d->gpu_count; i++)
        if (!d->gpus[i].server)
            return false;
    return d->gpu_count > 0;
}

static void parts_differ(const struct doctor *d, struct findings *f)
{
    const struct host *h = &d->host;
    struct driver_version module, library;
    if (!version_parse(h->module, &module) || !version_parse(h->library_version, &library) ||
        version_compare(module, library) == 0)
        return;
    if (h->library_is_compat && all_server(d) && module.major < library.major)
        return; /* what cuda-compat is for */
    struct finding *one = finding_add(f, CAUSE_A14, W_PARTS);
    if (!one)
        return;
    put_path(one, d, h->library);
    struct remark *r =
        finding_say(one, h->library_is_compat ? "doctor.compat" : "doctor.parts_differ");
    remark_put(r, "module", h->module);
    remark_put(r, "library", h->library_version);
    remark_put(r, "path", h->library);
    remark_put(r, "how", loader_how_name(h->library_how));
}

static void no_jit_library(const struct doctor *d, struct findings *f)
{
    const struct host *h = &d->host;
    if (!*h->library || *h->jit_library || h->wsl)
        return;
    struct finding *one = finding_add(f, CAUSE_A14, W_JIT_LIBRARY);
    if (!one)
        return;
    one->confidence = FINDING_LIKELY;
    remark_put(finding_say(one, "doctor.no_jit_library"), "path", h->library);
}

/* The toolkit's stand-in, which programs are linked with and none can run on. */
static void stub(const struct doctor *d, struct findings *f)
{
    const struct host *h = &d->host;
    if (!strstr(h->library, "/stubs/"))
        return;
    struct finding *one = finding_add(f, CAUSE_A18, W_PARTS);
    if (!one)
        return;
    put_path(one, d, h->library);
    struct remark *r = finding_say(one, "doctor.stub");
    remark_put(r, "path", h->library);
    remark_put(r, "how", loader_how_name(h->library_how));
}

/* The JIT compiler of another driver than libcuda's. */
static void jit_differs(const struct doctor *d, struct findings *f)
{
    const struct host *h = &d->host;
    if (!*h->library_version || !*h->jit_version || h->library_is_compat || h->wsl ||
        strcmp(h->library_version, h->jit_version) == 0)
        return;
    struct finding *one = finding_add(f, CAUSE_A14, W_PARTS - 2);
    if (!one)
        return;
    put_path(one, d, h->jit_library);
    struct remark *r = finding_say(one, "doctor.jit_differs");
    remark_put(r, "path", h->jit_library);
    remark_put(r, "jit", h->jit_version);
    remark_put(r, "library", h->library_version);
}

static void no_library(const struct doctor *d, struct findings *f)
{
    const struct host *h = &d->host;
    if (*h->library || !*h->module)
        return;
    struct finding *one = finding_add(f, CAUSE_A14, W_PARTS - 1);
    if (one)
        remark_put(finding_say(one, "doctor.no_library"), "module", h->module);
}

/* ---- what the program is allowed to see ---- */

/* The CUDA_VISIBLE_DEVICES that leaves no device, or names one that is not there. */
static bool hides(const char *value, size_t gpus)
{
    char *end;
    if (!*value || strcmp(value, "-1") == 0 || strcasecmp(value, "none") == 0 ||
        strcmp(value, "NoDevFiles") == 0)
        return true;
    if (str_starts(value, "GPU-") || str_starts(value, "MIG-"))
        return false;
    long first = strtol(value, &end, 10);
    if (end == value)
        return true; /* "$0": not a number, so nothing is visible */
    return gpus && (first < 0 || (size_t)first >= gpus);
}

static void hidden(const struct doctor *d, struct findings *f)
{
    const char *value = host_variable(&d->host, "CUDA_VISIBLE_DEVICES");
    if (!value || !hides(value, d->gpu_count))
        return;
    struct finding *one = finding_add(f, CAUSE_A12, W_HIDDEN);
    if (one)
        remark_putf(finding_say(one, "doctor.hidden"), "value", "%.200s", value);
}

static void useless_variable(const struct doctor *d, struct findings *f)
{
    const char *value = host_variable(&d->host, "NVIDIA_VISIBLE_DEVICES");
    if (!value || *d->host.container || d->gpu_count < 2)
        return;
    struct finding *one = finding_add(f, CAUSE_A12, W_USELESS_VARIABLE);
    if (!one)
        return;
    one->confidence = FINDING_LIKELY;
    remark_putf(finding_say(one, "doctor.nvidia_visible"), "value", "%.200s", value);
}

/* "mig" as a word: "a100-MIG", "MIG devices", no "migration". */
static bool says_mig(const char *text)
{
    for (const char *p = text; p && (p = strcasestr(p, "mig")); p += 3)
        if (!isalpha((unsigned char)p[3]) && (p == text || !isalpha((unsigned char)p[-1])))
            return true;
    return false;
}

static void mig(const struct doctor *d, struct findings *f)
{
    if (!d->host.mig_instances)
        return;
    struct finding *one =
        finding_add(f, CAUSE_A12, says_mig(d->error) ? W_MIG_SPOKEN_OF : W_MIG);
    if (!one)
        return;
    one->confidence = FINDING_LIKELY;
    remark_putf(finding_say(one, "doctor.mig"), "count", "%zu", d->host.mig_instances);
}

static void shadowed(const struct doctor *d, struct findings *f)
{
    const struct host *h = &d->host;
    if (!h->wsl || !*h->library || strcmp(h->library, h->wsl_library) == 0 ||
        str_starts(h->library, "/usr/lib/wsl/"))
        return;
    struct finding *one = finding_add(f, CAUSE_A12, W_SHADOWED);
    if (!one)
        return;
    put_path(one, d, h->library);
    struct remark *r = finding_say(one, "doctor.wsl_shadowed");
    remark_put(r, "path", h->library);
    remark_put(r, "right", *h->wsl_library ? h->wsl_library : "/usr/lib/wsl/lib/libcuda.so.1");
}

/* CUDA counts the fastest first, nvidia-smi by bus. */
static void order(const struct doctor *d, struct findings *f)
{
    const char *value = host_variable(&d->host, "CUDA_DEVICE_ORDER");
    bool differ = false;
    for (size_t i = 1; i < d->gpu_count; i++)
        differ |= d->gpus[i].present && strcmp(d->gpus[i].name, d->gpus[0].name) != 0;
    if (!differ || (value && strcmp(value, "PCI_BUS_ID") == 0))
        return;
    struct finding *one = finding_add(f, CAUSE_A12, W_ORDER);
    if (!one)
        return;
    one->confidence = FINDING_LIKELY;
    finding_say(one, "doctor.order");
}

static void no_nodes(const struct doctor *d, struct findings *f)
{
    const struct host *h = &d->host;
    if (!*h->module || !h->nodes_known || h->has_control_node || h->wsl)
        return;
    struct finding *one = finding_add(f, CAUSE_A12, W_NODES);
    if (one)
        finding_say(one, *h->container ? "doctor.no_nodes_container" : "doctor.no_nodes");
}

/* Unified memory's node is made on demand; where programs may not make it, they fail. */
static void no_uvm(const struct doctor *d, struct findings *f)
{
    const struct host *h = &d->host;
    if (!*h->module || !h->nodes_known || !h->has_control_node || h->has_uvm_node || h->wsl)
        return;
    struct finding *one = finding_add(f, CAUSE_A12, *h->container ? W_NO_UVM_CONTAINER : W_NO_UVM);
    if (!one)
        return;
    one->confidence = FINDING_LIKELY;
    finding_say(one, "doctor.no_uvm");
}

/* The nodes are there, but not for this user. */
static void no_access(const struct doctor *d, struct findings *f)
{
    const struct host *h = &d->host;
    if (!*h->no_access || !*h->module || h->wsl)
        return;
    struct finding *one = finding_add(f, CAUSE_A12, W_NODES + 1);
    if (!one)
        return;
    struct remark *r = finding_say(one, "doctor.no_access");
    remark_put(r, "node", h->no_access);
    remark_put(r, "group", h->node_group);
}

/* A container that was given some of the cards. */
static void fewer_nodes(const struct doctor *d, struct findings *f)
{
    const struct host *h = &d->host;
    size_t present = 0;
    for (size_t g = 0; g < d->gpu_count; g++)
        present += d->gpus[g].present && strcmp(d->gpus[g].kernel_driver, "nvidia") == 0;
    if (!*h->module || !h->has_control_node || h->wsl || h->device_nodes >= present)
        return;
    struct finding *one = finding_add(f, CAUSE_A12, W_FEWER_NODES);
    if (!one)
        return;
    one->confidence = FINDING_LIKELY;
    struct remark *r = finding_say(one, "doctor.fewer_nodes");
    remark_putf(r, "nodes", "%zu", h->device_nodes);
    remark_putf(r, "gpus", "%zu", present);
}

void finding_driver(const struct doctor *d, struct findings *f)
{
    for (size_t i = 0; i < d->gpu_count; i++) {
        dropped(d, f, i);
        if (!d->image)
            no_driver(d, f, i);
    }
    if (d->image || !concerns(d))
        return;
    parts_differ(d, f);
    no_library(d, f);
    no_jit_library(d, f);
    jit_differs(d, f);
    stub(d, f);
    hidden(d, f);
    useless_variable(d, f);
    mig(d, f);
    shadowed(d, f);
    order(d, f);
    no_nodes(d, f);
    no_uvm(d, f);
    no_access(d, f);
    fewer_nodes(d, f);
}
