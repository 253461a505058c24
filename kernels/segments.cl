/* Many reductions in one launch, each in the canonical order of docs/inside/bits.md: a segment's
 * bits are those of its elements alone.
 *
 * A segment is cut into parts of 2^log tiles, each a node of its tree; a second launch combines
 * them, where there is more than one.  Several work-items, its members, share a part: each takes
 * every so many-th lane of a tile.
 *   -DRH_COLUMNS   elements of a segment are `inner` apart: neighbouring work-items take
 *                  neighbouring segments
 *   -DRH_OFFSETS   segments are where starts and stops say
 *   -DRH_IN_ORDER  the operator does not commute: each member takes consecutive elements
 *   -DRH_ALONE     a part has one member, and no work-item waits for another
 *   -DRH_BY_TILES  RH_TEAM members load whole tiles by vectors, as onepass does */
#define SEGMENTS __kernel __attribute__((reqd_work_group_size(RH_GROUP, 1, 1)))

static inline ulong tiles_of(ulong n) {
  return (n + RH_TILE - 1) / RH_TILE;
}

#ifndef RH_BY_TILES
#define TOGETHER 4u /* lanes whose loads are in flight together */
/* A CPU gains nothing by more code, which PoCL takes seconds to compile, and the formulas of a
 * struct are long. */
#if defined(RH_ALONE) || defined(RH_STRUCT) || defined(__x86_64__) || defined(__aarch64__)
#define HAS_LITTLE_CODE 1
#define FOR_TOGETHER(k) _Pragma("unroll 1") for (uint k = 0; k < TOGETHER; k++)
#else
#define FOR_TOGETHER(k) _Pragma("unroll") for (uint k = 0; k < TOGETHER; k++)
#endif

/* A segment from its first element on; and the work-items that share it. */
typedef struct {
  ulong stride, n;
  uint members, member, apart; /* apart: work-items from one member to the next */
} share;

/* ---- One tile ---- */

static inline rh_value element(rh_operands p, ulong stride, ulong k) {
#if !defined(RH_COLUMNS)
  return rh_load(p, k);
#elif defined(RH_OPERANDS_ARE_COUNTED)
  p = rh_operands_skip(p, k * stride);
  p.first = k;
  return rh_load(p, 0);
#else
  rh_value value = rh_load(p, k * stride);
#ifdef RH_IS_INDEXED
  value.index = k;
#endif
  return value;
#endif
}

/* Element k of the tile at `at`, which has `left`, or the identity. */
static inline rh_value take(rh_operands p, share s, ulong at, uint k, uint left) {
  rh_value value = rh_identity();
  if (k < left) value = element(p, s.stride, at + k);
  return value;
}

static inline uint rounded_up(uint n) {
  return n > 1 ? 1u << (32 - clz(n - 1)) : 1;
}

#ifdef RH_IN_ORDER
/* Neighbour with neighbour. */
static inline rh_value fold_tile(rh_operands p, share s, ulong at, uint left) {
  uint each = max(rounded_up(left) / s.members, 1u), steps = max(each / TOGETHER, 1u);
  rh_value values[TOGETHER];
  rh_sequence all;
  rh_sequence_begin(&all);
  for (uint step = 0; step < steps; step++) {
    FOR_TOGETHER(k) {
      uint mine = step * TOGETHER + k;
      values[k] = take(p, s, at, s.member * each + mine, mine < each ? left : 0);
    }
    values[0] = rh_combine(rh_combine(values[0], values[1]), rh_combine(values[2], values[3]));
    if (steps == 1) return values[0];
    rh_sequence_add(&all, values[0]);
  }
  return rh_sequence_value(&all);
}
#else
enum { ONE_ROW, SOME, WHOLE }; /* elements of a tile */

/* The rows of a lane, combined.  how: a constant. */
static inline rh_value take_lane(rh_operands p, share s, ulong at, uint lane, uint left, int how) {
  const uint row = RH_ROW, most = how == WHOLE ? RH_TILE : left;
  if (how == ONE_ROW) return take(p, s, at, lane, left);
  return rh_combine(
      rh_combine(take(p, s, at, lane, most), take(p, s, at, lane + row, most)),
      rh_combine(take(p, s, at, lane + 2 * row, most), take(p, s, at, lane + 3 * row, most)));
}

/* A member's lanes are s.members apart.  Of `each`, the upper half goes onto the lower half: of
 * TOGETHER lanes at once, and these are combined in the order of their reversed bits, in which
 * those that meet are neighbours. */
static inline rh_value fold_lanes(rh_operands p, share s, ulong at, uint left, int how) {
  uint lanes = how == ONE_ROW ? rounded_up(left) : RH_ROW;
  uint each = max(lanes / s.members, 1u), steps = max(each / TOGETHER, 1u), first = 0;
  rh_value values[TOGETHER];
  rh_sequence all;
  rh_sequence_begin(&all);
  for (uint step = 0; step < steps; step++) {
    FOR_TOGETHER(k) {
      uint lane = s.member + s.members * (first + k * steps);
      values[k] = rh_identity();
      if (k < each && lane < lanes) values[k] = take_lane(p, s, at, lane, left, how);
    }
    values[0] = rh_combine(rh_combine(values[0], values[2]), rh_combine(values[1], values[3]));
    if (steps == 1) return values[0];
    rh_sequence_add(&all, values[0]);
    uint bit = steps / 2;
    for (; first & bit; bit /= 2) first ^= bit;
    first |= bit;
  }
  return rh_sequence_value(&all);
}

static inline rh_value fold_tile(rh_operands p, share s, ulong at, uint left) {
  if (left <= RH_ROW) return fold_lanes(p, s, at, left, ONE_ROW);
#ifndef HAS_LITTLE_CODE
  if (left == RH_TILE) return fold_lanes(p, s, at, left, WHOLE);
#endif
  return fold_lanes(p, s, at, left, SOME);
}
#endif

/* ---- Its members ---- */

/* Of two members' values, the first one's on the left. */
static inline rh_value meet(rh_value mine, rh_value theirs, bool is_upper) {
  if (is_upper) return rh_combine(theirs, mine);
  return rh_combine(mine, theirs);
}

#ifdef RH_IN_ORDER
#define FOR_DISTANCES(d, members) for (uint d = 1; d < members; d *= 2)
#define IS_LOWER(member, d)       ((member) % (2 * d) == 0)
#else
#define FOR_DISTANCES(d, members) for (uint d = members / 2; d > 0; d /= 2)
#define IS_LOWER(member, d)       ((member) < d)
#endif

/* The first member gets the value of all.  Every work-item calls. */
static inline rh_value join_members(__local rh_value *scratch, share s, rh_value mine) {
#ifndef RH_ALONE
  uint item = get_local_id(0);
#ifdef RH_TEAM_SHUFFLES
  if (s.members * s.apart <= RH_TEAM) {
    FOR_DISTANCES(d, s.members)
    mine = meet(mine, rh_exchange(mine, d * s.apart), s.member & d);
    return mine;
  }
#endif
  scratch[item] = mine;
  FOR_DISTANCES(d, s.members) {
    rh_barrier(CLK_LOCAL_MEM_FENCE);
    if (IS_LOWER(s.member, d))
      scratch[item] = meet(scratch[item], scratch[item + d * s.apart], false);
  }
  mine = scratch[item]; /* only a first member's counts, which no other has written since */
  rh_barrier(CLK_LOCAL_MEM_FENCE);
#endif
  return mine;
}

/* ---- A part ---- */

/* `count` tiles from `tile` on, as many in all of the group, of which the segment has `own`. */
static inline rh_value fold_part(rh_operands p, share s, ulong tile, uint count, uint own,
                                 __local rh_value *scratch) {
  rh_sequence all;
  rh_sequence_begin(&all);
  for (uint k = 0; k < count; k++) {
    ulong at = (tile + k) * RH_TILE;
    uint left = k < own ? (uint)min(s.n - at, (ulong)RH_TILE) : 0;
    rh_value value = join_members(scratch, s, fold_tile(p, s, at, left));
    if (k < own) rh_sequence_add(&all, value);
  }
  return rh_sequence_value(&all);
}

static inline ulong first_element(ulong s, ulong length, ulong inner) {
#ifdef RH_COLUMNS
  if ((s | inner) >> 32 == 0)
    return (ulong)((uint)s / (uint)inner) * length * inner + (uint)s % (uint)inner;
  return s / inner * length * inner + s % inner;
#else
  return s * length;
#endif
}

/* 2^members_log members a segment. */
static inline share share_of(ulong stride, uint members_log, uint *segment) {
  uint item = get_local_id(0);
  share s = {stride, 0, 1u << members_log, 0, 1};
#ifdef RH_COLUMNS
  uint beside = RH_GROUP >> members_log;
  s.member = item / beside;
  s.apart = beside;
  *segment = item % beside;
#else
  s.member = item & (s.members - 1);
  *segment = item >> members_log;
#endif
  return s;
}

SEGMENTS void segments(RH_OPERANDS_PARAMETERS, ulong first, ulong number, ulong length, ulong inner,
                       ulong parts, uint log, uint members_log, __local rh_value *scratch,
                       __global rh_value *to, ulong at) {
  uint in_group, beside = RH_GROUP >> members_log;
  share s = share_of(inner, members_log, &in_group);
  ulong groups = (number + beside - 1) / beside, group = get_group_id(0);
  ulong part = parts > 1 ? group / groups : 0,
        segment = (group - part * groups) * beside + in_group;
  ulong tile = part << log, left = tiles_of(length) - tile;
  bool is_there = segment < number;
  rh_operands p =
      rh_operands_at(RH_OPERANDS, first + (is_there ? first_element(segment, length, inner) : 0));
  uint count = left >> log ? 1u << log : (uint)left;
  s.n = length;
  rh_value value = fold_part(p, s, tile, count, is_there ? count : 0, scratch);
  if (is_there && s.member == 0) to[at + segment * parts + part] = value;
}

#ifdef RH_OFFSETS
/* Segments of more than `most` elements are left to others.  */
SEGMENTS void segments_by_offsets(RH_OPERANDS_PARAMETERS, ulong first, ulong number,
                                  __global const ulong *starts, __global const ulong *stops,
                                  ulong most, uint members_log, __local rh_value *scratch,
                                  __global rh_value *to, ulong at) {
  uint in_group;
  share s = share_of(1, members_log, &in_group);
  ulong segment = get_group_id(0) * (ulong)(RH_GROUP >> members_log) + in_group, start = 0;
  bool is_there = segment < number;
  if (is_there) {
    start = starts[segment];
    s.n = stops[segment] - start;
    is_there = s.n <= most;
  }
  uint own = is_there ? (uint)tiles_of(s.n) : 0, count = own;
#ifndef RH_ALONE
  __local uint longest;
  if (get_local_id(0) == 0) longest = 0;
  rh_barrier(CLK_LOCAL_MEM_FENCE);
  atomic_max(&longest, own);
  rh_barrier(CLK_LOCAL_MEM_FENCE);
  count = longest;
#endif
  rh_value value = fold_part(rh_operands_at(RH_OPERANDS, first + start), s, 0, count, own, scratch);
  if (is_there && s.member == 0) to[at + segment] = value;
}
#endif

#else
/* ---- By tiles ---- */

/* The tiles of a part of n elements from p on.  aligned: a constant. */
static inline rh_value fold_tiles(rh_operands p, ulong n, ulong tile, uint log, bool aligned,
                                  __local rh_value *scratch) {
  ulong left = tile < tiles_of(n) ? tiles_of(n) - tile : 0;
#ifdef RH_TEAM_SHUFFLES
  /* Member k keeps the value of tile k. */
  uint count = left >> log ? 1u << log : (uint)left;
  rh_value mine = rh_identity();
  for (uint k = 0; k < count; k++) {
    rh_value value;
    if ((tile + k + 1) * RH_TILE <= n)
      value = rh_whole_tile_fold(scratch, rh_whole_tile_load(p, tile + k, aligned));
    else
      value = rh_tile_fold(scratch, rh_tile_load(p, n, tile + k, aligned));
    if (rh_member() == k) mine = value;
  }
  return rh_aligned_tree(mine, 1, count > 1 ? 2u << (31 - clz(count - 1)) : 1);
#else
  uint count = 1u << log; /* of all teams, which wait for each other */
#if RH_TEAM == 1
  count = left >> log ? count : (uint)left;
#endif
  rh_sequence all;
  rh_sequence_begin(&all);
  for (uint k = 0; k < count; k++)
    rh_sequence_add(&all, rh_tile_fold(scratch, rh_tile_load(p, n, tile + k, aligned)));
  return rh_sequence_value(&all);
#endif
}

SEGMENTS void segments(RH_OPERANDS_PARAMETERS, ulong first, ulong number, ulong length, ulong inner,
                       ulong parts, uint log, uint members_log, __local rh_value *scratch,
                       __global rh_value *to, ulong at) {
  ulong unit = get_group_id(0) * (ulong)(RH_GROUP / RH_TEAM) + rh_team();
  ulong segment = parts > 1 ? unit / parts : unit, part = unit - segment * parts;
  bool is_there = segment < number;
  rh_operands p = rh_operands_at(RH_OPERANDS, first + (is_there ? segment * length : 0));
  ulong n = is_there ? length : 0;
  rh_value value;
#if RH_TEAM == 1
  value = fold_tiles(p, n, part << log, log, false, scratch);
#else
  /* Where teams wait for each other, all go the same way. */
  bool aligned = rh_vector_head(p) == 0;
#ifdef RH_OPERANDS_ARE_COUNTED
  aligned = aligned && p.aligned;
#endif
#ifndef RH_TEAM_SHUFFLES
  aligned = false;
#endif
  if (aligned)
    value = fold_tiles(p, n, part << log, log, true, scratch);
  else
    value = fold_tiles(p, n, part << log, log, false, scratch);
#endif
  if (is_there && rh_member() == 0) to[at + unit] = value;
}
#endif

/* ---- The parts of a segment ---- */

/* 2^members_log work-items a segment, each of which takes `each` consecutive parts. */
SEGMENTS void segments_join(__global const rh_value *nodes, ulong number, ulong parts, ulong each,
                            uint members_log, __local rh_value *scratch, __global rh_value *to,
                            ulong at) {
  uint item = get_local_id(0), members = 1u << members_log, member = item & (members - 1);
  ulong segment = get_group_id(0) * (ulong)(RH_GROUP >> members_log) + (item >> members_log);
  ulong begin = min(member * each, parts), end = min(begin + each, parts);
  bool is_there = segment < number;
  rh_sequence all;
  rh_sequence_begin(&all);
  if (is_there)
    for (ulong k = begin; k < end; k += 8)
      rh_sequence_add(&all, rh_nodes_value(nodes + segment * parts, k, end));
  scratch[item] = rh_sequence_value(&all);
  for (uint d = 1; d < members; d *= 2) {
    rh_barrier(CLK_LOCAL_MEM_FENCE);
    if (member % (2 * d) == 0) scratch[item] = rh_combine(scratch[item], scratch[item + d]);
  }
  if (is_there && member == 0) to[at + segment] = scratch[item];
}
