/* The files of --input, opened to see what they hold, before it is decided how they are read. */
#pragma once

#include "../core/data/array.h"
#include "../engine/reduction/source.h"
#include "app.h"
#include "run_options.h"

/* Zero-initialised is empty.  It must not be moved once it is open. */
typedef struct rh_inputs {
  char *copy; /* of the list, cut into names */
  uint32_t n;
  const char *names[RH_MOST_OPERANDS];
  rh_feed feeds[RH_MOST_OPERANDS];
  int are_large; /* more than fits in memory, or a pipe that goes on after its first part */
} rh_inputs;

/* One file; or, as_list, several with commas between.  RH_E_USAGE and RH_E_FILE for what
 * rh_array_open() refuses, too, and RH_E_USAGE for operands of several shapes or orders. */
rh_status rh_inputs_open(rh_inputs *inputs, const rh_app *app, int as_list, rh_error *error);

/* Input k as an array in memory: a file is mapped, and a pipe read to its end. */
rh_status rh_inputs_array(rh_inputs *inputs, uint32_t k, rh_array *array, rh_error *error);

/* The operands of *job from the inputs, or if there are none, its n generated elements. */
rh_status rh_inputs_source(rh_inputs *inputs, const rh_job_spec *job, const rh_run_options *options,
                           rh_source *source, rh_error *error);

/* The memory of this machine in bytes; 0 if it is not known. */
uint64_t rh_machine_memory(void);

void rh_inputs_finish(rh_inputs *inputs);
