#include "cli/inspect.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/grid.h"
#include "cli/out.h"
#include "image/archive.h"
#include "image/check.h"

/* The stub that nvcc adds to a program holds cubins of 1 to 1.5 KiB without a kernel. Only images
 * of this size are looked into when nobody asked for the kernels. */
#define STUB_BYTES_MAX 2048

#define PROBLEMS_SHOWN 8 /* of one file; what is damaged once is often damaged throughout */

/* The JSON list of containers is kept in memory until the document is written. */
#define CONTAINERS_IN_JSON 1000000

struct str inspect_name(const struct inspect_file *file)
{
    struct str name = STR_INIT;
    str_add(&name, strcmp(file->path, "-") == 0 ? "(stdin)" : file->path);
    if (*file->member)
        str_addf(&name, "!%s", file->member);
    return name;
}

static void report(struct inspect *in, const char *path, const char *member,
                   const struct err *problem)
{
    struct inspect_file named = { .path = path, .member = member };
    struct str name = inspect_name(&named);
    cmd_problem(in->run, name.p, problem);
    str_free(&name);
}

static void on_problem(void *self, const struct err *problem)
{
    struct inspect *in = self;
    if (in->file->problems++ < PROBLEMS_SHOWN)
        report(in, in->file->path, in->file->member, problem);
}

static void report_hidden_problems(struct inspect *in)
{
    const struct inspect_file *file = in->file;
    if (file->problems > PROBLEMS_SHOWN) {
        struct err err;
        err_clear(&err);
        err_set(&err, ERR_FORMAT, "%" PRIu64 " more problems are not shown",
                file->problems - PROBLEMS_SHOWN);
        report(in, file->path, file->member, &err);
    }
    if (file->tally.overflowed) {
        struct err err;
        err_clear(&err);
        err_set(&err, ERR_LIMIT,
                "more different images than fit the count; some are counted as unknown");
        report(in, file->path, file->member, &err);
    }
}

static int on_image(void *self, const struct scan_container *c, const struct image *image,
                    struct err *err)
{
    struct inspect *in = self;
    (void)c;
    in->file->open_images++;
    return tally_image(&in->file->tally, image, err);
}

static bool wants_kernels(const struct inspect *in)
{
    return in->options->kernels || in->options->kernel;
}

static void verify(struct inspect *in, const struct image *image, const uint8_t *data, size_t size)
{
    struct err problem;
    err_clear(&problem);
    if (check_payload(image, data, size, &problem) == 0)
        in->file->verified++;
    else
        on_problem(in, &problem);
}

static int on_payload(void *self, const struct image *image, const uint8_t *data, size_t size,
                      struct err *err)
{
    struct inspect *in = self;
    struct err problem;
    err_clear(&problem);
    if (in->options->verify)
        verify(in, image, data, size);
    if (!wants_kernels(in) && image->payload_size > STUB_BYTES_MAX)
        return 0;
    if (kernels_add_image(&in->file->kernels, image, data, size, &problem) == 0)
        return 0;
    if (problem.code == ERR_MEMORY) {
        *err = problem;
        return -1;
    }
    if (problem.offset != ERR_NO_OFFSET)
        problem.offset = image->payload_offset; /* it counted in the unpacked bytes */
    on_problem(in, &problem);
    return 0;
}

static int show_container(struct inspect *in, const struct scan_container *c, size_t group,
                          struct err *err)
{
    struct inspect_file *file = in->file;
    if (!in->options->containers && !in->options->kernels)
        return 0;
    if (!in->run->doc) {
        inspect_text_container(in, file, c, &file->tally.groups[group]);
        return 0;
    }
    if (c->index >= CONTAINERS_IN_JSON)
        return err_set(err, ERR_LIMIT, "more than %d containers", CONTAINERS_IN_JSON);
    return inspect_json_container(in, file, c, &file->tally.groups[group], err);
}

static void report_cut(struct inspect *in, const struct scan_container *c)
{
    struct err problem;
    err_clear(&problem);
    err_set(&problem, ERR_LIMIT, "more than %d kernels, or %zu MiB of names; the rest is left out",
            KERNELS_MAX, KERNELS_BYTES_MAX >> 20);
    problem.offset = c->offset;
    on_problem(in, &problem);
}

static int on_container_end(void *self, const struct scan_container *c, struct err *err)
{
    struct inspect *in = self;
    struct inspect_file *file = in->file;
    if (file->kernels.cut)
        report_cut(in, c);
    const char *pattern = in->options->kernel;
    bool empty = file->kernels.image_count == file->open_images && !file->kernels.count;
    size_t group;
    int rc = 0;
    if (pattern && !kernels_match(&file->kernels, pattern)) {
        tally_drop(&file->tally);
    } else {
        in->matched = true;
        rc = tally_container(&file->tally, c, empty, &group, err);
        if (!rc)
            rc = show_container(in, c, group, err);
    }
    kernels_clear(&file->kernels);
    file->open_images = 0;
    return rc;
}

static void on_progress(void *self, uint64_t done, uint64_t total)
{
    const struct inspect *in = self;
    out_progress(*in->file->member ? in->file->member : in->file->path, done, total);
}

static void add_to_sum(struct inspect_sum *sum, const struct inspect *in,
                       const struct inspect_verdict *verdicts)
{
    const struct tally *t = &in->file->tally;
    sum->files++;
    if (!t->container_count)
        return;
    sum->gpu_files++;
    sum->containers += t->container_count;
    sum->images += t->image_count;
    sum->bytes += t->bytes;
    for (size_t i = 0; i < in->targets.count; i++) {
        const struct inspect_verdict *v = &verdicts[i];
        if (v->verdict == VERDICT_NO_GPU_CODE)
            continue;
        if (!v->sum.without)
            sum->on[i].whole++;
        else if (v->sum.usable)
            sum->on[i].partly++;
        else if (v->verdict == VERDICT_UNCERTAIN)
            sum->on[i].uncertain++;
        else
            sum->on[i].none++;
    }
}

static int conclude(struct inspect *in, struct err *err)
{
    size_t count = in->targets.count;
    struct inspect_verdict *verdicts = calloc(count + 1, sizeof *verdicts);
    if (!verdicts)
        return err_set(err, ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < count; i++) {
        inspect_judge(&in->file->tally, &in->targets.list[i], &verdicts[i]);
        in->unfit |= inspect_is_unfit(&verdicts[i]);
    }
    add_to_sum(in->package, in, verdicts);
    report_hidden_problems(in);
    if (in->run->doc)
        inspect_json_file(in, in->file, verdicts);
    else
        inspect_text_file(in, in->file, verdicts);
    free(verdicts);
    return 0;
}

static int on_file(void *self, const char *member, struct input *input, struct err *err)
{
    struct inspect *in = self;
    struct inspect_file file = { .path = in->file->path, .member = member };
    struct inspect_file *outer = in->file;
    bool all = wants_kernels(in) || in->options->verify;
    const struct scan_options options = { .payloads = true,
                                          .stored_max = all ? 0 : STUB_BYTES_MAX };
    const struct scan_sink sink = {
        .self = in,
        .image = on_image,
        .payload = on_payload,
        .container_end = on_container_end,
        .problem = on_problem,
        .progress = on_progress,
    };
    in->file = &file;
    in->is_archive |= *member != 0;
    int rc = scan_input(input, &options, &sink, &file.kind, err);
    tally_drop(&file.tally);
    /* Where reading broke off, what was found before is still worth telling. */
    if (conclude(in, err))
        rc = -1;
    json_decref(file.containers);
    kernels_free(&file.kernels);
    tally_free(&file.tally);
    in->file = outer;
    return rc;
}

static void on_archive_problem(void *self, const char *member, const struct err *problem)
{
    struct inspect *in = self;
    report(in, in->file->path, member, problem);
}

int inspect_path(struct inspect *in, const char *path, struct err *err)
{
    struct inspect_file file = { .path = path, .member = "" };
    const struct archive_sink sink = { in, on_file, on_archive_problem, NULL };
    in->file = &file;
    int rc = archive_walk(path, &sink, err);
    in->file = NULL;
    return rc;
}
