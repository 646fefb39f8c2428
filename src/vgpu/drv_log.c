#include "vgpu/drv_log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool drv_log_on(void)
{
    const char *name = getenv("SMFIT_VGPU_LOG");
    return name && *name;
}

/* Opened for each line: nothing stays open when a process ends in the middle, and several processes
 * may share the file. */
void drv_log(const char *fmt, ...)
{
    const char *name = getenv("SMFIT_VGPU_LOG");
    if (!name || !*name)
        return;
    FILE *to = strcmp(name, "-") == 0 ? stderr : fopen(name, "a");
    if (!to)
        return;
    char line[1024] = "smfit vgpu: ";
    size_t used = strlen(line);
    va_list args;
    va_start(args, fmt);
    vsnprintf(line + used, sizeof line - used - 1, fmt, args);
    va_end(args);
    fprintf(to, "%s\n", line);
    if (to != stderr)
        fclose(to);
}
