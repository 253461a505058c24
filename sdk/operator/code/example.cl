/* An operator's functions.  rh_value has the fields of "value" in example.op.json, and rh_x is the
 * type of an element of x: float for f16. */

/* The value that changes no other. */
rh_value rh_identity(void) {
  rh_value value = {-1, ~0ul};
  return value;
}

/* Element i, as a value; one parameter for each operand, then the index. */
rh_value rh_load(rh_x x, ulong i) {
  rh_value value = {fabs((double)x), i};
  return value;
}

/* a's elements come before b's, unless the operator claims to be commutative. */
rh_value rh_combine(rh_value a, rh_value b) {
  if (a.far != b.far) return a.far > b.far ? a : b;
  return a.index < b.index ? a : b;
}
