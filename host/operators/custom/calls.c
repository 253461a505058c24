/* Questions about an operator, and its functions: those of rh_op, as plugins call them, and those
 * by which the rest of the host uses it. */
#include "../../core/base/error.h"
#include "../../core/base/vocabulary.h"
#include "../../core/operation/ops.h"
#include "../../core/operation/result.h"
#include "by_code.h"
#include "make.h"
#include "refer.h"

#include <string.h>

rh_status rh_custom_expressions(const rh_custom *self, rh_exprs **made, rh_error *error) {
  rh_expr_variable variables[RH_MOST_OPERANDS];
  rh_expr_constant constants[RH_MOST_CONSTANTS];
  for (uint32_t k = 0; k < self->face.n_operands; k++)
    variables[k] = (rh_expr_variable){self->operands[k].name, self->operands[k].type};
  for (uint32_t k = 0; k < self->n_lets; k++)
    constants[k] = (rh_expr_constant){self->lets[k].name, self->lets[k].value};
  return rh_exprs_create(made, variables, self->face.n_operands, constants, self->n_lets, 1, error);
}

uint32_t rh_custom_constant_types(const rh_custom *self, uint32_t constant) {
  uint32_t types = rh_exprs_constant_types(self->load, constant);
  return self->finalize ? types | rh_exprs_constant_types(self->finalize, constant) : types;
}

int rh_custom_has_operands(const rh_custom *self) {
  return self->face.n_operands > 1 || rh_exprs_constants_size(self->load) > 0 ||
         self->face.uses_index;
}

void rh_custom_set_constants(rh_custom *self, const rh_expr_value *values) {
  for (uint32_t k = 0; k < self->n_lets; k++) self->lets[k].value = values[k];
  rh_exprs_set_constants(self->load, values);
  if (self->finalize) rh_exprs_set_constants(self->finalize, values);
}

rh_status rh_custom_check_constants(const rh_custom *self, const rh_expr_value *values,
                                    rh_error *error) {
  RH_TRY(rh_exprs_check_constants(self->load, values, error));
  return self->finalize ? rh_exprs_check_constants(self->finalize, values, error) : RH_OK;
}

void rh_custom_take_base(rh_custom *self) {
  if (!self->face.uses_index || self->face.has_base) return;
  self->face.has_base = 1;
  self->op.constants_size += RH_CONSTANT_BYTES;
  self->op.n_parts = 0; /* each alone would count from 0 */
}

/* The sum, divided by the number of elements. */
static int is_mean(const rh_custom *self) {
  return self->finalize && !self->face.is_struct && self->face.base == RH_OP_sum &&
         rh_exprs_is_quotient(self->finalize);
}

/* Products of f32 in f64 are not rounded either. */
static int is_wide(const rh_custom *self) {
  return rh_type_size(self->face.type) != self->op.element_size;
}

static int can_round_once(const rh_custom *self) {
  int is_product = self->op.form == RH_FORM_PRODUCT && !self->finalize;
  if (self->face.is_struct || (self->finalize && !is_mean(self))) return 0;
  if (self->face.base == RH_OP_asum) return rh_exprs_is_element(self->load);
  return self->face.base == RH_OP_sum && (is_product || rh_exprs_is_element(self->load));
}

rh_status rh_custom_round_once(rh_custom *self, rh_error *error) {
  self->face.divides = is_mean(self);
  if (self->op.flags & RH_OP_EXACT) return RH_OK;
  if (!can_round_once(self))
    return rh_fail(error, RH_DECLINED,
                   "'%s' cannot be rounded once: sum, asum and mean of floats can, and the sum of "
                   "x*y where both are f32 or both f64, without a condition or another finalize",
                   self->name);
  self->face.rounds_once = 1;
  if (self->op.form != RH_FORM_PRODUCT || is_wide(self)) return RH_OK;
  self->face.keeps_products = 1;
  self->face.map_error = self->face.type == RH_TYPE_f64 ? 0x1p-53 : 0x1p-24;
  return RH_OK;
}

/* ---- For the host ---- */

static void bind_constants(const rh_operator *face, uint64_t n, void *constants) {
  rh_exprs_bind(rh_custom_of(face)->load, n, constants);
  rh_operator_set_base(face, constants, 0);
}

static void decode(const rh_operator *face, const void *value, uint64_t n, rh_result *result) {
  if (face->n_results)
    rh_custom_decode(rh_custom_of(face), value, n, result);
  else
    rh_operator_decode_base(face, value, n, result);
}

static void results(const rh_operator *face, const void *values, const uint64_t *lengths,
                    uint64_t n, void *const *to) {
  uint64_t none[RH_RESULTS_AT_ONCE] = {0}; /* that a condition left in, maybe */
  if (face->n_results)
    rh_custom_results(rh_custom_of(face), values, lengths, n, to);
  else
    rh_operator_results_base(face, values, face->is_masked ? none : lengths, n, to);
}

static const rh_operator *part(const rh_operator *face, uint32_t k, uint32_t *value_at,
                               uint32_t *index_at) {
  const rh_custom *self = rh_custom_of(face);
  if (k >= self->op.n_parts) return NULL;
  *value_at = self->parts[k].offset;
  *index_at = self->parts[k].index_at;
  return &self->alone[k]->face;
}

/* ---- For plugins ---- */

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

/* ---- Both ---- */

static const rh_operator_calls calls = {
    .prelude = rh_custom_prelude,
    .bind = bind_constants,
    .map = rh_custom_map,
    .enclose = rh_custom_enclose,
    .decode = decode,
    .results = results,
    .part = part,
    .constants = rh_custom_constants,
    .open = rh_by_code_open,
    .decline = rh_by_code_decline,
    .refer = rh_custom_refer,
    .refer_more = rh_sample_serial,
    .conclude = rh_custom_conclude,
    .judge = rh_custom_judge,
    .judge_value = rh_custom_judge_value,
    .error_part = rh_custom_error_part,
};

void rh_custom_give_functions(rh_custom *self) {
  rh_op *op = &self->op;
  self->face.calls = &calls;
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
