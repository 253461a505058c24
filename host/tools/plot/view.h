/* The rows of a result file, arranged for plots: a panel for each (device, operator, type), with
 * a curve for each strategy and peer, and a cell for each size. */
#pragma once

#include "../records/records.h"

/* One strategy's or peer's times over n. */
typedef struct rh_curve {
  const char *name;
  uint32_t is_peer;
  const rh_row **rows; /* by n, one for each */
  uint32_t n_rows;
  /* from 0, separately for strategies and peers; a name has the same style in all panels */
  uint32_t style;
  uint32_t wins;   /* sizes at which it is the best strategy */
  uint32_t in_key; /* 0: drawn in grey, without a name */
  double score;    /* ranks the styles: by wins, and by how close to the best it ends */
} rh_curve;

/* All rows of one n. */
typedef struct rh_cell {
  uint64_t n;
  rh_row *rows;
  uint32_t n_rows;
  const rh_row *best;        /* the best strategy; null if only peers ran */
  const rh_row *faster_peer; /* null if no peer is faster */
} rh_cell;

typedef struct rh_panel {
  const char *device;
  const char *op; /* the operator's name */
  rh_type type;
  rh_curve *curves; /* the fastest at the largest n first */
  uint32_t n_curves;
  rh_cell *cells; /* by n, at least one */
  uint32_t n_cells;
  double read_peak; /* bytes/s; 0: unknown */
  double launch;    /* time of an empty kernel in s; 0: unknown */
} rh_panel;

typedef struct rh_view {
  const rh_records *results;
  rh_row *rows; /* their pointers are borrowed */
  const rh_row **by_name;
  rh_cell *cells;
  rh_curve *curves;
  rh_panel *panels;
  uint32_t n_rows, n_panels, n_curves, n_devices;
} rh_view;

/* Borrows `results`.  Skips rows without a time or with implausible numbers; of two rows for the
 * same point, the faster one counts.  If no row is left, n_panels is 0, which is not an error. */
rh_status rh_view_init(rh_view *view, const rh_records *results, rh_error *error);
void rh_view_finish(rh_view *view); /* zero-initialised is fine */

/* The curve of that row's strategy or peer, or null. */
const rh_curve *rh_panel_curve(const rh_panel *panel, const rh_row *row);
/* The curve's row at n, or null. */
const rh_row *rh_curve_at(const rh_curve *curve, uint64_t n);

/* Order of (operator, type, n, peer, name), and of devices before it unless `any_device`. */
int rh_row_order(const rh_row *a, const rh_row *b, int any_device);
