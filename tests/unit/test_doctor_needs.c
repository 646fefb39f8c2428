/* Which files a program or a library brings in. The oracle is the system's own loader: trees of small libraries are
 * made at random with the system's linker (copies in several folders, links, RPATH, RUNPATH), and the loader says what
 * it takes (LD_TRACE_LOADED_OBJECTS, and for what a program opens itself, dl_iterate_phdr). */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/str.h"
#include "doctor/needs.h"

#define LIBRARIES 6
#define FOLDERS   4
#define TREES     24

static char tree[64];
static unsigned long seed;

static void make_tree(void)
{
    snprintf(tree, sizeof tree, "/tmp/smfit-needs-XXXXXX");
    cr_assert_not_null(mkdtemp(tree));
}

static void remove_tree(void)
{
    char command[100];
    snprintf(command, sizeof command, "rm -rf '%s'", tree);
    cr_assert_eq(system(command), 0);
}

TestSuite(needs, .init = make_tree, .fini = remove_tree);

static unsigned random_below(unsigned n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % n;
}

static int run(const char *command)
{
    struct str line = STR_INIT;
    str_addf(&line, "cd '%s' && %s", tree, command);
    int rc = system(line.p);
    str_free(&line);
    return rc;
}

static void write_file(const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", tree, name);
    FILE *f = fopen(path, "w");
    cr_assert_not_null(f);
    fputs(text, f);
    fclose(f);
}

/* ---- trees ---- */

/* None, or one of both kinds with one or two folders. */
static void add_paths(struct str *to)
{
    static const char *const kinds[] = { "--disable-new-dtags", "--enable-new-dtags" };
    unsigned kind = random_below(3), count = 1 + random_below(2);
    if (kind == 2)
        return;
    str_addf(to, " %s -rpath '", kinds[kind]);
    for (unsigned i = 0; i < count; i++) {
        unsigned folder = random_below(FOLDERS + 1);
        str_add(to, i ? ":" : "");
        if (folder == FOLDERS)
            str_add(to, "$ORIGIN");
        else if (random_below(2))
            str_addf(to, "${ORIGIN}/../p%u", folder);
        else
            str_addf(to, "%s/p%u", tree, folder);
    }
    str_add(to, "'");
}

static void add_needed(struct str *to, unsigned most)
{
    for (unsigned i = random_below(most + 1); i > 0; i--)
        str_addf(to, " stubs/libn%c.so", 'a' + (int)random_below(LIBRARIES));
}

static void add_library(struct str *to, unsigned folder, unsigned library)
{
    char name = (char)('a' + library);
    if (random_below(6) == 0) {
        str_addf(to, "ln -s ../p%u/libn%c.so p%u/libn%c.so\n", (folder + 1) % FOLDERS, name, folder,
                 name);
        return;
    }
    str_addf(to, "ld -shared --no-as-needed -soname libn%c.so -o p%u/libn%c.so e.o", name, folder,
             name);
    add_paths(to);
    add_needed(to, 2);
    str_add(to, "\n");
}

/* A program, and libraries of which most folders have a copy. */
static bool grow(unsigned long number)
{
    struct str script = STR_INIT;
    seed = number;
    str_add(&script, "set -e\nrm -rf p? stubs program\nmkdir stubs p0 p1 p2 p3\n"
                     "echo 'void _start(void){}' | cc -x c -c -fPIC -o e.o -\n");
    for (unsigned i = 0; i < LIBRARIES; i++)
        str_addf(&script, "ld -shared -soname libn%c.so -o stubs/libn%c.so e.o\n", 'a' + (int)i,
                 'a' + (int)i);
    for (unsigned i = 0; i < LIBRARIES; i++)
        for (unsigned k = 0; k < FOLDERS; k++)
            if (random_below(5) < 3)
                add_library(&script, k, i);
    str_add(&script, "ld --no-as-needed -pie --allow-shlib-undefined "
                     "-dynamic-linker /lib64/ld-linux-x86-64.so.2 -o p0/program e.o");
    add_paths(&script);
    add_needed(&script, 3);
    str_add(&script, " stubs/libna.so\n");
    write_file("grow", script.p);
    str_free(&script);
    return run("sh ./grow 2>grow.err") == 0;
}

/* ---- what is found ---- */

/* Lines "libna.so => /path"; "" for what is found nowhere. */
static void note(void *self, unsigned depth, const char *soname, const struct loader_hit *hit)
{
    (void)depth;
    str_addf(self, "%s => %s\n", soname, hit->how == LOADER_NOWHERE ? "not found" : hit->path);
}

static void walk(const char *library_path, const char *program, const char *path, struct str *to)
{
    struct loader loader;
    loader_open(&loader, "", library_path);
    needs_walk(&loader, program, path, note, to);
    loader_close(&loader);
}

static void read_lines(const char *command, struct str *to)
{
    char line[1000];
    struct str all = STR_INIT;
    str_addf(&all, "cd '%s' && %s", tree, command);
    FILE *f = popen(all.p, "r");
    cr_assert_not_null(f);
    while (fgets(line, sizeof line, f))
        str_add(to, line);
    pclose(f);
    str_free(&all);
}

/* As a sorted list of different lines, with the dots of paths gone. */
static void sorted(struct str *lines)
{
    write_file("lines", lines->p);
    str_clear(lines);
    read_lines("sed -E ':a; s#/[^/.]+/\\.\\./#/#; ta; s#//+#/#g' lines | sort -u", lines);
}

static bool has_tools(void)
{
    return access("/lib64/ld-linux-x86-64.so.2", X_OK) == 0 &&
           system("command -v ld >/dev/null && command -v cc >/dev/null") == 0;
}

static void compare(unsigned long number, struct str *mine, struct str *theirs)
{
    sorted(mine);
    sorted(theirs);
    cr_expect_str_eq(mine->p, theirs->p, "tree %lu:\n%s-- the system's loader:\n%s", number, mine->p,
                     theirs->p);
    str_free(mine);
    str_free(theirs);
}

Test(needs, a_program_gets_what_the_systems_loader_takes, .timeout = 120)
{
    if (!has_tools())
        cr_skip_test("no linker here");
    for (unsigned long i = 1; i <= TREES; i++) {
        struct str mine = STR_INIT, theirs = STR_INIT, command = STR_INIT;
        char program[100], folder[100] = "";
        cr_assert(grow(i), "tree %lu", i);
        snprintf(program, sizeof program, "%s/p0/program", tree);
        if (i % 3 == 0)
            snprintf(folder, sizeof folder, "%s/p%u", tree, random_below(FOLDERS));
        str_addf(&command,
                 "LD_LIBRARY_PATH=%s LD_TRACE_LOADED_OBJECTS=1 p0/program 2>&1 | "
                 "grep 'libn[a-z].so =>' | sed 's/^\t//; s/ (0x.*//'",
                 folder);
        walk(folder, NULL, program, &mine);
        read_lines(command.p, &theirs);
        compare(i, &mine, &theirs);
        str_free(&command);
    }
}

/* Opens its argument and says by which path each of our libraries was loaded. */
static const char opener[] =
    "#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <link.h>\n#include <stdio.h>\n"
    "#include <string.h>\n"
    "static int say(struct dl_phdr_info *i, size_t n, void *p) {\n"
    "  const char *b = strrchr(i->dlpi_name, '/'); (void)n;\n"
    "  if (b && !strncmp(b, \"/libn\", 5) && strcmp(i->dlpi_name, p))\n"
    "    printf(\"%s => %s\\n\", b + 1, i->dlpi_name);\n  return 0; }\n"
    "int main(int c, char **v) { (void)c;\n"
    "  if (!dlopen(v[1], RTLD_LAZY)) { puts(\"fails\"); return 1; }\n"
    "  return dl_iterate_phdr(say, v[1]); }\n";

/* As Python opens an extension module. What opens it needs none of our libraries, so that all are ours. */
Test(needs, what_a_program_opens_gets_its_rpath_too, .timeout = 120)
{
    static const char *const options[] = { "--disable-new-dtags,-rpath,\\$ORIGIN/../p1",
                                           "--enable-new-dtags,-rpath,\\$ORIGIN/../p1", "-O1" };
    unsigned opened = 0;
    if (!has_tools())
        cr_skip_test("no linker here");
    write_file("opener.c", opener);
    for (unsigned long i = 1; i <= TREES; i++) {
        struct str mine = STR_INIT, theirs = STR_INIT, command = STR_INIT;
        char program[100], module[100];
        cr_assert(grow(1000 + i), "tree %lu", i);
        snprintf(program, sizeof program, "%s/p0/opener", tree);
        snprintf(module, sizeof module, "%s/p%lu/libna.so", tree, i % FOLDERS);
        str_addf(&command, "cc -o p0/opener opener.c -Wl,%s -ldl", options[i % 3]);
        cr_assert_eq(run(command.p), 0);
        str_clear(&command);
        str_addf(&command, "p0/opener %s", module);
        walk("", program, module, &mine);
        read_lines(command.p, &theirs);
        if (strcmp(theirs.p, "fails\n") == 0) {
            cr_expect(access(module, R_OK) || strstr(mine.p, "not found"), "tree %lu:\n%s", i, mine.p);
            str_free(&mine);
            str_free(&theirs);
        } else {
            opened++;
            compare(i, &mine, &theirs);
        }
        str_free(&command);
    }
    cr_expect_geq(opened, TREES / 6, "%u of %d", opened, TREES);
}
