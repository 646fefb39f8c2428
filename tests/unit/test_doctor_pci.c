#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "doctor/pci.h"

static char root[64];

static void make_folder(const char *path)
{
    char command[512];
    snprintf(command, sizeof command, "mkdir -p '%s%s'", root, path);
    cr_assert_eq(system(command), 0, "%s", path);
}

static void make_file(const char *path, const char *text)
{
    char full[512];
    snprintf(full, sizeof full, "%s%s", root, path);
    FILE *f = fopen(full, "w");
    cr_assert_not_null(f, "%s", full);
    fputs(text, f);
    fclose(f);
}

static void make_device(const char *slot, const char *vendor, const char *device, const char *class,
                        const char *driver)
{
    char path[256], link[512];
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s", slot);
    make_folder(path);
    const struct {
        const char *name, *text;
    } files[] = { { "vendor", vendor },
                  { "device", device },
                  { "class", class },
                  { "subsystem_vendor", "0x17aa\n" },
                  { "subsystem_device", "0x3801\n" } };
    for (size_t i = 0; i < 5; i++) {
        snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/%s", slot, files[i].name);
        make_file(path, files[i].text);
    }
    snprintf(link, sizeof link, "%s/sys/bus/pci/devices/%s/driver", root, slot);
    snprintf(path, sizeof path, "../../../../bus/pci/drivers/%s", driver);
    if (*driver)
        cr_assert_eq(symlink(path, link), 0);
}

static void start(void)
{
    snprintf(root, sizeof root, "/tmp/smfit-pci-XXXXXX");
    cr_assert_not_null(mkdtemp(root));
}

static void end(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    cr_assert_eq(system(command), 0);
}

TestSuite(pci, .init = start, .fini = end);

Test(pci, an_optimus_notebook_has_one_gpu_of_nvidia)
{
    make_device("0000:00:02.0", "0x8086\n", "0x1916\n", "0x030000\n", "i915");
    make_device("0000:01:00.0", "0x10de\n", "0x1299\n", "0x030200\n", "nouveau");
    make_device("0000:00:1f.3", "0x8086\n", "0x9d70\n", "0x040300\n", "");
    struct pci_gpus gpus;
    struct err err;
    err_clear(&err);
    cr_assert_eq(pci_scan(root, &gpus, &err), 0, "%s", err.msg);
    cr_assert_eq(gpus.count, 1);
    cr_assert_str_eq(gpus.list[0].slot, "0000:01:00.0");
    cr_assert_eq(gpus.list[0].device, 0x1299);
    cr_assert_eq(gpus.list[0].class_code, 0x030200);
    cr_assert_eq(gpus.list[0].subsystem_vendor, 0x17aa);
    cr_assert_str_eq(gpus.list[0].driver, "nouveau");
    pci_free(&gpus);
}

Test(pci, the_sound_device_of_a_card_is_no_gpu)
{
    make_device("0000:01:00.1", "0x10de\n", "0x10f0\n", "0x040300\n", "snd_hda_intel");
    struct pci_gpus gpus;
    struct err err;
    err_clear(&err);
    cr_assert_eq(pci_scan(root, &gpus, &err), 0);
    cr_assert_eq(gpus.count, 0);
    pci_free(&gpus);
}

Test(pci, several_gpus_come_in_the_order_of_their_slots)
{
    make_device("0000:82:00.0", "0x10de\n", "0x102d\n", "0x030200\n", "nvidia");
    make_device("0000:03:00.0", "0x10de\n", "0x1347\n", "0x030000\n", "");
    struct pci_gpus gpus;
    struct err err;
    err_clear(&err);
    cr_assert_eq(pci_scan(root, &gpus, &err), 0);
    cr_assert_eq(gpus.count, 2);
    cr_assert_eq(gpus.list[0].device, 0x1347);
    cr_assert_str_eq(gpus.list[0].driver, "");
    cr_assert_eq(gpus.list[1].device, 0x102d);
    cr_assert_str_eq(gpus.list[1].driver, "nvidia");
    pci_free(&gpus);
}

Test(pci, a_machine_without_a_pci_bus_has_no_gpu)
{
    struct pci_gpus gpus;
    struct err err;
    err_clear(&err);
    cr_assert_eq(pci_scan(root, &gpus, &err), 0);
    cr_assert_eq(gpus.count, 0);
}

Test(pci, a_bus_that_cannot_be_read_is_an_error)
{
    make_folder("/sys/bus/pci");
    make_file("/sys/bus/pci/devices", "");
    struct pci_gpus gpus;
    struct err err;
    err_clear(&err);
    cr_assert_eq(pci_scan(root, &gpus, &err), -1);
    cr_assert_eq(err.code, ERR_IO);
}

Test(pci, files_that_hold_no_number_are_no_gpu)
{
    make_device("0000:01:00.0", "0x10dezzz\n", "0x1299\n", "0x030200\n", "");
    make_device("0000:02:00.0", "", "", "", "");
    struct pci_gpus gpus;
    struct err err;
    err_clear(&err);
    cr_assert_eq(pci_scan(root, &gpus, &err), 0);
    cr_assert_eq(gpus.count, 0);
}

/* Opening a FIFO that nobody writes to waits for ever: the test would not end. */
Test(pci, a_fifo_in_the_place_of_any_file_is_not_waited_for, .timeout = 10)
{
    static const char *const names[] = { "vendor", "device", "class", "subsystem_vendor",
                                         "subsystem_device" };
    make_device("0000:01:00.0", "0x10de\n", "0x1299\n", "0x030200\n", "");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char slot[32], path[256];
        snprintf(slot, sizeof slot, "0000:02:00.%zu", i);
        make_device(slot, "0x10de\n", "0x1347\n", "0x030200\n", "");
        snprintf(path, sizeof path, "%s/sys/bus/pci/devices/%s/%s", root, slot, names[i]);
        cr_assert_eq(unlink(path), 0);
        cr_assert_eq(mkfifo(path, 0644), 0);
    }
    struct pci_gpus gpus;
    struct err err;
    err_clear(&err);
    cr_assert_eq(pci_scan(root, &gpus, &err), 0, "%s", err.msg);
    cr_assert_eq(gpus.count, 4, "%zu", gpus.count); /* without its vendor or class it is none */
    cr_assert_eq(gpus.list[0].device, 0x1299);
    cr_assert_eq(gpus.list[1].device, 0);
    cr_assert_eq(gpus.list[3].subsystem_device, 0);
    pci_free(&gpus);
}

Test(pci, a_fifo_tells_no_version_of_the_driver, .timeout = 10)
{
    char version[32] = "x", path[256];
    make_folder("/proc/driver/nvidia");
    make_folder("/sys/module/nvidia");
    snprintf(path, sizeof path, "%s/sys/module/nvidia/version", root);
    cr_assert_eq(mkfifo(path, 0644), 0);
    snprintf(path, sizeof path, "%s/proc/driver/nvidia/version", root);
    cr_assert_eq(mkfifo(path, 0644), 0);
    pci_driver_version(root, version, sizeof version);
    cr_assert_str_eq(version, "");
}

/* The first two as the drivers print them; the others hold no version. */
static const struct {
    const char *file, *text, *version;
} lines[] = {
    { "/proc/driver/nvidia/version",
      "NVRM version: NVIDIA UNIX x86_64 Kernel Module  470.256.02  Thu May  2 14:37:44 UTC 2024\n"
      "GCC version:  gcc version 12.2.0 (Debian 12.2.0-14)\n",
      "470.256.02" },
    { "/proc/driver/nvidia/version",
      "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  535.54.03  Release Build  (x@y)\n",
      "535.54.03" },
    { "/sys/module/nvidia/version", "390.157\n", "390.157" },
    { "/proc/driver/nvidia/version", "NVRM version:\n", "" },
    { "/sys/module/nvidia/version", "", "" },
};

Test(pci, the_version_of_the_kernel_driver_is_found_in_each_form)
{
    make_folder("/proc/driver/nvidia");
    make_folder("/sys/module/nvidia");
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char version[32], full[256];
        make_file(lines[i].file, lines[i].text);
        pci_driver_version(root, version, sizeof version);
        cr_assert_str_eq(version, lines[i].version, "line %zu gave '%s'", i, version);
        snprintf(full, sizeof full, "%s%s", root, lines[i].file);
        cr_assert_eq(unlink(full), 0);
    }
}

Test(pci, no_driver_has_an_empty_version)
{
    char version[32] = "x";
    pci_driver_version(root, version, sizeof version);
    cr_assert_str_eq(version, "");
}
