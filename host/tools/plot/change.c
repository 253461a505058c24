/* The plot of two files: each point's change of time in %, with its interval. */
#include "../records/change.h"
#include "../../core/base/error.h"
#include "../../core/base/vocabulary.h"
#include "pictures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More rows would not fit on a page: those that changed most are drawn. */
enum { MOST_ROWS = 48 };
enum { SAME, FASTER, SLOWER };

/* The change and its interval, in %. */
typedef struct bar {
  const rh_changed *pair;
  double change, low, high;
  uint32_t kind;
} bar;

/* One of `points` pairs.  The kind is --compare's verdict at its usual threshold; the interval is
 * also --compare's, or follows from those of the two medians. */
static bar measure(const rh_changed *pair, uint32_t points) {
  const rh_change_rule rule = {.threshold = 0.01, .points = points};
  const rh_spread *old = &pair->old->time, *new_ = &pair->new_->time;
  bar b = {pair, 100 * (new_->median / old->median - 1), 100 * (new_->ci_low / old->ci_high - 1),
           100 * (new_->ci_high / old->ci_low - 1), SAME};
  rh_change change = rh_change_judge(pair->old, pair->new_, &rule);
  if (change.by_processes) {
    b.low = fmin(b.change, 100 * change.low);
    b.high = fmax(b.change, 100 * change.high);
  }
  if (change.verdict == RH_CHANGE_slow) b.kind = SLOWER;
  if (change.verdict == RH_CHANGE_fast) b.kind = FASTER;
  return b;
}

static int by_size(const void *a, const void *b) {
  const bar *x = a, *y = b;
  double by = fabs(y->change) - fabs(x->change);
  return by < 0 ? -1 : by > 0 ? 1 : rh_row_order(x->pair->new_, y->pair->new_, 0);
}

static int by_change(const void *a, const void *b) {
  const bar *x = a, *y = b;
  if (x->change != y->change) return x->change > y->change ? -1 : 1;
  return rh_row_order(x->pair->new_, y->pair->new_, 0);
}

static void set_rows(rh_figure *figure, const bar *bars, uint32_t n, int several_devices) {
  rh_text_add(&figure->set, "set yrange [%g:-0.8]\nset ytics noenhanced scale 0 (", n - 0.2);
  for (uint32_t k = 0; k < n; k++) {
    const rh_row *row = bars[k].pair->new_;
    char label[160], size[32];
    rh_script_size(size, sizeof size, row->n, 1);
    snprintf(label, sizeof label, "%s%s%.40s  %s %s  %s", several_devices ? row->device : "",
             several_devices ? "  " : "", row->strategy, rh_row_op_name(row),
             rh_type_name(row->type), size);
    rh_text_add(&figure->set, "%s", k ? ", " : "");
    rh_script_tic(&figure->set, label, 60);
    rh_text_add(&figure->set, " %u", k);
  }
  rh_text_add(&figure->set, ")\n");
}

static void plot_kind(rh_figure *figure, const bar *bars, uint32_t n, uint32_t kind) {
  static const char *const looks[] = {
      "linecolor rgb \"#999999\" pointtype 6 title \"no clear change\"",
      "linecolor rgb \"#0072b2\" pointtype 11 title \"faster\"",
      "linecolor rgb \"#d55e00\" pointtype 9 title \"slower\""};
  uint32_t found = 0;
  for (uint32_t k = 0; k < n; k++) {
    if (bars[k].kind != kind) continue;
    if (!found++) rh_text_add(&figure->set, "$k%u << EOD\n", kind);
    rh_text_add(&figure->set, "%.6g %u %.6g %.6g\n", bars[k].change, k, bars[k].low, bars[k].high);
  }
  if (!found) return;
  rh_text_add(&figure->set, "EOD\n");
  rh_figure_plot(figure, "$k%u using 1:2:3:4 with xerrorbars linewidth 1.8 pointsize 0.7 %s", kind,
                 looks[kind]);
}

/* The range ignores extreme changes, which would squeeze the others together. */
static void set_range(rh_figure *figure, const bar *bars, uint32_t n) {
  double low = -1.5, high = 1.5;
  for (uint32_t k = 0; k < n; k++) {
    low = fmin(low, bars[k].low);
    high = fmax(high, bars[k].high);
  }
  double margin = 0.04 * (high - low);
  rh_text_add(&figure->set, "set xrange [%.6g:%.6g]\n", low - margin, high + margin);
}

static void frame(rh_figure *figure, const rh_view *old, const rh_view *new_, uint32_t shown,
                  uint32_t n) {
  rh_text title = {0}, note = {0};
  const char *device = new_->panels[0].device;
  rh_text_add(&title, "Change of time on %s",
              new_->n_devices == 1 ? rh_picture_device(new_, device) : "several devices");
  if (shown < n) rh_text_add(&title, ": the %u that changed most of %u", shown, n);
  rh_text_add(&note, "old: ");
  rh_text before = {0}, after = {0};
  rh_picture_origin(&before, old, old->n_devices == 1 ? old->panels[0].device : NULL);
  rh_picture_origin(&after, new_, new_->n_devices == 1 ? device : NULL);
  rh_text_add(&note, "%s; new: %s", rh_text_get(&before), rh_text_get(&after));
  rh_figure_frame(figure, rh_text_get(&title), rh_text_get(&note));
  rh_text_finish(&before);
  rh_text_finish(&after);
  rh_text_finish(&title);
  rh_text_finish(&note);
}

void rh_draw_change(rh_figure *figure, const rh_view *old, const rh_view *new_,
                    const rh_changed *pairs, uint32_t n) {
  bar *bars = calloc(n + 1u, sizeof *bars);
  if (!bars) {
    figure->set.failed = 1;
    return;
  }
  for (uint32_t k = 0; k < n; k++) bars[k] = measure(&pairs[k], n);
  qsort(bars, n, sizeof *bars, by_size);
  uint32_t shown = n < MOST_ROWS ? n : MOST_ROWS;
  qsort(bars, shown, sizeof *bars, by_change);
  frame(figure, old, new_, shown, n);
  set_rows(figure, bars, shown, new_->n_devices > 1);
  set_range(figure, bars, shown);
  rh_text_add(
      &figure->set,
      "set xlabel \"change of the median time, %%; less is faster\"\nset format x \"%%+g\"\n"
      "set arrow 1 from 0, graph 0 to 0, graph 1 nohead linecolor rgb \"#444444\"\n"
      "set grid x\n");
  static const uint32_t kinds[] = {SLOWER, FASTER, SAME};
  for (int k = 0; k < 3; k++) plot_kind(figure, bars, shown, kinds[k]);
  figure->height = 140 + 17.0 * shown + rh_figure_key_above(figure, 5); /* long titles: two rows */
  free(bars);
}
