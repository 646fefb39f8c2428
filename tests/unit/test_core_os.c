#include <criterion/criterion.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/os.h"

/* Every test works in a folder of its own and stands in it. */
static char folder[64];

static void setup(void)
{
    strcpy(folder, "/tmp/smfit-os-XXXXXX");
    cr_assert(mkdtemp(folder));
    cr_assert_eq(chdir(folder), 0);
}

static void teardown(void)
{
    char command[256];
    snprintf(command, sizeof command, "chmod -R u+rwx %s; rm -rf %s", folder, folder);
    cr_assert_eq(chdir("/"), 0);
    cr_assert_eq(system(command), 0);
}

TestSuite(os, .init = setup, .fini = teardown);

static void put(const char *path, const void *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    cr_assert(f, "cannot write %s", path);
    cr_assert_eq(fwrite(data, 1, size, f), size);
    cr_assert_eq(fclose(f), 0);
}

static void put_empty(const char *path)
{
    put(path, "", 0);
}

/* ---- time, terminals, kinds --------------------------------------------------------------------
 */

Test(os, the_clock_measures_a_pause)
{
    uint64_t before = os_now_ns();
    usleep(20000);
    uint64_t pause = os_now_ns() - before;
    cr_assert(pause >= 20000000 && pause < 5000000000u, "a pause of 20 ms took %llu ns",
              (unsigned long long)pause);
}

Test(os, a_file_and_a_closed_descriptor_are_no_terminals)
{
    put_empty("f");
    int fd = open("f", O_RDONLY);
    cr_assert_not(os_is_terminal(fd));
    close(fd);
    cr_assert_not(os_is_terminal(fd));
}

Test(os, the_far_end_of_a_pseudo_terminal_is_a_terminal)
{
    int fd = posix_openpt(O_RDWR | O_NOCTTY);
    if (fd < 0 || grantpt(fd) < 0 || unlockpt(fd) < 0)
        cr_skip_test("no pseudo-terminals here");
    cr_assert(os_is_terminal(fd));
    close(fd);
}

Test(os, kinds_of_files_are_told_through_links)
{
    struct sockaddr_un name = { .sun_family = AF_UNIX, .sun_path = "socket" };
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    cr_assert_eq(bind(fd, (struct sockaddr *)&name, sizeof name), 0);
    close(fd);
    put_empty("file");
    cr_assert_eq(mkdir("dir", 0755), 0);
    cr_assert_eq(mkfifo("fifo", 0644), 0);
    cr_assert_eq(symlink("dir", "to-dir"), 0);
    cr_assert_eq(symlink("nowhere", "dangling"), 0);
    cr_assert_eq(os_file_kind("file"), OS_FILE_REGULAR);
    cr_assert_eq(os_file_kind("dir"), OS_FILE_FOLDER);
    cr_assert_eq(os_file_kind("to-dir"), OS_FILE_FOLDER);
    cr_assert_eq(os_file_kind("fifo"), OS_FILE_FIFO);
    cr_assert_eq(os_file_kind("socket"), OS_FILE_SOCKET);
    cr_assert_eq(os_file_kind("/dev/null"), OS_FILE_DEVICE);
    cr_assert_eq(os_file_kind("dangling"), OS_FILE_MISSING);
    cr_assert_eq(os_file_kind("nowhere"), OS_FILE_MISSING);
}

Test(os, every_kind_has_a_name)
{
    cr_assert_str_eq(os_file_kind_name(OS_FILE_MISSING), "missing");
    cr_assert_str_eq(os_file_kind_name(OS_FILE_FOLDER), "folder");
    cr_assert_str_eq(os_file_kind_name(OS_FILE_FIFO), "FIFO");
    cr_assert_str_eq(os_file_kind_name(OS_FILE_DEVICE), "device");
}

/* ---- reading -----------------------------------------------------------------------------------
 */

static void assert_not_read(const char *path, size_t size_max, enum err_code code)
{
    struct str out = STR_INIT;
    struct err err;
    err_clear(&err);
    str_add(&out, "before");
    cr_assert_eq(os_read_file(path, size_max, &out, &err), -1, "%s was read", path);
    cr_assert_eq(err.code, code, "%s: %s", path, err.msg);
    cr_assert(strstr(err.msg, path), "'%s' does not name %s", err.msg, path);
    cr_assert_str_eq(out.p, "before");
    cr_assert_eq(out.len, 6);
    str_free(&out);
}

Test(os, a_file_is_read_whole_and_appended)
{
    static char data[10001];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (char)(i * 7);
    put("f", data, sizeof data);
    struct str out = STR_INIT;
    struct err err;
    err_clear(&err);
    str_add(&out, "x");
    cr_assert_eq(os_read_file("f", sizeof data, &out, &err), 0, "%s", err.msg);
    cr_assert_eq(out.len, 1 + sizeof data);
    cr_assert_eq(memcmp(out.p + 1, data, sizeof data), 0);
    str_free(&out);
}

Test(os, a_file_one_byte_over_the_limit_is_refused)
{
    static const char data[8193];
    put("f", data, sizeof data);
    assert_not_read("f", sizeof data - 1, ERR_LIMIT);
    assert_not_read("f", 0, ERR_LIMIT);
}

Test(os, an_empty_file_is_empty)
{
    struct str out = STR_INIT;
    put_empty("f");
    cr_assert_eq(os_read_file("f", 0, &out, NULL), 0);
    cr_assert_eq(out.len, 0);
    str_free(&out);
}

Test(os, a_file_of_proc_is_read_though_its_size_is_stated_as_zero)
{
    struct str out = STR_INIT;
    struct err err;
    err_clear(&err);
    cr_assert_eq(os_read_file("/proc/self/status", 1 << 16, &out, &err), 0, "%s", err.msg);
    cr_assert(str_starts(out.p, "Name:"));
    str_free(&out);
}

Test(os, what_is_no_regular_file_is_refused_at_once, .timeout = 10)
{
    cr_assert_eq(mkfifo("fifo", 0644), 0);
    assert_not_read("fifo", 100, ERR_IO);
    assert_not_read("/dev/zero", 100, ERR_IO);
    assert_not_read("/tmp", 100, ERR_IO);
    assert_not_read("nowhere", 100, ERR_IO);
}

/* ---- walking -----------------------------------------------------------------------------------
 */

struct seen {
    struct str files;    /* a space after each */
    struct str problems; /* path and code, a space after each */
    unsigned stop_after;
};

static int see_file(void *self, const char *path, struct err *err)
{
    struct seen *seen = self;
    str_addf(&seen->files, "%s ", path);
    if (seen->stop_after == 1)
        return err_set(err, ERR_DRIVER, "enough");
    seen->stop_after -= seen->stop_after > 0;
    return 0;
}

static void see_problem(void *self, const char *path, const struct err *problem)
{
    struct seen *seen = self;
    str_addf(&seen->problems, "%s:%s ", path, err_code_name(problem->code));
}

static int walk(const char *dir, struct seen *seen, struct err *err)
{
    struct os_walk_sink sink = { .self = seen, .file = see_file, .problem = see_problem };
    err_clear(err);
    return os_walk(dir, &sink, err);
}

static void assert_walk(const char *dir, const char *files, const char *problems)
{
    struct seen seen = { .files = STR_INIT, .problems = STR_INIT };
    struct err err;
    cr_assert_eq(walk(dir, &seen, &err), 0, "%s", err.msg);
    cr_assert_str_eq(seen.files.p, files);
    cr_assert_str_eq(seen.problems.p, problems);
    str_free(&seen.files);
    str_free(&seen.problems);
}

Test(os, a_tree_is_walked_in_the_order_of_bytes_hidden_names_too)
{
    cr_assert_eq(mkdir("d", 0755), 0);
    cr_assert_eq(mkdir("d/b", 0755), 0);
    cr_assert_eq(mkdir("d/.hidden", 0755), 0);
    put_empty("d/c");
    put_empty("d/B");
    put_empty("d/a");
    put_empty("d/b/2");
    put_empty("d/b/10");
    put_empty("d/.hidden/x");
    put_empty("d/\xc3\xa4");
    assert_walk("d", "d/.hidden/x d/B d/a d/b/10 d/b/2 d/c d/\xc3\xa4 ", "");
    assert_walk("d/", "d/.hidden/x d/B d/a d/b/10 d/b/2 d/c d/\xc3\xa4 ", "");
}

Test(os, links_to_folders_are_not_followed_and_loops_end)
{
    cr_assert_eq(mkdir("d", 0755), 0);
    cr_assert_eq(mkdir("elsewhere", 0755), 0);
    put_empty("elsewhere/f");
    put_empty("d/g");
    cr_assert_eq(symlink("..", "d/up"), 0);
    cr_assert_eq(symlink(".", "d/self"), 0);
    cr_assert_eq(symlink("../elsewhere", "d/else"), 0);
    cr_assert_eq(symlink("loop", "d/loop"), 0);
    assert_walk("d", "d/g ", "");
}

Test(os, a_link_is_followed_when_it_is_what_was_asked_for)
{
    cr_assert_eq(mkdir("d", 0755), 0);
    put_empty("d/f");
    put_empty("d/g");
    cr_assert_eq(symlink("f", "d/link"), 0);
    cr_assert_eq(symlink("d", "e"), 0);
    assert_walk("e", "e/f e/g ", "");
}

Test(os, a_library_with_its_usual_links_comes_once_under_its_own_name)
{
    cr_assert_eq(mkdir("d", 0755), 0);
    put_empty("d/libx.so.1.2");
    cr_assert_eq(symlink("libx.so.1.2", "d/libx.so.1"), 0);
    cr_assert_eq(symlink("libx.so.1", "d/libx.so"), 0);
    assert_walk("d", "d/libx.so.1.2 ", "");
}

Test(os, links_to_a_file_outside_bring_it_once)
{
    cr_assert_eq(mkdir("d", 0755), 0);
    put_empty("dx");
    put_empty("other");
    cr_assert_eq(symlink("../dx", "d/1"), 0);
    cr_assert_eq(symlink("../dx", "d/2"), 0);
    cr_assert_eq(symlink("../other", "d/3"), 0);
    assert_walk("d", "d/1 d/3 ", "");
}

Test(os, hard_links_bring_a_file_once)
{
    cr_assert_eq(mkdir("d", 0755), 0);
    put_empty("d/a");
    cr_assert_eq(link("d/a", "d/b"), 0);
    cr_assert_eq(link("d/a", "outside"), 0);
    cr_assert_eq(symlink("../outside", "d/c"), 0);
    put_empty("d/z");
    assert_walk("d", "d/a d/z ", "");
}

Test(os, many_hard_linked_files_are_told_apart)
{
    char name[32], twin[32];
    cr_assert_eq(mkdir("d", 0755), 0);
    for (int i = 0; i < 500; i++) {
        snprintf(name, sizeof name, "d/a%03d", i);
        snprintf(twin, sizeof twin, "d/b%03d", i);
        put_empty(name);
        cr_assert_eq(link(name, twin), 0);
    }
    struct seen seen = { .files = STR_INIT, .problems = STR_INIT };
    struct err err;
    cr_assert_eq(walk("d", &seen, &err), 0, "%s", err.msg);
    cr_assert_eq(seen.files.len, 500 * strlen("d/a000 "), "%s", seen.files.p);
    cr_assert_not(strchr(seen.files.p, 'b'));
    str_free(&seen.files);
}

Test(os, what_is_no_file_is_passed_over, .timeout = 10)
{
    cr_assert_eq(mkdir("d", 0755), 0);
    cr_assert_eq(mkfifo("d/fifo", 0644), 0);
    cr_assert_eq(symlink("nowhere", "d/dangling"), 0);
    cr_assert_eq(symlink("/dev/null", "d/null"), 0);
    cr_assert_eq(symlink("fifo", "d/to-fifo"), 0);
    put_empty("d/z");
    assert_walk("d", "d/z ", "");
}

Test(os, an_unreadable_folder_is_a_problem_and_the_rest_is_walked)
{
    if (geteuid() == 0 && (setegid(65534) < 0 || chmod(folder, 0777) < 0 || seteuid(65534) < 0))
        cr_skip_test("cannot give up root's rights");
    cr_assert_eq(mkdir("d", 0755), 0);
    cr_assert_eq(mkdir("d/closed", 0755), 0);
    put_empty("d/closed/f");
    put_empty("d/open");
    cr_assert_eq(chmod("d/closed", 0), 0);
    assert_walk("d", "d/open ", "d/closed:io ");
    cr_assert_eq(chmod("d/closed", 0755), 0);
    if (getuid() == 0)
        cr_assert_eq(seteuid(0), 0);
}

/* A folder whose names can be listed but not looked at. */
Test(os, names_that_cannot_be_looked_at_are_problems)
{
    if (geteuid() == 0 && (setegid(65534) < 0 || chmod(folder, 0777) < 0 || seteuid(65534) < 0))
        cr_skip_test("cannot give up root's rights");
    cr_assert_eq(mkdir("d", 0755), 0);
    cr_assert_eq(mkdir("d/listed", 0755), 0);
    put_empty("d/listed/f");
    put_empty("d/open");
    cr_assert_eq(chmod("d/listed", 0444), 0);
    assert_walk("d", "d/open ", "d/listed/f:io ");
    cr_assert_eq(chmod("d/listed", 0755), 0);
    if (getuid() == 0)
        cr_assert_eq(seteuid(0), 0);
}

/* The mount is seen by this test alone. */
Test(os, the_kernels_own_file_systems_are_passed_over_below_a_folder)
{
    cr_assert_eq(mkdir("d", 0755), 0);
    cr_assert_eq(mkdir("d/proc", 0755), 0);
    put_empty("d/a");
    if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount("proc", "d/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL))
        cr_skip_test("no /proc can be mounted here");
    cr_assert_eq(access("d/proc/version", F_OK), 0);
    assert_walk("d", "d/a ", "");
    cr_assert_eq(umount("d/proc"), 0);
}

Test(os, a_folder_that_is_missing_or_none_fails)
{
    struct seen seen = { .files = STR_INIT, .problems = STR_INIT };
    struct err err;
    put_empty("file");
    cr_assert_eq(walk("nowhere", &seen, &err), -1);
    cr_assert_eq(err.code, ERR_IO);
    cr_assert(strstr(err.msg, "'nowhere'"), "%s", err.msg);
    cr_assert_eq(walk("file", &seen, &err), -1);
    cr_assert_eq(seen.problems.len, 0, "told twice: %s", seen.problems.p);
}

Test(os, a_callback_stops_the_walk_with_its_own_error)
{
    struct seen seen = { .files = STR_INIT, .problems = STR_INIT, .stop_after = 2 };
    struct err err;
    cr_assert_eq(mkdir("d", 0755), 0);
    cr_assert_eq(mkdir("d/b", 0755), 0);
    put_empty("d/a");
    put_empty("d/b/x");
    put_empty("d/b/y");
    put_empty("d/c");
    cr_assert_eq(walk("d", &seen, &err), -1);
    cr_assert_str_eq(seen.files.p, "d/a d/b/x ");
    cr_assert_str_eq(err.msg, "enough");
    str_free(&seen.files);
}

Test(os, depth_is_bounded_and_said)
{
    cr_assert_eq(mkdir("d", 0755), 0);
    put_empty("d/top");
    cr_assert_eq(chdir("d"), 0);
    for (unsigned i = 0; i < OS_WALK_DEPTH_MAX + 2; i++) {
        cr_assert_eq(mkdir("n", 0755), 0);
        cr_assert_eq(chdir("n"), 0);
        put_empty("f");
    }
    cr_assert_eq(chdir(folder), 0);
    struct seen seen = { .files = STR_INIT, .problems = STR_INIT };
    struct err err;
    cr_assert_eq(walk("d", &seen, &err), 0, "%s", err.msg);
    size_t files = 0;
    for (const char *p = seen.files.p; (p = strstr(p, "/f ")); p++)
        files++;
    cr_assert_eq(files, OS_WALK_DEPTH_MAX, "%zu files", files);
    cr_assert(str_ends(seen.problems.p, ":limit "), "%s", seen.problems.p);
    cr_assert_eq(strchr(seen.problems.p, ':'), strrchr(seen.problems.p, ':'), "one problem only");
    str_free(&seen.files);
    str_free(&seen.problems);
}
