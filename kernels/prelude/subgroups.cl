/* Loads by a whole sub-group; a plugin enables them with -DRH_SUBGROUP=16.  From a block of lanes *
 * RH_WIDTH elements each work-item gets a vector whose component k is element k * lanes + lane, so
 * that loads coalesce.  With -DRH_SUBGROUP_BLOCKS as well, these are block reads by the device's
 * own sub-groups of RH_SUBGROUP work-items (cl_intel_subgroups).  Without it, RH_SUBGROUP
 * consecutive work-items act as a sub-group and load element by element. */
#if defined(RH_SUBGROUP) && !defined(RH_OP_affine)

/* This work-item's lane; the first work-item of its sub-group in the group; the sub-group's number
 * of lanes, which may be smaller in the last one. */
#ifdef RH_SUBGROUP_BLOCKS
#define RH_SUBGROUP_KERNEL __attribute__((intel_reqd_sub_group_size(RH_SUBGROUP)))
static inline uint rh_subgroup_lane(void) { return get_sub_group_local_id(); }
static inline uint rh_subgroup_first(void) { return get_sub_group_id() * RH_SUBGROUP; }
static inline uint rh_subgroup_lanes(void) { return get_sub_group_size(); }
#else
#define RH_SUBGROUP_KERNEL
static inline uint rh_subgroup_lane(void) { return get_local_id(0) % RH_SUBGROUP; }
static inline uint rh_subgroup_first(void) { return get_local_id(0) / RH_SUBGROUP * RH_SUBGROUP; }
static inline uint rh_subgroup_lanes(void) {
  return min((uint)get_local_size(0) - rh_subgroup_first(), (uint)RH_SUBGROUP);
}
#endif

/* The block read for elements of this size, if the device has it. */
#if defined(RH_SUBGROUP_BLOCKS) && !defined(RH_CUSTOM)
#if defined(RH_TYPE_i32) || defined(RH_TYPE_u32) || defined(RH_TYPE_f32)
#define RH_BLOCK_READ(p) RH_PASTE(intel_sub_group_block_read, RH_WIDTH)((__global const uint *)(p))
#elif defined(RH_IS_64_BIT) && defined(cl_intel_subgroups_long)
#define RH_BLOCK_READ(p)                                                                           \
  RH_PASTE(intel_sub_group_block_read_ul, RH_WIDTH)((__global const ulong *)(p))
#elif (defined(RH_TYPE_i8) || defined(RH_TYPE_u8)) && defined(cl_intel_subgroups_char)
#define RH_BLOCK_READ(p)                                                                           \
  RH_PASTE(intel_sub_group_block_read_uc, RH_WIDTH)((__global const uchar *)(p))
#elif (defined(RH_TYPE_i16) || defined(RH_TYPE_u16)) && defined(cl_intel_subgroups_short)
#define RH_BLOCK_READ(p)                                                                           \
  RH_PASTE(intel_sub_group_block_read_us, RH_WIDTH)((__global const ushort *)(p))
#endif
#endif

/* This work-item's share of the block that starts at element i of p; reads nothing after element
 * n-1. */
static inline rh_vector rh_subgroup_load(rh_operands p, ulong i, ulong n) {
  ulong lane = rh_subgroup_lane(), lanes = rh_subgroup_lanes();
#ifdef RH_BLOCK_READ
  if (lanes == RH_SUBGROUP && i < n && n - i >= RH_SUBGROUP * RH_WIDTH)
    return rh_vector_of(
        RH_TO_SCALAR(RH_PASTE(RH_PASTE(as_, RH_ELEMENT), RH_WIDTH)(RH_BLOCK_READ(p + i)), RH_WIDTH),
        i + lane, lanes);
#endif
  return rh_vector_gather(p, i + lane, lanes, n);
}

#endif
