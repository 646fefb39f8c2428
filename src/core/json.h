/* A thin layer over jansson: the envelope that every document of ours has, its error list, and
 * setters that cannot hand jansson bytes which are not UTF-8. Keys come out in the order in which
 * they were set. The setters need no check: one that runs out of memory makes json_doc_write fail.
 */
#ifndef CORE_JSON_H
#define CORE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/err.h"

/* {"schema": schema, "version": 1, "tool": {"name", "version"}, "basis": basis}.
 * NULL when out of memory. */
json_t *json_doc_new(const char *schema, const char *tool_version, const char *basis);

/* An error as the documents have it: {"code", "message", "path", "offset"}; `path` and `offset` are
 * null when there is none. */
json_t *json_doc_error(const struct err *err, const char *path);

/* Indented by two, with a newline at the end. */
int json_doc_write(const json_t *doc, FILE *to, struct err *err);

/* The setters for one member of an object. */
void json_put(json_t *object, const char *key, json_t *value);           /* takes the value */
void json_put_text(json_t *object, const char *key, const char *text);   /* NULL is null */
void json_put_filled(json_t *object, const char *key, const char *text); /* "" is null, too */
void json_put_number(json_t *object, const char *key, uint64_t number);
void json_put_bool(json_t *object, const char *key, bool value);
/* null, and KEY_reason says why. */
void json_put_unknown(json_t *object, const char *key, const char *reason);

/* A JSON string of any bytes: those that are not UTF-8 become "\xNN". */
json_t *json_text(const char *bytes);

#endif
