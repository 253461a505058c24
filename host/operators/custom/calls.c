/* The functions of an operator: those of rh_op, as plugins call them, and those by which the rest
 * of the host uses it. */
#include "internal.h"

/* ---- For the host ---- */

static void map_elements(const rh_operator *face, const rh_arrays *arrays, uint64_t first,
                         uint64_t n, void *to) {
  rh_custom_load_fields(rh_custom_of(face), arrays, first, n, &to);
}

static void bind_constants(const rh_operator *face, uint64_t n, void *constants) {
  rh_exprs_bind(rh_custom_of(face)->load, n, constants);
  rh_operator_set_base(face, constants, 0);
}

static const rh_operator *part(const rh_operator *face, uint32_t k, uint32_t *value_at,
                               uint32_t *index_at) {
  const rh_custom *self = rh_custom_of(face);
  if (k >= self->op.n_parts) return NULL;
  *value_at = self->parts[k].offset;
  *index_at = self->parts[k].index_at;
  return &self->alone[k]->face;
}

/* JSON has neither numbers above INT64_MAX nor all floats. */
static void add_constant(rh_text *to, const rh_expr_value *value) {
  char number[32];
  double x = (double)value->x;
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  if (!value->is_float) {
    rh_text_add(to, value->x > INT64_MAX ? "\"%.0Lf\"" : "%.0Lf", value->x);
  } else if (isfinite(x)) {
    rh_format_number(number, x);
    rh_text_add(to, "%s%s", number, strpbrk(number, ".e") ? "" : ".0");
  } else {
    rh_text_add(to, "\"%s of the bits %016" PRIx64 "\"", isnan(x) ? "nan" : "inf", bits);
  }
}

static void constants(const rh_operator *face, rh_text *to) {
  const rh_custom *self = rh_custom_of(face);
  for (uint32_t k = 0; k < self->n_lets; k++) {
    rh_text_add(to, "%c\"%s\":", k ? ',' : '{', self->lets[k].name);
    add_constant(to, &self->lets[k].value);
  }
  if (self->n_lets) rh_text_add(to, "}");
}

static const char *decline(const rh_operator *op, const rh_strategy *strategy,
                           const rh_answer *answer) {
  if (!op->is_code) return NULL;
  if (strategy->device_kinds == RH_DEVICE_HOST)
    return "it runs on the host, and the operator is OpenCL C, which runs on devices";
  if (answer->finishes_on_host)
    return "it finishes on the host, and the operator is OpenCL C, which runs on devices";
  return NULL;
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
  if (!self->code) return;
  /* The program there has one constant less; the next run opens the device again. */
  rh_on_device_destroy(self->code->device);
  self->code->device = NULL;
}

rh_status rh_custom_round_once(rh_custom *self, rh_error *error) {
  uint32_t base = self->face.base;
  int is_element = rh_exprs_is_element(self->load);
  int is_product = self->op.form == RH_FORM_PRODUCT && !self->finalize;
  int can = base == RH_OP_asum ? is_element : base == RH_OP_sum && (is_product || is_element);
  self->face.divides = self->finalize && !self->face.is_struct && base == RH_OP_sum &&
                       rh_exprs_is_quotient(self->finalize); /* a mean */
  if (self->op.flags & RH_OP_EXACT) return RH_OK;
  if (!can || self->face.is_struct || (self->finalize && !self->face.divides))
    return rh_fail(error, RH_DECLINED,
                   "'%s' cannot be rounded once: sum, asum and mean of floats can, and the sum of "
                   "x*y where both are f32 or both f64, without a condition or another finalize",
                   self->name);
  self->face.rounds_once = 1;
  /* Products of f32 in f64 are not rounded either. */
  int is_wide = rh_type_size(self->face.type) != self->op.element_size;
  if (self->op.form != RH_FORM_PRODUCT || is_wide) return RH_OK;
  self->face.keeps_products = 1;
  self->face.map_error = self->face.type == RH_TYPE_f64 ? 0x1p-53 : 0x1p-24;
  return RH_OK;
}

/* ---- For plugins ---- */

enum { BLOCK_BYTES = 4096 }; /* of mapped elements */

/* A single operand without constants is passed as plain elements. */
static rh_arrays arrays_of(const rh_custom *self, const void *input) {
  if (self->op.n_operands) return *(const rh_arrays *)input;
  return (rh_arrays){.operands = {input}};
}

static void load(const void *user, void *value, const void *input, uint64_t index) {
  const rh_custom *self = user;
  rh_arrays arrays = arrays_of(self, input);
  memcpy(value, self->op.identity, self->op.value_size);
  rh_custom_load(self, value, &arrays, index);
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
  rh_custom_load_fields(user, &arrays, first, n, &to);
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
  uint64_t element;
  const rh_custom *self = user;
  uint64_t size = rh_type_size(self->face.type);
  map(self, input, index, 1, &element);
  rh_op_find(self->face.base, self->face.type)
      ->load(value, (const void *)((uintptr_t)&element - index * size), index);
}

/* ---- Both ---- */

static const rh_operator_calls calls = {
    .prelude = rh_custom_prelude,
    .bind = bind_constants,
    .map = map_elements,
    .enclose = rh_custom_enclose,
    .decode = rh_custom_decode,
    .results = rh_custom_results,
    .part = part,
    .constants = constants,
    .open = rh_by_code_open,
    .decline = decline,
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
    op->combine_with = rh_custom_combine;
    op->reduce = reduce;
  } else {
    op->combine = rh_op_find(self->face.base, self->face.type)->combine;
    op->map = map;
  }
}
