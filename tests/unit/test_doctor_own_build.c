/* Whose list of architectures a file has, its maker's or that of whoever compiled it. The lists of
 * releases are those of the packages themselves (src/data/builds.tsv). */
#include <criterion/criterion.h>

#include "doctor/own_build.h"

static struct doctor_package package;
static struct doctor_file file;
static struct holds_group group;
static struct arch_image images[8];

static char *base = "/opt/x";

static struct doctor d;

/* A program with one file of these cubins, on a machine with one card. */
static void build(unsigned cc, const char *program, char *path, size_t count, const unsigned *archs)
{
    d = (struct doctor){ .sysroot = "/nonexistent", .gpu_count = 1 };
    d.gpus[0].rule = (struct arch_target){ .cc = cc, .os = ARCH_LINUX };
    for (size_t i = 0; i < count; i++)
        images[i] = (struct arch_image){ .kind = ARCH_CUBIN, .arch = archs[i] };
    group = (struct holds_group){ .images = images, .image_count = count, .containers = 1 };
    file = (struct doctor_file){ .path = path, .holds = { .groups = &group, .group_count = 1 } };
    package = (struct doctor_package){ .origin = DOCTOR_APP, .role = DOCTOR_PROGRAM, .env = -1,
                                       .base = base, .files = &file, .file_count = 1 };
    str_copy(package.name, sizeof package.name, program);
}

/* The same from pip, and not a program. */
static void build_wheel(unsigned cc, const char *name, enum doctor_role role, char *path,
                        size_t count, const unsigned *archs)
{
    build(cc, name, path, count, archs);
    package.origin = DOCTOR_PIP;
    package.role = role;
}

static bool is_built_by_user(void)
{
    return own_build_is(&d, &package, 0, 0);
}

static bool is_own(const char *program, char *path, size_t count, const unsigned *archs)
{
    build(50, program, path, count, archs);
    return is_built_by_user();
}

static const unsigned tensorflow_2_3[] = { 35, 37, 52, 60, 61, 70 };

Test(own_build, what_lies_in_a_build_folder_was_compiled_there)
{
    cr_assert(is_own("solver", "build/solver", 6, tensorflow_2_3));
    cr_assert_not(is_own("solver", "bin/solver", 6, tensorflow_2_3));
}

Test(own_build, a_main_library_in_a_programs_build_folder_is_still_its_makers)
{
    cr_assert_not(is_own("solver", "build/libtensorflow.so.2", 6, tensorflow_2_3));
    cr_assert_not(is_own("TensorFlowApp", "bin/Debug/tensorflow.dll", 6, tensorflow_2_3));
}

Test(own_build, the_library_that_was_itself_compiled_there_is_its_owners)
{
    static const unsigned archs[] = { 60, 61, 86, 89 };
    cr_assert(is_own("tensorflow", "build/libtensorflow.so.2", 4, archs));
}

Test(own_build, the_programs_folder_may_be_the_builds)
{
    base = "/home/u/viewer/build";
    cr_assert(is_own("viewer", "bin/opencv_cudaimgproc310.dll", 6, tensorflow_2_3));
    base = "/home/u/viewer";
    cr_assert_not(is_own("viewer", "bin/opencv_cudaimgproc310.dll", 6, tensorflow_2_3));
}

Test(own_build, what_lies_in_a_cache_of_downloads_was_not_compiled_there)
{
    base = "/home/u/.cache/huggingface/hub/models--x/snapshots/0";
    cr_assert_not(is_own("0", "build/torch29-cu128/_attn.abi3.so", 6, tensorflow_2_3));
    base = "/home/u/.cache/torch_extensions/py310_cu121";
    cr_assert(is_own("py310_cu121", "build/_attn.so", 6, tensorflow_2_3));
}

Test(own_build, one_architecture_of_a_library_that_its_makers_build_for_many_is_somebodys_own)
{
    static const unsigned archs[] = { 70 };
    build_wheel(61, "tensorflow-gpu", DOCTOR_FRAMEWORK, "tensorflow/_pywrap.so", 1, archs);
    cr_assert(is_built_by_user());
    str_copy(package.name, sizeof package.name, "a-library-that-no-table-has");
    cr_assert_not(is_built_by_user());
}

Test(own_build, an_extension_is_somebodys_own_only_where_pip_says_so)
{
    static const unsigned archs[] = { 75, 86 };
    build_wheel(61, "vllm", DOCTOR_EXTENSION, "vllm/_C.abi3.so", 2, archs);
    str_copy(package.version, sizeof package.version, "0.6.3.dev171+g890ca360");
    cr_assert_not(is_built_by_user());
    str_copy(package.version, sizeof package.version, "0.6.3+g890ca360.d20250327"); /* changed there */
    cr_assert(is_built_by_user());
    str_copy(package.version, sizeof package.version, "0.6.3");
    package.from_source = true;
    cr_assert(is_built_by_user());
}

Test(own_build, a_repository_was_compiled_by_its_user_and_a_download_by_its_maker)
{
    base = "/home/u/Alenka";
    cr_assert(is_own("Alenka", "alenka", 6, tensorflow_2_3));
    base = "/home/u/miner-6.2";
    cr_assert_not(is_own("miner", "miner", 6, tensorflow_2_3));
    base = "/caffe-master";
    cr_assert(is_own("caffe-master", "bin/MainCaller.exe", 6, tensorflow_2_3));
    base = "/Users/u/Downloads/mumax3.10_windows_cuda11.0";
    cr_assert_not(is_own("mumax3", "mumax3.exe", 6, tensorflow_2_3));
}

Test(own_build, a_library_that_speaks_of_its_floor_is_its_makers)
{
    static const unsigned archs[] = { 60 };
    build_wheel(52, "tensorflow-gpu", DOCTOR_FRAMEWORK, "tensorflow/_pywrap.so", 1, archs);
    cr_assert(is_built_by_user());
    d.error = "The minimum required Cuda capability is 6.0.";
    cr_assert_not(is_built_by_user());
}

Test(own_build, a_program_of_the_toolkit_that_is_here_was_mostly_compiled_here)
{
    base = "/opt/solver";
    build(90, "solver", "bin/solver", 6, tensorflow_2_3);
    cr_assert_not(is_built_by_user());
    d.host.toolkits[0] = (struct host_toolkit){ .version = "12.1", .path = "/usr/local/cuda-12.1" };
    d.host.toolkit_count = 1;
    str_copy(package.cuda, sizeof package.cuda, "12.1");
    cr_assert(is_built_by_user());
    str_copy(package.cuda, sizeof package.cuda, "11.8");
    cr_assert_not(is_built_by_user());
}
