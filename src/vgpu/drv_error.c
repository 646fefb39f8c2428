/* Error names and texts, as far as the driver that is played knows them; both work before cuInit.
 */
#include "vgpu/drv_state.h"

static const struct {
    int code, since;
    const char *name, *text;
} errors[] = {
#define ERROR(code, since, name, text) { code, since, name, text },
#include "vgpu/drv_error.def"
#undef ERROR
};

static int look_up(const char *call, int code, const char **result, bool text)
{
    int status = drv_enter(call, DRV_NOTHING);
    int version = drv_state.config.driver.cuda;
    if (status == DRV_OK && !result)
        status = DRV_INVALID_VALUE;
    if (status)
        return drv_leave(status);
    *result = NULL;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].code == code && (errors[i].since <= version || version == 0))
            *result = text ? errors[i].text : errors[i].name;
    return drv_leave(*result ? DRV_OK : DRV_INVALID_VALUE);
}

int cuGetErrorName(int code, const char **name)
{
    return look_up("cuGetErrorName", code, name, false);
}

int cuGetErrorString(int code, const char **text)
{
    return look_up("cuGetErrorString", code, text, true);
}
