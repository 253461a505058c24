/* host/core/plug/plugin.c: opening a plugin. */
#include "../../host/core/base/base.h"
#include "../suite/suite.h"
#include "plug_support.h"

TEST_LOOP(bad_plugins_are_refused_with_words, 0, N_REFUSED_WHEN_OPENED) {
  const rh_plugin *plugin;
  rh_fpstate before = rh_fpstate_save();
  char *path = realpath(path_of("%s/%s.so", zoo(), refused_when_opened[_i].plugin), NULL);
  ck_assert_ptr_nonnull(path);
  must_fail(rh_plugin_open(path, NULL, &plugin, &error), RH_E_PLUGIN, refused_when_opened[_i].says);
  ck_assert_int_eq(rh_fpstate_restore(&before), 0);
  free(path);
}

TEST(a_newer_minor_opens) {
  const rh_plugin *plugin;
  must(rh_plugin_open(copy("newer_minor"), NULL, &plugin, &error));
  const rh_strategy *strategy = plugin->strategies[0];
  ck_assert_str_eq(strategy->name, "newer_minor");
  ck_assert_str_eq(rh_strategy_param(strategy, 0)->key, "tile");
  ck_assert_str_eq(rh_strategy_param(strategy, 1)->key, "where");
}

TEST(opening_needs_an_absolute_path) {
  const rh_plugin *plugin;
  copy("fine");
  ck_assert(chdir(dir) == 0);
  must_fail(rh_plugin_open("fine.so", NULL, &plugin, &error), RH_E_PLUGIN,
            "is not an absolute path");
}

static uint32_t elf_hash(const char *name) {
  uint32_t hash = 0;
  for (; *name; name++) {
    hash = (hash << 4) + (unsigned char)*name;
    uint32_t high = hash & 0xf0000000u;
    hash ^= high >> 24;
    hash &= ~high;
  }
  return hash;
}

TEST(a_newer_c_library_is_named) {
  size_t n;
  char old[32] = "", new[32];
  unsigned char *file = read_file(path_of("%s/chatty.so", zoo()), &n);
  for (size_t k = 0; k + 32 < n; k++) { /* every version that it wants becomes one of 9.x */
    if (memcmp(file + k, "GLIBC_2.", 8) != 0) continue;
    snprintf(old, sizeof old, "%s", (const char *)file + k);
    file[k + 6] = '9';
    snprintf(new, sizeof new, "%s", (const char *)file + k);
    uint32_t before = elf_hash(old), after = elf_hash(new);
    for (size_t j = 0; j + 4 <= n; j++)
      if (memcmp(file + j, &before, 4) == 0) memcpy(file + j, &after, 4);
  }
  write_file(in("x.so"), file, n);
  free(file);
  ck_assert_msg(old[0], "no GLIBC version in chatty.so");
  const rh_plugin *plugin;
  must_fail(rh_plugin_open(in("x.so"), NULL, &plugin, &error), RH_E_PLUGIN, "wants GLIBC_9.");
  assert_says(error.message, ", this is 2.");
}

int main(int argc, char **argv) { return plug_main(argc, argv); }
