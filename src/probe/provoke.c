#include "probe/provoke.h"

#include <string.h>

#include "core/utf8.h"

static const struct provoke *const tables[] = { provoke_image_cases, provoke_ptx_cases,
                                                provoke_run_cases };

static const struct provoke *find(const char *name)
{
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        for (const struct provoke *p = tables[i]; p->name; p++)
            if (name && strcmp(p->name, name) == 0)
                return p;
    return NULL;
}

bool provoke_knows(const char *name)
{
    return find(name) != NULL;
}

static unsigned number(const json_t *input, const char *key)
{
    return (unsigned)json_integer_value(json_object_get(input, key));
}

static void read_target(struct stage *s, const json_t *input)
{
    s->target = (struct arch_target){
        .cc = s->device ? s->device->cc : number(input, "cc"),
        .os = number(input, "windows") ? ARCH_WINDOWS : ARCH_LINUX,
        .notebook = number(input, "notebook") != 0,
        .driver = { number(input, "major"), number(input, "minor"), number(input, "patch") },
    };
    s->wanted_cc = number(input, "cc");
    const struct branch_facts *branch = facts_branch(s->target.driver, s->target.os);
    s->isa = branch ? branch->isa : 0;
}

/* A device is needed, and there is none: the call that says so is the error. */
static int no_device(struct stage *s, struct err *err)
{
    if (s->state == DRIVER_NO_DEVICE)
        return driver_check(err, GPU_NO_DEVICE, "cuInit");
    if (s->state != DRIVER_READY) {
        *err = s->why;
        return -1;
    }
    return err_set(err, ERR_DRIVER, "no such device");
}

static int open_device(struct stage *s, const json_t *input, struct err *err)
{
    size_t ordinal = number(input, "ordinal");
    if (s->state == DRIVER_READY && device_list(&s->driver, s->devices, &s->device_count, err))
        return -1;
    if (ordinal < s->device_count)
        s->device = &s->devices[ordinal];
    return 0;
}

static int play(struct stage *s, const struct provoke *p, bool cure, struct err *err)
{
    if (p->without_device && !cure)
        return p->fault(s, err);
    if (!s->device)
        return no_device(s, err);
    if (device_enter(&s->driver, s->device, err))
        return -1;
    int failed = cure ? p->cure(s, err) : p->fault(s, err);
    device_leave(&s->driver, s->device);
    return failed;
}

static int run(const json_t *input, FILE *report, struct err *err)
{
    struct stage s = { .report = report };
    const struct provoke *p = find(json_string_value(json_object_get(input, "case")));
    const char *phase = json_string_value(json_object_get(input, "phase"));
    if (!p || !phase)
        return err_set(err, ERR_FORMAT, "no such case to provoke");
    s.save = json_string_value(json_object_get(input, "save"));
    s.allow_timeout = json_is_true(json_object_get(input, "allow_timeout"));
    if (probe_images_find(&s.images, "probe", err))
        return -1;
    err_clear(&s.why);
    s.state = driver_open(&s.driver, json_string_value(json_object_get(input, "library")), &s.why);
    int failed = open_device(&s, input, err);
    if (!failed) {
        read_target(&s, input);
        failed = play(&s, p, strcmp(phase, "cure") == 0, err);
    }
    driver_close(&s.driver);
    probe_images_free(&s.images);
    return failed;
}

const struct worker_task provoke_task = { "repro", run };
