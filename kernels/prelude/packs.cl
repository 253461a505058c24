/* 16 bytes at a time, whatever the type.  A plugin enables this with -DRH_PACKS and -DRH_WIDTH=16,
 * 8, 4 or 2, the number of elements in 16 bytes.  With -DRH_BLOCKS, for a CPU whose work-items each
 * read a block of their own, a pack is as wide as a CPU's vectors are: 64 bytes, or 16 elements
 * where these are smaller.  Where the device can, small elements are combined several to a word.
 * Their partial sums stay narrow for a step of at most RH_MOST_PACKS packs and are widened after
 * it, before they can overflow.
 *
 *   rh_pack   16 bytes, or what RH_BLOCKS says, as they lie in memory
 *   rh_part   the combined packs of one step
 *   rh_total  the running result of a work-item
 *
 * Packs reorder, so their operators must commute, and are those that are built in. */
#if defined(RH_PACKS) && defined(RH_WIDTH) && !defined(RH_OP_affine) && !defined(RH_CUSTOM)

#define RH_MOST_PACKS 64
#define RH_VECTOR_OF(type) RH_PASTE(type, RH_WIDTH)
#if !defined(RH_BLOCKS)
typedef uint4 rh_pack;
#elif defined(RH_TYPE_f16)
typedef ushort16 rh_pack;
#else
typedef RH_VECTOR_OF(RH_ELEMENT) rh_pack;
#endif

/* ---- Elements in a pack ---- */

#if defined(RH_TYPE_f16)
#if RH_PTX >= 53
#define rh_pack_elements(p) RH_FLOATS_8(p)
#else
static inline RH_VECTOR_OF(float) rh_pack_elements(rh_pack p) {
  return RH_PASTE(vload_half, RH_WIDTH)(0, (const half *)&p);
}
#endif
#else
#define rh_pack_elements(p) RH_PASTE(as_, RH_VECTOR_OF(RH_ELEMENT))(p)
#endif
typedef RH_VECTOR_OF(RH_SCALAR) rh_scalars;
static inline rh_scalars rh_pack_scalars(rh_pack p) { return RH_KEPT(rh_pack_elements(p)); }

#if defined(RH_BLOCKS) && !defined(RH_IS_SCALED)
/* Halves to the end: a compiler that sees single lanes takes the vector apart. */
#if RH_WIDTH == 16
static inline RH_PASTE(RH_SCALAR, 8) rh_halve_16(rh_scalars v) { return RH_APPLY(v.lo, v.hi); }
#else
#define rh_halve_16(v) (v)
#endif
static inline RH_SCALAR rh_fold_scalars(rh_scalars v) {
  RH_PASTE(RH_SCALAR, 8) eight = rh_halve_16(v);
  RH_PASTE(RH_SCALAR, 4) four = RH_APPLY(eight.lo, eight.hi);
  RH_PASTE(RH_SCALAR, 2) two = RH_APPLY(four.lo, four.hi);
  return RH_APPLY(two.lo, two.hi);
}
#else
static inline RH_SCALAR rh_fold_scalars(rh_scalars v) {
  RH_SCALAR lanes[RH_WIDTH];
  RH_PASTE(vstore, RH_WIDTH)(v, 0, lanes);
  RH_SCALAR all = lanes[0];
#pragma unroll
  for (int k = 1; k < RH_WIDTH; k++) all = RH_APPLY(all, lanes[k]);
  return all;
}
#endif

/* ---- Parts ---- */

#if (defined(RH_OP_sum) || (defined(RH_OP_asum) && defined(RH_IS_UNSIGNED))) &&                    \
    !defined(RH_IS_FLOAT) &&                                                                       \
    (defined(RH_TYPE_i8) || defined(RH_TYPE_u8) || defined(RH_TYPE_i16) || defined(RH_TYPE_u16))
/* A step's partial sum in 32 bits: at most 64 packs * 16 elements * 255, or 64 * 8 * 65535, are
 * below 2^31. */
#define RH_NARROW_SUM 1
#ifdef RH_IS_UNSIGNED
#define RH_NARROW uint
#define RH_DOT "u32.u32"
#define RH_WIDEN convert_ulong
#else
#define RH_NARROW int
#define RH_DOT "s32.s32"
#define RH_WIDEN(x) as_ulong(convert_long(x))
#endif
#ifdef RH_BLOCKS
typedef RH_VECTOR_OF(RH_NARROW) rh_part;
static inline rh_part rh_pack_part(rh_pack p) {
  return RH_PASTE(RH_PASTE(convert_, RH_NARROW), RH_WIDTH)(p);
}
static inline rh_part rh_part_join(rh_part a, rh_part b) { return a + b; }
static inline RH_SCALAR rh_part_scalar(rh_part part) {
  RH_PASTE(RH_NARROW, 8) eight = part.lo + part.hi;
  RH_PASTE(RH_NARROW, 4) four = eight.lo + eight.hi;
  RH_PASTE(RH_NARROW, 2) two = four.lo + four.hi;
  return RH_WIDEN(two.lo + two.hi);
}
#else
typedef RH_NARROW rh_part;
static inline rh_part rh_word_sum(uint word, rh_part sum) {
#if defined(RH_TYPE_i8) || defined(RH_TYPE_u8)
#if RH_PTX >= 61
  rh_part more;
  asm("dp4a." RH_DOT " %0, %1, %2, %3;" : "=r"(more) : "r"(word), "r"(0x01010101), "r"(sum));
  return more;
#else
  RH_PASTE(RH_ELEMENT, 4) x = RH_PASTE(RH_PASTE(as_, RH_ELEMENT), 4)(word);
  return sum + x.x + x.y + x.z + x.w;
#endif
#elif RH_PTX >= 61
  rh_part more;
  asm("dp2a.lo." RH_DOT " %0, %1, %2, %3;" : "=r"(more) : "r"(word), "r"(0x0101), "r"(sum));
  return more;
#else
  RH_PASTE(RH_ELEMENT, 2) x = RH_PASTE(RH_PASTE(as_, RH_ELEMENT), 2)(word);
  return sum + x.x + x.y;
#endif
}
static inline rh_part rh_pack_part(rh_pack p) {
  return rh_word_sum(p.x, rh_word_sum(p.y, rh_word_sum(p.z, rh_word_sum(p.w, 0))));
}
static inline rh_part rh_part_join(rh_part a, rh_part b) { return a + b; }
static inline RH_SCALAR rh_part_scalar(rh_part part) { return RH_WIDEN(part); }
#endif

#elif defined(RH_IS_ORDER) && defined(RH_TYPE_f32) && RH_PTX >= 80
/* min.NaN and max.NaN agree with the order keys: NaN wins, and -0 is below +0.  They take one
 * instruction per element; the key is made once, at the end. */
typedef float rh_part;
#ifdef RH_IS_LEAST
#define RH_BEST "min.NaN.f32"
#else
#define RH_BEST "max.NaN.f32"
#endif
static inline rh_part rh_part_join(rh_part a, rh_part b) {
  rh_part best;
  asm(RH_BEST " %0, %1, %2;" : "=f"(best) : "f"(a), "f"(b));
  return best;
}
static inline rh_part rh_pack_part(rh_pack p) {
#ifdef RH_IS_MAGNITUDE
  p &= 0x7fffffffu;
#endif
  float4 x = as_float4(p);
  return rh_part_join(rh_part_join(x.x, x.y), rh_part_join(x.z, x.w));
}
static inline RH_SCALAR rh_part_scalar(rh_part part) { return RH_TO_SCALAR(part, ); }

#elif defined(RH_IS_ORDER) && defined(RH_TYPE_f16) && RH_PTX >= 80
/* The same for halves, two to a word. */
typedef uint rh_part;
#ifdef RH_IS_LEAST
#define RH_BEST "min.NaN.f16x2"
#else
#define RH_BEST "max.NaN.f16x2"
#endif
static inline rh_part rh_part_join(rh_part a, rh_part b) {
  rh_part best;
  asm(RH_BEST " %0, %1, %2;" : "=r"(best) : "r"(a), "r"(b));
  return best;
}
static inline rh_part rh_pack_part(rh_pack p) {
#ifdef RH_IS_MAGNITUDE
  p &= 0x7fff7fffu;
#endif
  return rh_part_join(rh_part_join(p.x, p.y), rh_part_join(p.z, p.w));
}
static inline RH_SCALAR rh_part_scalar(rh_part part) {
  float2 x = rh_floats_of(part);
  return RH_APPLY(RH_TO_SCALAR(x.x, ), RH_TO_SCALAR(x.y, ));
}

#elif defined(RH_IS_ORDER) && !defined(RH_IS_MAGNITUDE) && RH_PTX >= 90 &&                         \
    (defined(RH_TYPE_i8) || defined(RH_TYPE_u8) || defined(RH_TYPE_i16) || defined(RH_TYPE_u16))
/* Two 16-bit numbers to a word.  For bytes, the upper byte of a pair decides the comparison:
 * comparing the words as they are finds the best of the odd bytes, and comparing them shifted up by
 * one byte finds the best of the even bytes. */
#ifdef RH_IS_LEAST
#define RH_BEST_OF "min."
#else
#define RH_BEST_OF "max."
#endif
#ifdef RH_IS_UNSIGNED
#define RH_BEST RH_BEST_OF "u16x2"
#else
#define RH_BEST RH_BEST_OF "s16x2"
#endif
static inline uint rh_best_of(uint a, uint b) {
  uint best;
  asm(RH_BEST " %0, %1, %2;" : "=r"(best) : "r"(a), "r"(b));
  return best;
}
#if defined(RH_TYPE_i16) || defined(RH_TYPE_u16)
typedef uint rh_part;
static inline rh_part rh_part_join(rh_part a, rh_part b) { return rh_best_of(a, b); }
static inline rh_part rh_pack_part(rh_pack p) {
  return rh_best_of(rh_best_of(p.x, p.y), rh_best_of(p.z, p.w));
}
static inline RH_SCALAR rh_part_scalar(rh_part part) {
  RH_PASTE(RH_ELEMENT, 2) x = RH_PASTE(RH_PASTE(as_, RH_ELEMENT), 2)(part);
  return RH_APPLY((RH_SCALAR)x.x, (RH_SCALAR)x.y);
}
#else
typedef uint2 rh_part; /* odd bytes, even bytes */
static inline rh_part rh_part_join(rh_part a, rh_part b) {
  return (rh_part)(rh_best_of(a.x, b.x), rh_best_of(a.y, b.y));
}
static inline rh_part rh_pack_part(rh_pack p) {
  uint4 even = p << 8;
  return (rh_part)(rh_best_of(rh_best_of(p.x, p.y), rh_best_of(p.z, p.w)),
                   rh_best_of(rh_best_of(even.x, even.y), rh_best_of(even.z, even.w)));
}
static inline RH_SCALAR rh_part_scalar(rh_part part) {
  RH_PASTE(RH_ELEMENT, 4) x = RH_PASTE(RH_PASTE(as_, RH_ELEMENT), 4)(rh_best_of(part.x, part.y));
  return RH_APPLY((RH_SCALAR)x.y, (RH_SCALAR)x.w);
}
#endif

#elif defined(RH_IS_SCALED)
typedef rh_vector rh_part;
static inline rh_part rh_part_join(rh_part a, rh_part b) { return rh_vector_combine(a, b); }
static inline rh_part rh_pack_part(rh_pack p) { return rh_vector_of(rh_pack_scalars(p), 0, 1); }

#else
/* One lane for each element. */
typedef rh_scalars rh_part;
static inline rh_part rh_part_join(rh_part a, rh_part b) { return RH_APPLY(a, b); }
static inline rh_part rh_pack_part(rh_pack p) { return rh_pack_scalars(p); }
static inline RH_SCALAR rh_part_scalar(rh_part part) {
  return RH_SCALAR_KEPT(rh_fold_scalars(part));
}
#define RH_PART_OF_LANES 1
#endif

/* ---- Totals ---- */

#if defined(RH_IS_INDEXED) && defined(RH_BLOCKS)
/* The best key so far, and where packs with it begin.  The element itself is looked up once, at the
 * end, in memory. */
typedef struct {
  RH_SCALAR key;
  __global const rh_pack *packs; /* null: none yet */
} rh_total;
static inline rh_total rh_total_identity(void) {
  rh_total total = {RH_IDENTITY, 0};
  return total;
}
/* The first of equal elements wins, because packs are visited in ascending order. */
static inline void rh_total_take(rh_total *total, rh_part part, __global const rh_pack *packs) {
  RH_SCALAR key = rh_part_scalar(part);
  if (!RH_BEATS(key, total->key) && total->packs) return;
  total->key = key;
  total->packs = packs;
}
/* first: element 0 of the reduction. */
static inline rh_value rh_total_value(rh_total total, __global const rh_element *first) {
  rh_value value = rh_identity();
  if (!total.packs) return value;
  __global const rh_element *at = (__global const rh_element *)total.packs;
  value.key = total.key;
  for (value.index = at - first; rh_load(first, value.index).key != total.key;) value.index++;
  return value;
}

#elif defined(RH_IS_INDEXED)
/* The best pack so far, and its number among this work-item's packs.  The element itself is located
 * once, at the end. */
typedef struct {
  RH_SCALAR key;
  uint round; /* this work-item's packs before it; RH_NO_ROUND: none yet */
  rh_pack pack;
} rh_total;
#define RH_NO_ROUND 0xffffffffu
static inline rh_total rh_total_identity(void) {
  rh_total total = {RH_IDENTITY, RH_NO_ROUND, (rh_pack)(0)};
  return total;
}
/* The first of equal elements wins, because rounds are visited in ascending order. */
static inline void rh_total_take(rh_total *total, rh_pack pack, uint round) {
  RH_SCALAR key = rh_part_scalar(rh_pack_part(pack));
  bool better = RH_BEATS(key, total->key) || total->round == RH_NO_ROUND;
  total->key = better ? key : total->key;
  total->round = better ? round : total->round;
  total->pack = better ? pack : total->pack;
}
/* `at`: the index of the best pack's first element. */
static inline rh_value rh_total_value(rh_total total, ulong at) {
  if (total.round == RH_NO_ROUND) return rh_identity(); /* all there is, of a few elements */
  rh_value value = {total.key, RH_NO_INDEX};
  RH_SCALAR lanes[RH_WIDTH];
  RH_PASTE(vstore, RH_WIDTH)(rh_pack_scalars(total.pack), 0, lanes);
#pragma unroll
  for (int k = RH_WIDTH - 1; k >= 0; k--)
    if (lanes[k] == total.key) value.index = at + k;
  return value;
}

#elif defined(RH_IS_SCALED)
typedef rh_part rh_total;
static inline rh_total rh_total_identity(void) { return rh_vector_identity(); }
static inline rh_total rh_total_add(rh_total total, rh_part part) {
  return rh_part_join(total, part);
}
static inline rh_value rh_total_value(rh_total total) { return rh_vector_fold(total); }

#elif defined(RH_PART_OF_LANES)
typedef rh_part rh_total;
static inline rh_total rh_total_identity(void) { return (rh_total)(RH_IDENTITY); }
static inline rh_total rh_total_add(rh_total total, rh_part part) { return RH_APPLY(total, part); }
static inline rh_value rh_total_value(rh_total total) { return rh_part_scalar(total); }

#else
typedef RH_SCALAR rh_total;
static inline rh_total rh_total_identity(void) { return RH_IDENTITY; }
static inline rh_total rh_total_add(rh_total total, rh_part part) {
  return RH_APPLY(total, rh_part_scalar(part));
}
static inline rh_value rh_total_value(rh_total total) { return total; }
#endif

#endif
