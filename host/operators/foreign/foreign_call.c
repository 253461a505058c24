#include "foreign.h"

static ffi_type *ffi_type_of(const rh_ctype *type) {
  static ffi_type *const integers[][2] = {{&ffi_type_sint8, &ffi_type_uint8},
                                          {&ffi_type_sint16, &ffi_type_uint16},
                                          {&ffi_type_sint32, &ffi_type_uint32},
                                          {&ffi_type_sint64, &ffi_type_uint64}};
  if (!type) return &ffi_type_void;
  if (type->kind == RH_CTYPE_POINTER) return &ffi_type_pointer;
  if (type->kind == RH_CTYPE_FLOAT)
    return type->size == sizeof(float) ? &ffi_type_float : &ffi_type_double;
  int log2 = type->size == 1 ? 0 : type->size == 2 ? 1 : type->size == 4 ? 2 : 3;
  return integers[log2][type->kind == RH_CTYPE_UNSIGNED];
}

rh_status rh_foreign_call_init(rh_foreign_call *call, const rh_foreign *foreign,
                               void (*function)(void), rh_error *error) {
  memset(call, 0, sizeof *call);
  call->foreign = foreign;
  call->function = function;
  for (uint32_t k = 0; k < foreign->n_arguments; k++)
    call->types[k] = foreign->arguments[k].role == RH_ROLE_RESULT
                         ? &ffi_type_pointer
                         : ffi_type_of(foreign->arguments[k].type);
  if (ffi_prep_cif(&call->interface, FFI_DEFAULT_ABI, foreign->n_arguments,
                   ffi_type_of(foreign->returns.type), call->types) == FFI_OK)
    return RH_OK;
  return rh_fail(error, RH_E_PLUGIN, "arguments: libffi cannot call such a function here");
}

/* A call's return value as libffi writes it: integers are widened to a word. */
typedef union returned {
  ffi_arg word;
  rh_cvalue value;
} returned;

static rh_number number_returned(const rh_ctype *type, const returned *from) {
  rh_cvalue value = from->value;
  if (rh_ctype_is_integer(type) && type->size < sizeof(ffi_arg))
    rh_ctype_store(type, &value, from->word);
  return rh_ctype_load(type, &value);
}

static rh_status judge_index(const rh_foreign *foreign, uint64_t n, rh_number *index, char *why,
                             size_t bytes) {
  uint64_t said = index->u;
  index->u -= foreign->base;
  if (index->u < n) return RH_OK;
  snprintf(why, bytes,
           "%s gives the index %" PRId64 " of %" PRIu64 " elements, counted from %" PRIu64,
           foreign->symbol, (int64_t)said, n, foreign->base);
  return RH_E_PLUGIN;
}

/* Magnitudes are passed through load(), which would hide a wrong sign. */
static rh_status judge_magnitude(const rh_foreign *foreign, const rh_number *result, char *why,
                                 size_t bytes) {
  int is_signed = foreign->result_type->kind == RH_CTYPE_SIGNED;
  if (foreign->op != RH_OP_amax || !(result->f < 0 || (is_signed && (int64_t)result->u < 0)))
    return RH_OK;
  snprintf(why, bytes, "%s returned a negative number, which is not a magnitude", foreign->symbol);
  return RH_E_PLUGIN;
}

rh_status rh_foreign_call_run(const rh_foreign_call *call, const void *data, uint64_t n,
                              rh_number *result, char *why, size_t bytes) {
  const rh_foreign *foreign = call->foreign;
  rh_cvalue values[RH_FOREIGN_MOST_ARGUMENTS], written;
  void *pointers[RH_FOREIGN_MOST_ARGUMENTS];
  returned back = {0};
  /* NaN or an invalid index, to detect a result that was not written */
  memset(&written, 0xff, sizeof written);
  for (uint32_t k = 0; k < foreign->n_arguments; k++) {
    const rh_foreign_value *argument = &foreign->arguments[k];
    values[k] = argument->constant;
    if (argument->role == RH_ROLE_N) rh_ctype_store(argument->type, &values[k], n);
    if (argument->role == RH_ROLE_STRIDE) rh_ctype_store(argument->type, &values[k], 1);
    if (argument->role == RH_ROLE_DATA) values[k].pointer = data;
    if (argument->role == RH_ROLE_RESULT) values[k].pointer = &written;
    pointers[k] = &values[k];
  }
  /* libffi's parameters lack const. */
  ffi_call((ffi_cif *)&call->interface, call->function, &back, pointers);
  if (foreign->returns.role == RH_ROLE_RESULT)
    *result = number_returned(foreign->returns.type, &back);
  else
    *result = rh_ctype_load(foreign->result_type, &written);
  if (foreign->returns.role == RH_ROLE_STATUS) {
    int64_t status = (int64_t)number_returned(foreign->returns.type, &back).u;
    if (status != 0) {
      snprintf(why, bytes, "%s returns status %" PRId64, foreign->symbol, status);
      return RH_E_PLUGIN;
    }
  }
  if (rh_op_flags(foreign->op, foreign->type) & RH_OP_INDEXED)
    return judge_index(foreign, n, result, why, bytes);
  return judge_magnitude(foreign, result, why, bytes);
}
