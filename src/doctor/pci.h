/* NVIDIA GPUs by the PCI bus, from sysfs: needs no driver, no root and no list of names.
 *
 * Every path is read below `sysroot` ("" for the running system), so that a saved copy of another
 * machine's /sys and /proc can be looked at. */
#ifndef DOCTOR_PCI_H
#define DOCTOR_PCI_H

#include <stddef.h>
#include <stdint.h>

#include "core/err.h"

#define PCI_VENDOR_NVIDIA 0x10de
#define PCI_CLASS_3D      0x0302 /* upper two bytes of the class: a display device without outputs */

struct pci_gpu {
    char slot[16]; /* "0000:01:00.0" */
    uint16_t device;
    uint16_t subsystem_vendor, subsystem_device; /* 0 when not readable */
    uint32_t class_code;                         /* 0x030000 VGA, 0x030200 3D controller */
    char driver[32]; /* kernel driver bound to it: "nvidia", "nouveau", "vfio-pci"; "" none */
};

struct pci_gpus {
    struct pci_gpu *list; /* by slot */
    size_t count;
};

/* All display devices of NVIDIA. A machine without a PCI bus has none; -1 when the bus is there and
 * cannot be read. pci_free after both. */
int pci_scan(const char *sysroot, struct pci_gpus *gpus, struct err *err);
void pci_free(struct pci_gpus *gpus);

/* The version of the NVIDIA kernel driver that is loaded, "470.256.02"; "" when none is. */
void pci_driver_version(const char *sysroot, char *version, size_t size);

#endif
