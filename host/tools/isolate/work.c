/* The child's side: redhost --work. */
#include "../../core/base/error.h"
#include "../../core/base/json_value.h"
#include "../../core/child/channel.h"
#include "request.h"
#include "worker.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct works {
  rh_work asked;
  rh_channel channel;
  int data;
  pthread_mutex_t lock; /* a plugin may log on any thread */
  uint64_t logs;
  rh_redhost *redhost;
  rh_job job;
  rh_facts facts;
} works;

static int say(works *w, json_t *frame) {
  pthread_mutex_lock(&w->lock);
  int failed = rh_channel_say(&w->channel, frame);
  pthread_mutex_unlock(&w->lock);
  return failed;
}

static void enter(works *w, rh_work_phase phase) {
  say(w, rh_frame_phase(phase));
}

static void on_log(void *user, uint32_t level, const char *text) {
  works *w = user;
  pthread_mutex_lock(&w->lock);
  /* A flood of them would only be dropped at the other end; who logs for ever gives no sign of life. */
  if (w->logs++ < RH_MOST_LOGS)
    rh_channel_say(&w->channel, json_pack("{s:[I,o]}", "log",
                                          (json_int_t)(level > RH_LOG_DEBUG ? RH_LOG_DEBUG : level),
                                          rh_json_bytes(text)));
  pthread_mutex_unlock(&w->lock);
}

static int on_progress(void *user, const char *phase, uint64_t done, uint64_t total) {
  return say(user,
             json_pack("{s:[s,I,I]}", "progress", phase, (json_int_t)done, (json_int_t)total)) != 0;
}

/* Waits for the next command.  RH_E_CANCELLED: the parent has no more. */
static rh_status hear(works *w, char command[16], rh_error *error) {
  if (rh_channel_hear(&w->channel, command, 16) == 0) return RH_OK;
  return rh_fail(error, RH_E_CANCELLED, "the process that asked is gone");
}

/* Private: drivers that use memory in place want it writable, and what is written stays here. */
static rh_status map_data(works *w, void **region, rh_error *error) {
  *region = mmap(NULL, w->asked.region_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE,
                 w->data, 0);
  close(w->data);
  if (*region != MAP_FAILED) return RH_OK;
  return rh_fail(error, RH_E_NOMEM, "%s: cannot be mapped a second time", w->asked.job.what);
}

/* What is wrong with the file of what was tuned, the parent has said already. */
static rh_status know_tuned(rh_redhost *redhost, rh_error *error) {
  rh_tunedb *tuned;
  const rh_reporter *reporter = redhost->cache.reporter;
  redhost->cache.reporter = NULL;
  rh_status status = rh_redhost_tuned(redhost, &tuned, error);
  redhost->cache.reporter = reporter;
  return status;
}

static rh_status ask(works *w, rh_error *error) {
  const rh_cl_device *device;
  const rh_options options = {
      .struct_size = sizeof options,
      .device = w->asked.device,
      .cache_dir = w->asked.cache_dir,
      .no_cache = w->asked.no_cache,
      .reporter = {w, on_log, on_progress},
  };
  RH_TRY(rh_open(&w->redhost, &options, error));
  /* Before the plugin, so that nobody is blamed for a driver. */
  if (!w->asked.on_host) {
    enter(w, RH_WORK_devices);
    RH_TRY(rh_redhost_device(w->redhost, &device, error));
  }
  RH_TRY(know_tuned(w->redhost, error));
  enter(w, RH_WORK_loading);
  RH_TRY(rh_job_open(&w->job, w->redhost, &w->asked.job, error));
  enter(w, RH_WORK_query);
  RH_TRY(rh_facts_ask(&w->facts, &w->job, error));
  say(w, rh_frame_ready(&w->facts));
  return RH_OK;
}

static rh_status run(works *w, rh_error *error) {
  char command[16];
  void *region;
  RH_TRY(ask(w, error));
  RH_TRY(hear(w, command, error));
  enter(w, RH_WORK_setup);
  RH_TRY(map_data(w, &region, error));
  uint32_t n_tuned = w->job.params_from.n_tuned;
  RH_TRY(rh_job_setup(&w->job, region, w->asked.offset, error));
  if (w->job.params_from.n_tuned != n_tuned) {
    rh_facts_note(&w->facts, &w->job);
    say(w, rh_frame_ready(&w->facts));
  }
  enter(w, RH_WORK_run);
  RH_TRY(rh_facts_run(&w->facts, &w->job, error));
  say(w, rh_frame_result(&w->facts));
  RH_TRY(hear(w, command, error));
  if (strcmp(command, "measure") != 0) return RH_OK;
  enter(w, RH_WORK_measuring);
  RH_TRY(rh_facts_measure(&w->facts, &w->job, error));
  say(w, rh_frame_measured(&w->facts));
  return hear(w, command, error);
}

static int work(works *w) {
  rh_error error;
  say(w, json_pack("{s:i}", "redhost-work", RH_WORK_VERSION));
  rh_status status = run(w, &error);
  if (status != RH_OK) say(w, rh_frame_failed(&error));
  if (status == RH_OK) enter(w, RH_WORK_teardown);
  rh_job_finish(&w->job);
  rh_close(w->redhost);
  uint64_t dropped = w->logs > RH_MOST_LOGS ? w->logs - RH_MOST_LOGS : 0;
  if (status == RH_OK) say(w, json_pack("{s:I}", "done", (json_int_t)dropped));
  return status == RH_OK ? 0 : 3;
}

int rh_work_main(void) {
  /* Static: a plugin's thread may log while this process ends. */
  static works w = {.channel = {-1}, .data = -1, .lock = PTHREAD_MUTEX_INITIALIZER};
  size_t length;
  char *request = rh_channel_request(&length);
  if (!request || rh_work_read(&w.asked, request, length) != 0) {
    free(request);
    return 2;
  }
  int failed = rh_channel_open(&w.channel, w.asked.parent);
  if (failed == 0) w.data = rh_channel_data();
  failed = failed || w.data < 0 ? 3 : work(&w);
  rh_work_finish(&w.asked);
  free(request);
  return failed;
}
