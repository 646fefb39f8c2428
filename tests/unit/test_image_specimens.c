/* Every file of tests/data/specimens holds what its manifest says. The manifest comes from
 * cuobjdump, readelf and the programs that made the files (tests/data/specimens/README.md). */
#include "specimens.h"

/* The manifest's rows for one file, in the form of seen.lines. */
static size_t expected(const struct table *t, size_t row, struct str *lines)
{
    const char *file = table_field(t, row, "file");
    size_t n = 0;
    for (; row + n < t->row_count && !strcmp(table_field(t, row + n, "file"), file); n++)
        str_addf(lines, "%s\t%s\t%s\t%s\n", table_field(t, row + n, "member"),
                 table_field(t, row + n, "host"), table_field(t, row + n, "containers"),
                 table_field(t, row + n, "images"));
    return n;
}

static void check_problems(const struct seen *s, const char *file, const char *problem)
{
    if (table_blank(problem)) {
        cr_expect(s->problem_count == 0, "%s: %s", file, s->problems.p);
    } else {
        cr_expect(strstr(s->problems.p, problem), "%s: '%s'", file, s->problems.p);
        cr_expect_neq(s->problem_offset, ERR_NO_OFFSET, "%s", file);
    }
}

Test(specimens, each_lists_what_its_manifest_says)
{
    struct table t = specimen_manifest();
    size_t rows, files = 0;
    for (size_t i = 0; i < t.row_count; i += rows, files++) {
        struct specimen file = specimen_read(table_field(&t, i, "file"));
        struct str lines = STR_INIT;
        struct seen s;
        rows = expected(&t, i, &lines);
        specimen_scan(file.file, input_from_memory(file.data, file.size, NULL), &s);
        cr_expect(!strcmp(s.lines.p, lines.p), "%s: found\n%swhere there is\n%s", file.file,
                  s.lines.p, lines.p);
        check_problems(&s, file.file, table_field(&t, i, "problem"));
        seen_free(&s);
        str_free(&lines);
        free(file.data);
    }
    cr_assert_geq(files, (size_t)60);
    table_free(&t);
}

Test(specimens, the_table_names_every_file_and_no_file_is_large)
{
    struct table t = specimen_manifest();
    for (size_t i = 0; i < t.row_count; i++) {
        struct specimen file = specimen_read(table_field(&t, i, "file"));
        cr_expect_leq(file.size, (size_t)65536, "%s", file.file);
        cr_expect(*table_field(&t, i, "oracle"), "%s", file.file);
        free(file.data);
    }
    table_free(&t);
}

/* ---- the same through a pipe, which cannot be sought in
 * ------------------------------------------
 */

struct pipe {
    const struct specimen *file;
    size_t pos, step; /* bytes that one read gives */
};

static long long pipe_read(void *self, void *to, size_t size, struct err *err)
{
    struct pipe *p = self;
    size_t left = p->file->size - p->pos;
    (void)err;
    size = size < left ? size : left;
    size = size < p->step ? size : p->step;
    memcpy(to, p->file->data + p->pos, size);
    p->pos += size;
    return (long long)size;
}

/* Members, hosts and images; not the containers, whose place is known only where the sections at
 * an ELF file's end can be read. */
static void put_without_places(const char *lines, struct str *to)
{
    for (const char *p = lines; *p; p++) {
        int tabs = 0;
        for (; *p != '\n'; p++) {
            tabs += *p == '\t';
            if (tabs != 2)
                str_add_bytes(to, p, 1);
        }
        str_add(to, "\n");
    }
}

Test(specimens, a_pipe_that_gives_a_few_bytes_at_a_time_lists_the_same)
{
    static const struct input_ops ops = { .read = pipe_read };
    struct table t = specimen_manifest();
    size_t rows;
    for (size_t i = 0; i < t.row_count; i += rows) {
        struct specimen file = specimen_read(table_field(&t, i, "file"));
        struct pipe pipe = { .file = &file, .step = 7 };
        struct str lines = STR_INIT, wanted = STR_INIT, found = STR_INIT;
        struct seen s;
        rows = expected(&t, i, &lines);
        specimen_scan(file.file, input_new(&ops, &pipe, INPUT_SIZE_UNKNOWN, NULL), &s);
        put_without_places(lines.p, &wanted);
        put_without_places(s.lines.p, &found);
        cr_expect(!strcmp(found.p, wanted.p), "%s:\n%s", file.file, found.p);
        seen_free(&s);
        str_free(&lines);
        str_free(&wanted);
        str_free(&found);
        free(file.data);
    }
    table_free(&t);
}
