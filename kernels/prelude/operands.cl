/* What a kernel reads.  Operators of one operand without constants read an array of elements.
 * Others, with RH_HAS_OPERANDS, read several arrays side by side, element by element, and
 * constants, which are passed by value.  The same kernel serves both:
 *
 *   __kernel void k(RH_OPERANDS_PARAMETERS, ulong first, ulong n, ...) {
 *     rh_operands input = rh_operands_at(RH_OPERANDS, first);
 *     ... rh_load(input, i) ...
 *
 *   RH_OPERANDS_PARAMETERS      what RH_ARG_OPERANDS hands over; for an array of elements
 *                               `__global const rh_element *`
 *   RH_OPERANDS                 the same in the kernel, as one rh_operands
 *   rh_operands_at(p, first)    p from element `first` on, from which indices count
 *   rh_operands_skip(p, count)  p from element `count` on, with the indices as they were
 *
 * For operators that are not built in, the host defines RH_CUSTOM, RH_MEMORY (one element of the
 * largest operand), RH_OPERAND_LIST and, for a map before a built-in operator, RH_MAP and rh_map(),
 * or else what structs.cl says; and with RH_HAS_OPERANDS the number of words of 8 bytes that the
 * constants take, RH_CONSTANT_WORDS, at least 1. */

#if defined(RH_HAS_OPERANDS) ||                                                                    \
    (defined(RH_CUSTOM) && defined(RH_CANONICAL) && defined(RH_IS_INDEXED))
/* The pointers move inside the data, and the index of the first element goes with them. */
#define RH_OPERANDS_ARE_COUNTED 1
#endif

/* RH_OPERAND_LIST(X) has a row X(number, type in memory, how it is read) for each operand: as
 * itself, or half, which is a float to a map. */
#ifdef RH_CUSTOM
#define RH_READ_char            char, PLAIN
#define RH_READ_uchar           uchar, PLAIN
#define RH_READ_short           short, PLAIN
#define RH_READ_ushort          ushort, PLAIN
#define RH_READ_int             int, PLAIN
#define RH_READ_uint            uint, PLAIN
#define RH_READ_long            long, PLAIN
#define RH_READ_ulong           ulong, PLAIN
#define RH_READ_half            float, HALF
#define RH_READ_float           float, PLAIN
#define RH_READ_double          double, PLAIN
#define RH_FIRST_OF(a, b)       a
#define RH_SECOND_OF(a, b)      b
#define RH_EXPANDED(of, ...)    of(__VA_ARGS__)
#define RH_READ_TYPE(read)      RH_EXPANDED(RH_FIRST_OF, RH_READ_##read)
#define RH_READ_WAY(what, read) RH_PASTE(what, RH_EXPANDED(RH_SECOND_OF, RH_READ_##read))
#endif

#ifdef RH_OPERANDS_ARE_COUNTED
#define RH_OPERAND(p, k)                  (p).operand_##k
#define RH_INDEX(p, i)                    ((p).first + (i))
#define RH_CONSTANTS(p)                   (p).constants
#define RH_OPERAND_FIELD(k, memory, read) __global const memory *operand_##k;
typedef struct {
  RH_OPERAND_LIST(RH_OPERAND_FIELD)
  ulong first;            /* the index of element 0 */
  const ulong *constants; /* in the kernel's arguments */
#ifdef RH_WIDTH
  bool aligned; /* can all operands be read by vectors where the first one can? */
#endif
} rh_operands;

static inline rh_operands rh_operands_skip(rh_operands p, ulong count) {
#define RH_SKIP(k, memory, read) p.operand_##k += count;
  RH_OPERAND_LIST(RH_SKIP)
  p.first += count;
  return p;
}
#else
#define RH_OPERAND(p, k)           (p)
#define RH_INDEX(p, i)             i
#define RH_CONSTANTS(p)            ((const ulong *)0)
typedef __global const rh_element *rh_operands;
#define rh_operands_skip(p, count) ((p) + (count))
#endif

#ifdef RH_WIDTH
/* The number of elements before the first one that is aligned for a vector load. */
static inline ulong rh_vector_head(rh_operands p) {
  return (0 - (ulong)(size_t)RH_OPERAND(p, 0) / sizeof(*RH_OPERAND(p, 0))) % RH_WIDTH;
}
#endif

#ifdef RH_OPERANDS_ARE_COUNTED
static inline rh_operands rh_operands_at(rh_operands p, ulong first) {
  p = rh_operands_skip(p, first);
  p.first = 0;
#ifdef RH_WIDTH
  ulong head = rh_vector_head(p);
  p.aligned = true;
#define RH_IS_ALIGNED(k, memory, read)                                                             \
  p.aligned = p.aligned && (size_t)(p.operand_##k + head) % (RH_WIDTH * sizeof(memory)) == 0;
  RH_OPERAND_LIST(RH_IS_ALIGNED)
#endif
  return p;
}
#else
#define rh_operands_at(p, first) ((p) + (first))
#endif

#ifdef RH_HAS_OPERANDS
typedef struct {
  ulong words[RH_CONSTANT_WORDS];
} rh_constant_words;
#define RH_OPERAND_PARAMETER(k, memory, read)                                                      \
  __global const memory *rh_operand_##k, ulong rh_at_##k,
#define RH_OPERAND_ARGUMENT(k, memory, read) rh_operand_##k, rh_at_##k,
#define RH_OPERANDS_PARAMETERS                                                                     \
  RH_OPERAND_LIST(RH_OPERAND_PARAMETER) rh_constant_words rh_constants
#define RH_OPERANDS rh_operands_of(RH_OPERAND_LIST(RH_OPERAND_ARGUMENT) rh_constants.words)
#define RH_POINTERS RH_OPERAND_LIST(RH_OPERAND_PARAMETER) const ulong *constants
static inline rh_operands rh_operands_of(RH_POINTERS) {
  rh_operands p;
#define RH_OPERAND_BEGIN(k, memory, read) p.operand_##k = rh_operand_##k + rh_at_##k;
  RH_OPERAND_LIST(RH_OPERAND_BEGIN)
  p.first = 0;
  p.constants = constants;
  return rh_operands_at(p, 0);
}
#else
#define RH_OPERANDS_PARAMETERS __global const rh_element *rh_operand_0
#ifdef RH_OPERANDS_ARE_COUNTED
#define RH_OPERANDS rh_operands_of(rh_operand_0)
static inline rh_operands rh_operands_of(RH_OPERANDS_PARAMETERS) {
  rh_operands p;
  p.operand_0 = rh_operand_0;
  p.first = 0;
  p.constants = 0;
  return rh_operands_at(p, 0);
}
#else
#define RH_OPERANDS rh_operand_0
#endif
#endif

#ifdef RH_CUSTOM
/* Element i of each operand, as arguments. */
#define RH_READ_PLAIN(k, memory)       RH_OPERAND(p, k)[i],
#define RH_READ_HALF(k, memory)        vload_half(i, (__global const half *)RH_OPERAND(p, k)),
#define RH_ELEMENT_OF(k, memory, read) RH_READ_WAY(RH_READ_, read)(k, memory)

#ifdef RH_MAP
static inline RH_ELEMENT rh_map_at(rh_operands p, ulong i) {
  return rh_map(RH_OPERAND_LIST(RH_ELEMENT_OF) RH_INDEX(p, i), RH_CONSTANTS(p));
}
#endif

#ifdef RH_WIDTH
/* Elements i .. i+RH_WIDTH-1 of each operand, by the widest loads, to an array of its own:
 * RH_READ_LANES(aligned) declares them, and RH_LANE gives element `lane` of each as arguments. */
#ifdef __clang__
#define RH_UNALIGNED_TYPE(k, memory, read)                                                         \
  typedef RH_PASTE(memory, RH_WIDTH) rh_unaligned_##k __attribute__((aligned(sizeof(memory))));
RH_OPERAND_LIST(RH_UNALIGNED_TYPE)
#define RH_UNALIGNED_PLAIN(k, memory) *(__global const rh_unaligned_##k *)(RH_OPERAND(p, k) + i)
#else
#define RH_UNALIGNED_PLAIN(k, memory) RH_PASTE(vload, RH_WIDTH)(0, RH_OPERAND(p, k) + i)
#endif
#define RH_UNALIGNED_HALF(k, memory)                                                               \
  RH_PASTE(vload_half, RH_WIDTH)(0, (__global const half *)RH_OPERAND(p, k) + i)
#define RH_ALIGNED_PLAIN(k, memory)                                                                \
  *(__global const RH_PASTE(memory, RH_WIDTH) *)(RH_OPERAND(p, k) + i)
#define RH_ALIGNED_HALF(k, memory)                                                                 \
  RH_PASTE(vloada_half, RH_WIDTH)(0, (__global const half *)(RH_OPERAND(p, k) + i))
#define RH_LANES_OF_OPERAND(k, memory, read) RH_READ_TYPE(read) lanes_##k[RH_WIDTH];
#define RH_READ_ALIGNED(k, memory, read)                                                           \
  RH_PASTE(vstore, RH_WIDTH)(RH_READ_WAY(RH_ALIGNED_, read)(k, memory), 0, lanes_##k);
#define RH_READ_UNALIGNED(k, memory, read)                                                         \
  RH_PASTE(vstore, RH_WIDTH)(RH_READ_WAY(RH_UNALIGNED_, read)(k, memory), 0, lanes_##k);
/* The same for all work-items, so that none waits for another. */
#define RH_READ_LANES(aligned)                                                                     \
  RH_OPERAND_LIST(RH_LANES_OF_OPERAND)                                                             \
  if (aligned) {                                                                                   \
    RH_OPERAND_LIST(RH_READ_ALIGNED)                                                               \
  } else {                                                                                         \
    RH_OPERAND_LIST(RH_READ_UNALIGNED)                                                             \
  }
#define RH_LANE(k, memory, read) lanes_##k[lane],
#endif
#endif
