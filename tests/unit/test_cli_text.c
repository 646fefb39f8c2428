/* The table of sentences: complete in both languages, and every id that the sources name is there.
 * Run from the project's root. */
#include <criterion/criterion.h>
#include <ctype.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/rules.h"
#include "cli/text.h"
#include "core/utf8.h"
#include "data/data.h"

Test(text, every_sentence_is_there_in_both_languages)
{
    const struct table *t = data_table(DATA_TEXT);
    for (size_t row = 0; row < t->row_count; row++) {
        const char *id = table_field(t, row, "id");
        cr_assert(*table_field(t, row, "en"), "'%s' has no English", id);
        cr_assert(*table_field(t, row, "zh"), "'%s' has no Chinese", id);
        for (size_t other = 0; other < row; other++)
            cr_assert_str_neq(id, table_field(t, other, "id"), "'%s' stands twice", id);
    }
}

/* Every {name} of `from` is in `to`, too. */
static bool has_placeholders(const char *from, const char *to)
{
    char name[64];
    for (const char *p = from; (p = strchr(p, '{')); p++) {
        const char *end = strchr(p, '}');
        cr_assert(end && (size_t)(end - p) < sizeof name - 1, "%s", from);
        snprintf(name, sizeof name, "%.*s", (int)(end - p + 1), p);
        if (!strstr(to, name))
            return false;
    }
    return true;
}

Test(text, both_languages_have_the_same_placeholders)
{
    const struct table *t = data_table(DATA_TEXT);
    for (size_t row = 0; row < t->row_count; row++) {
        const char *en = table_field(t, row, "en"), *zh = table_field(t, row, "zh");
        cr_assert(has_placeholders(en, zh) && has_placeholders(zh, en), "'%s'",
                  table_field(t, row, "id"));
    }
}

Test(text, every_sentence_is_clean_utf8)
{
    const struct table *t = data_table(DATA_TEXT);
    for (size_t row = 0; row < t->row_count; row++)
        for (int column = 1; column <= 2; column++) {
            struct str s = STR_INIT;
            const char *text = table_get(t, row, column);
            utf8_add_printable(&s, text);
            cr_assert_str_eq(s.p, text);
            str_free(&s);
        }
}

/* An id as sources write it: a word, a dot, and more of [a-z0-9_.]. */
static bool is_id(const char *text, size_t length)
{
    static const char *const areas[] = { "about.",   "archs.", "cards.",   "cmd.",     "col.",
                                         "count.",   "cure.",  "error.",   "example.", "exit.",
                                         "explain.", "help.",  "home.",    "inspect.", "label.",
                                         "note.",    "opt.",   "package.", "probe.",   "remark.",
                                         "repro.",   "span.",  "stack.",   "status.",  "verdict.",
                                         "why." };
    for (size_t i = 0; i < length; i++)
        if (!islower((unsigned char)text[i]) && !isdigit((unsigned char)text[i]) &&
            text[i] != '.' && text[i] != '_')
            return false;
    for (size_t i = 0; i < sizeof areas / sizeof areas[0]; i++)
        if (strncmp(text, areas[i], strlen(areas[i])) == 0 && length > strlen(areas[i]))
            return true;
    return false;
}

static void check_line(const char *path, char *line)
{
    for (char *open = line; (open = strchr(open, '"'));) {
        char *close = strchr(++open, '"');
        if (!close)
            return;
        if (is_id(open, (size_t)(close - open))) {
            *close = 0;
            cr_assert(text_exists(open), "%s names '%s', which text.tsv has not", path, open);
        }
        open = close + 1;
    }
}

Test(text, every_id_in_the_sources_is_in_the_table)
{
    glob_t files;
    char line[1024];
    cr_assert_eq(glob("src/cli/*.c", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        FILE *f = fopen(files.gl_pathv[i], "r");
        cr_assert_not_null(f);
        while (fgets(line, sizeof line, f))
            if (!strstr(line, "#include"))
                check_line(files.gl_pathv[i], line);
        fclose(f);
    }
    globfree(&files);
}

Test(text, every_rule_and_verdict_has_its_sentence)
{
    size_t count;
    const struct arch_rule *rules = arch_rules(&count);
    char id[64];
    for (size_t i = 0; i < count; i++)
        cr_assert(text_exists(rules[i].text), "'%s'", rules[i].text);
    for (size_t i = 0; i < VERDICT_COUNT; i++) {
        snprintf(id, sizeof id, "status.%s", verdict_name((enum verdict)i));
        cr_assert(text_exists(id), "'%s'", id);
    }
}

Test(text, placeholders_are_filled_and_unknown_ones_left)
{
    struct str s = STR_INIT;
    cr_assert(text_set_language("en"));
    text_add(&s, "error.code", TEXT_ARGS({ "code", "209" }, { "text", "{code}" }));
    cr_assert_str_eq(s.p, "error 209 ({code})", "%s",
                     s.p); /* what was filled in is not read again */
    str_clear(&s);
    text_add(&s, "error.code", TEXT_ARGS({ "code", "209" }));
    cr_assert_str_eq(s.p, "error 209 ({text})", "%s", s.p);
    str_clear(&s);
    text_add(&s, "no.such.id", NULL);
    cr_assert_str_eq(s.p, "no.such.id");
    str_free(&s);
}

static const struct {
    const char *lc_all, *lc_messages, *lang, *language;
} locales[] = {
    { NULL, NULL, "zh_CN.UTF-8", "zh" }, { NULL, NULL, "zh_TW.utf8", "zh" },
    { NULL, NULL, "zh_CN.GBK", "en" },   { NULL, NULL, "zh_CN", "en" },
    { NULL, NULL, "de_DE.UTF-8", "en" }, { NULL, NULL, NULL, "en" },
    { "C", NULL, "zh_CN.UTF-8", "en" },  { "", "", "zh_CN.UTF-8", "zh" },
    { NULL, "zh_CN.UTF-8", "C", "zh" },
};

static void set(const char *name, const char *value)
{
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

Test(text, the_locale_chooses_the_language)
{
    for (size_t i = 0; i < sizeof locales / sizeof locales[0]; i++) {
        set("LC_ALL", locales[i].lc_all);
        set("LC_MESSAGES", locales[i].lc_messages);
        set("LANG", locales[i].lang);
        text_language_from_locale();
        cr_assert_str_eq(text_language(), locales[i].language, "row %zu", i);
    }
    cr_assert_not(text_set_language("fr"));
}
