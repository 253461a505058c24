#include "foreign.h"

/* X(name, kind, type in C) */
#define CTYPES(X)                                                                                  \
  X("i8", SIGNED, int8_t)                                                                          \
  X("u8", UNSIGNED, uint8_t)                                                                       \
  X("i16", SIGNED, int16_t)                                                                        \
  X("u16", UNSIGNED, uint16_t)                                                                     \
  X("i32", SIGNED, int32_t)                                                                        \
  X("u32", UNSIGNED, uint32_t)                                                                     \
  X("i64", SIGNED, int64_t)                                                                        \
  X("u64", UNSIGNED, uint64_t)                                                                     \
  X("f32", FLOAT, float)                                                                           \
  X("f64", FLOAT, double)                                                                          \
  X("int", SIGNED, int)                                                                            \
  X("unsigned", UNSIGNED, unsigned)                                                                \
  X("long", SIGNED, long)                                                                          \
  X("size_t", UNSIGNED, size_t)                                                                    \
  X("float", FLOAT, float)                                                                         \
  X("double", FLOAT, double)                                                                       \
  X("pointer", POINTER, void *)

#define X(name, kind, type) {name, RH_CTYPE_##kind, sizeof(type)},
static const rh_ctype types[] = {CTYPES(X)};
#undef X

const rh_ctype *rh_ctype_find(const char *name) {
  for (size_t k = 0; k < sizeof types / sizeof *types; k++)
    if (strcmp(types[k].name, name) == 0) return &types[k];
  return NULL;
}

const char *rh_ctype_names(void) {
#define X(name, kind, type) " " name
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
