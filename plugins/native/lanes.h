/* The interface of lanes_512.c, lanes_256vl.c, lanes_256.c and lanes_128.c: the same inner loops on
 * vectors of 512, 256 and 128 bits; and the choice of one of them. */
#ifndef NATIVE_LANES_H
#define NATIVE_LANES_H

#include <redhost/canonical.h>

/* In all of these, `pages` is the way through memory, which changes no bit: 1 reads one page after
 * the other, and more of them are read in turn.  NATIVE_IN_STEP reads one after the other, too, and
 * a few lines only when those before have come, in loops that can. */
enum { NATIVE_IN_STEP = 0 };

enum { NATIVE_TYPES = RH_TYPE_f64 + 1 };

/* Folds n >= 1 elements to a value: sums, and products of integers, as the host holds them, 64-bit
 * integers or floats. */
typedef void rh_native_fold(const void *elements, uint64_t n, unsigned pages, void *value);

/* Sums of n >= 1 elements in tiles of 4 rows of `row` elements, a power of two from 64 to 512: what
 * a map makes of operands whose elements have another size. */
typedef void rh_native_fold_rows(const void *elements, uint64_t n, uint64_t row, void *value);

/* The sum of what a form (RH_FORM_*) makes of n >= 1 elements of a and b, each of the type. */
typedef void rh_native_fold_two(const void *a, const void *b, uint64_t n, unsigned pages,
                                void *value);
enum { NATIVE_FORMS = RH_FORM_SQUARED_DISTANCE + 1 };

/* The value of a whole tile, whose bytes the host's value has.  0: it has elements that need more
 * care. */
typedef int rh_native_tile_of(const void *elements, void *value);
enum { NATIVE_PROD_BYTES = 16 }; /* of a product's value: mantissa and exponent */

/* The extremes of n >= 1 elements; min, max, amax and their arg* are all derived from them. */
typedef struct rh_native_range {
  /* In the type's order, sign-extended, as far as wanted.  For floats, their bits as unsigned
   * numbers, and `least` is 0 if it is wanted and some are below 0, or if the most is wanted and
   * some are not. */
  uint64_t least, most;
  int64_t signed_most; /* for floats: their bits as signed numbers */
} rh_native_range;
/* `wanted`: the least, for min and argmin; the most, for max and argmax; or both, for
 * magnitudes. */
enum { NATIVE_LEAST = 1, NATIVE_MOST = 2 };
typedef void rh_native_range_of(const void *elements, uint64_t n, int wanted, unsigned pages,
                                rh_native_range *range);

/* The extremes of the distances of n >= NATIVE_LEAST_DISTANCES elements of a and b. */
typedef void rh_native_distances(const void *a, const void *b, uint64_t n, int wanted,
                                 unsigned pages, rh_native_range *range);
enum { NATIVE_LEAST_DISTANCES = 64 };

/* Loops over n lanes side by side, whose elements meet in an order that the caller brings about.
 * A lane's value is the host's, or has two parts: a key and the row that it stands in, or a
 * mantissa and an exponent; the second parts, as long as the first, stand `beside` bytes behind
 * them. */
typedef struct rh_native_across {
  /* to[j] = the value of element j of x. */
  void (*one)(const void *x, uint64_t n, void *to, uint64_t beside);
  /* to[j] = that of elements j of four arrays, or of eight: of the first two, of the next two, of
   * these, and so on.  They stand `apart` rows apart in their lane, where rows count. */
  void (*four)(const void *const *x, uint64_t apart, uint64_t n, void *to, uint64_t beside);
  void (*eight)(const void *const *x, uint64_t apart, uint64_t n, void *to, uint64_t beside);
  /* a[j] = a[j] and b[j] combined, whose elements begin `more` rows below those of a. */
  void (*merge)(void *a, const void *b, uint64_t more, uint64_t n, uint64_t beside);
  uint32_t bytes; /* of a part; 0: there are no such loops */
  uint32_t parts;
} rh_native_across;

/* Behind the operators: sums of f32 as f64, the type that it stands by. */
enum { NATIVE_SUM_WIDE = RH_OP_argamax + 1 };

/* By operator and type: by vectors of 256 bits, which are all that memory and the nearest caches
 * feed, and of 128. */
extern const rh_native_across rh_native_across_256[][NATIVE_TYPES],
    rh_native_across_128[][NATIVE_TYPES];

/* The index of the first of n elements whose bits equal a or b; n if there is none. */
typedef uint64_t rh_native_find(const void *elements, uint64_t n, uint64_t a, uint64_t b);

typedef struct rh_native_lanes {
  rh_native_fold *sum[NATIVE_TYPES], *asum[NATIVE_TYPES], *prod[NATIVE_TYPES];
  rh_native_tile_of *prod_tile[NATIVE_TYPES]; /* of floats */
  /* n counts bytes; the value is an 8-byte word, whose elements the caller combines. */
  rh_native_fold *and_bytes, *or_bytes, *xor_bytes;
  rh_native_fold_rows *sum_rows[NATIVE_TYPES], *asum_rows[NATIVE_TYPES]; /* floats */
  rh_native_range_of *range[NATIVE_TYPES];
  rh_native_fold_two *sum_of[NATIVE_FORMS][NATIVE_TYPES]; /* floats */
  /* Sums of what two forms make of f32 as f64. */
  rh_native_fold_two *sum_wide, *sum_wide_products;
  rh_native_distances *distances[NATIVE_TYPES]; /* floats */
  rh_native_find *find[NATIVE_TYPES];
  int can_step; /* sums of floats, of elements or of what a form makes of them */
} rh_native_lanes;

extern const rh_native_lanes rh_native_lanes_128, rh_native_lanes_256, rh_native_lanes_256vl,
    rh_native_lanes_512;

/* In the order of the parameter's choices.  256VL: vectors of 256 bits in the registers of AVX-512,
 * of which there are twice as many. */
enum { NATIVE_AUTO, NATIVE_512, NATIVE_256, NATIVE_128, NATIVE_256VL };

/* The loops of this kind, or the widest below that this processor supports.  NATIVE_AUTO: the
 * fastest for this operator; where it has AVX-512, they are measured, in 1 ms, once.
 * [any thread] */
const rh_native_lanes *rh_native_lanes_find(unsigned vectors, uint32_t op, rh_type type);

const rh_native_across *rh_native_across_find(unsigned vectors, uint32_t op, rh_type type);

/* The canonical order of docs/inside/bits.md, in which sums and products of floats are folded. */
enum { NATIVE_ROW_BYTES = RH_CANONICAL_ROW_BYTES, NATIVE_TILE_BYTES = RH_CANONICAL_TILE_BYTES };

/* Converts a half's bits to float. */
float rh_native_half(uint16_t bits);

#endif
