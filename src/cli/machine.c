#include "cli/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/cards.h"
#include "cli/virtual.h"
#include "core/json.h"
#include "core/str.h"
#include "cuda/trial.h"
#include "doctor/pci.h"

/* What the driver calls itself is known from the kernel module or from the management library; the
 * driver API tells its CUDA version alone, by which the branch is then guessed. */
static void find_version(struct machine *m)
{
    if (m->library) {
        version_parse(getenv("SMFIT_VGPU_DRIVER") ? getenv("SMFIT_VGPU_DRIVER") : "", &m->version);
        m->os = getenv("SMFIT_VGPU_OS") && strcmp(getenv("SMFIT_VGPU_OS"), "windows") == 0
                    ? ARCH_WINDOWS
                    : ARCH_LINUX;
    }
    const struct branch_facts *branch = facts_branch_for_cuda(
        facts_level((unsigned)m->driver.version / 1000, (unsigned)m->driver.version % 1000 / 10),
        m->os);
    if (!version_known(m->version) && branch)
        m->version.major = branch->branch;
}

/* Lets a copy of this program open the driver first, which also asks the management library for
 * what no file tells. */
static int try_driver(struct machine *m, struct err *err)
{
    char text[80] = "";
    struct trial trial;
    if (!m->library)
        pci_driver_version("", text, sizeof text);
    bool known = m->library || *text;
    if (trial_run(m->library, !known, &trial, err))
        return -1;
    version_parse(known ? text : trial.version, &m->version);
    m->state = trial.survived ? DRIVER_READY : DRIVER_BROKEN;
    if (!trial.survived)
        err_set(&m->why, ERR_DRIVER, "%s", trial.how);
    return 0;
}

/* Keeps the one device that --device names. */
static int select_device(struct machine *m, const char *name, struct err *err)
{
    const struct device *found = device_find(m->devices, m->count, name, err);
    if (!found)
        return -1;
    m->devices[0] = *found;
    m->count = 1;
    return 0;
}

/* The virtual card's management library lies in the folder of its driver. */
static void use_library_beside(struct machine *m)
{
    const char *slash = strrchr(m->library, '/');
    int folder = slash ? (int)(slash - m->library) + 1 : 0;
    snprintf(m->nvml_path, sizeof m->nvml_path, "%.*slibnvidia-ml.so.1", folder, m->library);
    m->nvml = m->nvml_path;
}

int machine_open(struct machine *m, const struct cmd_globals *globals, struct err *err)
{
    *m = (struct machine){ .os = ARCH_LINUX };
    err_clear(&m->why);
    if (globals->virtual_cards) {
        m->simulated = true;
        if (virtual_use(globals->virtual_cards, m->library_path, sizeof m->library_path, err))
            return err_wrap(err, "--virtual");
        m->library = m->library_path;
        use_library_beside(m);
    }
    if (try_driver(m, err))
        return -1;
    if (m->state != DRIVER_READY)
        return 0;
    m->state = driver_open(&m->driver, m->library, &m->why);
    m->simulated = m->simulated || m->driver.is_virtual;
    if (m->state == DRIVER_NO_DEVICE) {
        driver_check(&m->why, GPU_NO_DEVICE, "cuInit");
        find_version(m);
        return 0;
    }
    if (m->state != DRIVER_READY)
        return 0;
    find_version(m);
    if (device_list(&m->driver, m->devices, &m->count, err))
        return -1;
    m->listed = m->count;
    if (!m->count)
        err_set(&m->why, ERR_DRIVER, "cuDeviceGetCount counts none");
    return globals->device && m->count ? select_device(m, globals->device, err) : 0;
}

void machine_close(struct machine *m)
{
    driver_close(&m->driver);
}

struct arch_target machine_target(const struct machine *m, const struct device *device)
{
    struct arch_target t = { .cc = device->cc, .os = m->os, .driver = m->version };
    struct card_match match;
    struct err unused;
    err_clear(&unused);
    /* Whether it is a notebook's matters on Windows alone, and only a card's name tells. */
    char name[sizeof device->name];
    str_copy(name, sizeof name, device->name);
    if (m->simulated && str_ends(name, " (virtual)"))
        name[strlen(name) - strlen(" (virtual)")] = 0;
    if (cards_find(name, &match, &unused) == 0)
        t.notebook = match.card.notebook;
    return t;
}

json_t *machine_device_json(const struct device *device)
{
    char cc[16];
    snprintf(cc, sizeof cc, "%u.%u", device->cc / 10, device->cc % 10);
    json_t *j = json_object();
    json_put_number(j, "ordinal", (uint64_t)device->ordinal);
    json_put_text(j, "name", device->name);
    json_put_text(j, "pci_id", device->pci_id);
    json_put_text(j, "cc", cc);
    json_put_number(j, "memory_bytes", device->memory_bytes);
    json_put_number(j, "sm_count", (uint64_t)device->sm_count);
    return j;
}
