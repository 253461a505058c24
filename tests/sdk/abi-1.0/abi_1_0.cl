/* Every name of the prelude that the SDK's template and kit use. */
__kernel void abi_1_0(__global const rh_element *input, ulong first, ulong n, uint groups,
                      __local rh_value *scratch, __global rh_value *partials) {
  input += first;
  rh_value mine = rh_identity();
  ulong each = (n + groups - 1) / groups, begin = min(get_group_id(0) * each, n), end = min(begin + each, n);
  ulong run = (end - begin + get_local_size(0) - 1) / get_local_size(0);
  ulong from = min(begin + get_local_id(0) * run, end), to = min(from + run, end);
  for (ulong i = from; i < to; i++) mine = rh_combine(mine, rh_load(input, i));

  rh_value all = rh_group_tree_ordered(scratch, mine);
  if (get_local_id(0) == 0 && begin < end) partials[get_group_id(0)] = all;
}
