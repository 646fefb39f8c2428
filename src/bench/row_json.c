/* Rows as JSON and back. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/row.h"
#include "core/json.h"
#include "core/str.h"

/* What a row of status ok says where it has no number. A row of another status says its reason. */
struct number_field {
    const char *key;
    size_t offset;
    const char *why_not;
};

static const struct number_field numbers[] = {
    { "gflops", offsetof(struct row, gflops), "it does no arithmetic that is counted" },
    { "gbps", offsetof(struct row, gbps), "its traffic is not counted" },
    { "ceiling_percent", offsetof(struct row, ceiling_percent),
      "no ceiling of this class was measured, or in too short a launch" },
    { "max_rel_error", offsetof(struct row, max_rel_error), "nothing is computed" },
    { "error_bound", offsetof(struct row, error_bound), "nothing is computed" },
    { "flop", offsetof(struct row, flop), "it does no arithmetic that is counted" },
    { "bytes", offsetof(struct row, bytes), "its traffic is not counted" },
    { "anchor_ratio", offsetof(struct row, anchor_ratio), "it was not measured in rounds" },
};

struct text_field {
    const char *key;
    size_t offset, size;
};

#define TEXT(key, member)                                                                          \
    {                                                                                              \
        key, offsetof(struct row, member), sizeof((struct row *)0)->member                         \
    }

static const struct text_field identity[] = {
    TEXT("case", name),
    TEXT("shape", shape),
    TEXT("precision", precision),
    TEXT("implementation", implementation),
};
static const struct text_field texts[] = {
    TEXT("ceiling", ceiling),
    TEXT("image", image),
    TEXT("variant", variant),
    TEXT("chosen", chosen),
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void put_number(json_t *j, const struct row *row, const char *key, double value,
                       const char *why_not)
{
    if (isfinite(value))
        json_put(j, key, json_real(value));
    else
        json_put_unknown(j, key, row->status == ROW_OK ? why_not : row->reason);
}

static json_t *list_of(const double *values, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, isfinite(values[i]) ? json_real(values[i]) : json_null());
    return list;
}

static void put_time(json_t *j, const struct row *row)
{
    const struct stats *t = &row->time;
    put_number(j, row, "time_ms", t->count ? t->median : NAN, "no time was taken");
    if (t->count > 1) {
        json_put(j, "interval_ms", list_of((double[]){ t->low, t->high }, 2));
        json_put(j, "coverage_percent", json_real(100 * t->coverage));
        return;
    }
    put_number(j, row, "interval_ms", NAN,
               row_is_exact(row) ? "one launch, since a simulated clock is exact"
                                                    : "there is one sample only");
    json_put(j, "coverage_percent", json_null());
}

json_t *row_json(const struct row *row)
{
    json_t *j = json_object();
    const char *base = (const char *)row;
    for (size_t i = 0; i < COUNT(identity); i++)
        json_put_text(j, identity[i].key, base + identity[i].offset);
    json_put_text(j, "status", row_status_name(row->status));
    json_put_filled(j, "reason", row->reason);
    json_put_text(j, "basis", row->basis);
    put_time(j, row);
    for (size_t i = 0; i < COUNT(numbers); i++) {
        double value;
        memcpy(&value, base + numbers[i].offset, sizeof value);
        put_number(j, row, numbers[i].key, value, numbers[i].why_not);
    }
    json_put_number(j, "checked", row->checked);
    json_put_number(j, "throttled_samples", row->throttled);
    for (size_t i = 0; i < COUNT(texts); i++)
        json_put_filled(j, texts[i].key, base + texts[i].offset);
    json_put(j, "samples_ms", list_of(row->samples_ms, row->sample_count));
    json_put(j, "clocks_mhz", list_of(row->clocks_mhz, row->sample_count));
    return j;
}

static double number_of(const json_t *json, const char *key)
{
    const json_t *value = json_object_get(json, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static void read_list(const json_t *list, double *to, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_array_get(list, i);
        to[i] = json_is_number(value) ? json_number_value(value) : NAN;
    }
}

static int read_samples(struct row *row, const json_t *json, struct err *err)
{
    const json_t *samples = json_object_get(json, "samples_ms");
    if (row_reserve(row, json_array_size(samples), err))
        return -1;
    read_list(samples, row->samples_ms, row->sample_count);
    read_list(json_object_get(json, "clocks_mhz"), row->clocks_mhz, row->sample_count);
    return 0;
}

/* Nothing lasts shorter than a clock's tick or longer than a century. */
static bool is_time(double ms)
{
    return ms >= 1e-9 && ms <= 1e13;
}

/* False: what stands there is no time. */
static bool read_time(struct row *row, const json_t *json)
{
    const json_t *interval = json_object_get(json, "interval_ms");
    double median = number_of(json, "time_ms");
    if (!isfinite(median))
        return true;
    if (median != 0 && !is_time(median))
        return false;
    row->time =
        (struct stats){ row->sample_count ? row->sample_count : 1, median, median, median, 0 };
    if (json_array_size(interval) != 2)
        return true;
    row->time.low = json_number_value(json_array_get(interval, 0));
    row->time.high = json_number_value(json_array_get(interval, 1));
    row->time.coverage = number_of(json, "coverage_percent") / 100;
    if (row->time.count < 2)
        row->time.count = 2; /* a sum of rows has an interval and no samples of its own */
    return row->time.low >= 0 && row->time.low <= row->time.high;
}

static size_t count_of(const json_t *json, const char *key)
{
    json_int_t count = json_integer_value(json_object_get(json, key));
    return count > 0 ? (size_t)count : 0;
}

static bool read_text(char *base, const json_t *json, const struct text_field *field)
{
    const char *text = json_string_value(json_object_get(json, field->key));
    return text && str_copy(base + field->offset, field->size, text);
}

static bool read_status(struct row *row, const json_t *json)
{
    const char *name = json_string_value(json_object_get(json, "status"));
    for (int i = 0; name && i <= ROW_ERROR; i++)
        if (strcmp(row_status_name((enum row_status)i), name) == 0) {
            row->status = (enum row_status)i;
            return true;
        }
    return false;
}

int row_parse(struct row *row, const json_t *json, struct err *err)
{
    char *base = (char *)row;
    row_init(row);
    bool whole = json_is_object(json) && read_status(row, json);
    for (size_t i = 0; i < COUNT(identity); i++)
        whole = whole && read_text(base, json, &identity[i]);
    if (!whole)
        return err_set(err, ERR_FORMAT, "this is no row of a benchmark");
    const struct text_field optional[] = { TEXT("reason", reason), TEXT("basis", basis) };
    for (size_t i = 0; i < COUNT(optional); i++)
        read_text(base, json, &optional[i]);
    for (size_t i = 0; i < COUNT(texts); i++)
        read_text(base, json, &texts[i]);
    for (size_t i = 0; i < COUNT(numbers); i++) {
        double value = number_of(json, numbers[i].key);
        memcpy(base + numbers[i].offset, &value, sizeof value);
    }
    row->checked = count_of(json, "checked");
    row->throttled = count_of(json, "throttled_samples");
    if (read_samples(row, json, err))
        return -1;
    if (read_time(row, json))
        return 0;
    row_free(row);
    return err_set(err, ERR_FORMAT, "row '%s' of a benchmark has a time that nothing takes", row->name);
}
