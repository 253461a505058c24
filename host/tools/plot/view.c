#include "view.h"
#include "../../core/base/error.h"
#include "../../core/base/vocabulary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* More curves cannot be told apart. */
enum { ALL_IN_KEY = 10, MOST_IN_KEY = 8, MOST_PEERS = 6 };

static int order(double a, double b) {
  return (a > b) - (a < b);
}

/* ---- Rows ---- */

/* A file may contain any number, but an axis can only show plausible ones. */
static int is_usable(const rh_row *row) {
  double t = row->time.median;
  return row->status == RH_ROW_ok && row->time.samples > 0 && t >= 1e-12 && t <= 1e9 &&
         row->n > 0 && rh_row_op_name(row) && rh_type_name(row->type);
}

int rh_row_order(const rh_row *a, const rh_row *b, int any_device) {
  int by_device = any_device ? 0 : strverscmp(a->device, b->device);
  if (by_device) return by_device;
  int by_op = rh_row_op_order(a, b);
  if (by_op) return by_op;
  if (a->type != b->type) return a->type < b->type ? -1 : 1;
  if (a->n != b->n) return a->n < b->n ? -1 : 1;
  if (a->is_peer != b->is_peer) return a->is_peer < b->is_peer ? -1 : 1;
  return strcmp(a->strategy, b->strategy);
}

static int by_point(const void *a, const void *b) {
  const rh_row *x = a, *y = b;
  int by = rh_row_order(x, y, 0);
  return by ? by : order(x->time.median, y->time.median);
}

static void take_rows(rh_view *view, const rh_records *results) {
  for (uint32_t k = 0; k < results->n_rows; k++) {
    if (!is_usable(&results->rows[k])) continue;
    rh_row *row = &view->rows[view->n_rows++];
    *row = results->rows[k];
    row->is_peer = row->is_peer != 0;
    rh_spread *t = &row->time;
    if (!(t->ci_low > 0 && t->ci_low <= t->median)) t->ci_low = t->median;
    if (!(t->ci_high >= t->median && t->ci_high <= 1e9)) t->ci_high = t->median;
  }
  qsort(view->rows, view->n_rows, sizeof *view->rows, by_point);
  uint32_t kept = 0;
  for (uint32_t k = 0; k < view->n_rows; k++)
    if (k == 0 || rh_row_order(&view->rows[kept - 1], &view->rows[k], 0) != 0)
      view->rows[kept++] = view->rows[k];
  view->n_rows = kept;
}

/* ---- Cells and panels ---- */

/* `rows` is a scratch array for all rows of the view. */
static void judge_cell(rh_cell *cell, const rh_row **rows) {
  for (uint32_t k = 0; k < cell->n_rows; k++) rows[k] = &cell->rows[k];
  cell->best = rh_point_best(rows, cell->n_rows, 1).row;
  const rh_row *of_all = rh_point_best(rows, cell->n_rows, 0).row;
  cell->faster_peer = of_all && of_all->is_peer ? of_all : NULL;
}

static double calibrated(const rh_view *view, const rh_row *row, const char *key, double least,
                         double most) {
  double value = rh_records_calibration(view->results, row->device, key);
  return value >= least && value <= most ? value : 0;
}

static rh_panel *begin_panel(rh_view *view, const rh_row *row, rh_cell *cells) {
  rh_panel *panel = &view->panels[view->n_panels++];
  *panel = (rh_panel){
      .device = row->device, .op = rh_row_op_name(row), .type = row->type, .cells = cells};
  panel->read_peak = calibrated(view, row, "read_peak_Bps", 1e3, 1e18);
  panel->launch = calibrated(view, row, "empty_kernel_s", 1e-12, 10);
  if (panel->launch == 0) panel->launch = calibrated(view, row, "launch_s", 1e-12, 10);
  if (view->n_panels == 1 || strcmp(panel[-1].device, panel->device) != 0) view->n_devices++;
  return panel;
}

static void find_panels(rh_view *view) {
  rh_panel *panel = NULL;
  rh_cell *cell = NULL;
  uint32_t n_cells = 0;
  for (uint32_t k = 0; k < view->n_rows; k++) {
    rh_row *row = &view->rows[k];
    int is_new = !panel || strcmp(panel->device, row->device) != 0 ||
                 strcmp(panel->op, rh_row_op_name(row)) != 0 || panel->type != row->type;
    if (is_new) panel = begin_panel(view, row, &view->cells[n_cells]);
    if (is_new || cell->n != row->n) {
      cell = &view->cells[n_cells++];
      *cell = (rh_cell){.n = row->n, .rows = row};
      panel->n_cells++;
    }
    cell->n_rows++;
  }
  for (uint32_t k = 0; k < n_cells; k++) judge_cell(&view->cells[k], view->by_name);
}

/* ---- Curves ---- */

static int by_name_and_n(const void *a, const void *b) {
  const rh_row *x = *(const rh_row *const *)a, *y = *(const rh_row *const *)b;
  if (x->is_peer != y->is_peer) return x->is_peer < y->is_peer ? -1 : 1;
  int by = strcmp(x->strategy, y->strategy);
  return by ? by : (x->n > y->n) - (x->n < y->n);
}

const rh_curve *rh_panel_curve(const rh_panel *panel, const rh_row *row) {
  for (uint32_t k = 0; k < panel->n_curves; k++)
    if (panel->curves[k].is_peer == row->is_peer &&
        strcmp(panel->curves[k].name, row->strategy) == 0)
      return &panel->curves[k];
  return NULL;
}

const rh_row *rh_curve_at(const rh_curve *curve, uint64_t n) {
  for (uint32_t k = 0; k < curve->n_rows; k++)
    if (curve->rows[k]->n == n) return curve->rows[k];
  return NULL;
}

/* Sorts by the largest n that a curve reaches, then by its time there. */
static int by_end(const void *a, const void *b) {
  const rh_curve *x = a, *y = b;
  const rh_row *x_end = x->rows[x->n_rows - 1], *y_end = y->rows[y->n_rows - 1];
  if (x_end->n != y_end->n) return x_end->n > y_end->n ? -1 : 1;
  int by = order(x_end->time.median, y_end->time.median);
  return by ? by : strcmp(x->name, y->name);
}

static void score_curves(rh_panel *panel) {
  const rh_row *first = panel->curves[0].rows[panel->curves[0].n_rows - 1];
  for (uint32_t k = 0; k < panel->n_cells; k++)
    for (uint32_t c = 0; panel->cells[k].best && c < panel->n_curves; c++)
      if (!panel->curves[c].is_peer &&
          strcmp(panel->curves[c].name, panel->cells[k].best->strategy) == 0)
        panel->curves[c].wins++;
  for (uint32_t c = 0; c < panel->n_curves; c++) {
    rh_curve *curve = &panel->curves[c];
    const rh_row *end = curve->rows[curve->n_rows - 1];
    curve->score = curve->wins;
    if (end->n == first->n) curve->score += first->time.median / end->time.median;
  }
}

static void find_curves(rh_view *view, rh_panel *panel, const rh_row **rows) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < panel->n_cells; k++)
    for (uint32_t j = 0; j < panel->cells[k].n_rows; j++) rows[n++] = &panel->cells[k].rows[j];
  qsort(rows, n, sizeof *rows, by_name_and_n);
  panel->curves = &view->curves[view->n_curves];
  for (uint32_t k = 0; k < n; k++) {
    rh_curve *curve = panel->n_curves ? &panel->curves[panel->n_curves - 1] : NULL;
    if (!curve || curve->is_peer != rows[k]->is_peer ||
        strcmp(curve->name, rows[k]->strategy) != 0) {
      curve = &panel->curves[panel->n_curves++];
      *curve = (rh_curve){.name = rows[k]->strategy, .is_peer = rows[k]->is_peer, .rows = &rows[k]};
    }
    curve->n_rows++;
  }
  view->n_curves += panel->n_curves;
  qsort(panel->curves, panel->n_curves, sizeof *panel->curves, by_end);
  score_curves(panel);
}

/* Curves that win somewhere come first; then those that are fastest at the end. */
static void choose_for_key(rh_panel *panel) {
  uint32_t n[2] = {0, 0}, chosen[2] = {0, 0};
  for (uint32_t k = 0; k < panel->n_curves; k++) n[panel->curves[k].is_peer]++;
  uint32_t most[2] = {n[0] <= ALL_IN_KEY ? n[0] : MOST_IN_KEY, MOST_PEERS};
  for (int winners = 1; winners >= 0; winners--)
    for (uint32_t k = 0; k < panel->n_curves; k++) {
      rh_curve *curve = &panel->curves[k];
      if (curve->in_key || (curve->wins > 0) != winners) continue;
      if (chosen[curve->is_peer]++ < most[curve->is_peer]) curve->in_key = 1;
    }
}

/* ---- Styles: one for each name, the same in all panels ---- */

static int by_name(const void *a, const void *b) {
  const rh_curve *x = *(rh_curve *const *)a, *y = *(rh_curve *const *)b;
  if (x->is_peer != y->is_peer) return x->is_peer < y->is_peer ? -1 : 1;
  int by = strcmp(x->name, y->name);
  return by ? by : (x > y) - (x < y); /* no two are equal, so the order is well-defined */
}

typedef struct name {
  rh_curve **curves;
  uint32_t n;
  double score;
} name;

static int by_score(const void *a, const void *b) {
  const name *x = a, *y = b;
  if (x->curves[0]->is_peer != y->curves[0]->is_peer)
    return x->curves[0]->is_peer < y->curves[0]->is_peer ? -1 : 1;
  int by = order(y->score, x->score);
  return by ? by : strcmp(x->curves[0]->name, y->curves[0]->name);
}

static void give_styles(rh_view *view, rh_curve **curves, name *names) {
  uint32_t n = 0, next[2] = {0, 0};
  for (uint32_t k = 0; k < view->n_curves; k++) curves[k] = &view->curves[k];
  qsort(curves, view->n_curves, sizeof(rh_curve *), by_name);
  for (uint32_t k = 0; k < view->n_curves; k++) {
    name *last = n ? &names[n - 1] : NULL;
    if (!last || last->curves[0]->is_peer != curves[k]->is_peer ||
        strcmp(last->curves[0]->name, curves[k]->name) != 0)
      names[n++] = (name){&curves[k], 1, curves[k]->score};
    else {
      last->n++;
      last->score += curves[k]->score;
    }
  }
  qsort(names, n, sizeof *names, by_score);
  for (uint32_t k = 0; k < n; k++) {
    uint32_t style = next[names[k].curves[0]->is_peer]++;
    for (uint32_t j = 0; j < names[k].n; j++) names[k].curves[j]->style = style;
  }
}

/* ---- */

static void arrange(rh_view *view, rh_curve **curves, name *names) {
  find_panels(view);
  const rh_row **rows = view->by_name;
  for (uint32_t k = 0; k < view->n_panels; k++) {
    rh_panel *panel = &view->panels[k];
    find_curves(view, panel, rows);
    choose_for_key(panel);
    for (uint32_t j = 0; j < panel->n_cells; j++) rows += panel->cells[j].n_rows;
  }
  give_styles(view, curves, names);
}

rh_status rh_view_init(rh_view *view, const rh_records *results, rh_error *error) {
  size_t n = results->n_rows + 1u;
  *view = (rh_view){.results = results,
                    .rows = calloc(n, sizeof *view->rows),
                    .by_name = calloc(n, sizeof *view->by_name),
                    .cells = calloc(n, sizeof *view->cells),
                    .curves = calloc(n, sizeof *view->curves),
                    .panels = calloc(n, sizeof *view->panels)};
  rh_curve **curves = calloc(n, sizeof *curves);
  name *names = calloc(n, sizeof *names);
  int complete =
      view->rows && view->by_name && view->cells && view->curves && view->panels && curves && names;
  if (complete) {
    take_rows(view, results);
    arrange(view, curves, names);
  }
  free(curves);
  free(names);
  if (complete) return RH_OK;
  rh_view_finish(view);
  return rh_fail(error, RH_E_NOMEM, "no memory for a picture of %u results", results->n_rows);
}

void rh_view_finish(rh_view *view) {
  free(view->rows);
  free(view->by_name);
  free(view->cells);
  free(view->curves);
  free(view->panels);
  memset(view, 0, sizeof *view);
}
