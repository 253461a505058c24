#include "segments.h"

#include <stdatomic.h>

enum {
  ROOM_BYTES = 1 << 20,  /* of segments that are brought into rows at once */
  SHARED_FROM = 1 << 22, /* elements of a segment whose reference takes all threads */
  EACH_BYTES = 1 << 20,  /* of segments that a thread takes at once */
  TRIED = 4099,          /* elements of a self-test */
  TRIED_SEGMENTS = 64,
  TRIED_BESIDE = 8
};

typedef struct referee {
  const rh_segments *of;
  int may_change, is_quick;
  pthread_mutex_t lock; /* of what follows */
  rh_segments_check *check;
  rh_status status;
  rh_error *error;
  atomic_int stop;
} referee;

/* Some segments, and what was found. */
typedef struct batch {
  referee *by;
  const rh_operator *op;
  /* They stand in the rows of a layout, whose segment 0 is number `first`; and where that is. */
  const rh_layout *rows;
  uint64_t first;
  const void *const *operands;
  rh_arrays arrays; /* of the segment at hand */
  uint64_t constants[RH_MOST_CONSTANT_WORDS];
  rh_reference *reference; /* of one that needs it; null before the first */
  rh_segments_check found;
  rh_status status;
  rh_error error;
} batch;

const rh_segments_check rh_segments_check_none = {.worst = UINT64_MAX};

/* ---- One segment ---- */

static void take_verdict(batch *b, uint64_t s, const rh_verdict *verdict, const rh_result *got) {
  rh_segments_check *found = &b->found;
  if (verdict->verdict == RH_VERDICT_WRONG) {
    found->is_wrong = 1;
    found->wrong = s;
    found->verdict = *verdict;
    found->got = *got;
    found->expected = b->reference->answer;
  } else if (verdict->verdict == RH_VERDICT_UNJUDGED) {
    if (found->unjudged++ > 0) return;
    found->first_unjudged = s;
    found->verdict = *verdict;
  } else if (verdict->bound > 0 && verdict->error / verdict->bound > found->part) {
    found->part = verdict->error / verdict->bound;
    found->worst = s;
  }
}

static rh_status judge_by_reference(batch *b, uint64_t s, uint64_t n) {
  const rh_segments *of = b->by->of;
  static const rh_reporter silent = {0};
  const rh_job_part part = {.operands = b->arrays.operands,
                            .first = of->base,
                            .n = n,
                            .whole_n = of->whole_n ? of->whole_n : n,
                            .threads = n < SHARED_FROM,
                            .may_change = b->by->may_change};
  rh_result result = {.struct_size = sizeof result};
  rh_verdict verdict;
  const rh_answered answered = {of->job.context, of->job.device, of->job.answer.depth, &result,
                                NULL};
  if (!b->reference && !(b->reference = malloc(sizeof *b->reference)))
    return rh_fail(&b->error, RH_E_NOMEM, "no memory for a reference");
  b->op->calls->decode(b->op, of->values + s * of->value_bytes, n, &result);
  RH_TRY(rh_job_reference_of(&of->spec, &part, &silent, b->reference, &b->error));
  RH_TRY(rh_job_judge_on(&of->spec, &part, &answered, b->reference, &verdict, &b->error));
  if (rh_exact_data_is_needed(&verdict))
    rh_exact_data_settle(&verdict, "segments are not tried on exact data");
  take_verdict(b, s, &verdict, &result);
  if (of->exact) of->exact[s] = b->reference->answer.value.f;
  return RH_OK;
}

/* 0: some are left to a reference. */
static int take_parts(batch *b, uint64_t s, const double *parts, uint64_t count) {
  rh_segments_check *found = &b->found;
  double least = 0, most = 0;
  for (uint64_t k = 0; k < count; k++) {
    least = parts[k] < least ? parts[k] : least;
    most = parts[k] > most ? parts[k] : most;
  }
  for (uint64_t k = 0; k < count && most > found->part; k++) {
    if (parts[k] < most) continue;
    found->part = most;
    found->worst = s + k;
  }
  return least == 0;
}

/* ---- Some of them ---- */

static int is_over(const batch *b) {
  return b->status != RH_OK || b->found.is_wrong || atomic_load(&b->by->stop);
}

/* Segments s .. s+count-1, one behind the other where the arrays begin. */
static void judge_row(batch *b, uint64_t s, const uint64_t *lengths, uint64_t count, uint64_t n) {
  const rh_segments *of = b->by->of;
  const rh_arrays first = b->arrays;
  double parts[RH_QUICK_SEGMENTS];
  uint64_t begin = 0;
  int is_quick = b->by->is_quick && n <= RH_QUICK_ELEMENTS;
  b->found.n += count;
  if (is_quick)
    rh_quick_judge(b->op, &first, lengths, count, of->job.answer.depth,
                   of->values + s * of->value_bytes, parts);
  if (is_quick && take_parts(b, s, parts, count)) return;
  for (uint64_t k = 0; k < count; begin += lengths[k++]) {
    if (is_quick && parts[k] >= 0) continue;
    for (uint32_t j = 0; j < b->op->n_operands; j++)
      b->arrays.operands[j] =
          (const char *)first.operands[j] + begin * rh_type_size(b->op->operands[j].type);
    b->status = judge_by_reference(b, s + k, lengths[k]);
    if (is_over(b)) return;
  }
}

/* As many of them as are judged together: their number.  Indices in a map begin with a segment. */
static uint64_t row_of(const batch *b, uint64_t s, uint64_t count, uint64_t *lengths, uint64_t *n) {
  const rh_layout *rows = b->rows;
  uint64_t k = 0, next = rh_layout_first(rows, s);
  int is_in_rows = rh_layout_is_in_rows(rows);
  if (rows->kind == RH_LAYOUT_AXIS && rows->length > 0 && !b->op->uses_index) {
    uint64_t most = RH_QUICK_ELEMENTS / rows->length;
    if (most < 1) most = 1;
    if (most > RH_QUICK_SEGMENTS) most = RH_QUICK_SEGMENTS;
    if (count > most) count = most;
    for (; k < count; k++) lengths[k] = rows->length;
    *n = count * rows->length;
    return count;
  }
  for (*n = 0; k < count && k < RH_QUICK_SEGMENTS; k++) {
    lengths[k] = rh_layout_length(rows, s + k);
    int is_next = !is_in_rows || rh_layout_first(rows, s + k) == next;
    if (k > 0 && (!is_next || *n + lengths[k] > RH_QUICK_ELEMENTS || b->op->uses_index)) break;
    *n += lengths[k];
    next += lengths[k];
  }
  return k;
}

/* From the rows' segment s on. */
static void judge_rows(batch *b, uint64_t s, uint64_t count) {
  uint64_t lengths[RH_QUICK_SEGMENTS], n;
  for (uint64_t k; count > 0 && !is_over(b); s += k, count -= k) {
    uint64_t at = rh_layout_first(b->rows, s);
    for (uint32_t j = 0; j < b->op->n_operands; j++)
      b->arrays.operands[j] =
          (const char *)b->operands[j] + at * rh_type_size(b->op->operands[j].type);
    k = row_of(b, s, count, lengths, &n);
    judge_row(b, b->first + s, lengths, k, n);
  }
}

/* Columns are brought into rows, as many as there is room for. */
static void judge_columns(batch *b, uint64_t s, uint64_t count) {
  const rh_layout *columns = b->rows;
  uint64_t each = rh_operator_element_bytes(b->op) * columns->length, most = ROOM_BYTES / each;
  const rh_axes axes = rh_axes_of(columns);
  const void *operands[RH_MOST_OPERANDS];
  if (most < 1) most = 1;
  RH_FREED(char) room = malloc(most * each);
  if (!room) b->status = rh_fail(&b->error, RH_E_NOMEM, "no memory for columns in rows");
  b->operands = operands;
  for (uint64_t n; count > 0 && !is_over(b); count -= n, s += n) {
    n = count < most ? count : most;
    const rh_elements some = {s, n, 0, columns->length};
    const rh_layout rows = rh_layout_axis(n, columns->length, 1);
    char *next = room;
    for (uint32_t k = 0; k < b->op->n_operands; k++) {
      uint32_t size = rh_type_size(b->op->operands[k].type);
      rh_axes_rearrange(&axes, b->by->of->operands[k], size, &some, 0, next);
      operands[k] = next;
      next += n * columns->length * size;
    }
    b->rows = &rows;
    b->first = s;
    judge_rows(b, 0, n);
  }
}

void rh_segments_check_add(rh_segments_check *to, const rh_segments_check *from) {
  int is_first = from->is_wrong && (!to->is_wrong || from->wrong < to->wrong);
  int is_unjudged = from->unjudged && (!to->unjudged || from->first_unjudged < to->first_unjudged);
  if (is_first) {
    to->wrong = from->wrong;
    to->got = from->got;
    to->expected = from->expected;
  }
  if (is_first || (is_unjudged && !to->is_wrong)) to->verdict = from->verdict;
  if (is_unjudged) to->first_unjudged = from->first_unjudged;
  to->is_wrong |= from->is_wrong;
  to->n += from->n;
  to->unjudged += from->unjudged;
  if (from->part > to->part || (from->part == to->part && from->worst < to->worst)) {
    to->part = from->part;
    to->worst = from->worst;
  }
}

static void judge_some(void *user, uint64_t first, uint64_t count) {
  referee *by = user;
  const rh_operation *operation = &by->of->spec.operation;
  batch b = {.by = by,
             .op = operation->op,
             .rows = operation->layout,
             .operands = by->of->operands,
             .found = rh_segments_check_none};
  if (atomic_load(&by->stop)) return;
  const rh_job_part none = {b.arrays.operands, by->of->base, 0, by->of->whole_n, 1, 0};
  rh_job_arrays(&by->of->spec, &none, &b.arrays, b.constants);
  if (rh_layout_is_in_rows(operation->layout)) judge_rows(&b, first, count);
  else judge_columns(&b, first, count);
  free(b.reference);
  pthread_mutex_lock(&by->lock);
  rh_segments_check_add(by->check, &b.found);
  if (b.status != RH_OK && by->status == RH_OK) {
    by->status = b.status;
    if (by->error) *by->error = b.error;
  }
  pthread_mutex_unlock(&by->lock);
  if (b.status != RH_OK || b.found.is_wrong) atomic_store(&by->stop, 1);
}

rh_status rh_segments_judge(const rh_segments *segments, int may_change, rh_segments_check *check,
                            rh_error *error) {
  const rh_operation *operation = &segments->spec.operation;
  uint64_t bytes = operation->n * rh_operator_element_bytes(operation->op), n = segments->n;
  uint64_t each = n ? EACH_BYTES / (bytes / n + 1) + 1 : 1;
  double start = rh_now();
  referee by = {.of = segments,
                .may_change = may_change,
                .is_quick = !segments->exact && rh_quick_serves(operation->op) &&
                            segments->job.answer.depth != RH_DEPTH_ONE_ROUNDING,
                .check = check,
                .error = error};
  *check = rh_segments_check_none;
  pthread_mutex_init(&by.lock, NULL);
  rh_share(n, each < 64 ? 64 : each, judge_some, &by);
  pthread_mutex_destroy(&by.lock);
  check->seconds = rh_now() - start;
  if (by.status == RH_OK && check->is_wrong && segments->job.strategy)
    rh_context_blame(segments->job.context, segments->job.strategy->name, segments->job.path,
                     operation->op, operation->n);
  return by.status;
}

rh_status rh_segments_verdict(const rh_segments *segments, const rh_segments_check *check,
                              rh_error *error) {
  char got[64], exact[64];
  if (!check->is_wrong) return RH_OK;
  return rh_fail(error, RH_E_WRONG,
                 "wrong result: segment %llu: '%s' returned %s, expected %s (%s)",
                 (unsigned long long)check->wrong, segments->job.strategy->name,
                 rh_format_answer(got, &check->got), rh_format_answer(exact, &check->expected),
                 check->verdict.text);
}

const char *rh_segments_unjudged(const rh_segments_check *check, char text[640]) {
  char why[512];
  if (!check->unjudged) return NULL;
  snprintf(text, 640, "%llu of %llu segments are not judged: segment %llu: %s",
           (unsigned long long)check->unjudged, (unsigned long long)check->n,
           (unsigned long long)check->first_unjudged, rh_verdict_why(&check->verdict, why));
  return text;
}

/* ---- A self-test ---- */

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Some segments of the kind, each with at most as many elements. */
typedef struct few {
  rh_layout layout;
  uint64_t starts[TRIED_SEGMENTS + 1];
  uint64_t n; /* elements */
} few;

static void make_few(few *f, const rh_layout *of) {
  uint64_t segments = least(of->segments, TRIED_SEGMENTS);
  if (of->kind == RH_LAYOUT_AXIS) {
    uint64_t inner = least(of->inner, TRIED_BESIDE), length = least(of->length, TRIED / inner);
    uint64_t outer = least(of->segments / of->inner, TRIED / (length * inner + 1) + 1);
    f->layout = rh_layout_axis(outer, length, inner);
    f->n = outer * length * inner;
    return;
  }
  f->starts[0] = 0;
  for (uint64_t s = 0; s < segments; s++)
    f->starts[s + 1] = f->starts[s] + least(of->stops[s] - of->starts[s], TRIED);
  f->layout = rh_layout_offsets(f->starts, f->starts + 1, segments);
  f->n = f->starts[segments];
}

static rh_status judge_values(rh_segments *tried, const rh_array *array, rh_error *error) {
  const void *operands[RH_MOST_OPERANDS];
  rh_segments_check check;
  rh_job_operands_at(&tried->spec, rh_array_data(array), operands);
  RH_TRY(rh_segments_bring(tried, operands, error));
  RH_TRY(rh_segments_run(tried, error));
  RH_TRY(rh_segments_judge(tried, 0, &check, error));
  return rh_segments_verdict(tried, &check, error);
}

static rh_status test_few(const rh_segments *s, rh_error *error) {
  few f;
  rh_job_spec spec = s->spec;
  RH_FINISHED(rh_array) array = {0};
  RH_FINISHED(rh_segments) tried = {0};
  make_few(&f, s->spec.operation.layout);
  spec.operation.layout = &f.layout;
  spec.operation.n = f.n;
  uint64_t bytes = rh_operand_layout(&spec, spec.offsets);
  RH_TRY(rh_array_reserve(&array, RH_TYPE_u8, bytes, 0, error));
  RH_TRY(rh_operand_data_fill(&array, &spec, "hash", 1, NULL, error));
  RH_TRY(rh_segments_open(&tried, s->job.context, &spec, NULL, error));
  rh_status status = judge_values(&tried, &array, error);
  rh_segments_let_go(&tried);
  return status;
}

rh_status rh_segments_self_test(rh_segments *s, rh_error *error) {
  if (s->n == 0) return RH_OK;
  if (s->is_loop) {
    rh_job job = s->job;
    job.spec.operation.n = s->spec.operation.layout->longest;
    RH_TRY(rh_job_self_test(&job, error));
    return rh_job_check_order(&job, error);
  }
  rh_status status = test_few(s, error);
  if (status != RH_E_WRONG) return status;
  rh_context_blame(s->job.context, s->job.strategy->name, s->job.path, s->spec.operation.op,
                   s->spec.operation.n);
  return rh_error_prefix(error, status, "strategy '%s' fails its self-test on %s and is not used",
                         s->job.strategy->name, s->job.device ? s->job.device->name : "the host");
}
