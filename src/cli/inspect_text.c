#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/grid.h"
#include "cli/inspect.h"
#include "cli/out.h"
#include "cli/sentence.h"
#include "cli/text.h"
#include "core/utf8.h"

#define ROWS_AT_ONCE 256 /* of the list of containers; widths are settled by the first of them */
#define BLOCK        2
#define SENTENCES    6

static const char *number(char to[24], uint64_t value)
{
    snprintf(to, 24, "%" PRIu64, value);
    return to;
}

static void add_kind(struct str *to, enum scan_file_kind kind)
{
    char id[32];
    snprintf(id, sizeof id, "kind.%s", scan_file_kind_name(kind));
    str_add(to, text_get(id));
}

/* ", 3 images"; the text for one is another, since some languages need it. */
static void add_count(struct str *to, const char *id, uint64_t count)
{
    char value[24], one[48];
    snprintf(one, sizeof one, "%s_one", id);
    str_add(to, text_get("count.comma"));
    text_add(to, count == 1 ? one : id, TEXT_ARGS({ "count", number(value, count) }));
}

/* Blank lines around blocks, but not in front of the first and behind the last. */
static void start(struct inspect *in, bool block)
{
    out_progress(NULL, 0, 0);
    if (in->printed == INSPECT_BLOCK || (in->printed == INSPECT_LINE && block))
        out_line(OUT_PLAIN, "");
    in->printed = block ? INSPECT_BLOCK : INSPECT_LINE;
}

/* The archive's name stands once above its members. */
static void print_name(struct inspect *in, const struct inspect_file *file)
{
    struct str name = STR_INIT;
    const char *path = strcmp(file->path, "-") == 0 ? "(stdin)" : file->path;
    if (*file->member && !in->titled) {
        utf8_add_printable(&name, path);
        out_line(OUT_BOLD, name.p);
        str_clear(&name);
        in->titled = true;
    }
    utf8_add_printable(&name, *file->member ? file->member : path);
    out_text(OUT_BOLD, name.p);
    str_free(&name);
}

static bool is_bare(const struct tally *t)
{
    return t->container_count == 1 && t->group_count && t->groups[0].kind != IMAGE_IN_FATBIN;
}

/* " (1 for the device linker, 2 without kernels)" */
static void add_uses(struct str *to, const struct tally *t)
{
    const char *sep = " (";
    const struct {
        const char *id;
        uint64_t count;
    } uses[] = { { "count.linked", t->linked_count }, { "count.empty", t->empty_count } };
    for (size_t i = 0; i < 2; i++) {
        char value[24];
        if (!uses[i].count)
            continue;
        str_add(to, sep);
        text_add(to, uses[i].id, TEXT_ARGS({ "count", number(value, uses[i].count) }));
        sep = text_get("count.comma");
    }
    if (t->linked_count || t->empty_count)
        str_add(to, ")");
}

/* ": ELF, 12 containers (1 for the device linker), 36 images, 1.2 MiB" */
static void print_counts(const struct inspect_file *file)
{
    const struct tally *t = &file->tally;
    struct str text = STR_INIT;
    str_add(&text, ": ");
    add_kind(&text, file->kind);
    if (!is_bare(t)) {
        add_count(&text, "count.containers", t->container_count);
        add_uses(&text, t);
        add_count(&text, "count.images", t->image_count);
    }
    str_add(&text, text_get("count.comma"));
    out_add_size(&text, t->bytes);
    out_line(OUT_PLAIN, text.p);
    str_free(&text);
}

static void add_remark(struct str *to, const char *id, const struct text_arg *args)
{
    if (to->len)
        str_add(to, ", ");
    text_add(to, id, args);
}

static void add_remarks(struct str *to, const struct image *image)
{
    char value[24];
    if (image->kind == IMAGE_UNKNOWN && image->raw_kind) {
        snprintf(value, sizeof value, "0x%x", image->raw_kind);
        add_remark(to, "remark.kind", TEXT_ARGS({ "kind", value }));
    }
    if (image->relocatable)
        add_remark(to, "remark.relocatable", NULL);
    if (image->obfuscated)
        add_remark(to, "remark.obfuscated", NULL);
    if (image->debug)
        add_remark(to, "remark.debug", NULL);
    if (image->bits32)
        add_remark(to, "remark.bits32", NULL);
    if (image->unknown_flags) {
        snprintf(value, sizeof value, "%" PRIx64, image->unknown_flags);
        add_remark(to, "remark.unknown_flags", TEXT_ARGS({ "flags", value }));
    }
}

static void version_cell(struct grid *g, unsigned major, unsigned minor)
{
    if (major || minor)
        grid_cellf(g, "%u.%u", major, minor);
    else
        grid_cell(g, "");
}

static void row_cells(struct grid *g, const struct tally_row *row)
{
    struct str text = STR_INIT;
    char arch[24];
    image_arch_name(&row->image, arch, sizeof arch);
    grid_cell(g, arch);
    grid_cellf(g, "%" PRIu64, row->count);
    out_add_size(&text, row->bytes);
    grid_cell(g, text.p);
    version_cell(g, row->image.ptx_major, row->image.ptx_minor);
    bool packed = row->image.compression != IMAGE_PLAIN;
    grid_cell(g, packed ? image_compression_name(row->image.compression) : "");
    version_cell(g, row->image.toolkit_major, row->image.toolkit_minor);
    str_clear(&text);
    add_remarks(&text, &row->image);
    grid_cell(g, text.p);
    str_free(&text);
}

static void print_rows(const struct tally *t)
{
    static const struct grid_column columns[] = {
        { "col.arch", false },    { "col.images", true },  { "col.bytes", true },
        { "col.isa", false },     { "col.packed", false }, { "col.toolkit", false },
        { "col.remarks", false },
    };
    size_t *order = calloc(t->row_count + 1, sizeof *order);
    struct grid *g = grid_new(columns, sizeof columns / sizeof columns[0]);
    if (!order || !g)
        goto done;
    tally_order(t, order);
    for (size_t i = 0; i < t->row_count; i++)
        if (t->rows[order[i]].count)
            row_cells(g, &t->rows[order[i]]);
    grid_print(g, BLOCK);
done:
    grid_free(g);
    free(order);
}

static enum out_style style_of(const struct inspect_verdict *v)
{
    if (v->verdict == VERDICT_NO_GPU_CODE)
        return OUT_PLAIN;
    if (inspect_is_unfit(v))
        return OUT_BAD;
    return v->verdict == VERDICT_UNCERTAIN || v->sum.without ? OUT_DOUBTFUL : OUT_GOOD;
}

static void print_verdict(const struct inspect_file *file, const struct target *target,
                          const struct inspect_verdict *v)
{
    struct str label = STR_INIT, text = STR_INIT;
    struct sentence_file facts = { &file->tally, target, v };
    target_add_label(&label, target);
    out_pad(BLOCK);
    out_text(OUT_BOLD, label.p);
    out_text(OUT_PLAIN, text_get("count.colon"));
    sentence_verdict(&text, &facts);
    out_line(style_of(v), text.p);
    str_clear(&text);
    sentence_reasons(&text, &facts);
    if (text.len)
        out_wrapped(OUT_PLAIN, SENTENCES, text.p);
    str_free(&label);
    str_free(&text);
}

static void print_plain(struct inspect *in, const struct inspect_file *file)
{
    struct str kind = STR_INIT;
    add_kind(&kind, file->kind);
    start(in, false);
    print_name(in, file);
    out_text(OUT_PLAIN, ": ");
    out_sentence(OUT_PLAIN, in->options->kernel ? "inspect.no_match" : "inspect.no_gpu_code",
                 TEXT_ARGS({ "kind", kind.p }));
    out_line(OUT_PLAIN, "");
    str_free(&kind);
}

/* "sm_35 sm_50 compute_50" */
static void add_group_archs(struct str *to, const struct tally *t, const struct tally_group *group)
{
    size_t order[TALLY_ROWS_MAX];
    char arch[24];
    tally_group_order(t, group, order);
    for (size_t i = 0; i < group->row_count; i++) {
        image_arch_name(&t->rows[order[i]].image, arch, sizeof arch);
        str_addf(to, "%s%s", i ? " " : "", arch);
    }
}

/* What becomes of a container on the card, if there is one card. */
static const char *status(const struct inspect *in, const struct tally *t,
                          const struct tally_group *group)
{
    char id[48];
    if (group->use == TALLY_LINKED)
        return text_get("status.linked");
    if (group->use == TALLY_EMPTY)
        return text_get("status.empty");
    if (in->targets.count != 1)
        return "";
    struct arch_verdict v = inspect_judge_group(t, group, &in->targets.list[0]);
    snprintf(id, sizeof id, "status.%s", verdict_name(v.verdict));
    return text_get(id);
}

/* Containers that look alike: they hold the same archs and share a fate. */
struct alike {
    struct str holds;
    const char *status;
    uint64_t count, bytes;
};

static struct alike *find_alike(struct alike *list, size_t count, const char *holds,
                                const char *status)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].status == status && strcmp(list[i].holds.p, holds) == 0)
            return &list[i];
    return NULL;
}

static size_t collect_alike(const struct inspect *in, const struct tally *t, struct alike *list)
{
    size_t count = 0;
    for (size_t i = 0; i < t->group_count; i++) {
        const struct tally_group *group = &t->groups[i];
        struct str holds = STR_INIT;
        add_group_archs(&holds, t, group);
        struct alike *a = find_alike(list, count, holds.p, status(in, t, group));
        if (a) {
            str_free(&holds);
        } else {
            a = &list[count++];
            *a = (struct alike){ .holds = holds, .status = status(in, t, group) };
        }
        a->count += group->count;
        a->bytes += group->bytes;
    }
    return count;
}

static int larger_first(const void *a, const void *b)
{
    const struct alike *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return strcmp(x->holds.p, y->holds.p);
}

/* Which images stand together in containers: what a driver chooses from. */
static void print_groups(const struct inspect *in, const struct tally *t)
{
    static const struct grid_column columns[] = {
        { "col.containers", true }, { "col.bytes", true }, { "col.holds", false }, { NULL, false }
    };
    struct alike *list = calloc(t->group_count + 1, sizeof *list);
    struct grid *g = grid_new(columns, sizeof columns / sizeof columns[0]);
    size_t count = list && g ? collect_alike(in, t, list) : 0;
    if (count)
        qsort(list, count, sizeof *list, larger_first);
    for (size_t i = 0; i < count; i++) {
        struct str size = STR_INIT;
        grid_cellf(g, "%" PRIu64, list[i].count);
        out_add_size(&size, list[i].bytes);
        grid_cell(g, size.p);
        grid_cell(g, list[i].holds.p);
        grid_cell(g, list[i].status);
        str_free(&size);
        str_free(&list[i].holds);
    }
    if (g)
        grid_print(g, BLOCK);
    grid_free(g);
    free(list);
}

static void print_verified(const struct inspect_file *file)
{
    char verified[24], images[24];
    struct str text = STR_INIT;
    snprintf(verified, sizeof verified, "%" PRIu64, file->verified);
    snprintf(images, sizeof images, "%" PRIu64, file->tally.image_count);
    str_addf(&text, "%*s", BLOCK, "");
    text_add(&text, "inspect.verified", TEXT_ARGS({ "verified", verified }, { "images", images }));
    out_line(OUT_PLAIN, text.p);
    str_free(&text);
}

void inspect_text_file(struct inspect *in, const struct inspect_file *file,
                       const struct inspect_verdict *verdicts)
{
    bool listed = in->rows != NULL;
    if (listed)
        grid_print(in->rows, BLOCK);
    grid_free(in->rows);
    in->rows = NULL;
    if (!file->tally.container_count) {
        if (in->shows_plain && !*file->member)
            print_plain(in, file);
        return;
    }
    if (!listed)
        start(in, true);
    print_name(in, file);
    print_counts(file);
    print_rows(&file->tally);
    if (in->options->verify)
        print_verified(file);
    if (in->run->globals->verbose && file->tally.container_count > 1)
        print_groups(in, &file->tally);
    for (size_t i = 0; i < in->targets.count; i++)
        print_verdict(file, &in->targets.list[i], &verdicts[i]);
}

static void print_kernels(const struct inspect *in, const struct kernels *k)
{
    static const struct grid_column columns[] = { { NULL, false }, { NULL, false } };
    struct grid *g = grid_new(columns, 2);
    struct str text = STR_INIT;
    if (!g)
        return;
    for (size_t i = 0; i < k->count; i++) {
        const char *pattern = in->options->kernel;
        if (pattern && !kernels_name_matches(k->list[i].name, pattern))
            continue;
        str_clear(&text);
        kernels_add_archs(&text, k, i);
        grid_cell(g, text.p);
        str_clear(&text);
        utf8_add_printable(&text, k->list[i].name);
        grid_cell(g, text.p);
    }
    grid_print(g, SENTENCES);
    str_free(&text);
    grid_free(g);
}

static struct grid *container_grid(void)
{
    static const struct grid_column columns[] = {
        { "col.container", true }, { "col.offset", true }, { "col.size", true },
        { "col.holds", false },    { NULL, false },
    };
    return grid_new(columns, sizeof columns / sizeof columns[0]);
}

void inspect_text_container(struct inspect *in, const struct inspect_file *file,
                            const struct scan_container *c, const struct tally_group *group)
{
    struct str text = STR_INIT;
    if (!in->rows) {
        in->rows = container_grid();
        if (!in->rows)
            return;
        start(in, true);
        print_name(in, file);
        out_line(OUT_PLAIN, "");
    }
    grid_cellf(in->rows, "%" PRIu64, c->index);
    grid_cellf(in->rows, "0x%" PRIx64, c->offset);
    out_add_size(&text, c->size);
    grid_cell(in->rows, text.p);
    str_clear(&text);
    add_group_archs(&text, &file->tally, group);
    grid_cell(in->rows, text.p);
    grid_cell(in->rows, status(in, &file->tally, group));
    if (in->options->kernels || grid_rows(in->rows) >= ROWS_AT_ONCE)
        grid_print(in->rows, BLOCK);
    if (in->options->kernels)
        print_kernels(in, &file->kernels);
    str_free(&text);
}

/* "GeForce 920M (3.5): runs: 2, does not run: 1": files by how they fare, where there are any. */
static void print_sum_verdict(const struct target *target, const struct inspect_sum *sum, size_t i)
{
    const struct {
        const char *id;
        uint64_t count;
    } parts[] = {
        { "package.whole", sum->on[i].whole },
        { "package.partly", sum->on[i].partly },
        { "package.none", sum->on[i].none },
        { "package.uncertain", sum->on[i].uncertain },
    };
    struct str text = STR_INIT;
    target_add_label(&text, target);
    out_pad(BLOCK);
    out_text(OUT_BOLD, text.p);
    str_clear(&text);
    for (size_t p = 0; p < sizeof parts / sizeof parts[0]; p++) {
        char count[24];
        if (!parts[p].count)
            continue;
        if (text.len)
            str_add(&text, text_get("count.comma"));
        else
            str_addf(&text, "%s%s", text_get("count.colon"), text_get("package.unit"));
        text_add(&text, parts[p].id, TEXT_ARGS({ "count", number(count, parts[p].count) }));
    }
    out_line(sum->on[i].none ? OUT_BAD : OUT_PLAIN, text.p);
    str_free(&text);
}

void inspect_text_sum(struct inspect *in, const char *name, const struct inspect_sum *sum)
{
    struct str text = STR_INIT;
    char gpu_files[24];
    utf8_add_printable(&text, name);
    start(in, true);
    out_text(OUT_BOLD, text.p);
    str_clear(&text);
    str_add(&text, ": ");
    text_add(&text, sum->files == 1 ? "count.files_one" : "count.files",
             TEXT_ARGS({ "count", number(gpu_files, sum->files) }));
    str_add(&text, text_get("count.comma"));
    text_add(&text, sum->gpu_files ? "count.gpu_files" : "count.gpu_files_none",
             TEXT_ARGS({ "count", number(gpu_files, sum->gpu_files) }));
    if (sum->gpu_files) {
        add_count(&text, "count.containers", sum->containers);
        add_count(&text, "count.images", sum->images);
        str_add(&text, text_get("count.comma"));
        out_add_size(&text, sum->bytes);
    }
    out_line(OUT_PLAIN, text.p);
    if (sum->gpu_files)
        for (size_t i = 0; i < in->targets.count; i++)
            print_sum_verdict(&in->targets.list[i], sum, i);
    str_free(&text);
}
