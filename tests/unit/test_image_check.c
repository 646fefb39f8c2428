/* An unpacked image against its header. The cubins are specimens; what they are for is known from
 * the compiler's command line (tests/data/specimens/manifest.tsv). */
#include "specimens.h"

static const char ptx[] = ".version 6.4\n.target sm_50\n.address_size 64\n";

static int check(const struct image *image, const void *data, size_t size, const char **message)
{
    static struct err err;
    err_clear(&err);
    int rc = check_payload(image, data, size, &err);
    *message = err.msg;
    if (rc < 0)
        cr_expect(err.code == ERR_FORMAT && err.offset == image->offset, "%s", err.msg);
    return rc;
}

static void expect(const struct image *image, const void *data, size_t size, const char *message)
{
    const char *found;
    int rc = check(image, data, size, &found);
    cr_expect_eq(rc, message ? -1 : 0, "%s", found);
    cr_expect_str_eq(found, message ? message : "");
}

Test(check, ptx_must_have_the_stated_target_and_version)
{
    struct image image = {
        .kind = IMAGE_PTX, .arch = 50, .ptx_major = 6, .ptx_minor = 4, .offset = 80
    };
    expect(&image, ptx, sizeof ptx, NULL);
    image.suffix = 'a';
    expect(&image, ptx, sizeof ptx, "header states compute_50a, but the image is for compute_50");
    image.suffix = 0;
    image.arch = 52;
    expect(&image, ptx, sizeof ptx, "header states compute_52, but the image is for compute_50");
    image.arch = 50;
    image.ptx_minor = 3;
    expect(&image, ptx, sizeof ptx, "header states PTX ISA 6.3, but the text has 6.4");
    expect(&image, "nothing", 7, "header states PTX, but the image is none");
}

Test(check, a_cubin_must_be_for_the_stated_architecture)
{
    struct specimen old = specimen_read("cuda118.sm_35.cubin");
    struct specimen new = specimen_read("cuda130.sm_90a.cubin");
    struct image image = { .kind = IMAGE_CUBIN, .arch = 35, .abi = 7 };
    expect(&image, old.data, old.size, NULL);
    expect(&image, new.data, new.size, "header states sm_35, but the image is for sm_90a");
    expect(&image, ptx, sizeof ptx, "header states a cubin, but the image is none");
    image.abi = 8;
    expect(&image, old.data, old.size, "header states ABI 8, but the cubin has 7");
    image.arch = 90;
    expect(&image, new.data, new.size, "header states sm_90, but the image is for sm_90a");
    image.suffix = 'a';
    expect(&image, new.data, new.size, NULL);
    free(old.data);
    free(new.data);
}

Test(check, of_other_kinds_nothing_is_known)
{
    struct image image = { .kind = IMAGE_LTO, .arch = 80 };
    expect(&image, "BC", 2, NULL);
    image.kind = IMAGE_UNKNOWN;
    expect(&image, NULL, 0, NULL);
}
