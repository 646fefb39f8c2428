#include "vgpu/drv_nvml.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "vgpu/drv_config.h"
#include "vgpu/drv_log.h"

enum {
    NVML_OK = 0,
    NVML_UNINITIALIZED = 1,
    NVML_INVALID_ARGUMENT = 2,
    NVML_NOT_SUPPORTED = 3,
    NVML_NOT_FOUND = 6,
    NVML_INSUFFICIENT_SIZE = 7,
    NVML_DRIVER_NOT_LOADED = 9,
};

enum { CLOCK_GRAPHICS, CLOCK_SM, CLOCK_MEMORY };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct drv_config config;
static const struct drv_card *cards[DRV_CARDS_MAX];
static unsigned buses[DRV_CARDS_MAX];
static unsigned card_count, users;

static int init(void)
{
    struct err err;
    err_clear(&err);
    pthread_mutex_lock(&lock);
    int code = NVML_OK;
    if (users == 0) {
        card_count = 0;
        if (drv_config_read(&config, &err) < 0) {
            drv_log("no management library: %s", err.msg);
            code = NVML_DRIVER_NOT_LOADED;
        }
        for (size_t i = 0; code == NVML_OK && i < config.card_count; i++)
            if (drv_card_enumerated(&config.cards[i], &config.driver)) {
                buses[card_count] = (unsigned)i + 1;
                cards[card_count++] = &config.cards[i];
            }
    }
    users += code == NVML_OK;
    pthread_mutex_unlock(&lock);
    return code;
}

int nvmlInit(void)
{
    return init();
}

int nvmlInit_v2(void)
{
    return init();
}

int nvmlShutdown(void)
{
    pthread_mutex_lock(&lock);
    int code = users ? NVML_OK : NVML_UNINITIALIZED;
    users -= users > 0;
    pthread_mutex_unlock(&lock);
    return code;
}

const char *nvmlErrorString(int code)
{
    static const struct {
        int code;
        const char *text;
    } texts[] = { { NVML_OK, "Success" },
                  { NVML_UNINITIALIZED, "Uninitialized" },
                  { NVML_INVALID_ARGUMENT, "Invalid Argument" },
                  { NVML_NOT_SUPPORTED, "Not Supported" },
                  { NVML_NOT_FOUND, "Not Found" },
                  { NVML_INSUFFICIENT_SIZE, "Insufficient Size" },
                  { NVML_DRIVER_NOT_LOADED, "Driver Not Loaded" } };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].code == code)
            return texts[i].text;
    return "Unknown Error";
}

static int give_text(char *to, unsigned size, const char *text)
{
    if (!users)
        return NVML_UNINITIALIZED;
    if (!to)
        return NVML_INVALID_ARGUMENT;
    if (strlen(text) + 1 > size)
        return NVML_INSUFFICIENT_SIZE;
    memcpy(to, text, strlen(text) + 1);
    return NVML_OK;
}

int nvmlSystemGetDriverVersion(char *text, unsigned size)
{
    return give_text(text, size, config.driver.text);
}

static int get_count(unsigned *count)
{
    if (!users)
        return NVML_UNINITIALIZED;
    if (!count)
        return NVML_INVALID_ARGUMENT;
    *count = card_count;
    return NVML_OK;
}

int nvmlDeviceGetCount(unsigned *count)
{
    return get_count(count);
}

int nvmlDeviceGetCount_v2(unsigned *count)
{
    return get_count(count);
}

/* A handle is the card's number and 1. */
static int by_index(unsigned index, void **device)
{
    if (!users)
        return NVML_UNINITIALIZED;
    if (!device || index >= card_count)
        return NVML_INVALID_ARGUMENT;
    *device = (void *)(uintptr_t)(index + 1);
    return NVML_OK;
}

int nvmlDeviceGetHandleByIndex(unsigned index, void **device)
{
    return by_index(index, device);
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device)
{
    return by_index(index, device);
}

static int by_pci_id(const char *pci_id, void **device)
{
    unsigned domain = 0, bus = 0, slot = 0;
    if (!users)
        return NVML_UNINITIALIZED;
    if (!pci_id || !device)
        return NVML_INVALID_ARGUMENT;
    if (sscanf(pci_id, "%8x:%2x:%2x", &domain, &bus, &slot) != 3) {
        domain = 0;
        if (sscanf(pci_id, "%2x:%2x", &bus, &slot) != 2)
            return NVML_INVALID_ARGUMENT;
    }
    for (unsigned i = 0; i < card_count; i++)
        if (domain == 0 && slot == 0 && buses[i] == bus)
            return by_index(i, device);
    return NVML_NOT_FOUND;
}

int nvmlDeviceGetHandleByPciBusId(const char *pci_id, void **device)
{
    return by_pci_id(pci_id, device);
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *pci_id, void **device)
{
    return by_pci_id(pci_id, device);
}

static const struct drv_card *card_of(const void *device)
{
    uintptr_t number = (uintptr_t)device;
    return users && number >= 1 && number <= card_count ? cards[number - 1] : NULL;
}

int nvmlDeviceGetName(void *device, char *text, unsigned size)
{
    const struct drv_card *card = card_of(device);
    char name[128];
    if (!card)
        return NVML_INVALID_ARGUMENT;
    snprintf(name, sizeof name, "%s (virtual)", card->shown);
    return give_text(text, size, name);
}

static int give_clock(void *device, int type, unsigned *mhz, unsigned percent)
{
    const struct drv_card *card = card_of(device);
    if (!card || !mhz)
        return NVML_INVALID_ARGUMENT;
    if (type == CLOCK_GRAPHICS || type == CLOCK_SM)
        *mhz = (unsigned)(card->boost_mhz * percent / 100);
    else if (type == CLOCK_MEMORY)
        *mhz = (unsigned)(card->bandwidth_gbps * 1e3 / (card->bus_bits / 8.0) / 2);
    else
        return NVML_NOT_SUPPORTED;
    return NVML_OK;
}

int nvmlDeviceGetClockInfo(void *device, int type, unsigned *mhz)
{
    return give_clock(device, type, mhz, drv_fault_clock(&config.faults));
}

int nvmlDeviceGetMaxClockInfo(void *device, int type, unsigned *mhz)
{
    return give_clock(device, type, mhz, 100);
}

/* What many old cards do not tell: here only with nvml-full, and then plain round numbers, since a
 * virtual card has no temperature. */
static int give_rare(void *device, unsigned *to, unsigned value)
{
    if (!card_of(device) || !to)
        return NVML_INVALID_ARGUMENT;
    if (!config.faults.nvml_full)
        return NVML_NOT_SUPPORTED;
    *to = value;
    return NVML_OK;
}

int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *celsius)
{
    return sensor ? NVML_INVALID_ARGUMENT : give_rare(device, celsius, 50);
}

int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts)
{
    return give_rare(device, milliwatts, 20000);
}

int nvmlDeviceGetEnforcedPowerLimit(void *device, unsigned *milliwatts)
{
    return give_rare(device, milliwatts, 100000);
}

int nvmlDeviceGetPerformanceState(void *device, int *state)
{
    unsigned value = 0;
    int code = give_rare(device, state ? &value : NULL, 0);
    if (code == NVML_OK)
        *state = (int)value;
    return code;
}

/* Bit 2 is the power cap: what "throttle" means here. */
int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *reasons)
{
    unsigned value = 0;
    int code = give_rare(device, reasons ? &value : NULL,
                         drv_fault_clock(&config.faults) < 100 ? 1u << 2 : 0);
    if (code == NVML_OK)
        *reasons = value;
    return code;
}

int nvmlDeviceGetCurrPcieLinkGeneration(void *device, unsigned *generation)
{
    return give_rare(device, generation, 3);
}

int nvmlDeviceGetCurrPcieLinkWidth(void *device, unsigned *width)
{
    return give_rare(device, width, 8);
}
