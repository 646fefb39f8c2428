#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"

static char *written(const json_t *doc)
{
    char *text = NULL;
    size_t size = 0;
    struct err err;
    err_clear(&err);
    FILE *f = open_memstream(&text, &size);
    cr_assert_eq(json_doc_write(doc, f, &err), 0, "%s", err.msg);
    fclose(f);
    return text;
}

Test(json, a_document_starts_with_its_envelope_in_a_fixed_order)
{
    json_t *doc = json_doc_new("smfit.cards", "1.2.3", "documented");
    json_put(doc, "errors", json_array());
    char *text = written(doc);
    cr_assert_str_eq(text, "{\n"
                           "  \"schema\": \"smfit.cards\",\n"
                           "  \"version\": 1,\n"
                           "  \"tool\": {\n"
                           "    \"name\": \"smfit\",\n"
                           "    \"version\": \"1.2.3\"\n"
                           "  },\n"
                           "  \"basis\": \"documented\",\n"
                           "  \"errors\": []\n"
                           "}\n");
    free(text);
    json_decref(doc);
}

Test(json, an_error_has_its_path_and_offset_or_null)
{
    struct err err;
    err_clear(&err);
    err_format(&err, 4096, "container breaks off");
    json_t *e = json_doc_error(&err, "a.so");
    cr_assert_str_eq(json_string_value(json_object_get(e, "code")), "format");
    cr_assert_str_eq(json_string_value(json_object_get(e, "path")), "a.so");
    cr_assert_eq(json_integer_value(json_object_get(e, "offset")), 4096);
    json_decref(e);

    err_clear(&err);
    err_set(&err, ERR_USAGE, "unknown option '--x'");
    e = json_doc_error(&err, NULL);
    cr_assert(json_is_null(json_object_get(e, "path")));
    cr_assert(json_is_null(json_object_get(e, "offset")));
    cr_assert_str_eq(json_string_value(json_object_get(e, "message")), "unknown option '--x'");
    json_decref(e);
}

Test(json, bytes_that_are_not_utf8_still_make_a_document)
{
    json_t *doc = json_object();
    json_put_text(doc, "path", "lib\xff\xfe.so");
    char *text = written(doc);
    cr_assert_not_null(strstr(text, "lib\\\\xff\\\\xfe.so"), "%s", text);
    free(text);
    json_decref(doc);
}

Test(json, unknown_is_null_with_a_reason)
{
    json_t *doc = json_object();
    json_put_unknown(doc, "driver", "no kernel driver is loaded");
    cr_assert(json_is_null(json_object_get(doc, "driver")));
    cr_assert_str_eq(json_string_value(json_object_get(doc, "driver_reason")),
                     "no kernel driver is loaded");
    json_decref(doc);
}

Test(json, a_full_disk_is_reported)
{
    FILE *full = fopen("/dev/full", "w");
    if (!full)
        cr_skip_test("no /dev/full here");
    setvbuf(full, NULL, _IONBF, 0);
    json_t *doc = json_object();
    struct err err;
    err_clear(&err);
    cr_assert_eq(json_doc_write(doc, full, &err), -1);
    cr_assert_eq(err.code, ERR_IO);
    cr_assert_eq(err.native, ENOSPC);
    json_decref(doc);
    fclose(full);
}

Test(json, a_member_that_could_not_be_stored_stops_the_document)
{
    json_t *doc = json_object();
    struct err err;
    err_clear(&err);
    json_put(doc, "lost", NULL);
    cr_assert_eq(json_doc_write(doc, stdout, &err), -1);
    cr_assert_eq(err.code, ERR_MEMORY);
    json_decref(doc);
}
