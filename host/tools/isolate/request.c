#include "request.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SETTINGS = 1024 };
static const char magic[8] = "rhwork1";

typedef struct head {
  char magic[8];
  int64_t parent;
  uint64_t n, offset, region_bytes, n_settings;
  uint32_t op, type, no_cache, on_host, untuned, unused;
  rh_bench_device_known known;
} head;

/* A mark says whether there is a string, and an end says where it ends. */
static void add(rh_text *to, const char *s) {
  rh_text_append(to, s ? "+" : "-", 1);
  if (s) rh_text_append(to, s, strlen(s));
  rh_text_append(to, "", 1);
}

int rh_work_write(rh_text *to, const rh_work *work) {
  const rh_job_spec *job = &work->job;
  head first = {
      .parent = work->parent,
      .n = job->n,
      .offset = work->offset,
      .region_bytes = work->region_bytes,
      .n_settings = job->n_settings,
      .op = job->op,
      .type = job->type,
      .no_cache = work->no_cache,
      .on_host = work->on_host,
      .untuned = job->untuned,
      .known = work->known,
  };
  memcpy(first.magic, magic, sizeof magic);
  char bytes[sizeof first];
  memcpy(bytes, &first, sizeof first);
  rh_text_append(to, bytes, sizeof bytes);
  add(to, job->strategy);
  add(to, job->plugin);
  add(to, job->what);
  add(to, work->device);
  add(to, work->cache_dir);
  for (uint64_t k = 0; k < job->n_settings; k++) {
    add(to, job->settings[k].key);
    add(to, job->settings[k].value);
  }
  return to->failed ? -1 : 0;
}

/* The next string between *at and `end`; null for one that is not there, and for none at all, which sets *failed. */
static const char *take(const char **at, const char *end, int *failed) {
  size_t length = strnlen(*at, (size_t)(end - *at));
  const char *s = *at;
  if (*at + length == end || (*s != '+' && *s != '-')) {
    *failed = 1;
    return NULL;
  }
  *at += length + 1;
  return *s == '+' ? s + 1 : NULL;
}

int rh_work_read(rh_work *work, const char *bytes, size_t length) {
  head first;
  int failed = 0;
  memset(work, 0, sizeof *work);
  if (length < sizeof first) return -1;
  memcpy(&first, bytes, sizeof first);
  if (memcmp(first.magic, magic, sizeof magic) != 0 || first.n_settings > MOST_SETTINGS) return -1;
  work->settings = calloc(first.n_settings + 1, sizeof *work->settings);
  if (!work->settings) return -1;
  work->parent = first.parent;
  work->no_cache = first.no_cache;
  work->on_host = first.on_host;
  work->known = first.known;
  work->offset = first.offset;
  work->region_bytes = first.region_bytes;
  const char *at = bytes + sizeof first, *end = bytes + length;
  rh_job_spec *job = &work->job;
  *job = (rh_job_spec){.op = first.op, .type = first.type, .n = first.n, .untuned = first.untuned};
  job->strategy = take(&at, end, &failed);
  job->plugin = take(&at, end, &failed);
  job->what = take(&at, end, &failed);
  work->device = take(&at, end, &failed);
  work->cache_dir = take(&at, end, &failed);
  for (uint64_t k = 0; k < first.n_settings && !failed; k++) {
    work->settings[k].key = take(&at, end, &failed);
    work->settings[k].value = take(&at, end, &failed);
  }
  job->settings = work->settings;
  job->n_settings = first.n_settings;
  if (!failed && at == end && job->strategy && job->plugin && job->what) return 0;
  rh_work_finish(work);
  return -1;
}

void rh_work_finish(rh_work *work) {
  free(work->settings);
  memset(work, 0, sizeof *work);
}
