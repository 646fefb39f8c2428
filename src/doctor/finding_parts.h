/* Parts of finding.c: who looks for what. Used there only. */
#ifndef DOCTOR_FINDING_PARTS_H
#define DOCTOR_FINDING_PARTS_H

#include "doctor/finding.h"

/* A new finding, or NULL at the bound; then nothing is added. */
struct finding *finding_add(struct findings *f, enum doctor_cause cause, int weight);
/* The same of a card, a package and a file of it ("" none), whatever the confidence. */
struct finding *finding_add_of(const struct doctor *d, struct findings *f, enum doctor_cause cause,
                               int weight, size_t package, const char *file, size_t gpu);
struct remark *finding_say(struct finding *finding, const char *id);

void finding_driver(const struct doctor *d, struct findings *f);    /* N2, A12, A14, A15 */
void finding_packages(const struct doctor *d, struct findings *f);  /* A1 to A8, A11, A13, N1 */
void finding_libraries(const struct doctor *d, struct findings *f); /* A9, A10, A17 */
void finding_copies(const struct doctor *d, struct findings *f);    /* A18, A19 */
void finding_error(const struct doctor *d, struct findings *f);     /* by the text alone */

/* Fills in cures. */
void finding_cure(const struct doctor *d, struct finding *finding);

/* A compiler that programs use at run time, or to be built. */
enum finding_tool { FINDING_NO_TOOL, FINDING_NVCC, FINDING_PTXAS, FINDING_NVRTC, FINDING_NVVM };

/* By a file's name, and the one that a text speaks of (NULL: none). */
enum finding_tool finding_tool_of(const char *name);
enum finding_tool finding_tool_named(const char *text);

/* What the text names, else what one of the packages compiles with; `package`: that one, or -1. */
enum finding_tool finding_tool_in_use(const struct doctor *d, int *package);

/* The toolkit's file that is this compiler becomes the path; false: it has none. */
bool finding_put_tool(struct finding *one, const struct doctor *d, const char *toolkit,
                      enum finding_tool tool);

/* The path becomes the copy in use of the library that the error text speaks of, by its name or by the
 * symbol that it lacks; for the floor, of cuDNN or cuBLAS. None is found: the path stays empty. */
void finding_put_library(const struct doctor *d, struct finding *one);
void finding_put_floor(const struct doctor *d, struct finding *one);

/* Names. */
bool finding_is_torch(const char *package);
void finding_put_gpu(struct remark *r, const struct doctor_gpu *gpu);

/* Some row of floors.tsv for the package and version: the least capability, and the cause that a
 * card below it has. 0: none. */
unsigned finding_floor(const char *package, const char *version, enum doctor_cause *cause);

/* "2.0.1" against "2.0": <0, 0, >0. */
int finding_compare_versions(const char *a, const char *b);

#endif
