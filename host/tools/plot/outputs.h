/* Writes figures to files: draws them in staging directories beside the targets, and moves them
 * when all are complete. */
#pragma once

#include "script.h"

/* An additional format beside RH_DRAW_*. */
enum { RH_DRAW_SCRIPT = 4 };

/* File names that differ only in the suffix: "r.svg" and "r.png" share the script r.gp. */
typedef struct rh_stem {
  char *directory; /* ending in "/"; "./" if the name has none */
  char *name;      /* "r" */
  char *staging;   /* ending in "/"; null: not created */
  uint32_t formats[4], n_formats;
} rh_stem;

typedef struct rh_output {
  char picture[96]; /* "rate-sum-f32" */
  uint32_t stem, format;
  char *name; /* "r-rate.svg", in the directory of its stem, or in its staging directory */
} rh_output;

typedef struct rh_outputs {
  rh_stem *stems;
  uint32_t n_stems;
  rh_output *list; /* for each figure and stem, the script and then the drawings */
  uint32_t n, capacity;
  int signals_held;
  unsigned char old_signals[128]; /* sigset_t */
} rh_outputs;

/* RH_E_USAGE for a name that does not end in .svg, .png or .pdf. */
rh_status rh_outputs_check_name(const char *file, rh_error *error);

/* Checks that each file can be written and creates the staging directories.  Signals that would
 * end the program are blocked until rh_outputs_finish().  RH_E_USAGE for a suffix other than
 * .svg, .png and .pdf, RH_E_FILE for a directory that cannot be written to. */
rh_status rh_outputs_init(rh_outputs *outputs, const char *const *files, uint32_t n,
                          rh_error *error);
/* The same for one temporary text. */
rh_status rh_outputs_init_text(rh_outputs *outputs, rh_error *error);
/* Removes the staging directories; delivered files remain.  Zero-initialised is fine. */
void rh_outputs_finish(rh_outputs *outputs);

/* Writes the figure's script, once for each stem.  `picture` is appended to the names if there
 * are `several`. */
rh_status rh_outputs_add(rh_outputs *outputs, const rh_figure *figure, const char *picture,
                         int several, rh_error *error);

/* Draws everything with one run of the gnuplot at that path, and checks that the files are
 * complete.  If it succeeds, `said` (of `size` bytes) gets its output. */
rh_status rh_outputs_draw(rh_outputs *outputs, const char *gnuplot, char *said, size_t size,
                          rh_error *error);

/* Moves the files to their targets; without `drawings`, the scripts only. */
rh_status rh_outputs_deliver(const rh_outputs *outputs, int drawings, rh_error *error);

/* The target path of an output as a user would write it; malloc'ed, or null. */
char *rh_output_path(const rh_outputs *outputs, const rh_output *output);
/* Appends a drawing that is text. */
rh_status rh_outputs_read(const rh_outputs *outputs, const rh_output *output, rh_text *text,
                          rh_error *error);
