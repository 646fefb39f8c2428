/* Which official PyTorch a card is sent to. The expected releases are those of the measured wheels
 * (results/packages/README.md) and of the recipes, as the notes of builds.tsv name them. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "data/data.h"
#include "doctor/builds.h"

static struct arch_target card(unsigned cc, const char *driver)
{
    struct arch_target t = { .cc = cc, .os = ARCH_LINUX };
    if (driver)
        version_parse(driver, &t.driver);
    return t;
}

Test(builds, the_last_release_with_3_5_on_linux_is_1_3_0)
{
    struct builds_pick pick;
    struct arch_target t = card(35, "470.256.02");
    cr_assert(builds_best("torch", &t, "3.7", &pick));
    cr_assert_str_eq(pick.version, "1.3.0");
    cr_assert_str_eq(pick.confidence, "measured");
    cr_assert(pick.pypi);
    cr_assert_not(pick.needs_python);
    cr_assert_not(pick.needs_driver);
}

Test(builds, a_newer_python_has_none)
{
    struct builds_pick pick;
    struct arch_target t = card(35, "470.256.02");
    cr_assert(builds_best("torch", &t, "3.10", &pick));
    cr_assert(pick.needs_python);
    cr_assert_str_eq(pick.version, "1.3.0");
}

Test(builds, an_old_driver_limits_the_cuda_version)
{
    struct builds_pick pick;
    struct arch_target t = card(75, "418.87");
    cr_assert(builds_best("torch", &t, "3.7", &pick));
    cr_assert_not(pick.needs_driver);
    cr_assert_leq(atof(pick.cuda), 10.1, "driver 418 takes CUDA 10.1 at most, not %s", pick.cuda);
}

Test(builds, a_card_without_any_release_has_none)
{
    struct builds_pick pick;
    struct arch_target t = card(21, NULL);
    cr_assert_not(builds_best("torch", &t, "", &pick));
    cr_assert_not(builds_best("no-such-package", &t, "", &pick));
}

Test(builds, python_ranges_are_read_as_written)
{
    cr_assert(builds_python("2.7 3.5-3.7", "2.7"));
    cr_assert(builds_python("2.7 3.5-3.7", "3.6"));
    cr_assert_not(builds_python("2.7 3.5-3.7", "3.8"));
    cr_assert_not(builds_python("3.9-3.13", "3.14"));
    cr_assert(builds_python("3.8-3.11 (3.12 experimental)", "3.10"));
    cr_assert_not(builds_python("3.8-3.11 (3.12 experimental)", "3.12"));
    cr_assert(builds_python("?", "3.12"));
}

Test(builds, every_row_has_a_source_and_a_confidence)
{
    static const char *const words[] = { "measured", "documented", "inferred", "claimed" };
    static const enum data_id tables[] = { DATA_BUILDS, DATA_CAUSES, DATA_FLOORS };
    for (size_t k = 0; k < 3; k++) {
        const struct table *t = data_table(tables[k]);
        for (size_t row = 0; row < t->row_count; row++) {
            const char *confidence = table_field(t, row, "confidence");
            bool known = false;
            for (size_t i = 0; i < 4; i++)
                known |= strcmp(confidence, words[i]) == 0;
            cr_assert(known, "%s row %zu: '%s'", data_name(tables[k]), row, confidence);
            cr_assert_not(table_blank(table_field(t, row, "source")), "%s row %zu",
                          data_name(tables[k]), row);
        }
    }
}
