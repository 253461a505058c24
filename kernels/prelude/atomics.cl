/* *p = combine(*p, value), atomically; a plugin enables it with -DRH_ATOMIC.  Values of more than 8
 * bytes have no such operation.  Relaxed order on one location is enough, because every reader
 * waits for the end of the kernel. */
#if defined(RH_ATOMIC) && !defined(RH_IS_PAIR)

#if defined(RH_STRUCT)
/* Compare and swap, as below, of a struct's 4 or 8 bytes. */
#define RH_DEFINE_ATOMIC(name, type, exchange)                                                     \
  static inline void name(volatile __global rh_value *p, rh_value value) {                         \
    union {                                                                                        \
      rh_value value;                                                                              \
      type word;                                                                                   \
    } seen, wanted;                                                                                \
    type expected;                                                                                 \
    seen.value = rh_identity();                                                                    \
    do {                                                                                           \
      expected = seen.word;                                                                        \
      wanted.value = rh_combine(seen.value, value);                                                \
      seen.word = exchange((volatile __global type *)p, expected, wanted.word);                    \
    } while (seen.word != expected);                                                               \
  }
RH_DEFINE_ATOMIC(rh_atomic_combine_4, uint, atomic_cmpxchg)
#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
RH_DEFINE_ATOMIC(rh_atomic_combine_8, ulong, atom_cmpxchg)
#endif
static inline void rh_atomic_combine(volatile __global rh_value *p, rh_value value) {
#ifdef cl_khr_int64_base_atomics
  if (sizeof(rh_value) == sizeof(ulong)) rh_atomic_combine_8(p, value);
#endif
  if (sizeof(rh_value) == sizeof(uint)) rh_atomic_combine_4(p, value);
}
#else

#ifdef RH_SCALAR_IS_64_BIT
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define RH_ATOMIC_FUNCTION(name) atom_##name
#else
#define RH_ATOMIC_FUNCTION(name) atomic_##name
#endif

static inline void rh_atomic_combine(volatile __global rh_value *p, rh_value value) {
#if (defined(RH_OP_sum) || defined(RH_OP_asum)) && !defined(RH_IS_FLOAT)
  RH_ATOMIC_FUNCTION(add)(p, value);
#elif defined(RH_OP_min)
  RH_ATOMIC_FUNCTION(min)(p, value);
#elif defined(RH_OP_max) || defined(RH_OP_amax)
  RH_ATOMIC_FUNCTION(max)(p, value);
#elif defined(RH_OP_and)
  RH_ATOMIC_FUNCTION(and)(p, value);
#elif defined(RH_OP_or)
  RH_ATOMIC_FUNCTION(or)(p, value);
#elif defined(RH_OP_xor)
  RH_ATOMIC_FUNCTION(xor)(p, value);
#else
  /* Compare and swap.  The first guess is the identity; a failed exchange returns the current
   * value. */
  volatile __global RH_WORD *word = (volatile __global RH_WORD *)p;
  RH_WORD seen = RH_PASTE(as_, RH_WORD)((RH_SCALAR)RH_IDENTITY), expected;
  do {
    expected = seen;
    RH_WORD wanted = RH_PASTE(as_, RH_WORD)(rh_combine(RH_PASTE(as_, RH_SCALAR)(expected), value));
    seen = RH_ATOMIC_FUNCTION(cmpxchg)(word, expected, wanted);
  } while (seen != expected);
#endif
}

#endif
#endif
