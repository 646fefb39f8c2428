/* Cases about cubins: for another card, of another toolkit, packed in a way that the driver does
 * not know. Each container is put together from images that this program embeds. */
#include <stdlib.h>
#include <string.h>

#include "core/str.h"
#include "probe/provoke.h"
#include "probe/provoke_wrap.h"

#define ZSTD_CUDA                                                                                  \
    12040 /* the first CUDA whose drivers unpack zstd, as cuDriverGetVersion says it */

static bool is_tegra(unsigned arch)
{
    const struct arch_facts *facts = facts_arch(arch);
    return facts && facts->class == ARCH_TEGRA;
}

static int load_entries(struct stage *s, const struct wrap_entry *entries, size_t count,
                        const char *label, struct err *err)
{
    size_t size;
    void *data = wrap_container(entries, count, &size, err);
    return stage_load_container(s, "container", label, data, size, err);
}

static int no_image(struct stage *s, struct err *err)
{
    struct wrap_entry *entries = calloc(s->images.count, sizeof *entries);
    struct str label = STR_INIT;
    size_t n = 0;
    int failed = -1;
    if (!entries) {
        err_set(err, ERR_MEMORY, "out of memory");
        goto done;
    }
    for (size_t i = 0; i < s->images.count; i++) {
        if (!stage_is_for_another(s, &s->images.list[i]))
            continue;
        entries[n++].like = &s->images.list[i];
        str_addf(&label, "%s%u", n == 1 ? "sm_" : " ", s->images.list[i].info.arch);
    }
    failed = 0;
    if (n)
        failed = load_entries(s, entries, n, label.p, err);
    else
        stage_unable(s, "build", "");
done:
    str_free(&label);
    free(entries);
    return failed;
}

/* The one image that suits a case best: the least distance wins, UINT32_MAX does not suit. */
static const struct probe_image *choose(const struct stage *s,
                                        unsigned (*distance)(const struct stage *s,
                                                             const struct probe_image *image))
{
    const struct probe_image *best = NULL;
    unsigned least = UINT32_MAX;
    for (size_t i = 0; i < s->images.count; i++) {
        unsigned d = distance(s, &s->images.list[i]);
        if (d < least) {
            least = d;
            best = &s->images.list[i];
        }
    }
    return best;
}

/* Tegra's code is refused for another reason, so it is taken last. */
static unsigned far(const struct stage *s, const struct probe_image *image)
{
    unsigned arch = image->info.arch, cc = s->target.cc;
    return (arch > cc ? arch - cc : cc - arch) + (is_tegra(arch) ? 1000 : 0);
}

static unsigned other_major_distance(const struct stage *s, const struct probe_image *image)
{
    bool suits = stage_is_for_another(s, image) && image->info.arch / 10 != s->target.cc / 10;
    return suits ? far(s, image) : UINT32_MAX;
}

static unsigned higher_minor_distance(const struct stage *s, const struct probe_image *image)
{
    bool suits = stage_is_for_another(s, image) && image->info.arch / 10 == s->target.cc / 10 &&
                 image->info.arch > s->target.cc && !is_tegra(image->info.arch);
    return suits ? far(s, image) : UINT32_MAX;
}

static int load_one(struct stage *s, const struct probe_image *image, struct err *err)
{
    char name[32];
    image_arch_name(&image->info, name, sizeof name);
    return load_entries(s, &(struct wrap_entry){ .like = image }, 1, name, err);
}

static int other_major(struct stage *s, struct err *err)
{
    const struct probe_image *image = choose(s, other_major_distance);
    if (image)
        return load_one(s, image, err);
    stage_unable(s, "build", "");
    return 0;
}

static int higher_minor(struct stage *s, struct err *err)
{
    const struct probe_image *image = choose(s, higher_minor_distance);
    if (image)
        return load_one(s, image, err);
    stage_unable(s, "no_higher_minor", "920m");
    return 0;
}

/* A cubin for this very card, so that nothing but its toolkit is wrong. */
static unsigned fitting_distance(const struct stage *s, const struct probe_image *image)
{
    struct arch_image facts = image->facts;
    facts.toolkit_major = facts.toolkit_minor = 0;
    bool suits = image->info.kind == IMAGE_CUBIN && image->info.abi == 7 &&
                 image->info.arch / 10 == s->target.cc / 10 && image->info.arch <= s->target.cc &&
                 (!is_tegra(image->info.arch) || image->info.arch == s->target.cc);
    return suits ? far(s, image) : UINT32_MAX;
}

static int cubin_newer_toolkit(struct stage *s, struct err *err)
{
    const struct probe_image *image = choose(s, fitting_distance);
    unsigned cuda = (unsigned)s->driver.version / 1000;
    if (!image) {
        stage_unable(s, "no_abi7", "920m");
        return 0;
    }
    /* Where the cubin's own toolkit is too new already, nothing needs to be made up. */
    bool own = image->info.toolkit_major > cuda;
    unsigned major = own ? image->info.toolkit_major : cuda + 1;
    void *cubin = wrap_cubin_toolkit(image, major, own ? image->info.toolkit_minor : 0);
    if (!cubin)
        return err_set(err, ERR_MEMORY, "out of memory");
    char label[64];
    snprintf(label, sizeof label, "sm_%u, CUDA %u", image->info.arch, major);
    stage_load(s, STAGE_FAULT, "cubin", label, cubin);
    struct wrap_entry entry = { .like = image,
                                .payload = cubin,
                                .size = (size_t)image->info.payload_size - 1 };
    int failed = load_entries(s, &entry, 1, label, err);
    free(cubin);
    return failed;
}

static int zstd_old_driver(struct stage *s, struct err *err)
{
    if (s->driver.version >= ZSTD_CUDA) {
        stage_unable(s, "driver_knows_zstd",
                     s->target.cc < 50 ? "920m,driver=470" : "h200,driver=535");
        return 0;
    }
    size_t i = stage_right_image(s, STAGE_NATIVE);
    if (i == SIZE_MAX)
        return err_set(err, ERR_MISSING, "this build holds no image for the device");
    char name[32], label[48];
    image_arch_name(&s->images.list[i].info, name, sizeof name);
    snprintf(label, sizeof label, "%s, zstd", name);
    return load_entries(s, &(struct wrap_entry){ .like = &s->images.list[i], .zstd = true }, 1,
                        label, err);
}

const struct provoke provoke_image_cases[] = {
    { "no-image", false, no_image, stage_cure },
    { "other-major", false, other_major, stage_cure },
    { "higher-minor", false, higher_minor, stage_cure },
    { "cubin-newer-toolkit", false, cubin_newer_toolkit, stage_cure },
    { "zstd-old-driver", false, zstd_old_driver, stage_cure },
    { .name = NULL },
};
