/* golden_values GOLDEN.TXT STRATEGY [KEY=VALUE...]: reduces the data of each golden value with a
 * strategy and its parameters, on the default device, and compares the bits.  Of each operator and
 * type, one setup serves all sizes, and others those of a few elements.
 *
 * REDHOST_TEST_PLUGINS and REDHOST_TEST_PROGRAM as for the tests.  Exit status: 0 all equal, 1 not
 * all, or a failure. */
#include <redhost/redhost.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_N = 1 << 20, MOST_SETTINGS = 8 };

static const struct {
  const char *name;
  rh_type type;
  int fraction_bits;
} types[] = {{"f16", RH_TYPE_f16, 10}, {"f32", RH_TYPE_f32, 23}, {"f64", RH_TYPE_f64, 52}};

static rh_setting settings[MOST_SETTINGS];
static uint64_t n_settings;

/* As elements() in test_golden.py: of magnitude 2^-4 to 2^4 with either sign; for products, near
 * 1. */
static double element(uint64_t i, int fraction_bits, int is_product) {
  uint64_t h = (i + 1) * 0x9e3779b97f4a7c15u;
  h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u;
  h = (h ^ h >> 27) * 0x94d049bb133111ebu;
  h ^= h >> 31;
  double sign = h >> 63 ? -1 : 1;
  double fraction = ldexp((double)(h & ((UINT64_C(1) << fraction_bits) - 1)), -fraction_bits);
  if (is_product)
    return 1 + sign * ldexp(floor(ldexp(fraction, fraction_bits - 6)), -fraction_bits);
  return sign * ldexp(1 + fraction, (int)(h >> 52 & 7) - 4);
}

/* Of a number that f16 has, and that is not subnormal there. */
static uint16_t half_of(double x) {
  int exponent;
  double mantissa = frexp(fabs(x), &exponent);
  return (uint16_t)((x < 0) << 15 | (exponent + 14) << 10 | (int)(mantissa * 2048 - 1024));
}

static void fill(void *data, rh_type type, int fraction_bits, int is_product) {
  for (uint64_t i = 0; i < MOST_N; i++) {
    double x = element(i, fraction_bits, is_product);
    if (type == RH_TYPE_f16) ((uint16_t *)data)[i] = half_of(x);
    else if (type == RH_TYPE_f32) ((float *)data)[i] = (float)x;
    else ((double *)data)[i] = x;
  }
}

/* Has the file a line for this operator and type? */
static int mentions(FILE *golden, const char *type, const char *op) {
  char line[200], line_type[8], line_op[8];
  rewind(golden);
  while (fgets(line, sizeof line, golden))
    if (sscanf(line, "%7s %7s", line_type, line_op) == 2 && strcmp(line_type, type) == 0 &&
        strcmp(line_op, op) == 0)
      return 1;
  return 0;
}

/* Of several results, the last. */
static double value_of(const rh_result *result) {
  return result->n_fields ? result->fields[result->n_fields - 1].value.f : result->value.f;
}

/* Every line of the file for this operator and type, and up to `most` elements. */
static rh_status compare_all(FILE *golden, rh_prepared *prepared, uint64_t most, const char *type,
                             const char *op, const void *data, unsigned *equal, unsigned *differ,
                             rh_error *error) {
  char line[200], line_type[8], line_op[8], wanted[40];
  uint64_t n;
  rewind(golden);
  while (fgets(line, sizeof line, golden)) {
    rh_result result = {.struct_size = sizeof result};
    if (sscanf(line, "%7s %7s %" SCNu64 " %39s", line_type, line_op, &n, wanted) != 4 ||
        strcmp(line_type, type) != 0 || strcmp(line_op, op) != 0 || n > most)
      continue;
    rh_status status = rh_prepared_run(prepared, data, n, &result, error);
    if (status != RH_OK) return status;
    int is_equal = value_of(&result) == strtod(wanted, NULL);
    *(is_equal ? equal : differ) += 1;
    if (!is_equal)
      printf("%s %s %" PRIu64 ": %a, not %s\n", type, op, n, value_of(&result), wanted);
  }
  return RH_OK;
}

static rh_status compare_setup(FILE *golden, rh_redhost *redhost, const rh_request *spec,
                               const char *type, const void *data, unsigned *equal,
                               unsigned *differ, rh_error *error) {
  rh_prepared *prepared = NULL;
  rh_status status = rh_prepare(redhost, spec, &prepared, error);
  if (status == RH_OK)
    status = compare_all(golden, prepared, spec->n, type, spec->op, data, equal, differ, error);
  rh_prepared_destroy(prepared);
  return status;
}

static rh_status compare(FILE *golden, rh_redhost *redhost, const char *strategy, void *data,
                         unsigned *equal, unsigned *differ, rh_error *error) {
  static const char *const ops[] = {"sum", "asum", "prod", "meanvar"};
  static const uint64_t most[] = {MOST_N, 7, 256, 1024};
  rh_status status = RH_OK;
  for (size_t t = 0; t < sizeof types / sizeof *types; t++)
    for (int o = 0; o < 4; o++) {
      if (!mentions(golden, types[t].name, ops[o])) continue;
      rh_request spec = {.struct_size = sizeof spec,
                         .strategy = strategy,
                         .op = ops[o],
                         .type = types[t].type,
                         .settings = settings,
                         .n_settings = n_settings};
      fill(data, types[t].type, types[t].fraction_bits, o == 2);
      for (size_t k = 0; k < sizeof most / sizeof *most && status == RH_OK; k++) {
        spec.n = most[k];
        status = compare_setup(golden, redhost, &spec, types[t].name, data, equal, differ, error);
      }
    }
  return status;
}

/* "threads=2" becomes a setting; the text is cut in place. */
static int take_settings(int argc, char **argv) {
  for (int k = 0; k < argc; k++) {
    char *value = strchr(argv[k], '=');
    if (!value || n_settings == MOST_SETTINGS) return 0;
    *value = 0;
    settings[n_settings++] = (rh_setting){argv[k], value + 1};
  }
  return 1;
}

int main(int argc, char **argv) {
  rh_options options = {.struct_size = sizeof options,
                        .plugin_path = getenv("REDHOST_TEST_PLUGINS"),
                        .program = getenv("REDHOST_TEST_PROGRAM")};
  rh_redhost *redhost = NULL;
  rh_error error = {0};
  unsigned equal = 0, differ = 0;
  FILE *golden = argc > 2 ? fopen(argv[1], "r") : NULL;
  if (!golden || !take_settings(argc - 3, argv + 3)) {
    fprintf(stderr, "usage: golden_values GOLDEN.TXT STRATEGY [KEY=VALUE...]\n");
    return 1;
  }
  double *data = malloc(MOST_N * sizeof *data);
  rh_status status = data ? rh_open(&redhost, &options, &error) : RH_E_NOMEM;
  if (status == RH_OK) status = compare(golden, redhost, argv[2], data, &equal, &differ, &error);
  if (status != RH_OK) fprintf(stderr, "golden_values: %s\n", error.message);
  printf("%s: %u of %u golden values equal\n", argv[2], equal, equal + differ);
  rh_close(redhost);
  free(data);
  fclose(golden);
  return status == RH_OK && equal > 0 && differ == 0 ? 0 : 1;
}
