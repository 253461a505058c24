#include "records.h"

void rh_table_cell(rh_table *table, int style, const char *format, ...) {
  if (RH_ROOM(&table->cells, table->n_rows, "", NULL) != RH_OK ||
      RH_ROOM(&table->styles, table->n_rows, "", NULL) != RH_OK)
    return;
  va_list args;
  va_start(args, format);
  char *cell;
  if (vasprintf(&cell, format, args) < 0) cell = NULL;
  va_end(args);
  if (!cell) return;
  rh_make_plain(cell); /* the text may come from drivers, plugins and files */
  table->styles[table->n_rows] = style;
  table->cells[table->n_rows++] = cell;
}

void rh_table_begin(rh_table *table, const char *headings) {
  for (const char *at = headings; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL) {
    int right = table->right[table->columns++] = *at == '>';
    rh_table_cell(table, RH_BOLD, "%.*s", (int)strcspn(at + right, "|"), at + right);
  }
  table->headings = table->columns;
}

void rh_table_row(rh_table *table, const char *styles, ...) {
  static const char letters[] = " *+-.";
  va_list args;
  va_start(args, styles);
  for (; *styles; styles++)
    rh_table_cell(table, (int)(strchr(letters, *styles) - letters), "%s",
                  va_arg(args, const char *));
  va_end(args);
}

void rh_table_finish(rh_table *table) {
  for (uint32_t k = 0; k < table->n_rows; k++) free(table->cells[k]);
  free(table->cells);
  free(table->styles);
  *table = (rh_table){0};
}
