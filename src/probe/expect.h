/* What kernels/probe.cu must compute, worked out again on the host from the kernel's specification.
 */
#ifndef PROBE_EXPECT_H
#define PROBE_EXPECT_H

#include "kernels/probe.h"

/* Thread `index`'s integer and floating-point results; image_id and cuda_arch are left 0. */
struct probe_result expect_result(unsigned seed, unsigned index);

#endif
