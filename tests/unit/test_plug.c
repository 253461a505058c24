/* host/core/plug: shared objects, descriptors, query, search, the probing child, the registry.
 *
 * REDHOST_TEST_ZOO (environment) or ZOO_DIR (macro) is where tests/zoo/loading's plugins stand.  This
 * program is its own child: started as `redhost --probe` it looks at plugins, or plays a broken
 * redhost as REDHOST_TEST_CHILD says. */
#include "../../host/core/base/clock.h"
#include "../../host/core/base/fpstate.h"
#include "../../host/core/plug/elf.h"
#include "../../host/core/plug/plugin.h"
#include "../../host/core/plug/registry.h"
#include "../../host/core/plug/survey.h"
#include "../../host/core/plug/wire.h"

#include <check.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char self[PATH_MAX]; /* this program */
static char base[64];       /* of all tests; removed by main */
static char dir[128];       /* of this test */

/* A crash in a child is meant to be one. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
  return "handle_segv=0:handle_sigill=0:handle_abort=0:handle_sigbus=0:handle_sigfpe=0";
}

/* ---- The child's side ------------------------------------------------------------------------ */

static void fold_u64(void *accumulator, const void *input, uint64_t first, uint64_t n) {
  uint64_t sum;
  memcpy(&sum, accumulator, sizeof sum);
  for (uint64_t k = first; k < first + n; k++) sum += ((const uint64_t *)input)[k];
  memcpy(accumulator, &sum, sizeof sum);
}

/* A stub: zoo plugins look at no more than this. */
static const rh_op *find_op(uint32_t op, rh_type type) {
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

static void answer(const char *text) {
  if (write(4, text, strlen(text)) < 0) _exit(9);
}

/* Programs that are not quite redhost. */
static int play(const char *part) {
  if (strcmp(part, "silent") == 0) return 0;
  if (strcmp(part, "mute") == 0) sleep(60);
  if (strcmp(part, "other") == 0) answer("hello, world\n");
  if (strcmp(part, "newer") == 0) answer("{\"redhost-probe\":9}\n");
  if (strcmp(part, "half") == 0) answer("{\"redhost-probe\":2}\n{\"begin\":0}\n{\"refus");
  if (strcmp(part, "wrong order") == 0) answer("{\"redhost-probe\":2}\n{\"begin\":1}\n");
  if (strcmp(part, "early end") == 0) answer("{\"redhost-probe\":2}\n{\"end\":0}\n");
  if (strcmp(part, "nonsense") == 0)
    answer("{\"redhost-probe\":2}\n{\"begin\":0}\n"
           "{\"plugin\":0,\"strategies\":[{\"texts\":[1]}]}\n");
  if (strcmp(part, "no strategies") == 0)
    answer("{\"redhost-probe\":2}\n{\"begin\":0}\n{\"plugin\":0,\"strategies\":[]}\n");
  if (strcmp(part, "later") == 0)
    answer("{\"redhost-probe\":2}\n{\"begin\":0}\n{\"refused\":0,\"kind\":0,\"reason\":\"so\"}\n");
  if (strcmp(part, "flood") == 0)
    for (;;) answer("{\"redhost-probe\":2}");
  if (strcmp(part, "nonsense") == 0) sleep(5);
  return 0;
}

/* ---- Files ----------------------------------------------------------------------------------- */

static const char *zoo(void) {
  const char *from = getenv("REDHOST_TEST_ZOO");
#ifdef ZOO_DIR
  if (!from) from = ZOO_DIR;
#endif
  return from ? from : "zoo";
}

static char *path_of(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* One of a few strings in turn, so that calls may be nested. */
static char *path_of(const char *format, ...) {
  static char paths[16][PATH_MAX];
  static unsigned next;
  char *path = paths[next++ % 16];
  va_list args;
  va_start(args, format);
  vsnprintf(path, PATH_MAX, format, args);
  va_end(args);
  return path;
}

static char *in(const char *name) {
  return path_of("%s/%s", dir, name);
}

static void write_file(const char *path, const void *bytes, size_t n) {
  unlink(path); /* never into a file that may be loaded */
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  ck_assert_msg(fd >= 0 && write(fd, bytes, n) == (ssize_t)n, "%s: %s", path, strerror(errno));
  close(fd);
}

static unsigned char *read_file(const char *path, size_t *n) {
  struct stat st;
  int fd = open(path, O_RDONLY);
  ck_assert_msg(fd >= 0 && fstat(fd, &st) == 0, "%s: %s", path, strerror(errno));
  *n = (size_t)st.st_size;
  unsigned char *bytes = malloc(*n + 1);
  ck_assert(bytes && read(fd, bytes, *n) == (ssize_t)*n);
  close(fd);
  return bytes;
}

static const char *make_dir(const char *name) {
  const char *path = in(name);
  ck_assert_msg(mkdir(path, 0755) == 0, "%s: %s", path, strerror(errno));
  return path;
}

/* A plugin of the zoo as dir/`as`; a copy, since a link would be the same file. */
static const char *copy_as(const char *plugin, const char *as) {
  size_t n;
  unsigned char *bytes = read_file(path_of("%s/%s.so", zoo(), plugin), &n);
  const char *to = in(as);
  write_file(to, bytes, n);
  free(bytes);
  return to;
}

static const char *copy(const char *plugin) {
  return copy_as(plugin, path_of("%s.so", plugin));
}

static int remove_one(const char *path, const struct stat *info, int flag, struct FTW *ftw) {
  (void)info, (void)flag, (void)ftw;
  return remove(path);
}

static void set_up(void) {
  snprintf(dir, sizeof dir, "%s/%ld", base, (long)getpid());
  ck_assert(mkdir(dir, 0755) == 0);
}

#define assert_says(got, expected)                                                                 \
  ck_assert_msg(strstr((got), (expected)) != NULL, "'%s' does not say '%s'", (got), (expected))

/* ---- ELF ------------------------------------------------------------------------------------- */

static void assert_elf(const char *path, const char *expected) {
  rh_error error = {0};
  rh_status status = rh_elf_check(path, &error);
  if (!expected)
    ck_assert_msg(status == RH_OK, "%s: %s", path, error.message);
  else {
    rh_status wanted = strstr(expected, "cannot be opened") ? RH_E_FILE : RH_E_PLUGIN;
    ck_assert_msg(status == wanted, "%s is not refused: expected '%s'", path, expected);
    assert_says(error.message, expected);
  }
}

START_TEST(whole_objects_pass) {
  assert_elf(path_of("%s/fine.so", zoo()), NULL);
  assert_elf(self, NULL); /* a position-independent program is one, too: the loader refuses it */
}
END_TEST

START_TEST(other_files_are_named) {
  const char *path = in("x.so");
  write_file(path, "", 0);
  assert_elf(path, "is empty");
  write_file(path, "#!/bin/sh\necho hello\n", 21);
  assert_elf(path, "is no shared object (it looks like text)");
  write_file(path, "!<arch>\nfoo.o/", 14);
  assert_elf(path, "is no shared object (it looks like a static library)");
  write_file(path, "\1\2\3", 3);
  assert_elf(path, "is no shared object");
  write_file(path, "\177ELF", 4);
  assert_elf(path, "is cut off: 4 bytes of at least 64");
  ck_assert(unlink(path) == 0);
  assert_elf(path, "cannot be opened: No such file or directory");
  assert_elf(dir, "is not a regular file");
  ck_assert(mkfifo(path, 0600) == 0);
  assert_elf(path, "is not a regular file");
}
END_TEST

START_TEST(every_cut_is_noticed) {
  size_t n;
  const char *path = copy("fine");
  free(read_file(path, &n));
  while (n-- > 0) {
    ck_assert(truncate(path, (off_t)n) == 0);
    assert_elf(path, n ? "is cut off: " : "is empty");
  }
}
END_TEST

/* fine.so with some bytes of its header changed. */
static void assert_patched(size_t at, uint64_t value, size_t bytes, const char *expected) {
  size_t n;
  unsigned char *file = read_file(path_of("%s/fine.so", zoo()), &n);
  memcpy(file + at, &value, bytes);
  write_file(in("x.so"), file, n);
  free(file);
  assert_elf(in("x.so"), expected);
}

START_TEST(other_machines_are_named) {
  const char *here = "x86_64";
  size_t at = offsetof(Elf64_Ehdr, e_machine);
#if defined(__aarch64__)
  here = "aarch64";
  assert_patched(at, EM_X86_64, 2, path_of("built for x86_64, this is %s", here));
#else
  assert_patched(at, EM_AARCH64, 2, path_of("built for aarch64, this is %s", here));
#endif
  assert_patched(at, 0x7777, 2, path_of("built for machine 30583, this is %s", here));
  assert_patched(EI_CLASS, ELFCLASS32, 1, "built for 32-bit programs, this is a 64-bit one");
  assert_patched(EI_DATA, ELFDATA2MSB, 1, "built for machine");
  assert_patched(at, EM_386, 2, path_of("built for i386, this is %s", here));
}
END_TEST

START_TEST(other_kinds_are_named) {
  size_t at = offsetof(Elf64_Ehdr, e_type);
  assert_patched(at, ET_REL, 2, "is an object file, not linked");
  assert_patched(at, ET_EXEC, 2, "is a program");
  assert_patched(at, ET_CORE, 2, "is a core dump");
  assert_patched(at, 77, 2, "ELF type 77");
}
END_TEST

START_TEST(offsets_are_not_trusted) {
  assert_patched(offsetof(Elf64_Ehdr, e_phoff), UINT64_MAX - 8, 8, "is damaged");
  assert_patched(offsetof(Elf64_Ehdr, e_shoff), UINT64_MAX, 8, "is damaged");
  assert_patched(offsetof(Elf64_Ehdr, e_phoff), 1u << 30, 8, "is cut off");
  assert_patched(offsetof(Elf64_Ehdr, e_phnum), 0, 2, "no segments");
  assert_patched(offsetof(Elf64_Ehdr, e_phnum), 0xffff, 2, "is cut off");
  assert_patched(offsetof(Elf64_Ehdr, e_shnum), 0xffff, 2, "is cut off");
  assert_patched(offsetof(Elf64_Ehdr, e_phentsize), 1, 2, "no segments");
  /* Segments are read as they stand: no dynamic one any more. */
  assert_patched(offsetof(Elf64_Ehdr, e_phnum), 1, 2, "no dynamic section");
}
END_TEST

/* Objects may come without sections: then the segments say how long the file is. */
START_TEST(segments_alone_show_a_cut) {
  assert_patched(offsetof(Elf64_Ehdr, e_shoff), 0, 8, NULL);
  ck_assert(truncate(in("x.so"), 9000) == 0);
  assert_elf(in("x.so"), "is cut off: 9000 bytes of at least ");
}
END_TEST

START_TEST(no_header_crashes) {
  size_t n;
  unsigned char *file = read_file(path_of("%s/fine.so", zoo()), &n);
  for (size_t at = 0; at < 1024 && at < n; at++) {
    unsigned char kept = file[at];
    for (unsigned value = 0; value < 256; value += 51) {
      file[at] = (unsigned char)value;
      write_file(in("x.so"), file, n);
      rh_elf_check(in("x.so"), NULL);
    }
    file[at] = kept;
  }
  free(file);
}
END_TEST

/* ---- Opening --------------------------------------------------------------------------------- */

static const struct {
  const char *plugin, *says;
} refused_when_opened[] = {
    {"no_symbol", "does not export redhost_plugin_v1 (is it a redhost plugin?)"},
    {"symbol_in_dependency", "has no redhost_plugin_v1 of its own: the one found is in "},
    {"symbol_in_dependency", "libzoo_dependency.so"},
    {"undefined_symbol", "needs the symbol 'zoo_nobody_defines_this', which nothing defines; "
                         "plugins get services through rh_host"},
    {"missing_dependency", "needs libzoo_gone.so, which is not here"},
    {"static_tls", "needs more static thread-local storage than is left"},
    {"sets_ftz", "changes the floating-point control word when loaded (linked with -ffast-math?)"},
    {"wrong_abi", "ABI 3, this redhost speaks 1"},
    {"wrong_magic", "is no descriptor: magic 0x12345678, not 0x31504852"},
    {"short_struct", "descriptor of 8 bytes; in ABI 1.0 it has 40"},
    {"needs_newer_host", "needs redhost's ABI 1.200, this one speaks 1.1"},
    {"bad_name", "its name is not of the form [a-z0-9][a-z0-9_-]{0,62}"},
    {"bad_params",
     "strategy 'bad_params': parameter 0: 'tile': its default 100 is not within 1 to"},
    {"same_name_twice", "two strategies 'same'"},
};

enum { N_REFUSED_WHEN_OPENED = sizeof refused_when_opened / sizeof *refused_when_opened };

START_TEST(bad_plugins_are_refused_with_words) {
  const rh_plugin *plugin;
  rh_error error;
  rh_fpstate before = rh_fpstate_save();
  char *path = realpath(path_of("%s/%s.so", zoo(), refused_when_opened[_i].plugin), NULL);
  ck_assert_ptr_nonnull(path);
  ck_assert_int_eq(rh_plugin_open(path, &plugin, &error), RH_E_PLUGIN);
  assert_says(error.message, refused_when_opened[_i].says);
  ck_assert_int_eq(rh_fpstate_restore(&before), 0);
  free(path);
}
END_TEST

START_TEST(a_newer_minor_opens) {
  const rh_plugin *plugin;
  rh_error error;
  rh_status status = rh_plugin_open(copy("newer_minor"), &plugin, &error);
  ck_assert_msg(status == RH_OK, "%s", error.message);
  const rh_strategy *strategy = plugin->strategies[0];
  ck_assert_str_eq(strategy->name, "newer_minor");
  ck_assert_str_eq(rh_strategy_param(strategy, 0)->key, "tile");
  ck_assert_str_eq(rh_strategy_param(strategy, 1)->key, "where");
}
END_TEST

START_TEST(opening_needs_an_absolute_path) {
  const rh_plugin *plugin;
  rh_error error;
  copy("fine");
  ck_assert(chdir(dir) == 0);
  ck_assert_int_eq(rh_plugin_open("fine.so", &plugin, &error), RH_E_PLUGIN);
  assert_says(error.message, "is no absolute path");
}
END_TEST

static uint32_t elf_hash(const char *name) {
  uint32_t hash = 0;
  for (; *name; name++) {
    hash = (hash << 4) + (unsigned char)*name;
    uint32_t high = hash & 0xf0000000u;
    hash ^= high >> 24;
    hash &= ~high;
  }
  return hash;
}

START_TEST(a_newer_c_library_is_named) {
  size_t n;
  char old[32] = "", new[32];
  unsigned char *file = read_file(path_of("%s/chatty.so", zoo()), &n);
  for (size_t k = 0; k + 32 < n; k++) { /* every version that it wants becomes one of 9.x */
    if (memcmp(file + k, "GLIBC_2.", 8) != 0) continue;
    snprintf(old, sizeof old, "%s", (const char *)file + k);
    file[k + 6] = '9';
    snprintf(new, sizeof new, "%s", (const char *)file + k);
    uint32_t before = elf_hash(old), after = elf_hash(new);
    for (size_t j = 0; j + 4 <= n; j++)
      if (memcmp(file + j, &before, 4) == 0) memcpy(file + j, &after, 4);
  }
  write_file(in("x.so"), file, n);
  free(file);
  ck_assert_msg(old[0], "no GLIBC version in chatty.so");
  const rh_plugin *plugin;
  rh_error error;
  ck_assert_int_eq(rh_plugin_open(in("x.so"), &plugin, &error), RH_E_PLUGIN);
  assert_says(error.message, "wants GLIBC_9.");
  assert_says(error.message, ", this is 2.");
}
END_TEST

/* ---- Descriptors as data --------------------------------------------------------------------- */

static rh_status say_yes(const rh_problem *problem, const int64_t *params, rh_answer *to) {
  (void)problem, (void)params;
  to->score = 7;
  return RH_OK;
}
static rh_status no_setup(const rh_host *host, const rh_problem *problem, const int64_t *params,
                          void **instance) {
  (void)host, (void)problem, (void)params, (void)instance;
  return RH_OK;
}
static rh_status no_run(void *instance, const rh_run *run) {
  (void)instance, (void)run;
  return RH_OK;
}

/* A plugin that may be changed; good as it is made. */
typedef struct model {
  rh_plugin plugin;
  rh_strategy strategy, second;
  const rh_strategy *strategies[2];
  rh_param params[3];
} model;

static void make_model(model *m) {
  memset(m, 0, sizeof *m);
  m->params[0] = (rh_param){
      .key = "tile", .doc = "elements", .min = 1, .max = 1024, .initial = 256, .step = 1};
  m->params[1] = (rh_param){.key = "group",
                            .doc = "items, 0: any",
                            .min = 0,
                            .max = 512,
                            .initial = 0,
                            .step = 1,
                            .flags = RH_PARAM_POWER_OF_TWO};
  m->params[2] = (rh_param){.key = "where",
                            .doc = "",
                            .choices = "host|device",
                            .min = 0,
                            .max = 1,
                            .initial = 1,
                            .step = 1,
                            .flags = RH_PARAM_REBUILD};
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

static rh_error judge_error;

static const char *judge(const model *m) {
  rh_status status = rh_plugin_judge(&m->plugin, &judge_error);
  if (status == RH_OK) return "good";
  ck_assert_int_eq(status, RH_E_PLUGIN);
  return judge_error.message;
}

/* The model with one thing changed is refused in these words. */
#define REFUSES(change, words)                                                                     \
  do {                                                                                             \
    model m;                                                                                       \
    make_model(&m);                                                                                \
    ck_assert_str_eq(judge(&m), "good");                                                           \
    change;                                                                                        \
    assert_says(judge(&m), words);                                                                 \
  } while (0)

START_TEST(plugins_are_judged) {
  static char long_text[300];
  memset(long_text, 'x', sizeof long_text - 1);
  REFUSES(m.plugin.magic = 1, "magic 0x00000001");
  REFUSES(m.plugin.struct_size = 39, "descriptor of 39 bytes");
  REFUSES(m.plugin.struct_size = 1u << 30, "descriptor of 1073741824 bytes");
  REFUSES(m.plugin.abi_major = 3, "ABI 3, this redhost speaks 1");
  REFUSES(m.plugin.min_host_minor = 5, "needs redhost's ABI 1.5, this one speaks 1.1");
  REFUSES(m.plugin.flags = 4, "unknown flags 0x4");
  REFUSES(m.plugin.reserved = 1, "reserved is 1");
  REFUSES(m.plugin.n_strategies = 0, "0 strategies, expected 1 to 1024");
  REFUSES(m.plugin.n_strategies = 1025, "1025 strategies");
  REFUSES(m.plugin.strategies = NULL, "strategies is null");
  REFUSES(m.plugin.build = NULL, "the build note is null");
  REFUSES(m.plugin.build = long_text, "the build note is longer than 255 bytes");
  REFUSES(m.strategies[1] = NULL, "strategy 1 is null");
  REFUSES(m.second.name = "model", "two strategies 'model'");
}
END_TEST

START_TEST(strategies_are_judged) {
  REFUSES(m.strategy.struct_size = 128, "strategy 0: it is of 128 bytes; in ABI 1.0 it has 136");
  REFUSES(m.strategy.name = NULL, "its name is not of the form");
  REFUSES(m.strategy.name = "", "its name is not of the form");
  REFUSES(m.strategy.name = "-x", "its name is not of the form");
  REFUSES(m.strategy.name = "a/b", "its name is not of the form");
  REFUSES(m.strategy.name = "Upper", "its name is not of the form");
  REFUSES(m.strategy.name = "a23456789012345678901234567890123456789012345678901234567890123x",
          "its name is not of the form");
  REFUSES(m.strategy.summary = "", "strategy 'model': the summary is empty");
  REFUSES(m.strategy.summary = "a\nb", "the summary is not plain UTF-8");
  REFUSES(m.strategy.about = NULL, "the text about it is null");
  REFUSES(m.strategy.about = "a\n\xff", "the text about it is not plain UTF-8");
  REFUSES(m.strategy.about = "a\tb\nc", "the text about it is not plain UTF-8");
  REFUSES(m.strategy.version = "", "the version is empty");
  REFUSES(m.strategy.author = NULL, "the author is null");
  REFUSES(m.strategy.license = "\xc3", "the license is not plain UTF-8");
  REFUSES(m.strategy.promises = 1ull << 40, "unknown promises 0x10000000000");
  REFUSES(m.strategy.needs = 1ull << 63, "unknown needs 0x8000000000000000");
  REFUSES(m.strategy.device_kinds = 0, "runs on no kind of device");
  REFUSES(m.strategy.device_kinds = 16, "unknown kinds of device 0x10");
  REFUSES(m.strategy.determinism = 4, "unknown determinism 4");
  REFUSES(m.strategy.reserved = 1, "a reserved field is 0x1");
  REFUSES(m.strategy.query = NULL, "query is null");
  REFUSES(m.strategy.setup = NULL, "setup is null");
  REFUSES(m.strategy.run = NULL, "run is null");
}
END_TEST

START_TEST(parameters_are_judged) {
  REFUSES(m.strategy.n_params = 65, "65 parameters, at most 64");
  REFUSES(m.strategy.params = NULL, "params is null");
  REFUSES(m.strategy.param_stride = 56, "a parameter of 56 bytes; in ABI 1.0 it has 64");
  REFUSES(m.strategy.param_stride = 66, "parameters of 66 bytes are not aligned");
  REFUSES(m.params[0].key = NULL, "parameter 0: its key is not of the form [a-z][a-z0-9_-]*");
  REFUSES(m.params[0].key = "0tile", "its key is not of the form");
  REFUSES(m.params[1].key = "tile", "two parameters 'tile'");
  REFUSES(m.params[0].doc = NULL, "'tile': its doc is null, too long or not plain UTF-8");
  REFUSES(m.params[0].initial = 0, "its default 0 is not within 1 to 1024");
  REFUSES(m.params[0].min = 2000, "its default 256 is not within 2000 to 1024");
  REFUSES(m.params[0].step = 0, "its step is 0");
  REFUSES(m.params[0].flags = 8, "unknown flags 0x8");
  REFUSES(m.params[1].initial = 3, "parameter 1: 'group': its default 3 is no power of two");
  REFUSES(m.params[2].choices = "", "an empty choice in ''");
  REFUSES(m.params[2].choices = "host|", "an empty choice in 'host|'");
  REFUSES(m.params[2].choices = "a|a", "two choices 'a'");
  REFUSES(m.params[2].choices = "a|b|c", "3 choices, but its range is 0 to 1");
  REFUSES(m.params[2].min = 1, "2 choices, but its range is 1 to 1");
}
END_TEST

/* ---- query ----------------------------------------------------------------------------------- */

static rh_answer given;
static rh_status given_status;
static int asked;

static rh_status give(const rh_problem *problem, const int64_t *params, rh_answer *to) {
  (void)problem, (void)params;
  ck_assert_uint_eq(to->struct_size, sizeof *to);
  ck_assert_int_eq(to->reason[0], 0);
  asked++;
  *to = given;
  return given_status;
}

static rh_error query_error;

static rh_status query(const model *m, const rh_device *device, const int64_t *params,
                       rh_answer *to) {
  rh_problem problem = {sizeof problem, RH_TYPE_u64, find_op(RH_OP_sum, RH_TYPE_u64), device, 10};
  return rh_strategy_query(&m->strategy, &problem, params, to, &query_error);
}

static const rh_device gpu = {.struct_size = sizeof gpu, .kind = RH_DEVICE_GPU, .name = "Card"};
static const int64_t defaults[] = {256, 0, 1};

static void make_query_model(model *m) {
  make_model(m);
  m->strategy.query = give;
  memset(&given, 0, sizeof given);
  given_status = RH_OK;
  asked = 0;
}

static void assert_declined(const model *m, const rh_device *device, const int64_t *params,
                            uint32_t why, const char *reason) {
  rh_answer got;
  ck_assert_int_eq(query(m, device, params, &got), RH_DECLINED);
  ck_assert_uint_eq(got.why, why);
  ck_assert_str_eq(got.reason, reason);
}

START_TEST(the_host_declines_for_devices) {
  model m;
  rh_device device = gpu;
  rh_answer got;
  make_query_model(&m);
  m.strategy.device_kinds = RH_DEVICE_CPU | RH_DEVICE_GPU;
  device.kind = RH_DEVICE_ACCELERATOR;
  assert_declined(&m, &device, defaults, RH_WHY_DEVICE,
                  "runs on CPU and GPU devices; Card is an accelerator");
  device.kind = RH_DEVICE_HOST;
  assert_declined(&m, &device, defaults, RH_WHY_DEVICE,
                  "runs on CPU and GPU devices; there is no OpenCL device here");
  static const char *const reasons[] = {"device has no fp64",
                                        "device has no 64-bit atomics (cl_khr_int64_base_atomics)",
                                        "device has no sub-groups (cl_khr_subgroups)",
                                        "device has no work-group collective functions",
                                        "device has no cl_intel_subgroups block reads"};
  for (int k = 0; k < 5; k++) {
    m.strategy.needs = 1ull << k;
    assert_declined(&m, &gpu, defaults, RH_WHY_DEVICE, reasons[k]);
  }
  ck_assert_int_eq(asked, 0);
  /* Host code runs beside any device, and needs nothing of it. */
  m.strategy.device_kinds = RH_DEVICE_HOST;
  ck_assert_int_eq(query(&m, &gpu, defaults, &got), RH_OK);
  ck_assert_int_eq(query(&m, &device, defaults, &got), RH_OK);
  ck_assert_int_eq(asked, 2);
}
END_TEST

START_TEST(the_host_declines_for_parameters) {
  model m;
  make_query_model(&m);
  assert_declined(&m, &gpu, (int64_t[]){0, 0, 1}, RH_WHY_PARAM, "tile=0: expected 1 to 1024");
  assert_declined(&m, &gpu, (int64_t[]){1025, 0, 1}, RH_WHY_PARAM, "tile=1025: expected 1 to 1024");
  assert_declined(&m, &gpu, (int64_t[]){1, 3, 1}, RH_WHY_PARAM,
                  "group=3: expected 0 or a power of two from 1 to 512");
  assert_declined(&m, &gpu, (int64_t[]){1, 1024, 1}, RH_WHY_PARAM,
                  "group=1024: expected 0 or a power of two from 1 to 512");
  assert_declined(&m, &gpu, (int64_t[]){1, 4, 2}, RH_WHY_PARAM,
                  "where=2: expected one of host|device");
  ck_assert_int_eq(asked, 0);
  rh_answer got;
  ck_assert_int_eq(query(&m, &gpu, (int64_t[]){7, 4, 0}, &got), RH_OK);
  ck_assert_int_eq(query(&m, &gpu, NULL, &got), RH_E_INVALID);
  ck_assert_int_eq(query(&m, NULL, defaults, &got), RH_E_INVALID);
}
END_TEST

START_TEST(answers_are_judged) {
  model m;
  rh_answer got;
  make_query_model(&m);
  given = (rh_answer){.struct_size = 3, .score = 1000, .depth = 5};
  ck_assert_int_eq(query(&m, &gpu, defaults, &got), RH_OK);
  ck_assert_uint_eq(got.struct_size, sizeof got);
  ck_assert_uint_eq(got.depth, 5);
  given.score = 1001;
  ck_assert_int_eq(query(&m, &gpu, defaults, &got), RH_E_PLUGIN);
  ck_assert_str_eq(query_error.message,
                   "strategy 'model': query gave a score of 1001, expected 0 to 1000");
  given = (rh_answer){.finishes_on_host = 2};
  ck_assert_int_eq(query(&m, &gpu, defaults, &got), RH_E_PLUGIN);
  assert_says(query_error.message, "finishes_on_host = 2");
  given_status = RH_E_CL;
  ck_assert_int_eq(query(&m, &gpu, defaults, &got), RH_E_PLUGIN);
  assert_says(query_error.message, "query answered -3 (RH_E_CL), neither yes nor no");
  given_status = 77;
  ck_assert_int_eq(query(&m, &gpu, defaults, &got), RH_E_PLUGIN);
  assert_says(query_error.message, "query answered 77 (unknown status)");
}
END_TEST

START_TEST(reasons_are_made_fit) {
  model m;
  make_query_model(&m);
  given_status = RH_DECLINED;
  given.why = RH_WHY_SIZE;
  assert_declined(&m, &gpu, defaults, RH_WHY_SIZE, "declined without a reason");
  strcpy(given.reason, "n\xc3\xa4rrisch");
  assert_declined(&m, &gpu, defaults, RH_WHY_SIZE, "n\xc3\xa4rrisch");
  strcpy(given.reason, "a\nb\xff");
  assert_declined(&m, &gpu, defaults, RH_WHY_SIZE, "a?b");
  strcpy(given.reason, "a\xff z");
  assert_declined(&m, &gpu, defaults, RH_WHY_SIZE, "a? z");
  /* 158 times x and a character of two bytes that does not fit: cut before it. */
  memset(given.reason, 'x', sizeof given.reason);
  memcpy(given.reason + 158, "\xc3\xa4", 2);
  char expected[160] = {0};
  memset(expected, 'x', 158);
  assert_declined(&m, &gpu, defaults, RH_WHY_SIZE, expected);
}
END_TEST

START_TEST(query_must_leave_the_control_word) {
  const rh_plugin *plugin;
  rh_error error;
  rh_answer got;
  rh_fpstate before = rh_fpstate_save();
  ck_assert_int_eq(rh_plugin_open(copy("rounds_in_query"), &plugin, &error), RH_OK);
  rh_problem problem = {sizeof problem, RH_TYPE_u64, find_op(RH_OP_sum, RH_TYPE_u64), &gpu, 10};
  rh_status status = rh_strategy_query(plugin->strategies[0], &problem, NULL, &got, &error);
  ck_assert_int_eq(status, RH_E_PLUGIN);
  assert_says(error.message, "query changes the floating-point control word");
  ck_assert_int_eq(rh_fpstate_restore(&before), 0);
}
END_TEST

/* ---- Search ---------------------------------------------------------------------------------- */

static rh_options options_for(const char *path) {
  return (rh_options){.plugin_path = path, .program = self};
}

/* What became of a path: "at PLACE", "refused: ...", or "not found". */
static const char *fate_of(const rh_discovery *search, const char *path) {
  for (uint32_t k = 0; k < search->n; k++) {
    const rh_candidate *candidate = &search->candidates[k];
    if (strcmp(candidate->path, path) != 0) continue;
    if (candidate->refused) return path_of("refused: %s", candidate->refused);
    return path_of("at %u", candidate->place);
  }
  return "not found";
}

static int has_note(const rh_discovery *search, const char *note) {
  for (uint32_t k = 0; k < search->n_notes; k++)
    if (strcmp(search->notes[k], note) == 0) return 1;
  return 0;
}

static void search_for(rh_discovery *search, const rh_options *options) {
  rh_error error;
  rh_status status = rh_discover(search, options, &error);
  ck_assert_msg(status == RH_OK, "%s", error.message);
}

START_TEST(places_come_in_order) {
  rh_discovery search;
  make_dir("option"), make_dir("second"), make_dir("env"), make_dir("data");
  make_dir("data/redhost"), make_dir("data/redhost/plugins-1"), make_dir("cwd");
  copy_as("fine", "z.so"), copy_as("fine", "option/b.so"), copy_as("fine", "option/a.so");
  copy_as("fine", "second/a.so"), copy_as("fine", "env/a.so");
  copy_as("fine", "data/redhost/plugins-1/a.so"), copy_as("fine", "cwd/here.so");
  ck_assert(chdir(in("cwd")) == 0);
  setenv("REDHOST_PLUGIN_PATH", in("env"), 1);
  setenv("XDG_DATA_HOME", in("data"), 1);
  rh_options options = options_for(path_of("%s:%s", in("option"), in("second")));
  options.plugin_file = "../z.so";
  search_for(&search, &options);
  static const char *const expected[] = {"z.so",        "option/a.so",
                                         "option/b.so", "second/a.so",
                                         "env/a.so",    "data/redhost/plugins-1/a.so"};
  static const uint32_t places[] = {0, 1, 1, 2, 3, 4};
  ck_assert_uint_ge(search.n, 6);
  for (uint32_t k = 0; k < 6; k++) {
    ck_assert_str_eq(search.candidates[k].path, in(expected[k]));
    ck_assert_uint_eq(search.candidates[k].place, places[k]);
    ck_assert_ptr_null(search.candidates[k].refused);
  }
  ck_assert_str_eq(fate_of(&search, in("cwd/here.so")), "not found");
  assert_says(search.searched, path_of("%s:%s:%s:%s/redhost/plugins-1", in("option"), in("second"),
                                       in("env"), in("data")));
  rh_discovery_finish(&search);
}
END_TEST

START_TEST(the_home_directory_is_searched) {
  rh_discovery search;
  make_dir("home"), make_dir("home/.local"), make_dir("home/.local/share");
  make_dir("home/.local/share/redhost"), make_dir("home/.local/share/redhost/plugins-1");
  const char *path = copy_as("fine", "home/.local/share/redhost/plugins-1/a.so");
  setenv("HOME", in("home"), 1);
  search_for(&search, NULL);
  ck_assert_str_eq(fate_of(&search, path), "at 0");
  rh_discovery_finish(&search);
}
END_TEST

START_TEST(relative_elements_are_ignored) {
  rh_discovery search;
  copy("fine");
  ck_assert(chdir(dir) == 0);
  setenv("REDHOST_PLUGIN_PATH", ":x", 1);
  rh_options options = options_for(path_of(".:%s/gone::%s/fine.so:", dir, dir));
  search_for(&search, &options);
  ck_assert_str_eq(fate_of(&search, in("fine.so")), "not found");
  ck_assert(has_note(&search, "the plugin path: '.' is relative and ignored"));
  ck_assert(has_note(&search, "the plugin path: an empty element is ignored"));
  ck_assert(has_note(&search, path_of("the plugin path: %s/gone does not exist", dir)));
  ck_assert(has_note(&search, path_of("the plugin path: %s/fine.so is no directory", dir)));
  ck_assert(has_note(&search, "REDHOST_PLUGIN_PATH: 'x' is relative and ignored"));
  ck_assert(has_note(&search, "REDHOST_PLUGIN_PATH: an empty element is ignored"));
  ck_assert_uint_eq(search.n_notes, 7); /* and the empty one at the end; none of the defaults */
  rh_discovery_finish(&search);
}
END_TEST

START_TEST(odd_entries_are_refused) {
  rh_discovery search;
  copy("fine"), copy_as("fine", "fine.so.1"), copy_as("fine", ".hidden.so"), make_dir("d.so");
  ck_assert(mkfifo(in("fifo.so"), 0644) == 0);
  ck_assert(symlink("nowhere", in("dangling.so")) == 0);
  ck_assert(symlink("fine.so.1", in("link.so")) == 0);
  ck_assert(link(in("fine.so"), in("hard.so")) == 0);
  rh_options options = options_for(path_of("%s:%s", dir, dir));
  search_for(&search, &options);
  ck_assert_str_eq(fate_of(&search, in("fine.so")), "at 0");
  ck_assert_str_eq(fate_of(&search, in("hard.so")), "not found"); /* had its turn as fine.so */
  ck_assert_str_eq(fate_of(&search, in("link.so")), "at 0");
  ck_assert_str_eq(fate_of(&search, in("d.so")), "refused: is a directory");
  ck_assert_str_eq(fate_of(&search, in("fifo.so")), "refused: is not a regular file");
  ck_assert_str_eq(fate_of(&search, in("dangling.so")), "refused: is a link to nothing");
  ck_assert_str_eq(fate_of(&search, in("fine.so.1")), "not found");
  ck_assert_str_eq(fate_of(&search, in(".hidden.so")), "not found");
  rh_discovery_finish(&search);
}
END_TEST

START_TEST(what_others_can_write_is_refused) {
  rh_discovery search;
  make_dir("open"), make_dir("sticky"), make_dir("closed");
  copy_as("fine", "open/a.so"), copy_as("fine", "sticky/a.so"), copy_as("fine", "closed/a.so");
  copy_as("fine", "closed/b.so");
  ck_assert(chmod(in("open"), 0777) == 0 && chmod(in("sticky"), 01777) == 0);
  ck_assert(chmod(in("closed/b.so"), 0666) == 0);
  rh_options options = options_for(path_of("%s:%s:%s", in("open"), in("sticky"), in("closed")));
  search_for(&search, &options);
  assert_says(fate_of(&search, in("open")), "/open may be written to by everybody (mode 0777)");
  assert_says(fate_of(&search, in("sticky")), "/sticky may be written to by everybody (mode 1777)");
  ck_assert_str_eq(fate_of(&search, in("open/a.so")), "not found");
  ck_assert_str_eq(fate_of(&search, in("closed/a.so")), "at 2");
  assert_says(fate_of(&search, in("closed/b.so")),
              "/closed/b.so may be written to by everybody (mo");
  rh_discovery_finish(&search);
  /* The file that is asked for by name may stand anywhere. */
  options.plugin_file = in("open/a.so");
  search_for(&search, &options);
  ck_assert_str_eq(fate_of(&search, in("open/a.so")), "at 0");
  rh_discovery_finish(&search);
  options.plugin_file = in("closed/b.so");
  search_for(&search, &options);
  assert_says(fate_of(&search, in("closed/b.so")), "refused: is not trusted: ");
  rh_discovery_finish(&search);
}
END_TEST

/* The rule itself is the table of test_trust.c. */
START_TEST(the_way_to_a_plugin_counts) {
  rh_discovery search;
  make_dir("open"), make_dir("open/in"), make_dir("good");
  copy_as("fine", "open/in/a.so"), copy_as("fine", "good/a.so");
  ck_assert(chmod(in("open"), 0777) == 0);
  ck_assert(symlink("open/in", in("to-open")) == 0 && symlink("../good", in("open/to-good")) == 0);
  ck_assert(symlink("../open/in/a.so", in("good/b.so")) == 0);
  rh_options options =
      options_for(path_of("%s:%s:%s", in("open/in"), in("to-open"), in("open/to-good")));
  search_for(&search, &options);
  assert_says(fate_of(&search, in("open/in")), "/open may be written to by everybody");
  assert_says(fate_of(&search, in("to-open")), "/open may be written to by everybody");
  assert_says(fate_of(&search, in("open/to-good")), "/open may be written to by everybody");
  rh_discovery_finish(&search);
  /* A bad name does not spoil a good one of the same directory or file. */
  options.plugin_path = path_of("%s:%s", in("open/to-good"), in("good"));
  search_for(&search, &options);
  ck_assert_str_eq(fate_of(&search, in("good/a.so")), "at 1");
  assert_says(fate_of(&search, in("good/b.so")), "/open may be written to by everybody");
  rh_discovery_finish(&search);
}
END_TEST

START_TEST(strangers_are_refused) {
  rh_discovery search;
  if (geteuid() != 0) return; /* only root can make a stranger */
  make_dir("theirs"), make_dir("ours");
  copy_as("fine", "theirs/a.so"), copy_as("fine", "ours/a.so");
  ck_assert(chown(in("theirs"), 12345, 0) == 0 && chown(in("ours/a.so"), 12345, 0) == 0);
  rh_options options = options_for(path_of("%s:%s", in("theirs"), in("ours")));
  search_for(&search, &options);
  assert_says(fate_of(&search, in("theirs")), "/theirs belongs to another user (uid 12345)");
  assert_says(fate_of(&search, in("ours/a.so")), "/ours/a.so belongs to another user (uid 12345)");
  rh_discovery_finish(&search);
}
END_TEST

START_TEST(the_file_asked_for_must_be_there) {
  rh_discovery search;
  rh_error error;
  rh_options options = options_for(NULL);
  options.plugin_file = in("gone.so");
  ck_assert_int_eq(rh_discover(&search, &options, &error), RH_E_FILE);
  assert_says(error.message, "gone.so: No such file or directory");
  options.plugin_file = dir;
  ck_assert_int_eq(rh_discover(&search, &options, &error), RH_E_FILE);
  assert_says(error.message, "is a directory; to search one, name it in the plugin path");
  ck_assert(mkfifo(in("fifo.so"), 0644) == 0);
  options.plugin_file = in("fifo.so");
  ck_assert_int_eq(rh_discover(&search, &options, &error), RH_E_FILE);
  assert_says(error.message, "is not a regular file");
}
END_TEST

START_TEST(privileges_shut_the_environment_out) {
  int ends[2], status;
  char said[4096] = "";
  if (geteuid() != 0) return; /* only root can borrow rights */
  copy("fine");
  ck_assert(pipe(ends) == 0);
  pid_t child = fork();
  if (child == 0) {
    setenv("REDHOST_PLUGIN_PATH", dir, 1);
    dup2(ends[1], 1);
    if (setresuid(12345, 0, 0) == 0) execl(self, self, "--search", (char *)NULL);
    _exit(99);
  }
  close(ends[1]);
  for (size_t n = 0; n + 1 < sizeof said;) {
    ssize_t got = read(ends[0], said + n, sizeof said - 1 - n);
    if (got <= 0) break;
    n += (size_t)got;
  }
  close(ends[0]);
  ck_assert(waitpid(child, &status, 0) == child && status == 0);
  assert_says(said, "REDHOST_PLUGIN_PATH: ignored, the program runs with raised privileges\n");
  assert_says(said, "the user's plugin directory: ignored");
  ck_assert_ptr_null(strstr(said, "fine.so"));
}
END_TEST

/* ---- The registry ---------------------------------------------------------------------------- */

static const char *refusal_of(const rh_registry *registry, const char *path) {
  for (uint32_t k = 0; k < registry->n_refusals; k++)
    if (strcmp(registry->refusals[k].path, path) == 0) return registry->refusals[k].reason;
  return "not refused";
}

static void scan(rh_registry *registry, const rh_options *options) {
  rh_error error;
  rh_status status = rh_registry_scan(registry, options, NULL, 1000, &error);
  ck_assert_msg(status == RH_OK, "%s", error.message);
}

static int open_descriptors(void) {
  int n = 0;
  for (int fd = 0; fd < 1024; fd++) n += fcntl(fd, F_GETFD) >= 0;
  return n;
}

/* No child, dead or alive, and no descriptor is left. */
static void assert_nothing_left(int descriptors) {
  ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
  ck_assert_int_eq(errno, ECHILD);
  ck_assert_int_eq(open_descriptors(), descriptors);
}

static const struct {
  const char *plugin, *reason;
} taken_down[] = {
    {"abort_on_load", "crashed on load (signal 6)"},
    {"crash_on_load", "crashed on load (signal 11)"},
    {"exit_on_load", "ended the process with exit status 0 while loading"},
    {"crash_in_query", "crashed in query of 'crash_in_query' (signal 11)"},
    {"exit_in_query", "ended the process with exit status 0 in query of 'exit_in_query'"},
    {"wrong_cpu", "crashed in query of 'wrong_cpu' (signal 4, illegal instruction: built for "
                  "another CPU?)"},
    {"orphan", "crashed on load (signal 11)"},
    {"scribbler", "disturbed the answer while loading"},
    {"flood", "sent more than 16 MiB while loading"},
};

enum { N_TAKEN_DOWN = sizeof taken_down / sizeof *taken_down };

/* All that is bad but does not hang, and what is fine, in one directory. */
START_TEST(the_bad_do_not_harm_the_good) {
  static const char *const good[] = {"fine",
                                     "chatty",
                                     "newer_minor",
                                     "hang_on_exit",
                                     "unterminated_reason",
                                     "bad_query_status",
                                     "rounds_in_query"};
  rh_registry registry;
  int descriptors = open_descriptors();
  for (int k = 0; k < N_TAKEN_DOWN; k++) copy(taken_down[k].plugin);
  for (int k = 0; k < N_REFUSED_WHEN_OPENED; k++)
    if (strcmp(refused_when_opened[k].plugin, "symbol_in_dependency") != 0)
      copy(refused_when_opened[k].plugin);
  for (int k = 0; k < 7; k++) copy(good[k]);
  write_file(in("empty.so"), "", 0);
  rh_options options = options_for(dir);
  scan(&registry, &options);
  for (int k = 0; k < N_TAKEN_DOWN; k++)
    ck_assert_str_eq(refusal_of(&registry, path_of("%s/%s.so", dir, taken_down[k].plugin)),
                     taken_down[k].reason);
  for (int k = 0; k < N_REFUSED_WHEN_OPENED; k++) {
    if (strcmp(refused_when_opened[k].plugin, "symbol_in_dependency") == 0) continue;
    const char *path = path_of("%s/%s.so", dir, refused_when_opened[k].plugin);
    assert_says(refusal_of(&registry, path), refused_when_opened[k].says);
  }
  ck_assert_str_eq(refusal_of(&registry, in("empty.so")), "is empty");
  for (int k = 0; k < 7; k++) {
    const rh_entry *entry = rh_registry_find(&registry, good[k]);
    ck_assert_msg(entry != NULL, "%s is not found", good[k]);
    ck_assert_str_eq(entry->path, in(path_of("%s.so", good[k])));
  }
  rh_registry_finish(&registry);
  assert_nothing_left(descriptors);
}
END_TEST

START_TEST(entries_say_everything) {
  rh_registry registry;
  copy("newer_minor"), copy("unterminated_reason"), copy("bad_query_status");
  rh_options options = options_for(dir);
  scan(&registry, &options);
  const rh_entry *entry = rh_registry_find(&registry, "newer_minor");
  ck_assert_msg(entry != NULL, "%s", refusal_of(&registry, in("newer_minor.so")));
  ck_assert_str_eq(entry->summary, "of the zoo");
  ck_assert_str_eq(entry->version, "1.0");
  ck_assert_str_eq(entry->author, "redhost");
  ck_assert_str_eq(entry->license, "MIT");
  ck_assert_str_eq(entry->build, "zoo");
  ck_assert_uint_eq(entry->device_kinds, RH_DEVICE_HOST);
  ck_assert_uint_eq(entry->n_params, 2);
  ck_assert_str_eq(entry->params[0].key, "tile");
  ck_assert_ptr_null(entry->params[0].choices);
  ck_assert_int_eq(entry->params[0].initial, 256);
  ck_assert_uint_eq(entry->params[0].flags, RH_PARAM_POWER_OF_TWO);
  ck_assert_str_eq(entry->params[1].choices, "host|device");
  const rh_offer *offer = &entry->offers[RH_OP_sum][RH_TYPE_u64];
  ck_assert_int_eq(offer->status, RH_OK);
  ck_assert_int_eq(offer->answer.score, 1);
  ck_assert_uint_eq(offer->answer.finishes_on_host, 1);
  ck_assert_uint_eq(offer->answer.depth, 1000);
  offer = &entry->offers[RH_OP_xor][RH_TYPE_f32];
  ck_assert_int_eq(offer->status, RH_DECLINED);
  ck_assert_str_eq(offer->answer.reason, "xor is not defined on f32");
  offer = &rh_registry_find(&registry, "unterminated_reason")->offers[RH_OP_min][RH_TYPE_i8];
  ck_assert_int_eq(offer->status, RH_DECLINED);
  ck_assert_uint_eq(offer->answer.why, RH_WHY_SIZE);
  ck_assert_uint_eq(strlen(offer->answer.reason), 159);
  offer = &rh_registry_find(&registry, "bad_query_status")->offers[RH_OP_min][RH_TYPE_i8];
  ck_assert_int_eq(offer->status, RH_E_PLUGIN);
  assert_says(offer->answer.reason, "query answered 77");
  rh_registry_finish(&registry);
}
END_TEST

START_TEST(hangs_are_cut_short) {
  rh_survey survey;
  rh_error error;
  int descriptors = open_descriptors();
  copy("fine"), copy("hang_in_query"), copy("hang_on_load"), copy("twin");
  rh_options options = options_for(dir);
  ck_assert_int_eq(rh_survey_open(&survey, &options, NULL, 0, &error), RH_OK);
  survey.limit_s = 2; /* the innocent need some, too, on a busy machine */
  double begin = rh_now();
  ck_assert_int_eq(rh_survey_look(&survey, 0, 4, &error), RH_OK);
  double took = rh_now() - begin;
  ck_assert_ptr_null(rh_survey_refusal(&survey, 0));
  ck_assert_str_eq(rh_survey_refusal(&survey, 1),
                   "did not answer within 2 s in query of 'hang_in_query'");
  ck_assert_str_eq(rh_survey_refusal(&survey, 2), "did not answer within 2 s while loading");
  ck_assert_ptr_null(rh_survey_refusal(&survey, 3));
  ck_assert_uint_eq(survey.findings[3].n_entries, 1);
  ck_assert_msg(took > 4 && took < 60, "%g s", took);
  rh_survey_finish(&survey);
  assert_nothing_left(descriptors);
}
END_TEST

START_TEST(names_are_shadowed) {
  rh_registry registry;
  make_dir("early"), make_dir("late");
  copy_as("twin", "early/twin.so"), copy_as("another_twin", "early/another_twin.so");
  copy_as("twin", "late/twin.so"), copy_as("fine", "late/renamed.so");
  rh_options options = options_for(path_of("%s:%s", in("early"), in("late")));
  scan(&registry, &options);
  const rh_entry *first = rh_registry_find(&registry, "twin");
  ck_assert_str_eq(first->path, in("early/twin.so"));
  ck_assert_str_eq(first[1].path, in("early/another_twin.so"));
  ck_assert_str_eq(first[1].shadowed_by, in("early/twin.so"));
  ck_assert_str_eq(first[2].path, in("late/twin.so"));
  ck_assert_str_eq(first[2].shadowed_by, in("early/twin.so"));
  ck_assert_str_eq(rh_registry_find(&registry, "fine")->path, in("late/renamed.so"));
  ck_assert_ptr_null(rh_registry_find(&registry, "renamed"));
  rh_registry_finish(&registry);
  /* Place goes before the file's name. */
  ck_assert(unlink(in("early/twin.so")) == 0);
  scan(&registry, &options);
  first = rh_registry_find(&registry, "twin");
  ck_assert_str_eq(first->path, in("early/another_twin.so"));
  ck_assert_str_eq(first[1].shadowed_by, in("early/another_twin.so"));
  rh_registry_finish(&registry);
}
END_TEST

START_TEST(a_replaced_file_is_seen_anew) {
  rh_registry registry;
  const char *path = copy_as("fine", "x.so");
  rh_options options = options_for(dir);
  scan(&registry, &options);
  ck_assert_ptr_nonnull(rh_registry_find(&registry, "fine"));
  rh_registry_finish(&registry);
  struct stat st;
  ck_assert(stat(path, &st) == 0);
  copy_as("twin", "x.so");
  ck_assert(utimensat(AT_FDCWD, path, (struct timespec[]){st.st_atim, st.st_mtim}, 0) == 0);
  scan(&registry, &options);
  ck_assert_ptr_null(rh_registry_find(&registry, "fine"));
  ck_assert_ptr_nonnull(rh_registry_find(&registry, "twin"));
  rh_registry_finish(&registry);
}
END_TEST

START_TEST(paths_may_be_any_bytes) {
  rh_registry registry;
  copy_as("fine", "a\xff b\n.so"), copy_as("no_symbol", "\xfe.so");
  rh_options options = options_for(dir);
  scan(&registry, &options);
  ck_assert_str_eq(rh_registry_find(&registry, "fine")->path, in("a\xff b\n.so"));
  assert_says(refusal_of(&registry, in("\xfe.so")), "does not export");
  rh_registry_finish(&registry);
}
END_TEST

START_TEST(the_innocent_are_not_blamed) {
  rh_registry registry;
  copy_as("time_bomb", "a.so"), copy_as("slow_to_load", "b.so");
  rh_options options = options_for(dir);
  scan(&registry, &options);
  ck_assert_ptr_nonnull(rh_registry_find(&registry, "time_bomb"));
  ck_assert_ptr_nonnull(rh_registry_find(&registry, "slow_to_load"));
  rh_registry_finish(&registry);
}
END_TEST

START_TEST(what_plugins_start_is_killed) {
  rh_registry registry;
  copy("orphan");
  rh_options options = options_for(dir);
  ck_assert(prctl(PR_SET_CHILD_SUBREAPER, 1) == 0); /* orphans become this process's children */
  double begin = rh_now();
  scan(&registry, &options);
  ck_assert_msg(rh_now() - begin < 3, "the open channel is waited for");
  rh_registry_finish(&registry);
  ck_assert(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD); /* nothing is left of it */
}
END_TEST

/* As in programs that do not care about their children. */
START_TEST(sigchld_may_be_ignored) {
  rh_registry registry;
  copy("crash_on_load"), copy("fine");
  signal(SIGCHLD, SIG_IGN);
  rh_options options = options_for(dir);
  scan(&registry, &options);
  ck_assert_str_eq(refusal_of(&registry, in("crash_on_load.so")),
                   "ended the process while loading");
  ck_assert_ptr_nonnull(rh_registry_find(&registry, "fine"));
  rh_registry_finish(&registry);
}
END_TEST

/* Nothing is started where there is nothing to look at. */
START_TEST(no_plugins_need_no_program) {
  rh_registry registry;
  copy("fine");
  ck_assert(chmod(in("fine.so"), 0666) == 0);
  rh_options options = options_for(dir);
  options.program = "/nowhere/redhost";
  scan(&registry, &options);
  assert_says(refusal_of(&registry, in("fine.so")), "may be written to by everybody");
  rh_registry_finish(&registry);
}
END_TEST

/* ---- Loading one ----------------------------------------------------------------------------- */

static rh_error load_error;

static rh_status load(const char *places, const char *name, const rh_strategy **strategy,
                      char **path) {
  rh_options options = options_for(places);
  return rh_registry_load(&options, name, strategy, path, &load_error);
}

static void assert_loads(const char *places, const char *name, const char *from) {
  const rh_strategy *strategy;
  char *path;
  rh_status status = load(places, name, &strategy, &path);
  ck_assert_msg(status == RH_OK, "%s", load_error.message);
  ck_assert_str_eq(strategy->name, name);
  ck_assert_str_eq(path, from);
  free(path);
}

static void assert_fails(const char *places, const char *name, rh_status expected,
                         const char *says) {
  const rh_strategy *strategy = NULL;
  char *path = NULL;
  ck_assert_int_eq(load(places, name, &strategy, &path), expected);
  assert_says(load_error.message, says);
  ck_assert_ptr_null(strategy);
  ck_assert_ptr_null(path);
}

START_TEST(one_strategy_is_loaded_and_runs) {
  const rh_strategy *strategy;
  char *path;
  int descriptors = open_descriptors();
  /* crash_on_load stands beside it and would be noticed: it is not even looked at. */
  copy("fine"), copy("crash_on_load");
  ck_assert_int_eq(load(dir, "fine", &strategy, &path), RH_OK);
  free(path);
  uint64_t input[] = {1, 2, 3, 4}, result = 99;
  void *instance = NULL;
  rh_problem problem = {sizeof problem, RH_TYPE_u64, find_op(RH_OP_sum, RH_TYPE_u64), &gpu, 4};
  rh_run run = {
      .struct_size = sizeof run, .first = 1, .n = 3, .host_input = input, .host_result = &result};
  ck_assert_int_eq(strategy->setup(NULL, &problem, NULL, &instance), RH_OK);
  ck_assert_int_eq(strategy->run(instance, &run), RH_OK);
  ck_assert_uint_eq(result, 9);
  assert_nothing_left(descriptors);
}
END_TEST

START_TEST(only_files_that_matter_are_looked_at) {
  const rh_strategy *strategy;
  char *path;
  copy("fine"), copy("hang_on_load"); /* looking at it would cost 5 s */
  double begin = rh_now();
  ck_assert_int_eq(load(dir, "fine", &strategy, &path), RH_OK);
  ck_assert(rh_now() - begin < 2);
  free(path);
}
END_TEST

START_TEST(loading_keeps_the_order_of_places) {
  make_dir("early"), make_dir("late");
  const char *places = path_of("%s:%s", in("early"), in("late"));
  copy_as("twin", "late/twin.so");
  assert_loads(places, "twin", in("late/twin.so"));
  copy_as("fine", "early/twin.so"); /* bears the name, offers another */
  assert_loads(places, "twin", in("late/twin.so"));
  copy_as("another_twin", "early/zz.so");
  assert_loads(places, "twin", in("early/zz.so"));
  copy_as("another_twin", "early/aa.so");
  assert_loads(places, "twin", in("early/aa.so"));
  copy_as("twin", "early/twin.so");
  assert_loads(places, "twin", in("early/twin.so"));
}
END_TEST

START_TEST(the_file_asked_for_goes_first) {
  const rh_strategy *strategy;
  char *path;
  make_dir("place");
  copy_as("twin", "place/twin.so"), copy_as("another_twin", "mine.so");
  rh_options options = options_for(in("place"));
  options.plugin_file = in("mine.so");
  ck_assert_int_eq(rh_registry_load(&options, "twin", &strategy, &path, &load_error), RH_OK);
  ck_assert_str_eq(path, in("mine.so"));
  free(path);
  copy_as("crash_on_load", "mine.so");
  ck_assert_int_eq(rh_registry_load(&options, "twin", &strategy, &path, &load_error), RH_OK);
  ck_assert_str_eq(path, in("place/twin.so"));
  free(path);
  ck_assert_int_eq(rh_registry_load(&options, "x", &strategy, &path, &load_error), RH_E_PLUGIN);
  ck_assert_str_eq(load_error.message,
                   path_of("strategy 'x': %s: crashed on load (signal 11)", in("mine.so")));
}
END_TEST

START_TEST(what_cannot_be_loaded_is_explained) {
  copy("crash_on_load"), copy("wrong_abi"), copy_as("fine", "open.so");
  ck_assert(chmod(in("open.so"), 0666) == 0);
  assert_fails(
      dir, "crash_on_load", RH_E_PLUGIN,
      path_of("strategy 'crash_on_load': %s: crashed on load (signal 11)", in("crash_on_load.so")));
  assert_fails(dir, "wrong_abi", RH_E_PLUGIN, "wrong_abi.so: ABI 3, this redhost speaks 1");
  assert_fails(dir, "open", RH_E_PLUGIN, "open.so may be written to by everybody (mode 0666)");
  /* Another file may offer it all the same. */
  copy_as("crash_on_load", "fine.so"), copy_as("fine", "other.so");
  assert_loads(dir, "fine", in("other.so"));
}
END_TEST

START_TEST(unknown_names_get_a_suggestion) {
  copy("fine"), copy("twin"), copy("crash_on_load");
  assert_fails(dir, "fien", RH_E_USAGE, "unknown strategy 'fien'; did you mean 'fine'?");
  assert_fails(dir, "quite-different", RH_E_USAGE, "unknown strategy 'quite-different'");
  assert_fails(dir, "../fine", RH_E_USAGE, "unknown strategy '../fine'");
  make_dir("nothing");
  const rh_strategy *strategy;
  char *path;
  ck_assert_int_eq(load(in("nothing"), "fine", &strategy, &path), RH_E_USAGE);
  assert_says(load_error.message, "unknown strategy 'fine'");
}
END_TEST

/* ---- The child's manners --------------------------------------------------------------------- */

static const struct {
  const char *part, *says;
} parts[] = {
    {"silent",
     "does not speak the probe protocol: it ended the process with exit status 0 at its start"},
    {"mute", "it says nothing"},
    {"other", "it says something else"},
    {"newer", "it says something else"},
    {"wrong order", "it says something else"},
    {"early end", "it says something else"},
    {"flood", "it says something else"},
};

enum { N_PARTS = sizeof parts / sizeof *parts };

static rh_status survey_with(const char *part, rh_survey *survey, rh_error *error) {
  rh_options options = options_for(dir);
  copy("fine");
  if (part) setenv("REDHOST_TEST_CHILD", part, 1);
  ck_assert_int_eq(rh_survey_open(survey, &options, &gpu, 0, error), RH_OK);
  survey->limit_s =
      part && strcmp(part, "mute") == 0 ? 0.5 : 20; /* a busy machine is no mute one */
  survey->limit_bytes = 1 << 20;
  return rh_survey_look(survey, 0, survey->search.n, error);
}

START_TEST(programs_that_are_no_redhost_are_named) {
  rh_survey survey;
  rh_error error;
  int descriptors = open_descriptors();
  ck_assert_int_eq(survey_with(parts[_i].part, &survey, &error), RH_E_PLUGIN);
  assert_says(error.message, self);
  assert_says(error.message, parts[_i].says);
  rh_survey_finish(&survey);
  assert_nothing_left(descriptors);
}
END_TEST

START_TEST(a_missing_program_is_named) {
  const rh_strategy *strategy;
  rh_registry registry;
  rh_error error;
  char *path;
  copy("fine");
  rh_options options = options_for(dir);
  options.program = "/nowhere/redhost";
  ck_assert_int_eq(rh_registry_scan(&registry, &options, NULL, 0, &error), RH_E_PLUGIN);
  assert_says(error.message, "/nowhere/redhost: cannot be started: No such");
  ck_assert_int_eq(rh_registry_load(&options, "x", &strategy, &path, &error), RH_E_PLUGIN);
  options.program = NULL; /* this one is not called redhost; a build may have one beside it */
  if (rh_registry_scan(&registry, &options, NULL, 0, &error) == RH_OK) {
    rh_registry_finish(&registry);
    return;
  }
  assert_says(error.message, "no redhost program to examine plugins with: none at ");
}
END_TEST

START_TEST(half_an_answer_is_none) {
  static const char *const of[] = {"half", "nonsense", "no strategies"};
  static const char *const says[] = {"ended the process with exit status 0 while loading",
                                     "disturbed the answer while loading",
                                     "disturbed the answer while loading"};
  rh_survey survey;
  rh_error error;
  ck_assert_int_eq(survey_with(of[_i], &survey, &error), RH_OK);
  ck_assert_str_eq(rh_survey_refusal(&survey, 0), says[_i]);
  ck_assert_uint_eq(survey.findings[0].n_entries, 0);
  rh_survey_finish(&survey);
}
END_TEST

START_TEST(a_child_lost_between_files_is_noted) {
  rh_survey survey;
  rh_error error;
  ck_assert_int_eq(survey_with("later", &survey, &error), RH_OK);
  ck_assert_str_eq(rh_survey_refusal(&survey, 0), "so");
  ck_assert_uint_eq(survey.search.n_notes, 1);
  assert_says(survey.search.notes[0],
              "was lost behind it: it ended the process with exit status 0");
  rh_survey_finish(&survey);
}
END_TEST

START_TEST(the_device_arrives_whole) {
  rh_device device = {.struct_size = sizeof device,
                      .kind = RH_DEVICE_GPU,
                      .cl_version = 300,
                      .vendor_id = UINT32_MAX,
                      .compute_units = 132,
                      .max_group = 1024,
                      .subgroup_min = 16,
                      .subgroup_max = 32,
                      .local_bytes = 49152,
                      .global_bytes = UINT64_MAX,
                      .max_alloc_bytes = 1ull << 63,
                      .features = 1ull << 63 | RH_FP64,
                      .name = "Ger\xc3\xa4t",
                      .driver = "\xff",
                      .extensions = NULL};
  rh_text text = {0};
  rh_child_request request;
  rh_device got;
  uint64_t max_n;
  rh_wire_request(&text, &device, UINT64_MAX);
  rh_request_add(&text, "file", "/a");
  rh_request_add(&text, "file", "/\xff\n=");
  ck_assert_int_eq(rh_request_end(&text, NULL), RH_OK);
  for (size_t n = 1; n < text.length; n++) {
    char *part = malloc(n);
    ck_assert_ptr_nonnull(part);
    memcpy(part, text.s, n);
    ck_assert_int_eq(rh_request_parse(&request, part, n), -1);
  }
  char *whole = malloc(text.length);
  ck_assert_ptr_nonnull(whole);
  memcpy(whole, text.s, text.length);
  ck_assert_int_eq(rh_request_parse(&request, whole, text.length), 0);
  ck_assert_int_eq(rh_wire_read_request(&request, &got, &max_n), 0);
  ck_assert_uint_eq(max_n, UINT64_MAX);
  ck_assert_int_eq(request.parent, getpid());
  const char *file = rh_request_next(&request, "file", NULL);
  ck_assert_str_eq(file, "/a");
  file = rh_request_next(&request, "file", file);
  ck_assert_str_eq(file, "/\xff\n=");
  ck_assert_ptr_null(rh_request_next(&request, "file", file));
  ck_assert_int_eq(memcmp(&got, &device, offsetof(rh_device, name)), 0);
  ck_assert_str_eq(got.name, device.name);
  ck_assert_str_eq(got.driver, "\xff");
  ck_assert_str_eq(got.extensions, "");
  rh_request_finish(&request);
  rh_text_finish(&text);
}
END_TEST

/* ---- Main ------------------------------------------------------------------------------------ */

static TCase *add_case(Suite *suite, const char *name) {
  TCase *one = tcase_create(name);
  tcase_add_checked_fixture(one, set_up, NULL);
  tcase_set_timeout(one, 120);
  suite_add_tcase(suite, one);
  return one;
}

static void add_opening_cases(Suite *suite) {
  TCase *elf = add_case(suite, "elf");
  tcase_add_test(elf, whole_objects_pass);
  tcase_add_test(elf, other_files_are_named);
  tcase_add_test(elf, every_cut_is_noticed);
  tcase_add_test(elf, other_machines_are_named);
  tcase_add_test(elf, other_kinds_are_named);
  tcase_add_test(elf, offsets_are_not_trusted);
  tcase_add_test(elf, segments_alone_show_a_cut);
  tcase_add_test(elf, no_header_crashes);
  TCase *opening = add_case(suite, "opening");
  tcase_add_loop_test(opening, bad_plugins_are_refused_with_words, 0, N_REFUSED_WHEN_OPENED);
  tcase_add_test(opening, a_newer_minor_opens);
  tcase_add_test(opening, opening_needs_an_absolute_path);
  tcase_add_test(opening, a_newer_c_library_is_named);
  TCase *judging = add_case(suite, "judging");
  tcase_add_test(judging, plugins_are_judged);
  tcase_add_test(judging, strategies_are_judged);
  tcase_add_test(judging, parameters_are_judged);
  TCase *asking = add_case(suite, "query");
  tcase_add_test(asking, the_host_declines_for_devices);
  tcase_add_test(asking, the_host_declines_for_parameters);
  tcase_add_test(asking, answers_are_judged);
  tcase_add_test(asking, reasons_are_made_fit);
  tcase_add_test(asking, query_must_leave_the_control_word);
}

static void add_search_cases(Suite *suite) {
  TCase *searching = add_case(suite, "search");
  tcase_add_test(searching, places_come_in_order);
  tcase_add_test(searching, the_home_directory_is_searched);
  tcase_add_test(searching, relative_elements_are_ignored);
  tcase_add_test(searching, odd_entries_are_refused);
  tcase_add_test(searching, what_others_can_write_is_refused);
  tcase_add_test(searching, the_way_to_a_plugin_counts);
  tcase_add_test(searching, strangers_are_refused);
  tcase_add_test(searching, the_file_asked_for_must_be_there);
  tcase_add_test(searching, privileges_shut_the_environment_out);
}

static void add_registry_cases(Suite *suite) {
  TCase *scanning = add_case(suite, "registry");
  tcase_add_test(scanning, the_bad_do_not_harm_the_good);
  tcase_add_test(scanning, entries_say_everything);
  tcase_add_test(scanning, hangs_are_cut_short);
  tcase_add_test(scanning, names_are_shadowed);
  tcase_add_test(scanning, a_replaced_file_is_seen_anew);
  tcase_add_test(scanning, paths_may_be_any_bytes);
  tcase_add_test(scanning, the_innocent_are_not_blamed);
  tcase_add_test(scanning, what_plugins_start_is_killed);
  tcase_add_test(scanning, sigchld_may_be_ignored);
  tcase_add_test(scanning, no_plugins_need_no_program);
  TCase *loading = add_case(suite, "loading");
  tcase_add_test(loading, one_strategy_is_loaded_and_runs);
  tcase_add_test(loading, only_files_that_matter_are_looked_at);
  tcase_add_test(loading, loading_keeps_the_order_of_places);
  tcase_add_test(loading, the_file_asked_for_goes_first);
  tcase_add_test(loading, what_cannot_be_loaded_is_explained);
  tcase_add_test(loading, unknown_names_get_a_suggestion);
  TCase *child = add_case(suite, "child");
  tcase_add_loop_test(child, programs_that_are_no_redhost_are_named, 0, N_PARTS);
  tcase_add_test(child, a_missing_program_is_named);
  tcase_add_loop_test(child, half_an_answer_is_none, 0, 3);
  tcase_add_test(child, a_child_lost_between_files_is_noted);
  tcase_add_test(child, the_device_arrives_whole);
}

/* What a search finds, for the test that starts this program with another user's rights. */
static int print_search(void) {
  rh_discovery search;
  if (rh_discover(&search, NULL, NULL) != RH_OK) return 1;
  for (uint32_t k = 0; k < search.n_notes; k++) puts(search.notes[k]);
  for (uint32_t k = 0; k < search.n; k++) puts(search.candidates[k].path);
  rh_discovery_finish(&search);
  return 0;
}

/* Not a test: how long it takes.  Directory of plugins, name of one of them. */
static int measure(const char *places, const char *name) {
  double best_scan = 1e9, best_load = 1e9;
  uint32_t n = 0;
  for (int k = 0; k < 20; k++) {
    rh_options options = options_for(places);
    rh_registry registry;
    const rh_strategy *strategy;
    char *path;
    double begin = rh_now();
    if (rh_registry_scan(&registry, &options, NULL, 1000, &load_error) != RH_OK) return 1;
    double between = rh_now();
    n = registry.n_entries;
    rh_registry_finish(&registry);
    double again = rh_now();
    if (rh_registry_load(&options, name, &strategy, &path, &load_error) != RH_OK) return 1;
    if (between - begin < best_scan) best_scan = between - begin;
    if (rh_now() - again < best_load) best_load = rh_now() - again;
    free(path);
  }
  printf("scan of %u: %.1f ms, load of one: %.1f ms\n", n, 1e3 * best_scan, 1e3 * best_load);
  return 0;
}

static int run_tests(void) {
  strcpy(base, "/tmp/redhost-test-plug-XXXXXX");
  if (!mkdtemp(base) || chmod(base, 0755) != 0) abort();
  setenv("HOME", base, 1);
  unsetenv("XDG_DATA_HOME");
  unsetenv("REDHOST_PLUGIN_PATH");
  Suite *suite = suite_create("plug");
  add_opening_cases(suite);
  add_search_cases(suite);
  add_registry_cases(suite);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  nftw(base, remove_one, 16, FTW_DEPTH | FTW_PHYS);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv) {
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length < 0) return 1;
  const char *part = getenv("REDHOST_TEST_CHILD"), *mode = argc > 1 ? argv[1] : "";
  if (strcmp(mode, "--probe") == 0) return part ? play(part) : rh_probe_main(find_op);
  if (strcmp(mode, "--search") == 0) return print_search();
  if (strcmp(mode, "--measure") == 0 && argc == 4) return measure(argv[2], argv[3]);
  return run_tests();
}
