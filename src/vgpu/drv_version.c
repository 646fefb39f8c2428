#include "vgpu/drv_api.h"

const char smfit_vgpu_version[] = "smfit virtual GPU 1";
