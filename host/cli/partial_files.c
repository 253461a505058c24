
#include "run.h"

static int is_standard_output(const rh_typed *typed) { return strcmp(typed->partial, "-") == 0; }

static rh_status load(const char *path, rh_text *to, rh_error *error) {
  char piece[65536];
  FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
  if (!file) return rh_fail(error, RH_E_FILE, "%s: %s", path, strerror(errno));
  rh_text_append(to, piece, fread(piece, 1, RH_PARTIAL_HEAD_BYTES, file));
  uint64_t size = rh_partial_file_bytes(rh_text_get(to), to->length);
  for (size_t n = 1; n > 0 && to->length <= size && !to->failed;) {
    uint64_t left = size - to->length + 1;
    n = fread(piece, 1, left < sizeof piece ? (size_t)left : sizeof piece, file);
    rh_text_append(to, piece, n);
  }
  int failed = ferror(file) ? errno : 0;
  if (file != stdin) fclose(file);
  if (failed) return rh_fail(error, RH_E_FILE, "%s: %s", path, strerror(failed));
  return to->failed ? rh_fail(error, RH_E_NOMEM, "%s: no memory for it", path) : RH_OK;
}

rh_status rh_partial_file_add(rh_run_state *run, const char *path, rh_error *error) {
  RH_FINISHED(rh_text) bytes = {0};
  RH_TRY(load(path, &bytes, error));
  return rh_merger_add(&run->merger, run->app->context, path, rh_text_get(&bytes), bytes.length,
                       error);
}

static rh_status save(const char *path, const void *bytes, uint64_t size, rh_error *error) {
  int why = rh_save(path, bytes, size);
  return why ? rh_fail(error, RH_E_FILE, "%s: %s", path, strerror(why)) : RH_OK;
}

static rh_status print_json(const rh_app *app, const rh_partial *partial, uint64_t bytes,
                            rh_error *error) {
  const rh_operator *op = partial->job->operation.op;
  json_t *about =
      rh_json("file:s bytes:u first:u n:u whole:u op:s type:s strategy:s check:s",
              app->typed->partial, bytes, rh_partial_first(partial), rh_partial_count(partial),
              partial->whole_n, op->name, rh_type_name(op->operands[0].type),
              *partial->strategy ? partial->strategy : NULL, rh_check_name(partial->check));
  return rh_json_print(rh_json("partial:o", about), error);
}

static void print_text(const rh_app *app, const rh_partial *partial, uint64_t bytes) {
  uint64_t n = rh_partial_count(partial), first = rh_partial_first(partial);
  const rh_job_spec *job = partial->job;
  printf("partial    %s   %" PRIu64 " bytes   ", rh_plain(app->typed->partial), bytes);
  if (n == 0) printf("no elements");
  else if (rh_partial_end(partial) - first == n)
    printf("elements %" PRIu64 " to %" PRIu64, first, first + n - 1);
  else printf("%" PRIu64 " elements from %" PRIu64 " on, with gaps", n, first);
  printf("   %s %s   check %s\n", rh_plain(job->operation.op->name),
         rh_type_name(job->operation.op->operands[0].type), rh_check_name(partial->check));
}

rh_status rh_partial_check_output(const rh_typed *typed, const char *input, rh_error *error) {
  const char *path = typed->partial;
  if (path && !*path) return rh_fail(error, RH_E_USAGE, "--partial '': the file has no name");
  if (!rh_is_same_file(path, input)) return RH_OK;
  return rh_fail(error, RH_E_USAGE, "--partial %s: this is the file %s, which is read", path,
                 input);
}

rh_status rh_partial_output(const rh_app *app, const rh_partial *partial, const char *text,
                            rh_error *error) {
  RH_FREED(void) bytes = NULL;
  uint64_t size;
  RH_TRY(rh_partial_write(partial, text, &bytes, &size, error));
  if (!is_standard_output(app->typed)) RH_TRY(save(app->typed->partial, bytes, size, error));
  else if (fwrite(bytes, 1, size, stdout) != size || fflush(stdout) != 0)
    return rh_fail(error, RH_E_FILE, "standard output: %s", strerror(errno));
  if (app->typed->json) return print_json(app, partial, size, error);
  if (!app->typed->quiet && !is_standard_output(app->typed)) print_text(app, partial, size);
  return RH_OK;
}

rh_status rh_state_file_open(rh_run_state *run, rh_error *error) {
  rh_merger *self = &run->merger;
  const char *path = run->app->typed->state;
  const rh_operator *op = run->asked.operation.op;
  if (!path) return RH_OK;
  if (!*path) return rh_fail(error, RH_E_USAGE, "--state '': the file has no name");
  if (!op->divides && !rh_op_rounds(op->base, op->type))
    return rh_fail(
        error, RH_DECLINED,
        "--state keeps exact sums, and '%s' of %s is none; --partial and --merge are for "
        "any operator",
        op->name, rh_type_name(op->operands[0].type));
  /* The elements are in no place of a whole, so two states, or one and a partial that has places,
   * do not go together by chance. */
  const rh_partial_strategy any = {.is_auto = 1, .name = ""};
  json_t *more = rh_json("source:o state:s", json_object(), "redhost.exact-state/1");
  self->job = run->asked;
  RH_TRY(rh_partial_describe(&self->text, &self->job, &any, more, error));
  rh_partial_init(&self->all, &self->job, UINT64_MAX, RH_CHECK_FULL);
  snprintf(self->first, sizeof self->first, "this run");
  return access(path, F_OK) == 0 ? rh_partial_file_add(run, path, error) : RH_OK;
}

rh_status rh_state_file_add(rh_run_state *run, rh_error *error) {
  rh_run_report *report = &run->report;
  rh_partial *sum = &run->merger.all;
  const char *path = run->app->typed->state;
  rh_verdict verdict;
  RH_FREED(void) bytes = NULL;
  uint64_t size;
  if (!path || rh_run_is_wrong(run)) return RH_OK;
  rh_reference_add(&sum->facts, &report->reference);
  sum->chunks++;
  sum->checked++;
  memcpy(sum->strategy, report->result.strategy, sizeof sum->strategy);
  RH_TRY(rh_partial_write(sum, run->merger.text, &bytes, &size, error));
  report->state_n = sum->facts.n;
  RH_TRY(rh_partial_conclude(sum, &report->result, &report->reference, &verdict, error));
  return save(path, bytes, size, error);
}
