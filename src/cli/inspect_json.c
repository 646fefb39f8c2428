#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/inspect.h"
#include "cli/sentence.h"
#include "core/json.h"

static void put_version(json_t *object, const char *key, unsigned major, unsigned minor)
{
    char text[24];
    snprintf(text, sizeof text, "%u.%u", major, minor);
    json_put_text(object, key, major || minor ? text : NULL);
}

static json_t *arch_value(const struct image *image)
{
    char arch[24];
    image_arch_name(image, arch, sizeof arch);
    return json_text(arch);
}

static json_t *row_value(const struct tally_row *row)
{
    const struct image *image = &row->image;
    char flags[24];
    json_t *o = json_object();
    json_put_text(o, "kind", image_kind_name(image->kind));
    if (image->kind == IMAGE_UNKNOWN)
        json_put_number(o, "raw_kind", image->raw_kind);
    json_put(o, "arch", arch_value(image));
    json_put_number(o, "count", row->count);
    json_put_number(o, "bytes", row->bytes);
    json_put_number(o, "unpacked_bytes", row->unpacked_bytes);
    json_put_text(o, "compression", image_compression_name(image->compression));
    put_version(o, "ptx_isa", image->ptx_major, image->ptx_minor);
    put_version(o, "toolkit", image->toolkit_major, image->toolkit_minor);
    json_put_bool(o, "relocatable", image->relocatable);
    json_put_bool(o, "obfuscated", image->obfuscated);
    json_put_bool(o, "debug", image->debug);
    json_put_number(o, "address_bits", image->bits32 ? 32 : 64);
    snprintf(flags, sizeof flags, "0x%" PRIx64, image->unknown_flags);
    json_put_text(o, "unknown_flags", image->unknown_flags ? flags : NULL);
    return o;
}

static json_t *rows_value(const struct tally *t)
{
    json_t *list = json_array();
    size_t *order = calloc(t->row_count + 1, sizeof *order);
    if (!order) {
        json_decref(list);
        return NULL;
    }
    tally_order(t, order);
    for (size_t i = 0; i < t->row_count; i++)
        if (t->rows[order[i]].count)
            json_array_append_new(list, row_value(&t->rows[order[i]]));
    free(order);
    return list;
}

static json_t *group_archs(const struct tally *t, const struct tally_group *g)
{
    size_t order[TALLY_ROWS_MAX];
    json_t *archs = json_array();
    tally_group_order(t, g, order);
    for (size_t i = 0; i < g->row_count; i++)
        json_array_append_new(archs, arch_value(&t->rows[order[i]].image));
    return archs;
}

static const char *use_name(enum tally_use use)
{
    static const char *const names[] = {
        [TALLY_LOADED] = "loaded", [TALLY_LINKED] = "linked", [TALLY_EMPTY] = "no_kernels"
    };
    return names[use];
}

/* Containers that hold the same set of images, so that the driver treats them alike. */
static json_t *groups_value(const struct tally *t)
{
    json_t *list = json_array();
    for (size_t i = 0; i < t->group_count; i++) {
        json_t *o = json_object();
        json_put(o, "archs", group_archs(t, &t->groups[i]));
        json_put_text(o, "use", use_name(t->groups[i].use));
        json_put_number(o, "count", t->groups[i].count);
        json_put_number(o, "bytes", t->groups[i].bytes);
        json_array_append_new(list, o);
    }
    return list;
}

static const char *container_kind(enum image_container_kind kind)
{
    static const char *const names[] = {
        [IMAGE_IN_FATBIN] = "fatbin", [IMAGE_BARE_CUBIN] = "cubin", [IMAGE_BARE_PTX] = "ptx"
    };
    return names[kind];
}

static json_t *kernels_value(const struct inspect *in, const struct kernels *k)
{
    json_t *list = json_array();
    struct str archs = STR_INIT;
    for (size_t i = 0; i < k->count; i++) {
        const char *pattern = in->options->kernel;
        if (pattern && !kernels_name_matches(k->list[i].name, pattern))
            continue;
        json_t *o = json_object();
        json_t *names = json_array();
        json_put_text(o, "name", k->list[i].name);
        for (size_t a = 0; a < k->arch_count; a++)
            if (k->list[i].archs >> a & 1)
                json_array_append_new(names, json_text(k->archs[a]));
        json_put(o, "archs", names);
        json_array_append_new(list, o);
    }
    str_free(&archs);
    return list;
}

int inspect_json_container(struct inspect *in, struct inspect_file *file,
                           const struct scan_container *c, const struct tally_group *group,
                           struct err *err)
{
    json_t *o = json_object();
    if (!file->containers)
        file->containers = json_array();
    if (!file->containers || !o)
        return err_set(err, ERR_MEMORY, "out of memory");
    json_put_number(o, "index", c->index);
    json_put_number(o, "offset", c->offset);
    json_put_number(o, "bytes", c->size);
    json_put_text(o, "kind", container_kind(c->kind));
    json_put_text(o, "use", use_name(group->use));
    json_put_text(o, "place", scan_place_name(c->place));
    json_put_filled(o, "section", c->section);
    json_put(o, "archs", group_archs(&file->tally, group));
    if (in->targets.count) {
        json_t *verdicts = json_array();
        for (size_t i = 0; i < in->targets.count; i++) {
            struct arch_verdict v = inspect_judge_group(&file->tally, group, &in->targets.list[i]);
            json_array_append_new(verdicts, json_text(verdict_name(v.verdict)));
        }
        json_put(o, "verdicts", verdicts);
    }
    if (in->options->kernels)
        json_put(o, "kernels", kernels_value(in, &file->kernels));
    json_array_append_new(file->containers, o);
    return 0;
}

static json_t *codes_value(const struct arch_verdict *v)
{
    json_t *list = json_array();
    for (size_t i = 0; i < v->code_count; i++)
        json_array_append_new(list, json_integer(v->codes[i]));
    return list;
}

/* What the containers with one verdict have in common; the rule is that of the first of them. */
static json_t *part_value(enum verdict verdict, const struct arch_verdict *first, size_t containers)
{
    char driver[VERSION_TEXT_MAX];
    json_t *o = json_object();
    json_put_text(o, "verdict", verdict_name(verdict));
    json_put_number(o, "container_count", containers);
    json_put_text(o, "rule", first->rule);
    json_put_text(o, "rule_text_id", first->text);
    json_put_text(o, "confidence", first->confidence);
    json_put(o, "codes", codes_value(first));
    if (version_known(first->least_driver))
        json_put_text(o, "least_driver", version_text(first->least_driver, driver));
    else
        json_put(o, "least_driver", json_null());
    return o;
}

static json_t *verdict_value(const struct inspect_file *file, const struct target *target,
                             size_t index, const struct inspect_verdict *v)
{
    const struct sentence_file facts = { &file->tally, target, v };
    struct str text = STR_INIT;
    json_t *o = json_object(), *parts = json_array();
    json_put_text(o, "path", file->path);
    json_put_filled(o, "member", file->member);
    json_put_number(o, "target", index);
    json_put_text(o, "verdict", verdict_name(v->verdict));
    json_put_number(o, "usable_container_count", v->sum.usable);
    json_put_number(o, "other_container_count", v->sum.without);
    json_put_text(o, "text_id", sentence_verdict_id(&facts));
    sentence_verdict(&text, &facts);
    json_put_text(o, "text", text.p);
    str_clear(&text);
    sentence_reasons(&text, &facts);
    json_put_filled(o, "reason", text.p);
    for (size_t i = 0; i < VERDICT_COUNT; i++)
        if (v->sum.counts[i])
            json_array_append_new(parts,
                                  part_value((enum verdict)i, &v->first[i], v->sum.counts[i]));
    json_put(o, "parts", parts);
    str_free(&text);
    return o;
}

void inspect_json_file(struct inspect *in, const struct inspect_file *file,
                       const struct inspect_verdict *verdicts)
{
    const struct tally *t = &file->tally;
    if (!t->container_count && !(in->shows_plain && !*file->member))
        return;
    json_t *o = json_object();
    json_put_text(o, "path", file->path);
    json_put_filled(o, "member", file->member);
    json_put_text(o, "kind", scan_file_kind_name(file->kind));
    json_put_number(o, "container_count", t->container_count);
    json_put_number(o, "image_count", t->image_count);
    json_put_number(o, "bytes", t->bytes);
    json_put(o, "images", rows_value(t));
    json_put(o, "container_groups", groups_value(t));
    if (in->options->verify)
        json_put_number(o, "verified_count", file->verified);
    if (in->options->containers || in->options->kernels)
        json_put(o, "containers", file->containers ? json_incref(file->containers) : json_array());
    json_array_append_new(in->files, o);
    for (size_t i = 0; i < in->targets.count; i++)
        json_array_append_new(in->verdicts,
                              verdict_value(file, &in->targets.list[i], i, &verdicts[i]));
}

json_t *inspect_json_sum(const struct inspect *in, const char *path, const struct inspect_sum *sum)
{
    json_t *o = json_object();
    if (path)
        json_put_text(o, "path", path);
    json_put_number(o, "file_count", sum->files);
    json_put_number(o, "gpu_file_count", sum->gpu_files);
    json_put_number(o, "container_count", sum->containers);
    json_put_number(o, "image_count", sum->images);
    json_put_number(o, "bytes", sum->bytes);
    json_t *on = json_array();
    for (size_t i = 0; i < in->targets.count; i++) {
        json_t *files = json_object();
        json_put_number(files, "target", i);
        json_put_number(files, "whole", sum->on[i].whole);
        json_put_number(files, "partly", sum->on[i].partly);
        json_put_number(files, "none", sum->on[i].none);
        json_put_number(files, "uncertain", sum->on[i].uncertain);
        json_array_append_new(on, files);
    }
    json_put(o, "files_by_verdict", on);
    return o;
}
