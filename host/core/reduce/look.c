#include "look.h"
#include "../base/clock.h"
#include "../base/error.h"
#include "../base/file.h"
#include "../base/path.h"
#include "../base/text.h"
#include "../cl/drivers.h"
#include "../plug/channel.h"
#include "../plug/ending.h"
#include "../plug/spawn.h"

#include <dirent.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VERSION = 1, MOST_REMEMBERED = 128 };
static const double limit_s = 30; /* some drivers wake a device up first, which takes seconds */

/* ---- What is remembered: <cache>/drivers/<state>, an empty file where the drivers started ---- */

static char *memory_of(const rh_redhost *redhost, uint64_t state) {
  char *path;
  if (!redhost->cache.directory) return NULL;
  return asprintf(&path, "%s/drivers/%016" PRIx64, redhost->cache.directory, state) < 0 ? NULL
                                                                                        : path;
}

/* All of it goes when there is much: each can be had again. */
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

static void remember(const rh_redhost *redhost, const char *memory) {
  char *directory = memory ? rh_path_join(redhost->cache.directory, "drivers") : NULL;
  const void *const nothing[] = {""};
  if (directory) make_room(directory);
  /* Where it cannot be kept there is another look the next time. */
  if (directory) rh_file_write(directory, memory, nothing, (const size_t[]){0}, 1, RH_FILE_AS_GOOD);
  free(directory);
}

/* ---- The parent ---- */

static rh_status start(const rh_redhost *redhost, rh_child *child, rh_printed *printed) {
  static const char *const argv[] = {"redhost", "--look", NULL};
  char request[64], *program;
  RH_TRY(rh_child_program(&redhost->options, &program, NULL));
  snprintf(request, sizeof request, "%d %ld", VERSION, (long)getpid());
  rh_child_spec spec = {.program = program,
                        .argv = argv,
                        .request = request,
                        .bytes = strlen(request),
                        .data = -1,
                        .output = -1,
                        .printed = printed};
  rh_status status = rh_child_start(child, &spec, NULL);
  free(program);
  return status;
}

static rh_status refuse(const char *how, const rh_printed *printed, rh_error *error) {
  char quoted[256];
  rh_text limits = {0};
  rh_printed_quote(printed, quoted, sizeof quoted);
  rh_cl_drivers_limits(&limits);
  rh_fail(error, RH_E_DEVICE,
          "no OpenCL device can be used: a driver %s%s%s. Set OCL_ICD_VENDORS to a directory that "
          "lists the others only",
          how, quoted, rh_text_get(&limits));
  rh_text_finish(&limits);
  return RH_E_DEVICE;
}

/* *known: the drivers have started. */
static rh_status ask(const rh_redhost *redhost, int *known, rh_error *error) {
  rh_child child;
  rh_printed printed = {0};
  const char *line;
  size_t length;
  char how[160];
  int begun = 0, found = 0;
  rh_line said;
  *known = 0;
  /* Where nobody can look, this process asks, as it does where nobody looks. */
  if (start(redhost, &child, &printed) != RH_OK) return RH_OK;
  child.most = 4096;
  while (!found &&
         (said = rh_child_read(&child, rh_now() + limit_s, &line, &length)) == RH_LINE_READ) {
    begun |= strcmp(line, "begin") == 0;
    found = strcmp(line, "found") == 0;
  }
  /* Its destructors are not waited for: what matters is known. */
  int status = rh_child_finish(&child, said == RH_LINE_END ? RH_CHILD_CLOSED_S : 0);
  *known = found;
  if (found || !begun) return RH_OK;
  if (said == RH_LINE_LATE)
    snprintf(how, sizeof how, "did not say within %g s which devices it has", limit_s);
  else
    rh_ending_name(status, "when it was asked for its devices", how, sizeof how);
  return refuse(how, &printed, error);
}

static void *do_nothing(void *nothing) {
  return nothing;
}

/* Drivers start threads, and some abort where they cannot: in containers that deny clone3(), or at a limit on processes.
 * That they started here before says nothing of it. */
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

rh_status rh_look_at_drivers(const rh_redhost *redhost, rh_error *error) {
  RH_TRY(check_threads(error));
  char *memory = memory_of(redhost, rh_cl_drivers_state());
  rh_status status = RH_OK;
  int known = 0;
  if (!memory || access(memory, F_OK) != 0) status = ask(redhost, &known, error);
  if (known) remember(redhost, memory);
  free(memory);
  return status;
}

/* ---- The child ---- */

int rh_look_main(void) {
  rh_channel channel;
  rh_cl_devices devices;
  size_t length;
  long parent;
  int version;
  char *request = rh_channel_request(&length);
  int understood = request && sscanf(request, "%d %ld", &version, &parent) == 2;
  free(request);
  if (!understood || version != VERSION) return 2;
  if (rh_channel_open(&channel, parent) != 0 || rh_channel_write(&channel, "begin\n", 6) != 0 ||
      rh_cl_devices_find(&devices, NULL) != RH_OK)
    return 3;
  int failed = rh_channel_write(&channel, "found\n", 6);
  rh_cl_devices_finish(&devices);
  rh_channel_close(&channel);
  return failed ? 3 : 0;
}
