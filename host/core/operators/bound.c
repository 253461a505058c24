#include "bound.h"
#include "../base/error.h"
#include "../base/vocabulary.h"
#include "moments.h"
#include "ops.h"

#include <ffi.h>
#include <stdlib.h>
#include <string.h>

enum { LOAD, COMBINE, FOLD, REDUCE, MAP, FUNCTIONS, MOST_ARGUMENTS = 5, BLOCK_BYTES = 4096 };

struct rh_bound {
  ffi_closure *closures[FUNCTIONS];
  void *code[FUNCTIONS];
  ffi_cif interfaces[FUNCTIONS];
  ffi_type *types[FUNCTIONS][MOST_ARGUMENTS];
};

/* A single operand without constants is passed as plain elements. */
static rh_arrays arrays_of(const rh_operator *self, const void *input) {
  if (rh_operator_has_operands(self)) return *(const rh_arrays *)input;
  return (rh_arrays){.operands = {input}};
}

static const void *pointer_in(void *const *arguments, int k) {
  return *(void **)arguments[k];
}

static uint64_t number_in(void *const *arguments, int k) {
  return *(uint64_t *)arguments[k];
}

/* ---- Mapped operators: the built-in one over a block of mapped elements at a time ---- */

static void fold_mapped(const rh_operator *self, void *accumulator, const rh_arrays *arrays,
                        uint64_t first, uint64_t n) {
  _Alignas(16) unsigned char block[BLOCK_BYTES];
  const rh_op *row = rh_op_find(self->base, self->type);
  uint64_t size = rh_type_size(self->type), most = BLOCK_BYTES / size;
  for (uint64_t end = first + n; first < end; first += most) {
    uint64_t count = end - first < most ? end - first : most;
    rh_operator_map(self, arrays, first, count, block);
    /* Indices count from the beginning of what `fold` is given. */
    row->fold(accumulator, (const void *)((uintptr_t)block - first * size), first, count);
  }
}

static void load_mapped(const rh_operator *self, void *value, const rh_arrays *arrays,
                        uint64_t index) {
  _Alignas(16) unsigned char element[sizeof(uint64_t)];
  uint64_t size = rh_type_size(self->type);
  rh_operator_map(self, arrays, index, 1, element);
  rh_op_find(self->base, self->type)
      ->load(value, (const void *)((uintptr_t)element - index * size), index);
}

/* ---- What libffi calls ---- */

static void call_load(ffi_cif *interface, void *returned, void **arguments, void *user) {
  const rh_operator *self = user;
  void *value = (void *)(uintptr_t)pointer_in(arguments, 0);
  rh_arrays arrays = arrays_of(self, pointer_in(arguments, 1));
  (void)interface;
  (void)returned;
  if (!self->is_struct) {
    load_mapped(self, value, &arrays, number_in(arguments, 2));
    return;
  }
  memcpy(value, self->op.identity, self->op.value_size);
  rh_operator_load(self, value, &arrays, number_in(arguments, 2));
}

static void call_combine(ffi_cif *interface, void *returned, void **arguments, void *user) {
  const rh_operator *self = user;
  void *a = (void *)(uintptr_t)pointer_in(arguments, 0);
  (void)interface;
  (void)returned;
  rh_operator_combine(self, a, pointer_in(arguments, 1));
}

static void call_fold(ffi_cif *interface, void *returned, void **arguments, void *user) {
  const rh_operator *self = user;
  void *accumulator = (void *)(uintptr_t)pointer_in(arguments, 0);
  rh_arrays arrays = arrays_of(self, pointer_in(arguments, 1));
  (void)interface;
  (void)returned;
  (self->is_struct ? rh_operator_fold : fold_mapped)(
      self, accumulator, &arrays, number_in(arguments, 2), number_in(arguments, 3));
}

static void call_reduce(ffi_cif *interface, void *returned, void **arguments, void *user) {
  const rh_operator *self = user;
  void *value = (void *)(uintptr_t)pointer_in(arguments, 4);
  rh_arrays arrays = arrays_of(self, pointer_in(arguments, 1));
  (void)interface;
  (void)returned;
  rh_operator_reduce(self, &arrays, number_in(arguments, 2), number_in(arguments, 3), value);
}

static void call_map(ffi_cif *interface, void *returned, void **arguments, void *user) {
  const rh_operator *self = user;
  void *to = (void *)(uintptr_t)pointer_in(arguments, 4);
  rh_arrays arrays = arrays_of(self, pointer_in(arguments, 1));
  (void)interface;
  (void)returned;
  rh_operator_map(self, &arrays, number_in(arguments, 2), number_in(arguments, 3), to);
}

/* ---- Creating ---- */

static rh_status bind_function(rh_bound *bound, int k, const char *signature,
                               void (*function)(ffi_cif *, void *, void **, void *),
                               rh_operator *self, rh_error *error) {
  unsigned n = (unsigned)strlen(signature);
  for (unsigned j = 0; j < n; j++)
    bound->types[k][j] = signature[j] == 'p' ? &ffi_type_pointer : &ffi_type_uint64;
  bound->closures[k] = ffi_closure_alloc(sizeof *bound->closures[k], &bound->code[k]);
  if (bound->closures[k] &&
      ffi_prep_cif(&bound->interfaces[k], FFI_DEFAULT_ABI, n, &ffi_type_void, bound->types[k]) ==
          FFI_OK &&
      ffi_prep_closure_loc(bound->closures[k], &bound->interfaces[k], function, self,
                           bound->code[k]) == FFI_OK)
    return RH_OK;
  return rh_fail(error, RH_E_NOMEM, "no memory for an operator's functions");
}

rh_status rh_bound_create(rh_operator *self, rh_error *error) {
  rh_bound *bound = self->bound = calloc(1, sizeof *bound);
  if (!bound) return rh_fail(error, RH_E_NOMEM, "no memory for an operator's functions");
  rh_op *op = &self->op;
  RH_TRY(bind_function(bound, LOAD, "ppu", call_load, self, error));
  RH_TRY(bind_function(bound, FOLD, "ppuu", call_fold, self, error));
  memcpy(&op->load, &bound->code[LOAD], sizeof op->load);
  memcpy(&op->fold, &bound->code[FOLD], sizeof op->fold);
  if (!self->is_struct) {
    RH_TRY(bind_function(bound, MAP, "ppuup", call_map, self, error));
    memcpy(&op->map, &bound->code[MAP], sizeof op->map);
    op->mapped_op = self->base;
    op->mapped_type = self->type;
    op->form = rh_exprs_form(self->load, op->form_operands);
    int is_wide = rh_type_size(self->type) != op->element_size;
    if (is_wide && self->base != RH_OP_sum) op->form = RH_FORM_OTHER;
    op->combine = rh_op_find(self->base, self->type)->combine;
    return RH_OK;
  }
  RH_TRY(bind_function(bound, COMBINE, "pp", call_combine, self, error));
  RH_TRY(bind_function(bound, REDUCE, "ppuup", call_reduce, self, error));
  memcpy(&op->combine, &bound->code[COMBINE], sizeof op->combine);
  if (self->is_moments) op->combine = rh_moments_combine; /* which needs nothing of self */
  memcpy(&op->reduce, &bound->code[REDUCE], sizeof op->reduce);
  return RH_OK;
}

void rh_bound_destroy(rh_bound *bound) {
  if (!bound) return;
  for (int k = 0; k < FUNCTIONS; k++)
    if (bound->closures[k]) ffi_closure_free(bound->closures[k]);
  free(bound);
}
