/* What the tests of host/choose/tunedb share: a cache of its own for each test, a device,
 * entries. */
#ifndef RH_TEST_TUNED_SUPPORT_H
#define RH_TEST_TUNED_SUPPORT_H

#include "../../host/choose/tunedb/internal.h"
#include "files_support.h"

OWNS(rh_tunedb, rh_tunedb_close)

/* ---- A cache of its own for each test ---- */

static char warnings[4096], informed[4096];
static int n_warnings;
static rh_reporter reporter;
static rh_cache cache;
static rh_tunedb *tuned; /* what is open */

static inline void on_log(void *user, uint32_t level, const char *text) {
  (void)user;
  if (level == RH_LOG_INFO) snprintf(informed, sizeof informed, "%s", text);
  if (level > RH_LOG_WARNING) return;
  n_warnings++;
  snprintf(warnings, sizeof warnings, "%s", text);
}

static inline void set_up(void) {
  make_folder(directory, sizeof directory);
  reporter = (rh_reporter){.log = on_log};
  cache = (rh_cache){.directory = directory, .reporter = &reporter};
  n_warnings = 0;
}

static inline void close_it(void) {
  rh_tunedb_close(tuned);
  tuned = NULL;
}

static inline void tear_down(void) {
  close_it();
  remove_folder(directory);
}

static inline int is_there(const char *name) {
  struct stat st;
  return lstat(in_dir(name), &st) == 0;
}

/* With this machine's processor in place of '@'. */
static inline void write_text(const char *text) {
  const char *at = strchrnul(text, '@');
  char *whole;
  int length = asprintf(&whole, "%.*s%s%s", (int)(at - text), text,
                        *at ? rh_tunedb_key_of(NULL).processor : "", *at ? at + 1 : "");
  umask(022);
  write_file("tuned.json", whole, (size_t)length);
  free(whole);
}

static inline const char *read_text(void) {
  static char text[1 << 16];
  FILE *file = fopen(in_dir("tuned.json"), "rb");
  ck_assert_ptr_nonnull(file);
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  return text;
}

/* ---- Devices and entries ---- */

static char board[] = "Board", maker[] = "Maker", v1[] = "1";
static rh_cl_device device = {.name = board, .platform_name = maker, .driver = v1};

static inline rh_tunedb *open_for(const rh_cl_device *of) {
  rh_tunedb *made;
  must(rh_tunedb_open(&made, &cache, of, &error));
  return made;
}

static inline void reopen(const rh_cl_device *of) {
  close_it();
  tuned = open_for(of);
}

/* own: 0, or the hash of a user's operator that is based on op; valid until the next call. */
static inline const rh_asked *asked(const char *strategy, uint64_t plugin, uint32_t op,
                                    rh_type type, uint64_t own, uint64_t n) {
  static rh_operator of;
  static rh_asked one;
  of = *rh_operator_builtin(op, type);
  of.hash = own;
  one = (rh_asked){strategy, plugin, &of, n, {0}};
  return &one;
}

static inline rh_tunedb_entry entry_of(const char *strategy, uint32_t op, rh_type type, uint64_t n,
                                       double time_s) {
  rh_tunedb_entry entry = {
      .plugin = 7, .op = rh_operator_builtin(op, type), .n = n, .time_s = time_s};
  strcpy(entry.strategy, strategy);
  entry.latency_s = 2 * time_s;
  return entry;
}

static inline void put(const char *strategy, uint32_t op, rh_type type, uint64_t n, double time_s) {
  const rh_tunedb_entry entry = entry_of(strategy, op, type, n, time_s);
  must(rh_tunedb_put(tuned, &entry, &error));
}

static inline double time_of(uint32_t op, rh_type type, uint64_t n, int exact) {
  const rh_asked *of = asked("s", 7, op, type, 0, n);
  const rh_tunedb_entry *found = rh_tunedb_find(tuned, of);
  ck_assert_int_eq(found && rh_tunedb_is_of(found, of->op), exact);
  return found ? found->time_s : 0;
}

#endif
