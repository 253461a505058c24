#include "data.h"

double rh_run_timeout(const rh_run_options *options) {
  return options->timeout_s > 0 ? options->timeout_s : 60;
}

int rh_run_options_want_ranks(const rh_typed *typed) {
  return typed->transport || typed->ranks || typed->partial;
}

static rh_status parse_chunk(uint64_t *bytes, const rh_typed *typed, rh_error *error) {
  const char *size = typed->stream;
  if (!size || strcmp(size, "always") == 0) return RH_OK;
  RH_TRY(rh_size_parse(size, 0, "--stream", bytes, error));
  if (*bytes == 0)
    return rh_fail(error, RH_E_USAGE, "--stream '%s': a chunk has at least one byte", size);
  return RH_OK;
}

static rh_status check_accuracy(const rh_typed *typed, int check, rh_error *error) {
  if (typed->accuracy != RH_ACCURACY_EXACT + 1 || check == RH_CHECK_FULL) return RH_OK;
  return rh_fail(error, RH_E_USAGE,
                 "--accuracy exact needs --check=full: the exact answer is computed for it");
}

static rh_status check_state(const rh_typed *typed, rh_error *error) {
  if (!typed->state || (*typed->state && typed->accuracy == RH_ACCURACY_EXACT + 1)) return RH_OK;
  if (!*typed->state) return rh_fail(error, RH_E_USAGE, "--state '': the file has no name");
  return rh_fail(error, RH_E_USAGE, "--state keeps an exact sum: it goes with --accuracy exact");
}

static rh_status check_result(const rh_typed *typed, rh_error *error) {
  const char *op = typed->op ? typed->op : "sum";
  int is_known = strcmp(op, "sum") == 0 || strcmp(op, "asum") == 0 || strcmp(op, "mean") == 0 ||
                 strcmp(op, "dot") == 0;
  int is_alone = !typed->map && !typed->where && !typed->reduce && !typed->finalize;
  if (!typed->result || (is_known && is_alone && !typed->initial && typed->accuracy)) return RH_OK;
  return rh_fail(error, RH_E_USAGE,
                 "--result f64 is for sum, asum, mean and dot, with --accuracy exact and without a "
                 "map or the like; a map says (f64)x itself");
}

rh_status rh_run_accuracy(const rh_typed *typed, int check, rh_job_spec *spec, rh_custom *own,
                          rh_error *error) {
  RH_TRY(check_accuracy(typed, check, error));
  return typed->accuracy == RH_ACCURACY_EXACT + 1 ? rh_accuracy_ask(spec, own, error) : RH_OK;
}

/* ---- Parts ---- */

static rh_status parse_element(uint64_t *number, const char *text, const char *option,
                               rh_error *error) {
  if (!*text || strpbrk(text, "B:,"))
    return rh_fail(error, RH_E_USAGE,
                   "%s '%.60s': expected a number of elements, as in 1e6 or 2^24", option, text);
  return rh_size_parse(text, 1, option, number, error);
}

static rh_status parse_slice(rh_run_options *options, const char *slice, rh_error *error) {
  const char *colon = strchr(slice, ':');
  char begin[64] = "";
  if (!colon || colon == slice || !colon[1] || (size_t)(colon - slice) >= sizeof begin)
    return rh_fail(error, RH_E_USAGE, "--slice '%.60s': expected A:B, as in 1000:2000", slice);
  memcpy(begin, slice, (size_t)(colon - slice));
  RH_TRY(parse_element(&options->begin, begin, "--slice", error));
  RH_TRY(parse_element(&options->end, colon + 1, "--slice", error));
  if (options->begin <= options->end) return RH_OK;
  return rh_fail(error, RH_E_USAGE, "--slice '%.60s': it ends before it begins", slice);
}

static rh_status parse_part(rh_run_options *options, const rh_typed *typed, rh_error *error) {
  options->end = options->whole_n = UINT64_MAX;
  if (typed->slice) RH_TRY(parse_slice(options, typed->slice, error));
  if (typed->first) RH_TRY(parse_element(&options->first, typed->first, "--first", error));
  return typed->whole ? parse_element(&options->whole_n, typed->whole, "--whole", error) : RH_OK;
}

/* Options that hold for one process, and not for several, are refused. */
static rh_status check_for_ranks(const rh_typed *typed, const rh_run_options *options,
                                 rh_error *error) {
  if (typed->partial && typed->input && strcmp(typed->input, "-") == 0)
    return rh_fail(error, RH_E_USAGE,
                   "--partial needs a file or generated data, and not standard input");
  if (typed->input && strcmp(typed->input, "-") == 0)
    return rh_fail(error, RH_E_USAGE,
                   "--input -: several ranks cannot share standard input; name a file");
  const char *device = typed->device ? typed->device : rh_env("REDHOST_DEVICE");
  if (device && rh_devices_are_listed(device) && typed->partial)
    return rh_fail(error, RH_E_USAGE,
                   "--device '%.60s': a part is reduced on one device; write one for each", device);
  if (device && rh_devices_are_listed(device))
    return rh_fail(error, RH_E_USAGE,
                   "--device '%.60s': a rank uses one device; name one, and ranks take others of "
                   "the same name",
                   device);
  if (options->check == RH_CHECK_SAMPLED && !typed->partial)
    return rh_fail(error, RH_E_USAGE,
                   "--check sampled cannot be used with ranks, which check all chunks or none: "
                   "--check=full or none");
  return RH_OK;
}

static rh_status parse_job(rh_run_options *options, const rh_typed *typed, rh_error *error) {
  int is_local = !typed->transport || strcmp(typed->transport, rh_local_transport.name) == 0;
  if (!is_local && typed->ranks)
    return rh_fail(error, RH_E_USAGE,
                   "--ranks is for --transport local; how many ranks '%.40s' has is said where the "
                   "job is started, as in mpirun -n 4",
                   typed->transport);
  if (is_local && !typed->ranks && !typed->partial)
    return rh_fail(error, RH_E_USAGE, "--transport local needs --ranks, as in --ranks 4");
  if (is_local) options->ranks = typed->ranks ? (uint32_t)typed->ranks : 1;
  return check_for_ranks(typed, options, error);
}

/* ---- Segments ---- */

int rh_shape_is_asked(const rh_typed *typed) {
  return typed->axis || typed->length || typed->segments || typed->starts || typed->stops ||
         typed->by;
}

static rh_status check_cut(const rh_typed *typed, rh_error *error) {
  if (!rh_shape_is_asked(typed) || !strchr(typed->name, ',')) return RH_OK;
  return rh_fail(error, RH_E_USAGE,
                 "--run %.60s: strategies stand beside each other for whole arrays; name one for "
                 "segments",
                 typed->name);
}

/* ---- All ---- */

rh_status rh_run_options_parse(rh_run_options *options, const rh_typed *typed, rh_error *error) {
  *options = (rh_run_options){.kind = typed->data ? typed->data : "uniform",
                              .seed = typed->seed,
                              .timeout_s = typed->timeout_s,
                              .check = typed->no_check ? RH_CHECK_NONE
                                       : typed->check  ? (int)typed->check - 1
                                                       : RH_CHECK_FULL};
  RH_TRY(rh_array_check_kind(options->kind, error));
  RH_TRY(parse_chunk(&options->chunk_bytes, typed, error));
  RH_TRY(check_accuracy(typed, options->check, error));
  RH_TRY(check_result(typed, error));
  RH_TRY(check_state(typed, error));
  RH_TRY(check_cut(typed, error));
  RH_TRY(parse_part(options, typed, error));
  return rh_run_options_want_ranks(typed) ? parse_job(options, typed, error) : RH_OK;
}
