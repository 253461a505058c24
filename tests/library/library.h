/* What the tests of the library share: redhost open on the plugins that were built, and answers to
 * compare with. */
#ifndef TESTS_LIBRARY_H
#define TESTS_LIBRARY_H

#include "../../host/library/library.h"
#include "../suite/suite.h"

static rh_redhost *redhost;

/* A call that writes nothing shows. */
static inline rh_result *spoilt(rh_result *any) {
  memset(any, 0x55, sizeof *any);
  any->struct_size = sizeof *any;
  return any;
}

/* An operator in OpenCL C: the sum of the squares, and the index of the last element above 0. */
static const char squares_and_last[] =
    "{\"redhost\": \"operator/1\", \"name\": \"last\", \"operands\": [\"x\"],"
    " \"value\": {\"squares\": \"f64\", \"last\": \"i64\"},"
    " \"claims\": [\"associative\", \"commutative\"], \"source\": ["
    "\"rh_value rh_identity(void) { rh_value v = {0, -1}; return v; }\","
    "\"rh_value rh_load(rh_x x, ulong i) {\","
    "\"  rh_value v = {(double)x*x, x > 0 ? (long)i : -1};\","
    "\"  return v;\","
    "\"}\","
    "\"rh_value rh_combine(rh_value a, rh_value b) {\","
    "\"  a.squares += b.squares;\","
    "\"  a.last = max(a.last, b.last);\","
    "\"  return a;\","
    "\"}\"]}";

static inline rh_redhost *open_with(rh_options options) {
  rh_redhost *opened;
  options.struct_size = sizeof options;
  options.program = getenv("REDHOST_TEST_PROGRAM");
  if (!options.plugin_path) options.plugin_path = getenv("REDHOST_TEST_PLUGINS");
  must(rh_open(&opened, &options, &error));
  return opened;
}

static inline rh_redhost *open_on(struct _cl_command_queue *queue, const char *zoo) {
  char file[4096];
  const char *folder = getenv("REDHOST_TEST_ZOO");
  if (zoo) snprintf(file, sizeof file, "%s/%s.so", folder ? folder : ".", zoo);
  return open_with((rh_options){.plugin_file = zoo ? file : NULL, .queue = queue});
}

static inline void set_up(void) { redhost = open_on(NULL, NULL); }

static inline void tear_down(void) {
  rh_close(redhost);
  redhost = NULL;
}

/* Whose properties a test may change before it is used. */
static inline rh_cl_device *the_device(void) {
  const rh_cl_device *device;
  must(rh_context_device(redhost->context, &device, &error));
  return (rh_cl_device *)device;
}

/* Of n elements, by a strategy; for a call that is prepared, `data` is null. */
static inline rh_request request_for(const char *strategy, const char *op, rh_type type,
                                     const void *data, uint64_t n) {
  return SIZED(rh_request, .strategy = strategy, .op = op, .type = type, .data = data, .n = n);
}

static inline rh_prepared *prepare(rh_redhost *with, const rh_request *spec) {
  rh_prepared *prepared;
  must(rh_prepare(with, spec, &prepared, &error));
  return prepared;
}

/* `value` is it, whatever the operator and its finalizer. */
static inline void check_first_result(const rh_result *found) {
  if (!found->n_fields) return;
  ck_assert_uint_eq(found->type, found->fields[0].type);
  ck_assert_uint_eq(found->value.u, found->fields[0].value.u);
}

static inline void must_be_same(const rh_result *found, const rh_result *one, const char *what) {
  ck_assert_msg(found->type == one->type && found->indexed == one->indexed &&
                    found->n_fields == one->n_fields,
                "%s: a result of another kind", what);
  ck_assert_msg(found->value.u == one->value.u, "%s: %a instead of %a", what, found->value.f,
                one->value.f);
  if (one->indexed)
    ck_assert_msg(found->index == one->index, "%s: index %llu instead of %llu", what,
                  (unsigned long long)found->index, (unsigned long long)one->index);
  ck_assert_msg(memcmp(found->fields, one->fields, one->n_fields * sizeof *one->fields) == 0,
                "%s: other fields, such as %a instead of %a", what, found->fields[0].value.f,
                one->fields[0].value.f);
}

static inline rh_status reduce_arrays(rh_prepared *prepared, uint32_t n_operands,
                                      const void *const *arrays, uint64_t n, rh_result *to,
                                      rh_error *why) {
  const rh_call_spec call = SIZED(rh_call_spec, .n_operands = n_operands, .arrays = arrays, .n = n);
  return rh_prepared_call(prepared, &call, to, why);
}

static inline rh_status reduce_buffer(rh_prepared *prepared, struct _cl_mem *buffer, uint64_t first,
                                      uint64_t n, rh_result *to, rh_error *why) {
  const rh_call_spec call = SIZED(rh_call_spec, .buffers = &buffer, .first = &first, .n = n);
  return rh_prepared_call(prepared, &call, to, why);
}

static inline rh_status enqueue_buffer(rh_prepared *prepared, struct _cl_mem *buffer,
                                       uint64_t first, uint64_t n, struct _cl_mem *values,
                                       uint64_t index, rh_error *why) {
  const rh_call_spec call = SIZED(rh_call_spec, .buffers = &buffer, .first = &first, .n = n,
                                  .values = values, .index = index);
  return rh_prepared_call(prepared, &call, NULL, why);
}

/* By the sequential loop, which rh_reduce() checks. */
static inline rh_result expected(const char *op, rh_type type, const void *data, uint64_t n) {
  rh_request request = request_for("serial", op, type, data, n);
  rh_result right = {.struct_size = sizeof right};
  must(rh_reduce(redhost, &request, &right, &error));
  return right;
}

#endif
