/* The child's side of an isolated sampler: redhost --sample.  It offers its one strategy as a peer program offers a peer
 * (docs/peers.md), and takes samples as this process would. */
#include "../../core/base/error.h"
#include "../../core/base/text.h"
#include "../../core/base/value.h"
#include "../../core/base/vocabulary.h"
#include "../../core/child/channel.h"
#include "peer.h"
#include "request.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct sampling {
  rh_work asked;
  rh_channel channel;
  int data;
  rh_redhost *redhost;
  rh_bench_device range;
  rh_local_shared shared;
  rh_sampler sampler;
  rh_bench_data point;
  void *region;
  size_t region_bytes;
  int open;
} sampling;

/* ---- Answers ---- */

static int say(const sampling *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int say(const sampling *s, const char *format, ...) {
  char line[8192];
  va_list args;
  va_start(args, format);
  int length = vsnprintf(line, sizeof line - 1, format, args);
  va_end(args);
  if (length < 0) return -1;
  if ((size_t)length > sizeof line - 2) length = (int)sizeof line - 2;
  for (int k = 0; k < length; k++)
    if ((unsigned char)line[k] < 0x20 || line[k] == 0x7f) line[k] = ' ';
  line[length] = '\n';
  return rh_channel_write(&s->channel, line, (size_t)length + 1);
}

static int say_no(const sampling *s, const rh_error *error) {
  int declined =
      error->status == RH_DECLINED || error->status == RH_E_DEVICE || error->status == RH_E_USAGE;
  return say(s, "%s %s", declined ? "declined" : "failed", error->message);
}

/* ---- Questions ---- */

static void release_point(sampling *s) {
  if (s->open) s->sampler.close(s->sampler.self);
  s->open = 0;
  if (s->region) munmap(s->region, s->region_bytes);
  s->region = NULL;
}

/* Private: drivers that use memory in place want it writable, and what is written stays here. */
static rh_status map_data(sampling *s, rh_error *error) {
  static uint64_t serial;
  s->region_bytes = s->point.n * rh_type_size(s->point.type);
  if (s->region_bytes == 0) s->region_bytes = 1;
  s->region =
      mmap(NULL, s->region_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, s->data, 0);
  if (s->region == MAP_FAILED) {
    s->region = NULL;
    return rh_fail(error, RH_E_NOMEM, "the data cannot be mapped a second time");
  }
  s->point.elements = s->region;
  s->point.serial = ++serial;
  return RH_OK;
}

static int open_point(sampling *s, const char *line) {
  char op[32], type[32];
  rh_error error = {0};
  rh_opened opened;
  release_point(s);
  if (sscanf(line, "open %*63s %31s %31s %" SCNu64 " %" SCNu64 " %" SCNu64, op, type, &s->point.n,
             &s->point.copies, &s->point.stride) != 5)
    return -1;
  s->point.op = rh_op_from_name(op);
  s->point.type = rh_type_from_name(type);
  rh_status status = map_data(s, &error);
  s->open = status == RH_OK;
  if (status == RH_OK) status = s->sampler.open(s->sampler.self, &s->point, &opened, &error);
  if (status != RH_OK) {
    release_point(s);
    return say_no(s, &error);
  }
  return say(s,
             "opened %s %u depth=%" PRIu64
             " on-host=%u params-from=%u build=%.9g cached=%u upload=%.9g setup=%.9g parts=1%s%s",
             opened.host_clock ? "host" : "device", opened.launches, opened.depth,
             opened.finishes_on_host, opened.params_from, opened.build_s, opened.build_cached,
             opened.upload_s, opened.setup_s, *opened.params ? " " : "", opened.params);
}

static int take_sample(sampling *s, const char *line) {
  char kind[32], value[64], index[32] = "";
  rh_error error = {0};
  rh_take take;
  rh_taken taken;
  if (sscanf(line, "take %*63s %31s %u", kind, &take.batch) != 2 || !s->open) return -1;
  take.kind = strcmp(kind, "device") == 0 ? RH_TAKE_DEVICE
              : strcmp(kind, "host") == 0 ? RH_TAKE_HOST
                                          : RH_TAKE_LATENCY;
  if (s->sampler.take(s->sampler.self, &take, &taken, &error) != RH_OK) return say_no(s, &error);
  rh_format_exact(value, &taken.result);
  if (taken.result.indexed) snprintf(index, sizeof index, " %" PRIu64, taken.result.index);
  return say(s, "taken %.17g %s %s%s", taken.seconds, taken.stamped ? "device" : "host", value,
             index);
}

/* A stage is a text of the plugin's, and stands in a line as one word. */
static void add_stage(rh_text *text, const char *stage) {
  for (const char *c = stage; *c; c++)
    if (*c == ' ')
      rh_text_add(text, "%%20");
    else
      rh_text_add(text, "%c%s", *c, *c == '%' ? "25" : "");
}

static int show_parts(sampling *s) {
  rh_part parts[RH_MAX_PARTS];
  rh_error error = {0};
  rh_text text = {0};
  uint32_t n;
  double host_share_s = 0;
  if (!s->open) return -1;
  if (s->sampler.parts(s->sampler.self, parts, &n, &host_share_s, &error) != RH_OK)
    return say_no(s, &error);
  rh_text_add(&text, "parts %.9g", host_share_s);
  for (uint32_t k = 0; k < n; k++) {
    rh_text_add(&text, " ");
    add_stage(&text, parts[k].stage);
    rh_text_add(&text, " %.9g", parts[k].seconds);
  }
  int failed = say(s, "%s", rh_text_get(&text));
  rh_text_finish(&text);
  return failed;
}

static int answer(sampling *s, const char *line) {
  if (strncmp(line, "open ", 5) == 0) return open_point(s, line);
  if (strncmp(line, "take ", 5) == 0) return take_sample(s, line);
  if (strncmp(line, "parts ", 6) == 0) return show_parts(s);
  if (strncmp(line, "close ", 6) != 0) return -1;
  release_point(s);
  return say(s, "closed");
}

/* ---- Life ---- */

static rh_status prepare(sampling *s, rh_error *error) {
  const rh_job_spec *job = &s->asked.job;
  const rh_options options = {.struct_size = sizeof options,
                              .device = s->asked.device,
                              .cache_dir = s->asked.cache_dir,
                              .no_cache = s->asked.no_cache};
  rh_found found = {.path = (char *)job->plugin};
  rh_cl_session *session;
  snprintf(found.name, sizeof found.name, "%s", job->strategy);
  RH_TRY(rh_open(&s->redhost, &options, error));
  s->shared = (rh_local_shared){
      .redhost = s->redhost,
      .untuned = job->untuned,
  };
  if (!s->asked.on_host) {
    RH_TRY(rh_redhost_session(s->redhost, &session, error));
    RH_TRY(rh_bench_device_adopt(&s->range, session, &s->asked.known, error));
    s->shared.range = &s->range;
  }
  return rh_local_sampler(&s->sampler, &s->shared, &found, job->settings, job->n_settings, error);
}

static int work(sampling *s) {
  char line[512];
  rh_error error = {0};
  if (prepare(s, &error) != RH_OK) return say(s, "failed %s", error.message);
  if (say(s, "redhost-peer 1") != 0 || say(s, "peer %s isolated", s->asked.job.strategy) != 0 ||
      say(s, "ready") != 0)
    return -1;
  while (rh_channel_hear(&s->channel, line, sizeof line) == 0)
    if (answer(s, line) != 0) return -1;
  return 0;
}

int rh_sample_main(void) {
  sampling s = {.channel = {-1}, .data = -1};
  size_t length;
  char *request = rh_channel_request(&length);
  if (!request || rh_work_read(&s.asked, request, length) != 0) {
    free(request);
    return 2;
  }
  int failed = rh_channel_open(&s.channel, s.asked.parent);
  if (failed == 0) s.data = rh_channel_data();
  failed = failed || s.data < 0 ? 3 : work(&s);
  release_point(&s);
  if (s.sampler.finish) s.sampler.finish(s.sampler.self);
  rh_pool_finish(&s.shared.pool);
  rh_bench_device_close(&s.range);
  rh_close(s.redhost);
  rh_work_finish(&s.asked);
  free(request);
  return failed ? 3 : 0;
}
