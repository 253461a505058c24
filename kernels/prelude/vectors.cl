/* The same on vectors of RH_WIDTH elements (2, 4, 8 or 16); a plugin enables them with, say,
 * -DRH_WIDTH=4.  Lane k of a vector combines elements k, k+RH_WIDTH, ...  Vectors reorder, so their
 * operators must commute. */
#if defined(RH_WIDTH) && !defined(RH_OP_affine)

#ifndef RH_STRUCT
#ifdef RH_IS_PAIR
typedef struct {
  RH_PASTE(RH_SCALAR, RH_WIDTH) RH_FIRST;
  RH_PASTE(RH_SECOND_TYPE, RH_WIDTH) RH_SECOND;
} rh_vector;
#else
typedef RH_PASTE(RH_SCALAR, RH_WIDTH) rh_vector;
#endif

#if defined(RH_IS_RANKED) && defined(RH_TYPE_f64)
RH_DEFINE_RANK(RH_PASTE(rh_rank, RH_WIDTH), double, RH_WIDTH)
#elif defined(RH_IS_RANKED)
RH_DEFINE_RANK(RH_PASTE(rh_rank, RH_WIDTH), float, RH_WIDTH)
#endif
#if defined(RH_IS_ORDER) && defined(RH_TYPE_f64)
RH_DEFINE_KEY(RH_PASTE(rh_key, RH_WIDTH), double, RH_WIDTH)
#elif defined(RH_IS_ORDER) && defined(RH_IS_FLOAT)
RH_DEFINE_KEY(RH_PASTE(rh_key, RH_WIDTH), float, RH_WIDTH)
#elif defined(RH_IS_MAGNITUDE) && !defined(RH_IS_FLOAT) && !defined(RH_IS_UNSIGNED)
RH_DEFINE_MAGNITUDE(RH_PASTE(rh_magnitude, RH_WIDTH), RH_WIDTH)
#elif defined(RH_IS_SCALED)
RH_DEFINE_SCALED(RH_WIDTH)
#endif

/* Scalars, or the ranks of floats. */
#ifdef RH_IS_RANKED
#define RH_KEPT(x)          RH_PASTE(rh_rank, RH_WIDTH)(x)
#define RH_SCALAR_KEPT(one) rh_key_of(one)
#else
#define RH_KEPT(x)          RH_TO_SCALAR(x, RH_WIDTH)
#define RH_SCALAR_KEPT(one) one
#endif

/* What a lane has of a scalar. */
#if defined(RH_IS_RANKED) && !defined(RH_IS_INDEXED)
#define RH_TO_LANES(x)     RH_PASTE(rh_rank, RH_WIDTH)(x)
#define RH_LANE_OF(scalar) rh_rank_of(scalar, RH_IDENTITY)
#define RH_SCALAR_OF(lane) rh_key_of(lane)
#else
#define RH_TO_LANES(x)     RH_TO_SCALAR(x, RH_WIDTH)
#define RH_LANE_OF(scalar) scalar
#define RH_SCALAR_OF(lane) lane
#endif

#ifdef RH_IS_INDEXED
#define RH_LANES_2  0, 1
#define RH_LANES_4  RH_LANES_2, 2, 3
#define RH_LANES_8  RH_LANES_4, 4, 5, 6, 7
#define RH_LANES_16 RH_LANES_8, 8, 9, 10, 11, 12, 13, 14, 15
#define RH_LANES    RH_PASTE(RH_LANES_, RH_WIDTH)
#endif

static inline rh_vector rh_vector_identity(void) {
#ifdef RH_IS_PAIR
  rh_vector value = {(RH_PASTE(RH_SCALAR, RH_WIDTH))(RH_IDENTITY),
                     (RH_PASTE(RH_SECOND_TYPE, RH_WIDTH))(RH_SECOND_IDENTITY)};
  return value;
#else
  return (rh_vector)(RH_IDENTITY);
#endif
}

/* A vector of the lanes of elements i, i+stride, i+2*stride, ... */
static inline rh_vector rh_vector_of(RH_PASTE(RH_SCALAR, RH_WIDTH) scalars, ulong i, ulong stride) {
#ifdef RH_IS_INDEXED
  rh_vector value = {scalars, i + stride * (RH_PASTE(ulong, RH_WIDTH))(RH_LANES)};
  return value;
#elif defined(RH_IS_SCALED)
  rh_vector value;
  value.mantissa = RH_PASTE(rh_split, RH_WIDTH)(scalars, &value.exponent);
  return value;
#else
  return scalars;
#endif
}

/* Elements i .. i+RH_WIDTH-1 of p; aligned: the first of them, in each operand, is aligned to the
 * vector's size. */
#ifdef RH_MAP
static inline rh_vector rh_vector_read(rh_operands p, ulong i, bool aligned) {
  RH_ELEMENT mapped[RH_WIDTH];
  RH_READ_LANES(aligned)
#pragma unroll
  for (uint lane = 0; lane < RH_WIDTH; lane++)
    mapped[lane] = rh_map(RH_OPERAND_LIST(RH_LANE) RH_INDEX(p, i + lane), RH_CONSTANTS(p));
  RH_PASTE(RH_SCALAR, RH_WIDTH)
  scalars = RH_TO_LANES(RH_PASTE(vload, RH_WIDTH)(0, mapped));
  return rh_vector_of(scalars, RH_INDEX(p, i), 1);
}
#endif

/* The other way round than rh_vector_lanes. */
static inline rh_vector rh_vector_from_lanes(const rh_value *values) {
#ifdef RH_IS_PAIR
  RH_SCALAR lanes[RH_WIDTH];
  RH_SECOND_TYPE others[RH_WIDTH];
  for (uint k = 0; k < RH_WIDTH; k++) {
    lanes[k] = values[k].RH_FIRST;
    others[k] = values[k].RH_SECOND;
  }
  rh_vector vector = {RH_PASTE(vload, RH_WIDTH)(0, lanes), RH_PASTE(vload, RH_WIDTH)(0, others)};
  return vector;
#else
  RH_SCALAR lanes[RH_WIDTH];
  for (uint k = 0; k < RH_WIDTH; k++) lanes[k] = RH_LANE_OF(values[k]);
  return RH_PASTE(vload, RH_WIDTH)(0, lanes);
#endif
}

static inline rh_vector rh_vector_combine(rh_vector a, rh_vector b) {
#ifdef RH_IS_INDEXED
  RH_PASTE(RH_SIGNED, RH_WIDTH)
  better = RH_BEATS(b.key, a.key), equal = b.key == a.key;
  RH_PASTE(long, RH_WIDTH)
  takes_b = RH_PASTE(convert_long, RH_WIDTH)(better) |
            (RH_PASTE(convert_long, RH_WIDTH)(equal) & (b.index < a.index));
  rh_vector value = {RH_APPLY(a.key, b.key), select(a.index, b.index, takes_b)};
  return value;
#elif defined(RH_IS_SCALED)
  rh_vector value;
  value.exponent = a.exponent + b.exponent;
  value.mantissa = RH_PASTE(rh_multiply, RH_WIDTH)(a.mantissa, b.mantissa, &value.exponent);
  return value;
#else
  return RH_APPLY(a, b);
#endif
}

/* Stores the lanes as values, in order. */
static inline void rh_vector_lanes(rh_vector v, rh_value *values) {
  RH_SCALAR lanes[RH_WIDTH];
#ifdef RH_IS_PAIR
  RH_SECOND_TYPE others[RH_WIDTH];
  RH_PASTE(vstore, RH_WIDTH)(v.RH_FIRST, 0, lanes);
  RH_PASTE(vstore, RH_WIDTH)(v.RH_SECOND, 0, others);
#else
  RH_PASTE(vstore, RH_WIDTH)(v, 0, lanes);
#endif
  for (uint k = 0; k < RH_WIDTH; k++) {
#ifdef RH_IS_PAIR
    rh_value value = {lanes[k], others[k]};
#else
    rh_value value = RH_SCALAR_OF(lanes[k]);
#endif
    values[k] = value;
  }
}
#endif

/* The elements that rh_vector_load reads of an array.  NVIDIA's vloada_half reads one half after
 * the other. */
#if defined(RH_TYPE_f16) && RH_PTX >= 53
#define RH_WORDS_2  uint
#define RH_WORDS_4  uint2
#define RH_WORDS_8  uint4
#define RH_WORDS_16 uint8
static inline RH_PASTE(float, RH_WIDTH)
    rh_aligned_floats(__global const RH_PASTE(RH_WORDS_, RH_WIDTH) * p) {
  RH_PASTE(RH_WORDS_, RH_WIDTH) words = *p;
  return RH_PASTE(RH_FLOATS_, RH_WIDTH)(words);
}
#define RH_ALIGNED_ELEMENTS(p, i)                                                                  \
  rh_aligned_floats((__global const RH_PASTE(RH_WORDS_, RH_WIDTH) *)((p) + (i)))
#elif defined(RH_TYPE_f16)
#define RH_ALIGNED_ELEMENTS(p, i)                                                                  \
  RH_PASTE(vloada_half, RH_WIDTH)(0, (__global const half *)((p) + (i)))
#else
#define RH_ALIGNED_ELEMENTS(p, i) (*(__global const RH_PASTE(RH_ELEMENT, RH_WIDTH) *)((p) + (i)))
#endif

/* Elements i .. i+RH_WIDTH-1 of p, where i is rh_vector_head(p) and a multiple of RH_WIDTH more. */
static inline rh_vector rh_vector_load(rh_operands p, ulong i) {
#if defined(RH_OPERANDS_ARE_COUNTED)
  return rh_vector_read(p, i, p.aligned);
#elif defined(RH_CUSTOM)
  return rh_vector_read(p, i, true);
#else
  return rh_vector_of(RH_TO_LANES(RH_ALIGNED_ELEMENTS(p, i)), i, 1);
#endif
}

/* Elements i, i+stride, i+2*stride, ... of p, one by one; the identity for those past element
 * n-1. */
static inline rh_vector rh_vector_gather(rh_operands p, ulong i, ulong stride, ulong n) {
  rh_value values[RH_WIDTH];
  for (uint k = 0; k < RH_WIDTH; k++, i += stride)
    values[k] = i < n ? rh_load(p, i) : rh_identity();
  return rh_vector_from_lanes(values);
}

/* Combines all lanes to one value. */
static inline rh_value rh_vector_fold(rh_vector v) {
  rh_value values[RH_WIDTH], all = rh_identity();
  rh_vector_lanes(v, values);
  for (uint k = 0; k < RH_WIDTH; k++) all = rh_combine(all, values[k]);
  return all;
}

/* rh_group_tree over vectors, under the same rules; `scratch` holds one vector for each
 * work-item. */
static inline rh_vector rh_vector_group_tree(__local rh_vector *scratch, rh_vector mine) {
  uint i = get_local_id(0);
  scratch[i] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint active = get_local_size(0); active > 1;) {
    uint half_up = (active + 1) / 2;
    if (i + half_up < active) scratch[i] = rh_vector_combine(scratch[i], scratch[i + half_up]);
    barrier(CLK_LOCAL_MEM_FENCE);
    active = half_up;
  }
  return scratch[0];
}

#endif
