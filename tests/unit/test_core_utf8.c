#include <criterion/criterion.h>

#include "core/utf8.h"

static const struct {
    const char *text;
    size_t width;
} widths[] = {
    { "", 0 },
    { "sm_35", 5 },
    { "显卡", 4 },
    { "GeForce 显卡", 12 },
    { "（是）", 6 },
    { "e\u0301", 1 },      /* combining acute */
    { "\xff\xfe", 2 },     /* not UTF-8: shown as something of one column each */
    { "\u00e9\u2192", 2 }, /* e acute, arrow */
};

Test(utf8, width_counts_terminal_columns)
{
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
        cr_assert_eq(utf8_width(widths[i].text), widths[i].width, "row %zu: %zu", i,
                     utf8_width(widths[i].text));
}

static const struct {
    const char *bytes, *printable, *valid;
} escapes[] = {
    { "libcublas.so", "libcublas.so", "libcublas.so" },
    { "a\033[31mb", "a\\x1b[31mb", "a\033[31mb" },
    { "a\nb\tc", "a\\x0ab\\x09c", "a\nb\tc" },
    { "\x7f", "\\x7f", "\x7f" },
    { "\xc2\x9b", "\\x9b", "\xc2\x9b" }, /* CSI as one character */
    { "a\xe2\x80\xae"
      "b",
      "a\\u202eb",
      "a\xe2\x80\xae"
      "b" }, /* right-to-left override */
    { "\xff", "\\xff", "\\xff" },
    { "\xc0\x80", "\\xc0\\x80", "\\xc0\\x80" },               /* overlong NUL */
    { "\xed\xa0\x80", "\\xed\\xa0\\x80", "\\xed\\xa0\\x80" }, /* surrogate */
    { "\xe6\x98", "\\xe6\\x98", "\\xe6\\x98" },               /* cut */
    { "\xf5\x80\x80\x80", "\\xf5\\x80\\x80\\x80", "\\xf5\\x80\\x80\\x80" },
    { "显卡", "显卡", "显卡" },
};

Test(utf8, names_from_outside_cannot_steer_a_terminal)
{
    for (size_t i = 0; i < sizeof escapes / sizeof escapes[0]; i++) {
        struct str s = STR_INIT;
        utf8_add_printable(&s, escapes[i].bytes);
        cr_assert_str_eq(s.p, escapes[i].printable, "row %zu: %s", i, s.p);
        str_free(&s);
    }
}

static const struct {
    const char *bytes, *xml;
} documents[] = {
    { "a<b> & \"c\"", "a&lt;b&gt; &amp; &quot;c&quot;" },
    { "\xff\033\n", "\\xff\\x1b\\x0a" },
    { "\xc2\x9b", "\\x9b" },
    { "\xef\xbf\xbe\xef\xbf\xbf", "\\ufffe\\uffff" }, /* no characters of XML 1.0 */
    { "显卡", "显卡" },
};

Test(utf8, an_xml_document_stays_one_with_any_name_in_it)
{
    for (size_t i = 0; i < sizeof documents / sizeof documents[0]; i++) {
        struct str s = STR_INIT;
        utf8_add_xml(&s, documents[i].bytes);
        cr_assert_str_eq(s.p, documents[i].xml, "row %zu: %s", i, s.p);
        str_free(&s);
    }
}

Test(utf8, valid_text_keeps_its_controls_and_loses_only_broken_bytes)
{
    for (size_t i = 0; i < sizeof escapes / sizeof escapes[0]; i++) {
        struct str s = STR_INIT;
        utf8_add_valid(&s, escapes[i].bytes);
        cr_assert_str_eq(s.p, escapes[i].valid, "row %zu: %s", i, s.p);
        str_free(&s);
    }
}
