/* --virtual: the virtual GPU in place of the machine's driver. */
#ifndef CLI_VIRTUAL_H
#define CLI_VIRTUAL_H

#include <stddef.h>

#include "core/err.h"

/* Reads "CARD[,CARD...][,driver=V][,os=windows]", puts what the virtual driver reads into the
 * environment of this process and its workers, and writes the path of the virtual library, which
 * lies beside the program (vgpu/libcuda.so.1). Without driver= the newest branch that knows all the
 * cards is taken. ERR_USAGE: an arch instead of a card, a card without figures, or cards that no
 * driver has in common. ERR_MISSING: this build has no virtual GPU. */
int virtual_use(const char *words, char *library, size_t size, struct err *err);

#endif
