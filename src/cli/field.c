#include "cli/field.h"

#include <math.h>
#include <string.h>

#include "core/json.h"
#include "core/str.h"

static json_t *words(const char *text)
{
    json_t *list = json_array();
    char word[256];
    while (*(text += strspn(text, " "))) {
        size_t n = strcspn(text, " ");
        str_copy(word, n + 1 < sizeof word ? n + 1 : sizeof word, text);
        json_array_append_new(list, json_text(word));
        text += n;
    }
    return list;
}

static json_t *number(double value)
{
    if (value == floor(value) && fabs(value) < 1e15)
        return json_integer((json_int_t)value);
    return json_real(value);
}

static json_t *typed(const struct table *t, size_t row, int column, enum field_type type)
{
    const char *text = table_get(t, row, column);
    double value;
    switch (type) {
    case FIELD_NUMBER:
        return table_number(t, row, column, &value) ? number(value) : json_text(text);
    case FIELD_BOOL:
        return json_boolean(strcmp(text, "yes") == 0);
    case FIELD_LIST:
        return words(text);
    case FIELD_TEXT:
        break;
    }
    return json_text(text);
}

void field_put_row(json_t *object, const struct table *t, size_t row, const struct field *fields)
{
    for (; fields->column; fields++) {
        const char *key = fields->key ? fields->key : fields->column;
        int column = table_column(t, fields->column);
        const char *text = column < 0 ? "?" : table_get(t, row, column);
        if (strcmp(text, "-") == 0 && strcmp(key, "note") == 0)
            json_put(object, key, json_null());
        else if (table_blank(text))
            json_put_unknown(object, key, *text == '-' ? "does not apply" : "not known");
        else
            json_put(object, key, typed(t, row, column, fields->type));
    }
}
