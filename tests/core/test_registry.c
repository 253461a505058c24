/* host/core/plug/registry.c: all plugins, examined by a child process. */
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "../../host/core/plug/plug.h"
#include "../suite/suite.h"
#include "plug_support.h"

static const char *refusal_of(const rh_registry *registry, const char *path) {
  for (uint32_t k = 0; k < registry->search.n; k++) {
    const rh_candidate *file = &registry->search.candidates[k];
    if (file->refused && strcmp(file->path, path) == 0) return file->refused;
  }
  return "not refused";
}

static void scan(rh_registry *registry, const char *places) {
  static rh_options options;
  options = options_for(places);
  must(rh_registry_scan(registry, &options, NULL, 1000, &error));
}

static const struct {
  const char *plugin, *reason;
} taken_down[] = {
    {"abort_on_load", "crashed on load (signal 6)"},
    {"crash_on_load", "crashed on load (signal 11)"},
    {"exit_on_load", "ended the process with exit status 0 while loading"},
    {"crash_in_query", "crashed in query of 'crash_in_query' (signal 11)"},
    {"exit_in_query", "ended the process with exit status 0 in query of 'exit_in_query'"},
    {"wrong_cpu", "crashed in query of 'wrong_cpu' (signal 4, illegal instruction: built for "
                  "another CPU?)"},
    {"orphan", "crashed on load (signal 11)"},
    {"scribbler", "wrote to redhost's result channel while loading"},
    {"flood", "sent more than 16 MiB while loading"},
};

enum { N_TAKEN_DOWN = sizeof taken_down / sizeof *taken_down };

/* All bad plugins that do not hang, and good ones, in one directory. */
TEST(the_bad_do_not_harm_the_good) {
  static const char *const good[] = {"fine",
                                     "chatty",
                                     "newer_minor",
                                     "hang_on_exit",
                                     "unterminated_reason",
                                     "bad_query_status",
                                     "rounds_in_query"};
  rh_registry registry;
  int descriptors = open_descriptors();
  for (int k = 0; k < N_TAKEN_DOWN; k++) copy(taken_down[k].plugin);
  for (int k = 0; k < N_REFUSED_WHEN_OPENED; k++)
    if (strcmp(refused_when_opened[k].plugin, "symbol_in_dependency") != 0)
      copy(refused_when_opened[k].plugin);
  for (int k = 0; k < 7; k++) copy(good[k]);
  write_file(in("empty.so"), "", 0);
  scan(&registry, dir);
  for (int k = 0; k < N_TAKEN_DOWN; k++)
    ck_assert_str_eq(refusal_of(&registry, path_of("%s/%s.so", dir, taken_down[k].plugin)),
                     taken_down[k].reason);
  for (int k = 0; k < N_REFUSED_WHEN_OPENED; k++) {
    if (strcmp(refused_when_opened[k].plugin, "symbol_in_dependency") == 0) continue;
    const char *path = path_of("%s/%s.so", dir, refused_when_opened[k].plugin);
    assert_says(refusal_of(&registry, path), refused_when_opened[k].says);
  }
  ck_assert_str_eq(refusal_of(&registry, in("empty.so")), "is empty");
  for (int k = 0; k < 7; k++) {
    const rh_entry *entry = rh_registry_find(&registry, good[k]);
    ck_assert_msg(entry != NULL, "%s is not found", good[k]);
    ck_assert_str_eq(entry->file->path, in(path_of("%s.so", good[k])));
  }
  rh_registry_finish(&registry);
  assert_nothing_left(descriptors);
}

TEST(entries_say_everything) {
  FINISHED(rh_registry) registry = {0};
  copy("newer_minor");
  copy("unterminated_reason");
  copy("bad_query_status");
  scan(&registry, dir);
  const rh_entry *entry = rh_registry_find(&registry, "newer_minor");
  ck_assert_msg(entry != NULL, "%s", refusal_of(&registry, in("newer_minor.so")));
  ck_assert_str_eq(entry->says.summary, "of the zoo");
  ck_assert_str_eq(entry->says.version, "1.0");
  ck_assert_str_eq(entry->says.author, "redhost");
  ck_assert_str_eq(entry->says.license, "MIT");
  ck_assert_str_eq(entry->build, "zoo");
  ck_assert_uint_eq(entry->says.device_kinds, RH_DEVICE_HOST);
  ck_assert_uint_eq(entry->says.n_params, 2);
  ck_assert_str_eq(entry->says.params[0].key, "tile");
  ck_assert_ptr_null(entry->says.params[0].choices);
  ck_assert_int_eq(entry->says.params[0].initial, 256);
  ck_assert_uint_eq(entry->says.params[0].flags, RH_PARAM_POWER_OF_TWO);
  ck_assert_str_eq(entry->says.params[1].choices, "host|device");
  const rh_offer *offer = &entry->offers[RH_OP_sum][RH_TYPE_u64];
  ck_assert_int_eq(offer->status, RH_OK);
  ck_assert_int_eq(offer->answer.score, 1);
  ck_assert_uint_eq(offer->answer.finishes_on_host, 1);
  ck_assert_uint_eq(offer->answer.depth, 1000);
  offer = &entry->offers[RH_OP_xor][RH_TYPE_f32];
  ck_assert_int_eq(offer->status, RH_DECLINED);
  ck_assert_str_eq(offer->answer.reason, "xor is not defined on f32");
  offer = &rh_registry_find(&registry, "unterminated_reason")->offers[RH_OP_min][RH_TYPE_i8];
  ck_assert_int_eq(offer->status, RH_DECLINED);
  ck_assert_uint_eq(offer->answer.why, RH_WHY_SIZE);
  ck_assert_uint_eq(strlen(offer->answer.reason), 159);
  offer = &rh_registry_find(&registry, "bad_query_status")->offers[RH_OP_min][RH_TYPE_i8];
  ck_assert_int_eq(offer->status, RH_E_PLUGIN);
  assert_says(offer->answer.reason, "query returned 77");
}

TEST(hangs_are_cut_short) {
  rh_registry registry;
  int descriptors = open_descriptors();
  copy("fine");
  copy("hang_in_query");
  copy("hang_on_load");
  copy("twin");
  rh_options options = options_for(dir);
  must(rh_registry_begin(&registry, &options, NULL, NULL, &error));
  registry.limit_s = 2; /* the good ones need some time, too, on a busy machine */
  double begin = rh_now();
  must(rh_registry_examine(&registry, NULL, 0, NULL, 0, 1, &error));
  double took = rh_now() - begin;
  ck_assert_uint_eq(registry.n_entries, 2);
  ck_assert_str_eq(refusal_of(&registry, in("hang_in_query.so")),
                   "did not answer within 2 s in query of 'hang_in_query'");
  ck_assert_str_eq(refusal_of(&registry, in("hang_on_load.so")),
                   "did not answer within 2 s while loading");
  ck_assert_ptr_nonnull(rh_registry_find(&registry, "twin"));
  ck_assert_msg(took > 4 && took < 60, "%g s", took);
  rh_registry_finish(&registry);
  assert_nothing_left(descriptors);
}

TEST(names_are_shadowed) {
  FINISHED(rh_registry) registry = {0};
  copy_as("twin", "early/twin.so");
  copy_as("another_twin", "early/another_twin.so");
  copy_as("twin", "late/twin.so");
  copy_as("fine", "late/renamed.so");
  const char *places = path_of("%s:%s", in("early"), in("late"));
  scan(&registry, places);
  const rh_entry *first = rh_registry_find(&registry, "twin");
  ck_assert_str_eq(first->file->path, in("early/twin.so"));
  ck_assert_str_eq(first[1].file->path, in("early/another_twin.so"));
  ck_assert_str_eq(first[1].shadowed_by, in("early/twin.so"));
  ck_assert_str_eq(first[2].file->path, in("late/twin.so"));
  ck_assert_str_eq(first[2].shadowed_by, in("early/twin.so"));
  ck_assert_str_eq(rh_registry_find(&registry, "fine")->file->path, in("late/renamed.so"));
  ck_assert_ptr_null(rh_registry_find(&registry, "renamed"));
  rh_registry_finish(&registry);
  /* The order of directories precedes that of file names. */
  ck_assert(unlink(in("early/twin.so")) == 0);
  scan(&registry, places);
  first = rh_registry_find(&registry, "twin");
  ck_assert_str_eq(first->file->path, in("early/another_twin.so"));
  ck_assert_str_eq(first[1].shadowed_by, in("early/another_twin.so"));
}

TEST(a_replaced_file_is_seen_anew) {
  FINISHED(rh_registry) registry = {0};
  const char *path = copy_as("fine", "x.so");
  scan(&registry, dir);
  ck_assert_ptr_nonnull(rh_registry_find(&registry, "fine"));
  rh_registry_finish(&registry);
  struct stat st;
  ck_assert(stat(path, &st) == 0);
  copy_as("twin", "x.so");
  ck_assert(utimensat(AT_FDCWD, path, (struct timespec[]){st.st_atim, st.st_mtim}, 0) == 0);
  scan(&registry, dir);
  ck_assert_ptr_null(rh_registry_find(&registry, "fine"));
  ck_assert_ptr_nonnull(rh_registry_find(&registry, "twin"));
}

TEST(paths_may_be_any_bytes) {
  FINISHED(rh_registry) registry = {0};
  copy_as("fine", "a\xff b\n.so");
  copy_as("no_symbol", "\xfe.so");
  scan(&registry, dir);
  ck_assert_str_eq(rh_registry_find(&registry, "fine")->file->path, in("a\xff b\n.so"));
  assert_says(refusal_of(&registry, in("\xfe.so")), "does not export");
}

TEST(the_innocent_are_not_blamed) {
  FINISHED(rh_registry) registry = {0};
  copy_as("time_bomb", "a.so");
  copy_as("slow_to_load", "b.so");
  scan(&registry, dir);
  ck_assert_ptr_nonnull(rh_registry_find(&registry, "time_bomb"));
  ck_assert_ptr_nonnull(rh_registry_find(&registry, "slow_to_load"));
}

TEST(what_plugins_start_is_killed) {
  rh_registry registry;
  copy("orphan");
  ck_assert(prctl(PR_SET_CHILD_SUBREAPER, 1) == 0); /* orphans become this process's children */
  double begin = rh_now();
  scan(&registry, dir);
  ck_assert_msg(rh_now() - begin < 3, "the open channel is waited for");
  rh_registry_finish(&registry);
  ck_assert(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD); /* no process is left */
}

/* As in programs that ignore SIGCHLD. */
TEST(sigchld_may_be_ignored) {
  FINISHED(rh_registry) registry = {0};
  copy("crash_on_load");
  copy("fine");
  signal(SIGCHLD, SIG_IGN);
  scan(&registry, dir);
  ck_assert_str_eq(refusal_of(&registry, in("crash_on_load.so")),
                   "ended the process while loading");
  ck_assert_ptr_nonnull(rh_registry_find(&registry, "fine"));
}

/* No process is started if there is nothing to examine. */
TEST(no_plugins_need_no_program) {
  FINISHED(rh_registry) registry = {0};
  copy("fine");
  ck_assert(chmod(in("fine.so"), 0666) == 0);
  rh_options options = options_for(dir);
  options.program = "/nowhere/redhost";
  must(rh_registry_scan(&registry, &options, NULL, 1000, &error));
  assert_says(refusal_of(&registry, in("fine.so")), "is writable by everyone");
}

int main(int argc, char **argv) { return plug_main(argc, argv); }
