/* Columns by warps, for operators that commute and values of up to 24 bytes: a work-item takes
 * RH_WIDTH neighbouring columns, whose elements it loads together.  Each column has its canonical
 * order, as in segments.cl.
 *   -DRH_FEW=n     columns of n elements, up to 128, all of which a work-item reads at once, of
 *                  RH_IN_TURN times RH_WIDTH columns
 *   -DRH_BESIDE    else: work-items side by side, of a warp, of which 32 / RH_BESIDE share columns;
 *   -DRH_BLOCK -DRH_SHARE   or of a group, which takes RH_BLOCK columns: each row by RH_BESIDE
 *                  work-items, and rows in turn by RH_SHARE of those
 *   -DRH_ANYWHERE  rows begin anywhere
 *   -DRH_ROWS=n    rows of a tile that columns reach: 1, 2 or 4
 *   -DRH_ANY_ORDER no order changes the bits: values are combined as they come
 *   -DRH_AT_ONCE   rows that are loaded together then
 *   -DRH_BRIEF     a value takes 4 bytes, or an index does, until it is stored */
#define SEGMENTS __kernel __attribute__((reqd_work_group_size(RH_GROUP, 1, 1)))
#define WARP     32u

/* ---- Neighbouring columns ---- */

#if RH_COLUMNS > 1 || defined(RH_BRIEF)
#define HAS_PACKS 1
#if RH_COLUMNS > 1
#define OF_PACK(type)        RH_PASTE(type, RH_WIDTH)
#define pack_store(pack, to) RH_PASTE(vstore, RH_WIDTH)(pack, 0, to)
#define ALIGNED(p)           RH_ALIGNED_ELEMENTS(p, 0)
#define TO_LANES             RH_TO_LANES
#else
#define OF_PACK(type)        type
#define pack_store(pack, to) (*(to) = (pack))
#define ALIGNED              UNALIGNED
#define TO_LANES(x)          RH_TO_SCALAR(x, )
#endif

/* Neighbouring elements from p on.  aligned: a constant. */
#ifdef RH_TYPE_f16
typedef OF_PACK(float) elements;
#define UNALIGNED(p) OF_PACK(vload_half)(0, (__global const half *)(p))
#elif RH_COLUMNS > 1
typedef OF_PACK(RH_ELEMENT) elements;
#define UNALIGNED(p) OF_PACK(vload)(0, p)
#else
typedef RH_ELEMENT elements;
#define UNALIGNED(p) (*(p))
#endif
static inline elements elements_at(rh_operands p, const bool aligned) {
  if (aligned) return ALIGNED(p);
  return UNALIGNED(p);
}

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
  pack_store(value.key, keys);
  pack_store(value.index, indices);
  for (uint k = 0; k < RH_COLUMNS; k++) {
    values[k].key = keys[k];
    values[k].index = indices[k] == 0xffffffffu ? RH_NO_INDEX : indices[k];
  }
}
static inline pack pack_of(elements x, ulong row) {
  pack value = {TO_LANES(x), (OF_PACK(uint))((uint)row)};
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
  pack_store(value, lanes);
  for (uint k = 0; k < RH_COLUMNS; k++) values[k] = (rh_value)(long)lanes[k];
}
#define pack_of(x, row)    TO_PACK(x)

#else
typedef rh_vector pack;
#define pack_combine    rh_vector_combine
#define pack_identity() rh_vector_identity()
#define pack_values     rh_vector_lanes
static inline pack pack_of(elements x, ulong row) {
  return rh_vector_of(TO_LANES(x), row, 0);
}
#endif

/* Element `row` of the columns from p on. */
static inline pack pack_load(rh_operands p, ulong inner, ulong row, const bool aligned) {
  return pack_of(elements_at(p + row * inner, aligned), row);
}
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

/* The kernel twice, each with registers for itself: for rows that begin at a pack, and others. */
#if RH_COLUMNS > 1 && !defined(RH_ANYWHERE)
#define COLUMNS_KERNELS(take)                                                                      \
  COLUMNS_KERNEL(segments_columns, take, true)                                                     \
  COLUMNS_KERNEL(segments_columns_anywhere, take, false)
#else
#define COLUMNS_KERNELS(take) COLUMNS_KERNEL(segments_columns, take, true)
#endif
#define COLUMNS_KERNEL(name, take, aligned)                                                        \
  SEGMENTS void name(RH_OPERANDS_PARAMETERS, ulong first, ulong number, ulong length, ulong packs, \
                     ulong parts, uint log, __global rh_value *to, ulong at) {                     \
    take(RH_OPERANDS, first, number, length, packs, parts, log, aligned, to + at);                 \
  }

/* The upper half of a lane's packs onto the lower half.  Literal bounds: see segments_warps.cl. */
#define FOLD_HALF(a, count, h)                                                                     \
  _Pragma("unroll") for (int c = 0; c < h; c++) if (c + h < (int)(count)) a[c] =                   \
      pack_combine(a[c], a[c + h]);

#if defined(RH_ANY_ORDER) && defined(HAS_PACKS)
#define IN_PASSING 1
/* ---- Running values of neighbouring columns ---- */

#if defined(RH_BRIEF) && defined(RH_IS_INDEXED)
/* The best element so far, as rows come in ascending order.  Floats are compared as they are: none
 * is better than a NaN. */
#ifndef RH_IS_FLOAT
typedef OF_PACK(RH_SCALAR) kept;
#define KEPT(x)         TO_LANES(x)
#define KEPT_KEYS(best) (best)
#define BETTER(x, best) RH_BEATS(x, best)
#else
typedef elements kept;
#define KEPT_KEYS(best) TO_LANES(best)
#ifdef RH_IS_MAGNITUDE
#define KEPT(x) fabs(x)
#else
#define KEPT(x) (x)
#endif
#ifdef RH_IS_LEAST
#define BETTER(x, best) ((((x) >= (best)) == 0) & ((best) == (best)))
#else
#define BETTER(x, best) ((((x) <= (best)) == 0) & ((best) == (best)))
#endif
#endif
typedef struct {
  kept best;
  OF_PACK(uint) index;
} running;
static inline running running_first(elements x, ulong row) {
  running first = {KEPT(x), (OF_PACK(uint))((uint)row)};
  return first;
}
static inline running running_take(running all, elements x, ulong row) {
  OF_PACK(int) takes = BETTER(KEPT(x), all.best);
  all.best = select(all.best, KEPT(x), takes);
  all.index = select(all.index, (OF_PACK(uint))((uint)row), takes);
  return all;
}
static inline pack running_pack(running all) {
  pack value = {KEPT_KEYS(all.best), all.index};
  return value;
}
#elif defined(RH_BRIEF) && RH_COLUMNS >= 4 && RH_PTX >= 61
typedef struct {
  brief lanes[RH_COLUMNS];
} running;
/* A dot product takes an element out of its word and adds it. */
#if defined(RH_TYPE_i8)
#define DOT "dp4a.s32.s32"
#elif defined(RH_TYPE_u8)
#define DOT "dp4a.u32.u32"
#elif defined(RH_TYPE_i16)
#define DOT "dp2a.lo.s32.s32"
#else
#define DOT "dp2a.lo.u32.u32"
#endif
static inline running running_take(running all, elements x, ulong row) {
  union {
    elements x;
    uint words[sizeof(elements) / 4];
  } u = {x};
#pragma unroll
  for (uint k = 0; k < RH_COLUMNS; k++) {
    const uint of_word = 4 / sizeof(rh_element);
    asm(DOT " %0, %1, %2, %0;"
        : "+r"(all.lanes[k])
        : "r"(u.words[k / of_word]), "r"(1u << 8 * (k % of_word)));
  }
  return all;
}
static inline running running_first(elements x, ulong row) {
  running none;
#pragma unroll
  for (uint k = 0; k < RH_COLUMNS; k++) none.lanes[k] = 0;
  return running_take(none, x, row);
}
static inline pack running_pack(running all) {
  return RH_PASTE(vload, RH_WIDTH)(0, all.lanes);
}
#else
typedef pack running;
#define running_first             pack_of
#define running_take(all, x, row) pack_combine(all, pack_of(x, row))
#define running_pack(all)         (all)
#endif

/* Rows `row`, `row` + apart, ... of those before `end`.  `other`: what can be read, as p can. */
static inline pack take_passing(rh_operands p, ulong inner, ulong row, ulong end, uint apart,
                                rh_operands other, const bool aligned) {
  const ulong step = apart * inner;
  if (row >= end) return pack_identity();
  p += row * inner;
  running all = running_first(elements_at(p, aligned), row);
#ifndef RH_IS_INDEXED /* else the first is not better than itself */
  row += apart;
  p += step;
#endif
  while (row < end) {
    elements x[RH_AT_ONCE];
    bool is_whole = row + (RH_AT_ONCE - 1) * apart < end;
    if (is_whole) {
#pragma unroll
      for (uint k = 0; k < RH_AT_ONCE; k++) x[k] = elements_at(p + k * step, aligned);
#pragma unroll
      for (uint k = 0; k < RH_AT_ONCE; k++) all = running_take(all, x[k], row + k * apart);
    } else {
#pragma unroll
      for (uint k = 0; k < RH_AT_ONCE; k++)
        x[k] = elements_at(row + k * apart < end ? p + k * step : other, aligned);
#pragma unroll
      for (uint k = 0; k < RH_AT_ONCE; k++)
        if (row + k * apart < end) all = running_take(all, x[k], row + k * apart);
    }
    row += RH_AT_ONCE * apart;
    p += RH_AT_ONCE * step;
  }
  return running_pack(all);
}
#endif

#ifdef RH_FEW
/* ---- Few elements ---- */

/* Two values of 8 bytes go together where they may: one by one, each store would reach all lines
 * that a warp's values stand in. */
static inline void store_few(pack node, __global rh_value *to) {
  union {
    rh_value of[RH_COLUMNS];
    ulong words[RH_COLUMNS * sizeof(rh_value) / sizeof(ulong) + 1];
  } values;
  pack_values(node, values.of);
#if RH_COLUMNS > 1
  if (sizeof(rh_value) == sizeof(ulong) && (size_t)to % sizeof(ulong2) == 0) {
#pragma unroll
    for (uint c = 0; c < RH_COLUMNS; c += 2)
      *(__global ulong2 *)(to + c) = (ulong2)(values.words[c], values.words[c + 1]);
    return;
  }
#endif
#pragma unroll
  for (uint c = 0; c < RH_COLUMNS; c++) rh_store(to, c, values.of[c]);
}

static inline void take_few(rh_operands input, ulong first, ulong number, ulong length, ulong packs,
                            ulong parts, uint log, const bool aligned, __global rh_value *to) {
  ulong at = get_group_id(0) * (ulong)(RH_IN_TURN * RH_GROUP) + get_local_id(0);
#ifdef IN_PASSING
  elements a[RH_IN_TURN][RH_FEW];
#else
  pack a[RH_IN_TURN][RH_FEW];
#endif
#pragma unroll
  for (uint t = 0; t < RH_IN_TURN; t++) {
    ulong k = min(at + t * RH_GROUP, number - 1);
    rh_operands p = rh_operands_at(input, first + first_of(k, packs, RH_FEW));
#pragma unroll
    for (uint row = 0; row < RH_FEW; row++)
#ifdef IN_PASSING
      a[t][row] = elements_at(p + row * packs * RH_COLUMNS, aligned);
#else
      a[t][row] = pack_load(p, packs * RH_COLUMNS, row, aligned);
#endif
  }
#pragma unroll
  for (uint t = 0; t < RH_IN_TURN; t++) {
#ifdef IN_PASSING
    running all = running_first(a[t][0], 0);
#pragma unroll
    for (uint row = 1; row < RH_FEW; row++) all = running_take(all, a[t][row], row);
    pack node = running_pack(all);
#else
    FOLD_HALF(a[t], RH_FEW, 64)
    FOLD_HALF(a[t], RH_FEW, 32)
    FOLD_HALF(a[t], RH_FEW, 16)
    FOLD_HALF(a[t], RH_FEW, 8)
    FOLD_HALF(a[t], RH_FEW, 4)
    FOLD_HALF(a[t], RH_FEW, 2)
    FOLD_HALF(a[t], RH_FEW, 1)
    pack node = a[t][0];
#endif
    ulong k = at + t * RH_GROUP;
    if (k < number) store_few(node, to + k * RH_COLUMNS);
  }
}

COLUMNS_KERNELS(take_few)

#else
/* ---- Many elements ---- */

/* Members that share columns: each has every so many-th row. */
#ifdef RH_BLOCK
#define SHARING RH_SHARE
#if 32 % RH_BESIDE == 0 && !defined(RH_ANYWHERE)
#define MEETS_IN_WARP 1
#define LEFT_OF_WARP  (RH_GROUP / 32) /* members whose values meet in local memory */
#define MEMBER        (get_local_id(0) % 32 / RH_BESIDE * LEFT_OF_WARP + get_local_id(0) / 32)
#else
#define LEFT_OF_WARP RH_SHARE
#define MEMBER       (get_local_id(0) / RH_BESIDE)
#endif
#else
#define SHARING (WARP / RH_BESIDE)
#define MEMBER  (get_local_id(0) % WARP / RH_BESIDE)
#endif

RH_DEFINE_EXCHANGE(pack_exchange, pack)

#ifdef IN_PASSING
#define PART_ROW  (RH_ROW < 128u ? RH_ROW : 128u) /* a part is a multiple of four of them */
#define PART_TILE (4 * PART_ROW)
#else
#define PART_TILE RH_TILE
/* Lanes of a tile whose elements are loaded together. */
#if defined(RH_STRUCT)
#define WISHED (sizeof(rh_value) > 16 ? 4u : 8u)
#elif RH_ROWS == 1 || RH_COLUMNS == 1
#define WISHED 8u
#elif defined(RH_TYPE_f16) && RH_COLUMNS > 2
#define WISHED 2u
#else
#define WISHED 4u
#endif
#define TOGETHER      (RH_ROW / SHARING < WISHED ? RH_ROW / SHARING : WISHED)
#define STEPS         (RH_ROW / SHARING / TOGETHER)
#define ABOVE(n)      (STEPS > n ? 1 : 0)
#define LANE_LEVELS   (ABOVE(1) + ABOVE(2) + ABOVE(4) + ABOVE(8) + ABOVE(16) + ABOVE(32) + 1)
#define TILE_LEVELS   4 /* up to 8 tiles */
#define LOG_OF(n)     ((n) < 2 ? 0 : 31 - clz((uint)(n)))
#define OF_MEMBER_LOG LOG_OF(RH_ROWS *RH_ROW / SHARING)

#if defined(RH_VARYING_FIELDS) && RH_COLUMNS == 1
#define pack_alike          rh_alike
#define pack_model(half)    rh_combine(half, half)
#define pack_exchange_alike rh_exchange_varying
/* A value of 2^log elements, of which the compiler finds out all that does not vary. */
static inline pack model_of(rh_operands p, uint log) {
  pack model = rh_load(p, 0);
#pragma unroll
  for (uint l = 0; l < log; l++) model = rh_combine(model, model);
  return model;
}
#else
#define pack_alike(node, model) (node)
#define pack_model(half)        (half)
#define pack_exchange_alike     pack_exchange
#define model_of(p, log)        pack_identity()
#endif

/* A binary counter of consecutive values, as rh_sequence, but in registers.  are_alike: a constant;
 * they are of as many elements. */
#define PUSH(stack, levels, index, node, are_alike)                                                \
  do {                                                                                             \
    bool is_done = false;                                                                          \
    pack model = node;                                                                             \
    _Pragma("unroll") for (uint l = 0; l < levels; l++) {                                          \
      if (!is_done && (index) >> l & 1)                                                            \
        node = are_alike ? pack_combine(pack_alike(stack[l], model), pack_alike(node, model))      \
                         : pack_combine(stack[l], node);                                           \
      else if (!is_done) {                                                                         \
        stack[l] = node;                                                                           \
        is_done = true;                                                                            \
      }                                                                                            \
      if (are_alike) model = pack_model(model);                                                    \
    }                                                                                              \
  } while (0)

enum { SOME, MOST, WHOLE }; /* rows of a tile */

/* The tile at row `row`, of which the columns have `left` rows, in `lanes` lanes, a power of two.
 * how: a constant; WHOLE: left reaches to the last of the RH_ROWS rows of lanes, MOST: into it. */
static inline pack take_tile(rh_operands p, ulong inner, ulong row, uint left, uint lanes,
                             const int how, const bool aligned) {
  uint steps = max(lanes / (SHARING * TOGETHER), 1u), bits = popcount(steps - 1);
  pack stack[LANE_LEVELS], node = pack_identity();
#pragma unroll 1
  for (uint step = 0; step < steps; step++) {
    /* Lanes meet by halving: steps go in the order of reversed bits. */
    uint base = 0;
    for (uint k = 0; k < bits; k++) base |= (step >> k & 1) << (bits - 1 - k);
    pack a[TOGETHER][RH_ROWS];
#pragma unroll
    for (uint r = 0; r < RH_ROWS; r++)
#pragma unroll
      for (uint t = 0; t < TOGETHER; t++) {
        uint k = MEMBER + SHARING * (base + t * steps) + RH_ROW * r;
        if (how == WHOLE || (how == MOST && r + 1 < RH_ROWS))
          a[t][r] = pack_load(p, inner, row + k, aligned);
        else if (how == MOST) { /* no load waits for a comparison: another is read for nothing */
          a[t][r] = pack_load(p, inner, row + (k < left ? k : k - RH_ROW), aligned);
          if (k >= left) a[t][r] = pack_identity();
        } else {
          a[t][r] = pack_identity();
          if (k < left) a[t][r] = pack_load(p, inner, row + k, aligned);
        }
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
    PUSH(stack, LANE_LEVELS, step, node, how == WHOLE);
  }
  if (how == WHOLE) node = pack_alike(node, model_of(p, OF_MEMBER_LOG));
  return node;
}

static inline pack take_tile_of(rh_operands p, ulong inner, ulong row, uint left,
                                const bool aligned) {
  uint lanes = RH_ROW;
  if (left < lanes) lanes = left > 1 ? 1u << (32 - clz(left - 1)) : 1;
  if (left >= RH_ROWS * RH_ROW) return take_tile(p, inner, row, left, RH_ROW, WHOLE, aligned);
  if (RH_ROWS > 1 && left > (RH_ROWS - 1) * RH_ROW)
    return take_tile(p, inner, row, left, RH_ROW, MOST, aligned);
  return take_tile(p, inner, row, left, lanes, SOME, aligned);
}
#endif

#define MEET_IN_WARP(node, exchange)                                                               \
  _Pragma("unroll") for (uint d = WARP / 2; d >= RH_BESIDE; d /= 2) node =                         \
      pack_combine(node, exchange(node, d));

#ifdef RH_BLOCK
/* ---- By groups ---- */

/* What members leave for others of the group. */
#if defined(RH_BRIEF) && !defined(RH_IS_INDEXED)
typedef brief met;
#define met_values(node, to) pack_store(node, to)
#define met_combine(a, b)    ((a) + (b))
#define met_value(m)         ((rh_value)(long)(m))
#else
typedef rh_value met;
#define met_values   pack_values
#define met_combine  rh_combine
#define met_value(m) (m)
#endif

/* The value of column `item`, of which each member has left one. */
static inline met meet_members(__local met (*shared)[RH_BLOCK], uint item) {
#ifdef IN_PASSING
  met all = shared[0][item];
  for (uint m = 1; m < LEFT_OF_WARP; m++) all = met_combine(all, shared[m][item]);
  return all;
#else
  met v[LEFT_OF_WARP];
#pragma unroll
  for (uint m = 0; m < LEFT_OF_WARP; m++) v[m] = shared[m][item];
#pragma unroll
  for (uint h = LEFT_OF_WARP / 2; h > 0; h /= 2)
#pragma unroll
    for (uint m = 0; m < h; m++) v[m] = met_combine(v[m], v[m + h]);
  return v[0];
#endif
}

/* Where rows begin anywhere, as packs do not divide the number of columns, a member's rows are
 * still at the same place of a pack, as RH_SHARE is a multiple of its elements: it reads whole
 * packs, with some elements of other columns at both ends.  `packs`: columns side by side. */
static inline void take_group(rh_operands p, ulong inner, uint count, ulong begin, ulong end,
                              const bool aligned, __local met (*shared)[RH_BLOCK],
                              __global rh_value *to, ulong parts) {
  const uint item = get_local_id(0), lane = item % RH_BESIDE;
  uint skipped = 0;
#ifdef RH_ANYWHERE
  const uint bytes = RH_COLUMNS * sizeof(*p);
  skipped = (uint)((size_t)(p + MEMBER * inner) % bytes / sizeof(*p));
#endif
#if defined(IN_PASSING) && defined(RH_ANYWHERE)
  rh_operands other = p - (size_t)p % bytes / sizeof(*p);
#elif defined(IN_PASSING)
  rh_operands other = p;
#endif
  uint own = min(lane, (count + skipped - 1) / RH_COLUMNS) * RH_COLUMNS;
  p = rh_operands_skip(p, (ulong)((long)own - (long)skipped));
#ifdef IN_PASSING
  pack node = pack_identity();
  if (MEMBER < SHARING) node = take_passing(p, inner, begin + MEMBER, end, SHARING, other, aligned);
#else
  rh_sequence all;
  rh_sequence_begin(&all);
  for (; begin < end; begin += RH_TILE) {
    pack node = pack_identity();
    if (MEMBER < SHARING)
      node = take_tile_of(p, inner, begin, (uint)min(end - begin, (ulong)RH_TILE), aligned);
    barrier(CLK_LOCAL_MEM_FENCE); /* the tile before has been read */
#endif
#ifdef MEETS_IN_WARP
  MEET_IN_WARP(node, pack_exchange)
#endif
  met values[RH_COLUMNS];
  met_values(node, values);
#pragma unroll
  for (uint c = 0; c < RH_COLUMNS; c++) {
    uint place = lane * RH_COLUMNS + c - skipped; /* of 32 bits: one before the first is large */
    if (MEMBER < LEFT_OF_WARP && place < count) shared[MEMBER][place] = values[c];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
#ifdef IN_PASSING
  if (item < count) rh_store(to, item * parts, met_value(meet_members(shared, item)));
#else
    if (item < count) rh_sequence_add(&all, meet_members(shared, item));
  }
  if (item < count) rh_store(to, item * parts, rh_sequence_value(&all));
#endif
}

static inline void take_block(rh_operands input, ulong first, ulong number, ulong length,
                              ulong packs, ulong parts, uint log, const bool aligned,
                              __local met (*shared)[RH_BLOCK], __global rh_value *to) {
  ulong blocks = (packs + RH_BLOCK - 1) / RH_BLOCK, row = get_group_id(0) / blocks;
  ulong column = (get_group_id(0) - row * blocks) * RH_BLOCK, outer = row / parts;
  ulong part = row - outer * parts;
  uint count = (uint)min(packs - column, (ulong)RH_BLOCK);
  rh_operands p = rh_operands_at(input, first + outer * length * packs + column);
  ulong begin = (part << log) * PART_TILE, end = min(begin + ((ulong)PART_TILE << log), length);
  take_group(p, packs, count, begin, end, aligned, shared,
             to + (outer * packs + column) * parts + part, parts);
}

#define take_with_room(input, first, number, length, packs, parts, log, aligned, to)               \
  __local met shared[LEFT_OF_WARP][RH_BLOCK];                                                      \
  take_block(input, first, number, length, packs, parts, log, aligned, shared, to)
COLUMNS_KERNELS(take_with_room)

#else
/* ---- By warps ---- */

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
  ulong begin = (part << log) * PART_TILE, end = min(begin + ((ulong)PART_TILE << log), length);
#ifdef IN_PASSING
  pack node = take_passing(p, packs * RH_COLUMNS, begin + MEMBER, end, SHARING, p, aligned);
  MEET_IN_WARP(node, pack_exchange)
#else
  uint count = 0;
  pack stack[TILE_LEVELS], node;
  for (; begin < end; begin += RH_TILE, count++) {
    node =
        take_tile_of(p, packs * RH_COLUMNS, begin, (uint)min(end - begin, (ulong)RH_TILE), aligned);
    if (end - begin >= RH_ROWS * RH_ROW)
      MEET_IN_WARP(node, pack_exchange_alike)
    else
      MEET_IN_WARP(node, pack_exchange)
    PUSH(stack, TILE_LEVELS, count, node, false);
  }
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

COLUMNS_KERNELS(take_part)
#endif
#endif
