/* What every kernel of the gemm_* families is given; shared by the kernels and by the host that
 * launches them.
 *
 * C = alpha * op(A) * op(B) + beta * C, column-major as BLAS has it. A kernel with `splits` above 1
 * writes its share of the sum over k to `partial` instead; the family's reduce kernel then adds the
 * shares in order. */
#ifndef KERNELS_GEMM_H
#define KERNELS_GEMM_H

enum { GEMM_TRANS_A = 1, GEMM_TRANS_B = 2 };

/* 120 bytes on both sides; the last 4 are padding. */
struct gemm_args {
    const void *a, *b;
    void *c;
    void *partial; /* 4-byte sums, [batch][split][n][m]; not read when splits is 1 */
    long long stride_a, stride_b,
        stride_c; /* elements from one of the batch to the next; 0: shared */
    int m, n, k;
    int lda, ldb, ldc;       /* elements from a column, as stored, to the next */
    int trans;               /* GEMM_TRANS_*: for kernels that take any layout */
    int wide_c;              /* m, ldc and c's address are multiples of 4 elements */
    int splits;              /* 1: no split */
    int k_split;             /* what one split sums, a multiple of 32; the last may have less */
    int tiles_m;             /* tiles along m; blockIdx.x = tile along n * tiles_m + tile along m */
    float alpha, beta;       /* beta 0: C is not read */
    int alpha_int, beta_int; /* what integer families take instead */
};

#endif
