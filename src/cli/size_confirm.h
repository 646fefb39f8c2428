/* smfit size --measure: the answer from measurements, confirmed. */
#ifndef CLI_SIZE_CONFIRM_H
#define CLI_SIZE_CONFIRM_H

#include "cli/size_measure.h"
#include "cli/size_view.h"

/* `view` is set up as for size_view_make, `measure` open. What cannot be measured is left to the model; -1 only when no
 * worker could be started or the device does not open. */
int size_confirm(struct size_view *view, struct size_measure *measure, struct err *err);

#endif
