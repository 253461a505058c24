/* Folding a block of elements by one operator: by the vector loops where they know it, else by the
 * operator's own functions. */
#ifndef NATIVE_FOLDER_H
#define NATIVE_FOLDER_H

#include "lanes.h"

enum { INDEX_AT = 8 };                 /* bytes: of the index, in a value of arg* */
enum { NATIVE_BLOCKS_FIND_OUT = 255 }; /* of `pages` */

typedef struct rh_native_folder {
  const rh_op *op;
  rh_type type;
  const rh_op *user; /* an operator over mapped elements, of which `mapped` are folded; or null */
  rh_op mapped;
  uint32_t form; /* of the map, RH_FORM_* */
  int how;
  uint32_t key_bytes;
  const rh_native_lanes *lanes;
  rh_native_fold *fold;
  rh_native_tile_of *tile;
  const rh_native_across *across; /* many segments side by side; or null */
  int is_widened;                 /* 1: these read f32 as f64, as the map does */
  rh_native_fold_rows *fold_rows; /* with tiles of the operands' rows; or null */
  rh_native_range_of *range;
  int wanted; /* of the range */
  /* The loop that computes in registers of two operands, which a run brings; or null. */
  rh_native_fold_two *sum_of;
  rh_native_distances *distances;
  const unsigned char *operands[2];
  uint32_t operand_bytes; /* of an element of both */
  /* From here on of one run: */
  unsigned pages; /* that are read in turn, or another way of lanes.h; or the blocks find out */
  const unsigned char *input;
} rh_native_folder;

/* Element 0 of the run in an operand of its form. */
static inline const unsigned char *rh_native_operand_of(const rh_native_folder *self,
                                                        const rh_run *run, uint32_t k) {
  if (RH_HAS(rh_run, run, host_operands) && run->n_operands)
    return run->host_operands[self->user->form_operands[k]];
  return (const unsigned char *)run->host_input + run->first * self->user->element_size;
}

/* Is it one whose values depend on the number of elements that are folded together? */
int rh_native_folds_in_order(const rh_op *op, rh_type type);

/* Chooses the loops, of this kind of vectors.  `self` is zeroed. */
void rh_native_folder_choose(rh_native_folder *self, unsigned vectors, const rh_op *op,
                             rh_type type);
/* Are they vector loops, and not the operator's functions? */
int rh_native_folder_is_fast(const rh_native_folder *self);

/* Do they have a version for NATIVE_IN_STEP? */
int rh_native_folder_can_step(const rh_native_folder *self);

/* Is its value what one loop makes of a run's elements, so that a short run needs no block? */
int rh_native_folder_is_direct(const rh_native_folder *self);
/* *value = that of a run of n >= 1 elements, by such a folder. [any thread] */
static inline void rh_native_folder_directly(const rh_native_folder *self, const rh_run *run,
                                             void *value) {
  const unsigned char *x = run->host_input;
  if (self->sum_of)
    self->sum_of(rh_native_operand_of(self, run, 0), rh_native_operand_of(self, run, 1), run->n, 1,
                 value);
  else self->fold(x + run->first * self->op->element_size, run->n, 1, value);
}

/* Takes a run's elements. */
void rh_native_folder_take(rh_native_folder *self, const rh_run *run);
/* *value = that of n >= 1 elements from `first` on, where a tile begins.  An indexed one has
 * `first` as its index until rh_native_folder_place().  [any thread] */
void rh_native_folder_block(const rh_native_folder *self, uint64_t first, uint64_t n,
                            unsigned pages, unsigned char *value);
/* For an indexed operator alone: replaces the index of the block's first element, of `length`
 * elements or up to base+n, by the index of the element itself, counted from `base`. */
void rh_native_folder_place(const rh_native_folder *self, uint64_t length, uint64_t base,
                            uint64_t n, unsigned char *value);

#endif
