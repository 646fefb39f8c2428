#include "vgpu/drv_visible.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/str.h"
#include "vgpu/drv_state.h"

static double speed(const struct drv_device *device)
{
    return device->card->cores * device->card->boost_mhz;
}

/* Stable, so that equal cards stay in the order of the bus. */
static void sort_by_speed(struct drv_device *devices, int count)
{
    for (int i = 1; i < count; i++) {
        struct drv_device moved = devices[i];
        int at = i;
        for (; at > 0 && speed(&devices[at - 1]) < speed(&moved); at--)
            devices[at] = devices[at - 1];
        devices[at] = moved;
    }
}

static bool uuid_matches(const struct drv_device *device, const char *name)
{
    char text[48];
    size_t n = 0;
    for (int i = 0; i < 16; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%02x%s", device->uuid[i],
                              i == 3 || i == 5 || i == 7 || i == 9 ? "-" : "");
    return *name && strncasecmp(text, name, strlen(name)) == 0;
}

/* The device that one word of the list means, or -1. */
static int find(const struct drv_device *devices, int count, const char *word)
{
    long index;
    if (str_number(word, 0, count - 1, &index))
        return (int)index;
    if (strncasecmp(word, "GPU-", 4) != 0)
        return -1;
    int found = -1;
    for (int i = 0; i < count; i++)
        if (uuid_matches(&devices[i], word + 4))
            found = found < 0 ? i : -2 - count; /* two of them: none */
    return found;
}

static int choose(struct drv_device *devices, int count, char *list)
{
    struct drv_device all[DRV_CARDS_MAX];
    memcpy(all, devices, sizeof *devices * (size_t)count);
    bool used[DRV_CARDS_MAX] = { false };
    int visible = 0;
    char *rest = NULL;
    for (char *word = strtok_r(list, ", ", &rest); word; word = strtok_r(NULL, ", ", &rest)) {
        int index = find(all, count, word);
        if (index < 0)
            break;
        if (used[index])
            return 0;
        used[index] = true;
        devices[visible++] = all[index];
    }
    return visible;
}

int drv_visible_choose(struct drv_device *devices, int count)
{
    const char *order = getenv("CUDA_DEVICE_ORDER");
    if (!order || strcmp(order, "PCI_BUS_ID") != 0)
        sort_by_speed(devices, count);
    const char *list = getenv("CUDA_VISIBLE_DEVICES");
    if (!list)
        return count;
    char *copy = strdup(list);
    if (!copy)
        return 0;
    int visible = choose(devices, count, copy);
    free(copy);
    return visible;
}
