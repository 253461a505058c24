/* What a run over the segments of a layout came to, and what is written and said of it. */
#pragma once

#include "../choose/measure/stats.h"
#include "../engine/reduction/segments_reduction.h"
#include "../engine/segments/columns.h"
#include "../tools/records/draft.h"
#include "shape.h"

/* Zero-initialised is empty. */
typedef struct rh_segments_answer {
  rh_segments segments;
  int checked;
  rh_segments_check check;
  rh_spread time;
  /* Of segments that were reduced in parts; else 0. */
  uint64_t parts;
  uint32_t devices, ranks;
} rh_segments_answer;

/* The files of --output, opened before anything runs, and written whole or not at all. */
typedef struct rh_segments_file {
  rh_draft draft;
  const char *path;
  uint32_t first, n; /* of the columns */
} rh_segments_file;
typedef struct rh_segments_files {
  uint32_t n;
  rh_columns columns; /* of the operator */
  rh_segments_file list[RH_MAX_WORDS];
} rh_segments_files;

/* Before anything runs.  RH_E_FILE for one that cannot be written, or that there is no room for;
 * RH_E_USAGE for two of one name, for a file that is read, and for a name that no result of the
 * operator has. */
rh_status rh_segments_files_open(rh_segments_files *files, const rh_app *app, const rh_operator *op,
                                 const rh_inputs *inputs, const rh_shape *shape, rh_error *error);
void rh_segments_files_close(rh_segments_files *files); /* discards what was not written */

rh_status rh_segments_files_write(rh_segments_files *files, const rh_segments_answer *run,
                                  const rh_shape *shape, rh_error *error);

/* Writes the files, and prints the results, by --quiet, --json or neither.  RH_E_WRONG, and nothing
 * is written, if a segment is wrong. */
rh_status rh_run_segments_print(const rh_app *app, const rh_segments_answer *run,
                                const rh_shape *shape, rh_segments_files *files, rh_error *error);
