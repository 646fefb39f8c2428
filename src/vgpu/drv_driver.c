#include "vgpu/drv_driver.h"

#include <stdio.h>

#include "core/str.h"

/* Newest first. Source: CUDA release notes (driver packaged with each toolkit) and the PTX manual's
 * table of ISA versions; 11.4 = 7.4, 11.8 = 7.8, 12.2 = 8.2 also by the driver's own words in
 * public reports; 615 by CUTLASS's release notes and ptxas 13.4. 12.6 kept ISA 8.5, and Linux
 * branch 430 reports 10.1 like 418. */
static const struct {
    unsigned branch;
    int cuda;
    unsigned isa;
} branches[] = {
    { 615, 13040, 94 }, { 610, 13030, 93 }, { 595, 13020, 92 }, { 590, 13010, 91 },
    { 580, 13000, 90 }, { 575, 12090, 88 }, { 570, 12080, 87 }, { 565, 12070, 86 },
    { 560, 12060, 85 }, { 555, 12050, 85 }, { 550, 12040, 84 }, { 545, 12030, 83 },
    { 535, 12020, 82 }, { 530, 12010, 81 }, { 525, 12000, 80 }, { 520, 11080, 78 },
    { 515, 11070, 77 }, { 510, 11060, 76 }, { 495, 11050, 75 }, { 470, 11040, 74 },
    { 465, 11030, 73 }, { 460, 11020, 72 }, { 455, 11010, 71 }, { 450, 11000, 70 },
    { 440, 10020, 65 }, { 435, 10010, 64 }, { 430, 10010, 64 }, { 418, 10010, 64 },
    { 410, 10000, 63 }, { 396, 9020, 62 },  { 390, 9010, 61 },  { 387, 9010, 61 },
    { 384, 9000, 60 },  { 381, 8000, 50 },  { 378, 8000, 50 },  { 375, 8000, 50 },
    { 367, 8000, 50 },  { 352, 7050, 43 },  { 346, 7000, 42 },  { 340, 6050, 41 },
};

enum { BRANCH_COUNT = sizeof branches / sizeof *branches };

bool drv_driver_branch(size_t index, unsigned *branch)
{
    if (index >= BRANCH_COUNT)
        return false;
    *branch = branches[index].branch;
    return true;
}

/* Behind the newest known branch nothing is known, so it is refused. */
static bool known(unsigned branch)
{
    return branch >= branches[BRANCH_COUNT - 1].branch && branch < branches[0].branch + 10;
}

int drv_driver_parse(struct drv_driver *driver, const char *text, struct err *err)
{
    unsigned branch = 0, minor = DRV_NEWEST, patch = 0; /* "450" alone: the newest of the branch */
    int end = 0;
    if (sscanf(text, "%3u%n.%4u%n.%4u%n", &branch, &end, &minor, &end, &patch, &end) < 1 ||
        text[end])
        return err_set(err, ERR_USAGE, "'%s' is not a driver version", text);
    if (!known(branch))
        return err_set(err, ERR_USAGE, "driver '%s' is not known: there are %u to %u", text,
                       branches[BRANCH_COUNT - 1].branch, branches[0].branch);
    driver->branch = branch;
    driver->minor = minor;
    driver->patch = patch;
    str_copy(driver->text, sizeof driver->text, text);
    for (size_t i = 0; i < BRANCH_COUNT; i++) {
        if (branch < branches[i].branch)
            continue;
        driver->cuda = branches[i].cuda;
        driver->isa = branches[i].isa;
        break;
    }
    return 0;
}

bool drv_driver_at_least(const struct drv_driver *driver, unsigned branch, unsigned minor)
{
    return driver->branch > branch || (driver->branch == branch && driver->minor >= minor);
}
