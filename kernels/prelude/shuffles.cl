/* Trees that use shuffles within a sub-group, and local memory only between sub-groups, one value
 * each.  A plugin enables them with -DRH_SHUFFLES=1, or passes =0 if the device has no shuffles
 * (rh_has_shuffles() in redhost/kit.h).  RH_HAS_SHUFFLES is defined if shuffles are available: on
 * NVIDIA through inline PTX, since its OpenCL has no sub-groups; elsewhere through the extensions
 * of Khronos and Intel.  Without them the tree is rh_group_tree. */
#ifdef RH_SHUFFLES

/* A plugin that defines its group size, -DRH_GROUP, gets loops of constant length. */
#ifdef RH_GROUP
#define RH_GROUP_SIZE ((uint)RH_GROUP)
#else
#define RH_GROUP_SIZE ((uint)get_local_size(0))
#endif

#if !RH_SHUFFLES
/* The device has no shuffles, whatever its compiler supports. */
#elif defined(RH_NVIDIA_SM) && defined(__NV_CL_C_VERSION)
#define RH_HAS_SHUFFLES 1
static inline uint rh_lane(void) { return get_local_id(0) % 32; }
static inline uint rh_lanes(void) { return 32; }
static inline uint rh_sub_group(void) { return get_local_id(0) / 32; }
static inline uint rh_sub_groups(void) { return RH_GROUP_SIZE / 32; }
/* All 32 lanes take part: callers have groups of whole warps, see rh_group_shuffle_tree. */
static inline uint rh_shuffle_down(uint x, uint distance) {
  uint y;
  asm volatile("shfl.sync.down.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(y) : "r"(x), "r"(distance));
  return y;
}
static inline bool rh_whole_sub_groups(void) { return RH_GROUP_SIZE % 32 == 0; }
#define RH_FULL_SUB_GROUPS 1
#elif defined(cl_khr_subgroup_shuffle_relative) || defined(cl_khr_subgroup_shuffle) ||             \
    defined(cl_intel_subgroups)
#define RH_HAS_SHUFFLES 1
static inline uint rh_lane(void) { return get_sub_group_local_id(); }
static inline uint rh_lanes(void) { return get_sub_group_size(); }
static inline uint rh_sub_group(void) { return get_sub_group_id(); }
static inline uint rh_sub_groups(void) { return get_num_sub_groups(); }
static inline uint rh_shuffle_down(uint x, uint distance) {
#if defined(cl_khr_subgroup_shuffle_relative)
  return sub_group_shuffle_down(x, distance);
#elif defined(cl_khr_subgroup_shuffle)
  return sub_group_shuffle(x, min(rh_lane() + distance, rh_lanes() - 1));
#else
  return intel_sub_group_shuffle(x, min(rh_lane() + distance, rh_lanes() - 1));
#endif
}
static inline bool rh_whole_sub_groups(void) { return true; }
#endif

#ifdef RH_HAS_SHUFFLES

/* Bytes of a value; larger ones would take more shuffles than local memory takes barriers. */
#define RH_MOST_SHUFFLED 16

typedef union {
  rh_value value;
  uint words[sizeof(rh_value) / sizeof(uint)];
} rh_shuffled;

/* The value of the lane `distance` above this one. */
static inline rh_value rh_value_from_above(rh_value mine, uint distance) {
  rh_shuffled x = {mine};
  for (uint k = 0; k < sizeof x.words / sizeof *x.words; k++)
    x.words[k] = rh_shuffle_down(x.words[k], distance);
  return x.value;
}

#if defined(RH_IS_ORDER) && defined(__NV_CL_C_VERSION) && RH_NVIDIA_SM >= 80
/* The best of a warp, one instruction for each 32-bit word, highest word first.  Only lanes that
 * tied for the best in the words before compete.  Keys are signed, except those of unsigned
 * integers; lower words and indices are unsigned. */
#define RH_REDUX(name, how)                                                                        \
  static inline uint name(uint x) {                                                                \
    uint best;                                                                                     \
    asm volatile("redux.sync." how " %0, %1, 0xffffffff;" : "=r"(best) : "r"(x));                  \
    return best;                                                                                   \
  }
#ifdef RH_IS_LEAST
#define RH_REDUX_HOW "min"
#define RH_WORST 0xffffffffu
#else
#define RH_REDUX_HOW "max"
#define RH_WORST 0u
#endif
#ifdef RH_SCALAR_IS_UNSIGNED
RH_REDUX(rh_redux_key, RH_REDUX_HOW ".u32")
#else
RH_REDUX(rh_redux_key, RH_REDUX_HOW ".s32")
#endif
RH_REDUX(rh_redux_word, RH_REDUX_HOW ".u32")
RH_REDUX(rh_redux_index, "min.u32")
#define RH_HAS_REDUX 1

/* The best key of all lanes, and whether this lane has it. */
static inline RH_SCALAR rh_sub_group_best(RH_SCALAR key, bool *is_best) {
#ifdef RH_SCALAR_IS_64_BIT
  uint high = (uint)((ulong)key >> 32), low = (uint)key, best_high = rh_redux_key(high);
  uint best_low = rh_redux_word(high == best_high ? low : RH_WORST);
  *is_best = high == best_high && low == best_low;
  return (RH_SCALAR)((ulong)best_high << 32 | best_low);
#else
  RH_SCALAR best = (RH_SCALAR)rh_redux_key((uint)key);
  *is_best = key == best;
  return best;
#endif
}
#endif

/* All lanes of a sub-group call; lane 0 gets the result.  Halving, as rh_group_tree; reorders. */
#ifdef RH_HAS_REDUX
static inline rh_value rh_sub_group_tree(rh_value mine) {
  bool is_best;
#ifdef RH_IS_INDEXED
  mine.key = rh_sub_group_best(mine.key, &is_best);
  uint high = is_best ? (uint)(mine.index >> 32) : 0xffffffffu, first_high = rh_redux_index(high);
  uint low = is_best && high == first_high ? (uint)mine.index : 0xffffffffu;
  mine.index = (ulong)first_high << 32 | rh_redux_index(low);
  return mine;
#else
  return rh_sub_group_best(mine, &is_best);
#endif
}
#elif defined(RH_FULL_SUB_GROUPS)
/* Lanes above the active ones combine values that are never read, so they need no branch. */
static inline rh_value rh_sub_group_tree(rh_value mine) {
#pragma unroll
  for (uint distance = 16; distance > 0; distance /= 2)
    mine = rh_combine(mine, rh_value_from_above(mine, distance));
  return mine;
}
#else
static inline rh_value rh_sub_group_tree(rh_value mine) {
  uint lane = rh_lane();
  for (uint active = rh_lanes(); active > 1;) {
    uint half_up = (active + 1) / 2;
    rh_value above = rh_value_from_above(mine, half_up);
    if (lane + half_up < active) mine = rh_combine(mine, above);
    active = half_up;
  }
  return mine;
}
#endif

static inline rh_value rh_whole_sub_groups_tree(__local rh_value *scratch, rh_value mine) {
  mine = rh_sub_group_tree(mine);
  if (rh_lane() == 0) scratch[rh_sub_group()] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (rh_sub_group() == 0 && rh_sub_groups() > 1) {
#ifdef RH_FULL_SUB_GROUPS
    /* There are no more sub-groups than lanes in one: a group has at most 1024 work-items. */
    mine = rh_lane() < rh_sub_groups() ? scratch[rh_lane()] : rh_identity();
#else
    mine = rh_identity();
    for (uint k = rh_lane(); k < rh_sub_groups(); k += rh_lanes())
      mine = rh_combine(mine, scratch[k]);
#endif
    mine = rh_sub_group_tree(mine);
  }
  return mine;
}
#endif

/* rh_group_tree by shuffles, under the same rules.  Two calls in one kernel need a barrier between
 * them.  `scratch` holds one value for each work-item. */
static inline rh_value rh_group_shuffle_tree(__local rh_value *scratch, rh_value mine) {
#if defined(RH_HAS_SHUFFLES) && defined(RH_STRUCT)
  if (sizeof(rh_value) > RH_MOST_SHUFFLED) return rh_group_tree(scratch, mine);
#endif
#ifdef RH_HAS_SHUFFLES
  if (rh_whole_sub_groups()) return rh_whole_sub_groups_tree(scratch, mine);
#endif
  return rh_group_tree(scratch, mine);
}

#endif
