#include "run.h"

#include <sys/mman.h>

const char *rh_version(void) { return REDHOST_VERSION; }

static const char **text_of(rh_options *options, int k) {
  const char **const texts[] = {&options->device, &options->plugin_file, &options->plugin_path,
                                &options->cache_dir, &options->program};
  return texts[k];
}
enum { N_TEXTS = 5 };

static void release_device(rh_context *context) {
  rh_registry_finish(&context->registry);
  rh_cl_session_finish(&context->session);
}

static rh_status copy_options(rh_options *to, const rh_options *from, rh_error *error) {
  int failed = 0;
  *to = *from;
  to->struct_size = sizeof *to;
  to->no_measure = from->no_measure || rh_env("REDHOST_NO_MEASURE");
  for (int k = 0; k < N_TEXTS; k++) {
    const char **text = text_of(to, k), *given = *text;
    *text = rh_copy_string(given);
    failed |= given && !*text;
  }
  return failed ? rh_fail(error, RH_E_NOMEM, "no memory to open redhost") : RH_OK;
}

/* ---- Is this still the process in which it was opened? ---- */

/* After fork() the child has neither the threads of its parent nor what a driver keeps for it, and
 * would wait for them without end. */

static size_t page_bytes(void) { return (size_t)sysconf(_SC_PAGESIZE); }

/* *mark is 1 in this process, and 0 in all that are forked from it: reading it costs a load.  Null
 * if there is no memory.  A kernel before Linux 4.14 leaves it 1 there. */
static const uint32_t *mark_process(void) {
  uint32_t *mark =
      mmap(NULL, page_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mark == MAP_FAILED) return NULL;
#ifdef MADV_WIPEONFORK
  madvise(mark, page_bytes(), MADV_WIPEONFORK);
#endif
  *mark = 1;
  return mark;
}

rh_status rh_context_open(rh_context **opened, const rh_options *options,
                          const rh_context_calls *calls, rh_error *error) {
  static const rh_options defaults = {0};
  const rh_options *given = options ? options : &defaults;
  *opened = NULL;
  rh_context *context;
  RH_TRY(RH_NEW(&context, 1, "opening redhost", error));
  context->calls = calls;
  context->opened_here = mark_process();
  context->most_whole_bytes = RH_WHOLE_BYTES;
  rh_status status = copy_options(&context->options, given, error);
  if (!context->opened_here) status = rh_fail(error, RH_E_NOMEM, "no memory to open redhost");
  if (status == RH_OK && given->device && given->queue)
    status =
        rh_fail(error, RH_E_USAGE,
                "a device and a queue are mutually exclusive: the queue determines the device");
  if (status == RH_OK) status = rh_cache_init(&context->cache, &context->options, error);
  if (context->cache.distrusted)
    context->options.no_cache = 1; /* child processes need not probe again */
  if (status != RH_OK) rh_context_close(context);
  else *opened = context;
  return status;
}

void rh_context_close(rh_context *context) {
  if (!context) return;
  if (context->calls) context->calls->finish(context->known);
  release_device(context);
  rh_cl_devices_finish(&context->devices);
  rh_cache_finish(&context->cache);
  for (int k = 0; k < N_TEXTS; k++) free((void *)(uintptr_t)*text_of(&context->options, k));
  if (context->opened_here) munmap((void *)(uintptr_t)context->opened_here, page_bytes());
  free(context);
}

rh_status rh_context_use_device(rh_context *context, const rh_cl_device *device, rh_error *error) {
  char *label;
  RH_TRY(rh_copy(&label, device->label, "the device's name", error));
  release_device(context);
  free((char *)context->options.device);
  context->options.device = label;
  context->device = device;
  return RH_OK;
}

/* The user may otherwise mistake another device for the one that was left out. */
static void report_faults(const rh_context *context) {
  for (uint32_t k = 0; k < context->devices.n_faults; k++)
    rh_log(&context->options.reporter, RH_LOG_ERROR, "%s; it is left out",
           context->devices.faults[k]);
}

rh_status rh_context_devices(rh_context *context, const rh_cl_devices **devices, rh_error *error) {
  if (context->looks_first &&
      rh_look_at_drivers(&context->options, &context->cache, &context->unusable) == RH_OK)
    context->unusable.status = RH_OK;
  context->looks_first = 0;
  if (context->unusable.status != RH_OK)
    return rh_error_pass(error, context->unusable.status, &context->unusable);
  if (!context->devices_found) {
    double start = rh_now();
    RH_TRY(rh_cl_devices_find(&context->devices, error));
    context->opening_s += rh_now() - start;
    /* If no device is left, choosing one fails with the same message. */
    if (context->devices.n) report_faults(context);
  }
  context->devices_found = 1;
  *devices = &context->devices;
  return RH_OK;
}

rh_status rh_context_device(rh_context *context, const rh_cl_device **device, rh_error *error) {
  const rh_cl_devices *devices = NULL;
  RH_TRY(rh_context_devices(context, &devices, error));
  if (!context->device && context->options.queue)
    RH_TRY(rh_cl_devices_of_queue(devices, context->options.queue, &context->device, error));
  if (!context->device)
    RH_TRY(rh_cl_devices_choose(devices, context->options.device, &context->device, error));
  *device = context->device;
  return RH_OK;
}

static rh_status open_session(rh_context *context, rh_error *error) {
  const rh_cl_device *device;
  const rh_options *options = &context->options;
  RH_TRY(rh_context_device(context, &device, error));
  if (context->session.context) return RH_OK;
  double start = rh_now();
  RH_TRY(rh_cl_session_init(&context->session, device, options->queue, &context->cache,
                            &options->reporter, error));
  context->opening_s += rh_now() - start;
  return RH_OK;
}

rh_status rh_context_session(rh_context *context, rh_cl_session **session, rh_error *error) {
  rh_status status = open_session(context, error);
  *session = &context->session;
  context->device_failed |= status != RH_OK;
  return status;
}

rh_status rh_context_any_device(rh_context *context, const rh_cl_device **device, rh_error *why,
                                rh_error *error) {
  *why = (rh_error){0};
  rh_status status = rh_context_device(context, device, why);
  /* Without devices, host strategies are still available; a missing device that was requested is
   * an error. */
  if (status != RH_OK && (status != RH_E_DEVICE || context->devices.n > 0))
    return rh_error_pass(error, status, why);
  if (status == RH_OK) return RH_OK;
  *device = NULL;
  if (!context->registry.options) report_faults(context);
  return RH_OK;
}

/* Searches for plugins, once. */
static rh_status begin_registry(rh_context *context, rh_error *error) {
  rh_describe *describe = context->calls ? context->calls->describe : NULL;
  if (context->registry.options) return RH_OK;
  return rh_registry_begin(&context->registry, &context->options, rh_op_find, describe, error);
}

static const rh_device *about(const rh_cl_device *device) { return device ? &device->about : NULL; }

rh_status rh_context_registry(rh_context *context, uint64_t n, const rh_registry **registry,
                              rh_error *no_device, rh_error *error) {
  const rh_cl_device *device = NULL;
  rh_error why;
  RH_TRY(rh_context_any_device(context, &device, &why, error));
  if (no_device) *no_device = why;
  RH_TRY(begin_registry(context, error));
  *registry = &context->registry;
  return rh_registry_examine(&context->registry, about(device), n, NULL, 0, 1, error);
}

rh_status rh_context_examine(rh_context *context, const rh_wanted *wanted, rh_error *error) {
  const rh_device *device = about(wanted->device);
  RH_TRY(begin_registry(context, error));
  RH_TRY(rh_registry_examine(&context->registry, device, wanted->n, wanted->names, wanted->n_names,
                             0, error));
  rh_registry_ask(&context->registry, device, wanted->n, wanted->op->base, wanted->op->type);
  return RH_OK;
}

rh_status rh_context_locate(rh_context *context, const char *name, rh_found *found,
                            rh_error *error) {
  *found = (rh_found){0};
  RH_TRY(begin_registry(context, error));
  return rh_registry_locate(&context->registry, name, found, error);
}

void rh_context_report_missing_plugins(const rh_context *context) {
  const rh_registry *registry = &context->registry;
  const rh_candidate *first = NULL;
  uint32_t n = 0, level = RH_LOG_WARNING;
  for (uint32_t k = 0; k < registry->search.n; k++) {
    const rh_candidate *file = &registry->search.candidates[k];
    int is_asked = k == 0 && rh_discovery_names_plugin(&context->options);
    int is_unexpected =
        file->kind == RH_REFUSED_UNREAD || (file->kind != RH_REFUSED_BY_INTENT && file->installed);
    if (!file->refused || (!is_unexpected && !is_asked)) continue;
    if (is_unexpected) level = RH_LOG_ERROR;
    if (n++ == 0) first = file;
  }
  if (n == 0) return;
  RH_FINISHED(rh_text) others = {0};
  if (n > 1) rh_text_add(&others, ". Nor are %u more", n - 1);
  rh_log(&context->options.reporter, level, "plugin %s is not loaded: %s%s", first->path,
         first->refused, rh_text_get(&others));
}

void rh_context_blame(rh_context *context, const char *strategy, const char *path,
                      const rh_operator *op, uint64_t n) {
  context->blame++;
  if (context->calls) context->calls->wrong(context, strategy, path, op, n);
}
