/* cuDeviceGetAttribute: figures from the card's row and its capability's limits. Attributes whose
 * value is not known here, and those that came later than the driver, are INVALID_VALUE, never an
 * invented number. */
#include "vgpu/drv_state.h"

/* What depends on nothing but being a CUDA device of capability 3.0 and later. Source: Programming
 * Guide, technical specifications; texture limits are left out, there are no textures. */
static const struct {
    int attribute, value;
} constants[] = {
    { 1, 1024 },       /* threads a block */
    { 2, 1024 },       /* block x */
    { 3, 1024 },       /* y */
    { 4, 64 },         /* z */
    { 5, 2147483647 }, /* grid x */
    { 6, 65535 },      /* y */
    { 7, 65535 },      /* z */
    { 8, DRV_CARD_SHARED_BLOCK },
    { 9, 65536 },       /* constant memory */
    { 10, 32 },         /* warp */
    { 11, 2147483647 }, /* pitch */
    { 14, 512 },        /* texture alignment */
    { 15, 1 },          /* copy and execute */
    { 18, 0 },          /* integrated */
    { 19, 1 },          /* maps host memory */
    { 20, 0 },          /* compute mode: default */
    { 31, 1 },          /* concurrent kernels */
    { 32, 0 },          /* ECC */
    { 34, 0 },          /* PCI device */
    { 40, 1 },          /* copy engines */
    { 41, 1 },          /* unified addressing */
    { 50, 0 },          /* PCI domain */
    { 51, 32 },         /* texture pitch alignment */
    { 78, 1 },          /* stream priorities */
    { 79, 1 },          /* global L1 */
    { 80, 1 },          /* local L1 */
    { 83, 0 },          /* managed memory: not there */
    { 84, 0 },          /* multi-GPU board */
    { 86, 0 },          /* native atomics with the host */
    { 88, 0 },          /* pageable memory access */
    { 89, 0 },          /* concurrent managed access */
    { 91, 0 },          /* registered memory at the host's address */
    { 92, 0 },          /* stream memory operations */
    { 93, 0 },
    { 94, 0 },
    { 95, 0 }, /* cooperative launch: not there */
    { 96, 0 },
    { 99, 0 }, /* host memory registration: not there */
    { 100, 0 },
    { 101, 0 },
    { 102, 0 }, /* virtual memory management: not there */
    { 107, 0 },
    { 115, 0 }, /* memory pools: not there */
    { 116, 0 },
    { 120, 0 }, /* clusters: not there */
};

/* CUDA version of the header in which the highest attribute of a range first appeared. */
static int since(int attribute)
{
    static const struct {
        int last, cuda;
    } ranges[] = { { 94, 8000 },   { 98, 9000 },   { 101, 9020 },
                   { 105, 10020 }, { 111, 11000 }, { 119, 11030 } };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (attribute <= ranges[i].last)
            return ranges[i].cuda;
    return 11080;
}

static bool constant(int attribute, int *value)
{
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        if (constants[i].attribute == attribute) {
            *value = constants[i].value;
            return true;
        }
    return false;
}

static int khz(double mhz)
{
    return (int)(mhz * 1000);
}

/* From bandwidth and bus width, two transfers a clock: what the attribute means by the memory's
 * clock differs between kinds of memory, but this product is what programs compute from it. */
static int memory_khz(const struct drv_card *card)
{
    return (int)(card->bandwidth_gbps * 1e6 / (card->bus_bits / 8.0) / 2);
}

static bool hardware(const struct drv_device *device, int attribute, int *value)
{
    const struct drv_card *card = device->card;
    const struct drv_limits *limits = drv_card_limits(card);
    switch (attribute) {
    case 12:
        *value = (int)limits->regs_block;
        return true;
    case 13:
        *value = khz(card->boost_mhz);
        return true;
    case 16:
        *value = (int)card->sms;
        return true;
    case 17: /* a watchdog, as on a machine whose display this card drives */
        *value = card->display;
        return true;
    case 33:
        *value = (int)device->bus;
        return true;
    case 35: /* Windows: server cards run without the display driver */
        *value = drv_state.config.driver.os == DRV_WINDOWS && !card->display;
        return true;
    case 36:
        *value = memory_khz(card);
        return true;
    case 37:
        *value = (int)card->bus_bits;
        return true;
    case 38:
        *value = (int)card->l2_bytes;
        return true;
    case 39:
        *value = (int)limits->threads_sm;
        return true;
    case 75:
        *value = (int)(card->cc / 10);
        return true;
    case 76:
        *value = (int)(card->cc % 10);
        return true;
    case 81:
        *value = (int)limits->shared_sm;
        return true;
    case 82:
        *value = (int)limits->regs_sm;
        return true;
    case 87:
        *value = card->fp64_ratio > 0 ? (int)(1 / card->fp64_ratio + 0.5) : 0;
        return card->fp64_ratio > 0;
    case 90:
        *value = card->cc >= 60;
        return true;
    case 97:
        *value = (int)limits->shared_block_optin;
        return true;
    case 106:
        *value = (int)limits->blocks_sm;
        return true;
    case 111:
        *value = (int)limits->shared_reserved;
        return true;
    default:
        return false;
    }
}

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    int code = drv_enter("cuDeviceGetAttribute", DRV_INIT);
    const struct drv_device *found = drv_device_at(device);
    if (code == DRV_OK && !found)
        code = DRV_INVALID_DEVICE;
    if (code == DRV_OK && (!value || since(attribute) > drv_state.config.driver.cuda))
        code = DRV_INVALID_VALUE;
    if (code == DRV_OK && !hardware(found, attribute, value) && !constant(attribute, value))
        code = DRV_INVALID_VALUE;
    return drv_leave(code);
}
