/* What the table of --bench says, whatever draws it: a terminal or Markdown. */
#ifndef RH_RECORDS_TABULATE_H
#define RH_RECORDS_TABULATE_H

#include "../../core/base/text.h"
#include "records.h"

/* A table for each (device, op, type), by sizes, and in each size from the fastest to the slowest;
 * what has no time is last. */
enum {
  RH_CELL_SIZE,
  RH_CELL_STRATEGY,
  RH_CELL_TIME, /* or how the point ended */
  RH_CELL_INTERVAL,
  RH_CELL_RATE,
  RH_CELL_BANDWIDTH,
  RH_CELL_PEAK,
  RH_CELL_LATENCY,
  RH_CELL_NOTE, /* "best", "tie", "1.85x", "peer", marks; or the reason */
  RH_N_CELLS
};
extern const char *const rh_cell_headings[RH_N_CELLS];

typedef struct rh_cells {
  char text[RH_CELL_NOTE][64];
  char note[256];
  int is_best;
} rh_cells;

/* All rows in the order of the tables: malloc'ed; null where there are none or memory runs out. */
const rh_row **rh_records_tabulated(const rh_records *results);
/* How many of the n rows from the first on belong to its table. */
uint32_t rh_table_length(const rh_row *const *rows, uint32_t n);
/* `best`: of the row's point, peers among them; its row is null where none has a time. */
void rh_cells_fill(rh_cells *cells, const rh_row *row, const rh_best *best);

/* Lines of text, appended without a line break.  `rows`: the n rows of one table. */

/* "sum f32 on 1:0 NVIDIA H200, driver 580.159.04, cold input, read peak 4584 GB/s" */
void rh_table_title(rh_text *text, const rh_records *results, const rh_row *row);
/* "best: one-pass to 2^24, two-stage above." and, where peers are faster, "with peers: ...".
 * Nothing where none has a time. */
void rh_table_best(rh_text *text, const rh_row *const *rows, uint32_t n);
/* "~ noisy (IQR > 5 %).  4 s, 45 points, 20-36 samples each." */
void rh_table_legend(rh_text *text, const rh_records *results);

#endif
