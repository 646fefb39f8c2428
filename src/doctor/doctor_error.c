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

/* How people describe what no program prints. */
static const struct {
    const char *part; /* without case */
    enum doctor_cause cause;
} symptoms[] = {
    { "minutes", CAUSE_A8 },
    { "every start", CAUSE_A8 },
    { "slow", CAUSE_A8 },
    { "hangs", CAUSE_A8 },
    { "wrong GPU", CAUSE_A12 },
    { "other GPU", CAUSE_A12 },
    { "nvidia-smi", CAUSE_A12 },
    { "LD_LIBRARY_PATH", CAUSE_A18 },
    { "system lib", CAUSE_A18 },
    { "wrong lib", CAUSE_A18 },
    { "is False", CAUSE_N1 },
    { "returns False", CAUSE_N1 },
    { "CPU only", CAUSE_N1 },
    { "not found for torch", CAUSE_N3 },
    { "requirement torch", CAUSE_N3 },
};

static unsigned long by_symptom(const char *text, enum doctor_cause *first)
{
    unsigned long causes = 0;
    for (size_t i = 0; i < sizeof symptoms / sizeof symptoms[0]; i++)
        if (strcasestr(text, symptoms[i].part)) {
            if (!causes)
                *first = symptoms[i].cause;
            causes |= 1ul << symptoms[i].cause;
        }
    return causes;
}

unsigned long doctor_error_causes(const char *text, enum doctor_cause *first)
{
    int row = -1;
    enum doctor_cause likeliest = CAUSE_COUNT;
    unsigned long causes = text ? explain_text_causes(text, &row) : 0;
    if (causes && row >= 0 && row < CAUSE_COUNT)
        likeliest = (enum doctor_cause)row;
    if (!causes && text)
        causes = by_symptom(text, &likeliest);
    if (first)
        *first = likeliest;
    return causes;
}
