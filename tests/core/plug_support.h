/* What the tests of host/core/plug share: files, plugins of the zoo, a plugin made by hand, and the
 * child's side.
 *
 * REDHOST_TEST_ZOO (environment) or ZOO_DIR (macro) is where tests/zoo/loading's plugins stand.
 * Each of these programs is its own child: started as `redhost --probe` it looks at plugins, or
 * plays a broken redhost, which says what REDHOST_TEST_CHILD holds. */
#ifndef RH_TEST_PLUG_SUPPORT_H
#define RH_TEST_PLUG_SUPPORT_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <redhost/kit.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "../../host/core/plug/plug.h"
#include "folder.h"

static char self[PATH_MAX]; /* this program */
static char base[64];       /* of all tests; removed by main */
static char dir[128];       /* of this test */

/* A crash in a child is meant to be one. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
  return "handle_segv=0:handle_sigill=0:handle_abort=0:handle_sigbus=0:handle_sigfpe=0";
}

/* ---- The child's side ---- */

static inline void fold_u64(void *accumulator, const void *input, uint64_t first, uint64_t n) {
  uint64_t sum;
  memcpy(&sum, accumulator, sizeof sum);
  for (uint64_t k = first; k < first + n; k++) sum += ((const uint64_t *)input)[k];
  memcpy(accumulator, &sum, sizeof sum);
}

/* A stub: zoo plugins look at no more than this. */
static inline const rh_op *find_op(uint32_t op, rh_type type) {
  static const uint64_t zero;
  static const rh_op stub = {.struct_size = sizeof stub,
                             .id = RH_OP_sum,
                             .flags = RH_OP_COMMUTATIVE,
                             .element_size = 8,
                             .value_size = 8,
                             .name = "sum",
                             .identity = &zero,
                             .fold = fold_u64};
  return rh_op_is_defined(op, type) ? &stub : NULL;
}

/* A program that is not quite redhost: it says the text, or much, or nothing. */
static inline int play(const char *text) {
  if (strcmp(text, "mute") == 0) sleep(60);
  do
    if (write(4, text, strlen(text)) < 0) _exit(9);
  while (strcmp(text, "flood") == 0);
  return 0;
}

/* ---- Files ---- */

static inline const char *zoo(void) {
  const char *from = getenv("REDHOST_TEST_ZOO");
#ifdef ZOO_DIR
  if (!from) from = ZOO_DIR;
#endif
  return from ? from : "zoo";
}

static inline char *path_of(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* One of a few strings in turn, so that calls may be nested. */
static inline char *path_of(const char *format, ...) {
  static char paths[16][PATH_MAX];
  static unsigned next;
  char *path = paths[next++ % 16];
  va_list args;
  va_start(args, format);
  vsnprintf(path, PATH_MAX, format, args);
  va_end(args);
  return path;
}

static inline char *in(const char *name) { return path_of("%s/%s", dir, name); }

static inline void write_file(const char *path, const void *bytes, size_t n) {
  unlink(path); /* never into a file that may be loaded */
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  ck_assert_msg(fd >= 0 && write(fd, bytes, n) == (ssize_t)n, "%s: %s", path, strerror(errno));
  close(fd);
}

static inline unsigned char *read_file(const char *path, size_t *n) {
  struct stat st;
  int fd = open(path, O_RDONLY);
  ck_assert_msg(fd >= 0 && fstat(fd, &st) == 0, "%s: %s", path, strerror(errno));
  *n = (size_t)st.st_size;
  unsigned char *bytes = malloc(*n + 1);
  ck_assert(bytes && read(fd, bytes, *n) == (ssize_t)*n);
  close(fd);
  return bytes;
}

static inline const char *make_dir(const char *name) {
  const char *path = in(name);
  ck_assert_msg(mkdir(path, 0755) == 0, "%s: %s", path, strerror(errno));
  return path;
}

/* A plugin of the zoo as dir/`as`, whose directories are made; a copy, since a link would be the
 * same file. */
static inline const char *copy_as(const char *plugin, const char *as) {
  size_t n;
  unsigned char *bytes = read_file(path_of("%s/%s.so", zoo(), plugin), &n);
  char *to = in(as);
  for (char *at = to + strlen(dir) + 1; (at = strchr(at, '/')); *at++ = '/') {
    *at = 0;
    mkdir(to, 0755);
  }
  write_file(to, bytes, n);
  free(bytes);
  return to;
}

static inline const char *copy(const char *plugin) {
  return copy_as(plugin, path_of("%s.so", plugin));
}

static inline void set_up(void) {
  snprintf(dir, sizeof dir, "%s/%ld", base, (long)getpid());
  ck_assert(mkdir(dir, 0755) == 0);
}

/* ---- Plugins that are refused when they are opened ---- */

static const struct {
  const char *plugin, *says;
} refused_when_opened[] = {
    {"no_symbol", "does not export redhost_plugin_v1 (is it a redhost plugin?)"},
    {"symbol_in_dependency", "has no redhost_plugin_v1 of its own: the one found is in "},
    {"symbol_in_dependency", "libzoo_dependency.so"},
    {"undefined_symbol", "needs the symbol 'zoo_nobody_defines_this', which nothing defines; "
                         "plugins get services through rh_host"},
    {"missing_dependency", "needs libzoo_gone.so, which was not found"},
    {"static_tls", "needs more static thread-local storage than is left"},
    {"sets_ftz", "changes the floating-point control word when loaded (linked with -ffast-math?)"},
    {"wrong_abi", "ABI 3, this redhost supports 1"},
    {"wrong_magic", "is not a descriptor: magic 0x12345678, not 0x31504852"},
    {"short_struct", "descriptor of 8 bytes; in ABI 1.0 it has 40"},
    {"needs_newer_host", "needs ABI 1.200, this redhost supports 1.2"},
    {"bad_name", "its name is not of the form [a-z0-9][a-z0-9_-]{0,62}"},
    {"bad_params",
     "strategy 'bad_params': parameter 0: 'tile': its default 100 is not within 1 to"},
    {"same_name_twice", "two strategies 'same'"},
};

enum { N_REFUSED_WHEN_OPENED = sizeof refused_when_opened / sizeof *refused_when_opened };

/* ---- Descriptors as data ---- */

static inline rh_status say_yes(const rh_problem *problem, const int64_t *params, rh_answer *to) {
  (void)problem;
  (void)params;
  to->score = 7;
  return RH_OK;
}
static inline rh_status no_setup(const rh_host *host, const rh_problem *problem,
                                 const int64_t *params, void **instance) {
  (void)host;
  (void)problem;
  (void)params;
  (void)instance;
  return RH_OK;
}
static inline rh_status no_run(void *instance, const rh_run *run) {
  (void)instance;
  (void)run;
  return RH_OK;
}

/* A plugin that may be changed; good as it is made. */
typedef struct model {
  rh_plugin plugin;
  rh_strategy strategy, second;
  const rh_strategy *strategies[2];
  rh_param params[3];
} model;

static inline void make_model(model *m) {
  memset(m, 0, sizeof *m);
  m->params[0] = (rh_param)RH_NUMBER("tile", 256, 1, 1024, "elements");
  m->params[1] = (rh_param)RH_NUMBER("group", 0, 0, 512, "items, 0: any");
  m->params[1].flags = RH_PARAM_POWER_OF_TWO;
  m->params[2] = (rh_param)RH_CHOICE("where", "host|device", 2, "");
  m->params[2].initial = 1;
  m->params[2].flags = RH_PARAM_REBUILD;
  m->strategy = (rh_strategy){.struct_size = sizeof m->strategy,
                              .device_kinds = RH_DEVICE_ANY_CL,
                              .name = "model",
                              .summary = "s",
                              .about = "one\ntwo",
                              .version = "1.0",
                              .author = "",
                              .license = "MIT",
                              .n_params = 3,
                              .param_stride = sizeof(rh_param),
                              .params = m->params,
                              .query = say_yes,
                              .setup = no_setup,
                              .run = no_run};
  m->second = m->strategy;
  m->second.name = "second";
  m->strategies[0] = &m->strategy;
  m->strategies[1] = &m->second;
  m->plugin = (rh_plugin){.magic = RH_MAGIC,
                          .struct_size = sizeof m->plugin,
                          .abi_major = RH_ABI_MAJOR,
                          .n_strategies = 2,
                          .strategies = m->strategies,
                          .build = "gcc"};
}

/* ---- A device and parameters to ask about ---- */

static const rh_device gpu = {.struct_size = sizeof gpu, .kind = RH_DEVICE_GPU, .name = "Card"};
static const int64_t defaults[] = {256, 0, 1};

/* ---- Options ---- */

static inline rh_options options_for(const char *path) {
  return (rh_options){.plugin_path = path, .program = self};
}

/* ---- What a child leaves behind ---- */

static inline int open_descriptors(void) {
  int n = 0;
  for (int fd = 0; fd < 1024; fd++) n += fcntl(fd, F_GETFD) >= 0;
  return n;
}

/* No child, dead or alive, and no descriptor is left. */
static inline void assert_nothing_left(int descriptors) {
  ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
  ck_assert_int_eq(errno, ECHILD);
  ck_assert_int_eq(open_descriptors(), descriptors);
}

/* ---- Suites ---- */

CASES(plugins, .set_up = set_up)

/* Runs the tests, or is the child that one of them started. */
static inline int plug_main(int argc, char **argv) {
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length < 0) return 1;
  const char *part = getenv("REDHOST_TEST_CHILD");
  if (argc > 1 && strcmp(argv[1], "--probe") == 0)
    return part ? play(part) : rh_probe_main(find_op, NULL);
  make_folder(base, sizeof base);
  setenv("HOME", base, 1);
  unsetenv("XDG_DATA_HOME");
  unsetenv("REDHOST_PLUGIN_PATH");
  int result = run_tests();
  remove_folder(base);
  return result;
}

#endif
