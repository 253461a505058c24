/* Markdown: the tables of --bench, for a README or an issue. */
#include "records.h"

/* Escapes characters that would end a cell or start Markdown syntax. */
static void print_cell(const char *s, FILE *out) {
  fputs("| ", out);
  for (; *s; s++) {
    if (strchr("|\\`*_<>[]~", *s)) putc('\\', out);
    putc(*s, out);
  }
  putc(' ', out);
}

static void print_row(const rh_row *row, const rh_best *best, FILE *out) {
  rh_cells cells;
  rh_cells_fill(&cells, row, best);
  for (int k = 0; k < RH_CELL_NOTE; k++) print_cell(cells.text[k], out);
  print_cell(cells.note, out);
  fputs("|\n", out);
}

static void print_head(const rh_row *row, FILE *out) {
  for (int k = 0; k < RH_N_CELLS; k++) fprintf(out, "| %s ", rh_cell_heading(k, row));
  fputs("|\n", out);
  for (int k = 0; k < RH_N_CELLS; k++)
    fputs(k == RH_CELL_STRATEGY || k == RH_CELL_NOTE ? "|:--" : "|--:", out);
  fputs("|\n", out);
}

/* Returns rh_text.failed. */
static int print_line(rh_text *text, const char *before, FILE *out) {
  int failed = text->failed;
  if (text->length) fprintf(out, "%s%s\n", before, rh_text_get(text));
  rh_text_finish(text);
  return failed;
}

int rh_write_markdown(const rh_records *results, FILE *out) {
  const rh_row **rows = rh_records_tabulated(results);
  rh_text text = {0};
  int failed = !rows && results->n_rows;
  for (uint32_t k = 0, n; rows && k < results->n_rows; k += n) {
    n = rh_table_length(rows + k, results->n_rows - k);
    rh_table_title(&text, results, rows[k]);
    failed |= print_line(&text, "### ", out);
    putc('\n', out);
    print_head(rows[k], out);
    for (uint32_t j = k, length; j < k + n; j += length) {
      length = rh_point_length(rows + j, k + n - j);
      const rh_best best = rh_point_best(rows + j, length, 0);
      for (uint32_t i = j; i < j + length; i++) print_row(rows[i], &best, out);
    }
    rh_table_best(&text, rows + k, n);
    failed |= print_line(&text, "\n", out);
    putc('\n', out);
  }
  rh_table_legend(&text, results);
  failed |= print_line(&text, "", out);
  free(rows);
  return failed ? -1 : 0;
}
