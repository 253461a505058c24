/* Aligned columns and readable numbers. */
#pragma once

#include "../core/base/format.h"
#include "../core/base/value.h"
#include "terminal.h"

enum { RH_MAX_COLUMNS = 12 };

/* Zero-initialised is empty.  Rows are kept until they are printed, so that columns fit their
 * contents. */
typedef struct rh_table {
  uint32_t columns, n_rows;
  char **cells;              /* row by row, the heading first */
  int *styles;               /* one for each cell */
  int right[RH_MAX_COLUMNS]; /* 1: right-aligned */
} rh_table;

/* The headings, with '|' between, each the name of a column; of right-aligned ones after a '>'. */
void rh_table_begin(rh_table *table, const char *headings);
/* Adds a row of strings, one for each column.  styles: a letter for each cell, of " *+-.": plain,
 * bold, good, bad, dim. */
void rh_table_row(rh_table *table, const char *styles, ...);
/* Adds a cell, whose text is copied and made plain.  `columns` cells make a row. */
void rh_table_cell(rh_table *table, int style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void rh_table_print(const rh_table *table, const rh_terminal *terminal, const char *indent);
void rh_table_finish(rh_table *table);

/* `text` wrapped at 78 columns, each line after `indent`. */
void rh_print_wrapped(FILE *out, const char *text, const char *indent, int width);
