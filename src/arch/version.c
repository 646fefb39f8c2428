#include "arch/version.h"

#include <ctype.h>
#include <stdio.h>

/* Digits at `*p`, at most six so that nothing overflows. */
static bool number(const char **p, unsigned *value)
{
    unsigned digits = 0;
    *value = 0;
    for (; isdigit((unsigned char)**p); ++*p) {
        if (++digits > 6)
            return false;
        *value = *value * 10 + (unsigned)(**p - '0');
    }
    return digits > 0;
}

bool version_parse(const char *text, struct driver_version *version)
{
    unsigned parts[3] = { 0 };
    size_t count = 0;
    for (;;) {
        if (count == 3 || !number(&text, &parts[count++]))
            return false;
        if (*text != '.')
            break;
        text++;
    }
    if (*text || !parts[0])
        return false;
    *version = (struct driver_version){ parts[0], parts[1], parts[2] };
    return true;
}

int version_compare(struct driver_version a, struct driver_version b)
{
    if (a.major != b.major)
        return a.major < b.major ? -1 : 1;
    if (a.minor != b.minor)
        return a.minor < b.minor ? -1 : 1;
    return (a.patch > b.patch) - (a.patch < b.patch);
}

bool version_known(struct driver_version version)
{
    return version.major != 0;
}

const char *version_text(struct driver_version v, char to[VERSION_TEXT_MAX])
{
    if (v.patch)
        snprintf(to, VERSION_TEXT_MAX, "%u.%02u.%02u", v.major, v.minor, v.patch);
    else if (v.minor)
        snprintf(to, VERSION_TEXT_MAX, "%u.%02u", v.major, v.minor);
    else
        snprintf(to, VERSION_TEXT_MAX, "%u", v.major);
    return to;
}
