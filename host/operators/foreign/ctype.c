#include "ctype.h"

#include <stddef.h>
#include <string.h>

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

void rh_ctype_store(const rh_ctype *type, rh_cvalue *to, uint64_t integer) {
  switch (type->size) {
  case 1: to->u8 = (uint8_t)integer; break;
  case 2: to->u16 = (uint16_t)integer; break;
  case 4: to->u32 = (uint32_t)integer; break;
  default: to->u64 = integer; break;
  }
}

static uint64_t load_signed(const rh_ctype *type, const rh_cvalue *from) {
  switch (type->size) {
  case 1: return (uint64_t)(int8_t)from->u8;
  case 2: return (uint64_t)(int16_t)from->u16;
  case 4: return (uint64_t)(int32_t)from->u32;
  default: return from->u64;
  }
}

static uint64_t load_unsigned(const rh_ctype *type, const rh_cvalue *from) {
  switch (type->size) {
  case 1: return from->u8;
  case 2: return from->u16;
  case 4: return from->u32;
  default: return from->u64;
  }
}

rh_number rh_ctype_load(const rh_ctype *type, const rh_cvalue *from) {
  rh_number number = {0};
  if (type->kind == RH_CTYPE_FLOAT)
    number.f = type->size == sizeof from->f32 ? (double)from->f32 : from->f64;
  else if (type->kind == RH_CTYPE_SIGNED)
    number.u = load_signed(type, from);
  else
    number.u = load_unsigned(type, from);
  return number;
}
