/* A machine from a saved tree: the driver's parts, nodes, what the package manager offers. The forms
 * are those of the system's files (proc(5), sources.list's indexes, ldconfig -p). */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "doctor/host.h"

static char tree[64];
static struct host host;

static void make_tree(void)
{
    snprintf(tree, sizeof tree, "/tmp/smfit-host-XXXXXX");
    cr_assert_not_null(mkdtemp(tree));
}

static void remove_tree(void)
{
    char command[100];
    host_free(&host);
    snprintf(command, sizeof command, "rm -rf '%s'", tree);
    cr_assert_eq(system(command), 0);
}

TestSuite(host, .init = make_tree, .fini = remove_tree);

static void put(const char *name, const char *text)
{
    char path[600], command[700];
    snprintf(path, sizeof path, "%s%s", tree, name);
    snprintf(command, sizeof command, "mkdir -p \"$(dirname '%s')\"", path);
    cr_assert_eq(system(command), 0);
    FILE *f = fopen(path, "w");
    cr_assert_not_null(f);
    fputs(text, f);
    fclose(f);
}

Test(host, an_empty_tree_has_nothing_and_is_no_fault)
{
    host_read(tree, &host);
    cr_expect_str_eq(host.module, "");
    cr_expect_str_eq(host.library, "");
    cr_expect_eq(host.toolkit_count, 0);
    cr_expect_eq(host.offer_count, 0);
    cr_expect_not(host.nodes_known);
    cr_expect_not(host.wsl);
}

Test(host, module_and_libraries_are_read_with_their_versions)
{
    put("/proc/driver/nvidia/version",
        "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  550.54.15  Tue Mar  5 2024\n");
    put("/usr/lib/x86_64-linux-gnu/libcuda.so.550.54.15", "x");
    put("/usr/lib/x86_64-linux-gnu/libnvidia-ptxjitcompiler.so.535.183.01", "x");
    put("/ldconfig.txt",
        "\tlibcuda.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libcuda.so.550.54.15\n"
        "\tlibnvidia-ptxjitcompiler.so.1 (libc6,x86-64) => "
        "/usr/lib/x86_64-linux-gnu/libnvidia-ptxjitcompiler.so.535.183.01\n");
    host_read(tree, &host);
    cr_expect_str_eq(host.module, "550.54.15");
    cr_expect(host.open_module);
    cr_expect_str_eq(host.library_version, "550.54.15");
    cr_expect_str_eq(host.jit_version, "535.183.01");
    cr_expect_not(host.library_is_compat);
}

Test(host, nodes_that_the_user_may_not_open_are_named_with_their_group)
{
    put("/dev/nvidiactl", "");
    put("/dev/nvidia0", "");
    put("/devices.txt", "nvidiactl 666 root yes\nnvidia0 660 video no\n");
    host_read(tree, &host);
    cr_expect(host.has_control_node);
    cr_expect_eq(host.device_nodes, 1);
    cr_expect_not(host.has_uvm_node);
    cr_expect_str_eq(host.no_access, "nvidia0");
    cr_expect_str_eq(host.node_group, "video");
}

static const struct host_offer *offer(const char *package)
{
    for (size_t i = 0; i < host.offer_count; i++)
        if (strcmp(host.offers[i].package, package) == 0)
            return &host.offers[i];
    return NULL;
}

Test(host, apts_lists_tell_drivers_from_their_parts)
{
    put("/var/lib/apt/lists/archive.ubuntu.com_ubuntu_dists_jammy_restricted_binary-amd64_Packages",
        "Package: nvidia-driver-470\nArchitecture: amd64\nVersion: 470.256.02-0ubuntu0.22.04.1\n\n"
        "Package: libnvidia-gl-470\nVersion: 470.256.02-0ubuntu0.22.04.1\n\n"
        "Package: nvidia-driver-535-open\nVersion: 535.183.01-0ubuntu0.22.04.1\n\n"
        "Package: nvidia-driver-assistant\nVersion: 0.1\n\n"
        "Package: nvidia-legacy-390xx-driver\nArchitecture: amd64\n\n"
        "Package: nvidia-driver\nVersion: 535.183.01-1~deb12u1\n\n");
    put("/var/lib/apt/lists/archive.ubuntu.com_ubuntu_dists_jammy_main_binary-amd64_Packages",
        "Package: nvidia-driver-390\nVersion: 390.1\n\n"); /* no list that has drivers */
    host_read(tree, &host);
    cr_expect_eq(host.offer_count, 4);
    cr_assert_not_null(offer("nvidia-driver-470"));
    cr_expect_eq(offer("nvidia-driver-470")->branch, 470);
    cr_expect_str_eq(offer("nvidia-driver-470")->version, "470.256.02-0ubuntu0.22.04.1");
    cr_assert_not_null(offer("nvidia-legacy-390xx-driver"));
    cr_expect_eq(offer("nvidia-legacy-390xx-driver")->branch, 390);
    cr_expect_str_eq(offer("nvidia-legacy-390xx-driver")->version, "");
    cr_assert_not_null(offer("nvidia-driver"));
    cr_expect_eq(offer("nvidia-driver")->branch, 535);
    cr_expect_null(offer("nvidia-driver-assistant"));
    cr_expect_null(offer("libnvidia-gl-470"));
    cr_expect_not(host.offers_cut);
}

/* Packed by the tools themselves, as apt does with Acquire::GzipIndexes. */
Test(host, compressed_lists_are_read)
{
    static const char *const tools[][2] = {
        { "lz4 -q", "lz4" }, { "xz", "xz" }, { "gzip", "gz" }, { "zstd -q", "zst" }, { "bzip2", "bz2" }
    };
    unsigned packed = 0;
    for (size_t i = 0; i < sizeof tools / sizeof tools[0]; i++) {
        char path[100], text[200], command[900];
        snprintf(path, sizeof path, "/var/lib/apt/lists/x%zu_restricted_binary-amd64_Packages", i);
        snprintf(text, sizeof text, "Package: nvidia-driver-47%zu\nVersion: 47%zu.1\n\n", i, i);
        put(path, text);
        snprintf(command, sizeof command, "%s <'%s%s' >'%s%s.%s' 2>/dev/null; rm '%s%s'; "
                 "test -s '%s%s.%s' || { rm '%s%s.%s'; false; }",
                 tools[i][0], tree, path, tree, path, tools[i][1], tree, path, tree, path, tools[i][1],
                 tree, path, tools[i][1]);
        if (system(command) == 0)
            packed |= 1u << i;
    }
    host_read(tree, &host);
    cr_expect_neq(packed, 0, "none of the tools is here");
    for (unsigned i = 0; i < sizeof tools / sizeof tools[0]; i++) {
        char name[40];
        snprintf(name, sizeof name, "nvidia-driver-47%u", i);
        cr_expect_eq(offer(name) != NULL, packed >> i & 1, "%s", tools[i][1]);
    }
    cr_expect_not(host.offers_cut);
}

Test(host, a_damaged_list_is_said_to_be_unread)
{
    put("/var/lib/apt/lists/x_dists_jammy_restricted_binary-amd64_Packages.lz4", "\x04\x22\x4d\x18x");
    host_read(tree, &host);
    cr_expect_eq(host.offer_count, 0);
    cr_expect(host.offers_cut);
}

Test(host, toolkits_are_found_by_their_own_words_wherever_they_lie)
{
    put("/usr/lib/nvidia-cuda-toolkit/bin/ptxas",
        "....Cuda compilation tools, release 11.8, V11.8.89....");
    put("/opt/cuda-9.0/bin/nvcc", "....Cuda compilation tools, release 9.0, V9.0.176....");
    put("/env.txt", "PATH=/home/u/tk/bin:/usr/bin\n");
    put("/home/u/tk/bin/nvcc", "....Cuda compilation tools, release 12.4, V12.4.131....");
    host_read(tree, &host);
    unsigned found = 0;
    for (size_t i = 0; i < host.toolkit_count; i++)
        found |= strcmp(host.toolkits[i].version, "11.8") == 0  ? 1
                 : strcmp(host.toolkits[i].version, "9.0") == 0 ? 2
                 : strcmp(host.toolkits[i].version, "12.4") == 0 ? 4
                                                                 : 0;
    cr_expect_eq(found, 7);
}
