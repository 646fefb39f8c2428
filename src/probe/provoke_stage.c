/* What all provocations share: loading with a report, and the cure. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/utf8.h"
#include "probe/provoke.h"

static const char *const roles[] = {
    [STAGE_FAULT] = "fault", [STAGE_CHECK] = "check", [STAGE_CURE] = "cure"
};

static void write_line(FILE *report, json_t *line)
{
    json_dumpf(line, report, JSON_COMPACT);
    fputc('\n', report);
    fflush(report);
    json_decref(line);
}

void stage_report(struct stage *s, enum stage_role role, const struct stage_step *step)
{
    static const struct kernel_outcome none = { .call = "" };
    const struct kernel_outcome *o = step->outcome ? step->outcome : &none;
    struct str log = STR_INIT;
    utf8_add_valid(&log, step->log ? step->log : "");
    write_line(s->report,
               json_pack("{s:s, s:s, s:s, s:i, s:s, s:s, s:b, s:b, s:i}", "role", roles[role],
                         "path", step->path, "call", step->call, "code", step->code, "image",
                         step->image ? step->image : "", "log", log.p, "ran", o->ran, "right",
                         o->right, "image_id", (int)o->first.image_id));
    str_free(&log);
}

void stage_unable(struct stage *s, const char *reason, const char *virtual_card)
{
    write_line(s->report, json_pack("{s:s, s:s}", "unable", reason, "virtual", virtual_card));
}

/* A module that loads is run; the step then tells of the first call that failed. */
void stage_load(struct stage *s, enum stage_role role, const char *path, const char *image,
                const void *data)
{
    struct module_load load;
    struct kernel_outcome outcome = { .call = "" };
    module_load(&s->driver, data, &load);
    struct stage_step step = { .path = path,
                               .call = "cuModuleLoadDataEx",
                               .code = load.code,
                               .image = image,
                               .log = load.log,
                               .outcome = &outcome };
    if (load.module) {
        kernel_run(&s->driver, &load, &outcome);
        if (outcome.code) {
            step.call = outcome.call;
            step.code = outcome.code;
        }
    }
    stage_report(s, role, &step);
    module_unload(&s->driver, &load);
}

int stage_keep(struct stage *s, const void *data, size_t size, struct err *err)
{
    if (!s->save)
        return 0;
    FILE *f = fopen(s->save, "wb");
    if (!f)
        return err_errno(err, "cannot write '%s'", s->save);
    bool failed = fwrite(data, 1, size, f) != size;
    failed = fclose(f) || failed;
    return failed ? err_errno(err, "cannot write '%s'", s->save) : 0;
}

int stage_load_container(struct stage *s, const char *path, const char *image, void *data,
                         size_t size, struct err *err)
{
    if (!data)
        return -1;
    int failed = stage_keep(s, data, size, err);
    if (!failed)
        stage_load(s, STAGE_FAULT, path, image, data);
    free(data);
    return failed;
}

bool stage_is_for_another(const struct stage *s, const struct probe_image *image)
{
    struct arch_verdict v = arch_judge(&image->facts, &s->target, ARCH_CONTAINER);
    return image->info.kind == IMAGE_CUBIN && v.verdict == VERDICT_NO_IMAGE && v.code_count == 1 &&
           v.codes[0] == GPU_NO_BINARY;
}

/* How good an image is for the device: 0 not at all, then uncertain, JIT, and SASS by its number.
 */
static unsigned rank(const struct stage *s, const struct probe_image *image,
                     enum stage_preference preference)
{
    bool ptx = image->info.kind == IMAGE_PTX;
    struct arch_verdict v =
        arch_judge(&image->facts, &s->target, ptx ? ARCH_BARE_PTX : ARCH_BARE_CUBIN);
    if (preference == STAGE_PTX && !ptx)
        return 0;
    switch (v.verdict) {
    case VERDICT_RUNS:
        return 100 + image->facts.arch;
    case VERDICT_RUNS_BY_JIT:
        return 2;
    case VERDICT_UNCERTAIN:
        return 1;
    default:
        return 0;
    }
}

size_t stage_right_image(const struct stage *s, enum stage_preference preference)
{
    size_t best = SIZE_MAX;
    unsigned best_rank = 0;
    for (size_t i = 0; i < s->images.count; i++) {
        unsigned r = rank(s, &s->images.list[i], preference);
        if (r > best_rank) {
            best_rank = r;
            best = i;
        }
    }
    return best;
}

const struct probe_image *stage_ptx(const struct stage *s)
{
    size_t i = stage_right_image(s, STAGE_PTX);
    return i == SIZE_MAX ? NULL : &s->images.list[i];
}

static int cure(struct stage *s, enum stage_preference preference, struct err *err)
{
    size_t i = stage_right_image(s, preference);
    if (i == SIZE_MAX)
        return err_set(err, ERR_MISSING, "this build holds no image for the device");
    char name[32];
    image_arch_name(&s->images.list[i].info, name, sizeof name);
    stage_load(s, STAGE_CURE, "cure", name, s->images.list[i].data);
    return 0;
}

int stage_cure(struct stage *s, struct err *err)
{
    return cure(s, STAGE_NATIVE, err);
}

int stage_cure_ptx(struct stage *s, struct err *err)
{
    return cure(s, STAGE_PTX, err);
}
