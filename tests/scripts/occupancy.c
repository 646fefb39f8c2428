/* Blocks a multiprocessor by NVIDIA's own calculator (cuda_occupancy.h), for test_sass.
 *
 * stdin: "cc threads_sm regs_block regs_sm shared_block shared_optin shared_sm reserved threads registers
 * shared" a line; stdout: the blocks. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cuda_occupancy.h>

int main(void)
{
    int cc, threads_sm, regs_block, regs_sm, threads, registers;
    size_t block, optin, sm, reserved, shared;
    while (scanf("%d %d %d %d %zu %zu %zu %zu %d %d %zu", &cc, &threads_sm, &regs_block, &regs_sm, &block,
                 &optin, &sm, &reserved, &threads, &registers, &shared) == 11) {
        struct cudaOccDeviceProp p;
        struct cudaOccFuncAttributes f;
        struct cudaOccDeviceState state;
        struct cudaOccResult r;
        memset(&p, 0, sizeof p);
        memset(&f, 0, sizeof f);
        memset(&state, 0, sizeof state);
        p.computeMajor = cc / 10;
        p.computeMinor = cc % 10;
        p.maxThreadsPerBlock = 1024;
        p.maxThreadsPerMultiprocessor = threads_sm;
        p.regsPerBlock = regs_block;
        p.regsPerMultiprocessor = regs_sm;
        p.warpSize = 32;
        p.sharedMemPerBlock = block;
        p.sharedMemPerMultiprocessor = sm;
        p.numSms = 1;
        p.sharedMemPerBlockOptin = optin;
        p.reservedSharedMemPerBlock = reserved;
        f.maxThreadsPerBlock = 1024;
        f.numRegs = registers;
        f.sharedSizeBytes = shared;
        state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
        int failed = cudaOccMaxActiveBlocksPerMultiprocessor(&r, &p, &f, &state, threads, 0);
        printf("%d\n", failed ? -1 : r.activeBlocksPerMultiprocessor);
    }
    return 0;
}
