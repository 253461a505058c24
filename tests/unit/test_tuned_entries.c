/* host/choose/tunedb: stored entries are found again, in order of relevance. */
#include "tuned_support.h"

static char other[] = "Other", v2[] = "2";

CASES(all, .set_up = set_up, .tear_down = tear_down)

TEST(what_is_put_is_found) {
  reopen(&device);
  rh_tunedb_entry entry =
      entry_of("two_stage", RH_OP_argmin, RH_TYPE_f64, (uint64_t)1 << 60, 1.5e-6);
  entry.plugin = UINT64_MAX;
  entry.settings.list[0] = (rh_tunedb_setting){"group", "256"};
  entry.settings.list[1] = (rh_tunedb_setting){"finish", "h\xc3\xb6st"};
  entry.settings.n = 2;
  entry.searched = 1;
  ck_assert_uint_eq(rh_tunedb_count(tuned), 0);
  must(rh_tunedb_put(tuned, &entry, &error));
  for (int again = 0; again < 2; again++) { /* from memory, and from the file */
    const rh_tunedb_entry *found = rh_tunedb_find(
        tuned, asked("two_stage", UINT64_MAX, RH_OP_argmin, RH_TYPE_f64, 0, (uint64_t)1 << 59));
    ck_assert_ptr_nonnull(found);
    ck_assert(found->n == entry.n && found->plugin == entry.plugin && !found->failed);
    ck_assert(found->time_s == 1.5e-6 && found->latency_s == 3e-6 && found->settings.n == 2);
    ck_assert_mem_eq(&found->settings, &entry.settings, sizeof entry.settings);
    ck_assert_uint_eq(found->searched, 1);
    ck_assert_uint_eq(found->origin, RH_TUNED_HERE);
    ck_assert_uint_eq(rh_tunedb_count(tuned), 1);
    ck_assert(!rh_tunedb_find(tuned, asked("two_stage", 8, RH_OP_argmin, RH_TYPE_f64, 0, 1)));
    ck_assert(!rh_tunedb_find(tuned, asked("two", 8, RH_OP_argmin, RH_TYPE_f64, 0, 1)));
    ck_assert(rh_tunedb_is_here(tuned, "two_stage") && !rh_tunedb_is_here(tuned, "two"));
    reopen(&device);
  }
  close_it();
  ck_assert_int_eq(n_warnings, 0);
}

TEST(the_same_is_replaced) {
  reopen(&device);
  put("s", RH_OP_sum, RH_TYPE_f32, 1024, 1);
  put("s", RH_OP_sum, RH_TYPE_f32, 2048, 2);
  put("s", RH_OP_sum, RH_TYPE_f32, 1024, 3);
  ck_assert_uint_eq(rh_tunedb_count(tuned), 2);
  ck_assert(time_of(RH_OP_sum, RH_TYPE_f32, 1024, 1) == 3);
}

/* One entry that cannot be read back would cost all the others. */
TEST_LOOP(what_could_not_be_read_is_not_written, 0, 3) {
  rh_tunedb_entry entry = entry_of("s", RH_OP_sum, RH_TYPE_f32, 2048, 2);
  reopen(&device);
  put("s", RH_OP_sum, RH_TYPE_f32, 1024, 1);
  if (_i == 0) entry.time_s = 1e10;
  if (_i == 1) entry.settings.list[entry.settings.n++] = (rh_tunedb_setting){"way", "quick way"};
  if (_i == 2) strcpy(entry.strategy, "no name");
  must(rh_tunedb_put(tuned, &entry, &error));
  ck_assert(n_warnings == 1 && strstr(warnings, "could not be read again"));
  reopen(&device);
  ck_assert(time_of(RH_OP_sum, RH_TYPE_f32, 2048, 1) == 1);
  put("s", RH_OP_sum, RH_TYPE_f32, 4096, 3);
  close_it();
  ck_assert(n_warnings == 1 && !is_there("tuned.json.bad"));
}

/* Operator and type, then like ones, then the size; n = 0 is a size too. */
TEST(order_of_merit) {
  reopen(&device);
  put("s", RH_OP_max, RH_TYPE_i32, 1024, 1);
  ck_assert(time_of(RH_OP_sum, RH_TYPE_f32, 1024, 0) == 1);
  ck_assert(time_of(RH_OP_sum, RH_TYPE_f64, 1024, 0) == 0);
  ck_assert(time_of(RH_OP_argmax, RH_TYPE_i32, 1024, 0) == 0);
  put("s", RH_OP_prod, RH_TYPE_f32, 1 << 20, 2);
  ck_assert(time_of(RH_OP_sum, RH_TYPE_f32, 1024, 0) == 2);
  put("s", RH_OP_sum, RH_TYPE_f32, 1 << 24, 3);
  put("s", RH_OP_sum, RH_TYPE_f32, 1 << 14, 4);
  ck_assert(time_of(RH_OP_sum, RH_TYPE_f32, 1024, 1) == 4);
  ck_assert(time_of(RH_OP_sum, RH_TYPE_f32, 0, 1) == 4);
  ck_assert(time_of(RH_OP_sum, RH_TYPE_f32, (1 << 19) - 1, 1) == 4);
  ck_assert(time_of(RH_OP_sum, RH_TYPE_f32, (1 << 19) + 1, 1) == 3);
  ck_assert(time_of(RH_OP_sum, RH_TYPE_f32, UINT64_MAX, 1) == 3);
}

/* ---- Segments ---- */

static void put_cut(rh_cut cut, double time_s) {
  rh_tunedb_entry entry = entry_of("s", RH_OP_sum, RH_TYPE_f32, 1024, time_s);
  entry.cut = cut;
  must(rh_tunedb_put(tuned, &entry, &error));
}

/* By its time, the entry whose parameters serve segments, of cuts up to `apart` octaves away; or
 * with apart < 0 the one whose parameters do. */
static double cut_time_of(rh_cut cut, uint64_t n, double apart) {
  const rh_tunedb_timed here = {RH_TUNED_HERE, RH_TUNED_HERE, RH_TUNED_SAME, 0, UINT64_MAX, apart};
  rh_asked of = *asked("s", 7, RH_OP_sum, RH_TYPE_f32, 0, n);
  of.cut = cut;
  const rh_tunedb_entry *found =
      apart < 0 ? rh_tunedb_find(tuned, &of) : rh_tunedb_find_timed(tuned, &here, &of);
  return found ? found->time_s : 0;
}

/* Whole arrays get nothing of segments; segments get no times, but parameters, of whole arrays. */
TEST(segments_and_whole_arrays) {
  const rh_cut fixed = {16, RH_LENGTHS_fixed};
  reopen(&device);
  put_cut(fixed, 1);
  ck_assert(time_of(RH_OP_sum, RH_TYPE_f32, 1024, 0) == 0);
  put("s", RH_OP_sum, RH_TYPE_f32, 1024, 2); /* beside it */
  for (int again = 0; again < 2; again++) {  /* from memory, and from the file */
    ck_assert_uint_eq(rh_tunedb_count(tuned), 2);
    ck_assert(time_of(RH_OP_sum, RH_TYPE_f32, 1024, 1) == 2);
    ck_assert(cut_time_of(fixed, 1 << 20, -1) == 1);
    ck_assert(cut_time_of(fixed, 1 << 20, 0) == 1);
    ck_assert(cut_time_of((rh_cut){16, RH_LENGTHS_columns}, 1024, 3) == 0);
    ck_assert(cut_time_of((rh_cut){16, RH_LENGTHS_columns}, 1024, -1) == 2);
    reopen(&device);
  }
  close_it();
  ck_assert_int_eq(n_warnings, 0);
}

TEST(parameters_of_whole_arrays_serve_segments) {
  reopen(&device);
  put("s", RH_OP_sum, RH_TYPE_f32, 1024, 2);
  ck_assert(cut_time_of((rh_cut){16, RH_LENGTHS_fixed}, 1024, -1) == 2);
  ck_assert(cut_time_of((rh_cut){16, RH_LENGTHS_fixed}, 1024, 3) == 0);
}

/* The length, and whether there are offsets, count before the size. */
TEST(the_nearest_cut) {
  static const struct {
    rh_cut cut;
    double time_s;
  } table[] = {{{16, RH_LENGTHS_fixed}, 1},   {{256, RH_LENGTHS_fixed}, 2},
               {{16, RH_LENGTHS_uniform}, 3}, {{64, RH_LENGTHS_power}, 4},
               {{16, RH_LENGTHS_columns}, 5}, {{16, RH_LENGTHS_fixed}, 6}};
  reopen(&device);
  for (size_t k = 0; k < sizeof table / sizeof *table; k++)
    put_cut(table[k].cut, table[k].time_s); /* the last replaces the first */
  ck_assert_uint_eq(rh_tunedb_count(tuned), 5);
  ck_assert(cut_time_of((rh_cut){16, RH_LENGTHS_fixed}, 1 << 30, 0) == 6);
  ck_assert(cut_time_of((rh_cut){17, RH_LENGTHS_fixed}, 1024, 0) == 0);
  ck_assert(cut_time_of((rh_cut){17, RH_LENGTHS_fixed}, 1024, 3) == 6);
  ck_assert(cut_time_of((rh_cut){100, RH_LENGTHS_fixed}, 1024, 3) == 2);
  ck_assert(cut_time_of((rh_cut){1 << 12, RH_LENGTHS_fixed}, 1024, 3) == 0);
  ck_assert(cut_time_of((rh_cut){1 << 12, RH_LENGTHS_fixed}, 1024, -1) == 0);
  ck_assert(cut_time_of((rh_cut){1 << 10, RH_LENGTHS_fixed}, 1024, -1) == 2);
  ck_assert(cut_time_of((rh_cut){32, RH_LENGTHS_uniform}, 1024, 3) == 3);
  ck_assert(cut_time_of((rh_cut){32, RH_LENGTHS_power}, 1024, 3) == 4);
  ck_assert(cut_time_of((rh_cut){16, RH_LENGTHS_alternate}, 1024, 3) == 3);
  ck_assert(cut_time_of((rh_cut){64, RH_LENGTHS_columns}, 1024, 3) == 5);
}

/* What a layout is most like: the cut that it was made with, but for few segments and for empty
 * ones, which the longest segment does not tell of. */
TEST_LOOP(layouts_are_like_their_cuts, 1, RH_N_LENGTHS + 1) {
  rh_lengths made = {0};
  uint32_t like = _i == RH_LENGTHS_sparse ? RH_LENGTHS_power : (uint32_t)_i;
  must(rh_lengths_make(&made, (uint32_t)_i, 100, 1 << 20, 1, &error));
  rh_cut cut = rh_cut_of(&made.layout);
  ck_assert_uint_eq(cut.distribution, like);
  ck_assert_uint_ge(cut.length, 80);
  ck_assert_uint_le(cut.length, 125);
  rh_lengths_finish(&made);
  cut = rh_cut_of(&made.layout); /* of no elements */
  ck_assert_uint_eq(cut.length, 0);
}

/* A file that was carried to another machine, for the host's strategies and the device's. */
TEST_LOOP(another_processor, 0, 2) {
  static const rh_cl_device *const devices[] = {&device, NULL};
  reopen(devices[_i]);
  put("s", RH_OP_sum, RH_TYPE_f32, 1024, 1);
  close_it();
  static char text[1 << 16];
  snprintf(text, sizeof text, "%s", read_text());
  char *cores = strstr(text, ", cores: ");
  ck_assert_ptr_nonnull(cores);
  memcpy(cores, ", chips: ", 9);
  write_text(text);
  reopen(devices[_i]);
  ck_assert(time_of(RH_OP_sum, RH_TYPE_f32, 1024, 0) == 0);
  ck_assert_uint_eq(rh_tunedb_count(tuned), 0);
  assert_says(informed, "is of another processor, ");
  put("s", RH_OP_sum, RH_TYPE_f32, 1024, 2); /* beside the other's */
  ck_assert(time_of(RH_OP_sum, RH_TYPE_f32, 1024, 1) == 2);
  ck_assert(strstr(read_text(), ", chips: ") && strstr(read_text(), ", cores: "));
}

/* As files of before have it. */
TEST_LOOP(unnamed_processor, 0, 2) {
  static const rh_cl_device *const devices[] = {&device, NULL};
  write_text("{\"schema\":\"redhost-tuned/1\",\"devices\":["
             "{\"platform\":\"Maker\",\"device\":\"Board\",\"driver\":\"1\",\"entries\":["
             "{\"strategy\":\"s\",\"op\":\"sum\",\"type\":\"f32\",\"n\":1024,\"time_s\":1}]},"
             "{\"device\":\"host\",\"entries\":["
             "{\"strategy\":\"s\",\"op\":\"sum\",\"type\":\"f32\",\"n\":1024,\"time_s\":1}]}]}");
  reopen(devices[_i]);
  ck_assert(time_of(RH_OP_sum, RH_TYPE_f32, 1024, 0) == 0);
  assert_says(informed, "another processor, which is not named; this is ");
  put("s", RH_OP_sum, RH_TYPE_f32, 1024, 2); /* in a list of its own */
  ck_assert(time_of(RH_OP_sum, RH_TYPE_f32, 1024, 1) == 2);
  ck_assert_uint_eq(rh_tunedb_count(tuned), 1);
}

TEST(other_devices_and_drivers) {
  rh_cl_device updated = device, stranger = device;
  updated.driver = v2;
  stranger.name = other;
  reopen(&device);
  put("s", RH_OP_sum, RH_TYPE_f32, 1024, 1);
  reopen(&stranger);
  ck_assert(time_of(RH_OP_sum, RH_TYPE_f32, 1024, 0) == 0);
  reopen(&updated);
  const rh_tunedb_timed any = {
      RH_TUNED_HERE, RH_TUNED_SHIPPED, RH_TUNED_OTHER_SIZE, 0, UINT64_MAX, 0};
  ck_assert(time_of(RH_OP_sum, RH_TYPE_f32, 1024, 0) == 0 && rh_tunedb_count(tuned) == 0);
  ck_assert(!rh_tunedb_find_timed(tuned, &any, asked("s", 7, RH_OP_sum, RH_TYPE_f32, 0, 1024)));
  assert_says(informed, "'Board' is passed over: it is of another driver, 1; this is 2");
  put("s", RH_OP_max, RH_TYPE_f32, 1 << 30, 2);
  ck_assert(time_of(RH_OP_sum, RH_TYPE_f32, 1024, 0) == 2);
  reopen(&device); /* and nothing was lost */
  ck_assert(time_of(RH_OP_sum, RH_TYPE_f32, 1024, 1) == 1);
}

/* Host strategies do not depend on a device: values found on any device serve without one, and vice
 * versa. */
TEST(the_host) {
  reopen(NULL);
  put("s", RH_OP_sum, RH_TYPE_f32, 1024, 1);
  ck_assert_uint_eq(rh_tunedb_count(tuned), 1);
  rh_tunedb_blame(tuned, asked("bad", 7, RH_OP_sum, RH_TYPE_f32, 0, 1));
  reopen(&device);
  ck_assert(time_of(RH_OP_sum, RH_TYPE_f32, 1024, 1) == 1);
  ck_assert_uint_eq(rh_tunedb_count(tuned), 0);
  ck_assert(rh_tunedb_has_failed(tuned, asked("bad", 7, RH_OP_sum, RH_TYPE_f32, 0, 1)));
  put("bad", RH_OP_sum, RH_TYPE_f32, 1, 1); /* takes it back there, too */
  ck_assert(!rh_tunedb_has_failed(tuned, asked("bad", 7, RH_OP_sum, RH_TYPE_f32, 0, 1)));
  put("s", RH_OP_max, RH_TYPE_f32, 1024, 2);
  put("s", RH_OP_sum, RH_TYPE_f32, 1024, 3); /* beside this device; the host's own stays */
  ck_assert(time_of(RH_OP_sum, RH_TYPE_f32, 1024, 1) == 3); /* behind it, however old */
  reopen(NULL);
  ck_assert_uint_eq(rh_tunedb_count(tuned), 1);
  ck_assert(time_of(RH_OP_max, RH_TYPE_f32, 1024, 1) == 2);
  ck_assert(time_of(RH_OP_sum, RH_TYPE_f32, 1024, 1) == 1);
  ck_assert(!rh_tunedb_has_failed(tuned, asked("bad", 7, RH_OP_sum, RH_TYPE_f32, 0, 1)));
}

TEST(who_failed) {
  rh_cl_device updated = device;
  updated.driver = v2;
  reopen(&device);
  put("s", RH_OP_sum, RH_TYPE_f32, 1024, 1);
  rh_tunedb_blame(tuned, asked("s", 7, RH_OP_sum, RH_TYPE_f32, 0, 4096));
  reopen(&device);
  ck_assert(rh_tunedb_has_failed(tuned, asked("s", 7, RH_OP_sum, RH_TYPE_f32, 0, 1)));
  ck_assert(
      !rh_tunedb_has_failed(tuned, asked("s", 8, RH_OP_sum, RH_TYPE_f32, 0, 1))); /* another file */
  ck_assert(!rh_tunedb_has_failed(tuned, asked("s", 7, RH_OP_max, RH_TYPE_f32, 0, 1)));
  ck_assert(!rh_tunedb_has_failed(tuned, asked("s", 7, RH_OP_sum, RH_TYPE_f64, 0, 1)));
  /* Its parameters are still valid. */
  ck_assert(time_of(RH_OP_sum, RH_TYPE_f32, 4096, 1) == 1);
  reopen(&updated); /* perhaps it was the driver's fault: a measurement here overrides it */
  ck_assert(rh_tunedb_has_failed(tuned, asked("s", 7, RH_OP_sum, RH_TYPE_f32, 0, 1)));
  put("s", RH_OP_sum, RH_TYPE_f32, 2048, 1);
  ck_assert(!rh_tunedb_has_failed(tuned, asked("s", 7, RH_OP_sum, RH_TYPE_f32, 0, 1)));
  reopen(&device);
  ck_assert(rh_tunedb_has_failed(tuned, asked("s", 7, RH_OP_sum, RH_TYPE_f32, 0, 1)));
  put("s", RH_OP_sum, RH_TYPE_f32, 1024, 1);
  ck_assert(!rh_tunedb_has_failed(tuned, asked("s", 7, RH_OP_sum, RH_TYPE_f32, 0, 1)));
  close_it();
  ck_assert_int_eq(n_warnings, 0);
}

/* A user's operator, 11 or 12, that is based on sums of f32. */
static double own_time_of(uint64_t own, int exact) {
  const rh_asked *of = asked("s", 7, RH_OP_sum, RH_TYPE_f32, own, 1024);
  const rh_tunedb_entry *found = rh_tunedb_find(tuned, of);
  ck_assert_int_eq(found && rh_tunedb_is_of(found, of->op), exact);
  return found ? found->time_s : 0;
}

static void put_own(uint64_t own, double time_s) {
  rh_tunedb_entry entry = entry_of("s", RH_OP_sum, RH_TYPE_f32, 1024, time_s);
  entry.own = own;
  strcpy(entry.own_name, "sum of x*y");
  must(rh_tunedb_put(tuned, &entry, &error));
}

TEST(operators_of_ones_own) {
  reopen(&device);
  put_own(11, 5);
  ck_assert(own_time_of(11, 1) == 5);
  ck_assert(own_time_of(12, 0) == 0); /* another one says nothing, */
  ck_assert(own_time_of(0, 0) == 0);  /* nor of what it is based on */
  put("s", RH_OP_max, RH_TYPE_f32, 1024, 2);
  ck_assert(own_time_of(12, 0) == 2);
  put("s", RH_OP_sum, RH_TYPE_f32, 4096, 1); /* before others, however far */
  ck_assert(own_time_of(12, 0) == 1);
  put_own(12, 6);
  rh_tunedb_blame(tuned, asked("s", 7, RH_OP_sum, RH_TYPE_f32, 11, 1));
  close_it();
  assert_says(read_text(), "\"op\": \"own:000000000000000b\"");
  assert_says(read_text(), "\"name\": \"sum of x*y\"");
  reopen(&device);
  ck_assert(own_time_of(11, 1) == 5 && own_time_of(12, 1) == 6);
  ck_assert(own_time_of(0, 1) == 1);
  ck_assert(rh_tunedb_has_failed(tuned, asked("s", 7, RH_OP_sum, RH_TYPE_f32, 11, 1)));
  ck_assert(!rh_tunedb_has_failed(tuned, asked("s", 7, RH_OP_sum, RH_TYPE_f32, 12, 1)));
  ck_assert(!rh_tunedb_has_failed(tuned, asked("s", 7, RH_OP_sum, RH_TYPE_f32, 0, 1)));
  put("s", RH_OP_sum, RH_TYPE_f32, 1024, 3); /* takes back nothing of the user's */
  ck_assert(rh_tunedb_has_failed(tuned, asked("s", 7, RH_OP_sum, RH_TYPE_f32, 11, 1)));
  put_own(11, 4);
  ck_assert(!rh_tunedb_has_failed(tuned, asked("s", 7, RH_OP_sum, RH_TYPE_f32, 11, 1)));
  ck_assert(own_time_of(11, 1) == 4);
}
