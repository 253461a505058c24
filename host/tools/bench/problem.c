#include "bench.h"

/* Null: it is not defined. */
static const rh_operator *operator_of(const rh_bench_settings *settings, uint32_t t, uint32_t op) {
  if (op < RH_FIRST_OWN_OP) return rh_operator_builtin(op, settings->types.list[t]);
  const rh_custom *own = settings->own[(op - RH_FIRST_OWN_OP) * RH_N_TYPES + t];
  return own ? &own->face : NULL;
}

int rh_bench_is_defined(const rh_bench_settings *settings, uint32_t t, uint32_t op) {
  return operator_of(settings, t, op) != NULL;
}

rh_job_spec rh_bench_problem(const rh_bench_settings *settings, uint32_t t, uint32_t op,
                             uint64_t n) {
  rh_job_spec spec = {.operation = {.op = operator_of(settings, t, op), .n = n}};
  if (spec.operation.op && spec.operation.op->is_custom) rh_operand_layout(&spec, spec.offsets);
  return spec;
}

/* Cut k of n elements; k becomes that of the next one, or 0.  0: there is none. */
static int take_cut(const rh_bench_settings *settings, uint64_t n, uint32_t *k, rh_cut *cut) {
  uint32_t fit = 0, now = *k;
  *cut = (rh_cut){0};
  if (!settings->n_lengths) return 1;
  while (fit < settings->n_lengths && settings->lengths[fit] <= n) fit++;
  if (!fit) return 0;
  *cut = (rh_cut){settings->lengths[now % fit], settings->distributions.list[now / fit]};
  *k = (now + 1) % (fit * settings->distributions.n);
  return 1;
}

int rh_bench_next(const rh_bench_settings *settings, rh_bench_at *at) {
  while (at->t < settings->types.n) {
    uint64_t n = settings->sizes[at->t][at->size];
    at->problem = rh_bench_problem(settings, at->t, settings->ops.list[at->op], n);
    at->is_largest = at->size + 1 == settings->n_sizes[at->t];
    int is_one = at->problem.operation.op && take_cut(settings, n, &at->k_cut, &at->cut);
    if (at->k_cut == 0) at->op = (at->op + 1) % settings->ops.n;
    if (at->k_cut == 0 && at->op == 0) at->size = (at->size + 1) % settings->n_sizes[at->t];
    if (at->k_cut == 0 && at->op == 0 && at->size == 0) at->t++;
    if (is_one) return 1;
  }
  return 0;
}

uint32_t rh_bench_element_bytes(const rh_bench_settings *settings, uint32_t t) {
  uint32_t most = 0;
  for (uint32_t k = 0; k < settings->ops.n; k++) {
    const rh_operator *op = operator_of(settings, t, settings->ops.list[k]);
    uint32_t bytes = op ? rh_operator_element_bytes(op) : 0;
    if (bytes > most) most = bytes;
  }
  return most;
}

const char *rh_bench_op_name(const rh_bench_settings *settings, uint32_t op) {
  for (uint32_t t = 0; t < settings->types.n && op >= RH_FIRST_OWN_OP; t++)
    if (operator_of(settings, t, op)) return operator_of(settings, t, op)->name;
  return rh_op_name(op);
}
