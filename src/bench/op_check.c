#include "bench/op_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Products in fp64 for one check: some tens of milliseconds of one core. */
#define PRODUCTS 2e7

enum { ELEMENTS_LEAST = 64, SEED = 11 };

size_t *op_check_elements(size_t total, size_t inner, size_t terms, size_t *count)
{
    double room = PRODUCTS / (double)(terms ? terms : 1);
    size_t some = room < ELEMENTS_LEAST ? ELEMENTS_LEAST : (size_t)room;
    if (some > total)
        some = total;
    size_t *index = reallocarray(NULL, some, sizeof *index);
    if (index)
        *count = reference_samples(total, inner, SEED, index, some);
    return index;
}

bool op_check_transforms(const char *algorithm)
{
    return strcasestr(algorithm, "winograd") || strcasestr(algorithm, "fft");
}

/* Room for the sums of the transforms, which the definition does not have. Even so a term that is
 * missing or twice there, 1 / terms of the scale, is far outside for the 100 to 10000 terms of real
 * layers. */
void op_check_widen(struct reference_bound *bound, const char *algorithm)
{
    if (op_check_transforms(algorithm))
        bound->relative *=
            strcasestr(algorithm, "nonfused") || strcasestr(algorithm, "fft") ? 128 : 16;
}

void op_check_say(const struct reference_error *error, const struct reference_bound *bound,
                  bool intact, struct op_verdict *v)
{
    v->checked = error->checked;
    v->wrong = error->wrong + !intact;
    v->max_rel_error = error->max_rel_error;
    v->bound = bound->relative + bound->output;
    if (error->wrong)
        snprintf(v->first, sizeof v->first, "element %zu is %.9g instead of %.9g", error->worst,
                 error->got, error->want);
    else if (!intact)
        snprintf(v->first, sizeof v->first, "memory around the result was written to");
}
