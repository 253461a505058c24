#include "segments.h"

#include "../../operators/custom/custom.h"

/* Results that a thread takes at once, and so few that no other one is started for them. */
enum { PIECE = 1 << 14, ALONE = 1 << 18 };

/* Is result k of several an index, of which none is -1? */
static int is_index(const rh_operator *op, uint32_t k) {
  if (!op->is_struct) return 0;
  const rh_custom *custom = rh_custom_of(op);
  const rh_operator_part *part = &custom->parts[k];
  return !custom->finalize && k < custom->n_parts &&
         rh_op_flags(part->op, part->type) & RH_OP_INDEXED;
}

void rh_columns_find(rh_columns *all, const rh_operator *op) {
  all->names = (rh_result){.struct_size = sizeof all->names};
  op->calls->decode(op, op->abi->identity, 1, &all->names);
  all->n = rh_result_has_fields(&all->names) ? all->names.n_fields : 1;
  for (uint32_t k = 0; k < all->names.n_fields; k++)
    all->list[k] = (rh_npy_field){all->names.fields[k].name, all->names.fields[k].type};
  for (uint32_t k = 0; k < all->names.n_fields; k++)
    if (is_index(op, k)) all->list[k].type = RH_TYPE_i64;
  if (!rh_result_has_fields(&all->names))
    all->list[0] = (rh_npy_field){NULL, all->names.indexed ? RH_TYPE_i64 : all->names.type};
}

int rh_columns_fit_values(const rh_columns *columns, const rh_segments *segments) {
  uint32_t size = rh_type_size(columns->list[0].type);
  int is_on_host = !segments->job.device || segments->job.answer.finishes_on_host;
  return columns->n == 1 && !columns->names.indexed && size == segments->value_bytes && is_on_host;
}

/* A value is the result already: a plain number, and not the -0 that a sum of nothing has. */
static int are_results(const rh_segments *of) {
  const rh_operator *op = of->spec.operation.op;
  const rh_layout *layout = of->spec.operation.layout;
  if (op->n_results || op->is_masked) return 0;
  if (!rh_type_is_float(op->type)) return of->value_bytes >= sizeof(uint32_t);
  return op->base == RH_OP_sum && layout->kind == RH_LAYOUT_AXIS && layout->length > 0;
}

typedef struct stored {
  const rh_segments *of;
  uint32_t column, size;
  char *to;
} stored;

static void store_some(void *user, uint64_t first, uint64_t count) {
  const stored *t = user;
  const rh_segments *of = t->of;
  const rh_operation *operation = &of->spec.operation;
  uint64_t lengths[RH_RESULTS_AT_ONCE];
  int is_axis = operation->layout->kind == RH_LAYOUT_AXIS;
  for (uint64_t k = 0; k < RH_RESULTS_AT_ONCE; k++) lengths[k] = operation->layout->length;
  for (uint64_t end = first + count, n; first < end; first += n) {
    void *to[RH_MOST_FIELDS] = {NULL};
    n = end - first < RH_RESULTS_AT_ONCE ? end - first : RH_RESULTS_AT_ONCE;
    for (uint64_t k = 0; k < n && !is_axis; k++)
      lengths[k] = rh_layout_length(operation->layout, first + k);
    to[t->column] = t->to + first * t->size;
    operation->op->calls->results(operation->op, of->values + first * of->value_bytes, lengths, n,
                                  to);
  }
}

void rh_columns_store(const rh_columns *columns, uint32_t k, const rh_segments *segments,
                      void *to) {
  rh_type type = k == RH_COLUMN_VALUE ? columns->names.type : columns->list[k].type;
  stored t = {segments, k == RH_COLUMN_VALUE ? columns->names.indexed : k, rh_type_size(type), to};
  if (to == segments->values && are_results(segments)) return;
  rh_share(segments->n, segments->n < ALONE ? ALONE : PIECE, store_some, &t);
  for (uint64_t s = 0; s < segments->n && segments->exact; s++)
    rh_element_store(type, &segments->exact[s], t.to + s * t.size);
}
