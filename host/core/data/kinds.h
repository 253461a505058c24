/* Kinds of generated data: one function per kind. */
#pragma once

#include <redhost/redhost.h>

/* Everything that an element depends on besides its index. */
typedef struct rh_recipe {
  uint64_t n;   /* at least 1 */
  uint64_t key; /* the seed, mixed */

  /* The type. */
  uint32_t bits;            /* of one element */
  uint32_t is_signed;       /* integers only */
  uint64_t largest_integer; /* of the type; of floats: meaningless */
  uint32_t digits;          /* binary digits of a float's significand, the hidden one included */
  double ulp;               /* 2^-digits */
  double largest, smallest; /* of a float: the largest finite value, the smallest subnormal one */

  /* Values that depend on the seed only. */
  uint64_t place, other_place; /* two indices, different where n > 1 */
  uint64_t coin;               /* random bits */
} rh_recipe;

typedef struct rh_kind {
  const char *name;
  double (*real)(const rh_recipe *recipe, uint64_t i); /* exact in the type, or rounded to it */
  uint64_t (*integer)(const rh_recipe *recipe, uint64_t i); /* cut to the type's low bits */
} rh_kind;

/* Null for an unknown name. */
const rh_kind *rh_kind_find(const char *name);

rh_recipe rh_recipe_make(uint64_t seed, rh_type type, uint64_t n);
