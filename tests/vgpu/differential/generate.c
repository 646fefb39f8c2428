/* Writes the kernels of the differential test, always the same ones.
 *
 *     generate list            the groups, a name a line
 *     generate GROUP           one source for both compilers
 *     generate sample N        N kernels from all groups
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/str.h"

#include "blocks.h"
#include "rows.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Rows of which programs are made: of all their types. */
struct rules {
    const struct row *rows;
    size_t count;
};

/* ---- a kernel's text
 * -----------------------------------------------------------------------------
 */

struct program {
    struct str *text;
    uint64_t random;
    char types[12]; /* of variables; the first is that of the result */
    struct rules rules;
    unsigned loops, depth;
    bool has_array;
};

static unsigned pick(struct program *p, unsigned n)
{
    p->random = p->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(p->random >> 33) % n;
}

static bool fits(const struct program *p, const struct row *r)
{
    if (!r->in_programs)
        return false;
    for (const char *s = strchr(r->text, '$'); s; s = strchr(s + 1, '$'))
        if (!strchr(p->types, s[1]))
            return false;
    return true;
}

static void leaf(struct program *p, char type)
{
    static const char *const constants[] = { "1", "2", "3", "5", "255", "1000", "12345", "65537" };
    bool whole = strchr("uiwl", type);
    if (whole && pick(p, 5) == 0)
        str_addf(p->text, "(%s)%s",
                 type == 'u'   ? "u32"
                 : type == 'i' ? "s32"
                 : type == 'w' ? "u64"
                               : "s64",
                 constants[pick(p, COUNT(constants))]);
    else if (whole && type == 'u' && p->has_array && pick(p, 4) == 0)
        str_addf(p->text, "a[u%u & 7u]", pick(p, 3));
    else
        str_addf(p->text, "%c%u", type, pick(p, 3));
}

static void expression(struct program *p, char type, unsigned depth)
{
    const struct row *r = NULL;
    for (unsigned tries = 0; depth && tries < 400 && !r; tries++) {
        r = &p->rules.rows[pick(p, (unsigned)p->rules.count)];
        if (r->type != type || !fits(p, r))
            r = NULL;
    }
    if (!r) {
        leaf(p, type);
        return;
    }
    for (const char *s = r->text; *s; s++) {
        if (*s == '$')
            expression(p, *++s, depth - 1);
        else
            str_addf(p->text, "%c", *s);
    }
}

static void condition(struct program *p)
{
    static const char *const signs[] = { "==", "!=", "<", "<=", ">", ">=" };
    char type = p->types[pick(p, (unsigned)strlen(p->types))];
    expression(p, type, 1);
    str_addf(p->text, " %s ", signs[pick(p, 6)]);
    expression(p, type, 1);
}

static void indent(struct program *p)
{
    for (unsigned i = 0; i < p->depth; i++)
        str_add(p->text, "    ");
}

static void statements(struct program *p, unsigned n, bool in_loop);

static void assignment(struct program *p)
{
    char type = p->types[pick(p, (unsigned)strlen(p->types))];
    indent(p);
    if (p->has_array && type == 'u' && pick(p, 3) == 0)
        str_addf(p->text, "a[u%u & 7u] = ", pick(p, 3));
    else
        str_addf(p->text, "%c%u = ", type, pick(p, 3));
    expression(p, type, 2);
    str_add(p->text, ";\n");
}

static void choice(struct program *p, bool in_loop)
{
    indent(p);
    str_add(p->text, "if (");
    condition(p);
    str_add(p->text, ") {\n");
    statements(p, 1 + pick(p, 2), in_loop);
    if (pick(p, 2)) {
        indent(p);
        str_add(p->text, "} else {\n");
        statements(p, 1 + pick(p, 2), in_loop);
    }
    indent(p);
    str_add(p->text, "}\n");
}

static void loop(struct program *p)
{
    unsigned n = p->loops++;
    indent(p);
    str_addf(p->text, "for (u32 n%u = 0, m%u = u%u %% 7u + 1u; n%u < m%u; n%u++) {\n", n, n,
             pick(p, 3), n, n, n);
    statements(p, 1 + pick(p, 3), true);
    indent(p);
    str_add(p->text, "}\n");
}

static void jump(struct program *p)
{
    indent(p);
    str_add(p->text, "if (");
    condition(p);
    str_add(p->text, pick(p, 2) ? ")\n        break;\n" : ")\n        continue;\n");
}

static void cases(struct program *p)
{
    indent(p);
    str_addf(p->text, "switch (u%u & 3u) {\n", pick(p, 3));
    for (unsigned i = 0; i < 4; i++) {
        indent(p);
        str_addf(p->text, i < 3 ? "case %u:\n" : "default:\n", i);
        statements(p, 1, false);
        if (pick(p, 3)) {
            indent(p);
            str_add(p->text, "    break;\n");
        }
    }
    indent(p);
    str_add(p->text, "}\n");
}

static void statements(struct program *p, unsigned n, bool in_loop)
{
    p->depth++;
    for (unsigned i = 0; i < n; i++) {
        unsigned what = pick(p, 10);
        if (what < 5 || p->depth > 3)
            assignment(p);
        else if (what < 7)
            choice(p, in_loop);
        else if (what == 7)
            loop(p);
        else if (what == 8)
            cases(p);
        else if (in_loop)
            jump(p);
        else
            assignment(p);
    }
    p->depth--;
}

static const char *type_name(char type)
{
    static const char letters[] = "uiwlhsbcfdHPB";
    static const char *const names[] = { "u32",    "s32",     "u64",          "s64", "u16",
                                         "s16",    "u8",      "s8",           "f32", "f64",
                                         "__half", "__half2", "__nv_bfloat16" };
    return names[strchr(letters, type) - letters];
}

static void start(struct str *text, const char *name, unsigned least, unsigned most)
{
    str_addf(text, "#if !ARCH || (ARCH >= %u && ARCH <= %u)\n", least, most);
    (void)name;
}

/* A program of its own: three variables of each type, statements, a result. */
static void program_text(struct program *p, const char *name, unsigned seed)
{
    unsigned k = 0;
    p->random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    str_addf(p->text, "KERNEL(%s)\n{\n    u32 i = blockIdx.x * blockDim.x + threadIdx.x;\n", name);
    for (const char *t = p->types; *t; t++) {
        const char *everyday = *t == 'f' || *t == 'd' ? "m" : "";
        str_addf(p->text, "    %s ", type_name(*t));
        for (unsigned v = 0; v < 3; v++, k++)
            str_addf(p->text, "%s%c%u = in_%c%s(in, i, %u)", v ? ", " : "", *t, v, *t, everyday, k);
        str_add(p->text, ";\n");
    }
    if (p->has_array)
        str_add(p->text,
                "    u32 a[8];\n    for (u32 k = 0; k < 8; k++)\n        a[k] = in_u(in, i, k);\n");
    statements(p, 6, false);
    char first = p->types[0];
    if (first == 'f' || first == 'd')
        str_addf(p->text, "    out[i] = bits(%c0 < %c1 ? %c0 : %c2);\n}\n", first, first, first,
                 first);
    else
        str_addf(p->text,
                 "    out[i] = mix(mix(bits(%c0), bits(%c1)), mix(bits(%c2), bits(u0)))%s;\n}\n",
                 first, first, first, p->has_array ? " ^ a[3] ^ a[6]" : "");
}

/* One row alone, with an operand of its own for each place. */
static void single_text(struct str *text, const char *name, const struct row *r)
{
    unsigned k = 0;
    str_addf(text,
             "KERNEL(%s)\n{\n    u32 i = blockIdx.x * blockDim.x + threadIdx.x;\n    %s r = ", name,
             type_name(r->type));
    for (const char *s = r->text; *s; s++) {
        if (*s != '$') {
            str_addf(text, "%c", *s);
            continue;
        }
        bool everyday = s[2] == 'm';
        str_addf(text, "in_%c%s(in, i, %u)", s[1], everyday ? "m" : "", k++);
        s += 1 + everyday;
    }
    str_add(text, ";\n    out[i] = bits(r);\n}\n");
}

static void replaced(struct str *text, const char *from, const char *name, const char *words)
{
    for (; *from; from++) {
        if (*from != '@') {
            str_addf(text, "%c", *from);
            continue;
        }
        unsigned n = (unsigned)(*++from - '0');
        const char *w = words;
        if (n == 0) {
            str_add(text, name);
            continue;
        }
        for (; n > 1; n--)
            w = strchr(w, '|') + 1;
        for (; *w != '|' && *w != ';'; w++)
            str_addf(text, "%c", *w);
    }
}

static void template_text(struct str *text, const char *name, const struct block_template *t,
                          const char *words)
{
    replaced(text, t->before, name, words);
    str_addf(text,
             "KERNEL(%s)\n{\n    u32 t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * "
             "threadIdx.z);\n",
             name);
    str_add(text, "    u32 i = blockIdx.x * (blockDim.x * blockDim.y * blockDim.z) + t;\n    ");
    replaced(text, t->body, name, words);
    str_add(text, "\n}\n");
}

/* ---- groups
 * --------------------------------------------------------------------------------------
 */

/* Gets one kernel after the other, and the line of the table for it. */
struct sink {
    struct str text, table;
    unsigned number, of_group;
    unsigned every; /* keep one in so many; 0: those of `group` */
    const char *group;
    bool only_names;
};

static bool wanted(struct sink *s, const char *group)
{
    unsigned n = s->number++;
    return s->every ? n % s->every == s->every / 2 : s->group && strcmp(group, s->group) == 0;
}

static void finish(struct sink *s, const char *name, char kind, unsigned least, unsigned most,
                   const unsigned char block[3], bool meets, double ulps)
{
    str_add(&s->text, "#endif\n\n");
    str_addf(&s->table, "    { \"%s\", %s, '%c', %u, %u, { %u, %u, %u }, 8, %s, %a },\n", name,
             name, kind, least, most, block[0], block[1], block[2], meets ? "true" : "false", ulps);
}

static const unsigned char plain_block[3] = { 64, 1, 1 };

/* What a result is compared as. */
static char kind_of(char type)
{
    return type == 'f' || type == 'd' ? type
           : type == 'H'              ? 'h'
           : type == 'P'              ? 'p'
           : type == 'B'              ? 'b'
                                      : 'u';
}

static void add_rows(struct sink *s, const char *group, const struct row *rows, size_t count,
                     size_t from, size_t step)
{
    char name[48];
    for (size_t i = from; i < count; i += step) {
        snprintf(name, sizeof name, "%s_%03zu", group, i);
        if (!wanted(s, group))
            continue;
        start(&s->text, name, rows[i].least_arch, 255);
        single_text(&s->text, name, &rows[i]);
        finish(s, name, kind_of(rows[i].type), rows[i].least_arch, 255, plain_block, false,
               rows[i].ulps);
    }
}

static void add_templates(struct sink *s, const char *group, const struct block_template *t,
                          size_t count)
{
    char name[64];
    for (size_t i = 0; i < count; i++) {
        unsigned n = 0;
        for (const char *words = t[i].words; *words; words = strchr(words, ';') + 1, n++) {
            snprintf(name, sizeof name, "%s_%s_%u", group, t[i].name, n);
            if (!wanted(s, group))
                continue;
            start(&s->text, name, t[i].least_arch, t[i].most_arch);
            template_text(&s->text, name, &t[i], words);
            finish(s, name, t[i].kind, t[i].least_arch, t[i].most_arch, t[i].block, t[i].meets, 0);
        }
    }
}

static void add_programs(struct sink *s, const char *group, const char *types, struct rules rules,
                         unsigned count, unsigned seed, bool has_array)
{
    char name[48];
    for (unsigned i = 0; i < count; i++) {
        struct program p = { .text = &s->text, .rules = rules, .has_array = has_array };
        str_copy(p.types, sizeof p.types, types);
        snprintf(name, sizeof name, "%s_%02u", group, i);
        if (!wanted(s, group))
            continue;
        start(&s->text, name, 35, 255);
        program_text(&p, name, seed + i);
        finish(s, name, kind_of(types[0]), 35, 255, plain_block, false, 0);
    }
}

static struct rules all_rules(void)
{
    static struct row rows[ROW_COUNT(int_rows) + ROW_COUNT(float_rows) + ROW_COUNT(double_rows)];
    memcpy(rows, int_rows, sizeof int_rows);
    memcpy(rows + ROW_COUNT(int_rows), float_rows, sizeof float_rows);
    memcpy(rows + ROW_COUNT(int_rows) + ROW_COUNT(float_rows), double_rows, sizeof double_rows);
    return (struct rules){ rows, ROW_COUNT(rows) };
}

static const char *const group_names[] = { "int_ops_a",     "int_ops_b",       "int_programs",
                                           "wide_programs", "float_ops",       "float_programs",
                                           "double_ops",    "double_programs", "conversions",
                                           "half_ops",      "bfloat_ops",      "approximate",
                                           "shared",        "warps",           "atomics",
                                           "arrays",        "others" };

static void add_all(struct sink *s)
{
    struct rules rules = all_rules();
    add_rows(s, "int_ops_a", int_rows, ROW_COUNT(int_rows), 0, 2);
    add_rows(s, "int_ops_b", int_rows, ROW_COUNT(int_rows), 1, 2);
    add_programs(s, "int_programs", "ui", rules, 30, 1000, false);
    add_programs(s, "wide_programs", "wluihs", rules, 30, 2000, false);
    add_rows(s, "float_ops", float_rows, ROW_COUNT(float_rows), 0, 1);
    add_programs(s, "float_programs", "fui", rules, 30, 3000, false);
    add_rows(s, "double_ops", double_rows, ROW_COUNT(double_rows), 0, 1);
    add_programs(s, "double_programs", "dulwi", rules, 20, 4000, false);
    add_rows(s, "conversions", convert_rows, ROW_COUNT(convert_rows), 0, 1);
    add_rows(s, "half_ops", half_rows, ROW_COUNT(half_rows), 0, 1);
    add_rows(s, "bfloat_ops", bfloat_rows, ROW_COUNT(bfloat_rows), 0, 1);
    add_rows(s, "approximate", approximate_rows, ROW_COUNT(approximate_rows), 0, 1);
    add_templates(s, "shared", shared_templates, COUNT(shared_templates));
    add_templates(s, "warps", warp_templates, COUNT(warp_templates));
    add_templates(s, "atomics", atomic_templates, COUNT(atomic_templates));
    add_programs(s, "arrays", "ui", rules, 12, 5000, true);
    add_templates(s, "others", other_templates, COUNT(other_templates));
}

static int write_group(struct sink *s, const char *name)
{
    add_all(s);
    if (!s->table.len) {
        fprintf(stderr, "generate: no group '%s'\n", name);
        return 1;
    }
    if (strcmp(name, "bfloat_ops") == 0 || s->every)
        puts("#define DIFFERENTIAL_BF16");
    printf("#include \"shim.h\"\n\n%s#ifndef __CUDACC__\nstatic const struct kernel kernels[] = "
           "{\n%s};\n",
           s->text.p, s->table.p);
    printf("extern \"C\" const struct group group_%s = { \"%s\", kernels, sizeof kernels / sizeof "
           "kernels[0] };\n#endif\n",
           name, name);
    str_free(&s->text);
    str_free(&s->table);
    return 0;
}

int main(int argc, char **argv)
{
    struct sink s = { .text = STR_INIT, .table = STR_INIT };
    if (argc == 2 && strcmp(argv[1], "list") == 0) {
        for (size_t i = 0; i < COUNT(group_names); i++)
            puts(group_names[i]);
        return 0;
    }
    if (argc == 3 && strcmp(argv[1], "sample") == 0) {
        struct sink count = { .text = STR_INIT, .table = STR_INIT };
        unsigned n = (unsigned)atoi(argv[2]);
        add_all(&count);
        s.every = n ? count.number / n : 1;
        return write_group(&s, "sample");
    }
    if (argc == 2) {
        s.group = argv[1];
        return write_group(&s, argv[1]);
    }
    fprintf(stderr, "usage: generate list | GROUP | sample N\n");
    return 2;
}
