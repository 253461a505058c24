/* C types by name, as used in descriptions of foreign functions, and values of these types. */
#pragma once

#include <stdint.h>

enum { RH_CTYPE_SIGNED, RH_CTYPE_UNSIGNED, RH_CTYPE_FLOAT, RH_CTYPE_POINTER };

typedef struct rh_ctype {
  const char *name;
  uint32_t kind, size;
} rh_ctype;

/* The value of one argument or result, as in memory. */
typedef union rh_cvalue {
  uint8_t u8;
  uint16_t u16;
  uint32_t u32;
  uint64_t u64;
  float f32;
  double f64;
  const void *pointer;
} rh_cvalue;

/* A number without its type: integers in `u`, sign-extended, and floats in `f`. */
typedef struct rh_number {
  uint64_t u;
  double f;
} rh_number;

const rh_ctype *rh_ctype_find(const char *name); /* null for an unknown name */
const char *rh_ctype_names(void);                /* all of them, in one line for people */
int rh_ctype_is_integer(const rh_ctype *type);
uint64_t rh_ctype_max(const rh_ctype *type); /* of an integer type */

/* An integer, cut to the type. */
void rh_ctype_store(const rh_ctype *type, rh_cvalue *to, uint64_t integer);
rh_number rh_ctype_load(const rh_ctype *type, const rh_cvalue *from);
