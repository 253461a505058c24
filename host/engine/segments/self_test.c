#include "segments.h"

enum { MOST = 4099 /* elements */, MOST_SEGMENTS = 64, MOST_BESIDE = 8 };

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

static rh_status test_one(const rh_segments *s, rh_error *error) {
  rh_job job = s->job;
  job.spec.operation.n = s->spec.operation.layout->longest;
  RH_TRY(rh_job_self_test(&job, error));
  return rh_job_check_order(&job, error);
}

/* Some segments of the kind, each with at most as many elements. */
typedef struct few {
  rh_layout layout;
  uint64_t starts[MOST_SEGMENTS + 1];
  uint64_t n; /* elements */
} few;

static void make_few(few *f, const rh_layout *of) {
  uint64_t segments = least(of->segments, MOST_SEGMENTS);
  if (of->kind == RH_LAYOUT_AXIS) {
    uint64_t inner = least(of->inner, MOST_BESIDE), length = least(of->length, MOST / inner);
    uint64_t outer = least(of->segments / of->inner, MOST / (length * inner + 1) + 1);
    f->layout = rh_layout_axis(outer, length, inner);
    f->n = outer * length * inner;
    return;
  }
  f->starts[0] = 0;
  for (uint64_t s = 0; s < segments; s++)
    f->starts[s + 1] = f->starts[s] + least(of->stops[s] - of->starts[s], MOST);
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
  if (s->is_loop) return test_one(s, error);
  rh_status status = test_few(s, error);
  if (status != RH_E_WRONG) return status;
  rh_context_blame(s->job.context, s->job.strategy->name, s->job.path, s->spec.operation.op,
                   s->spec.operation.n);
  return rh_error_prefix(error, status, "strategy '%s' fails its self-test on %s and is not used",
                         s->job.strategy->name, s->job.device ? s->job.device->name : "the host");
}
