/* host/cli: arguments of --bench's options.  The input is one argument, tried for each option. */
#include "../../host/cli/options.h"
#include "../../host/core/base/base.h"
#include "fuzz.h"

static uint32_t read_sizes(const char *text, uint32_t element_size, uint64_t **sizes) {
  rh_error error = {0};
  uint32_t n = 1;
  rh_status status = rh_sizes_parse(text, "--size", element_size, sizes, &n, &error);
  if (status == RH_OK) {
    RULE(*sizes && n > 0 && n <= RH_MAX_SIZES);
    for (uint32_t k = 0; k < n; k++) RULE((*sizes)[k] <= INT64_MAX);
    for (uint32_t k = 1; k < n; k++) RULE((*sizes)[k - 1] < (*sizes)[k]);
  } else {
    fuzz_check_refusal(status, &error, RH_E_USAGE);
    RULE(strncmp(error.message, "--size", 6) == 0);
    RULE(!*sizes && n == 0);
  }
  return n;
}

/* Ranges written out give the same sizes. */
static void check_spelt_out(const uint64_t *sizes, uint32_t n) {
  uint64_t *again;
  char *text = malloc(n * (size_t)21 + 1), *at = text;
  RULE(text);
  for (uint32_t k = 0; k < n; k++)
    at += sprintf(at, "%s%llu", k ? "," : "", (unsigned long long)sizes[k]);
  RULE(read_sizes(text, 1, &again) == n);
  RULE(memcmp(again, sizes, n * sizeof *again) == 0);
  free(again);
  free(text);
}

__extension__ typedef __int128 wide;

/* 1: a number of at most 2^63-1 stands there, in 1 to 19 digits, and `end` behind it; *at goes
 * behind that. */
static int take_number(const char **at, char end, uint64_t *number) {
  size_t digits = strspn(*at, "0123456789");
  if (digits < 1 || digits > 19 || (*at)[digits] != end) return 0;
  *number = strtoull(*at, NULL, 10);
  *at += digits + (end != 0);
  return *number <= INT64_MAX;
}

/* How many sizes FIRST:LAST:xM or FIRST:LAST:+S of plain numbers is, counted in numbers that do not
 * overflow; 0 where the text is nothing of the kind, or they are too many. */
static uint32_t count_sizes(const char *text) {
  uint64_t first, last, stride;
  if (!take_number(&text, ':', &first) || !take_number(&text, ':', &last)) return 0;
  char by = *text++;
  if ((by != 'x' && by != '+') || !take_number(&text, 0, &stride) || first > last) return 0;
  if (by == 'x' ? first == 0 || stride < 2 : stride < 1) return 0;
  uint32_t n = 0;
  for (wide size = first; size <= last && n <= RH_MAX_SIZES; n++)
    size = by == 'x' ? size * stride : size + stride;
  return n <= RH_MAX_SIZES ? n : 0;
}

static void try_sizes(const char *text, uint32_t element_size) {
  uint64_t *sizes, one;
  rh_error error = {0};
  uint32_t n = read_sizes(text, element_size, &sizes);
  if (n > 0) check_spelt_out(sizes, n);
  uint32_t counted = count_sizes(text);
  RULE(!counted || n == counted);
  /* --run accepts a list of one. */
  if (rh_size_parse(text, element_size, "--size", &one, &error) == RH_OK)
    RULE(n == 1 && sizes[0] == one);
  free(sizes);
}

static void try_names(const char *text) {
  rh_error error = {0};
  rh_numbers ops, types;
  rh_status status = rh_words_parse(&rh_op_words, text, &ops, &error);
  if (status != RH_OK) fuzz_check_refusal(status, &error, RH_E_USAGE);
  RULE(ops.n <= RH_N_OPS && (status != RH_OK || ops.n > 0));
  for (uint32_t k = 0; k < ops.n; k++) RULE(rh_op_name(ops.list[k]));
  status = rh_words_parse(&rh_type_words, text, &types, &error);
  if (status != RH_OK) fuzz_check_refusal(status, &error, RH_E_USAGE);
  RULE(types.n <= RH_N_TYPES && (status != RH_OK || types.n > 0));
  for (uint32_t k = 0; k < types.n; k++) RULE(rh_type_name(types.list[k]));
}

static void try_strategies(const char *text) {
  static const char *const names[] = {"serial", "tree", "tree-wide", "atomic"};
  unsigned char selected[4];
  rh_error error = {0};
  rh_status status = rh_strategies_select(text, names, 4, selected, &error);
  if (status != RH_OK) fuzz_check_refusal(status, &error, RH_E_USAGE);
  else RULE(memchr(selected, 1, sizeof selected));
}

static void try_devices(const char *text) {
  static rh_cl_device list[] = {
      {.about.kind = RH_DEVICE_CPU, .label = "0:0", .name = "Xeon", .platform_name = "First"},
      {.about.kind = RH_DEVICE_GPU,
       .index = 1,
       .label = "1:0",
       .name = "Fast",
       .platform_name = "Second"}};
  static const rh_cl_devices devices = {.list = list, .n = 2, .n_platforms = 2};
  const rh_cl_device **chosen;
  uint32_t n;
  rh_error error = {0};
  rh_status status = rh_devices_parse(&devices, text, &chosen, &n, &error);
  if (status != RH_OK)
    fuzz_check_refusal(status, &error, status == RH_E_DEVICE ? RH_E_DEVICE : RH_E_USAGE);
  RULE(status == RH_OK ? n > 0 && n <= 2 : n == 0 && !chosen);
  free(chosen);
}

static void try_numbers(const char *text) {
  static const char *const options[] = {"timeout", "max-time", "precision", "threshold"};
  rh_error error = {0};
  for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
    double value = 7;
    const rh_range *range = &rh_option_find(options[k])->range;
    rh_status status = rh_number_parse(options[k], range, text, &value, &error);
    if (status != RH_OK) fuzz_check_refusal(status, &error, RH_E_USAGE);
    RULE(status == RH_OK ? value > 0 && value < range->below : value == 7);
  }
  uint32_t least = 20, most = 1000;
  rh_status status = rh_samples_parse(text, &least, &most, &error);
  if (status != RH_OK) fuzz_check_refusal(status, &error, RH_E_USAGE);
  RULE(least >= 1 && least <= most && most <= 1000000);
  RULE(status == RH_OK || (least == 20 && most == 1000));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = as_text(data, size);
  for (uint32_t element_size = 1; element_size <= 8; element_size *= 2)
    try_sizes(text, element_size);
  try_names(text);
  try_strategies(text);
  try_devices(text);
  try_numbers(text);
  free(text);
  return 0;
}
