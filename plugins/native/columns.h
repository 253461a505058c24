/* Segments side by side, each of which is a column: by loops across them. */
#ifndef NATIVE_COLUMNS_H
#define NATIVE_COLUMNS_H

#include "folder.h"

enum { LINE_BYTES = 64 /* of a cache */ };

/* Columns of an array of rows. */
typedef struct rh_native_columns {
  uint64_t first;  /* element 0 of column 0, of the elements at `x` */
  uint64_t stride; /* elements from one row to the next */
  uint64_t rows, width;
  const unsigned char *x;
  int is_mapped; /* 1: the operator's map was applied already */
} rh_native_columns;

/* The operator whose map makes the elements that are folded; null: it is not needed. */
static inline const rh_op *rh_native_map_of(const rh_native_folder *folder) {
  int is_read = folder->form == RH_FORM_ELEMENT || folder->is_widened;
  return folder->user && !is_read ? folder->user : NULL;
}

/* How many columns are taken at once; 0: the folder has no loops across columns. */
uint64_t rh_native_columns_width(const rh_native_folder *folder);

/* Where values go: that of column j, its first part, to at + j * apart, and the second part, as an
 * integer of 64 bits, `second` bytes behind. */
typedef struct rh_native_values {
  unsigned char *at;
  uint64_t apart, second;
} rh_native_values;

/* Rows are counted from the first one. */
void rh_native_columns_fold(const rh_native_folder *folder, const rh_native_columns *of,
                            const rh_native_values *to);

/* to + j * apart = column j of `rows` rows of `width` elements: row k stands k * stride bytes, or
 * firsts[k] * stride, behind `from`. */
void rh_native_turn(const unsigned char *from, const uint64_t *firsts, uint64_t stride,
                    uint64_t rows, uint64_t width, uint32_t size, uint64_t apart,
                    unsigned char *to);

#endif
