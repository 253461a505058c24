/* From figures to files: drawn in directories of their own beside where they go, and moved when all
 * are whole. */
#ifndef RH_PLOT_OUTPUTS_H
#define RH_PLOT_OUTPUTS_H

#include "script.h"

/* Besides RH_DRAW_*. */
enum { RH_DRAW_SCRIPT = 4 };

/* Names that differ in the suffix only: "r.svg" and "r.png" share the script r.gp. */
typedef struct rh_stem {
  char *directory; /* ending in "/"; "./" where the name has none */
  char *name;      /* "r" */
  char *workshop;  /* ending in "/"; null: not made */
  uint32_t formats[4], n_formats;
} rh_stem;

typedef struct rh_output {
  char picture[96]; /* "rate-sum-f32" */
  uint32_t stem, format;
  char *name; /* "r-rate.svg", in the directory of its stem, or in its workshop */
} rh_output;

typedef struct rh_outputs {
  rh_stem *stems;
  uint32_t n_stems;
  rh_output *list; /* of each figure and stem the script, then the drawings */
  uint32_t n, capacity;
  int signals_held;
  unsigned char old_signals[128]; /* sigset_t */
} rh_outputs;

/* Checks that each file can be written and makes the workshops; from here on until
 * rh_outputs_finish() signals that would end the program wait.  RH_E_USAGE for a suffix that is
 * none of .svg .png .pdf, RH_E_FILE for a directory that cannot be written to. */
rh_status rh_outputs_init(rh_outputs *outputs, const char *const *files, uint32_t n,
                          rh_error *error);
/* The same for one text that no one keeps. */
rh_status rh_outputs_init_text(rh_outputs *outputs, rh_error *error);
/* Removes what is left of the workshops; files that were delivered stay.  Zero-initialised is
 * fine. */
void rh_outputs_finish(rh_outputs *outputs);

/* Writes the figure's script, once for each stem.  `picture` is added to the names where there are
 * `several`. */
rh_status rh_outputs_add(rh_outputs *outputs, const rh_figure *figure, const char *picture,
                         int several, rh_error *error);

/* All of it in one gnuplot, which is the program at that path.  Whatever it draws is seen to be
 * whole.  `said` (of `size` bytes) is what it said though it succeeded. */
rh_status rh_outputs_draw(rh_outputs *outputs, const char *gnuplot, char *said, size_t size,
                          rh_error *error);

/* Moves the files to where they go; without `drawings` the scripts only. */
rh_status rh_outputs_deliver(const rh_outputs *outputs, int drawings, rh_error *error);

/* The path of an output where it goes, as a person would write it; malloc'ed, or null. */
char *rh_output_path(const rh_outputs *outputs, const rh_output *output);
/* Appends what was drawn as text. */
rh_status rh_outputs_read(const rh_outputs *outputs, const rh_output *output, rh_text *text,
                          rh_error *error);

#endif
