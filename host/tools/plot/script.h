/* The parts of gnuplot's language that the plots need: safely quoted strings, numbers,
 * terminals; and a figure, which is a script under construction. */
#pragma once

#include "../../core/base/text.h"
#include "view.h"

/* Output formats of a figure. */
enum { RH_DRAW_SVG, RH_DRAW_PNG, RH_DRAW_PDF, RH_DRAW_TEXT };

typedef struct rh_figure {
  uint32_t as_text;               /* for a terminal; letters instead of colours */
  uint32_t columns, lines, color; /* of text; a plot may need more lines */
  double width, height;           /* of the other formats, in screen pixels */
  rh_text set;                    /* data and settings */
  rh_text plot;                   /* the plot command so far */
  uint32_t n_plotted;             /* elements of the plot command so far */
} rh_figure;

void rh_figure_init(rh_figure *figure, uint32_t as_text);
void rh_figure_finish(rh_figure *figure);
int rh_figure_failed(const rh_figure *figure); /* out of memory */

/* A quoted string for display: characters that XML forbids become `?', and text beyond `most`
 * characters becomes "...". */
void rh_script_string(rh_text *text, const char *s, size_t most);
/* The same for labels of tics, where gnuplot interprets % as a format. */
void rh_script_tic(rh_text *text, const char *s, size_t most);
/* A quoted string with exactly these bytes, for file names. */
void rh_script_bytes(rh_text *text, const char *s);

/* Adds an element to the plot command, with the comma before it. */
void rh_figure_plot(rh_figure *figure, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Sets title, grid, borders, and `note`, a line of facts at the bottom.  For text, `lines` must
 * be set before. */
void rh_figure_frame(rh_figure *figure, const char *title, const char *note);

/* Places a key of n entries in columns between title and axes, and returns its height in pixels. */
double rh_figure_key_above(rh_figure *figure, uint32_t n);

/* Sets the x axis from n_min to n_max, with tics at powers of two. */
void rh_figure_sizes(rh_figure *figure, uint64_t n_min, uint64_t n_max);

/* "2^20", or "1000000"; enhanced text unless the figure is text. */
void rh_script_size(char *text, size_t size, uint64_t n, int as_text);

/* Composes the script, which writes `names[k]` in formats[k], in the directory that its variable
 * `directory` names. */
void rh_script_compose(rh_text *script, const rh_figure *figure, const char *comment,
                       const char *const *names, const uint32_t *formats, uint32_t n);

/* A curve's style as options of gnuplot's `plot`: colour, dashes, point. */
void rh_script_style(rh_text *text, const rh_curve *curve, int as_text);
/* The letter that identifies it without colours: capitals for strategies. */
char rh_script_letter(const rh_curve *curve);
/* "#0072b2", the colour of a strategy's style. */
const char *rh_script_color(uint32_t style);
/* How many styles before this one have the same colour. */
uint32_t rh_script_round(uint32_t style);
