#include "size/knee.h"

static size_t find_best(const struct knee_point *points, size_t count)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        if (points[i].mid > points[best].mid ||
            (points[i].mid >= points[best].mid && points[i].batch < points[best].batch))
            best = i;
    return best;
}

int knee_find(const struct knee_point *points, size_t count, struct knee *knee)
{
    if (count == 0)
        return -1;
    size_t best = find_best(points, count);
    if (!(points[best].mid > 0))
        return -1;
    double enough = KNEE_SHARE * points[best].mid;
    knee->best = knee->sure = knee->chosen = best;
    for (size_t i = 0; i < count; i++) {
        if (points[i].low >= enough && points[i].batch < points[knee->sure].batch)
            knee->sure = i;
        if (points[i].mid >= enough && points[i].batch < points[knee->chosen].batch)
            knee->chosen = i;
    }
    return 0;
}
