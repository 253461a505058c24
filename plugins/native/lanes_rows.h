/* Rows: adjacent vectors that are loaded together.
 *
 * A processor prefetches in several pages of memory at a time, but never past the end of a page, so
 * some read faster from memory in `pages` of them in turn than in one after the other: 2, 4, 8 and
 * 16 pages take 0.83, 0.75, 0.69 and 0.68 of the time of one (Intel Xeon with AVX-512, two threads,
 * 2^26 floats), but 1.25 times as long on others (AMD EPYC, Zen 5).  native.c finds out.  Prefetch
 * instructions lose a tenth of what is gained. */
#ifndef NATIVE_LANES_ROWS_H
#define NATIVE_LANES_ROWS_H

#include "lanes_vectors.h"

enum { PAGE_BYTES = 4096 };

typedef struct walk {
  const unsigned char *at; /* the first of the rows that are read in parallel */
  size_t left;             /* rows from `at` on */
  size_t deep, pages;      /* `deep` rows in each of `pages` pages */
} walk;

static inline walk walk_from(const void *at, size_t left, size_t row_bytes, unsigned most_pages) {
  size_t deep = PAGE_BYTES / row_bytes, pages = left / deep;
  if (pages > most_pages) pages = most_pages;
  return pages > 1 ? (walk){at, left, deep, pages} : (walk){at, left, left, 1};
}

static inline walk walk_on(walk w, size_t row_bytes, unsigned most_pages) {
  size_t rows = w.deep * w.pages;
  return walk_from(w.at + rows * row_bytes, w.left - rows, row_bytes, most_pages);
}

/* Loops over the rows from `elements` on; in the body, ROW points to the row. */
#define EACH_ROW(elements, rows, row_bytes, pages)                                                 \
  for (walk w = walk_from((elements), (rows), (row_bytes), (pages)); w.left > 0;                   \
       w = walk_on(w, row_bytes, (pages)))                                                         \
    for (const unsigned char *line = w.at, *stop = line + w.deep * (row_bytes); line < stop;       \
         line += (row_bytes))                                                                      \
      for (size_t page = 0; page < w.pages; page++)
#define ROW ((const void *)(line + page * PAGE_BYTES))

#endif
