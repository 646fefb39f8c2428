/* The two calls that a driver provides to kernels: vprintf and __assertfail. */
#include <stdio.h>
#include <string.h>

#include "core/str.h"
#include "vgpu/exec_warp.h"

enum { TEXT_CAP = 1024, OUTPUT_CAP = 64 * 1024 };

/* A string in device memory, cut at TEXT_CAP; what cannot be read is said so. */
static void read_text(struct warp *w, uint64_t address, char text[TEXT_CAP])
{
    const struct mem_map *map = &w->worker->run->map;
    const struct mem_block *b = mem_find(map, address, 1);
    uint64_t left = b ? b->size - (address - b->addr) : 0;
    size_t n = 0;
    if (!b) {
        str_copy(text, TEXT_CAP, "(no string)");
        return;
    }
    mem_touch(b, address - b->addr, left < TEXT_CAP ? left : TEXT_CAP);
    for (; n < left && n + 1 < TEXT_CAP && b->host[address - b->addr + n]; n++)
        text[n] = (char)b->host[address - b->addr + n];
    text[n] = 0;
}

/* The arguments of one thread, in its local memory: each at a multiple of its size. */
struct arguments {
    struct warp *w;
    unsigned lane;
    uint64_t address, used;
};

static uint64_t next_argument(struct arguments *a, unsigned size)
{
    const struct run *run = a->w->worker->run;
    uint64_t offset = a->address - MEM_LOCAL_WINDOW, value = 0;
    a->used = (a->used + size - 1) / size * size;
    offset += a->used;
    a->used += size;
    if (offset <= run->local_stride && size <= run->local_stride - offset)
        memcpy(&value, a->w->local + (size_t)a->lane * run->local_stride + offset, size);
    return value;
}

/* One conversion, checked so far that it may be handed to snprintf. */
struct conversion {
    char spec[24];
    bool wide; /* l, ll, z, j */
    char letter;
};

/* From behind the '%'; returns the characters taken, 0 when this is nothing known. */
static size_t read_conversion(const char *p, struct conversion *c)
{
    size_t n = 0, used = 0;
    memset(c, 0, sizeof *c);
    c->spec[n++] = '%';
    for (; p[used] && strchr("-+ #0123456789.", p[used]); used++)
        if (n < 10)
            c->spec[n++] = p[used];
    while (p[used] && strchr("hlLzjt", p[used]))
        c->wide |= p[used++] != 'h';
    if (!p[used] || !strchr("diouxXcsfFeEgGaAp", p[used]))
        return 0;
    c->letter = p[used];
    if (strchr("diouxX", c->letter)) {
        c->spec[n++] = 'l';
        c->spec[n++] = 'l';
    }
    c->spec[n] = c->letter;
    return used + 1;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* read_conversion() made the format */
static void add_conversion(struct str *out, const struct conversion *c, struct arguments *a)
{
    char text[TEXT_CAP];
    uint64_t bits;
    double real;
    if (strchr("di", c->letter)) {
        bits = next_argument(a, c->wide ? 8 : 4);
        str_addf(out, c->spec, c->wide ? (long long)bits : (long long)(int32_t)bits);
    } else if (strchr("ouxX", c->letter)) {
        bits = next_argument(a, c->wide ? 8 : 4);
        str_addf(out, c->spec, (unsigned long long)bits);
    } else if (c->letter == 'c') {
        str_addf(out, c->spec, (int)next_argument(a, 4));
    } else if (c->letter == 's') {
        read_text(a->w, next_argument(a, 8), text);
        str_addf(out, c->spec, text);
    } else if (c->letter == 'p') {
        str_addf(out, "0x%llx", (unsigned long long)next_argument(a, 8));
    } else {
        bits = next_argument(a, 8);
        memcpy(&real, &bits, sizeof real);
        str_addf(out, c->spec, real);
    }
}
#pragma GCC diagnostic pop

static void format_text(struct str *out, const char *format, struct arguments *a)
{
    struct conversion c;
    for (const char *p = format; *p && out->len < OUTPUT_CAP;) {
        size_t used = *p == '%' ? read_conversion(p + 1, &c) : 0;
        if (used) {
            add_conversion(out, &c, a);
            p += used + 1;
            continue;
        }
        if (p[0] == '%' && p[1] == '%')
            p++;
        str_add_bytes(out, p++, 1);
    }
}

/* vprintf(format, arguments): the number of arguments as result, which nobody uses. */
int exec_print(struct warp *w, const struct inst *in, uint32_t mask)
{
    struct run *run = w->worker->run;
    const struct code_param *args = &w->frame->fn->args[in->imm];
    FOR_LANES(lane, mask)
    {
        struct arguments a = { .w = w, .lane = lane };
        struct str out = STR_INIT;
        char format[TEXT_CAP];
        uint64_t address;
        uint32_t result = 0;
        exec_get_arg(w, &args[1], lane, &address, sizeof address);
        exec_get_arg(w, &args[2], lane, &a.address, sizeof a.address);
        read_text(w, address, format);
        format_text(&out, format, &a);
        pthread_mutex_lock(&run->lock);
        if (run->launch->print && !out.failed)
            run->launch->print(run->launch->print_context, out.p);
        pthread_mutex_unlock(&run->lock);
        str_free(&out);
        exec_set_arg(w, &args[0], lane, &result, sizeof result);
    }
    return 0;
}

/* __assertfail(message, file, line, function, size of a character) */
int exec_assert(struct warp *w, const struct inst *in, uint32_t mask)
{
    const struct code_param *args = &w->frame->fn->args[in->imm];
    unsigned lane = (unsigned)__builtin_ctz(mask);
    char message[TEXT_CAP], file[TEXT_CAP];
    uint64_t address[2];
    uint32_t line;
    exec_get_arg(w, &args[0], lane, &address[0], sizeof address[0]);
    exec_get_arg(w, &args[1], lane, &address[1], sizeof address[1]);
    exec_get_arg(w, &args[2], lane, &line, sizeof line);
    read_text(w, address[0], message);
    read_text(w, address[1], file);
    return exec_fail(w, in, lane, EXEC_ASSERT, "assertion '%.60s' failed at %.60s:%u", message,
                     file, line);
}
