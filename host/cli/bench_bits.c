#include "bench_bits.h"
#include "../core/base/format.h"
#include "../core/base/vocabulary.h"
#include "../operators/algebra/cases.h"
#include "plain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int has_value(const rh_row *row) {
  return !row->is_peer && row->value[0] &&
         (row->status == RH_ROW_ok || row->status == RH_ROW_wrong);
}

/* The rows are of one strategy, operator and type. */
static int same_series(const rh_row *a, const rh_row *b) {
  return rh_row_op_order(a, b) == 0 && a->type == b->type && strcmp(a->strategy, b->strategy) == 0;
}

static int is_first(const rh_records *results, uint32_t k) {
  for (uint32_t j = 0; j < k; j++)
    if (has_value(&results->rows[j]) && same_series(&results->rows[j], &results->rows[k])) return 0;
  return 1;
}

/* The first row of the same series and size, perhaps itself. */
static const rh_row *first_like(const rh_records *results, const rh_row *row) {
  const rh_row *first = results->rows;
  while (!has_value(first) || first->n != row->n || !same_series(first, row)) first++;
  return first;
}

/* The bits of a value, which reads back as the same number. */
static const char *bits_of(char text[32], const rh_row *row) {
  rh_type type = rh_op_result_type(row->op, row->type);
  if (type == RH_TYPE_f32 || type == RH_TYPE_f64)
    snprintf(text, 32, "0x%0*llx", (int)(2 * rh_type_size(type)),
             (unsigned long long)rh_element_bits(type, strtod(row->value, NULL)));
  else
    snprintf(text, 32, "%.31s", row->value);
  return text;
}

typedef struct comparison {
  uint32_t devices, sizes;   /* devices: at the size with the most */
  const rh_row *one, *other; /* that differ; other is null: none do */
} comparison;

static comparison compare(const rh_records *results, const rh_row *of) {
  comparison c = {.one = of};
  for (uint32_t k = 0; k < results->n_rows; k++) {
    const rh_row *row = &results->rows[k], *first;
    uint32_t devices = 1;
    if (!has_value(row) || !same_series(row, of) || first_like(results, row) != row) continue;
    first = row;
    for (uint32_t j = k + 1; j < results->n_rows; j++) {
      const rh_row *again = &results->rows[j];
      if (!has_value(again) || !same_series(again, of) || again->n != first->n) continue;
      devices++;
      if (strcmp(first->value, again->value) == 0 || c.other) continue;
      c.one = first;
      c.other = again;
    }
    c.sizes += devices > 1;
    if (devices > c.devices) c.devices = devices;
  }
  return c;
}

static void print_line(const rh_row *row, const comparison *c) {
  char bits[32], others[32], size[32];
  printf("bits: %s, %s %s: ", rh_plain(row->strategy), rh_row_op_name(row),
         rh_type_name(row->type));
  if (c->other)
    printf("differ at n = %s: %s on %s, %s on %s\n", rh_format_size(size, c->one->n),
           bits_of(bits, c->one), rh_plain(c->one->device), bits_of(others, c->other),
           rh_plain(c->other->device));
  else if (c->sizes == 1)
    printf("equal on %u devices (%s)\n", c->devices, bits_of(bits, c->one));
  else
    printf("equal on %u devices at %u sizes\n", c->devices, c->sizes);
}

void rh_bench_bits_print(const rh_records *results) {
  for (uint32_t k = 0; k < results->n_rows; k++) {
    const rh_row *row = &results->rows[k];
    if (!has_value(row) || !is_first(results, k)) continue;
    comparison c = compare(results, row);
    if (c.devices > 1) print_line(row, &c);
  }
}
