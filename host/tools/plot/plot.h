/* Pictures and the report, by an installed script. */
#pragma once

#include "../records/records.h"

/* Pictures and a page of results.  share/redhost/plot/ draws them, in Python; this starts it. */
typedef struct rh_plot_spec {
  const char *pictures;     /* "rate,peak"; null: all for which there are results */
  const char *const *files; /* "r.svg"; several pictures are written to r-rate.svg and so on */
  uint32_t n_files;         /* 0: text */
  uint32_t columns, lines, color; /* of text */
} rh_plot_spec;

/* A written file and what it shows: "rate", "rate-max-f32" if there are several of the kind,
 * "report". */
typedef struct rh_plotted_file {
  char picture[96];
  char *path;
  uint64_t bytes;
} rh_plotted_file;

typedef struct rh_plotted {
  rh_plotted_file *files; /* those of a picture follow each other */
  uint32_t n_files;
  char *text; /* all pictures as text; null if files were written */
} rh_plotted;

/* Draws a document of --bench or --compare, which messages call `name`.  RH_E_FILE: nothing to
 * draw, a target that cannot be written, or Python or matplotlib is missing or fails; then no file
 * has changed. */
rh_status rh_plot(const char *document, size_t bytes, const char *name, const rh_plot_spec *spec,
                  rh_plotted *plotted, rh_error *error);
/* Draws results. */
rh_status rh_plot_results(const rh_records *results, const char *name, const rh_plot_spec *spec,
                          rh_plotted *plotted, rh_error *error);
void rh_plotted_finish(rh_plotted *plotted); /* zero-initialised is fine */

/* Does the name end in .svg, .png or .pdf; or in .html? */
int rh_plot_is_picture(const char *file);
int rh_plot_is_page(const char *file);
