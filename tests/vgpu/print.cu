/* printf and assert in kernels. The PTX beside this file was made from it by
 *     nvcc -arch=compute_35 -ptx print.cu -o ptx/print.compute_35.ptx
 * with CUDA 11.8. */
#include <cassert>
#include <cstdio>

extern "C" __global__ void hello()
{
    if (threadIdx.x < 2)
        printf("thread %d of %u: %5.2f %s %lld %c%%\n", threadIdx.x, blockDim.x, threadIdx.x * 1.5,
               "text", -5ll * threadIdx.x, 'x');
}

extern "C" __global__ void check()
{
    assert(threadIdx.x < 5);
}
