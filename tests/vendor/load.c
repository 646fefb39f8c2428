/* Loads one of NVIDIA's libraries as smfit does, without a card:
 *
 *   load cublas|cudnn FOLDER CC
 *
 * Prints the path that was opened, and for cuDNN its version (cuBLAS tells it only of a handle, for which a
 * card is needed). Then what creating a handle says, in a line of its own. Exit code 1: it did not load. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/cublas.h"
#include "cuda/cudnn.h"

int main(int argc, char **argv)
{
    struct err err;
    err_clear(&err);
    if (argc != 4)
        return 2;
    const char *folders[] = { argv[2] };
    struct search where = { folders, 1, NULL, 0, true };
    struct driver none = { 0 };
    int cc = atoi(argv[3]);
    if (strcmp(argv[1], "cublas") == 0) {
        struct cublas cublas;
        if (cublas_load(&cublas, &where, cc, 0, &err)) {
            fprintf(stderr, "%s\n", err.msg);
            return 1;
        }
        printf("%s\n", cublas.found.path);
        fflush(stdout);
        cublas_close(&cublas);
        if (cublas_open(&cublas, &none, &where, cc, 0, &err))
            printf("%s\n", err.msg);
        else
            cublas_close(&cublas);
    } else {
        struct cudnn cudnn;
        char version[32];
        if (cudnn_load(&cudnn, &where, cc, &err)) {
            fprintf(stderr, "%s\n", err.msg);
            return 1;
        }
        cudnn_version_text(cudnn.version, version);
        printf("%s %s\n", cudnn.found.path, version);
        fflush(stdout);
        cudnn_close(&cudnn);
        if (cudnn_open(&cudnn, &none, &where, cc, &err))
            printf("%s\n", err.msg);
        else
            cudnn_close(&cudnn);
    }
    return 0;
}
