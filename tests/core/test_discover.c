/* host/core/plug/discover.c: where plugins are searched for, and which files are trusted. */
#include "../suite/suite.h"
#include "plug_support.h"

#include <sys/stat.h>

/* The outcome of a path: "at PLACE", "refused: ...", or "not found". */
static const char *fate_of(const rh_discovery *search, const char *path) {
  for (uint32_t k = 0; k < search->n; k++) {
    const rh_candidate *candidate = &search->candidates[k];
    if (strcmp(candidate->path, path) != 0) continue;
    if (candidate->refused) return path_of("refused: %s", candidate->refused);
    return path_of("at %u", candidate->place);
  }
  return "not found";
}

static int has_note(const rh_discovery *search, const char *note) {
  int has = 0;
  for (uint32_t k = 0; k < search->n_notes; k++) has |= strcmp(search->notes[k], note) == 0;
  return has;
}

TEST(places_come_in_order) {
  FINISHED(rh_discovery) search = {0};
  copy_as("fine", "z.so");
  copy_as("fine", "option/b.so");
  copy_as("fine", "option/a.so");
  copy_as("fine", "second/a.so");
  copy_as("fine", "env/a.so");
  copy_as("fine", "data/redhost/plugins-1/a.so");
  copy_as("fine", "cwd/here.so");
  ck_assert(chdir(in("cwd")) == 0);
  setenv("REDHOST_PLUGIN_PATH", in("env"), 1);
  setenv("XDG_DATA_HOME", in("data"), 1);
  rh_options options = options_for(path_of("%s:%s", in("option"), in("second")));
  options.plugin_file = "../z.so";
  must(rh_discover(&search, RH_PLUGINS, &options, &error));
  static const char *const expected[] = {"z.so",        "option/a.so",
                                         "option/b.so", "second/a.so",
                                         "env/a.so",    "data/redhost/plugins-1/a.so"};
  static const uint32_t places[] = {0, 1, 1, 2, 3, 4};
  ck_assert_uint_ge(search.n, 6);
  for (uint32_t k = 0; k < 6; k++) {
    ck_assert_str_eq(search.candidates[k].path, in(expected[k]));
    ck_assert_uint_eq(search.candidates[k].place, places[k]);
    ck_assert_ptr_null(search.candidates[k].refused);
  }
  ck_assert_str_eq(fate_of(&search, in("cwd/here.so")), "not found");
  assert_says(search.searched, path_of("%s:%s:%s:%s/redhost/plugins-1", in("option"), in("second"),
                                       in("env"), in("data")));
}

TEST(the_home_directory_is_searched) {
  FINISHED(rh_discovery) search = {0};
  const char *path = copy_as("fine", "home/.local/share/redhost/plugins-1/a.so");
  setenv("HOME", in("home"), 1);
  must(rh_discover(&search, RH_PLUGINS, NULL, &error));
  ck_assert_str_eq(fate_of(&search, path), "at 0");
}

TEST(relative_elements_are_ignored) {
  FINISHED(rh_discovery) search = {0};
  copy("fine");
  ck_assert(chdir(dir) == 0);
  setenv("REDHOST_PLUGIN_PATH", ":x", 1);
  rh_options options = options_for(path_of(".:%s/gone::%s/fine.so:", dir, dir));
  must(rh_discover(&search, RH_PLUGINS, &options, &error));
  ck_assert_str_eq(fate_of(&search, in("fine.so")), "not found");
  ck_assert(has_note(&search, "the plugin path: '.' is relative and ignored"));
  ck_assert(has_note(&search, "the plugin path: an empty element is ignored"));
  ck_assert(has_note(&search, path_of("the plugin path: %s/gone does not exist", dir)));
  ck_assert(has_note(&search, path_of("the plugin path: %s/fine.so is not a directory", dir)));
  ck_assert(has_note(&search, "REDHOST_PLUGIN_PATH: 'x' is relative and ignored"));
  ck_assert(has_note(&search, "REDHOST_PLUGIN_PATH: an empty element is ignored"));
  ck_assert_uint_eq(search.n_notes, 7); /* and the empty one at the end; none of the defaults */
}

TEST(odd_entries_are_refused) {
  FINISHED(rh_discovery) search = {0};
  copy("fine");
  copy_as("fine", "fine.so.1");
  copy_as("fine", ".hidden.so");
  make_dir("d.so");
  ck_assert(mkfifo(in("fifo.so"), 0644) == 0);
  ck_assert(symlink("nowhere", in("dangling.so")) == 0);
  ck_assert(symlink("fine.so.1", in("link.so")) == 0);
  ck_assert(link(in("fine.so"), in("hard.so")) == 0);
  rh_options options = options_for(path_of("%s:%s", dir, dir));
  must(rh_discover(&search, RH_PLUGINS, &options, &error));
  ck_assert_str_eq(fate_of(&search, in("fine.so")), "at 0");
  ck_assert_str_eq(fate_of(&search, in("hard.so")), "not found"); /* had its turn as fine.so */
  ck_assert_str_eq(fate_of(&search, in("link.so")), "at 0");
  ck_assert_str_eq(fate_of(&search, in("d.so")), "refused: is a directory");
  ck_assert_str_eq(fate_of(&search, in("fifo.so")), "refused: is not a regular file");
  ck_assert_str_eq(fate_of(&search, in("dangling.so")), "refused: is a link to nothing");
  ck_assert_str_eq(fate_of(&search, in("fine.so.1")), "not found");
  ck_assert_str_eq(fate_of(&search, in(".hidden.so")), "not found");
}

TEST(what_others_can_write_is_refused) {
  FINISHED(rh_discovery) search = {0};
  copy_as("fine", "open/a.so");
  copy_as("fine", "sticky/a.so");
  copy_as("fine", "closed/a.so");
  copy_as("fine", "closed/b.so");
  ck_assert(chmod(in("open"), 0777) == 0 && chmod(in("sticky"), 01777) == 0);
  ck_assert(chmod(in("closed/b.so"), 0666) == 0);
  rh_options options = options_for(path_of("%s:%s:%s", in("open"), in("sticky"), in("closed")));
  must(rh_discover(&search, RH_PLUGINS, &options, &error));
  assert_says(fate_of(&search, in("open")), "/open is writable by everyone (mode 0777)");
  assert_says(fate_of(&search, in("sticky")), "/sticky is writable by everyone (mode 1777)");
  ck_assert_str_eq(fate_of(&search, in("open/a.so")), "not found");
  ck_assert_str_eq(fate_of(&search, in("closed/a.so")), "at 2");
  assert_says(fate_of(&search, in("closed/b.so")), "/closed/b.so is writable by everyone (mo");
  rh_discovery_finish(&search);
  /* A file that is requested by name may be in any directory. */
  options.plugin_file = in("open/a.so");
  must(rh_discover(&search, RH_PLUGINS, &options, &error));
  ck_assert_str_eq(fate_of(&search, in("open/a.so")), "at 0");
  rh_discovery_finish(&search);
  options.plugin_file = in("closed/b.so");
  must(rh_discover(&search, RH_PLUGINS, &options, &error));
  assert_says(fate_of(&search, in("closed/b.so")), "refused: is not trusted: ");
}

/* The rule itself is the table of test_trust.c. */
TEST(the_way_to_a_plugin_counts) {
  FINISHED(rh_discovery) search = {0};
  copy_as("fine", "open/in/a.so");
  copy_as("fine", "good/a.so");
  ck_assert(chmod(in("open"), 0777) == 0);
  ck_assert(symlink("open/in", in("to-open")) == 0 && symlink("../good", in("open/to-good")) == 0);
  ck_assert(symlink("../open/in/a.so", in("good/b.so")) == 0);
  rh_options options =
      options_for(path_of("%s:%s:%s", in("open/in"), in("to-open"), in("open/to-good")));
  must(rh_discover(&search, RH_PLUGINS, &options, &error));
  assert_says(fate_of(&search, in("open/in")), "/open is writable by everyone");
  assert_says(fate_of(&search, in("to-open")), "/open is writable by everyone");
  assert_says(fate_of(&search, in("open/to-good")), "/open is writable by everyone");
  rh_discovery_finish(&search);
  /* A bad name does not affect a good one in the same directory or file. */
  options.plugin_path = path_of("%s:%s", in("open/to-good"), in("good"));
  must(rh_discover(&search, RH_PLUGINS, &options, &error));
  ck_assert_str_eq(fate_of(&search, in("good/a.so")), "at 1");
  assert_says(fate_of(&search, in("good/b.so")), "/open is writable by everyone");
}

TEST(the_file_asked_for_must_be_there) {
  rh_discovery search;
  rh_options options = options_for(NULL);
  options.plugin_file = in("gone.so");
  must_fail(rh_discover(&search, RH_PLUGINS, &options, &error), RH_E_FILE,
            "gone.so: No such file or directory");
  options.plugin_file = dir;
  must_fail(rh_discover(&search, RH_PLUGINS, &options, &error), RH_E_FILE,
            "is a directory; to search one, name it in the plugin path");
  ck_assert(mkfifo(in("fifo.so"), 0644) == 0);
  options.plugin_file = in("fifo.so");
  must_fail(rh_discover(&search, RH_PLUGINS, &options, &error), RH_E_FILE, "is not a regular file");
}

int main(int argc, char **argv) { return plug_main(argc, argv); }
