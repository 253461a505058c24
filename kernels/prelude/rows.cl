/* Rows of RH_ACCUMULATORS vectors, read in turn, each into an accumulator of its own; a plugin
 * enables them with -DRH_WIDTH and, say, -DRH_ACCUMULATORS=4.  Rows come in stretches: the elements
 * between two ends, read in any order.  A stretch has at most RH_MOST_ROWS rows, unless it has
 * several pages.
 *
 * An index of 64 bits in each lane would make argmin several times as slow as min.  So where an
 * index is wanted of elements in memory, lanes hold keys alone.  Each stretch with a better key
 * than all before it is remembered, and the element is looked up once, at the end. */
#if defined(RH_WIDTH) && defined(RH_ACCUMULATORS) && !defined(RH_OP_affine)

#if defined(RH_IS_INDEXED) && !defined(RH_CUSTOM)
#define RH_ROWS_OF_KEYS 1
#define RH_MOST_ROWS    64UL
typedef RH_PASTE(RH_SCALAR, RH_WIDTH) rh_lanes;
#define RH_LANES_IDENTITY   (rh_lanes)(RH_IDENTITY)
#define RH_LANES_LOAD(p, i) RH_KEPT(RH_ALIGNED_ELEMENTS(p, i))
#define RH_LANES_JOIN(a, b) RH_APPLY(a, b)
#else
#define RH_MOST_ROWS        0xffffffffffffffffUL
typedef rh_vector rh_lanes;
#define RH_LANES_IDENTITY   rh_vector_identity()
#define RH_LANES_LOAD(p, i) rh_vector_load(p, i)
#define RH_LANES_JOIN(a, b) rh_vector_combine(a, b)
#endif

typedef struct {
  rh_lanes lanes[RH_ACCUMULATORS];
#ifdef RH_ROWS_OF_KEYS
  RH_SCALAR key; /* the best of all stretches that have ended */
  ulong first;   /* the first element of its stretch; RH_NO_INDEX: none has ended */
#endif
} rh_rows;

static inline rh_rows rh_rows_identity(void) {
  rh_rows rows;
  for (uint k = 0; k < RH_ACCUMULATORS; k++) rows.lanes[k] = RH_LANES_IDENTITY;
#ifdef RH_ROWS_OF_KEYS
  rows.key = RH_IDENTITY;
  rows.first = RH_NO_INDEX;
#endif
  return rows;
}

/* Combines with the row that begins at element i of p, where rh_vector_load may read. */
static inline void rh_rows_take(rh_rows *rows, rh_operands p, ulong i) {
#pragma unroll
  for (uint k = 0; k < RH_ACCUMULATORS; k++)
    rows->lanes[k] = RH_LANES_JOIN(rows->lanes[k], RH_LANES_LOAD(p, i + k * RH_WIDTH));
}

/* The same for a single vector of an incomplete row. */
static inline void rh_rows_take_vector(rh_rows *rows, rh_operands p, ulong i) {
  rows->lanes[0] = RH_LANES_JOIN(rows->lanes[0], RH_LANES_LOAD(p, i));
}

/* Combines the accumulators. */
static inline rh_lanes rh_rows_join(const rh_rows *rows) {
  rh_lanes all = rows->lanes[0];
  for (uint k = 1; k < RH_ACCUMULATORS; k++) all = RH_LANES_JOIN(all, rows->lanes[k]);
  return all;
}

/* Ends a stretch of at least one element, whose first is element `first`.  Stretches come in
 * ascending order: the first of equal elements wins. */
static inline void rh_rows_end(rh_rows *rows, ulong first) {
#ifdef RH_ROWS_OF_KEYS
  RH_SCALAR lanes[RH_WIDTH];
  RH_PASTE(vstore, RH_WIDTH)(rh_rows_join(rows), 0, lanes);
  RH_SCALAR best = lanes[0];
  for (uint k = 1; k < RH_WIDTH; k++) best = RH_APPLY(best, lanes[k]);
  RH_SCALAR key = RH_SCALAR_KEPT(best);
  if (!RH_BEATS(key, rows->key) && rows->first != RH_NO_INDEX) return;
  rows->key = key;
  rows->first = first;
#endif
}

/* What all rows of p combine to; those of an index after the end of their stretch. */
static inline rh_value rh_rows_value(const rh_rows *rows, rh_operands p) {
#ifdef RH_ROWS_OF_KEYS
  rh_value value = rh_identity();
  if (rows->first == RH_NO_INDEX) return value;
  for (ulong i = rows->first; value.key != rows->key || value.index == RH_NO_INDEX; i++)
    value = rh_load(p, i);
  return value;
#else
  return rh_vector_fold(rh_rows_join(rows));
#endif
}

#endif
