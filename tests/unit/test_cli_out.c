/* Layout: columns, broken lines, sizes. Output is caught in a file in place of stdout. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/grid.h"
#include "cli/out.h"

static char caught[4096];
static int saved;
static FILE *file;

static void catch_output(void)
{
    file = tmpfile();
    cr_assert_not_null(file);
    fflush(stdout);
    saved = dup(STDOUT_FILENO);
    dup2(fileno(file), STDOUT_FILENO);
}

static const char *output(void)
{
    fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    rewind(file);
    caught[fread(caught, 1, sizeof caught - 1, file)] = 0;
    fclose(file);
    return caught;
}

static const struct grid_column columns[] = { { NULL, false }, { NULL, true }, { NULL, false } };

static void row(struct grid *g, const char *a, const char *b, const char *c)
{
    grid_cell(g, a);
    grid_cell(g, b);
    grid_cell(g, c);
}

Test(out, columns_line_up_and_nothing_trails)
{
    catch_output();
    struct grid *g = grid_new(columns, 3);
    row(g, "sm_35", "1", "none");
    row(g, "compute_35", "12", "");
    grid_print(g, 2);
    grid_free(g);
    cr_assert_str_eq(output(), "  sm_35        1  none\n"
                               "  compute_35  12\n");
}

Test(out, chinese_takes_two_columns)
{
    catch_output();
    struct grid *g = grid_new(columns, 3);
    row(g, "架构", "1", "x");
    row(g, "sm_35", "2", "x");
    grid_print(g, 0);
    grid_free(g);
    cr_assert_str_eq(output(), "架构   1  x\n"
                               "sm_35  2  x\n");
}

Test(out, a_column_without_any_text_is_left_out)
{
    catch_output();
    struct grid *g = grid_new(columns, 3);
    row(g, "a", "", "b");
    row(g, "c", "", "d");
    grid_print(g, 0);
    grid_free(g);
    cr_assert_str_eq(output(), "a  b\nc  d\n");
}

Test(out, a_list_printed_in_parts_keeps_its_widths)
{
    catch_output();
    struct grid *g = grid_new(columns, 3);
    row(g, "long word", "1", "x");
    grid_print(g, 0);
    row(g, "a", "2", "x");
    grid_print(g, 0);
    grid_free(g);
    cr_assert_str_eq(output(), "long word  1  x\n"
                               "a          2  x\n");
}

static const struct {
    uint64_t bytes;
    const char *text;
} sizes[] = {
    { 0, "0 B" },
    { 1023, "1023 B" },
    { 1024, "1.0 KiB" },
    { 1536, "1.5 KiB" },
    { 1048575, "1.0 MiB" }, /* not "1024.0 KiB" */
    { 1048576, "1.0 MiB" },
    { (uint64_t)5 << 30, "5.0 GiB" },
    { UINT64_MAX, "16777216.0 TiB" },
};

Test(out, sizes_have_a_unit_that_fits)
{
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct str s = STR_INIT;
        out_add_size(&s, sizes[i].bytes);
        cr_assert_str_eq(s.p, sizes[i].text, "%s", s.p);
        str_free(&s);
    }
}

Test(out, lines_break_at_blanks_within_a_hundred_columns)
{
    catch_output();
    char text[400] = "";
    for (int i = 0; i < 30; i++)
        strcat(text, i ? " wordword" : "wordword");
    out_wrapped(OUT_PLAIN, 4, text);
    const char *out = output();
    size_t lines = 0;
    for (const char *p = out; *p; p += strcspn(p, "\n") + 1, lines++) {
        size_t n = strcspn(p, "\n");
        cr_assert(n <= 100 && strncmp(p, "    wordword", 12) == 0 && p[n - 1] == 'd', "%s", out);
    }
    cr_assert_eq(lines, 3, "%s", out);
}

Test(out, chinese_breaks_anywhere_but_not_before_punctuation)
{
    catch_output();
    char text[1024] = "";
    for (int i = 0; i < 49; i++)
        strcat(text, "显");
    strcat(text, "卡，好"); /* the comma would be at columns 101 and 102 */
    out_wrapped(OUT_PLAIN, 0, text);
    const char *second = strchr(output(), '\n') + 1;
    cr_assert_str_eq(second, "卡，好\n", "%s", second);
}

Test(out, a_word_longer_than_the_line_stays_whole)
{
    catch_output();
    char word[151];
    memset(word, 'x', 150);
    word[150] = 0;
    out_wrapped(OUT_PLAIN, 2, word);
    const char *out = output();
    cr_assert_eq(strlen(out), 153);
    cr_assert_eq(strncmp(out, "  xxx", 5), 0);
}
