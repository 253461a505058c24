/* The functions of an operator: those of rh_op, as plugins call them, and those by which the rest
 * of the host uses it. */
#include "internal.h"

/* ---- Elements and values ---- which are kept as one array for each field while they are combined,
 * so that each operation of an expression is a loop over lanes. */

enum { LANES = 128 }; /* that are combined together */
typedef uint64_t lanes[RH_MOST_FIELDS][LANES];

static uint64_t base_of(const rh_custom *self, const rh_arrays *arrays) {
  uint64_t base = 0;
  const char *constants = arrays->constants;
  if (self->face.has_base && constants)
    memcpy(&base, constants + self->op.constants_size - sizeof base, sizeof base);
  return base;
}

/* operands[k]: where element `first` of operand k is. */
static void find_operands(const rh_custom *self, const rh_arrays *arrays, uint64_t first,
                          const void **operands) {
  for (uint32_t k = 0; k < self->face.n_operands; k++)
    operands[k] = (const char *)arrays->operands[k] + first * rh_type_size(self->operands[k].type);
}

void rh_custom_load_fields(const rh_custom *self, const rh_arrays *arrays, uint64_t first,
                           uint64_t n, void *const *outputs) {
  const void *operands[RH_MOST_OPERANDS] = {NULL};
  find_operands(self, arrays, first, operands);
  rh_exprs_eval(self->load, operands, base_of(self, arrays) + first, n, arrays->constants, outputs);
}

static void get(const rh_custom *self, lanes from, uint64_t lane, void *value) {
  for (uint32_t k = 0; k < self->n_fields; k++) {
    uint32_t size = rh_type_size(self->fields[k].type);
    memcpy((char *)value + self->fields[k].offset, (char *)from[k] + lane * size, size);
  }
}

void rh_custom_combine(const void *user, void *a, const void *b) {
  const rh_custom *self = user;
  if (self->code) {
    rh_on_device_combine(self->code->device, a, b);
    return;
  }
  if (self->is_moments) {
    rh_moments_combine(a, b, self->op.value_size);
    return;
  }
  const void *variables[2 * RH_MOST_FIELDS] = {NULL};
  void *outputs[RH_MOST_FIELDS] = {NULL};
  _Alignas(16) unsigned char value[RH_ANY_VALUE_BYTES];
  memcpy(value, a, self->op.value_size); /* the padding */
  for (uint32_t k = 0; k < self->n_fields; k++) {
    variables[k] = (const char *)a + self->fields[k].offset;
    variables[self->n_fields + k] = (const char *)b + self->fields[k].offset;
    outputs[k] = value + self->fields[k].offset;
  }
  rh_exprs_eval(self->combine, variables, 0, 1, NULL, outputs);
  memcpy(a, value, self->op.value_size);
}

void rh_custom_combine_all(const rh_custom *self, const void *a, const void *b, void *result,
                           uint32_t n) {
  _Alignas(64) lanes a_lanes, b_lanes, made;
  const void *variables[2 * RH_MOST_FIELDS] = {NULL};
  void *outputs[RH_MOST_FIELDS] = {NULL};
  for (uint32_t k = 0; k < self->n_fields; k++) {
    variables[k] = a_lanes[k];
    variables[self->n_fields + k] = b_lanes[k];
    outputs[k] = made[k];
  }
  for (uint32_t done = 0, count; done < n; done += count) {
    size_t at = (size_t)done * RH_ANY_VALUE_BYTES;
    count = n - done < LANES ? n - done : LANES;
    for (uint32_t k = 0; k < self->n_fields; k++) {
      uint32_t size = rh_type_size(self->fields[k].type);
      const size_t from = at + self->fields[k].offset;
      rh_take_words((const char *)a + from, RH_ANY_VALUE_BYTES, size, count, a_lanes[k]);
      rh_take_words((const char *)b + from, RH_ANY_VALUE_BYTES, size, count, b_lanes[k]);
    }
    rh_exprs_eval(self->combine, variables, 0, count, NULL, outputs);
    memset((char *)result + at, 0, (size_t)count * RH_ANY_VALUE_BYTES);
    for (uint32_t k = 0; k < count; k++)
      get(self, made, k, (char *)result + at + (size_t)k * RH_ANY_VALUE_BYTES);
  }
}

void rh_custom_load(const rh_custom *self, void *value, const rh_arrays *arrays, uint64_t index) {
  void *outputs[RH_MOST_FIELDS] = {NULL};
  for (uint32_t k = 0; k < self->n_fields; k++) outputs[k] = (char *)value + self->fields[k].offset;
  rh_custom_load_fields(self, arrays, index, 1, outputs);
}

void rh_custom_fold(const rh_custom *self, void *accumulator, const rh_arrays *arrays,
                    uint64_t first, uint64_t n) {
  _Alignas(64) lanes loaded;
  void *outputs[RH_MOST_FIELDS] = {NULL};
  _Alignas(16) unsigned char value[RH_ANY_VALUE_BYTES];
  for (uint32_t k = 0; k < self->n_fields; k++) outputs[k] = loaded[k];
  for (uint64_t end = first + n; first < end; first += LANES) {
    uint64_t count = end - first < LANES ? end - first : LANES;
    rh_custom_load_fields(self, arrays, first, count, outputs);
    for (uint64_t k = 0; k < count; k++) {
      get(self, loaded, k, value);
      rh_custom_combine(self, accumulator, value);
    }
  }
}

/* ---- For the host ---- */

static void map_elements(const rh_operator *face, const rh_arrays *arrays, uint64_t first,
                         uint64_t n, void *to) {
  rh_custom_load_fields(rh_custom_of(face), arrays, first, n, &to);
}

static int enclose(const rh_operator *face, uint32_t field, const rh_arrays *arrays, uint64_t first,
                   uint64_t n, const double *host, double *low, double *high) {
  const rh_custom *self = rh_custom_of(face);
  const void *operands[RH_MOST_OPERANDS] = {NULL};
  double part = face->is_struct ? (double)INFINITY : face->map_error;
  for (uint64_t j = 0; j < n && isfinite(part); j++) {
    rh_interval a = rh_interval_widen(face->type, part, (rh_interval){host[j], host[j]});
    low[j] = a.low;
    high[j] = a.high;
  }
  if (isfinite(part)) return 0;
  find_operands(self, arrays, first, operands);
  return rh_exprs_enclose(self->load, field, operands, base_of(self, arrays) + first, n,
                          arrays->constants, low, high);
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
    .enclose = enclose,
    .decode = rh_custom_decode,
    .results = rh_custom_results,
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
    op->combine_with = rh_custom_combine;
    op->reduce = reduce;
  } else {
    op->combine = rh_op_find(self->face.base, self->face.type)->combine;
    op->map = map;
  }
}
