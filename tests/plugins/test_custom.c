/* Operators that are not built in, through every strategy: several operands of several types, each
 * at a place of its own, constants, the index in a map, structs up to 128 bytes, and one that does
 * not commute.  The environment is test_matrix's, with
 *   REDHOST_TEST_OPERATORS   some of their names instead of all
 * One test for each strategy.  test_custom --preludes FOLDER writes NAME.cl of each operator, what
 * its kernels are compiled behind, for tests/kernels/syntax.sh. */
#include <redhost/canonical.h>

#include "../../host/choose/choose.h"
#include "../../host/operators/foreign/foreign.h"
#include "../core/load_strategy.h"
#include "../suite/suite.h"
#include "bench.h"

enum { MOST = 64 };
static char *strategies[MOST], *settings[MOST], *operators[MOST];
static int n_strategies, n_operators;
static rh_context *context;

static const uint64_t sizes[] = {0, 1, 7, 1000, 4097, 100003};
static const uint64_t tiny_sizes[] = {0, 1, 7, 65, 300};

/* ---- Operators ---- */

typedef struct custom {
  const char *name, *form; /* the rest of its file */
  rh_type operands[2];     /* 0: one only */
  uint32_t rounds;         /* the value depends on the order, by this many ulp of f64 at most */
  rh_custom *own;
} custom;

static char histogram[4096];
static custom customs[] = {
    {"dot", "'op': 'sum', 'map': 'x*y'", {RH_TYPE_f32, RH_TYPE_f32}, 0, NULL},
    {"difference", "'op': 'argmax', 'map': 'fabs(x - y)'", {RH_TYPE_f16, RH_TYPE_f32}, 0, NULL},
    {"count", "'op': 'sum', 'map': 'x > t', 'constants': {'t': -7}", {RH_TYPE_i32, 0}, 0, NULL},
    {"magnitude", "'op': 'argmin', 'map': '3 - abs(x)'", {RH_TYPE_i16, 0}, 0, NULL},
    {"moments",
     "'value': {'n': 'f64', 'mean': 'f64', 'm2': 'f64'}, 'load': ['1', 'x', '0'], 'identity': "
     "['0', '0', '0'], 'combine': ['a.n + b.n', 'a.n == 0 ? b.mean : b.n == 0 ? a.mean : a.mean + "
     "(b.mean - a.mean)*b.n/(a.n + b.n)', 'a.n == 0 ? b.m2 : b.n == 0 ? a.m2 : a.m2 + b.m2 + "
     "(b.mean - a.mean)*(b.mean - a.mean)*a.n*b.n/(a.n + b.n)'], 'claims': ['associative', "
     "'commutative']",
     {RH_TYPE_f32, 0},
     1 << 20,
     NULL},
    {"product",
     "'value': {'p': 'u32', 'q': 'u32', 'r': 'u32', 's': 'u32'}, 'load': ['x', 'y', '1', "
     "'(u32)i'], 'identity': ['1', '0', '0', '1'], 'combine': ['a.p*b.p + a.q*b.r', 'a.p*b.q + "
     "a.q*b.s', 'a.r*b.p + a.s*b.r', 'a.r*b.q + a.s*b.s'], 'claims': ['associative']",
     {RH_TYPE_u32, RH_TYPE_u8},
     0,
     NULL},
    {"least",
     "'value': {'v': 'u32'}, 'load': ['x'], 'identity': ['4294967295'], 'combine': ['min(a.v, "
     "b.v)'], 'claims': ['associative', 'commutative']",
     {RH_TYPE_u8, 0},
     0,
     NULL},
    {"range",
     "'value': {'l': 'i32', 'g': 'i32'}, 'load': ['x', 'x'], 'identity': ['2147483647', "
     "'-2147483647'], 'combine': ['min(a.l, b.l)', 'max(a.g, b.g)'], 'claims': ['associative', "
     "'commutative']",
     {RH_TYPE_i16, 0},
     0,
     NULL},
    {"histogram", histogram, {RH_TYPE_u64, 0}, 0, NULL}};
enum { CUSTOMS = sizeof customs / sizeof *customs };

/* How often each residue of x + i + s occurs: 128 bytes. */
static void write_histogram(void) {
  static const char *const keys[] = {"value", "load", "identity", "combine"};
  char *to = histogram;
  to += sprintf(to, "'constants': {'s': 5}, 'claims': ['associative', 'commutative']");
  for (int key = 0; key < 4; key++)
    for (int k = 0; k < 16; k++) {
      to += k ? sprintf(to, ", ") : sprintf(to, ", '%s': %c", keys[key], key ? '[' : '{');
      to += key == 0   ? sprintf(to, "'c%d': 'u64'", k)
            : key == 1 ? sprintf(to, "'(x + i + s) %% 16 == %d'", k)
            : key == 2 ? sprintf(to, "'0'")
                       : sprintf(to, "'a.c%d + b.c%d'", k, k);
      if (k == 15) to += sprintf(to, "%c", key ? ']' : '}');
    }
}

static uint32_t operands_of(const custom *c) { return c->operands[1] ? 2 : 1; }

static void make_operator(custom *c) {
  char text[8192];
  FINISHED(rh_definition) definition = {0};
  const rh_operand operands[] = {{"x", c->operands[0]}, {"y", c->operands[1]}};
  snprintf(text, sizeof text, "{'redhost': 'operator/1', 'name': '%s', 'operands': ['x'%s], %s}",
           c->name, c->operands[1] ? ", 'y'" : "", c->form);
  for (char *at = text; *at; at++)
    if (*at == '\'') *at = '"';
  must(rh_definition_read(&definition, text, strlen(text), c->name, &error));
  must(rh_custom_create(&c->own, &definition, operands, operands_of(c), NULL, 0, &error));
}

/* Are the values the same, where their operator has one value for every order?  Else within what
 * rounding explains. */
static int agree(const custom *c, const void *a, const void *b) {
  const rh_operator *face = &c->own->face;
  double x[RH_ANY_VALUE_BYTES / sizeof(double)], y[RH_ANY_VALUE_BYTES / sizeof(double)];
  uint32_t size = face->abi->value_size;
  if (!face->is_struct) return rh_op_same_values(rh_operator_values(face), face->type, a, b);
  if (!c->rounds) return memcmp(a, b, size) == 0;
  memcpy(x, a, size);
  memcpy(y, b, size);
  for (uint32_t k = 0; k < size / sizeof(double); k++)
    if (!(fabs(x[k] - y[k]) <= c->rounds * 0x1p-53 * fmax(1, fabs(x[k])))) return 0;
  return 1;
}

/* ---- Problems ---- */

static int is_tiny(void) {
  const char *extent = getenv("REDHOST_TEST_EXTENT");
  return extent && strcmp(extent, "tiny") == 0;
}

static const uint64_t *sizes_of(uint32_t *n) {
  *n = is_tiny() ? sizeof tiny_sizes / sizeof *tiny_sizes : sizeof sizes / sizeof *sizes;
  return is_tiny() ? tiny_sizes : sizes;
}

static void right(const bench *b, int ok, const char *what) {
  ck_assert_msg(ok, "%s, %s: %s: %s", b->spec.strategy->name, b->spec.op->name, what,
                b->error.message);
}

/* Small numbers, whose sums and products are exact in f32; every NaN is that of the poison. */
static void set_element(void *memory, rh_type type, uint64_t i, uint64_t random) {
  const int small = (int)(random >> 32 & 15) - 8;
  static const uint16_t halves[] = {0x0000, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x3800, 0x4200, 0xc200};
  switch (type) {
  case RH_TYPE_f32: ((float *)memory)[i] = (float)small; break;
  case RH_TYPE_f16: ((uint16_t *)memory)[i] = halves[random >> 32 & 7]; break;
  case RH_TYPE_i32: ((int32_t *)memory)[i] = small; break;
  case RH_TYPE_i16: ((int16_t *)memory)[i] = (int16_t)(random >> 32); break;
  case RH_TYPE_u8: ((uint8_t *)memory)[i] = (uint8_t)(10 + (random >> 32) % 245); break;
  case RH_TYPE_u32: ((uint32_t *)memory)[i] = (uint32_t)(random >> 32); break;
  default: ((uint64_t *)memory)[i] = random >> 32;
  }
}

/* Each operand begins at a place of its own, in steps of an element: all the same if `together`. */
static void place(bench *b, uint64_t n, uint64_t seed, int together) {
  uint64_t random = seed;
  for (uint32_t k = 0; k < b->operands.n; k++) {
    void *room = bench_room(b, k, together ? 16 : 16 + (seed + 5 * k) % 16, n);
    for (uint64_t i = 0; i < n; i++)
      set_element(room, b->spec.op->operands[k].type, i, rh_random_next(&random));
  }
  right(b, bench_place(b, n) == RH_OK, "placing");
}

/* What load and fold get. */
static const void *input_of(const bench *b) {
  return rh_operator_has_operands(b->spec.op) ? (const void *)&b->operands.arrays
                                              : b->operands.arrays.operands[0];
}

static void check(bench *b, const custom *c, uint64_t n, uint64_t seed, int together) {
  _Alignas(16) unsigned char value[RH_ANY_VALUE_BYTES], expected[RH_ANY_VALUE_BYTES];
  char what[64];
  place(b, n, seed, together);
  const rh_op *op = &c->own->op;
  memcpy(expected, op->identity, op->value_size);
  rh_op_fold(op, expected, input_of(b), 0, n);
  snprintf(what, sizeof what, "n = %llu, seed %llu", (unsigned long long)n,
           (unsigned long long)seed);
  right(b, bench_run(b, n, value) == RH_OK, what);
  right(b, bench_is_unchanged(b, n), "the input was written");
  right(b, agree(c, value, expected), what);
  int is_canonical = b->spec.strategy->promises & RH_CANONICAL_ORDER &&
                     op->flags & RH_OP_COMMUTATIVE && !(op->flags & RH_OP_EXACT);
  if (!is_canonical) return;
  rh_canonical_fold(op, input_of(b), 0, n, expected);
  right(b, memcmp(value, expected, op->value_size) == 0, "not in the canonical order");
}

static int answers(const rh_strategy *strategy, const char *id) {
  return strategy->extension && strategy->extension(id) != NULL;
}

/* Collectives know the built-in operators only, and atomics values of at most 8 bytes. */
static int may_decline(const char *strategy) {
  static const char *const some[] = {"atomic", "atomic_global", "builtin", "blocked_builtin"};
  for (size_t k = 0; k < sizeof some / sizeof *some; k++)
    if (strcmp(strategy, some[k]) == 0) return 1;
  return 0;
}

static int is_wanted(const custom *c, const rh_strategy *strategy) {
  int wanted = n_operators == 0;
  for (int k = 0; k < n_operators; k++) wanted |= strcmp(operators[k], c->name) == 0;
  /* What the host never shows a strategy that does not say that it knows. */
  int is_device = !rh_strategy_is_host(strategy), size = (int)c->own->op.value_size;
  if (is_device && c->own->op.n_operands && !answers(strategy, RH_EXTENSION_OPERANDS)) return 0;
  if (is_device && size != 4 && size != 8 && size != 16 &&
      !answers(strategy, RH_EXTENSION_ANY_VALUE))
    return 0;
  return wanted && (c->own->op.flags & RH_OP_COMMUTATIVE || strategy->promises & RH_KEEPS_ORDER);
}

static void make_operators(void) {
  write_histogram();
  for (int k = 0; k < CUSTOMS; k++) make_operator(&customs[k]);
}

static int write_preludes(const char *folder) {
  char path[4096];
  make_operators();
  for (const custom *c = customs; c < customs + CUSTOMS; c++) {
    char *prelude = c->own->face.calls->prelude(&c->own->face);
    snprintf(path, sizeof path, "%s/%s.cl", folder, c->name);
    FILE *file = fopen(path, "w");
    if (!file || !prelude || fputs(prelude, file) < 0 || fclose(file) != 0) return 1;
    free(prelude);
    rh_custom_destroy(c->own);
  }
  return 0;
}

static void open_redhost(void) {
  make_operators();
  rh_options options = SIZED(rh_options, .plugin_path = getenv("REDHOST_TEST_PLUGINS"),
                             .program = getenv("REDHOST_TEST_PROGRAM"));
  must(rh_context_open(&context, &options, &rh_choosing, &error));
}

static void close_redhost(void) {
  for (int k = 0; k < CUSTOMS; k++) rh_custom_destroy(customs[k].own);
  rh_context_close(context);
}

CASES(strategies, .set_up = open_redhost, .tear_down = close_redhost, .timeout = 600)

TEST_LOOP(every_operator, 0, n_strategies) {
  const rh_strategy *strategy = NULL;
  char *path = NULL;
  uint32_t n;
  const uint64_t *all = sizes_of(&n);
  /* Finished at the end: Oclgrind 21.10 remembers the bytes of an address that is used again. */
  static bench benches[MOST];
  must(load_strategy(&context->options, rh_foreign_open, strategies[_i], &strategy, &path, &error));
  free(path);
  int declines = may_decline(strategy->name);
  if (!declines && !rh_strategy_is_host(strategy) && n_operators == 0)
    ck_assert(answers(strategy, RH_EXTENSION_OPERANDS) &&
              answers(strategy, RH_EXTENSION_ANY_VALUE));
  for (const custom *c = customs; c < customs + CUSTOMS; c++) {
    bench *b = &benches[c - customs];
    if (!is_wanted(c, strategy)) continue;
    int serves = bench_begin(b, context, strategy, &c->own->face, all[n - 1], settings) == RH_OK;
    int is_without = serves || b->answer.why == RH_WHY_DEVICE;
    int is_named = declines && strstr(b->answer.reason, c->own->op.name) != NULL;
    right(b, is_without || is_named, b->answer.reason);
    if (!serves) continue;
    right(b, bench_open(b) == RH_OK, "setup");
    for (uint32_t k = 0; k < n; k++) /* up and down: a smaller one after a larger one */
      check(b, c, all[k % 2 ? k / 2 : n - 1 - k / 2], k + 1, k == 2);
  }
  for (uint32_t k = 0; k < CUSTOMS; k++) bench_close(&benches[k]);
}

int main(int argc, char **argv) {
  if (argc == 3 && strcmp(argv[1], "--preludes") == 0) return write_preludes(argv[2]);
  n_strategies = bench_words("REDHOST_TEST_STRATEGIES", strategies, MOST);
  n_operators = bench_words("REDHOST_TEST_OPERATORS", operators, MOST);
  bench_words("REDHOST_TEST_SETTINGS", settings, MOST);
  if (n_strategies == 0) return 2;
  return run_tests();
}
