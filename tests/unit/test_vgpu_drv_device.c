/* The virtual driver as a program sees it before it does any work: which devices there are, what
 * they say, and how the settings in the environment are read. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vgpu/drv_config.h"
#include "vgpu_play.h"

static int attribute(int which, int device)
{
    int value = -1;
    cr_assert_eq(cuDeviceGetAttribute(&value, which, device), 0, "attribute %d", which);
    return value;
}

static const char *name_of(int device)
{
    static char name[128];
    cr_assert_eq(cuDeviceGetName(name, sizeof name, device), 0);
    return name;
}

Test(drv_device, without_a_card_in_the_environment_there_is_no_device)
{
    unsetenv("SMFIT_VGPU");
    cr_expect_eq(cuInit(0), DRV_NO_DEVICE);
    int n;
    cr_expect_eq(cuDeviceGetCount(&n), DRV_NOT_INITIALIZED);
}

Test(drv_device, an_unknown_card_is_no_device)
{
    play("no such card", "470.256", NULL);
    cr_expect_eq(cuInit(0), DRV_NO_DEVICE);
}

Test(drv_device, a_card_can_be_given_another_capability_and_keeps_its_drivers)
{
    int major = 0, minor = 0, registers = 0;
    play("GeForce GTX 980@5.3", "580.65", NULL);
    cr_assert_eq(devices(), 1);
    cr_assert_eq(cuDeviceGetAttribute(&major, 75, 0), 0);
    cr_assert_eq(cuDeviceGetAttribute(&minor, 76, 0), 0);
    cr_assert_eq(cuDeviceGetAttribute(&registers, 12, 0), 0);
    cr_expect_eq(major * 10 + minor, 53);
    cr_expect_eq(registers, 32768, "a block of 5.3 has %d registers", registers);
}

Test(drv_device, a_capability_that_is_no_number_is_no_device)
{
    play("GeForce GTX 980@new", "580.65", NULL);
    cr_expect_eq(devices(), -1);
}

Test(drv_device, calls_before_cuInit_say_so)
{
    play("920m", "470.256", NULL);
    int n = 0;
    size_t bytes;
    void *p;
    cr_expect_eq(cuDeviceGetCount(&n), DRV_NOT_INITIALIZED);
    cr_expect_eq(cuCtxGetCurrent(&p), DRV_NOT_INITIALIZED);
    cr_expect_eq(cuMemGetInfo_v2(&bytes, &bytes), DRV_NOT_INITIALIZED);
    cr_expect_eq(cuDriverGetVersion(&n), 0);
    cr_expect_eq(n, 11040);
    cr_expect_eq(cuDriverGetVersion(NULL), DRV_INVALID_VALUE);
    cr_expect_eq(cuInit(1), DRV_INVALID_VALUE);
}

/* What the issue asks of `--virtual`: cards outside their drivers are not there. */
static const struct {
    const char *cards, *driver, *os;
    int count;
} windows[] = {
    { "920m", "390", NULL, 1 },
    { "920m", "418", NULL, 1 },
    { "920m", "470", NULL, 1 },
    { "920m", "535", NULL, -1 },
    { "920m", "495", NULL, -1 },
    { "920m", "425.31", "windows", 1 },
    { "920m", "431.60", "windows", -1 },
    { "940M", "418", NULL, 1 },
    { "940M", "580", NULL, 1 },
    { "940M", "590", NULL, -1 },
    { "k80,940M", "470", NULL, 2 },
    { "k80,940M", "535", NULL, 1 },
    { "h200", "470", NULL, -1 },
    { "h200", "535", NULL, 1 },
    { "h200", "580", NULL, 1 },
    { "GeForce GTX 1660", "410", NULL, -1 },
    { "GeForce GTX 1660", "418", NULL, 1 },
    { "RTX 5090", "565", NULL, -1 },
    { "RTX 5090", "570", NULL, 1 },
};

Test(drv_device, a_driver_counts_only_the_cards_that_it_knows)
{
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        struct drv_config config;
        struct err err;
        err_clear(&err);
        play(windows[i].cards, windows[i].driver, windows[i].os);
        cr_assert_eq(drv_config_read(&config, &err), 0, "%s: %s", windows[i].cards, err.msg);
        int count = 0;
        for (size_t c = 0; c < config.card_count; c++)
            count += drv_card_enumerated(&config.cards[c], &config.driver);
        cr_expect_eq(count ? count : -1, windows[i].count, "%s on %s", windows[i].cards,
                     windows[i].driver);
    }
}

Test(drv_device, a_card_too_old_for_the_driver_leaves_the_other_one)
{
    play("k80,940M", "535", NULL);
    cr_assert_eq(devices(), 1);
    cr_expect_str_eq(name_of(0), "NVIDIA GeForce 940M (virtual)");
}

Test(drv_device, the_920M_is_described_as_its_row_and_capability_say)
{
    play("GeForce 920M", "470.256", NULL);
    cr_assert_eq(devices(), 1);
    cr_expect_str_eq(name_of(0), "NVIDIA GeForce 920M (virtual)");
    cr_expect_eq(attribute(75, 0), 3);
    cr_expect_eq(attribute(76, 0), 5);
    cr_expect_eq(attribute(16, 0), 2, "multiprocessors");
    cr_expect_eq(attribute(13, 0), 954000, "clock in kHz");
    cr_expect_eq(attribute(37, 0), 64, "bus width");
    cr_expect_eq(attribute(38, 0), 512 << 10, "L2");
    cr_expect_eq(attribute(39, 0), 2048);
    cr_expect_eq(attribute(1, 0), 1024);
    cr_expect_eq(attribute(97, 0), 48 << 10);
    size_t bytes;
    cr_expect_eq(cuDeviceTotalMem_v2(&bytes, 0), 0);
    cr_expect_eq(bytes, (size_t)2 << 30);
    int major, minor;
    cr_expect_eq(cuDeviceComputeCapability(&major, &minor, 0), 0);
    cr_expect(major == 3 && minor == 5);
}

Test(drv_device, bandwidth_follows_from_the_clock_and_width_that_it_states)
{
    play("GeForce 920M", "470.256", NULL);
    devices();
    double gbps = 2.0 * attribute(36, 0) * 1e3 * attribute(37, 0) / 8 / 1e9;
    cr_expect_float_eq(gbps, 14.4, 0.01);
}

Test(drv_device, old_drivers_leave_the_makers_name_out)
{
    play("920m", "390.157", NULL);
    devices();
    cr_expect_str_eq(name_of(0), "GeForce 920M (virtual)");
}

Test(drv_device, the_uuid_says_that_it_is_virtual_and_differs_between_cards)
{
    play("k80;k80", "470.256", NULL);
    cr_assert_eq(devices(), 2);
    unsigned char a[16], b[16];
    cr_expect_eq(cuDeviceGetUuid(a, 0), 0);
    cr_expect_eq(cuDeviceGetUuid_v2(b, 1), 0);
    cr_expect_arr_eq(a, "vgpu", 4);
    cr_expect_arr_eq(b, "vgpu", 4);
    cr_expect_neq(memcmp(a, b, 16), 0);
}

Test(drv_device, pci_ids_find_their_device_back)
{
    play("940M;k80", "470.256", NULL);
    cr_assert_eq(devices(), 2);
    for (int i = 0; i < 2; i++) {
        char id[20];
        int device = -1;
        cr_expect_eq(cuDeviceGetPCIBusId(id, sizeof id, i), 0);
        cr_expect_eq(cuDeviceGetByPCIBusId(&device, id), 0);
        cr_expect_eq(device, i);
    }
    int device;
    cr_expect_eq(cuDeviceGetByPCIBusId(&device, "0000:77:00.0"), DRV_INVALID_DEVICE);
    cr_expect_eq(cuDeviceGetByPCIBusId(&device, "nonsense"), DRV_INVALID_VALUE);
}

Test(drv_device, the_fastest_card_comes_first)
{
    play("940M;k80", "470.256", NULL);
    cr_assert_eq(devices(), 2);
    cr_expect_str_eq(name_of(0), "Tesla K80 (virtual)");
    cr_expect_eq(attribute(33, 0), 2, "it keeps its place on the bus");
}

Test(drv_device, or_the_first_on_the_bus_when_asked_for)
{
    play("940M;k80", "470.256", NULL);
    setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1);
    cr_assert_eq(devices(), 2);
    cr_expect_str_eq(name_of(1), "Tesla K80 (virtual)");
}

Test(drv_device, visible_devices_choose_and_reorder)
{
    play("940M;k80", "470.256", NULL);
    setenv("CUDA_VISIBLE_DEVICES", "1,0", 1);
    cr_assert_eq(devices(), 2);
    cr_expect_str_eq(name_of(1), "Tesla K80 (virtual)");
}

Test(drv_device, the_list_ends_at_the_first_word_that_is_no_device)
{
    play("940M;k80", "470.256", NULL);
    setenv("CUDA_VISIBLE_DEVICES", "0,7,1", 1);
    cr_assert_eq(devices(), 1);
}

Test(drv_device, an_empty_list_hides_all)
{
    play("940M;k80", "470.256", NULL);
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    cr_expect_eq(cuInit(0), DRV_NO_DEVICE);
}

Test(drv_device, a_uuid_in_the_list_may_be_shortened)
{
    play("940M;k80", "470.256", NULL);
    setenv("CUDA_VISIBLE_DEVICES", "GPU-76677075", 1);
    cr_expect_eq(cuInit(0), DRV_NO_DEVICE, "both begin so: ambiguous");
}

Test(drv_device, wrong_ordinals_and_unknown_attributes_are_refused)
{
    play("920m", "470.256", NULL);
    devices();
    int v;
    cr_expect_eq(cuDeviceGet(&v, 1), DRV_INVALID_DEVICE);
    cr_expect_eq(cuDeviceGet(&v, -1), DRV_INVALID_DEVICE);
    cr_expect_eq(cuDeviceGetAttribute(&v, 9999, 0), DRV_INVALID_VALUE);
    cr_expect_eq(cuDeviceGetAttribute(NULL, 1, 0), DRV_INVALID_VALUE);
    cr_expect_eq(cuDeviceGetAttribute(&v, 1, 5), DRV_INVALID_DEVICE);
}

Test(drv_device, a_name_that_does_not_fit_is_cut_and_ends)
{
    play("920m", "470.256", NULL);
    devices();
    char small[8];
    memset(small, 'x', sizeof small);
    cr_expect_eq(cuDeviceGetName(small, sizeof small, 0), 0);
    cr_expect_str_eq(small, "NVIDIA ");
}

/* ---- settings
 * ----------------------------------------------------------------------------------------- */

Test(drv_device, names_of_cards_are_taken_as_printed_and_shortened)
{
    static const char *const names[][2] = {
        { "GeForce 920M", "GeForce 920M" },
        { "920m", "GeForce 920M" },
        { "nvidia geforce 920m", "GeForce 920M" },
        { "920MX", "GeForce 920MX" },
        { "k80", "Tesla K80 (per die)" },
        { "GT 730 (GK208B, DDR3)", "GeForce GT 730 (GK208B, DDR3)" },
        { "h200", "H200 NVL" },
        { "GTX 750 Ti", "GeForce GTX 750 Ti" },
        { "RTX 2080", "GeForce RTX 2080" },
        { "L4", "L4" },
        { "GTX TITAN", "GeForce GTX TITAN" },
        { "TITAN V", "TITAN V" },
        { "a100", "A100 PCIe 40GB" },
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct drv_card card;
        struct err err;
        err_clear(&err);
        cr_assert_eq(drv_card_find(&card, names[i][0], &err), 0, "%s", err.msg);
        cr_expect_str_eq(card.name, names[i][1]);
    }
}

Test(drv_device, a_name_of_several_capabilities_is_not_guessed)
{
    struct drv_card card;
    struct err err;
    err_clear(&err);
    cr_expect_eq(drv_card_find(&card, "GT 730", &err), -1);
    cr_expect_eq(err.code, ERR_USAGE);
    err_clear(&err);
    cr_expect_eq(drv_card_find(&card, "920", &err), -1);
}

Test(drv_device, a_comma_in_brackets_does_not_separate_cards)
{
    struct drv_config config = { 0 };
    struct err err;
    err_clear(&err);
    cr_assert_eq(drv_config_cards(&config, "GT 730 (GK208B, DDR3),920m", &err), 0, "%s", err.msg);
    cr_expect_eq(config.card_count, 2);
    cr_assert_eq(drv_config_cards(&config, "GeForce GT 730 (GK208B, DDR3);GeForce 920M", &err), 0);
    cr_expect_eq(config.card_count, 2);
}

Test(drv_device, without_a_driver_it_is_the_newest_that_knows_all_cards)
{
    static const struct {
        const char *cards;
        unsigned branch;
    } rows[] = { { "920m", 470 }, { "940M", 580 }, { "k80,940M", 470 }, { "h200", 0 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct drv_config config;
        struct err err;
        err_clear(&err);
        play(rows[i].cards, NULL, NULL);
        cr_assert_eq(drv_config_read(&config, &err), 0, "%s", err.msg);
        unsigned expected = rows[i].branch;
        if (!expected) /* no driver has dropped it */
            cr_assert(drv_driver_branch(0, &expected));
        cr_expect_eq(config.driver.branch, expected, "%s", rows[i].cards);
    }
}

Test(drv_device, driver_versions_tell_cuda_version_and_isa)
{
    static const struct {
        const char *text;
        int cuda;
        unsigned isa;
    } rows[] = { { "390.157", 9010, 61 },  { "418.40.04", 10010, 64 },  { "425.31", 10010, 64 },
                 { "440.33", 10020, 65 },  { "470.256.02", 11040, 74 }, { "472.12", 11040, 74 },
                 { "535.129", 12020, 82 }, { "550.54.14", 12040, 84 },  { "580", 13000, 90 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct drv_driver driver = { .os = DRV_LINUX };
        struct err err;
        err_clear(&err);
        cr_assert_eq(drv_driver_parse(&driver, rows[i].text, &err), 0, "%s", err.msg);
        cr_expect_eq(driver.cuda, rows[i].cuda, "%s", rows[i].text);
        cr_expect_eq(driver.isa, rows[i].isa, "%s", rows[i].text);
    }
    static const char *const wrong[] = { "", "x", "47", "470.", "470.256x", "9999", "999", "100" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct drv_driver driver;
        struct err err;
        err_clear(&err);
        cr_expect_eq(drv_driver_parse(&driver, wrong[i], &err), -1, "'%s'", wrong[i]);
    }
}

Test(drv_device, wrong_settings_are_no_device_instead_of_being_ignored)
{
    static const char *const wrong[] = { "cuMemAllok:1=2",   "cuMemAlloc:0=2", "cuMemAlloc:1=0",
                                         "cuMemAlloc",       "throttle=0",     "throttle=101",    "throttle=50@x",
                                         "less-memory=many", "missing=cuNope" };
    play("920m", "470.256", NULL);
    setenv("SMFIT_VGPU_FAULT", wrong[0], 1);
    cr_expect_eq(cuInit(0), DRV_NO_DEVICE);
    for (size_t i = 1; i < sizeof wrong / sizeof *wrong - 1; i++) {
        struct drv_faults faults;
        struct err err;
        err_clear(&err);
        cr_expect_eq(drv_fault_parse(&faults, wrong[i], &err), -1, "'%s'", wrong[i]);
    }
}

Test(drv_device, a_fault_hits_the_nth_call_only)
{
    play("920m", "470.256", NULL);
    setenv("SMFIT_VGPU_FAULT", "cuDeviceGetCount:2=999,cuDeviceTotalMem_v2=3", 1);
    int n;
    size_t bytes;
    cr_assert_eq(cuInit(0), 0);
    cr_expect_eq(cuDeviceGetCount(&n), 0);
    cr_expect_eq(cuDeviceGetCount(&n), 999);
    cr_expect_eq(cuDeviceGetCount(&n), 0);
    cr_expect_eq(cuDeviceTotalMem_v2(&bytes, 0), 3);
    cr_expect_eq(cuDeviceTotalMem_v2(&bytes, 0), 3);
}
