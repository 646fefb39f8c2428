/* Which devices a program sees and in what order: CUDA_DEVICE_ORDER and CUDA_VISIBLE_DEVICES. */
#ifndef VGPU_DRV_VISIBLE_H
#define VGPU_DRV_VISIBLE_H

struct drv_device;

/* Reorders `devices`, so that those which are visible come first, and returns how many these are.
 * The list ends at its first entry that names no device, as with a real driver; a device named
 * twice ends it before the first. Source: CUDA C++ Programming Guide, environment variables. */
int drv_visible_choose(struct drv_device *devices, int count);

#endif
