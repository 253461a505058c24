#include "bench_table.h"
#include "../results/tabulate.h"
#include "table.h"

#include <stdlib.h>

/* Columns stand apart by two spaces; the size belongs to all rows below it. */
static const char *const indent = "  ";

static void add_row(rh_table *table, const rh_row *row, const rh_row *best, int is_first) {
  rh_cells cells;
  rh_cells_fill(&cells, row, best);
  int bad = row->status == RH_ROW_wrong || row->status == RH_ROW_failed;
  int style = cells.is_best ? RH_GOOD : bad ? RH_BAD : RH_PLAIN;
  for (int k = 0; k < RH_CELL_NOTE; k++) {
    int cell_style = k == RH_CELL_STRATEGY || k == RH_CELL_TIME ? style : RH_PLAIN;
    rh_table_cell(table, cell_style, "%s", k == RH_CELL_SIZE && !is_first ? "" : cells.text[k]);
  }
  rh_table_cell(table, style, "%s", cells.note);
}

static void print_table(const rh_row *const *rows, uint32_t n, const rh_terminal *terminal) {
  rh_table table = {.columns = RH_N_CELLS};
  for (int k = 0; k < RH_N_CELLS; k++) {
    table.right[k] = k != RH_CELL_STRATEGY && k != RH_CELL_NOTE;
    rh_table_cell(&table, RH_BOLD, "%s", rh_cell_headings[k]);
  }
  for (uint32_t k = 0, length; k < n; k += length) {
    length = rh_point_length(rows + k, n - k);
    const rh_row *best = rh_point_best(rows + k, length, 0).row;
    for (uint32_t j = 0; j < length; j++) add_row(&table, rows[k + j], best, j == 0);
  }
  rh_table_print(&table, terminal, indent);
  rh_table_finish(&table);
}

static void print_line(rh_text *text, const char *before, const char *behind) {
  if (text->length) printf("%s%s%s", before, rh_text_get(text), behind);
  rh_text_finish(text);
}

void rh_bench_table_print(const rh_results *results, const rh_terminal *terminal) {
  const rh_row **rows = rh_results_tabulated(results);
  rh_text text = {0};
  for (uint32_t k = 0, n; rows && k < results->n_rows; k += n) {
    n = rh_table_length(rows + k, results->n_rows - k);
    rh_table_title(&text, results, rows[k]);
    print_line(&text, "", "\n\n");
    print_table(rows + k, n, terminal);
    rh_table_best(&text, rows + k, n);
    print_line(&text, "\n", "\n\n");
  }
  rh_table_legend(&text, results);
  print_line(&text, "", "\n");
  free(rows);
}
