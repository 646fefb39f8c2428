/* Error texts: what is known, in whatever dress it comes, and what is not. The expected rows and
 * causes are those of public reports and of the driver's own list of texts. */
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
#include "explain_found.h"

/* ---- the table ---- */

static bool in_table(enum data_id table, const char *column, const char *value)
{
    const struct table *t = data_table(table);
    for (size_t row = 0; row < t->row_count; row++)
        if (strcmp(table_field(t, row, column), value) == 0)
            return true;
    return false;
}

/* Every word of "a b" is in the column of that table, behind `prefix`. */
static void assert_words(const char *words, enum data_id table, const char *column,
                         const char *prefix, const char *row)
{
    char copy[256], id[128];
    snprintf(copy, sizeof copy, "%s", words);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
        snprintf(id, sizeof id, "%s%s", prefix, word);
        cr_assert(in_table(table, column, id), "'%s' names '%s', which '%s' has not", row, id,
                  data_name(table));
    }
}

Test(explain, every_row_of_the_table_is_well_formed)
{
    const struct table *t = data_table(DATA_ERRORS);
    char id[128];
    cr_assert_geq(t->row_count, 100);
    for (size_t row = 0; row < t->row_count; row++) {
        const char *name = table_field(t, row, "id"), *codes = table_field(t, row, "codes"),
                   *tell = table_field(t, row, "tell");
        for (size_t other = 0; other < row; other++)
            cr_assert_str_neq(name, table_field(t, other, "id"));
        if (strcmp(codes, "-") != 0)
            assert_words(codes, DATA_CODES, "code", "", name);
        assert_words(table_field(t, row, "causes"), DATA_CAUSES, "id", "", name);
        assert_words(table_field(t, row, "text"), DATA_TEXT, "id", "explain.", name);
        assert_words(table_field(t, row, "kind"), DATA_TEXT, "id", "explain.kind.", name);
        if (strcmp(tell, "-") != 0)
            assert_words(tell, DATA_TEXT, "id", "tell.", name);
        cr_assert_gt(strlen(table_field(t, row, "source")), 2);
        snprintf(id, sizeof id, " %s ", table_field(t, row, "confidence"));
        cr_assert(strstr(" measured documented inferred claimed ", id), "'%s'", name);
    }
}

Test(explain, every_cause_has_its_sentence_and_its_sign)
{
    const struct table *t = data_table(DATA_CAUSES);
    for (size_t row = 0; row < t->row_count; row++) {
        assert_words(table_field(t, row, "text"), DATA_TEXT, "id", "", table_field(t, row, "id"));
        assert_words(table_field(t, row, "name"), DATA_TEXT, "id", "sign.",
                     table_field(t, row, "id"));
    }
}

Test(explain, patterns_begin_with_letters_and_are_small)
{
    struct explain_patterns *patterns = explain_patterns_new();
    cr_assert_not_null(patterns);
    for (size_t i = 0; i < explain_patterns_count(patterns); i++) {
        const struct explain_pattern *p = explain_patterns_get(patterns, i);
        const char *text = p->text + (*p->text == '^');
        cr_assert_geq(p->length, 4, "%.*s", (int)p->length, p->text);
        for (size_t j = 0; j < 3; j++)
            cr_assert(text[j] != '#' && text[j] != '*', "%.*s", (int)p->length, p->text);
        for (size_t j = 0; j < p->length; j++)
            cr_assert(!isupper((unsigned char)p->text[j]) && p->text[j] != '\t' &&
                          !(p->text[j] == ' ' && j + 1 < p->length && p->text[j + 1] == ' '),
                      "%.*s", (int)p->length, p->text);
    }
    explain_patterns_free(patterns);
}

/* A text that the pattern stands for. */
static void example_of(const struct explain_pattern *p, char *to, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < p->length && n + 8 < size; i++) {
        char c = p->text[i];
        if (c == '#')
            n += (size_t)snprintf(to + n, size - n, "42");
        else if (c == '*')
            n += (size_t)snprintf(to + n, size - n, "qq");
        else if (c != '^')
            to[n++] = (char)toupper((unsigned char)c);
    }
    to[n] = 0;
}

Test(explain, every_pattern_finds_its_own_row)
{
    struct explain_patterns *patterns = explain_patterns_new();
    char text[512];
    for (size_t i = 0; i < explain_patterns_count(patterns); i++) {
        const struct explain_pattern *p = explain_patterns_get(patterns, i);
        if (p->error < 0)
            continue;
        example_of(p, text, sizeof text);
        explain(text);
        cr_assert_str_eq(first_id(), table_field(data_table(DATA_ERRORS), (size_t)p->error, "id"),
                         "'%s'", text);
    }
    explain_patterns_free(patterns);
}

/* ---- texts ---- */

static const struct {
    const char *text, *id, *first; /* the row, and the likeliest cause */
    const char *also;              /* causes that must be among them */
} texts[] = {
    { "RuntimeError: CUDA error: no kernel image is available for execution on the device",
      "no_kernel_image", "A1", "A2 A3 A4 A5 A6 A7" },
    { "cudaErrorNoKernelImageForDevice", "no_kernel_image", "A1", "A3" },
    { "CUDA_ERROR_NO_BINARY_FOR_GPU", "no_kernel_image", "A1", "A3" },
    { "THCudaCheck FAIL file=x.cu line=7 error=48 : no kernel image is available for execution on "
      "the device",
      "no_kernel_image", "A1", "A3" },
    { "cuda runtime error (8) : invalid device function at /x/THCTensorCopy.cu:204",
      "device_function", "A4", "A1 A3 A18" },
    { "Check failed: error == cudaSuccess (8 vs. 0) invalid device function", "device_function",
      "A4", "A1" },
    { "after cudaFuncGetAttributes: invalid device function", "device_function", "A4", "A1" },
    { "CUDA driver version is insufficient for CUDA runtime version", "driver_insufficient", "A13",
      "N2 A14 A15" },
    { "CUDA error: the provided PTX was compiled with an unsupported toolchain.", "ptx_toolchain",
      "A9", "" },
    { "ptxas application ptx input, line 9; fatal : Unsupported .version 8.5; current version is "
      "'8.4'",
      "ptx_isa", "A9", "" },
    { "CUDA_ERROR_INVALID_PTX: a PTX JIT compilation failed", "ptx_failed", "A9", "A19" },
    { "Error 804: forward compatibility was attempted on non supported HW", "compat", "A14", "" },
    { "system has unsupported display driver / cuda driver combination", "driver_mismatch", "A14",
      "" },
    { "Error 802: system not yet initialized", "fabric", "A19", "" },
    { "Failed to initialize NVML: Driver/library version mismatch", "nvml_mismatch", "A14", "" },
    { "CUBLAS_STATUS_ARCH_MISMATCH", "cublas_arch", "A17", "" },
    { "CUDNN_STATUS_ARCH_MISMATCH", "cudnn_arch", "A17", "" },
    { "CUDA error: invalid resource handle", "handle", "A19", "" },
    { "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB", "memory",
      "A19", "" },
    { "nvcc fatal   : Unsupported gpu architecture 'compute_35'", "nvcc_arch", "A10", "A4" },
    { "ptxas fatal   : Value 'sm_35' is not defined for option 'gpu-name'", "ptxas_arch", "A10",
      "" },
    { "nvrtc: error: invalid value for --gpu-architecture (-arch)", "nvrtc_arch", "A10", "" },
    { "FlashAttention only supports Ampere GPUs or newer.", "flash_attention", "A11", "" },
    { "AssertionError: Torch not compiled with CUDA enabled", "cpu_build", "N1", "" },
    { "AssertionError: Found no NVIDIA driver on your system.", "torch_no_driver", "N2", "A15" },
    { "ERROR: No matching distribution found for torch==1.3.0", "pip_none", "N3", "" },
    { "The engine plan file is generated on an incompatible device, expecting compute 8.6 got "
      "compute 7.5, please rebuild.",
      "engine_device", "A16", "" },
    { "NVRM: The NVIDIA GPU 0000:01:00.0 (PCI ID: 10de:1287) installed in this system is\n"
      "NVRM: supported through the NVIDIA 470.xx Legacy drivers. Please visit",
      "nvrm_legacy", "A15", "" },
    { "RuntimeError: No CUDA GPUs are available", "torch_no_gpus", "A12", "N2 A15" },
    { "CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected", "no_device", "A12", "N2 A15" },
    { "device kernel image is invalid", "image_invalid", "A13", "A10 A18 A19" },
    { "named symbol not found at line 233 in file /src/csrc/ops.cu", "symbol_not_found", "A5",
      "A3 A7" },
    { "libcuda.so.1: cannot open shared object file: No such file or directory", "libcuda_missing",
      "N2", "" },
    { "libcuda.so.1: 无法打开共享对象文件: 没有那个文件或目录", "libcuda_missing", "N2", "" },
    { "ImportError: libcudart.so.10.1: Kann die Shared-Object-Datei nicht öffnen: Datei oder "
      "Verzeichnis nicht gefunden",
      "library_missing", "A18", "" },
    { "OSError: [WinError 126] 找不到指定的模块。 Error loading \"C:\\x\\torch\\lib\\caffe2.dll\"",
      "dll_missing", "A18", "" },
    { "OSError: [WinError 1455] 页面文件太小，无法完成操作。", "paging_file", "A19", "" },
    { "PyTorch no longer supports this GPU because it is too old.", "torch_too_old", "A1",
      "A6 A12" },
    { "PTX JIT compiler library not found", "jit_missing", "A14", "" },
    { "ERROR: CUDA kernel vec_dot_q4_K has no device code compatible with CUDA arch 600.",
      "ggml_arch", "A7", "" },
};

Test(explain, known_texts_have_their_causes)
{
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char also[128];
        explain(texts[i].text);
        cr_assert_str_eq(first_id(), texts[i].id, "'%s'", texts[i].text);
        cr_assert_str_eq(cause_id(0), texts[i].first, "'%s'", texts[i].text);
        snprintf(also, sizeof also, "%s", texts[i].also);
        for (char *word = strtok(also, " "); word; word = strtok(NULL, " "))
            cr_assert(may_be(word), "'%s' may be %s", texts[i].text, word);
    }
}

/* Each says "no kernel image" or "804" with something in the way. */
static const struct {
    const char *text, *id;
} dresses[] = {
    { "\x1b[31;1mRuntimeError\x1b[0m: CUDA error: \x1b[1mno kernel\x1b[22m image is available for "
      "execution on the device",
      "no_kernel_image" },
    { "[31mno kernel image is available for execution[0m on the device", "no_kernel_image" },
    { "CUDA error: no kernel image is\r\navailable for execution on the\r\ndevice\r\n",
      "no_kernel_image" },
    { "[rank0]: 2024-05-01 10:11:12,123 E  NO KERNEL IMAGE IS AVAILABLE FOR EXECUTION ON THE "
      "DEVICE",
      "no_kernel_image" },
    { "no\xc2\xa0kernel\timage   is available", "no_kernel_image" },
    { "\x1b]0;title\anvcc fatal : Unsupported gpu architecture \xe2\x80\x98"
      "compute_37\xe2\x80\x99",
      "nvcc_arch" },
    { "Unsupported .version <n>; current version is '{}'", "ptx_isa" },
    { "Unsupported .version 123.45; current version is '9.9'", "ptx_isa" },
    { "expecting compute %d got compute %d", "engine_device" },
};

Test(explain, colours_line_ends_numbers_and_prefixes_do_not_matter)
{
    for (size_t i = 0; i < sizeof dresses / sizeof dresses[0]; i++) {
        explain(dresses[i].text);
        cr_assert_str_eq(first_id(), dresses[i].id, "row %zu", i);
    }
}

Test(explain, utf16_as_powershell_writes_it_is_read)
{
    const char *text = "x: Error 804: forward compatibility was attempted on non supported HW\r\n";
    char wide[512] = "\xff\xfe", big[512] = "\xfe\xff";
    size_t n = strlen(text);
    for (size_t i = 0; i < n; i++) {
        wide[2 + 2 * i] = text[i];
        big[3 + 2 * i] = text[i];
    }
    explain_bytes(wide, 2 + 2 * n);
    cr_assert_str_eq(first_id(), "compat");
    explain_bytes(big, 2 + 2 * n);
    cr_assert_str_eq(first_id(), "compat");
    explain_bytes(wide, 2 + 2 * n - 1);
    cr_assert_str_eq(first_id(), "compat");
}
