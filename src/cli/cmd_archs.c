#include "cli/cmd.h"

#include <stdio.h>
#include <string.h>

#include "cli/field.h"
#include "cli/grid.h"
#include "cli/out.h"
#include "cli/text.h"
#include "core/json.h"
#include "data/data.h"

static const struct field fields[] = {
    { "cc", NULL, FIELD_TEXT },
    { "sm", "arch", FIELD_TEXT },
    { "family", NULL, FIELD_TEXT },
    { "class", NULL, FIELD_TEXT },
    { "first_toolkit", NULL, FIELD_TEXT },
    { "last_toolkit", NULL, FIELD_TEXT },
    { "min_ptx_isa", NULL, FIELD_TEXT },
    { "f_family", NULL, FIELD_TEXT },
    { "first_driver_linux", NULL, FIELD_TEXT },
    { "last_driver_linux", NULL, FIELD_TEXT },
    { "first_driver_windows", NULL, FIELD_TEXT },
    { "last_driver_windows", NULL, FIELD_TEXT },
    { "last_driver_windows_notebook", NULL, FIELD_TEXT },
    { "max_cuda", NULL, FIELD_TEXT },
    { "fp16", NULL, FIELD_TEXT },
    { "fp16_ratio", NULL, FIELD_TEXT },
    { "fp64_ratio", NULL, FIELD_TEXT },
    { "dp4a", NULL, FIELD_BOOL },
    { "tensor", NULL, FIELD_BOOL },
    { "bf16", NULL, FIELD_BOOL },
    { "fp8", NULL, FIELD_BOOL },
    { "threads_block", "threads_per_block", FIELD_NUMBER },
    { "warps_sm", "warps_per_sm", FIELD_NUMBER },
    { "blocks_sm", "blocks_per_sm", FIELD_NUMBER },
    { "regs_sm", "registers_per_sm", FIELD_NUMBER },
    { "regs_block", "registers_per_block", FIELD_NUMBER },
    { "regs_thread", "registers_per_thread", FIELD_NUMBER },
    { "shared_sm_kib", NULL, FIELD_NUMBER },
    { "shared_block_kib", NULL, FIELD_NUMBER },
    { "shared_optin_kib", NULL, FIELD_NUMBER },
    { "cores_sm", "cores_per_sm", FIELD_NUMBER },
    { "source", NULL, FIELD_TEXT },
    { "confidence", NULL, FIELD_TEXT },
    { "note", NULL, FIELD_TEXT },
    { .column = NULL },
};

/* A column of the output and what of the table it shows; `to` makes it a span. */
struct shown {
    struct grid_column grid;
    const char *from, *to;
};

static const struct shown short_form[] = {
    { { "col.arch", false }, "sm", NULL },
    { { "col.cc", false }, "cc", NULL },
    { { "col.family", false }, "family", NULL },
    { { "col.toolkits", false }, "first_toolkit", "last_toolkit" },
    { { "col.drivers_linux", false }, "first_driver_linux", "last_driver_linux" },
    { { "col.drivers_windows", false }, "first_driver_windows", "last_driver_windows" },
    { { "col.notebooks_to", false }, "last_driver_windows_notebook", NULL },
    { { "col.fp16", false }, "fp16", NULL },
    { { "col.dp4a", false }, "dp4a", NULL },
    { { "col.tensor", false }, "tensor", NULL },
    { { "col.bf16", false }, "bf16", NULL },
    { { "col.fp8", false }, "fp8", NULL },
};

static const struct shown limits[] = {
    { { "col.arch", false }, "sm", NULL },
    { { "col.class", false }, "class", NULL },
    { { "col.min_ptx", true }, "min_ptx_isa", NULL },
    { { "col.max_cuda", true }, "max_cuda", NULL },
    { { "col.fp16_ratio", true }, "fp16_ratio", NULL },
    { { "col.fp64_ratio", true }, "fp64_ratio", NULL },
    { { "col.cores_sm", true }, "cores_sm", NULL },
    { { "col.warps_sm", true }, "warps_sm", NULL },
    { { "col.regs_sm", true }, "regs_sm", NULL },
    { { "col.shared_sm", true }, "shared_sm_kib", NULL },
    { { "col.shared_block", true }, "shared_optin_kib", NULL },
    { { "col.confidence", false }, "confidence", NULL },
};

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

static void cell(struct grid *g, const struct table *t, size_t row, const struct shown *shown)
{
    const char *from = table_field(t, row, shown->from);
    const char *to = shown->to ? table_field(t, row, shown->to) : NULL;
    if (!to)
        from = text_word(from);
    if (!to || (table_blank(from) && table_blank(to)))
        grid_cell(g, from);
    else if (strcmp(to, "current") == 0) {
        struct str s = STR_INIT;
        text_add(&s, "span.from", TEXT_ARGS({ "from", from }));
        grid_cell(g, s.p);
        str_free(&s);
    } else
        grid_cellf(g, "%s - %s", from, to);
}

static int print(const struct shown *columns, size_t count, struct err *err)
{
    const struct table *t = data_table(DATA_ARCHS);
    struct grid_column grid_columns[COUNT(limits)];
    for (size_t i = 0; i < count; i++)
        grid_columns[i] = columns[i].grid;
    struct grid *g = grid_new(grid_columns, count);
    if (!g)
        return err_set(err, ERR_MEMORY, "out of memory");
    for (size_t row = 0; row < t->row_count; row++)
        for (size_t i = 0; i < count; i++)
            cell(g, t, row, &columns[i]);
    grid_print(g, 0);
    grid_free(g);
    return 0;
}

static void fill(json_t *doc)
{
    const struct table *t = data_table(DATA_ARCHS);
    json_t *archs = json_array();
    for (size_t row = 0; row < t->row_count; row++) {
        json_t *arch = json_object();
        field_put_row(arch, t, row, fields);
        json_array_append_new(archs, arch);
    }
    json_put(doc, "archs", archs);
}

static int run(struct cmd_run *run, struct err *err)
{
    if (run->doc) {
        fill(run->doc);
        return CMD_DONE;
    }
    if (print(short_form, COUNT(short_form), err))
        return -1;
    if (run->globals->verbose) {
        out_line(OUT_PLAIN, "");
        if (print(limits, COUNT(limits), err))
            return -1;
    }
    out_line(OUT_PLAIN, "");
    out_wrapped(OUT_PLAIN, 0, text_get("archs.note"));
    return CMD_DONE;
}

const struct cmd cmd_archs = {
    .name = "archs",
    .operands = "",
    .summary_id = "cmd.archs",
    .about_id = "about.archs",
    .basis = "documented",
    .examples = { { "archs", "example.archs" }, { "archs --json", "example.archs_json" } },
    .statuses = { { CMD_DONE, "exit.shown" } },
    .run = run,
};
