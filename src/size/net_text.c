#include "size/net_text.h"

#include <stdlib.h>
#include <string.h>

#include "core/str.h"
#include "size/net_line.h"

#define BLOCKS_MAX 64
#define DEPTH_MAX  8

struct span {
    const char *p;
    size_t size;
};

struct block {
    char name[LAYER_NAME_MAX];
    char defaults[LINE_SIZE_MAX]; /* the block's own line */
    struct span body;             /* its lines */
    size_t first_line;
};

struct reader {
    struct net *net;
    struct block *blocks;
    size_t block_count;
    struct net_image image;
    size_t line; /* for messages */
    struct err *err;
};

/* Where names are looked up: in a block, its instance's name and what it was given. */
struct scope {
    const char *prefix; /* "" or "layer1.0." */
    size_t in;          /* SIZE_MAX outside of blocks */
    struct line *instance;
    const struct block *block;
    int depth;
};

static bool next_line(struct span *rest, struct span *line)
{
    if (!rest->size)
        return false;
    const char *end = memchr(rest->p, '\n', rest->size);
    size_t length = end ? (size_t)(end - rest->p) : rest->size;
    *line = (struct span){ rest->p, length };
    size_t taken = length + (end ? 1 : 0);
    rest->p += taken;
    rest->size -= taken;
    return true;
}

static struct block *find_block(const struct reader *r, const char *name)
{
    for (size_t i = 0; i < r->block_count; i++)
        if (strcmp(r->blocks[i].name, name) == 0)
            return &r->blocks[i];
    return NULL;
}

/* ---- what $KEY stands for ------------------------------------------------------------------- */

static const char *parameter(const struct scope *scope, struct line *defaults, const char *key)
{
    const char *value = line_value(scope->instance, key);
    return value ? value : line_value(defaults, key);
}

static bool is_key(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static int fill_in(const struct reader *r, const struct scope *scope, struct span line,
                   struct line *defaults, struct str *to)
{
    for (size_t i = 0; i < line.size;) {
        if (line.p[i] != '$') {
            str_add_bytes(to, &line.p[i++], 1);
            continue;
        }
        char key[32];
        size_t n = 0;
        for (i++; i < line.size && is_key(line.p[i]) && n + 1 < sizeof key; i++)
            key[n++] = line.p[i];
        key[n] = '\0';
        const char *value = parameter(scope, defaults, key);
        if (!value)
            return err_set(r->err, ERR_FORMAT, "block '%s' needs %s=", scope->block->name, key);
        str_add(to, value);
    }
    return to->failed ? err_set(r->err, ERR_MEMORY, "out of memory") : 0;
}

/* ---- the layers that a line reads ------------------------------------------------------------- */

static int find_input(const struct reader *r, const struct scope *scope, const char *name,
                      size_t *index)
{
    char full[2 * LAYER_NAME_MAX];
    if (scope->in != SIZE_MAX && strcmp(name, "in") == 0) {
        *index = scope->in;
        return 0;
    }
    struct str s = STR_INIT;
    str_addf(&s, "%s%s", scope->prefix, name);
    str_copy(full, sizeof full, s.p);
    str_free(&s);
    *index = net_find(r->net, full);
    if (*index == SIZE_MAX)
        return err_set(r->err, ERR_FORMAT, "no layer '%s' stands above", name);
    return 0;
}

static int find_inputs(const struct reader *r, const struct scope *scope, struct line *line,
                       size_t previous, size_t inputs[LINE_INPUTS_MAX], size_t *count)
{
    const char *from = line_value(line, "from");
    *count = 1;
    inputs[0] = previous;
    if (!from)
        return 0;
    *count = 0;
    for (const char *p = from; *p;) {
        char name[LAYER_NAME_MAX];
        size_t n = strcspn(p, ",");
        if (!n || n >= sizeof name || *count == LINE_INPUTS_MAX)
            return err_set(r->err, ERR_FORMAT, "from='%s' is no list of layers", from);
        memcpy(name, p, n);
        name[n] = '\0';
        if (find_input(r, scope, name, &inputs[(*count)++]))
            return -1;
        p += n + (p[n] == ',');
    }
    return 0;
}

/* ---- lines ------------------------------------------------------------------------------------ */

static int read_lines(struct reader *r, const struct scope *scope, struct span text);

static int join_name(const struct reader *r, const struct scope *scope, const char *name,
                     char to[LAYER_NAME_MAX], const char *tail)
{
    struct str s = STR_INIT;
    str_addf(&s, "%s%s%s", scope->prefix, name, tail);
    bool fits = !s.failed && str_copy(to, LAYER_NAME_MAX, s.p);
    str_free(&s);
    return fits ? 0 : err_set(r->err, ERR_LIMIT, "layer name '%s' is too long", name);
}

/* The caller of a module holds its argument, and its variables hold what they name, until it is done. */
static void hold(struct net *net, size_t input, size_t before)
{
    size_t last = net->count - 1;
    for (size_t i = before; i < last; i++)
        if (net->layers[i].held)
            net->layers[i].held_until = last;
    net->layers[input].held_until = last;
}

static int use_block(struct reader *r, const struct scope *scope, struct line *line,
                     const struct block *block, size_t input)
{
    char prefix[LAYER_NAME_MAX];
    if (scope->depth == DEPTH_MAX)
        return err_set(r->err, ERR_LIMIT, "blocks are nested deeper than %d", DEPTH_MAX);
    if (join_name(r, scope, line->name, prefix, "."))
        return -1;
    const struct scope inner = { prefix, input, line, block, scope->depth + 1 };
    size_t outer_line = r->line, before = r->net->count;
    r->line = block->first_line;
    if (read_lines(r, &inner, block->body))
        return -1;
    r->line = outer_line;
    if (r->net->count == before)
        return err_set(r->err, ERR_FORMAT, "block '%s' is empty", block->name);
    /* the output is known by the instance's name */
    struct layer *last = &r->net->layers[r->net->count - 1];
    hold(r->net, input, before);
    return join_name(r, scope, line->name, last->name, "");
}

static int add_layer(struct reader *r, const struct scope *scope, struct line *line,
                     const size_t *inputs, size_t count)
{
    const struct layer *read[LINE_INPUTS_MAX];
    struct layer layer = { .op = LAYER_OTHER };
    char name[LAYER_NAME_MAX];
    for (size_t i = 0; i < count; i++)
        read[i] = &r->net->layers[inputs[i]];
    if (line_flag(line, "held", false, &layer.held, r->err) || line_layer(line, read, count, &layer, r->err) ||
        join_name(r, scope, line->name, name, ""))
        return -1;
    return net_add(r->net, name, &layer, inputs, count, r->err);
}

static int read_layer(struct reader *r, const struct scope *scope, struct line *line,
                      size_t previous)
{
    size_t inputs[LINE_INPUTS_MAX], count;
    if (!line->op)
        return err_set(r->err, ERR_FORMAT, "'%s' has no operation", line->name);
    if (!r->net->count)
        return err_set(r->err, ERR_FORMAT, "'%s' comes before the input", line->name);
    if (find_inputs(r, scope, line, previous, inputs, &count))
        return -1;
    const struct block *block = find_block(r, line->op);
    if (!block)
        return add_layer(r, scope, line, inputs, count);
    if (count != 1)
        return err_set(r->err, ERR_FORMAT, "a block reads one layer");
    return use_block(r, scope, line, block, inputs[0]);
}

static int read_input(struct reader *r, const char *text)
{
    struct layer layer = { .op = LAYER_INPUT };
    long size;
    char copy[128], *save = NULL;
    if (r->net->count)
        return err_set(r->err, ERR_FORMAT, "there is a second input");
    if (!text || !str_copy(copy, sizeof copy, text))
        return err_set(r->err, ERR_FORMAT, "the input is no C x H x W");
    for (char *p = strtok_r(copy, "x", &save); p; p = strtok_r(NULL, "x", &save)) {
        if (layer.out.count == 3 || !str_number(p, 1, (long)DIM_MOST, &size))
            return err_set(r->err, ERR_FORMAT, "the input '%s' is no C x H x W", text);
        layer.out.size[layer.out.count++] = size;
    }
    if (!layer.out.count)
        return err_set(r->err, ERR_FORMAT, "the input '%s' is no C x H x W", text);
    if (r->image.height) {
        if (layer.out.count != 3)
            return err_set(r->err, ERR_USAGE, "network '%s' reads no images", r->net->name);
        layer.out.size[1] = r->image.height;
        layer.out.size[2] = r->image.width;
    }
    return net_add(r->net, "input", &layer, NULL, 0, r->err);
}

static int skip_block(struct reader *r, struct span *rest)
{
    struct span line;
    while (next_line(rest, &line)) {
        struct line cut;
        r->line++;
        if (line_cut(&cut, line.p, line.size, NULL) == 0 && cut.name &&
            strcmp(cut.name, "end") == 0)
            return 0;
    }
    return err_set(r->err, ERR_FORMAT, "a block has no end");
}

static int read_block(struct reader *r, const char *name, struct span head, struct span *rest)
{
    if (!name)
        return err_set(r->err, ERR_FORMAT, "a block has no name");
    if (r->block_count == BLOCKS_MAX)
        return err_set(r->err, ERR_LIMIT, "more than %d blocks", BLOCKS_MAX);
    if (find_block(r, name))
        return err_set(r->err, ERR_FORMAT, "there is a second block '%s'", name);
    struct block *b = &r->blocks[r->block_count];
    if (!str_copy(b->name, sizeof b->name, name))
        return err_set(r->err, ERR_LIMIT, "the name '%s' is too long", name);
    memcpy(b->defaults, head.p, head.size); /* line_cut has seen that it fits */
    b->defaults[head.size] = '\0';
    b->body.p = rest->p;
    b->first_line = r->line;
    if (skip_block(r, rest))
        return -1;
    const char *end = rest->p;
    /* back over the line "end" itself */
    while (end > b->body.p && (end == rest->p || end[-1] != '\n'))
        end--;
    b->body.size = (size_t)(end - b->body.p);
    r->block_count++;
    return 0;
}

static int read_line(struct reader *r, const struct scope *scope, struct span text,
                     struct span *rest, size_t *previous)
{
    struct line line;
    if (line_cut(&line, text.p, text.size, r->err))
        return -1;
    if (!line.name)
        return 0;
    bool top = !scope->block;
    if (top && strcmp(line.name, "block") == 0)
        return read_block(r, line.op, text, rest);
    if (top && strcmp(line.name, "net") == 0) {
        str_copy(r->net->name, sizeof r->net->name, line.op ? line.op : "");
        return 0;
    }
    int bad = top && strcmp(line.name, "input") == 0 ? read_input(r, line.op)
                                                     : read_layer(r, scope, &line, *previous);
    *previous = r->net->count - 1;
    return bad;
}

static int read_lines(struct reader *r, const struct scope *scope, struct span text)
{
    struct span raw;
    size_t previous = scope->block ? scope->in : SIZE_MAX;
    struct line defaults = { .key_count = 0 };
    if (scope->block &&
        line_cut(&defaults, scope->block->defaults, strlen(scope->block->defaults), r->err))
        return -1;
    while (next_line(&text, &raw)) {
        struct str filled = STR_INIT;
        struct span line = raw;
        int bad = 0;
        r->line++;
        if (scope->block) {
            bad = fill_in(r, scope, raw, &defaults, &filled);
            line = (struct span){ filled.p, filled.len };
        }
        bad = bad || read_line(r, scope, line, &text, &previous) ? -1 : 0;
        str_free(&filled);
        if (bad)
            return -1;
    }
    return 0;
}

int net_text_read(struct net *net, const char *text, size_t size, struct net_image image, struct err *err)
{
    struct reader r = { .net = net, .image = image, .err = err };
    const struct scope top = { .prefix = "", .in = SIZE_MAX };
    net_init(net, "");
    if (size > NET_TEXT_SIZE_MAX)
        return err_set(err, ERR_LIMIT, "larger than %u bytes", NET_TEXT_SIZE_MAX);
    if (memchr(text, '\0', size))
        return err_set(err, ERR_FORMAT, "no text: it holds a zero byte");
    r.blocks = calloc(BLOCKS_MAX, sizeof *r.blocks);
    if (!r.blocks)
        return err_set(err, ERR_MEMORY, "out of memory");
    size_t mark = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; /* of Windows' editors */
    int bad = read_lines(&r, &top, (struct span){ text + mark, size - mark });
    free(r.blocks);
    if (!bad && net->count < 2) {
        r.line = 0;
        bad = err_set(err, ERR_FORMAT, "no layers");
    }
    if (bad) {
        if (r.line && err && err->code != ERR_USAGE)
            err_wrap(err, "line %zu", r.line);
        net_free(net);
    }
    return bad ? -1 : 0;
}
