#include "cli/tasks.h"

#include "bench/measure.h"
#include "bench/room.h"
#include "bench/survey.h"
#include "cuda/trial.h"
#include "probe/foreign.h"
#include "probe/load.h"
#include "probe/provoke.h"

const struct worker_task *const cli_tasks[] = { &trial_task,   &load_task,    &foreign_task,
                                                &provoke_task, &measure_task, &survey_task,
                                                &room_task,    NULL };
