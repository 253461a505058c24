/* The options of --run, beyond single words: numbers of elements, and ranks. */
#include "../engine/reduction/reduction.h"
#include "data.h"

int rh_wants_ranks(const rh_typed *typed) {
  return typed->transport || typed->ranks || typed->partial;
}

int rh_shape_is_asked(const rh_typed *typed) {
  return typed->axis || typed->length || typed->segments || typed->starts || typed->by;
}

static rh_status parse_chunk(rh_typed *typed, rh_error *error) {
  const char *size = typed->stream;
  if (!size || strcmp(size, "always") == 0) return RH_OK;
  RH_TRY(rh_size_parse(size, 0, "--stream", &typed->chunk_bytes, error));
  if (typed->chunk_bytes) return RH_OK;
  return rh_fail(error, RH_E_USAGE, "--stream '%s': a chunk has at least one byte", size);
}

static rh_status parse_element(uint64_t *number, const char *text, const char *option,
                               rh_error *error) {
  if (!text) return RH_OK;
  if (!*text || strpbrk(text, "B:,"))
    return rh_fail(error, RH_E_USAGE,
                   "%s '%.60s': expected a number of elements, as in 1e6 or 2^24", option, text);
  return rh_size_parse(text, 1, option, number, error);
}

static rh_status parse_slice(rh_typed *typed, rh_error *error) {
  const char *slice = typed->slice;
  if (!slice) return RH_OK;
  char *end = rh_show("%s", slice), *begin = strsep(&end, ":");
  if (!*begin || !end || !*end)
    return rh_fail(error, RH_E_USAGE, "--slice '%.60s': expected A:B, as in 1000:2000", slice);
  RH_TRY(parse_element(&typed->begin, begin, "--slice", error));
  RH_TRY(parse_element(&typed->end, end, "--slice", error));
  if (typed->begin <= typed->end) return RH_OK;
  return rh_fail(error, RH_E_USAGE, "--slice '%.60s': it ends before it begins", slice);
}

/* Options that hold for one process, and not for several, are refused. */
static rh_status check_for_ranks(const rh_typed *typed, rh_error *error) {
  const char *device = typed->device ? typed->device : rh_env("REDHOST_DEVICE");
  if (device && rh_devices_are_listed(device) && typed->partial)
    return rh_fail(error, RH_E_USAGE,
                   "--device '%.60s': a part is reduced on one device; write one for each", device);
  if (device && rh_devices_are_listed(device))
    return rh_fail(error, RH_E_USAGE,
                   "--device '%.60s': a rank uses one device; name one, and ranks take others of "
                   "the same name",
                   device);
  if (typed->check == RH_CHECK_SAMPLED && !typed->partial)
    return rh_fail(error, RH_E_USAGE,
                   "--check sampled cannot be used with ranks, which check all chunks or none: "
                   "--check=full or none");
  return RH_OK;
}

static rh_status parse_ranks(rh_typed *typed, rh_error *error) {
  int is_local = !typed->transport || strcmp(typed->transport, rh_local_transport.name) == 0;
  if (!rh_wants_ranks(typed)) return RH_OK;
  if (!is_local && typed->ranks)
    return rh_fail(error, RH_E_USAGE,
                   "--ranks is for --transport local; how many ranks '%.40s' has is said where the "
                   "job is started, as in mpirun -n 4",
                   typed->transport);
  if (is_local && !typed->ranks) typed->ranks = 1; /* of --partial */
  return check_for_ranks(typed, error);
}

static rh_status check_result(const rh_typed *typed, rh_error *error) {
  static const char *const known[] = {"sum", "asum", "mean", "dot"};
  int is_known = !typed->result || !typed->op;
  for (size_t k = 0; k < sizeof known / sizeof *known && !is_known; k++)
    is_known = strcmp(typed->op, known[k]) == 0;
  if (is_known) return RH_OK;
  return rh_fail(error, RH_E_USAGE,
                 "--result f64 is for sum, asum, mean and dot, and not for %.60s", typed->op);
}

rh_status rh_run_options_take(rh_typed *typed, rh_error *error) {
  if (typed->accuracy) typed->accuracy--;
  if (typed->check) typed->check--;
  if (typed->no_check) typed->check = RH_CHECK_NONE;
  RH_TRY(rh_array_check_kind(typed->data, error));
  RH_TRY(parse_chunk(typed, error));
  RH_TRY(check_result(typed, error));
  RH_TRY(parse_slice(typed, error));
  RH_TRY(parse_element(&typed->first_n, typed->first, "--first", error));
  RH_TRY(parse_element(&typed->whole_n, typed->whole, "--whole", error));
  return parse_ranks(typed, error);
}
