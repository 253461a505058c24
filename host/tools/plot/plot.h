/* Pictures of result files, by gnuplot. */
#pragma once

#include "../records/records.h"

/* X(name): in the order in which they are drawn. */
#define RH_PICTURE_LIST(X) X(rate) X(time) X(peak) X(best)
enum {
#define RH_X(name) RH_PICTURE_##name,
  RH_PICTURE_LIST(RH_X)
#undef RH_X
      RH_N_PICTURES
};

typedef struct rh_plot_spec {
  uint32_t pictures; /* bits 1 << RH_PICTURE_*; 0: all for which there are results */
  const char *const *
      /* "r.svg", ...; several pictures are written to r-rate.svg and so on */
      files;
  uint32_t n_files;               /* 0: text */
  uint32_t columns, lines, color; /* of text */
} rh_plot_spec;

/* A written file and its picture: "rate", or "rate-max-f32" if there are several of the kind. */
typedef struct rh_plotted_file {
  char picture[96];
  char *path;
  uint32_t is_script; /* 1: a gnuplot script with the data */
} rh_plotted_file;

typedef struct rh_plotted {
  rh_plotted_file *files;
  uint32_t n_files;
  char *text;     /* all pictures as text; null if files were written */
  char said[200]; /* gnuplot's first warning, or "" */
} rh_plotted;

/* Draws `results`, which messages call `name`.  RH_E_FILE: nothing to draw, a target that cannot
 * be written, or gnuplot is missing (then the scripts are written) or fails; RH_E_USAGE: an
 * unknown picture. */
rh_status rh_plot(const rh_records *results, const char *name, const rh_plot_spec *spec,
                  rh_plotted *plotted, rh_error *error);
void rh_plotted_finish(rh_plotted *plotted); /* zero-initialised is fine */

/* Compares two files in one picture: the points that both have, identified by (operator, type,
 * n, name), and by device if a file has several.  Errors as above. */
rh_status rh_plot_change(const rh_records *old, const rh_records *new_, const char *path,
                         rh_error *error);

/* "rate,peak" as bits; null is 0.  RH_E_USAGE for an unknown picture. */
rh_status rh_pictures_parse(const char *list, uint32_t *pictures, rh_error *error);
