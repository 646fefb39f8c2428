/* What a package is to others: a main library, or an extension of one. By roles.tsv, else by what
 * the package requires, what its file is linked with, and what is installed beside it. */
#ifndef DOCTOR_ROLE_H
#define DOCTOR_ROLE_H

#include <stdbool.h>

#include "doctor/doctor.h"

/* Fills in `role` of every package; once, when all of them are known. */
void role_assign(struct doctor *d);

/* Whether a package of this name is a main library, as far as the name tells. */
bool role_is_framework_name(const char *package);

/* A requirement ("torch>=2.0", "pytorch 1.8.*") that names a main library. */
bool role_is_framework_requirement(const char *requirement);

/* Whether the text has the package's name, or words that stand for it in messages. */
bool role_is_spoken_of(const char *text, const char *package);

/* Whether the text names the file: "ggml_cuda_mul_mat" names libggml-cuda.so. */
bool role_is_file_spoken_of(const char *text, const char *path);

/* Whether the text speaks of a known package inside another one: "FlashAttention" of
 * "vllm/vllm_flash_attn/_vllm_fa2_C.abi3.so". */
bool role_is_part_spoken_of(const char *text, const char *path);

/* The main library whose file this is by its name, without "lib": "torch", "tensorflow" ...; NULL:
 * none that programs are linked with. */
const char *role_main_library(const char *file);

/* A program that people compile for themselves, on Windows or elsewhere. */
bool role_is_source(const char *program, bool windows);

/* What the package compiles kernels with at run time: "nvrtc", "nvvm", "ptxas", "nvcc"; "" nothing, or
 * not known. */
const char *role_compiler(const char *package);

/* "flash_attn" is "flash-attn": without case; "-", "_" and "." are alike. */
bool role_same_name(const char *a, const char *b);

#endif
