/* Two ways to distribute the elements over all work-items. Both reorder. */

/* Strided: each iteration reads one element per work-item, so that loads coalesce. */
static inline rh_value rh_take_strided(rh_operands input, ulong n) {
  rh_value mine = rh_identity();
  for (ulong i = get_global_id(0); i < n; i += get_global_size(0))
    mine = rh_combine(mine, rh_load(input, i));
  return mine;
}

/* Blocked: `width` work-items share a block of width * each elements, and each takes every width-th
 * element. */
static inline rh_value rh_take_blocked(rh_operands input, ulong n, ulong width, ulong each) {
  ulong item = get_global_id(0), i = item / width * (width * each) + item % width;
  rh_value mine = rh_identity();
  for (ulong k = 0; k < each && i < n; k++, i += width) mine = rh_combine(mine, rh_load(input, i));
  return mine;
}
