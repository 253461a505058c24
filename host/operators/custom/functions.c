#include "functions.h"
#include "../../core/operation/ops.h"

#include <string.h>

enum { BLOCK_BYTES = 4096 }; /* of mapped elements */

/* A single operand without constants is passed as plain elements. */
static rh_arrays arrays_of(const rh_custom *self, const void *input) {
  if (rh_custom_has_operands(self)) return *(const rh_arrays *)input;
  return (rh_arrays){.operands = {input}};
}

static void load(const void *user, void *value, const void *input, uint64_t index) {
  const rh_custom *self = user;
  rh_arrays arrays = arrays_of(self, input);
  memcpy(value, self->op.identity, self->op.value_size);
  rh_custom_load(self, value, &arrays, index);
}

static void combine(const void *user, void *accumulator, const void *value) {
  rh_custom_combine(user, accumulator, value);
}

static void fold(const void *user, void *accumulator, const void *input, uint64_t first,
                 uint64_t n) {
  rh_arrays arrays = arrays_of(user, input);
  rh_custom_fold(user, accumulator, &arrays, first, n);
}

static void reduce(const void *user, const void *input, uint64_t first, uint64_t n, void *value) {
  rh_arrays arrays = arrays_of(user, input);
  rh_custom_reduce(user, &arrays, first, n, value);
}

static void map(const void *user, const void *input, uint64_t first, uint64_t n, void *to) {
  rh_arrays arrays = arrays_of(user, input);
  const rh_custom *self = user;
  self->face.calls->map(&self->face, &arrays, first, n, to);
}

/* Mapped: the built-in operator over a block of mapped elements at a time. */
static void fold_mapped(const void *user, void *accumulator, const void *input, uint64_t first,
                        uint64_t n) {
  _Alignas(16) unsigned char block[BLOCK_BYTES];
  const rh_custom *self = user;
  const rh_op *row = rh_op_find(self->face.base, self->face.type);
  uint64_t size = rh_type_size(self->face.type), most = BLOCK_BYTES / size;
  for (uint64_t end = first + n; first < end; first += most) {
    uint64_t count = end - first < most ? end - first : most;
    map(self, input, first, count, block);
    /* Indices count from the beginning of what `fold` is given. */
    row->fold(accumulator, (const void *)((uintptr_t)block - first * size), first, count);
  }
}

static void load_mapped(const void *user, void *value, const void *input, uint64_t index) {
  _Alignas(16) unsigned char element[sizeof(uint64_t)];
  const rh_custom *self = user;
  uint64_t size = rh_type_size(self->face.type);
  map(self, input, index, 1, element);
  rh_op_find(self->face.base, self->face.type)
      ->load(value, (const void *)((uintptr_t)element - index * size), index);
}

void rh_custom_give_functions(rh_custom *self) {
  rh_op *op = &self->op;
  op->user = self;
  op->load_with = self->face.is_struct ? load : load_mapped;
  op->fold_with = self->face.is_struct ? fold : fold_mapped;
  if (self->face.is_struct) {
    op->combine_with = combine;
    op->reduce = reduce;
  } else {
    op->combine = rh_op_find(self->face.base, self->face.type)->combine;
    op->map = map;
  }
}
