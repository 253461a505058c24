/* The host prepends its prelude to this file: rh_element and rh_value are the types of the problem
 * at hand, rh_load reads an element as a value, rh_combine is the operator, and rh_identity its
 * identity.  One kernel serves every operator and type.
 *
 * A group takes one segment after the other.  Where `starts` is null, element k of segment s is
 * (s / inner * length + k) * inner + s % inner; without a layout, all elements are one segment. */
__kernel void reduce(__global const rh_element *input, ulong first, ulong segments, ulong length,
                     ulong inner, __global const ulong *starts, __global const ulong *stops,
                     __local rh_value *scratch, __global rh_value *result, ulong result_index) {
  for (ulong s = get_group_id(0); s < segments; s += get_num_groups(0)) {
    ulong begin = starts ? starts[s] : s / inner * length * inner + s % inner;
    ulong n = starts ? stops[s] - begin : length, step = starts ? 1 : inner;
    __global const rh_element *segment = input + first + begin;
    rh_value mine = rh_identity();
    /* Element i * step of `segment`, and to operators that return an index, number i. */
    for (ulong i = get_local_id(0); i < n; i += get_local_size(0))
      mine = rh_combine(mine, rh_load(segment + i * (step - 1), i));

    rh_value all = rh_group_tree(scratch, mine);
    if (get_local_id(0) == 0) result[result_index + s] = all;
    barrier(CLK_LOCAL_MEM_FENCE); /* scratch is free for the next segment */
  }
}
