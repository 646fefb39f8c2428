/* Images and targets written as short texts, for the tests of src/arch:
 *   sm_35@tk11.8   compute_50@isa7.8   sm_90a   sm_86@tk12.8@zstd   compute_86@lz4   lto_80 */
#ifndef TESTS_ARCH_SPECS_H
#define TESTS_ARCH_SPECS_H

#include <stdio.h>
#include <string.h>

#include "arch/rules.h"

static bool spec_head(const char *text, struct arch_image *image)
{
    static const struct {
        const char *prefix;
        enum arch_image_kind kind;
    } kinds[] = { { "sm_", ARCH_CUBIN }, { "compute_", ARCH_PTX }, { "lto_", ARCH_LTO } };
    for (size_t i = 0; i < 3; i++) {
        size_t n = strlen(kinds[i].prefix);
        if (strncmp(text, kinds[i].prefix, n))
            continue;
        image->kind = kinds[i].kind;
        char suffix = 0;
        if (sscanf(text + n, "%u%c", &image->arch, &suffix) < 1)
            return false;
        image->suffix = suffix;
        return !suffix || suffix == 'a' || suffix == 'f';
    }
    return false;
}

static bool spec_image(const char *text, struct arch_image *image)
{
    char copy[64];
    *image = (struct arch_image){ 0 };
    if (strlen(text) >= sizeof copy)
        return false;
    strcpy(copy, text);
    char *save = NULL, *part = strtok_r(copy, "@", &save);
    if (!part || !spec_head(part, image))
        return false;
    while ((part = strtok_r(NULL, "@", &save))) {
        if (!strcmp(part, "lz4"))
            continue; /* every driver unpacks it */
        if (!strcmp(part, "zstd"))
            image->zstd = true;
        else if (sscanf(part, "isa%u.%u", &image->ptx_major, &image->ptx_minor) != 2 &&
                 sscanf(part, "tk%u.%u", &image->toolkit_major, &image->toolkit_minor) != 2)
            return false;
    }
    return true;
}

/* Separated by commas or spaces, "-" for none; returns how many, or -1. */
static int spec_images(const char *text, struct arch_image *images, int max)
{
    char copy[512];
    if (strlen(text) >= sizeof copy)
        return -1;
    strcpy(copy, text);
    if (!strcmp(copy, "-"))
        return 0;
    int count = 0;
    char *save = NULL;
    for (char *p = strtok_r(copy, " ,", &save); p; p = strtok_r(NULL, " ,", &save))
        if (count == max || !spec_image(p, &images[count++]))
            return -1;
    return count;
}

#endif
