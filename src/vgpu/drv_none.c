/* Calls that are exported but not there, see drv_none.def. They never pretend to have worked. */
#include "vgpu/drv_state.h"

static int not_there(const char *base)
{
    int code = drv_enter(base, DRV_NOTHING);
    return drv_leave(code ? code : DRV_NOT_SUPPORTED);
}

#define NONE(base, symbol, since)                                                                  \
    int symbol(void)                                                                               \
    {                                                                                              \
        return not_there(#base);                                                                   \
    }
#include "vgpu/drv_none.def"
