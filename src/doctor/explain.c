#include "doctor/explain.h"

#include <stdlib.h>
#include <string.h>

#include "arch/facts.h"
#include "core/utf8.h"
#include "data/data.h"
#include "doctor/explain_code.h"
#include "doctor/explain_pattern.h"

#define NUMBER_WEIGHT 4   /* of a code without words */
#define SYMPTOM_TEXT  400 /* bytes that a description has at most */

/* What was found, by row of errors.tsv and behind them by row of codes.tsv. */
struct search {
    struct explain_match *rows;
    size_t error_count, count;
};

/* A number beside the words is the same place again, and no better one to show. */
static void note(struct search *s, struct explain_match found)
{
    struct explain_match *row =
        &s->rows[found.error >= 0 ? (size_t)found.error : s->error_count + (size_t)found.code];
    if (found.by_number && row->count && !row->by_number)
        return;
    found.count = row->count + 1;
    found.weight = row->weight > found.weight ? row->weight : found.weight;
    *row = found;
}

/* The row of errors.tsv that is about a result code; -1: none. */
static int error_of_code(const char *code)
{
    const struct table *t = data_table(DATA_ERRORS);
    int column = table_column(t, "codes");
    for (size_t row = 0; row < t->row_count; row++) {
        const char *codes = table_get(t, row, column), *p = codes;
        for (size_t n = strlen(code); (p = strstr(p, code)); p += n)
            if ((p == codes || p[-1] == ' ') && (!p[n] || p[n] == ' '))
                return (int)row;
    }
    return -1;
}

static int code_of_error(int error)
{
    const char *codes = table_field(data_table(DATA_ERRORS), (size_t)error, "codes");
    bool unused;
    return table_blank(codes) ? -1 : explain_code_row((unsigned)strtoul(codes, NULL, 10), &unused);
}

static void take_words(void *self, const struct explain_pattern *pattern, size_t start, size_t end)
{
    int code = pattern->code, error = pattern->error;
    (void)end;
    if (error < 0)
        error = error_of_code(table_field(data_table(DATA_CODES), (size_t)code, "code"));
    else
        code = code_of_error(error);
    note(self, (struct explain_match){
                   .error = error, .code = code, .weight = pattern->weight, .offset = start });
}

static void take_number(void *self, unsigned number, size_t start, size_t end)
{
    struct explain_match found = { .by_number = true, .weight = NUMBER_WEIGHT, .offset = start };
    (void)end;
    found.code = explain_code_row(number, &found.before_10_1);
    if (found.code < 0)
        return;
    found.error = error_of_code(table_field(data_table(DATA_CODES), (size_t)found.code, "code"));
    note(self, found);
}

/* What says more comes first, of two that say the same what stands later. */
static int compare(const void *a, const void *b)
{
    const struct explain_match *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return x->offset > y->offset ? -1 : x->offset < y->offset;
}

static bool is_symptom(const struct explain_match *m)
{
    return m->error >= 0 && strcmp(table_field(data_table(DATA_ERRORS), (size_t)m->error, "kind"),
                                   "symptom") == 0;
}

/* How people describe a fault says something in a sentence, and beside a message nothing. */
static size_t without_symptoms(const struct explain_text *text, struct explain_match *rows,
                               size_t count)
{
    size_t messages = 0;
    for (size_t i = 0; i < count; i++)
        if (!is_symptom(&rows[i]))
            rows[messages++] = rows[i];
    return messages || text->size > SYMPTOM_TEXT ? messages : count;
}

static void collect(struct search *s, const struct explain_text *text, struct explain *result)
{
    size_t count = 0;
    for (size_t i = 0; i < s->count; i++)
        if (s->rows[i].count)
            s->rows[count++] = s->rows[i];
    count = without_symptoms(text, s->rows, count);
    if (count)
        qsort(s->rows, count, sizeof *s->rows, compare);
    result->match_count = count < EXPLAIN_MATCHES_MAX ? count : EXPLAIN_MATCHES_MAX;
    for (size_t i = 0; i < result->match_count; i++) {
        struct str line = STR_INIT;
        result->matches[i] = s->rows[i];
        explain_text_line(text, s->rows[i].offset, EXPLAIN_LINE_MAX - 1, &line);
        str_copy(result->matches[i].line, EXPLAIN_LINE_MAX, line.p);
        str_free(&line);
    }
}

/* ---- causes ---- */

int explain_cause_row(const char *id)
{
    const struct table *t = data_table(DATA_CAUSES);
    for (size_t row = 0; row < t->row_count && row < EXPLAIN_CAUSES_MAX; row++)
        if (strcmp(table_field(t, row, "id"), id) == 0)
            return (int)row;
    return -1;
}

/* A cause counts the more, the further in front it stands and the fewer the error may have; what
 * several errors may have is likelier than what one of them has. Errors that are mostly no matter
 * of architectures often follow one that is. */
static void weigh(const char *causes, double *score)
{
    char id[8];
    double share = 1;
    for (const char *p = causes; (p = strchr(p, ' ')); p++)
        share++;
    share = (strncmp(causes, "A19", 3) == 0 ? 0.05 : 1) / share;
    for (double place = 1; *causes; place++) {
        size_t n = strcspn(causes, " ");
        str_copy(id, n + 1 < sizeof id ? n + 1 : sizeof id, causes);
        int row = explain_cause_row(id);
        if (row >= 0)
            score[row] += share / place;
        causes += n + strspn(causes + n, " ");
    }
}

static void prefer(double *score, const char *id, const char *against)
{
    int row = explain_cause_row(id), other = against ? explain_cause_row(against) : -1;
    if (row < 0 || score[row] <= 0)
        return;
    score[row] += 10;
    if (other >= 0)
        score[other] = 0;
}

/* The capabilities in the text decide between "too old", "too new" and Jetson. */
static void weigh_archs(const struct explain_archs *archs, double *score)
{
    const struct arch_facts *facts = facts_arch(archs->card);
    if (facts && facts->class == ARCH_TEGRA)
        prefer(score, "A5", NULL);
    else if (archs->card && archs->least && archs->card < archs->least)
        prefer(score, "A1", "A2");
    else if (archs->card && archs->most && archs->card > archs->most)
        prefer(score, "A2", "A1");
}

static void find_causes(struct explain *result)
{
    double score[EXPLAIN_CAUSES_MAX] = { 0 };
    for (size_t i = 0; i < result->match_count; i++) {
        const struct explain_match *m = &result->matches[i];
        const char *causes =
            m->error < 0 ? "A19" : table_field(data_table(DATA_ERRORS), (size_t)m->error, "causes");
        weigh(causes, score);
    }
    weigh_archs(&result->archs, score);
    for (;;) {
        size_t best = 0;
        for (size_t i = 1; i < EXPLAIN_CAUSES_MAX; i++)
            best = score[i] > score[best] ? i : best;
        if (score[best] <= 0)
            return;
        result->causes[result->cause_count++] = (unsigned)best;
        score[best] = 0;
    }
}

int explain_find(const char *bytes, size_t size, struct explain *result, struct err *err)
{
    struct explain_text text = { 0 };
    struct search s = { .error_count = data_table(DATA_ERRORS)->row_count };
    struct explain_patterns *patterns = explain_patterns_new();
    int rc = -1;
    *result = (struct explain){ 0 };
    s.count = s.error_count + data_table(DATA_CODES)->row_count;
    s.rows = calloc(s.count, sizeof *s.rows);
    if (!patterns || !s.rows) {
        err_set(err, ERR_MEMORY, "out of memory");
        goto out;
    }
    if (size > EXPLAIN_BYTES_MAX) {
        bytes += size - EXPLAIN_BYTES_MAX;
        size = EXPLAIN_BYTES_MAX;
    }
    if (explain_text_make(bytes, size, &text, err))
        goto out;
    explain_patterns_scan(patterns, &text, take_words, &s);
    explain_codes_scan(&text, take_number, &s);
    result->archs = explain_archs_find(&text);
    collect(&s, &text, result);
    find_causes(result);
    rc = 0;
out:
    explain_text_free(&text);
    explain_patterns_free(patterns);
    free(s.rows);
    return rc;
}
