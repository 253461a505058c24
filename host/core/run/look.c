#include "run.h"

#include <dirent.h>

enum { MOST_REMEMBERED = 128 };
static const double limit_s = 30; /* some drivers power up a device first, which takes seconds */

/* ---- The record: <cache>/drivers/<state>, an empty file, exists if the drivers started ---- */

static char *memory_of(const rh_cache *cache, uint64_t state) {
  char *path;
  if (!cache->directory) return NULL;
  return asprintf(&path, "%s/drivers/%016" PRIx64, cache->directory, state) < 0 ? NULL : path;
}

/* Removes all entries when there are many; they can be recreated. */
static void make_room(const char *directory) {
  DIR *files = opendir(directory);
  struct dirent *entry;
  int n = 0;
  while (files && readdir(files)) n++;
  if (files && n > MOST_REMEMBERED) rewinddir(files);
  while (files && n > MOST_REMEMBERED && (entry = readdir(files)))
    unlinkat(dirfd(files), entry->d_name, 0);
  if (files) closedir(files);
}

static void remember(const rh_cache *cache, const char *memory) {
  char *directory = memory ? rh_path_join(cache->directory, "drivers") : NULL;
  if (directory) make_room(directory);
  /* If it cannot be written, the drivers are probed again the next time. */
  if (directory) rh_file_write(memory, "", 0);
  free(directory);
}

typedef struct looking {
  rh_conversation with;
  int begun;
} looking;

static rh_status start(const rh_options *options, looking *look) {
  rh_text request = {0};
  char *program;
  RH_TRY(rh_child_program(options, &program, NULL));
  rh_request_begin(&request);
  rh_status status = rh_request_end(&request, NULL);
  rh_child_spec spec = {.program = program,
                        .role = "--look",
                        .request = request.s,
                        .bytes = request.length,
                        .data = -1,
                        .output = -1,
                        .printed = &look->with.printed};
  if (status == RH_OK) status = rh_conversation_start(&look->with, &spec, NULL);
  rh_text_finish(&request);
  free(program);
  return status;
}

/* Other output of a driver is ignored. */
static rh_fate take_line(void *user, const char *line, size_t length, rh_error *error) {
  looking *look = user;
  (void)length;
  (void)error;
  if (strcmp(line, "found") == 0) return RH_FATE_HEARD;
  look->begun |= strcmp(line, "begin") == 0;
  return RH_GOES_ON;
}

static rh_status refuse(const looking *look, rh_error *error) {
  char how[320];
  rh_text limits = {0};
  rh_conversation_name(&look->with, "while it listed its devices", how, sizeof how);
  rh_cl_drivers_limits(&limits);
  rh_fail(error, RH_E_DEVICE,
          "no OpenCL device can be used: a driver %s%s. Set OCL_ICD_VENDORS to a directory that "
          "lists the others only",
          how, rh_text_get(&limits));
  rh_text_finish(&limits);
  return RH_E_DEVICE;
}

/* *known: 1 if the drivers have started. */
static rh_status ask_child(const rh_options *options, int *known, rh_error *error) {
  looking look = {.with = {.take = take_line, .limit_s = limit_s, .limit_bytes = 4096}};
  look.with.user = &look;
  *known = 0;
  /* Without a child, this process queries the drivers itself. */
  if (start(options, &look) != RH_OK) return RH_OK;
  *known = rh_conversation_listen(&look.with, NULL) == RH_FATE_HEARD;
  /* The result is known, so its destructors are not waited for. */
  rh_conversation_end(&look.with, 0);
  return *known || !look.begun ? RH_OK : refuse(&look, error);
}

static void *do_nothing(void *nothing) { return nothing; }

/* Drivers start threads, and some abort if they cannot: in containers that deny clone3(), or at
 * a limit on processes.  An earlier successful start does not rule this out. */
static rh_status check_threads(rh_error *error) {
  pthread_t thread;
  int code = pthread_create(&thread, NULL, do_nothing, NULL);
  if (code != 0)
    return rh_fail(error, RH_E_DEVICE,
                   "no OpenCL device can be used: no thread can be started here: %s",
                   strerror(code));
  pthread_join(thread, NULL);
  return RH_OK;
}

rh_status rh_look_at_drivers(const rh_options *options, const rh_cache *cache, rh_error *error) {
  if (rh_is_privileged()) return RH_OK; /* none will be opened */
  RH_TRY(check_threads(error));
  char *memory = memory_of(cache, rh_cl_drivers_state());
  rh_status status = RH_OK;
  int known = 0;
  if (!memory || access(memory, F_OK) != 0) status = ask_child(options, &known, error);
  if (known) remember(cache, memory);
  free(memory);
  return status;
}

int rh_look_main(void) {
  rh_channel channel;
  rh_cl_devices devices;
  rh_child_request request;
  if (rh_request_receive(&request) != 0) return 2;
  int64_t parent = request.parent;
  rh_request_finish(&request);
  if (rh_channel_open(&channel, parent) != 0 || rh_channel_write(&channel, "begin\n", 6) != 0 ||
      rh_cl_devices_find(&devices, NULL) != RH_OK)
    return 3;
  int failed = rh_channel_write(&channel, "found\n", 6);
  rh_cl_devices_finish(&devices);
  rh_channel_close(&channel);
  return failed ? 3 : 0;
}
