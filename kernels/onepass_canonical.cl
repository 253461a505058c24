/* One launch in the canonical order of docs/inside/bits.md: the bits depend on the data alone.
 *
 * A run is RH_TEAMS * 2^log consecutive tiles, and a node of the tree.  Each group takes `share`
 * consecutive runs and leaves their nodes in `slots`, by the index of the run.  One group combines
 * all nodes, as in onepass.cl:
 *   -DRH_FINISH_WAIT    the one of the highest index, which waits for the others
 *   -DRH_FINISH_LAST    the one that arrives last: nobody waits
 *   -DRH_FINISH_LAUNCH  none: that is onepass_finish's, in a second launch
 *   -DRH_ONE_RUN        there is one run of one chunk, so its node is the result
 * -DRH_TEAMS: teams of a group that take part, a power of two, up to RH_TEAM where these have
 * shuffles.  -DRH_AT_ONCE: a power of two, nodes that a work-item collects together.
 * -DRH_SCRATCH: values that `scratch` has room for.
 *
 * As in onepass.cl, little stands before the first load.  Most code runs once in a launch, from an
 * instruction cache that is cold: a line of it costs more than what it computes. */
#if defined(__clang__) || defined(__NV_CL_C_VERSION)
#define LIKELY(x) __builtin_expect(x, 1)
#else
#define LIKELY(x) (x)
#endif
#define ONEPASS __kernel __attribute__((reqd_work_group_size(RH_GROUP, 1, 1)))

/* Where the tiles stand: whole ones, and one more where n does not end with a tile. */
#define SHAPE_PARAMETERS                                                                           \
  ulong first, ulong n, uint whole, uint tiles, uint runs, uint share, uint log
#define DATA_PARAMETERS rh_operands input, SHAPE_PARAMETERS
#define DATA            input, first, n, whole, tiles, runs, share, log

#if defined(RH_FINISH_LAUNCH) || defined(RH_ONE_RUN)
#define NODES_PARAMETERS __global rh_value *slots
#define NODES            slots
#define LEAVE(at, value) slots[at] = value
#define COLLECT(nodes, at, end)                                                                    \
  for (uint k = 0; k < RH_AT_ONCE; k++) nodes[k] = at + k < end ? slots[at + k] : rh_identity()
#else
#define NODES_PARAMETERS        __global void *slots, uint epoch
#define NODES                   slots, epoch
#define LEAVE(at, value)        rh_leave_at(slots, at, value, epoch)
#define COLLECT(nodes, at, end) rh_collect_row(nodes, slots, at, end, epoch)
#endif

#ifdef RH_TEAM_SHUFFLES
/* The value of each team in its first member becomes that of a member of the first team. */
static inline rh_value gather_teams(__local rh_value *scratch, rh_value mine) {
  if (rh_member() == 0) scratch[rh_team()] = mine;
  rh_barrier(CLK_LOCAL_MEM_FENCE);
  return get_local_id(0) < RH_GROUP / RH_TEAM ? scratch[get_local_id(0)] : rh_identity();
}

/* One value from those of work-items 0 .. count-1, by their index; work-item 0 gets it. */
static inline rh_value join_items(__local rh_value *scratch, rh_value mine, uint count) {
  mine = rh_aligned_tree(mine, 1, RH_TEAM);
  if (count <= RH_TEAM) return mine;
  return rh_aligned_tree(gather_teams(scratch, mine), 1, RH_TEAM);
}

/* A chunk is RH_TEAMS consecutive tiles, one for each team: side by side, so that a group reads
 * memory in one stream.  Member k of each team holds its tile of chunk k.  These become the nodes
 * of 2^log chunks each: node r in work-item r << join_chunks(). */
static inline uint join_chunks(__local rh_value *scratch, rh_value *mine, uint kept, uint log) {
  uint shift = popcount(RH_TEAMS - 1) + log, item = (uint)get_local_id(0);
#if RH_TEAMS > 1
  if (rh_team() < RH_TEAMS && rh_member() < kept)
    scratch[rh_member() * RH_TEAMS + rh_team()] = *mine;
  rh_barrier(CLK_LOCAL_MEM_FENCE);
  /* A team without a value has nothing more to do. */
  if (rh_team() * RH_TEAM < kept * RH_TEAMS) {
    *mine = item < kept * RH_TEAMS ? scratch[item] : rh_identity();
    *mine = rh_aligned_tree(*mine, 1, RH_TEAMS);
  }
#endif
  if (log == 0) return shift;
  *mine = rh_aligned_tree(*mine, RH_TEAMS, min(1u << shift, (uint)RH_TEAM));
  if (1u << shift <= RH_TEAM) return shift;
  rh_barrier(CLK_LOCAL_MEM_FENCE);
  shift -= popcount(RH_TEAM - 1);
  *mine = rh_aligned_tree(gather_teams(scratch, *mine), 1, 1u << shift);
  return shift;
}

/* The value of a tile that exists. */
static inline rh_value take_tile(DATA_PARAMETERS, uint tile, bool aligned,
                                 __local rh_value *scratch) {
  rh_operands p = rh_operands_at(input, first);
#ifdef RH_VARYING_FIELDS /* the code that folds whole tiles is another */
  if (tile < whole) return rh_whole_tile_fold(scratch, rh_whole_tile_load(p, tile, aligned));
  return rh_tile_fold(scratch, rh_last_tile_load(p, n, tile));
#else
  rh_vector lanes;
  if (tile < whole)
    lanes = rh_whole_tile_load(p, tile, aligned);
  else
    lanes = rh_last_tile_load(p, n, tile);
  return rh_tile_fold(scratch, lanes);
#endif
}

/* The only chunk of this group: little code, and no loop, between a small input and its result. */
static inline rh_value take_chunk(DATA_PARAMETERS, bool aligned, __local rh_value *scratch,
                                  NODES_PARAMETERS) {
  uint chunk = (uint)get_group_id(0), tile = chunk * RH_TEAMS + rh_team();
  rh_value mine = rh_identity();
  if (rh_team() < RH_TEAMS && tile < tiles) mine = take_tile(DATA, tile, aligned, scratch);
#if RH_TEAMS > 1
  mine = gather_teams(scratch, mine);
  if (rh_team() == 0) mine = rh_aligned_tree(mine, 1, RH_TEAMS);
#endif
  if (runs > 1 && (uint)get_local_id(0) == 0) LEAVE(chunk, mine);
  return mine;
}

/* This group's runs, chunk after chunk, whose tiles its teams take side by side.  Work-item 0
 * returns the node of the last one; it is not left where there is no other run. */
static inline rh_value take_chunks(DATA_PARAMETERS, bool aligned, __local rh_value *scratch,
                                   NODES_PARAMETERS) {
  uint run = (uint)get_group_id(0) * share, chunk = run << log;
  uint end = min(chunk + (share << log), (tiles + RH_TEAMS - 1) / RH_TEAMS);
  for (;;) {
    rh_value mine = rh_identity();
    uint kept = 0;
    do {
      uint tile = chunk * RH_TEAMS + rh_team();
      if (rh_team() < RH_TEAMS && tile < tiles) {
        rh_value value = take_tile(DATA, tile, aligned, scratch);
        if (rh_member() == kept) mine = value;
      }
      chunk++;
      kept++;
    } while (chunk < end && kept < RH_TEAM);
    uint nodes = (kept + (1u << log) - 1) >> log;
    uint shift = join_chunks(scratch, &mine, nodes << log, log);
    uint item = (uint)get_local_id(0), at = item >> shift;
    if (runs > 1 && at << shift == item && at < nodes) LEAVE(run + at, mine);
    if (chunk == end) return mine;
    run += nodes;
    rh_barrier(CLK_LOCAL_MEM_FENCE); /* scratch is free again */
  }
}

static inline rh_value take_runs(DATA_PARAMETERS, bool aligned, __local rh_value *scratch,
                                 NODES_PARAMETERS) {
  if (LIKELY(share << log == 1)) /* or this, too, would be far from what follows */
    return take_chunk(DATA, aligned, scratch, NODES);
  return take_chunks(DATA, aligned, scratch, NODES);
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
    rh_sequence_add(&s, rh_tile_fold(scratch, rh_tile_load(rh_operands_at(input, first), n,
                                                           tile + k, aligned)));
  return rh_sequence_value(&s);
}

static inline rh_value join_items(__local rh_value *scratch, rh_value mine, uint count) {
#if RH_GROUP == 1
  return mine;
#else
  return rh_group_tree_ordered(scratch, mine);
#endif
}

static inline rh_value join_teams(__local rh_value *scratch, rh_value mine) {
#if RH_TEAMS > 1
  if (rh_member() == 0) scratch[rh_team()] = mine;
  rh_barrier(CLK_LOCAL_MEM_FENCE);
  mine = get_local_id(0) < RH_TEAMS ? scratch[get_local_id(0)] : rh_identity();
  mine = join_items(scratch, mine, RH_TEAMS);
#endif
  return mine;
}

/* This group's runs.  Work-item 0 returns the last one's node; it is not left where there is no
 * other run. */
static inline rh_value take_runs(DATA_PARAMETERS, bool aligned, __local rh_value *scratch,
                                 NODES_PARAMETERS) {
  uint run = (uint)get_group_id(0) * share, end = min(run + share, runs);
  for (;;) {
    uint tile = rh_team() < RH_TEAMS ? (run * RH_TEAMS + rh_team()) << log : tiles;
    rh_value mine = join_teams(scratch, take_tiles(DATA, tile, aligned, scratch));
    if (runs > 1 && get_local_id(0) == 0) LEAVE(run, mine);
    if (++run == end) return mine;
    rh_barrier(CLK_LOCAL_MEM_FENCE); /* scratch is free again */
  }
}
#endif

/* RH_AT_ONCE nodes from `at` on, of which those before `end` exist. */
static inline rh_value collect_few(uint at, uint end, NODES_PARAMETERS) {
  rh_value nodes[RH_AT_ONCE];
  COLLECT(nodes, at, end);
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
  rh_value mine = rh_identity();
  if (at < end) mine = collect_few(at, end, NODES);
  if (each > RH_AT_ONCE) {
    rh_sequence s;
    rh_sequence_begin(&s);
    rh_sequence_add(&s, mine);
    for (at += RH_AT_ONCE; at < end; at += RH_AT_ONCE)
      rh_sequence_add(&s, collect_few(at, end, NODES));
    mine = rh_sequence_value(&s);
  }
  return join_items(scratch, mine, runs);
}

#ifdef RH_ONE_RUN
#define DEFINE_ONEPASS(name, aligned)                                                              \
  ONEPASS void name(RH_OPERANDS_PARAMETERS, ulong first, uint n, __local rh_value *scratch,        \
                    __global rh_value *slots, ulong result_index) {                                \
    const uint whole = n / RH_TILE, tiles = (n + RH_TILE - 1) / RH_TILE;                           \
    const uint runs = 1, share = 1, log = 0;                                                       \
    rh_operands input = RH_OPERANDS;                                                               \
    rh_value all = take_runs(DATA, aligned, scratch, NODES);                                       \
    if (get_local_id(0) == 0) slots[result_index] = all;                                           \
  }
#elif defined(RH_FINISH_LAUNCH)
#define DEFINE_ONEPASS(name, aligned)                                                              \
  ONEPASS void name(RH_OPERANDS_PARAMETERS, SHAPE_PARAMETERS, __local rh_value *scratch,           \
                    NODES_PARAMETERS) {                                                            \
    rh_operands input = RH_OPERANDS;                                                               \
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
static inline bool finishes(uint share, __global uint *tickets, __local uint *is_last) {
  rh_barrier(CLK_LOCAL_MEM_FENCE); /* scratch is free again */
  return get_group_id(0) == get_num_groups(0) - 1;
}
#else
static inline bool finishes(uint share, __global uint *tickets, __local uint *is_last) {
  uint groups = (uint)get_num_groups(0);
  /* All that the group leaves is on its way before it counts as arrived.  A single node is left by
   * the work-item that counts. */
  if (share > 1) rh_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (get_local_id(0) == 0) *is_last = rh_is_last_to_arrive(tickets, groups);
  rh_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  return *is_last;
}
#endif

#define DEFINE_ONEPASS(name, aligned)                                                              \
  ONEPASS void name(RH_OPERANDS_PARAMETERS, SHAPE_PARAMETERS, uint each,                           \
                    __local rh_value *scratch, __global void *slots, __global uint *tickets,       \
                    uint epoch, __global rh_value *result, ulong result_index) {                   \
    rh_operands input = RH_OPERANDS;                                                               \
    rh_value all = take_runs(DATA, aligned, scratch, NODES);                                       \
    if (runs > 1) {                                                                                \
      if (!finishes(share, tickets, (__local uint *)(scratch + RH_SCRATCH))) return;               \
      all = collect(runs, each, scratch, NODES);                                                   \
    }                                                                                              \
    if (get_local_id(0) == 0) result[result_index] = all;                                          \
  }
#endif

DEFINE_ONEPASS(onepass, true)
#if RH_TEAM > 1
DEFINE_ONEPASS(onepass_unaligned, false)
#endif
