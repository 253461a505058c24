/* The data that a command reduces and by what: the options of --run, its files, its operator, and
 * how it is cut into segments. */
#pragma once

#include "../engine/reduction/reduction.h"
#include "app.h"

/* ---- The options of --run ---- */

/* Does the run share its work with other processes? */
int rh_wants_ranks(const rh_typed *typed);

/* Is the data cut into segments? */
int rh_shape_is_asked(const rh_typed *typed);

/* ---- The files of --input ---- */

/* Opened to see what they hold, before it is decided how they are read.  Zero-initialised is empty.
 * It must not be moved once it is open. */
typedef struct rh_inputs {
  char *copy; /* of the list, cut into names */
  uint32_t n;
  const char *names[RH_MOST_OPERANDS];
  rh_feed feeds[RH_MOST_OPERANDS];
  rh_array arrays[RH_MOST_OPERANDS]; /* of several; their regions have become parts of one */
  int are_large; /* more than fits in memory, or a pipe that goes on after its first part */
} rh_inputs;

/* One file; or, as_list, several with commas between.  RH_E_USAGE and RH_E_FILE for what
 * rh_array_open() refuses, too, and RH_E_USAGE for operands of several shapes or orders. */
rh_status rh_inputs_open(rh_inputs *inputs, const rh_app *app, int as_list, rh_error *error);

/* RH_E_USAGE for operands, or an array and labels of its elements, of different shapes or orders,
 * for they are paired as they are stored.  Raw data have no shape: only their number counts, which
 * is compared where it is known for all.  Labels may have one dimension. */
rh_status rh_check_paired(const rh_feed *one, const rh_feed *other, int are_labels,
                          rh_error *error);

/* Brings them into memory: a file is mapped, and a pipe read to its end.  *array gets that of all;
 * n and where the operands are, the spec. */
rh_status rh_inputs_bring(rh_inputs *inputs, rh_array *array, rh_job_spec *spec, rh_error *error);

/* The operands of *job from the inputs, or if there are none, its n generated elements. */
rh_status rh_inputs_source(rh_inputs *inputs, const rh_job_spec *job, const rh_typed *typed,
                           rh_source *source, rh_error *error);

/* Do both names lead to one file?  null and "-" lead to none. */
int rh_is_same_file(const char *a, const char *b);

/* The memory of this machine in bytes; 0 if it is not known. */
uint64_t rh_machine_memory(void);

void rh_inputs_finish(rh_inputs *inputs);

/* ---- The operator of --map, --reduce, --finalize, --let and lists of --op and --input ---- */

/* Does the command line name one? */
int rh_user_operator_is_wanted(const rh_typed *typed);

/* Asks where a list of operators means one after the other, not one pass. */
int rh_user_operator_is_one(const rh_typed *typed);

/* Makes it, to be destroyed by the caller, for the types of the inputs; inputs null: for operands
 * of one type, as many as the map names.  options: where files are searched for. */
rh_status rh_user_operator_define(const rh_typed *typed, const rh_options *options,
                                  const rh_inputs *inputs, rh_type type, rh_custom **made,
                                  rh_error *error);

/* RH_E_PLUGIN if a law of it is broken, unless the user accepts that. */
rh_status rh_user_operator_trust(const rh_app *app, const rh_custom *self, rh_error *error);

/* ---- --axis, --length, --segments, --starts with --stops, and --by ---- */

/* Which elements make a segment, and the shape of what they come to.  Zero-initialised is empty. */
typedef struct rh_shape {
  rh_layout layout;
  uint64_t *offsets, *stops; /* of the layout; or null */
  rh_axes axes;              /* of --axis */
  int is_scattered;          /* 1: the layout is that of a copy of them */
  rh_array labels;           /* of --by: one of each element; or empty */

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

/* ---- Notes on standard error: what may surprise in an answer ---- */

/* An answer that is not a number: which elements are none, and how to leave them out.  Without
 * --quiet and --json.  Files of up to 1 GiB are read once more. */
void rh_note_nan(const rh_app *app, const rh_result *result);

/* An index into a file in Fortran order, integers that wrap. */
void rh_note_operator(const rh_app *app, const rh_inputs *inputs, const rh_job_spec *spec);
