#include "cli/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "data/data.h"

static const char *language = "en";

bool text_set_language(const char *name)
{
    static const char *const known[] = { "en", "zh" };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(name, known[i]) == 0) {
            language = known[i];
            return true;
        }
    return false;
}

/* Output is UTF-8 whatever the locale, so a Chinese locale in another encoding gets English rather
 * than characters that it cannot show. */
static bool is_chinese_utf8(const char *locale)
{
    return strncasecmp(locale, "zh", 2) == 0 &&
           (strcasestr(locale, "utf-8") || strcasestr(locale, "utf8"));
}

void text_language_from_locale(void)
{
    static const char *const names[] = { "LC_ALL", "LC_MESSAGES", "LANG" };
    language = "en";
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *locale = getenv(names[i]);
        if (!locale || !*locale)
            continue;
        if (is_chinese_utf8(locale))
            language = "zh";
        return;
    }
}

const char *text_language(void)
{
    return language;
}

static const char *find(const char *id)
{
    const struct table *t = data_table(DATA_TEXT);
    int id_column = table_column(t, "id");
    int text_column = table_column(t, language);
    for (size_t row = 0; row < t->row_count; row++)
        if (strcmp(table_get(t, row, id_column), id) == 0)
            return table_get(t, row, text_column);
    return NULL;
}

const char *text_get(const char *id)
{
    const char *text = find(id);
    return text ? text : id;
}

bool text_exists(const char *id)
{
    return find(id) != NULL;
}

const char *text_word(const char *word)
{
    char id[48];
    snprintf(id, sizeof id, "word.%s", word);
    const char *text = find(id);
    return text ? text : word;
}

static const char *argument(const struct text_arg *args, const char *name, size_t length)
{
    for (; args && args->name; args++)
        if (strlen(args->name) == length && memcmp(args->name, name, length) == 0)
            return args->value;
    return NULL;
}

void text_add(struct str *to, const char *id, const struct text_arg *args)
{
    const char *p = text_get(id);
    for (const char *open; (open = strchr(p, '{'));) {
        const char *close = strchr(open, '}');
        const char *value = close ? argument(args, open + 1, (size_t)(close - open - 1)) : NULL;
        if (!value) {
            str_add_bytes(to, p, (size_t)(open + 1 - p));
            p = open + 1;
            continue;
        }
        str_add_bytes(to, p, (size_t)(open - p));
        str_add(to, value);
        p = close + 1;
    }
    str_add(to, p);
}
