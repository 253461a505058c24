#include "partial.h"

#include <redhost/canonical.h>

enum { ONE_IN = 16 };

static int is_struct(const rh_job_spec *job) { return job->operation.op->is_struct; }

uint64_t rh_partial_tile(const rh_job_spec *job) {
  return rh_canonical_tile(job->operation.op->abi);
}

/* Values of the reference that a node keeps.  Sums and products of floats have none. */
static uint32_t count_orders(const rh_job_spec *job, uint32_t check) {
  if (check != RH_CHECK_FULL) return 0;
  if (is_struct(job))
    return rh_sampled_orders(rh_custom_of(job->operation.op)) > 1 ? RH_MOST_ORDERS : 1;
  return (rh_op_flags(job->operation.op->base, job->operation.op->type) & RH_OP_EXACT) != 0;
}

void rh_partial_init(rh_partial *partial, const rh_job_spec *job, uint64_t whole_n,
                     uint32_t check) {
  memset(partial, 0, offsetof(rh_partial, facts)); /* the rest is large, and set below */
  partial->job = job;
  partial->whole_n = whole_n;
  partial->check = check;
  partial->depth = INT64_MIN;
  partial->worst = (rh_verdict){0};
  rh_fold_init(&partial->fold, rh_operator_values(job->operation.op), 1 + count_orders(job, check),
               rh_partial_tile(job));
  rh_reference_init(&partial->facts, job->operation.op);
}

void rh_partial_finish(rh_partial *partial) {
  rh_fold_finish(&partial->fold);
  while (partial->n_edges) rh_edges_drop(partial, partial->n_edges - 1);
  free(partial->edges);
  partial->edges = NULL;
}

/* ---- A chunk ---- */

int rh_check_wants(uint32_t check, uint64_t index) {
  if (check == RH_CHECK_SAMPLED) return index == 0 || rh_random_mix(index) % ONE_IN == 0;
  return check == RH_CHECK_FULL;
}

rh_status rh_partial_refer(const rh_partial *partial, const void *const *operands, uint64_t first,
                           uint64_t n, uint32_t threads, rh_reference *reference, rh_error *error) {
  static const rh_reporter silent = {0};
  const rh_job_part elements = {operands, first, n, partial->whole_n, threads, 0};
  return rh_job_reference_of(partial->job, &elements, &silent, reference, error);
}

static int is_unjudged(const rh_verdict *verdict) {
  return verdict->verdict == RH_VERDICT_UNJUDGED || rh_exact_data_is_needed(verdict);
}

static void take_verdict(rh_partial *partial, const rh_verdict *verdict) {
  const rh_verdict *worst = &partial->worst;
  partial->unjudged += (uint64_t)is_unjudged(verdict);
  int is_worse =
      verdict->verdict == RH_VERDICT_WRONG
          ? worst->verdict != RH_VERDICT_WRONG
          : worst->verdict != RH_VERDICT_WRONG && (is_unjudged(verdict) || !is_unjudged(worst));
  if (is_worse) partial->worst = *verdict;
}

/* Judges a chunk while its elements are there. */
static rh_status judge_chunk(rh_partial *partial, const rh_job *by, const rh_partial_chunk *chunk,
                             rh_error *error) {
  const rh_job_part elements = {.operands = chunk->operands,
                                .first = chunk->first,
                                .n = chunk->n,
                                .whole_n = partial->whole_n,
                                .threads = 1,
                                .may_change = chunk->may_change};
  const rh_answered answered = {by->context, by->runs_on, by->answer.depth, NULL, chunk->value};
  rh_verdict verdict;
  RH_TRY(rh_job_judge_on(partial->job, &elements, &answered, chunk->reference, &verdict, error));
  take_verdict(partial, &verdict);
  if (verdict.verdict != RH_VERDICT_WRONG) return RH_OK;
  rh_context_blame(by->context, by->strategy->name, by->path, partial->job->operation.op, chunk->n);
  return rh_fail(error, RH_E_WRONG, "wrong result: '%s' on elements %llu to %llu: %.160s",
                 by->strategy->name, (unsigned long long)chunk->first,
                 (unsigned long long)(chunk->first + chunk->n - 1), verdict.text);
}

static void add_facts(rh_partial *partial, const rh_reference *reference) {
  uint32_t orders = reference->sampled.n_orders;
  partial->checked++;
  if (partial->check != RH_CHECK_FULL) return;
  rh_reference_add(&partial->facts, reference);
  if (orders > partial->facts.sampled.n_orders) partial->facts.sampled.n_orders = orders;
}

/* The strategy that gave a value, and how deep its tree is above a node's. */
static void note(rh_partial *partial, const rh_job *by, const rh_partial_chunk *chunk) {
  uint64_t depth = by->answer.depth == RH_DEPTH_ONE_ROUNDING ? 1 : by->answer.depth;
  int64_t level = chunk->level;
  partial->chunks++;
  partial->depth_unknown |= depth == 0;
  /* A chunk that is the whole, and may be short, has no tree above. */
  while (chunk->first == 0 && level > 0 && partial->fold.unit << (level - 1) >= chunk->n) level--;
  if ((int64_t)depth - level > partial->depth) partial->depth = (int64_t)depth - level;
  partial->flushes |= rh_job_flushes(&by->spec, by->runs_on) != 0;
  if (partial->strategy[0] && partial->strategy_first <= chunk->first) return;
  partial->strategy_first = chunk->first;
  snprintf(partial->strategy, sizeof partial->strategy, "%s", by->strategy->name);
}

/* The whole ends before this element. */
static rh_status learn_end(rh_partial *partial, uint64_t end, rh_error *error) {
  uint64_t known = partial->whole_n;
  if (known == end || (known == UINT64_MAX && rh_partial_end(partial) <= end)) {
    partial->whole_n = end;
    return RH_OK;
  }
  return rh_say_end(end < known ? end : known, error);
}

static rh_status fold_chunk(rh_partial *partial, const rh_partial_chunk *chunk, rh_error *error) {
  unsigned char values[(1 + RH_MOST_ORDERS) * RH_ANY_VALUE_BYTES];
  rh_fold *fold = &partial->fold;
  const rh_fold_node node = {chunk->first / fold->unit, chunk->level};
  uint64_t size = fold->op->value_size, end = chunk->first + chunk->n;
  if (chunk->n != fold->unit << chunk->level || end > partial->whole_n)
    RH_TRY(learn_end(partial, end, error));
  memcpy(values, chunk->value ? chunk->value : fold->op->identity, size);
  for (uint32_t k = 1; k < fold->n_values; k++) {
    const rh_reference *reference = chunk->reference;
    /* A chunk that was combined in fewer orders has the same value in the others. */
    uint32_t order = k - 1 < reference->sampled.n_orders ? k - 1 : 0;
    const void *exact =
        is_struct(partial->job) ? (const void *)reference->sampled.values[order] : reference->value;
    memcpy(values + k * size, exact, size);
  }
  return rh_fold_add(fold, &node, values, size, chunk->first, error);
}

rh_status rh_partial_add(rh_partial *partial, const rh_job *by, const rh_partial_chunk *chunk,
                         rh_error *error) {
  rh_status judged = RH_OK;
  if (chunk->n == 0) return RH_OK;
  RH_TRY(rh_edges_check_free(partial, chunk->first, chunk->n, error));
  if (chunk->reference && chunk->value && partial->worst.verdict != RH_VERDICT_WRONG)
    judged = judge_chunk(partial, by, chunk, error);
  if (judged != RH_OK && judged != RH_E_WRONG) return judged;
  if (chunk->reference) add_facts(partial, chunk->reference);
  if (by) note(partial, by, chunk);
  rh_status status = fold_chunk(partial, chunk, judged == RH_OK ? error : NULL);
  return judged == RH_OK ? status : judged;
}

/* ---- Elements that the host reduces ---- */

/* In the canonical order, as a strategy would. */
static void reduce_tile(const rh_job_spec *job, const rh_job_part *part, void *value) {
  uint64_t constants[RH_MOST_CONSTANT_WORDS], mapped[RH_CANONICAL_TILE_BYTES];
  const rh_operator *op = job->operation.op;
  const void *elements = part->operands[0];
  rh_op row = *rh_operator_values(op);
  rh_arrays arrays;
  memcpy(value, row.identity, row.value_size);
  rh_job_arrays(job, part, &arrays, constants);
  if (op->is_struct) {
    rh_custom_reduce(rh_custom_of(op), &arrays, 0, part->n, value);
    return;
  }
  if (op->calls->map) {
    op->calls->map(op, &arrays, 0, part->n, mapped);
    elements = mapped;
  }
  row.element_size = op->abi->element_size; /* which a row of a tile is made of */
  if (row.flags & RH_OP_EXACT) rh_op_fold(&row, value, elements, 0, part->n);
  else rh_canonical_fold(&row, elements, 0, part->n, value);
}

/* A tile that has become whole, or is the last one of all. */
static rh_status reduce_edge(rh_partial *partial, const rh_edge *edge, rh_error *error) {
  _Alignas(16) unsigned char value[RH_ANY_VALUE_BYTES] = {0};
  const void *operands[RH_MOST_OPERANDS];
  const rh_job_part part = {operands, edge->first, edge->n, partial->whole_n, 1, 0};
  rh_reference reference;
  rh_partial_chunk chunk = {.first = edge->first, .n = edge->n};
  int64_t depth = 2; /* a tile's tree, or a loop: as deep as it has elements in a lane, and lanes */
  while (UINT64_C(1) << (depth - 1) < partial->fold.unit) depth++;
  rh_edge_operands(partial, edge, operands);
  if (partial->check == RH_CHECK_FULL) {
    chunk.reference = &reference;
    RH_TRY(rh_partial_refer(partial, operands, edge->first, edge->n, 1, &reference, error));
    add_facts(partial, &reference);
  }
  reduce_tile(partial->job, &part, value);
  chunk.value = value;
  partial->chunks++;
  if (depth > partial->depth) partial->depth = depth;
  return fold_chunk(partial, &chunk, error);
}

/* Edges that are whole tiles become nodes; and the last of all, if there is no more of it. */
static rh_status reduce_edges(rh_partial *partial, int is_all, rh_error *error) {
  for (uint32_t k = partial->n_edges; k-- > 0;) {
    rh_edge edge = partial->edges[k];
    int ends = is_all && edge.first + edge.n == partial->whole_n;
    if (edge.first % partial->fold.unit != 0 || (edge.n != partial->fold.unit && !ends)) continue;
    RH_TRY(reduce_edge(partial, &edge, error));
    rh_edges_drop(partial, k);
  }
  return RH_OK;
}

/* ---- Merging ---- */

/* Its last tile may be short. */
static uint64_t end_of_node(const rh_partial *partial, uint32_t k) {
  uint64_t last = rh_fold_last(&partial->fold.nodes[k]), unit = partial->fold.unit;
  return last >= (partial->whole_n - 1) / unit ? partial->whole_n : (last + 1) * unit;
}

static void merge_facts(rh_partial *partial, const rh_partial *other) {
  uint64_t unjudged = partial->unjudged;
  partial->chunks += other->chunks;
  partial->checked += other->checked;
  if (other->depth > partial->depth) partial->depth = other->depth;
  partial->depth_unknown |= other->depth_unknown;
  partial->flushes |= other->flushes;
  if (other->checked) take_verdict(partial, &other->worst);
  partial->unjudged = unjudged + other->unjudged;
  rh_reference_add(&partial->facts, &other->facts);
  if (other->facts.sampled.n_orders > partial->facts.sampled.n_orders)
    partial->facts.sampled.n_orders = other->facts.sampled.n_orders;
  if (!other->strategy[0] ||
      (partial->strategy[0] && partial->strategy_first <= other->strategy_first))
    return;
  partial->strategy_first = other->strategy_first;
  memcpy(partial->strategy, other->strategy, sizeof partial->strategy);
}

static rh_status merge_nodes(rh_partial *partial, const rh_partial *other, rh_error *error) {
  const rh_fold *from = &other->fold;
  if (other->whole_n != UINT64_MAX) RH_TRY(learn_end(partial, other->whole_n, error));
  else if (rh_partial_end(other) > partial->whole_n)
    RH_TRY(learn_end(partial, rh_partial_end(other), error));
  for (uint32_t k = 0; k < from->n; k++) {
    uint64_t first = from->nodes[k].first * from->unit;
    RH_TRY(rh_edges_check_free(partial, first, end_of_node(other, k) - first, error));
    RH_TRY(rh_fold_add(&partial->fold, &from->nodes[k], rh_fold_values(from, k), from->stride, 0,
                       error));
  }
  return RH_OK;
}

rh_status rh_partial_merge(rh_partial *partial, const rh_partial *other, rh_error *error) {
  const void *operands[RH_MOST_OPERANDS];
  RH_TRY(merge_nodes(partial, other, error));
  merge_facts(partial, other);
  for (uint32_t k = 0; k < other->n_edges; k++) {
    const rh_edge *edge = &other->edges[k];
    rh_edge_operands(other, edge, operands);
    RH_TRY(rh_partial_add_edge(partial, edge->first, edge->n, operands, error));
  }
  return reduce_edges(partial, 0, error);
}

/* ---- The whole ---- */

uint64_t rh_partial_first(const rh_partial *partial) {
  uint64_t first = partial->fold.n ? partial->fold.nodes[0].first * partial->fold.unit : 0;
  if (partial->n_edges && (!partial->fold.n || partial->edges[0].first < first))
    first = partial->edges[0].first;
  return first;
}

uint64_t rh_partial_end(const rh_partial *partial) {
  uint64_t end = partial->fold.n ? end_of_node(partial, partial->fold.n - 1) : 0;
  if (!partial->n_edges) return end;
  const rh_edge *edge = &partial->edges[partial->n_edges - 1];
  return edge->first + edge->n > end ? edge->first + edge->n : end;
}

uint64_t rh_partial_count(const rh_partial *partial) {
  uint64_t n = 0;
  for (uint32_t k = 0; k < partial->fold.n; k++)
    n += end_of_node(partial, k) - partial->fold.nodes[k].first * partial->fold.unit;
  for (uint32_t k = 0; k < partial->n_edges; k++) n += partial->edges[k].n;
  return n;
}

static rh_status check_all(const rh_partial *partial, rh_error *error) {
  uint64_t gap = 0, before, end = rh_partial_end(partial);
  do {
    before = gap; /* the first element that is missing is this one, or one behind it */
    for (uint32_t k = 0; k < partial->fold.n; k++)
      if (partial->fold.nodes[k].first * partial->fold.unit == gap) gap = end_of_node(partial, k);
    for (uint32_t k = 0; k < partial->n_edges; k++)
      if (partial->edges[k].first == gap) gap += partial->edges[k].n;
  } while (gap != before);
  if (gap == (partial->whole_n != UINT64_MAX ? partial->whole_n : end)) return RH_OK;
  return rh_fail(error, RH_E_INVALID,
                 "a part of the reduction is missing: element %llu, for one, is in none of these",
                 (unsigned long long)gap);
}

/* The answer's exact one, from what is known of the elements. */
rh_status rh_partial_reference(const rh_partial *partial, rh_reference *reference,
                               rh_error *error) {
  const rh_job_spec *job = partial->job;
  const rh_fold *fold = &partial->fold;
  if (partial->check == RH_CHECK_NONE) return RH_OK;
  *reference = partial->facts;
  reference->n = partial->whole_n;
  if (partial->check != RH_CHECK_FULL) return RH_OK;
  if (is_struct(job)) {
    rh_sampled *sampled = &reference->sampled;
    sampled->by_device = job->operation.op->is_code;
    if (sampled->n_orders == 0) sampled->n_orders = 1; /* there were no elements */
    for (uint32_t k = 0; k < sampled->n_orders; k++)
      RH_TRY(rh_fold_value(fold, 1 + (k < fold->n_values - 1 ? k : 0), sampled->values[k], error));
  } else if (fold->n_values > 1) {
    _Alignas(16) unsigned char value[RH_ANY_VALUE_BYTES] = {0};
    RH_TRY(rh_fold_value(fold, 1, value, error));
    memcpy(reference->value, value, sizeof reference->value);
  }
  rh_reference_conclude(reference);
  return RH_OK;
}

/* The tree above the chunks is as deep as there are levels to the root. */
uint64_t rh_partial_depth(const rh_partial *partial) {
  uint64_t n = partial->whole_n, unit = partial->fold.unit, tiles = n / unit + (n % unit != 0);
  int64_t levels = 0;
  while (levels < 63 && UINT64_C(1) << levels < tiles) levels++;
  int64_t depth = partial->depth + levels;
  return partial->depth_unknown || partial->chunks == 0 || depth < 0 ? 0 : (uint64_t)depth;
}

static rh_status answer(const rh_partial *partial, const void *value, rh_result *result,
                        rh_reference *reference, rh_verdict *verdict, rh_error *error) {
  rh_job_spec job = *partial->job;
  job.operation.n = partial->whole_n;
  RH_TRY(rh_by_code_status(job.operation.op, error)); /* where a device combined them */
  rh_job_result(&job, partial->strategy, value, result);
  RH_TRY(rh_partial_reference(partial, reference, error));
  *verdict = partial->worst;
  if (partial->check == RH_CHECK_SAMPLED && partial->checked == 0 && partial->whole_n > 0)
    rh_verdict_say(verdict, RH_VERDICT_UNJUDGED, NAN, "no chunk was sampled");
  if (partial->check == RH_CHECK_FULL)
    rh_reference_judge(reference, result, rh_partial_depth(partial), (int)partial->flushes,
                       verdict);
  if (partial->worst.verdict == RH_VERDICT_WRONG && verdict->verdict != RH_VERDICT_WRONG)
    *verdict = partial->worst;
  /* Bits that are the canonical order's by chance say nothing of parts whose bounds do not. */
  verdict->weak |= is_struct(&job) && partial->unjudged;
  if (verdict->verdict == RH_VERDICT_WRONG)
    return rh_fail(error, RH_E_WRONG, "wrong result: %s", verdict->text);
  if (partial->check == RH_CHECK_FULL) rh_accuracy_take(&job, reference, result);
  return RH_OK;
}

/* Of an exact sum of elements, without values of them, which were judged when they were added. */
static rh_status answer_of_sum(rh_partial *partial, rh_result *result, rh_reference *reference,
                               rh_verdict *verdict, rh_error *error) {
  rh_job_spec job = *partial->job;
  partial->whole_n = job.operation.n = partial->facts.n;
  rh_job_result(&job, partial->strategy, partial->fold.op->identity, result);
  RH_TRY(rh_partial_reference(partial, reference, error));
  *verdict = (rh_verdict){0};
  rh_verdict_say(verdict, RH_VERDICT_OK, 0, "equal");
  rh_accuracy_take(&job, reference, result);
  return RH_OK;
}

rh_status rh_partial_conclude(rh_partial *partial, rh_result *result, rh_reference *reference,
                              rh_verdict *verdict, rh_error *error) {
  _Alignas(16) unsigned char value[RH_ANY_VALUE_BYTES] = {0};
  if (partial->job->operation.accuracy && partial->fold.n + partial->n_edges == 0 &&
      partial->facts.n > 0)
    return answer_of_sum(partial, result, reference, verdict, error);
  RH_TRY(check_all(partial, error));
  partial->whole_n = rh_partial_end(partial);
  RH_TRY(reduce_edges(partial, 1, error));
  RH_TRY(rh_fold_value(&partial->fold, 0, value, error));
  return answer(partial, value, result, reference, verdict, error);
}

/* ---- Answers that are rounded once ---- */

rh_status rh_accuracy_ask(rh_job_spec *spec, rh_custom *own, rh_error *error) {
  spec->operation.accuracy = RH_ACCURACY_EXACT;
  if (own) RH_TRY(rh_custom_round_once(own, error));
  if (own) return RH_OK;
  if (spec->operation.op->base != RH_OP_prod || !rh_type_is_float(spec->operation.op->type))
    return RH_OK;
  return rh_fail(error, RH_DECLINED, "a product of floats cannot be rounded once; a sum can");
}

rh_status rh_accuracy_check_own(const rh_job *job, rh_error *error) {
  if (!rh_job_is_near(job)) return RH_OK;
  return rh_fail(error, RH_DECLINED,
                 "strategy '%s' does not round '%s' once, and a prepared call has no check, which "
                 "would: rh_reduce() has",
                 job->strategy->name, job->spec.operation.op->name);
}

void rh_accuracy_take(const rh_job_spec *spec, const rh_reference *reference, rh_result *result) {
  if (!rh_operation_rounds_once(&spec->operation)) return;
  result->value = reference->answer.value;
  double x = fabs(result->value.f);
  double next =
      result->type == RH_TYPE_f64 ? nextafter(x, INFINITY) : nextafterf((float)x, INFINITY);
  result->bound = isfinite(next) ? (next - x) / 2 : 0; /* half an ulp */
  memcpy(result->fields, reference->answer.fields, sizeof result->fields);
}
