#include "doctor/holds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/os.h"
#include "core/str.h"
#include "doctor/patient.h"
#include "image/cubin.h"
#include "image/ptx.h"
#include "image/scan.h"

#define LOOKED_MAX (24u << 10) /* stored bytes of an image whose kernels are looked at */
#define STUB_MAX   2048u       /* of the cubins without a kernel that nvcc adds to a program */

/* The container that is being read. */
struct reading {
    struct holds *holds;
    struct arch_image images[HOLDS_IMAGES_MAX];
    size_t image_count;
    uint64_t seen, looked; /* images, and those whose kernels were looked at */
    uint64_t kernels;
    bool linked;
    enum holds_origin origin;
    char kernel[96];
};

/* ---- whose kernels ---- */

/* Parts of mangled names; as told in results/packages/README.md. */
static const char *const own_parts[] = {
    "at6native",  "N2at",       "3c10",         "4c10d",         "caffe2",        "THC", "5torch",
    "TensorInfo", "OffsetInfo", "DeviceTensor", "PyTorchMemEff", "pytorch_flash", NULL
};
static const char *const nvidia_parts[] = { "cudnn",
                                            "cublas",
                                            "cufft",
                                            "nccl",
                                            "cusparse",
                                            "cusolver",
                                            "curandStateShared",
                                            "curandStateMT",
                                            "twiddle_t",
                                            "fftDirection",
                                            "xmma",
                                            "RNN_persist",
                                            "gemvNSP",
                                            "callback_t",
                                            "magma_lds128",
                                            "magmalds128",
                                            NULL };
static const char *const nvidia_starts[] = { "volta_",  "maxwell_", "turing_", "kepler_", "ampere_",
                                             "hopper_", "Volta",    "Turing",  NULL };
static const char *const nvidia_files[] = { "cudnn",     "cublas", "cufft",    "cusparse",
                                            "cusolver",  "curand", "nvrtc",    "nccl",
                                            "npp",       "cudart", "cupti",    "nvToolsExt",
                                            "nvJitLink", "nvjpeg", "cufile",   "nvshmem",
                                            "nvperf",    "nvvm",   "nvfatbin", NULL };

static bool has_part(const char *name, const char *const *parts)
{
    for (; *parts; parts++)
        if (strstr(name, *parts))
            return true;
    return false;
}

static bool begins(const char *name, const char *const *starts)
{
    for (; *starts; starts++)
        if (str_starts(name, *starts))
            return true;
    return false;
}

bool holds_is_nvidia_file(const char *path)
{
    const char *base = strrchr(path, '/');
    base = base ? base + 1 : path;
    if (!strstr(base, ".so") && !str_ends(base, ".dll") && !str_ends(base, ".a"))
        return false;
    return begins(str_starts(base, "lib") ? base + 3 : base, nvidia_files);
}

static int on_kernel(void *self, const char *name, size_t length, struct err *err)
{
    struct reading *r = self;
    char text[256];
    size_t n = length < sizeof text - 1 ? length : sizeof text - 1;
    (void)err;
    memcpy(text, name, n);
    text[n] = 0;
    if (!r->kernels++)
        str_copy(r->kernel, sizeof r->kernel, text);
    if (has_part(text, own_parts))
        r->origin = HOLDS_OWN;
    else if (r->origin == HOLDS_UNTOLD &&
             (has_part(text, nvidia_parts) || begins(text, nvidia_starts)))
        r->origin = HOLDS_NVIDIA;
    return 0;
}

/* ---- the scan ---- */

static enum arch_image_kind rule_kind(enum image_kind kind)
{
    return kind == IMAGE_CUBIN ? ARCH_CUBIN
           : kind == IMAGE_PTX ? ARCH_PTX
           : kind == IMAGE_LTO ? ARCH_LTO
                               : ARCH_OTHER;
}

static bool same_image(const struct arch_image *a, const struct arch_image *b)
{
    return a->kind == b->kind && a->arch == b->arch && a->suffix == b->suffix &&
           a->ptx_major == b->ptx_major && a->ptx_minor == b->ptx_minor &&
           a->toolkit_major == b->toolkit_major && a->toolkit_minor == b->toolkit_minor &&
           a->zstd == b->zstd;
}

static int on_image(void *self, const struct scan_container *c, const struct image *image,
                    struct err *err)
{
    struct reading *r = self;
    const struct arch_image one = {
        .kind = rule_kind(image->kind),
        .arch = image->arch,
        .suffix = image->suffix,
        .ptx_major = image->ptx_major,
        .ptx_minor = image->ptx_minor,
        .toolkit_major = image->toolkit_major,
        .toolkit_minor = image->toolkit_minor,
        .zstd = image->compression == IMAGE_ZSTD,
    };
    (void)c, (void)err;
    r->seen++;
    r->linked |= image->relocatable;
    for (size_t i = 0; i < r->image_count; i++)
        if (same_image(&r->images[i], &one))
            return 0;
    if (r->image_count < HOLDS_IMAGES_MAX)
        r->images[r->image_count++] = one;
    else
        r->holds->cut = true;
    return 0;
}

/* One told kernel settles a container; only what may be a stub is looked at beyond that. */
static int on_payload(void *self, const struct image *image, const uint8_t *data, size_t size,
                      struct err *err)
{
    struct reading *r = self;
    struct err unused;
    (void)err;
    err_clear(&unused);
    if (r->origin == HOLDS_OWN || (r->kernels && image->payload_size > STUB_MAX))
        return 0;
    if (image->kind == IMAGE_PTX)
        ptx_kernels(data, size, on_kernel, r, &unused);
    else if (image->kind == IMAGE_CUBIN)
        cubin_kernels(data, size, on_kernel, r, &unused);
    else
        return 0;
    r->looked += unused.code == ERR_NONE;
    return 0;
}

static bool same_group(const struct holds_group *g, const struct reading *r, enum arch_path path)
{
    if (g->origin != r->origin || g->linked != r->linked || g->path != path ||
        g->image_count != r->image_count)
        return false;
    for (size_t i = 0; i < g->image_count; i++)
        if (!same_image(&g->images[i], &r->images[i]))
            return false;
    return true;
}

static struct holds_group *group_of(struct holds *h, const struct reading *r, enum arch_path path)
{
    for (size_t i = 0; i < h->group_count; i++)
        if (same_group(&h->groups[i], r, path))
            return &h->groups[i];
    if (h->group_count == HOLDS_GROUPS_MAX) {
        h->cut = true;
        return &h->groups[HOLDS_GROUPS_MAX - 1];
    }
    struct holds_group *groups = reallocarray(h->groups, h->group_count + 1, sizeof *groups);
    if (!groups)
        return NULL;
    h->groups = groups;
    struct holds_group *g = &groups[h->group_count];
    *g = (struct holds_group){ .origin = r->origin, .path = path, .linked = r->linked };
    g->images = calloc(r->image_count + 1, sizeof *g->images);
    if (!g->images)
        return NULL;
    memcpy(g->images, r->images, r->image_count * sizeof *g->images);
    g->image_count = r->image_count;
    str_copy(g->kernel, sizeof g->kernel, r->kernel);
    h->group_count++;
    return g;
}

static int by_arch(const void *a, const void *b)
{
    const struct arch_image *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->arch != y->arch)
        return x->arch < y->arch ? -1 : 1;
    return x->suffix - y->suffix;
}

static int on_end(void *self, const struct scan_container *c, struct err *err)
{
    struct reading *r = self;
    enum arch_path path = c->kind == IMAGE_BARE_CUBIN ? ARCH_BARE_CUBIN
                          : c->kind == IMAGE_BARE_PTX ? ARCH_BARE_PTX
                                                      : ARCH_CONTAINER;
    struct holds_group *g = NULL;
    if (r->seen && r->looked == r->seen && !r->kernels) {
        r->holds->empty++;
    } else if (r->image_count) {
        qsort(r->images, r->image_count, sizeof r->images[0], by_arch);
        g = group_of(r->holds, r, path);
        if (!g)
            return err_set(err, ERR_MEMORY, "out of memory");
        g->containers++;
        r->holds->containers++;
    }
    *r = (struct reading){ .holds = r->holds };
    return 0;
}

static void on_problem(void *self, const struct err *problem)
{
    struct reading *r = self;
    (void)problem;
    r->holds->problems++;
}

int holds_read(const char *full, uint64_t deadline_ns, struct holds *holds, struct err *err)
{
    struct reading r = { .holds = holds };
    const struct scan_options options = { .payloads = true, .stored_max = LOOKED_MAX };
    const struct scan_sink sink = { .self = &r,
                                    .image = on_image,
                                    .payload = on_payload,
                                    .container_end = on_end,
                                    .problem = on_problem };
    *holds = (struct holds){ 0 };
    struct input *in = patient_open(full, deadline_ns, err);
    if (!in)
        return -1;
    int rc = scan_input(in, &options, &sink, NULL, err);
    input_close(in);
    if (rc && err->code == ERR_LIMIT) {
        holds->cut = true;
        err_clear(err);
        rc = 0;
    }
    return rc;
}

void holds_free(struct holds *holds)
{
    for (size_t i = 0; i < holds->group_count; i++)
        free(holds->groups[i].images);
    free(holds->groups);
    *holds = (struct holds){ 0 };
}

/* ---- what it says ---- */

static bool any_of(const struct holds *h, enum holds_origin origin, bool linked)
{
    for (size_t i = 0; i < h->group_count; i++)
        if (h->groups[i].origin == origin && h->groups[i].linked == linked)
            return true;
    return false;
}

bool holds_counts(const struct holds *h, const struct holds_group *g)
{
    bool own = any_of(h, HOLDS_OWN, false), untold = any_of(h, HOLDS_UNTOLD, false);
    if (g->linked)
        return !own && !untold && !any_of(h, HOLDS_NVIDIA, false);
    if (own)
        return g->origin == HOLDS_OWN;
    return untold ? g->origin == HOLDS_UNTOLD : true;
}

static void add_image(struct str *to, const struct arch_image *image)
{
    static const char *const kinds[] = {
        [ARCH_CUBIN] = "sm_", [ARCH_PTX] = "compute_", [ARCH_LTO] = "lto_", [ARCH_OTHER] = "arch_"
    };
    char suffix[2] = { image->suffix, 0 };
    str_addf(to, "%s%s%u%s", to->len ? " " : "", kinds[image->kind], image->arch, suffix);
}

void holds_add_archs(struct str *to, const struct holds *h)
{
    struct arch_image all[HOLDS_IMAGES_MAX];
    size_t count = 0;
    struct str text = STR_INIT;
    for (size_t i = 0; i < h->group_count; i++)
        for (size_t j = 0; j < h->groups[i].image_count && holds_counts(h, &h->groups[i]); j++) {
            const struct arch_image *image = &h->groups[i].images[j];
            size_t k = 0;
            while (k < count && (all[k].kind != image->kind || all[k].arch != image->arch ||
                                 all[k].suffix != image->suffix))
                k++;
            if (k == count && count < HOLDS_IMAGES_MAX)
                all[count++] = *image;
        }
    if (count)
        qsort(all, count, sizeof all[0], by_arch);
    for (size_t i = 0; i < count; i++)
        add_image(&text, &all[i]);
    str_add(to, text.p);
    str_free(&text);
}
