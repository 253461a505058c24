#include "child.h"

enum { REQUEST_FD = 3, MOST_BYTES = 64 << 20 };
static const char first[] = "redhost-request=2", last[] = "end=";

void rh_request_begin(rh_text *to) {
  const int64_t parent = getpid();
  rh_text_append(to, first, sizeof first);
  rh_request_add_struct(to, "parent", &parent, sizeof parent);
}

void rh_request_add(rh_text *to, const char *key, const char *value) {
  if (!value) return;
  rh_text_add(to, "%s=%s", key, value);
  rh_text_append(to, "", 1);
}

static const char hex[] = "0123456789abcdef";

void rh_hex_add(rh_text *to, const void *from, size_t bytes) {
  const unsigned char *at = from;
  for (size_t k = 0; k < bytes; k++)
    rh_text_append(to, (const char[]){hex[at[k] >> 4], hex[at[k] & 15]}, 2);
}

int rh_hex_read(const char *digits, void *to, size_t bytes) {
  unsigned char *at = to;
  if (strlen(digits) != 2 * bytes || digits[strspn(digits, hex)]) return 0;
  for (size_t k = 0; k < bytes; k++, digits += 2)
    at[k] = (unsigned char)((strchr(hex, digits[0]) - hex) << 4 | (strchr(hex, digits[1]) - hex));
  return 1;
}

void rh_request_add_struct(rh_text *to, const char *key, const void *from, size_t bytes) {
  rh_text_add(to, "%s=", key);
  rh_hex_add(to, from, bytes);
  rh_text_append(to, "", 1);
}

void rh_request_add_options(rh_text *to, const rh_options *options) {
  rh_request_add(to, "device", options->device);
  rh_request_add(to, "cache_dir", options->cache_dir);
  rh_request_add(to, "program", options->program);
  rh_request_add_struct(to, "no_cache", &options->no_cache, sizeof options->no_cache);
}

rh_status rh_request_end(rh_text *to, rh_error *error) {
  rh_text_append(to, last, sizeof last);
  if (!to->failed) return RH_OK;
  return rh_fail(error, RH_E_NOMEM, "no memory for the request to a child process");
}

/* Is the request complete, with a key in every string? */
static int is_whole(const rh_child_request *request) {
  size_t length = request->length;
  const char *bytes = request->bytes, *end = bytes + length;
  if (length < sizeof first + sizeof last || memcmp(bytes, first, sizeof first) != 0 ||
      memcmp(end - sizeof last, last, sizeof last) != 0)
    return 0;
  for (const char *at = bytes; at < end; at += strlen(at) + 1)
    if (!strchr(at, '=')) return 0;
  return 1;
}

int rh_request_parse(rh_child_request *request, char *bytes, size_t length) {
  *request = (rh_child_request){.bytes = bytes, .length = length};
  if (is_whole(request) &&
      rh_request_struct(request, "parent", &request->parent, sizeof request->parent) == 0)
    return 0;
  rh_request_finish(request);
  return -1;
}

int rh_request_receive(rh_child_request *request) {
  struct stat st;
  rh_text all = {0};
  char bytes[1 << 13];
  ssize_t got;
  if (fstat(REQUEST_FD, &st) != 0 || !(S_ISREG(st.st_mode) || S_ISFIFO(st.st_mode))) return -1;
  /* A pipe is complete; a file's offset is the parent's, too, who has written up to its end. */
  lseek(REQUEST_FD, 0, SEEK_SET);
  while ((got = read(REQUEST_FD, bytes, sizeof bytes)) > 0 && all.length < MOST_BYTES)
    rh_text_append(&all, bytes, (size_t)got);
  if (got == 0 && !all.failed) return rh_request_parse(request, all.s, all.length);
  rh_text_finish(&all);
  return -1;
}

void rh_request_finish(rh_child_request *request) {
  free(request->bytes);
  *request = (rh_child_request){0};
}

const char *rh_request_next(const rh_child_request *request, const char *key, const char *after) {
  size_t length = strlen(key);
  const char *at = after ? after + strlen(after) + 1 : request->bytes;
  for (; at < request->bytes + request->length; at += strlen(at) + 1)
    if (strncmp(at, key, length) == 0 && at[length] == '=') return at + length + 1;
  return NULL;
}

const char *rh_request_get(const rh_child_request *request, const char *key) {
  return rh_request_next(request, key, NULL);
}

int rh_request_struct(const rh_child_request *request, const char *key, void *to, size_t bytes) {
  const char *digits = rh_request_get(request, key);
  return digits && rh_hex_read(digits, to, bytes) ? 0 : -1;
}

rh_options rh_request_options(const rh_child_request *request) {
  uint32_t no_cache = 0;
  rh_request_struct(request, "no_cache", &no_cache, sizeof no_cache);
  return (rh_options){.struct_size = sizeof(rh_options),
                      .device = rh_request_get(request, "device"),
                      .cache_dir = rh_request_get(request, "cache_dir"),
                      .program = rh_request_get(request, "program"),
                      .no_cache = no_cache};
}
