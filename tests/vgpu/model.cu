// Kernels whose time is known or ordered: tests/vgpu/model.c times them on virtual cards.

// Nothing but fused multiply-adds, eight independent chains.
extern "C" __global__ void peak(float *out, int rounds)
{
    float a = threadIdx.x * 0.001f, b = 0.999f;
    float r0 = a, r1 = a + 1, r2 = a + 2, r3 = a + 3, r4 = a + 4, r5 = a + 5, r6 = a + 6, r7 = a + 7;
    for (int i = 0; i < rounds; i++) {
#pragma unroll
        for (int k = 0; k < 16; k++) {
            r0 = fmaf(r0, b, a), r1 = fmaf(r1, b, a), r2 = fmaf(r2, b, a), r3 = fmaf(r3, b, a);
            r4 = fmaf(r4, b, a), r5 = fmaf(r5, b, a), r6 = fmaf(r6, b, a), r7 = fmaf(r7, b, a);
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = r0 + r1 + r2 + r3 + r4 + r5 + r6 + r7;
}

extern "C" __global__ void copy(float4 *to, const float4 *from)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i];
}

// C = A * B for square matrices, 16 x 16 threads a block, in four ways.
extern "C" __global__ void naive(const float *a, const float *b, float *c, int n)
{
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}

// Neighbouring threads in neighbouring rows: each load of a warp touches a line a thread.
extern "C" __global__ void uncoalesced(const float *a, const float *b, float *c, int n)
{
    int row = blockIdx.y * 16 + threadIdx.x, col = blockIdx.x * 16 + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[col * n + k];
    c[row * n + col] = sum;
}

extern "C" __global__ void tiled(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[16][16], bs[16][16];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
    float sum = 0;
    for (int t = 0; t < n; t += 16) {
        as[y][x] = a[row * n + t + x];
        bs[y][x] = b[(t + y) * n + col];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++)
            sum += as[y][k] * bs[k][x];
        __syncthreads();
    }
    c[row * n + col] = sum;
}

// The second tile is stored transposed, so that a warp's writes to it meet in few banks.
extern "C" __global__ void conflicts(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[16][16], bs[16][16];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
    float sum = 0;
    for (int t = 0; t < n; t += 16) {
        as[y][x] = a[row * n + t + x];
        bs[x][y] = b[(blockIdx.x * 16 + y) * n + t + x];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++)
            sum += as[y][k] * bs[k][x];
        __syncthreads();
    }
    c[row * n + col] = sum;
}
