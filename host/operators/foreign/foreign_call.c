#include "foreign.h"

/* ---- Types in C ---- */

/* X(name, type, libffi's type) */
#define CTYPES(X)                                                                                  \
  X("i8", RH_TYPE_i8, ffi_type_sint8)                                                              \
  X("u8", RH_TYPE_u8, ffi_type_uint8)                                                              \
  X("i16", RH_TYPE_i16, ffi_type_sint16)                                                           \
  X("u16", RH_TYPE_u16, ffi_type_uint16)                                                           \
  X("i32", RH_TYPE_i32, ffi_type_sint32)                                                           \
  X("u32", RH_TYPE_u32, ffi_type_uint32)                                                           \
  X("i64", RH_TYPE_i64, ffi_type_sint64)                                                           \
  X("u64", RH_TYPE_u64, ffi_type_uint64)                                                           \
  X("f32", RH_TYPE_f32, ffi_type_float)                                                            \
  X("f64", RH_TYPE_f64, ffi_type_double)                                                           \
  X("int", RH_TYPE_i32, ffi_type_sint)                                                             \
  X("unsigned", RH_TYPE_u32, ffi_type_uint)                                                        \
  X("long", RH_TYPE_i64, ffi_type_slong)                                                           \
  X("size_t", RH_TYPE_u64, ffi_type_ulong)                                                         \
  X("float", RH_TYPE_f32, ffi_type_float)                                                          \
  X("double", RH_TYPE_f64, ffi_type_double)                                                        \
  X("pointer", 0, ffi_type_pointer)

_Static_assert(sizeof(int) == 4 && sizeof(long) == 8 && sizeof(size_t) == 8, "as the table says");
#define X(name, type, ffi) {name, type, &ffi},
static const rh_ctype types[] = {CTYPES(X)};
#undef X

const rh_ctype *rh_ctype_find(const char *name) {
  for (size_t k = 0; k < sizeof types / sizeof *types; k++)
    if (strcmp(types[k].name, name) == 0) return &types[k];
  return NULL;
}

const char *rh_ctype_names(void) {
#define X(name, type, ffi) " " name
  static const char names[] = CTYPES(X);
#undef X
  return names + 1;
}

int rh_ctype_is_integer(const rh_ctype *type) {
  return type->type && !rh_type_is_float(type->type);
}

uint64_t rh_ctype_max(const rh_ctype *type) {
  return UINT64_MAX >>
         (64 - 8 * rh_type_size(type->type) + (uint32_t)rh_type_is_signed(type->type));
}

/* ---- Calls ---- */

rh_status rh_foreign_bind(rh_foreign *foreign, void (*function)(void), rh_error *error) {
  foreign->function = function;
  for (uint32_t k = 0; k < foreign->n_arguments; k++)
    foreign->types[k] = foreign->arguments[k].role == RH_ROLE_RESULT
                            ? &ffi_type_pointer
                            : foreign->arguments[k].type->ffi;
  if (ffi_prep_cif(&foreign->interface, FFI_DEFAULT_ABI, foreign->n_arguments,
                   foreign->returns.type ? foreign->returns.type->ffi : &ffi_type_void,
                   foreign->types) == FFI_OK)
    return RH_OK;
  return rh_fail(error, RH_E_PLUGIN, "arguments: libffi cannot call such a function here");
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
  if (foreign->op != RH_OP_amax || !(rh_word_number(foreign->result_type->type, result) < 0))
    return RH_OK;
  snprintf(why, bytes, "%s returned a negative number, which is not a magnitude", foreign->symbol);
  return RH_E_PLUGIN;
}

rh_status rh_foreign_call(const rh_foreign *foreign, const void *data, uint64_t n,
                          rh_number *result, char *why, size_t bytes) {
  static const uint64_t one = 1;
  rh_cvalue values[RH_FOREIGN_MOST_ARGUMENTS], written;
  void *pointers[RH_FOREIGN_MOST_ARGUMENTS];
  /* libffi widens integers to a word, and all of redhost's machines begin with the low byte. */
  ffi_arg back = 0;
  /* NaN or an invalid index, to detect a result that was not written */
  memset(&written, 0xff, sizeof written);
  for (uint32_t k = 0; k < foreign->n_arguments; k++) {
    const rh_foreign_value *argument = &foreign->arguments[k];
    values[k] = argument->constant;
    if (argument->role == RH_ROLE_N) rh_element_store(argument->type->type, &n, &values[k]);
    if (argument->role == RH_ROLE_STRIDE) rh_element_store(argument->type->type, &one, &values[k]);
    if (argument->role == RH_ROLE_DATA) values[k].pointer = data;
    if (argument->role == RH_ROLE_RESULT) values[k].pointer = &written;
    pointers[k] = &values[k];
  }
  /* libffi's parameters lack const. */
  ffi_call((ffi_cif *)&foreign->interface, foreign->function, &back, pointers);
  int is_returned = foreign->returns.role == RH_ROLE_RESULT;
  rh_element_load(foreign->result_type->type, is_returned ? (void *)&back : &written, result);
  if (foreign->returns.role == RH_ROLE_STATUS) {
    int64_t status;
    rh_element_load(foreign->returns.type->type, &back, &status);
    if (status != 0) {
      snprintf(why, bytes, "%s returns status %" PRId64, foreign->symbol, status);
      return RH_E_PLUGIN;
    }
  }
  if (rh_op_flags(foreign->op, foreign->type) & RH_OP_INDEXED)
    return judge_index(foreign, n, result, why, bytes);
  return judge_magnitude(foreign, result, why, bytes);
}
