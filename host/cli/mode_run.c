/* redhost --run NAME */
#include "run.h"

/* Generated data are streamed without being asked for up to so many times the memory: more would be
 * hours of work that nobody expects. */
enum { MOST_MEMORIES = 8 };

/* After a run in memory that ended with `status`: was it for lack of room, which a stream does not
 * need? */
static int may_stream(const rh_run_state *run, rh_status status) {
  const rh_app *app = run->app;
  const rh_cl_device *device = app->context->device;
  const rh_operation *operation = &run->asked.operation;
  uint64_t memory = rh_machine_memory(), most = 0;
  uint32_t size = rh_operator_element_bytes(operation->op);
  if ((status != RH_E_DEVICE && status != RH_E_NOMEM) || !memory) return 0;
  if (rh_when(app->typed->isolate, 0)) return 0;
  if (!app->typed->input && operation->n > MOST_MEMORIES * memory / size) return 0;
  if (device) most = device->about.max_alloc_bytes;
  return operation->n > memory / size || (most && operation->n > most / size) || run->has_no_room;
}

static int should_stream(const rh_run_state *run, rh_run_way before, rh_status status) {
  if (before == RH_RUN_SPLIT) return status == RH_E_DEVICE || status == RH_E_NOMEM;
  return before == RH_RUN_IN_MEMORY && (run->way == RH_RUN_STREAMED || may_stream(run, status));
}

static rh_status find_answer(rh_run_state *run, rh_error *error) {
  static rh_status (*const ways[])(rh_run_state *, rh_error *) = {
      [RH_RUN_IN_MEMORY] = rh_run_in_memory,
      [RH_RUN_SPLIT] = rh_run_split,
      [RH_RUN_STREAMED] = rh_run_streamed,
  };
  rh_run_way way = run->way;
  rh_error why = {0};
  rh_status status = ways[way](run, &why);
  if (should_stream(run, way, status)) {
    RH_TRY(rh_run_stream_instead(run, error));
    return rh_run_streamed(run, error);
  }
  if (status != RH_OK) *error = why;
  return status;
}

static rh_status run_it(rh_run_state *run, rh_error *error) {
  RH_TRY(rh_run_devices_open(&run->devices, run->app, error));
  RH_TRY(rh_run_find_data(run, error));
  RH_TRY(rh_segments_files_open(run, error));
  RH_TRY(find_answer(run, error));
  return rh_run_print(run, error);
}

/* On the heap: a run takes much of a stack that is small. */
rh_status rh_mode_run(const rh_app *app, rh_error *error) {
  if (rh_wants_ranks(app->typed)) return rh_run_ranks(app, error);
  RH_FREED(rh_run_state) run = NULL;
  RH_TRY(RH_NEW(&run, 1, "a run", error));
  rh_run_begin(run, app);
  rh_status status = run_it(run, error);
  rh_run_state_finish(run);
  return status;
}
