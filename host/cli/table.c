#include "app.h"

/* The width of UTF-8 text: the number of bytes that start a character. */
static int width_of(const char *s) {
  int width = 0;
  for (; *s; s++) width += ((unsigned char)*s & 0xc0) != 0x80;
  return width;
}

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

void rh_table_print(rh_table *table, const rh_terminal *terminal, const char *indent) {
  int widths[RH_MAX_COLUMNS] = {0};
  uint32_t columns = table->columns;
  for (uint32_t k = 0; k < table->n_rows; k++) {
    int width = width_of(table->cells[k]);
    if (width > widths[k % columns]) widths[k % columns] = width;
  }
  for (uint32_t k = 0; k < table->n_rows && table->n_rows > table->headings; k++) {
    uint32_t column = k % columns;
    const char *cell = table->cells[k];
    int pad = widths[column] - width_of(cell), style = table->styles[k];
    int last = column == columns - 1;
    fputs(column == 0 ? indent : "  ", stdout);
    if (table->right[column]) printf("%*s", pad, "");
    fputs(rh_styled(terminal, style, cell), stdout);
    if (!table->right[column] && !last) printf("%*s", pad, "");
    if (last) putchar('\n');
  }
  rh_table_finish(table);
}

void rh_print_wrapped(const char *text, const char *first, const char *indent, int width) {
  int used = 0;
  width -= width_of(indent);
  for (const char *word = text + strspn(text, " \n"); *word;) {
    size_t length = strcspn(word, " \n");
    char *copy = strndup(word, length);
    int columns = copy ? width_of(copy) : (int)length;
    free(copy);
    if (used && used + 1 + columns > width) {
      putchar('\n');
      first = indent;
      used = 0;
    }
    printf("%s%.*s", used ? " " : first, (int)length, word);
    used += columns + (used > 0);
    word += length;
    word += strspn(word, " \n");
  }
  if (used) putchar('\n');
}
