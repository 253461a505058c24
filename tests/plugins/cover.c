#include <string.h>

#include "../../host/core/operation/operation.h"
#include "cover.h"

/* ---- Features: small numbers, each kind in its own range ---- */

enum { MOST_FEATURES = 576, MOST_OF_PAIR = 16 };

typedef enum family { ARITHMETIC, ORDER, INDEX, BITS, MAPS, N_FAMILIES } family;

static family family_of(uint32_t op, uint32_t flags) {
  if (rh_op_is_arithmetic(op)) return ARITHMETIC;
  if (flags & RH_OP_INDEXED) return INDEX;
  if (!(flags & RH_OP_COMMUTATIVE)) return MAPS;
  return rh_op_is_defined(op, RH_TYPE_f32) ? ORDER : BITS;
}

/* 1, 2, 4, 8, 16 as 0 to 4 */
static uint32_t log_of(uint32_t size) {
  uint32_t n = 0;
  while (size >>= 1) n++;
  return n;
}

typedef struct features {
  uint32_t of[MOST_OF_PAIR], n;
} features;

/* Kinds start 64 apart. */
static void add(features *f, uint32_t kind, uint32_t number) { f->of[f->n++] = 64 * kind + number; }

static void list_features(features *f, uint32_t op, rh_type type, cover_extent extent) {
  const rh_op *about = rh_op_find(op, type);
  family of = family_of(op, about->flags);
  uint32_t element = log_of(about->element_size), value = log_of(about->value_size);
  uint32_t kind = rh_type_is_float(type) ? 2 : rh_type_is_signed(type) ? 1 : 0;
  f->n = 0;
  add(f, 0, of);
  add(f, 1, value);
  add(f, 2, element);
  if (kind == 2) add(f, 3, type);
  add(f, 8, 2 * kind + (of == ARITHMETIC));
  if (extent == COVER_FEW) return;
  add(f, 4, op);
  add(f, 5, type);
  add(f, 6, 8 * element + value);
  add(f, 0, 16 + N_FAMILIES * kind + of);
  if (kind == 2 && of == ARITHMETIC) add(f, 7, type);
}

/* ---- Choosing ---- */

static uint32_t count_new(const features *f, const unsigned char *covered) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < f->n; k++) n += !covered[f->of[k]];
  return n;
}

/* The pair with the most missing features. 0: none are missing. */
static int choose_next(const cover *offered, cover_extent extent, unsigned char *covered,
                       uint32_t *op, uint32_t *type) {
  uint32_t most = 0;
  features f, best = {.n = 0};
  for (uint32_t o = 1; o <= RH_N_OPS; o++)
    for (uint32_t t = 1; t <= RH_N_TYPES; t++) {
      if (!offered->has[o][t]) continue;
      list_features(&f, o, (rh_type)t, extent);
      uint32_t n = count_new(&f, covered);
      if (n > most) {
        best = f;
        most = n;
        *op = o;
        *type = t;
      }
    }
  for (uint32_t k = 0; k < best.n; k++) covered[best.of[k]] = 1;
  return most > 0;
}

void cover_choose(cover *chosen, const cover *offered, cover_extent extent) {
  unsigned char covered[MOST_FEATURES] = {0};
  uint32_t op = 0, type = 0;
  memset(chosen, 0, sizeof *chosen);
  if (extent == COVER_ALL) *chosen = *offered;
  if (extent == COVER_ALL) return;
  while (choose_next(offered, extent, covered, &op, &type)) {
    chosen->has[op][type] = 1;
    chosen->n++;
  }
}
