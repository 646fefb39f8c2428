/* Rows: to JSON and back, and the file that holds them through kills and torn lines. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/stream.h"
#include "core/os.h"
#include "core/str.h"

static struct err err;

static void make_row(struct row *row, const char *name, const char *shape, double ms)
{
    row_init(row);
    strcpy(row->name, name);
    strcpy(row->shape, shape);
    strcpy(row->precision, "fp32");
    strcpy(row->implementation, "smfit");
    row->flop = 2e9;
    row->bytes = 1e6;
    err_clear(&err);
    cr_assert_eq(row_reserve(row, 3, &err), 0);
    for (int i = 0; i < 3; i++) {
        row->samples_ms[i] = ms + i;
        row->clocks_mhz[i] = i == 1 ? (double)NAN : 900.0 + i;
    }
    row_summarise(row);
}

Test(row, rates_are_work_over_the_median_time)
{
    struct row row;
    make_row(&row, "gemm", "1000x1000x1000", 9);
    cr_expect_eq(row.time.median, 10);
    cr_expect_float_eq(row.gflops, 200, 1e-9, "2e9 in 10 ms");
    cr_expect_float_eq(row.gbps, 0.1, 1e-12, "1e6 bytes in 10 ms");
    row_free(&row);
}

Test(row, what_is_written_is_read_back)
{
    struct row row, back;
    make_row(&row, "conv/3x3", "n1 c64 56x56 k64 3x3 p1", 5);
    row_fail(&row, ROW_ERROR, "wrong result: \xff is no UTF-8");
    row.max_rel_error = 0.25;
    row.throttled = 2;
    strcpy(row.image, "sm_35");
    json_t *json = row_json(&row);
    cr_assert_eq(row_parse(&back, json, &err), 0, "%s", err.msg);
    cr_expect(row_same(&row, &back));
    cr_expect_eq(back.status, ROW_ERROR);
    cr_expect_eq(back.time.median, row.time.median);
    cr_expect_eq(back.time.low, row.time.low);
    cr_expect_eq(back.time.high, row.time.high);
    cr_expect_float_eq(back.time.coverage, row.time.coverage, 1e-12);
    cr_expect_eq(back.max_rel_error, 0.25);
    cr_expect(isnan(back.ceiling_percent) && isnan(back.clocks_mhz[1]));
    cr_expect_eq(back.clocks_mhz[2], 902);
    cr_expect_eq(back.throttled, 2);
    cr_expect_str_eq(back.image, "sm_35");
    json_decref(json);
    row_free(&row);
    row_free(&back);
}

Test(row, every_null_number_has_its_reason)
{
    struct row row;
    const char *key;
    json_t *value;
    row_init(&row);
    strcpy(row.name, "gemm");
    json_t *json = row_json(&row);
    json_object_foreach(json, key, value)
    {
        char reason[80];
        snprintf(reason, sizeof reason, "%s_reason", key);
        if (json_is_null(value) && strcmp(key, "reason") != 0 &&
            strcmp(key, "coverage_percent") != 0 && strcmp(key, "ceiling") != 0 &&
            strcmp(key, "image") != 0 && strcmp(key, "variant") != 0 && strcmp(key, "chosen") != 0)
            cr_expect(json_is_string(json_object_get(json, reason)), "'%s' is null without a word",
                      key);
    }
    json_decref(json);
}

Test(row, times_that_nothing_takes_are_refused)
{
    static const char *const times[] = {
        "\"time_ms\": -1",
        "\"time_ms\": 1e-320",
        "\"time_ms\": 1e300",
        "\"time_ms\": 1, \"interval_ms\": [5, -5]",
        "\"time_ms\": 1, \"interval_ms\": [2, 1]",
    };
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        struct row row;
        char text[256];
        snprintf(text, sizeof text,
                 "{\"case\": \"a\", \"shape\": \"b\", \"precision\": \"c\", \"implementation\": \"d\", "
                 "\"status\": \"ok\", \"samples_ms\": [1, 2], %s}",
                 times[i]);
        json_t *json = json_loads(text, 0, NULL);
        err_clear(&err);
        cr_expect_eq(row_parse(&row, json, &err), -1, "%s", times[i]);
        cr_expect_eq(err.code, ERR_FORMAT);
        json_decref(json);
    }
}

Test(row, what_is_no_row_is_refused)
{
    static const char *const texts[] = {
        "{}", "[]", "3", "{\"case\": \"a\"}",
        "{\"case\": \"a\", \"shape\": \"b\", \"precision\": \"c\", \"implementation\": \"d\", \"status\": \"?\"}"
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct row row;
        json_t *json = json_loads(texts[i], JSON_DECODE_ANY, NULL);
        err_clear(&err);
        cr_expect_eq(row_parse(&row, json, &err), -1, "%s", texts[i]);
        cr_expect_eq(err.code, ERR_FORMAT);
        json_decref(json);
    }
}

/* ---- the file ---- */

static char path[64];

static void new_path(void)
{
    strcpy(path, "/tmp/smfit-stream-XXXXXX");
    int fd = mkstemp(path);
    cr_assert(fd >= 0);
    close(fd);
}

static void write_file(const char *text)
{
    FILE *f = fopen(path, "w");
    fputs(text, f);
    fclose(f);
}

static void write_two(struct stream *s)
{
    struct row row;
    json_t *header = json_pack("{s:s, s:i}", "schema", "smfit.bench.stream", "version", 1);
    new_path();
    err_clear(&err);
    cr_assert_eq(stream_create(s, path, header, &err), 0, "%s", err.msg);
    json_decref(header);
    for (int i = 0; i < 2; i++) {
        make_row(&row, "gemm", i ? "2x2x2" : "1x1x1", 1);
        cr_assert_eq(stream_add(s, &row, &err), 0);
        row_free(&row);
    }
}

static size_t rows_after_cutting(const char *bytes, size_t size, bool *has_header)
{
    struct stream s;
    json_t *header;
    struct row_list rows = { 0 };
    FILE *f = fopen(path, "w");
    fwrite(bytes, 1, size, f);
    fclose(f);
    err_clear(&err);
    cr_assert_eq(stream_resume(&s, path, &header, &rows, &err), 0, "cut to %zu: %s", size, err.msg);
    size_t count = rows.count;
    *has_header = header != NULL;
    json_decref(header);
    row_list_free(&rows);
    stream_close(&s);
    return count;
}

Test(stream, a_file_cut_off_anywhere_keeps_its_whole_lines)
{
    struct stream s;
    bool has_header;
    size_t last = 2;
    struct str whole = STR_INIT;
    write_two(&s);
    stream_close(&s);
    cr_assert_eq(os_read_file(path, 1 << 20, &whole, &err), 0);
    for (size_t size = whole.len + 1; size-- > 0;) {
        size_t rows = rows_after_cutting(whole.p, size, &has_header);
        cr_assert(rows <= last && (has_header || rows == 0));
        last = rows;
    }
    str_free(&whole);
    cr_expect_eq(last, 0);
    cr_expect_not(has_header);
    unlink(path);
}

Test(stream, rows_are_added_behind_those_of_the_earlier_run)
{
    struct stream s;
    json_t *header;
    struct row_list rows = { 0 };
    struct row row;
    write_two(&s);
    stream_close(&s);
    FILE *f = fopen(path, "a");
    fputs("{\"case\": \"torn", f);
    fclose(f);
    cr_assert_eq(stream_resume(&s, path, &header, &rows, &err), 0, "%s", err.msg);
    cr_expect_eq(rows.count, 2);
    make_row(&row, "gemm", "3x3x3", 1);
    cr_assert_eq(stream_add(&s, &row, &err), 0);
    stream_close(&s);
    json_decref(header);
    row_list_free(&rows);
    cr_assert_eq(stream_read(path, &header, &rows, &err), 0, "%s", err.msg);
    cr_expect_eq(rows.count, 3);
    cr_expect_not_null(row_list_find(&rows, &row));
    row_free(&row);
    json_decref(header);
    row_list_free(&rows);
    unlink(path);
}

Test(stream, no_other_file_is_taken_for_one_or_cut_off)
{
    static const char *const texts[] = { "important words without a newline", "words\nand more\n",
                                         "{\"schema\": \"other\"}\n",
                                         "{\"schema\":\"smfit.bench.stream\"}\n{\"case\":\n{}\n" };
    new_path();
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct stream s;
        json_t *header;
        struct row_list rows = { 0 };
        struct stat st;
        write_file(texts[i]);
        err_clear(&err);
        cr_expect_eq(stream_resume(&s, path, &header, &rows, &err), -1, "%s", texts[i]);
        cr_expect_eq(err.code, ERR_FORMAT);
        stat(path, &st);
        cr_expect_eq((size_t)st.st_size, strlen(texts[i]));
    }
    unlink(path);
}

Test(stream, one_run_at_a_time_and_nothing_is_overwritten)
{
    struct stream first, second;
    json_t *header = NULL;
    struct row_list rows = { 0 };
    write_two(&first);
    err_clear(&err);
    cr_expect_eq(stream_resume(&second, path, &header, &rows, &err), -1);
    cr_expect(strstr(err.msg, "another run"), "%s", err.msg);
    stream_close(&first);
    err_clear(&err);
    header = json_pack("{s:s}", "schema", "smfit.bench.stream");
    cr_expect_eq(stream_create(&second, path, header, &err), -1);
    cr_expect(strstr(err.msg, "--resume"), "%s", err.msg);
    json_decref(header);
    unlink(path);
}

Test(stream, a_full_disk_is_an_error_and_a_pipe_is_none)
{
    struct stream s;
    json_t *header = json_pack("{s:s}", "schema", "smfit.bench.stream");
    err_clear(&err);
    cr_expect_eq(stream_create(&s, "/dev/full", header, &err), -1);
    cr_expect(strstr(err.msg, "No space left"), "%s", err.msg);
    err_clear(&err);
    cr_expect_eq(stream_create(&s, "/dev/null", header, &err), 0, "%s", err.msg);
    stream_close(&s);
    err_clear(&err);
    cr_expect_eq(stream_create(&s, "/nowhere/x", header, &err), -1);
    cr_expect(strstr(err.msg, "'/nowhere/x'"), "%s", err.msg);
    json_decref(header);
}
