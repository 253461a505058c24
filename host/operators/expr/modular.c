/* Expressions modulo the prime 2^61 - 1: what holds there at random points is an identity of
 * rational functions, without any rounding (Schwartz 1980; Zippel 1979). */
#include "internal.h"

__extension__ typedef unsigned __int128 u128;

static const uint64_t prime = (UINT64_C(1) << 61) - 1;
static const uint64_t unknown = UINT64_MAX; /* a node has no value here */

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

/* A float is an integer times a power of two. */
static uint64_t of_double(double x) {
  int exponent;
  if (!isfinite(x)) return unknown;
  uint64_t value = (uint64_t)ldexp(frexp(fabs(x), &exponent), 53);
  exponent -= 53;
  uint64_t scale = power(2, (uint64_t)(exponent < 0 ? -exponent : exponent));
  value = multiply(value, exponent < 0 ? inverse(scale) : scale);
  return x < 0 ? negate(value) : value;
}

/* Integers wrap modulo a power of two, which is another ring.  At a random point, what is equal
 * only there is unequal. */
static uint64_t compute(const rh_node *node, uint64_t a, uint64_t b) {
  int is_equality = node->kind == RH_NODE_EQUAL || node->kind == RH_NODE_UNEQUAL;
  if (!rh_type_is_float(is_equality ? node->of : node->type)) return unknown;
  switch (node->kind) {
  case RH_NODE_EQUAL: return a == b;
  case RH_NODE_UNEQUAL: return a != b;
  case RH_NODE_ADD: return add(a, b);
  case RH_NODE_SUBTRACT: return add(a, negate(b));
  case RH_NODE_MULTIPLY: return multiply(a, b);
  case RH_NODE_DIVIDE: return b ? multiply(a, inverse(b)) : unknown;
  case RH_NODE_NEGATE: return negate(a);
  case RH_NODE_CAST: return a;
  default: return unknown;
  }
}

/* A division by 0 has no value, which matters only where its branch is taken. */
static uint64_t find(const rh_node *node, const uint64_t *variables, const uint64_t *known) {
  uint64_t args[3] = {0};
  int is_known = 1;
  if (node->kind == RH_NODE_VARIABLE) return variables[node->number];
  if (node->kind == RH_NODE_LITERAL) /* an integer becomes a float, which rounds it as this does */
    return of_double(rh_number_at(node->type, &node->value, 0));
  for (uint32_t k = 0; k < node->arity; k++) {
    args[k] = known[node->args[k]];
    is_known &= args[k] != unknown;
  }
  if (node->kind == RH_NODE_CHOOSE && rh_type_is_float(node->type) && args[0] != unknown)
    return args[0] ? args[1] : args[2];
  return is_known ? compute(node, args[0], args[1]) : unknown;
}

int rh_exprs_modular(const rh_exprs *exprs, const uint64_t *variables, uint64_t *outputs) {
  uint64_t known[exprs->n_nodes + 1];
  for (uint32_t k = 0; k < exprs->n_nodes; k++)
    known[k] = exprs->nodes[k].is_live ? find(&exprs->nodes[k], variables, known) : unknown;
  for (uint32_t j = 0; j < exprs->n_outputs; j++)
    if ((outputs[j] = known[exprs->outputs[j]]) == unknown) return 0;
  return 1;
}
