/* host/cli: the lists and numbers that --bench and similar options take. */
#include <locale.h>

#include "../../host/cli/options.h"
#include "../../host/cli/values.h"
#include "../../host/operators/catalog/catalog.h"
#include "../suite/suite.h"

/* RH_E_USAGE, with each of the words (separated by `|') in the message. */
static void refused(rh_status status, const char *words) {
  char copy[256];
  ck_assert_int_eq(status, RH_E_USAGE);
  ck_assert_int_eq(error.status, RH_E_USAGE);
  snprintf(copy, sizeof copy, "%s", words);
  for (char *rest = copy, *word; (word = strsep(&rest, "|"));)
    ck_assert_msg(strstr(error.message, word), "'%s' lacks '%s'", error.message, word);
  ck_assert_ptr_null(strchr(error.message, '\n'));
}

/* ---- Sizes ----------------------------------------------------------------------------------- */

/* The sizes that `text` denotes, as text. */
static const char *sizes_of(const char *text, uint32_t element_size) {
  static char line[512];
  uint64_t *sizes;
  uint32_t n;
  size_t used = 0;
  error.message[0] = 0;
  rh_status status = rh_sizes_parse(text, "--size", element_size, &sizes, &n, &error);
  ck_assert_msg(status == RH_OK, "%s: %s", text, error.message);
  ck_assert_uint_gt(n, 0);
  for (uint32_t k = 0; k < n; k++)
    used += (size_t)snprintf(line + used, sizeof line - used, "%s%llu", k ? " " : "",
                             (unsigned long long)sizes[k]);
  free(sizes);
  return line;
}

static void sizes_refused(const char *text, const char *words) {
  uint64_t *sizes = &(uint64_t){0};
  uint32_t n = 1;
  refused(rh_sizes_parse(text, "--size", 4, &sizes, &n, &error), words);
  ck_assert_ptr_null(sizes);
  ck_assert_uint_eq(n, 0);
}

TEST(sizes) {
  ck_assert_str_eq(sizes_of("1000", 4), "1000");
  ck_assert_str_eq(sizes_of("0", 4), "0");
  ck_assert_str_eq(sizes_of("2^4,1e3,7", 4), "7 16 1000");
  ck_assert_str_eq(sizes_of("7,7,5,7", 4), "5 7");
  ck_assert_str_eq(sizes_of("1KiB,7", 4), "7 256");
  ck_assert_str_eq(sizes_of("1KiB,7", 8), "7 128");
}

TEST(ranges) {
  ck_assert_str_eq(sizes_of("1:8", 4), "1 2 4 8");
  ck_assert_str_eq(sizes_of("1:9", 4), "1 2 4 8");
  ck_assert_str_eq(sizes_of("3:3", 4), "3");
  ck_assert_str_eq(sizes_of("2^10:2^20:x2^5", 4), "1024 32768 1048576");
  ck_assert_str_eq(sizes_of("1:100:x10", 4), "1 10 100");
  ck_assert_str_eq(sizes_of("1:99:x10", 4), "1 10");
  ck_assert_str_eq(sizes_of("0:10:+5", 4), "0 5 10");
  ck_assert_str_eq(sizes_of("1:10:+5", 4), "1 6");
  ck_assert_str_eq(sizes_of("0:0:+1", 4), "0");
  ck_assert_str_eq(sizes_of("1:4,2:6:+1,100", 4), "1 2 3 4 5 6 100");
  ck_assert_str_eq(sizes_of("1KiB:4KiB:+1KiB", 4), "256 512 768 1024");
  ck_assert_str_eq(sizes_of("1KiB:4KiB", 8), "128 256 512");
}

/* 2^63-1 is the largest size: no range may exceed it. */
TEST(ranges_to_the_end) {
  ck_assert_str_eq(sizes_of("2^62:9223372036854775807", 1), "4611686018427387904");
  ck_assert_str_eq(sizes_of("2^62:9223372036854775807:x9223372036854775807", 1),
                   "4611686018427387904");
  ck_assert_str_eq(sizes_of("9223372036854775806:9223372036854775807:+1", 1),
                   "9223372036854775806 9223372036854775807");
  ck_assert_str_eq(sizes_of("1:9223372036854775807:+9223372036854775807", 1), "1");
  ck_assert_str_eq(sizes_of("1:9223372036854775807:x9223372036854775807", 1),
                   "1 9223372036854775807");
}

TEST(number_of_sizes) {
  uint64_t *list;
  uint32_t n;
  must(rh_sizes_parse("1:10000:+1", "--size", 4, &list, &n, &error));
  ck_assert_uint_eq(n, RH_MAX_SIZES);
  ck_assert_uint_eq(list[n - 1], 10000);
  free(list);
  sizes_refused("1:10001:+1", "more than 10000 sizes");
  sizes_refused("1:10000:+1,7", "more than 10000 sizes");
  sizes_refused("0:9223372036854775807:+1", "more than 10000 sizes");
}

TEST(wrong_sizes) {
  sizes_refused("2^10..2^28", "--size '2^10..2^28': expected A:B, as in 2^10:2^28");
  sizes_refused("2^10-2^28", "--size '2^10-2^28': expected A:B, as in 2^10:2^28");
  sizes_refused("-5", "--size '-5': expected a whole number");
  sizes_refused("8:4", "--size '8:4': begins above its end|A:B");
  sizes_refused("0:8", "'0:8'|0:1000:+100");
  sizes_refused("0:8:x3", "'0:8:x3'|0:1000:+100");
  for (size_t k = 0; k < 4; k++) {
    static const char *const wrong[] = {"1:8:4", "1:8:*4", "1:8:", "1:8:X4"};
    sizes_refused(wrong[k], "expected xM or +S|2^10:2^28:x4");
  }
  sizes_refused("1:8:x", "'1:8:x'|factor");
  sizes_refused("1:8:x1", "'1:8:x1'|at least 2");
  sizes_refused("1:8:x0", "at least 2");
  sizes_refused("1:8:x1.5", "whole factor");
  sizes_refused("1:8:x4B", "whole factor");
  sizes_refused("1:8:x4:x4", "whole factor");
  sizes_refused("1:8:+0", "'1:8:+0'|a step of at least 1");
  sizes_refused("1:8:+", "--size ''|whole number");
  sizes_refused("1:8:+6B", "6 bytes|multiple of 4");
  sizes_refused("6B:8", "--size '6B'|multiple of 4");
  sizes_refused(":8", "--size ''|whole number");
  sizes_refused("8:", "--size ''|whole number");
  sizes_refused("2^63:2^64", "'2^63'|2^63-1");
  sizes_refused("", "--size ''|nothing");
  sizes_refused(",8", "--size ',8'|comma");
  sizes_refused("8,", "--size '8,'|comma");
  sizes_refused("4,,8", "comma");
  sizes_refused("4,x,8", "--size 'x'|whole number");
}

/* ---- Operators and types --------------------------------------------------------------------- */

TEST(ops) {
  rh_ops some;
  must(rh_ops_parse(NULL, &some, &error));
  ck_assert_uint_eq(some.n, 1);
  ck_assert_uint_eq(some.list[0], RH_OP_sum);
  must(rh_ops_parse("max,sum,max,and", &some, &error));
  ck_assert_uint_eq(some.n, 3);
  ck_assert_uint_eq(some.list[0], RH_OP_max);
  ck_assert_uint_eq(some.list[1], RH_OP_sum);
  ck_assert_uint_eq(some.list[2], RH_OP_and);
  must(rh_ops_parse("argmax,all,sum", &some, &error));
  ck_assert_uint_eq(some.n, RH_N_OPS);
  ck_assert_uint_eq(some.list[0], RH_OP_argmax);
  ck_assert_uint_eq(some.list[1], RH_OP_sum);
  ck_assert_uint_eq(some.list[RH_N_OPS - 1], RH_OP_argamax);
  refused(rh_ops_parse("sum,maxx", &some, &error),
          "unknown operator 'maxx'; did you mean 'max'? Known: sum prod min");
  refused(rh_ops_parse("zzzzzzzzzz", &some, &error), "unknown operator 'zzzzzzzzzz'. Known:");
  refused(rh_ops_parse("sum,", &some, &error), "--op 'sum,'|comma");
  refused(rh_ops_parse("", &some, &error), "--op ''");
}

TEST(types) {
  rh_types some;
  must(rh_types_parse(NULL, &some, &error));
  ck_assert_uint_eq(some.n, 1);
  ck_assert_uint_eq(some.list[0], RH_TYPE_f32);
  must(rh_types_parse("f64,i8,f64", &some, &error));
  ck_assert_uint_eq(some.n, 2);
  ck_assert_uint_eq(some.list[0], RH_TYPE_f64);
  ck_assert_uint_eq(some.list[1], RH_TYPE_i8);
  must(rh_types_parse("all,all", &some, &error));
  ck_assert_uint_eq(some.n, RH_N_TYPES);
  for (uint32_t k = 0; k < some.n; k++) ck_assert_uint_eq(some.list[k], k + 1);
  refused(rh_types_parse("f33", &some, &error),
          "unknown type 'f33'; did you mean 'f32'? Known: i8 u8");
  refused(rh_types_parse(",f32", &some, &error), "--type ',f32'|comma");
}

TEST(one_op_and_one_type) {
  uint32_t op;
  rh_type type;
#define RH_X(name, number, flags)                                                                  \
  must(rh_op_parse(#name, &op, &error));                                                           \
  ck_assert_uint_eq(op, number);
  RH_OP_LIST(RH_X)
#undef RH_X
#define RH_X(name, number, bytes)                                                                  \
  must(rh_type_parse(#name, &type, &error));                                                       \
  ck_assert_uint_eq(type, number);
  RH_TYPE_LIST(RH_X)
#undef RH_X
  refused(rh_op_parse("sum,max", &op, &error), "unknown operator 'sum,max'");
  refused(rh_type_parse("", &type, &error), "unknown type ''");
}

/* ---- Strategies ------------------------------------------------------------------------------ */

static const char *const names[] = {"serial", "tree", "tree-wide", "atomic", "cascade"};
enum { N_NAMES = sizeof names / sizeof *names };

/* "11010": which are selected. */
static const char *selected_by(const char *list) {
  static char bits[N_NAMES + 1];
  unsigned char selected[N_NAMES];
  memset(selected, 7, sizeof selected);
  error.message[0] = 0;
  rh_status status = rh_strategies_select(list, names, N_NAMES, selected, &error);
  ck_assert_msg(status == RH_OK, "%s: %s", list, error.message);
  for (size_t k = 0; k < N_NAMES; k++) {
    ck_assert_uint_le(selected[k], 1);
    bits[k] = (char)('0' + selected[k]);
  }
  return bits;
}

TEST(strategies) {
  ck_assert_str_eq(selected_by(NULL), "11111");
  ck_assert_str_eq(selected_by("*"), "11111");
  ck_assert_str_eq(selected_by("tree"), "01000");
  ck_assert_str_eq(selected_by("tree*"), "01100");
  ck_assert_str_eq(selected_by("tree*,serial,tree"), "11100");
  ck_assert_str_eq(selected_by("tr?e,[ac]*"), "01011");
}

TEST(strategies_excluded) {
  ck_assert_str_eq(selected_by("!atomic"), "11101");
  ck_assert_str_eq(selected_by("!tree*,!atomic"), "10001");
  ck_assert_str_eq(selected_by("tree*,!atomic"), "01100");
  ck_assert_str_eq(selected_by("*,!tree*"), "10011");
  ck_assert_str_eq(selected_by("*,!tree*,tree"), "11011");
  ck_assert_str_eq(selected_by("!serial,serial"), "10000");
}

TEST(wrong_strategies) {
  unsigned char bits[N_NAMES];
#define SELECT(list) rh_strategies_select(list, names, N_NAMES, bits, &error)
  refused(SELECT("cascde"),
          "unknown strategy 'cascde'; did you mean 'cascade'? See redhost --list");
  refused(SELECT("tree,!atmic"), "unknown strategy 'atmic'; did you mean 'atomic'?");
  refused(SELECT("somethingelse"), "unknown strategy 'somethingelse'. See redhost --list");
  refused(SELECT("x*"), "no strategy matches 'x*'|redhost --list");
  refused(SELECT("!"), "unknown strategy ''");
  refused(SELECT("tree,!tree"), "--strategy 'tree,!tree': leaves no strategy");
  refused(SELECT("!*"), "leaves no strategy");
  refused(SELECT("tree,"), "--strategy 'tree,'|comma");
  refused(SELECT(""), "--strategy ''");
  refused(rh_strategies_select("*", names, 0, bits, &error), "no strategy matches");
}

/* ---- Devices --------------------------------------------------------------------------------- */

static rh_cl_device three[] = {
    {.about.kind = RH_DEVICE_CPU, .label = "0:0", .name = "Xeon", .platform_name = "First"},
    {.about.kind = RH_DEVICE_GPU,
     .index = 1,
     .label = "1:0",
     .name = "Fast One",
     .platform_name = "Second"},
    {.about.kind = RH_DEVICE_GPU,
     .index = 2,
     .label = "1:1",
     .name = "Fast Two",
     .platform_name = "Second"},
};
static const rh_cl_devices three_devices = {.list = three, .n = 3, .n_platforms = 2}, no_devices;

/* "120": the numbers of the devices chosen. */
static const char *devices_of(const char *list) {
  static char text[8];
  const rh_cl_device **chosen;
  uint32_t n;
  error.message[0] = 0;
  must(rh_devices_parse(&three_devices, list, &chosen, &n, &error));
  ck_assert_uint_le(n, 3);
  memset(text, 0, sizeof text);
  for (uint32_t k = 0; k < n; k++) text[k] = (char)('0' + (chosen[k] - three));
  free(chosen);
  return text;
}

static rh_status choose(const rh_cl_devices *devices, const char *list) {
  const rh_cl_device **chosen = (const rh_cl_device *[]){NULL};
  uint32_t n = 1;
  rh_status status = rh_devices_parse(devices, list, &chosen, &n, &error);
  ck_assert_ptr_null(chosen);
  ck_assert_uint_eq(n, 0);
  return status;
}

TEST(devices) {
  unsetenv("REDHOST_DEVICE");
  ck_assert_str_eq(devices_of(NULL), "1");
  ck_assert_str_eq(devices_of("cpu"), "0");
  ck_assert_str_eq(devices_of("1:1,0"), "20");
  ck_assert_str_eq(devices_of("gpu,1:0,two,1"), "12");
  ck_assert_str_eq(devices_of("all"), "012");
  ck_assert_str_eq(devices_of("2,ALL,2"), "201");
}

TEST(devices_of_the_environment) {
  setenv("REDHOST_DEVICE", "two,cpu", 1);
  ck_assert_str_eq(devices_of(NULL), "20");
  ck_assert_str_eq(devices_of("1:0"), "1");
  setenv("REDHOST_DEVICE", "all", 1);
  ck_assert_str_eq(devices_of(NULL), "012");
  setenv("REDHOST_DEVICE", "", 1);
  ck_assert_str_eq(devices_of(NULL), "1");
  setenv("REDHOST_DEVICE", "cpu,", 1);
  refused(choose(&three_devices, NULL), "REDHOST_DEVICE 'cpu,'|comma");
  setenv("REDHOST_DEVICE", "cpu,fast", 1);
  refused(choose(&three_devices, NULL), "REDHOST_DEVICE: device 'fast' is ambiguous: 1:0, 1:1");
}

TEST(wrong_devices) {
  unsetenv("REDHOST_DEVICE");
  refused(choose(&three_devices, "cpu,fast"), "device 'fast' is ambiguous");
  refused(choose(&three_devices, "cpu,,1"), "--device 'cpu,,1'|comma");
  refused(choose(&three_devices, ""), "--device ''");
  ck_assert_int_eq(choose(&three_devices, "cpu,MI300"), RH_E_DEVICE);
  ck_assert_ptr_nonnull(strstr(error.message, "no device matches 'MI300'"));
  for (size_t k = 0; k < 3; k++) {
    static const char *const lists[] = {NULL, "all", "cpu"};
    ck_assert_int_eq(choose(&no_devices, lists[k]), RH_E_DEVICE);
    ck_assert_ptr_nonnull(strstr(error.message, "no OpenCL platform found"));
  }
}

/* ---- Numbers --------------------------------------------------------------------------------- */

static rh_status parse_number(const char *option, const char *text, double *value) {
  return rh_number_parse(option, &rh_option_find(option)->range, text, value, &error);
}

static double number_of(const char *option, const char *text) {
  double value = -1;
  error.message[0] = 0;
  must(parse_number(option, text, &value));
  return value;
}

TEST(numbers) {
  ck_assert_double_eq(number_of("timeout", "2"), 2);
  ck_assert_double_eq(number_of("max-time", "0.3"), 0.3);
  ck_assert_double_eq(number_of("precision", "5e-1"), 0.5);
  ck_assert_double_eq(number_of("precision", "99.999"), 99.999);
  ck_assert_double_eq(number_of("threshold", "1E+2"), 100);
  ck_assert_double_eq(number_of("timeout", "999999999.5"), 999999999.5);
}

TEST(wrong_numbers) {
  static const char *const wrong[] = {"",    "0",    "0.0",  "-1",    "+1",  " 1",  "1 ",     "1s",
                                      "1,5", "1.",   ".",    "0x1p3", "1e",  "1e+", "e1",     "nan",
                                      "inf", "1..5", "1.e5", "1e10",  "1e9", "2:3", "1e99999"};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    double value = 7;
    char words[64];
    snprintf(words, sizeof words, "--timeout '%s': expected seconds, more than 0", wrong[k]);
    refused(parse_number("timeout", wrong[k], &value), words);
    ck_assert_double_eq(value, 7);
  }
  double value;
  refused(parse_number("precision", "100", &value), "--precision '100'|percent");
  refused(parse_number("max-time", "1e6", &value), "--max-time '1e6'|seconds");
  refused(parse_number("threshold", "1e3", &value), "--threshold '1e3'|percent");
}

/* A driver may have set the user's locale for the whole process.  The machine need not have one
 * with a comma. */
TEST(numbers_in_another_locale) {
  static const char *const with_comma[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "nl_NL.UTF-8"};
  int found = 0;
  for (size_t k = 0; k < sizeof with_comma / sizeof *with_comma && !found; k++)
    found = setlocale(LC_ALL, with_comma[k]) != NULL;
  ck_assert_double_eq(number_of("precision", "0.25"), 0.25);
  double value;
  refused(parse_number("precision", "0,25", &value), "'0,25'");
  setlocale(LC_ALL, "C");
}

static void samples_are(const char *text, uint32_t wanted_least, uint32_t wanted_most) {
  uint32_t least = 20, most = 1000;
  must(rh_samples_parse(text, &least, &most, &error));
  ck_assert_uint_eq(least, wanted_least);
  ck_assert_uint_eq(most, wanted_most);
}

TEST(samples) {
  samples_are(NULL, 20, 1000);
  samples_are("7", 7, 1000);
  samples_are("2000", 2000, 2000);
  samples_are("7:9", 7, 9);
  samples_are("7:7", 7, 7);
  samples_are("1:1000000", 1, 1000000);
  static const char *const wrong[] = {"",   "0",   "0:5", "5:0", "9:7",     "-1",          "7:",
                                      ":7", "7:x", "7x",  "1e3", "1000001", "99999999999", "7:8:9"};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    uint32_t least = 20, most = 1000;
    char words[64];
    snprintf(words, sizeof words, "--samples '%s'|MIN:MAX", wrong[k]);
    refused(rh_samples_parse(wrong[k], &least, &most, &error), words);
    ck_assert_uint_eq(least, 20);
    ck_assert_uint_eq(most, 1000);
  }
}

TEST(operators_of_others) {
  static const struct {
    const char *name, *said;
  } cases[] = {{"average", "'average': use mean. Known: sum"},
               {"std", "use meanvar"},
               {"nanmax", "use max, where !isnan(x)"},
               {"count_nonzero", "use count"},
               {"norm", "use norm2"},
               {"cumsum", "no scans"},
               {"median", "neither sorts nor selects"},
               {"mea", "unknown operator 'mea'"},
               {"", "unknown operator ''"},
               {"avg|average", "unknown operator 'avg|average'."}};
  uint32_t op;
  rh_error why;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    ck_assert_int_eq(rh_op_parse(cases[k].name, &op, &why), RH_E_USAGE);
    ck_assert_msg(strstr(why.message, cases[k].said), "%s", why.message);
  }
  for (op = 1; op <= RH_N_OPS; op++) ck_assert_ptr_null(rh_op_instead(rh_op_name(op)));
}

TEST(types_of_others) {
  static const struct {
    const char *name, *said;
  } cases[] = {{"float32", "'float32': use f32. Known: i8 u8"},
               {"double", "use f64"},
               {"uint8_t", "use u8"},
               {"bool", "use u8, of bytes"},
               {"<i8", "use i64"}, /* NumPy counts bytes */
               {">f4", "byte order"},
               {"float", "f64 for Python's"},
               {"complex64", "unknown type 'complex64'. Known"},
               {"float16|half", "unknown type 'float16|half'. Known"}};
  rh_type type;
  rh_error why;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    ck_assert_int_eq(rh_type_parse(cases[k].name, &type, &why), RH_E_USAGE);
    ck_assert_msg(strstr(why.message, cases[k].said), "%s", why.message);
  }
  for (type = 1; type <= RH_N_TYPES; type++)
    ck_assert_ptr_null(rh_type_instead(rh_type_name(type)));
}
