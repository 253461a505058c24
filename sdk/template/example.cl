/* The host prepends its prelude to this file: rh_element and rh_value are the types of the problem
 * at hand, rh_load reads an element as a value, rh_combine is the operator, and rh_identity its
 * identity.  One kernel serves every operator and type. */
__kernel void reduce(__global const rh_element *input, ulong first, ulong n,
                     __local rh_value *scratch, __global rh_value *result, ulong result_index) {
  input += first;
  rh_value mine = rh_identity();
  for (ulong i = get_local_id(0); i < n; i += get_local_size(0))
    mine = rh_combine(mine, rh_load(input, i));

  rh_value all = rh_group_tree(scratch, mine);
  if (get_local_id(0) == 0) result[result_index] = all;
}
