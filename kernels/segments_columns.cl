/* Columns by warps, for operators that commute and values of up to 24 bytes: a work-item takes
 * RH_WIDTH neighbouring columns, whose elements it loads together.  Each column has its canonical
 * order, as in segments.cl.
 *   -DRH_FEW=n     columns of n elements, up to 16, all of which a work-item reads at once, of
 *                  RH_IN_TURN times RH_WIDTH columns
 *   -DRH_BESIDE    else: work-items side by side; 32 / RH_BESIDE of a warp share their columns
 *   -DRH_BLOCK     columns of a group, which begin anywhere
 *   -DRH_ROWS=n    rows of a tile that columns reach: 1, 2 or 4
 *   -DRH_ANY_ORDER no order changes the bits: values are combined as they come
 *   -DRH_BRIEF     a value takes 4 bytes, or an index does, until it is stored */
#define SEGMENTS __kernel __attribute__((reqd_work_group_size(RH_GROUP, 1, 1)))
#define WARP     32u

/* ---- Neighbouring columns ---- */

#if RH_COLUMNS > 1
#define OF_PACK(type) RH_PASTE(type, RH_WIDTH)

/* Neighbouring elements from p on.  aligned: a constant. */
#ifdef RH_TYPE_f16
static inline OF_PACK(float) elements_at(rh_operands p, const bool aligned) {
  if (aligned) return RH_ALIGNED_ELEMENTS(p, 0);
  return OF_PACK(vload_half)(0, (__global const half *)p);
}
#else
static inline OF_PACK(RH_ELEMENT) elements_at(rh_operands p, const bool aligned) {
  if (aligned) return RH_ALIGNED_ELEMENTS(p, 0);
  return OF_PACK(vload)(0, p);
}
#endif

#if defined(RH_BRIEF) && defined(RH_IS_INDEXED)
/* A column has fewer than 2^32 elements: an index takes 4 bytes until its value is stored. */
typedef struct {
  OF_PACK(RH_SCALAR) key;
  OF_PACK(uint) index;
} pack;
#define pack_identity() ((pack){(OF_PACK(RH_SCALAR))(RH_IDENTITY), (OF_PACK(uint))(0xffffffffu)})
static inline pack pack_combine(pack a, pack b) {
  OF_PACK(int) takes_b = RH_BEATS(b.key, a.key) | ((b.key == a.key) & (b.index < a.index));
  pack value = {select(a.key, b.key, takes_b), select(a.index, b.index, takes_b)};
  return value;
}
static inline void pack_values(pack value, rh_value *values) {
  RH_SCALAR keys[RH_COLUMNS];
  uint indices[RH_COLUMNS];
  OF_PACK(vstore)(value.key, 0, keys);
  OF_PACK(vstore)(value.index, 0, indices);
  for (uint k = 0; k < RH_COLUMNS; k++) {
    values[k].key = keys[k];
    values[k].index = indices[k] == 0xffffffffu ? RH_NO_INDEX : indices[k];
  }
}
static inline pack pack_load(rh_operands p, ulong inner, ulong row, const bool aligned) {
  pack value = {RH_TO_LANES(elements_at(p + row * inner, aligned)), (OF_PACK(uint))((uint)row)};
  return value;
}

#elif defined(RH_BRIEF)
/* Bytes and shorts, of which a column's part has too few for more than 32 bits. */
#ifdef RH_IS_UNSIGNED
typedef OF_PACK(uint) pack;
typedef uint brief;
#define TO_PACK OF_PACK(convert_uint)
#else
typedef OF_PACK(int) pack;
typedef int brief;
#define TO_PACK OF_PACK(convert_int)
#endif
#define pack_combine(a, b) ((a) + (b))
#define pack_identity()    ((pack)(0))
static inline void pack_values(pack value, rh_value *values) {
  brief lanes[RH_COLUMNS];
  OF_PACK(vstore)(value, 0, lanes);
  for (uint k = 0; k < RH_COLUMNS; k++) values[k] = (rh_value)(long)lanes[k];
}
static inline pack pack_load(rh_operands p, ulong inner, ulong row, const bool aligned) {
  return TO_PACK(elements_at(p + row * inner, aligned));
}

#else
typedef rh_vector pack;
#define pack_combine    rh_vector_combine
#define pack_identity() rh_vector_identity()
#define pack_values     rh_vector_lanes
/* Element `row` of the columns from p on. */
static inline pack pack_load(rh_operands p, ulong inner, ulong row, const bool aligned) {
  return rh_vector_of(RH_TO_LANES(elements_at(p + row * inner, aligned)), row, 0);
}
#endif
#else
typedef rh_value pack;
#define pack_combine    rh_combine
#define pack_identity() rh_identity()
static inline void pack_values(pack value, rh_value *values) {
  values[0] = value;
}
static inline pack pack_load(rh_operands p, ulong inner, ulong row, const bool aligned) {
#ifdef RH_OPERANDS_ARE_COUNTED
  p = rh_operands_skip(p, row * inner);
  p.first = row;
  return rh_load(p, 0);
#else
  rh_value value = rh_load(p, row * inner);
#ifdef RH_IS_INDEXED
  value.index = row;
#endif
  return value;
#endif
}
#endif

/* The columns of pack `number`, of `packs` in each of the outer dimension's. */
static inline ulong first_of(ulong number, ulong packs, ulong length) {
  ulong outer = (number | packs) >> 32 ? number / packs : (uint)number / (uint)packs;
  return (outer * length * packs + (number - outer * packs)) * RH_COLUMNS;
}

static inline bool is_aligned(rh_operands p) {
#if RH_COLUMNS > 1
  return (size_t)p % (RH_COLUMNS * sizeof(*p)) == 0;
#else
  return true;
#endif
}

/* The upper half of a lane's packs onto the lower half.  Literal bounds: see segments_warps.cl. */
#define FOLD_HALF(a, count, h)                                                                     \
  _Pragma("unroll") for (int c = 0; c < h; c++) if (c + h < (int)(count)) a[c] =                   \
      pack_combine(a[c], a[c + h]);

#ifdef RH_FEW
/* ---- Few elements ---- */
static inline void take_few(rh_operands input, ulong first, ulong number, ulong packs,
                            const bool aligned, __global rh_value *to) {
  ulong at = get_group_id(0) * (ulong)(RH_IN_TURN * RH_GROUP) + get_local_id(0);
  pack a[RH_IN_TURN][RH_FEW];
#pragma unroll
  for (uint t = 0; t < RH_IN_TURN; t++) {
    ulong k = min(at + t * RH_GROUP, number - 1);
    rh_operands p = rh_operands_at(input, first + first_of(k, packs, RH_FEW));
#pragma unroll
    for (uint row = 0; row < RH_FEW; row++)
      a[t][row] = pack_load(p, packs * RH_COLUMNS, row, aligned);
  }
#pragma unroll
  for (uint t = 0; t < RH_IN_TURN; t++) {
    FOLD_HALF(a[t], RH_FEW, 8)
    FOLD_HALF(a[t], RH_FEW, 4)
    FOLD_HALF(a[t], RH_FEW, 2)
    FOLD_HALF(a[t], RH_FEW, 1)
    rh_value values[RH_COLUMNS];
    pack_values(a[t][0], values);
    ulong k = at + t * RH_GROUP;
#pragma unroll
    for (uint c = 0; c < RH_COLUMNS; c++)
      if (k < number) rh_store(to, k * RH_COLUMNS + c, values[c]);
  }
}

SEGMENTS void segments_columns(RH_OPERANDS_PARAMETERS, ulong first, ulong number, ulong length,
                               ulong packs, ulong parts, uint log, __global rh_value *to,
                               ulong at) {
  if (is_aligned(rh_operands_at(RH_OPERANDS, first)))
    take_few(RH_OPERANDS, first, number, packs, true, to + at);
  else
    take_few(RH_OPERANDS, first, number, packs, false, to + at);
}

#else
/* ---- Many elements ---- */
/* Members that share columns: each has every so many-th row. */
#ifdef RH_BLOCK
#define SHARING (RH_GROUP / 32)
#else
#define SHARING (WARP / RH_BESIDE)
#endif
/* Lanes of a tile whose elements are loaded together. */
#if RH_ROWS == 1 || RH_COLUMNS == 1
#define WISHED 8
#elif defined(RH_TYPE_f16) && !defined(RH_BLOCK)
#define WISHED 2
#else
#define WISHED 4
#endif
#define TOGETHER    (RH_ROW / SHARING < WISHED ? RH_ROW / SHARING : WISHED)
#define STEPS       (RH_ROW / SHARING / TOGETHER)
#define ABOVE(n)    (STEPS > n ? 1 : 0)
#define LANE_LEVELS (ABOVE(1) + ABOVE(2) + ABOVE(4) + ABOVE(8) + ABOVE(16) + ABOVE(32) + 1)
#define TILE_LEVELS 4 /* up to 8 tiles */

RH_DEFINE_EXCHANGE(pack_exchange, pack)

#ifdef RH_ANY_ORDER
#define LEVELS(n) 1
#define PUSH(stack, levels, index, node)                                                           \
  do {                                                                                             \
    if ((index) > 0) node = pack_combine(stack[0], node);                                          \
    stack[0] = node;                                                                               \
  } while (0)
#else
#define LEVELS(n) n
/* A binary counter of consecutive values, as rh_sequence, but in registers. */
#define PUSH(stack, levels, index, node)                                                           \
  do {                                                                                             \
    bool is_done = false;                                                                          \
    _Pragma("unroll") for (uint l = 0; l < levels; l++) if (!is_done) {                            \
      if ((index) >> l & 1)                                                                        \
        node = pack_combine(stack[l], node);                                                       \
      else {                                                                                       \
        stack[l] = node;                                                                           \
        is_done = true;                                                                            \
      }                                                                                            \
    }                                                                                              \
  } while (0)
#endif

/* The tile at row `row`, of which the columns have `left` rows, in `lanes` lanes, a power of two.
 * is_whole: a constant; left reaches to the last of the RH_ROWS rows. */
static inline pack take_tile(rh_operands p, ulong inner, ulong row, uint left, uint lanes,
                             const bool is_whole, const bool aligned) {
#ifdef RH_BLOCK
  const uint member = get_local_id(0) / WARP;
#else
  const uint member = get_local_id(0) % WARP / RH_BESIDE;
#endif
  uint steps = max(lanes / (SHARING * TOGETHER), 1u), bits = popcount(steps - 1);
  pack stack[LEVELS(LANE_LEVELS)], node = pack_identity();
  for (uint step = 0; step < steps; step++) {
    /* Lanes meet by halving: steps go in the order of reversed bits. */
    uint base = 0;
    for (uint k = 0; k < bits; k++) base |= (step >> k & 1) << (bits - 1 - k);
    pack a[TOGETHER][RH_ROWS];
#pragma unroll
    for (uint t = 0; t < TOGETHER; t++)
#pragma unroll
      for (uint r = 0; r < RH_ROWS; r++) {
        uint k = member + SHARING * (base + t * steps) + RH_ROW * r;
        a[t][r] = pack_identity();
        if (is_whole || k < left) a[t][r] = pack_load(p, inner, row + k, aligned);
      }
    pack lane[TOGETHER];
#pragma unroll
    for (uint t = 0; t < TOGETHER; t++) {
#if RH_ROWS == 4
      lane[t] = pack_combine(pack_combine(a[t][0], a[t][1]), pack_combine(a[t][2], a[t][3]));
#elif RH_ROWS == 2
      lane[t] = pack_combine(a[t][0], a[t][1]);
#else
      lane[t] = a[t][0];
#endif
    }
    FOLD_HALF(lane, TOGETHER, 4)
    FOLD_HALF(lane, TOGETHER, 2)
    FOLD_HALF(lane, TOGETHER, 1)
    node = lane[0];
    PUSH(stack, LANE_LEVELS, step, node);
  }
#ifndef RH_BLOCK
#pragma unroll
  for (uint d = WARP / 2; d >= RH_BESIDE; d /= 2) node = pack_combine(node, pack_exchange(node, d));
#endif
  return node;
}

#ifdef RH_BLOCK
/* Columns whose rows begin anywhere, as packs do not divide their number.  A group takes
 * RH_BLOCK of them.  A warp has every SHARING-th row, and as packs have no more elements than that,
 * all of its rows begin at the same place of one: it reads whole packs, with some elements of other
 * columns at both ends.  Warps' values meet in local memory.  `packs`: columns side by side. */
SEGMENTS void segments_columns(RH_OPERANDS_PARAMETERS, ulong first, ulong number, ulong length,
                               ulong packs, ulong parts, uint log, __global rh_value *to,
                               ulong at) {
  __local rh_value shared[SHARING][RH_BLOCK];
  const uint item = get_local_id(0), lane = item % WARP, member = item / WARP;
  ulong blocks = (packs + RH_BLOCK - 1) / RH_BLOCK, row = get_group_id(0) / blocks;
  ulong column = (get_group_id(0) - row * blocks) * RH_BLOCK, outer = row / parts;
  ulong part = row - outer * parts, segment = outer * packs + column;
  uint count = (uint)min(packs - column, (ulong)RH_BLOCK);
  rh_operands p = rh_operands_at(RH_OPERANDS, first + outer * length * packs + column);
  uint skipped = (uint)((size_t)(p + member * packs) % (RH_COLUMNS * sizeof(*p)) / sizeof(*p));
  uint last = (count + skipped - 1) / RH_COLUMNS;
  p += (long)(min(lane, last) * RH_COLUMNS) - (long)skipped;
  ulong begin = (part << log) * RH_TILE, end = min(begin + ((ulong)RH_TILE << log), length);
  rh_sequence all;
  rh_sequence_begin(&all);
  for (; begin < end; begin += RH_TILE) {
    uint left = (uint)min(end - begin, (ulong)RH_TILE), lanes = RH_ROW;
    if (left < lanes) lanes = left > 1 ? 1u << (32 - clz(left - 1)) : 1;
    pack node;
    if (left >= RH_ROWS * RH_ROW)
      node = take_tile(p, packs, begin, left, RH_ROW, true, true);
    else
      node = take_tile(p, packs, begin, left, lanes, false, true);
    rh_value values[RH_COLUMNS];
    pack_values(node, values);
    barrier(CLK_LOCAL_MEM_FENCE); /* the tile before has been read */
#pragma unroll
    for (uint c = 0; c < RH_COLUMNS; c++) {
      uint place = lane * RH_COLUMNS + c - skipped; /* of 32 bits: one before the first is large */
      if (place < count) shared[member][place] = values[c];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < count) {
      rh_value v[SHARING];
#pragma unroll
      for (uint m = 0; m < SHARING; m++) v[m] = shared[m][item];
#pragma unroll
      for (uint h = SHARING / 2; h > 0; h /= 2)
#pragma unroll
        for (uint m = 0; m < h; m++) v[m] = rh_combine(v[m], v[m + h]);
      rh_sequence_add(&all, v[0]);
    }
  }
  if (item < count) rh_store(to + at, (segment + item) * parts + part, rh_sequence_value(&all));
}
#else
static inline void take_part(rh_operands input, ulong first, ulong number, ulong length,
                             ulong packs, ulong parts, uint log, const bool aligned,
                             __global rh_value *to) {
  ulong blocks = (number + RH_BESIDE - 1) / RH_BESIDE;
  ulong warp = get_group_id(0) * (ulong)(RH_GROUP / 32) + get_local_id(0) / WARP;
  ulong part = parts > 1 ? warp / blocks : 0;
  ulong k = (warp - part * blocks) * RH_BESIDE + get_local_id(0) % RH_BESIDE;
  if (part >= parts) return;
  bool is_there = k < number;
  rh_operands p = rh_operands_at(input, first + (is_there ? first_of(k, packs, length) : 0));
  ulong begin = (part << log) * RH_TILE, end = min(begin + ((ulong)RH_TILE << log), length);
  uint count = 0;
  pack stack[LEVELS(TILE_LEVELS)], node;
  for (; begin < end; begin += RH_TILE, count++) {
    uint left = (uint)min(end - begin, (ulong)RH_TILE), lanes = RH_ROW;
    if (left < lanes) lanes = left > 1 ? 1u << (32 - clz(left - 1)) : 1;
    if (left >= RH_ROWS * RH_ROW)
      node = take_tile(p, packs * RH_COLUMNS, begin, left, RH_ROW, true, aligned);
    else
      node = take_tile(p, packs * RH_COLUMNS, begin, left, lanes, false, aligned);
    PUSH(stack, TILE_LEVELS, count, node);
  }
#ifdef RH_ANY_ORDER
  node = stack[0];
#else
  node = pack_identity();
#pragma unroll
  for (uint l = 0; l < TILE_LEVELS; l++)
    if (count >> l & 1) node = pack_combine(stack[l], node);
#endif
  if (!is_there || get_local_id(0) % WARP >= RH_BESIDE) return;
  rh_value values[RH_COLUMNS];
  pack_values(node, values);
#pragma unroll
  for (uint c = 0; c < RH_COLUMNS; c++)
    rh_store(to, (k * RH_COLUMNS + c) * parts + part, values[c]);
}

SEGMENTS void segments_columns(RH_OPERANDS_PARAMETERS, ulong first, ulong number, ulong length,
                               ulong packs, ulong parts, uint log, __global rh_value *to,
                               ulong at) {
  if (is_aligned(rh_operands_at(RH_OPERANDS, first)))
    take_part(RH_OPERANDS, first, number, length, packs, parts, log, true, to + at);
  else
    take_part(RH_OPERANDS, first, number, length, packs, parts, log, false, to + at);
}
#endif
#endif
