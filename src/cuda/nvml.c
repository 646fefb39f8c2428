#include "cuda/nvml.h"

#include <stdlib.h>
#include <string.h>

#include "core/os_library.h"

/* Numbers of nvml.h; the same in every release. */
enum {
    CLOCK_SM = 1,
    CLOCK_MEMORY = 2,
    SENSOR_GPU = 0,
    NOT_SUPPORTED = 3,
    NO_PERMISSION = 4,
};

struct nvml_card; /* NVIDIA's handle */

/* One shape per kind of call: a card and, for some, which clock or sensor. */
typedef int plain_call(struct nvml_card *card, unsigned *value);
typedef int indexed_call(struct nvml_card *card, int which, unsigned *value);
typedef int wide_call(struct nvml_card *card, unsigned long long *value);

enum shape { PLAIN, INDEXED, WIDE };

static const struct {
    const char *name, *unit, *symbol;
    enum shape shape;
    int which;
} fields[] = {
    [NVML_sm_clock] = { "sm_clock", "mhz", "nvmlDeviceGetClockInfo", INDEXED, CLOCK_SM },
    [NVML_memory_clock] = { "memory_clock", "mhz", "nvmlDeviceGetClockInfo", INDEXED,
                            CLOCK_MEMORY },
    [NVML_sm_clock_max] = { "sm_clock_max", "mhz", "nvmlDeviceGetMaxClockInfo", INDEXED, CLOCK_SM },
    [NVML_memory_clock_max] = { "memory_clock_max", "mhz", "nvmlDeviceGetMaxClockInfo", INDEXED,
                                CLOCK_MEMORY },
    [NVML_temperature] = { "temperature", "celsius", "nvmlDeviceGetTemperature", INDEXED,
                           SENSOR_GPU },
    [NVML_power] = { "power", "milliwatt", "nvmlDeviceGetPowerUsage", PLAIN, 0 },
    [NVML_power_limit] = { "power_limit", "milliwatt", "nvmlDeviceGetEnforcedPowerLimit", PLAIN,
                           0 },
    [NVML_performance_state] = { "performance_state", "p", "nvmlDeviceGetPerformanceState", PLAIN,
                                 0 },
    [NVML_throttle_reasons] = { "throttle_reasons", "bits",
                                "nvmlDeviceGetCurrentClocksThrottleReasons", WIDE, 0 },
    [NVML_pcie_generation] = { "pcie_generation", "generation",
                               "nvmlDeviceGetCurrPcieLinkGeneration", PLAIN, 0 },
    [NVML_pcie_width] = { "pcie_width", "lanes", "nvmlDeviceGetCurrPcieLinkWidth", PLAIN, 0 },
};

struct nvml {
    void *library;
    void *symbol[NVML_FIELD_COUNT];
    int (*shutdown)(void);
    int (*driver_version)(char *text, unsigned size);
    int (*card_by_pci_id)(const char *pci_id, struct nvml_card **card);
};

/* dlsym gives a data pointer; C has no cast from it to a function's. */
static void fetch(void *library, const char *name, void *to)
{
    void *symbol = os_library_symbol(library, name);
    memcpy(to, &symbol, sizeof symbol);
}

static void fetch_either(void *library, const char *name, const char *older, void *to)
{
    void *symbol = os_library_symbol(library, name);
    if (!symbol)
        symbol = os_library_symbol(library, older);
    memcpy(to, &symbol, sizeof symbol);
}

struct nvml *nvml_open(const char *path, struct err *err)
{
    struct nvml *n = calloc(1, sizeof *n);
    bool found;
    int (*init)(void) = NULL;
    if (!n) {
        err_set(err, ERR_MEMORY, "out of memory");
        return NULL;
    }
    n->library = os_library_open(path ? path : "libnvidia-ml.so.1", &found, err);
    if (!n->library)
        goto fail;
    fetch_either(n->library, "nvmlInit_v2", "nvmlInit", &init);
    int result = init ? init() : -1;
    if (result) {
        err_set(err, ERR_DRIVER, "nvmlInit failed with error %d", result);
        goto fail;
    }
    fetch(n->library, "nvmlShutdown", &n->shutdown);
    fetch(n->library, "nvmlSystemGetDriverVersion", &n->driver_version);
    fetch_either(n->library, "nvmlDeviceGetHandleByPciBusId_v2", "nvmlDeviceGetHandleByPciBusId",
                 &n->card_by_pci_id);
    for (int i = 0; i < NVML_FIELD_COUNT; i++)
        n->symbol[i] = os_library_symbol(n->library, fields[i].symbol);
    return n;
fail:
    os_library_close(n->library);
    free(n);
    return NULL;
}

void nvml_close(struct nvml *n)
{
    if (!n)
        return;
    if (n->shutdown)
        n->shutdown();
    os_library_close(n->library);
    free(n);
}

bool nvml_driver_version(const struct nvml *n, char *text, unsigned size)
{
    return n->driver_version && n->driver_version(text, size) == 0;
}

const char *nvml_field_name(enum nvml_field field)
{
    return fields[field].name;
}

const char *nvml_field_unit(enum nvml_field field)
{
    return fields[field].unit;
}

static int call(void *symbol, enum shape shape, int which, struct nvml_card *card,
                unsigned long long *value)
{
    unsigned small = 0;
    plain_call *plain;
    indexed_call *indexed;
    wide_call *wide;
    int result;
    switch (shape) {
    case PLAIN:
        memcpy(&plain, &symbol, sizeof symbol);
        result = plain(card, &small);
        break;
    case INDEXED:
        memcpy(&indexed, &symbol, sizeof symbol);
        result = indexed(card, which, &small);
        break;
    case WIDE:
    default:
        memcpy(&wide, &symbol, sizeof symbol);
        return wide(card, value);
    }
    *value = small;
    return result;
}

static const char *reason(int result)
{
    return result == NOT_SUPPORTED   ? "not supported by this driver or card"
           : result == NO_PERMISSION ? "no permission"
                                     : "the management library failed";
}

static struct nvml_value read_field(const struct nvml *n, struct nvml_card *card, int field)
{
    struct nvml_value v = { .why = "no such call in this driver" };
    if (!n->symbol[field])
        return v;
    int result = call(n->symbol[field], fields[field].shape, fields[field].which, card, &v.value);
    v.known = result == 0;
    v.why = v.known ? NULL : reason(result);
    return v;
}

void nvml_read(const struct nvml *n, const char *pci_id, struct nvml_reading *reading)
{
    struct nvml_card *card = NULL;
    bool there = n && n->card_by_pci_id && n->card_by_pci_id(pci_id, &card) == 0;
    for (int i = 0; i < NVML_FIELD_COUNT; i++)
        reading->field[i] = there ? read_field(n, card, i)
                                  : (struct nvml_value){ .why = "the management library does not "
                                                                "know this card" };
}
