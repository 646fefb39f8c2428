/* Environments that mean harm, or are merely odd: bounded time and memory, and what could be looked
 * at stands. Scaled down: figures for the full size are in tests/doctor/README.md. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/os.h"
#include "doctor/doctor.h"
#include "doctor/saved_image.h"
#include "doctor_tree.h"

#define SITE "/e/lib/python3.8/site-packages"

static struct doctor d;

static void make_tree(void)
{
    tree_make();
    d = (struct doctor){ .sysroot = tree };
    d.gpus[0] = (struct doctor_gpu){ .rule = { .cc = 35, .os = ARCH_LINUX } };
    d.gpu_count = 1;
    tree_run("mkdir -p ." SITE);
}

static void remove_tree(void)
{
    doctor_free(&d);
    tree_remove();
}

TestSuite(packages, .init = make_tree, .fini = remove_tree);

static void look(uint64_t time_ms)
{
    static const char *const pythons[] = { "/e" };
    const struct doctor_request request = { .pythons = pythons,
                                            .python_count = 1,
                                            .time_ms = time_ms };
    struct err err;
    err_clear(&err);
    host_read(tree, &d.host);
    cr_assert_eq(doctor_run(&d, &request, &err), 0, "%s", err.msg);
}

static long peak_kib(void)
{
    struct rusage usage;
    cr_assert_eq(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss;
}

static const struct doctor_package *package(const char *name)
{
    for (size_t i = 0; i < d.package_count; i++)
        if (strcmp(d.packages[i].name, name) == 0)
            return &d.packages[i];
    return NULL;
}

Test(packages, loops_fifos_and_unreadable_folders_are_passed_by)
{
    tree_run("cd ." SITE " && ln -s . loop && ln -s loop2 loop2 && mkfifo pipe.so && mkdir shut && "
        "chmod 0 shut && ln -s /dev/zero zero.so && head -c 500 /dev/zero >plain.so");
    look(0);
    cr_expect_not(d.partial);
    cr_expect_lt(peak_kib(), 256 * 1024);
}

/* Permissions do not hold back the superuser: the look is a plain user's. */
static void look_as_nobody(void)
{
    uid_t was = geteuid();
    tree_run("chmod 755 .");
    if (!was)
        cr_assert_eq(seteuid(65534), 0);
    look(0);
    if (!was)
        cr_assert_eq(seteuid(was), 0);
}

Test(packages, what_may_not_be_read_is_counted_and_named)
{
    tree_run("cd ." SITE " && mkdir open shut && head -c 500 /dev/zero >open/a.so && "
        "head -c 500 /dev/zero >open/b.so && chmod 0 open/b.so shut");
    look_as_nobody();
    cr_expect_eq(d.unread_count, 2, "%zu", d.unread_count);
    cr_expect_str_eq(d.unread, SITE "/open/b.so");
    cr_expect_str_eq(d.unread_why.msg, "Permission denied");
}

Test(packages, notes_of_pip_that_may_not_be_read_are_named)
{
    tree_run("cd ." SITE
        " && mkdir a-1.dist-info b-1.dist-info && echo 'Name: a' >a-1.dist-info/METADATA && "
        "echo 'a.so,,' >a-1.dist-info/RECORD && chmod 0 a-1.dist-info/* b-1.dist-info");
    look_as_nobody();
    cr_expect_eq(d.unread_count, 3, "%zu", d.unread_count);
    cr_expect_str_eq(d.unread, SITE "/a-1.dist-info/METADATA");
    cr_expect_not_null(package("a"));
}

Test(packages, an_environment_that_may_not_be_read_is_not_an_empty_one)
{
    tree_run("chmod 0 ." SITE);
    look_as_nobody();
    cr_expect_eq(d.unread_count, 1, "%zu", d.unread_count);
    cr_expect_str_eq(d.unread, SITE);
}

Test(packages, folders_of_conda_that_may_not_be_read_are_named)
{
    tree_run("mkdir -p e/conda-meta e/bin && echo '{}' >e/conda-meta/a.json && chmod 0 e/bin");
    look_as_nobody();
    cr_expect_eq(d.unread_count, 1, "%zu", d.unread_count);
    cr_expect_str_eq(d.unread, "/e/bin");
}

/* Nobody asked for them, and on most machines some belong to others (/opt/containerd). */
Test(packages, what_doctor_looks_into_by_itself_may_be_shut)
{
    static const char *const apps[] = { "/e" };
    const struct doctor_request request = { .apps = apps, .app_count = 1 };
    struct err err;
    uid_t was = geteuid();
    err_clear(&err);
    tree_run("mkdir -p opt/shut usr/local/shut && chmod 0 opt/shut usr/local/shut && chmod 755 .");
    host_read(tree, &d.host);
    if (!was)
        cr_assert_eq(seteuid(65534), 0);
    cr_assert_eq(doctor_run(&d, &request, &err), 0, "%s", err.msg);
    if (!was)
        cr_assert_eq(seteuid(was), 0);
    cr_expect_geq(d.problems, 1);
    cr_expect_eq(d.unread_count, 0, "%s", d.unread);
}

/* /proc/self/exe is cp itself: a whole ELF file of the system's linker. */
Test(packages, a_library_without_its_end_is_not_one_without_gpu_code)
{
    tree_run("cd ." SITE " && cp /proc/self/exe whole.so && head -c 5000 whole.so >cut.so && "
        "cp cut.so cut.so.debug && printf 'INPUT(-lm) %0100d' 0 >script.so");
    look(0);
    cr_expect_eq(d.unread_count, 1, "%zu", d.unread_count);
    cr_expect_str_eq(d.unread, SITE "/cut.so");
    cr_expect_eq(d.unread_why.code, ERR_FORMAT);
}

Test(packages, many_empty_files_make_no_packages)
{
    tree_run("cd ." SITE " && for k in $(seq 40); do mkdir p$k && (cd p$k && seq -f f%g.so 500 | xargs "
        "touch); done");
    look(0);
    cr_expect_geq(d.files_seen, 20000);
    cr_expect_eq(d.package_count, 0);
    cr_expect_lt(peak_kib(), 256 * 1024);
}

Test(packages, a_huge_hole_ends_with_the_time_and_is_said_to_be_partial)
{
    tree_run("cd ." SITE " && truncate -s 200G huge.so && printf '\\177ELF\\2\\1\\1' | "
        "dd of=huge.so conv=notrunc 2>/dev/null");
    uint64_t start = os_now_ns();
    look(300);
    cr_expect(d.partial);
    cr_expect_lt(os_now_ns() - start, 60000000000u);
    cr_expect_lt(peak_kib(), 256 * 1024);
}

Test(packages, metadata_that_lies_is_bounded)
{
    tree_run("cd ." SITE " && mkdir torch-1.0.dist-info && cd torch-1.0.dist-info && "
        "printf 'Name: torch\\nVersion: 1.0\\n' >METADATA && "
        "yes '../../../../etc/passwd,sha256=x,999999999999' | head -200000 >RECORD");
    tree_run("cd ." SITE " && mkdir long-1.0.dist-info && yes | tr -d '\\n' | head -c 3000000 "
        ">long-1.0.dist-info/METADATA");
    tree_run("mkdir -p e/conda-meta && printf '{\"name\": 7, \"files\": {}}' >e/conda-meta/a.json && "
        "printf '{\"name\": \"cudnn\", \"files\": [1, null, \"../../x.so\"], \"depends\": \"x\"}' "
        ">e/conda-meta/b.json && printf '[' >e/conda-meta/c.json");
    look(0);
    cr_expect_not_null(package("torch"));
    cr_expect_not_null(package("cudnn"));
    cr_expect_lt(peak_kib(), 256 * 1024);
}

Test(packages, a_name_over_condas_own_is_noted_as_a_mix)
{
    tree_run("mkdir -p e/conda-meta && printf '{\"name\": \"pytorch\", \"version\": \"1.12.1\", "
        "\"build\": \"py3.8_cuda11.3_cudnn8.3.2_0\", \"channel\": "
        "\"https://conda.anaconda.org/pytorch/linux-64\"}' >e/conda-meta/pytorch-1.12.1.json");
    tree_run("cd ." SITE " && mkdir torch-2.0.0.dist-info && cd torch-2.0.0.dist-info && "
        "printf 'Name: torch\\nVersion: 2.0.0\\n' >METADATA && printf 'pip\\n' >INSTALLER");
    look(0);
    cr_assert_eq(d.mix_count, 1);
    cr_expect_str_eq(d.mixes[0].conda_name, "pytorch");
    cr_expect_str_eq(d.mixes[0].conda_version, "1.12.1");
}

Test(packages, conda_says_what_a_package_was_built_for)
{
    tree_run("mkdir -p e/conda-meta && printf '{\"name\": \"pytorch\", \"version\": \"1.12.1\", "
        "\"build\": \"py3.8_cuda11.3_cudnn8.3.2_0\", \"channel\": "
        "\"https://conda.anaconda.org/pytorch/linux-64\"}' >e/conda-meta/pytorch-1.12.1.json");
    look(0);
    const struct doctor_package *p = package("pytorch");
    cr_assert_not_null(p);
    cr_expect_str_eq(p->channel, "pytorch");
    cr_expect_str_eq(p->cuda, "11.3");
    cr_expect_eq(p->origin, DOCTOR_CONDA);
}

/* Two layers: the second takes a file of the first away, and one name tries to leave the tree. */
Test(packages, a_saved_image_is_laid_out_by_its_layers)
{
    struct saved_image image;
    struct err err;
    char path[200], full[800];
    struct stat st;
    tree_run("mkdir -p a/opt/site b/opt/site c && head -c 100 /dev/zero >a/opt/site/old.so && "
        "head -c 100 /dev/zero >a/opt/site/kept.so && touch b/opt/site/.wh.old.so && "
        "mkdir -p one two && tar -C a -cf one/layer.tar opt && "
        "tar -C b -cf two/layer.tar opt && "
        "printf '{\"config\": {\"Env\": [\"VIRTUAL_ENV=/opt\"]}}' >abc.json && "
        "printf '[{\"Config\": \"abc.json\", \"Layers\": [\"one/layer.tar\", \"two/layer.tar\"]}]' "
        ">manifest.json && tar -cf image.tar abc.json manifest.json one two");
    snprintf(path, sizeof path, "%s/image.tar", tree);
    err_clear(&err);
    cr_assert_eq(saved_image_open(path, 0, &image, &err), 0, "%s", err.msg);
    snprintf(full, sizeof full, "%s/root/opt/site/kept.so", image.folder);
    cr_expect_eq(stat(full, &st), 0);
    snprintf(full, sizeof full, "%s/root/opt/site/old.so", image.folder);
    cr_expect_neq(stat(full, &st), 0);
    snprintf(full, sizeof full, "%s/root/env.txt", image.folder);
    cr_expect_eq(stat(full, &st), 0);
    char folder[600];
    str_copy(folder, sizeof folder, image.folder);
    saved_image_close(&image);
    cr_expect_neq(stat(folder, &st), 0);
}

Test(packages, what_is_no_image_is_refused_and_leaves_nothing)
{
    struct saved_image image;
    struct err err;
    char path[200], folder[600];
    struct stat st;
    tree_run("printf x >x && tar -cf plain.tar x");
    snprintf(path, sizeof path, "%s/plain.tar", tree);
    err_clear(&err);
    cr_assert_neq(saved_image_open(path, 0, &image, &err), 0);
    cr_expect_eq(err.code, ERR_FORMAT);
    str_copy(folder, sizeof folder, image.folder);
    saved_image_close(&image);
    cr_expect_neq(stat(folder, &st), 0);
}
