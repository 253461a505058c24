/* host/choose/tunedb: nothing that others wrote is lost, and what cannot be written is kept. */
#include "tuned_support.h"

#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { WRITERS = 6, PUTS = 20 };

CASES(all, .set_up = set_up, .tear_down = tear_down)

/* A writer replaces the file atomically; a reader that has opened the old one must not take that
 * for an attack. */
TEST(a_reader_beside_a_writer) {
  enum { MANY = 150 };
  pid_t writer = fork();
  if (writer == 0) {
    reopen(&device);
    for (uint64_t k = 0; k < MANY; k++) put("s", RH_OP_sum, RH_TYPE_f32, 1 + k, 1);
    close_it();
    _exit(n_warnings);
  }
  int status;
  while (waitpid(writer, &status, WNOHANG) == 0) rh_tunedb_close(open_for(&device));
  ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  ck_assert_int_eq(n_warnings, 0);
  ck_assert(!is_there("tuned.json.bad"));
}

TEST(writers_at_once) {
  for (uint64_t w = 0; w < WRITERS; w++) {
    if (fork() != 0) continue;
    reopen(&device);
    for (uint64_t k = 0; k < PUTS; k++) put("s", RH_OP_sum, RH_TYPE_f32, 1 + w * PUTS + k, 1);
    close_it();
    _exit(n_warnings);
  }
  int status;
  for (int w = 0; w < WRITERS; w++)
    ck_assert(wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  reopen(&device);
  ck_assert_uint_eq(rh_tunedb_count(tuned), WRITERS * PUTS);
  close_it();
  ck_assert_int_eq(glob(in_dir("tuned.json.*"), 0, NULL, &(glob_t){0}), GLOB_NOMATCH);
  ck_assert_int_eq(n_warnings, 0);
  struct stat st;
  ck_assert(stat(in_dir("tuned.json"), &st) == 0 && (st.st_mode & 0777) == 0600);
}

TEST(no_place_to_write) {
  cache.directory = (char *)"/proc/redhost-test";
  reopen(&device);
  rh_tunedb_blame(tuned, asked("bad", 7, RH_OP_sum, RH_TYPE_f32, 0, 1));
  ck_assert_int_eq(n_warnings, 0);
  reopen(&device);
  put("s", RH_OP_sum, RH_TYPE_f32, 1, 1);
  put("s", RH_OP_sum, RH_TYPE_f32, 2, 1);
  ck_assert(n_warnings == 1 && strstr(warnings, "another cache directory"));
  ck_assert_uint_eq(rh_tunedb_count(tuned), 2);
  ck_assert_int_eq(rh_tunedb_settle(tuned, &error), RH_E_FILE);
  ck_assert(strstr(error.message, "/proc/redhost-test/tuned.json: ") && n_warnings == 1);
}

/* An entry that cannot be stored is kept in memory for this process, and the file stays intact. */
TEST(a_disk_that_is_full) {
  reopen(&device);
  put("s", RH_OP_sum, RH_TYPE_f32, 1, 1);
  signal(SIGXFSZ, SIG_IGN);
  ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){64, 64}), 0);
  put("s", RH_OP_sum, RH_TYPE_f32, 2, 1);
  put("s", RH_OP_sum, RH_TYPE_f32, 3, 1);
  ck_assert_uint_eq(rh_tunedb_count(tuned), 3);
  close_it();
  ck_assert_int_eq(n_warnings, 1);
  reopen(&device);
  ck_assert_uint_eq(rh_tunedb_count(tuned), 1);
  close_it();
  ck_assert_int_eq(glob(in_dir("tuned.json.*"), 0, NULL, &(glob_t){0}), GLOB_NOMATCH);
  ck_assert_int_eq(n_warnings, 1);
}

TEST(no_cache_at_all) {
  cache.directory = NULL;
  reopen(&device);
  put("s", RH_OP_sum, RH_TYPE_f32, 1, 1);
  rh_tunedb_blame(tuned, asked("bad", 7, RH_OP_sum, RH_TYPE_f32, 0, 1));
  ck_assert_uint_eq(rh_tunedb_count(tuned), 1);
  ck_assert(rh_tunedb_has_failed(tuned, asked("bad", 7, RH_OP_sum, RH_TYPE_f32, 0, 1)));
  close_it();
  ck_assert_int_eq(n_warnings, 0);
}

/* Another process holds the lock and keeps it: redhost gives up with a warning; further entries do
 * not wait again, and are stored when the lock is free. */
TEST(a_lock_that_is_held) {
  int lock = open(in_dir("tuned.lock"), O_RDWR | O_CREAT, 0600);
  ck_assert_int_eq(flock(lock, LOCK_EX), 0);
  reopen(&device);
  put("s", RH_OP_sum, RH_TYPE_f32, 1, 1);
  ck_assert(n_warnings == 1 && strstr(warnings, "tuned.lock"));
  put("s", RH_OP_sum, RH_TYPE_f32, 2, 1);
  ck_assert_uint_eq(rh_tunedb_count(tuned), 2);
  ck_assert(!is_there("tuned.json"));
  close(lock);
  must(rh_tunedb_settle(tuned, &error));
  reopen(&device);
  ck_assert(rh_tunedb_count(tuned) == 2 && n_warnings == 1);
}

TEST(a_plugin_is_its_bytes) {
  char text[40000];
  memset(text, 'x', sizeof text);
  text[sizeof text - 1] = 0;
  ck_assert_uint_eq(rh_tunedb_plugin(in_dir("tuned.json")), 0);
  write_text(text);
  uint64_t first = rh_tunedb_plugin(in_dir("tuned.json"));
  ck_assert_uint_ne(first, 0);
  ck_assert_uint_eq(rh_tunedb_plugin(in_dir("tuned.json")), first);
  for (size_t at = 0; at < sizeof text - 1; at += at < 9 ? 1 : 7777) {
    text[at] = 'y';
    write_text(text);
    ck_assert_uint_ne(rh_tunedb_plugin(in_dir("tuned.json")), first);
    text[at] = 'x';
  }
  text[sizeof text - 2] = 0;
  write_text(text);
  ck_assert_uint_ne(rh_tunedb_plugin(in_dir("tuned.json")), first);
}
