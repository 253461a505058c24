#include "partial.h"

enum { PADDING = 16 };

static uint64_t operand_bytes(const rh_job_spec *job, uint32_t k, uint64_t n) {
  return n * rh_type_size(job->operation.op->operands[k].type);
}

static uint64_t padded(uint64_t bytes) { return (bytes + PADDING - 1) / PADDING * PADDING; }

uint64_t rh_edge_bytes(const rh_job_spec *job, uint64_t n) {
  uint64_t bytes = 0;
  for (uint32_t k = 0; k < job->operation.op->n_operands; k++)
    bytes += padded(operand_bytes(job, k, n));
  return bytes;
}

void rh_edge_operands(const rh_partial *partial, const rh_edge *edge, const void **operands) {
  const unsigned char *at = edge->bytes;
  for (uint32_t k = 0; k < partial->job->operation.op->n_operands; k++) {
    operands[k] = at;
    at += padded(operand_bytes(partial->job, k, edge->n));
  }
}

static rh_status create(rh_edge *edge, const rh_job_spec *job, uint64_t first, uint64_t n,
                        rh_error *error) {
  uint64_t bytes = rh_edge_bytes(job, n);
  *edge = (rh_edge){first, n, aligned_alloc(PADDING, bytes)};
  if (!edge->bytes) return rh_fail(error, RH_E_NOMEM, "no memory for the elements of a tile");
  memset(edge->bytes, 0, bytes);
  return RH_OK;
}

/* Copies n elements, of which the first is number `at` of the edge. */
static void put(const rh_partial *partial, const rh_edge *edge, uint64_t at, uint64_t n,
                const void *const *from) {
  const void *to[RH_MOST_OPERANDS];
  rh_edge_operands(partial, edge, to);
  for (uint32_t k = 0; k < partial->job->operation.op->n_operands; k++)
    memcpy((unsigned char *)(uintptr_t)to[k] + operand_bytes(partial->job, k, at), from[k],
           operand_bytes(partial->job, k, n));
}

void rh_edges_drop(rh_partial *partial, uint32_t k) {
  free(partial->edges[k].bytes);
  partial->n_edges--;
  memmove(&partial->edges[k], &partial->edges[k + 1],
          (partial->n_edges - k) * sizeof *partial->edges);
}

static uint32_t place_of(const rh_partial *partial, uint64_t element) {
  return rh_count_before(partial->edges, partial->n_edges, sizeof *partial->edges, element);
}

rh_status rh_edges_check_free(const rh_partial *partial, uint64_t first, uint64_t n,
                              rh_error *error) {
  uint32_t at = place_of(partial, first);
  const rh_edge *edges = partial->edges;
  if (at > 0 && edges[at - 1].first + edges[at - 1].n > first) return rh_say_overlap(first, error);
  if (at < partial->n_edges && edges[at].first - first < n)
    return rh_say_overlap(edges[at].first, error);
  return RH_OK;
}

/* Are edge k and the next one neighbours in a tile? */
static int are_one(const rh_partial *partial, uint32_t k) {
  const rh_edge *one = &partial->edges[k];
  uint64_t unit = partial->fold.unit;
  return k + 1 < partial->n_edges && one->first + one->n == one[1].first &&
         one->first / unit == one[1].first / unit;
}

static rh_status join(rh_partial *partial, uint32_t k, rh_error *error) {
  const void *operands[RH_MOST_OPERANDS];
  rh_edge one = partial->edges[k], next = partial->edges[k + 1], both;
  RH_TRY(create(&both, partial->job, one.first, one.n + next.n, error));
  rh_edge_operands(partial, &one, operands);
  put(partial, &both, 0, one.n, operands);
  rh_edge_operands(partial, &next, operands);
  put(partial, &both, one.n, next.n, operands);
  rh_edges_drop(partial, k + 1);
  free(one.bytes);
  partial->edges[k] = both;
  return RH_OK;
}

/* n elements of one tile. */
static rh_status add_piece(rh_partial *partial, uint64_t first, uint64_t n,
                           const void *const *operands, rh_error *error) {
  RH_TRY(rh_edges_check_free(partial, first, n, error));
  if (rh_fold_has(&partial->fold, first / partial->fold.unit)) return rh_say_overlap(first, error);
  RH_TRY(RH_ROOM(&partial->edges, partial->n_edges, "the edges of a part", error));
  uint32_t at = place_of(partial, first);
  rh_edge edge;
  RH_TRY(create(&edge, partial->job, first, n, error));
  put(partial, &edge, 0, n, operands);
  memmove(&partial->edges[at + 1], &partial->edges[at],
          (partial->n_edges - at) * sizeof *partial->edges);
  partial->edges[at] = edge;
  partial->n_edges++;
  if (are_one(partial, at)) RH_TRY(join(partial, at, error));
  return at > 0 && are_one(partial, at - 1) ? join(partial, at - 1, error) : RH_OK;
}

rh_status rh_say_end(uint64_t element, rh_error *error) {
  return rh_fail(error, RH_E_INVALID,
                 "the parts are of one whole that ends before element %llu, and of one that goes "
                 "on",
                 (unsigned long long)element);
}

rh_status rh_partial_add_edge(rh_partial *partial, uint64_t first, uint64_t n,
                              const void *const *operands, rh_error *error) {
  const void *at[RH_MOST_OPERANDS];
  uint64_t unit = partial->fold.unit;
  if (n > partial->whole_n || first > partial->whole_n - n)
    return rh_say_end(partial->whole_n, error);
  for (uint64_t done = 0; done < n;) {
    uint64_t left = unit - (first + done) % unit;
    if (left > n - done) left = n - done;
    for (uint32_t k = 0; k < partial->job->operation.op->n_operands; k++)
      at[k] = (const char *)operands[k] + operand_bytes(partial->job, k, done);
    RH_TRY(add_piece(partial, first + done, left, at, error));
    done += left;
  }
  return RH_OK;
}
