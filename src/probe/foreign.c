#include "probe/foreign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/str.h"
#include "image/cubin.h"
#include "image/ptx.h"
#include "image/scan.h"
#include "probe/images.h"

#define IMAGES_MAX 256 /* of one container that are judged; no toolkit writes as many */

/* The container that is being read, and the names of the kernels in each of its images. */
struct finder {
    struct foreign_file *file;
    const struct arch_target *target;
    struct arch_image facts[IMAGES_MAX];
    char name[IMAGES_MAX][32];
    char **kernels[IMAGES_MAX];
    size_t kernel_count[IMAGES_MAX];
    size_t count;
    bool taken; /* the image that was met last is the last of these */
};

static void drop_kernels(struct finder *f, size_t image)
{
    for (size_t i = 0; i < f->kernel_count[image]; i++)
        free(f->kernels[image][i]);
    free(f->kernels[image]);
    f->kernels[image] = NULL;
    f->kernel_count[image] = 0;
}

static void drop_all(struct finder *f)
{
    for (size_t i = 0; i < f->count; i++)
        drop_kernels(f, i);
    f->count = 0;
}

static int on_container(void *self, const struct scan_container *c, struct err *err)
{
    struct finder *f = self;
    drop_all(f);
    if (f->file->count == FOREIGN_CONTAINERS_MAX)
        return err_set(err, ERR_LIMIT, "more than %d containers", FOREIGN_CONTAINERS_MAX);
    struct foreign_container *list =
        reallocarray(f->file->list, f->file->count + 1, sizeof *f->file->list);
    if (!list)
        return err_set(err, ERR_MEMORY, "out of memory");
    f->file->list = list;
    list[f->file->count++] =
        (struct foreign_container){ .kind = c->kind, .offset = c->offset, .size = c->size };
    return 0;
}

static int on_image(void *self, const struct scan_container *c, const struct image *image,
                    struct err *err)
{
    (void)c;
    (void)err;
    struct finder *f = self;
    /* Input of the device linker is not for the driver: a container of nothing else holds no code.
     */
    f->taken = f->count < IMAGES_MAX && !image->relocatable;
    if (!f->taken)
        return 0;
    f->facts[f->count] = probe_image_facts(image);
    image_arch_name(image, f->name[f->count], sizeof f->name[f->count]);
    f->count++;
    return 0;
}

static int add_kernel(void *self, const char *name, size_t length, struct err *err)
{
    struct finder *f = self;
    size_t image = f->count - 1, n = f->kernel_count[image];
    if (n == FOREIGN_KERNELS_MAX)
        return 0;
    char **list = reallocarray(f->kernels[image], n + 1, sizeof *list);
    char *copy = strndup(name, length);
    if (list)
        f->kernels[image] = list;
    if (!list || !copy) {
        free(copy);
        return err_set(err, ERR_MEMORY, "out of memory");
    }
    list[n] = copy;
    f->kernel_count[image] = n + 1;
    return 0;
}

/* Names are a help only: an image that does not give them is loaded all the same. */
static int on_payload(void *self, const struct image *image, const uint8_t *data, size_t size,
                      struct err *err)
{
    struct finder *f = self;
    struct err unused;
    err_clear(&unused);
    if (!f->taken)
        return 0;
    if (image->kind == IMAGE_CUBIN)
        cubin_kernels(data, size, add_kernel, f, &unused);
    else if (image->kind == IMAGE_PTX)
        ptx_kernels(data, size, add_kernel, f, &unused);
    return unused.code == ERR_MEMORY ? err_set(err, ERR_MEMORY, "out of memory") : 0;
}

static enum arch_path path_of(enum image_container_kind kind)
{
    return kind == IMAGE_BARE_CUBIN ? ARCH_BARE_CUBIN
           : kind == IMAGE_BARE_PTX ? ARCH_BARE_PTX
                                    : ARCH_CONTAINER;
}

static int on_container_end(void *self, const struct scan_container *c, struct err *err)
{
    (void)err;
    struct finder *f = self;
    struct foreign_container *to = &f->file->list[f->file->count - 1];
    size_t chosen = 0;
    to->size = c->size;
    to->image_count = f->count;
    if (c->kind == IMAGE_IN_FATBIN || !f->count)
        to->predicted = arch_judge_container(f->facts, f->count, f->target, &chosen);
    else
        to->predicted = arch_judge(&f->facts[0], f->target, path_of(c->kind));
    if (chosen < f->count) {
        str_copy(to->choice, sizeof to->choice, f->name[chosen]);
        to->kernels = f->kernels[chosen];
        to->kernel_count = f->kernel_count[chosen];
        f->kernels[chosen] = NULL;
        f->kernel_count[chosen] = 0;
    }
    drop_all(f);
    return 0;
}

static void on_problem(void *self, const struct err *problem)
{
    (void)problem;
    struct finder *f = self;
    f->file->problems++;
}

int foreign_find(struct foreign_file *file, const char *path, const struct arch_target *target,
                 struct err *err)
{
    *file = (struct foreign_file){ 0 };
    struct finder *f = calloc(1, sizeof *f);
    struct input *in = f ? input_open(path, err) : NULL;
    int failed = -1;
    if (!f)
        err_set(err, ERR_MEMORY, "out of memory");
    if (!in)
        goto done;
    f->file = file;
    f->target = target;
    const struct scan_options options = { .payloads = true };
    const struct scan_sink sink = { .self = f,
                                    .container = on_container,
                                    .image = on_image,
                                    .payload = on_payload,
                                    .container_end = on_container_end,
                                    .problem = on_problem };
    failed = scan_input(in, &options, &sink, NULL, err);
    drop_all(f);
done:
    input_close(in);
    free(f);
    if (failed)
        foreign_free(file);
    return failed;
}

void foreign_free(struct foreign_file *file)
{
    for (size_t i = 0; i < file->count; i++) {
        for (size_t k = 0; k < file->list[i].kernel_count; k++)
            free(file->list[i].kernels[k]);
        free(file->list[i].kernels);
    }
    free(file->list);
    *file = (struct foreign_file){ 0 };
}

/* ---- loading -----------------------------------------------------------------------------------
 */

static json_t *container_json(const struct foreign_container *c)
{
    json_t *kernels = json_array();
    for (size_t i = 0; i < c->kernel_count; i++)
        json_array_append_new(kernels, json_string(c->kernels[i]));
    return json_pack("{s:I, s:I, s:o}", "offset", (json_int_t)c->offset, "size",
                     (json_int_t)c->size, "kernels", kernels);
}

static json_t *document(const struct foreign_file *file, const char *path, const char *library,
                        int ordinal, size_t first)
{
    json_t *containers = json_array();
    for (size_t i = first; i < file->count; i++)
        json_array_append_new(containers, container_json(&file->list[i]));
    return json_pack("{s:s*, s:i, s:s, s:I, s:o}", "library", library, "ordinal", ordinal, "path",
                     path, "first", (json_int_t)first, "containers", containers);
}

static void take_line(const json_t *line, struct foreign_file *file, size_t *next)
{
    json_t *begin = json_object_get(line, "begin"), *end = json_object_get(line, "item");
    size_t item = (size_t)json_integer_value(begin ? begin : end);
    if ((!begin && !end) || item >= file->count)
        return;
    struct foreign_container *c = &file->list[item];
    if (begin) {
        c->started = c->crashed = true;
        *next = item + 1;
        return;
    }
    c->crashed = false;
    c->code = (int)json_integer_value(json_object_get(line, "code"));
    c->time_ms = json_number_value(json_object_get(line, "time_ms"));
    c->kernels_found = (size_t)json_integer_value(json_object_get(line, "kernels_found"));
    const char *log = json_string_value(json_object_get(line, "log"));
    str_copy(c->log, sizeof c->log, log ? log : "");
}

static int take_report(const struct worker_result *ran, struct foreign_file *file, size_t first,
                       size_t *next, struct err *err)
{
    size_t i;
    json_t *line;
    *next = first;
    json_array_foreach(ran->lines, i, line)
    {
        json_t *error = json_object_get(line, "error");
        if (error)
            return err_set(err, ERR_DRIVER, "%s",
                           json_string_value(json_object_get(error, "message")));
        take_line(line, file, next);
    }
    char how[128];
    worker_describe(ran, how, sizeof how);
    if (*next == first)
        return err_set(err, ERR_DRIVER, "worker did not come to its first container: %s %s", how,
                       ran->message);
    if (file->list[*next - 1].crashed)
        str_copy(file->list[*next - 1].note, sizeof file->list->note, how);
    return 0;
}

int foreign_load(struct foreign_file *file, const char *path, const char *library, int ordinal,
                 uint64_t timeout_ms, struct err *err)
{
    for (size_t first = 0, next; first < file->count; first = next) {
        struct worker_result ran;
        json_t *doc = document(file, path, library, ordinal, first);
        int failed = worker_call(foreign_task.name, doc, NULL, timeout_ms, &ran, err);
        json_decref(doc);
        failed = failed || take_report(&ran, file, first, &next, err);
        worker_result_free(&ran);
        if (failed)
            return -1;
    }
    return 0;
}
