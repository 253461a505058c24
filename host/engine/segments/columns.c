#include "columns.h"
#include "../../core/base/share.h"
#include "../../core/base/value.h"
#include "../../core/base/vocabulary.h"
#include "../../core/operation/ops.h"
#include "../../core/operation/result.h"
#include "../io/element.h"

#include <string.h>

enum { PIECE = 1 << 14 }; /* results that a thread takes at once */

void rh_columns_find(rh_columns *all, const rh_operator *op) {
  all->names = (rh_result){.struct_size = sizeof all->names};
  op->calls->decode(op, op->abi->identity, 1, &all->names);
  all->n = rh_result_has_fields(&all->names) ? all->names.n_fields : 1;
  for (uint32_t k = 0; k < all->names.n_fields; k++)
    all->list[k] = (rh_npy_field){all->names.fields[k].name, all->names.fields[k].type};
  if (!rh_result_has_fields(&all->names))
    all->list[0] = (rh_npy_field){NULL, all->names.indexed ? RH_TYPE_i64 : all->names.type};
}

const void *rh_columns_word(const rh_result *result, uint32_t k) {
  if (k == RH_COLUMN_VALUE) return &result->value;
  if (rh_result_has_fields(result)) return &result->fields[k].value;
  return result->indexed ? (const void *)&result->index /* -1: there is none */ : &result->value;
}

typedef struct stored {
  const rh_segments *of;
  uint32_t column, size;
  rh_type type;
  rh_result blank; /* a result that lacks its value and index only */
  int is_built_in; /* the operator has no results of its own */
  int may_be_zero; /* -0 may be the sum of nothing */
  rh_decoding decoding;
  const rh_op *decodes;
  char *to;
} stored;

/* The value is what is stored. */
static int is_copied(const stored *t) {
  return t->is_built_in && t->decoding != RH_DECODE_OTHER && t->size == t->of->value_bytes &&
         !t->may_be_zero;
}

static void store_some(void *user, uint64_t first, uint64_t count) {
  const stored *t = user;
  const rh_segments *of = t->of;
  const rh_operator *op = of->spec.operation.op;
  rh_result result = t->blank;
  if (is_copied(t)) {
    memcpy(t->to + first * t->size, of->values + first * t->size, count * t->size);
    return;
  }
  for (uint64_t s = first; s < first + count; s++) {
    const void *value = of->values + s * of->value_bytes;
    if (t->is_built_in)
      rh_op_decode(t->decoding, t->decodes, op->type, value, &result);
    else
      rh_segments_result(of, s, &result);
    if (t->may_be_zero && result.value.f == 0 &&
        (op->is_masked || rh_layout_length(of->spec.operation.layout, s) == 0))
      result.value.f = 0;
    rh_element_store(t->type, rh_columns_word(&result, t->column), t->to + s * t->size);
  }
}

void rh_columns_store(const rh_columns *columns, uint32_t k, const rh_segments *segments,
                      void *to) {
  const rh_operator *op = segments->spec.operation.op;
  const rh_layout *layout = segments->spec.operation.layout;
  int has_empty = op->is_masked || layout->kind == RH_LAYOUT_OFFSETS || layout->length == 0;
  stored t = {.of = segments,
              .column = k,
              .type = k == RH_COLUMN_VALUE ? columns->names.type : columns->list[k].type,
              .blank = columns->names,
              .is_built_in = op->n_results == 0,
              .to = to};
  t.size = rh_type_size(t.type);
  t.may_be_zero =
      t.is_built_in && has_empty && op->base == RH_OP_sum && rh_type_is_float(columns->names.type);
  t.decodes = rh_op_find(op->base, op->type);
  if (t.is_built_in) t.decoding = rh_op_decoding(t.decodes, op->type);
  rh_share(segments->n, PIECE, store_some, &t);
}
