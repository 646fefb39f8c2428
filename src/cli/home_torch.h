/* The first screen's lines about PyTorch: which one is installed, and does it have kernels? */
#ifndef CLI_HOME_TORCH_H
#define CLI_HOME_TORCH_H

#include <jansson.h>

#include "cli/doctor_view.h"
#include "cli/grid.h"

/* Looks at PyTorch in the active environment, else in the system's; nothing else is read. -1 with
 * err set; doctor_view_free after both. */
int home_torch_open(struct doctor_view *v, const struct cmd_globals *globals, struct err *err);

/* The package, or NULL when there is none. */
const struct doctor_package *home_torch_package(const struct doctor_view *v);

/* Whether it is known that it does not run on some GPU. */
bool home_torch_unfit(const struct doctor_view *v);

/* Up to two lines; none without PyTorch. `label` pads and prints the left column. */
void home_torch_add(struct grid *g, const struct doctor_view *v, size_t gpu,
                    void (*label)(struct grid *g, const char *title_id));

/* {"name", "version", "folder", "path", "archs", "verdict"}, null without PyTorch. */
json_t *home_torch_json(const struct doctor_view *v, size_t gpu);

#endif
