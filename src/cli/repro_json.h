/* `smfit repro --json`. */
#ifndef CLI_REPRO_JSON_H
#define CLI_REPRO_JSON_H

#include <jansson.h>

#include "cli/machine.h"
#include "probe/repro.h"

/* "cases": every case of the table with its expected codes. */
void repro_json_list(json_t *doc);

/* "device", "driver" and why there is none. */
void repro_json_machine(json_t *doc, const struct machine *m);

json_t *repro_json_result(const struct repro_result *result);

#endif
