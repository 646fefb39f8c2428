#include "cuda/cudnn.h"

#include <stdio.h>
#include <string.h>

#include "core/os_library.h"
#include "core/str.h"
#include "data/data.h"

enum need { OPTIONAL, REQUIRED };

static const struct {
    enum need need;
    const char *name;
    size_t offset;
} symbols[] = {
#define X(need, member, result, name, arguments) { need, name, offsetof(struct cudnn_calls, member) },
#include "cuda/cudnn.def"
#undef X
};

/* Best first; no release of 9 has code for Kepler. */
static struct search_for library(int cc)
{
    static const char *const names[] = { "libcudnn.so.9", "libcudnn.so.8", "libcudnn.so.7", NULL };
    static const char *const inside[] = { "nvidia/*/lib", "torch/lib", "../..", NULL };
    return (struct search_for){ cc < 50 ? names + 1 : names, inside, NULL };
}

/* 9 numbers its statuses anew, in thousands: 3 is "not supported" there. */
static bool means_missing(const struct cudnn *cudnn, unsigned status)
{
    if (cudnn->version >= 90000)
        return status / 1000 == 3;
    return status == 6 || status == 9 || status == 11; /* wrong card, not supported, no NVRTC or such */
}

int cudnn_check(const struct cudnn *cudnn, unsigned status, const char *call, struct err *err)
{
    if (!status)
        return 0;
    const char *name = cudnn->call.text ? cudnn->call.text(status) : NULL;
    err_set(err, means_missing(cudnn, status) ? ERR_MISSING : ERR_DRIVER,
            "%s failed with status %u%s%s%s", call, status, name ? " (" : "", name ? name : "",
            name ? ")" : "");
    if (err && !err->native)
        err->native = (int)status;
    return -1;
}

/* From 8 on the library is a front for others, which it loads when first called, be it for its version; 8
 * ends the process when one of them does not load (seen with 8.5, whose parts need libcublas.so.11). */
static const struct {
    const char *front;
    const char *parts[6];
} fronts[] = {
    { "libcudnn.so.8",
      { "libcudnn_ops_infer.so.8", "libcudnn_cnn_infer.so.8", "libcudnn_ops_train.so.8",
        "libcudnn_cnn_train.so.8" } },
    { "libcudnn.so.9", { "libcudnn_graph.so.9", "libcudnn_ops.so.9", "libcudnn_cnn.so.9" } },
};

/* Loads a part from where the front lies, to stay loaded. */
static int load_part(const char *front, const char *part, struct err *err)
{
    const char *slash = strrchr(front, '/');
    char path[1100];
    bool there;
    snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash - front + 1) : 0, front, part);
    return os_library_open(path, &there, err) ? 0 : -1;
}

static int load_parts(const char *front, struct err *err)
{
    for (size_t i = 0; i < sizeof fronts / sizeof fronts[0]; i++)
        for (const char *const *part = fronts[i].parts; str_ends(front, fronts[i].front) && *part; part++)
            if (load_part(front, *part, err))
                return -1;
    return 0;
}

/* "8.9", "9.11", "-" as a number of cudnnGetVersion without the last two digits; 0 for none. */
static unsigned release_of(const char *text)
{
    unsigned major, minor;
    return sscanf(text, "%u.%u", &major, &minor) == 2 ? major * 100 + minor : 0;
}

/* A card below a release's floor would get as far as the first kernel that it has no image for. */
static int check_floor(const struct cudnn *cudnn, const char *path, struct err *err)
{
    const struct table *floors = data_table(DATA_FLOORS);
    char version[32];
    cudnn_version_text(cudnn->version, version);
    for (size_t row = 0; row < floors->row_count; row++) {
        unsigned from = release_of(table_field(floors, row, "from"));
        unsigned below = release_of(table_field(floors, row, "below"));
        unsigned least = release_of(table_field(floors, row, "min_cc"));
        least = least / 100 * 10 + least % 100;
        if (strcmp(table_field(floors, row, "package"), "libcudnn") == 0 &&
            release_of(version) >= from && (!below || release_of(version) < below) &&
            cudnn->cc < (int)least)
            return err_set(err, ERR_MISSING, "'%s' is cuDNN %s, for capability %u.%u and up", path,
                           version, least / 10, least % 10);
    }
    return 0;
}

static int resolve(void *self, const struct search_found *found, struct err *err)
{
    struct cudnn *cudnn = self;
    if (load_parts(found->path, err))
        return -1;
    memset(&cudnn->call, 0, sizeof cudnn->call);
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *symbol = os_library_symbol(found->library, symbols[i].name);
        if (!symbol && symbols[i].need == REQUIRED)
            return err_set(err, ERR_MISSING, "'%s' lacks '%s'", found->path, symbols[i].name);
        memcpy((char *)&cudnn->call + symbols[i].offset, &symbol, sizeof symbol);
    }
    cudnn->version = cudnn->call.version();
    return check_floor(cudnn, found->path, err);
}

static int create(void *self, const struct search_found *found, struct err *err)
{
    struct cudnn *cudnn = self;
    if (resolve(cudnn, found, err))
        return -1;
    cudnn->handle = NULL;
    if (!cudnn_check(cudnn, cudnn->call.create(&cudnn->handle), "cudnnCreate", err))
        return 0;
    cudnn->handle = NULL;
    return err_wrap(err, "%s", found->path);
}

int cudnn_load(struct cudnn *cudnn, const struct search *where, int cc, struct err *err)
{
    struct search_for what = library(cc);
    *cudnn = (struct cudnn){ .cc = cc };
    return search_open(where, &what, resolve, cudnn, &cudnn->found, err);
}

int cudnn_open(struct cudnn *cudnn, const struct driver *driver, const struct search *where, int cc,
               struct err *err)
{
    struct search_for what = library(cc);
    *cudnn = (struct cudnn){ .cc = cc, .driver = driver };
    return search_open(where, &what, create, cudnn, &cudnn->found, err);
}

/* A library that was used stays loaded, as its parts do. */
void cudnn_close(struct cudnn *cudnn)
{
    if (cudnn->handle)
        cudnn->call.destroy(cudnn->handle);
    else
        search_close(&cudnn->found);
    cudnn->handle = NULL;
}

/* From 9 on 10000 for a major version, before that 1000. */
void cudnn_version_text(size_t version, char text[32])
{
    size_t major = version >= 90000 ? 10000 : 1000;
    snprintf(text, 32, "%zu.%zu.%zu", version / major, version % major / 100, version % 100);
}
