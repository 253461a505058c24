/* V60: one instance in many places, next to others. */
#include "internal.h"

enum {
  INSTANCES = 3,
  PLACES = 4,
  RUNS = 1200,
  RUNS_QUICK = 240,
  BETWEEN_LOOKS = 24,
  SOME_PAIRS = 6
};

static const uint64_t max_n[INSTANCES] = {5003, 20011, 257};

/* Numbers that expose truncation: around 2^7, 2^8, 2^15 and 2^16. */
static const uint64_t boundaries[] = {
    0,    1,    2,    3,     4,     17,    64,    127,   128,   129,   255,   256,   257,   258,
    4095, 4096, 4097, 32767, 32768, 32769, 65535, 65536, 65537, 65538, 70000, 70001, 131073};
/* Two of each: a released place is replaced by one of another shape. */
static const struct {
  uint64_t elements, slots;
} shapes[PLACES][2] = {
    {{5003, 1}, {5010, 259}},
    {{90001, 70003}, {140001, 300}},
    {{5600, 9001}, {20012, 66001}},
    {{70100, 131100}, {90017, 5}},
};

typedef struct rh_moves {
  rh_rig rigs[INSTANCES];
  rh_fixture places[PLACES];
  uint64_t state; /* of random numbers */
} rh_moves;

/* Its input is full of data, so that different ranges have different answers. */
static rh_status fill_place(rh_moves *m, int k) {
  rh_rig *rig = &m->rigs[0];
  rig->place = &m->places[k];
  return rh_rig_fill(rig, "hash", rh_random_next(&m->state) >> 1, rig->place->elements, 0);
}

static rh_status make_place(rh_moves *m, int k, int shape) {
  rh_rig *rig = &m->rigs[0];
  RH_TRY(rh_fixture_make(&m->places[k], rig->session, &rig->row, NULL, shapes[k][shape].elements,
                         shapes[k][shape].slots, rig->error));
  return fill_place(m, k);
}

/* 0 to most: often one of the boundary numbers, or near the end. */
static uint64_t pick_number(uint64_t *state, uint64_t most) {
  uint64_t random = rh_random_next(state) >> 8, one = boundaries[random / 4 % RH_COUNT(boundaries)];
  if (random % 4 == 0) return random / 4 % (most + 1);
  if (random % 4 == 1 && one > 2) return most;
  return one <= most ? one : one % (most + 1);
}

static rh_status check_all(rh_moves *m, int with_inputs) {
  rh_error *error = m->rigs[0].error;
  for (int k = 0; k < PLACES; k++) {
    RH_TRY(rh_fixture_check_result(&m->places[k], error));
    if (with_inputs) RH_TRY(rh_fixture_check_input(&m->places[k], error));
  }
  return RH_OK;
}

/* Any instance, any range, any place. */
static rh_status run_somewhere(rh_moves *m, uint32_t run) {
  rh_rig *rig = &m->rigs[rh_random_next(&m->state) % INSTANCES];
  rh_fixture *place = &m->places[(rh_random_next(&m->state) >> 4) % PLACES];
  uint64_t most = rig->max_n < place->elements ? rig->max_n : place->elements;
  rig->n = most - pick_number(&m->state, most - 1);
  rig->first = pick_number(&m->state, place->elements - rig->n);
  rig->place = place;
  rh_status status = rh_fixture_aim(place, pick_number(&m->state, place->slots - 1), rig->error);
  if (status == RH_OK) status = rh_rig_run(rig);
  if (status == RH_OK) status = rh_rig_judge(rig, rig->value);
  return rh_error_prefix(
      rig->error, status,
      "run %u, %s of %s, n = %llu of at most %llu, first = %llu, result_index = %llu", run,
      rh_op_name(rig->op), rh_type_name(rig->type), (unsigned long long)rig->n,
      (unsigned long long)rig->max_n, (unsigned long long)rig->first,
      (unsigned long long)place->index);
}

/* Replaces some buffers, refills others, and sets one instance up again. */
static rh_status change_something(rh_moves *m, rh_trial *trial, uint32_t run, uint32_t runs) {
  rh_rig *rig = &m->rigs[2];
  int k = (int)(run / BETWEEN_LOOKS % PLACES);
  RH_TRY(check_all(m, run == runs / 2));
  RH_TRY(fill_place(m, k));
  if (run != runs / 2) return RH_OK;
  for (k = 0; k < PLACES - 1; k++) RH_TRY(make_place(m, k, 1));
  rh_pair pair = {rig->op, rig->type};
  rh_rig_finish(rig);
  return rh_rig_open(rig, trial, pair, max_n[2], NULL);
}

static rh_status move_about(rh_moves *m, rh_trial *trial, rh_pair pair) {
  uint32_t runs = trial->quick ? RUNS_QUICK : RUNS;
  for (int k = 0; k < INSTANCES; k++) RH_TRY(rh_rig_open(&m->rigs[k], trial, pair, max_n[k], NULL));
  for (int k = 0; k < PLACES; k++) RH_TRY(make_place(m, k, 0));
  for (uint32_t run = 1; run <= runs; run++) {
    RH_TRY(run_somewhere(m, run));
    if (run % BETWEEN_LOOKS == 0) RH_TRY(change_something(m, trial, run, runs));
  }
  return check_all(m, 1);
}

RH_TEST(60, "one instance in many places, next to others", RH_RUN_TEST(3, 0.4)) {
  static rh_moves m; /* too large for a stack */
  rh_pairs pairs;
  RH_TRY(rh_served_pairs(trial, max_n[1], 2, &pairs));
  for (uint32_t k = 0; k < pairs.n && k < SOME_PAIRS; k++) {
    memset(&m, 0, sizeof m);
    m.state = trial->seed + k;
    rh_status status = move_about(&m, trial, pairs.list[k]);
    for (int j = 0; j < PLACES; j++) rh_fixture_finish(&m.places[j]);
    for (int j = 0; j < INSTANCES; j++) rh_rig_finish(&m.rigs[j]);
    RH_TRY(status);
  }
  return RH_OK;
}
