/* host/core/tunedb: stored entries are found again, in order of relevance; nothing that is read is
 * trusted; nothing that others wrote is lost.
 */
#include "../../host/core/tunedb/shipped.h"
#include "../../host/core/tunedb/tunedb.h"
#include "folder.h"

#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- A cache of its own for each test -------------------------------------------------------- */

static char directory[64], warnings[4096];
static char informed[4096];
static int n_warnings;
static rh_reporter reporter;
static rh_cache cache;
static rh_error error;

static void on_log(void *user, uint32_t level, const char *text) {
  (void)user;
  if (level == RH_LOG_INFO) snprintf(informed, sizeof informed, "%s", text);
  if (level > RH_LOG_WARNING) return;
  n_warnings++;
  snprintf(warnings, sizeof warnings, "%s", text);
}

static void set_up(void) {
  make_folder(directory, sizeof directory);
  reporter = (rh_reporter){.log = on_log};
  cache = (rh_cache){.directory = directory, .reporter = &reporter};
  n_warnings = 0;
}

static void tear_down(void) {
  remove_folder(directory);
}

static const char *in_dir(const char *name) {
  static char paths[2][256];
  static int k;
  k = !k;
  snprintf(paths[k], sizeof paths[k], "%s/%s", directory, name);
  return paths[k];
}

static int is_there(const char *name) {
  struct stat st;
  return lstat(in_dir(name), &st) == 0;
}

/* With this machine's processor in place of '@'. */
static void write_text(const char *text) {
  umask(022);
  const char *at = strchr(text, '@');
  FILE *file = fopen(in_dir("tuned.json"), "wb");
  ck_assert_ptr_nonnull(file);
  if (at)
    fprintf(file, "%.*s%s%s", (int)(at - text), text, rh_tunedb_key_of(NULL).processor, at + 1);
  else
    fputs(text, file);
  fclose(file);
}

static const char *read_text(void) {
  static char text[1 << 16];
  FILE *file = fopen(in_dir("tuned.json"), "rb");
  ck_assert_ptr_nonnull(file);
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  return text;
}

/* ---- Devices and entries --------------------------------------------------------------------- */

static char board[] = "Board", other[] = "Other", maker[] = "Maker", v1[] = "1", v2[] = "2";
static char pocl[] = "Portable Computing Language", nvidia[] = "NVIDIA CUDA";
static rh_cl_device device = {.name = board, .platform_name = maker, .driver = v1};

static rh_tunedb *open_for(const rh_cl_device *of) {
  rh_tunedb *tuned;
  ck_assert_int_eq(rh_tunedb_open(&tuned, &cache, of, &error), RH_OK);
  return tuned;
}

static rh_tunedb_entry entry_of(const char *strategy, uint32_t op, rh_type type, uint64_t n,
                                double time_s) {
  rh_tunedb_entry entry = {.plugin = 7, .op = op, .type = type, .n = n, .time_s = time_s};
  strcpy(entry.strategy, strategy);
  entry.latency_s = 2 * time_s;
  return entry;
}

static void put(rh_tunedb *tuned, const char *strategy, uint32_t op, rh_type type, uint64_t n,
                double time_s) {
  const rh_tunedb_entry entry = entry_of(strategy, op, type, n, time_s);
  ck_assert_int_eq(rh_tunedb_put(tuned, &entry, &error), RH_OK);
}

static double time_of(const rh_tunedb *tuned, uint32_t op, rh_type type, uint64_t n, int exact) {
  int is_exact;
  const rh_tunedb_entry *found = rh_tunedb_find(tuned, "s", 7, op, type, 0, n, &is_exact);
  ck_assert_int_eq(is_exact, exact);
  return found ? found->time_s : 0;
}

/* ---- Storing --------------------------------------------------------------------------------- */

START_TEST(what_is_put_is_found) {
  rh_tunedb *tuned = open_for(&device);
  rh_tunedb_entry entry =
      entry_of("two_stage", RH_OP_argmin, RH_TYPE_f64, (uint64_t)1 << 60, 1.5e-6);
  entry.plugin = UINT64_MAX;
  entry.settings[0] = (rh_tunedb_setting){"group", "256"};
  entry.settings[1] = (rh_tunedb_setting){"finish", "h\xc3\xb6st"};
  entry.n_settings = 2;
  entry.searched = 1;
  ck_assert_uint_eq(rh_tunedb_count(tuned), 0);
  ck_assert_int_eq(rh_tunedb_put(tuned, &entry, &error), RH_OK);
  for (int again = 0; again < 2; again++) { /* from memory, and from the file */
    const rh_tunedb_entry *found = rh_tunedb_find(tuned, "two_stage", UINT64_MAX, RH_OP_argmin,
                                                  RH_TYPE_f64, 0, (uint64_t)1 << 59, NULL);
    ck_assert_ptr_nonnull(found);
    ck_assert(found->n == entry.n && found->plugin == entry.plugin && !found->failed);
    ck_assert(found->time_s == 1.5e-6 && found->latency_s == 3e-6 && found->n_settings == 2);
    ck_assert_mem_eq(found->settings, entry.settings, sizeof entry.settings);
    ck_assert_uint_eq(found->searched, 1);
    ck_assert_uint_eq(found->origin, RH_TUNED_HERE);
    ck_assert_uint_eq(rh_tunedb_count(tuned), 1);
    ck_assert(!rh_tunedb_find(tuned, "two_stage", 8, RH_OP_argmin, RH_TYPE_f64, 0, 1, NULL));
    ck_assert(!rh_tunedb_find(tuned, "two", 8, RH_OP_argmin, RH_TYPE_f64, 0, 1, NULL));
    ck_assert(rh_tunedb_mentions(tuned, "two_stage") && !rh_tunedb_mentions(tuned, "two"));
    rh_tunedb_close(tuned);
    tuned = open_for(&device);
  }
  rh_tunedb_close(tuned);
  ck_assert_int_eq(n_warnings, 0);
}
END_TEST

START_TEST(the_same_is_replaced) {
  rh_tunedb *tuned = open_for(&device);
  put(tuned, "s", RH_OP_sum, RH_TYPE_f32, 1024, 1);
  put(tuned, "s", RH_OP_sum, RH_TYPE_f32, 2048, 2);
  put(tuned, "s", RH_OP_sum, RH_TYPE_f32, 1024, 3);
  ck_assert_uint_eq(rh_tunedb_count(tuned), 2);
  ck_assert(time_of(tuned, RH_OP_sum, RH_TYPE_f32, 1024, 1) == 3);
  rh_tunedb_close(tuned);
}
END_TEST

/* One entry that cannot be read back would cost all the others. */
START_TEST(what_could_not_be_read_is_not_written) {
  rh_tunedb_entry entry = entry_of("s", RH_OP_sum, RH_TYPE_f32, 2048, 2);
  rh_tunedb *tuned = open_for(&device);
  put(tuned, "s", RH_OP_sum, RH_TYPE_f32, 1024, 1);
  if (_i == 0) entry.time_s = 1e10;
  if (_i == 1) entry.settings[entry.n_settings++] = (rh_tunedb_setting){"way", "quick way"};
  if (_i == 2) strcpy(entry.strategy, "no name");
  ck_assert_int_eq(rh_tunedb_put(tuned, &entry, &error), RH_OK);
  ck_assert(n_warnings == 1 && strstr(warnings, "could not be read again"));
  rh_tunedb_close(tuned);
  tuned = open_for(&device);
  ck_assert(time_of(tuned, RH_OP_sum, RH_TYPE_f32, 2048, 1) == 1);
  put(tuned, "s", RH_OP_sum, RH_TYPE_f32, 4096, 3);
  rh_tunedb_close(tuned);
  ck_assert(n_warnings == 1 && !is_there("tuned.json.bad"));
}
END_TEST

/* Operator and type, then like ones, then the size; n = 0 is a size too. */
START_TEST(order_of_merit) {
  rh_tunedb *tuned = open_for(&device);
  put(tuned, "s", RH_OP_max, RH_TYPE_i32, 1024, 1);
  ck_assert(time_of(tuned, RH_OP_sum, RH_TYPE_f32, 1024, 0) == 1);
  ck_assert(time_of(tuned, RH_OP_sum, RH_TYPE_f64, 1024, 0) == 0);
  ck_assert(time_of(tuned, RH_OP_argmax, RH_TYPE_i32, 1024, 0) == 0);
  put(tuned, "s", RH_OP_prod, RH_TYPE_f32, 1 << 20, 2);
  ck_assert(time_of(tuned, RH_OP_sum, RH_TYPE_f32, 1024, 0) == 2);
  put(tuned, "s", RH_OP_sum, RH_TYPE_f32, 1 << 24, 3);
  put(tuned, "s", RH_OP_sum, RH_TYPE_f32, 1 << 14, 4);
  ck_assert(time_of(tuned, RH_OP_sum, RH_TYPE_f32, 1024, 1) == 4);
  ck_assert(time_of(tuned, RH_OP_sum, RH_TYPE_f32, 0, 1) == 4);
  ck_assert(time_of(tuned, RH_OP_sum, RH_TYPE_f32, (1 << 19) - 1, 1) == 4);
  ck_assert(time_of(tuned, RH_OP_sum, RH_TYPE_f32, (1 << 19) + 1, 1) == 3);
  ck_assert(time_of(tuned, RH_OP_sum, RH_TYPE_f32, UINT64_MAX, 1) == 3);
  rh_tunedb_close(tuned);
}
END_TEST

/* A file that was carried to another machine, for the host's strategies and the device's. */
START_TEST(another_processor) {
  static const rh_cl_device *const devices[] = {&device, NULL};
  rh_tunedb *tuned = open_for(devices[_i]);
  put(tuned, "s", RH_OP_sum, RH_TYPE_f32, 1024, 1);
  rh_tunedb_close(tuned);
  char text[1 << 12];
  snprintf(text, sizeof text, "%s", read_text());
  char *cores = strstr(text, ", cores: ");
  ck_assert_ptr_nonnull(cores);
  memcpy(cores, ", chips: ", 9);
  write_text(text);
  tuned = open_for(devices[_i]);
  ck_assert(time_of(tuned, RH_OP_sum, RH_TYPE_f32, 1024, 0) == 0);
  ck_assert_uint_eq(rh_tunedb_count(tuned), 0);
  ck_assert_msg(strstr(informed, "is of another processor, ") != NULL, "%s", informed);
  put(tuned, "s", RH_OP_sum, RH_TYPE_f32, 1024, 2); /* beside the other's */
  ck_assert(time_of(tuned, RH_OP_sum, RH_TYPE_f32, 1024, 1) == 2);
  ck_assert(strstr(read_text(), ", chips: ") && strstr(read_text(), ", cores: "));
  rh_tunedb_close(tuned);
}
END_TEST

/* As files of before have it. */
START_TEST(unnamed_processor) {
  static const rh_cl_device *const devices[] = {&device, NULL};
  write_text("{\"schema\":\"redhost-tuned/1\",\"devices\":["
             "{\"platform\":\"Maker\",\"device\":\"Board\",\"driver\":\"1\",\"entries\":["
             "{\"strategy\":\"s\",\"op\":\"sum\",\"type\":\"f32\",\"n\":1024,\"time_s\":1}]},"
             "{\"device\":\"host\",\"entries\":["
             "{\"strategy\":\"s\",\"op\":\"sum\",\"type\":\"f32\",\"n\":1024,\"time_s\":1}]}]}");
  rh_tunedb *tuned = open_for(devices[_i]);
  ck_assert(time_of(tuned, RH_OP_sum, RH_TYPE_f32, 1024, 0) == 0);
  ck_assert_msg(strstr(informed, "another processor, which is not named; this is "), "%s",
                informed);
  put(tuned, "s", RH_OP_sum, RH_TYPE_f32, 1024, 2); /* in a list of its own */
  ck_assert(time_of(tuned, RH_OP_sum, RH_TYPE_f32, 1024, 1) == 2);
  ck_assert_uint_eq(rh_tunedb_count(tuned), 1);
  rh_tunedb_close(tuned);
}
END_TEST

START_TEST(other_devices_and_drivers) {
  rh_cl_device updated = device, stranger = device;
  updated.driver = v2;
  stranger.name = other;
  rh_tunedb *tuned = open_for(&device);
  put(tuned, "s", RH_OP_sum, RH_TYPE_f32, 1024, 1);
  rh_tunedb_close(tuned);

  tuned = open_for(&stranger);
  ck_assert(time_of(tuned, RH_OP_sum, RH_TYPE_f32, 1024, 0) == 0);
  rh_tunedb_close(tuned);

  tuned = open_for(&updated);
  const rh_tunedb_timed any = {RH_TUNED_HERE, RH_TUNED_SHIPPED, RH_TUNED_OTHER_SIZE, 0, UINT64_MAX};
  ck_assert(time_of(tuned, RH_OP_sum, RH_TYPE_f32, 1024, 0) == 0 && rh_tunedb_count(tuned) == 0);
  ck_assert(!rh_tunedb_find_timed(tuned, &any, "s", 7, RH_OP_sum, RH_TYPE_f32, 0, 1024));
  ck_assert_msg(strstr(informed, "'Board' is passed over: it is of another driver, 1; this is 2"),
                "%s", informed);
  put(tuned, "s", RH_OP_max, RH_TYPE_f32, 1 << 30, 2);
  ck_assert(time_of(tuned, RH_OP_sum, RH_TYPE_f32, 1024, 0) == 2);
  rh_tunedb_close(tuned);

  tuned = open_for(&device); /* and nothing was lost */
  ck_assert(time_of(tuned, RH_OP_sum, RH_TYPE_f32, 1024, 1) == 1);
  rh_tunedb_close(tuned);
}
END_TEST

/* Host strategies do not depend on a device: values found on any device serve without one, and vice
 * versa. */
START_TEST(the_host) {
  rh_tunedb *tuned = open_for(NULL);
  put(tuned, "s", RH_OP_sum, RH_TYPE_f32, 1024, 1);
  ck_assert_uint_eq(rh_tunedb_count(tuned), 1);
  rh_tunedb_blame(tuned, "bad", 7, RH_OP_sum, RH_TYPE_f32, 0, 1);
  rh_tunedb_close(tuned);
  tuned = open_for(&device);
  ck_assert(time_of(tuned, RH_OP_sum, RH_TYPE_f32, 1024, 1) == 1);
  ck_assert_uint_eq(rh_tunedb_count(tuned), 0);
  ck_assert(rh_tunedb_has_failed(tuned, "bad", 7, RH_OP_sum, RH_TYPE_f32, 0));
  put(tuned, "bad", RH_OP_sum, RH_TYPE_f32, 1, 1); /* takes it back there, too */
  ck_assert(!rh_tunedb_has_failed(tuned, "bad", 7, RH_OP_sum, RH_TYPE_f32, 0));
  put(tuned, "s", RH_OP_max, RH_TYPE_f32, 1024, 2);
  put(tuned, "s", RH_OP_sum, RH_TYPE_f32, 1024, 3); /* beside this device; the host's own stays */
  ck_assert(time_of(tuned, RH_OP_sum, RH_TYPE_f32, 1024, 1) == 3); /* behind it, however old */
  rh_tunedb_close(tuned);
  tuned = open_for(NULL);
  ck_assert_uint_eq(rh_tunedb_count(tuned), 1);
  ck_assert(time_of(tuned, RH_OP_max, RH_TYPE_f32, 1024, 1) == 2);
  ck_assert(time_of(tuned, RH_OP_sum, RH_TYPE_f32, 1024, 1) == 1);
  ck_assert(!rh_tunedb_has_failed(tuned, "bad", 7, RH_OP_sum, RH_TYPE_f32, 0));
  rh_tunedb_close(tuned);
}
END_TEST

START_TEST(who_failed) {
  rh_cl_device updated = device;
  updated.driver = v2;
  rh_tunedb *tuned = open_for(&device);
  put(tuned, "s", RH_OP_sum, RH_TYPE_f32, 1024, 1);
  rh_tunedb_blame(tuned, "s", 7, RH_OP_sum, RH_TYPE_f32, 0, 4096);
  rh_tunedb_close(tuned);
  tuned = open_for(&device);
  ck_assert(rh_tunedb_has_failed(tuned, "s", 7, RH_OP_sum, RH_TYPE_f32, 0));
  ck_assert(!rh_tunedb_has_failed(tuned, "s", 8, RH_OP_sum, RH_TYPE_f32, 0)); /* another file */
  ck_assert(!rh_tunedb_has_failed(tuned, "s", 7, RH_OP_max, RH_TYPE_f32, 0));
  ck_assert(!rh_tunedb_has_failed(tuned, "s", 7, RH_OP_sum, RH_TYPE_f64, 0));
  /* Its parameters are still valid. */
  ck_assert(time_of(tuned, RH_OP_sum, RH_TYPE_f32, 4096, 1) == 1);
  rh_tunedb_close(tuned);

  tuned =
      open_for(&updated); /* perhaps it was the driver's fault: a measurement here overrides it */
  ck_assert(rh_tunedb_has_failed(tuned, "s", 7, RH_OP_sum, RH_TYPE_f32, 0));
  put(tuned, "s", RH_OP_sum, RH_TYPE_f32, 2048, 1);
  ck_assert(!rh_tunedb_has_failed(tuned, "s", 7, RH_OP_sum, RH_TYPE_f32, 0));
  rh_tunedb_close(tuned);

  tuned = open_for(&device);
  ck_assert(rh_tunedb_has_failed(tuned, "s", 7, RH_OP_sum, RH_TYPE_f32, 0));
  put(tuned, "s", RH_OP_sum, RH_TYPE_f32, 1024, 1);
  ck_assert(!rh_tunedb_has_failed(tuned, "s", 7, RH_OP_sum, RH_TYPE_f32, 0));
  rh_tunedb_close(tuned);
  ck_assert_int_eq(n_warnings, 0);
}
END_TEST

/* A user's operator, 11 or 12, that is based on sums of f32. */
static double own_time_of(const rh_tunedb *tuned, uint64_t own, int exact) {
  int is_exact;
  const rh_tunedb_entry *found =
      rh_tunedb_find(tuned, "s", 7, RH_OP_sum, RH_TYPE_f32, own, 1024, &is_exact);
  ck_assert_int_eq(is_exact, exact);
  return found ? found->time_s : 0;
}

static void put_own(rh_tunedb *tuned, uint64_t own, double time_s) {
  rh_tunedb_entry entry = entry_of("s", RH_OP_sum, RH_TYPE_f32, 1024, time_s);
  entry.own = own;
  strcpy(entry.own_name, "sum of x*y");
  ck_assert_int_eq(rh_tunedb_put(tuned, &entry, &error), RH_OK);
}

START_TEST(operators_of_ones_own) {
  rh_tunedb *tuned = open_for(&device);
  put_own(tuned, 11, 5);
  ck_assert(own_time_of(tuned, 11, 1) == 5);
  ck_assert(own_time_of(tuned, 12, 0) == 0); /* another one says nothing, */
  ck_assert(own_time_of(tuned, 0, 0) == 0);  /* nor of what it is based on */
  put(tuned, "s", RH_OP_max, RH_TYPE_f32, 1024, 2);
  ck_assert(own_time_of(tuned, 12, 0) == 2);
  put(tuned, "s", RH_OP_sum, RH_TYPE_f32, 4096, 1); /* before others, however far */
  ck_assert(own_time_of(tuned, 12, 0) == 1);
  put_own(tuned, 12, 6);
  rh_tunedb_blame(tuned, "s", 7, RH_OP_sum, RH_TYPE_f32, 11, 1);
  rh_tunedb_close(tuned);
  ck_assert_ptr_nonnull(strstr(read_text(), "\"op\": \"own:000000000000000b\""));
  ck_assert_ptr_nonnull(strstr(read_text(), "\"name\": \"sum of x*y\""));
  tuned = open_for(&device);
  ck_assert(own_time_of(tuned, 11, 1) == 5 && own_time_of(tuned, 12, 1) == 6);
  ck_assert(own_time_of(tuned, 0, 1) == 1);
  ck_assert(rh_tunedb_has_failed(tuned, "s", 7, RH_OP_sum, RH_TYPE_f32, 11));
  ck_assert(!rh_tunedb_has_failed(tuned, "s", 7, RH_OP_sum, RH_TYPE_f32, 12));
  ck_assert(!rh_tunedb_has_failed(tuned, "s", 7, RH_OP_sum, RH_TYPE_f32, 0));
  put(tuned, "s", RH_OP_sum, RH_TYPE_f32, 1024, 3); /* takes back nothing of the user's */
  ck_assert(rh_tunedb_has_failed(tuned, "s", 7, RH_OP_sum, RH_TYPE_f32, 11));
  put_own(tuned, 11, 4);
  ck_assert(!rh_tunedb_has_failed(tuned, "s", 7, RH_OP_sum, RH_TYPE_f32, 11));
  ck_assert(own_time_of(tuned, 11, 1) == 4);
  rh_tunedb_close(tuned);
}
END_TEST

/* ---- Defaults of redhost --------------------------------------------------------------------- */

START_TEST(shipped_defaults) {
  json_t *document;
  int valid;
  size_t n = 0;
  for (; (document = rh_tunedb_shipped(n, &valid)); n++) {
    ck_assert_msg(valid, "the defaults number %zu are damaged", n);
    ck_assert_ptr_nonnull(json_object_get(document, "name"));
    ck_assert_ptr_nonnull(json_object_get(document, "family"));
    const json_t *entries = json_object_get(document, "entries");
    for (size_t k = 0; k < json_array_size(entries); k++) {
      rh_tunedb_entry entry;
      int known;
      ck_assert_int_eq(rh_tunedb_entry_take(json_array_get(entries, k), &entry, &known, &error),
                       RH_OK);
      ck_assert(known && entry.plugin == 0 && !entry.failed && entry.time_s > 0);
    }
    json_decref(document);
  }
  ck_assert_uint_eq(n, 2);
}
END_TEST

static const rh_tunedb_entry *used(const rh_tunedb *tuned, uint64_t n) {
  return rh_tunedb_find(tuned, "two_stage_float4", 7, RH_OP_sum, RH_TYPE_f32, 0, n, NULL);
}

/* What was measured here comes first where it says something about the parameters, for this
 * operator and type, at sizes within a factor of 2 or as near. */
static void check_measured_and_shipped(rh_tunedb *tuned) {
  rh_tunedb_entry entry = entry_of("two_stage_float4", RH_OP_sum, RH_TYPE_f32, 1 << 24, 5);
  ck_assert_int_eq(rh_tunedb_put(tuned, &entry, &error), RH_OK);
  ck_assert_uint_eq(used(tuned, 1 << 24)->origin, RH_TUNED_SHIPPED); /* merely measured */
  entry.op = RH_OP_max;
  entry.searched = 1;
  ck_assert_int_eq(rh_tunedb_put(tuned, &entry, &error), RH_OK);
  ck_assert_uint_eq(used(tuned, 1 << 24)->origin, RH_TUNED_SHIPPED); /* of another operator */
  entry.op = RH_OP_sum;
  ck_assert_int_eq(rh_tunedb_put(tuned, &entry, &error), RH_OK);
  ck_assert(used(tuned, 1 << 24)->time_s == 5 && used(tuned, 1 << 23)->time_s == 5);
  ck_assert(used(tuned, 1 << 25)->time_s == 5);
  ck_assert_uint_eq(used(tuned, 1 << 16)->origin, RH_TUNED_SHIPPED); /* a nearer size */
}

START_TEST(shipped_for_whom) {
  rh_cl_device gpu = device, cpu = device;
  gpu.about.kind = RH_DEVICE_GPU;
  gpu.about.vendor_id = 4318;
  gpu.platform_name = nvidia;
  strcpy(gpu.family, "compute capability 9");
  cpu.about.kind = RH_DEVICE_CPU;
  cpu.platform_name = pocl;
  rh_tunedb *tuned = open_for(&gpu);
  const rh_tunedb_entry *found =
      rh_tunedb_find(tuned, "two_stage_float4", 99, RH_OP_sum, RH_TYPE_f32, 0, 1 << 24, NULL);
  ck_assert(found && found->origin == RH_TUNED_SHIPPED && rh_tunedb_count(tuned) == 0);
  ck_assert_str_eq(rh_tunedb_shipped_name(tuned), "NVIDIA GPUs");
  const rh_tunedb_timed measured = {RH_TUNED_HERE, RH_TUNED_HERE, RH_TUNED_OTHER_SIZE, 0,
                                    UINT64_MAX};
  const rh_tunedb_timed shipped = {RH_TUNED_SHIPPED, RH_TUNED_SHIPPED, RH_TUNED_SAME, 0,
                                   UINT64_MAX};
  ck_assert(
      !rh_tunedb_find_timed(tuned, &measured, "two_stage_float4", 9, RH_OP_sum, RH_TYPE_f32, 0, 1));
  check_measured_and_shipped(tuned);
  found = rh_tunedb_find_timed(tuned, &shipped, "two_stage_float4", 7, RH_OP_sum, RH_TYPE_f32, 0,
                               1 << 24);
  ck_assert(found && found->origin == RH_TUNED_SHIPPED);
  rh_tunedb_close(tuned);
  gpu.about.vendor_id = 4098;
  const rh_cl_device *others[] = {&cpu, NULL, &gpu, &device};
  static const char *const names[] = {"PoCL on CPUs", "PoCL on CPUs", "", ""};
  for (int k = 0; k < 4; k++) {
    tuned = open_for(others[k]);
    ck_assert_str_eq(rh_tunedb_shipped_name(tuned), names[k]);
    rh_tunedb_close(tuned);
  }
}
END_TEST

/* On a device of another family, or of none that is known, they serve as parameters only. */
START_TEST(shipped_times_are_of_a_family) {
  static const char *const families[] = {"compute capability 9", "compute capability 8", ""};
  rh_cl_device gpu = device;
  gpu.about.kind = RH_DEVICE_GPU;
  gpu.about.vendor_id = 4318;
  gpu.platform_name = nvidia;
  strcpy(gpu.family, families[_i]);
  rh_tunedb *tuned = open_for(&gpu);
  const rh_tunedb_timed any = {RH_TUNED_HERE, RH_TUNED_SHIPPED, RH_TUNED_UNLIKE, 0, UINT64_MAX};
  const rh_tunedb_entry *found =
      rh_tunedb_find(tuned, "onepass", 99, RH_OP_sum, RH_TYPE_f32, 0, 1 << 24, NULL);
  ck_assert(found && found->origin == RH_TUNED_SHIPPED && found->n_settings > 0);
  ck_assert_int_eq(found->time_s > 0, _i == 0);
  found = rh_tunedb_find_timed(tuned, &any, "onepass", 99, RH_OP_sum, RH_TYPE_f32, 0, 1 << 24);
  ck_assert_int_eq(found != NULL, _i == 0);
  rh_tunedb_close(tuned);
}
END_TEST

/* ---- Contents of the file -------------------------------------------------------------------- */

#define HEAD                                                                                       \
  "{\"schema\":\"redhost-tuned/1\",\"devices\":[{\"platform\":\"Maker\",\"device\":\"Board\","     \
  "\"driver\":\"1\",\"processor\":\"@\",\"entries\":["
#define PLACE  "\"strategy\":\"s\",\"op\":\"sum\",\"type\":\"f32\""
#define GOOD   "{" PLACE ",\"n\":1024,\"time_s\":1.0}"
#define TAIL   "]}]}"
#define ONE(e) HEAD "{" PLACE e "}" TAIL

START_TEST(what_is_good_is_read) {
  write_text(HEAD GOOD ",{\"strategy\":\"s\",\"op\":\"median\",\"type\":\"f32\",\"n\":1},"
                       "{" PLACE ",\"n\":\"18446744073709551615\",\"time_s\":2,\"colour\":3,"
                       "\"plugin\":\"0000000000000007\",\"params\":{}}]}],\"author\":[]}");
  rh_tunedb *tuned = open_for(&device);
  ck_assert_int_eq(n_warnings, 0);
  ck_assert_uint_eq(rh_tunedb_count(tuned), 2); /* an operator of a later redhost is ignored */
  ck_assert(time_of(tuned, RH_OP_sum, RH_TYPE_f32, 1, 1) == 1);
  ck_assert(time_of(tuned, RH_OP_sum, RH_TYPE_f32, UINT64_MAX, 1) == 2);
  put(tuned, "s", RH_OP_sum, RH_TYPE_f32, 1024, 9);
  rh_tunedb_close(tuned);
  static const char *const kept[] = {"median", "colour", "author", "18446744073709551615"};
  for (size_t k = 0; k < sizeof kept / sizeof *kept; k++)
    ck_assert_msg(strstr(read_text(), kept[k]) != NULL, "%s is lost", kept[k]);
}
END_TEST

static const char *const damaged[] = {
    "",
    "{",
    "null",
    "[]",
    "{}",
    "{\"schema\":1}",
    "{\"schema\":\"redhost-tuned/1\"}",
    "{\"schema\":\"redhost-tuned/1\",\"devices\":{}}",
    "{\"schema\":\"redhost-tuned/1\",\"devices\":[1]}",
    "{\"schema\":\"redhost-tuned/1\",\"entries\":[]}",
    "{\"schema\":\"redhost-tuned/1\",\"devices\":[{\"device\":\"d\"}]}",
    "{\"schema\":\"redhost-tuned/1\",\"devices\":[{\"entries\":[]}]}",
    "{\"schema\":\"redhost-tuned/1\",\"devices\":[{\"device\":\"d\\u001b\",\"entries\":[]}]}",
    "{\"schema\":\"redhost-tuned/1\",\"devices\":[{\"device\":\"d\",\"driver\":1,\"entries\":[]}]}",
    "{\"schema\":\"redhost-tuned/0\",\"devices\":[]}",
    "{\"schema\":\"redhost-tuned/2x\",\"devices\":[]}",
    "{\"schema\":\"redhost-tuned/\",\"devices\":[]}",
    "{\"schema\":\"redhost/2\",\"devices\":[]}",
    HEAD GOOD "]}]",
    HEAD GOOD TAIL "}",
    HEAD "1" TAIL,
    HEAD "{" PLACE "}" TAIL,
    HEAD "{\"op\":\"sum\",\"type\":\"f32\",\"n\":1}" TAIL,
    HEAD "{\"strategy\":\"../x\",\"op\":\"sum\",\"type\":\"f32\",\"n\":1}" TAIL,
    HEAD "{\"strategy\":\"s\",\"op\":1,\"type\":\"f32\",\"n\":1}" TAIL,
    HEAD "{\"strategy\":\"s\",\"op\":\"sum\",\"n\":1}" TAIL,
    ONE(",\"n\":1,\"n\":2"),
    ONE(",\"n\":-1"),
    ONE(",\"n\":1.5"),
    ONE(",\"n\":9007199254740992"),
    ONE(",\"n\":\"18446744073709551616\""),
    ONE(",\"n\":\"\""),
    ONE(",\"n\":\" 1\""),
    ONE(",\"n\":\"-1\""),
    ONE(",\"n\":1,\"time_s\":-1e-6"),
    ONE(",\"n\":1,\"time_s\":1e999"),
    ONE(",\"n\":1,\"time_s\":1e10"),
    ONE(",\"n\":1,\"time_s\":\"1\""),
    ONE(",\"n\":1,\"latency_s\":NaN"),
    ONE(",\"n\":1,\"latency_s\":-0.5"),
    ONE(",\"n\":1,\"failed\":1"),
    ONE(",\"n\":1,\"searched\":\"yes\""),
    ONE(",\"n\":1,\"plugin\":7"),
    ONE(",\"n\":1,\"plugin\":\"7\""),
    ONE(",\"n\":1,\"plugin\":\"000000000000000G\""),
    ONE(",\"n\":1,\"params\":[]"),
    ONE(",\"n\":1,\"params\":{\"group\":256}"),
    ONE(",\"n\":1,\"params\":{\"\":\"256\"}"),
    ONE(",\"n\":1,\"params\":{\"a b\":\"256\"}"),
    ONE(",\"n\":1,\"params\":{\"group\":\"\"}"),
    ONE(",\"n\":1,\"params\":{\"group\":\"2\\n56\"}"),
    ONE(",\"n\":1,\"params\":{\"group\":\"0123456789012345678901234567890123456789012345678\"}"),
    ONE(",\"n\":1,\"params\":{\"a\":\"1\",\"b\":\"1\",\"c\":\"1\",\"d\":\"1\",\"e\":\"1\",\"f\":"
        "\"1\",\"g\":\"1\",\"h\":\"1\",\"i\":\"1\",\"j\":\"1\",\"k\":\"1\",\"l\":\"1\",\"m\":\"1\","
        "\"n\":\"1\",\"o\":\"1\",\"p\":\"1\",\"q\":\"1\"}"),
    HEAD GOOD "," GOOD ",{\"strategy\":\"s\\u0000\",\"op\":\"sum\",\"type\":\"f32\",\"n\":1}" TAIL,
};

/* Set aside with one warning, and a new one is begun. */
static void check_set_aside(const char *says) {
  rh_tunedb *tuned = open_for(&device);
  ck_assert_msg(n_warnings == 1, "%d warnings", n_warnings);
  ck_assert_msg(strstr(warnings, says) && strstr(warnings, in_dir("tuned.json")), "%s", warnings);
  ck_assert(is_there("tuned.json.bad") && !is_there("tuned.json"));
  ck_assert_uint_eq(rh_tunedb_count(tuned), 0);
  ck_assert_ptr_null(rh_tunedb_find(tuned, "s", 7, RH_OP_sum, RH_TYPE_f32, 0, 1, NULL));
  put(tuned, "s", RH_OP_sum, RH_TYPE_f32, 1, 1);
  rh_tunedb_close(tuned);
  tuned = open_for(&device);
  ck_assert_uint_eq(rh_tunedb_count(tuned), 1);
  ck_assert_int_eq(n_warnings, 1);
  rh_tunedb_close(tuned);
}

START_TEST(what_is_damaged_is_set_aside) {
  write_text(damaged[_i]);
  check_set_aside("renamed to tuned.json.bad");
}
END_TEST

START_TEST(cut_at_any_byte) {
  static const char whole[] = HEAD GOOD TAIL;
  char text[sizeof whole];
  for (size_t length = 0; length + 1 < sizeof whole; length++) {
    memcpy(text, whole, length);
    text[length] = 0;
    write_text(text);
    n_warnings = 0;
    rh_tunedb *tuned = open_for(&device);
    ck_assert(n_warnings == 1 && !is_there("tuned.json") && rh_tunedb_count(tuned) == 0);
    rh_tunedb_close(tuned);
  }
}
END_TEST

START_TEST(too_much_is_set_aside) {
  FILE *file = fopen(in_dir("tuned.json"), "wb");
  fputs(HEAD GOOD, file);
  for (int k = 0; k < RH_TUNED_MOST_ENTRIES; k++) fputs("," GOOD, file);
  fputs(TAIL, file);
  fchmod(fileno(file), 0644);
  fclose(file);
  check_set_aside("are more than");
}
END_TEST

START_TEST(too_large_is_set_aside) {
  write_text(HEAD GOOD TAIL);
  ck_assert_int_eq(truncate(in_dir("tuned.json"), RH_TUNED_MOST_BYTES + 1), 0);
  check_set_aside("far too large");
}
END_TEST

START_TEST(of_somebody_else) {
  write_text(HEAD GOOD TAIL);
  switch (_i) {
  case 0:
    if (geteuid() != 0) return;
    ck_assert_int_eq(chown(in_dir("tuned.json"), 0, 12345), 0);
    ck_assert_int_eq(chmod(in_dir("tuned.json"), 0620), 0);
    break;
  case 1: chmod(in_dir("tuned.json"), 0602); break;
  case 2:
    if (geteuid() != 0) return;
    ck_assert_int_eq(chown(in_dir("tuned.json"), 65534, 65534), 0);
    break;
  case 3:
    unlink(in_dir("tuned.json"));
    ck_assert_int_eq(mkfifo(in_dir("tuned.json"), 0600), 0);
    break;
  case 4:
    unlink(in_dir("tuned.json"));
    ck_assert_int_eq(mkdir(in_dir("tuned.json"), 0700), 0);
    break;
  }
  static const char *const says[] = {"is writable by group 12345", "is writable by everyone",
                                     "belongs to another user", "is not a regular file",
                                     "is not a regular file"};
  check_set_aside(says[_i]);
}
END_TEST

/* Too many open files are not the file's fault: it is kept, and complete when it can be read
 * again. */
START_TEST(what_cannot_be_read_now_stays) {
  struct rlimit limit, none;
  write_text(HEAD GOOD TAIL);
  ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
  none = (struct rlimit){0, limit.rlim_max};
  ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
  rh_tunedb *tuned = open_for(&device);
  int n = n_warnings;
  put(tuned, "s", RH_OP_sum, RH_TYPE_f32, 1, 2);
  ck_assert_int_eq(rh_tunedb_settle(tuned, &error), RH_E_FILE);
  ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
  ck_assert(n == 1 && n_warnings == 1 && strstr(warnings, "cannot be opened just now"));
  ck_assert(rh_tunedb_count(tuned) == 1 && !is_there("tuned.json.bad"));
  ck_assert_int_eq(rh_tunedb_settle(tuned, &error), RH_OK);
  ck_assert_uint_eq(rh_tunedb_count(tuned), 2);
  rh_tunedb_close(tuned);
  tuned = open_for(&device);
  ck_assert(rh_tunedb_count(tuned) == 2 && n_warnings == 1);
  rh_tunedb_close(tuned);
}
END_TEST

/* Another process could hold it for ever. */
START_TEST(a_lock_of_others) {
  rh_tunedb *tuned = open_for(&device);
  fclose(fopen(in_dir("tuned.lock"), "w"));
  ck_assert_int_eq(chmod(in_dir("tuned.lock"), 0666), 0);
  put(tuned, "s", RH_OP_sum, RH_TYPE_f32, 1, 2);
  ck_assert_int_eq(rh_tunedb_settle(tuned, &error), RH_E_FILE);
  ck_assert_msg(strstr(error.message, "tuned.lock beside it is not trusted") != NULL, "%s",
                error.message);
  ck_assert(!is_there("tuned.json"));
  ck_assert_int_eq(unlink(in_dir("tuned.lock")), 0);
  ck_assert_int_eq(rh_tunedb_settle(tuned, &error), RH_OK);
  rh_tunedb_close(tuned);
}
END_TEST

/* It cannot be renamed either: it is not used, and new entries are kept in memory. */
START_TEST(cannot_be_set_aside) {
  write_text("{");
  ck_assert_int_eq(mkdir(in_dir("tuned.json.bad"), 0700), 0);
  rh_tunedb *tuned = open_for(&device);
  ck_assert_int_eq(n_warnings, 1);
  put(tuned, "s", RH_OP_sum, RH_TYPE_f32, 1, 1);
  put(tuned, "s", RH_OP_sum, RH_TYPE_f32, 2, 2);
  ck_assert_uint_eq(rh_tunedb_count(tuned), 2);
  rh_tunedb_close(tuned);
  ck_assert_int_eq(n_warnings, 1);
  ck_assert_str_eq(read_text(), "{");
}
END_TEST

START_TEST(a_later_schema_stays) {
  static const char later[] = "{\"schema\":\"redhost-tuned/2\",\"devices\":7}";
  write_text(later);
  rh_tunedb *tuned = open_for(&device);
  ck_assert(n_warnings == 1 && strstr(warnings, "redhost-tuned/2"));
  put(tuned, "s", RH_OP_sum, RH_TYPE_f32, 1, 1);
  rh_tunedb_blame(tuned, "s", 7, RH_OP_max, RH_TYPE_f32, 0, 1);
  ck_assert(rh_tunedb_count(tuned) == 1 &&
            rh_tunedb_has_failed(tuned, "s", 7, RH_OP_max, RH_TYPE_f32, 0));
  rh_tunedb_close(tuned);
  ck_assert_int_eq(n_warnings, 1);
  ck_assert_str_eq(read_text(), later);
  ck_assert(!is_there("tuned.json.bad"));
}
END_TEST

/* ---- Writing --------------------------------------------------------------------------------- */

enum { WRITERS = 6, PUTS = 20 };

/* A writer replaces the file atomically; a reader that has opened the old one must not take that
 * for an attack. */
START_TEST(a_reader_beside_a_writer) {
  enum { MANY = 150 };
  pid_t writer = fork();
  if (writer == 0) {
    rh_tunedb *tuned = open_for(&device);
    for (uint64_t k = 0; k < MANY; k++) put(tuned, "s", RH_OP_sum, RH_TYPE_f32, 1 + k, 1);
    rh_tunedb_close(tuned);
    _exit(n_warnings);
  }
  int status;
  while (waitpid(writer, &status, WNOHANG) == 0) rh_tunedb_close(open_for(&device));
  ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  ck_assert_int_eq(n_warnings, 0);
  ck_assert(!is_there("tuned.json.bad"));
}
END_TEST

START_TEST(writers_at_once) {
  for (uint64_t w = 0; w < WRITERS; w++) {
    if (fork() != 0) continue;
    rh_tunedb *tuned = open_for(&device);
    for (uint64_t k = 0; k < PUTS; k++)
      put(tuned, "s", RH_OP_sum, RH_TYPE_f32, 1 + w * PUTS + k, 1);
    rh_tunedb_close(tuned);
    _exit(n_warnings);
  }
  int status;
  for (int w = 0; w < WRITERS; w++)
    ck_assert(wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  rh_tunedb *tuned = open_for(&device);
  ck_assert_uint_eq(rh_tunedb_count(tuned), WRITERS * PUTS);
  rh_tunedb_close(tuned);
  ck_assert(!is_there("tuned.json.new") && !is_there("tuned.json.bad"));
  ck_assert_int_eq(n_warnings, 0);
}
END_TEST

/* Files that an interrupted writer left behind do no harm. */
START_TEST(left_by_an_interrupted_writer) {
  FILE *file = fopen(in_dir("tuned.json.new"), "wb");
  fputs("{", file);
  fclose(file);
  rh_tunedb *tuned = open_for(&device);
  put(tuned, "s", RH_OP_sum, RH_TYPE_f32, 1, 1);
  put(tuned, "s", RH_OP_sum, RH_TYPE_f32, 2, 1);
  rh_tunedb_close(tuned);
  tuned = open_for(&device);
  ck_assert_uint_eq(rh_tunedb_count(tuned), 2);
  rh_tunedb_close(tuned);
  ck_assert(!is_there("tuned.json.new") && n_warnings == 0);
  struct stat st;
  ck_assert(stat(in_dir("tuned.json"), &st) == 0 && (st.st_mode & 0777) == 0600);
}
END_TEST

START_TEST(no_place_to_write) {
  cache.directory = (char *)"/proc/redhost-test";
  rh_tunedb *tuned = open_for(&device);
  rh_tunedb_blame(tuned, "bad", 7, RH_OP_sum, RH_TYPE_f32, 0, 1);
  ck_assert_int_eq(n_warnings, 0);
  rh_tunedb_close(tuned);
  tuned = open_for(&device);
  put(tuned, "s", RH_OP_sum, RH_TYPE_f32, 1, 1);
  put(tuned, "s", RH_OP_sum, RH_TYPE_f32, 2, 1);
  ck_assert(n_warnings == 1 && strstr(warnings, "another cache directory"));
  ck_assert_uint_eq(rh_tunedb_count(tuned), 2);
  ck_assert_int_eq(rh_tunedb_settle(tuned, &error), RH_E_FILE);
  ck_assert(strstr(error.message, "/proc/redhost-test/tuned.json: ") && n_warnings == 1);
  rh_tunedb_close(tuned);
}
END_TEST

/* An entry that cannot be stored is kept in memory for this process, and the file stays intact. */
START_TEST(a_disk_that_is_full) {
  rh_tunedb *tuned = open_for(&device);
  put(tuned, "s", RH_OP_sum, RH_TYPE_f32, 1, 1);
  signal(SIGXFSZ, SIG_IGN);
  ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){64, 64}), 0);
  put(tuned, "s", RH_OP_sum, RH_TYPE_f32, 2, 1);
  put(tuned, "s", RH_OP_sum, RH_TYPE_f32, 3, 1);
  ck_assert_uint_eq(rh_tunedb_count(tuned), 3);
  rh_tunedb_close(tuned);
  ck_assert_int_eq(n_warnings, 1);
  tuned = open_for(&device);
  ck_assert_uint_eq(rh_tunedb_count(tuned), 1);
  rh_tunedb_close(tuned);
  ck_assert(n_warnings == 1 && !is_there("tuned.json.new") && !is_there("tuned.json.bad"));
}
END_TEST

START_TEST(no_cache_at_all) {
  cache.directory = NULL;
  rh_tunedb *tuned = open_for(&device);
  put(tuned, "s", RH_OP_sum, RH_TYPE_f32, 1, 1);
  rh_tunedb_blame(tuned, "bad", 7, RH_OP_sum, RH_TYPE_f32, 0, 1);
  ck_assert_uint_eq(rh_tunedb_count(tuned), 1);
  ck_assert(rh_tunedb_has_failed(tuned, "bad", 7, RH_OP_sum, RH_TYPE_f32, 0));
  rh_tunedb_close(tuned);
  ck_assert_int_eq(n_warnings, 0);
}
END_TEST

/* Another process holds the lock and keeps it: redhost gives up with a warning; further entries do
 * not wait again, and are stored when the lock is free. */
START_TEST(a_lock_that_is_held) {
  int lock = open(in_dir("tuned.lock"), O_RDWR | O_CREAT, 0600);
  ck_assert_int_eq(flock(lock, LOCK_EX), 0);
  rh_tunedb *tuned = open_for(&device);
  put(tuned, "s", RH_OP_sum, RH_TYPE_f32, 1, 1);
  ck_assert(n_warnings == 1 && strstr(warnings, "tuned.lock"));
  put(tuned, "s", RH_OP_sum, RH_TYPE_f32, 2, 1);
  ck_assert_uint_eq(rh_tunedb_count(tuned), 2);
  ck_assert(!is_there("tuned.json"));
  close(lock);
  ck_assert_int_eq(rh_tunedb_settle(tuned, &error), RH_OK);
  rh_tunedb_close(tuned);
  tuned = open_for(&device);
  ck_assert(rh_tunedb_count(tuned) == 2 && n_warnings == 1);
  rh_tunedb_close(tuned);
}
END_TEST

START_TEST(a_plugin_is_its_bytes) {
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
END_TEST

/* ---- */

static void add_files(Suite *suite) {
  TCase *file = tcase_create("file");
  tcase_add_checked_fixture(file, set_up, tear_down);
  tcase_add_test(file, what_is_good_is_read);
  tcase_add_loop_test(file, what_is_damaged_is_set_aside, 0,
                      (int)(sizeof damaged / sizeof *damaged));
  tcase_add_test(file, cut_at_any_byte);
  tcase_add_test(file, too_much_is_set_aside);
  tcase_add_test(file, too_large_is_set_aside);
  tcase_add_loop_test(file, of_somebody_else, 0, 5);
  tcase_add_test(file, what_cannot_be_read_now_stays);
  tcase_add_test(file, a_lock_of_others);
  tcase_add_test(file, cannot_be_set_aside);
  tcase_add_test(file, a_later_schema_stays);
  tcase_add_test(file, a_reader_beside_a_writer);
  tcase_add_test(file, writers_at_once);
  tcase_add_test(file, left_by_an_interrupted_writer);
  tcase_add_test(file, no_place_to_write);
  tcase_add_test(file, a_disk_that_is_full);
  tcase_add_test(file, no_cache_at_all);
  tcase_add_test(file, a_lock_that_is_held);
  tcase_add_test(file, a_plugin_is_its_bytes);
  suite_add_tcase(suite, file);
}

int main(void) {
  Suite *suite = suite_create("tuned");
  TCase *entries = tcase_create("entries");
  tcase_add_checked_fixture(entries, set_up, tear_down);
  tcase_add_test(entries, what_is_put_is_found);
  tcase_add_test(entries, the_same_is_replaced);
  tcase_add_loop_test(entries, what_could_not_be_read_is_not_written, 0, 3);
  tcase_add_test(entries, order_of_merit);
  tcase_add_loop_test(entries, another_processor, 0, 2);
  tcase_add_loop_test(entries, unnamed_processor, 0, 2);
  tcase_add_test(entries, other_devices_and_drivers);
  tcase_add_test(entries, the_host);
  tcase_add_test(entries, who_failed);
  tcase_add_test(entries, operators_of_ones_own);
  tcase_add_test(entries, shipped_defaults);
  tcase_add_test(entries, shipped_for_whom);
  tcase_add_loop_test(entries, shipped_times_are_of_a_family, 0, 3);
  suite_add_tcase(suite, entries);
  add_files(suite);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
