/* The canonical order of docs/inside/bits.md, where the plugin asks for it with -DRH_CANONICAL:
 * the same bits on every device, with any number of work-items.  The plugin says besides:
 *
 *   -DRH_TEAM=32   work-items that share a tile, a power of two up to 32 that divides the group
 *   -DRH_WIDTH=4   elements that each of them loads at once: a power of two, at most RH_TEAM unless
 *                  that is 1
 *   -DRH_SHUFFLES  as for shuffles.cl: teams of 32 use a warp's shuffles, and RH_TEAM_SHUFFLES is
 *                  defined
 *
 *   rh_tile_load(p, n, tile, aligned)   a work-item's share of a tile, its four rows combined
 *   rh_tile_fold(scratch, share)        the tile's value, in every work-item of the team
 *   rh_whole_tile_fold(scratch, share)  the same of a tile that is whole, with RH_TEAM_SHUFFLES
 *   rh_sequence_add(&s, value)          the values of consecutive tiles, or of aligned nodes, ...
 *   rh_sequence_value(&s)               ... become one by the canonical tree
 *   rh_store(to, k, value)              to[k] = value, without a hole
 *   rh_nodes_value(nodes, begin, end)   the same of up to eight values in memory, loaded together
 *
 * Every work-item of a group calls rh_tile_fold together, but with RH_TEAM_SHUFFLES or a team of 1;
 * scratch: local memory for RH_WIDTH values of each work-item.
 *
 * An operator has a canonical order where it commutes.  combine(a, b) and combine(b, a) have the
 * same bits then, and neighbours that exchange values may both combine them. */
#ifdef RH_CANONICAL

#define RH_ROW  (512u / (uint)sizeof(rh_element)) /* elements: a row's lanes */
#define RH_TILE (4u * RH_ROW)                     /* elements */

/* ---- Work-items of a team ---- */

static inline uint rh_team(void) {
  return get_local_id(0) / RH_TEAM;
}
static inline uint rh_member(void) {
  return get_local_id(0) % RH_TEAM;
}

#if RH_TEAM == 32 && defined(RH_FULL_SUB_GROUPS)
#define RH_TEAM_SHUFFLES 1
/* Of the member whose index differs in the bit `distance`. */
static inline uint rh_exchange_word(uint mine, uint distance) {
  uint other;
  asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;"
               : "=r"(other)
               : "r"(mine), "r"(distance));
  return other;
}

/* rh_exchange(mine, distance), and the same of other values of whole words under other names. */
#define RH_DEFINE_EXCHANGE(name, type)                                                             \
  static inline type name(type mine, uint distance) {                                              \
    union {                                                                                        \
      type value;                                                                                  \
      uint words[sizeof(type) / sizeof(uint)];                                                     \
    } x = {mine};                                                                                  \
    _Pragma("unroll") for (uint k = 0; k < sizeof x.words / sizeof *x.words; k++) x.words[k] =     \
        rh_exchange_word(x.words[k], distance);                                                    \
    return x.value;                                                                                \
  }
RH_DEFINE_EXCHANGE(rh_exchange, rh_value)

#ifdef RH_VARYING_FIELDS
/* The same of a value of as many elements as this one: other fields are those of this one, such as
 * the number of elements.  The compiler knows that number. */
#define RH_EXCHANGE_FIELD(type, field)                                                             \
  {                                                                                                \
    union {                                                                                        \
      type value;                                                                                  \
      uint words[(sizeof(type) + sizeof(uint) - 1) / sizeof(uint)];                                \
    } x;                                                                                           \
    x.value = mine.field;                                                                          \
    _Pragma("unroll") for (uint k = 0; k < sizeof x.words / sizeof *x.words; k++) x.words[k] =     \
        rh_exchange_word(x.words[k], distance);                                                    \
    theirs.field = x.value;                                                                        \
  }
static inline rh_value rh_exchange_varying(rh_value mine, uint distance) {
  rh_value theirs = mine;
  RH_VARYING_FIELDS(RH_EXCHANGE_FIELD)
  return theirs;
}

/* `value`, which is of as many elements as `model`. */
#define RH_COPY_FIELD(type, field) model.field = value.field;
static inline rh_value rh_alike(rh_value value, rh_value model) {
  RH_VARYING_FIELDS(RH_COPY_FIELD)
  return model;
}
#else
#define rh_exchange_varying    rh_exchange
#define rh_alike(value, model) (value)
#endif

/* Neighbours first: pairs, pairs of pairs, and so on.  Each aligned run of `from` work-items has a
 * common value, each of `to` gets one: powers of two up to RH_TEAM. */
static inline rh_value rh_aligned_tree(rh_value mine, uint from, uint to) {
#pragma unroll
  for (uint distance = 1; distance < RH_TEAM; distance *= 2)
    if (from <= distance && distance < to) mine = rh_combine(mine, rh_exchange(mine, distance));
  return mine;
}
#endif

/* ---- Consecutive values ----
 * Those of a sequence stand side by side in the tree, the first at a multiple of their number
 * rounded up to a power of two.  A binary counter: nodes[k] combines 2^k values where bit k of
 * `count` is set. */
typedef struct {
  rh_value nodes[48];
  ulong count;
} rh_sequence;

static inline void rh_sequence_begin(rh_sequence *s) {
  s->count = 0;
}

static inline void rh_sequence_add(rh_sequence *s, rh_value value) {
  uint k = 0;
  for (; s->count >> k & 1; k++) value = rh_combine(s->nodes[k], value);
  s->nodes[k] = value;
  s->count++;
}

/* What is missing at the end counts as the identity. */
static inline rh_value rh_sequence_value(const rh_sequence *s) {
  rh_value value = rh_identity();
  for (uint k = 0; s->count >> k; k++)
    if (s->count >> k & 1) value = rh_combine(s->nodes[k], value);
  return value;
}

/* A value of 4 and 8 bytes has 4 between them.  Memory that is written in part is read before. */
static inline void rh_store(__global rh_value *to, ulong k, rh_value value) {
#if defined(RH_IS_PAIR) && !defined(RH_SCALAR_IS_64_BIT)
  ((__global uint4 *)to)[k] =
      (uint4)(RH_PASTE(as_, uint)(value.RH_FIRST), 0, as_uint2(value.RH_SECOND));
#else
  to[k] = value;
#endif
}

static inline rh_value rh_nodes_value(__global const rh_value *nodes, ulong begin, ulong end) {
  rh_value v[8];
#pragma unroll
  for (uint k = 0; k < 8; k++) {
    v[k] = rh_identity();
    if (begin + k < end) v[k] = nodes[begin + k];
  }
  return rh_combine(rh_combine(rh_combine(v[0], v[1]), rh_combine(v[2], v[3])),
                    rh_combine(rh_combine(v[4], v[5]), rh_combine(v[6], v[7])));
}

/* ---- Tiles ---- */
#ifdef RH_WIDTH

/* Vectors that a work-item has of each row. */
#define RH_PIECES (512 / (int)sizeof(rh_element) / (RH_TEAM * RH_WIDTH))

/* The vector of elements at p.  PoCL's vload16 reads element by element. */
#if defined(RH_CUSTOM)
/* rh_vector_read */
#elif defined(__clang__)
typedef RH_PASTE(RH_ELEMENT, RH_WIDTH) rh_unaligned __attribute__((aligned(sizeof(RH_ELEMENT))));
#define RH_UNALIGNED(p) (*(__global const rh_unaligned *)(p))
#else
#define RH_UNALIGNED(p) RH_PASTE(vload, RH_WIDTH)(0, p)
#endif

/* Elements i .. i+RH_WIDTH-1 of p; aligned: p+i is aligned to the vector's size. */
static inline rh_vector rh_lanes_load(rh_operands p, ulong i, bool aligned) {
#if defined(RH_CUSTOM)
  return rh_vector_read(p, i, RH_TEAM > 1 && aligned);
#else
#if defined(RH_TYPE_f16) && defined(RH_PACKS) && RH_WIDTH == 8
  if (aligned) return rh_vector_of(rh_pack_scalars(*(__global const rh_pack *)(p + i)), i, 1);
#elif RH_TEAM > 1
  if (aligned) return rh_vector_load(p, i);
#endif
#ifdef RH_TYPE_f16
  return rh_vector_of(
      RH_TO_SCALAR(RH_PASTE(vload_half, RH_WIDTH)(0, (__global const half *)(p + i)), RH_WIDTH), i,
      1);
#else
  return rh_vector_of(RH_TO_SCALAR(RH_UNALIGNED(p + i), RH_WIDTH), i, 1);
#endif
#endif
}

/* Loops over a work-item's lanes of a tile.  A member of a large team has few, and unrolled their
 * loads wait for memory together; one that has a tile for itself has hundreds. */
#if RH_TEAM < 8
#define RH_FOR_LANES _Pragma("unroll 1") for
#else
#define RH_FOR_LANES _Pragma("unroll") for
#endif

/* A CPU's loads stay in the order in which they are written: those that jump between rows take
 * twice as long (AMD EPYC, Zen 5). */
#if RH_TEAM == 1 && (defined(__x86_64__) || defined(__aarch64__))
#define RH_IN_THIS_ORDER __atomic_signal_fence(__ATOMIC_SEQ_CST)
#else
#define RH_IN_THIS_ORDER
#endif
#define RH_STEP     (RH_TEAM * RH_WIDTH)            /* elements from piece to piece */
#define RH_TOGETHER (RH_PIECES < 8 ? RH_PIECES : 8) /* pieces of a row that are loaded in turn */
#define RH_FOR_TOGETHER(k)                                                                         \
  RH_IN_THIS_ORDER;                                                                                \
  _Pragma("unroll") for (int k = 0; k < RH_TOGETHER; k++)

/* Element i of those from p on, of which there are `left`, or the identity. */
static inline rh_value rh_load_before(rh_operands p, int i, int left) {
  rh_value value = rh_identity();
  if (i < left) value = rh_load(p, i);
  return value;
}

#if RH_TEAM > 1 || !defined(RH_STRUCT)
/* Rows 0 and 1, rows 2 and 3, and these two; then the upper half of the pieces onto the lower half,
 * down to one. */
static inline rh_vector rh_whole_tile_load(rh_operands p, ulong tile, bool aligned) {
  rh_vector pieces[RH_PIECES], other[RH_TOGETHER];
  p = rh_operands_skip(p, tile * RH_TILE + rh_member() * RH_WIDTH);
  RH_FOR_LANES(int at = 0; at < RH_PIECES;
               at += RH_TOGETHER, p = rh_operands_skip(p, RH_TOGETHER * RH_STEP)) {
    rh_vector *one = pieces + at;
    RH_FOR_TOGETHER(k) one[k] = rh_lanes_load(p, k * RH_STEP, aligned);
    RH_FOR_TOGETHER(k)
    one[k] = rh_vector_combine(one[k], rh_lanes_load(p, RH_ROW + k * RH_STEP, aligned));
    RH_FOR_TOGETHER(k) other[k] = rh_lanes_load(p, 2 * RH_ROW + k * RH_STEP, aligned);
    RH_FOR_TOGETHER(k)
    other[k] = rh_vector_combine(other[k], rh_lanes_load(p, 3 * RH_ROW + k * RH_STEP, aligned));
    RH_FOR_TOGETHER(k) one[k] = rh_vector_combine(one[k], other[k]);
  }
  RH_FOR_LANES(int half_of = RH_PIECES / 2; half_of > 0; half_of /= 2)
  RH_FOR_LANES(int k = 0; k < half_of; k++)
  pieces[k] = rh_vector_combine(pieces[k], pieces[k + half_of]);
  return pieces[0];
}

/* Of a built-in operator the identity changes nothing, so rows without an element need no code.
 * Leaving out three rows of f16 saves 0.1 us of 2.3 for one element on an H200. */
#if defined(RH_TEAM_SHUFFLES) && !defined(RH_CUSTOM)
#define RH_SKIPS_MISSING_ROWS 1
#else
#define RH_SKIPS_MISSING_ROWS 0
#endif

/* Of a work-item's k-th lane, from its first one on. */
static inline int rh_lane_offset(int k) {
  return k / RH_WIDTH * RH_TEAM * RH_WIDTH + k % RH_WIDTH;
}

/* A lane's element of each of the four rows, combined. */
static inline rh_value rh_lane_load(rh_operands p, int i, int left) {
  const int row = RH_ROW;
  return rh_combine(
      rh_combine(rh_load_before(p, i, left), rh_load_before(p, i + row, left)),
      rh_combine(rh_load_before(p, i + 2 * row, left), rh_load_before(p, i + 3 * row, left)));
}

/* The tile that n elements end in, element by element: the identity stands for those behind
 * them. */
static inline rh_vector rh_last_tile_load(rh_operands p, ulong n, ulong tile) {
  rh_value lanes[RH_PIECES * RH_WIDTH];
  int in_tile = (int)(n - tile * RH_TILE), left = in_tile - (int)rh_member() * RH_WIDTH;
  bool is_row = RH_SKIPS_MISSING_ROWS && in_tile <= (int)RH_ROW;
  p = rh_operands_skip(p, tile * RH_TILE + rh_member() * RH_WIDTH);
  if (is_row) {
    RH_FOR_LANES(int k = 0; k < RH_PIECES * RH_WIDTH; k++)
    lanes[k] = rh_load_before(p, rh_lane_offset(k), left);
  } else {
    RH_FOR_LANES(int k = 0; k < RH_PIECES * RH_WIDTH; k++)
    lanes[k] = rh_lane_load(p, rh_lane_offset(k), left);
  }
  RH_FOR_LANES(int half_of = RH_PIECES * RH_WIDTH / 2; half_of >= RH_WIDTH; half_of /= 2)
  for (int k = 0; k < half_of; k++) lanes[k] = rh_combine(lanes[k], lanes[k + half_of]);
  return rh_vector_from_lanes(lanes);
}
#else
/* The lanes of a row, in loops and field by field: a compiler makes vectors of these.  Written out,
 * the lanes would make a program of several times the size, which takes PoCL milliseconds to read
 * before the first result. */
#define RH_FIELD_OF_LANES(type, field) type field[RH_ROW];
#ifdef RH_FIELDS
#define RH_FIELD_GET(type, field) value.field = row->field[lane];
#define RH_FIELD_SET(type, field) row->field[lane] = value.field;
#else
#define RH_FIELDS(X)              X(rh_value, all)
#define RH_FIELD_GET(type, field) value = row->field[lane];
#define RH_FIELD_SET(type, field) row->field[lane] = value;
#endif
typedef struct {
  RH_FIELDS(RH_FIELD_OF_LANES)
} rh_row;

/* A lane's value, its fields brought together. */
static inline rh_value rh_row_get(const rh_row *row, uint lane) {
  rh_value value;
  RH_FIELDS(RH_FIELD_GET)
  return value;
}

/* Takes a value's fields apart into a lane. */
static inline void rh_row_set(rh_row *row, uint lane, rh_value value) {
  RH_FIELDS(RH_FIELD_SET)
}

/* The four rows from p on, combined, one after the other: see RH_IN_THIS_ORDER. */
static inline void rh_row_load_whole(rh_row *row, rh_operands p) {
  rh_row other;
  RH_FOR_LANES(uint i = 0; i < RH_ROW; i++) rh_row_set(row, i, rh_load(p, i));
  RH_IN_THIS_ORDER;
  RH_FOR_LANES(uint i = 0; i < RH_ROW; i++)
  rh_row_set(row, i, rh_combine(rh_row_get(row, i), rh_load(p, i + RH_ROW)));
  RH_IN_THIS_ORDER;
  RH_FOR_LANES(uint i = 0; i < RH_ROW; i++) rh_row_set(&other, i, rh_load(p, i + 2 * RH_ROW));
  RH_IN_THIS_ORDER;
  RH_FOR_LANES(uint i = 0; i < RH_ROW; i++) {
    rh_value upper = rh_combine(rh_row_get(&other, i), rh_load(p, i + 3 * RH_ROW));
    rh_row_set(row, i, rh_combine(rh_row_get(row, i), upper));
  }
}

/* The same of `left` elements, fewer than a tile's: the identity stands for the rest. */
static inline void rh_row_load_last(rh_row *row, rh_operands p, int left) {
  const int size = RH_ROW;
  RH_FOR_LANES(int i = 0; i < size; i++)
  rh_row_set(row, i,
             rh_combine(rh_combine(rh_load_before(p, i, left), rh_load_before(p, i + size, left)),
                        rh_combine(rh_load_before(p, i + 2 * size, left),
                                   rh_load_before(p, i + 3 * size, left))));
}

/* The upper half of the lanes onto the lower half, down to a vector. */
static inline rh_vector rh_row_share(rh_row *row) {
  rh_vector share;
  RH_FOR_LANES(uint half_of = RH_ROW / 2; half_of >= RH_WIDTH; half_of /= 2)
  RH_FOR_LANES(uint k = 0; k < half_of; k++)
  rh_row_set(row, k, rh_combine(rh_row_get(row, k), rh_row_get(row, k + half_of)));
  RH_FOR_LANES(uint k = 0; k < RH_WIDTH; k++) share.lanes[k] = rh_row_get(row, k);
  return share;
}

static inline rh_vector rh_whole_tile_load(rh_operands p, ulong tile, bool aligned) {
  rh_row row;
  rh_row_load_whole(&row, rh_operands_skip(p, tile * RH_TILE));
  return rh_row_share(&row);
}

static inline rh_vector rh_last_tile_load(rh_operands p, ulong n, ulong tile) {
  rh_row row;
  rh_row_load_last(&row, rh_operands_skip(p, tile * RH_TILE), (int)(n - tile * RH_TILE));
  return rh_row_share(&row);
}
#endif

/* A work-item's share of any tile of the n elements from p on, its rows combined. */
static inline rh_vector rh_tile_load(rh_operands p, ulong n, ulong tile, bool aligned) {
  if ((tile + 1) * RH_TILE <= n) return rh_whole_tile_load(p, tile, aligned);
  if (tile * RH_TILE >= n) return rh_vector_identity();
  return rh_last_tile_load(p, n, tile);
}

/* The upper half of a row's lanes onto the lower half, down to one. */
#if RH_TEAM == 1 && defined(RH_STRUCT)
static inline rh_value rh_tile_fold(__local rh_value *scratch, rh_vector share) {
  RH_FOR_LANES(uint half_of = RH_WIDTH / 2; half_of > 0; half_of /= 2)
  RH_FOR_LANES(uint k = 0; k < half_of; k++)
  share.lanes[k] = rh_combine(share.lanes[k], share.lanes[k + half_of]);
  return share.lanes[0];
}
#elif RH_TEAM == 1
/* Whole vectors to the end: a compiler that sees single lanes takes all vectors of the tile
 * apart. */
#ifdef RH_IS_PAIR
#define RH_LANES_OF(v, lanes)                                                                      \
  { (v).RH_FIRST.lanes, (v).RH_SECOND.lanes }
#else
#define RH_LANES_OF(v, lanes) (v).lanes
#endif
#define RH_FOLD_LANES(v, lanes)                                                                    \
  do {                                                                                             \
    rh_vector upper = RH_LANES_OF(v, lanes);                                                       \
    v = rh_vector_combine(v, upper);                                                               \
  } while (0)
static inline rh_value rh_tile_fold(__local rh_value *scratch, rh_vector share) {
#if RH_WIDTH == 16
  RH_FOLD_LANES(share, s89abcdef89abcdef);
  RH_FOLD_LANES(share, s4567456745674567);
  RH_FOLD_LANES(share, s2323232323232323);
  RH_FOLD_LANES(share, s1111111111111111);
#elif RH_WIDTH == 8
  RH_FOLD_LANES(share, s45674567);
  RH_FOLD_LANES(share, s23232323);
  RH_FOLD_LANES(share, s11111111);
#elif RH_WIDTH == 4
  RH_FOLD_LANES(share, s2323);
  RH_FOLD_LANES(share, s1111);
#else
  RH_FOLD_LANES(share, s11);
#endif
  rh_value value = RH_LANES_OF(share, s0);
  return value;
}
#elif defined(RH_TEAM_SHUFFLES)
/* The lower lane's value comes first.  Built-in operators have the same bits either way, but not
 * the formulas of others, such as Chan's merge. */
#ifdef RH_STRUCT
static inline rh_value rh_meet(rh_value mine, rh_value theirs, bool is_upper) {
  rh_value first = is_upper ? theirs : mine, second = is_upper ? mine : theirs;
  return rh_combine(first, second);
}
#else
#define rh_meet(mine, theirs, is_upper) rh_combine(mine, theirs)
#endif

/* is_whole: a constant. */
static inline rh_value rh_tile_exchange(rh_value mine, uint distance, bool is_whole) {
  return is_whole ? rh_exchange_varying(mine, distance) : rh_exchange(mine, distance);
}

/* As long as a work-item has several lanes, it gives half of them away and keeps the other half, so
 * that each exchange is of use to both; the lanes of what was one work-item's meet last. */
static inline rh_value rh_fold_by_shuffles(rh_vector share, bool is_whole) {
  rh_value lanes[RH_WIDTH];
  rh_vector_lanes(share, lanes);
#pragma unroll
  for (uint step = 1; step < RH_TEAM; step *= 2) {
    uint distance = RH_TEAM / 2 / step, width = RH_WIDTH / 2 / step;
    bool is_upper = rh_member() & distance;
    if (width == 0)
      lanes[0] = rh_meet(lanes[0], rh_tile_exchange(lanes[0], distance, is_whole), is_upper);
#pragma unroll
    for (uint k = 0; k < width; k++) {
      /* Both read first: a choice between two places of an array would keep it in memory. */
      rh_value low = lanes[k], high = lanes[k + width];
      rh_value keep = is_upper ? high : low, give = is_upper ? low : high;
      lanes[k] = rh_meet(keep, rh_tile_exchange(give, distance, is_whole), is_upper);
    }
  }
#pragma unroll
  for (uint step = 1; step < RH_WIDTH; step *= 2) {
    uint distance = RH_TEAM / 2 / step;
    lanes[0] =
        rh_meet(lanes[0], rh_tile_exchange(lanes[0], distance, is_whole), rh_member() & distance);
  }
  return lanes[0];
}

static inline rh_value rh_tile_fold(__local rh_value *scratch, rh_vector share) {
  return rh_fold_by_shuffles(share, false);
}

static inline rh_value rh_whole_tile_fold(__local rh_value *scratch, rh_vector share) {
  return rh_fold_by_shuffles(share, true);
}
#else
static inline rh_value rh_tile_fold(__local rh_value *scratch, rh_vector share) {
  __local rh_value *row = scratch + rh_team() * RH_TEAM * RH_WIDTH;
  rh_value lanes[RH_WIDTH];
  rh_vector_lanes(share, lanes);
  for (uint k = 0; k < RH_WIDTH; k++) row[rh_member() * RH_WIDTH + k] = lanes[k];
  for (uint half_of = RH_TEAM * RH_WIDTH / 2; half_of > 0; half_of /= 2) {
    rh_barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = rh_member(); k < half_of; k += RH_TEAM)
      row[k] = rh_combine(row[k], row[k + half_of]);
  }
  rh_barrier(CLK_LOCAL_MEM_FENCE);
  rh_value value = row[0];
  rh_barrier(CLK_LOCAL_MEM_FENCE);
  return value;
}
#endif

#endif
#endif
