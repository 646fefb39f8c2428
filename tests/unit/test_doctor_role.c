/* Names of packages and files, as paths and texts have them. */
#include <criterion/criterion.h>

#include "doctor/packages_scan.h"
#include "doctor/role.h"

static void assert_part(const char *path, const char *expected)
{
    char name[96];
    packages_part_name(path, name, sizeof name);
    cr_assert_str_eq(name, expected);
}

Test(role, a_file_of_site_packages_is_of_the_package_that_its_path_begins_with)
{
    assert_part("torch/lib/libtorch_cuda.so", "torch");
    assert_part("flash_attn_2_cuda.cpython-310-x86_64-linux-gnu.so", "flash_attn_2_cuda");
    assert_part("ctranslate2.libs/libctranslate2-81fc0d88.so.4.2.1", "ctranslate2");
    assert_part("nvidia/cuda_nvrtc/lib/libnvrtc.so.12", "nvidia-cuda_nvrtc");
}

Test(role, a_text_names_a_file_by_its_stem)
{
    const char *text = "CUDA error: no kernel image, in function ggml_cuda_mul_mat_q";
    cr_assert(role_is_file_spoken_of(text, "lib/ollama/libggml-cuda.so"));
    cr_assert_not(role_is_file_spoken_of(text, "lib/ollama/libllama.so"));
    cr_assert_not(role_is_file_spoken_of("vllm/_C", "vllm/_C.abi3.so"), "too short a name");
    cr_assert_not(role_is_file_spoken_of(NULL, "lib/ollama/libggml-cuda.so"));
}

static struct doctor_package with_file(const char *name, char *path)
{
    static struct doctor_file file;
    file = (struct doctor_file){ .path = path };
    struct doctor_package p = { .origin = DOCTOR_PIP, .base = "/env", .files = &file, .file_count = 1 };
    str_copy(p.name, sizeof p.name, name);
    return p;
}

Test(role, the_folder_tells_what_a_package_is_whose_own_name_is_not_known)
{
    struct doctor_package p = with_file("some-distribution", "cuml/libcuml++.so");
    struct doctor d = { .sysroot = "/nonexistent", .packages = &p, .package_count = 1 };
    role_assign(&d);
    cr_assert_eq(p.role, DOCTOR_FRAMEWORK);
    p = with_file("libcuml", "lib/libcuml++.so");
    role_assign(&d);
    cr_assert_eq(p.role, DOCTOR_FRAMEWORK);
    p = with_file("some-distribution", "pointnet2_ops/_ext.so");
    role_assign(&d);
    cr_assert_eq(p.role, DOCTOR_EXTENSION);
}

Test(role, a_module_of_python_is_no_program)
{
    struct doctor_package p = with_file("0", "build/torch29-cu128/_attn.abi3.so");
    struct doctor d = { .sysroot = "/nonexistent", .packages = &p, .package_count = 1 };
    p.origin = DOCTOR_APP;
    role_assign(&d);
    cr_assert_eq(p.role, DOCTOR_EXTENSION);
    p = with_file("0", "lib/libattn.so");
    p.origin = DOCTOR_APP;
    role_assign(&d);
    cr_assert_eq(p.role, DOCTOR_PROGRAM);
}

Test(role, a_program_with_a_dot_in_its_name_is_not_the_module_of_like_name)
{
    cr_assert(role_is_source("llama.cpp", false));
    cr_assert_not(role_is_source("llama_cpp", false));
    cr_assert(role_is_framework_name("llama_cpp"));
}

Test(role, what_is_compiled_elsewhere_may_be_released_for_windows)
{
    cr_assert(role_is_source("darknet", true));
    cr_assert_not(role_is_source("llama.cpp", true));
}
