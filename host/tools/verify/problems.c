#include "internal.h"

/* The likeliest to expose a fault first: exact sums show lost elements; argmin, order and ties;
 * f16, the accumulator; prod, its range; pairs of 16 bytes, alignment. */
static const rh_pair priority_pairs[] = {
    {RH_OP_sum, RH_TYPE_u32},    {RH_OP_sum, RH_TYPE_f32},   {RH_OP_argmin, RH_TYPE_f32},
    {RH_OP_max, RH_TYPE_f64},    {RH_OP_sum, RH_TYPE_u8},    {RH_OP_sum, RH_TYPE_f16},
    {RH_OP_prod, RH_TYPE_f32},   {RH_OP_argmax, RH_TYPE_i8}, {RH_OP_affine, RH_TYPE_u64},
    {RH_OP_min, RH_TYPE_i16},    {RH_OP_xor, RH_TYPE_u64},   {RH_OP_sum, RH_TYPE_f64},
    {RH_OP_argmin, RH_TYPE_f64}, {RH_OP_sum, RH_TYPE_i64},
};

static void add_pair(rh_pairs *pairs, rh_pair pair) {
  for (uint32_t k = 0; k < pairs->n; k++)
    if (pairs->list[k].op == pair.op && pairs->list[k].type == pair.type) return;
  pairs->list[pairs->n++] = pair;
}

rh_status rh_served_pairs(rh_trial *trial, uint64_t max_n, uint32_t most_when_quick,
                          rh_pairs *pairs) {
  enum { FIRST = RH_COUNT(priority_pairs) };
  rh_instance_spec spec = {.strategy = trial->strategy, .max_n = max_n};
  rh_answer answer = {0};
  pairs->n = 0;
  RH_TRY(rh_trial_device(trial));
  rh_params_resolve(trial->strategy, NULL, 0, spec.params, NULL);
  const rh_device *device = trial->session ? trial->device : NULL;
  rh_trial_phase(trial, "query");
  for (uint32_t k = 0; k < FIRST + RH_MOST_PAIRS; k++) {
    uint32_t at = k - FIRST;
    rh_pair all = {1 + at / RH_N_TYPES, 1 + at % RH_N_TYPES};
    rh_pair pair = k < FIRST ? priority_pairs[k] : all;
    spec.op = rh_operator_builtin(pair.op, pair.type);
    if (spec.op && rh_instance_query(&spec, device, &answer, &trial->error) == RH_OK)
      add_pair(pairs, pair);
  }
  if (pairs->n == 0)
    return rh_trial_skip(trial, "serves nothing here: %s",
                         answer.reason[0] ? answer.reason : trial->error.message);
  if (trial->quick && pairs->n > most_when_quick) pairs->n = most_when_quick;
  return RH_OK;
}

rh_status rh_pair_kinds(rh_trial *trial, uint64_t max_n, rh_pairs *kinds) {
  enum { KINDS = 3 };
  rh_pairs pairs;
  kinds->n = 0;
  RH_TRY(rh_served_pairs(trial, max_n, RH_MOST_PAIRS, &pairs));
  for (uint32_t kind = 0; kind < KINDS; kind++)
    for (uint32_t k = 0; k < pairs.n; k++) {
      uint32_t flags = rh_op_flags(pairs.list[k].op, pairs.list[k].type);
      if ((kind == 1 && flags & RH_OP_EXACT) || (kind == 2 && !(flags & RH_OP_INDEXED))) continue;
      add_pair(kinds, pairs.list[k]);
      break;
    }
  return RH_OK;
}

rh_status rh_try_pair(rh_trial *trial, rh_pair pair, uint64_t max_n, const rh_rig_with *with,
                      rh_try_rig *try) {
  RH_FINISHED(rh_rig) rig;
  RH_TRY(rh_rig_open(&rig, trial, pair, max_n, with));
  return try ? try(&rig, trial->seed) : RH_OK;
}

rh_status rh_try_pairs(rh_trial *trial, uint64_t max_n, uint32_t most_when_quick,
                       int (*wanted)(rh_pair), const rh_rig_with *with, rh_try_rig *try) {
  rh_pairs pairs;
  uint32_t tried = 0;
  RH_TRY(rh_served_pairs(trial, max_n, RH_MOST_PAIRS, &pairs));
  for (uint32_t k = 0; k < pairs.n; k++) {
    if (wanted && !wanted(pairs.list[k])) continue;
    if (trial->quick && tried++ == (trial->quick > 1 ? 1 : most_when_quick)) break;
    RH_TRY(rh_try_pair(trial, pairs.list[k], max_n, with, try));
  }
  return RH_OK;
}

rh_status rh_try_one(rh_trial *trial, uint64_t max_n, enum rh_rig_layout layout, rh_try_rig *try) {
  rh_pairs pairs;
  RH_TRY(rh_served_pairs(trial, max_n, 1, &pairs));
  return rh_try_pair(trial, pairs.list[0], max_n, &(rh_rig_with){.layout = layout}, try);
}

rh_status rh_one_case(rh_rig *rig, uint64_t seed) {
  return rh_rig_case(rig, "hash", seed, rig->max_n, 0);
}

rh_status rh_try_any_problem(rh_trial *trial, uint64_t max_n) {
  return rh_try_one(trial, max_n, RH_RIG_PLAIN, rh_one_case);
}

/* ---- Devices ---- */

/* Descriptions of typical devices, for queries; k = 0 is an ordinary GPU.  Returns 0 after the
 * last. */
static int common_device(uint32_t k, rh_device *device) {
  *device =
      (rh_device){.struct_size = sizeof(rh_device),
                  .kind = RH_DEVICE_GPU,
                  .cl_version = 300,
                  .vendor_id = 1,
                  .compute_units = 16,
                  .max_group = 256,
                  .subgroup_min = 32,
                  .subgroup_max = 32,
                  .local_bytes = 32768,
                  .global_bytes = (uint64_t)1 << 33,
                  .max_alloc_bytes = (uint64_t)1 << 31,
                  .features = RH_FP64 | RH_INT64_ATOMICS | RH_SUBGROUPS | RH_WORK_GROUP_COLLECTIVES,
                  .name = "a device for queries",
                  .driver = "1",
                  .extensions = ""};
  switch (k) {
  case 1:
    device->kind = RH_DEVICE_CPU;
    device->max_group = 4096;
    break;
  case 2:
    device->kind = RH_DEVICE_ACCELERATOR;
    device->cl_version = 120;
    break;
  case 3: /* 0 means "unknown" */
    device->local_bytes = device->global_bytes = device->max_alloc_bytes = 0;
    device->subgroup_min = device->subgroup_max = device->cl_version = device->vendor_id = 0;
    break;
  case 4:
    device->compute_units = 1u << 20;
    device->max_group = 1u << 16;
    break;
  case 5: *device = *rh_host_device();
  }
  return k <= 5;
}

/* Varies what plans may depend on: numbers, features and names. */
int rh_other_device(const rh_device *real, uint32_t k, rh_device *device, char how[160]) {
  static const uint32_t units[] = {1, 2, 3, 7, 64, 132},
                        groups[] = {1, 32, 64, 128, 256, 512, 1024}, lanes[] = {1, 8, 16, 32, 64};
  static const uint64_t features[] = {RH_SUBGROUPS | RH_INTEL_SUBGROUP_BLOCKS,
                                      RH_WORK_GROUP_COLLECTIVES, RH_INT64_ATOMICS,
                                      RH_DEVICE_SCOPE_ATOMICS};
  static const char *const names[] = {"other names", "another kind",
                                      "less memory and OpenCL C 1.2"};
  enum { UNITS = 6, GROUPS = 7, LOCALS = 3, LANES = 5, FEATURES = 4, NAMES = 3 };
  *device = *real;
  if (k < UNITS) {
    device->compute_units = units[k];
    snprintf(how, 160, "%u compute units", units[k]);
  } else if ((k -= UNITS) < GROUPS) {
    if (groups[k] < real->max_group) device->max_group = groups[k];
    snprintf(how, 160, "work-groups of at most %u", device->max_group);
  } else if ((k -= GROUPS) < LOCALS) {
    device->local_bytes = real->local_bytes >> (2 * k + 2);
    snprintf(how, 160, "%llu B of local memory", (unsigned long long)device->local_bytes);
  } else if ((k -= LOCALS) < LANES) {
    /* Kernels rely on the real sub-group size, if there is one. */
    if (!(real->features & RH_SUBGROUPS) && real->kind == RH_DEVICE_CPU)
      device->subgroup_min = device->subgroup_max = lanes[k];
    snprintf(how, 160, "sub-groups of %u", lanes[k]);
  } else if ((k -= LANES) < FEATURES) {
    device->features &= ~features[k];
    snprintf(how, 160, "features 0x%llx", (unsigned long long)device->features);
  } else if ((k -= FEATURES) < NAMES) {
    snprintf(how, 160, "%s", names[k]);
    device->name = "another device";
    device->driver = "1.0";
    device->vendor_id = 1;
    if (k == 1 && real->kind != RH_DEVICE_HOST)
      device->kind = real->kind == RH_DEVICE_CPU ? RH_DEVICE_GPU : RH_DEVICE_CPU;
    if (k < 2) return 1;
    device->global_bytes = real->global_bytes / 4;
    device->max_alloc_bytes = real->max_alloc_bytes / 4;
    device->cl_version = 120;
  } else {
    return 0;
  }
  return 1;
}

/* ---- Points ---- */

/* A random legal value of the parameter. */
static int64_t random_value(const rh_param *param, uint64_t *state) {
  uint64_t span = (uint64_t)param->max - (uint64_t)param->min;
  /* Uniform in the magnitude: ranges are wide, and most faults show at small values. */
  uint64_t bits = rh_random_next(state) % 33, mask = ((uint64_t)1 << bits) - 1;
  uint64_t offset = rh_random_next(state) & mask;
  int64_t value = param->min + (int64_t)(span == UINT64_MAX ? offset : offset % (span + 1));
  if (param->step > 1) value -= (value - param->min) % param->step;
  if (param->flags & RH_PARAM_POWER_OF_TWO) {
    value = (int64_t)1 << rh_random_next(state) % 12;
    if (value < param->min) value = param->min;
    if (value > param->max) value = param->max;
  }
  return value;
}

int64_t rh_end_value(const rh_param *param, int greatest) {
  int64_t value = greatest ? param->max : param->min;
  if (greatest && param->step > 1) value -= (value - param->min) % param->step;
  if (!(param->flags & RH_PARAM_POWER_OF_TWO) || rh_param_allows(param, value)) return value;
  for (value = 1; value <= param->max / 2 && (greatest || value < param->min);) value *= 2;
  return value;
}

uint32_t rh_n_points(const rh_strategy *strategy, uint32_t random) {
  return strategy->n_params == 0 ? 1 : 1 + 2 * strategy->n_params + 2 + random;
}

void rh_point(const rh_trial *trial, uint32_t k, int64_t params[RH_MAX_PARAMS]) {
  const rh_strategy *strategy = trial->strategy;
  uint32_t n = strategy->n_params;
  rh_params_resolve(strategy, NULL, 0, params, NULL);
  if (k == 0 || n == 0) return;
  if (--k < 2 * n) {
    params[k / 2] = rh_end_value(rh_strategy_param(strategy, k / 2), k % 2);
    return;
  }
  k -= 2 * n;
  uint64_t state = rh_random_mix(trial->seed + k);
  for (uint32_t j = 0; j < n; j++)
    params[j] = k < 2 ? rh_end_value(rh_strategy_param(strategy, j), (int)k)
                      : random_value(rh_strategy_param(strategy, j), &state);
}

void rh_point_words(const rh_strategy *strategy, const int64_t *params, rh_text *words) {
  int64_t usual[RH_MAX_PARAMS];
  rh_params_resolve(strategy, NULL, 0, usual, NULL);
  for (uint32_t k = 0; k < strategy->n_params; k++) {
    char value[64];
    const rh_param *param = rh_strategy_param(strategy, k);
    if (params[k] == usual[k]) continue;
    rh_param_format(param, params[k], value, sizeof value);
    rh_text_add(words, " --param %s=%s", param->key, value);
  }
}

/* ---- Questions ---- */

/* Every struct of a question. */
typedef struct copies {
  rh_op op;
  rh_device device;
  rh_problem problem;
  int64_t params[RH_MAX_PARAMS];
  rh_answer answer;
} copies;

void rh_ask(const rh_strategy *strategy, rh_question *q) {
  enum { PLACES = 61, STEP = 16 };
  static __thread _Alignas(16) unsigned char room[sizeof(copies) + PLACES * STEP];
  static __thread size_t asked;
  copies *there = (copies *)(void *)(room + asked++ % PLACES * STEP);
  const rh_type of = q->type - 1 < RH_N_TYPES ? q->type : RH_TYPE_u32;
  *there = (copies){.op = *rh_op_find(q->op, of), .device = q->device};
  there->problem = (rh_problem){.struct_size = sizeof there->problem,
                                .type = q->type,
                                .op = &there->op,
                                .device = &there->device,
                                .max_n = q->n};
  memcpy(there->params, q->params, sizeof there->params);
  there->answer.struct_size = sizeof there->answer;
  q->said = strategy->query(&there->problem, there->params, &there->answer);
  q->answer = there->answer;
}

int rh_asks_again(const rh_strategy *strategy, const rh_question *q) {
  rh_question again = *q;
  rh_ask(strategy, &again);
  return again.said == q->said && memcmp(&again.answer, &q->answer, sizeof q->answer) == 0;
}

int rh_reaches_query(const rh_strategy *strategy, const rh_question *q) {
  if (!rh_op_is_defined(q->op, q->type) ||
      !(strategy->device_kinds & (q->device.kind | RH_DEVICE_HOST)))
    return 0;
  return rh_op_flags(q->op, q->type) & RH_OP_COMMUTATIVE || strategy->promises & RH_KEEPS_ORDER;
}

rh_question rh_first_question(rh_trial *trial) {
  rh_question q = {0};
  common_device(0, &q.device);
  rh_params_resolve(trial->strategy, NULL, 0, q.params, NULL);
  rh_trial_phase(trial, "query");
  return q;
}

int rh_next_question(const rh_trial *trial, rh_question *q) {
  static const uint64_t sizes[] = {
      0, 1, 1000, (uint64_t)1 << 24, ((uint64_t)1 << 32) + 3, (uint64_t)1 << 40};
  do {
    uint32_t at = q->next++, pair = at / RH_N_ASKED % RH_MOST_PAIRS;
    if (!common_device(at / RH_N_ASKED / RH_MOST_PAIRS, &q->device)) return 0;
    q->n = sizes[at % RH_N_ASKED];
    q->op = 1 + pair / RH_N_TYPES;
    q->type = 1 + pair % RH_N_TYPES;
  } while (!rh_reaches_query(trial->strategy, q));
  rh_ask(trial->strategy, q);
  return 1;
}

rh_status rh_question_fail(rh_trial *trial, const rh_question *q, const char *format, ...) {
  char text[512];
  va_list args;
  uint32_t kind = q->device.kind;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return rh_trial_fail(trial, "%s of %s on %s, n = %llu: %s", rh_op_name(q->op),
                       rh_type_name(q->type),
                       kind == RH_DEVICE_HOST  ? "the host"
                       : kind == RH_DEVICE_CPU ? "a CPU"
                       : kind == RH_DEVICE_GPU ? "a GPU"
                                               : "an accelerator",
                       (unsigned long long)q->n, text);
}
