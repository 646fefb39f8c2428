#include "size/net_line.h"

#include <inttypes.h>
#include <string.h>

#include "core/str.h"

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static char *word(char **at)
{
    char *p = *at;
    while (blank(*p))
        p++;
    if (!*p)
        return NULL;
    char *begin = p;
    while (*p && !blank(*p))
        p++;
    if (*p)
        *p++ = '\0';
    *at = p;
    return begin;
}

static int cut_key(struct line *line, char *text, struct err *err)
{
    char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return err_set(err, ERR_FORMAT, "'%s' is not KEY=VALUE", text);
    if (line->key_count == LINE_KEYS_MAX)
        return err_set(err, ERR_LIMIT, "more than %d keys", LINE_KEYS_MAX);
    *equals = '\0';
    line->keys[line->key_count++] = (struct line_key){ .key = text, .value = equals + 1 };
    return 0;
}

int line_cut(struct line *line, const char *text, size_t size, struct err *err)
{
    if (size >= sizeof line->text)
        return err_set(err, ERR_LIMIT, "longer than %d characters", LINE_SIZE_MAX - 1);
    memcpy(line->text, text, size);
    line->text[size] = '\0';
    char *comment = strchr(line->text, '#'), *at = line->text, *next;
    if (comment)
        *comment = '\0';
    line->key_count = 0;
    line->name = word(&at);
    line->op = word(&at);
    while ((next = word(&at)))
        if (cut_key(line, next, err))
            return -1;
    return 0;
}

const char *line_value(struct line *line, const char *key)
{
    for (size_t i = 0; i < line->key_count; i++)
        if (strcmp(line->keys[i].key, key) == 0) {
            line->keys[i].used = true;
            return line->keys[i].value;
        }
    return NULL;
}

/* Stops at the first character that is no digit. */
static bool digits(const char **at, int64_t *value)
{
    const char *p = *at;
    *value = 0;
    while (*p >= '0' && *p <= '9' && *value <= DIM_MOST)
        *value = *value * 10 + (*p++ - '0');
    bool any = p > *at;
    *at = p;
    return any && *value <= DIM_MOST;
}

int line_pair(struct line *line, const char *key, int64_t least, int64_t missing, int64_t value[2],
              struct err *err)
{
    const char *text = line_value(line, key), *p = text;
    value[0] = value[1] = missing;
    if (!text)
        return missing >= least ? 0 : err_set(err, ERR_FORMAT, "'%s' needs %s=", line->op, key);
    bool ok = digits(&p, &value[0]);
    value[1] = value[0];
    if (ok && *p == 'x') {
        p++;
        ok = digits(&p, &value[1]);
    }
    if (!ok || *p || value[0] < least || value[1] < least)
        return err_set(err, ERR_FORMAT, "%s='%s' is no size from %" PRId64 " on", key, text, least);
    return 0;
}

int line_number(struct line *line, const char *key, int64_t least, int64_t missing, int64_t *value,
                struct err *err)
{
    int64_t pair[2];
    const char *text = line_value(line, key);
    if (text && strchr(text, 'x'))
        return err_set(err, ERR_FORMAT, "%s='%s' is not one number", key, text);
    if (line_pair(line, key, least, missing, pair, err))
        return -1;
    *value = pair[0];
    return 0;
}

int line_flag(struct line *line, const char *key, bool missing, bool *value, struct err *err)
{
    const char *text = line_value(line, key);
    *value = text ? strcmp(text, "yes") == 0 : missing;
    if (text && !*value && strcmp(text, "no") != 0)
        return err_set(err, ERR_FORMAT, "%s='%s' is neither yes nor no", key, text);
    return 0;
}
