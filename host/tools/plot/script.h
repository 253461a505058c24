/* gnuplot's language, as far as the pictures need it: strings that mean nothing but themselves,
 * numbers, terminals; and a figure, which is a script in the making. */
#ifndef RH_PLOT_SCRIPT_H
#define RH_PLOT_SCRIPT_H

#include "../../core/base/text.h"
#include "view.h"

/* Where a figure is drawn. */
enum { RH_DRAW_SVG, RH_DRAW_PNG, RH_DRAW_PDF, RH_DRAW_TEXT };

typedef struct rh_figure {
  uint32_t as_text; /* for a terminal of so many columns; letters instead of colours */
  uint32_t columns, lines, color; /* of text; a picture may want more lines */
  double width, height;           /* of the other formats, in pixels of a screen */
  rh_text set;                    /* data and settings */
  rh_text plot;                   /* the plot command, without its end */
  uint32_t n_plotted;             /* what it plots so far */
} rh_figure;

void rh_figure_init(rh_figure *figure, uint32_t as_text);
void rh_figure_finish(rh_figure *figure);
int rh_figure_failed(const rh_figure *figure); /* memory ran out */

/* A quoted string for people: what no XML may hold becomes `?', and what is behind `most`
 * characters "...". */
void rh_script_string(rh_text *text, const char *s, size_t most);
/* The same where gnuplot would take % for a number to come: labels of tics. */
void rh_script_tic(rh_text *text, const char *s, size_t most);
/* A quoted string of these very bytes: names of files. */
void rh_script_bytes(rh_text *text, const char *s);

/* One more thing to plot, with the comma before it. */
void rh_figure_plot(rh_figure *figure, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Title, grid, borders, and at the bottom `note`, a line of facts.  Of a text, `lines` is known
 * before. */
void rh_figure_frame(rh_figure *figure, const char *title, const char *note);

/* A key of n entries between title and axes, in columns.  How many pixels it takes. */
double rh_figure_key_above(rh_figure *figure, uint32_t n);

/* x from n_min to n_max, with tics at powers of two. */
void rh_figure_sizes(rh_figure *figure, uint64_t n_min, uint64_t n_max);

/* "2^20", or "1000000"; enhanced text unless the figure is text. */
void rh_script_size(char *text, size_t size, uint64_t n, int as_text);

/* The figure as a script that writes `names[k]` in formats[k], in the directory that its variable
 * `directory` names. */
void rh_script_compose(rh_text *script, const rh_figure *figure, const char *comment,
                       const char *const *names, const uint32_t *formats, uint32_t n);

/* What a curve looks like, as options of gnuplot's `plot`: colour, dashes, point. */
void rh_script_style(rh_text *text, const rh_curve *curve, int as_text);
/* Its letter where colours are not to be had, or not alone: capitals for strategies. */
char rh_script_letter(const rh_curve *curve);
/* "#0072b2": of a strategy's style. */
const char *rh_script_color(uint32_t style);
/* How many styles before this one have the same colour. */
uint32_t rh_script_round(uint32_t style);

#endif
