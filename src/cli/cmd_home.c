#include <stdio.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/grid.h"
#include "cli/home_torch.h"
#include "cli/out.h"
#include "cli/sentence.h"
#include "cli/target.h"
#include "cli/text.h"
#include "core/json.h"
#include "core/utf8.h"
#include "data/data.h"

#define EXAMPLE "920m"
#define GAP     3
#define LABEL   14

/* ---- what is known about one card ---- */

/* The cubins that the card takes, by asking the rules about every capability. */
static void add_cubins(struct str *to, const struct target *target)
{
    const struct table *t = data_table(DATA_ARCHS);
    struct arch_target rule = target->rule;
    rule.driver = (struct driver_version){ 0 };
    for (size_t row = 0; row < t->row_count; row++) {
        long number;
        const char *sm = table_field(t, row, "sm");
        if (!str_starts(sm, "sm_") || !str_number(sm + 3, 10, 999, &number))
            continue;
        const struct arch_image image = { .kind = ARCH_CUBIN, .arch = (unsigned)number };
        if (arch_judge(&image, &rule, ARCH_CONTAINER).verdict == VERDICT_RUNS)
            str_addf(to, "%s%s", to->len ? " " : "", sm);
    }
}

/* False when no program sees the card, whatever it holds. */
static bool is_seen(const struct target *target, struct arch_verdict *verdict)
{
    const struct arch_image image = { .kind = ARCH_CUBIN, .arch = target->rule.cc };
    *verdict = arch_judge(&image, &target->rule, ARCH_CONTAINER);
    return verdict->verdict != VERDICT_DRIVER_DROPPED_CARD;
}

static bool has_cuda(const struct target *target)
{
    return facts_arch(target->rule.cc) != NULL;
}

static double memory_gib(const struct target *target)
{
    const struct table *t = data_table(DATA_CARDS);
    double mib;
    if (!target->is_card || target->card.card_row < 0 ||
        !table_number(t, (size_t)target->card.card_row, table_column(t, "memory_mib"), &mib))
        return 0;
    return mib / 1024;
}

static const char *fact_id(const struct target *target, char id[32])
{
    snprintf(id, 32, "fact.%s", target->pci_id);
    return *target->pci_id && text_exists(id) ? id : NULL;
}

/* ---- text ---- */

static void gap(struct str *to)
{
    str_addf(to, "%*s", GAP, "");
}

static void add_driver(struct str *to, const struct target *target)
{
    char version[VERSION_TEXT_MAX], cuda[16];
    unsigned level = target_cuda(target);
    struct driver_version driver = target_driver(target);
    if (target->how == TARGET_PCI && !version_known(target->rule.driver)) {
        text_add(to, *target->kernel_driver ? "home.driver_bound" : "home.driver_missing",
                 TEXT_ARGS({ "driver", target->kernel_driver }));
        return;
    }
    if (!version_known(driver)) {
        str_add(to, text_get("home.driver_any"));
        return;
    }
    snprintf(cuda, sizeof cuda, "%u.%u", level / 100, level % 100);
    text_add(to, level ? "home.driver_cuda" : "home.driver",
             TEXT_ARGS({ "driver", version_text(driver, version) }, { "cuda", cuda }));
}

/* "GeForce 920M (10de:1299, GK208BM)   compute capability 3.5   2 GB   driver 470.256.02
 * (CUDA 11.4)" */
static void print_head(const struct target *target)
{
    struct str text = STR_INIT, cc = STR_INIT;
    char gib[24];
    double memory = memory_gib(target);
    utf8_add_printable(&text, target->name);
    out_text(OUT_BOLD, text.p);
    str_clear(&text);
    if (target->is_card)
        str_addf(&text, " (%s%s%s)", target->pci_id, *target->pci_id ? ", " : "",
                 target->card.chip);
    gap(&text);
    target_add_cc(&cc, target->rule.cc);
    text_add(&text, "home.cc", TEXT_ARGS({ "cc", cc.p }));
    if (memory > 0) {
        gap(&text);
        snprintf(gib, sizeof gib, "%g", memory);
        text_add(&text, "home.memory", TEXT_ARGS({ "gib", gib }));
    }
    gap(&text);
    add_driver(&text, target);
    out_line(OUT_PLAIN, text.p);
    str_free(&text);
    str_free(&cc);
}

/* Newest CUDA whose cubins load: from 11 on the driver takes those of its whole major version. */
static void cubin_toolkit(const struct target *target, char to[16])
{
    unsigned level = target_cuda(target);
    if (level >= 1100)
        snprintf(to, 16, "%u.x", level / 100);
    else
        snprintf(to, 16, "%u.%u", level / 100, level % 100);
}

static void add_runs(struct str *to, const struct target *target)
{
    struct str cubins = STR_INIT;
    char arch[16], isa[16], cuda[16];
    unsigned level = target_ptx_isa(target);
    add_cubins(&cubins, target);
    snprintf(arch, sizeof arch, "%u", target->rule.cc);
    snprintf(isa, sizeof isa, "%u.%u", level / 100, level % 100);
    cubin_toolkit(target, cuda);
    text_add(to, level ? "home.runs_value" : "home.runs_plain",
             TEXT_ARGS({ "cubins", cubins.p }, { "arch", arch }, { "isa", isa }, { "cuda", cuda }));
    str_free(&cubins);
}

/* All labels of the screen take the same columns. */
static void label_cell(struct grid *g, const char *title_id)
{
    const char *title = title_id ? text_get(title_id) : "";
    size_t width = utf8_width(title);
    grid_cellf(g, "%s%*s", title, width < LABEL ? (int)(LABEL - width) : 0, "");
}

static void add_line(struct grid *g, const char *title_id, const char *text, const char *more)
{
    label_cell(g, title_id);
    grid_cell(g, text);
    grid_cell(g, more);
}

static void add_last(struct grid *g, const struct target *target)
{
    char version[VERSION_TEXT_MAX];
    struct str text = STR_INIT;
    struct driver_span span = target_span(target);
    if (version_known(span.last))
        text_add(&text, target->rule.os == ARCH_WINDOWS ? "home.last_windows" : "home.last_linux",
                 TEXT_ARGS({ "driver", version_text(span.last, version) }));
    else
        str_add(&text, text_get("home.last_none"));
    label_cell(g, "home.last");
    grid_cell(g, text.p);
    str_free(&text);
}

/* `torch`: what is known of PyTorch on GPU `gpu`; NULL: nobody looked. */
static void print_facts(const struct target *target, bool seen, const struct arch_verdict *verdict,
                        const struct doctor_view *torch, size_t gpu)
{
    static const struct grid_column columns[] = { { NULL, false }, { NULL, false } };
    struct grid *g = grid_new(columns, 2);
    struct str text = STR_INIT;
    char version[VERSION_TEXT_MAX];
    if (!g)
        return;
    if (!seen) {
        struct str error = STR_INIT;
        sentence_error(&error, verdict);
        text_add(&text, "home.dropped",
                 TEXT_ARGS({ "driver", version_text(target->rule.driver, version) },
                           { "error", error.p }));
        str_free(&error);
    } else if (has_cuda(target)) {
        if (target->how == TARGET_PCI && !version_known(target->rule.driver) &&
            version_known(target_driver(target)))
            text_add(&text, "home.with_driver",
                     TEXT_ARGS({ "driver", version_text(target_driver(target), version) }));
        add_runs(&text, target);
    } else {
        str_add(&text, text_get(target->is_card ? "home.no_cuda" : "home.unknown"));
    }
    label_cell(g, "home.runs");
    grid_cell(g, text.p);
    if (has_cuda(target))
        add_last(g, target);
    if (torch)
        home_torch_add(g, torch, gpu, label_cell);
    grid_print(g, 0);
    grid_free(g);
    str_free(&text);
}

static void print_card(const struct target *target, const struct doctor_view *torch, size_t gpu)
{
    struct arch_verdict verdict;
    char id[32];
    bool seen = is_seen(target, &verdict);
    print_head(target);
    if (fact_id(target, id)) {
        out_pad(2);
        out_line(OUT_DOUBTFUL, text_get(id));
    }
    print_facts(target, seen, &verdict, torch, gpu);
}

/* `words` are those behind --assume; NULL for a card in the machine. */
static void print_next(const char *words)
{
    static const struct grid_column columns[] = { { NULL, false },
                                                  { NULL, false },
                                                  { NULL, false } };
    struct grid *g = grid_new(columns, 3);
    struct str line = STR_INIT, assume = STR_INIT;
    if (!g)
        return;
    bool quote = words && words[strcspn(words, " ()&;'\"$")] != 0;
    if (words)
        str_addf(&assume, "--assume %s%s%s ", quote ? "'" : "", words, quote ? "'" : "");
    str_addf(&line, "smfit inspect %sFILE|DIR...", assume.p);
    add_line(g, "home.next", line.p, text_get("home.next_inspect"));
    str_clear(&line);
    str_addf(&line, "smfit stack %s", assume.p);
    add_line(g, NULL, line.p, text_get("home.next_stack"));
    if (!words) {
        add_line(g, NULL, "smfit doctor", text_get("home.next_doctor"));
        add_line(g, NULL, "smfit probe", text_get("home.next_probe"));
    }
    add_line(g, NULL, "smfit cards [NAME]", text_get("home.next_cards"));
    add_line(g, NULL, "smfit archs", text_get("home.next_archs"));
    grid_print(g, 0);
    grid_free(g);
    str_free(&assume);
    str_free(&line);
}

static int print_example(struct err *err)
{
    struct target_list example;
    if (target_assume(&example, EXAMPLE, err))
        return -1;
    out_line(OUT_BOLD, text_get("home.none"));
    out_line(OUT_PLAIN, text_get("home.example"));
    out_line(OUT_PLAIN, "");
    print_card(&example.list[0], NULL, 0);
    print_next(EXAMPLE);
    target_free(&example);
    return 0;
}

static int print(const struct cmd_run *run, const struct target_list *targets,
                 const struct doctor_view *torch, struct err *err)
{
    const struct opts_list *assume = &run->globals->assume;
    if (!targets->count)
        return print_example(err);
    for (size_t i = 0; i < targets->count; i++) {
        if (i)
            out_line(OUT_PLAIN, "");
        print_card(&targets->list[i], torch, i);
    }
    print_next(assume->count ? assume->items[0] : NULL);
    return 0;
}

/* ---- JSON ---- */

static json_t *split(const char *words)
{
    json_t *list = json_array();
    while (*words) {
        size_t n = strcspn(words, " ");
        json_array_append_new(list, json_stringn(words, n));
        words += n + strspn(words + n, " ");
    }
    return list;
}

static void put_level(json_t *o, const char *key, unsigned level)
{
    char text[24];
    snprintf(text, sizeof text, "%u.%u", level / 100, level % 100);
    if (level)
        json_put_text(o, key, text);
    else
        json_put_unknown(o, key, "not in the tables");
}

static json_t *card_value(const struct target *target)
{
    struct arch_verdict verdict;
    struct str cubins = STR_INIT;
    char id[32], ptx[24];
    json_t *o = target_json(target);
    bool seen = is_seen(target, &verdict);
    json_put_bool(o, "driver_knows_card", seen);
    add_cubins(&cubins, target);
    json_put(o, "cubins", split(cubins.p));
    snprintf(ptx, sizeof ptx, "compute_%u", target->rule.cc);
    json_put_text(o, "ptx_target", has_cuda(target) ? ptx : NULL);
    put_level(o, "ptx_isa", target_ptx_isa(target));
    put_level(o, "cuda", target_cuda(target));
    json_put_text(o, "fact_id", fact_id(target, id));
    str_free(&cubins);
    return o;
}

static void fill(json_t *doc, const struct target_list *targets, const struct doctor_view *torch)
{
    json_t *cards = json_array();
    for (size_t i = 0; i < targets->count; i++) {
        json_t *card = card_value(&targets->list[i]);
        json_put(card, "pytorch", torch ? home_torch_json(torch, i) : json_null());
        json_array_append_new(cards, card);
    }
    target_put_json(doc, targets);
    json_put(doc, "cards", cards);
}

static int run(struct cmd_run *run, struct err *err)
{
    struct target_list targets;
    struct arch_verdict verdict;
    struct doctor_view view = { .error_text = STR_INIT };
    int status = CMD_DONE;
    if (target_find(run->globals, &targets, err))
        return -1;
    /* Packages are looked at for cards of the machine: they are installed there. */
    bool look = targets.count && !run->globals->assume.count;
    if (look && home_torch_open(&view, run->globals, err))
        status = -1;
    target_note(&targets);
    for (size_t i = 0; i < targets.count && !status; i++)
        if (!is_seen(&targets.list[i], &verdict) || (look && home_torch_unfit(&view)))
            status = CMD_NOT_FIT;
    if (status >= 0 && run->doc)
        fill(run->doc, &targets, look ? &view : NULL);
    else if (status >= 0 && print(run, &targets, look ? &view : NULL, err))
        status = -1;
    if (look)
        doctor_view_free(&view);
    target_free(&targets);
    return status;
}

const struct cmd cmd_home = {
    .name = "",
    .operands = "",
    .summary_id = "cmd.home",
    .uses = CMD_USES_CARD | CMD_USES_SYSROOT,
    .basis = "documented",
    .examples = { { "", "example.home" }, { "--assume 920m", "example.home_assume" } },
    .statuses = {
        { CMD_DONE, "exit.home" },
        { CMD_FAILED, "exit.home_failed" },
        { CMD_NOT_FIT, "exit.home_unfit" },
    },
    .run = run,
};
