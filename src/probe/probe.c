#include "probe/probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fatbin/images.h"

const char *probe_agreement_name(enum probe_agreement agreement)
{
    static const char *const names[] = {
        [PROBE_AGREES] = "agrees",
        [PROBE_DISAGREES] = "disagrees",
        [PROBE_RECORDED] = "recorded",
        [PROBE_UNKNOWN] = "unknown",
    };
    return names[agreement];
}

static bool expected_code(const struct arch_verdict *v, int code)
{
    for (size_t i = 0; i < v->code_count; i++)
        if (v->codes[i] == code)
            return true;
    return false;
}

static bool predicts_success(const struct arch_verdict *v)
{
    return v->verdict == VERDICT_RUNS || v->verdict == VERDICT_RUNS_BY_JIT;
}

static size_t image_with_id(const struct probe_images *images, unsigned id)
{
    for (size_t i = 0; i < images->count; i++)
        if (id && images->list[i].id == id)
            return i;
    return SIZE_MAX;
}

static void disagree(struct probe_row *row, const char *text)
{
    row->agreement = PROBE_DISAGREES;
    snprintf(row->disagreement, sizeof row->disagreement, "%s", text);
}

/* A loaded image must run, compute rightly, and be the one that was asked for. */
static void judge_run(const struct probe_images *images, const struct arch_target *target,
                      struct probe_row *row)
{
    const struct load_fact *fact = &row->fact;
    size_t expected = row->item.whole_container ? row->predicted_choice : row->item.index;
    if (fact->run_code) {
        char why[sizeof row->disagreement];
        snprintf(why, sizeof why, "loaded, but the kernel did not run: %s returned %d",
                 fact->run_call, fact->run_code);
        disagree(row, why);
    } else if (!fact->right)
        disagree(row, "the kernel ran and its results are wrong");
    else if (row->ran_image == SIZE_MAX)
        disagree(row, "the kernel that answered is none of this build's");
    else if (expected != SIZE_MAX && row->ran_image != expected)
        disagree(row, "another image ran than the rules expect");
    else if (images->list[row->ran_image].info.kind == IMAGE_PTX &&
             fact->binary_version != (int)target->cc)
        disagree(row, "PTX was compiled for another capability than the device's");
}

void probe_judge(const struct probe_images *images, const struct arch_target *target,
                 struct probe_row *row)
{
    const struct load_fact *fact = &row->fact;
    bool loaded = fact->started && !fact->crashed && fact->code == 0;
    bool uncertain = row->predicted.verdict == VERDICT_UNCERTAIN;
    row->ran_image = fact->ran ? image_with_id(images, fact->image_id) : SIZE_MAX;
    row->disagreement[0] = 0;
    row->agreement = uncertain ? PROBE_RECORDED : PROBE_AGREES;
    if (!fact->started)
        row->agreement = PROBE_UNKNOWN;
    else if (fact->crashed)
        disagree(row, "the driver ended the worker");
    else if (loaded && !predicts_success(&row->predicted) && !uncertain)
        disagree(row, "loaded, although the rules say that it cannot");
    else if (loaded)
        judge_run(images, target, row);
    else if (predicts_success(&row->predicted))
        disagree(row, "did not load, although the rules say that it does");
    else if (!expected_code(&row->predicted, fact->code))
        disagree(row, "failed with another code than the rules expect");
}

static enum arch_path path_of(const struct probe_image *image)
{
    return image->info.kind == IMAGE_PTX ? ARCH_BARE_PTX : ARCH_BARE_CUBIN;
}

/* The images of one container, with their indices. Returns how many. */
static size_t gather(const struct probe_images *images, size_t container, struct arch_image *facts,
                     size_t *index)
{
    size_t n = 0;
    for (size_t i = 0; i < images->count; i++) {
        if (images->list[i].container != container)
            continue;
        facts[n] = images->list[i].facts;
        index[n++] = i;
    }
    return n;
}

static int predict_container(const struct probe_images *images, const struct arch_target *target,
                             struct probe_row *row, struct err *err)
{
    struct arch_image *facts = calloc(images->count, sizeof *facts);
    size_t *index = calloc(images->count, sizeof *index), chosen;
    int failed = 0;
    if (!facts || !index) {
        failed = err_set(err, ERR_MEMORY, "out of memory");
        goto done;
    }
    size_t n = gather(images, row->item.index, facts, index);
    row->predicted = arch_judge_container(facts, n, target, &chosen);
    row->predicted_choice = chosen < n ? index[chosen] : SIZE_MAX;
done:
    free(facts);
    free(index);
    return failed;
}

static int predict(const struct probe_images *images, const struct arch_target *target,
                   struct probe_row *row, struct err *err)
{
    if (row->item.whole_container)
        return predict_container(images, target, row, err);
    const struct probe_image *image = &images->list[row->item.index];
    row->predicted = arch_judge(&image->facts, target, path_of(image));
    row->predicted_choice = row->item.index;
    return 0;
}

static bool has_container(const struct probe_images *images, size_t container)
{
    for (size_t i = 0; i < images->count; i++)
        if (images->list[i].container == container)
            return true;
    return false;
}

static int make_rows(const struct probe_images *images, struct probe_result_set *set,
                     struct err *err)
{
    set->rows = calloc(images->count + embedded_image_count, sizeof *set->rows);
    if (!set->rows)
        return err_set(err, ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < images->count; i++)
        set->rows[set->count++].item = (struct load_item){ .index = i };
    set->image_rows = set->count;
    for (size_t i = 0; i < embedded_image_count; i++)
        if (has_container(images, i))
            set->rows[set->count++].item =
                (struct load_item){ .whole_container = true, .index = i };
    return 0;
}

static int load_rows(struct load_plan *plan, struct probe_result_set *set, struct err *err)
{
    struct load_item *items = calloc(set->count, sizeof *items);
    struct load_fact *facts = calloc(set->count, sizeof *facts);
    int failed = -1;
    if (!items || !facts) {
        err_set(err, ERR_MEMORY, "out of memory");
        goto done;
    }
    for (size_t i = 0; i < set->count; i++)
        items[i] = set->rows[i].item;
    plan->items = items;
    plan->count = set->count;
    failed = load_run(plan, facts, err);
    for (size_t i = 0; i < set->count; i++)
        set->rows[i].fact = facts[i];
done:
    free(items);
    free(facts);
    plan->items = NULL;
    return failed;
}

int probe_device(const struct probe_images *images, const struct arch_target *target,
                 struct load_plan *plan, struct probe_result_set *set, struct err *err)
{
    *set = (struct probe_result_set){ 0 };
    if (make_rows(images, set, err))
        goto fail;
    for (size_t i = 0; i < set->count; i++)
        if (predict(images, target, &set->rows[i], err))
            goto fail;
    if (load_rows(plan, set, err))
        goto fail;
    for (size_t i = 0; i < set->count; i++)
        probe_judge(images, target, &set->rows[i]);
    return 0;
fail:
    probe_result_set_free(set);
    return -1;
}

void probe_result_set_free(struct probe_result_set *set)
{
    free(set->rows);
    *set = (struct probe_result_set){ 0 };
}
