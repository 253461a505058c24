/* Operators whose value is a struct: the host defines RH_STRUCT, rh_value, of any size, and
 * rh_struct_identity(), rh_struct_load() and rh_struct_combine().  Where all fields are numbers, it
 * also defines RH_FIELDS(X), which has X(type, name) for each. */
#ifdef RH_STRUCT

static inline rh_value rh_identity(void) {
  return rh_struct_identity();
}

static inline rh_value rh_load(rh_operands p, ulong i) {
  return rh_struct_load(RH_OPERAND_LIST(RH_ELEMENT_OF) RH_INDEX(p, i), RH_CONSTANTS(p));
}

static inline rh_value rh_combine(rh_value a, rh_value b) {
  return rh_struct_combine(a, b);
}

/* Vectors, see vectors.cl: loads are as wide, and lanes are combined one by one. */
#ifdef RH_WIDTH
typedef struct {
  rh_value lanes[RH_WIDTH];
} rh_vector;

static inline rh_vector rh_vector_identity(void) {
  rh_vector v;
#pragma unroll
  for (uint lane = 0; lane < RH_WIDTH; lane++) v.lanes[lane] = rh_identity();
  return v;
}

static inline rh_vector rh_vector_read(rh_operands p, ulong i, bool aligned) {
  rh_vector v;
  RH_READ_LANES(aligned)
#pragma unroll
  for (uint lane = 0; lane < RH_WIDTH; lane++)
    v.lanes[lane] = rh_struct_load(RH_OPERAND_LIST(RH_LANE) RH_INDEX(p, i + lane), RH_CONSTANTS(p));
  return v;
}

static inline rh_vector rh_vector_from_lanes(const rh_value *values) {
  rh_vector v;
#pragma unroll
  for (uint lane = 0; lane < RH_WIDTH; lane++) v.lanes[lane] = values[lane];
  return v;
}

static inline rh_vector rh_vector_combine(rh_vector a, rh_vector b) {
#pragma unroll
  for (uint lane = 0; lane < RH_WIDTH; lane++)
    a.lanes[lane] = rh_combine(a.lanes[lane], b.lanes[lane]);
  return a;
}

static inline void rh_vector_lanes(rh_vector v, rh_value *values) {
#pragma unroll
  for (uint lane = 0; lane < RH_WIDTH; lane++) values[lane] = v.lanes[lane];
}
#endif

#endif
