/* One diagnosis out of what was found, on made-up machines. The expected causes are the definitions of
 * tests/doctor/README.md, the driver's and NVIDIA's documented rules; nothing here is a saved answer. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/finding.h"

static struct doctor d;
static struct doctor_package packages[3];
static struct doctor_file files[3];
static struct holds_group groups[3];
static struct arch_image images[3][4];
static struct findings found;

static void card(size_t gpu, const char *name, unsigned cc, const char *driver)
{
    d.gpus[gpu] = (struct doctor_gpu){ .rule = { .cc = cc, .os = ARCH_LINUX }, .present = true };
    str_copy(d.gpus[gpu].name, sizeof d.gpus[gpu].name, name);
    str_copy(d.gpus[gpu].kernel_driver, sizeof d.gpus[gpu].kernel_driver, "nvidia");
    str_copy(d.host.module, sizeof d.host.module, driver);
    str_copy(d.host.library, sizeof d.host.library, "/usr/lib/libcuda.so.1");
    str_copy(d.host.library_version, sizeof d.host.library_version, driver);
    str_copy(d.host.jit_library, sizeof d.host.jit_library, "/usr/lib/libnvidia-ptxjitcompiler.so.1");
    version_parse(driver, &d.gpus[gpu].rule.driver);
    d.gpu_count = gpu + 1;
}

/* A package with one file of one container: cubins for these architectures. */
static void package(size_t i, const char *name, enum doctor_role role, unsigned a, unsigned b)
{
    struct doctor_package *p = &packages[i];
    *p = (struct doctor_package){ .origin = DOCTOR_PIP, .role = role, .env = 0, .base = "/env" };
    str_copy(p->name, sizeof p->name, name);
    for (size_t k = 0; k < 2; k++)
        images[i][k] = (struct arch_image){
            .kind = ARCH_CUBIN, .arch = k ? b : a, .toolkit_major = 11, .toolkit_minor = 8
        };
    groups[i] = (struct holds_group){ .images = images[i], .image_count = 2, .containers = 1 };
    files[i] = (struct doctor_file){ .path = i ? "x/_C.so" : "torch/lib/libtorch_cuda.so",
                                     .holds = { .groups = &groups[i], .group_count = 1 } };
    p->files = &files[i];
    p->file_count = 1;
    for (size_t g = 0; g < d.gpu_count; g++) {
        judge_file(&files[i].holds, &d.gpus[g].rule, &files[i].judge[g]);
        p->judge[g] = files[i].judge[g];
    }
    d.packages = packages;
    d.package_count = i + 1;
}

static void forget(void)
{
    findings_free(&found);
}

static void fresh(void)
{
    d = (struct doctor){ .sysroot = "/nonexistent" };
    d.host.sysroot = d.sysroot;
}

TestSuite(finding, .init = fresh, .fini = forget);

static const struct finding *first(const char *error)
{
    struct err err;
    err_clear(&err);
    findings_free(&found);
    d.error = error;
    cr_assert_eq(findings_find(&d, &found, &err), 0, "%s", err.msg);
    return found.count ? &found.list[0] : NULL;
}

static void assert_cause(const char *error, enum doctor_cause cause)
{
    const struct finding *f = first(error);
    cr_assert_not_null(f);
    cr_assert_str_eq(doctor_cause_code(f->cause), doctor_cause_code(cause), "%s",
                     error ? error : "");
}

Test(finding, a_main_library_without_the_card_is_at_fault)
{
    card(0, "GTX 1080", 61, "535.183.01");
    package(0, "torch", DOCTOR_FRAMEWORK, 70, 80);
    assert_cause("CUDA error: no kernel image is available for execution on the device", CAUSE_A1);
    cr_assert_str_eq(found.list[0].path, "/env/torch/lib/libtorch_cuda.so");
    cr_assert_eq(found.list[0].confidence, FINDING_CERTAIN);
    cr_assert_gt(found.list[0].cure_count, 0);
}

Test(finding, a_card_newer_than_the_library_is_another_cause)
{
    card(0, "RTX 5090", 120, "580.82.07");
    package(0, "torch", DOCTOR_FRAMEWORK, 80, 90);
    assert_cause(NULL, CAUSE_A2);
}

Test(finding, an_extension_is_at_fault_where_the_main_library_runs)
{
    card(0, "GTX 1080", 61, "535.183.01");
    package(0, "torch", DOCTOR_FRAMEWORK, 60, 80);
    package(1, "fancy-ops", DOCTOR_EXTENSION, 70, 80);
    assert_cause("no kernel image is available", CAUSE_A3);
    cr_assert_str_eq(found.list[0].path, "/env/x/_C.so");
}

Test(finding, two_cards_of_which_one_runs_it_are_a_matter_of_hiding_the_other)
{
    card(0, "RTX 3090", 86, "535.183.01");
    card(1, "GTX 1080", 61, "535.183.01");
    package(0, "torch", DOCTOR_FRAMEWORK, 80, 86);
    assert_cause("no kernel image is available", CAUSE_A6);
    cr_assert_eq(found.list[0].gpu, 1);
}

Test(finding, parts_of_two_drivers_come_before_any_package)
{
    card(0, "GTX 1080", 61, "535.183.01");
    str_copy(d.host.module, sizeof d.host.module, "525.147.05");
    package(0, "torch", DOCTOR_FRAMEWORK, 70, 80);
    assert_cause("Failed to initialize NVML: Driver/library version mismatch", CAUSE_A14);
    assert_cause(NULL, CAUSE_A14);
}

Test(finding, a_text_ranks_what_files_and_driver_allow)
{
    card(0, "GTX 1080", 61, "535.183.01");
    package(0, "torch", DOCTOR_FRAMEWORK, 70, 80);
    str_copy(d.host.no_access, sizeof d.host.no_access, "nvidia0");
    assert_cause("No CUDA GPUs are available", CAUSE_A12);
    assert_cause("no kernel image is available", CAUSE_A1);
}

Test(finding, causes_that_the_machine_refutes_are_not_taken_from_a_text)
{
    card(0, "GTX 1080", 61, "535.183.01");
    package(0, "torch", DOCTOR_FRAMEWORK, 60, 80);
    /* the text has A1, A3, A4 and A5 first: the library runs, and this is no Jetson */
    const struct finding *f = first("no kernel image is available");
    cr_assert_not_null(f);
    cr_assert_eq(f->confidence, FINDING_POSSIBLE);
    cr_assert_str_eq(doctor_cause_code(f->cause), "A7");
}

Test(finding, a_package_that_cannot_run_outweighs_a_text_that_says_little)
{
    card(0, "GTX 1080", 61, "535.183.01");
    package(0, "torch", DOCTOR_FRAMEWORK, 70, 80);
    assert_cause("CUDA error: invalid resource handle", CAUSE_A1);
    cr_assert_eq(found.list[0].confidence, FINDING_LIKELY);
}

Test(finding, nothing_wrong_is_no_finding_of_weight)
{
    card(0, "RTX 3090", 86, "535.183.01");
    package(0, "torch", DOCTOR_FRAMEWORK, 80, 86);
    const struct finding *f = first(NULL);
    cr_assert(!f || f->weight < 48);
}

Test(finding, the_main_library_is_at_fault_before_an_extension_that_the_text_names)
{
    card(0, "GTX 1080", 61, "535.183.01");
    package(0, "torch", DOCTOR_FRAMEWORK, 70, 80);
    package(1, "xformers", DOCTOR_EXTENSION, 70, 80);
    assert_cause("xformers: no kernel image is available", CAUSE_A1);
    package(0, "torch", DOCTOR_FRAMEWORK, 60, 80);
    d.package_count = 2;
    assert_cause("xformers: no kernel image is available", CAUSE_A3);
}

Test(finding, an_extension_that_looks_at_the_card_itself_is_suspected_less)
{
    card(0, "GTX 1080", 61, "535.183.01");
    package(0, "flash-attn", DOCTOR_EXTENSION, 80, 90); /* refuses cards below 8.0 by a text */
    str_copy(packages[0].version, sizeof packages[0].version, "2.5.8");
    package(1, "fancy-ops", DOCTOR_EXTENSION, 70, 80);
    assert_cause("no kernel image is available", CAUSE_A3);
    cr_assert_eq(found.list[0].package, 1);
    assert_cause("flash_attn: no kernel image is available", CAUSE_A3);
    cr_assert_eq(found.list[0].package, 0);
}

Test(finding, a_library_without_gpu_code_that_the_text_names_is_a_build_for_the_processor)
{
    card(0, "RTX 3090", 86, "535.183.01");
    package(0, "torch", DOCTOR_FRAMEWORK, 80, 86);
    packages[1] = (struct doctor_package){ .origin = DOCTOR_PIP, .role = DOCTOR_FRAMEWORK,
                                           .name = "tensorflow", .base = "/env",
                                           .largest = "tensorflow/libtensorflow_cc.so.2",
                                           .fault = { -1 } };
    d.package_count = 2;
    assert_cause("tensorflow was not compiled with CUDA support", CAUSE_N1);
    d.package_count = 1;
    const struct finding *f = first("tensorflow was not compiled with CUDA support");
    cr_assert(!f || f->cause != CAUSE_N1);
}

Test(finding, the_compiler_that_the_text_names_is_at_fault_before_another_one)
{
    card(0, "RTX 4090", 89, "535.183.01");
    d.compilers[0] = (struct doctor_compiler){ .path = "/env/triton/bin/ptxas", .package = -1 };
    d.compilers[1] = (struct doctor_compiler){ .path = "/env/lib/libnvrtc.so.11.2",
                                               .toolkit = "11.7", .package = -1 };
    d.compiler_count = 2;
    assert_cause("ptxas fatal: Value 'sm_89' is not defined for option 'gpu-name'", CAUSE_A10);
    cr_assert_str_eq(found.list[0].path, "/env/triton/bin/ptxas");
    assert_cause("nvrtc: error: invalid value for --gpu-architecture (-arch)", CAUSE_A10);
    cr_assert_str_eq(found.list[0].path, "/env/lib/libnvrtc.so.11.2");
}

Test(finding, a_compiler_that_nothing_here_uses_is_suspected_less)
{
    card(0, "GTX 1080", 61, "390.48"); /* takes PTX to 6.1; CUDA 9.2 writes 6.2 */
    package(0, "numba", DOCTOR_FRAMEWORK, 60, 61);
    d.compilers[0] = (struct doctor_compiler){ .path = "/env/lib/libnvrtc.so.9.2",
                                               .toolkit = "9.2", .package = -1 };
    d.compilers[1] = (struct doctor_compiler){ .path = "/env/lib/libnvvm.so.3.2.0",
                                               .toolkit = "9.2", .package = -1 };
    d.compiler_count = 2;
    assert_cause("ptxas application ptx input, line 9; Unsupported .version 6.2", CAUSE_A9);
    cr_assert_str_eq(found.list[0].path, "/env/lib/libnvvm.so.3.2.0");
}

Test(finding, a_main_library_without_gpu_code_is_a_fault_where_no_other_runs)
{
    card(0, "RTX 3090", 86, "535.183.01");
    package(0, "torch", DOCTOR_FRAMEWORK, 80, 86);
    packages[1] = (struct doctor_package){ .origin = DOCTOR_PIP, .role = DOCTOR_FRAMEWORK,
                                           .name = "tensorflow-intel", .base = "/env",
                                           .largest = "tensorflow/_pywrap_tensorflow.pyd",
                                           .fault = { -1 } };
    d.package_count = 2;
    const struct finding *f = first(NULL);
    cr_assert(!f || f->weight < 48);
    assert_cause("tf: list_physical_devices('GPU') gives []", CAUSE_N1);
    packages[0] = packages[1];
    d.package_count = 1;
    assert_cause(NULL, CAUSE_N1);
}

Test(finding, parts_of_one_version_speak_against_a_mismatch)
{
    card(0, "RTX 2080 Ti", 75, "515.65.01");
    package(0, "torch", DOCTOR_FRAMEWORK, 70, 75);
    assert_cause("CUDA unknown error - this may be due to an incorrectly set up environment",
                 CAUSE_A19);
    *d.host.jit_library = 0;
    assert_cause("CUDA unknown error - this may be due to an incorrectly set up environment",
                 CAUSE_A14);
}

Test(finding, a_missing_symbol_names_the_library_that_lacks_it)
{
    card(0, "Tesla T4", 75, "525.105.17");
    package(0, "nvidia-cublas-cu11", DOCTOR_FRAMEWORK, 70, 75);
    d.lookups[0] = (struct doctor_lookup){ .soname = "libcublas.so.11",
                                           .path = "/env/libcublas.so.11",
                                           .how = LOADER_RUNPATH };
    d.lookups[1] = (struct doctor_lookup){ .soname = "libcublasLt.so.11",
                                           .path = "/usr/local/cuda-11.3/lib64/libcublasLt.so.11",
                                           .how = LOADER_CACHE };
    d.lookup_count = 2;
    assert_cause("libcublas.so.11: undefined symbol: cublasLtGetStatusString", CAUSE_A18);
    cr_assert_str_eq(found.list[0].path, "/usr/local/cuda-11.3/lib64/libcublasLt.so.11");
}

Test(finding, a_toolkit_that_knows_the_card_is_not_the_compiler_at_fault)
{
    card(0, "GB10", 121, "580.95.05");
    d.host.toolkits[0] = (struct host_toolkit){ .version = "13.0", .path = "/usr/local/cuda-13.0" };
    d.host.toolkit_count = 1;
    str_copy(d.host.ptxas, sizeof d.host.ptxas, "/usr/local/cuda-13.0/bin/ptxas");
    d.compilers[0] = (struct doctor_compiler){ .path = "/env/triton/bin/ptxas", .package = -1 };
    d.compiler_count = 1;
    assert_cause("ptxas fatal: Value 'sm_121a' is not defined for option 'gpu-name'", CAUSE_A10);
    cr_assert_str_eq(found.list[0].path, "/env/triton/bin/ptxas");
}

Test(finding, the_only_file_with_gpu_code_is_the_one_that_runs)
{
    card(0, "GTX 1080", 61, "535.183.01");
    package(0, "usr/local", DOCTOR_PROGRAM, 75, 86);
    packages[0].origin = DOCTOR_SYSTEM;
    packages[0].base = "/usr/local";
    assert_cause("unspecified launch failure", CAUSE_A1);
    assert_cause(NULL, CAUSE_A1);
    package(1, "torch", DOCTOR_FRAMEWORK, 60, 80);
    assert_cause("unspecified launch failure", CAUSE_A19);
}

Test(finding, a_floor_of_cublas_counts_only_where_the_text_says_so)
{
    card(0, "GT 730", 35, "470.256.02");
    package(0, "solver", DOCTOR_PROGRAM, 61, 75);
    packages[0].origin = DOCTOR_APP;
    assert_cause("CUBLAS_STATUS_NOT_INITIALIZED", CAUSE_A1);
    assert_cause("CUBLAS_STATUS_ARCH_MISMATCH", CAUSE_A17);
}

Test(finding, a_text_about_the_driver_is_not_outweighed_by_a_package)
{
    card(0, "GTX 1080", 61, "470.57.02");
    package(0, "fancy-ops", DOCTOR_EXTENSION, 70, 80);
    assert_cause("undefined symbol: cuCtxCreate_v3", CAUSE_A13);
    assert_cause("device kernel image is invalid", CAUSE_A3);
}

Test(finding, a_package_that_the_text_leaves_out_is_not_what_it_means)
{
    card(0, "GTX 1080", 61, "535.183.01");
    package(0, "xformers", DOCTOR_EXTENSION, 60, 80);
    package(1, "fancy-ops", DOCTOR_EXTENSION, 70, 80);
    assert_cause("No operator found for 'memory_efficient_attention_forward'", CAUSE_A11);
    cr_assert_eq(found.list[0].package, 0);
    d.package_count = 1;
    package(0, "fancy-ops", DOCTOR_EXTENSION, 70, 80);
    assert_cause("No operator found for 'memory_efficient_attention_forward'", CAUSE_A3);
}

Test(finding, triton_takes_another_ptxas_for_newer_cards)
{
    static const char text[] = "ptxas fatal: Value 'sm_121a' is not defined for option 'gpu-name'";
    card(0, "GB10", 121, "580.95.05");
    d.compilers[0] = (struct doctor_compiler){ .path = "/env/triton/bin/ptxas",
                                               .toolkit = "12.8", .package = -1 };
    d.compilers[1] = (struct doctor_compiler){ .path = "/env/triton/bin/ptxas-blackwell",
                                               .toolkit = "12.8", .package = -1 };
    d.compiler_count = 1;
    assert_cause(text, CAUSE_A10);
    cr_assert_str_eq(found.list[0].path, "/env/triton/bin/ptxas");
    d.compiler_count = 2;
    assert_cause(text, CAUSE_A10);
    cr_assert_str_eq(found.list[0].path, "/env/triton/bin/ptxas-blackwell");
}

Test(finding, the_systems_cudnn_is_no_fault_where_programs_bring_their_own)
{
    card(0, "GTX 1080", 61, "580.82.07");
    package(0, "system", DOCTOR_PROGRAM, 75, 80);
    packages[0].origin = DOCTOR_SYSTEM;
    packages[0].base = "/";
    files[0].path = "usr/lib/libcudnn_ops.so.9";
    files[0].nvidia = true;
    package(1, "torch", DOCTOR_FRAMEWORK, 60, 61);
    assert_cause(NULL, CAUSE_A17);
    packages[1].largest = "torch/lib/libcudnn_adv.so.9";
    const struct finding *f = first(NULL);
    cr_assert(!f || f->weight < 48);
    assert_cause("CUDNN_STATUS_ARCH_MISMATCH", CAUSE_A17);
}

Test(finding, a_toolkit_that_never_knows_the_card_is_that_before_its_ptx_is_too_new)
{
    card(0, "Tesla P100", 60, "580.105.08"); /* takes PTX to 9.0; CUDA 13.1 begins at 7.5 */
    d.host.toolkits[0] = (struct host_toolkit){ .version = "13.1", .path = "/opt/cuda" };
    d.host.toolkit_count = 1;
    assert_cause(NULL, CAUSE_A10);
    assert_cause("the provided PTX was compiled with an unsupported toolchain", CAUSE_A9);
}

Test(finding, the_driver_that_would_do_is_newer_than_the_one_that_is_there)
{
    char text[VERSION_TEXT_MAX];
    card(0, "RTX 3090", 86, "550.90.07"); /* takes PTX to 8.4; CUDA 12.6 writes 8.5, as 555 takes */
    d.host.toolkits[0] = (struct host_toolkit){ .version = "12.6", .path = "/opt/cuda" };
    d.host.toolkit_count = 1;
    assert_cause("the provided PTX was compiled with an unsupported toolchain", CAUSE_A9);
    cr_assert_str_eq(found.list[0].cures[0].what.id, "cure.driver_least");
    cr_assert_eq(found.list[0].least.major, 555, "%s", version_text(found.list[0].least, text));
    d.host.toolkit_count = 0;
    assert_cause("the provided PTX was compiled with an unsupported toolchain", CAUSE_A9);
    cr_assert_str_eq(found.list[0].cures[0].what.id, "cure.driver_newer");
}

Test(finding, a_runtime_that_no_driver_of_the_card_takes_is_not_what_is_wrong)
{
    card(0, "Quadro 2000", 21, "390.48"); /* the last branch for Fermi; CUDA 10.0 asks for 410 */
    package(0, "miner", DOCTOR_PROGRAM, 30, 35);
    packages[0].origin = DOCTOR_APP;
    str_copy(packages[0].cuda, sizeof packages[0].cuda, "10.0");
    assert_cause("it mines with the processor alone", CAUSE_A1);
}

Test(finding, a_program_that_names_its_floor_itself_asks_for_a_newer_card)
{
    card(0, "GTX 650 Ti", 30, "378.13");
    package(0, "miner", DOCTOR_PROGRAM, 50, 52);
    packages[0].origin = DOCTOR_APP;
    files[0].path = "miner";
    assert_cause("Only CUDA devices with SM 5.0 and higher are supported.", CAUSE_A11);
    assert_cause("CUDA error: no kernel image is available for execution on the device", CAUSE_A1);
}
