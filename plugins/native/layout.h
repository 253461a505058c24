/* Many reductions in one run: what of the segments of a layout one thread takes at a time. */
#ifndef NATIVE_LAYOUT_H
#define NATIVE_LAYOUT_H

#include "folder.h"
#include <redhost/kit.h>

/* One of several operators in one pass, or the only one. */
typedef struct rh_native_part {
  rh_native_folder folder;
  uint32_t value_at, index_at; /* of its value, in the whole's */
  unsigned char *values;       /* of the blocks */
} rh_native_part;

/* A part's value, to where the whole has it; the index of an indexed one may stand elsewhere. */
void rh_native_part_put(const rh_native_part *part, const unsigned char *value,
                        unsigned char *whole);

/* What setup decides, of a layout's shape. */
typedef struct rh_native_layout {
  const rh_op *whole;
  const rh_native_part *parts;
  uint32_t n_parts;
  uint64_t giant; /* elements: such a segment is a job for all threads */
  /* Columns, where segments do not stand in rows: blocks of `width` of them, and of `rows` rows;
   * nodes[k] is for what rows k * `rows` on of each segment come to, k < n_bands. */
  uint64_t width, rows, n_bands;
  unsigned char *nodes; /* null: there is one band */
  /* Of a run: */
  const rh_layout *of;
  unsigned char *values;
  uint64_t pieces, at_once; /* segments, or panels of columns; and those of a block */
} rh_native_layout;

/* RH_DECLINED for columns of elements that only the operator's functions find. */
rh_status rh_native_layout_query(const rh_problem *problem, rh_answer *answer);
/* *layout has whole, parts and n_parts. */
rh_status rh_native_layout_setup(rh_native_layout *layout, const rh_host *host,
                                 const rh_problem *problem, unsigned threads);

/* Begins a run, whose elements the folders took.  *blocks: of the job. */
void rh_native_layout_begin(rh_native_layout *layout, const rh_run *run, unsigned threads,
                            uint32_t *blocks);
/* Block `block`, without the segments that are giants.  [any thread] */
void rh_native_layout_block(const rh_native_layout *layout, uint32_t block);
/* A segment, unless it is a giant. */
void rh_native_layout_row(const rh_native_layout *layout, uint64_t s);
/* After all blocks. */
void rh_native_layout_end(const rh_native_layout *layout);

static inline int rh_native_layout_is_giant(const rh_native_layout *layout, uint64_t n) {
  return layout->width == 0 && n >= layout->giant;
}

#endif
