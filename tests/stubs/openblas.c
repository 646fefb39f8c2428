/* An OpenBLAS as it is in wheels of NumPy: its functions have a prefix and an ending of their own, so that
 * several copies can live in one process, and its integers may have 64 bits. -DBEFORE= -DBEHIND= -DINTEGER=
 * say which; with -DCRASH it ends the process when it is loaded, with
 * -DWRONG the last column of its results is without its last term. */
#include <stdint.h>
#include <stdlib.h>

#define PASTE(a, b, c)  a##b##c
#define JOIN(a, b, c)   PASTE(a, b, c)
#define NAMED(name)     JOIN(BEFORE, name, BEHIND)
#define FUNCTION(result, name, arguments)                                                          \
    result NAMED(name) arguments;                                                                  \
    result NAMED(name) arguments

#ifndef WRONG
#define WRONG 0
#endif

static int threads = 1;

#ifdef CRASH
__attribute__((constructor)) static void crash(void)
{
    abort();
}
#endif

FUNCTION(void, openblas_set_num_threads, (int count))
{
    threads = count;
}
FUNCTION(int, openblas_get_num_threads, (void))
{
    return threads;
}
FUNCTION(char *, openblas_get_config, (void))
{
    static char text[] = "OpenBLAS 0.3.99 USE64BITINT DYNAMIC_ARCH Stub MAX_THREADS=64";
    return text;
}
FUNCTION(char *, openblas_get_corename, (void))
{
    static char text[] = "Stub";
    return text;
}

/* Column-major alone: 102; 111 as stored, 112 transposed. */
FUNCTION(void, cblas_sgemm,
         (unsigned order, unsigned ta, unsigned tb, INTEGER m, INTEGER n, INTEGER k, float alpha,
          const float *a, INTEGER lda, const float *b, INTEGER ldb, float beta, float *c, INTEGER ldc))
{
    if (order != 102)
        abort();
    for (INTEGER j = 0; j < n; j++)
        for (INTEGER i = 0; i < m; i++) {
            double sum = 0;
            for (INTEGER l = 0; l < k - (WRONG && j == n - 1); l++)
                sum += (double)a[ta == 112 ? l + i * lda : i + l * lda] *
                       (double)b[tb == 112 ? j + l * ldb : l + j * ldb];
            sum *= (double)alpha;
            if (beta < 0 || beta > 0) /* else what is there is not read, be it no number */
                sum += (double)beta * (double)c[i + j * ldc];
            c[i + j * ldc] = (float)sum;
        }
}
