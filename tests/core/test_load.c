/* host/core/plug/load.c: one strategy by its name. */
#include <sys/stat.h>

#include "../../host/core/base/base.h"
#include "../suite/suite.h"
#include "load_strategy.h"
#include "plug_support.h"

static rh_error load_error;

static rh_status load(const char *places, const char *name, const rh_strategy **strategy,
                      char **path) {
  rh_options options = options_for(places);
  return load_strategy(&options, NULL, name, strategy, path, &load_error);
}

static void assert_loads(const char *places, const char *name, const char *from) {
  const rh_strategy *strategy;
  char *path;
  rh_status status = load(places, name, &strategy, &path);
  ck_assert_msg(status == RH_OK, "%s", load_error.message);
  ck_assert_str_eq(strategy->name, name);
  ck_assert_str_eq(path, from);
  free(path);
}

static void assert_fails(const char *places, const char *name, rh_status expected,
                         const char *says) {
  const rh_strategy *strategy = NULL;
  char *path = NULL;
  ck_assert_int_eq(load(places, name, &strategy, &path), expected);
  assert_says(load_error.message, says);
  ck_assert_ptr_null(strategy);
  ck_assert_ptr_null(path);
}

TEST(one_strategy_is_loaded_and_runs) {
  const rh_strategy *strategy;
  char *path;
  int descriptors = open_descriptors();
  /* crash_on_load is in the same directory and would be noticed: it is not even examined. */
  copy("fine");
  copy("crash_on_load");
  ck_assert_int_eq(load(dir, "fine", &strategy, &path), RH_OK);
  free(path);
  uint64_t input[] = {1, 2, 3, 4}, result = 99;
  void *instance = NULL;
  rh_problem problem = {sizeof problem, RH_TYPE_u64, find_op(RH_OP_sum, RH_TYPE_u64),
                        &gpu,           4,           NULL};
  rh_run run = {
      .struct_size = sizeof run, .first = 1, .n = 3, .host_input = input, .host_result = &result};
  ck_assert_int_eq(strategy->setup(NULL, &problem, NULL, &instance), RH_OK);
  ck_assert_int_eq(strategy->run(instance, &run), RH_OK);
  ck_assert_uint_eq(result, 9);
  assert_nothing_left(descriptors);
}

TEST(only_files_that_matter_are_looked_at) {
  const rh_strategy *strategy;
  char *path;
  copy("fine");
  copy("hang_on_load"); /* examining it would take 5 s */
  double begin = rh_now();
  ck_assert_int_eq(load(dir, "fine", &strategy, &path), RH_OK);
  ck_assert(rh_now() - begin < 2);
  free(path);
}

TEST(loading_keeps_the_order_of_places) {
  const char *places = path_of("%s:%s", in("early"), in("late"));
  copy_as("twin", "late/twin.so");
  assert_loads(places, "twin", in("late/twin.so"));
  copy_as("fine", "early/twin.so"); /* has the name, offers another strategy */
  assert_loads(places, "twin", in("late/twin.so"));
  copy_as("another_twin", "early/zz.so");
  assert_loads(places, "twin", in("early/zz.so"));
  copy_as("another_twin", "early/aa.so");
  assert_loads(places, "twin", in("early/aa.so"));
  copy_as("twin", "early/twin.so");
  assert_loads(places, "twin", in("early/twin.so"));
}

TEST(the_file_asked_for_goes_first) {
  const rh_strategy *strategy;
  char *path;
  copy_as("twin", "place/twin.so");
  copy_as("another_twin", "mine.so");
  rh_options options = options_for(in("place"));
  options.plugin_file = in("mine.so");
  ck_assert_int_eq(load_strategy(&options, NULL, "twin", &strategy, &path, &load_error), RH_OK);
  ck_assert_str_eq(path, in("mine.so"));
  free(path);
  copy_as("crash_on_load", "mine.so");
  ck_assert_int_eq(load_strategy(&options, NULL, "twin", &strategy, &path, &load_error), RH_OK);
  ck_assert_str_eq(path, in("place/twin.so"));
  free(path);
  ck_assert_int_eq(load_strategy(&options, NULL, "x", &strategy, &path, &load_error), RH_E_PLUGIN);
  ck_assert_str_eq(load_error.message,
                   path_of("strategy 'x': %s: crashed on load (signal 11)", in("mine.so")));
}

TEST(what_cannot_be_loaded_is_explained) {
  copy("crash_on_load");
  copy("wrong_abi");
  copy_as("fine", "open.so");
  ck_assert(chmod(in("open.so"), 0666) == 0);
  assert_fails(
      dir, "crash_on_load", RH_E_PLUGIN,
      path_of("strategy 'crash_on_load': %s: crashed on load (signal 11)", in("crash_on_load.so")));
  assert_fails(dir, "wrong_abi", RH_E_PLUGIN, "wrong_abi.so: ABI 3, this redhost supports 1");
  assert_fails(dir, "open", RH_E_PLUGIN, "open.so is writable by everyone (mode 0666)");
  /* Another file may still offer it. */
  copy_as("crash_on_load", "fine.so");
  copy_as("fine", "other.so");
  assert_loads(dir, "fine", in("other.so"));
}

TEST(unknown_names_get_a_suggestion) {
  copy("fine");
  copy("twin");
  copy("crash_on_load");
  assert_fails(dir, "fien", RH_E_USAGE, "unknown strategy 'fien'; did you mean 'fine'?");
  assert_fails(dir, "quite-different", RH_E_USAGE, "unknown strategy 'quite-different'");
  assert_fails(dir, "../fine", RH_E_USAGE, "unknown strategy '../fine'");
  make_dir("nothing");
  const rh_strategy *strategy;
  char *path;
  ck_assert_int_eq(load(in("nothing"), "fine", &strategy, &path), RH_E_USAGE);
  assert_says(load_error.message, "unknown strategy 'fine'");
}

int main(int argc, char **argv) { return plug_main(argc, argv); }
