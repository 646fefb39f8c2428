/* Why there is no device, on machines that are made up: files below a folder, and what bus and
 * library say. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "beside.h"
#include "data/data.h"
#include "probe/state.h"

#define LOG                                                                                        \
    "kernel: NVRM: The NVIDIA GeForce 920M GPU installed in this system is\n"                      \
    "kernel: NVRM:  supported through the NVIDIA 470.xx Legacy drivers. Please\n"                  \
    "kernel: NVRM:  visit http://www.nvidia.com/object/unix.html for more\n"                       \
    "kernel: NVRM:  information.  The 535.129.03 NVIDIA driver will ignore this GPU.\n"

static const struct state_card kepler[] = { { "0000:01:00.0", 0x1299, "nvidia" } };
static const struct state_card unbound[] = { { "0000:01:00.0", 0x1299, "" } };
static const struct state_card nouveau[] = { { "0000:01:00.0", 0x1299, "nouveau" } };
static const struct state_card hopper[] = { { "0000:41:00.0", 0x2335, "nvidia" } };
static const struct state_card mixed[] = { { "0000:04:00.0", 0x102d, "" },
                                           { "0000:81:00.0", 0x1347, "nvidia" } };

/* Up to three files: path and text; a text of NULL: a file that may not be opened. */
struct file {
    const char *path, *text;
};

#define NODES                                                                                      \
    { "/dev/nvidiactl", "" },                                                                      \
    {                                                                                              \
        "/dev/nvidia0", ""                                                                         \
    }

static const struct {
    const char *name;
    const struct state_card *cards;
    size_t card_count;
    struct file files[4];
    enum driver_state driver;
    int code;
    const char *message, *library, *visible;
    size_t device_count;
    enum state_cause cause;
    const char *in_evidence;
} machines[] = {
    { "a machine without a card",
      NULL,
      0,
      { { NULL, NULL } },
      DRIVER_NO_LIBRARY,
      0,
      "cannot load 'libcuda.so.1'",
      "libcuda.so.1",
      NULL,
      0,
      STATE_NO_CARD,
      "pci" },
    { "all is well",
      kepler,
      1,
      { { "/sys/module/nvidia/version", "470.256.02\n" }, NODES },
      DRIVER_READY,
      0,
      "",
      "libcuda.so.1",
      NULL,
      1,
      STATE_FINE,
      "" },
    { "nouveau holds the card",
      nouveau,
      1,
      { { NULL, NULL } },
      DRIVER_NO_LIBRARY,
      0,
      "none",
      "libcuda.so.1",
      NULL,
      0,
      STATE_NOUVEAU,
      "0000:01:00.0" },
    { "nouveau, and a library without its module",
      nouveau,
      1,
      { { NULL, NULL } },
      DRIVER_NO_DEVICE,
      100,
      "cuInit",
      "libcuda.so.1",
      NULL,
      0,
      STATE_NOUVEAU,
      "0000:01:00.0" },
    { "no driver at all",
      unbound,
      1,
      { { NULL, NULL } },
      DRIVER_NO_LIBRARY,
      0,
      "cannot load 'libcuda.so.1'",
      "libcuda.so.1",
      NULL,
      0,
      STATE_NO_DRIVER,
      "libcuda.so.1" },
    { "a library without its module",
      unbound,
      1,
      { { NULL, NULL } },
      DRIVER_NO_DEVICE,
      100,
      "cuInit",
      "libcuda.so.1",
      NULL,
      0,
      STATE_NO_MODULE,
      "/sys/module/nvidia" },
    { "a module without its library",
      kepler,
      1,
      { { "/sys/module/nvidia/version", "470.256.02\n" } },
      DRIVER_NO_LIBRARY,
      0,
      "cannot load 'libcuda.so.1'",
      "libcuda.so.1",
      NULL,
      0,
      STATE_NO_LIBRARY,
      "libcuda.so.1" },
    { "a library that does not load",
      kepler,
      1,
      { { "/sys/module/nvidia/version", "470.256.02\n" } },
      DRIVER_BROKEN,
      0,
      "lacks 'cuLaunchKernel'",
      "libcuda.so.1",
      NULL,
      0,
      STATE_BROKEN_LIBRARY,
      "cuLaunchKernel" },
    { "a container without the card's nodes",
      kepler,
      1,
      { { "/sys/module/nvidia/version", "470.256.02\n" } },
      DRIVER_NO_DEVICE,
      100,
      "cuInit",
      "libcuda.so.1",
      NULL,
      0,
      STATE_NO_NODES,
      "/dev/nvidiactl" },
    { "nodes that may not be opened",
      kepler,
      1,
      { { "/sys/module/nvidia/version", "470.256.02\n" }, { "/dev/nvidiactl", NULL } },
      DRIVER_NO_DEVICE,
      100,
      "cuInit",
      "libcuda.so.1",
      NULL,
      0,
      STATE_NO_PERMISSION,
      "/dev/nvidiactl" },
    { "a driver that dropped the card, with the kernel's words",
      unbound,
      1,
      { { "/sys/module/nvidia/version", "535.129.03\n" }, { "/var/log/kern.log", LOG }, NODES },
      DRIVER_NO_DEVICE,
      100,
      "cuInit",
      "libcuda.so.1",
      NULL,
      0,
      STATE_DRIVER_DROPPED,
      "Legacy" },
    { "the same without a readable log",
      unbound,
      1,
      { { "/sys/module/nvidia/version", "535.129.03\n" }, NODES },
      DRIVER_NO_DEVICE,
      100,
      "cuInit",
      "libcuda.so.1",
      NULL,
      0,
      STATE_DRIVER_DROPPED,
      "/sys/module/nvidia/version" },
    { "a driver that is older than the card",
      hopper,
      1,
      { { "/sys/module/nvidia/version", "470.256.02\n" }, NODES },
      DRIVER_NO_DEVICE,
      100,
      "cuInit",
      "libcuda.so.1",
      NULL,
      0,
      STATE_DRIVER_TOO_OLD,
      "/sys/module/nvidia/version" },
    { "parts of different versions",
      kepler,
      1,
      { { "/sys/module/nvidia/version", "470.256.02\n" } },
      DRIVER_INIT_FAILED,
      803,
      "cuInit failed with error 803",
      "libcuda.so.1",
      NULL,
      0,
      STATE_PARTS_DIFFER,
      "803" },
    { "a compat library",
      kepler,
      1,
      { { "/sys/module/nvidia/version", "470.256.02\n" } },
      DRIVER_INIT_FAILED,
      804,
      "cuInit failed with error 804",
      "/usr/local/cuda/compat/libcuda.so.1",
      NULL,
      0,
      STATE_COMPAT,
      "compat" },
    { "every card hidden",
      kepler,
      1,
      { { "/sys/module/nvidia/version", "470.256.02\n" }, NODES },
      DRIVER_NO_DEVICE,
      100,
      "cuInit",
      "libcuda.so.1",
      "-1",
      0,
      STATE_HIDDEN,
      "-1" },
    { "hidden by an empty list",
      kepler,
      1,
      { { "/sys/module/nvidia/version", "470.256.02\n" }, NODES },
      DRIVER_NO_DEVICE,
      100,
      "cuInit",
      "libcuda.so.1",
      "",
      0,
      STATE_HIDDEN,
      "" },
    { "WSL without Windows' library",
      NULL,
      0,
      { { "/proc/version", "Linux version 5.15.90.1-microsoft-standard-WSL2\n" } },
      DRIVER_NO_LIBRARY,
      0,
      "none",
      "libcuda.so.1",
      NULL,
      0,
      STATE_WSL_NO_LIBRARY,
      "/usr/lib/wsl" },
    { "WSL with a Linux driver in front",
      NULL,
      0,
      { { "/proc/version", "Linux version 5.15.90.1-microsoft-standard-WSL2\n" },
        { "/usr/lib/wsl/lib/libcuda.so.1", "" } },
      DRIVER_NO_DEVICE,
      100,
      "cuInit",
      "/usr/lib/x86_64-linux-gnu/libcuda.so.1",
      NULL,
      0,
      STATE_WSL_SHADOWED,
      "x86_64" },
    { "a K80 beside a 940M, of which driver 535 counts one",
      mixed,
      2,
      { { "/sys/module/nvidia/version", "535.261.03\n" }, NODES },
      DRIVER_READY,
      0,
      "",
      "libcuda.so.1",
      NULL,
      1,
      STATE_SOME_NOT_COUNTED,
      "/sys/module/nvidia/version" },
    { "the same, hidden by the user",
      mixed,
      2,
      { { "/sys/module/nvidia/version", "535.261.03\n" }, NODES },
      DRIVER_READY,
      0,
      "",
      "libcuda.so.1",
      "0",
      1,
      STATE_FINE,
      "" },
    { "a start that failed otherwise",
      kepler,
      1,
      { { "/sys/module/nvidia/version", "470.256.02\n" }, NODES },
      DRIVER_INIT_FAILED,
      999,
      "cuInit failed with error 999",
      "libcuda.so.1",
      NULL,
      0,
      STATE_OTHER,
      "999" },
};

static void put(const char *root, const struct file *file)
{
    char path[512];
    snprintf(path, sizeof path, "%s%s", root, file->path);
    for (char *p = path + strlen(root) + 1; (p = strchr(p, '/')); p++) {
        *p = 0;
        mkdir(path, 0755);
        *p = '/';
    }
    FILE *f = fopen(path, "w");
    cr_assert_not_null(f, "%s", path);
    fputs(file->text ? file->text : "", f);
    fclose(f);
    if (!file->text)
        chmod(path, 0);
}

Test(state, each_machine_is_told_its_cause_and_the_evidence)
{
    size_t count = sizeof machines / sizeof machines[0];
    for (size_t i = 0; i < count; i++) {
        char root[] = "/tmp/smfit-state-XXXXXX", command[64];
        bool forbidden = false;
        cr_assert_not_null(mkdtemp(root));
        for (size_t k = 0; k < 4 && machines[i].files[k].path; k++) {
            put(root, &machines[i].files[k]);
            forbidden = forbidden || !machines[i].files[k].text;
        }
        struct state_input in = { .sysroot = root,
                                  .cards = machines[i].cards,
                                  .card_count = machines[i].card_count,
                                  .driver = machines[i].driver,
                                  .code = machines[i].code,
                                  .message = machines[i].message,
                                  .library = machines[i].library,
                                  .visible = machines[i].visible,
                                  .device_count = machines[i].device_count };
        struct state state;
        state_find(&in, &state);
        /* Root may open everything, so that this one machine cannot be made up for it. */
        if (!forbidden || geteuid() != 0) {
            cr_expect_eq(state.cause, machines[i].cause, "%s: %s (%s)", machines[i].name,
                         state_text_id(state.cause), state.evidence);
            cr_expect(strstr(state.evidence, machines[i].in_evidence), "%s: evidence '%s'",
                      machines[i].name, state.evidence);
        }
        snprintf(command, sizeof command, "rm -rf %s", root);
        cr_assert_eq(system(command), 0);
    }
}

Test(state, the_card_and_its_last_branch_are_named)
{
    struct state_input in = { .sysroot = "/nonexistent",
                              .cards = kepler,
                              .card_count = 1,
                              .driver = DRIVER_NO_DEVICE,
                              .code = 100,
                              .message = "",
                              .library = "" };
    struct state state;
    state_find(&in, &state);
    cr_assert(strstr(state.card, "GeForce 920M (10de:1299, 0000:01:00.0)"), "%s", state.card);
}

Test(state, every_cause_has_a_sentence_in_both_languages)
{
    const struct table *t = data_table(DATA_TEXT);
    for (int cause = 0; cause < STATE_CAUSE_COUNT; cause++) {
        const char *id = state_text_id((enum state_cause)cause);
        size_t row = 0;
        while (row < t->row_count && strcmp(table_field(t, row, "id"), id) != 0)
            row++;
        cr_assert_lt(row, t->row_count, "no text '%s'", id);
        cr_assert(*table_field(t, row, "en") && *table_field(t, row, "zh"), "'%s'", id);
    }
}

/* The codes of a driver library, through the loading of it. */
Test(state, the_codes_of_a_library_lead_to_their_cause)
{
    static const struct {
        const char *code;
        enum state_cause cause;
    } starts[] = { { "803", STATE_PARTS_DIFFER }, { "804", STATE_COMPAT }, { "999", STATE_OTHER } };
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        struct driver d;
        struct err err;
        err_clear(&err);
        setenv("STUB_INIT", starts[i].code, 1);
        const char *library = beside("stubs/cuda-9.0/libcuda.so.1");
        struct state_input in = {
            .sysroot = "/nonexistent", .cards = kepler, .card_count = 1, .library = library
        };
        in.driver = driver_open(&d, library, &err);
        in.code = err.native;
        in.message = err.msg;
        struct state state;
        state_find(&in, &state);
        cr_assert_eq(state.cause, starts[i].cause, "%s: %s", starts[i].code,
                     state_text_id(state.cause));
    }
}
