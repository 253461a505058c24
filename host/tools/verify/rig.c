#include "internal.h"

#include <sys/mman.h>

enum { RESULT_SLOTS = 3, TAIL = 256 };

/* ---- Structs as the plugin sees them ---- */

/* A copy of a struct whose first field is its size; size_1_0: its size in ABI 1.0. */
static void *place(rh_rig *rig, const void *from, size_t size, size_t size_1_0) {
  size_t kept = rig->with.layout == RH_RIG_EXACT ? size_1_0 : size;
  if (rig->n_structs == RH_RIG_STRUCTS) return NULL;
  rh_guard *guard = &rig->structs[rig->n_structs];
  if (rh_guard_map(guard, kept + TAIL, NULL) != RH_OK) return NULL;
  rig->n_structs++;
  unsigned char *at = rig->with.layout == RH_RIG_EXACT ? guard->end - kept : guard->begin;
  if (rig->with.layout == RH_RIG_GROWN) memset(at, 0xA5, kept + TAIL);
  memcpy(at, from, kept);
  uint32_t said = (uint32_t)(rig->with.layout == RH_RIG_GROWN ? kept + TAIL : kept);
  memcpy(at, &said, sizeof said);
  return at;
}

#define PLACE(rig, s, T, last) place(rig, s, sizeof(T), RH_SIZE_1_0(T, last))

/* ---- What a problem is made of ---- */

static rh_status take_prelude(rh_rig *rig) {
  RH_FREED(char) own = rig->row.prelude ? NULL : rh_op_prelude(rh_op_name(rig->op), rig->type);
  const char *prelude = own ? own : rig->row.prelude;
  rh_text all = {0};
  if (rig->with.in_front) rh_text_add(&all, "%s", rig->with.in_front);
  if (prelude) rh_text_add(&all, "%s", prelude);
  rig->row.prelude = rig->prelude = all.s;
  if (prelude && !all.failed) return RH_OK;
  return rh_fail(rig->error, RH_E_NOMEM, "no memory for a program's source");
}

static rh_status offsets_on_device(rh_rig *rig, const uint64_t *offsets, uint64_t n,
                                   cl_mem *buffer) {
  return rh_cl_buffer(rig->session, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, n * sizeof *offsets,
                      (void *)(uintptr_t)offsets, "bringing offsets to the device", buffer,
                      rig->error);
}

static void release_offsets(const rh_rig *rig) {
  rh_cl_release_buffer(rig->given.device_starts);
  rh_cl_release_buffer(rig->given.device_stops);
}

rh_status rh_rig_take_segments(rh_rig *rig, const rh_layout *segments) {
  rig->with.segments = segments;
  if (!segments || !rig->session) return RH_OK;
  release_offsets(rig);
  RH_TRY(rh_fixture_aim(rig->place, rig->with.results_at, rig->error));
  rig->given = *segments;
  rig->with.segments = &rig->given;
  if (segments->kind != RH_LAYOUT_OFFSETS) return RH_OK;
  uint64_t n = segments->segments;
  RH_TRY(offsets_on_device(rig, segments->starts, n + segments->is_back_to_back,
                           &rig->given.device_starts));
  return offsets_on_device(rig, segments->stops, n, &rig->given.device_stops);
}

static rh_problem problem_of(const rh_rig *rig, uint64_t n) {
  return (rh_problem){.struct_size = sizeof(rh_problem),
                      .type = rig->type,
                      .op = &rig->row,
                      .device = rig->device,
                      .max_n = rig->with.segments ? rig->with.segments->longest : n,
                      .layout = rig->with.segments};
}

/* ---- A fence around the memory that the plugin requests ---- */

enum {
  CANARY = 0xC9,
  ALIGNMENT = 16, /* for any type: what alloc guarantees */
  /* before scratch memory; a multiple of every device's alignment of sub-buffers */
  FRONT_BYTES = 4096,
  BEHIND_BYTES = 65536 /* more than one group's values, or an off-by-some number of groups */
};

/* Ends at the guard page, except for alignment padding.  Null when nothing more can be watched. */
static void *fenced_alloc(rh_rig *rig, uint64_t bytes) {
  struct rh_fenced *f = &rig->fenced[rig->n_fenced];
  uint64_t room = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  if (!rig->with.fence || rig->n_fenced == RH_MOST_FENCED || room < bytes ||
      rh_guard_map(&f->guard, room, NULL) != RH_OK)
    return NULL;
  uint64_t whole = (uint64_t)(f->guard.end - f->guard.begin);
  f->watched = (rh_watched){.memory = f->guard.begin,
                            .bytes = whole,
                            .first = whole - room,
                            .n = bytes,
                            .poison = CANARY};
  rh_watched_fill(&f->watched, 0, whole, NULL);
  rig->n_fenced++;
  return memset(f->guard.end - room, 0, bytes);
}

static cl_mem fenced_scratch(rh_rig *rig, uint64_t bytes) {
  const int in_front = rig->with.fence == RH_FENCE_IN_FRONT;
  struct rh_fenced *f = &rig->fenced[rig->n_fenced];
  rh_watched *w = &f->watched;
  if (!rig->with.fence || !rig->session || rig->n_fenced == RH_MOST_FENCED) return NULL;
  *w = (rh_watched){
      .session = rig->session, .first = in_front ? FRONT_BYTES : 0, .n = bytes, .poison = CANARY};
  w->bytes = w->first + bytes + BEHIND_BYTES;
  if (rh_cl_buffer(rig->session, CL_MEM_READ_WRITE, w->bytes, NULL, "", &w->buffer, NULL) != RH_OK)
    return NULL;
  rig->n_fenced++;
  if (rh_watched_fill(w, 0, w->bytes, NULL) != RH_OK) return NULL;
  if (!in_front) return w->buffer;
  return rh_cl_part_of_buffer(w->buffer, w->first, bytes, &f->part, NULL) == RH_OK ? f->part : NULL;
}

rh_status rh_rig_check_fence(rh_rig *rig) {
  int64_t away;
  if (rig->session)
    RH_CL_TRY(rig->error, rh_cl_finish(rig->session->queue), "waiting for the device");
  for (uint32_t k = 0; k < rig->n_fenced; k++) {
    const rh_watched *w = &rig->fenced[k].watched;
    RH_TRY(rh_watched_check(w, &away, rig->error));
    if (away)
      return rh_fail(rig->error, RH_E_WRONG, "wrote byte %lld %s the %llu bytes that %s() gave",
                     llabs(away), away < 0 ? "before" : "behind", (unsigned long long)w->n,
                     w->buffer ? "scratch" : "alloc");
  }
  return RH_OK;
}

/* ---- The services for a plugin under test ---- */

/* They record each call, fail on the test's demand, and otherwise forward to the real ones, whose
 * `priv` is the first field of a rig. */

/* RH_OK: go on. */
static rh_status enter_service(rh_rig *rig, const char *service) {
  if (++rig->calls != rig->with.fail_at) {
    rh_footprint_leave(rig->with.footprint);
    return RH_OK;
  }
  rig->injected = 1;
  rig->services.failed = 1;
  return rh_fail(rig->error, RH_E_NOMEM, "%s() was made to fail", service);
}

/* Called at the end of every service that was entered; the plugin's code goes on. */
static rh_status leave_service(rh_rig *rig, rh_status status) {
  if (rig->with.footprint && rig->session)
    rh_cl_finish(rig->session->queue); /* so that the driver's threads have finished their work */
  rh_footprint_enter(rig->with.footprint, rig->services.phase == RH_PHASE_RUN);
  return status;
}

static void *watch_alloc(const rh_host *host, uint64_t bytes) {
  rh_rig *rig = host->priv;
  if (enter_service(rig, "alloc") != RH_OK) return NULL;
  void *memory = fenced_alloc(rig, bytes);
  if (!memory) memory = rig->services.host.alloc(&rig->services.host, bytes);
  leave_service(rig, RH_OK);
  return memory;
}

static void note_code(rh_rig *rig, const char *text) {
  if (text) rig->code = rh_hash(rig->code, text, strlen(text) + 1);
}

static void note_local(rh_rig *rig, const rh_arg *args, uint32_t n_args) {
  uint64_t bytes = 0;
  for (uint32_t k = 0; k < n_args; k++)
    if (args[k].kind == RH_ARG_LOCAL) bytes += args[k].size;
  if (bytes > rig->local_bytes) rig->local_bytes = bytes;
}

/* A service that takes note, and calls the host's. */
#define WATCH(service, params, args, note)                                                         \
  static rh_status watch_##service params {                                                        \
    rh_rig *rig = host->priv;                                                                      \
    RH_TRY(enter_service(rig, #service));                                                          \
    note;                                                                                          \
    return leave_service(rig, rig->services.host.service args);                                    \
  }

/* clang-format off */
#define HOST &rig->services.host
WATCH(build,
      (const rh_host *host, const char *file, const char *source, const char *options,
       struct _cl_program **program),
      (HOST, file, source, options, program), (note_code(rig, source), note_code(rig, options)))
WATCH(scratch,
      (const rh_host *host, uint64_t bytes, struct _cl_mem **buffer),
      (HOST, bytes, buffer),
      cl_mem fenced = fenced_scratch(rig, bytes);
      if (fenced) *buffer = fenced;
      if (fenced) return leave_service(rig, RH_OK))
WATCH(kernel,
      (const rh_host *host, struct _cl_program *program, const char *name,
       struct _cl_kernel **kernel, uint32_t *max_group),
      (HOST, program, name, kernel, max_group), )
WATCH(launch,
      (const rh_host *host, struct _cl_kernel *kernel, uint64_t global, uint64_t local,
       const rh_arg *args, uint32_t n_args, const char *stage),
      (HOST, kernel, global, local, args, n_args, stage), note_local(rig, args, n_args))
WATCH(fill,
      (const rh_host *host, struct _cl_mem *buffer, uint64_t offset, const void *value,
       uint32_t size, uint64_t count),
      (HOST, buffer, offset, value, size, count), )
WATCH(read,
      (const rh_host *host, struct _cl_mem *buffer, uint64_t offset, uint64_t bytes, void *to),
      (HOST, buffer, offset, bytes, to), rig->reads++)
/* clang-format on */

/* ---- Calls of the plugin ---- */

/* phase: RH_PHASE_NONE: query. */
static rh_fpstate enter_plugin(rh_rig *rig, int phase, const char *name) {
  if (phase != RH_PHASE_NONE)
    rh_services_enter(&rig->services, phase, phase == RH_PHASE_TEARDOWN ? NULL : rig->error);
  rh_trial_phase(rig->trial, phase == RH_PHASE_RUN && rig->run_phase ? rig->run_phase : name);
  rh_footprint_enter(rig->with.footprint, 0);
  return rh_fpstate_save();
}

/* ends: no instance is left. */
static void leave_plugin(rh_rig *rig, const rh_fpstate *before, const char *name, int ends) {
  /* so that kernels' output has appeared */
  if (rig->with.footprint && rig->session) rh_cl_finish(rig->session->queue);
  rh_footprint_judge(rig->with.footprint, name, ends);
  if (rh_fpstate_restore(before)) rig->left_fpstate = name;
  rig->services.phase = RH_PHASE_NONE;
}

/* With the host's own checks. */
static rh_status rig_query(rh_rig *rig) {
  rh_problem problem = problem_of(rig, rig->max_n);
  rh_fpstate before = enter_plugin(rig, RH_PHASE_NONE, "query");
  rh_status status =
      rh_strategy_query(rig->strategy, &problem, rig->params, &rig->answer, rig->error);
  leave_plugin(rig, &before, "query", 1);
  if (status == RH_DECLINED) rh_fail(rig->error, RH_DECLINED, "%s", rig->answer.reason);
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

/* A plugin that fails should have said why. */
static rh_status give_reason(rh_rig *rig, rh_status status) {
  if (status != RH_OK && !rig->error->message[0])
    rh_fail(rig->error, status, "%s, and the plugin gave no reason", rh_status_text(status));
  return status;
}

static rh_status set_up(rh_rig *rig) {
  rh_services_init(&rig->services, rig->session, rig->prelude, rig->strategy->name, NULL);
  rh_host watching = rig->services.host;
  watching.build = watch_build;
  watching.kernel = watch_kernel;
  watching.scratch = watch_scratch;
  watching.alloc = watch_alloc;
  watching.launch = watch_launch;
  watching.fill = watch_fill;
  watching.read = watch_read;
  if (rig->with.layout == RH_RIG_GROWN) watching.abi_minor = 7;
  rig->host = PLACE(rig, &watching, rh_host, extension);
  rh_problem *problem = place_problem(rig);
  rh_answer *answer = PLACE(rig, &(rh_answer){0}, rh_answer, reason);
  if (!rig->host || !problem || !answer)
    return rh_fail(rig->error, RH_E_NOMEM, "no memory for a problem");
  if (rig->with.layout != RH_RIG_PLAIN &&
      rig->strategy->query(problem, rig->params, answer) != RH_OK)
    return rh_fail(rig->error, RH_DECLINED, "%.*s", (int)sizeof answer->reason - 1, answer->reason);
  *rig->error = (rh_error){0};
  rh_fpstate before = enter_plugin(rig, RH_PHASE_SETUP, "setup");
  rh_status status = rig->strategy->setup(rig->host, problem, rig->params, &rig->self);
  leave_plugin(rig, &before, status == RH_OK ? "setup" : "setup that fails", status != RH_OK);
  rig->is_set_up = status == RH_OK;
  return give_reason(rig, status);
}

rh_status rh_rig_open(rh_rig *rig, rh_trial *trial, rh_pair pair, uint64_t max_n,
                      const rh_rig_with *with) {
  *rig = (rh_rig){.trial = trial,
                  .strategy = trial->strategy,
                  .op = pair.op,
                  .type = pair.type,
                  .max_n = max_n,
                  .with = with ? *with : (rh_rig_with){0},
                  .error = &trial->error,
                  .place = &rig->own,
                  .poison = RH_POISON};
  const rh_layout *segments = rig->with.segments;
  RH_TRY(rh_trial_device(trial));
  rig->session = trial->session;
  rig->device = rig->with.device ? rig->with.device : trial->device;
  RH_TRY(rh_params_resolve(rig->strategy, NULL, 0, rig->params, rig->error));
  if (rig->with.params) memcpy(rig->params, rig->with.params, sizeof rig->params);
  rig->row = rig->with.row ? *rig->with.row : *rh_op_find(pair.op, pair.type);
  RH_TRY(take_prelude(rig));
  if (!rig->with.has_no_place) {
    RH_TRY(rh_fixture_make(rig->place, rig->session, &rig->row, NULL, 2 * RH_AROUND + max_n,
                           RESULT_SLOTS + (segments ? segments->segments : 0), rig->error));
    RH_TRY(rh_rig_take_segments(rig, segments));
  }
  if (!rig->with.is_refused) RH_TRY(rig_query(rig));
  return set_up(rig);
}

void rh_rig_teardown(rh_rig *rig) {
  if (!rig->is_set_up) return;
  rig->is_set_up = 0;
  rh_fpstate before = enter_plugin(rig, RH_PHASE_TEARDOWN, "teardown");
  if (rig->strategy->teardown) rig->strategy->teardown(rig->self);
  leave_plugin(rig, &before, "teardown", 1);
  /* a plugin that calls the host from now on crashes */
  mprotect(rig->structs[0].begin, (size_t)(rig->structs[0].end - rig->structs[0].begin), PROT_NONE);
}

void rh_rig_finish(rh_rig *rig) {
  rh_rig_teardown(rig);
  if (rig->services.host.struct_size) rh_services_finish(&rig->services);
  while (rig->n_fenced) {
    struct rh_fenced *f = &rig->fenced[--rig->n_fenced];
    rh_cl_release_buffer(f->part);
    rh_cl_release_buffer(f->watched.buffer);
    rh_guard_unmap(&f->guard);
  }
  release_offsets(rig);
  rh_fixture_finish(&rig->own);
  while (rig->n_structs) rh_guard_unmap(&rig->structs[--rig->n_structs]);
  free(rig->prelude);
  memset(rig, 0, sizeof *rig);
}

/* ---- Running ---- */

rh_status rh_rig_fill(rh_rig *rig, const char *kind, uint64_t seed, uint64_t n, uint64_t first) {
  uint32_t size = rig->row.element_size;
  unsigned char *all = rig->place->memory;
  rh_array range = {.type = rig->type, .n = n, .region.address = all + first * size};
  rig->first = first;
  rig->n = n;
  memset(all, rig->poison, rig->place->elements * size);
  RH_TRY(rh_array_fill(&range, kind, seed, NULL, rig->error));
  return rh_fixture_write(rig->place, rig->error);
}

rh_status rh_rig_run(rh_rig *rig) {
  rh_fixture *where = rig->place;
  rh_run run = {.struct_size = sizeof run,
                .first = rig->first,
                .n = rig->n,
                .input = where->input,
                .host_input = where->memory,
                .result = where->of_device.buffer,
                .result_index = where->index,
                .host_result =
                    rig->results ? rig->results : where->of_host.memory + where->of_host.first,
                .layout = rig->with.segments};
  RH_TRY(rh_fixture_clear(where, rig->error));
  rh_run *placed = PLACE(rig, &run, rh_run, host_result);
  if (!placed) return rh_fail(rig->error, RH_E_NOMEM, "no memory for a run");
  rig->reads = 0;
  *rig->error = (rh_error){0};
  rh_fpstate before = enter_plugin(rig, RH_PHASE_RUN, "run");
  rh_status status = rig->strategy->run(rig->self, placed);
  leave_plugin(rig, &before, "run", 0);
  rh_guard_unmap(&rig->structs[--rig->n_structs]);
  int on_host = rig->answer.finishes_on_host || !where->of_device.buffer;
  if (status == RH_OK && rig->results && on_host) return RH_OK;
  if (status == RH_OK && rig->results)
    return rh_fixture_fetch(where, 0, rig->with.segments->segments + 1, rig->results, rig->error);
  if (status == RH_OK) return rh_fixture_fetch(where, on_host, 1, rig->value, rig->error);
  give_reason(rig, status);
  return status < RH_OK ? status : RH_E_INTERNAL;
}

rh_status rh_rig_reduce(rh_rig *rig, const char *kind, uint64_t seed, uint64_t n, uint64_t first) {
  RH_TRY(rh_rig_fill(rig, kind, seed, n, first));
  return rh_rig_run(rig);
}

/* ---- Checking the result ---- */

int rh_rig_gave(const rh_rig *rig, const unsigned char *value) {
  return rh_op_same_values(&rig->row, rig->type, rig->value, value);
}

rh_status rh_rig_judge(rh_rig *rig, const unsigned char value[16]) {
  const rh_job_spec spec = {
      .operation = {.op = rh_operator_builtin(rig->op, rig->type), .n = rig->n}};
  const rh_problem problem = problem_of(rig, rig->n);
  rh_result result;
  rh_reference reference;
  rh_verdict verdict;
  rh_answer answer;
  rh_error unused;
  if (rig->n == 0)
    return rh_op_same_values(&rig->row, rig->type, value, rig->row.identity)
               ? RH_OK
               : rh_trial_fail(rig->trial, "n = 0 does not give the identity");
  rh_op_result(rig->op, rig->type, value, &result);
  RH_TRY(rh_reference_of_array(&reference, spec.operation.op, rh_fixture_at(rig->place, rig->first),
                               rig->n, 1, NULL, rig->error));
  int flushes = rh_job_flushes(&spec, rig->session ? rig->session->device : NULL);
  /* the depth that is declared for this n may be less than that of max_n */
  if (rh_strategy_query(rig->strategy, &problem, rig->params, &answer, &unused) != RH_OK)
    answer.depth = 0;
  rh_reference_judge(&reference, &result, answer.depth, flushes, &verdict);
  if (verdict.verdict != RH_VERDICT_WRONG) return RH_OK;
  return rh_trial_fail(rig->trial, "%s", verdict.text);
}

rh_status rh_rig_case(rh_rig *rig, const char *kind, uint64_t seed, uint64_t n, uint64_t first) {
  RH_TRY(rh_rig_fill(rig, kind, seed, n, first));
  rh_status status = rh_rig_run(rig);
  if (status == RH_OK) status = rh_rig_judge(rig, rig->value);
  if (status == RH_OK) status = rh_fixture_check_result(rig->place, rig->error);
  return rh_error_prefix(rig->error, status, "%s of %s, n = %llu, %s data, first = %llu",
                         rh_op_name(rig->op), rh_type_name(rig->type), (unsigned long long)n, kind,
                         (unsigned long long)first);
}

rh_status rh_rig_cases(rh_rig *rig, uint64_t seed, const char *const *kinds, const uint64_t *at,
                       uint64_t times, uint64_t offsets) {
  for (size_t k = 0; at[k]; k++)
    for (size_t j = 0; kinds[j] && at[k] <= rig->max_n; j++)
      for (uint64_t again = 0; again < times; again++)
        RH_TRY(rh_rig_case(rig, kinds[j], seed + 10 * k + again, at[k], k % offsets));
  return RH_OK;
}
