#include "algebra.h"

/* Elements first, first + step, ..., n of them; none: the identity. */
typedef struct side {
  uint64_t first, n, step;
} side;

/* Where elements are: element i is number i % period of the arrays; period 0: number i. */
typedef struct source {
  const rh_custom *of;
  rh_arrays arrays;
  uint64_t period;
  uint64_t before; /* elements of the whole */
} source;

/* ---- Values ---- */

/* The arrays as if the period that contains element i began at its place. */
static rh_arrays arrays_at(const source *from, uint64_t i) {
  rh_arrays arrays = from->arrays;
  uint64_t before = from->period ? i - i % from->period : 0;
  for (uint32_t k = 0; k < from->of->face.n_operands; k++)
    arrays.operands[k] = (const void *)((uintptr_t)arrays.operands[k] -
                                        before * rh_type_size(from->of->operands[k].type));
  return arrays;
}

static void load(const source *from, uint64_t i, unsigned char *value) {
  rh_arrays arrays = arrays_at(from, i);
  memset(value, 0, RH_ANY_VALUE_BYTES);
  rh_custom_load(from->of, value, &arrays, i);
}

static void fold(const source *from, uint64_t first, uint64_t n, unsigned char *value) {
  enum { FEW = 16 }; /* for which batches are not worth their while */
  _Alignas(16) unsigned char next[RH_ANY_VALUE_BYTES];
  load(from, first, value);
  for (uint64_t end = first + n, at = first + 1; at < end;) {
    uint64_t count = end - at, left = from->period ? from->period - at % from->period : count;
    rh_arrays arrays = arrays_at(from, at);
    if (count > left) count = left;
    if (count <= FEW) {
      rh_custom_fold(from->of, value, &arrays, at, count);
    } else {
      memset(next, 0, sizeof next);
      rh_custom_reduce(from->of, &arrays, at, count, next);
      rh_custom_combine(from->of, value, next);
    }
    at += count;
  }
}

/* Many elements whose index does not matter are fewer ones, twice. */
static void fold_doubling(const source *from, uint64_t first, uint64_t n, unsigned char *value) {
  enum { FEW = 4096 };
  _Alignas(16) unsigned char last[RH_ANY_VALUE_BYTES];
  int doublings = 0;
  while (n >> doublings > FEW) doublings++;
  fold(from, first, n >> doublings, value);
  while (doublings--) {
    memcpy(last, value, sizeof last);
    rh_custom_combine(from->of, value, last);
    load(from, first + (n >> doublings) - 1, last);
    if (n >> doublings & 1) rh_custom_combine(from->of, value, last);
  }
}

static void value_of(const source *from, const side *s, unsigned char *value) {
  _Alignas(16) unsigned char next[RH_ANY_VALUE_BYTES];
  memset(value, 0, RH_ANY_VALUE_BYTES);
  memcpy(value, from->of->identity, from->of->op.value_size);
  if (s->n == 0) return;
  if (s->step == 1 && from->period && !from->of->face.uses_index) {
    fold_doubling(from, s->first, s->n, value);
  } else if (s->step == 1) {
    fold(from, s->first, s->n, value);
  } else {
    load(from, s->first, value);
    for (uint64_t k = 1; k < s->n; k++) {
      load(from, s->first + k * s->step, next);
      rh_custom_combine(from->of, value, next);
    }
  }
}

/* ---- Words ---- */

static void describe_side(const source *from, const side *s, rh_text *text) {
  unsigned long long n = s->n, first = from->before + s->first;
  if (n == 0) rh_text_add(text, "no element");
  else if (!from->of->face.uses_index) rh_text_add(text, "%llu element%s", n, n == 1 ? "" : "s");
  else if (n == 1) rh_text_add(text, "element %llu", first);
  else rh_text_add(text, "%llu elements from %llu on", n, first);
  if (n > 1 && s->step > 1) rh_text_add(text, ", one in %llu", (unsigned long long)s->step);
}

/* ---- Sides ---- */

enum { ADJACENT, BETWEEN, TURNED, APART, ARRANGEMENTS };

static void arrange(int how, uint64_t at, const uint64_t n[3], side sides[3]) {
  enum { GAP = 1000003 };
  for (uint64_t j = 0; j < 3; j++) {
    sides[j] = (side){at, n[j], 1};
    if (how == BETWEEN) sides[j] = (side){at + j, n[j], 3};
    if (how == TURNED) sides[j].first += j == 0 ? n[2] + n[1] : j == 1 ? n[2] : 0;
    if (how == ADJACENT || how == APART) at += n[j] + (how == APART ? GAP : 0);
  }
}

static int is_open(const rh_algebra_report *report, rh_law law) {
  return report->laws[law] != RH_LAW_BROKEN;
}

/* as: the law that is said to be broken. */
static void try_law(const source *from, rh_law law, rh_law as, const side sides[3], rh_meeting *m,
                    rh_algebra_report *report) {
  RH_FINISHED(rh_text) whose = {0};
  if (!is_open(report, as)) return;
  report->cases++;
  if (rh_law_judge(from->of, law, m, RH_MANY_ROUND) != RH_DIFFERENT) return;
  for (uint32_t j = 0; j < rh_law_values(law); j++) {
    rh_text_add(&whose, j == 0 ? " (" : "; ");
    describe_side(from, &sides[j], &whose);
  }
  rh_text_add(&whose, ")");
  rh_law_describe(from->of, law, as, rh_text_get(&whose), NULL, m, report->broken[as]);
  report->laws[as] = RH_LAW_BROKEN;
}

/* An operator that commutes has to be associative for sides that are not adjacent, too. */
static void try_sides(const source *from, int how, const side sides[3], rh_algebra_report *report) {
  rh_meeting m;
  for (int j = 0; j < 3; j++) value_of(from, &sides[j], m.v[j]);
  if (how == ADJACENT) {
    try_law(from, RH_LAW_IDENTITY, RH_LAW_IDENTITY, sides, &m, report);
    try_law(from, RH_LAW_ASSOCIATIVE, RH_LAW_ASSOCIATIVE, sides, &m, report);
  } else {
    try_law(from, RH_LAW_ASSOCIATIVE, RH_LAW_COMMUTATIVE, sides, &m, report);
  }
  try_law(from, RH_LAW_COMMUTATIVE, RH_LAW_COMMUTATIVE, sides, &m, report);
}

static void try_shape(const source *from, uint64_t at, const uint64_t n[3],
                      rh_algebra_report *report) {
  enum { LARGE = 8192 }; /* far from fast, where each element has to be loaded */
  side sides[3];
  int apart = from->of->face.uses_index && from->period && n[0] + n[1] + n[2] <= LARGE;
  for (int how = 0; how < (apart ? ARRANGEMENTS : 1); how++) {
    if (how != ADJACENT && !is_open(report, RH_LAW_COMMUTATIVE)) return;
    arrange(how, at, n, sides);
    try_sides(from, how, sides, report);
  }
}

/* Counts in 8 and 16 bits end in some of them. */
static const uint64_t shapes[][3] = {
    {1, 1, 1},      {0, 2, 3},     {2, 0, 3},         {3, 2, 0},       {1, 2, 1},
    {2, 1, 3},      {1, 7, 1},     {3, 5, 2},         {16, 1, 17},     {1, 17, 40},
    {64, 3, 1},     {255, 1, 1},   {128, 128, 3},     {1, 100, 1000},  {3, 5000, 1},
    {5000, 3, 300}, {65535, 1, 3}, {1, 32768, 32768}, {3, 70000, 300}, {1, 1 << 20, 1},
    {1 << 20, 1, 3}};
enum { SHAPES = sizeof shapes / sizeof *shapes, SMALL_SHAPES = 13, BRIEF_SHAPES = 16 };
static const uint64_t positions[] = {
    0, UINT64_C(1) << 40, 1000, (UINT64_C(1) << 32) - 2, 65533, (1u << 24) - 3, (1u << 31) - 7, 1};
enum { POSITIONS = sizeof positions / sizeof *positions };

static void try_shapes(const source *from, int briefly, rh_algebra_report *report) {
  const uint32_t n = briefly ? BRIEF_SHAPES : SHAPES, least = from->of->face.uses_index ? 2 : 1;
  for (uint32_t k = 0; k < n; k++) {
    uint32_t times = k < SMALL_SHAPES ? 4 * least : k < BRIEF_SHAPES ? least : 1;
    for (uint32_t j = 0; j < times; j++)
      try_shape(from, positions[(j + (times == 1 ? k : 0)) % POSITIONS], shapes[k], report);
  }
}

void rh_sides_try(const rh_cases *cases, int briefly, rh_algebra_report *report) {
  enum { PERIOD = 509 };
  const rh_custom *of = cases->of;
  source from = {.of = of, .period = PERIOD};
  uint64_t constants[RH_EXPR_MOST_SLOTS], seed = 1;
  _Alignas(8) unsigned char elements[RH_MOST_OPERANDS][PERIOD * sizeof(uint64_t)];
  for (uint32_t k = 0; k < of->face.n_operands; k++) {
    uint32_t size = rh_type_size(of->operands[k].type);
    for (size_t i = 0; i < PERIOD; i++)
      memcpy(elements[k] + i * size,
             &cases->elements[rh_random_next(&seed) % RH_CASES_ELEMENTS].of[k], size);
    from.arrays.operands[k] = elements[k];
  }
  of->face.calls->bind(&of->face, UINT64_C(1) << 41, constants);
  from.arrays.constants = constants;
  try_shapes(&from, briefly, report);
}

/* ---- The data that a strategy has reduced ---- */

static void try_pieces(const source *from, uint64_t n, rh_algebra_report *report) {
  enum { TIMES = 48, FULL = 6, SOME = 4096, MOST = 1 << 20 };
  uint64_t seed = 1;
  for (int k = 0; k < TIMES && n >= 3; k++) {
    uint64_t most = k < FULL ? MOST : SOME, parts[3], left;
    left = most = most < n ? most : n;
    for (uint64_t j = 0; j < 3; j++) {
      parts[j] = 1 + rh_random_next(&seed) % (left - (2 - j));
      if (k % 2 && parts[j] > 3) parts[j] = 1 + rh_random_next(&seed) % 3;
      left -= parts[j];
    }
    try_shape(from, rh_random_next(&seed) % (n - (most - left) + 1), parts, report);
  }
}

/* Values one after the other: pieces of adjacent elements, or one element of each `step`. */
typedef struct row {
  const source *from;
  uint64_t width, step;     /* elements in a value; from one to the next */
  uint64_t lane, n;         /* its first element; values */
  uint32_t left_to_look_at; /* triples that differ, which may be by rounding */
} row;

/* Triples that begin with value `first` of a row: of values, and of all before and values. */
enum { AT_ONCE = 128, WITH_NEXT = AT_ONCE + 2 };
typedef struct batch {
  uint64_t first;
  uint32_t n;
  _Alignas(64) unsigned char values[WITH_NEXT * RH_ANY_VALUE_BYTES],
      sums[WITH_NEXT * RH_ANY_VALUE_BYTES], left[AT_ONCE * RH_ANY_VALUE_BYTES],
      right[AT_ONCE * RH_ANY_VALUE_BYTES];
} batch;

static side side_of(const row *r, uint64_t value, uint64_t n) {
  uint64_t step = r->step == r->width ? 1 : r->step;
  return (side){r->lane + value * r->step, n * r->width, step};
}

/* Triple k of the batch. */
static void look_at(row *r, const batch *b, const unsigned char *first, uint32_t k,
                    rh_algebra_report *report) {
  int adjacent = r->step == r->width, is_sum = first == b->sums;
  uint64_t at = b->first + k;
  const side sides[3] = {side_of(r, is_sum ? 0 : at, is_sum ? at + 1 : 1), side_of(r, at + 1, 1),
                         side_of(r, at + 2, 1)};
  rh_meeting m;
  r->left_to_look_at--;
  memcpy(m.v[0], first + (size_t)k * RH_ANY_VALUE_BYTES, RH_ANY_VALUE_BYTES);
  for (size_t j = 1; j < 3; j++)
    memcpy(m.v[j], b->values + (k + j) * RH_ANY_VALUE_BYTES, RH_ANY_VALUE_BYTES);
  try_law(r->from, RH_LAW_ASSOCIATIVE, adjacent ? RH_LAW_ASSOCIATIVE : RH_LAW_COMMUTATIVE, sides,
          &m, report);
}

static void try_triples(row *r, batch *b, const unsigned char *first, rh_algebra_report *report) {
  const rh_custom *of = r->from->of;
  const unsigned char *next = b->values + RH_ANY_VALUE_BYTES;
  rh_law_sides(of, RH_LAW_ASSOCIATIVE, first, next, next + RH_ANY_VALUE_BYTES, b->left, b->right,
               b->n);
  for (uint32_t k = 0; k < b->n && r->left_to_look_at; k++) {
    size_t at = (size_t)k * RH_ANY_VALUE_BYTES;
    if (memcmp(b->left + at, b->right + at, of->op.value_size) != 0)
      look_at(r, b, first, k, report);
  }
}

/* The values of the batch, and what they add up to from the row's first on. */
static void fill(const row *r, batch *b) {
  const rh_custom *of = r->from->of;
  size_t size = RH_ANY_VALUE_BYTES;
  for (uint64_t k = 0; k < b->n + 2u; k++) {
    const side one = side_of(r, b->first + k, 1);
    value_of(r->from, &one, b->values + k * size);
    if (b->first + k == 0) {
      memcpy(b->sums, b->values, size);
      continue;
    }
    memmove(b->sums + k * size, b->sums + (k == 0 ? AT_ONCE - 1 : k - 1) * size, size);
    rh_custom_combine(of, b->sums + k * size, b->values + k * size);
  }
}

static void try_row(row *r, batch *b, rh_algebra_report *report) {
  for (b->first = 0; b->first + 2 < r->n && r->left_to_look_at; b->first += b->n) {
    uint64_t left = r->n - 2 - b->first;
    b->n = left < AT_ONCE ? (uint32_t)left : AT_ONCE;
    fill(r, b);
    if (r->step == r->width) try_triples(r, b, b->values, report);
    try_triples(r, b, b->sums, report);
  }
}

/* Large trees have each of these sides somewhere, and so have lanes. */
static void try_rows(const source *from, uint64_t n, rh_algebra_report *report) {
  enum { LOOKS = 4096, MOST = 1 << 21, WIDEST = 1 << 20 };
  static const uint64_t lanes[] = {4, 64, 1024};
  RH_FREED(batch) b = aligned_alloc(_Alignof(batch), sizeof *b);
  if (n > MOST) n = MOST;
  for (uint64_t width = 1; b && width <= WIDEST; width *= 2) {
    row r = {from, width, width, 0, n / width, LOOKS};
    if (is_open(report, RH_LAW_ASSOCIATIVE)) try_row(&r, b, report);
  }
  int commutes = (from->of->op.flags & RH_OP_COMMUTATIVE) != 0;
  for (size_t k = 0; b && commutes && k < sizeof lanes / sizeof *lanes; k++)
    for (uint64_t lane = 0; lane < lanes[k]; lane++) {
      row r = {from, 1, lanes[k], lane, n / lanes[k], LOOKS / 16};
      if (rh_algebra_verdict(from->of, report) != RH_LAWS) return;
      try_row(&r, b, report);
    }
}

void rh_sides_try_data(const rh_custom *of, const rh_arrays *arrays, uint64_t first, uint64_t n,
                       rh_algebra_report *report) {
  const source from = {.of = of, .arrays = *arrays, .before = first};
  try_pieces(&from, n, report);
  if (rh_algebra_verdict(of, report) == RH_LAWS) try_rows(&from, n, report);
}
