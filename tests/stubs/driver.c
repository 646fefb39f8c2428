/* A driver library for tests. Which calls it exports is decided where it is built (stubs.mk): every
 * name there returns "not initialised". These two say what the environment says:
 *   STUB_VERSION   of cuDriverGetVersion, default 9000
 *   STUB_INIT      result of cuInit, default 0; "abort" and "exit" end the process there */
#include <stdlib.h>
#include <string.h>

int cuInit(unsigned flags);
int cuDriverGetVersion(int *version);
int cuDeviceGetCount(int *count);

static int number(const char *variable, int otherwise)
{
    const char *text = getenv(variable);
    return text ? atoi(text) : otherwise;
}

int cuInit(unsigned flags)
{
    (void)flags;
    const char *init = getenv("STUB_INIT");
    if (init && strcmp(init, "abort") == 0)
        abort();
    if (init && strcmp(init, "exit") == 0)
        _Exit(0);
    return number("STUB_INIT", 0);
}

int cuDriverGetVersion(int *version)
{
    *version = number("STUB_VERSION", 9000);
    return 0;
}

int cuDeviceGetCount(int *count)
{
    *count = 0;
    return 0;
}
