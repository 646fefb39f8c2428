#include "cli/size_shapes.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "core/os.h"
#include "core/str.h"

#define FILE_MOST    (16u << 20)
#define COLUMNS_MOST 256
#define ROWS_MOST    100000u
#define SIZE_MOST    (1 << 28)
#define CONV_SIZES   11

static const char *const gemm_columns[] = { "m", "n", "k" };
static const char *const conv_columns[CONV_SIZES] = { "width",    "height",       "in_channels",
                                                      "batch",    "out_channels", "filter_w",
                                                      "filter_h", "pad_w",        "pad_h",
                                                      "stride_w", "stride_h" };
/* Which of them may be 0. */
static bool may_be_zero(size_t index)
{
    return index == 7 || index == 8;
}

/* ---- numbers and words ---- */

/* Decimal digits alone, from `least` on. */
static bool read_size(const char *text, size_t length, int least, int *value)
{
    long long n = 0;
    if (length == 0 || length > 9)
        return false;
    for (size_t i = 0; i < length; i++) {
        if (!isdigit((unsigned char)text[i]))
            return false;
        n = 10 * n + (text[i] - '0');
    }
    *value = (int)n;
    return n >= least && n <= SIZE_MOST;
}

/* Numbers between commas, at most `max`; *rest is what is behind the comma after the last one.
 * Returns how many, or -1 with the place of the first that is none in *rest. */
static int read_sizes(const char *text, int *values, int max, bool conv, const char **rest)
{
    int count = 0;
    *rest = text;
    while (count < max) {
        size_t length = strcspn(text, ",=");
        int least = conv && may_be_zero((size_t)count) ? 0 : 1;
        if (!read_size(text, length, least, &values[count])) {
            *rest = text;
            return -1;
        }
        count++;
        *rest = text + length;
        if (text[length] != ',')
            break;
        text += length + 1;
        *rest = text;
    }
    return count;
}

static bool read_letters(const char *text, size_t length, struct time_gemm *g)
{
    if (length != 2)
        return false;
    char a = (char)tolower((unsigned char)text[0]), b = (char)tolower((unsigned char)text[1]);
    if ((a != 'n' && a != 't') || (b != 'n' && b != 't'))
        return false;
    g->trans_a = a == 't';
    g->trans_b = b == 't';
    return true;
}

/* *end: behind what was read. */
static int read_gemm(const char *text, struct time_gemm *g, const char **end, struct err *err)
{
    int sizes[3];
    const char *rest;
    *g = (struct time_gemm){ .count = 1 };
    if (read_sizes(text, sizes, 3, false, &rest) != 3)
        return err_set(err, ERR_USAGE,
                       "matrix product '%s': three sizes from 1 to %d, as in 1760,128,1760,nn",
                       text, SIZE_MOST);
    g->m = sizes[0];
    g->n = sizes[1];
    g->k = sizes[2];
    size_t length = strcspn(rest, "=");
    bool more = rest[-1] == ',';
    if (more && !read_letters(rest, length, g))
        return err_set(err, ERR_USAGE,
                       "matrix product '%s': behind the sizes stands nn, nt, tn or tt", text);
    *end = more ? rest + length : rest;
    return 0;
}

int shape_parse_gemm(const char *text, struct time_gemm *gemm, struct err *err)
{
    const char *end;
    if (read_gemm(text, gemm, &end, err))
        return -1;
    if (*end)
        return err_set(err, ERR_USAGE, "matrix product '%s': '%s' is too much", text, end);
    return 0;
}

static void set_conv(struct time_conv *v, const int s[CONV_SIZES])
{
    *v = (struct time_conv){ .w = s[0],
                             .h = s[1],
                             .c = s[2],
                             .n = s[3],
                             .k = s[4],
                             .s = s[5],
                             .r = s[6],
                             .pad_w = s[7],
                             .pad_h = s[8],
                             .stride_w = s[9],
                             .stride_h = s[10] };
}

int shape_parse_conv(const char *text, struct time_conv *conv, struct err *err)
{
    int sizes[CONV_SIZES];
    const char *rest;
    int count = read_sizes(text, sizes, CONV_SIZES, true, &rest);
    if (count != CONV_SIZES || *rest)
        return err_set(err, ERR_USAGE,
                       "convolution '%s': eleven sizes W,H,C,N,K,S,R,PADW,PADH,STRIDEW,STRIDEH "
                       "from 1 (padding from 0) to %d",
                       text, SIZE_MOST);
    set_conv(conv, sizes);
    return 0;
}

int shape_parse_calibration(const char *text, struct time_calibration *calibration, struct err *err)
{
    const char *end;
    char *rest;
    if (read_gemm(text, &calibration->shape, &end, err))
        return err_wrap(err, "--calibrate");
    if (*end != '=')
        return err_set(err, ERR_USAGE,
                       "--calibrate '%s': the time is missing, as in 1760,128,1760,nn=0.315", text);
    calibration->ms = strtod(end + 1, &rest);
    if (rest == end + 1 || *rest || strpbrk(end, "xX") || !(calibration->ms > 0) || !(calibration->ms < 1e9))
        return err_set(err, ERR_USAGE, "--calibrate '%s': '%s' is no time in milliseconds", text,
                       end + 1);
    return 0;
}

int shape_precision(const char *word)
{
    if (!word || strcmp(word, "auto") == 0)
        return TIME_FP32;
    return strcmp(word, "amp") == 0 ? TIME_FP16_MIXED : time_precision_find(word);
}

/* ---- lists ---- */

static struct shape *add(struct shape_list *to, struct err *err)
{
    struct shape *list = reallocarray(to->list, to->count + 1, sizeof *list);
    if (!list) {
        err_set(err, ERR_MEMORY, "out of memory");
        return NULL;
    }
    to->list = list;
    list[to->count] = (struct shape){ .precision_word = "fp32" };
    return &list[to->count++];
}

static void set_precision(struct shape *s, const char *word)
{
    s->precision_word = word;
    s->precision = shape_precision(word);
}

int shape_add_gemm(struct shape_list *to, const char *text, const char *precision, struct err *err)
{
    struct shape *s = add(to, err);
    if (!s)
        return -1;
    set_precision(s, precision);
    return shape_parse_gemm(text, &s->gemm, err);
}

int shape_add_conv(struct shape_list *to, const char *text, const char *precision, struct err *err)
{
    struct shape *s = add(to, err);
    if (!s)
        return -1;
    s->is_conv = true;
    set_precision(s, precision);
    return shape_parse_conv(text, &s->conv, err);
}

void shape_free(struct shape_list *shapes)
{
    free(shapes->list);
    if (shapes->from_table)
        table_free(&shapes->table);
    *shapes = (struct shape_list){ 0 };
}

/* ---- tables ---- */

/* The line of a row, from 1; comments and empty lines count. */
static size_t line_of(const char *text, size_t row)
{
    size_t line = 0, contents = 0;
    while (*text) {
        size_t length = strcspn(text, "\n");
        line++;
        if (length && *text != '#' && contents++ == row + 1)
            return line;
        text += length + (text[length] == '\n');
    }
    return line;
}

struct reading {
    const char *path, *text;
    const struct table *table;
    struct err *err;
};

static int bad_field(const struct reading *r, size_t row, const char *column, const char *field,
                     const char *wanted)
{
    return err_set(r->err, ERR_USAGE, "'%s', line %zu: %s is '%.40s', not %s", r->path,
                   line_of(r->text, row), column, field, wanted);
}

static int read_column(const struct reading *r, size_t row, const char *column, int least,
                       int *value)
{
    const char *field = table_field(r->table, row, column);
    if (!read_size(field, strlen(field), least, value))
        return bad_field(r, row, column, field, least ? "a size from 1" : "a size from 0");
    return 0;
}

static int read_letter(const struct reading *r, size_t row, const char *column, bool *value)
{
    const char *field = table_field(r->table, row, column);
    *value = strcasecmp(field, "t") == 0;
    if (*field && !*value && strcasecmp(field, "n") != 0)
        return bad_field(r, row, column, field, "N or T");
    return 0;
}

static int read_gemm_row(const struct reading *r, struct shape *s)
{
    struct time_gemm *g = &s->gemm;
    g->count = 1;
    return read_column(r, s->row, "m", 1, &g->m) || read_column(r, s->row, "n", 1, &g->n) ||
                   read_column(r, s->row, "k", 1, &g->k) ||
                   read_letter(r, s->row, "trans_a", &g->trans_a) ||
                   read_letter(r, s->row, "trans_b", &g->trans_b)
               ? -1
               : 0;
}

static int read_conv_row(const struct reading *r, struct shape *s)
{
    int sizes[CONV_SIZES];
    for (size_t i = 0; i < CONV_SIZES; i++)
        if (read_column(r, s->row, conv_columns[i], may_be_zero(i) ? 0 : 1, &sizes[i]))
            return -1;
    set_conv(&s->conv, sizes);
    return 0;
}

static bool has_all(const struct table *t, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (table_column(t, names[i]) < 0)
            return false;
    return true;
}

/* Which of two values under one title is meant, nobody could say. */
static int refuse_doubles(const struct reading *r)
{
    const struct table *t = r->table;
    if (t->column_count > COLUMNS_MOST)
        return err_set(r->err, ERR_USAGE, "'%s' has more than %d columns", r->path, COLUMNS_MOST);
    for (size_t c = 0; c < t->column_count; c++)
        if (table_column(t, t->columns[c]) != (int)c)
            return err_set(r->err, ERR_USAGE, "'%s' has two columns '%.40s'", r->path,
                           t->columns[c]);
    return 0;
}

static int read_rows(const struct reading *r, const char *word, struct shape_list *to)
{
    const struct table *t = r->table;
    if (refuse_doubles(r))
        return -1;
    bool conv = has_all(t, conv_columns, CONV_SIZES);
    int precision = table_column(t, "precision");
    if (!conv && !has_all(t, gemm_columns, 3))
        return err_set(
            r->err, ERR_USAGE,
            "'%s' has neither the columns m, n, k nor width, height, in_channels, batch, ...",
            r->path);
    if (t->row_count > ROWS_MOST)
        return err_set(r->err, ERR_LIMIT, "'%s' has more than %u rows", r->path, ROWS_MOST);
    to->list = calloc(t->row_count ? t->row_count : 1, sizeof *to->list);
    if (!to->list)
        return err_set(r->err, ERR_MEMORY, "out of memory");
    for (size_t row = 0; row < t->row_count; row++) {
        struct shape *s = &to->list[to->count++];
        *s = (struct shape){ .is_conv = conv, .row = row };
        set_precision(s, precision >= 0 ? table_get(t, row, precision) : word);
        if (conv ? read_conv_row(r, s) : read_gemm_row(r, s))
            return -1;
    }
    return 0;
}

/* Without the byte order mark and the carriage returns of Windows; zero bytes would end it early. */
static int clean(struct str *text, const char *path, struct err *err)
{
    size_t to = 0;
    for (size_t i = str_starts(text->p, "\xef\xbb\xbf") ? 3 : 0; i < text->len; i++) {
        if (text->p[i] == 0)
            return err_set(err, ERR_USAGE, "'%s' is no table: it has zero bytes", path);
        if (text->p[i] != '\r')
            text->p[to++] = text->p[i];
    }
    text->p[text->len = to] = 0;
    return 0;
}

int shape_read(const char *path, const char *word, struct shape_list *to, struct err *err)
{
    struct str text = STR_INIT;
    struct err why;
    err_clear(&why);
    int rc = os_read_file(path, FILE_MOST, &text, err);
    if (!rc && !text.len)
        rc = err_set(err, ERR_USAGE, "'%s' is empty", path);
    if (!rc)
        rc = clean(&text, path, err);
    if (!rc && table_parse(&to->table, text.p, text.len, &why))
        rc = err_set(err, why.code == ERR_FORMAT ? ERR_USAGE : why.code, "'%s': %s", path, why.msg);
    else if (!rc)
        to->from_table = true;
    struct reading r = { path, text.p, &to->table, err };
    if (!rc)
        rc = read_rows(&r, word, to);
    str_free(&text);
    return rc;
}

/* ---- output ---- */

static bool is_answer(const char *column)
{
    static const char *const answers[] = { "time", "forward", "backward_data", "backward_weights" };
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        if (strncmp(column, answers[i], strlen(answers[i])) == 0 &&
            strcmp(column, "forward_algorithm") != 0)
            return true;
    return false;
}

static json_t *value_of(const char *field)
{
    char *end;
    if (!*field)
        return json_null();
    double value = strtod(field, &end);
    bool digits = field[strspn(field, "0123456789.")] == 0; /* no "inf", "0x1", "1e5" */
    if (*end || !digits || !isfinite(value))
        return json_text(field);
    return strchr(field, '.') || value > 1e15 ? json_real(value) : json_integer((json_int_t)value);
}

/* "time_ms" becomes "given_time_ms", unless another column has that name: then one more is put in front. */
static void add_key(struct str *key, const struct table *t, const char *name)
{
    str_add(key, name);
    if (!is_answer(name))
        return;
    do {
        struct str longer = STR_INIT;
        str_addf(&longer, "given_%s", key->p);
        str_free(key);
        *key = longer;
    } while (!key->failed && table_column(t, key->p) >= 0);
}

static void put_table_row(json_t *o, const struct table *t, size_t row)
{
    for (size_t c = 0; c < t->column_count; c++) {
        struct str key = STR_INIT;
        add_key(&key, t, t->columns[c]);
        json_t *text = json_text(key.p); /* a name of any bytes */
        json_put(o, json_string_value(text), value_of(table_get(t, row, (int)c)));
        json_decref(text);
        str_free(&key);
    }
}

static void put_gemm(json_t *o, const struct time_gemm *g)
{
    json_put_number(o, "m", (uint64_t)g->m);
    json_put_number(o, "n", (uint64_t)g->n);
    json_put_number(o, "k", (uint64_t)g->k);
    json_put_text(o, "trans_a", g->trans_a ? "T" : "N");
    json_put_text(o, "trans_b", g->trans_b ? "T" : "N");
}

static void put_conv(json_t *o, const struct time_conv *v)
{
    const int sizes[CONV_SIZES] = { v->w, v->h,     v->c,     v->n,        v->k,       v->s,
                                    v->r, v->pad_w, v->pad_h, v->stride_w, v->stride_h };
    for (size_t i = 0; i < CONV_SIZES; i++)
        json_put_number(o, conv_columns[i], (uint64_t)sizes[i]);
}

json_t *shape_json(const struct shape_list *shapes, const struct shape *shape)
{
    json_t *o = json_object();
    if (shapes->from_table)
        put_table_row(o, &shapes->table, shape->row);
    else if (shape->is_conv)
        put_conv(o, &shape->conv);
    else
        put_gemm(o, &shape->gemm);
    if (!json_object_get(o, "precision"))
        json_put_text(o, "precision",
                      shape->precision >= 0
                          ? time_precision_name((enum time_precision)shape->precision)
                          : shape->precision_word);
    return o;
}

void shape_text(const struct shape *shape, char *to, size_t size)
{
    const struct time_gemm *g = &shape->gemm;
    const struct time_conv *v = &shape->conv;
    if (shape->is_conv)
        snprintf(to, size, "conv %dx%dx%d n%d, %d of %dx%d /%d", v->w, v->h, v->c, v->n, v->k, v->s,
                 v->r, v->stride_w);
    else
        snprintf(to, size, "gemm %dx%dx%d %c%c", g->m, g->n, g->k, g->trans_a ? 't' : 'n',
                 g->trans_b ? 't' : 'n');
}
