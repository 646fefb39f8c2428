/* A CUDA runtime program whose kernel images come from a file: it registers the container just as the
 * code does that nvcc puts into every program (crt/host_runtime.h), so the runtime sees the very
 * bytes that `smfit repro` has given to the driver.
 *
 *   rt_container calls FILE [KERNEL]    attributes, occupancy and launch of KERNEL (default probe)
 *   rt_container lazy GOOD BAD          first call of the runtime, then a launch from GOOD, then from BAD
 *   rt_container fault FILE             a launch that writes to address 0, and what follows
 *   rt_container memory                 an allocation that is larger than the card
 *
 * Lines as those of rt_calls.cu. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern "C" {
void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int threads, uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid, int *warp);
}

/* What crt/host_runtime.h calls __fatBinC_Wrapper_t. */
struct wrapper {
    int magic, version;
    void *data, *more;
};

#define WRAPPER_MAGIC   0x466243b1
#define WRAPPER_VERSION 1
#define SLACK           4096 /* the runtime and the driver trust the sizes inside */

static void say(const char *call, cudaError_t code)
{
    printf("%s\t%d\t%s\n", call, (int)code, cudaGetErrorString(code));
    cudaGetLastError();
}

static void *read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    long size = -1;
    char *data = NULL;
    if (f && fseek(f, 0, SEEK_END) == 0)
        size = ftell(f);
    if (size >= 0)
        data = (char *)calloc(1, (size_t)size + SLACK);
    if (!data || fseek(f, 0, SEEK_SET) || fread(data, 1, (size_t)size, f) != (size_t)size) {
        fprintf(stderr, "rt_container: cannot read '%s'\n", path);
        exit(2);
    }
    fclose(f);
    return data;
}

/* `host` stands for the kernel's stub: any address of its own will do. */
static void add(const char *path, const char *host, const char *kernel)
{
    static struct wrapper wrappers[2];
    static int n;
    struct wrapper *w = &wrappers[n++];
    w->magic = WRAPPER_MAGIC;
    w->version = WRAPPER_VERSION;
    w->data = read_file(path);
    void **handle = __cudaRegisterFatBinary(w);
    __cudaRegisterFunction(handle, host, strdup(kernel), kernel, -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFatBinaryEnd(handle);
}

/* probe(out, count, seed) with nothing to do, or with one result written to address 0. */
static cudaError_t launch(const void *host, unsigned count)
{
    void *out = NULL;
    unsigned seed = 0;
    void *params[] = { &out, &count, &seed };
    return cudaLaunchKernel(host, dim3(1), dim3(1), params, 0, NULL);
}

static int calls(const char *path, const char *kernel)
{
    static const char host = 0;
    struct cudaFuncAttributes attributes;
    int blocks = 0;
    add(path, &host, kernel);
    say("cudaFuncGetAttributes", cudaFuncGetAttributes(&attributes, &host));
    say("cudaOccupancyMaxActiveBlocksPerMultiprocessor",
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &host, 32, 0));
    say("cudaLaunchKernel", launch(&host, 0));
    return 0;
}

static int lazy(const char *good, const char *bad)
{
    static const char hosts[2] = { 0 };
    add(good, &hosts[0], "probe");
    add(bad, &hosts[1], "probe");
    say("cudaFree", cudaFree(NULL));
    say("good cudaLaunchKernel", launch(&hosts[0], 0));
    say("cudaLaunchKernel", launch(&hosts[1], 0));
    return 0;
}

static int fault(const char *path)
{
    static const char host = 0;
    void *memory = NULL;
    add(path, &host, "probe");
    cudaMalloc(&memory, 4096);
    launch(&host, 1);
    say("cudaDeviceSynchronize", cudaDeviceSynchronize());
    say("cudaFree", cudaFree(memory));
    return 0;
}

static int memory(void)
{
    size_t free_bytes = 0, total = 0;
    void *p = NULL;
    cudaMemGetInfo(&free_bytes, &total);
    say("cudaMalloc", cudaMalloc(&p, total + ((size_t)64 << 20)));
    return 0;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    if (strcmp(mode, "calls") == 0 && argc > 2)
        return calls(argv[2], argc > 3 ? argv[3] : "probe");
    if (strcmp(mode, "lazy") == 0 && argc == 4)
        return lazy(argv[2], argv[3]);
    if (strcmp(mode, "fault") == 0 && argc == 3)
        return fault(argv[2]);
    if (strcmp(mode, "memory") == 0)
        return memory();
    fprintf(stderr, "usage: rt_container calls|lazy|fault|memory [FILE...]\n");
    return 2;
}
