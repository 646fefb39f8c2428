/* Compilers that packages bring along and use at run time. */
#ifndef DOCTOR_COMPILERS_H
#define DOCTOR_COMPILERS_H

#include "doctor/doctor.h"

/* Whether the file is NVRTC, ptxas or libNVVM, by its name. */
bool compilers_is_one(const char *path);

/* The toolkit of which a compiler says that it is ("11.8"), by the text in the file `full` of this
 * machine; false: it says nothing. */
bool compilers_version(const char *full, uint64_t deadline_ns, char *toolkit, size_t size);

/* Notes the compiler with the toolkit that its own version text tells. `full` is this machine's path,
 * `path` is below the package's base. */
void compilers_note(struct doctor *d, size_t package, const char *full, const char *path);

/* For those without such a text: the package's version, what it was built for, the file's name. Once
 * all packages are known. */
void compilers_conclude(struct doctor *d);

#endif
