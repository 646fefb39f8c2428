// The matrix product by which the virtual GPU's speed is measured: C = A * B, square, n a multiple of 64.
// 16 x 16 threads make a tile of 64 x 64, each of them 4 x 4 elements in registers.
extern "C" __global__ void blocked(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[16][64], bs[16][64];
    int x = threadIdx.x, y = threadIdx.y, id = y * 16 + x;
    int row = blockIdx.y * 64, col = blockIdx.x * 64;
    float sum[4][4] = {};
    for (int t = 0; t < n; t += 16) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            as[id % 16][id / 16 + 16 * i] = a[(row + id / 16 + 16 * i) * n + t + id % 16];
            bs[id / 64 + 4 * i][id % 64] = b[(t + id / 64 + 4 * i) * n + col + id % 64];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++)
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    sum[i][j] += as[k][y * 4 + i] * bs[k][x * 4 + j];
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            c[(row + y * 4 + i) * n + col + x * 4 + j] = sum[i][j];
}
