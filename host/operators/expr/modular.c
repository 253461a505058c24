/* Expressions modulo the prime 2^61 - 1: what holds there at random points is an identity of
 * rational functions, without any rounding (Schwartz 1980; Zippel 1979). */
#include "internal.h"

__extension__ typedef unsigned __int128 u128;

static const uint64_t prime = (UINT64_C(1) << 61) - 1;

static uint64_t multiply(uint64_t a, uint64_t b) {
  u128 product = (u128)a * b;
  uint64_t sum = (uint64_t)(product & prime) + (uint64_t)(product >> 61);
  return sum >= prime ? sum - prime : sum;
}

static uint64_t add(uint64_t a, uint64_t b) {
  uint64_t sum = a + b;
  return sum >= prime ? sum - prime : sum;
}

static uint64_t negate(uint64_t a) { return a ? prime - a : 0; }

static uint64_t power(uint64_t a, uint64_t exponent) {
  uint64_t result = 1;
  for (; exponent; exponent >>= 1, a = multiply(a, a))
    if (exponent & 1) result = multiply(result, a);
  return result;
}

static uint64_t inverse(uint64_t a) { return power(a, prime - 2); /* Fermat */ }

static uint64_t of_integer(int64_t x) {
  uint64_t size = x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
  return x < 0 ? negate(size % prime) : size % prime;
}

/* A float is an integer times a power of two. */
static int of_double(double x, uint64_t *value) {
  int exponent;
  if (!isfinite(x)) return 0;
  double fraction = frexp(x, &exponent);
  *value = of_integer((int64_t)ldexp(fraction, 53));
  exponent -= 53;
  uint64_t scale = power(2, (uint64_t)(exponent < 0 ? -exponent : exponent));
  *value = multiply(*value, exponent < 0 ? inverse(scale) : scale);
  return 1;
}

/* At a random point, what is equal only there is unequal. */
static int compare(const rh_node *node, uint64_t a, uint64_t b, uint64_t *value) {
  *value = (a == b) == (node->kind == RH_NODE_EQUAL);
  return rh_type_is_float(node->of);
}

/* Integers wrap modulo a power of two, which is another ring. */
static int compute(const rh_node *node, const uint64_t *known, uint64_t *value) {
  uint64_t a = known[node->args[0]], b = known[node->args[1]];
  if (node->kind == RH_NODE_EQUAL || node->kind == RH_NODE_UNEQUAL)
    return compare(node, a, b, value);
  if (!rh_type_is_float(node->type)) return 0;
  switch (node->kind) {
  case RH_NODE_ADD: *value = add(a, b); return 1;
  case RH_NODE_SUBTRACT: *value = add(a, negate(b)); return 1;
  case RH_NODE_MULTIPLY: *value = multiply(a, b); return 1;
  case RH_NODE_DIVIDE: *value = multiply(a, inverse(b)); return b != 0;
  case RH_NODE_NEGATE: *value = negate(a); return 1;
  case RH_NODE_CAST: *value = a; return 1;
  default: return 0;
  }
}

/* The node's value, or 0 if it has none here.  A division by 0 has none, which matters only where
 * its branch is taken. */
static int find(const rh_node *node, const uint64_t *variables, const uint64_t *known,
                const unsigned char *is_known, uint64_t *value) {
  if (node->kind == RH_NODE_VARIABLE) {
    *value = variables[node->number];
    return 1;
  }
  if (node->kind == RH_NODE_LITERAL) /* an integer becomes a float, which rounds it as this does */
    return of_double(rh_number_at(node->type, &node->value, 0), value);
  if (node->kind == RH_NODE_CHOOSE) {
    uint32_t taken = known[node->args[0]] ? node->args[1] : node->args[2];
    if (!rh_type_is_float(node->type) || !is_known[node->args[0]] || !is_known[taken]) return 0;
    *value = known[taken];
    return 1;
  }
  for (uint32_t k = 0; k < node->arity; k++)
    if (!is_known[node->args[k]]) return 0;
  return compute(node, known, value);
}

int rh_exprs_modular(const rh_exprs *exprs, const uint64_t *variables, uint64_t *outputs) {
  uint64_t known[exprs->n_nodes + 1];
  unsigned char is_known[exprs->n_nodes + 1];
  for (uint32_t k = 0; k < exprs->n_nodes; k++) {
    known[k] = 0;
    is_known[k] = 0;
    if (exprs->nodes[k].is_live)
      is_known[k] = (unsigned char)find(&exprs->nodes[k], variables, known, is_known, &known[k]);
  }
  for (uint32_t j = 0; j < exprs->n_outputs; j++) {
    if (!is_known[exprs->outputs[j]]) return 0;
    outputs[j] = known[exprs->outputs[j]];
  }
  return 1;
}
