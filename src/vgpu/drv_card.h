/* The cards that the virtual GPU can play: the hardware figures of src/data/cards.tsv, the limits
 * of their compute capability, and the driver versions that know them. */
#ifndef VGPU_DRV_CARD_H
#define VGPU_DRV_CARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"
#include "vgpu/drv_driver.h"

struct drv_card {
    char name[96];  /* as the table prints it */
    char shown[96]; /* as a driver prints it: without what stands in brackets */
    char chip[32];
    bool notebook;
    bool display; /* may drive a display, so that long kernels meet a watchdog */
    unsigned cc;  /* 35 */
    unsigned drivers_of_cc; /* whose drivers know it, when the name said another cc; else 0 */
    unsigned pci_vendor, pci_device;
    unsigned sms, cores;
    double base_mhz, boost_mhz; /* boost is base where there is none */
    uint64_t memory_bytes;
    unsigned bus_bits;
    double bandwidth_gbps;
    uint64_t l2_bytes;
    double fp16_ratio, fp64_ratio; /* of the fp32 rate; 0: not there */
    double tensor_fma;             /* a clock and multiprocessor, dense fp16; 0: no tensor cores */
    double launch_us, h2d_gbps;    /* 0: unknown */
};

/* Limits of a compute capability. Source: CUDA C++ Programming Guide, technical specifications per
 * compute capability (editions 9.0, 11.8, 13.0). */
struct drv_limits {
    unsigned cc; /* of the row that was used: the highest known that is not above the card's */
    unsigned threads_sm, blocks_sm;
    unsigned regs_sm, regs_block, regs_thread;
    unsigned shared_sm, shared_block_optin; /* bytes; 48 KiB a block without opting in */
    unsigned shared_unit, shared_reserved;  /* allocation unit, and what each block pays besides */
};

enum { DRV_CARD_SHARED_BLOCK = 48 << 10 };

/* Finds a card by the name that the table prints, or by a shortened one: without case, blanks,
 * hyphens, brackets and NVIDIA's family words. Among several of the same capability the first that
 * is no rare OEM part; ERR_USAGE when they differ, when none is meant, or when its row lacks a
 * figure that is needed. "NAME@5.3" is that card with another capability, for tests of images that no
 * card of the table can load. */
int drv_card_find(struct drv_card *card, const char *name, struct err *err);

const struct drv_limits *drv_card_limits(const struct drv_card *card);

/* The first and last driver branch that know the card on this system; last 0: still supported.
 * Branches before 340 are not known here, so `first` is at least 340. */
void drv_card_window(const struct drv_card *card, enum drv_os os, unsigned *first, unsigned *last);
bool drv_card_enumerated(const struct drv_card *card, const struct drv_driver *driver);

#endif
