/* Images of "docker save" that are damaged: what is missing is said, the rest is laid out. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "doctor/saved_image.h"
#include "doctor_tree.h"

static struct saved_image image;
static struct err err;

/* one/layer.tar with a.so, b.so and, last but one, an archive of somebody's tests that is cut. */
static void start(void)
{
    tree_make();
    tree_run("mkdir -p one two t L && head -c 30000 /dev/urandom >L/a.so && cp L/a.so t/x.so && "
        "tar -cf t.tar t && head -c 9000 t.tar >L/test.tar && cp L/a.so L/z.so && "
        "tar -C L -cf whole.tar a.so test.tar z.so && cp whole.tar one/layer.tar && "
        "printf '{\"config\": {}}' >abc.json && "
        "printf '[{\"Config\": \"abc.json\", \"Layers\": [\"one/layer.tar\"]}]' >manifest.json");
    err_clear(&err);
}

static void end(void)
{
    saved_image_close(&image);
    tree_remove();
}

TestSuite(saved_image, .init = start, .fini = end);

static int open_image(const char *file)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", tree, file);
    return saved_image_open(path, 0, &image, &err);
}

static int pack(const char *manifest)
{
    char command[600];
    if (manifest) {
        snprintf(command, sizeof command, "printf '%%s' '%s' >manifest.json", manifest);
        tree_run(command);
    }
    tree_run("tar -cf image.tar abc.json manifest.json one two");
    return open_image("image.tar");
}

static bool is_laid_out(const char *name)
{
    char full[900];
    struct stat st;
    snprintf(full, sizeof full, "%s/root/%s", image.folder, name);
    return stat(full, &st) == 0;
}

Test(saved_image, a_broken_archive_inside_a_layer_is_no_damage_of_the_image)
{
    cr_assert_eq(pack(NULL), 0, "%s", err.msg);
    cr_expect_eq(image.damage_count, 0, "%s", image.damage.msg);
    cr_expect(is_laid_out("a.so"));
    cr_expect(is_laid_out("z.so"));
}

Test(saved_image, a_layer_that_is_cut_is_said_wherever_it_ends)
{
    /* in a.so, in the archive inside, in z.so */
    static const char *const cuts[] = { "20000", "36000", "50000" };
    for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
        char command[100];
        snprintf(command, sizeof command, "head -c %s whole.tar >one/layer.tar", cuts[i]);
        tree_run(command);
        cr_assert_eq(pack(NULL), 0, "%s", err.msg);
        cr_expect_eq(image.damage_count, 1, "%s: %zu", cuts[i], image.damage_count);
        cr_expect_str_eq(image.damaged, "one/layer.tar");
        saved_image_close(&image);
    }
}

Test(saved_image, a_layer_of_random_bytes_or_of_none_is_no_archive)
{
    static const char *const layers[] = { "head -c 50000 /dev/urandom", "true" };
    for (size_t i = 0; i < sizeof layers / sizeof layers[0]; i++) {
        char command[100];
        snprintf(command, sizeof command, "%s >one/layer.tar", layers[i]);
        tree_run(command);
        cr_assert_eq(pack(NULL), 0, "%s", err.msg);
        cr_expect_eq(image.damage_count, 1);
        cr_expect_str_eq(image.damage.msg, "the layer is no archive");
        saved_image_close(&image);
    }
}

/* RUN true, RUN mkdir x, and the same layer twice, which "docker save" writes as a link. */
Test(saved_image, a_layer_without_a_file_and_one_that_is_a_link_are_whole)
{
    tree_run("mkdir -p E/empty && tar -C E -cf two/layer.tar empty && mkdir three four && "
        "tar -cf three/layer.tar -T /dev/null && ln -s ../one/layer.tar four/layer.tar");
    tree_run("printf '[{\"Config\": \"abc.json\", \"Layers\": [\"one/layer.tar\", \"two/layer.tar\", "
        "\"three/layer.tar\", \"four/layer.tar\"]}]' >manifest.json && "
        "tar -cf image.tar abc.json manifest.json one two three four");
    cr_assert_eq(open_image("image.tar"), 0, "%s", err.msg);
    cr_expect_eq(image.damage_count, 0, "%s: %s", image.damaged, image.damage.msg);
}

static const struct {
    const char *manifest, *damaged;
    size_t count;
} named[] = {
    { "[{\"Layers\": [\"one/layer.tar\", \"two/layer.tar\"]}]", "two/layer.tar", 1 },
    { "[{\"Layers\": [\"../../../etc/passwd\"]}]", "../../../etc/passwd", 1 },
    { "[{\"Layers\": [1, 2]}]", "manifest.json", 2 },
    { "[{\"Config\": \"none.json\", \"Layers\": [\"one/layer.tar\"]}]", "none.json", 1 },
};

Test(saved_image, what_the_manifest_names_and_the_file_lacks_is_said)
{
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++) {
        cr_assert_eq(pack(named[i].manifest), 0, "%s", err.msg);
        cr_expect_eq(image.damage_count, named[i].count, "%s", named[i].manifest);
        cr_expect_str_eq(image.damaged, named[i].damaged);
        saved_image_close(&image);
    }
}

static const struct {
    const char *manifest, *why;
} refused[] = {
    { "", "no image of 'docker save': its manifest.json is empty" },
    { "[]", "no image of 'docker save': its manifest.json names no image" },
    { "{}", "no image of 'docker save': its manifest.json names no image" },
    { "not JSON", "no image of 'docker save': its manifest.json is no JSON" },
    { "[{\"Layers\": []}]", "no image of 'docker save': its manifest.json names no layers" },
};

Test(saved_image, a_manifest_that_names_nothing_is_refused_for_what_it_is)
{
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        cr_assert_eq(pack(refused[i].manifest), -1);
        cr_expect_str_eq(err.msg, refused[i].why);
        err_clear(&err);
        saved_image_close(&image);
    }
}

Test(saved_image, a_file_that_is_no_archive_is_no_image)
{
    tree_run("echo text >text && : >empty && printf '\\0' >nul && tar -cf t.tar abc.json && "
        "head -c 100 t.tar >start");
    static const char *const files[] = { "text", "empty", "nul", "start" };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        cr_assert_eq(open_image(files[i]), -1);
        cr_expect_str_eq(err.msg, "no image of 'docker save': it is no archive", "%s", err.msg);
        err_clear(&err);
        saved_image_close(&image);
    }
}
