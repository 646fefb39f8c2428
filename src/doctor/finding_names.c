#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "data/data.h"
#include "doctor/finding_parts.h"
#include "doctor/role.h"

bool finding_is_torch(const char *package)
{
    return strcasecmp(package, "torch") == 0 || strcasecmp(package, "pytorch") == 0;
}

void finding_put_gpu(struct remark *r, const struct doctor_gpu *gpu)
{
    remark_put(r, "card", gpu->name);
    remark_putf(r, "cc", "%u.%u", gpu->rule.cc / 10, gpu->rule.cc % 10);
}

int finding_compare_versions(const char *a, const char *b)
{
    while (*a || *b) {
        char *end;
        unsigned long x = strtoul(a, &end, 10);
        a = end + (*end == '.');
        unsigned long y = strtoul(b, &end, 10);
        if (x != y)
            return x < y ? -1 : 1;
        b = end + (*end == '.');
        if (!isdigit((unsigned char)*a) && !isdigit((unsigned char)*b))
            return 0;
    }
    return 0;
}

unsigned finding_floor(const char *package, const char *version, enum doctor_cause *cause)
{
    const struct table *t = data_table(DATA_FLOORS);
    unsigned major, minor;
    for (size_t row = 0; row < t->row_count; row++) {
        const char *below = table_field(t, row, "below");
        if (!role_same_name(table_field(t, row, "package"), package) || !*version ||
            finding_compare_versions(version, table_field(t, row, "from")) < 0 ||
            (!table_blank(below) && finding_compare_versions(version, below) >= 0) ||
            sscanf(table_field(t, row, "min_cc"), "%u.%u", &major, &minor) != 2)
            continue;
        *cause = CAUSE_COUNT;
        for (int c = 0; c < CAUSE_COUNT; c++)
            if (strcmp(doctor_cause_code((enum doctor_cause)c), table_field(t, row, "cause")) == 0)
                *cause = (enum doctor_cause)c;
        return major * 10 + minor;
    }
    return 0;
}
