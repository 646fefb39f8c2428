/* What a text says: numbers, the card, several errors at once, and the bounds of reading. The expected
 * causes are those of public reports and of the driver's own list of codes. */
#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "doctor/doctor_error.h"
#include "doctor/explain_code.h"
#include "doctor/explain_pattern.h"
#include "doctor/explain_text.h"
#include "explain_found.h"

/* ---- numbers ---- */

static const struct {
    const char *text, *id;
    bool old;
} numbers[] = {
    { "209", "no_kernel_image", false },
    { "48", "no_kernel_image", true },
    { "CUDA error 48", "no_kernel_image", true },
    { "98", "device_function", false },
    { "8", "device_function", true },
    { "47", "image_invalid", true },
    { "78", "ptx_failed", true },
    { "77", "address", true },
    { "6", "timeout", true },
    { "4", "launch_failed", true },
    { "38", "no_device", true },
    { "35", "driver_insufficient", false },
    { "222", "ptx_toolchain", false },
    { "218", "ptx_failed", false },
    { "CUDA failure: 803", "driver_mismatch", false },
    { "cudaGetDeviceCount() returned 35", "driver_insufficient", false },
    { "cuda error code=209", "no_kernel_image", false },
    { "GPU: cuModuleLoadData failed (218)", "ptx_failed", false },
    { " 804 \n", "compat", false },
    { "CUDA error 716", "", false }, /* known to codes.tsv alone */
};

Test(explain, result_codes_are_read_in_both_numberings)
{
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        explain(numbers[i].text);
        cr_assert_eq(found.match_count, 1, "'%s'", numbers[i].text);
        cr_assert_str_eq(first_id(), numbers[i].id, "'%s'", numbers[i].text);
        cr_assert_eq(found.matches[0].before_10_1, numbers[i].old, "'%s'", numbers[i].text);
    }
}

Test(explain, a_code_without_a_row_is_no_architecture_problem)
{
    explain("CUDA error: misaligned address");
    cr_assert_eq(found.match_count, 1);
    cr_assert_eq(found.matches[0].error, -1);
    cr_assert_str_eq(cause_id(0), "A19");
    explain("rm: operation not permitted");
    cr_assert_eq(found.match_count, 0);
    explain("CUDA_ERROR_MISALIGNED_ADDRESS");
    cr_assert_eq(found.match_count, 1);
    cr_assert_str_eq(cause_id(0), "A19");
}

static const char *const strangers[] = {
    "",
    "hello",
    "make[2]: *** [CMakeFiles/cuda.dir/all] Error 2",
    "HTTP error 404",
    "GET /gpu 200",
    "exit status 35 of the cuda program",
    "cublas error 7",
    "epoch 8 of 48, loss 209.35, gpu time 6.4",
    "Segmentation fault (core dumped)",
    "invalid argument",
    "libfoo.so.1: cannot open shared object file: No such file or directory",
};

Test(explain, ordinary_texts_are_unknown)
{
    for (size_t i = 0; i < sizeof strangers / sizeof strangers[0]; i++) {
        explain(strangers[i]);
        cr_assert_eq(found.match_count, 0, "'%s' is taken for '%s'", strangers[i], first_id());
        cr_assert_eq(found.cause_count, 0);
    }
}

/* ---- results by their number ---- */

/* Text and row of errors.tsv; the numbers are those of cuda.h and driver_types.h. */
static const char *const noted[][2] = {
    { "cudaGetDeviceCount 803", "driver_mismatch" },
    { "cudaGetDeviceCount() -> 100", "no_device" },
    { "cuInit: 804", "compat" },
    { "cuModuleLoadDataEx = 222", "ptx_toolchain" },
    { "CUDA error 0xd1", "no_kernel_image" },
    { "cuda error code 0x23", "driver_insufficient" },
};

Test(explain, a_result_behind_a_call_or_in_hexadecimal_is_known)
{
    for (size_t i = 0; i < sizeof noted / sizeof noted[0]; i++) {
        explain(noted[i][0]);
        cr_assert_geq(found.match_count, 1, "'%s'", noted[i][0]);
        cr_assert_str_eq(first_id(), noted[i][1], "'%s': '%s'", noted[i][0], first_id());
    }
}

Test(explain, the_number_that_a_call_is_given_is_no_result)
{
    explain("cudaSetDevice(35)");
    cr_assert_eq(found.match_count, 0);
    explain("cudaMalloc(209) at 0xd1");
    cr_assert_eq(found.match_count, 0);
}

/* ---- what the text says about the card ---- */

Test(explain, the_card_in_the_text_tells_too_old_from_too_new)
{
    explain("GeForce GT 740M with CUDA capability sm_35 is not compatible with the current PyTorch "
            "installation.\nThe current PyTorch install supports CUDA capabilities sm_37 sm_50 "
            "sm_60 sm_70.\n");
    cr_assert_eq(found.archs.card, 35);
    cr_assert_eq(found.archs.least, 37);
    cr_assert_eq(found.archs.most, 70);
    cr_assert_str_eq(cause_id(0), "A1");
    cr_assert_not(may_be("A2"));
    explain(
        "NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with the current "
        "PyTorch installation. The current PyTorch install supports CUDA capabilities sm_50 "
        "sm_60 sm_70 sm_75 sm_80 sm_86 sm_90.");
    cr_assert_eq(found.archs.card, 120);
    cr_assert_str_eq(cause_id(0), "A2");
    cr_assert_not(may_be("A1"));
    explain("Found GPU0 Tesla P100 which is of cuda capability 6.0. Minimum and Maximum cuda "
            "capability supported by this version of PyTorch is (7.0) - (12.0)");
    cr_assert_eq(found.archs.card, 60);
    cr_assert_eq(found.archs.least, 70);
    cr_assert_eq(found.archs.most, 120);
    cr_assert_str_eq(cause_id(0), "A1");
    explain("Orin with CUDA capability sm_87 is not compatible with the current PyTorch "
            "installation. The current PyTorch install supports CUDA capabilities sm_80 sm_90.");
    cr_assert_str_eq(cause_id(0), "A5");
}

/* ---- several errors ---- */

Test(explain, the_longest_of_overlapping_patterns_wins)
{
    explain("CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH");
    cr_assert_eq(found.match_count, 1);
    cr_assert_str_eq(first_id(), "cudnn_arch");
    explain("cudaErrorInvalidDeviceFunction");
    cr_assert_eq(found.match_count, 1);
    cr_assert_str_eq(first_id(), "device_function");
    explain("cudaErrorInvalidDevicePointer");
    cr_assert_eq(found.match_count, 0);
}

Test(explain, what_two_errors_share_is_likelier)
{
    explain("GPU0 sm_120 is not compatible with the current PyTorch installation.\n"
            "CUDA error: no kernel image is available for execution on the device");
    cr_assert_eq(found.match_count, 2);
    cr_assert_str_eq(cause_id(0), "A2");
    explain("CUDA error: no kernel image is available\nCUDA error: unspecified launch failure");
    cr_assert_eq(found.match_count, 2);
    cr_assert_str_eq(cause_id(0), "A1");
}

Test(explain, repeated_errors_are_counted_and_the_last_is_shown)
{
    explain("first: no kernel image\nsecond: no kernel image\nthird: no kernel image again\n");
    cr_assert_eq(found.match_count, 1);
    cr_assert_eq(found.matches[0].count, 3);
    cr_assert_str_eq(found.matches[0].line, "third: no kernel image again");
}

Test(explain, causes_come_in_their_order)
{
    struct doctor_error error;
    doctor_error_read("the provided PTX was compiled with an unsupported toolchain", &error);
    cr_assert_eq(error.count, 1);
    cr_assert_eq(error.causes[0], CAUSE_A9);
    doctor_error_read("forward compatibility was attempted, found no nvidia driver", &error);
    cr_assert_eq(doctor_error_place(&error, CAUSE_A14), 0);
    cr_assert_eq(doctor_error_place(&error, CAUSE_A9), -1);
    doctor_error_read("nothing", &error);
    cr_assert_eq(error.count, 0);
    doctor_error_read(NULL, &error);
    cr_assert_eq(error.count, 0);
    cr_assert_eq(explain_cause_row("A20"), -1);
}

Test(explain, a_description_counts_only_where_no_message_is)
{
    explain("it hangs for minutes at the first batch");
    cr_assert_str_eq(cause_id(0), "A8");
    explain("it hangs for minutes, then: CUDA error: invalid resource handle");
    cr_assert_not(may_be("A8"));
    char text[1000];
    memset(text, '.', sizeof text);
    memcpy(text, "hangs", 5);
    explain_bytes(text, sizeof text);
    cr_assert_eq(found.match_count, 0);
}

/* ---- bounds ---- */

static char *large(size_t size, const char *begin, const char *end)
{
    char *text = malloc(size + 1);
    cr_assert_not_null(text);
    static const char line[] = "step 123 no kernel of this imag cuda error unsupported .vers 7\n";
    for (size_t i = 0; i < size; i++)
        text[i] = line[i % (sizeof line - 1)];
    memcpy(text, begin, strlen(begin));
    memcpy(text + size - strlen(end), end, strlen(end));
    text[size] = 0;
    return text;
}

Test(explain, of_a_large_log_the_end_counts_and_time_is_bounded)
{
    size_t size = EXPLAIN_BYTES_MAX + ((size_t)2 << 20);
    char *text = large(size, "Driver/library version mismatch\n", "\nno kernel image is available");
    clock_t start = clock(); /* of this process, however busy the machine is */
    explain_bytes(text, size);
    cr_expect_lt((clock() - start) / CLOCKS_PER_SEC, 10);
    cr_assert_str_eq(first_id(), "no_kernel_image");
    cr_assert_eq(found.match_count, 1);
    free(text);
}

Test(explain, any_bytes_are_taken)
{
    unsigned state = 1;
    char bytes[4096];
    for (size_t round = 0; round < 200; round++) {
        for (size_t i = 0; i < sizeof bytes; i++) {
            state = state * 1103515245u + 12345u;
            bytes[i] = (char)(state >> 16);
        }
        if (round % 2)
            memcpy(bytes, round % 4 == 1 ? "\xff\xfe" : "\x1b[", 2);
        explain_bytes(bytes, round % sizeof bytes + 1);
        explain_bytes(bytes, sizeof bytes);
    }
    explain_bytes("", 0);
    cr_assert_eq(found.match_count, 0);
}

Test(explain, files_are_read_and_folders_refused)
{
    char path[] = "/tmp/smfit-explain-XXXXXX";
    struct str text = STR_INIT;
    struct err err;
    bool cut;
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    err_clear(&err);
    cr_assert_eq(write(fd, "no kernel image\n", 16), 16);
    cr_assert_eq(explain_read(path, &text, &cut, &err), 0, "%s", err.msg);
    cr_assert_str_eq(text.p, "no kernel image\n");
    cr_assert_not(cut);
    str_clear(&text);
    cr_assert_eq(ftruncate(fd, (off_t)EXPLAIN_BYTES_MAX + 100), 0);
    cr_assert_eq(lseek(fd, 0, SEEK_END), (off_t)EXPLAIN_BYTES_MAX + 100);
    cr_assert_eq(write(fd, "the end", 7), 7);
    cr_assert_eq(explain_read(path, &text, &cut, &err), 0, "%s", err.msg);
    cr_assert(cut);
    cr_assert_eq(text.len, EXPLAIN_BYTES_MAX);
    cr_assert_str_eq(text.p + text.len - 7, "the end");
    close(fd);
    unlink(path);
    cr_assert_eq(explain_read("/tmp", &text, &cut, &err), -1);
    err_clear(&err);
    cr_assert_eq(explain_read("/nonexistent", &text, &cut, &err), -1);
    cr_assert_eq(err.code, ERR_IO);
    str_free(&text);
}

/* Notepad and PowerShell write little-endian with a mark; the bytes are those of the Unicode standard. */
Test(explain, text_is_decoded_by_its_mark_alone)
{
    struct str text = STR_INIT;
    struct err err;
    err_clear(&err);
    cr_assert_eq(explain_text_decode("\xff\xfeO\0K\0\x3e\x66", 8, &text, &err), 0);
    cr_expect_str_eq(text.p, "OK\xe6\x98\xbe");
    str_clear(&text);
    cr_assert_eq(explain_text_decode("\xfe\xff\0O\0K", 6, &text, &err), 0);
    cr_expect_str_eq(text.p, "OK");
    str_clear(&text);
    cr_assert_eq(explain_text_decode("CUDA \xe6\x98\xbe", 8, &text, &err), 0);
    cr_expect_str_eq(text.p, "CUDA \xe6\x98\xbe");
    str_free(&text);
}

Test(explain, the_end_of_a_large_text_in_utf16_is_still_utf16)
{
    char path[] = "/tmp/smfit-explain-XXXXXX";
    struct str text = STR_INIT, plain = STR_INIT;
    struct err err;
    bool cut;
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    err_clear(&err);
    cr_assert_eq(write(fd, "\xff\xfe", 2), 2);
    /* An even and an odd place where the end begins. */
    for (off_t more = 0; more < 2; more++) {
        cr_assert_eq(ftruncate(fd, (off_t)EXPLAIN_BYTES_MAX + 100), 0);
        cr_assert_eq(lseek(fd, 0, SEEK_END), (off_t)EXPLAIN_BYTES_MAX + 100);
        cr_assert_eq(write(fd, "e\0n\0d\0 ", 6 + (size_t)more), 6 + more);
        cr_assert_eq(explain_read(path, &text, &cut, &err), 0, "%s", err.msg);
        cr_expect(cut);
        cr_expect_leq(text.len, EXPLAIN_BYTES_MAX);
        cr_assert_eq(explain_text_decode(text.p, text.len, &plain, &err), 0);
        cr_expect_str_eq(plain.p + plain.len - 3, "end");
        str_clear(&text);
        str_clear(&plain);
    }
    close(fd);
    unlink(path);
    str_free(&text);
    str_free(&plain);
}
