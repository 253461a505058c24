/* The operator's functions on the host.  Values are kept as one array for each field while they
 * are combined, so that each operation of an expression is a loop over lanes. */
#include "internal.h"

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

/* The same as the expressions, of values of three fields or four. */
static void combine_moments(void *a, const void *b, size_t size) {
  rh_moments left = {0}, right = {0};
  memcpy(&left, a, size);
  memcpy(&right, b, size);
  if (right.n == 0) return;
  if (left.n > 0) right = rh_moments_of_both(left, right);
  memcpy(a, &right, size);
}

void rh_custom_combine(const void *user, void *a, const void *b) {
  const rh_custom *self = user;
  if (self->code) {
    rh_on_device_combine(self->code->device, a, b);
    return;
  }
  if (self->is_moments) {
    combine_moments(a, b, self->op.value_size);
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

int rh_custom_enclose(const rh_operator *face, uint32_t field, const rh_arrays *arrays,
                      uint64_t first, uint64_t n, const double *host, double *low, double *high) {
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
