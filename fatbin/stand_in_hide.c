/* Preloaded: hides the driver library from a program, as on a machine that has none. */
#include <dlfcn.h>
#include <string.h>

/* dlsym gives a data pointer; C has no cast from it to a function's. */
typedef void *open_call(const char *name, int flags);

void *dlopen(const char *name, int flags)
{
    void *symbol = dlsym(RTLD_NEXT, "dlopen");
    open_call *real;
    memcpy(&real, &symbol, sizeof real);
    if (name && strstr(name, "libcuda.so"))
        name = "libcuda.so.hidden";
    return real(name, flags);
}
