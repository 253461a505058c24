#include "foreign.h"

/* ---- Types in C ---- */

/* X(name, kind, type in C, libffi's type); a size_t is an unsigned long. */
#define CTYPES(X)                                                                                  \
  X("i8", SIGNED, int8_t, ffi_type_sint8)                                                          \
  X("u8", UNSIGNED, uint8_t, ffi_type_uint8)                                                       \
  X("i16", SIGNED, int16_t, ffi_type_sint16)                                                       \
  X("u16", UNSIGNED, uint16_t, ffi_type_uint16)                                                    \
  X("i32", SIGNED, int32_t, ffi_type_sint32)                                                       \
  X("u32", UNSIGNED, uint32_t, ffi_type_uint32)                                                    \
  X("i64", SIGNED, int64_t, ffi_type_sint64)                                                       \
  X("u64", UNSIGNED, uint64_t, ffi_type_uint64)                                                    \
  X("f32", FLOAT, float, ffi_type_float)                                                           \
  X("f64", FLOAT, double, ffi_type_double)                                                         \
  X("int", SIGNED, int, ffi_type_sint)                                                             \
  X("unsigned", UNSIGNED, unsigned, ffi_type_uint)                                                 \
  X("long", SIGNED, long, ffi_type_slong)                                                          \
  X("size_t", UNSIGNED, size_t, ffi_type_ulong)                                                    \
  X("float", FLOAT, float, ffi_type_float)                                                         \
  X("double", FLOAT, double, ffi_type_double)                                                      \
  X("pointer", POINTER, void *, ffi_type_pointer)

_Static_assert(sizeof(size_t) == sizeof(unsigned long), "as the table says");
#define X(name, kind, type, ffi) {name, RH_CTYPE_##kind, sizeof(type), &ffi},
static const rh_ctype types[] = {CTYPES(X)};
#undef X

const rh_ctype *rh_ctype_find(const char *name) {
  for (size_t k = 0; k < sizeof types / sizeof *types; k++)
    if (strcmp(types[k].name, name) == 0) return &types[k];
  return NULL;
}

const char *rh_ctype_names(void) {
#define X(name, kind, type, ffi) " " name
  static const char names[] = CTYPES(X);
#undef X
  return names + 1;
}

int rh_ctype_is_integer(const rh_ctype *type) {
  return type->kind == RH_CTYPE_SIGNED || type->kind == RH_CTYPE_UNSIGNED;
}

uint64_t rh_ctype_max(const rh_ctype *type) {
  return UINT64_MAX >> (64 - 8 * type->size + (type->kind == RH_CTYPE_SIGNED));
}

/* Of machines that begin with the low byte, as all of redhost's are. */
void rh_ctype_store(const rh_ctype *type, rh_cvalue *to, uint64_t integer) {
  memcpy(to, &integer, type->size);
}

rh_number rh_ctype_load(const rh_ctype *type, const rh_cvalue *from) {
  rh_number number = {0};
  uint32_t above = 64 - 8 * type->size;
  if (type->kind == RH_CTYPE_FLOAT) {
    number.f = type->size == sizeof from->f32 ? (double)from->f32 : from->f64;
    return number;
  }
  memcpy(&number.u, from, type->size);
  if (type->kind == RH_CTYPE_SIGNED) number.u = (uint64_t)((int64_t)(number.u << above) >> above);
  return number;
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

rh_status rh_foreign_call(const rh_foreign *foreign, const void *data, uint64_t n,
                          rh_number *result, char *why, size_t bytes) {
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
  ffi_call((ffi_cif *)&foreign->interface, foreign->function, &back, pointers);
  if (foreign->returns.role == RH_ROLE_RESULT)
    *result = number_returned(foreign->returns.type, &back);
  else *result = rh_ctype_load(foreign->result_type, &written);
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
