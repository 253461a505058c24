/* One launch in the canonical order of docs/bits.md: the bits depend on the data alone.
 *
 * A run is RH_TEAMS * 2^log consecutive tiles, 2^log for each team, and a node of the tree.  Group
 * g takes runs g, g + groups, ...  It leaves their nodes in `slots`, by the index of the run, and
 * one group combines them all, as in onepass.cl:
 *   -DRH_FINISH_WAIT    the one of the highest index, which waits for the others
 *   -DRH_FINISH_LAST    the one that arrives last: nobody waits
 *   -DRH_FINISH_LAUNCH  none: that is onepass_finish's, in a second launch
 * -DRH_TEAMS: teams of a group that take part, a power of two, up to RH_TEAM where these have
 * shuffles.  -DRH_AT_ONCE: a power of two, nodes that a work-item collects together.
 * -DRH_SCRATCH: values that `scratch` has room for.
 *
 * As in onepass.cl, little stands before the first load. */
#define ONEPASS __kernel __attribute__((reqd_work_group_size(RH_GROUP, 1, 1)))

/* Where the tiles stand: whole ones, and one more where n does not end with a tile. */
#define DATA_PARAMETERS                                                                            \
  __global const rh_element *input, ulong first, ulong n, uint whole, uint tiles, uint runs,       \
      uint log
#define DATA input, first, n, whole, tiles, runs, log

static inline rh_value take_tile(DATA_PARAMETERS, uint tile, bool aligned,
                                 __local rh_value *scratch) {
  rh_vector share;
  if (tile < whole)
    share = rh_whole_tile_load(input + first, tile, aligned);
  else
    share = tile < tiles ? rh_last_tile_load(input + first, n, tile) : rh_vector_identity();
  return rh_tile_fold(scratch, share);
}

#ifdef RH_TEAM_SHUFFLES
/* The node of 2^log tiles, RH_TEAM at most, from `tile` on: member k keeps the value of tile k. */
static inline rh_value take_tiles(DATA_PARAMETERS, uint tile, bool aligned,
                                  __local rh_value *scratch) {
  rh_value value, values = rh_identity();
  uint count = 1u << log, k = 0;
  do {
    value = take_tile(DATA, tile + k, aligned, scratch);
    if (rh_member() == k) values = value;
  } while (++k < count && tile + k < tiles);
  return log == 0 ? value : rh_aligned_tree(values, RH_TEAM);
}

/* One node from those of the teams, by their index, of `rounds` runs: member k of each team holds
 * that of run k, and work-item k * RH_TEAMS gets it. */
#define KEPT RH_TEAM
static inline rh_value join_teams(__local rh_value *scratch, rh_value mine, uint rounds) {
#if RH_TEAMS > 1
  if (rh_team() < RH_TEAMS && rh_member() < rounds)
    scratch[rh_member() * RH_TEAMS + rh_team()] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) < rounds * RH_TEAMS) mine = scratch[get_local_id(0)];
#endif
  return rh_aligned_tree(mine, RH_TEAMS);
}

/* One value from those of all work-items, by their index; work-item 0 gets it. */
static inline rh_value join_items(__local rh_value *scratch, rh_value mine) {
  mine = rh_aligned_tree(mine, RH_TEAM);
#if RH_GROUP > RH_TEAM
  if (rh_member() == 0) scratch[rh_team()] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  mine = get_local_id(0) < RH_GROUP / RH_TEAM ? scratch[get_local_id(0)] : rh_identity();
  mine = rh_aligned_tree(mine, RH_TEAM);
#endif
  return mine;
}

#else
/* The node of 2^log tiles from `tile` on. */
static inline rh_value take_tiles(DATA_PARAMETERS, uint tile, bool aligned,
                                  __local rh_value *scratch) {
  uint count = 1u << log;
#if RH_TEAM == 1
  count = tile < tiles ? min(count, tiles - tile) : 0; /* no team needs another to come along */
#endif
  rh_sequence s;
  rh_sequence_begin(&s);
  for (uint k = 0; k < count; k++)
    rh_sequence_add(&s, take_tile(DATA, tile + k, aligned, scratch));
  return rh_sequence_value(&s);
}

static inline rh_value join_items(__local rh_value *scratch, rh_value mine) {
  return rh_group_tree_ordered(scratch, mine);
}

#define KEPT 1
static inline rh_value join_teams(__local rh_value *scratch, rh_value mine, uint rounds) {
#if RH_TEAMS > 1
  if (rh_member() == 0) scratch[rh_team()] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  mine = get_local_id(0) < RH_TEAMS ? scratch[get_local_id(0)] : rh_identity();
  mine = join_items(scratch, mine);
#endif
  return mine;
}
#endif

#ifdef RH_FINISH_LAUNCH
#define NODES_PARAMETERS __global rh_value *slots
#define NODES            slots
typedef rh_value rh_glance;
#define LEAVE(at, value)  slots[at] = value
#define GLANCE(at)        slots[at]
#define COLLECT(seen, at) seen
#else
#define NODES_PARAMETERS __global void *slots, uint epoch
#define NODES            slots, epoch
#define LEAVE(at, value)  rh_leave_at(slots, at, value, epoch)
#define GLANCE(at)        rh_glance_at(slots, at)
#define COLLECT(seen, at) rh_collect(seen, slots, at, epoch)
#endif

/* This group's runs.  Work-item 0 returns the last one's node; it is not left where there is no
 * other run. */
static inline rh_value take_runs(DATA_PARAMETERS, bool aligned, __local rh_value *scratch,
                                 NODES_PARAMETERS) {
  uint groups = (uint)get_num_groups(0), run = (uint)get_group_id(0), left = run, round = 0;
  rh_value mine = rh_identity();
  for (;; run += groups) {
    uint tile = rh_team() < RH_TEAMS ? (run * RH_TEAMS + rh_team()) << log : tiles;
    rh_value node = take_tiles(DATA, tile, aligned, scratch);
    if (KEPT == 1 || rh_member() == round) mine = node;
    bool is_last = runs - run <= groups;
    if (++round < KEPT && !is_last) continue;
    mine = join_teams(scratch, mine, round);
    uint at = get_local_id(0) / RH_TEAMS;
    if (runs > 1 && get_local_id(0) % RH_TEAMS == 0 && at < round) LEAVE(left + at * groups, mine);
    if (is_last) return mine;
    left += round * groups;
    round = 0;
    barrier(CLK_LOCAL_MEM_FENCE); /* scratch is free again */
  }
}

/* RH_AT_ONCE nodes from `at` on, of which those before `end` exist. */
static inline rh_value collect_few(uint at, uint end, NODES_PARAMETERS) {
  rh_glance seen[RH_AT_ONCE];
  rh_value nodes[RH_AT_ONCE];
#pragma unroll
  for (uint j = 0; j < RH_AT_ONCE; j++)
    if (at + j < end) seen[j] = GLANCE(at + j);
#pragma unroll
  for (uint j = 0; j < RH_AT_ONCE; j++)
    nodes[j] = at + j < end ? COLLECT(seen[j], at + j) : rh_identity();
#pragma unroll
  for (uint distance = 1; distance < RH_AT_ONCE; distance *= 2)
#pragma unroll
    for (uint j = 0; j < RH_AT_ONCE; j += 2 * distance)
      nodes[j] = rh_combine(nodes[j], nodes[j + distance]);
  return nodes[0];
}

/* The nodes of all runs, of which each work-item takes `each`, a power of two, side by side. */
static inline rh_value collect(uint runs, uint each, __local rh_value *scratch, NODES_PARAMETERS) {
  uint at = get_local_id(0) * each, end = min(at + each, runs);
  rh_value mine = collect_few(at, end, NODES);
  if (each > RH_AT_ONCE) {
    rh_sequence s;
    rh_sequence_begin(&s);
    rh_sequence_add(&s, mine);
    for (at += RH_AT_ONCE; at < end; at += RH_AT_ONCE)
      rh_sequence_add(&s, collect_few(at, end, NODES));
    mine = rh_sequence_value(&s);
  }
  return join_items(scratch, mine);
}

#ifdef RH_FINISH_LAUNCH
#define DEFINE_ONEPASS(name, aligned)                                                              \
  ONEPASS void name(DATA_PARAMETERS, __local rh_value *scratch, NODES_PARAMETERS) {                \
    rh_value node = take_runs(DATA, aligned, scratch, NODES);                                      \
    if (runs == 1 && get_local_id(0) == 0) LEAVE(0, node);                                         \
  }

ONEPASS void onepass_finish(NODES_PARAMETERS, uint runs, uint each, __local rh_value *scratch,
                            __global rh_value *result, ulong result_index) {
  rh_value all = collect(runs, each, scratch, NODES);
  if (get_local_id(0) == 0) result[result_index] = all;
}
#else

#ifdef RH_FINISH_WAIT
/* Why waiting ends: see onepass.cl. */
#ifndef RH_SEES_WHILE_RUNNING
#error "no group can wait for another here"
#endif
static inline bool finishes(uint runs, __global uint *tickets, __local uint *is_last) {
  return get_group_id(0) == get_num_groups(0) - 1;
}
#else
static inline bool finishes(uint runs, __global uint *tickets, __local uint *is_last) {
  uint groups = (uint)get_num_groups(0);
  /* All that the group leaves is on its way before it counts as arrived.  A single node is left by
   * the work-item that counts. */
  if (runs > groups) barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (get_local_id(0) == 0) *is_last = rh_is_last_to_arrive(tickets, groups);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  return *is_last;
}
#endif

#define DEFINE_ONEPASS(name, aligned)                                                              \
  ONEPASS void name(DATA_PARAMETERS, uint each, __local rh_value *scratch, __global void *slots,   \
                    __global uint *tickets, uint epoch, __global rh_value *result,                 \
                    ulong result_index) {                                                          \
    rh_value all = take_runs(DATA, aligned, scratch, NODES);                                       \
    if (runs > 1) {                                                                                \
      if (!finishes(runs, tickets, (__local uint *)(scratch + RH_SCRATCH))) return;                \
      barrier(CLK_LOCAL_MEM_FENCE);                                                                \
      all = collect(runs, each, scratch, NODES);                                                   \
    }                                                                                              \
    if (get_local_id(0) == 0) result[result_index] = all;                                          \
  }
#endif

DEFINE_ONEPASS(onepass, true)
#if RH_TEAM > 1
DEFINE_ONEPASS(onepass_unaligned, false)
#endif
