/* The share of the peak read bandwidth at the largest n, a bar for each strategy and
 * type. */
#include "../../core/base/vocabulary.h"
#include "pictures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More rows would not fit on a page. */
enum { MOST_ROWS = 60 };

/* A strategy or peer, with its bars. */
typedef struct line {
  const rh_curve *curve;
  double best;
} line;

static double percent(const rh_panel *panel, const rh_row *row, double seconds) {
  return 100 * (double)row->n * rh_type_size(row->type) / seconds / panel->read_peak;
}

static const rh_row *row_at_end(const rh_panel *panel, const rh_curve *curve) {
  return rh_curve_at(curve, panel->cells[panel->n_cells - 1].n);
}

static int by_best(const void *a, const void *b) {
  const line *x = a, *y = b;
  if (x->best != y->best) return x->best > y->best ? -1 : 1;
  return strcmp(x->curve->name, y->curve->name);
}

/* Lists each name once, sorted by its best bar. */
static uint32_t find_lines(line *lines, const rh_panel *panels, uint32_t n) {
  uint32_t n_lines = 0;
  for (uint32_t p = 0; p < n; p++)
    for (uint32_t c = 0; c < panels[p].n_curves; c++) {
      const rh_curve *curve = &panels[p].curves[c];
      const rh_row *row = row_at_end(&panels[p], curve);
      uint32_t k = 0;
      if (!row || panels[p].read_peak == 0) continue;
      while (k < n_lines &&
             (lines[k].curve->style != curve->style || lines[k].curve->is_peer != curve->is_peer))
        k++;
      if (k == n_lines) lines[n_lines++] = (line){curve, 0};
      lines[k].best = fmax(lines[k].best, percent(&panels[p], row, row->time.median));
    }
  qsort(lines, n_lines, sizeof *lines, by_best);
  return n_lines;
}

/* "$t1", "$p1": bars of strategies and of peers of panel 1: % of the peak, row, half a height, its
 * interval. */
static uint32_t add_bars(rh_figure *figure, const rh_panel *panel, uint32_t p, uint32_t n,
                         const line *lines, uint32_t n_lines, int peers) {
  uint32_t n_bars = 0;
  rh_text_add(&figure->set, "$%c%u << EOD\n", peers ? 'p' : 't', p);
  for (uint32_t k = 0; k < n_lines; k++) {
    const rh_row *row = NULL;
    if (lines[k].curve->is_peer != (uint32_t)peers) continue;
    for (uint32_t c = 0; c < panel->n_curves && !row; c++)
      if (panel->curves[c].style == lines[k].curve->style &&
          panel->curves[c].is_peer == (uint32_t)peers)
        row = row_at_end(panel, &panel->curves[c]);
    if (!row) continue;
    double at = figure->as_text ? k * n + p : k + ((double)p - 0.5 * (n - 1)) * 0.8 / n;
    rh_text_add(&figure->set, "%.6g %.6g %.4g %.6g %.6g\n", percent(panel, row, row->time.median),
                at, 0.36 / n, percent(panel, row, row->time.ci_high),
                percent(panel, row, row->time.ci_low));
    n_bars++;
  }
  rh_text_add(&figure->set, "EOD\n");
  return n_bars;
}

static void plot_bars(rh_figure *figure, const char *data, const char *color, const char *fill,
                      const char *title) {
  if (figure->as_text) {
    rh_figure_plot(figure, "%s using (0):2:1:(0) with vectors nohead linecolor rgb \"%s\" %s", data,
                   color, title);
    return;
  }
  rh_figure_plot(figure, "%s using ($1/2):2:($1/2):3 with boxxyerror linecolor rgb \"%s\" %s %s",
                 data, color, fill, title);
  rh_figure_plot(figure,
                 "%s using 1:2:4:5 with xerrorbars linecolor rgb \"#222222\" linewidth 1 pointtype "
                 "-1 notitle",
                 data);
  /* In a separate column, where no bar or line crosses them. */
  rh_figure_plot(
      figure,
      "%s using (right):2:(sprintf(\"%%.3g %%%%\", $1)) with labels left offset 0.4,0 font "
      "\",9\" textcolor rgb \"#333333\" notitle",
      data);
}

static void plot_panel(rh_figure *figure, const rh_panel *panel, uint32_t p, uint32_t n,
                       const line *lines, uint32_t n_lines) {
  char size[32], title[128], data[16];
  uint32_t bars = add_bars(figure, panel, p, n, lines, n_lines, 0);
  uint32_t of_peers = add_bars(figure, panel, p, n, lines, n_lines, 1);
  rh_script_size(size, sizeof size, panel->cells[panel->n_cells - 1].n, (int)figure->as_text);
  if (n > 1)
    snprintf(title, sizeof title, "title \"%s, n = %s\"", rh_type_name(panel->type), size);
  else
    snprintf(title, sizeof title, "notitle");
  snprintf(data, sizeof data, "$t%u", p);
  if (bars) plot_bars(figure, data, rh_script_color(p), "fillstyle solid 1 noborder", title);
  snprintf(data, sizeof data, "$p%u", p);
  /* If only peers have this type, their bar is in the key. */
  if (of_peers)
    plot_bars(figure, data, rh_script_color(p), "fillstyle solid 0.35 noborder",
              bars ? "notitle" : title);
}

static void frame(rh_figure *figure, const rh_view *view, const rh_panel *panels, uint32_t n) {
  rh_text title = {0}, note = {0};
  char size[32];
  rh_script_size(size, sizeof size, panels->cells[panels->n_cells - 1].n, 1);
  rh_text_add(&title, "Share of the read peak: %s", panels->op);
  if (n == 1) rh_text_add(&title, " %s, n = %s,", rh_type_name(panels->type), size);
  rh_text_add(&title, " on %s", rh_picture_device(view, panels->device));
  rh_picture_note(&note, view, panels->device);
  rh_figure_frame(figure, rh_text_get(&title), rh_text_get(&note));
  rh_text_finish(&title);
  rh_text_finish(&note);
}

/* Names are the tics of y, the first on top.  In text each bar has a line, and the name is at its
 * first bar. */
static void set_rows(rh_figure *figure, const line *lines, uint32_t n_lines, uint32_t n) {
  if (figure->as_text)
    rh_text_add(&figure->set, "set yrange [%u:-1]\n", n_lines * n);
  else
    rh_text_add(&figure->set, "set yrange [%g:-0.6]\n", n_lines - 0.4);
  rh_text_add(&figure->set, "set ytics noenhanced scale 0 (");
  for (uint32_t k = 0; k < n_lines; k++) {
    char name[80];
    snprintf(name, sizeof name, "%s%s", lines[k].curve->name, lines[k].curve->is_peer ? " *" : "");
    rh_text_add(&figure->set, "%s", k ? ", " : "");
    rh_script_tic(&figure->set, name, 30);
    rh_text_add(&figure->set, " %u", figure->as_text ? k * n : k);
  }
  rh_text_add(&figure->set, ")\n");
}

void rh_draw_peak(rh_figure *figure, const rh_view *view, const rh_panel *panels, uint32_t n) {
  line *lines = calloc(view->n_curves + 1u, sizeof *lines);
  int has_peers = 0;
  if (!lines) {
    figure->set.failed = 1;
    return;
  }
  uint32_t all = find_lines(lines, panels, n), shown = all < MOST_ROWS ? all : MOST_ROWS;
  for (uint32_t k = 0; k < shown; k++) has_peers |= (int)lines[k].curve->is_peer;
  figure->height = 145 + shown * fmax(20, 11.0 * n + 5);
  figure->lines = 7 + shown * n;
  frame(figure, view, panels, n);
  if (n > 1)
    figure->height += rh_figure_key_above(figure, n);
  else
    rh_text_add(&figure->set, "set key off\n");
  set_rows(figure, lines, shown, n);
  double right = fmax(shown ? lines[0].best * 1.04 : 0, 104);
  rh_text_add(&figure->set, "right = %.6g\nset xrange [0:right]\nunset grid\nset grid x\n", right);
  if (!figure->as_text) rh_text_add(&figure->set, "set rmargin 8\n");
  if (!figure->as_text) {
    rh_text_add(&figure->set, "set xlabel \"%% of the read peak%s%s\"\n",
                has_peers ? "; * a peer, for comparison" : "",
                shown < all ? "; the rest is left out" : "");
    rh_text_add(&figure->set, "set arrow 1 from 100, graph 0 to 100, graph 1 nohead dashtype 2 "
                              "linecolor rgb \"#444444\"\n");
  }
  for (uint32_t p = 0; p < n; p++) plot_panel(figure, &panels[p], p, n, lines, shown);
  free(lines);
}
