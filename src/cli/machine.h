/* The driver and the devices that a command works on: the machine's own, or virtual ones. */
#ifndef CLI_MACHINE_H
#define CLI_MACHINE_H

#include "arch/rules.h"
#include "cli/cmd.h"
#include "cuda/device.h"

struct machine {
    struct driver driver;
    enum driver_state state;
    struct err why; /* with any state but READY */
    char library_path[4200];
    const char *library; /* NULL: the system's */
    char nvml_path[4200];
    const char *nvml; /* the management library that belongs to it; NULL: the system's */
    struct driver_version
        version; /* of the driver; not known: judged by its CUDA version's branch */
    enum arch_os os;
    struct device devices[DEVICES_MAX];
    size_t count;  /* devices, after --device */
    size_t listed; /* before it */
    bool simulated;
};

/* Honours --virtual and --device. -1 only for usage errors and a driver that fails half-way; a
 * machine without driver or device is a state. machine_close after both. */
int machine_open(struct machine *m, const struct cmd_globals *globals, struct err *err);
void machine_close(struct machine *m);

/* The device as the rules want it. */
struct arch_target machine_target(const struct machine *m, const struct device *device);

/* {"ordinal", "name", "pci_id", "uuid", "cc", "memory_bytes"} */
json_t *machine_device_json(const struct device *device);

#endif
