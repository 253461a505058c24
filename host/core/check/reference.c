#include "check.h"

#include <stdatomic.h>

/* Bytes between two checks for cancellation and progress reports. */
#define CHUNK_BYTES (UINT64_C(4) << 20)
/* The least number of elements per thread. */
#define MIN_PART (UINT64_C(1) << 18)

typedef struct reference_job reference_job;

/* A contiguous share of the elements; parts are in the order of the elements. */
typedef struct reference_part {
  reference_job *job;
  uint64_t first, n;
  /* The state over the elements so far, one of: */
  _Alignas(16) unsigned char value[16]; /* exact operators */
  rh_exact_bins *bins;                  /* float sums, and of products that are not rounded */
  rh_exact_sum whole;                   /* sums of integers, not modulo 2^64 */
  rh_exact_prod prod;                   /* float products */
  void *mapped;                         /* a chunk of the map's elements; null: there is no map */
  rh_enclosed enclosed;                 /* of a map whose functions err */
} reference_part;

struct reference_job {
  const rh_operator *op; /* built in, or over a map of `arrays` */
  const rh_op *of;       /* the built-in one's row */
  const rh_arrays *arrays;
  uint64_t n;
  int encloses;
  void (*add)(reference_part *part, uint64_t first, uint64_t n);
  reference_part *parts;
  uint32_t n_parts;
  atomic_uint_fast64_t done; /* elements */
  atomic_int status;         /* not RH_OK: it was cancelled */
  pthread_t caller; /* the only thread that reports, for reporters need not be thread-safe */
  rh_pace pace;
  rh_error *error;
};

/* ---- Processing a chunk ---- */

/* Elements first .. first+n-1. */
static const unsigned char *elements(reference_part *part, uint64_t first, uint64_t n) {
  const reference_job *job = part->job;
  const rh_operator *op = job->op;
  if (!op->calls->map)
    return (const unsigned char *)job->arrays->operands[0] + first * rh_type_size(op->type);
  op->calls->map(op, job->arrays, first, n, part->mapped);
  if (job->encloses)
    rh_enclosed_add(&part->enclosed, op, 0, op->type, job->arrays, first, n, part->mapped);
  return part->mapped;
}

static void add_exact(reference_part *part, uint64_t first, uint64_t n) {
  uintptr_t from = (uintptr_t)elements(part, first, n) - first * rh_type_size(part->job->op->type);
  part->job->of->fold(part->value, (const void *)from, first, n); /* indices count from there */
}

static void add_whole(reference_part *part, uint64_t first, uint64_t n) {
  rh_type type = part->job->op->type;
  const void *x = elements(part, first, n);
  uint64_t sum = 0;
  rh_i128 whole = 0;
  part->job->of->fold(&sum, x, 0, n); /* which smaller integers of a chunk do not overflow */
  part->job->of->combine(part->value, &sum);
  if (type == RH_TYPE_i64)
    for (uint64_t k = 0; k < n; k++) whole += ((const int64_t *)x)[k];
  else if (type == RH_TYPE_u64)
    for (uint64_t k = 0; k < n; k++) whole += ((const uint64_t *)x)[k];
  else whole = rh_type_is_signed(type) ? (rh_i128)(int64_t)sum : (rh_i128)sum;
  rh_fixed *side = whole < 0 ? &part->whole.negative : &part->whole.positive;
  rh_fixed_add_shifted(side, (rh_u128)(whole < 0 ? -whole : whole), RH_FIXED_UNIT);
  part->whole.specials.has_others = 1;
}

static void add_sum(reference_part *part, uint64_t first, uint64_t n) {
  rh_exact_bins_add(part->bins, elements(part, first, n), n);
}

static void add_dot(reference_part *part, uint64_t first, uint64_t n) {
  const reference_job *job = part->job;
  const uint32_t *of = job->op->abi->form_operands;
  uint64_t from = first * rh_type_size(job->op->type);
  rh_exact_bins_add_products(part->bins, job->op->type,
                             (const char *)job->arrays->operands[of[0]] + from,
                             (const char *)job->arrays->operands[of[1]] + from, n);
}

static void add_prod(reference_part *part, uint64_t first, uint64_t n) {
  rh_exact_prod_add(&part->prod, part->job->op->type, elements(part, first, n), n);
}

/* ---- Threads ---- */

/* Parts are equal, so that the caller hardly waits for others when its own is done. */
static void work(void *of_job, uint64_t k, uint64_t count) {
  reference_job *job = of_job;
  reference_part *part = &job->parts[k];
  uint64_t chunk = CHUNK_BYTES / rh_type_size(job->op->type), at = part->first, left = part->n;
  (void)count;
  while (left > 0 && atomic_load(&job->status) == RH_OK) {
    uint64_t n = left < chunk ? left : chunk;
    job->add(part, at, n);
    atomic_fetch_add(&job->done, n);
    at += n;
    left -= n;
    if (pthread_equal(job->caller, pthread_self()) && atomic_load(&job->status) == RH_OK)
      atomic_store(&job->status,
                   rh_pace_report(&job->pace, atomic_load(&job->done), job->n, job->error));
  }
}

/* ---- Parts ---- */

static uint32_t count_parts(uint64_t n, uint32_t threads) {
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  if (threads == 0) threads = processors > 0 ? (uint32_t)processors : 1;
  uint64_t most = n / MIN_PART;
  if (most < 1) most = 1;
  return most < threads ? (uint32_t)most : threads;
}

static void reference_job_finish(reference_job *job) {
  for (uint32_t i = 0; job->parts && i < job->n_parts; i++) {
    rh_exact_bins_destroy(job->parts[i].bins);
    free(job->parts[i].mapped);
  }
  free(job->parts);
}

static rh_status create_parts(reference_job *job, uint32_t threads) {
  job->n_parts = count_parts(job->n, threads);
  job->parts = calloc(job->n_parts, sizeof *job->parts);
  if (!job->parts) return rh_fail(job->error, RH_E_NOMEM, "reference: out of memory");
  int has_bins = job->add == add_sum || job->add == add_dot;
  rh_type of_bins = job->add == add_dot ? RH_TYPE_f64 : job->op->type;
  uint64_t first = 0;
  for (uint32_t i = 0; i < job->n_parts; i++) {
    reference_part *part = &job->parts[i];
    part->job = job;
    part->first = first;
    part->n = job->n / job->n_parts + (i < job->n % job->n_parts);
    first += part->n;
    memcpy(part->value, job->of->identity, job->of->value_size);
    rh_exact_prod_init(&part->prod);
    uint64_t size = rh_type_size(job->op->type), bytes = CHUNK_BYTES;
    if (part->n < CHUNK_BYTES / size) bytes = part->n * size + 1; /* not none */
    if ((job->op->calls->map && !(part->mapped = malloc(bytes))) ||
        (has_bins && !(part->bins = rh_exact_bins_create(of_bins, job->op->base == RH_OP_asum))))
      return rh_fail(job->error, RH_E_NOMEM, "reference: out of memory");
  }
  return RH_OK;
}

/* ---- Merging the parts' results ---- */

static int is_exact(const rh_operator *op) {
  return (rh_op_flags(op->base, op->type) & RH_OP_EXACT) != 0;
}

static void conclude(rh_reference *reference) {
  const rh_operator *op = reference->op;
  reference->map_error = op->map_error;
  if (is_exact(op)) {
    rh_op_result(op->base, op->type, reference->value, &reference->result);
    reference->exact = 1;
    return;
  }
  rh_type type = reference->result.type;
  long double exact = op->base == RH_OP_prod ? rh_exact_prod_long(&reference->prod)
                                             : rh_exact_sum_rounded(&reference->sum, type);
  reference->result.value.f = type == RH_TYPE_f32 ? (double)(float)exact : (double)exact;
}

void rh_reference_conclude(rh_reference *reference) {
  int is_struct = reference->op->is_struct;
  if (!is_struct) conclude(reference);
  reference->answer = reference->result;
  if (reference->op->n_results) reference->op->calls->conclude(reference);
  if (is_struct) reference->result = reference->answer;
}

void rh_reference_add(rh_reference *whole, const rh_reference *part) {
  whole->n += part->n;
  whole->exact = 0;
  rh_exact_sum_merge(&whole->sum, &part->sum);
  rh_exact_prod_merge(&whole->prod, &part->prod);
  rh_enclosed_merge(&whole->enclosed, whole->op->base, &part->enclosed);
  for (uint32_t k = 0; k < RH_MOST_FIELDS; k++) rh_field_sum_merge(&whole->sums[k], &part->sums[k]);
}

static void take_parts(rh_reference *reference, const reference_job *job) {
  memcpy(reference->value, job->parts[0].value, sizeof reference->value);
  for (uint32_t i = 0; i < job->n_parts; i++) {
    const reference_part *part = &job->parts[i];
    if (i > 0) job->of->combine(reference->value, part->value);
    rh_exact_sum_merge(&reference->sum, &part->whole);
    if (part->bins) rh_exact_bins_fold(part->bins, &reference->sum);
    rh_exact_prod_merge(&reference->prod, &part->prod);
    rh_enclosed_merge(&reference->enclosed, job->op->base, &part->enclosed);
  }
}

void rh_reference_init(rh_reference *reference, const rh_operator *op) {
  memset(reference, 0, sizeof *reference);
  reference->op = op;
  reference->result.type = rh_op_result_type(op->base, op->type);
  reference->exact = 1;
  rh_exact_prod_init(&reference->prod);
}

static rh_status compute(rh_reference *reference, reference_job *job, uint32_t threads) {
  const rh_operator *op = job->op;
  job->of = rh_op_find(op->base, op->type);
  job->add = is_exact(op) ? add_exact : op->base == RH_OP_prod ? add_prod : add_sum;
  if (op->keeps_products) job->add = add_dot;
  if (op->divides && is_exact(op)) job->add = add_whole;
  job->encloses = rh_enclosed_serves(op);
  RH_TRY(create_parts(job, threads));
  if (job->n) RH_TRY(rh_pace_report(&job->pace, 0, job->n, job->error));
  rh_share(job->n_parts, 1, work, job);
  RH_TRY((rh_status)atomic_load(&job->status));
  take_parts(reference, job);
  rh_reference_conclude(reference);
  return RH_OK;
}

rh_status rh_reference_compute(rh_reference *reference, const rh_operator *op,
                               const rh_arrays *arrays, uint64_t n, uint32_t threads,
                               const rh_reporter *reporter, rh_error *error) {
  RH_FINISHED(reference_job)
  job = {.op = op,
         .arrays = arrays,
         .n = n,
         .caller = pthread_self(),
         .pace = {.reporter = reporter, .phase = "reference"},
         .error = error};
  rh_reference_init(reference, op);
  reference->n = n;
  reference->exact = n == 0;
  if (op->is_struct) return op->calls->refer(op, arrays, n, reference, error);
  return compute(reference, &job, threads);
}
