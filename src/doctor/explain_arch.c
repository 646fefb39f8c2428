#include "doctor/explain_arch.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#define LIST_MAX 64 /* entries of a list of capabilities */

/* Behind the last place where these letters stand; NULL: nowhere. */
static const char *behind(const struct explain_text *text, const char *letters)
{
    const char *end = text->lower + text->size, *last = NULL;
    size_t n = strlen(letters);
    for (const char *p = text->lower; (p = memmem(p, (size_t)(end - p), letters, n)); p += n)
        last = p + n;
    return last;
}

/* "3.5", "sm_35", "(3.5)": 35, and `*p` moves behind it. 0: something else. */
static unsigned take(const char **p)
{
    const char *at = *p;
    unsigned number = 0, digits = 0;
    bool dot = false;
    while (*at == ' ' || *at == '(' || *at == ':')
        at++;
    if (strncmp(at, "sm_", 3) == 0)
        at += 3;
    for (; digits < 4 && (isdigit((unsigned char)*at) || (*at == '.' && !dot && digits)); at++) {
        if (*at == '.') {
            if (!isdigit((unsigned char)at[1]))
                break;
            dot = true;
        } else {
            number = number * 10 + (unsigned)(*at - '0');
            digits++;
        }
    }
    if (digits < 2 || digits > 3)
        return 0;
    while (isalpha((unsigned char)*at) || *at == ')')
        at++;
    *p = at;
    return number;
}

static unsigned find(const struct explain_text *text, const char *const *letters)
{
    for (; *letters; letters++) {
        const char *p = behind(text, *letters);
        unsigned cc = p ? take(&p) : 0;
        if (cc)
            return cc;
    }
    return 0;
}

static void find_list(const struct explain_text *text, struct explain_archs *archs)
{
    const char *p = behind(text, "supports cuda capabilities");
    for (unsigned i = 0, cc; p && i < LIST_MAX && (cc = take(&p)); i++) {
        archs->least = !archs->least || cc < archs->least ? cc : archs->least;
        archs->most = cc > archs->most ? cc : archs->most;
    }
}

static void find_range(const struct explain_text *text, struct explain_archs *archs)
{
    const char *p = behind(text, "supported by this version of pytorch is");
    archs->least = p ? take(&p) : 0;
    while (archs->least && (*p == ' ' || *p == '-'))
        p++;
    archs->most = archs->least ? take(&p) : 0;
}

struct explain_archs explain_archs_find(const struct explain_text *text)
{
    static const char *const card[] = { "with cuda capability",    "of cuda capability",
                                        "with compute capability", "of compute capability",
                                        "compute capability:",     "gpu has capability",
                                        "cuda capability",         NULL };
    static const char *const floor[] = { "cuda capability supported by this library is",
                                         "cuda capability that we support is",
                                         "minimum required cuda capability is", NULL };
    struct explain_archs archs = { .card = find(text, card) };
    find_list(text, &archs);
    if (!archs.least)
        find_range(text, &archs);
    if (!archs.least)
        archs.least = find(text, floor);
    return archs;
}
