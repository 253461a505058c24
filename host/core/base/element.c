#include "base.h"

/* X(type, what it is in memory, what it is as 8 bytes) */
#define ELEMENTS(X)                                                                                \
  X(i8, int8_t, int64_t)                                                                           \
  X(u8, uint8_t, uint64_t)                                                                         \
  X(i16, int16_t, int64_t)                                                                         \
  X(u16, uint16_t, uint64_t)                                                                       \
  X(i32, int32_t, int64_t)                                                                         \
  X(u32, uint32_t, uint64_t)                                                                       \
  X(i64, int64_t, int64_t)                                                                         \
  X(u64, uint64_t, uint64_t)                                                                       \
  X(f32, float, double)                                                                            \
  X(f64, double, double)

uint32_t rh_element_load(rh_type type, const void *from, void *word) {
  switch (type) {
#define LOAD(type, element, wide)                                                                  \
  case RH_TYPE_##type: {                                                                           \
    element x;                                                                                     \
    memcpy(&x, from, sizeof x);                                                                    \
    wide y = x;                                                                                    \
    memcpy(word, &y, sizeof y);                                                                    \
    break;                                                                                         \
  }
    ELEMENTS(LOAD)
  default: {
    uint16_t half;
    memcpy(&half, from, sizeof half);
    double y = rh_half_to_float(half);
    memcpy(word, &y, sizeof y);
  }
  }
  return rh_type_size(type);
}

uint32_t rh_element_store(rh_type type, const void *word, void *to) {
  switch (type) {
#define STORE(type, element, wide)                                                                 \
  case RH_TYPE_##type: {                                                                           \
    wide y;                                                                                        \
    memcpy(&y, word, sizeof y);                                                                    \
    element x = (element)y;                                                                        \
    memcpy(to, &x, sizeof x);                                                                      \
    break;                                                                                         \
  }
    ELEMENTS(STORE)
  default: {
    double y;
    memcpy(&y, word, sizeof y);
    uint16_t half = rh_half_from_float((float)y);
    memcpy(to, &half, sizeof half);
  }
  }
  return rh_type_size(type);
}

double rh_word_number(rh_type type, const void *word) {
  uint64_t bits;
  double number;
  memcpy(&bits, word, sizeof bits);
  memcpy(&number, word, sizeof number);
  if (rh_type_is_float(type)) return number;
  return rh_type_is_signed(type) ? (double)(int64_t)bits : (double)bits;
}
