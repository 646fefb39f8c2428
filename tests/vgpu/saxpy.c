/* A program as anybody would write it for the driver API: it knows nothing of the virtual GPU.
 *
 *   saxpy FILE     a fat binary, cubin or PTX with the kernels of saxpy.cu
 *
 * Prints the device and "ok", or the call that failed and the driver's own text. */
#include <cuda.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 100000 };

static int check(CUresult result, const char *call)
{
    const char *name = NULL, *text = NULL;
    if (result == CUDA_SUCCESS)
        return 1;
    cuGetErrorName(result, &name);
    cuGetErrorString(result, &text);
    printf("%s: %d %s: %s\n", call, (int)result, name ? name : "?", text ? text : "?");
    exit(1);
}
#define CHECK(call) check(call, #call)

static float run(CUfunction saxpy, CUfunction reduce, float *x, float *y)
{
    CUdeviceptr dx, dy, dsum;
    CUstream stream;
    CUevent start, end;
    float a = 2.5f, sum = 0, ms = 0;
    int n = N;
    CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CHECK(cuEventCreate(&start, CU_EVENT_DEFAULT));
    CHECK(cuEventCreate(&end, CU_EVENT_DEFAULT));
    CHECK(cuMemAlloc(&dx, sizeof *x * N));
    CHECK(cuMemAlloc(&dy, sizeof *y * N));
    CHECK(cuMemAlloc(&dsum, sizeof sum));
    CHECK(cuMemcpyHtoDAsync(dx, x, sizeof *x * N, stream));
    CHECK(cuMemcpyHtoDAsync(dy, y, sizeof *y * N, stream));
    CHECK(cuMemsetD32Async(dsum, 0, 1, stream));
    CHECK(cuEventRecord(start, stream));
    void *params[] = { &a, &dx, &dy, &n };
    CHECK(cuLaunchKernel(saxpy, (N + 255) / 256, 1, 1, 256, 1, 1, 0, stream, params, NULL));
    struct {
        CUdeviceptr x, sum;
        int n;
    } packed = { dy, dsum, N };
    size_t size = sizeof packed;
    void *extra[] = { CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                      CU_LAUNCH_PARAM_END };
    CHECK(cuLaunchKernel(reduce, (N + 255) / 256, 1, 1, 256, 1, 1, 0, stream, NULL, extra));
    CHECK(cuEventRecord(end, stream));
    CHECK(cuMemcpyDtoHAsync(y, dy, sizeof *y * N, stream));
    CHECK(cuMemcpyDtoHAsync(&sum, dsum, sizeof sum, stream));
    CHECK(cuStreamSynchronize(stream));
    CHECK(cuEventElapsedTime(&ms, start, end));
    if (!(ms > 0)) {
        printf("no time passed\n");
        exit(1);
    }
    CHECK(cuMemFree(dx));
    CHECK(cuMemFree(dy));
    CHECK(cuMemFree(dsum));
    CHECK(cuEventDestroy(start));
    CHECK(cuEventDestroy(end));
    CHECK(cuStreamDestroy(stream));
    return sum;
}

static int verify(const float *y, float sum)
{
    double expected = 0;
    for (int i = 0; i < N; i++) {
        float wanted = fmaf(2.5f, (float)(i % 100), (float)(i % 7));
        if (y[i] != wanted) {
            printf("y[%d] is %g, not %g\n", i, (double)y[i], (double)wanted);
            return 1;
        }
        expected += (double)wanted;
    }
    if (fabs((double)sum - expected) > expected * 1e-4) {
        printf("the sum is %g, not %g\n", (double)sum, expected);
        return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    static float x[N], y[N];
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction saxpy, reduce;
    char name[128];
    int version, binary, ptx;
    if (argc != 2)
        return 2;
    for (int i = 0; i < N; i++) {
        x[i] = (float)(i % 100);
        y[i] = (float)(i % 7);
    }
    CHECK(cuInit(0));
    CHECK(cuDriverGetVersion(&version));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDeviceGetName(name, sizeof name, device));
    printf("%s, CUDA %d.%d\n", name, version / 1000, version % 100 / 10);
    CHECK(cuCtxCreate(&context, 0, device));
    CHECK(cuModuleLoad(&module, argv[1]));
    CHECK(cuModuleGetFunction(&saxpy, module, "saxpy"));
    CHECK(cuModuleGetFunction(&reduce, module, "reduce"));
    CHECK(cuFuncGetAttribute(&binary, CU_FUNC_ATTRIBUTE_BINARY_VERSION, saxpy));
    CHECK(cuFuncGetAttribute(&ptx, CU_FUNC_ATTRIBUTE_PTX_VERSION, saxpy));
    printf("binary %d, ptx %d\n", binary, ptx);
    float sum = run(saxpy, reduce, x, y);
    if (verify(y, sum))
        return 1;
    CHECK(cuModuleUnload(module));
    CHECK(cuCtxDestroy(context));
    printf("ok\n");
    return 0;
}
