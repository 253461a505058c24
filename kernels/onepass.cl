/* One launch.  Each work-item loads packs of 16 bytes in a grid stride, RH_UNROLL of them in
 * flight, or on a CPU wider packs one after the other.  Each group reduces by shuffles where the
 * device has them.  One group combines the groups' values in index order:
 *   -DRH_FINISH_WAIT    the group with the highest index, which waits for the others
 *   -DRH_FINISH_LAST    the group that arrives last; no group waits
 *   -DRH_FINISH_LAUNCH  none; rh_finish does it in a second launch
 *
 * A microsecond is two thousand cycles here.  Everything that is known before the launch is an
 * argument, so that the first load is issued early.  RH_GROUP, the work-group size, is a constant
 * for the same reason, and because NVIDIA's compiler assumes at most 256 work-items unless told. */
#define ONEPASS __kernel __attribute__((reqd_work_group_size(RH_GROUP, 1, 1)))

/* The share of a launch: elements first .. first+n-1, most of them in aligned packs.  Packs begin
 * at input[pack], counted in packs: each work-item takes `steps` times RH_UNROLL of them, and
 * `rest` more are shared out, less than one step of the grid.  `outside` elements are in no pack:
 * `head` before the packs, the others after them. */
#define SHARE_PARAMETERS                                                                           \
  __global const rh_pack *input, ulong pack, uint steps, uint rest, ulong first, ulong n,          \
      uint head, uint outside

/* Work-items load side by side, as a GPU's memory wants it.  With -DRH_BLOCKS, for CPUs, each of
 * them reads a block of its own: side by side with others, it would fetch every cache line and use
 * a part of it. */
#ifdef RH_BLOCKS
#define PACKS_APART(stride) 1
#else
#define PACKS_APART(stride) (stride)
#endif

/* All loads of a step come before the first use, so that they are in flight together. */
static inline void load_step(__global const rh_pack *from, uint stride, rh_pack *packs) {
#pragma unroll
  for (uint u = 0; u < RH_UNROLL; u++) packs[u] = from[(ulong)u * PACKS_APART(stride)];
}

#if defined(RH_BLOCKS) || !defined(RH_IS_INDEXED)
static inline rh_part take_step(__global const rh_pack *from, uint stride) {
  rh_pack packs[RH_UNROLL];
  load_step(from, stride, packs);
  rh_part part = rh_pack_part(packs[0]);
#pragma unroll
  for (uint u = 1; u < RH_UNROLL; u++) part = rh_part_join(part, rh_pack_part(packs[u]));
  return part;
}
#endif

#ifdef RH_BLOCKS
/* A step from each of RH_PAGES pages in turn: a processor prefetches in several pages at a time,
 * but not past the end of one.  These pages are a stretch.  Where an index is wanted, the best
 * stretch is remembered, whose elements may be read in any order.  Steps that fill no RH_PAGES
 * pages are stretches of one page. */
#define STEPS_OF_PAGE max(1u, (uint)(4096 / (RH_UNROLL * sizeof(rh_pack))))
static inline rh_total take_steps(__global const rh_pack *from, uint id, uint stride, uint steps) {
  rh_total total = rh_total_identity();
  from += (ulong)id * steps * RH_UNROLL;
  for (uint left = steps, turns, pages; left > 0; left -= turns * pages) {
    turns = min(left, STEPS_OF_PAGE);
    pages = left / turns < RH_PAGES ? 1 : RH_PAGES;
#ifdef RH_IS_INDEXED
    rh_part best = rh_pack_part(*from);
#endif
    for (uint turn = 0; turn < turns; turn++)
      for (uint page = 0; page < pages; page++) {
        rh_part part = take_step(from + (page * turns + turn) * RH_UNROLL, stride);
#ifdef RH_IS_INDEXED
        best = rh_part_join(best, part);
#else
        total = rh_total_add(total, part);
#endif
      }
#ifdef RH_IS_INDEXED
    rh_total_take(&total, best, from);
#endif
    from += (ulong)turns * pages * RH_UNROLL;
  }
  return total;
}
#else
static inline rh_total take_steps(__global const rh_pack *from, uint id, uint stride, uint steps) {
  rh_total total = rh_total_identity();
  from += id;
  for (uint s = 0; s < steps; s++, from += (ulong)RH_UNROLL * stride) {
#ifdef RH_IS_INDEXED
    rh_pack packs[RH_UNROLL];
    load_step(from, stride, packs);
#pragma unroll
    for (uint u = 0; u < RH_UNROLL; u++) rh_total_take(&total, packs[u], s * RH_UNROLL + u);
#else
    total = rh_total_add(total, take_step(from, stride));
#endif
  }
  return total;
}
#endif

static inline rh_value take_share(SHARE_PARAMETERS) {
  uint id = (uint)(get_group_id(0) * RH_GROUP + get_local_id(0));
  uint stride = (uint)(get_num_groups(0) * RH_GROUP);
  rh_total total = take_steps(input + pack, id, stride, steps);
  __global const rh_pack *from = input + pack + (ulong)steps * RH_UNROLL * stride + id;
  rh_pack packs[RH_UNROLL];
  if (id < rest) {
#pragma unroll
    for (uint u = 0; u < RH_UNROLL; u++)
      packs[u] = u == 0 || id + u * stride < rest ? from[(ulong)u * stride] : (rh_pack)(0);
#pragma unroll
    for (uint u = 0; u < RH_UNROLL; u++)
      if (u == 0 || id + u * stride < rest) {
#if defined(RH_IS_INDEXED) && defined(RH_BLOCKS)
        rh_total_take(&total, rh_pack_part(packs[u]), from + (ulong)u * stride);
#elif defined(RH_IS_INDEXED)
        rh_total_take(&total, packs[u], steps * RH_UNROLL + u);
#else
        total = rh_total_add(total, rh_pack_part(packs[u]));
#endif
      }
  }
  __global const rh_element *elements = (__global const rh_element *)input + first;
#if defined(RH_IS_INDEXED) && defined(RH_BLOCKS)
  rh_value mine = rh_total_value(total, elements);
#elif defined(RH_IS_INDEXED)
  rh_value mine = rh_total_value(total, head + (id + (ulong)total.round * stride) * RH_WIDTH);
#else
  rh_value mine = rh_total_value(total);
#endif
  for (uint i = id; i < outside; i += stride)
    mine = rh_combine(mine, rh_load(elements, i < head ? i : n - outside + i));
#ifdef RH_IS_RANKED
  if (n == 0) return rh_identity();
#endif
  return mine;
}

#if RH_GROUP == 1
#define MEET(scratch, value) (value)
#else
#define MEET(scratch, value) rh_group_shuffle_tree(scratch, value)
#endif

#ifdef RH_FINISH_LAUNCH
ONEPASS void onepass(SHARE_PARAMETERS, __local rh_value *scratch, __global rh_value *partials) {
  rh_value all = MEET(scratch, take_share(input, pack, steps, rest, first, n, head, outside));
  if (get_local_id(0) == 0) partials[get_group_id(0)] = all;
}
#else

/* Combines the values of groups 0 .. groups-1 in index order.  Each work-item keeps RH_AT_ONCE
 * loads in flight. */
static inline rh_value collect(rh_value mine, __global const void *slots, uint groups, uint epoch) {
  for (uint k = get_local_id(0); k < groups; k += RH_AT_ONCE * RH_GROUP) {
    rh_glance seen[RH_AT_ONCE];
#pragma unroll
    for (uint j = 0; j < RH_AT_ONCE; j++)
      if (j == 0 || k + j * RH_GROUP < groups) seen[j] = rh_glance_at(slots, k + j * RH_GROUP);
#pragma unroll
    for (uint j = 0; j < RH_AT_ONCE; j++)
      if (j == 0 || k + j * RH_GROUP < groups)
        mine = rh_combine(mine, rh_collect(seen[j], slots, k + j * RH_GROUP, epoch));
  }
  return mine;
}

#ifdef RH_FINISH_WAIT
/* Does this group finish?  Only the group with the highest index waits.  The others wait for
 * nothing, so each that is scheduled ends and frees its place, and on a device with two compute
 * units the waiting group leaves a place free.  Concurrent launches from several queues could fill
 * a small GPU with waiting groups only if groups were not scheduled in index order; in that order
 * the waiting group comes last. */
#ifndef RH_SEES_WHILE_RUNNING
#error "no group can wait for another here"
#endif
static inline bool finishes(__global void *slots, __global uint *tickets, __local uint *is_last,
                            rh_value all, uint groups, uint epoch) {
  if (get_group_id(0) == groups - 1) return true;
  if (get_local_id(0) == 0) rh_leave(slots, all, epoch);
  return false;
}
#else
static inline bool finishes(__global void *slots, __global uint *tickets, __local uint *is_last,
                            rh_value all, uint groups, uint epoch) {
  if (get_local_id(0) == 0) {
    rh_leave(slots, all, epoch);
    *is_last = rh_is_last_to_arrive(tickets, groups);
  }
  rh_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  return *is_last;
}
#endif

ONEPASS void onepass(SHARE_PARAMETERS, __local rh_value *scratch, __global void *slots,
                     __global uint *tickets, uint epoch, __global rh_value *result,
                     ulong result_index) {
  __local uint *is_last = (__local uint *)(scratch + RH_GROUP);
  rh_value all = MEET(scratch, take_share(input, pack, steps, rest, first, n, head, outside));
  uint groups = (uint)get_num_groups(0);
  if (groups > 1) {
    if (!finishes(slots, tickets, is_last, all, groups, epoch)) return;
#ifdef RH_FINISH_WAIT
    all = collect(get_local_id(0) == 0 ? all : rh_identity(), slots, groups - 1, epoch);
    rh_barrier(CLK_LOCAL_MEM_FENCE);
#else
    all = collect(rh_identity(), slots, groups, epoch);
#endif
    all = MEET(scratch, all);
  }
  if (get_local_id(0) == 0) result[result_index] = all;
}
#endif
