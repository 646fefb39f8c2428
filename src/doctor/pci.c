#include "doctor/pci.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/os.h"
#include "core/str.h"

#define DEVICES_MAX   4096
#define CLASS_DISPLAY 0x03
#define PATH_SIZE     (PATH_MAX + 512)

/* The start of a small file, without trailing blanks; false when it cannot be read. */
static bool read_start(const char *path, char *text, size_t size)
{
    struct err unused;
    err_clear(&unused);
    int fd = os_open_regular(path, &unused);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, text, size - 1);
    close(fd);
    if (n < 0)
        return false;
    while (n > 0 && isspace((unsigned char)text[n - 1]))
        n--;
    text[n] = 0;
    return true;
}

/* sysfs writes numbers as "0x10de". 0 when the file is missing or is not such a number. */
static uint32_t read_hex(const char *device_path, const char *name)
{
    char path[PATH_SIZE], text[32], *end;
    snprintf(path, sizeof path, "%s/%s", device_path, name);
    if (!read_start(path, text, sizeof text))
        return 0;
    errno = 0;
    unsigned long value = strtoul(text, &end, 16);
    return errno || *end || value > UINT32_MAX ? 0 : (uint32_t)value;
}

/* "driver" is a link to the driver's folder; its last part is the name. */
static void read_driver(const char *device_path, char *driver, size_t size)
{
    char path[PATH_SIZE], target[PATH_SIZE];
    snprintf(path, sizeof path, "%s/driver", device_path);
    ssize_t n = readlink(path, target, sizeof target - 1);
    target[n > 0 ? n : 0] = 0;
    const char *slash = strrchr(target, '/');
    str_copy(driver, size, slash ? slash + 1 : target);
}

static bool read_gpu(const char *device_path, const char *slot, struct pci_gpu *gpu)
{
    *gpu = (struct pci_gpu){ 0 };
    gpu->class_code = read_hex(device_path, "class");
    if (read_hex(device_path, "vendor") != PCI_VENDOR_NVIDIA ||
        gpu->class_code >> 16 != CLASS_DISPLAY)
        return false;
    str_copy(gpu->slot, sizeof gpu->slot, slot);
    gpu->device = (uint16_t)read_hex(device_path, "device");
    gpu->subsystem_vendor = (uint16_t)read_hex(device_path, "subsystem_vendor");
    gpu->subsystem_device = (uint16_t)read_hex(device_path, "subsystem_device");
    read_driver(device_path, gpu->driver, sizeof gpu->driver);
    return true;
}

static int add(struct pci_gpus *gpus, const struct pci_gpu *gpu, struct err *err)
{
    struct pci_gpu *list = reallocarray(gpus->list, gpus->count + 1, sizeof *list);
    if (!list)
        return err_set(err, ERR_MEMORY, "out of memory");
    gpus->list = list;
    list[gpus->count++] = *gpu;
    return 0;
}

static int by_slot(const void *a, const void *b)
{
    return strcmp(((const struct pci_gpu *)a)->slot, ((const struct pci_gpu *)b)->slot);
}

int pci_scan(const char *sysroot, struct pci_gpus *gpus, struct err *err)
{
    char bus[PATH_MAX], path[PATH_MAX + NAME_MAX + 2];
    *gpus = (struct pci_gpus){ 0 };
    snprintf(bus, sizeof bus, "%s/sys/bus/pci/devices", sysroot);
    DIR *dir = opendir(bus);
    if (!dir)
        return errno == ENOENT ? 0 : err_errno(err, "cannot read '%s'", bus);
    struct dirent *entry;
    struct pci_gpu gpu;
    for (size_t seen = 0; (entry = readdir(dir)) && seen < DEVICES_MAX; seen++) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", bus, entry->d_name);
        if (read_gpu(path, entry->d_name, &gpu) && add(gpus, &gpu, err))
            goto fail;
    }
    closedir(dir);
    if (gpus->count)
        qsort(gpus->list, gpus->count, sizeof *gpus->list, by_slot);
    return 0;
fail:
    closedir(dir);
    pci_free(gpus);
    return -1;
}

void pci_free(struct pci_gpus *gpus)
{
    free(gpus->list);
    *gpus = (struct pci_gpus){ 0 };
}

/* The first word that looks like a version: digits and dots, with a dot. In both forms of the line,
 * "... Kernel Module  470.256.02  Thu ..." and "... Kernel Module for x86_64  535.54.03  Release
 * ...". */
static bool find_version(const char *text, char *version, size_t size)
{
    while (*text) {
        size_t n = strcspn(text, " \t\n");
        bool is_version = n && strspn(text, "0123456789.") == n && memchr(text, '.', n) &&
                          isdigit((unsigned char)text[0]) && n < size;
        if (is_version) {
            memcpy(version, text, n);
            version[n] = 0;
            return true;
        }
        text += n;
        text += strspn(text, " \t\n");
    }
    return false;
}

void pci_driver_version(const char *sysroot, char *version, size_t size)
{
    static const char *const files[] = { "/sys/module/nvidia/version",
                                         "/proc/driver/nvidia/version" };
    char path[PATH_SIZE], text[512];
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        snprintf(path, sizeof path, "%s%s", sysroot, files[i]);
        if (read_start(path, text, sizeof text) && find_version(text, version, size))
            return;
    }
    version[0] = 0;
}
