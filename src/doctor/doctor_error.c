#include "doctor/doctor_error.h"

#include <string.h>

#include "doctor/explain.h"

const char *doctor_cause_code(enum doctor_cause cause)
{
    static const char *const codes[] = {
#define X(code) #code,
        DOCTOR_CAUSES(X)
#undef X
    };
    return cause < CAUSE_COUNT ? codes[cause] : "";
}

void doctor_error_read(const char *text, struct doctor_error *error)
{
    struct explain found;
    struct err unused;
    err_clear(&unused);
    *error = (struct doctor_error){ .count = 0 };
    if (!text || explain_find(text, strlen(text), &found, &unused))
        return;
    for (size_t i = 0; i < found.cause_count; i++)
        if (found.causes[i] < CAUSE_COUNT && error->count < CAUSE_COUNT)
            error->causes[error->count++] = (enum doctor_cause)found.causes[i];
}

int doctor_error_place(const struct doctor_error *error, enum doctor_cause cause)
{
    for (size_t i = 0; i < error->count; i++)
        if (error->causes[i] == cause)
            return (int)i;
    return -1;
}
