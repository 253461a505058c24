/* host/tools/tune: the candidate values, which of them a search measures, how the budget is
 * divided, and which candidate wins. */
#include <redhost/kit.h>
#include <search.h>

#include "../../host/tools/tune/tune.h"
#include "../suite/suite.h"

/* ---- The space ---- */

static const rh_param usual[] = {
    RH_NUMBER("group", 0, 0, 4096, "0: automatic"),
    RH_NUMBER("groups_per_unit", 4, 1, 1024, ""),
    RH_CHOICE("finish", "host|device", 2, ""),
};

/* As the command line takes them. */
static void is_taken(const rh_param *param, int64_t value) {
  char text[64];
  int64_t values[RH_MAX_PARAMS];
  const rh_strategy strategy = {RH_STRATEGY_SIZE, .name = "made_up", .param_stride = sizeof *param,
                                .n_params = 1, .params = param};
  rh_param_format(param, value, text, sizeof text);
  const rh_setting setting = {param->key, text};
  rh_status status = rh_params_resolve(&strategy, &setting, 1, values, &error);
  ck_assert_msg(status == RH_OK || value == param->initial, "%s", error.message);
  if (status == RH_OK) ck_assert_int_eq(values[0], value);
}

static void axis_is_legal(const rh_space_axis *axis) {
  int has_initial = 0;
  for (uint32_t k = 0; k < axis->n; k++) {
    if (k) ck_assert_int_lt(axis->values[k - 1], axis->values[k]);
    is_taken(axis->param, axis->values[k]);
    has_initial |= k == axis->initial && axis->values[k] == axis->param->initial;
  }
  ck_assert(has_initial);
}

TEST(values_are_legal) {
  static const struct {
    int64_t initial, min, max, step;
    uint32_t flags;
  } numbers[] = {
      {0, 0, 4096, 1, 0},
      {4, 1, 1024, 1, 0},
      {8, 1, 512, 1, RH_PARAM_POWER_OF_TWO},
      {0, 0, 1 << 20, 1, RH_PARAM_POWER_OF_TWO},
      {33, 5, 100000, 7, 0},
      {35, 5, 100000, 7, 0}, /* not one of its steps */
      {-3, -1000, 1000, 1, 0},
      {1, -1000, 1000, 7, 0},
      {1, INT64_MIN, INT64_MAX, 1, 0},
      {INT64_MAX, INT64_MAX - 3, INT64_MAX, 1, 0},
      {0, 0, INT64_MAX, INT64_MAX, 0},
  };
  enum { N = sizeof numbers / sizeof *numbers };
  for (uint32_t k = 0; k <= N; k++) {
    rh_space space;
    rh_param param = RH_CHOICE("finish", "host|device", 2, "");
    if (k < N) {
      param = (rh_param)RH_NUMBER("number", numbers[k].initial, numbers[k].min, numbers[k].max, "");
      param.step = numbers[k].step;
      param.flags = numbers[k].flags;
    }
    rh_space_init(&space, &param, 1);
    ck_assert_uint_eq(space.n_axes, 1);
    ck_assert_uint_eq(space.size, space.axes[0].n);
    ck_assert_uint_eq(space.initial, space.axes[0].initial);
    axis_is_legal(&space.axes[0]);
  }
}

static int has_value(const rh_space *space, uint32_t axis, int64_t value) {
  int has = 0;
  for (uint32_t k = 0; k < space->axes[axis].n; k++) has |= space->axes[axis].values[k] == value;
  return has;
}

TEST(what_the_user_chooses_is_not_searched) {
  rh_space space;
  rh_param params[2] = {usual[0], usual[1]};
  params[0].flags |= RH_PARAM_NOT_TUNED;
  rh_space_init(&space, params, 2);
  ck_assert_uint_eq(space.n_axes, 1);
  ck_assert_str_eq(space.axes[0].param->key, params[1].key);
}

TEST(long_ranges_are_sampled) {
  rh_space space;
  rh_space_init(&space, usual, 3);
  static const int64_t group[] = {0, 1, 2, 3, 4, 6, 256, 384, 3072, 4096};
  for (size_t k = 0; k < sizeof group / sizeof *group; k++)
    ck_assert(has_value(&space, 0, group[k]));
  ck_assert(!has_value(&space, 0, 5));
  ck_assert(has_value(&space, 1, 1) && has_value(&space, 1, 4 * 64));
  ck_assert(!has_value(&space, 1, 0) && !has_value(&space, 1, 512)); /* far from the default */
  ck_assert_uint_eq(space.axes[2].n, 2);
  ck_assert_uint_eq(space.size, (uint64_t)space.axes[0].n * space.axes[1].n * 2);
}

TEST(short_ranges_are_whole) {
  static const rh_param few[] = {RH_NUMBER("few", 3, 1, 9, ""), RH_NUMBER("one", 7, 7, 7, "")};
  rh_space space;
  rh_space_init(&space, few, 2);
  ck_assert_uint_eq(space.n_axes, 1); /* a parameter with one value is not searched */
  ck_assert_uint_eq(space.size, 9);
  rh_space_init(&space, NULL, 0);
  ck_assert_uint_eq(space.size, 1);
}

/* A parameter that tuned.json would reject is not searched either. */
TEST(choices_with_blanks) {
  static const rh_param ways[] = {RH_CHOICE("way", "slow way|quick way", 2, ""),
                                  RH_CHOICE("finish", "host|device", 2, "")};
  rh_space space;
  rh_space_init(&space, ways, 2);
  ck_assert_uint_eq(space.n_axes, 1);
  ck_assert_ptr_eq(space.axes[0].param, &ways[1]);
}

/* Parameters beyond the limit of a tuned entry, or beyond what can be counted, keep their
 * defaults. */
TEST(many_parameters) {
  rh_param many[40];
  char keys[40][16];
  rh_space space;
  for (int k = 0; k < 40; k++) {
    snprintf(keys[k], sizeof keys[k], "p%d", k);
    many[k] = (rh_param)RH_NUMBER(keys[k], 1, 1, 4096, "");
  }
  rh_space_init(&space, many, 40);
  ck_assert_uint_ge(space.n_axes, 2);
  ck_assert_uint_le(space.n_axes, RH_TUNED_MOST_SETTINGS);
  ck_assert_uint_lt(space.size, (uint64_t)1 << 48);
  uint64_t *neighbours = calloc(RH_SPACE_MOST_NEIGHBOURS, sizeof *neighbours);
  ck_assert_uint_gt(rh_space_neighbours(&space, space.size - 1, neighbours), 0);
  free(neighbours);
}

TEST(settings_and_back) {
  rh_space space;
  rh_tunedb_settings settings;
  uint64_t back, state = 3;
  rh_space_init(&space, usual, 3);
  ck_assert_uint_eq(rh_space_settings(&space, space.initial).n, 0);
  for (int k = 0; k < 500; k++) {
    uint64_t candidate = rh_random_next(&state) % space.size;
    settings = rh_space_settings(&space, candidate);
    ck_assert(rh_space_find(&space, &settings, &back));
    ck_assert_uint_eq(back, candidate);
    for (uint32_t j = 0; j < settings.n; j++) ck_assert_str_ne(settings.list[j].value, "");
  }
  settings = (rh_tunedb_settings){{{"group", "5"}}, 1}; /* legal, but outside the space */
  ck_assert(!rh_space_find(&space, &settings, &back));
}

static int64_t value_of(const rh_space *space, uint64_t candidate, uint32_t axis) {
  for (uint32_t k = 0; k < axis; k++) candidate /= space->axes[k].n;
  return space->axes[axis].values[candidate % space->axes[axis].n];
}

static int same(const void *a, const void *b) { return memcmp(a, b, sizeof(uint64_t)); }

static uint32_t differing(const rh_space *space, uint64_t a, uint64_t b) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < space->n_axes; k++) n += value_of(space, a, k) != value_of(space, b, k);
  return n;
}

TEST(neighbours_differ_in_one) {
  static uint64_t list[RH_SPACE_MOST_NEIGHBOURS], back[RH_SPACE_MOST_NEIGHBOURS];
  rh_space space;
  rh_space_init(&space, usual, 3);
  for (uint64_t candidate = 0; candidate < space.size; candidate++) {
    uint32_t n = rh_space_neighbours(&space, candidate, list);
    ck_assert_uint_ge(n, 3);
    for (uint32_t k = 0; k < n; k++) {
      ck_assert_uint_lt(list[k], space.size);
      ck_assert_uint_eq(differing(&space, candidate, list[k]), 1);
      size_t m = rh_space_neighbours(&space, list[k], back);
      ck_assert_ptr_nonnull(lfind(&candidate, back, &m, sizeof *back, same));
    }
  }
  /* "Automatic" stands for any other value. */
  uint32_t n = rh_space_neighbours(&space, space.initial, list);
  ck_assert_uint_eq(n, (space.axes[0].n - 1) + 2 + 1);
}

/* ---- The search ---- */

typedef struct landscape {
  const rh_space *space;
  uint32_t calls, repeated, declines_every;
  unsigned char seen[1 << 16];
  rh_status fails;
  uint32_t over_after;
  uint64_t first;
} landscape;

/* Smooth, with the least at group=128, groups_per_unit=24, finish=device. */
static double cost(const rh_space *space, uint64_t candidate) {
  int64_t group = value_of(space, candidate, 0);
  double x = log2(group ? (double)group : 256) - 7;
  double y = log2((double)value_of(space, candidate, 1) / 24);
  return 1e-5 * (1 + 0.1 * x * x + 0.05 * y * y + (value_of(space, candidate, 2) ? 0 : 0.3));
}

static rh_status measure(void *user, uint64_t candidate, double best_s, double *seconds,
                         rh_error *why) {
  landscape *l = user;
  ck_assert_uint_lt(candidate, l->space->size);
  if (l->calls == 0) l->first = candidate;
  l->calls++;
  l->repeated += l->seen[candidate]++;
  if (l->fails && l->calls == 5) return rh_fail(why, l->fails, "no more");
  *seconds = cost(l->space, candidate);
  if (*seconds > 1.2 * best_s) *seconds = INFINITY;
  if (l->declines_every && candidate % l->declines_every == 0) *seconds = 0;
  return RH_OK;
}

static int over(void *user, uint32_t measured) {
  landscape *l = user;
  return l->over_after && measured >= l->over_after;
}

static rh_space space; /* of `usual`, unless a test sets another */
static rh_tune_found found;
static landscape *l;

static void set_up(void) { rh_space_init(&space, usual, 3); }

static rh_tune_spec spec_of(uint64_t seed, uint32_t most) {
  free(l);
  l = calloc(1, sizeof *l);
  l->space = &space;
  return (rh_tune_spec){.space = &space,
                        .base = space.initial,
                        .seed = seed,
                        .most = most,
                        .measure = measure,
                        .is_over = over,
                        .user = l};
}

CASES(searches, .set_up = set_up)

TEST(small_space_is_searched_whole) {
  static const rh_param few[] = {RH_NUMBER("group", 8, 1, 8, ""), RH_NUMBER("groups", 4, 1, 4, ""),
                                 RH_CHOICE("finish", "host|device", 2, "")};
  rh_space_init(&space, few, 3);
  ck_assert_uint_eq(space.size, 64);
  for (uint64_t seed = 0; seed < 5; seed++) {
    rh_tune_spec spec = spec_of(seed, 1000);
    double initial_s = cost(&space, space.initial);
    ck_assert_int_eq(rh_tune_search(&spec, initial_s, &found, NULL), RH_OK);
    ck_assert_uint_eq(l->calls, 63); /* the defaults are known */
    ck_assert_uint_eq(l->repeated, 0);
    ck_assert(found.complete);
    double least = INFINITY;
    for (uint64_t k = 0; k < space.size; k++) least = fmin(least, cost(&space, k));
    ck_assert_double_eq(found.n ? found.best[0].seconds : initial_s, least);
  }
}

TEST(large_space_is_climbed) {
  ck_assert_uint_gt(space.size, 600);
  for (uint64_t seed = 0; seed < 20; seed++) {
    rh_tune_spec spec = spec_of(seed, 400);
    l->declines_every = seed % 2 ? 7 : 0;
    ck_assert_int_eq(rh_tune_search(&spec, cost(&space, space.initial), &found, NULL), RH_OK);
    ck_assert(found.complete);
    ck_assert_uint_eq(l->repeated, 0);
    ck_assert_uint_lt(found.measured, space.size / 4);
    ck_assert_uint_eq(found.n, RH_TUNE_FINALISTS);
    ck_assert_double_le(found.best[0].seconds, found.best[1].seconds);
    ck_assert_double_le(found.best[1].seconds, found.best[2].seconds);
    ck_assert_double_le(found.best[0].seconds, 1.02e-5);
  }
}

TEST(search_stays_within_its_bounds) {
  for (uint32_t most = 0; most < 60; most += 7) {
    rh_tune_spec spec = spec_of(most, most);
    ck_assert_int_eq(rh_tune_search(&spec, 1, &found, NULL), RH_OK);
    ck_assert_uint_le(found.measured, most);
    ck_assert_uint_eq(l->calls, found.measured);
    ck_assert(!found.complete);
    spec = spec_of(most, 1000);
    l->over_after = most + 1;
    ck_assert_int_eq(rh_tune_search(&spec, 1, &found, NULL), RH_OK);
    ck_assert_uint_le(found.measured, most + 1);
  }
}

TEST(hints_come_first) {
  rh_tune_spec spec = spec_of(1, 1);
  spec.hints[spec.n_hints++] = space.size - 5;
  ck_assert_int_eq(rh_tune_search(&spec, 1, &found, NULL), RH_OK);
  ck_assert_uint_eq(l->first, space.size - 5);
  ck_assert_uint_eq(found.n, 1);
  ck_assert_uint_eq(found.best[0].candidate, space.size - 5);
}

/* Where the base differs from them, in a space too large to be tried whole. */
TEST(the_plugins_defaults_are_tried) {
  for (int outside = 0; outside < 2; outside++) {
    rh_tune_spec spec = spec_of(1, 1);
    spec.base = outside ? RH_TUNE_OUTSIDE : space.size - 1;
    spec.hints[spec.n_hints++] = space.size - 5;
    ck_assert_uint_ne(space.initial, space.size - 1);
    ck_assert_int_eq(rh_tune_search(&spec, 1, &found, NULL), RH_OK);
    ck_assert_uint_eq(l->first, space.initial);
  }
}

TEST(seeds_decide) {
  landscape seen[3];
  for (uint32_t k = 0; k < 3; k++) {
    rh_tune_spec spec = spec_of(k == 2, 20);
    ck_assert_int_eq(rh_tune_search(&spec, 1, &found, NULL), RH_OK);
    seen[k] = *l;
  }
  ck_assert_mem_eq(seen[0].seen, seen[1].seen, sizeof seen->seen);
  ck_assert_mem_ne(seen[0].seen, seen[2].seen, sizeof seen->seen);
}

/* Nothing beats the best; and a failure ends the search. */
TEST(nothing_better_and_failures) {
  rh_tune_spec spec = spec_of(1, 400);
  ck_assert_int_eq(rh_tune_search(&spec, 1e-9, &found, NULL), RH_OK);
  ck_assert_uint_eq(found.n, 0);
  l->calls = 0;
  l->fails = RH_E_CANCELLED;
  ck_assert_int_eq(rh_tune_search(&spec, 1, &found, &error), RH_E_CANCELLED);
  ck_assert_uint_eq(l->calls, 5);
}

/* ---- The plan ---- */

static rh_task task(uint32_t strategy, uint64_t n, double time_s) {
  return (rh_task){.strategy = strategy,
                   .op = rh_operator_builtin(RH_OP_sum, RH_TYPE_f32),
                   .n = n,
                   .state = RH_TASK_measured,
                   .default_s = time_s,
                   .time_s = time_s,
                   .latency_s = time_s};
}

TEST(slow_ones_are_dropped) {
  rh_task tasks[] = {task(0, 1024, 1e-6), task(2, 1024, 51e-6), task(1, 1024, 49e-6),
                     task(2, 4096, 51e-6)};
  rh_plan_drop_slow(tasks, 4); /* and sorts them */
  for (int k = 0; k < 4; k++) {
    int slow = tasks[k].strategy == 2 && tasks[k].n == 1024; /* at another size it is the best */
    ck_assert_uint_eq(tasks[k].state, slow ? RH_TASK_slow : RH_TASK_measured);
  }
  rh_task todo = {.op = rh_operator_builtin(RH_OP_sum, RH_TYPE_f32), .n = 1024, .expected_s = 40};
  ck_assert(rh_plan_is_hopeless(tasks, 4, &todo));
  todo.expected_s = 0.01; /* however far behind: quickly done */
  ck_assert(!rh_plan_is_hopeless(tasks, 4, &todo));
  todo.expected_s = 15e-6;
  ck_assert(!rh_plan_is_hopeless(tasks, 4, &todo));
  todo.n = 99; /* nothing to compare with */
  todo.expected_s = 40;
  ck_assert(!rh_plan_is_hopeless(tasks, 4, &todo));
}

TEST(promising_ones_first) {
  rh_task tasks[] = {task(0, 1024, 1e-6), task(1, 1024, 9e-6), task(0, 4096, 8e-6),
                     task(1, 4096, 4e-6)};
  static const uint32_t order[][2] = {{1, 4096}, {0, 1024}, {0, 4096}, {1, 1024}};
  rh_plan_searching(tasks, 4);
  for (int k = 0; k < 4; k++) {
    ck_assert_uint_eq(tasks[k].strategy, order[k][0]);
    ck_assert_uint_eq(tasks[k].n, order[k][1]);
  }
}

/* The best at every size, then the others; known results do not take a place. */
TEST(measured_in_turns) {
  rh_task tasks[] = {task(0, 1024, 0), task(1, 1024, 0), task(2, 1024, 0),
                     task(0, 4096, 0), task(1, 4096, 0), task(2, 4096, 0)};
  static const uint32_t order[][2] = {{0, 1024}, {2, 1024}, {1, 1024},
                                      {2, 4096}, {1, 4096}, {0, 4096}};
  for (int k = 0; k < 6; k++) {
    tasks[k].state = k == 0 ? RH_TASK_measured : RH_TASK_todo;
    tasks[k].expected_s = 3 - tasks[k].strategy;
  }
  tasks[0].time_s = 0.5;
  rh_plan_measuring(tasks, 6, 2);
  for (int k = 0; k < 6; k++) {
    ck_assert_uint_eq(tasks[k].strategy, order[k][0]);
    ck_assert_uint_eq(tasks[k].n, order[k][1]);
  }
}

/* Each cut into segments is a point of its own. */
TEST(cuts_are_not_compared) {
  rh_task tasks[] = {task(0, 1 << 18, 1e-6), task(1, 1 << 18, 99e-6), task(1, 1 << 18, 98e-6)};
  tasks[1].cut = (rh_cut){16, RH_LENGTHS_fixed};
  tasks[2].cut = (rh_cut){16, RH_LENGTHS_columns};
  ck_assert(!rh_tasks_same_problem(&tasks[0], &tasks[1]));
  ck_assert(!rh_tasks_same_point(&tasks[1], &tasks[2]));
  rh_plan_drop_slow(tasks, 3);
  for (int k = 0; k < 3; k++) ck_assert_uint_eq(tasks[k].state, RH_TASK_measured);
  rh_task large = task(1, 1 << 20, 0);
  rh_plan_expect(tasks, 3, &large); /* of the whole array only the other strategy is known */
  ck_assert_double_eq(large.expected_s, 0);
}

TEST(smaller_sizes_tell) {
  rh_task tasks[] = {task(0, 1024, 1),     task(0, 1 << 16, 2),  task(0, 1 << 18, 4),
                     task(0, 1 << 22, 99), task(1, 1 << 18, 50), task(0, 1 << 20, 0)};
  rh_plan_expect(tasks, 6, &tasks[5]);
  ck_assert_double_eq(tasks[5].expected_s, 16);
  tasks[0].expected_s = 7;
  rh_plan_expect(tasks, 6, &tasks[0]); /* nothing smaller */
  ck_assert_double_eq(tasks[0].expected_s, 7);
}

TEST(shares_of_the_budget) {
  rh_task tasks[] = {task(0, 1024, 1e-6), task(1, 1024, 4e-6), task(2, 1024, 4e-6)};
  rh_plan_searching(tasks, 3);
  double first = rh_plan_share(tasks, 3, 0, 30, 30);
  ck_assert_double_eq_tol(first, 20, 1e-9); /* 1 : 1/4 : 1/4 */
  tasks[0].state = RH_TASK_tuned;
  ck_assert_double_eq_tol(rh_plan_share(tasks, 3, 1, 10, 30), 5, 1e-9);
  ck_assert_double_eq(rh_plan_share(tasks, 3, 1, 0.5, 30), 0); /* too little for anything */
  ck_assert_double_le(rh_plan_share(tasks, 3, 1, 1.5, 30), 1.5);
  ck_assert_double_gt(rh_plan_share(tasks, 3, 1, 0.5, 2), 0); /* unless the whole budget is small */
}

TEST(quickest_call) {
  rh_task tasks[] = {task(0, 1024, 1e-6), task(1, 1024, 2e-6), task(2, 1024, 0)};
  tasks[0].latency_s = 10e-6;
  tasks[1].latency_s = 9e-6;
  ck_assert_uint_eq(rh_plan_quickest(tasks, 3, tasks)->strategy, 1);
  tasks[0].latency_s = 9.1e-6; /* a tie: the one that leaves the device free earlier */
  ck_assert_uint_eq(rh_plan_quickest(tasks, 3, tasks)->strategy, 0);
  tasks[1].on_host = 1; /* a tie: the one that needs no device */
  ck_assert_uint_eq(rh_plan_quickest(tasks, 3, tasks)->strategy, 1);
  tasks[1].on_host = 0;
  tasks[0].passed_over = 1; /* `auto` never takes it */
  ck_assert_uint_eq(rh_plan_quickest(tasks, 3, tasks)->strategy, 1);
  tasks[0].passed_over = 0;
  tasks[0].state = RH_TASK_wrong;
  ck_assert_uint_eq(rh_plan_quickest(tasks, 3, tasks)->strategy, 1);
  ck_assert_ptr_null(rh_plan_quickest(tasks, 0, tasks));
}

TEST(what_has_changed) {
  rh_task one = task(0, 1024, 1);
  ck_assert(!rh_task_is_changed(&one));
  ck_assert_str_eq(rh_task_base_name(&one), "defaults");
  one.base = (rh_tunedb_settings){{{"group", "256"}, {"finish", "device"}}, 2};
  one.base_origin = RH_TUNED_SHIPPED;
  ck_assert_str_eq(rh_task_base_name(&one), "shipped");
  ck_assert(rh_task_is_changed(&one)); /* back to the plugin's defaults */
  one.settings = (rh_tunedb_settings){{{"finish", "device"}, {"group", "256"}}, 2};
  ck_assert(!rh_task_is_changed(&one)); /* in another order */
  strcpy(one.settings.list[0].value, "host");
  ck_assert(rh_task_is_changed(&one));
  rh_task_drop_base(&one);
  ck_assert(one.settings.n == 0 && one.base_origin == 0 && !rh_task_is_changed(&one));
}

/* ---- The verdict ---- */

static rh_row row(double median, double half) {
  rh_spread time = {.median = median, .samples = 20};
  time.ci_low = median - half;
  time.ci_high = median + half;
  time.min = median - 2 * half;
  time.max = median + 2 * half;
  return (rh_row){.status = RH_ROW_ok, .time = time};
}

TEST(better_by_more_than_noise) {
  const rh_tunedb_settings settings[] = {{.n = 0}, {.n = 2}, {.n = 1}};
  rh_row rows[] = {row(100, 1), row(90, 1), row(95, 1)};
  ck_assert_uint_eq(rh_tune_candidate_decide(rows, settings, 3), 1);
  rows[2] = row(90.5, 1); /* as good, and simpler */
  ck_assert_uint_eq(rh_tune_candidate_decide(rows, settings, 3), 2);
  rows[0] = row(100, 0.1);
  rows[1] = row(99.5, 0.1); /* less than a percent */
  ck_assert_uint_eq(rh_tune_candidate_decide(rows, settings, 2), 0);
  rows[1] = row(95, 5); /* within the noise */
  ck_assert_uint_eq(rh_tune_candidate_decide(rows, settings, 2), 0);
  rows[1] = row(97, 1); /* the intervals do not meet, but the samples do */
  rows[1].time.samples = 5;
  rows[0] = row(100, 1);
  ck_assert_uint_eq(rh_tune_candidate_decide(rows, settings, 2), 0);
  rows[1] = row(50, 1);
  ck_assert_uint_eq(rh_tune_candidate_decide(rows, settings, 2), 1);
  rows[1].time.samples = 2;
  ck_assert_uint_eq(rh_tune_candidate_decide(rows, settings, 2), 0);
  rows[1] = row(50, 1);
  rows[1].status = RH_ROW_wrong; /* a wrong answer has no time */
  ck_assert_uint_eq(rh_tune_candidate_decide(rows, settings, 2), 0);
}
