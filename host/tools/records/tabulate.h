/* The contents of --bench's tables, for the terminal and for Markdown. */
#pragma once

#include "../../core/base/text.h"
#include "records.h"

/* There is a table for each (device, op, type), and of segments for each of their distributions and
 * n; sorted by size, or length, and then by time; rows without a time come last. */
enum {
  RH_CELL_SIZE,
  RH_CELL_STRATEGY,
  RH_CELL_TIME, /* or the point's status */
  RH_CELL_INTERVAL,
  RH_CELL_RATE,
  RH_CELL_BANDWIDTH,
  RH_CELL_PEAK,
  RH_CELL_LATENCY,
  RH_CELL_NOTE, /* "best", "tie", "1.85x", "peer", marks; or the reason */
  RH_N_CELLS
};
const char *rh_cell_heading(int k, const rh_row *row); /* of the table that the row is in */

typedef struct rh_cells {
  char text[RH_CELL_NOTE][64];
  char note[256];
  int is_best;
} rh_cells;

/* All rows in the order of the tables: malloc'ed; null if there are none or out of memory. */
const rh_row **rh_records_tabulated(const rh_records *results);
/* The number of leading rows, of n, that belong to the first one's table. */
uint32_t rh_table_length(const rh_row *const *rows, uint32_t n);
/* `best`: that of the row's point, including peers; its row is null if none has a time. */
void rh_cells_fill(rh_cells *cells, const rh_row *row, const rh_best *best);

/* Lines of text, appended without a line break.  `rows`: the n rows of one table. */

/* "sum f32 on 1:0 NVIDIA H200, driver 580.159.04, cold input, read peak 4584 GB/s" */
void rh_table_title(rh_text *text, const rh_records *results, const rh_row *row);
/* "best: one-pass to 2^24, two-stage above." and, where peers are faster, "with peers: ...".
 * Nothing if no row has a time. */
void rh_table_best(rh_text *text, const rh_row *const *rows, uint32_t n);
/* "~ noisy (IQR > 5 %).  4 s, 45 points, 20-36 samples each." */
void rh_table_legend(rh_text *text, const rh_records *results);
