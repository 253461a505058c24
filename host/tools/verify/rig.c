#include "rig.h"
#include "../../core/base/error.h"
#include "../../core/base/fpstate.h"
#include "../../core/base/vocabulary.h"
#include "../../core/operation/ops.h"
#include "../../core/operation/result.h"
#include "../../core/plug/plugin.h"
#include "../../core/plug/validate.h"
#include "../../core/run/instance.h"
#include "watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { RESULT_SLOTS = 3, TAIL = 256 };

/* ---- Structs as the plugin sees them ---- */

static size_t page_bytes(void) {
  return (size_t)sysconf(_SC_PAGESIZE);
}

/* A copy of a struct whose first field is its size; size_1_0: its size in ABI 1.0. */
static void *place(rh_rig *rig, const void *from, size_t size, size_t size_1_0) {
  size_t kept = rig->layout == RH_RIG_EXACT ? size_1_0 : size;
  size_t whole = (kept + TAIL + page_bytes() - 1) / page_bytes() * page_bytes();
  size_t bytes = whole + page_bytes();
  if (rig->n_structs == RH_RIG_STRUCTS) return NULL;
  unsigned char *memory =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return NULL;
  rig->structs[rig->n_structs].address = memory;
  rig->structs[rig->n_structs++].bytes = bytes;
  mprotect(memory + whole, page_bytes(), PROT_NONE);
  unsigned char *at = rig->layout == RH_RIG_EXACT ? memory + whole - kept : memory;
  if (rig->layout == RH_RIG_GROWN) memset(at, 0xA5, kept + TAIL);
  memcpy(at, from, kept);
  uint32_t said = (uint32_t)(rig->layout == RH_RIG_GROWN ? kept + TAIL : kept);
  memcpy(at, &said, sizeof said);
  return at;
}

#define PLACE(rig, s, T, last) place(rig, s, sizeof(T), RH_SIZE_1_0(T, last))

static void free_structs(rh_rig *rig) {
  while (rig->n_structs) {
    rig->n_structs--;
    munmap(rig->structs[rig->n_structs].address, rig->structs[rig->n_structs].bytes);
  }
}

/* ---- Beginning ---- */

rh_status rh_rig_begin(rh_rig *rig, rh_trial *trial, uint32_t op, rh_type type, uint64_t max_n) {
  *rig = (rh_rig){.trial = trial,
                  .strategy = trial->strategy,
                  .op = op,
                  .type = type,
                  .max_n = max_n,
                  .poison = RH_POISON,
                  .device = rh_host_device()};
  RH_TRY(rh_params_resolve(rig->strategy, NULL, 0, rig->params, &rig->error));
  if (!rh_strategy_is_host(rig->strategy)) {
    RH_TRY(rh_context_session(trial->context, &rig->session, &rig->error));
    rig->device = &rig->session->device->about;
  }
  rig->row = *rh_op_find(op, type);
  rig->prelude = rh_op_prelude(op, type);
  if (!rig->prelude) return rh_fail(&rig->error, RH_E_NOMEM, "no memory for a program's source");
  rig->row.prelude = rig->prelude;
  return RH_OK;
}

rh_status rh_rig_init(rh_rig *rig, rh_trial *trial, uint32_t op, rh_type type, uint64_t max_n) {
  RH_TRY(rh_rig_begin(rig, trial, op, type, max_n));
  rig->place = &rig->own;
  return rh_fixture_init(rig->place, rig->session, &rig->row, 2 * RH_AROUND + max_n, RESULT_SLOTS,
                         &rig->error);
}

static rh_problem problem_of(const rh_rig *rig, uint64_t n) {
  return (rh_problem){.struct_size = sizeof(rh_problem),
                      .type = rig->type,
                      .op = &rig->row,
                      .device = rig->device,
                      .max_n = n};
}

/* With the host's own checks. */
static rh_status rig_query(rh_rig *rig) {
  rh_problem problem = problem_of(rig, rig->max_n);
  rh_trial_phase(rig->trial, "query");
  rh_footprint_enter(rig->footprint);
  rh_status status =
      rh_strategy_query(rig->strategy, &problem, rig->params, &rig->answer, &rig->error);
  rh_footprint_leave(rig->footprint);
  rh_footprint_judge(rig->footprint, "query", 1);
  return status;
}

/* ---- Setup and teardown ---- */

/* The problem in the layout under test, and a direct call of query. */
static rh_problem *place_problem(rh_rig *rig) {
  rh_op *row = PLACE(rig, &rig->row, rh_op, fold);
  rh_device *device = PLACE(rig, rig->device, rh_device, extensions);
  rh_problem problem = problem_of(rig, rig->max_n);
  problem.op = row;
  problem.device = device;
  return row && device ? PLACE(rig, &problem, rh_problem, max_n) : NULL;
}

static rh_status ask_directly(rh_rig *rig, const rh_problem *problem) {
  rh_answer *answer = PLACE(rig, &(rh_answer){0}, rh_answer, reason);
  if (!answer) return rh_fail(&rig->error, RH_E_NOMEM, "no memory for an answer");
  if (rig->strategy->query(problem, rig->params, answer) == RH_OK) return RH_OK;
  return rh_fail(&rig->error, RH_DECLINED, "%.*s", (int)sizeof answer->reason - 1, answer->reason);
}

rh_status rh_rig_setup(rh_rig *rig) {
  rh_status status = rig_query(rig);
  if (status == RH_DECLINED) rh_fail(&rig->error, RH_DECLINED, "%s", rig->answer.reason);
  return status == RH_OK ? rh_rig_setup_anyway(rig) : status;
}

rh_status rh_rig_setup_anyway(rh_rig *rig) {
  rh_services_init(&rig->services, rig->session, rig->prelude, rig->strategy->name, NULL);
  rh_host watched = rh_watching_host(rig);
  rig->host = PLACE(rig, &watched, rh_host, extension);
  rh_problem *problem = place_problem(rig);
  if (!rig->host || !problem) return rh_fail(&rig->error, RH_E_NOMEM, "no memory for a problem");
  if (rig->layout == RH_RIG_GROWN) rig->host->abi_minor = 7;
  if (rig->layout != RH_RIG_PLAIN) RH_TRY(ask_directly(rig, problem));
  rh_services_enter(&rig->services, RH_PHASE_SETUP, &rig->error);
  rig->error = (rh_error){0};
  rh_trial_phase(rig->trial, "setup");
  rh_fpstate before = rh_fpstate_save();
  rh_footprint_enter(rig->footprint);
  rh_status status = rig->strategy->setup(rig->host, problem, rig->params, &rig->self);
  rh_footprint_leave(rig->footprint);
  if (rh_fpstate_restore(&before)) rig->left_fpstate = "setup";
  rh_footprint_judge(rig->footprint, status == RH_OK ? "setup" : "setup that fails",
                     status != RH_OK);
  rig->services.phase = RH_PHASE_NONE;
  rig->is_set_up = status == RH_OK;
  if (status != RH_OK && !rig->error.message[0])
    rh_fail(&rig->error, status, "%s, and the plugin gave no reason", rh_status_text(status));
  return status;
}

void rh_rig_teardown(rh_rig *rig) {
  if (!rig->is_set_up) return;
  rig->is_set_up = 0;
  rh_trial_phase(rig->trial, "teardown");
  rh_services_enter(&rig->services, RH_PHASE_TEARDOWN, NULL);
  rh_fpstate before = rh_fpstate_save();
  rh_footprint_enter(rig->footprint);
  if (rig->strategy->teardown) rig->strategy->teardown(rig->self);
  rh_footprint_leave(rig->footprint);
  if (rh_fpstate_restore(&before)) rig->left_fpstate = "teardown";
  rh_footprint_judge(rig->footprint, "teardown", 1);
  rig->services.phase = RH_PHASE_NONE;
  rig->has_ended = 1;
}

void rh_rig_finish(rh_rig *rig) {
  rh_rig_teardown(rig);
  if (rig->services.host.struct_size) rh_services_finish(&rig->services);
  if (rig->fence) rh_fence_finish(rig->fence);
  rh_fixture_finish(&rig->own);
  rh_array_finish(&rig->array);
  free_structs(rig);
  free(rig->prelude);
  memset(rig, 0, sizeof *rig);
}

/* ---- Running ---- */

rh_status rh_rig_fill(rh_rig *rig, const char *kind, uint64_t seed, uint64_t n, uint64_t first) {
  uint32_t size = rig->row.element_size;
  rh_array_finish(&rig->array);
  RH_TRY(rh_array_generate(&rig->array, kind, seed, rig->type, n, NULL, &rig->error));
  rig->first = first;
  rig->n = n;
  rig->data = rh_array_data(&rig->array);
  memset(rig->place->memory, rig->poison, rig->place->elements * size);
  if (n) memcpy(rig->place->memory + first * size, rig->data, n * size);
  return rh_fixture_write(rig->place, &rig->error);
}

rh_status rh_rig_run(rh_rig *rig, unsigned char value[16]) {
  rh_fixture *where = rig->place;
  rh_run run = {.struct_size = sizeof run,
                .first = rig->first,
                .n = rig->n,
                .input = where->input,
                .host_input = where->memory,
                .result = where->result,
                .result_index = where->index,
                .host_result = rh_fixture_host_result(where)};
  RH_TRY(rh_fixture_clear(where, &rig->error));
  uint32_t kept = rig->n_structs;
  rh_run *placed = PLACE(rig, &run, rh_run, host_result);
  if (!placed) return rh_fail(&rig->error, RH_E_NOMEM, "no memory for a run");
  rig->reads = 0;
  rig->error = (rh_error){0};
  rh_services_enter(&rig->services, RH_PHASE_RUN, &rig->error);
  rh_trial_phase(rig->trial, "run");
  rh_fpstate before = rh_fpstate_save();
  rh_footprint_enter(rig->footprint);
  rh_status status = rig->strategy->run(rig->self, placed);
  /* so that kernels' output has appeared */
  if (rig->footprint && rig->session) clFinish(rig->session->queue);
  rh_footprint_leave(rig->footprint);
  if (rh_fpstate_restore(&before)) rig->left_fpstate = "run";
  rh_footprint_judge(rig->footprint, "run", 0);
  rig->services.phase = RH_PHASE_NONE;
  rig->launches = rig->services.launches;
  munmap(rig->structs[kept].address, rig->structs[kept].bytes);
  rig->n_structs = kept;
  if (status == RH_OK)
    return rh_fixture_fetch(where, (int)rig->answer.finishes_on_host, value, &rig->error);
  if (!rig->error.message[0])
    rh_fail(&rig->error, status, "%s, and the plugin gave no reason", rh_status_text(status));
  return status < RH_OK ? status : RH_E_INTERNAL;
}

/* ---- Checking the result ---- */

int rh_rig_same(const rh_rig *rig, const unsigned char *a, const unsigned char *b) {
  return rh_op_same_values(&rig->row, rig->type, a, b);
}

/* The depth declared for this n, which may be less than that of max_n. */
static uint64_t declared_depth(const rh_rig *rig, uint64_t n) {
  rh_problem problem = problem_of(rig, n);
  rh_answer answer;
  rh_error unused;
  return rh_strategy_query(rig->strategy, &problem, rig->params, &answer, &unused) == RH_OK
             ? answer.depth
             : 0;
}

static rh_status judge_identity(rh_rig *rig, const unsigned char *value) {
  if (rh_rig_same(rig, value, rig->row.identity)) return RH_OK;
  return rh_fail(&rig->error, RH_E_WRONG, "n = 0 does not give the identity");
}

rh_status rh_rig_judge(rh_rig *rig, const unsigned char value[16]) {
  rh_result result;
  rh_reference reference;
  rh_verdict verdict;
  uint64_t n = rig->n;
  if (n == 0) return judge_identity(rig, value);
  rh_op_result(rig->op, rig->type, value, &result);
  RH_TRY(rh_reference_of_array(&reference, rh_operator_builtin(rig->op, rig->type), rig->data, n, 1,
                               NULL, &rig->error));
  uint32_t flushes = 0;
  if (rig->session)
    flushes = rig->type == RH_TYPE_f64 ? rig->session->device->flushes_f64
                                       : rig->session->device->flushes_f32;
  rh_reference_judge(&reference, &result, declared_depth(rig, n), (int)flushes, &verdict);
  if (verdict.verdict != RH_VERDICT_WRONG) return RH_OK;
  return rh_fail(&rig->error, RH_E_WRONG, "%s", verdict.text);
}

rh_status rh_rig_case(rh_rig *rig, const char *kind, uint64_t seed, uint64_t n, uint64_t first) {
  unsigned char value[16] __attribute__((aligned(16)));
  RH_TRY(rh_rig_fill(rig, kind, seed, n, first));
  rh_status status = rh_rig_run(rig, value);
  if (status == RH_OK) status = rh_rig_judge(rig, value);
  if (status == RH_OK) status = rh_fixture_check_result(rig->place, &rig->error);
  if (status == RH_OK) return RH_OK;
  rh_error_prefix(&rig->error, "%s of %s, n = %llu, %s data, first = %llu", rh_op_name(rig->op),
                  rh_type_name(rig->type), (unsigned long long)n, kind, (unsigned long long)first);
  return status;
}
