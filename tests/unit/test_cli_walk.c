#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/walk.h"
#include "core/str.h"

static char root[64];

static void shell(const char *command)
{
    char line[512];
    snprintf(line, sizeof line, "cd '%s' && %s", root, command);
    cr_assert_eq(system(line), 0, "%s", command);
}

static void start(void)
{
    snprintf(root, sizeof root, "/tmp/smfit-walk-XXXXXX");
    cr_assert_not_null(mkdtemp(root));
}

static void end(void)
{
    char line[128];
    snprintf(line, sizeof line, "rm -rf '%s'", root);
    cr_assert_eq(system(line), 0);
}

TestSuite(walk, .init = start, .fini = end);

struct seen {
    struct str files, problems;
    int stop_after;
};

static void forget(struct seen *seen)
{
    str_free(&seen->files);
    str_free(&seen->problems);
}

static int on_file(void *self, const char *path, struct err *err)
{
    struct seen *seen = self;
    str_addf(&seen->files, "%s ", path + strlen(root) + 1);
    return --seen->stop_after == 0 ? err_set(err, ERR_IO, "stopped") : 0;
}

static void on_problem(void *self, const char *path, const struct err *problem)
{
    struct seen *seen = self;
    str_addf(&seen->problems, "%s: %s ", path + strlen(root), problem->msg);
}

static int walk(struct seen *seen)
{
    const struct walk_sink sink = { seen, on_file, on_problem };
    struct err err;
    err_clear(&err);
    return walk_folder(root, &sink, &err);
}

Test(walk, files_come_in_the_order_of_their_names_at_every_depth)
{
    struct seen seen = { STR_INIT, STR_INIT, 0 };
    shell("mkdir -p b/y b/x && touch c a b/y/2 b/y/10 b/x/1 B");
    cr_assert_eq(walk(&seen), 0);
    cr_assert_str_eq(seen.files.p, "B a b/x/1 b/y/10 b/y/2 c ", "%s", seen.files.p);
    cr_assert_str_eq(seen.problems.p, "");
    forget(&seen);
}

Test(walk, links_fifos_and_loops_are_passed_over)
{
    struct seen seen = { STR_INIT, STR_INIT, 0 };
    shell("mkdir d && touch d/f && ln -s .. d/up && ln -s f d/g && mkfifo d/p && ln -s d e");
    cr_assert_eq(walk(&seen), 0);
    cr_assert_str_eq(seen.files.p, "d/f ", "%s", seen.files.p);
    forget(&seen);
}

Test(walk, a_callback_stops_it)
{
    struct seen seen = { STR_INIT, STR_INIT, 2 };
    shell("touch a b c");
    cr_assert_eq(walk(&seen), -1);
    cr_assert_str_eq(seen.files.p, "a b ");
    forget(&seen);
}

Test(walk, folders_in_one_another_have_a_bound)
{
    struct seen seen = { STR_INIT, STR_INIT, 0 };
    shell("p=.; for i in $(seq 140); do p=$p/d; done; mkdir -p $p && touch $p/deep d/near");
    cr_assert_eq(walk(&seen), 0);
    cr_assert_str_eq(seen.files.p, "d/near ", "%s", seen.files.p);
    cr_assert_not_null(strstr(seen.problems.p, "folders in one another"), "%s", seen.problems.p);
    forget(&seen);
}

Test(walk, a_folder_that_is_gone_is_a_problem_and_no_stop)
{
    struct seen seen = { STR_INIT, STR_INIT, 0 };
    char missing[128];
    const struct walk_sink sink = { &seen, on_file, on_problem };
    struct err err;
    err_clear(&err);
    snprintf(missing, sizeof missing, "%s/none", root);
    cr_assert_not(walk_is_folder(missing));
    cr_assert_eq(walk_folder(missing, &sink, &err), 0);
    cr_assert_str_eq(seen.problems.p, "/none: cannot read the folder: No such file or directory ");
    forget(&seen);
}
