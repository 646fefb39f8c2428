#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/doctor_view.h"
#include "cli/out.h"
#include "cli/text.h"
#include "core/json.h"
#include "core/os.h"
#include "core/utf8.h"
#include "data/data.h"
#include "doctor/explain.h"

#define SHOWN_MAX   3 /* errors that are told without -v */
#define CAUSES_MAX  5 /* and causes */
#define WORDS_MAX   4096
#define CAUSE_LABEL 4 /* columns of "A13 " */

/* ---- the text ---- */

/* Words, a file or standard input. `source` names it in the document. */
static int take_text(const struct cmd_run *run, struct str *text, const char **source, bool *cut,
                     struct err *err)
{
    const char *first = run->operands[0];
    *cut = false;
    *source = "words";
    if (run->operand_count == 1 && strcmp(first, "-") == 0) {
        *source = "-";
        return explain_read("-", text, cut, err);
    }
    if (run->operand_count == 1 && first[0] == '@' && first[1]) {
        *source = first + 1;
        return explain_read(first + 1, text, cut, err);
    }
    for (size_t i = 0; i < run->operand_count; i++)
        str_addf(text, "%s%s", i ? " " : "", run->operands[i]);
    return text->failed ? err_set(err, ERR_MEMORY, "out of memory") : 0;
}

static const char *column(const struct explain_match *m, const char *name)
{
    return m->error < 0 ? "" : table_field(data_table(DATA_ERRORS), (size_t)m->error, name);
}

static const char *code_column(const struct explain_match *m, const char *name)
{
    return m->code < 0 ? "" : table_field(data_table(DATA_CODES), (size_t)m->code, name);
}

static const char *cause_column(unsigned row, const char *name)
{
    return table_field(data_table(DATA_CAUSES), row, name);
}

/* "explain." and the name of the row's sentence. */
static const char *meaning(const struct explain_match *m, char id[64])
{
    snprintf(id, 64, "explain.%s", m->error < 0 ? "other_code" : column(m, "text"));
    return id;
}

static const char *sign(unsigned cause, char id[64])
{
    snprintf(id, 64, "sign.%s", cause_column(cause, "name"));
    return id;
}

/* Calls `each` with every word of "a b c" that is not "-". */
static void for_words(const char *words, void (*each)(void *self, const char *word), void *self)
{
    char word[64];
    while (*words) {
        size_t n = strcspn(words, " ");
        str_copy(word, n + 1 < sizeof word ? n + 1 : sizeof word, words);
        if (strcmp(word, "-") != 0)
            each(self, word);
        words += n + strspn(words + n, " ");
    }
}

/* ---- for people ---- */

/* "error 209 (no kernel image is available for execution on the device), 48 before CUDA 10.1" */
static void add_code(struct str *to, const struct explain_match *m)
{
    const char *text = code_column(m, "text"), *old = code_column(m, "runtime_before_10_1");
    if (table_blank(text))
        text = code_column(m, "name");
    text_add(to, "error.code", TEXT_ARGS({ "code", code_column(m, "code") }, { "text", text }));
    if (!table_blank(old) && strcmp(old, code_column(m, "code")) != 0)
        text_add(to, "explain.before", TEXT_ARGS({ "old", old }));
}

static void print_head(const struct explain_match *m)
{
    struct str head = STR_INIT;
    char kind[64];
    snprintf(kind, sizeof kind, "explain.kind.%s", m->error < 0 ? "cuda" : column(m, "kind"));
    if (m->code >= 0)
        add_code(&head, m);
    out_text(OUT_BOLD, m->code >= 0 ? head.p : text_get(kind));
    if (m->code >= 0) {
        out_text(OUT_PLAIN, "   ");
        out_text(OUT_DIM, text_get(kind));
    }
    out_line(OUT_PLAIN, "");
    str_free(&head);
}

static void print_line(const struct explain_match *m)
{
    struct str line = STR_INIT;
    char count[24];
    str_add(&line, "> ");
    utf8_add_printable(&line, m->line);
    if (m->count > 1) {
        snprintf(count, sizeof count, "%zu", m->count);
        str_add(&line, "   (");
        text_add(&line, "explain.times", TEXT_ARGS({ "count", count }));
        str_add(&line, ")");
    }
    out_pad(2);
    out_line(OUT_DIM, line.p);
    str_free(&line);
}

static void print_match(const struct explain_match *m, bool verbose)
{
    struct str text = STR_INIT;
    char id[64];
    print_head(m);
    print_line(m);
    if (m->before_10_1) {
        text_add(&text, "explain.numbered_old", TEXT_ARGS({ "code", code_column(m, "code") }));
        out_wrapped(OUT_PLAIN, 2, text.p);
        str_clear(&text);
    }
    out_wrapped(OUT_PLAIN, 2, text_get(meaning(m, id)));
    if (verbose && m->error >= 0) {
        text_add(&text, "explain.source",
                 TEXT_ARGS({ "source", column(m, "source") },
                           { "confidence", text_word(column(m, "confidence")) }));
        out_wrapped(OUT_DIM, 2, text.p);
    }
    str_free(&text);
}

static void print_archs(const struct explain_archs *archs)
{
    struct str text = STR_INIT;
    char numbers[3][16];
    const unsigned values[] = { archs->card, archs->least, archs->most };
    if (!archs->card || !archs->least)
        return;
    for (size_t i = 0; i < 3; i++)
        snprintf(numbers[i], sizeof numbers[i], "%u.%u", values[i] / 10, values[i] % 10);
    text_add(&text, archs->most ? "explain.archs" : "explain.archs_least",
             TEXT_ARGS({ "card", numbers[0] }, { "least", numbers[1] }, { "most", numbers[2] }));
    out_wrapped(OUT_PLAIN, 2, text.p);
    str_free(&text);
}

static void print_more(const char *id, size_t indent, size_t number)
{
    struct str more = STR_INIT;
    char count[24];
    snprintf(count, sizeof count, "%zu", number);
    text_add(&more, id, TEXT_ARGS({ "count", count }));
    out_wrapped(OUT_DIM, indent, more.p);
    str_free(&more);
}

static void print_causes(const struct explain *e, bool verbose)
{
    char label[24], id[64];
    size_t shown = verbose || e->cause_count <= CAUSES_MAX + 1 ? e->cause_count : CAUSES_MAX;
    out_line(OUT_PLAIN, "");
    out_line(OUT_BOLD, text_get("explain.causes"));
    for (size_t i = 0; i < shown; i++) {
        unsigned cause = e->causes[i];
        snprintf(label, sizeof label, "%-*s", CAUSE_LABEL, cause_column(cause, "id"));
        out_pad(2);
        out_text(OUT_BOLD, label);
        out_hanging(OUT_PLAIN, 2 + CAUSE_LABEL, 2 + strlen(label),
                    text_get(cause_column(cause, "text")));
        out_wrapped(OUT_DIM, 2 + CAUSE_LABEL, text_get(sign(cause, id)));
    }
    if (shown < e->cause_count)
        print_more("explain.more_causes", 2, e->cause_count - shown);
}

struct told {
    char words[WORDS_MAX];
    bool title;
};

static void tell(void *self, const char *word)
{
    struct told *told = self;
    char id[80], marked[80];
    snprintf(id, sizeof id, "tell.%s", word);
    snprintf(marked, sizeof marked, " %s ", word);
    if (strstr(told->words, marked) || strlen(told->words) + strlen(marked) >= sizeof told->words)
        return;
    strcat(told->words, marked);
    if (!told->title) {
        out_line(OUT_PLAIN, "");
        out_line(OUT_BOLD, text_get("explain.apart"));
        told->title = true;
    }
    out_wrapped(OUT_PLAIN, 2, text_get(id));
}

static void print_next(const char *source)
{
    struct str text = STR_INIT, name = STR_INIT;
    bool words = strcmp(source, "words") == 0, input = strcmp(source, "-") == 0;
    out_line(OUT_PLAIN, "");
    out_pad(2);
    str_addf(&name, "%s%s", words || input ? "" : "@", words ? "TEXT" : source);
    struct str shown = STR_INIT;
    utf8_add_printable(&shown, name.p);
    text_add(&text, "explain.next", TEXT_ARGS({ "text", shown.p }));
    out_line(OUT_BOLD, text.p);
    out_wrapped(OUT_PLAIN, 4, text_get("explain.next_what"));
    str_free(&text);
    str_free(&name);
    str_free(&shown);
}

static void print(const struct explain *e, const char *source, bool verbose)
{
    struct told *told = calloc(1, sizeof *told);
    size_t shown = verbose || e->match_count < SHOWN_MAX ? e->match_count : SHOWN_MAX;
    for (size_t i = 0; i < shown; i++) {
        if (i)
            out_line(OUT_PLAIN, "");
        print_match(&e->matches[i], verbose);
    }
    print_archs(&e->archs);
    if (shown < e->match_count)
        print_more("explain.more", 0, e->match_count - shown);
    print_causes(e, verbose);
    for (size_t i = 0; told && i < shown; i++)
        for_words(column(&e->matches[i], "tell"), tell, told);
    print_next(source);
    free(told);
}

static void print_unknown(const struct cmd_run *run)
{
    const char *first = run->operands[0];
    out_line(OUT_PLAIN, text_get("explain.nothing"));
    out_wrapped(OUT_PLAIN, 0, text_get("explain.nothing_next"));
    if (run->operand_count == 1 && *first != '@' && os_file_kind(first) == OS_FILE_REGULAR) {
        struct str note = STR_INIT, name = STR_INIT;
        utf8_add_printable(&name, first);
        text_add(&note, "explain.is_file", TEXT_ARGS({ "path", name.p }));
        out_note("%s", note.p);
        str_free(&note);
        str_free(&name);
    }
}

/* ---- JSON ---- */

static void append_tell(void *self, const char *word)
{
    char id[80];
    snprintf(id, sizeof id, "tell.%s", word);
    json_array_append_new(self, json_text(id));
}

static void append_word(void *self, const char *word)
{
    json_array_append_new(self, json_text(word));
}

static json_t *code_value(const struct explain_match *m)
{
    const char *old = code_column(m, "runtime_before_10_1"), *text = code_column(m, "text");
    json_t *o = json_object();
    json_put_number(o, "code", strtoul(code_column(m, "code"), NULL, 10));
    json_put_text(o, "name", code_column(m, "name"));
    json_put_text(o, "text", table_blank(text) ? NULL : text);
    if (table_blank(old))
        json_put_unknown(o, "before_10_1", "not known to have had another number");
    else
        json_put_number(o, "before_10_1", strtoul(old, NULL, 10));
    return o;
}

static json_t *match_value(const struct explain_match *m)
{
    char id[64];
    json_t *o = json_object(), *causes = json_array(), *tells = json_array();
    json_put_text(o, "id", m->error < 0 ? "other_code" : column(m, "id"));
    json_put_text(o, "kind", m->error < 0 ? "cuda" : column(m, "kind"));
    if (m->code >= 0)
        json_put(o, "result", code_value(m));
    else
        json_put_unknown(o, "result", "no result code of CUDA");
    json_put_text(o, "found_by", m->by_number ? "number" : "words");
    json_put_bool(o, "old_number", m->before_10_1);
    json_put_number(o, "count", m->count);
    json_put_text(o, "line", m->line);
    json_put_text(o, "text_id", meaning(m, id));
    for_words(m->error < 0 ? "A19" : column(m, "causes"), append_word, causes);
    for_words(column(m, "tell"), append_tell, tells);
    json_put(o, "causes", causes);
    json_put(o, "tell_ids", tells);
    json_put_text(o, "source", m->error < 0 ? code_column(m, "source") : column(m, "source"));
    json_put_text(o, "confidence",
                  m->error < 0 ? code_column(m, "confidence") : column(m, "confidence"));
    return o;
}

static json_t *cause_value(unsigned cause)
{
    char id[64];
    json_t *o = json_object();
    json_put_text(o, "code", cause_column(cause, "id"));
    json_put_text(o, "name", cause_column(cause, "name"));
    json_put_text(o, "text_id", cause_column(cause, "text"));
    json_put_text(o, "sign_id", sign(cause, id));
    return o;
}

static void put_cc(json_t *o, const char *key, unsigned cc)
{
    char text[16];
    snprintf(text, sizeof text, "%u.%u", cc / 10, cc % 10);
    if (cc)
        json_put_text(o, key, text);
    else
        json_put_unknown(o, key, "the text does not say");
}

static void fill(json_t *doc, const struct explain *e, const char *source, size_t size, bool cut)
{
    json_t *input = json_object(), *matches = json_array(), *causes = json_array(),
           *archs = json_object();
    json_put_text(input, "source", source);
    json_put_number(input, "read_bytes", size);
    json_put_bool(input, "cut", cut);
    for (size_t i = 0; i < e->match_count; i++)
        json_array_append_new(matches, match_value(&e->matches[i]));
    for (size_t i = 0; i < e->cause_count; i++)
        json_array_append_new(causes, cause_value(e->causes[i]));
    put_cc(archs, "card", e->archs.card);
    put_cc(archs, "least", e->archs.least);
    put_cc(archs, "most", e->archs.most);
    json_put(doc, "input", input);
    json_put_bool(doc, "known", e->match_count > 0);
    json_put(doc, "matches", matches);
    json_put(doc, "named_ccs", archs);
    json_put(doc, "causes", causes);
}

/* ---- the command ---- */

static int run(struct cmd_run *run, struct err *err)
{
    struct str text = STR_INIT;
    struct explain *e = calloc(1, sizeof *e);
    const char *source;
    bool cut;
    int status = -1;
    if (!e) {
        err_set(err, ERR_MEMORY, "out of memory");
        goto out;
    }
    if (take_text(run, &text, &source, &cut, err) || explain_find(text.p, text.len, e, err))
        goto out;
    if (cut)
        doctor_view_note_cut();
    if (run->doc)
        fill(run->doc, e, source, text.len, cut);
    else if (e->match_count)
        print(e, source, run->globals->verbose);
    else
        print_unknown(run);
    status = e->match_count ? CMD_DONE : CMD_NOT_FIT;
out:
    str_free(&text);
    free(e);
    return status;
}

const struct cmd cmd_explain = {
    .name = "explain",
    .operands = "TEXT|@FILE|-",
    .summary_id = "cmd.explain",
    .about_id = "about.explain",
    .operands_least = 1,
    .operands_most = WORDS_MAX,
    .basis = "documented",
    .examples = { { "explain 'CUDA error: no kernel image is available for execution on the "
                    "device'",
                    "example.explain" },
                  { "explain @train.log", "example.explain_file" } },
    .statuses = { { CMD_DONE, "exit.explain_known" },
                  { CMD_FAILED, "exit.explain_unread" },
                  { CMD_NOT_FIT, "exit.explain_unknown" } },
    .run = run,
};
