#include "reduction.h"

typedef unsigned long long number; /* as %llu takes it */

/* Segments side by side whose parts come in one after the other. */
typedef struct rh_segments_band {
  uint64_t place, left; /* elements of each that are not there yet */
  rh_fold fold;
  struct rh_segments_band *next;
} band;

/* A device at one part after the other. */
typedef struct rh_segments_worker {
  rh_segments_reduction *of;
  rh_worker *device;
  uint32_t is_open;
  rh_segments_part part;
  int has_part; /* 1: and it is not done */
  rh_elements_room room;
  rh_job_spec spec;
  rh_layout layout; /* of `segments` */
  uint64_t *offsets;
  rh_segments segments;
} worker;

/* ---- Values ---- */

static const rh_operator *op_of(const rh_segments_reduction *r) {
  return r->whole->spec.operation.op;
}

static unsigned char *value_at(const rh_segments_reduction *r, uint64_t place) {
  return r->whole->values + rh_segments_number(&r->plan, place) * r->whole->value_bytes;
}

static rh_status find_band(rh_segments_reduction *r, const rh_segments_part *part, band **found,
                           rh_error *error) {
  for (*found = r->bands; *found; *found = (*found)->next)
    if ((*found)->place == part->first) return RH_OK;
  RH_TRY(RH_NEW(found, 1, "a part's segments", error));
  **found = (band){part->first, part->length, .next = r->bands};
  rh_fold_init(&(*found)->fold, rh_operator_values(op_of(r)), (uint32_t)part->segments,
               r->plan.unit);
  r->bands = *found;
  return RH_OK;
}

static void drop_band(rh_segments_reduction *r, band *which) {
  band **at = &r->bands;
  while (*at != which) at = &(*at)->next;
  *at = which->next;
  rh_fold_finish(&which->fold);
  free(which);
}

static rh_status end_band(rh_segments_reduction *r, band *b, rh_error *error) {
  _Alignas(16) unsigned char value[RH_ANY_VALUE_BYTES];
  for (uint32_t k = 0; k < b->fold.n_values; k++) {
    RH_TRY(rh_fold_value(&b->fold, k, value, error));
    memcpy(value_at(r, b->place + k), value, r->whole->value_bytes);
  }
  drop_band(r, b);
  return RH_OK;
}

static rh_status add_values(rh_segments_reduction *r, const rh_segments_part *part,
                            const unsigned char *values, rh_error *error) {
  uint64_t bytes = r->whole->value_bytes;
  if (!part->is_whole) {
    const rh_fold_node node = {part->begin / r->plan.unit, part->level};
    band *b;
    RH_TRY(find_band(r, part, &b, error));
    RH_TRY(rh_fold_add(&b->fold, &node, values, bytes, part->begin, error));
    b->left -= part->n;
    return b->left ? RH_OK : end_band(r, b, error);
  }
  if (!r->plan.order) memcpy(value_at(r, part->first), values, part->segments * bytes);
  for (uint64_t k = 0; r->plan.order && k < part->segments; k++)
    memcpy(value_at(r, part->first + k), values + k * bytes, bytes);
  return RH_OK;
}

/* For the other ranks. */
static rh_status keep_values(rh_segments_reduction *r, const void *values, uint64_t bytes,
                             rh_error *error) {
  rh_text_append(&r->mine, values, bytes);
  return r->mine.failed ? rh_fail(error, RH_E_NOMEM, "no memory for a rank's values") : RH_OK;
}

/* Answers that are rounded once go beside the values, which a strategy may have rounded before. */
static rh_status take_exact(rh_segments_reduction *r, const rh_segments_part *part,
                            const rh_segments *segments, rh_error *error) {
  rh_result result = {.struct_size = sizeof result};
  for (uint64_t k = 0; r->whole->exact && k < part->segments; k++) {
    rh_segments_result(segments, k, &result);
    if (r->spec.size > 1) RH_TRY(keep_values(r, &result.value.f, sizeof(double), error));
    else r->whole->exact[rh_segments_number(&r->plan, part->first + k)] = result.value.f;
  }
  return RH_OK;
}

/* ---- The check ---- */

/* The numbers of its segments become those of all.  Of segments in parts the first part counts. */
static void add_check(rh_segments_reduction *r, const rh_segments_part *part,
                      rh_segments_check *found) {
  uint64_t first = part->first;
  if (found->worst != UINT64_MAX) found->worst = rh_segments_number(&r->plan, first + found->worst);
  if (found->unjudged)
    found->first_unjudged = rh_segments_number(&r->plan, first + found->first_unjudged);
  if (found->is_wrong) found->wrong = rh_segments_number(&r->plan, first + found->wrong);
  if (part->begin > 0) {
    found->n = 0;
    if (r->found->unjudged) found->unjudged = 0;
  }
  rh_segments_check_add(r->found, found);
}

/* ---- One part ---- */

static int is_same(const rh_layout *a, const rh_layout *b) {
  return a->kind == RH_LAYOUT_AXIS && b->kind == RH_LAYOUT_AXIS && a->segments == b->segments &&
         a->length == b->length && a->inner == b->inner;
}

static void close_segments(worker *w) {
  if (!w->is_open) return;
  rh_segments_let_go(&w->segments);
  rh_segments_finish(&w->segments);
  free(w->offsets);
  w->offsets = NULL;
  w->is_open = 0;
}

static rh_status open_segments(worker *w, rh_error *error) {
  const rh_segments_part *part = &w->part;
  const rh_segments_plan *plan = &w->of->plan;
  uint64_t *offsets = NULL;
  if (plan->layout->kind == RH_LAYOUT_OFFSETS && !part->length)
    RH_TRY(RH_NEW(&offsets, 2 * part->segments + 1, "a part's offsets", error));
  const rh_layout layout = rh_segments_part_layout(plan, part, offsets);
  if (w->is_open && is_same(&layout, &w->layout)) return RH_OK;
  close_segments(w);
  w->is_open = 1;
  w->offsets = offsets;
  w->layout = layout;
  w->spec = *w->device->job;
  w->spec.operation.layout = &w->layout;
  w->spec.operation.n = rh_segments_part_n(part);
  w->spec.in_pieces = 0;
  return rh_segments_open(&w->segments, w->device->context, &w->spec, NULL, error);
}

static rh_status take_values(worker *w, rh_segments_check *found, rh_error *error) {
  rh_segments_reduction *r = w->of;
  const rh_segments_part *part = &w->part;
  const rh_segments *segments = &w->segments;
  uint64_t bytes = part->segments * r->whole->value_bytes;
  add_check(r, part, found);
  if (!r->whole->job.strategy || w->device == r->spec.devices) {
    r->whole->job.context = w->device->context;
    r->whole->job.strategy = segments->job.strategy;
    r->whole->job.device = segments->job.device;
    r->whole->spec.strategy = w->device->job->strategy;
  }
  r->whole->is_loop |= segments->is_loop;
  r->whole->was_copied |= segments->was_copied || r->spec.axes;
  r->done += rh_segments_part_n(part);
  w->device->is_up = 1;
  w->device->chunks++;
  w->device->n += rh_segments_part_n(part);
  if (found->is_wrong) atomic_store(&r->crew.stop, 1);
  if (r->spec.size > 1) RH_TRY(keep_values(r, segments->values, bytes, error));
  else RH_TRY(add_values(r, part, segments->values, error));
  return take_exact(r, part, segments, error);
}

/* Sets up its segments, and has its elements brought. */
static rh_status prepare(worker *w, rh_error *error) {
  rh_segments_reduction *r = w->of;
  const rh_segments_part *part = &w->part;
  RH_TRY(open_segments(w, error));
  w->segments.base = part->begin;
  w->segments.whole_n = part->is_whole ? 0 : part->length;
  r->was_read |= r->spec.source->in_order && rh_segments_part_n(part);
  RH_TRY(rh_elements_bring(&w->room, r->spec.source, r->spec.axes, part, &w->spec, &r->crew.stop,
                           error));
  return rh_segments_bring(&w->segments, w->room.operands, error);
}

static rh_status reduce_part(worker *w, rh_error *error) {
  rh_segments_reduction *r = w->of;
  rh_segments_check found = rh_segments_check_none;
  RH_TRY(rh_segments_run(&w->segments, error));
  if (rh_check_wants(r->spec.check, w->part.index))
    RH_TRY(rh_segments_judge(&w->segments, !w->room.is_copy, &found, error));
  rh_segments_let_go(&w->segments);
  pthread_mutex_lock(&r->crew.lock);
  rh_status status = take_values(w, &found, error);
  pthread_mutex_unlock(&r->crew.lock);
  w->has_part = 0;
  return status;
}

/* ---- Workers ---- */

__extension__ typedef unsigned __int128 wide;

/* Of a part before which others have `before` of n elements. */
static uint64_t rank_of(const rh_reduction_spec *spec, const rh_segments_part *part,
                        uint64_t before, uint64_t n) {
  uint64_t of_n = rh_segments_part_n(part), whose;
  if (spec->starts) return of_n ? rh_borders_up_to(spec->starts + 1, spec->size - 1, part->at) : 0;
  whose = n ? (uint64_t)((wide)before * spec->size / n) : 0;
  return whose < spec->size ? whose : spec->size - 1;
}

/* The next part of a plan that is the rank's, of which `before` elements came before. */
static int next_of_rank(const rh_segments_reduction *r, rh_segments_plan *plan, uint64_t *before,
                        uint32_t rank, rh_segments_part *part) {
  while (rh_segments_plan_next(plan, part)) {
    uint64_t at = *before;
    *before += rh_segments_part_n(part);
    if (rank_of(&r->spec, part, at, r->n) == rank) return 1;
  }
  return 0;
}

/* 0: there are no more, or it ends early. */
static int take_part(worker *w, rh_status *status, rh_error *error) {
  rh_segments_reduction *r = w->of;
  const rh_source *source = r->spec.source;
  int in_order = source->in_order;
  uint64_t got;
  *status = RH_OK;
  pthread_mutex_lock(&r->reading);
  if (!atomic_load(&r->crew.stop))
    w->has_part = next_of_rank(r, &r->next, &r->before, r->spec.rank, &w->part);
  int has_part = w->has_part;
  if (has_part && in_order) *status = prepare(w, error);
  /* A pipe is read to its end, for its writer. */
  for (uint32_t k = 0; !has_part && in_order && k < source->n_operands && *status == RH_OK; k++)
    *status = source->read(source, k, source->n, 0, NULL, &r->crew.stop, &got, error);
  pthread_mutex_unlock(&r->reading);
  if (has_part && !in_order) *status = prepare(w, error);
  return has_part;
}

static void report(void *of_reduction) {
  rh_segments_reduction *r = of_reduction;
  rh_error why = {0};
  int is_stopped = r->spec.stop && atomic_load(r->spec.stop);
  if (is_stopped) rh_fail(&why, RH_E_CANCELLED, "another rank has failed");
  if (is_stopped ||
      rh_progress(&r->reporter, "reducing", r->done, r->n / r->spec.size, &why) != RH_OK)
    rh_crew_fail(&r->crew, &why);
}

static void *task_main(void *of_worker) {
  worker *w = of_worker;
  rh_segments_reduction *r = w->of;
  rh_error error = {0};
  rh_status status = RH_OK;
  int goes_on = 1;
  while (goes_on && status == RH_OK) {
    /* An operator by code uses one device for all, by one thread at a time. */
    if (op_of(r)->is_code) pthread_mutex_lock(&r->alone);
    goes_on = take_part(w, &status, &error);
    if (goes_on && status == RH_OK) status = reduce_part(w, &error);
    if (op_of(r)->is_code) pthread_mutex_unlock(&r->alone);
  }
  int is_of_all = /* another device would meet it, too */
      r->spec.n_devices == 1 || r->spec.source->in_order || status == RH_E_FILE ||
      status == RH_E_CANCELLED || status == RH_E_USAGE;
  if (status != RH_OK && is_of_all) rh_crew_fail(&r->crew, &error);
  else if (status != RH_OK) w->device->failure = error;
  rh_crew_leave(&r->crew);
  return NULL;
}

/* The parts of devices that failed, by one that did not. */
static rh_status make_up(rh_segments_reduction *r, rh_error *error) {
  worker *workers = r->workers, *able = NULL, *failed = NULL;
  for (uint32_t k = 0; k < r->spec.n_devices; k++) {
    if (workers[k].device->failure.status == RH_OK) able = &workers[k];
    else if (!failed) failed = &workers[k];
  }
  if (!failed || atomic_load(&r->crew.stop)) return RH_OK;
  if (!able) return rh_error_pass(error, failed->device->failure.status, &failed->device->failure);
  for (uint32_t k = 0; k < r->spec.n_devices; k++) {
    if (!workers[k].has_part) continue;
    able->part = workers[k].part;
    RH_TRY(prepare(able, error));
    RH_TRY(reduce_part(able, error));
  }
  return RH_OK;
}

/* ---- Setting up ---- */

enum {
  HOST_BYTES = 32 << 20,   /* of a part, where the caller names no size */
  DEVICE_BYTES = 64 << 20, /* on a device */
  SHARES = 4,              /* parts for each of those that share them */
  LEAST = 1 << 12          /* elements */
};

/* Elements of a part. */
static uint64_t part_n(const rh_reduction_spec *spec) {
  uint64_t size = 1, bytes = spec->chunk_bytes, sharing = (uint64_t)spec->n_devices * spec->size;
  for (uint32_t k = 0; k < spec->source->n_operands; k++)
    if (rh_type_size(spec->source->types[k]) > size) size = rh_type_size(spec->source->types[k]);
  for (uint32_t k = 0; k < spec->n_devices && !spec->chunk_bytes; k++)
    if (spec->devices[k].failure.status == RH_OK)
      bytes = spec->devices[k].device ? DEVICE_BYTES : HOST_BYTES;
  if (spec->chunk_bytes || sharing == 1) return bytes / size;
  uint64_t share = spec->source->n / sharing / SHARES;
  if (share < LEAST) share = LEAST;
  return share < bytes / size ? share : bytes / size;
}

static rh_status make_plan(rh_segments_plan *plan, const rh_reduction_spec *spec,
                           const rh_operation *operation, rh_error *error) {
  RH_TRY(rh_segments_plan_init(plan, operation, part_n(spec), spec->source->in_order, error));
  plan->borders = spec->starts;
  if (spec->starts) plan->n_borders = spec->size + 1;
  return RH_OK;
}

rh_status rh_segments_reduction_ends(const rh_reduction_spec *spec, const rh_operation *operation,
                                     uint64_t *ends, rh_error *error) {
  RH_FINISHED(rh_segments_plan) plan;
  rh_segments_part part;
  RH_TRY(make_plan(&plan, spec, operation, error));
  memcpy(ends, spec->starts + 1, spec->size * sizeof *ends);
  while (rh_segments_plan_next(&plan, &part)) {
    uint64_t rank = rank_of(spec, &part, 0, 0), n = rh_segments_part_n(&part);
    uint64_t end = n ? part.at + (part.rows - 1) * part.stride + part.width : 0;
    if (end > ends[rank]) ends[rank] = end;
  }
  return RH_OK;
}

/* A source that is read once gives each element once.  Counts the parts, too. */
static rh_status check_parts(rh_segments_reduction *r, rh_error *error) {
  rh_segments_plan all = r->plan;
  rh_segments_part part;
  for (uint64_t at = 0; rh_segments_plan_next(&all, &part); r->parts++) {
    uint64_t n = rh_segments_part_n(&part);
    r->n += n;
    if (n && part.at < at && r->spec.source->in_order)
      return rh_fail(error, RH_E_USAGE,
                     "segment %llu begins at element %llu, of which the stream has gone past: a "
                     "pipe is read once; write it to a file, or take larger chunks",
                     (number)rh_segments_number(&r->plan, part.first), (number)part.at);
    if (n) at = part.at + n;
  }
  return RH_OK;
}

static rh_status init_whole(rh_segments *whole, const rh_job_spec *job, const rh_source *source,
                            rh_error *error) {
  const rh_layout *layout = job->operation.layout;
  *whole = (rh_segments){
      .spec = *job, .n = layout->segments, .value_bytes = job->operation.op->abi->value_size};
  whole->spec.operation.n = source->n;
  if (rh_operation_rounds_once(&job->operation))
    RH_TRY(RH_NEW(&whole->exact, whole->n + 1, "the exact answers of segments", error));
  if (whole->n < SIZE_MAX / whole->value_bytes)
    whole->values = malloc(whole->n * whole->value_bytes + 1);
  if (whole->values) return RH_OK;
  return rh_fail(error, RH_E_NOMEM, "no memory for %llu values", (number)whole->n);
}

rh_status rh_segments_reduction_open(rh_segments_reduction **made, const rh_reduction_spec *spec,
                                     rh_segments *whole, rh_segments_check *found,
                                     rh_error *error) {
  static const char what[] = "a reduction of segments";
  uint32_t first = 0;
  RH_TRY(RH_NEW(made, 1, what, error));
  rh_segments_reduction *r = *made;
  *r = (rh_segments_reduction){.spec = *spec, .whole = whole, .found = found};
  pthread_mutex_init(&r->alone, NULL);
  pthread_mutex_init(&r->reading, NULL);
  rh_crew_init(&r->crew);
  *found = rh_segments_check_none;
  while (first + 1 < spec->n_devices && spec->devices[first].failure.status != RH_OK) first++;
  const rh_job_spec *job = spec->devices[first].job;
  RH_TRY(RH_NEW(&r->workers, spec->n_devices, what, error));
  for (uint32_t k = 0; k < spec->n_devices; k++)
    r->workers[k] = (worker){.of = r, .device = &spec->devices[k]};
  RH_TRY(init_whole(whole, job, spec->source, error));
  RH_TRY(make_plan(&r->plan, spec, &job->operation, error));
  RH_TRY(check_parts(r, error));
  r->next = r->plan;
  return RH_OK;
}

void rh_segments_reduction_close(rh_segments_reduction *r) {
  if (!r) return;
  for (uint32_t k = 0; r->workers && k < r->spec.n_devices; k++) {
    close_segments(&r->workers[k]);
    rh_elements_room_finish(&r->workers[k].room);
  }
  while (r->bands) drop_band(r, r->bands);
  pthread_mutex_destroy(&r->alone);
  pthread_mutex_destroy(&r->reading);
  rh_crew_finish(&r->crew);
  rh_text_finish(&r->mine);
  free(r->workers);
  rh_segments_plan_finish(&r->plan);
  free(r);
}

/* ---- The whole ---- */

/* The caller's thread alone shows progress. */
static rh_status run_all(rh_segments_reduction *r, rh_error *error) {
  rh_error why = {0};
  r->reporter = *r->spec.reporter;
  for (uint32_t k = 0; k < r->spec.n_devices; k++) {
    if (r->spec.devices[k].failure.status != RH_OK) continue;
    r->spec.devices[k].context->options.reporter.progress = NULL;
    if (rh_crew_start(&r->crew, task_main, &r->workers[k], &why) != RH_OK)
      rh_crew_fail(&r->crew, &why);
  }
  rh_status status = rh_crew_wait(&r->crew, report, r, error);
  for (uint32_t k = 0; k < r->spec.n_devices; k++)
    r->spec.devices[k].context->options.reporter.progress = r->reporter.progress;
  return status == RH_OK ? make_up(r, error) : status;
}

rh_status rh_segments_reduction_run(rh_segments_reduction *r, rh_error *error) {
  rh_error why = {0};
  double begin_s = rh_now();
  rh_status status = run_all(r, &why);
  r->seconds = r->whole->seconds = rh_now() - begin_s;
  RH_TRY(rh_reduction_settle(&r->spec, status, &why, error));
  rh_workers_warn(&r->spec, NULL);
  rh_workers_warn(&r->spec, "failed, and the others took its parts");
  return RH_OK;
}

/* ---- Ranks ---- */

static rh_status take_rank(void *of_reduction, uint32_t rank, const void *theirs, uint64_t bytes,
                           rh_error *error) {
  rh_segments_reduction *r = of_reduction;
  rh_segments_check found = {.n = 0};
  rh_segments_plan plan = r->plan;
  rh_segments_part part;
  uint64_t before = 0;
  int fits = bytes >= sizeof found;
  const unsigned char *at = theirs, *end = at + (fits ? bytes - sizeof found : 0);
  if (fits) memcpy(&found, end, sizeof found);
  while (fits && at < end && next_of_rank(r, &plan, &before, rank, &part)) {
    uint64_t count = part.segments * r->whole->value_bytes;
    uint64_t exact = r->whole->exact ? part.segments * sizeof(double) : 0;
    fits = (uint64_t)(end - at) >= count + exact;
    if (fits) RH_TRY(add_values(r, &part, at, error));
    for (uint64_t k = 0; fits && exact && k < part.segments; k++)
      memcpy(&r->whole->exact[rh_segments_number(&r->plan, part.first + k)],
             at + count + k * sizeof(double), sizeof(double));
    at += count + exact;
  }
  if (!fits || at != end)
    return rh_fail(error, RH_E_INVALID, "rank %u has sent other values than its share's", rank);
  rh_segments_check_add(r->found, &found);
  return RH_OK;
}

rh_status rh_segments_reduction_gather(rh_segments_reduction *r, rh_ranks *ranks, rh_error *error) {
  rh_segments_check mine = *r->found;
  mine.got = mine.expected = (rh_result){0}; /* whose names are of this process */
  RH_TRY(keep_values(r, &mine, sizeof mine, error));
  *r->found = rh_segments_check_none;
  return rh_ranks_gather_any(ranks, rh_text_get(&r->mine), r->mine.length, take_rank, r, error);
}
