/* Rate and time against the number of elements: one curve for each strategy and peer of a panel. */
#include "../../core/base/vocabulary.h"
#include "pictures.h"

#include <math.h>
#include <stdio.h>

enum { RATE = 2, TIME = 3 }; /* columns of the data */

static const char *const end_of_data = "EOD\n";

static void add_points(rh_text *set, const rh_curve *curve) {
  for (uint32_t k = 0; k < curve->n_rows; k++)
    rh_text_add(set, "%llu %.6g %.6g\n", (unsigned long long)curve->rows[k]->n,
                1e-9 * rh_row_rate(curve->rows[k]), curve->rows[k]->time.median);
}

/* Data blocks: "$c3" has curve 3, "$others" all curves that are not in the key. */
static uint32_t add_data(rh_figure *figure, const rh_panel *panel) {
  uint32_t n_others = 0;
  for (uint32_t k = 0; k < panel->n_curves; k++) {
    if (!panel->curves[k].in_key) continue;
    rh_text_add(&figure->set, "$c%u << %s", k, end_of_data);
    add_points(&figure->set, &panel->curves[k]);
    rh_text_add(&figure->set, "%s", end_of_data);
  }
  for (uint32_t k = 0; k < panel->n_curves; k++) {
    if (panel->curves[k].in_key) continue;
    rh_text_add(&figure->set, "%s%s", n_others ? "\n" : "$others << ", n_others ? "" : end_of_data);
    n_others++;
    add_points(&figure->set, &panel->curves[k]);
  }
  if (n_others) rh_text_add(&figure->set, "%s", end_of_data);
  return n_others;
}

static void plot_curves(rh_figure *figure, const rh_panel *panel, int column, uint32_t n_others) {
  /* In text, letters identify the curves, and further lines would hide them. */
  if (n_others && !figure->as_text)
    rh_figure_plot(figure,
                   "$others using 1:%d with lines linecolor rgb \"#cccccc\" linewidth 1 notitle",
                   column);
  for (uint32_t k = 0; k < panel->n_curves; k++) {
    rh_text style = {0}, title = {0};
    if (!panel->curves[k].in_key) continue;
    rh_script_style(&style, &panel->curves[k], (int)figure->as_text);
    rh_script_string(&title, panel->curves[k].name, 28);
    rh_figure_plot(figure, "$c%u using 1:%d with linespoints %s pointsize 0.6 title %s noenhanced",
                   k, column, rh_text_get(&style), rh_text_get(&title));
    if (style.failed || title.failed) figure->plot.failed = 1;
    rh_text_finish(&style);
    rh_text_finish(&title);
  }
  if (n_others && figure->as_text)
    rh_figure_plot(figure, "keyentry with points pointtype \" \" title \"%u more, not drawn\"",
                   n_others);
  else if (n_others)
    rh_figure_plot(figure,
                   "keyentry with lines linecolor rgb \"#cccccc\" linewidth 1 title \"%u %s\"",
                   n_others, n_others == 1 ? "other" : "others");
}

static void frame(rh_figure *figure, const rh_view *view, const rh_panel *panel) {
  rh_text title = {0}, note = {0};
  uint32_t n_in_key = 2;
  for (uint32_t k = 0; k < panel->n_curves; k++) n_in_key += panel->curves[k].in_key;
  if (n_in_key > 11) figure->height += 22.0 * (n_in_key - 11); /* one column of names */
  rh_text_add(&title, "%s %s on %s", panel->op, rh_type_name(panel->type),
              rh_picture_device(view, panel->device));
  rh_picture_note(&note, view, panel->device);
  rh_figure_frame(figure, rh_text_get(&title), rh_text_get(&note));
  rh_text_finish(&title);
  rh_text_finish(&note);
  rh_text_add(&figure->set, "set key outside right top vertical Left reverse samplen %s\n",
              figure->as_text ? "2" : "2.5 spacing 1.25 width 1 textcolor rgb \"#333333\"");
  rh_figure_sizes(figure, panel->cells[0].n, panel->cells[panel->n_cells - 1].n);
  if (!figure->as_text) rh_text_add(&figure->set, "set xlabel \"elements\"\n");
}

static double best_rate(const rh_panel *panel) {
  double best = 0;
  for (uint32_t k = 0; k < panel->n_cells; k++)
    for (uint32_t j = 0; j < panel->cells[k].n_rows; j++)
      best = fmax(best, rh_row_rate(&panel->cells[k].rows[j]));
  return best;
}

/* A step of 1, 2 or 5 times a power of ten, about a fifth of the whole. */
static double step_of(double whole) {
  double unit = pow(10, floor(log10(whole / 5))), steps = whole / 5 / unit;
  return unit * (steps < 1.5 ? 1 : steps < 3.5 ? 2 : steps < 7.5 ? 5 : 10);
}

/* The peak is drawn if it does not flatten the curves; the label names it in any case. */
static void draw_peak(rh_figure *figure, double limit, double peak, double top) {
  int fits = limit <= top;
  rh_text_add(&figure->set, "set label 3 \"read peak, %.4g GB/s%s\" at graph 0.015, %s %.6g left",
              1e-9 * peak, fits ? "" : ", is above", fits ? "first" : "graph",
              fits ? 1e-9 * limit : 0.97);
  if (figure->as_text) {
    rh_text_add(&figure->set, " offset 0, %d\n", fits ? -1 : 0);
  } else {
    rh_text_add(&figure->set,
                " offset 0, 0.6 font \",10\" textcolor rgb \"#444444\"\n"
                "set border 11\nset link y2 via y*%.8g inverse y/%.8g\nset y2tics 0, %.6g\n"
                "set y2label \"%% of the read peak\"\n",
                1e11 / limit, 1e11 / limit, step_of(100 * top / limit));
  }
  if (fits)
    rh_figure_plot(figure,
                   "%.6g with lines linecolor rgb \"#444444\" linewidth 1.2 dashtype 2 notitle",
                   1e-9 * limit);
}

void rh_draw_rate(rh_figure *figure, const rh_view *view, const rh_panel *panel, uint32_t n) {
  double limit = panel->read_peak / rh_type_size(panel->type), best = best_rate(panel);
  double top = limit > best && limit < 20 * best ? limit : best;
  (void)n;
  uint32_t n_others = add_data(figure, panel);
  frame(figure, view, panel);
  rh_text_add(&figure->set, "set yrange [0:%.6g]\nset ylabel \"G elements/s\"\n", 1.08e-9 * top);
  if (limit > 0) draw_peak(figure, limit, panel->read_peak, top);
  plot_curves(figure, panel, RATE, n_others);
}

/* Tics at decades, with steps between them if there are few. */
static void set_time_tics(rh_figure *figure, double low, double high) {
  static const char *const units[] = {"ps", "ns", "us", "ms", "s"};
  int dense = high / low < 300, first = 1;
  rh_text_add(&figure->set, "set logscale y\nset yrange [%.6g:%.6g]\nset ytics (", low, high);
  for (int decade = -12; decade <= 9; decade++)
    for (int step = 1; step <= 5; step += step == 1 ? 1 : 3) {
      double seconds = step * pow(10, decade);
      if (seconds < low || seconds > high || (step > 1 && !dense)) continue;
      int unit = decade < 0 ? (decade + 12) / 3 : 4;
      double count = seconds / pow(10, 3 * unit - 12);
      const char *name = unit == 2 && !figure->as_text ? "\u00b5s" : units[unit];
      rh_text_add(&figure->set, "%s\"%.0f %s\" %.6g", first ? "" : ", ", count, name, seconds);
      first = 0;
    }
  rh_text_add(&figure->set, ")\nset ylabel \"time of one reduction\"\n");
}

void rh_draw_time(rh_figure *figure, const rh_view *view, const rh_panel *panel, uint32_t n) {
  double low = HUGE_VAL, high = 0;
  (void)n;
  for (uint32_t k = 0; k < panel->n_cells; k++)
    for (uint32_t j = 0; j < panel->cells[k].n_rows; j++) {
      low = fmin(low, panel->cells[k].rows[j].time.median);
      high = fmax(high, panel->cells[k].rows[j].time.median);
    }
  uint32_t n_others = add_data(figure, panel);
  frame(figure, view, panel);
  if (panel->read_peak > 0) {
    double slope = rh_type_size(panel->type) / panel->read_peak;
    low = fmin(low, panel->launch + slope * (double)panel->cells[0].n);
    rh_text_add(&figure->set, "least(n) = %.6g + n * %.6g\n", panel->launch, slope);
    rh_figure_plot(figure, "least(x) with lines linecolor rgb \"#aaaaaa\" linewidth 4 title \"%s\"",
                   panel->launch > 0 ? "launch + n size / peak" : "n size / peak");
  }
  set_time_tics(figure, fmax(low / 1.6, 1e-15), high * 1.6);
  plot_curves(figure, panel, TIME, n_others);
}
