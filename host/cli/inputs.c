#include "inputs.h"
#include "../core/base/error.h"
#include "../core/base/log.h"
#include "../core/base/vocabulary.h"
#include "../core/operators/ops.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of a pipe: what is read before it counts as large. */
static const uint64_t first_part = UINT64_C(256) << 20;

uint64_t rh_machine_memory(void) {
  long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 0;
}

static rh_status cut_list(rh_inputs *inputs, const char *list, int as_list, rh_error *error) {
  inputs->copy = strdup(list);
  if (!inputs->copy) return rh_fail(error, RH_E_NOMEM, "no memory for names");
  if (!as_list || access(list, F_OK) == 0) { /* a name with a comma */
    inputs->names[inputs->n++] = inputs->copy;
    return RH_OK;
  }
  for (char *at = inputs->copy, *name; (name = strsep(&at, ","));) {
    if (inputs->n == RH_MOST_OPERANDS)
      return rh_fail(error, RH_E_USAGE, "--input: at most %d files", RH_MOST_OPERANDS);
    if (!*name) return rh_fail(error, RH_E_USAGE, "--input '%s': an empty name", list);
    inputs->names[inputs->n++] = name;
  }
  return RH_OK;
}

static rh_status check_twice(const rh_inputs *inputs, rh_error *error) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < inputs->n; k++) n += strcmp(inputs->names[k], "-") == 0;
  if (n < 2) return RH_OK;
  return rh_fail(error, RH_E_USAGE, "--input: standard input can be one operand only");
}

rh_status rh_inputs_open(rh_inputs *inputs, const rh_app *app, int as_list, rh_error *error) {
  const rh_reporter *reporter = &app->redhost->options.reporter;
  uint64_t bytes = 0, memory = rh_machine_memory();
  RH_TRY(cut_list(inputs, app->typed->input, as_list, error));
  RH_TRY(check_twice(inputs, error));
  for (uint32_t k = 0; k < inputs->n; k++) {
    rh_feed *feed = &inputs->feeds[k];
    RH_TRY(rh_feed_open(feed, inputs->names[k], app->type, reporter, error));
    bytes += feed->file_bytes;
    if (!feed->is_pipe || app->typed->stream) continue;
    RH_TRY(rh_feed_gather(feed, first_part, error));
    inputs->are_large |= !rh_feed_is_gathered(feed);
  }
  inputs->are_large |= memory && bytes > memory - memory / 4;
  return RH_OK;
}

void rh_inputs_warn_of_order(const rh_inputs *inputs, const rh_app *app, uint32_t op) {
  const rh_feed *feed = &inputs->feeds[0];
  if (feed->is_npy && feed->npy.fortran_order && feed->npy.dimensions > 1 &&
      rh_op_flags(op, feed->type) & RH_OP_INDEXED)
    rh_log(&app->redhost->options.reporter, RH_LOG_WARNING,
           "%s: shape %s, Fortran order: the index counts in storage order", inputs->names[0],
           feed->npy.shape);
}

rh_status rh_inputs_array(rh_inputs *inputs, uint32_t k, const rh_app *app, rh_array *array,
                          rh_error *error) {
  const rh_reporter *reporter = &app->redhost->options.reporter;
  rh_feed *feed = &inputs->feeds[k];
  rh_terminal_catch_cut_file(inputs->names[k]);
  if (!feed->is_pipe) return rh_array_open(array, inputs->names[k], app->type, reporter, error);
  RH_TRY(rh_feed_gather(feed, UINT64_MAX, error));
  return rh_array_take_feed(array, feed, reporter, error);
}

void rh_inputs_finish(rh_inputs *inputs) {
  for (uint32_t k = 0; k < inputs->n; k++) rh_feed_finish(&inputs->feeds[k]);
  free(inputs->copy);
  *inputs = (rh_inputs){0};
}
