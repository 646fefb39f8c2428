#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/archive_kind.h"

static const struct {
    const char *bytes;
    size_t size;
    enum archive_kind kind;
} beginnings[] = {
    { "PK\3\4\24\0\0\0\10\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0a", 31, ARCHIVE_KIND_ZIP },
    { "PK\3\4\24\0\0\0\10\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0a", 31, ARCHIVE_KIND_PLAIN },
    { "PK\3\4\24\0\0\0\10\0", 10, ARCHIVE_KIND_PLAIN }, /* ends before what would tell */
    { "PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22, ARCHIVE_KIND_ZIP },
    { "PK\5\6\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22, ARCHIVE_KIND_PLAIN },
    { "\x1f\x8b\x08\0", 4, ARCHIVE_KIND_GZIP },
    { "\x1f\x8b\x08\x20", 4, ARCHIVE_KIND_PLAIN }, /* a reserved flag */
    { "\x1f\x8b\x07\0", 4, ARCHIVE_KIND_PLAIN },
    { "BZh91AY&SY", 10, ARCHIVE_KIND_BZIP2 },
    { "BZh9\x17\x72\x45\x38\x50\x90", 10, ARCHIVE_KIND_BZIP2 }, /* empty */
    { "BZh9 is a word", 14, ARCHIVE_KIND_PLAIN },
    { "BZh01AY&SY", 10, ARCHIVE_KIND_PLAIN },
    { "\xfd"
      "7zXZ\0",
      6, ARCHIVE_KIND_XZ },
    { "\xfd"
      "7zXZ",
      5, ARCHIVE_KIND_PLAIN },
    { "\x28\xb5\x2f\xfd\x20", 5, ARCHIVE_KIND_ZSTD },
    { "\x28\xb5\x2f\xfd\x08", 5, ARCHIVE_KIND_PLAIN },
    { "\x04\x22\x4d\x18\x64", 5, ARCHIVE_KIND_LZ4 },
    { "\x04\x22\x4d\x18\xe4", 5, ARCHIVE_KIND_PLAIN },
    { "\xed\xab\xee\xdb\3\0\0\0", 8, ARCHIVE_KIND_RPM },
    { "\xed\xab\xee\xdb\3\0\0\2", 8, ARCHIVE_KIND_PLAIN },
    { "!<arch>\ndebian-binary   ", 24, ARCHIVE_KIND_DEB },
    { "!<arch>\nmodule.o/       ", 24, ARCHIVE_KIND_PLAIN },
    { "!<arch>\ndebian-bin", 18, ARCHIVE_KIND_PLAIN },
    { "070701 is a number", 18, ARCHIVE_KIND_PLAIN },
    { "7z\xbc\xaf\x27\x1c\0\4", 8, ARCHIVE_KIND_7ZIP },
    { "Rar!\x1a\7\1\0", 8, ARCHIVE_KIND_RAR },
    { "\177ELF", 4, ARCHIVE_KIND_PLAIN },
    { "MZ", 2, ARCHIVE_KIND_PLAIN },
    { "", 0, ARCHIVE_KIND_PLAIN },
};

Test(archive_kind, kinds_are_told_by_more_than_their_first_bytes)
{
    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++) {
        enum archive_kind kind =
            archive_kind_of((const uint8_t *)beginnings[i].bytes, beginnings[i].size);
        cr_expect_eq(kind, beginnings[i].kind, "row %zu: %s", i, archive_kind_name(kind));
    }
}

Test(archive_kind, a_tar_header_counts_only_with_its_sum)
{
    static uint8_t data[512];
    FILE *f = fopen("tests/data/archives/x.tar", "rb");
    cr_assert(f);
    cr_assert_eq(fread(data, 1, sizeof data, f), sizeof data);
    fclose(f);
    static const uint8_t zeros[512];
    cr_expect_eq(archive_kind_of(data, 512), ARCHIVE_KIND_TAR);
    cr_expect_eq(archive_kind_of(data, 511), ARCHIVE_KIND_PLAIN);
    cr_expect_eq(archive_kind_of(zeros, 512), ARCHIVE_KIND_PLAIN);
    memcpy(data + 257, "\0\0\0\0\0\0\0", 8); /* older writers have no "ustar" here */
    cr_expect_eq(archive_kind_of(data, 512), ARCHIVE_KIND_PLAIN);
    unsigned sum = 8 * ' ';
    for (size_t i = 0; i < 512; i++)
        sum += i >= 148 && i < 156 ? 0 : data[i];
    char field[8];
    snprintf(field, sizeof field, "%06o", sum);
    memcpy(data + 148, field, 7);
    cr_expect_eq(archive_kind_of(data, 512), ARCHIVE_KIND_TAR);
}

/* A field that is no number is not the number -1, which the sum of signed characters may be. */
Test(archive_kind, a_sum_below_zero_is_no_sum)
{
    uint8_t data[512] = { 'B', 'C' };
    int sum = 'B' + 'C' + 8 * ' ';
    memset(data + 148, 'x', 8);
    for (int i = 200; sum > -1; i++) {
        int part = sum + 1 > 128 ? -128 : -(sum + 1);
        data[i] = (uint8_t)part;
        sum += part;
    }
    cr_assert_eq(sum, -1);
    cr_assert_eq(archive_kind_of(data, sizeof data), ARCHIVE_KIND_PLAIN);
}
