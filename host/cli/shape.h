/* --axis, --length, --segments, --starts with --stops, and --by: which elements make a segment, and
 * the shape of what they come to. */
#pragma once

#include "../engine/segments/rearrange.h"
#include "inputs.h"
#include "run_options.h"

/* Zero-initialised is empty. */
typedef struct rh_shape {
  rh_layout layout;
  uint64_t *offsets; /* of the layout; or null */
  rh_axes axes;      /* of --axis */
  int is_scattered;  /* 1: the layout is that of a copy of them */
  rh_array labels;   /* of --by: one of each element; or empty */

  uint32_t n_dimensions; /* of the results */
  uint64_t lengths[RH_NPY_MOST_DIMENSIONS];
  int fortran_order; /* the results are in the order of the data */
  char words[200];   /* "along axis 1 of (3, 4)" */
} rh_shape;

/* Enters the layout into *spec, which has the operator and n.  If the data are generated, `inputs`
 * are empty. */
rh_status rh_shape_open(rh_shape *shape, const rh_app *app, const rh_inputs *inputs,
                        rh_job_spec *spec, rh_error *error);
void rh_shape_finish(rh_shape *shape);
