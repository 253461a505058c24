#include "app.h"

/* The width of UTF-8 text, or of its first bytes: the number of bytes that start a character. */
static int width_of(const char *s, size_t bytes) {
  int width = 0;
  for (; bytes && *s; s++, bytes--) width += ((unsigned char)*s & 0xc0) != 0x80;
  return width;
}

void rh_table_print(rh_table *table, const char *indent) {
  int widths[RH_MAX_COLUMNS] = {0};
  uint32_t columns = table->columns;
  for (uint32_t k = 0; k < table->n_rows; k++) {
    int width = width_of(table->cells[k], SIZE_MAX);
    if (width > widths[k % columns]) widths[k % columns] = width;
  }
  for (uint32_t k = 0; k < table->n_rows && table->n_rows > table->headings; k++) {
    uint32_t column = k % columns;
    const char *cell = table->cells[k];
    int pad = widths[column] - width_of(cell, SIZE_MAX), style = table->styles[k];
    int last = column == columns - 1;
    fputs(column == 0 ? indent : "  ", stdout);
    if (table->right[column]) printf("%*s", pad, "");
    fputs(rh_styled(style, cell), stdout);
    if (!table->right[column] && !last) printf("%*s", pad, "");
    if (last) putchar('\n');
  }
  rh_table_finish(table);
}

void rh_print_wrapped(const char *text, const char *first, const char *indent, int width) {
  int used = 0;
  width -= width_of(indent, SIZE_MAX);
  for (const char *word = text + strspn(text, " \n"); *word;) {
    size_t length = strcspn(word, " \n");
    int columns = width_of(word, length);
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
