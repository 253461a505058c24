/* Rows, and segments between offsets, by warps: work-items that exchange values and never wait.
 * Each segment has its canonical order, as in segments.cl, for operators that commute and values of
 * up to 16 bytes.
 *
 * Up to RH_SHORT elements are read at once, by 1 to 32 members of a warp: member q has elements q,
 * q + members, ...; their number is chosen so that each has four.  Longer segments are cut into
 * pieces of 2^log tiles, for a warp each.
 *   -DRH_MEMBERS -DRH_EACH -DRH_IN_TURN   of rows: how many share one, the elements of a member,
 *                                          and how many rows a warp's members read together */
#define SEGMENTS __kernel __attribute__((reqd_work_group_size(RH_GROUP, 1, 1)))
#define WARP     32u
#define WARPS    (RH_GROUP / 32)
#define OF_ROW   ((int)RH_ROW / 32) /* elements of a row for each of 32 members */
#define OF_TILE  (4 * OF_ROW)
#define MOST     (OF_TILE < 16 ? OF_TILE : 16) /* elements that a member reads at once */
#define RH_SHORT (MOST * WARP)

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

/* ---- A member's elements ---- */

/* Of which it has `count`, `of_row` from row to row: rows first, then the upper half onto the lower
 * half, down to one.  All bounds are literal numbers: as arguments, though constant, they would
 * leave the array in memory. */
#define FOLD_HALF(a, count, of_row, h)                                                             \
  _Pragma("unroll") for (int c = 0; c < h; c++) if (h < of_row && c + h < count) a[c] =            \
      rh_combine(a[c], a[c + h]);
#define FOLD_ROWS(a, count, of_row)                                                                \
  _Pragma("unroll") for (int c = 0; c < of_row && c < count; c++) {                                \
    if (of_row + c < count) a[c] = rh_combine(a[c], a[of_row + c]);                                \
    if (3 * of_row + c < count)                                                                    \
      a[2 * of_row + c] = rh_combine(a[2 * of_row + c], a[3 * of_row + c]);                        \
    if (2 * of_row + c < count) a[c] = rh_combine(a[c], a[2 * of_row + c]);                        \
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

static inline rh_value meet(rh_value mine, rh_value theirs, bool is_upper) {
#ifdef RH_STRUCT
  if (is_upper) return rh_combine(theirs, mine);
#endif
  return rh_combine(mine, theirs);
}

/* `count` values of each member become one: member q gets that of value q / (members / count), as
 * each exchange gives away the half that the other keeps. */
#define EXCHANGE_HALF(v, count, members, h)                                                        \
  if (count >= 2 * h) {                                                                            \
    const uint distance = h * (members / count);                                                   \
    bool is_upper = lane_of_warp() & distance;                                                     \
    _Pragma("unroll") for (int k = 0; k < h; k++) {                                                \
      rh_value low = v[k], high = v[k + h], keep = is_upper ? high : low;                          \
      v[k] = meet(keep, rh_exchange(is_upper ? low : high, distance), is_upper);                   \
    }                                                                                              \
  }
#define EXCHANGE(v, count, members)                                                                \
  do {                                                                                             \
    EXCHANGE_HALF(v, count, members, 8)                                                            \
    EXCHANGE_HALF(v, count, members, 4)                                                            \
    EXCHANGE_HALF(v, count, members, 2)                                                            \
    EXCHANGE_HALF(v, count, members, 1)                                                            \
    _Pragma("unroll") for (uint d = (members) / (count) / 2; d > 0; d /= 2) v[0] =                 \
        meet(v[0], rh_exchange(v[0], d), lane_of_warp() & d);                                      \
  } while (0)

#ifdef HAS_ROWS
/* ---- Rows of up to RH_SHORT elements ---- */
#define KEPT        (RH_IN_TURN < RH_MEMBERS ? RH_IN_TURN : RH_MEMBERS) /* rows exchanged at once */
#define BESIDE      (32 / RH_MEMBERS)                                   /* rows side by side */
#define MEMBERS_ROW ((int)RH_ROW / RH_MEMBERS)

/* RH_IN_TURN times BESIDE rows, of which there are `left`. */
static inline void take_rows(rh_operands input, ulong first, uint length, uint left,
                             const bool is_whole, __global rh_value *to) {
  const uint member = lane_of_warp() % RH_MEMBERS, beside = lane_of_warp() / RH_MEMBERS;
  const bool has_last = member + RH_MEMBERS * (RH_EACH - 1) < length;
  rh_value v[RH_IN_TURN];
#pragma unroll
  for (uint r = 0; r < RH_IN_TURN; r++) {
    rh_value a[RH_EACH];
    uint row = r * BESIDE + beside;
    bool is_there = is_whole || row < left;
    rh_operands p = rh_operands_at(input, first + row * length);
#pragma unroll
    for (uint k = 0; k < RH_EACH; k++) {
      a[k] = rh_identity();
      if (is_there && (k + 1 < RH_EACH || has_last)) a[k] = rh_load(p, member + RH_MEMBERS * k);
    }
    FOLD_OWN(a, RH_EACH, MEMBERS_ROW);
    v[r] = a[0];
  }
#pragma unroll
  for (uint t = 0; t < RH_IN_TURN; t += KEPT) {
    EXCHANGE((v + t), KEPT, RH_MEMBERS);
    uint row = (t + member / (RH_MEMBERS / KEPT)) * BESIDE + beside;
    if (member % (RH_MEMBERS / KEPT) == 0 && (is_whole || row < left)) to[row] = v[t];
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
    take_rows(RH_OPERANDS, first, length, rows, true, to + at + row);
  else
    take_rows(RH_OPERANDS, first, length, (uint)left, false, to + at + row);
}

#else
/* ---- Pieces of longer segments ---- */

/* The value of the tile at element `at`, of which there are `left` elements, in every member. */
static inline rh_value take_tile(rh_operands p, ulong at, uint left) {
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
      if (left == RH_TILE || lane_of_warp() + i < left) a[k] = rh_load(p, at + i);
    }
    FOLD_OWN(a, MOST, (MOST / 4));
    steps[step] = a[0];
  }
  FOLD_HALF(steps, (OF_TILE / MOST), 16, 2)
  FOLD_HALF(steps, (OF_TILE / MOST), 16, 1)
  EXCHANGE(steps, 1, 32);
  return steps[0];
}

/* The value of n elements of p from `at` on, which is the beginning of a tile. */
static inline rh_value take_piece(rh_operands p, ulong at, ulong n) {
  rh_value mine = rh_identity();
  rh_sequence blocks;
  rh_sequence_begin(&blocks);
  for (uint k = 0;; k++) {
    bool is_whole = n >= RH_TILE;
    rh_value value = is_whole ? take_tile(p, at, RH_TILE) : take_tile(p, at, (uint)n);
    if (lane_of_warp() == k % WARP) mine = value;
    bool is_last = n <= RH_TILE;
    if (is_last && k < WARP) return rh_aligned_tree(mine, 1, WARP);
    if (is_last || k % WARP == WARP - 1) {
      rh_sequence_add(&blocks, rh_aligned_tree(mine, 1, WARP));
      mine = rh_identity();
    }
    if (is_last) return rh_sequence_value(&blocks);
    n -= RH_TILE;
    at += RH_TILE;
  }
}

#ifndef RH_OFFSETS
SEGMENTS void segments_pieces(RH_OPERANDS_PARAMETERS, ulong first, ulong number, ulong length,
                              ulong parts, uint log, __global rh_value *to, ulong at) {
  ulong piece = warp_number(), row = parts > 1 ? piece / parts : piece;
  if (row >= number) return;
  ulong begin = ((piece - row * parts) << log) * RH_TILE;
  rh_operands p = rh_operands_at(RH_OPERANDS, first + row * length);
  rh_value value = take_piece(p, begin, min(length - begin, (ulong)RH_TILE << log));
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

#define EACH                                                                                       \
  5 /* elements of a member; one more than four, as lengths gather around powers of two */

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
    rh_value v[in_turn];                                                                           \
    _Pragma("unroll") for (uint r = 0; r < in_turn; r++) {                                         \
      uint place = begin + r * (32 / members) + beside;                                            \
      short_segment one = table[place < (end) ? place : from];                                     \
      uint n = place < (end) ? one.n : 0;                                                          \
      rh_operands p = rh_operands_at(input, first + one.start);                                    \
      rh_value a[each];                                                                            \
      _Pragma("unroll") for (uint k = 0; k < each; k++) {                                          \
        a[k] = rh_identity();                                                                      \
        if (member + members * k < n) a[k] = rh_load(p, member + members * k);                     \
      }                                                                                            \
      FOLD_OWN(a, each, ((int)RH_ROW / members));                                                  \
      v[r] = a[0];                                                                                 \
    }                                                                                              \
    _Pragma("unroll") for (uint t = 0; t < in_turn; t += kept) {                                   \
      EXCHANGE((v + t), kept, members);                                                            \
      uint place = begin + (t + member / (members / kept)) * (32 / members) + beside;              \
      if (member % (members / kept) == 0 && place < (end)) to[table[place].k] = v[t];              \
    }                                                                                              \
  }

/* Classes of segments by how many members they need: 2^(class - 1); the last one's members read
 * MOST elements each. */
enum { EMPTY, ONE, LAST = 7, CLASSES, LONG };

static inline uint class_of(ulong n) {
  if (n > RH_SHORT) return LONG;
  if (n <= EACH) return n > 0 ? ONE : EMPTY;
  return min(33 - clz(((uint)n - 1) / EACH), (uint)LAST);
}

/* Up to EACH elements of each, by a lane. */
static inline void take_tiny(rh_operands input, ulong first, const ulong *start, const ulong *n,
                             uint left, __global rh_value *to) {
  rh_value a[RH_BATCH][EACH];
#pragma unroll
  for (uint b = 0; b < RH_BATCH; b++) {
    rh_operands p = rh_operands_at(input, first + start[b]);
#pragma unroll
    for (uint k = 0; k < EACH; k++) {
      a[b][k] = rh_identity();
      if (k < n[b]) a[b][k] = rh_load(p, k);
    }
  }
#pragma unroll
  for (uint b = 0; b < RH_BATCH; b++) {
    FOLD_OWN(a[b], EACH, 128);
    uint k = b * WARP + lane_of_warp();
    if (k < left) to[k] = a[b][0];
  }
}

static inline void warp_waits(void) {
  asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
}

/* Segments of more elements than a warp reads at once: one after the other, or onto the list. */
static inline void take_long(rh_operands input, ulong first, ulong start, ulong n, ulong segment,
                             uint log, uint alone, __global ulong *counter,
                             __global long_segment *list, __global rh_value *to) {
  ulong most = (ulong)RH_TILE << alone;
  for (uint mask = ballot(n > RH_SHORT && n <= most); mask; mask &= mask - 1) {
    uint one = 31 - clz(mask & -mask);
    rh_value value =
        take_piece(rh_operands_at(input, first + ulong_of(start, one)), 0, ulong_of(n, one));
    if (lane_of_warp() == one) to[one] = value;
  }
  if (ballot(n > most)) put_on_list(start, n > most ? n : 0, segment, log, counter, list);
}

/* next: 1 where the stops are the next segments' starts.
 * A warp takes RH_OF_WARP consecutive segments, RH_BATCH for each lane: as they stand, with as many
 * members as the longest one needs, or by classes where most need far fewer. */
SEGMENTS void segments_offsets(RH_OPERANDS_PARAMETERS, ulong first, ulong number,
                               __global const ulong *starts, __global const ulong *stops, uint next,
                               uint log, uint alone, __global ulong *counter,
                               __global long_segment *list, __global rh_value *to, ulong at) {
  __local short_segment tables[WARPS][WARP * RH_BATCH];
  __local short_segment *table = tables[get_local_id(0) / WARP];
  ulong start[RH_BATCH], n[RH_BATCH], segment = warp_number() * RH_OF_WARP, longest = 0;
  uint lane = lane_of_warp(), class[RH_BATCH], from[CLASSES + 1], low = 0, high = 0;
  rh_operands input = RH_OPERANDS;
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
  if (ballot(longest > EACH) == 0) {
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
  TAKE(from[1], from[2], 1, EACH, 2)
  TAKE(from[2], from[3], 2, EACH, 2)
  TAKE(from[3], from[4], 4, EACH, 2)
  TAKE(from[4], from[5], 8, EACH, 2)
  TAKE(from[5], from[6], 16, EACH, 2)
  TAKE(from[6], from[7], 32, EACH, 2)
  TAKE(from[7], from[8], 32, MOST, 1)
  if (ballot(longest > RH_SHORT) == 0) return;
#pragma unroll
  for (uint b = 0; b < RH_BATCH; b++) {
    uint k = b * WARP + lane;
    take_long(input, first, start[b], k < left ? n[b] : 0, segment + k, log, alone, counter, list,
              to + b * WARP);
  }
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

SEGMENTS void segments_long(RH_OPERANDS_PARAMETERS, ulong first, __global const ulong *counter,
                            __global const long_segment *list, __global rh_value *nodes) {
  uint step = (uint)get_num_groups(0) * WARPS, count = (uint)(*counter >> 32), all = (uint)*counter;
  for (uint k = (uint)warp_number(); k < all; k += step) {
    long_segment one = list[find(list, count, k)];
    ulong most = (ulong)RH_TILE << one.log, begin = (k - one.first) * most;
    rh_value value =
        take_piece(rh_operands_at(RH_OPERANDS, first + one.start), begin, min(one.n - begin, most));
    if (lane_of_warp() == 0) nodes[k] = value;
  }
}

/* Up to eight consecutive nodes, which are loaded together. */
static inline rh_value take_nodes(__global const rh_value *nodes, ulong begin, ulong end) {
  rh_value v[8];
#pragma unroll
  for (uint k = 0; k < 8; k++) {
    v[k] = rh_identity();
    if (begin + k < end) v[k] = nodes[begin + k];
  }
  return rh_combine(rh_combine(rh_combine(v[0], v[1]), rh_combine(v[2], v[3])),
                    rh_combine(rh_combine(v[4], v[5]), rh_combine(v[6], v[7])));
}

/* The nodes of the segments on the list, a group for each in turn.  The last group leaves the
 * counter as it was before the run. */
SEGMENTS void segments_meet(__global ulong *counter, __global const long_segment *list,
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
      rh_sequence_add(&mine, take_nodes(nodes + one.first, begin, end));
    scratch[item] = rh_sequence_value(&mine);
    for (uint d = 1; d < RH_GROUP; d *= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      if (item % (2 * d) == 0) scratch[item] = rh_combine(scratch[item], scratch[item + d]);
    }
    if (item == 0) to[at + one.segment] = scratch[0];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  /* Every group has read the counter when the last one arrives: its read comes before its own
   * arrival, and arrivals are atomic. */
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (item == 0 && atom_inc(counter + 1) == get_num_groups(0) - 1) {
    counter[0] = 0;
    counter[1] = 0;
  }
}
#endif
#endif
