#include "shape_options.h"
#include "../core/base/error.h"

#include <string.h>

int rh_shape_is_asked(const rh_typed *typed) {
  return typed->axis || typed->length || typed->segments || typed->starts || typed->stops ||
         typed->by;
}

static rh_status check_alone(const rh_typed *typed, rh_error *error) {
  const char *const names[] = {"axis", "length", "segments", "starts", "by"};
  const char *const words[] = {typed->axis, typed->length, typed->segments,
                               typed->starts ? typed->starts : typed->stops, typed->by};
  const char *first = NULL;
  for (uint32_t k = 0; k < sizeof words / sizeof *words; k++) {
    if (words[k] && first)
      return rh_fail(error, RH_E_USAGE,
                     "--%s and --%s: each says alone which elements make a segment", first,
                     names[k]);
    if (words[k]) first = names[k];
  }
  if (!typed->starts == !typed->stops) return RH_OK;
  return rh_fail(error, RH_E_USAGE,
                 "--starts and --stops go together: where each segment begins, "
                 "and where it stops");
}

static rh_status check_ways(const rh_typed *typed, rh_error *error) {
  if (typed->partial || typed->state)
    return rh_fail(error, RH_E_USAGE,
                   "--%s: its file has one value, and not one for each segment; leave it out",
                   typed->state ? "state" : "partial");
  if (typed->name && strchr(typed->name, ','))
    return rh_fail(error, RH_E_USAGE,
                   "--run %.60s: strategies stand beside each other for whole arrays; name one for "
                   "segments",
                   typed->name);
  return RH_OK;
}

rh_status rh_shape_check_options(const rh_typed *typed, rh_error *error) {
  if (rh_shape_is_asked(typed)) {
    RH_TRY(check_alone(typed, error));
    RH_TRY(check_ways(typed, error));
    if (typed->axis && !typed->input)
      return rh_fail(error, RH_E_USAGE,
                     "--axis: generated data have one dimension; --length cuts them");
    if (typed->by && !typed->input)
      return rh_fail(error, RH_E_USAGE,
                     "--by: labels are those of a file's elements; --length "
                     "cuts generated data");
  } else if (typed->outputs.n) {
    return rh_fail(
        error, RH_E_USAGE,
        "--output writes the results of --axis, --length, --segments or --by; -q prints a "
        "value alone and --json all of it, as in redhost x.npy -q > sum");
  }
  if (typed->keepdims && !typed->axis)
    return rh_fail(error, RH_E_USAGE, "--keepdims goes with --axis, whose dimensions it keeps");
  return RH_OK;
}
