/* A CUDA runtime program as anybody writes it: a kernel, and three calls that need its image.
 *
 * Compiled by nvcc with static cudart for one target only, deliberately the wrong one for most cards
 * (fatbin/runtime.mk says which and why). `smfit repro` runs it and reads its lines:
 *
 *   CALL<TAB>CODE<TAB>TEXT      the text is cudaGetErrorString's
 *
 * With codes as arguments it only looks their texts up, which needs no driver. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

__global__ void fill(int *out)
{
    out[threadIdx.x] = 42;
}

static void say(const char *call, cudaError_t code)
{
    printf("%s\t%d\t%s\n", call, (int)code, cudaGetErrorString(code));
    cudaGetLastError();
}

/* A launch tells at once or when it is waited for. */
static cudaError_t launch(void)
{
    fill<<<1, 1>>>(NULL);
    return cudaGetLastError();
}

int main(int argc, char **argv)
{
    int version = 0, blocks = 0;
    struct cudaFuncAttributes attributes;
    for (int i = 1; i < argc; i++)
        printf("text\t%s\t%s\n", argv[i], cudaGetErrorString((cudaError_t)atoi(argv[i])));
    if (argc > 1)
        return 0;
    printf("runtime\t0\t%d\n", CUDART_VERSION);
    cudaError_t code = cudaDriverGetVersion(&version);
    printf("cudaDriverGetVersion\t%d\t%d\n", (int)code, version);
    say("cudaFuncGetAttributes", cudaFuncGetAttributes(&attributes, fill));
    say("cudaOccupancyMaxActiveBlocksPerMultiprocessor",
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill, 32, 0));
    say("cudaLaunchKernel", launch());
    return 0;
}
