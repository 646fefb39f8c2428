/* A small validator for JSON schemas: the keywords that src/data/schema/ uses, and no others. One
 * that it does not know is an error, so that no schema says something that nobody checks. */
#ifndef TESTS_UNIT_CLI_VALIDATE_H
#define TESTS_UNIT_CLI_VALIDATE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct validation {
    const json_t *root; /* the whole schema, for $ref */
    char fault[512];    /* the first fault, with the path in the document */
};

static bool validate(struct validation *v, const json_t *schema, const json_t *value,
                     const char *path);

static bool fault(struct validation *v, const char *path, const char *what, const char *detail)
{
    if (!v->fault[0])
        snprintf(v->fault, sizeof v->fault, "%.150s: %s %.300s", *path ? path : "(document)", what,
                 detail);
    return false;
}

static bool is_type(const json_t *value, const char *type)
{
    if (strcmp(type, "number") == 0)
        return json_is_number(value);
    const char *names[] = {
        [JSON_OBJECT] = "object",   [JSON_ARRAY] = "array", [JSON_STRING] = "string",
        [JSON_INTEGER] = "integer", [JSON_REAL] = "real",   [JSON_TRUE] = "boolean",
        [JSON_FALSE] = "boolean",   [JSON_NULL] = "null"
    };
    return strcmp(names[json_typeof(value)], type) == 0;
}

static bool check_type(struct validation *v, const json_t *type, const json_t *value,
                       const char *path)
{
    if (json_is_string(type))
        return is_type(value, json_string_value(type)) ||
               fault(v, path, "is not of type", json_string_value(type));
    for (size_t i = 0; i < json_array_size(type); i++)
        if (is_type(value, json_string_value(json_array_get(type, i))))
            return true;
    return fault(v, path, "is of none of the types", "that the schema lists");
}

static bool check_enum(struct validation *v, const json_t *list, const json_t *value,
                       const char *path)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (json_equal(json_array_get(list, i), value))
            return true;
    return fault(v, path, "is not one of the values:",
                 json_is_string(value) ? json_string_value(value) : "(no string)");
}

static bool check_required(struct validation *v, const json_t *list, const json_t *value,
                           const char *path)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *key = json_string_value(json_array_get(list, i));
        if (json_is_object(value) && !json_object_get(value, key))
            return fault(v, path, "lacks", key);
    }
    return true;
}

static bool check_properties(struct validation *v, const json_t *schema, const json_t *value,
                             const char *path)
{
    const json_t *properties = json_object_get(schema, "properties");
    bool closed = json_is_false(json_object_get(schema, "additionalProperties"));
    const char *key;
    json_t *member;
    json_object_foreach((json_t *)value, key, member)
    {
        char inner[256];
        const json_t *known = json_object_get(properties, key);
        snprintf(inner, sizeof inner, "%s.%s", path, key);
        if (!known && closed)
            return fault(v, inner, "is not in the schema", "");
        if (known && !validate(v, known, member, inner))
            return false;
    }
    return true;
}

static bool check_items(struct validation *v, const json_t *items, const json_t *value,
                        const char *path)
{
    for (size_t i = 0; i < json_array_size(value); i++) {
        char inner[256];
        snprintf(inner, sizeof inner, "%s[%zu]", path, i);
        if (!validate(v, items, json_array_get(value, i), inner))
            return false;
    }
    return true;
}

static bool check_any(struct validation *v, const json_t *list, const json_t *value,
                      const char *path)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct validation trial = { .root = v->root };
        if (validate(&trial, json_array_get(list, i), value, path))
            return true;
        if (i + 1 == json_array_size(list))
            return fault(v, path, "fits none of anyOf; the last:", trial.fault);
    }
    return false;
}

static bool check_ref(struct validation *v, const json_t *ref, const json_t *value,
                      const char *path)
{
    const char *name = json_string_value(ref);
    const json_t *target = NULL;
    if (strncmp(name, "#/$defs/", 8) == 0)
        target = json_object_get(json_object_get(v->root, "$defs"), name + 8);
    return target ? validate(v, target, value, path) : fault(v, path, "the schema has no", name);
}

static bool check_keyword(struct validation *v, const json_t *schema, const char *keyword,
                          const json_t *rule, const json_t *value, const char *path)
{
    static const char *const silent[] = { "$schema", "title", "$defs", "additionalProperties" };
    for (size_t i = 0; i < sizeof silent / sizeof silent[0]; i++)
        if (strcmp(keyword, silent[i]) == 0)
            return true;
    if (strcmp(keyword, "type") == 0)
        return check_type(v, rule, value, path);
    if (strcmp(keyword, "const") == 0)
        return json_equal(rule, value) || fault(v, path, "is not the", "constant");
    if (strcmp(keyword, "enum") == 0)
        return check_enum(v, rule, value, path);
    if (strcmp(keyword, "required") == 0)
        return check_required(v, rule, value, path);
    if (strcmp(keyword, "properties") == 0)
        return check_properties(v, schema, value, path);
    if (strcmp(keyword, "items") == 0)
        return check_items(v, rule, value, path);
    if (strcmp(keyword, "minItems") == 0)
        return (json_int_t)json_array_size(value) >= json_integer_value(rule) ||
               fault(v, path, "has too few", "items");
    if (strcmp(keyword, "anyOf") == 0)
        return check_any(v, rule, value, path);
    if (strcmp(keyword, "$ref") == 0)
        return check_ref(v, rule, value, path);
    return fault(v, path, "the schema has an unknown keyword:", keyword);
}

static bool validate(struct validation *v, const json_t *schema, const json_t *value,
                     const char *path)
{
    const char *keyword;
    json_t *rule;
    json_object_foreach((json_t *)schema, keyword, rule)
    {
        if (!check_keyword(v, schema, keyword, rule, value, path))
            return false;
    }
    return true;
}

#endif
