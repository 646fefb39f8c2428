/* Loading modules into the virtual driver: codes and logs by path, functions and their attributes,
 * and cubins that run as the PTX they were built from. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vgpu/drv_api.h"
#include "vgpu/drv_sha256.h"

#define TEXT(version, target)                                                                      \
    ".version " version "\n.target " target "\n.address_size 64\n"                                 \
    ".const .align 4 .b8 table[64];\n.global .align 4 .u32 counter = 7;\n"                         \
    ".visible .entry set(.param .u64 set_param_0, .param .u32 set_param_1)\n{\n"                   \
    ".reg .b32 %r<2>;\n.reg .b64 %rd<3>;\n.shared .align 4 .b8 room[1024];\n"                      \
    "ld.param.u64 %rd1, [set_param_0];\nld.param.u32 %r1, [set_param_1];\n"                        \
    "cvta.to.global.u64 %rd2, %rd1;\nst.global.u32 [%rd2], %r1;\nret;\n}\n"

static void enter(const char *card, const char *driver)
{
    void *context;
    setenv("SMFIT_VGPU", card, 1);
    setenv("SMFIT_VGPU_DRIVER", driver, 1);
    unsetenv("SMFIT_VGPU_OS");
    cr_assert_eq(cuInit(0), 0);
    cr_assert_eq(cuDevicePrimaryCtxRetain(&context, 0), 0);
    cr_assert_eq(cuCtxSetCurrent(context), 0);
}

static char log_text[1024];

/* The code of cuModuleLoadDataEx; what its error log says is in log_text. */
static int load(const void *image, void **module)
{
    int options[] = { 5, 6 };
    void *values[] = { log_text, (void *)(uintptr_t)sizeof log_text };
    memset(log_text, 'x', sizeof log_text);
    int code = cuModuleLoadDataEx(module, image, 2, options, values);
    cr_expect_eq((uintptr_t)values[1], strlen(log_text), "the option says how much was filled");
    return code;
}

static int load_code(const void *image)
{
    void *module = NULL;
    return load(image, &module);
}

static int attribute(int which, void *function)
{
    int value = -1;
    cr_assert_eq(cuFuncGetAttribute(&value, which, function), 0);
    return value;
}

/* ---- codes
 * -----------------------------------------------------------------------------------------------
 */

Test(drv_module, ptx_for_the_card_loads_and_has_its_kernels)
{
    enter("920m", "470.256");
    void *module, *function, *again;
    cr_assert_eq(load(TEXT("3.1", "sm_35"), &module), 0, "%s", log_text);
    cr_expect_str_eq(log_text, "");
    cr_expect_eq(cuModuleGetFunction(&function, module, "set"), 0);
    cr_expect_eq(cuModuleGetFunction(&again, module, "set"), 0);
    cr_expect_eq(function, again);
    cr_expect_eq(cuModuleGetFunction(&function, module, "Set"), DRV_NOT_FOUND);
    cr_expect_eq(cuModuleUnload(module), 0);
    cr_expect_eq(cuModuleUnload(module), DRV_INVALID_HANDLE);
    cr_expect_eq(cuFuncGetModule(&module, again), DRV_INVALID_HANDLE, "it went with its module");
}

Test(drv_module, a_too_new_ISA_is_222_with_the_compilers_words)
{
    enter("920m", "470.256");
    cr_expect_eq(load_code("// made by hand\n" TEXT("7.8", "sm_35")), 222);
    cr_expect_str_eq(log_text,
                     "ptxas application ptx input, line 2; fatal   : Unsupported .version "
                     "7.8; current version is '7.4'\n"
                     "ptxas fatal   : Ptx assembly aborted due to errors");
}

Test(drv_module, and_218_on_an_older_driver)
{
    enter("920m", "418.40");
    cr_expect_eq(load_code(TEXT("7.8", "sm_35")), 218);
    cr_expect_not_null(strstr(log_text, "Unsupported .version 7.8; current version is '6.4'"));
}

Test(drv_module, a_target_above_the_card_is_218_with_its_reason)
{
    enter("920m", "470.256");
    cr_expect_eq(load_code(TEXT("6.0", "sm_50")), 218);
    cr_expect_not_null(strstr(log_text, "SM version specified by .target is higher"));
}

Test(drv_module, what_is_no_image_is_200)
{
    enter("920m", "470.256");
    cr_expect_eq(load_code("hello"), 200);
    cr_expect_eq(load_code(""), 200);
    cr_expect_eq(load_code(".target sm_35\n.version 3.1\n"), 200);
    cr_expect_eq(load_code("\x7f"
                           "ELF with nothing behind it that would make it one.............."),
                 200);
}

Test(drv_module, broken_ptx_is_218_with_line_and_word)
{
    enter("920m", "470.256");
    cr_expect_eq(load_code(".version 3.1\n.target sm_35\n.address_size 64\n"
                           ".visible .entry k()\n{\nfoo.u32 %r1;\nret;\n}\n"),
                 218);
    cr_expect_not_null(strstr(log_text, "line 6"), "%s", log_text);
    cr_expect_not_null(strstr(log_text, "foo"), "%s", log_text);
}

Test(drv_module, a_log_that_does_not_fit_is_cut_and_ends)
{
    enter("920m", "470.256");
    char small[16];
    int options[] = { 5, 6, 3, 4 };
    char info[8] = "xxxxxxx";
    void *values[] = { small, (void *)sizeof small, info, (void *)sizeof info }, *module;
    cr_expect_eq(cuModuleLoadDataEx(&module, TEXT("7.8", "sm_35"), 4, options, values), 222);
    cr_expect_str_eq(small, "ptxas applicati");
    cr_expect_str_eq(info, "");
}

Test(drv_module, options_that_are_not_there_say_so)
{
    enter("920m", "470.256");
    int lto[] = { 20 }, wrong[] = { -1 };
    void *value[] = { (void *)1 }, *module;
    cr_expect_eq(cuModuleLoadDataEx(&module, TEXT("3.1", "sm_35"), 1, lto, value),
                 DRV_NOT_SUPPORTED);
    cr_expect_eq(cuModuleLoadDataEx(&module, TEXT("3.1", "sm_35"), 1, wrong, value),
                 DRV_INVALID_VALUE);
    cr_expect_eq(cuModuleLoadDataEx(&module, TEXT("3.1", "sm_35"), 1, NULL, value),
                 DRV_INVALID_VALUE);
}

Test(drv_module, without_a_compiler_it_is_221)
{
    setenv("SMFIT_VGPU_FAULT", "no-jit", 1);
    enter("920m", "470.256");
    cr_expect_eq(load_code(TEXT("3.1", "sm_35")), 221);
}

Test(drv_module, with_compiling_switched_off_it_is_223)
{
    setenv("CUDA_DISABLE_PTX_JIT", "1", 1);
    enter("920m", "470.256");
    cr_expect_eq(load_code(TEXT("3.1", "sm_35")), 223);
}

Test(drv_module, before_11_2_it_was_209)
{
    setenv("CUDA_DISABLE_PTX_JIT", "1", 1);
    enter("920m", "418.40");
    cr_expect_eq(load_code(TEXT("3.1", "sm_35")), 209);
}

/* ---- functions
 * --------------------------------------------------------------------------------------------- */

Test(drv_module, attributes_describe_what_was_compiled)
{
    enter("k80", "470.256");
    void *module, *function;
    cr_assert_eq(load(TEXT("3.1", "sm_35"), &module), 0);
    cr_assert_eq(cuModuleGetFunction(&function, module, "set"), 0);
    cr_expect_eq(attribute(6, function), 37, "binary: the card's");
    cr_expect_eq(attribute(5, function), 35, "ptx: the target's");
    cr_expect_eq(attribute(1, function), 1024);
    cr_expect_eq(attribute(2, function), 64);
    cr_expect_eq(attribute(0, function), 1024);
    cr_expect_eq(attribute(8, function), 47 << 10);
    cr_expect_gt(attribute(4, function), 0);
    cr_expect_leq(attribute(4, function), 255);
    int value;
    cr_expect_eq(cuFuncGetAttribute(&value, 99, function), DRV_INVALID_VALUE);
    size_t offset, size;
    cr_expect_eq(cuFuncGetParamInfo(function, 1, &offset, &size), 0);
    cr_expect(offset == 8 && size == 4);
    cr_expect_eq(cuFuncGetParamInfo(function, 2, &offset, &size), DRV_INVALID_VALUE);
}

Test(drv_module, variables_have_address_size_and_first_value)
{
    enter("920m", "470.256");
    void *module;
    uint64_t address;
    size_t bytes;
    unsigned value = 0;
    cr_assert_eq(load(TEXT("3.1", "sm_35"), &module), 0);
    cr_expect_eq(cuModuleGetGlobal_v2(&address, &bytes, module, "counter"), 0);
    cr_expect_eq(bytes, 4);
    cr_expect_eq(cuMemcpyDtoH_v2(&value, address, 4), 0);
    cr_expect_eq(value, 7);
    cr_expect_eq(cuModuleGetGlobal_v2(&address, &bytes, module, "nothing"), DRV_NOT_FOUND);
}

Test(drv_module, occupancy_follows_from_threads_and_shared_memory)
{
    enter("920m", "470.256");
    void *module, *function;
    int blocks;
    cr_assert_eq(load(TEXT("3.1", "sm_35"), &module), 0);
    cr_assert_eq(cuModuleGetFunction(&function, module, "set"), 0);
    cr_expect_eq(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 256, 0), 0);
    cr_expect_eq(blocks, 8, "2048 threads");
    cr_expect_eq(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 32, 0), 0);
    cr_expect_eq(blocks, 16, "16 blocks");
    cr_expect_eq(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 256, 23 << 10), 0);
    cr_expect_eq(blocks, 2, "48 KiB");
    cr_expect_eq(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 2048, 0), 0);
    cr_expect_eq(blocks, 0);
    int grid, size;
    cr_expect_eq(cuOccupancyMaxPotentialBlockSize(&grid, &size, function, NULL, 0, 0), 0);
    cr_expect_eq(size, 1024);
    cr_expect_eq(grid, 4, "two multiprocessors with two blocks");
}

Test(drv_module, more_shared_memory_must_be_asked_for_and_be_there)
{
    enter("RTX 2080", "470.256");
    void *module, *function;
    cr_assert_eq(load(TEXT("3.1", "sm_35"), &module), 0);
    cr_assert_eq(cuModuleGetFunction(&function, module, "set"), 0);
    cr_expect_eq(cuFuncSetAttribute(function, 8, 60 << 10), 0);
    cr_expect_eq(attribute(8, function), 60 << 10);
    cr_expect_eq(cuFuncSetAttribute(function, 8, 64 << 10), DRV_INVALID_VALUE, "static counts");
    cr_expect_eq(cuFuncSetAttribute(function, 0, 1), DRV_INVALID_VALUE);
}

/* ---- files and cubins
 * ---------------------------------------------------------------------------------------- */

static char folder[64];

static void write_file(const char *name, const void *bytes, size_t size)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    cr_assert_not_null(f);
    cr_assert_eq(fwrite(bytes, 1, size, f), size);
    fclose(f);
}

static void remove_folder(void)
{
    static const char *const names[] = { "manifest.tsv", "k.ptx", "file" };
    char path[160];
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
}

static void make_folder(void)
{
    strcpy(folder, "/tmp/smfit-test-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
}

/* The smallest cubin: an ELF header alone. */
static void make_cubin(unsigned char cubin[64], unsigned arch)
{
    memset(cubin, 0, 64);
    memcpy(cubin,
           "\x7f"
           "ELF\x02\x01\x01\x33\x07",
           9);
    cubin[16] = 2;
    cubin[18] = 190;
    cubin[20] = 118;
    cubin[48] = (unsigned char)arch;
    cubin[50] = (unsigned char)arch;
    cubin[49] = 5;
    cubin[52] = 64;
    cubin[58] = 64;
}

Test(drv_module, a_cubin_of_the_build_runs_as_its_ptx)
{
    unsigned char cubin[64];
    char row[400], sum[65];
    make_folder();
    make_cubin(cubin, 35);
    drv_sha256(cubin, sizeof cubin, sum);
    int n = snprintf(row, sizeof row,
                     "image_id\tkind\tarch\tptx\tsha256\n1\tcubin\tsm_35\tk.ptx\t%s\n", sum);
    write_file("manifest.tsv", row, (size_t)n);
    /* its own ISA is no matter of the driver's compiler, which it never meets */
    write_file("k.ptx", TEXT("7.8", "sm_35"), strlen(TEXT("7.8", "sm_35")));
    snprintf(row, sizeof row, "%s/manifest.tsv", folder);
    setenv("SMFIT_VGPU_MANIFEST", row, 1);
    enter("k80", "470.256");
    void *module, *function;
    cr_expect_eq(load(cubin, &module), 0);
    remove_folder();
    cr_assert_eq(cuModuleGetFunction(&function, module, "set"), 0);
    cr_expect_eq(attribute(6, function), 35, "the cubin's, not the card's");
    uint64_t p;
    unsigned value = 42;
    void *params[] = { &p, &value };
    cr_assert_eq(cuMemAlloc_v2(&p, 4), 0);
    cr_expect_eq(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL), 0);
    cr_expect_eq(cuMemcpyDtoH_v2(&value, p, 4), 0);
    cr_expect_eq(value, 42);
}

Test(drv_module, a_foreign_cubin_loads_and_knows_no_kernel)
{
    unsigned char cubin[64];
    unsetenv("SMFIT_VGPU_MANIFEST");
    make_cubin(cubin, 35);
    enter("920m", "470.256");
    void *module, *function;
    cr_expect_eq(load(cubin, &module), 0);
    cr_expect_eq(cuModuleGetFunction(&function, module, "set"), DRV_NOT_FOUND);
    uint64_t address;
    cr_expect_eq(cuModuleGetGlobal_v2(&address, NULL, module, "x"), DRV_NOT_SUPPORTED);
}

Test(drv_module, files_are_believed_no_further_than_they_go)
{
    unsigned char cubin[64];
    char path[160];
    void *module;
    make_folder();
    snprintf(path, sizeof path, "%s/file", folder);
    make_cubin(cubin, 35);
    cubin[41] = 0xff; /* a section table far behind the end */
    cubin[60] = 1;
    enter("920m", "470.256");
    write_file("file", cubin, sizeof cubin);
    cr_expect_eq(cuModuleLoad(&module, path), 200);
    write_file("file", "\x50\xed\x55\xba\x01\0\x10\0\xff\xff\0\0\0\0\0\0", 16);
    cr_expect_eq(cuModuleLoad(&module, path), 200);
    write_file("file", "\x50\xed\x55\xba\x01\0\x10\0", 8);
    cr_expect_eq(cuModuleLoad(&module, path), 200);
    write_file("file", TEXT("3.1", "sm_35"), strlen(TEXT("3.1", "sm_35")));
    cr_expect_eq(cuModuleLoad(&module, path), 0);
    remove_folder();
    cr_expect_eq(cuModuleLoad(&module, path), DRV_FILE_NOT_FOUND);
}

Test(drv_module, sums_are_those_of_the_standard)
{
    char sum[65];
    drv_sha256("", 0, sum);
    cr_expect_str_eq(sum, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    drv_sha256("abc", 3, sum);
    cr_expect_str_eq(sum, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    drv_sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56, sum);
    cr_expect_str_eq(sum, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}
