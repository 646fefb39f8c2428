#include "doctor/saved_image.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/os.h"
#include "doctor/owners.h"
#include "doctor/root.h"
#include "image/archive.h"

#define NOTE_MAX      (32u << 20) /* bytes of a text file that is kept */
#define LAYERS_MAX    256
#define EMPTY_TAR_MAX ((size_t)32 << 10) /* tar pads to 10 KiB */
#define WHITEOUT      ".wh."
#define OPAQUE        ".wh..wh..opq"

/* layers/NAME/... holds what each layer brings, root the tree they make. */
struct unpack {
    struct saved_image *image;
    uint64_t deadline_ns, written;
    struct str manifest;
    bool has_manifest;
    json_t *
        members; /* of the file itself, by name: whether it is an archive or may be a link to one */
    char last[300]; /* the member of the file that damage was met in, until more of it comes */
    struct err last_damage;
};

/* ---- damage ---- */

static void note_damage(struct unpack *u, const char *where, const struct err *why)
{
    struct saved_image *image = u->image;
    if (image->damage_count++)
        return;
    str_copy(image->damaged, sizeof image->damaged, *where ? where : "manifest.json");
    image->damage = *why;
}

static void note_missing(struct unpack *u, const char *where, const char *why)
{
    struct err e;
    err_clear(&e);
    err_set(&e, ERR_FORMAT, "%s", why);
    note_damage(u, where, &e);
}

static bool is_in(const char *member, const char *outer)
{
    size_t n = strlen(outer);
    return *outer && strncmp(member, outer, n) == 0 && (!member[n] || member[n] == '!');
}

/* What is damaged inside a layer (an archive of somebody's tests) is followed by more of the layer;
 * after damage of the layer itself nothing of it comes. */
static void settle_damage(struct unpack *u, const char *next)
{
    if (*u->last && !(next && is_in(next, u->last)))
        note_damage(u, u->last, &u->last_damage);
    *u->last = 0;
}

static void on_problem(void *self, const char *member, const struct err *problem)
{
    struct unpack *u = self;
    settle_damage(u, member);
    snprintf(u->last, sizeof u->last, "%.*s", (int)strcspn(member, "!"), member);
    u->last_damage = *problem;
    if (!*u->last) /* the file itself */
        note_damage(u, "the archive", problem);
}

static void on_other(void *self, const char *member)
{
    struct unpack *u = self;
    settle_damage(u, member);
    if (*member && !strchr(member, '!'))
        json_object_set_new(u->members, member, json_true());
}

/* ---- which files ---- */

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_note(const char *path)
{
    static const char *const names[] = { "METADATA",    "PKG-INFO",    "RECORD",
                                         "INSTALLER",   "version.py",  "direct_url.json",
                                         "pyvenv.cfg",  "os-release",  "ld.so.cache",
                                         "version.txt", "version.json" };
    const char *base = base_of(path);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(base, names[i]) == 0)
            return true;
    if (str_ends(base, ".pth") || str_ends(base, ".egg-link") || str_ends(base, "_finder.py"))
        return true; /* links of pip's to sources */
    return strstr(path, "conda-meta/") != NULL && str_ends(base, ".json");
}

/* Programs without a suffix lie in a folder for programs; elsewhere they are texts. */
static bool is_wanted(const char *path)
{
    const char *base = base_of(path);
    if (str_starts(base, WHITEOUT) || is_note(path))
        return true;
    return owners_may_hold(path) && (strchr(base, '.') || strstr(path, "bin/"));
}

/* A path of a member that stays below its folder, and no deeper than os_walk() would look. */
static bool is_safe(const char *path)
{
    unsigned depth = 0;
    for (const char *p = path; *p; p++)
        depth += *p == '/';
    if (depth > OS_WALK_DEPTH_MAX)
        return false;
    if (!*path || *path == '/' || strcmp(path, "..") == 0 || str_starts(path, "../") ||
        str_ends(path, "/.."))
        return false;
    return strstr(path, "/../") == NULL;
}

/* ---- writing ---- */

static int make_folders(char *path, struct err *err)
{
    for (char *p = path + 1; *p; p++) {
        if (*p != '/')
            continue;
        *p = 0;
        int rc = mkdir(path, 0700);
        *p = '/';
        if (rc && errno != EEXIST)
            return err_errno(err, "cannot make the folder '%s'", path);
    }
    return 0;
}

static int copy_to(struct unpack *u, FILE *to, struct input *in, struct err *err)
{
    for (;;) {
        size_t got;
        const uint8_t *data = input_peek(in, 1u << 16, &got, err);
        if (!data)
            return -1;
        if (!got)
            return 0;
        u->written += got;
        if (u->written > SAVED_IMAGE_BYTES_MAX ||
            (u->deadline_ns && os_now_ns() > u->deadline_ns)) {
            u->image->partial = true;
            return err_set(err, ERR_LIMIT, "the time for reading the image is up");
        }
        if (fwrite(data, 1, got, to) != got)
            return err_errno(err, "cannot write to '%s'", u->image->folder);
        if (input_skip(in, got, err))
            return -1;
    }
}

static int write_member(struct unpack *u, const char *layer, const char *path, struct input *in,
                        struct err *err)
{
    char full[ROOT_PATH_MAX];
    if (snprintf(full, sizeof full, "%s/layers/%s/%s", u->image->folder, layer, path) >=
        (int)sizeof full)
        return 0;
    if (make_folders(full, err))
        return -1;
    FILE *f = fopen(full, "w");
    if (!f)
        return err_errno(err, "cannot write '%s'", full);
    int rc = copy_to(u, f, in, err);
    if (fclose(f) && !rc)
        rc = err_errno(err, "cannot write '%s'", full);
    return rc;
}

/* "abc/layer.tar" and "blobs/sha256/abc" as one name. */
static void layer_name(const char *path, size_t length, char *to, size_t size)
{
    snprintf(to, size, "%.*s", (int)length, path);
    for (char *p = to; *p; p++)
        if (*p == '/' || *p == '!')
            *p = '_';
}

static int read_text(struct input *in, struct str *text, struct err *err)
{
    while (text->len < NOTE_MAX) {
        size_t got;
        const uint8_t *data = input_peek(in, 1u << 16, &got, err);
        if (!data || input_skip(in, got, err))
            return -1;
        if (!got)
            break;
        str_add_bytes(text, (const char *)data, got);
    }
    return text->failed ? err_set(err, ERR_MEMORY, "out of memory") : 0;
}

/* Blocks of zeros: what a layer is that changes nothing. It is told from no archive at all. */
static bool is_empty_tar(struct input *in)
{
    size_t got;
    struct err unused;
    err_clear(&unused);
    const uint8_t *data = input_peek(in, EMPTY_TAR_MAX + 1, &got, &unused);
    if (!data || got < 1024 || got > EMPTY_TAR_MAX)
        return false;
    for (size_t i = 0; i < got; i++)
        if (data[i])
            return false;
    return true;
}

/* The configuration is a blob, or a file at the top, whose name only the manifest tells: every
 * small one is kept. */
static int on_file(void *self, const char *member, struct input *in, struct err *err)
{
    struct unpack *u = self;
    char layer[300];
    const char *inside = strchr(member, '!');
    settle_damage(u, member);
    if (!*member)
        return err_set(err, ERR_FORMAT, "no image of 'docker save': it is no archive");
    if (strcmp(member, "manifest.json") == 0) {
        u->has_manifest = true;
        return read_text(in, &u->manifest, err);
    }
    if (!inside) {
        json_object_set_new(u->members, member, json_boolean(is_empty_tar(in)));
        layer_name(member, strlen(member), layer, sizeof layer);
        bool small = input_size(in) != INPUT_SIZE_UNKNOWN && input_size(in) < (1u << 20);
        return small ? write_member(u, "top", layer, in, err) : 0;
    }
    const char *path = inside + 1;
    path += str_starts(path, "./") ? 2 : 0;
    if (!is_safe(path) || strchr(path, '!') || !is_wanted(path))
        return 0;
    layer_name(member, (size_t)(inside - member), layer, sizeof layer);
    return write_member(u, layer, path, in, err);
}

/* ---- layers over one another ---- */

struct merge {
    const char *root;
    size_t layer_length;
};

/* "a/.wh.b" takes a/b of the layers below away, "a/.wh..wh..opq" all of a. */
static int take_away(const struct merge *m, const char *path)
{
    char full[ROOT_PATH_MAX];
    const char *base = base_of(path);
    const char *name = strcmp(base, OPAQUE) == 0 ? "" : base + strlen(WHITEOUT);
    if (snprintf(full, sizeof full, "%s/%.*s%s", m->root, (int)(base - path), path, name) <
            (int)sizeof full &&
        strcmp(name, "..") != 0 && strcmp(name, ".") != 0)
        os_remove_tree(full);
    return 0;
}

static int on_whiteout(void *self, const char *full, struct err *err)
{
    const struct merge *m = self;
    (void)err;
    return str_starts(base_of(full), WHITEOUT) ? take_away(m, full + m->layer_length) : 0;
}

static int on_move(void *self, const char *full, struct err *err)
{
    const struct merge *m = self;
    char to[ROOT_PATH_MAX];
    if (str_starts(base_of(full), WHITEOUT) ||
        snprintf(to, sizeof to, "%s/%s", m->root, full + m->layer_length) >= (int)sizeof to)
        return 0;
    if (make_folders(to, err))
        return -1;
    return rename(full, to) && errno != EISDIR && errno != ENOTDIR
               ? err_errno(err, "cannot move '%s'", full)
               : 0;
}

static int put_layer(const struct saved_image *image, const char *layer, struct err *err)
{
    char folder[ROOT_PATH_MAX], root[600];
    struct stat st;
    snprintf(root, sizeof root, "%s/root", image->folder);
    snprintf(folder, sizeof folder, "%s/layers/%s", image->folder, layer);
    struct merge m = { root, strlen(folder) + 1 };
    if (stat(folder, &st))
        return 0; /* nothing of it was of interest */
    const struct os_walk_sink away = { &m, on_whiteout, NULL }, move = { &m, on_move, NULL };
    return os_walk(folder, &away, err) || os_walk(folder, &move, err) ? -1 : 0;
}

/* Variables of the configuration, as --sysroot reads them. */
static void write_variables(struct unpack *u, const char *config)
{
    const struct saved_image *image = u->image;
    char name[300], path[ROOT_PATH_MAX];
    struct str text = STR_INIT;
    struct err unused;
    err_clear(&unused);
    layer_name(config, strlen(config), name, sizeof name);
    snprintf(path, sizeof path, "%s/layers/top/%s", image->folder, name);
    json_t *doc = os_read_file(path, NOTE_MAX, &text, &unused) ? NULL : json_loads(text.p, 0, NULL);
    if (!doc)
        note_missing(u, config, "the configuration of the image is not in the file, or no JSON");
    const json_t *env = json_object_get(json_object_get(doc, "config"), "Env");
    snprintf(path, sizeof path, "%s/root/env.txt", image->folder);
    FILE *f = fopen(path, "w");
    for (size_t i = 0; f && i < json_array_size(env); i++) {
        const char *one = json_string_value(json_array_get(env, i));
        if (one && !strchr(one, '\n'))
            fprintf(f, "%s\n", one);
    }
    if (f)
        fclose(f);
    json_decref(doc);
    str_free(&text);
}

/* One that is named and is not there would leave an image that looks whole. */
static int put_named_layer(struct unpack *u, const char *path, struct err *err)
{
    char name[300];
    const json_t *member = path ? json_object_get(u->members, path) : NULL;
    if (!path)
        note_missing(u, "manifest.json", "it names a layer by something that is no name");
    else if (!member)
        note_missing(u, path, "manifest.json names this layer, and it is not in the file");
    else if (!json_is_true(member))
        note_missing(u, path, "the layer is no archive");
    if (!json_is_true(member))
        return 0;
    layer_name(path, strlen(path), name, sizeof name);
    return put_layer(u->image, name, err);
}

/* "no image of 'docker save'", and why. */
static int refuse(const struct unpack *u, const json_t *doc, struct err *err)
{
    const char *why = !u->has_manifest          ? "it has no manifest.json"
                      : !u->manifest.len        ? "its manifest.json is empty"
                      : !doc                    ? "its manifest.json is no JSON"
                      : !json_array_get(doc, 0) ? "its manifest.json names no image"
                                                : "its manifest.json names no layers";
    if (!doc && u->image->damage_count)
        return err_set(err, ERR_FORMAT, "no image of 'docker save': %s (%s)", why,
                       u->image->damage.msg);
    return err_set(err, ERR_FORMAT, "no image of 'docker save': %s", why);
}

static int put_layers(struct unpack *u, struct err *err)
{
    json_t *doc = json_loads(u->manifest.p, 0, NULL), *first = json_array_get(doc, 0);
    const json_t *layers = json_object_get(first, "Layers");
    const char *config = json_string_value(json_object_get(first, "Config"));
    int rc = json_array_size(layers) ? 0 : refuse(u, doc, err);
    if (json_array_size(layers) > LAYERS_MAX)
        note_missing(u, "manifest.json", "it names more layers than are read");
    for (size_t i = 0; !rc && i < json_array_size(layers) && i < LAYERS_MAX; i++)
        rc = put_named_layer(u, json_string_value(json_array_get(layers, i)), err);
    if (!rc && config)
        write_variables(u, config);
    json_decref(doc);
    return rc;
}

/* ---- the whole ---- */

static int make_folder(struct saved_image *image, struct err *err)
{
    char root[OS_FOLDER_SIZE + 16];
    if (os_folder_make("image", image->folder, err))
        return -1;
    snprintf(root, sizeof root, "%s/root", image->folder);
    return mkdir(root, 0700) ? err_errno(err, "cannot make the folder '%s'", root) : 0;
}

int saved_image_open(const char *path, uint64_t deadline_ns, struct saved_image *image,
                     struct err *err)
{
    struct unpack u = { .image = image, .deadline_ns = deadline_ns, .manifest = STR_INIT };
    const struct archive_sink sink = { &u, on_file, on_problem, on_other };
    *image = (struct saved_image){ .partial = false };
    int rc = make_folder(image, err);
    u.members = json_object();
    if (!rc && !u.members)
        rc = err_set(err, ERR_MEMORY, "out of memory");
    if (!rc && archive_walk(path, &sink, err)) {
        rc = image->partial ? 0 : -1;
        if (!rc)
            err_clear(err);
    }
    settle_damage(&u, NULL);
    if (!rc)
        rc = put_layers(&u, err);
    json_decref(u.members);
    str_free(&u.manifest);
    return rc;
}

void saved_image_close(struct saved_image *image)
{
    os_folder_remove(image->folder);
}
