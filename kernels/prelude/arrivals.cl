/* The work-groups of one launch hand their values to the last group to arrive.  A plugin enables
 * this with -DRH_ARRIVALS.  RH_HAS_ARRIVALS is defined if this device's compiler supports it;
 * RH_SEES_WHILE_RUNNING, if rh_collect can also wait for a group that has not arrived yet.
 *
 *   rh_leave(slots, value, epoch)            called by one work-item of each group, and then
 *   rh_is_last_to_arrive(tickets, groups)    by the same work-item: true in the last group
 *   rh_glance_at(slots, group), and then
 *   rh_collect(glance, slots, group, epoch)  called in the last group, after a barrier: its value.
 *                                            Two steps, so that several loads can be in flight
 *   rh_collect_row(values, slots, at, end, epoch)
 *                                            instead, with -DRH_AT_ONCE: so many values, of groups
 *                                            at, at + 1, ...; the identity from `end` on.  Slots
 *                                            must have room for those behind `end` too
 *
 * slots: 2 * sizeof(rh_value) bytes for each group.  *tickets is 0 before the launch and 0 after
 * it.  epoch: a number that no earlier launch on these slots used.  Values are collected in index
 * order, never in the order of arrival. */
#ifdef RH_ARRIVALS

#if defined(RH_NVIDIA_SM) && defined(__NV_CL_C_VERSION)
#define RH_HAS_ARRIVALS 1
#define RH_SEES_WHILE_RUNNING 1

/* No fence is needed.  A value is stored in 64-bit words, half value and half epoch, by relaxed
 * stores of device scope, which are not torn: a word with this launch's epoch holds a value of this
 * launch, whatever else has become visible.  The counter needs no order either.  The last group to
 * count knows that all others have issued their stores, which no scheduling can delay any more, so
 * collecting spins at most for the time that a store takes to reach the L2 cache.  A fence
 * (membar.gl, or atom.acq_rel.gpu) would make every group wait for that round trip before it may
 * count: half a microsecond (PTX ISA, memory consistency model; OpenCL's mem_fence() has work-group
 * scope there and orders nothing for other groups). `inc' wraps at groups - 1, so the last arrival
 * resets the counter to 0. */
#if RH_NVIDIA_SM >= 70
#define RH_RELAXED "relaxed.gpu.global"
#else
#define RH_RELAXED "volatile.global" /* relaxed, and not torn, before there were scopes */
#endif
#define RH_VALUE_WORDS (sizeof(rh_value) / sizeof(uint))
typedef union {
  rh_value value;
  uint words[RH_VALUE_WORDS];
} rh_left;

static inline void rh_leave_at(__global void *slots, uint at, rh_value value, uint epoch) {
  rh_left left = {value};
  __global ulong *slot = (__global ulong *)slots + (ulong)at * RH_VALUE_WORDS;
#pragma unroll
  for (uint k = 0; k < RH_VALUE_WORDS; k++)
    asm volatile("st." RH_RELAXED ".u64 [%0], %1;" ::"l"(slot + k),
                 "l"((ulong)epoch << 32 | left.words[k])
                 : "memory");
}

static inline bool rh_is_last_to_arrive(__global uint *tickets, uint groups) {
  uint before;
#if RH_NVIDIA_SM >= 70
  asm volatile("atom.relaxed.gpu.global.inc.u32 %0, [%1], %2;"
               : "=r"(before) : "l"(tickets), "r"(groups - 1) : "memory");
#else
  asm volatile("atom.global.inc.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(tickets), "r"(groups - 1)
               : "memory");
#endif
  return before == groups - 1;
}

typedef struct {
  ulong words[RH_VALUE_WORDS];
} rh_glance;

static inline ulong rh_look_at(__global const ulong *slot) {
  ulong word;
  asm volatile("ld." RH_RELAXED ".u64 %0, [%1];" : "=l"(word) : "l"(slot) : "memory");
  return word;
}

static inline rh_glance rh_glance_at(__global const void *slots, uint group) {
  rh_glance seen;
  __global const ulong *slot = (__global const ulong *)slots + (ulong)group * RH_VALUE_WORDS;
#pragma unroll
  for (uint k = 0; k < RH_VALUE_WORDS; k++) seen.words[k] = rh_look_at(slot + k);
  return seen;
}

static inline rh_value rh_collect(rh_glance seen, __global const void *slots, uint group,
                                  uint epoch) {
  rh_left left;
  __global const ulong *slot = (__global const ulong *)slots + (ulong)group * RH_VALUE_WORDS;
#pragma unroll
  for (uint k = 0; k < RH_VALUE_WORDS; k++) {
    while ((uint)(seen.words[k] >> 32) != epoch) seen.words[k] = rh_look_at(slot + k);
    left.words[k] = (uint)seen.words[k];
  }
  return left.value;
}

#ifdef RH_AT_ONCE
/* All loads are in flight together, and little code follows each: this runs once in a launch, from
 * a cold instruction cache. */
static inline void rh_collect_row(rh_value *values, __global const void *slots, uint at, uint end,
                                  uint epoch) {
  __global const ulong *slot = (__global const ulong *)slots + (ulong)at * RH_VALUE_WORDS;
  rh_left left[RH_AT_ONCE];
  uint missing;
  do {
    missing = 0;
#pragma unroll
    for (uint k = 0; k < RH_AT_ONCE * RH_VALUE_WORDS; k++) {
      ulong word = rh_look_at(slot + k);
      left[k / RH_VALUE_WORDS].words[k % RH_VALUE_WORDS] = (uint)word;
      missing |= at + k / RH_VALUE_WORDS < end ? (uint)(word >> 32) ^ epoch : 0;
    }
  } while (missing);
#pragma unroll
  for (uint k = 0; k < RH_AT_ONCE; k++) values[k] = at + k < end ? left[k].value : rh_identity();
}
#endif

#elif (__OPENCL_C_VERSION__ >= 300 && defined(__opencl_c_atomic_order_acq_rel) &&                  \
       defined(__opencl_c_atomic_scope_device)) ||                                                 \
    (__OPENCL_C_VERSION__ >= 200 && __OPENCL_C_VERSION__ < 300)
#define RH_HAS_ARRIVALS 1

/* Each arrival is one atomic read-modify-write of the same word, with acquire and release semantics
 * at device scope.  A read-modify-write continues the release sequence of those before it, so the
 * last one synchronises with every other: what each group stored before its arrival happens before
 * what the last group loads after its own.  The barrier orders the other work-items of that group.
 * The last arrival stores the 0.  No group reads the word again in this launch, and the next launch
 * of an in-order queue begins after the end of this one, so relaxed order is enough. */
static inline void rh_leave_at(__global void *slots, uint at, rh_value value, uint epoch) {
  ((__global rh_value *)slots)[at] = value;
}

static inline bool rh_is_last_to_arrive(__global uint *tickets, uint groups) {
  volatile __global atomic_uint *atomic = (volatile __global atomic_uint *)tickets;
  uint before = atomic_fetch_add_explicit(atomic, 1u, memory_order_acq_rel, memory_scope_device);
  if (before != groups - 1) return false;
  atomic_store_explicit(atomic, 0u, memory_order_relaxed, memory_scope_device);
  return true;
}

typedef rh_value rh_glance;
static inline rh_glance rh_glance_at(__global const void *slots, uint group) {
  return ((__global const rh_value *)slots)[group];
}
static inline rh_value rh_collect(rh_glance seen, __global const void *slots, uint group,
                                  uint epoch) {
  return seen;
}
#ifdef RH_AT_ONCE
static inline void rh_collect_row(rh_value *values, __global const void *slots, uint at, uint end,
                                  uint epoch) {
  for (uint k = 0; k < RH_AT_ONCE; k++)
    values[k] = at + k < end ? rh_glance_at(slots, at + k) : rh_identity();
}
#endif
#endif

#ifdef RH_HAS_ARRIVALS
static inline void rh_leave(__global void *slots, rh_value value, uint epoch) {
  rh_leave_at(slots, (uint)get_group_id(0), value, epoch);
}
#endif

#endif
