/* host/core/plug/validate.c: descriptors. */
#include "../suite/suite.h"
#include "plug_support.h"

static const char *judge(const model *m) {
  rh_status status = rh_plugin_judge(&m->plugin, &error);
  if (status == RH_OK) return "good";
  ck_assert_int_eq(status, RH_E_PLUGIN);
  return error.message;
}

/* The model with one change is rejected with this message. */
#define REFUSES(change, words)                                                                     \
  do {                                                                                             \
    model m;                                                                                       \
    make_model(&m);                                                                                \
    ck_assert_str_eq(judge(&m), "good");                                                           \
    change;                                                                                        \
    assert_says(judge(&m), words);                                                                 \
  } while (0)

TEST(plugins_are_judged) {
  static char long_text[300];
  memset(long_text, 'x', sizeof long_text - 1);
  REFUSES(m.plugin.magic = 1, "magic 0x00000001");
  REFUSES(m.plugin.struct_size = 39, "descriptor of 39 bytes");
  REFUSES(m.plugin.struct_size = 1u << 30, "descriptor of 1073741824 bytes");
  REFUSES(m.plugin.abi_major = 3, "ABI 3, this redhost supports 1");
  REFUSES(m.plugin.min_host_minor = 5, "needs ABI 1.5, this redhost supports 1.2");
  REFUSES(m.plugin.flags = 4, "unknown flags 0x4");
  REFUSES(m.plugin.reserved = 1, "reserved is 1");
  REFUSES(m.plugin.n_strategies = 0, "0 strategies, expected 1 to 1024");
  REFUSES(m.plugin.n_strategies = 1025, "1025 strategies");
  REFUSES(m.plugin.strategies = NULL, "strategies is null");
  REFUSES(m.plugin.build = NULL, "the build note is null");
  REFUSES(m.plugin.build = long_text, "the build note is longer than 255 bytes");
  REFUSES(m.strategies[1] = NULL, "strategy 1 is null");
  REFUSES(m.second.name = "model", "two strategies 'model'");
}

TEST(strategies_are_judged) {
  REFUSES(m.strategy.struct_size = 128, "strategy 0: it is of 128 bytes; in ABI 1.0 it has 136");
  REFUSES(m.strategy.name = NULL, "its name is not of the form");
  REFUSES(m.strategy.name = "", "its name is not of the form");
  REFUSES(m.strategy.name = "-x", "its name is not of the form");
  REFUSES(m.strategy.name = "a/b", "its name is not of the form");
  REFUSES(m.strategy.name = "Upper", "its name is not of the form");
  REFUSES(m.strategy.name = "a23456789012345678901234567890123456789012345678901234567890123x",
          "its name is not of the form");
  REFUSES(m.strategy.summary = "", "strategy 'model': the summary is empty");
  REFUSES(m.strategy.summary = "a\nb", "the summary is not plain UTF-8");
  REFUSES(m.strategy.about = NULL, "the text about it is null");
  REFUSES(m.strategy.about = "a\n\xff", "the text about it is not plain UTF-8");
  REFUSES(m.strategy.about = "a\tb\nc", "the text about it is not plain UTF-8");
  REFUSES(m.strategy.version = "", "the version is empty");
  REFUSES(m.strategy.author = NULL, "the author is null");
  REFUSES(m.strategy.license = "\xc3", "the license is not plain UTF-8");
  REFUSES(m.strategy.promises = 1ull << 40, "unknown promises 0x10000000000");
  REFUSES(m.strategy.promises = RH_ROUNDS_ONCE,
          "sums that are rounded once, whose bits are the same");
  REFUSES(m.strategy.needs = 1ull << 63, "unknown needs 0x8000000000000000");
  REFUSES(m.strategy.device_kinds = 0, "runs on no kind of device");
  REFUSES(m.strategy.device_kinds = 16, "unknown kinds of device 0x10");
  REFUSES(m.strategy.determinism = 4, "unknown determinism 4");
  REFUSES(
      m.strategy.promises |= RH_CANONICAL_ORDER,
      "promises the canonical order, whose bits are the same everywhere, but its determinism is "
      "0 instead of 3");
  REFUSES(m.strategy.reserved = 1, "a reserved field is 0x1");
  REFUSES(m.strategy.query = NULL, "query is null");
  REFUSES(m.strategy.setup = NULL, "setup is null");
  REFUSES(m.strategy.run = NULL, "run is null");
}

TEST(parameters_are_judged) {
  REFUSES(m.strategy.n_params = 65, "65 parameters, at most 64");
  REFUSES(m.strategy.params = NULL, "params is null");
  REFUSES(m.strategy.param_stride = 56, "a parameter of 56 bytes; in ABI 1.0 it has 64");
  REFUSES(m.strategy.param_stride = 66, "parameters of 66 bytes are not aligned");
  REFUSES(m.params[0].key = NULL, "parameter 0: its key is not of the form [a-z][a-z0-9_-]*");
  REFUSES(m.params[0].key = "0tile", "its key is not of the form");
  REFUSES(m.params[1].key = "tile", "two parameters 'tile'");
  REFUSES(m.params[0].doc = NULL, "'tile': its doc is null, too long or not plain UTF-8");
  REFUSES(m.params[0].initial = 0, "its default 0 is not within 1 to 1024");
  REFUSES(m.params[0].min = 2000, "its default 256 is not within 2000 to 1024");
  REFUSES(m.params[0].step = 0, "its step is 0");
  REFUSES(m.params[0].flags = 8, "unknown flags 0x8");
  REFUSES(m.params[1].initial = 3, "parameter 1: 'group': its default 3 is not a power of two");
  REFUSES(m.params[2].choices = "", "an empty choice in ''");
  REFUSES(m.params[2].choices = "host|", "an empty choice in 'host|'");
  REFUSES(m.params[2].choices = "a|a", "two choices 'a'");
  REFUSES(m.params[2].choices = "a|b|c", "3 choices, but its range is 0 to 1");
  REFUSES(m.params[2].min = 1, "2 choices, but its range is 1 to 1");
}

int main(int argc, char **argv) { return plug_main(argc, argv); }
