#include "core/json.h"

#include "core/utf8.h"

json_t *json_text(const char *bytes)
{
    struct str s = STR_INIT;
    utf8_add_valid(&s, bytes);
    json_t *value = s.failed ? NULL : json_stringn(s.p, s.len);
    str_free(&s);
    return value;
}

/* A member could not be stored: no document is written any more, rather than one with a gap. */
static bool lost;

void json_put(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value))
        lost = true;
}

void json_put_text(json_t *object, const char *key, const char *text)
{
    json_put(object, key, text ? json_text(text) : json_null());
}

void json_put_filled(json_t *object, const char *key, const char *text)
{
    json_put_text(object, key, text && *text ? text : NULL);
}

void json_put_number(json_t *object, const char *key, uint64_t number)
{
    json_put(object, key, json_integer((json_int_t)number));
}

void json_put_bool(json_t *object, const char *key, bool value)
{
    json_put(object, key, json_boolean(value));
}

void json_put_unknown(json_t *object, const char *key, const char *reason)
{
    char name[64];
    snprintf(name, sizeof name, "%s_reason", key);
    json_put(object, key, json_null());
    json_put_text(object, name, reason);
}

json_t *json_doc_new(const char *schema, const char *tool_version, const char *basis)
{
    json_t *doc = json_object();
    json_t *tool = json_object();
    json_put_text(doc, "schema", schema);
    json_put_number(doc, "version", 1);
    json_put_text(tool, "name", "smfit");
    json_put_text(tool, "version", tool_version);
    json_put(doc, "tool", tool);
    json_put_text(doc, "basis", basis);
    return doc;
}

json_t *json_doc_error(const struct err *err, const char *path)
{
    json_t *e = json_object();
    json_put_text(e, "code", err_code_name(err->code));
    json_put_text(e, "message", err->msg);
    json_put_filled(e, "path", path);
    if (err->offset == ERR_NO_OFFSET)
        json_put(e, "offset", json_null());
    else
        json_put_number(e, "offset", err->offset);
    return e;
}

int json_doc_write(const json_t *doc, FILE *to, struct err *err)
{
    if (!doc || lost)
        return err_set(err, ERR_MEMORY, "out of memory for the JSON document");
    if (json_dumpf(doc, to, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) || fputc('\n', to) == EOF)
        return err_errno(err, "cannot write the JSON document");
    return 0;
}
