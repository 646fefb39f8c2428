/* Any bytes as an image for the virtual driver's loader, as far as they end where they say. The
 * first byte chooses card, driver and switches. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "vgpu/drv_loader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void choose(struct drv_config *config, uint8_t how)
{
    static const char *const drivers[] = { "418.40", "470.256", "550.54", "580" };
    static const unsigned capabilities[] = { 35, 50, 87, 90, 100, 110, 121, 75 };
    memset(config, 0, sizeof *config);
    config->cards[0].cc = capabilities[how & 7];
    if (drv_driver_parse(&config->driver, drivers[how >> 3 & 3], NULL) < 0 ||
        drv_config_unknown(config, NULL, NULL) < 0)
        abort();
    config->isa_fallback = config->cubin_fallback = how & 32;
    config->force_jit = how & 64;
}

/* What is loaded must be whole: a buffer that can be read to its end and ends in a NUL. */
static void check(const struct drv_loaded *loaded, unsigned cc)
{
    if (loaded->code)
        return;
    if (!loaded->payload || loaded->payload[loaded->size] != 0)
        abort();
    if (loaded->is_ptx && strlen((const char *)loaded->payload) != loaded->size)
        abort();
    if (!loaded->is_ptx && cc / 10 != loaded->arch / 10 && loaded->arch != 101 && loaded->arch)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct drv_config config;
    if (size < 1)
        return 0;
    choose(&config, *data++);
    size--;
    uint8_t *image = malloc(size + 1);
    if (!image)
        return 0;
    memcpy(image, data, size);
    image[size] = 0;
    if (drv_loader_fits(image, size)) {
        struct drv_loaded loaded;
        drv_loader_load(&loaded, &config, config.cards[0].cc, image);
        check(&loaded, config.cards[0].cc);
        drv_loader_free(&loaded);
    }
    free(image);
    return 0;
}
