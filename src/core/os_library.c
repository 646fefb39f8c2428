#include "core/os_library.h"

#include <dlfcn.h>
#include <string.h>

void *os_library_open(const char *name, bool *found, struct err *err)
{
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library) {
        *found = true;
        return library;
    }
    const char *why = dlerror();
    /* glibc and musl both say this, and only this, when the file itself is not there; a missing
     * dependency names another file at the start of the line. */
    const char *absent = why ? strstr(why, "No such file or directory") : NULL;
    *found = !(absent && strncmp(why, name, strlen(name)) == 0);
    err_set(err, ERR_MISSING, "cannot load '%s': %s", name, why ? why : "unknown reason");
    return NULL;
}

void *os_library_symbol(void *library, const char *name)
{
    return dlsym(library, name);
}

void os_library_close(void *library)
{
    if (library)
        dlclose(library);
}
