/* A driver library that reports the version in SMFIT_STUB_DRIVER ("10020") and has no card, so that
 * the CUDA runtime's error 35 can be shown on any machine. */
#include <stdlib.h>

enum { NO_DEVICE = 100, NOT_FOUND = 500 };

int cuDriverGetVersion(int *version);
int cuInit(unsigned flags);
int cuDeviceGetCount(int *count);
int cuGetExportTable(const void **table, const void *id);

int cuDriverGetVersion(int *version)
{
    const char *text = getenv("SMFIT_STUB_DRIVER");
    *version = text ? atoi(text) : 0;
    return 0;
}

int cuInit(unsigned flags)
{
    (void)flags;
    return NO_DEVICE;
}

int cuDeviceGetCount(int *count)
{
    *count = 0;
    return NO_DEVICE;
}

int cuGetExportTable(const void **table, const void *id)
{
    (void)id;
    *table = NULL;
    return NOT_FOUND;
}
