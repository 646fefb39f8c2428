#include <criterion/criterion.h>
#include <string.h>

#include "cli/opts.h"

struct values {
    bool json, all;
    const char *lang, *name;
    struct opts_list assume;
};

#define OPTION(field) offsetof(struct values, field)

static const struct opt table[] = {
    { 'j', "json", OPTS_FLAG, NULL, NULL, "", OPTION(json) },
    { 'a', "all", OPTS_FLAG, NULL, NULL, "", OPTION(all) },
    { 0, "lang", OPTS_CHOICE, "en|zh", "en|zh", "", OPTION(lang) },
    { 'n', "name", OPTS_TEXT, "NAME", NULL, "", OPTION(name) },
    { 0, "assume", OPTS_LIST, "CARD", NULL, "", OPTION(assume) },
    OPTS_END,
};

/* Takes one option from `words`; returns how many words it used, or -1. */
static int take(struct values *v, struct err *err, char **words, int count)
{
    const struct opts_set sets[] = { { NULL, NULL }, { table, v } };
    int i = 0;
    err_clear(err);
    return opts_take(sets, 2, words, count, &i, err) ? -1 : i + 1;
}

#define WORDS(...)                                                                                 \
    ((char *[]){ __VA_ARGS__ }), (int)(sizeof((char *[]){ __VA_ARGS__ }) / sizeof(char *))

Test(opts, an_argument_stands_behind_the_name_or_an_equals_sign)
{
    struct values v = { 0 };
    struct err err;
    cr_assert_eq(take(&v, &err, WORDS("--name", "x")), 2);
    cr_assert_str_eq(v.name, "x");
    cr_assert_eq(take(&v, &err, WORDS("--name=y=z", "x")), 1);
    cr_assert_str_eq(v.name, "y=z");
    cr_assert_eq(take(&v, &err, WORDS("-n", "w")), 2);
    cr_assert_str_eq(v.name, "w");
    cr_assert_eq(take(&v, &err, WORDS("-nv")), 1);
    cr_assert_str_eq(v.name, "v");
}

Test(opts, an_argument_may_look_like_an_option)
{
    struct values v = { 0 };
    struct err err;
    cr_assert_eq(take(&v, &err, WORDS("--name", "--json")), 2);
    cr_assert_str_eq(v.name, "--json");
    cr_assert_not(v.json);
}

Test(opts, letters_may_stand_together)
{
    struct values v = { 0 };
    struct err err;
    cr_assert_eq(take(&v, &err, WORDS("-jan", "x")), 2);
    cr_assert(v.json && v.all);
    cr_assert_str_eq(v.name, "x");
}

Test(opts, a_list_keeps_the_order_and_has_an_end)
{
    struct values v = { 0 };
    struct err err;
    for (size_t i = 0; i < OPTS_LIST_MAX; i++)
        cr_assert_eq(take(&v, &err, WORDS("--assume", i ? "b" : "a")), 2);
    cr_assert_eq(v.assume.count, OPTS_LIST_MAX);
    cr_assert_str_eq(v.assume.items[0], "a");
    cr_assert_str_eq(v.assume.items[1], "b");
    cr_assert_eq(take(&v, &err, WORDS("--assume", "c")), -1);
    cr_assert_eq(err.code, ERR_USAGE);
}

static const struct {
    const char *words[2], *message;
} wrong[] = {
    { { "--nam", "x" }, "unknown option '--nam'; did you mean '--name'?" },
    { { "--assu" }, "unknown option '--assu'; did you mean '--assume'?" },
    { { "--zzz" }, "unknown option '--zzz'" },
    { { "-z" }, "unknown option '-z'" },
    { { "-jz" }, "unknown option '-z'" },
    { { "--name" }, "option '--name' needs an argument: NAME" },
    { { "-n" }, "option '--name' needs an argument: NAME" },
    { { "--name=" }, "option '--name' has an empty argument" },
    { { "--lang", "fr" }, "option '--lang' takes en|zh, not 'fr'" },
    { { "--lang", "e" }, "option '--lang' takes en|zh, not 'e'" },
    { { "--lang", "en|zh" }, "option '--lang' takes en|zh, not 'en|zh'" },
    { { "--json=1" }, "option '--json' takes no argument" },
};

Test(opts, what_is_wrong_is_said_with_the_nearest_name)
{
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct values v = { 0 };
        struct err err;
        char *words[] = { (char *)wrong[i].words[0], (char *)wrong[i].words[1] };
        cr_assert_eq(take(&v, &err, words, words[1] ? 2 : 1), -1, "row %zu", i);
        cr_assert_eq(err.code, ERR_USAGE);
        cr_assert_str_eq(err.msg, wrong[i].message);
    }
}

Test(opts, a_single_hyphen_is_a_word_and_two_end_the_options)
{
    cr_assert(opts_is_option("-x"));
    cr_assert(opts_is_option("--xy"));
    cr_assert_not(opts_is_option("-"));
    cr_assert_not(opts_is_option("--"));
    cr_assert_not(opts_is_option("x"));
    cr_assert_not(opts_is_option(""));
}
