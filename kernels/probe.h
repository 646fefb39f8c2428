/* What one thread of kernels/probe.cu writes; shared by the kernel and by the host that checks it. */
#ifndef KERNELS_PROBE_H
#define KERNELS_PROBE_H

/* 24 bytes, little-endian, no padding. */
struct probe_result {
    unsigned image_id;      /* SMFIT_IMAGE_ID of the image that ran */
    unsigned cuda_arch;     /* __CUDA_ARCH__ of the compilation: 350 for sm_35 and compute_35 */
    unsigned integer;       /* as probe.cu's comment defines it */
    float single_precision; /* bit for bit as on any IEEE 754 machine */
    double double_precision;
};

#endif
