/* Temporary folders are gone whatever ends the program, but for what nobody can catch. */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/os_folder.h"
#include "core/os_process.h"

static char tmp[64];

static void make_tmp(void)
{
    strcpy(tmp, "/tmp/smfit-folder-XXXXXX");
    cr_assert_not_null(mkdtemp(tmp));
    setenv("TMPDIR", tmp, 1);
}

static void remove_tmp(void)
{
    char command[100];
    snprintf(command, sizeof command, "rm -rf '%s'", tmp);
    cr_assert_eq(system(command), 0);
}

TestSuite(os_folder, .init = make_tmp, .fini = remove_tmp);

static unsigned entries(const char *folder)
{
    char command[700], number[32] = "";
    snprintf(command, sizeof command, "find '%s' -mindepth 1 2>/dev/null | wc -l", folder);
    FILE *f = popen(command, "r");
    cr_assert_not_null(f);
    cr_assert_not_null(fgets(number, sizeof number, f));
    pclose(f);
    return (unsigned)atoi(number);
}

static void shell(const char *folder, const char *script)
{
    char command[1400];
    snprintf(command, sizeof command, "cd '%s' && %s", folder, script);
    cr_assert_eq(system(command), 0, "%s", script);
}

static void make(char path[OS_FOLDER_SIZE])
{
    struct err err;
    err_clear(&err);
    cr_assert_eq(os_folder_make("test", path, &err), 0, "%s", err.msg);
}

Test(os_folder, it_is_made_in_tmpdir_and_removed_with_what_is_in_it)
{
    char path[OS_FOLDER_SIZE], prefix[100];
    struct stat st;
    make(path);
    snprintf(prefix, sizeof prefix, "%s/smfit-test-", tmp);
    cr_expect_eq(strncmp(path, prefix, strlen(prefix)), 0, "%s", path);
    cr_assert_eq(stat(path, &st), 0);
    cr_expect_eq(st.st_mode & 0777, 0700u);
    shell(path, "mkdir -p a/b/c empty && touch .hidden a/x a/b/c/y && "
                "seq -f a/b/name%g 3000 | xargs touch");
    os_folder_remove(path);
    cr_expect_str_eq(path, "");
    cr_expect_eq(entries(tmp), 0);
    os_folder_remove(path);
}

Test(os_folder, what_links_lead_to_stays)
{
    char path[OS_FOLDER_SIZE];
    shell(tmp, "mkdir keep && touch keep/file");
    make(path);
    shell(path, "ln -s ../keep folder && ln -s ../keep/file file && ln -s nowhere dangling");
    os_folder_remove(path);
    cr_expect_eq(entries(tmp), 2, "keep and keep/file");
}

Test(os_folder, only_so_many_at_a_time)
{
    char paths[OS_FOLDERS_MAX + 1][OS_FOLDER_SIZE];
    struct err err;
    err_clear(&err);
    for (unsigned i = 0; i < OS_FOLDERS_MAX; i++)
        make(paths[i]);
    cr_expect_eq(os_folder_make("test", paths[OS_FOLDERS_MAX], &err), -1);
    cr_expect_eq(err.code, ERR_LIMIT);
    cr_expect_str_eq(paths[OS_FOLDERS_MAX], "");
    os_folder_remove(paths[1]);
    make(paths[1]);
    for (unsigned i = 0; i < OS_FOLDERS_MAX; i++)
        os_folder_remove(paths[i]);
    cr_expect_eq(entries(tmp), 0);
}

Test(os_folder, a_tmpdir_that_is_none_is_said)
{
    char path[OS_FOLDER_SIZE];
    struct err err;
    err_clear(&err);
    setenv("TMPDIR", "/nowhere/at/all", 1);
    cr_expect_eq(os_folder_make("test", path, &err), -1);
    cr_expect_not_null(strstr(err.msg, "/nowhere/at/all"), "%s", err.msg);
    cr_expect_str_eq(path, "");
}

/* ---- signals ---- */

/* A child process with two folders that gets the signal; its status. */
static int end_by(int number, void (*before)(void))
{
    pid_t pid = fork();
    if (pid == 0) {
        char a[OS_FOLDER_SIZE], b[OS_FOLDER_SIZE];
        if (before)
            before();
        make(a);
        make(b);
        shell(a, "mkdir -p d/e && touch d/e/f");
        raise(number);
        os_folder_remove(a);
        os_folder_remove(b);
        _exit(7);
    }
    int status = 0;
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    return status;
}

Test(os_folder, an_ending_signal_takes_them_away_and_still_ends_the_program)
{
    static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        signal(numbers[i], SIG_DFL);
        int status = end_by(numbers[i], NULL);
        cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == numbers[i], "signal %d: status %x",
                  numbers[i], (unsigned)status);
        cr_expect_eq(entries(tmp), 0, "signal %d", numbers[i]);
    }
}

static void ignore_hangup(void)
{
    signal(SIGHUP, SIG_IGN);
}

Test(os_folder, what_nohup_ignores_stays_ignored)
{
    int status = end_by(SIGHUP, ignore_hangup);
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 7, "status %x", (unsigned)status);
    cr_expect_eq(entries(tmp), 0);
}

/* A process that is being waited for goes first: it would write into the folder on and on. */
Test(os_folder, a_running_process_writes_nothing_more)
{
    pid_t pid = fork();
    if (pid == 0) {
        char path[OS_FOLDER_SIZE], script[OS_FOLDER_SIZE + 100];
        struct os_process_result result;
        struct err err;
        signal(SIGTERM, SIG_DFL);
        make(path);
        snprintf(script, sizeof script,
                 "cd '%s'; i=0; while :; do i=$((i+1)); mkdir -p d$i; echo >d$i/f; done", path);
        const char *const argv[] = { "/bin/sh", "-c", script, NULL };
        const struct os_process process = { .argv = argv, .output_max = 1000 };
        os_process_run(&process, &result, &err);
        _exit(7);
    }
    for (int i = 0; i < 500 && entries(tmp) < 20; i++)
        usleep(10000);
    cr_assert_geq(entries(tmp), 20);
    cr_assert_eq(kill(pid, SIGTERM), 0);
    int status = 0;
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM, "status %x", (unsigned)status);
    cr_expect_eq(entries(tmp), 0);
}
