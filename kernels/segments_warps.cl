/* Rows, and segments between offsets, by warps: work-items that exchange values and never wait.
 * Each segment has its canonical order, as in segments.cl, for operators that commute and values of
 * up to 24 bytes.
 *
 * Up to RH_SHORT elements are read at once, by 1 to 32 members of a warp: member q has elements q,
 * q + members, ...; their number is chosen so that each has four.  Longer segments are cut into
 * pieces of 2^log tiles, for a warp each.
 *   -DRH_PACKS -DRH_WIDTH -DRH_AT_ONCE   of built-in operators: the elements of 16 bytes, and how
 *                  many tiles of a piece are read together
 *   -DRH_ANY_ORDER   no order changes the bits: packs are combined as they come
 *   -DRH_PAIRS       halves are read two at a time
 *   -DRH_BETWEEN   pieces of segments between offsets
 *   -DRH_OFFSETS   segments between offsets: a warp has RH_OF_WARP of them, a lane RH_BATCH, and a
 *                  member RH_OWN elements or packs; RH_HIGHEST: the class of the longest one
 *   -DRH_MEMBERS -DRH_EACH -DRH_IN_TURN   of rows: how many share one, the elements of a member,
 *                                          and how many rows a warp's members read together
 *   -DRH_LENGTH    elements of a row, of operators that are not built in */
#define SEGMENTS __kernel __attribute__((reqd_work_group_size(RH_GROUP, 1, 1)))
#define WARP     32u
#define WARPS    (RH_GROUP / 32)
#define OF_ROW   ((int)RH_ROW / 32) /* elements of a row for each of 32 members */
#define OF_TILE  (4 * OF_ROW)
#ifdef RH_ANY_ORDER
#define OF_PACK  (16 / (int)sizeof(rh_element))
#define MOST     4 /* packs that a member reads at once */
#define RH_SHORT (MOST * WARP * OF_PACK - OF_PACK + 1)
#elif defined(RH_PAIRS)
#define OF_PACK  2
#define MOST     8 /* words that a member reads at once: of two rows at most, see TAKE_PAIRS */
#define RH_SHORT (MOST * WARP * OF_PACK - OF_PACK + 1)
#else
#define MOST     (OF_TILE < 16 ? OF_TILE : 16) /* elements that a member reads at once */
#define RH_SHORT (MOST * WARP)
#endif

#if defined(RH_MEMBERS) && !defined(RH_OFFSETS)
#define HAS_ROWS 1
#endif

/* ---- Of a warp ---- */

static inline uint lane_of_warp(void) {
  return get_local_id(0) % WARP;
}
static inline ulong warp_number(void) {
  return get_group_id(0) * (ulong)WARPS + get_local_id(0) / WARP;
}

#ifdef RH_ANY_ORDER
/* ---- A member's packs ---- */

/* The bits of an element that changes no value: of extremes, one that none beats. */
#define ALL_BITS (0xffffffffu >> (32 - 8 * sizeof(rh_element)))
#if defined(RH_OP_and) || (defined(RH_IS_LEAST) && defined(RH_IS_UNSIGNED))
#define NEUTRAL ALL_BITS
#elif !defined(RH_IS_ORDER) || defined(RH_IS_UNSIGNED) || defined(RH_IS_MAGNITUDE)
#define NEUTRAL 0u
#else
#if defined(RH_TYPE_f32)
#define GREATEST 0x7f800000u
#elif defined(RH_TYPE_f16)
#define GREATEST 0x7c00u
#else
#define GREATEST (ALL_BITS >> 1)
#endif
#if defined(RH_IS_LEAST)
#define NEUTRAL GREATEST
#elif defined(RH_IS_FLOAT)
#define NEUTRAL (GREATEST | (ALL_BITS ^ ALL_BITS >> 1))
#else
#define NEUTRAL (ALL_BITS ^ GREATEST)
#endif
#endif

/* The bits of a word from number `bit` on, which may lie outside: PTX shifts by more than 31. */
static inline uint bits_from(int bit) {
  uint bits;
  asm("shl.b32 %0, %1, %2;" : "=r"(bits) : "r"(0xffffffffu), "r"(max(bit, 0)));
  return bits;
}

/* A pack whose elements outside of `from` to `to`, any numbers, change nothing.  front: a constant;
 * whether there may be some before `from`; are_many: packs, of which most are whole. */
static inline uint cut_word(uint word, int from, int to, const bool front) {
  const uint neutral = NEUTRAL * (0xffffffffu / ALL_BITS);
  const int bits = 8 * (int)sizeof(rh_element);
  uint mask = ~bits_from(bits * to);
  if (front) mask &= bits_from(bits * from);
  return (word & mask) | (neutral & ~mask);
}
static inline rh_pack cut(rh_pack p, int from, int to, const bool front, const bool are_many) {
  const int of_word = OF_PACK / 4;
  if (are_many && from <= 0 && to >= OF_PACK) return p;
  return (rh_pack)(cut_word(p.x, from, to, front),
                   cut_word(p.y, from - of_word, to - of_word, front),
                   cut_word(p.z, from - 2 * of_word, to - 2 * of_word, front),
                   cut_word(p.w, from - 3 * of_word, to - 3 * of_word, front));
}

/* What a member has of a segment, as short as it can be. */
#ifdef RH_IS_INDEXED
typedef struct {
  RH_SCALAR key;
  uint index;
} brief;
#define NO_INDEX 0xffffffffu
static inline brief brief_identity(void) {
  brief none = {RH_IDENTITY, NO_INDEX};
  return none;
}
static inline brief brief_combine(brief a, brief b) {
  return RH_BEATS(b.key, a.key) || (b.key == a.key && b.index < a.index) ? b : a;
}
static inline rh_value widen(brief b) {
  rh_value value = {b.key, b.index == NO_INDEX ? RH_NO_INDEX : b.index};
  return value;
}
/* Element 0 of a pack is the segment's element -from, of which it has n.  Elements are visited from
 * the last to the first, which wins among equal ones.  Floats are compared as they are, and have a
 * key at the end: a NaN is at least as good as any. */
#ifdef RH_IS_FLOAT
typedef float seen;
#ifdef RH_IS_LEAST
#define NOTHING             INFINITY
#define IS_AS_GOOD(x, best) ((x) <= (best) || (x) != (x))
#else
#define NOTHING             -INFINITY
#define IS_AS_GOOD(x, best) ((x) >= (best) || (x) != (x))
#endif
#ifdef RH_IS_MAGNITUDE
#define SEEN(pack) fabs(rh_pack_elements(pack))
#else
#define SEEN(pack) rh_pack_elements(pack)
#endif
#define KEY(best) RH_TO_SCALAR(best, )
#else
typedef RH_SCALAR seen;
#define NOTHING             RH_IDENTITY
#define SEEN                rh_pack_scalars
#define IS_AS_GOOD(x, best) (!RH_BEATS(best, x))
#define KEY(best)           (best)
#endif
typedef struct {
  seen best;
  uint index;
} running;
static inline brief brief_of(running r) {
  brief value = {r.index == NO_INDEX ? RH_IDENTITY : KEY(r.best), r.index};
  return value;
}
static inline running take_pack(running r, rh_pack pack, int from, uint n) {
  seen keys[OF_PACK];
  RH_PASTE(vstore, RH_WIDTH)(SEEN(pack), 0, keys);
#pragma unroll
  for (int k = OF_PACK - 1; k >= 0; k--) {
    uint index = (uint)(k - from);
    if (index < n && IS_AS_GOOD(keys[k], r.best)) {
      r.best = keys[k];
      r.index = index;
    }
  }
  return r;
}
#elif defined(RH_NARROW_SUM)
typedef RH_NARROW brief;
#define brief_identity()    0
#define brief_combine(a, b) ((a) + (b))
#define widen(b)            RH_WIDEN(b)
#else
typedef rh_value brief;
#define brief_identity rh_identity
#define brief_combine  rh_combine
#define widen(b)       (b)
#endif
#ifndef RH_IS_INDEXED
static inline brief brief_of(rh_part part) {
#ifdef RH_NARROW_SUM
  return part;
#else
  return rh_part_scalar(part);
#endif
}
#endif

#ifdef RH_IS_INDEXED
#define FOLD_PACKS(value, packs, each, from, to, of)                                               \
  running best = {NOTHING, NO_INDEX};                                                              \
  _Pragma("unroll") for (int k = each - 1; k >= 0; k--) best =                                     \
      take_pack(best, packs[k], from - k * of, (uint)(to > from ? to - from : 0));                 \
  value = brief_of(best);
#else
/* Elements before the segment are in a member's first pack only. */
#define FOLD_PACKS(value, packs, each, from, to, of)                                               \
  rh_part part = rh_pack_part(cut(packs[0], from, to, true, each > 2));                            \
  _Pragma("unroll") for (int k = 1; k < each; k++) part = rh_part_join(                            \
      part, rh_pack_part(cut(packs[k], from - k * of, to - k * of, false, each > 2)));             \
  value = (n) > 0 ? brief_of(part) : brief_identity();
#endif

/* The value of a member's `each` packs of the n elements from p on.  Whole packs are read, which
 * lie in the buffer's memory even where they reach beyond its elements: it is aligned to more. */
#define TAKE_PACKS(value, p, n, member, members, each)                                             \
  do {                                                                                             \
    int skipped = (int)((size_t)(p) % 16 / sizeof(rh_element)), of = OF_PACK * (int)(members);     \
    __global const rh_pack *own = (__global const rh_pack *)((p)-skipped) + (member);              \
    int from = skipped - OF_PACK * (int)(member), to = (n) > 0 ? from + (int)(n) : 0;              \
    rh_pack a[each];                                                                               \
    _Pragma("unroll") for (int k = 0; k < each; k++) {                                             \
      a[k] = (rh_pack)(0);                                                                         \
      if (to > k * of) a[k] = own[k * (int)(members)];                                             \
    }                                                                                              \
    FOLD_PACKS(value, a, each, from, to, of)                                                       \
  } while (0)
#elif defined(RH_PAIRS)
/* ---- A member's pairs of halves ---- */
typedef float2 brief;
static inline brief brief_combine(brief a, brief b) {
  return (brief)(rh_combine(a.x, b.x), rh_combine(a.y, b.y));
}
static inline rh_value widen(brief b) {
  return rh_combine(b.x, b.y);
}
/* Words as they lie in memory, of which a segment may begin in the middle: elements that meet last
 * are still neighbours that meet last, as all lanes are rotated by one.  Where no element is, there
 * is -0. */
#define NO_HALF 0x8000u
#define TAKE_PAIRS(value, p, n, member, members, each)                                             \
  do {                                                                                             \
    int skipped = (int)((size_t)(p) % 4 / 2), to = (n) > 0 ? (int)(n) + skipped : 0;               \
    __global const uint *own = (__global const uint *)((p)-skipped) + (member);                    \
    uint words[each];                                                                              \
    brief a[each];                                                                                 \
    _Pragma("unroll") for (int k = 0; k < each; k++) {                                             \
      words[k] = NO_HALF << 16 | NO_HALF;                                                          \
      if (2 * ((int)(member) + (int)(members)*k) < to) words[k] = own[(int)(members)*k];           \
    }                                                                                              \
    _Pragma("unroll") for (int k = 0; k < each; k++) {                                             \
      int at = 2 * ((int)(member) + (int)(members)*k);                                             \
      if (k == 0 && at < skipped) words[k] = (words[k] & 0xffff0000u) | NO_HALF;                   \
      if (at + 1 >= to) words[k] = (words[k] & 0xffffu) | NO_HALF << 16;                           \
      float2 x = rh_floats_of(words[k]);                                                           \
      a[k] = (brief)(RH_TO_SCALAR(x.x, ), RH_TO_SCALAR(x.y, ));                                    \
    }                                                                                              \
    FOLD_OWN(a, each, ((int)RH_ROW / 2 / members));                                                \
    value = a[0];                                                                                  \
  } while (0)
#else
typedef rh_value brief;
#define brief_combine rh_combine
#define widen(b)      (b)
#endif

RH_DEFINE_EXCHANGE(brief_exchange, brief)

/* are_alike: a constant; all members' values are of as many elements. */
#ifdef RH_VARYING_FIELDS
#define exchange(mine, distance, are_alike)                                                        \
  ((are_alike) ? rh_exchange_varying(mine, distance) : brief_exchange(mine, distance))
#else
#define exchange(mine, distance, are_alike) brief_exchange(mine, distance)
#endif

/* ---- A member's elements ---- */

/* Of which it has `count`, `of_row` from row to row: rows first, then the upper half onto the lower
 * half, down to one.  All bounds are literal numbers: as arguments, though constant, they would
 * leave the array in memory. */
#define FOLD_HALF(a, count, of_row, h)                                                             \
  _Pragma("unroll") for (int c = 0; c < h; c++) if (h < of_row && c + h < count) a[c] =            \
      brief_combine(a[c], a[c + h]);
#define FOLD_ROWS(a, count, of_row)                                                                \
  _Pragma("unroll") for (int c = 0; c < of_row && c < count; c++) {                                \
    if (of_row + c < count) a[c] = brief_combine(a[c], a[of_row + c]);                             \
    if (3 * of_row + c < count)                                                                    \
      a[2 * of_row + c] = brief_combine(a[2 * of_row + c], a[3 * of_row + c]);                     \
    if (2 * of_row + c < count) a[c] = brief_combine(a[c], a[2 * of_row + c]);                     \
  }
#define FOLD_OWN(a, count, of_row)                                                                 \
  do {                                                                                             \
    FOLD_ROWS(a, count, of_row)                                                                    \
    FOLD_HALF(a, count, of_row, 8)                                                                 \
    FOLD_HALF(a, count, of_row, 4)                                                                 \
    FOLD_HALF(a, count, of_row, 2)                                                                 \
    FOLD_HALF(a, count, of_row, 1)                                                                 \
  } while (0)

/* ---- Members' values ---- */

static inline brief meet(brief mine, brief theirs, bool is_upper) {
#ifdef RH_STRUCT
  if (is_upper) return brief_combine(theirs, mine);
#endif
  return brief_combine(mine, theirs);
}

/* `count` values of each member become one: member q gets that of value q / (members / count), as
 * each exchange gives away the half that the other keeps. */
#define EXCHANGE_HALF(v, count, members, are_alike, h)                                             \
  if (count >= 2 * h) {                                                                            \
    const uint distance = h * (members / count);                                                   \
    bool is_upper = lane_of_warp() & distance;                                                     \
    _Pragma("unroll") for (int k = 0; k < h; k++) {                                                \
      brief low = v[k], high = v[k + h], keep = is_upper ? high : low;                             \
      v[k] = meet(keep, exchange(is_upper ? low : high, distance, are_alike), is_upper);           \
    }                                                                                              \
  }
#define EXCHANGE(v, count, members, are_alike)                                                     \
  do {                                                                                             \
    EXCHANGE_HALF(v, count, members, are_alike, 8)                                                 \
    EXCHANGE_HALF(v, count, members, are_alike, 4)                                                 \
    EXCHANGE_HALF(v, count, members, are_alike, 2)                                                 \
    EXCHANGE_HALF(v, count, members, are_alike, 1)                                                 \
    _Pragma("unroll") for (uint d = (members) / (count) / 2; d > 0; d /= 2) v[0] =                 \
        meet(v[0], exchange(v[0], d, are_alike), lane_of_warp() & d);                              \
  } while (0)

#if defined(RH_VARYING_FIELDS) && defined(RH_LENGTH)
/* ---- Of a length that the compiler knows ----
 * The first members have one element more than others.  So have their values: at each exchange,
 * those of the first `rem` places are of as many elements as `more`, others as `less`. */
#define KNOWS_LENGTH 1
typedef struct {
  rh_value more, less;
  uint rem;
} uneven;

static inline uneven uneven_next(uneven u, uint distance) {
  bool reaches = u.rem > distance;
  uneven next = {rh_combine(u.more, reaches ? u.more : u.less),
                 rh_combine(reaches ? u.more : u.less, u.less), reaches ? u.rem - distance : u.rem};
  return next;
}

static inline rh_value meet_uneven(rh_value mine, rh_value theirs, uint distance, uneven u) {
  bool is_upper = lane_of_warp() & distance, reaches = u.rem > distance;
  rh_value first = is_upper ? theirs : mine, second = is_upper ? mine : theirs;
  rh_value middle = reaches ? u.more : u.less;
  uint rem = reaches ? u.rem - distance : u.rem;
  if (rem == distance || (lane_of_warp() & (distance - 1)) < rem)
    return rh_combine(rh_alike(first, u.more), rh_alike(second, middle));
  return rh_combine(rh_alike(first, middle), rh_alike(second, u.less));
}

/* a: `each` elements of the first `count` members, and one fewer of others. */
#define FOLD_UNEVEN(value, u, a, each, of_row, member, count)                                      \
  do {                                                                                             \
    rh_value fewer[each];                                                                          \
    _Pragma("unroll") for (int c = 0; c < each; c++) fewer[c] = a[c];                              \
    FOLD_OWN(a, each, of_row);                                                                     \
    FOLD_OWN(fewer, (each - 1), of_row);                                                           \
    if (each == 1) fewer[0] = rh_identity();                                                       \
    u.more = a[0];                                                                                 \
    u.less = fewer[0];                                                                             \
    u.rem = count;                                                                                 \
    value = (member) < count ? a[0] : fewer[0];                                                    \
  } while (0)

#define EXCHANGE_UNEVEN_HALF(v, count, members, u, h)                                              \
  if (count >= 2 * h) {                                                                            \
    const uint distance = h * (members / count);                                                   \
    bool is_upper = lane_of_warp() & distance;                                                     \
    _Pragma("unroll") for (int k = 0; k < h; k++) {                                                \
      rh_value low = v[k], high = v[k + h];                                                        \
      rh_value theirs = rh_exchange_varying(is_upper ? low : high, distance);                      \
      v[k] = meet_uneven(is_upper ? high : low, theirs, distance, u);                              \
    }                                                                                              \
    u = uneven_next(u, distance);                                                                  \
  }
#define EXCHANGE_UNEVEN(v, count, members, u)                                                      \
  do {                                                                                             \
    EXCHANGE_UNEVEN_HALF(v, count, members, u, 8)                                                  \
    EXCHANGE_UNEVEN_HALF(v, count, members, u, 4)                                                  \
    EXCHANGE_UNEVEN_HALF(v, count, members, u, 2)                                                  \
    EXCHANGE_UNEVEN_HALF(v, count, members, u, 1)                                                  \
    _Pragma("unroll") for (uint d = (members) / (count) / 2; d > 0; d /= 2) {                      \
      v[0] = meet_uneven(v[0], rh_exchange_varying(v[0], d), d, u);                                \
      u = uneven_next(u, d);                                                                       \
    }                                                                                              \
  } while (0)
#endif

#ifdef HAS_ROWS
/* ---- Rows of up to RH_SHORT elements ---- */
#define KEPT        (RH_IN_TURN < RH_MEMBERS ? RH_IN_TURN : RH_MEMBERS) /* rows exchanged at once */
#define BESIDE      (32 / RH_MEMBERS)                                   /* rows side by side */
#define MEMBERS_ROW ((int)RH_ROW / RH_MEMBERS)

#ifdef KNOWS_LENGTH
#define IN_LAST (RH_LENGTH - RH_MEMBERS * (RH_EACH - 1)) /* members that have RH_EACH elements */
/* As take_rows(), where all are there. */
static inline void take_whole_rows(rh_operands input, ulong first, __global rh_value *to) {
  const uint member = lane_of_warp() % RH_MEMBERS, beside = lane_of_warp() / RH_MEMBERS;
  rh_value v[RH_IN_TURN];
  uneven begin;
#pragma unroll
  for (uint r = 0; r < RH_IN_TURN; r++) {
    rh_operands p = rh_operands_at(input, first + (r * BESIDE + beside) * RH_LENGTH);
    rh_value a[RH_EACH];
#pragma unroll
    for (uint k = 0; k + 1 < RH_EACH; k++) a[k] = rh_load(p, member + RH_MEMBERS * k);
    a[RH_EACH - 1] = rh_load(p, member + (member < IN_LAST ? RH_MEMBERS * (RH_EACH - 1) : 0));
    FOLD_UNEVEN(v[r], begin, a, RH_EACH, MEMBERS_ROW, member, IN_LAST);
  }
#pragma unroll
  for (uint t = 0; t < RH_IN_TURN; t += KEPT) {
    uneven u = begin;
    EXCHANGE_UNEVEN((v + t), KEPT, RH_MEMBERS, u);
    uint row = (t + member / (RH_MEMBERS / KEPT)) * BESIDE + beside;
    if (member % (RH_MEMBERS / KEPT) == 0) rh_store(to, row, v[t]);
  }
}
#else
#define take_whole_rows(input, first, to)                                                          \
  take_rows(input, first, length, RH_IN_TURN *BESIDE, true, to)
#endif

/* RH_IN_TURN times BESIDE rows, of which there are `left`. */
static inline void take_rows(rh_operands input, ulong first, uint length, uint left,
                             const bool is_whole, __global rh_value *to) {
  const uint member = lane_of_warp() % RH_MEMBERS, beside = lane_of_warp() / RH_MEMBERS;
  brief v[RH_IN_TURN];
#pragma unroll
  for (uint r = 0; r < RH_IN_TURN; r++) {
    uint row = r * BESIDE + beside;
    bool is_there = is_whole || row < left;
    rh_operands p = rh_operands_at(input, first + row * length);
#ifdef RH_ANY_ORDER
    uint n = is_there ? length : 0;
    TAKE_PACKS(v[r], p, n, member, RH_MEMBERS, RH_EACH);
#elif defined(RH_PAIRS)
    uint n = is_there ? length : 0;
    TAKE_PAIRS(v[r], p, n, member, RH_MEMBERS, RH_EACH);
#else
    rh_value a[RH_EACH];
#pragma unroll
    for (uint k = 0; k < RH_EACH; k++) {
      a[k] = rh_identity();
      if (is_there && (k + 1 < RH_EACH || member + RH_MEMBERS * k < length))
        a[k] = rh_load(p, member + RH_MEMBERS * k);
    }
    FOLD_OWN(a, RH_EACH, MEMBERS_ROW);
    v[r] = a[0];
#endif
  }
#pragma unroll
  for (uint t = 0; t < RH_IN_TURN; t += KEPT) {
    EXCHANGE((v + t), KEPT, RH_MEMBERS, false);
    uint row = (t + member / (RH_MEMBERS / KEPT)) * BESIDE + beside;
    if (member % (RH_MEMBERS / KEPT) == 0 && (is_whole || row < left))
      rh_store(to, row, widen(v[t]));
  }
}

SEGMENTS void segments_rows(RH_OPERANDS_PARAMETERS, ulong first, ulong number, uint length,
                            __global rh_value *to, ulong at) {
  const uint rows = RH_IN_TURN * BESIDE;
  ulong row = warp_number() * rows;
  if (row >= number) return;
  ulong left = number - row;
  first += row * length;
  if (left >= rows)
    take_whole_rows(RH_OPERANDS, first, to + at + row);
  else
    take_rows(RH_OPERANDS, first, length, (uint)left, false, to + at + row);
}

#else
/* ---- Pieces of longer segments ---- */

#ifdef RH_ANY_ORDER
static inline rh_value take_piece(rh_operands p, ulong at, ulong n) {
  const uint most = (MOST * WARP - 1) * OF_PACK;
#ifdef RH_IS_INDEXED
  brief all = brief_identity();
#else
  rh_value all = rh_identity();
#endif
  for (ulong k = 0; k < n; k += most) {
    brief one;
    TAKE_PACKS(one, p + at + k, min(n - k, (ulong)most), lane_of_warp(), WARP, MOST);
#ifdef RH_IS_INDEXED
    if (one.index != NO_INDEX) one.index += (uint)k;
    all = brief_combine(all, one);
#else
    all = rh_combine(all, widen(one));
#endif
  }
#ifdef RH_IS_INDEXED
#pragma unroll
  for (uint d = WARP / 2; d > 0; d /= 2) all = brief_combine(all, brief_exchange(all, d));
  rh_value value = widen(all);
  if (value.index != RH_NO_INDEX) value.index += at;
  return value;
#else
#pragma unroll
  for (uint d = WARP / 2; d > 0; d /= 2) all = rh_combine(all, rh_exchange(all, d));
  return all;
#endif
}
#else
#ifndef RH_CUSTOM
/* A warp reads RH_AT_ONCE tiles by packs as they lie in memory.  Where the first begins inside of a
 * pack, `skipped` elements behind its beginning, all lanes of a row are rotated by so many, which
 * changes nothing: those that meet are half of their number apart, and operators commute.  Only the
 * first work-item has elements of two rows in a pack, the last ones of a row where that begins. */
#define PACKED (16 / (int)sizeof(rh_element)) /* elements of a pack */
#define BLOCK  (RH_AT_ONCE * RH_TILE)
#define ROWS   (4 * RH_AT_ONCE)
#ifdef RH_PAIRS
#define KEPT_OF_TILE  (PACKED / 2)
#define kept_of(x, i) ((brief)((x)[2 * (i)], (x)[2 * (i) + 1]))
#else
#define KEPT_OF_TILE  PACKED
#define kept_of(x, i) ((x)[i])
#endif
#define KEPT_VALUES (RH_AT_ONCE * KEPT_OF_TILE)

static inline void take_pack_lanes(rh_pack pack, ulong index, rh_value *lanes) {
  rh_vector_lanes(rh_vector_of(RH_TO_LANES(rh_pack_elements(pack)), index, 1), lanes);
}

/* Row k of a work-item's packs, of which the first begins at element `first` of `left`. */
static inline void take_row(const rh_pack *packs, int k, ulong at, int first, int wrapped, int left,
                            const bool is_whole, rh_value *row) {
  const int of_row = (int)RH_ROW, begin = first + k * of_row;
  rh_value next[PACKED];
  if (!is_whole && left <= k * of_row) {
#pragma unroll
    for (int i = 0; i < PACKED; i++) row[i] = rh_identity();
    return;
  }
  take_pack_lanes(packs[0], at + (ulong)(long)begin, row);
  take_pack_lanes(packs[1], at + (ulong)(long)(begin + of_row), next);
#pragma unroll
  for (int i = 0; i < PACKED; i++)
    if (i < wrapped) row[i] = next[i];
  if (is_whole || left >= (k + 1) * of_row) return;
#pragma unroll
  for (int i = 0; i < PACKED; i++)
    if (begin + i + (i < wrapped ? of_row : 0) >= left) row[i] = rh_identity();
}

/* The value of the tiles at element `at`, of which there are `left` elements, in every member. */
static inline rh_value take_block(rh_operands p, ulong at, uint left, const bool is_whole) {
  int skipped = (int)((size_t)(p + at) % 16 / sizeof(rh_element)), n = (int)left;
  __global const rh_pack *own = (__global const rh_pack *)(p + at - skipped) + lane_of_warp();
  int first = PACKED * (int)lane_of_warp() - skipped, wrapped = lane_of_warp() == 0 ? skipped : 0;
  rh_pack a[ROWS + 1];
#pragma unroll
  for (int k = 0; k <= ROWS; k++) {
    bool is_there = first + k * (int)RH_ROW < n;
    a[k] = (rh_pack)(0);
    if (k < ROWS ? is_whole || is_there : wrapped > 0 && is_there) a[k] = own[k * 32];
  }
  brief v[KEPT_VALUES];
#pragma unroll
  for (int t = 0; t < RH_AT_ONCE; t++) {
    rh_value x[4][PACKED];
#pragma unroll
    for (int r = 0; r < 4; r++)
      take_row(a + 4 * t + r, 4 * t + r, at, first, wrapped, n, is_whole, x[r]);
#pragma unroll
    for (int i = 0; i < PACKED; i++)
      x[0][i] = rh_combine(rh_combine(x[0][i], x[1][i]), rh_combine(x[2][i], x[3][i]));
#pragma unroll
    for (int i = 0; i < KEPT_OF_TILE; i++) v[t * KEPT_OF_TILE + i] = kept_of(x[0], i);
  }
  EXCHANGE(v, KEPT_VALUES, 32, false);
#pragma unroll
  for (int d = 16 / RH_AT_ONCE; d >= 32 / KEPT_VALUES; d /= 2)
    v[0] = brief_combine(v[0], brief_exchange(v[0], d));
  rh_value value = widen(v[0]);
#pragma unroll
  for (int d = 32 / RH_AT_ONCE; d < 32; d *= 2) value = rh_combine(value, rh_exchange(value, d));
  return value;
}
#else
#define BLOCK RH_TILE
/* The value of the tile at element `at`, of which there are `left` elements, in every member. */
static inline rh_value take_block(rh_operands p, ulong at, uint left, const bool is_whole) {
  rh_value steps[OF_TILE / MOST];
  const uint apart = OF_TILE / MOST; /* every so many-th element of a row in each step */
  at += lane_of_warp();
#pragma unroll
  for (uint step = 0; step < apart; step++) {
    rh_value a[MOST];
#pragma unroll
    for (uint k = 0; k < MOST; k++) {
      uint i = (k * apart + step) * WARP;
      a[k] = rh_identity();
      if (is_whole || lane_of_warp() + i < left) a[k] = rh_load(p, at + i);
    }
    FOLD_OWN(a, MOST, (MOST / 4));
    steps[step] = a[0];
  }
  FOLD_HALF(steps, (OF_TILE / MOST), 16, 2)
  FOLD_HALF(steps, (OF_TILE / MOST), 16, 1)
  EXCHANGE(steps, 1, 32, is_whole);
  return steps[0];
}

#ifdef KNOWS_LENGTH
#define OF_LAST      (RH_LENGTH % RH_TILE) /* elements of the last tile, where that is not whole */
#define LAST_EACH    (OF_LAST ? (OF_LAST + WARP - 1) / WARP : 1)
#define IN_LAST_EACH (OF_LAST - WARP * (LAST_EACH - 1)) /* members that have so many */
static inline rh_value take_last_block(rh_operands p, ulong at) {
  const uint lane = lane_of_warp(), last = WARP * (LAST_EACH - 1);
  rh_value a[LAST_EACH], v[1];
  uneven u;
#pragma unroll
  for (uint k = 0; k + 1 < LAST_EACH; k++) a[k] = rh_load(p, at + lane + k * WARP);
  /* Others read an element that is there. */
  a[LAST_EACH - 1] = rh_load(p, at + (lane < IN_LAST_EACH ? last + lane : 0));
  FOLD_UNEVEN(v[0], u, a, (int)(LAST_EACH), OF_ROW, lane, IN_LAST_EACH);
  EXCHANGE_UNEVEN(v, 1, 32, u);
  return v[0];
}
#endif
#endif
#ifndef OF_LAST
#define take_last_block(p, at) take_block(p, at, (uint)n, false)
#endif

/* The value of n elements of p from `at` on, which is the beginning of a tile, in the first
 * member. */
static inline rh_value take_piece(rh_operands p, ulong at, ulong n) {
  rh_value mine = rh_identity();
  rh_sequence blocks;
  rh_sequence_begin(&blocks);
  for (uint k = 0;; k++) {
    bool is_whole = n >= BLOCK;
    rh_value value = is_whole ? take_block(p, at, BLOCK, true) : take_last_block(p, at);
    if (lane_of_warp() == k % WARP) mine = value;
    bool is_last = n <= BLOCK;
    if (is_last && k < WARP) return rh_aligned_tree(mine, 1, k > 0 ? 2u << (31 - clz(k)) : 1);
    if (is_last || k % WARP == WARP - 1) {
      rh_sequence_add(&blocks, rh_aligned_tree(mine, 1, WARP));
      mine = rh_identity();
    }
    if (is_last) return rh_sequence_value(&blocks);
    n -= BLOCK;
    at += BLOCK;
  }
}
#endif

#ifndef RH_OFFSETS
/* With RH_BETWEEN of segments between offsets, of which none is much longer than others. */
SEGMENTS void segments_pieces(RH_OPERANDS_PARAMETERS, ulong first, ulong number, ulong length,
                              ulong parts, uint log, __global rh_value *to, ulong at
#ifdef RH_BETWEEN
                              ,
                              __global const ulong *starts, __global const ulong *stops, uint next
#endif
) {
  ulong piece = warp_number(), row = parts > 1 ? piece / parts : piece, start = row * length;
  if (row >= number) return;
#ifdef RH_BETWEEN
  start = starts[row];
  length = stops[row + next] - start;
#endif
  ulong begin = ((piece - row * parts) << log) * RH_TILE;
  rh_value value = rh_identity();
  if (begin < length)
    value = take_piece(rh_operands_at(RH_OPERANDS, first + start), begin,
                       min(length - begin, (ulong)RH_TILE << log));
  if (lane_of_warp() == 0) to[at + piece] = value;
}
#else
/* ---- Between offsets ---- */
#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#endif

static inline uint ballot(bool is_so) {
  uint lanes;
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; }"
               : "=r"(lanes)
               : "r"((uint)is_so));
  return lanes;
}
static inline uint word_of(uint mine, uint lane) {
  uint theirs;
  asm volatile("shfl.sync.idx.b32 %0, %1, %2, 31, 0xffffffff;"
               : "=r"(theirs)
               : "r"(mine), "r"(lane));
  return theirs;
}

/* A segment that is too long for a warp, in the list of those: piece `first` of all is its first
 * one.  The list is in the order of arrival, on which no value depends. */
typedef struct {
  ulong start, n, segment;
  uint first, log; /* 2^log tiles are a piece */
} long_segment;

/* The sum over the lanes up to this one. */
static inline uint scan(uint mine) {
#pragma unroll
  for (uint d = 1; d < WARP; d *= 2) {
    uint before = word_of(mine, (lane_of_warp() - d) & (WARP - 1));
    if (lane_of_warp() >= d) mine += before;
  }
  return mine;
}

static inline ulong ulong_of(ulong mine, uint lane) {
  return (ulong)word_of((uint)(mine >> 32), lane) << 32 | word_of((uint)mine, lane);
}

static inline uint pieces_of(ulong n, uint *log) {
  ulong tiles = (n + RH_TILE - 1) / RH_TILE;
  while (tiles >> *log > RH_MOST_PIECES) ++*log;
  return (uint)((tiles + (1ul << *log) - 1) >> *log);
}

/* A segment from each lane, if n > 0.  counter: segments on the list, times 2^32, and pieces. */
static inline void put_on_list(ulong start, ulong n, ulong segment, uint log,
                               __global ulong *counter, __global long_segment *list) {
  uint lane = lane_of_warp(), count = pieces_of(n, &log), end = scan(count);
  uint mask = ballot(n > 0);
  ulong base = 0;
  if (lane == WARP - 1) base = atom_add(counter, (ulong)popcount(mask) << 32 | end);
  base = ulong_of(base, WARP - 1);
  long_segment one = {start, n, segment, (uint)base + end - count, log};
  if (n > 0) list[(base >> 32) + popcount(mask & ((1u << lane) - 1))] = one;
}

/* ---- Shorter ones ---- */

#if defined(RH_ANY_ORDER) || defined(RH_PAIRS)
#define TINY ((RH_OWN - 1) * OF_PACK + 1)
#ifdef RH_PAIRS
/* More where the longest has eight members. */
#define IN_TURN                                 (RH_HIGHEST >= 4 ? 8 : 4)
#define OWN(value, p, n, member, members, each) TAKE_PAIRS(value, p, n, member, members, each)
#else
#define IN_TURN                                 2
#define OWN(value, p, n, member, members, each) TAKE_PACKS(value, p, n, member, members, each)
#endif
/* As many as lie in so many packs, wherever they begin. */
static inline uint in_packs(uint n) {
  return (n + 2 * OF_PACK - 2) / OF_PACK;
}
#else
#define TINY        RH_OWN
#define IN_TURN     4
#define in_packs(n) (n)
#define OWN(value, p, n, member, members, each)                                                    \
  do {                                                                                             \
    rh_value a[each];                                                                              \
    _Pragma("unroll") for (uint k = 0; k < each; k++) {                                            \
      a[k] = rh_identity();                                                                        \
      if (member + members * k < n) a[k] = rh_load(p, member + members * k);                       \
    }                                                                                              \
    FOLD_OWN(a, each, ((int)RH_ROW / members));                                                    \
    value = a[0];                                                                                  \
  } while (0)
#endif

/* Where one is; k: its number among the warp's. */
typedef struct {
  ulong start;
  uint n, k;
} short_segment;

/* Those on places `from` to `end` of the table: `members` for each. */
#define TAKE(from, end, members, each, in_turn)                                                    \
  for (uint begin = from; begin < (end); begin += in_turn * (32 / members)) {                      \
    const uint member = lane % members, beside = lane / members;                                   \
    const uint kept = in_turn < members ? in_turn : members;                                       \
    brief v[in_turn];                                                                              \
    _Pragma("unroll") for (uint r = 0; r < in_turn; r++) {                                         \
      uint place = begin + r * (32 / members) + beside;                                            \
      short_segment one = table[place < (end) ? place : from];                                     \
      uint n = place < (end) ? one.n : 0;                                                          \
      rh_operands p = rh_operands_at(input, first + one.start);                                    \
      OWN(v[r], p, n, member, members, each);                                                      \
    }                                                                                              \
    _Pragma("unroll") for (uint t = 0; t < in_turn; t += kept) {                                   \
      EXCHANGE((v + t), kept, members, false);                                                     \
      uint place = begin + (t + member / (members / kept)) * (32 / members) + beside;              \
      if (member % (members / kept) == 0 && place < (end))                                         \
        rh_store(to, table[place].k, widen(v[t]));                                                 \
    }                                                                                              \
  }

/* Classes of segments by how many members they need: 2^(class - 1); the last one's members read
 * MOST elements each. */
enum { EMPTY, ONE, LAST = 7, CLASSES, LONG };

static inline uint class_of(ulong n) {
  if (n > RH_SHORT) return LONG;
  if (n <= TINY) return n > 0 ? ONE : EMPTY;
  return min(33 - clz((in_packs((uint)n) - 1) / RH_OWN), (uint)LAST);
}

/* Up to TINY elements of each, by a lane. */
static inline void take_tiny(rh_operands input, ulong first, const ulong *start, const ulong *n,
                             uint left, __global rh_value *to) {
#if defined(RH_ANY_ORDER) || defined(RH_PAIRS)
#pragma unroll
  for (uint b = 0; b < RH_BATCH; b++) {
    rh_operands p = rh_operands_at(input, first + start[b]);
    uint k = b * WARP + lane_of_warp();
    brief value;
    OWN(value, p, n[b], 0, 1, RH_OWN);
    if (k < left) rh_store(to, k, widen(value));
  }
#else
  rh_value a[RH_BATCH][RH_OWN];
#pragma unroll
  for (uint b = 0; b < RH_BATCH; b++) {
    rh_operands p = rh_operands_at(input, first + start[b]);
#pragma unroll
    for (uint k = 0; k < RH_OWN; k++) {
      a[b][k] = rh_identity();
      if (k < n[b]) a[b][k] = rh_load(p, k);
    }
  }
#pragma unroll
  for (uint b = 0; b < RH_BATCH; b++) {
    FOLD_OWN(a[b], RH_OWN, 128);
    uint k = b * WARP + lane_of_warp();
    if (k < left) rh_store(to, k, a[b][0]);
  }
#endif
}

static inline void warp_waits(void) {
  asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
}

/* Segments of more elements than a warp reads at once: one after the other, or onto the list. */
static inline void take_long(rh_operands input, ulong first, ulong start, ulong n, ulong segment,
                             uint log, uint alone, bool is_listed, __global ulong *counter,
                             __global long_segment *list, __global rh_value *to) {
  ulong most = (ulong)RH_TILE << alone;
  for (uint mask = ballot(n > RH_SHORT && n <= most); mask; mask &= mask - 1) {
    uint one = 31 - clz(mask & -mask);
    rh_value value =
        take_piece(rh_operands_at(input, first + ulong_of(start, one)), 0, ulong_of(n, one));
    if (lane_of_warp() == 0) to[one] = value;
  }
  if (!is_listed && ballot(n > most))
    put_on_list(start, n > most ? n : 0, segment, log, counter, list);
}

/* The last segment on the list whose first piece is not behind this one: lanes look at 32 places at
 * a time. */
static inline uint find(__global const long_segment *list, uint count, uint piece) {
  uint low = 0;
  while (count > 1) {
    uint step = (count + WARP - 1) / WARP, place = lane_of_warp() * step;
    uint mask = ballot(place < count && list[low + place].first <= piece);
    uint last = popcount(mask) - 1;
    low += last * step;
    count = min(step, count - last * step);
  }
  return low;
}

/* Every so many-th piece of those on the list. */
static inline void take_listed(rh_operands input, ulong first, uint takers,
                               __global const ulong *counter, __global const long_segment *list,
                               __global rh_value *nodes) {
  uint step = takers * WARPS, count = (uint)(*counter >> 32), all = (uint)*counter;
  for (uint k = (uint)warp_number(); k < all; k += step) {
    long_segment one = list[find(list, count, k)];
    ulong most = (ulong)RH_TILE << one.log, begin = (k - one.first) * most;
    rh_value value =
        take_piece(rh_operands_at(input, first + one.start), begin, min(one.n - begin, most));
    if (lane_of_warp() == 0) nodes[k] = value;
  }
}

/* next: 1 where the stops are the next segments' starts.
 * A warp takes RH_OF_WARP consecutive segments, RH_BATCH for each lane: as they stand, with as many
 * members as the longest one needs, or by classes where most need far fewer. */
SEGMENTS void segments_offsets(RH_OPERANDS_PARAMETERS, ulong first, ulong number,
                               __global const ulong *starts, __global const ulong *stops, uint next,
                               uint log, uint alone, uint takers, __global ulong *counter,
                               __global long_segment *list, __global rh_value *nodes,
                               __global rh_value *to, ulong at) {
  __local short_segment tables[WARPS][WARP * RH_BATCH];
  __local short_segment *table = tables[get_local_id(0) / WARP];
  ulong start[RH_BATCH], n[RH_BATCH], longest = 0;
  ulong segment = (warp_number() - takers * WARPS) * RH_OF_WARP;
  uint lane = lane_of_warp(), class[RH_BATCH], from[CLASSES + 1], low = 0, high = 0;
  rh_operands input = RH_OPERANDS;
  if (RH_HIGHEST == LONG && get_group_id(0) < takers) {
    take_listed(input, first, takers, counter, list, nodes);
    return;
  }
  if (segment >= number) return;
  uint left = (uint)min(number - segment, (ulong)RH_OF_WARP);
#pragma unroll
  for (uint b = 0; b < RH_BATCH; b++) {
    ulong s = segment + min(b * WARP + lane, left - 1);
    start[b] = starts[s];
    n[b] = stops[s + next];
  }
#pragma unroll
  for (uint b = 0; b < RH_BATCH; b++) {
    n[b] -= start[b];
    longest = max(longest, n[b]);
  }
  to += at + segment;
  if (RH_HIGHEST == ONE || ballot(longest > TINY) == 0) {
    take_tiny(input, first, start, n, left, to);
    return;
  }
#pragma unroll
  for (uint b = 0; b < RH_BATCH; b++) {
    class[b] = b * WARP + lane < left ? class_of(n[b]) : LONG;
    if (class[b] < LONG) high = max(high, class[b]);
  }
#pragma unroll
  for (uint d = 1; d < WARP; d *= 2) high = max(high, rh_exchange_word(high, d));
#pragma unroll
  for (uint b = 0; b < RH_BATCH; b++) low += popcount(ballot(class[b] + 1 < high));
#pragma unroll
  for (uint c = ONE; c <= CLASSES; c++) from[c] = c > high ? left : 0;
  if (2 * low <= left && ballot(longest > RH_SHORT) == 0) {
#pragma unroll
    for (uint b = 0; b < RH_BATCH; b++) {
      short_segment mine = {start[b], (uint)n[b], b * WARP + lane};
      table[b * WARP + lane] = mine;
    }
  } else {
    uint rank[RH_BATCH];
#pragma unroll
    for (uint c = ONE, all = 0; c < CLASSES; c++) {
      from[c] = all;
#pragma unroll
      for (uint b = 0; b < RH_BATCH; b++) {
        uint mask = ballot(class[b] == c);
        if (class[b] == c) rank[b] = all + popcount(mask & ((1u << lane) - 1));
        all += popcount(mask);
      }
      from[c + 1] = all;
    }
#pragma unroll
    for (uint b = 0; b < RH_BATCH; b++) {
      short_segment mine = {start[b], (uint)n[b], b * WARP + lane};
      if (class[b] == EMPTY) to[mine.k] = rh_identity();
      if (class[b] > EMPTY && class[b] < LONG) table[rank[b]] = mine;
    }
  }
  warp_waits();
  if (RH_HIGHEST >= 1) TAKE(from[1], from[2], 1, RH_OWN, IN_TURN)
  if (RH_HIGHEST >= 2) TAKE(from[2], from[3], 2, RH_OWN, IN_TURN)
  if (RH_HIGHEST >= 3) TAKE(from[3], from[4], 4, RH_OWN, IN_TURN)
  if (RH_HIGHEST >= 4) TAKE(from[4], from[5], 8, RH_OWN, IN_TURN)
  if (RH_HIGHEST >= 5) TAKE(from[5], from[6], 16, RH_OWN, IN_TURN)
  if (RH_HIGHEST >= 6) TAKE(from[6], from[7], 32, RH_OWN, IN_TURN)
  if (RH_HIGHEST >= 7) TAKE(from[7], from[8], 32, MOST, 1)
  if (RH_HIGHEST < LONG || ballot(longest > RH_SHORT) == 0) return;
#pragma unroll
  for (uint b = 0; b < RH_BATCH; b++) {
    uint k = b * WARP + lane;
    ulong s = segment + min(k, left - 1), begin = starts[s];
    take_long(input, first, begin, k < left ? stops[s + next] - begin : 0, segment + k, log, alone,
              takers > 0, counter, list, to + b * WARP);
  }
}

/* The nodes of the segments on the list, a group for each in turn. */
SEGMENTS void segments_meet(__global const ulong *counter, __global const long_segment *list,
                            __global const rh_value *nodes, __local rh_value *scratch,
                            __global rh_value *to, ulong at) {
  uint item = get_local_id(0), count = (uint)(*counter >> 32);
  for (uint k = (uint)get_group_id(0); k < count; k += (uint)get_num_groups(0)) {
    long_segment one = list[k];
    uint pieces = pieces_of(one.n, &one.log), each = 1;
    while (each * RH_GROUP < pieces) each *= 2;
    uint begin = item * each, end = min(begin + each, pieces);
    rh_sequence mine;
    rh_sequence_begin(&mine);
    for (; begin < end; begin += 8)
      rh_sequence_add(&mine, rh_nodes_value(nodes + one.first, begin, end));
    scratch[item] = rh_sequence_value(&mine);
    for (uint d = 1; d < RH_GROUP; d *= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      if (item % (2 * d) == 0) scratch[item] = rh_combine(scratch[item], scratch[item + d]);
    }
    if (item == 0) to[at + one.segment] = scratch[0];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
#endif
#endif
