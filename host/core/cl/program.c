/* Building programs, and keeping them on disk. */
#include "cl.h"

enum { MAX_ENTRY_BYTES = 1 << 28 };

typedef struct header {
  char magic[8];
  uint64_t key_bytes, data_bytes, checksum;
} header;
static const char magic[8] = "RHPROG1";

/* A directory that others can write to is not used.  The directory of programs is checked; the
 * cache directory itself may be like /tmp, whose entries are checked one by one. */
static rh_status check_directory(rh_cache *cache, rh_error *error) {
  char why[RH_TRUST_BYTES];
  struct stat st;
  /* If it is not a directory, storing reports that. */
  if (stat(cache->directory, &st) == 0 && !S_ISDIR(st.st_mode)) return RH_OK;
  RH_FREED(char) programs = rh_path_join(cache->directory, "bin");
  if (!programs) return rh_fail(error, RH_E_NOMEM, "no memory for a path");
  if (rh_trust_path(programs, 0, NULL, why, sizeof why) == 0) return RH_OK;
  rh_log(cache->reporter, RH_LOG_WARNING,
         "%s is not trusted: %s; continuing without compiled programs and tuning results. Use "
         "another cache directory, or turn the cache off",
         cache->directory, why);
  cache->distrusted = 1;
  rh_cache_finish(cache);
  return RH_OK;
}

rh_status rh_cache_init(rh_cache *cache, const rh_options *options, rh_error *error) {
  *cache = (rh_cache){.reporter = &options->reporter};
  if (options->no_cache || rh_env("REDHOST_NO_CACHE") || rh_is_privileged()) return RH_OK;
  const char *given = options->cache_dir ? options->cache_dir : rh_env("REDHOST_CACHE_DIR");
  if (given && !*given) return rh_fail(error, RH_E_USAGE, "the cache directory has an empty name");
  cache->directory = given ? strdup(given) : rh_path_cache();
  if (given && !cache->directory) return rh_fail(error, RH_E_NOMEM, "no memory for a path");
  return cache->directory ? check_directory(cache, error) : RH_OK;
}

void rh_cache_finish(rh_cache *cache) {
  free(cache->directory);
  cache->directory = NULL;
}

static void complain(rh_cache *cache, const char *path, int code) {
  if (cache->complained) return;
  cache->complained = 1;
  rh_log(cache->reporter, RH_LOG_WARNING,
         "%s: %s; continuing without storing compiled programs. Use another cache directory, or "
         "turn the cache off",
         path, strerror(code));
}

static char *entry_path(const rh_cache *cache, const char *key) {
  char *path;
  uint64_t h = rh_hash(0, key, strlen(key));
  return asprintf(&path, "%s/bin/%016" PRIx64, cache->directory, h) < 0 ? NULL : path;
}

/* The program inside an entry's bytes; null if the entry is damaged or has another key. */
static const char *check_entry(const char *file, size_t bytes, const char *key,
                               size_t *data_bytes) {
  header h;
  if (bytes < sizeof h) return NULL;
  memcpy(&h, file, sizeof h);
  size_t rest = bytes - sizeof h, key_bytes = strlen(key);
  if (memcmp(h.magic, magic, sizeof magic) != 0 || h.key_bytes != key_bytes) return NULL;
  if (h.key_bytes > rest || h.data_bytes != rest - h.key_bytes) return NULL;
  if (h.checksum != rh_hash(h.data_bytes, file + sizeof h, rest)) return NULL;
  if (memcmp(file + sizeof h, key, key_bytes) != 0) return NULL;
  *data_bytes = h.data_bytes;
  return file + sizeof h + key_bytes;
}

char *rh_cache_load(rh_cache *cache, const char *key, size_t *bytes) {
  RH_FREED(char) path = cache->directory ? entry_path(cache, key) : NULL;
  if (!path) return NULL;
  size_t file_bytes;
  char *file, why[RH_FILE_WHY_BYTES];
  /* An entry is code that the driver runs, so files that others can write are not used. */
  rh_file_read_own(path, MAX_ENTRY_BYTES, &file, &file_bytes, why);
  const char *data = file ? check_entry(file, file_bytes, key, bytes) : NULL;
  if (file && !data) {
    rh_log(cache->reporter, RH_LOG_DEBUG, "%s: damaged or of another program; built again", path);
    unlink(path);
  }
  if (data) memmove(file, data, *bytes);
  if (data) return file;
  free(file);
  return NULL;
}

void rh_cache_store(rh_cache *cache, const char *key, const char *data, size_t bytes) {
  RH_FREED(char) path = cache->directory ? entry_path(cache, key) : NULL;
  if (!path) return;
  header h = {.key_bytes = strlen(key), .data_bytes = bytes};
  RH_FINISHED(rh_text) file = {0};
  memcpy(h.magic, magic, sizeof magic);
  rh_text_append(&file, (const char *)&h, sizeof h);
  rh_text_append(&file, key, h.key_bytes);
  rh_text_append(&file, data, bytes);
  if (file.failed) return;
  /* One checksum covers the key and the data, which are adjacent. */
  h.checksum = rh_hash(h.data_bytes, file.s + sizeof h, file.length - sizeof h);
  memcpy(file.s, &h, sizeof h);
  if (rh_file_write(path, file.s, file.length) != 0) complain(cache, path, errno);
}

static void cache_drop(rh_cache *cache, const char *key) {
  RH_FREED(char) path = cache->directory ? entry_path(cache, key) : NULL;
  if (path) unlink(path);
}

static char *cache_log(rh_cache *cache, const char *name, const char *text) {
  char *path;
  if (!cache->directory || asprintf(&path, "%s/log/%s.log", cache->directory, name) < 0)
    return NULL;
  /* The name comes from a plugin, so separators are replaced. */
  for (char *c = path + strlen(cache->directory) + strlen("/log/"); *c; c++)
    if (*c == '/') *c = '_';
  if (rh_file_write(path, text, strlen(text)) == 0) return path;
  complain(cache, path, errno);
  free(path);
  return NULL;
}

/* ---- Building ---- */

/* The key contains everything that affects the compiled program. */
static void write_key(rh_text *key, const rh_cl_session *session, const char *options,
                      const char *source) {
  const rh_cl_device *device = session->device;
  rh_text_add(key, "redhost %s\n%s\n%s\n%s\n%s\n%s\n", REDHOST_VERSION, device->platform_name,
              device->platform_version, device->name, device->driver, options);
  rh_text_append(key, source, strlen(source));
}

static char *build_log(const rh_cl_session *session, cl_program program) {
  size_t size = 0;
  cl_device_id id = session->device->id;
  if (rh_cl.GetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) != CL_SUCCESS)
    size = 0;
  char *log = calloc(size + 1, 1);
  if (log && size) rh_cl.GetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_LOG, size, log, NULL);
  return log;
}

static rh_status build_failed(rh_cl_session *session, const char *file, const char *source,
                              cl_program program, cl_int code, rh_error *error) {
  RH_FREED(char) said = build_log(session, program);
  RH_FREED(char) log = said ? rh_log_in_files(said, source) : NULL;
  RH_FREED(char) path = log ? cache_log(session->cache, file, log) : NULL;
  if (log && session->build_log) rh_text_add(session->build_log, "%s", log);
  if (log) rh_log(session->reporter, RH_LOG_INFO, "%s", log);
  rh_fail(error, RH_E_BUILD, "kernel build failed for '%s' on %s (%s)%s%s", file,
          session->device->name, rh_cl_status_name(code), path ? ". Build log: " : "",
          path ? path : "");
  if (error) error->cl_code = code;
  return RH_E_BUILD;
}

/* The cached program, ready to use; null if there is none or the driver no longer accepts it. */
static cl_program from_cache(rh_cl_session *session, const char *key, const char *options) {
  size_t bytes;
  cl_int code, of_binary = CL_SUCCESS;
  RH_FREED(char) binary = rh_cache_load(session->cache, key, &bytes);
  if (!binary) return NULL;
  cl_program program =
      rh_cl.CreateProgramWithBinary(session->context, 1, &session->device->id, &bytes,
                                    (const unsigned char **)&binary, &of_binary, &code);
  if (code == CL_SUCCESS && of_binary == CL_SUCCESS &&
      rh_cl.BuildProgram(program, 1, &session->device->id, options, NULL, NULL) == CL_SUCCESS)
    return program;
  if (code == CL_SUCCESS && program) rh_cl_release_program(program);
  cache_drop(session->cache, key);
  return NULL;
}

static void to_cache(rh_cl_session *session, const char *key, cl_program program) {
  size_t bytes = 0;
  if (!session->cache->directory ||
      rh_cl.GetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL) !=
          CL_SUCCESS ||
      bytes == 0)
    return;
  RH_FREED(char) binary = malloc(bytes);
  if (binary && rh_cl.GetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL) ==
                    CL_SUCCESS)
    rh_cache_store(session->cache, key, binary, bytes);
}

/* PoCL 3.1 has a race in its own cache: if several processes build the same program at the same
 * time, each removes the others' files, and a build may fail for that reason alone.  A second try
 * succeeds, unless the program itself is wrong. */
enum { TRIES = 2 };

static rh_status from_source(rh_cl_session *session, const char *file, const char *source,
                             const char *options, cl_program *program, rh_error *error) {
  cl_int code = CL_BUILD_PROGRAM_FAILURE;
  for (int i = 0; i < TRIES && code == CL_BUILD_PROGRAM_FAILURE; i++) {
    rh_cl_release_program(*program);
    *program = rh_cl.CreateProgramWithSource(session->context, 1, &source, NULL, &code);
    if (code != CL_SUCCESS) return rh_cl_fail(error, code, "creating a program");
    code = rh_cl.BuildProgram(*program, 1, &session->device->id, options, NULL, NULL);
  }
  if (code == CL_SUCCESS) return RH_OK;
  build_failed(session, file, source, *program, code, error);
  rh_cl_release_program(*program);
  *program = NULL;
  return RH_E_BUILD;
}

rh_status rh_cl_program(rh_cl_session *session, const char *file, const char *prelude,
                        const char *source, const char *options, cl_program *program,
                        rh_error *error) {
  RH_FINISHED(rh_text) whole = {0};
  RH_FINISHED(rh_text) all_options = {0};
  RH_FINISHED(rh_text) key = {0};
  const char *more = rh_env("REDHOST_BUILD_OPTIONS");
  double start = rh_now();
  /* NVIDIA's OpenCL C has no macro for the compute capability, like CUDA's __CUDA_ARCH__. */
  if (session->device->nvidia_sm)
    rh_text_add(&whole, "#define RH_NVIDIA_SM %u\n", session->device->nvidia_sm);
  rh_text_append(&whole, prelude, strlen(prelude));
  rh_text_add(&whole, "#line 1 \"%s\"\n", file);
  rh_text_append(&whole, source, strlen(source));
  /* -w: of a program that builds, nobody reads the warnings, and PoCL writes their number to
   * standard error: on AVX2, 28 of the ABI of vectors for a map with exp(). */
  rh_text_add(&all_options, "-w%s%s%s%s", *options ? " " : "", options, more ? " " : "",
              more ? more : "");
  write_key(&key, session, rh_text_get(&all_options), rh_text_get(&whole));

  rh_status status = RH_OK;
  *program = NULL;
  if (whole.failed || all_options.failed || key.failed)
    status = rh_fail(error, RH_E_NOMEM, "no memory for a program's source");
  else if ((*program = from_cache(session, key.s, rh_text_get(&all_options))))
    session->builds_cached++;
  else if (session->compiled_only) status = rh_fail(error, RH_DECLINED, "%s is not compiled", file);
  else if ((status = from_source(session, file, whole.s, rh_text_get(&all_options), program,
                                 error)) == RH_OK)
    to_cache(session, key.s, *program);
  session->builds++;
  session->build_s += rh_now() - start;
  return status;
}
