#include "bench.h"

const rh_operator *rh_bench_operator(const rh_bench_settings *settings, uint32_t t, uint32_t op) {
  if (op < RH_FIRST_OWN_OP) return rh_operator_builtin(op, settings->types.list[t]);
  const rh_custom *own = settings->own[(op - RH_FIRST_OWN_OP) * RH_N_TYPES + t];
  return own ? &own->face : NULL;
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
    const rh_operator *op = rh_bench_operator(settings, at->t, settings->ops.list[at->op]);
    at->problem = (rh_job_spec){.operation = {.op = op, .n = n}};
    if (op && op->is_custom) rh_operand_layout(&at->problem, at->problem.offsets);
    at->is_largest = at->size + 1 == settings->n_sizes[at->t];
    int is_one = op && take_cut(settings, n, &at->k_cut, &at->cut);
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
    const rh_operator *op = rh_bench_operator(settings, t, settings->ops.list[k]);
    uint32_t bytes = op ? rh_operator_element_bytes(op) : 0;
    if (bytes > most) most = bytes;
  }
  return most;
}

const char *rh_bench_op_name(const rh_bench_settings *settings, uint32_t op) {
  for (uint32_t t = 0; t < settings->types.n && op >= RH_FIRST_OWN_OP; t++)
    if (rh_bench_operator(settings, t, op)) return rh_bench_operator(settings, t, op)->name;
  return rh_op_name(op);
}
