/* host/core/plug/registry.c: one strategy by its name. */
#include <sys/stat.h>

#include "../../host/core/base/base.h"
#include "../suite/suite.h"
#include "load_strategy.h"
#include "plug_support.h"

static const rh_strategy *assert_loads(rh_options options, const char *name, const char *from) {
  const rh_strategy *strategy;
  char *path;
  must(load_strategy(&options, NULL, name, &strategy, &path, &error));
  ck_assert_str_eq(strategy->name, name);
  ck_assert_str_eq(path, from);
  free(path);
  return strategy;
}

static void assert_fails(rh_options options, const char *name, rh_status expected,
                         const char *says) {
  const rh_strategy *strategy = NULL;
  char *path = NULL;
  must_fail(load_strategy(&options, NULL, name, &strategy, &path, &error), expected, says);
  ck_assert_ptr_null(strategy);
  ck_assert_ptr_null(path);
}

TEST(one_strategy_is_loaded_and_runs) {
  int descriptors = open_descriptors();
  /* crash_on_load is in the same directory and would be noticed: it is not even examined. */
  copy("fine");
  copy("crash_on_load");
  const rh_strategy *strategy = assert_loads(options_for(dir), "fine", in("fine.so"));
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
  copy("fine");
  copy("hang_on_load"); /* examining it would take 5 s */
  double begin = rh_now();
  assert_loads(options_for(dir), "fine", in("fine.so"));
  ck_assert(rh_now() - begin < 2);
}

TEST(loading_keeps_the_order_of_places) {
  const rh_options places = options_for(path_of("%s:%s", in("early"), in("late")));
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
  copy_as("twin", "place/twin.so");
  copy_as("another_twin", "mine.so");
  rh_options options = options_for(in("place"));
  options.plugin_file = in("mine.so");
  assert_loads(options, "twin", in("mine.so"));
  copy_as("crash_on_load", "mine.so");
  assert_loads(options, "twin", in("place/twin.so"));
  assert_fails(options, "x", RH_E_PLUGIN,
               path_of("strategy 'x': %s: crashed on load (signal 11)", in("mine.so")));
}

TEST(what_cannot_be_loaded_is_explained) {
  copy("crash_on_load");
  copy("wrong_abi");
  copy_as("fine", "open.so");
  ck_assert(chmod(in("open.so"), 0666) == 0);
  assert_fails(
      options_for(dir), "crash_on_load", RH_E_PLUGIN,
      path_of("strategy 'crash_on_load': %s: crashed on load (signal 11)", in("crash_on_load.so")));
  assert_fails(options_for(dir), "wrong_abi", RH_E_PLUGIN,
               "wrong_abi.so: ABI 3, this redhost supports 1");
  assert_fails(options_for(dir), "open", RH_E_PLUGIN,
               "open.so is writable by everyone (mode 0666)");
  /* Another file may still offer it. */
  copy_as("crash_on_load", "fine.so");
  copy_as("fine", "other.so");
  assert_loads(options_for(dir), "fine", in("other.so"));
}

TEST(unknown_names_get_a_suggestion) {
  copy("fine");
  copy("twin");
  copy("crash_on_load");
  assert_fails(options_for(dir), "fien", RH_E_USAGE,
               "unknown strategy 'fien'; did you mean 'fine'?");
  assert_fails(options_for(dir), "quite-different", RH_E_USAGE,
               "unknown strategy 'quite-different'");
  assert_fails(options_for(dir), "../fine", RH_E_USAGE, "unknown strategy '../fine'");
  make_dir("nothing");
  assert_fails(options_for(in("nothing")), "fine", RH_E_USAGE, "unknown strategy 'fine'");
}

int main(int argc, char **argv) { return plug_main(argc, argv); }
