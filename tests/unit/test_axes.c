/* host/cli: the lists and numbers that --bench and similar options take. */
#include <locale.h>

#include "../../host/cli/options.h"
#include "../../host/operators/catalog/catalog.h"
#include "../suite/suite.h"

static const char *const names[] = {"serial", "tree", "tree-wide", "atomic", "cascade"};
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

static rh_text shown;

#define SHOW(format, value) rh_text_add(&shown, "%s" format, shown.length ? " " : "", value)

/* ---- What each option makes of a text: `shown`, or a failure that leaves nothing ---- */

static rh_status take_sizes(const char *text, uint32_t element_size) {
  uint64_t *sizes = &(uint64_t){0};
  uint32_t n = 1;
  rh_status status = rh_sizes_parse(text, "--size", element_size, &sizes, &n, &error);
  ck_assert(status == RH_OK ? n > 0 : !sizes && n == 0);
  for (uint32_t k = 0; k < n; k++) SHOW("%llu", (unsigned long long)sizes[k]);
  free(sizes);
  return status;
}

static rh_status take_names(const char *text, int of_ops) {
  rh_numbers ops = {0}, types = {0};
  rh_status status = of_ops ? rh_words_parse(&rh_op_words, text, &ops, &error)
                            : rh_words_parse(&rh_type_words, text, &types, &error);
  for (uint32_t k = 0; k < ops.n; k++) SHOW("%s", rh_op_name(ops.list[k]));
  for (uint32_t k = 0; k < types.n; k++) SHOW("%s", rh_type_name(types.list[k]));
  return status;
}

static rh_status take_strategies(const char *text) {
  unsigned char selected[5] = {7, 7, 7, 7, 7};
  rh_status status = rh_strategies_select(text, names, 5, selected, &error);
  for (size_t k = 0; k < 5 && status == RH_OK; k++) {
    ck_assert_uint_le(selected[k], 1);
    if (selected[k]) SHOW("%s", names[k]);
  }
  return status;
}

static rh_status take_devices(const char *text, const rh_cl_devices *devices) {
  const rh_cl_device **chosen = (const rh_cl_device *[]){NULL};
  uint32_t n = 1;
  rh_status status = rh_devices_parse(devices, text, &chosen, &n, &error);
  ck_assert(status == RH_OK ? n > 0 && n <= 3 : !chosen && n == 0);
  for (uint32_t k = 0; k < n; k++) SHOW("%s", chosen[k]->label);
  free(chosen);
  return status;
}

static rh_status take_samples(const char *text) {
  uint32_t least = 20, most = 1000;
  rh_status status = rh_samples_parse(text, &least, &most, &error);
  ck_assert(status == RH_OK || (least == 20 && most == 1000));
  SHOW("%u", least);
  SHOW("%u", most);
  return status;
}

static rh_status take_number(const char *option, const char *text) {
  double value = 7;
  rh_status status = rh_number_parse(option, &rh_option_find(option)->range, text, &value, &error);
  ck_assert(status == RH_OK || value == 7);
  SHOW("%.17g", value);
  return status;
}

static rh_status take(const char *option, const char *text) {
  uint32_t op;
  rh_type type;
  if (strncmp(option, "size", 4) == 0) return take_sizes(text, (uint32_t)option[4] - '0');
  if (strcmp(option, "ops") == 0 || strcmp(option, "types") == 0)
    return take_names(text, *option == 'o');
  if (strcmp(option, "op") == 0) return rh_word_parse(&rh_op_words, text, &op, &error);
  if (strcmp(option, "type") == 0) return rh_word_parse(&rh_type_words, text, &type, &error);
  if (strcmp(option, "strategy") == 0) return take_strategies(text);
  if (strcmp(option, "device") == 0) return take_devices(text, &three_devices);
  return strcmp(option, "samples") == 0 ? take_samples(text) : take_number(option, text);
}

/* What the text is; or, behind `!`, words of the message, with `|` between. */
typedef struct row {
  const char *option, *text, *wanted;
} row;

static void check_row(const row *of) {
  char words[256];
  rh_text_finish(&shown);
  error.message[0] = 0;
  rh_status status = take(of->option, of->text);
  if (*of->wanted != '!') {
    ck_assert_msg(status == RH_OK, "%s '%s': %s", of->option, of->text, error.message);
    ck_assert_str_eq(rh_text_get(&shown), of->wanted);
    return;
  }
  int is_of_device = strstr(of->wanted, "no device") != NULL;
  ck_assert_int_eq(status, is_of_device ? RH_E_DEVICE : RH_E_USAGE);
  ck_assert_int_eq(error.status, status);
  ck_assert_ptr_null(strchr(error.message, '\n'));
  snprintf(words, sizeof words, "%s", of->wanted + 1);
  for (char *rest = words, *word; (word = strsep(&rest, "|"));) assert_says(error.message, word);
}

#define CHECK(...)                                                                                 \
  do {                                                                                             \
    static const row rows[] = {__VA_ARGS__};                                                       \
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) check_row(&rows[k]);                   \
  } while (0)

/* 2^63-1 is the largest size: no range may exceed it. */
#define MOST "9223372036854775807"

TEST(sizes) {
  CHECK({"size4", "1000", "1000"}, {"size4", "0", "0"}, {"size4", "2^4,1e3,7", "7 16 1000"},
        {"size4", "7,7,5,7", "5 7"}, {"size4", "1KiB,7", "7 256"}, {"size8", "1KiB,7", "7 128"},
        {"size4", "1:8", "1 2 4 8"}, {"size4", "1:9", "1 2 4 8"}, {"size4", "3:3", "3"},
        {"size4", "2^10:2^20:x2^5", "1024 32768 1048576"}, {"size4", "1:100:x10", "1 10 100"},
        {"size4", "1:99:x10", "1 10"}, {"size4", "0:10:+5", "0 5 10"}, {"size4", "1:10:+5", "1 6"},
        {"size4", "0:0:+1", "0"}, {"size4", "1:4,2:6:+1,100", "1 2 3 4 5 6 100"},
        {"size1", "1.5e6,2^24,16Mi,4k,3G,2^62,10^18,1^99,0^9",
         "0 1 4000 1500000 16777216 3000000000 1000000000000000000 4611686018427387904"},
        {"size4", "1KiB:4KiB:+1KiB", "256 512 768 1024"}, {"size8", "1KiB:4KiB", "128 256 512"},
        {"size1", "2^62:" MOST, "4611686018427387904"},
        {"size1", "2^62:" MOST ":x" MOST, "4611686018427387904"},
        {"size1", "9223372036854775806:" MOST ":+1", "9223372036854775806 " MOST},
        {"size1", "1:" MOST ":+" MOST, "1"}, {"size1", "1:" MOST ":x" MOST, "1 " MOST});
}

TEST(number_of_sizes) {
  uint64_t *list;
  uint32_t n;
  must(rh_sizes_parse("1:10000:+1", "--size", 4, &list, &n, &error));
  ck_assert_uint_eq(n, RH_MAX_SIZES);
  ck_assert_uint_eq(list[n - 1], 10000);
  free(list);
  CHECK({"size4", "1:10001:+1", "!more than 10000 sizes"},
        {"size4", "1:10000:+1,20000", "!more than 10000 sizes"},
        {"size4", "0:" MOST ":+1", "!more than 10000 sizes"});
}

TEST(wrong_sizes) {
  char all[] =
      "2^_^2_1e9x_-5_+5_2^63_9223372036854775808_99999999999999999999999_1.5_1._.5_ 5_5 _0x10_"
      "1e_1e-3_2^^3_2^-1_1.e5_nan_inf_2^2^2_1e19_10^19_8Ei_2^63-1_1E_1P_9Ti1_KiB_five_1Kib_"
      "1.5Ki_0x1p3_9e18k_1e9223372036854775807";
  for (char *rest = all, *word; (word = strsep(&rest, "_"));)
    check_row(&(row){"size4", word, "!--size '|expected"});
  CHECK({"size4", "2^10..2^28", "!--size '2^10..2^28': expected A:B, as in 2^10:2^28"},
        {"size4", "2^10-2^28", "!--size '2^10-2^28': expected A:B, as in 2^10:2^28"},
        {"size4", "-5", "!--size '-5': expected a whole number"},
        {"size4", "8:4", "!--size '8:4': begins above its end|A:B"},
        {"size4", "0:8", "!'0:8'|0:1000:+100"}, {"size4", "0:8:x3", "!'0:8:x3'|0:1000:+100"},
        {"size4", "1:8:4", "!expected xM or +S|2^10:2^28:x4"},
        {"size4", "1:8:*4", "!expected xM or +S"}, {"size4", "1:8:", "!expected xM or +S"},
        {"size4", "1:8:X4", "!expected xM or +S"}, {"size4", "1:8:x", "!'1:8:x'|factor"},
        {"size4", "1:8:x1", "!'1:8:x1'|at least 2"}, {"size4", "1:8:x0", "!at least 2"},
        {"size4", "1:8:x1.5", "!whole factor"}, {"size4", "1:8:x4B", "!whole factor"},
        {"size4", "1:8:x4:x4", "!whole factor"}, {"size4", "1:8:+0", "!'1:8:+0'|at least 1"},
        {"size4", "1:8:+", "!--size ''|whole number"},
        {"size4", "1:8:+6B", "!6 bytes|multiple of 4"},
        {"size4", "6B:8", "!--size '6B'|multiple of 4"}, {"size4", ":8", "!--size ''|whole number"},
        {"size4", "8:", "!--size ''|whole number"}, {"size4", "2^63:2^64", "!'2^63'|2^63-1"},
        {"size4", "", "!--size ''|nothing"}, {"size4", ",8", "!--size ',8'|comma"},
        {"size4", "8,", "!--size '8,'|comma"}, {"size4", "4,,8", "!comma"},
        {"size4", "4,x,8", "!--size 'x'|whole number"});
}

TEST(operators_and_types) {
  CHECK({"ops", NULL, "sum"}, {"ops", "max,sum,max,and", "max sum and"},
        {"ops", "argmax,all,sum",
         "argmax sum prod min max argmin and or xor affine asum amax argamax"},
        {"ops", "sum,maxx", "!unknown operator 'maxx'; did you mean 'max'? Known: sum prod min"},
        {"ops", "zzzzzzzzzz", "!unknown operator 'zzzzzzzzzz'. Known:"},
        {"ops", "sum,", "!--op 'sum,'|comma"}, {"ops", "", "!--op ''"}, {"types", NULL, "f32"},
        {"types", "f64,i8,f64", "f64 i8"},
        {"types", "all,all", "i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64"},
        {"types", "f33", "!unknown type 'f33'; did you mean 'f32'? Known: i8 u8"},
        {"types", ",f32", "!--type ',f32'|comma"}, {"op", "sum,max", "!unknown operator 'sum,max'"},
        {"type", "", "!unknown type ''"});
  uint32_t op;
  rh_type type;
#define RH_X(name, number, flags)                                                                  \
  must(rh_word_parse(&rh_op_words, #name, &op, &error));                                           \
  ck_assert_uint_eq(op, number);                                                                   \
  ck_assert_ptr_null(rh_op_instead(#name));
  RH_OP_LIST(RH_X)
#undef RH_X
#define RH_X(name, number, bytes)                                                                  \
  must(rh_word_parse(&rh_type_words, #name, &type, &error));                                       \
  ck_assert_uint_eq(type, number);                                                                 \
  ck_assert_ptr_null(rh_type_instead(#name));
  RH_TYPE_LIST(RH_X)
#undef RH_X
}

/* NumPy counts bytes. */
TEST(names_of_others) {
  CHECK({"op", "average", "!'average': use mean. Known: sum"}, {"op", "std", "!use meanvar"},
        {"op", "nanmax", "!use max, where !isnan(x)"}, {"op", "count_nonzero", "!use count"},
        {"op", "norm", "!use norm2"}, {"op", "cumsum", "!no scans"},
        {"op", "median", "!neither sorts nor selects"}, {"op", "mea", "!unknown operator 'mea'"},
        {"op", "", "!unknown operator ''"},
        {"op", "avg|average", "!unknown operator 'avg|average'."},
        {"type", "float32", "!'float32': use f32. Known: i8 u8"}, {"type", "double", "!use f64"},
        {"type", "uint8_t", "!use u8"}, {"type", "bool", "!use u8, of bytes"},
        {"type", "<i8", "!use i64"}, {"type", ">f4", "!byte order"},
        {"type", "float", "!f64 for Python's"},
        {"type", "complex64", "!unknown type 'complex64'. Known"},
        {"type", "float16|half", "!unknown type 'float16|half'. Known"});
}

TEST(strategies) {
  static const char all[] = "serial tree tree-wide atomic cascade";
  unsigned char bits[5];
  CHECK({"strategy", NULL, all}, {"strategy", "*", all}, {"strategy", "tree", "tree"},
        {"strategy", "tree*", "tree tree-wide"},
        {"strategy", "tree*,serial,tree", "serial tree tree-wide"},
        {"strategy", "tr?e,[ac]*", "tree atomic cascade"},
        {"strategy", "!atomic", "serial tree tree-wide cascade"},
        {"strategy", "!tree*,!atomic", "serial cascade"},
        {"strategy", "tree*,!atomic", "tree tree-wide"},
        {"strategy", "*,!tree*", "serial atomic cascade"},
        {"strategy", "*,!tree*,tree", "serial tree atomic cascade"},
        {"strategy", "!serial,serial", "serial"},
        {"strategy", "cascde",
         "!unknown strategy 'cascde'; did you mean 'cascade'? See redhost --list"},
        {"strategy", "tree,!atmic", "!unknown strategy 'atmic'; did you mean 'atomic'?"},
        {"strategy", "somethingelse", "!unknown strategy 'somethingelse'. See redhost --list"},
        {"strategy", "x*", "!no strategy matches 'x*'|redhost --list"},
        {"strategy", "!", "!unknown strategy ''"},
        {"strategy", "tree,!tree", "!--strategy 'tree,!tree': leaves no strategy"},
        {"strategy", "!*", "!leaves no strategy"},
        {"strategy", "tree,", "!--strategy 'tree,'|comma"}, {"strategy", "", "!--strategy ''"});
  must_refuse(rh_strategies_select("*", names, 0, bits, &error), "no strategy matches");
}

TEST(devices) {
  unsetenv("REDHOST_DEVICE");
  CHECK({"device", NULL, "1:0"}, {"device", "cpu", "0:0"}, {"device", "1:1,0", "1:1 0:0"},
        {"device", "gpu,1:0,two,1", "1:0 1:1"}, {"device", "all", "0:0 1:0 1:1"},
        {"device", "2,ALL,2", "1:1 0:0 1:0"}, {"device", "cpu,fast", "!device 'fast' is ambiguous"},
        {"device", "cpu,,1", "!--device 'cpu,,1'|comma"}, {"device", "", "!--device ''"},
        {"device", "cpu,MI300", "!no device matches 'MI300'"});
  for (size_t k = 0; k < 3; k++) {
    static const char *const lists[] = {NULL, "all", "cpu"};
    must_fail(take_devices(lists[k], &no_devices), RH_E_DEVICE, "no OpenCL platform found");
  }
  setenv("REDHOST_DEVICE", "two,cpu", 1);
  CHECK({"device", NULL, "1:1 0:0"}, {"device", "1:0", "1:0"});
  setenv("REDHOST_DEVICE", "all", 1);
  CHECK({"device", NULL, "0:0 1:0 1:1"});
  setenv("REDHOST_DEVICE", "", 1);
  CHECK({"device", NULL, "1:0"});
  setenv("REDHOST_DEVICE", "cpu,", 1);
  CHECK({"device", NULL, "!REDHOST_DEVICE 'cpu,'|comma"});
  setenv("REDHOST_DEVICE", "cpu,fast", 1);
  CHECK({"device", NULL, "!REDHOST_DEVICE: device 'fast' is ambiguous: 1:0, 1:1"});
}

TEST(numbers) {
  static const char *const wrong[] = {"",    "0",    "0.0",  "-1",    "+1",  " 1",  "1 ",     "1s",
                                      "1,5", "1.",   ".",    "0x1p3", "1e",  "1e+", "e1",     "nan",
                                      "inf", "1..5", "1.e5", "1e10",  "1e9", "2:3", "1e99999"};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
    check_row(&(row){"timeout", wrong[k], "!--timeout '|': expected seconds, more than 0"});
  CHECK({"timeout", "2", "2"}, {"max-time", "0.5", "0.5"}, {"precision", "5e-1", "0.5"},
        {"precision", "99.875", "99.875"}, {"threshold", "1E+2", "100"},
        {"timeout", "999999999.5", "999999999.5"},
        {"precision", "100", "!--precision '100'|percent"},
        {"max-time", "1e6", "!--max-time '1e6'|seconds"},
        {"threshold", "1e3", "!--threshold '1e3'|percent"});
}

/* A driver may have set the user's locale for the whole process.  The machine need not have one
 * with a comma. */
TEST(numbers_in_another_locale) {
  static const char *const with_comma[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "nl_NL.UTF-8"};
  double value = 0;
  int found = 0;
  for (size_t k = 0; k < sizeof with_comma / sizeof *with_comma && !found; k++)
    found = setlocale(LC_ALL, with_comma[k]) != NULL;
  must(rh_number_parse("precision", &rh_option_find("precision")->range, "0.25", &value, &error));
  CHECK({"precision", "0,25", "!'0,25'"});
  setlocale(LC_ALL, "C");
  ck_assert_double_eq(value, 0.25);
}

TEST(samples) {
  static const char *const wrong[] = {"",   "0",   "0:5", "5:0", "9:7",     "-1",          "7:",
                                      ":7", "7:x", "7x",  "1e3", "1000001", "99999999999", "7:8:9"};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
    check_row(&(row){"samples", wrong[k], "!--samples '|MIN:MAX"});
  CHECK({"samples", NULL, "20 1000"}, {"samples", "7", "7 1000"}, {"samples", "2000", "2000 2000"},
        {"samples", "7:9", "7 9"}, {"samples", "7:7", "7 7"},
        {"samples", "1:1000000", "1 1000000"});
}
