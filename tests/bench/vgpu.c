/* How fast the virtual GPU runs kernels, measured from outside by a program for the driver API.
 *
 *   vgpu FILE KERNEL N ROUNDS    KERNEL is "tiled" or "blocked": C = A * B, N x N
 *   vgpu FILE counted            the kernel of counted.ptx
 *
 * Prints milliseconds of one launch as "time WALL LOW HIGH CPU LOW HIGH" (median, lowest, highest;
 * of ROUNDS after one that is not counted); CPU is the whole process's. Uses two processors at
 * most, and the results are compared with what they must be. */
#include <cuda.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { ROUNDS_MAX = 1000, BLOCKS = 10, THREADS = 96, LOOPS = 50 };

static CUmodule module;

static void check(CUresult result, const char *call)
{
    const char *name = "?";
    if (result == CUDA_SUCCESS)
        return;
    cuGetErrorName(result, &name);
    fprintf(stderr, "vgpu: %s: %d %s\n", call, (int)result, name ? name : "?");
    exit(1);
}
#define CHECK(call) check(call, #call)

static void *take(size_t bytes)
{
    void *p = malloc(bytes);
    if (!p) {
        fprintf(stderr, "vgpu: out of memory\n");
        exit(1);
    }
    return p;
}

/* ---- time -------------------------------------------------------------------------------------
 */

static double wall_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static double cpu_ms(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return 1e3 * (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
           1e-3 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_spread(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, ascending);
    printf(" %.6g %.6g %.6g", (values[(n - 1) / 2] + values[n / 2]) / 2, values[0], values[n - 1]);
}

/* The figure is meant for two processors, however many there are. */
static void take_two_processors(void)
{
    cpu_set_t all, two;
    if (sched_getaffinity(0, sizeof all, &all))
        return;
    CPU_ZERO(&two);
    for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&two) < 2; i++) {
        if (CPU_ISSET(i, &all))
            CPU_SET(i, &two);
    }
    sched_setaffinity(0, sizeof two, &two);
}

/* ---- the products -----------------------------------------------------------------------------
 */

/* Small whole numbers, so that sums are exact in whatever order they are made. */
static void fill(float *m, int n, int step)
{
    for (int i = 0; i < n * n; i++)
        m[i] = (float)(i * step % 11 - 5);
}

static int product_is(const float *a, const float *b, const float *c, int n)
{
    float *row = take((size_t)n * sizeof *row);
    int same = 1;
    for (int i = 0; i < n && same; i++) {
        memset(row, 0, (size_t)n * sizeof *row);
        for (int k = 0; k < n; k++) {
            for (int j = 0; j < n; j++)
                row[j] += a[i * n + k] * b[k * n + j];
        }
        same = memcmp(row, c + (size_t)i * (size_t)n, (size_t)n * sizeof *row) == 0;
    }
    free(row);
    return same;
}

static void time_launches(CUfunction f, unsigned grid, void **params, int rounds)
{
    static double wall[ROUNDS_MAX], cpu[ROUNDS_MAX];
    for (int i = -1; i < rounds; i++) {
        double w = wall_ms(), c = cpu_ms();
        CHECK(cuLaunchKernel(f, grid, grid, 1, 16, 16, 1, 0, NULL, params, NULL));
        CHECK(cuCtxSynchronize());
        if (i >= 0) {
            wall[i] = wall_ms() - w;
            cpu[i] = cpu_ms() - c;
        }
    }
    printf("time");
    print_spread(wall, rounds);
    print_spread(cpu, rounds);
    printf("\n");
}

static int product(const char *kernel, int n, int rounds)
{
    size_t bytes = (size_t)n * (size_t)n * sizeof(float);
    float *host[3];
    CUdeviceptr device[3];
    CUfunction f;
    void *params[] = { &device[0], &device[1], &device[2], &n };
    for (int i = 0; i < 3; i++) {
        host[i] = take(bytes);
        CHECK(cuMemAlloc(&device[i], bytes));
    }
    fill(host[0], n, 7);
    fill(host[1], n, 3);
    CHECK(cuMemcpyHtoD(device[0], host[0], bytes));
    CHECK(cuMemcpyHtoD(device[1], host[1], bytes));
    CHECK(cuModuleGetFunction(&f, module, kernel));
    time_launches(f, (unsigned)(n / (strcmp(kernel, "tiled") == 0 ? 16 : 64)), params, rounds);
    CHECK(cuMemcpyDtoH(host[2], device[2], bytes));
    int same = product_is(host[0], host[1], host[2], n);
    if (!same)
        fprintf(stderr, "vgpu: the product of '%s' is wrong\n", kernel);
    for (int i = 0; i < 3; i++) {
        free(host[i]);
        CHECK(cuMemFree(device[i]));
    }
    return same ? 0 : 1;
}

/* ---- the kernel that was counted ---------------------------------------------------------------
 */

static int counted(void)
{
    static float out[BLOCKS * THREADS];
    CUdeviceptr device;
    CUfunction f;
    int rounds = LOOPS;
    void *params[] = { &device, &rounds };
    CHECK(cuMemAlloc(&device, sizeof out));
    CHECK(cuModuleGetFunction(&f, module, "counted"));
    CHECK(cuLaunchKernel(f, BLOCKS, 1, 1, THREADS, 1, 1, 0, NULL, params, NULL));
    CHECK(cuMemcpyDtoH(out, device, sizeof out));
    CHECK(cuMemFree(device));
    for (int i = 0; i < BLOCKS * THREADS; i++) {
        if (out[i] != (float)(3 * LOOPS + i % 2 * 3)) {
            fprintf(stderr, "vgpu: thread %d of 'counted' has %g\n", i, (double)out[i]);
            return 1;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    CUdevice device;
    CUcontext context;
    int n = argc == 5 ? atoi(argv[3]) : 0, rounds = argc == 5 ? atoi(argv[4]) : 0;
    if (argc == 5 ? n < 64 || n > 4096 || n % 64 || rounds < 1 || rounds > ROUNDS_MAX : argc != 3) {
        fprintf(stderr, "usage: vgpu FILE KERNEL N ROUNDS | FILE counted\n");
        return 2;
    }
    take_two_processors();
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuCtxCreate(&context, 0, device));
    CHECK(cuModuleLoad(&module, argv[1]));
    int status = argc == 5 ? product(argv[2], n, rounds) : counted();
    CHECK(cuCtxDestroy(context));
    return status;
}
