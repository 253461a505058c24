/* Several rh_redhosts that look for devices at once, each in a thread of its own; and what a
 * rh_redhost starts and reads: a child process for what it has not examined yet, and nothing for
 * what it has.
 *
 * For that, a copy of this program is run in a folder of its own: with a program `redhost` beside
 * it that counts its starts, or without one. */
#include <sys/stat.h>

#include "../../host/library/library.h"
#include "library.h"

static rh_result result = {.struct_size = sizeof result}; /* of the latest call */

enum { THREADS = 8, ROUNDS = 10 };

static pthread_barrier_t all_are_there;

static void *look_for_devices(void *n_found) {
  const rh_cl_devices *devices;
  rh_redhost *own;
  ck_assert_int_eq(rh_open(&own, NULL, NULL), RH_OK);
  pthread_barrier_wait(&all_are_there);
  ck_assert_int_eq(rh_context_devices(own->context, &devices, NULL), RH_OK);
  *(uint32_t *)n_found = devices->n;
  rh_close(own);
  return NULL;
}

CASES(threads, .set_up = NULL)

/* Each round is a process of its own, in which no thread has asked a driver yet. */
TEST_LOOP(all_at_once, 0, ROUNDS) {
  pthread_t threads[THREADS];
  uint32_t found[THREADS];
  ck_assert_int_eq(pthread_barrier_init(&all_are_there, NULL, THREADS), 0);
  for (int k = 0; k < THREADS; k++)
    ck_assert_int_eq(pthread_create(&threads[k], NULL, look_for_devices, &found[k]), 0);
  for (int k = 0; k < THREADS; k++) pthread_join(threads[k], NULL);
  for (int k = 1; k < THREADS; k++) ck_assert_uint_eq(found[k], found[0]);
}

/* ---- A folder with a program, or without ---- */

static char folder[64];

static void shell(const char *format, const char *a, const char *b) {
  char command[8192];
  snprintf(command, sizeof command, format, folder, a, b);
  int status = system(command);
  ck_assert_msg(status == 0, "%d: %s", status, command);
}

static void make_place(int with_program) {
  char self[4096], path[128];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  ck_assert_int_gt(length, 0);
  self[length] = 0;
  snprintf(folder, sizeof folder, "/tmp/redhost-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
  shell("cd '%s' && mkdir bin lib && cp '%s' bin/test && ln -s '%s' lib/redhost-1", self,
        getenv("REDHOST_TEST_PLUGINS"));
  if (!with_program) return;
  snprintf(path, sizeof path, "%s/bin/redhost", folder);
  FILE *program = fopen(path, "w");
  ck_assert_ptr_nonnull(program);
  fprintf(program, "#!/bin/sh\necho start >>%s/starts\nexec %s \"$@\"\n", folder,
          getenv("REDHOST_TEST_PROGRAM"));
  fclose(program);
  ck_assert_int_eq(chmod(path, 0700), 0);
}

/* Runs a case of this file there. */
static void run_there(const char *name) {
  shell("cd '%s' && CK_RUN_CASE=%s PLACE=$PWD bin/test%s", name, "");
  shell("rm -r '%s'%s%s", "", "");
}

static long n_starts(void) {
  char path[4096], line[64];
  long n = 0;
  snprintf(path, sizeof path, "%s/starts", getenv("PLACE"));
  FILE *file = fopen(path, "r");
  while (file && fgets(line, sizeof line, file)) n++;
  if (file) fclose(file);
  return n;
}

static void open_there(uint32_t kept_setups) {
  rh_options options = SIZED(rh_options, .kept_setups = kept_setups);
  must(rh_open(&redhost, &options, &error));
}

/* ---- Children ---- */

static float y[20000];

static void reduce_one(const char *strategy, const char *op, uint64_t n) {
  const rh_input inputs[] = {{.type = RH_TYPE_f32, .data = y}, {.type = RH_TYPE_f32, .data = y}};
  rh_request request = SIZED(rh_request, .strategy = strategy, .op = op, .n = n, .inputs = inputs,
                             .n_inputs = strcmp(op, "dot") == 0 ? 2 : 1);
  must(rh_reduce(redhost, &request, spoilt(&result), &error));
}

static void reduce_all(void) {
  static const char *const ops[] = {"sum", "dot", "meanvar", "argmax"};
  static const char *const strategies[] = {NULL, "native", "two_stage"};
  for (uint64_t n = 10; n < 20000; n *= 40)
    for (int o = 0; o < 4; o++)
      for (int s = 0; s < 3; s++) reduce_one(strategies[s], ops[o], n);
}

static void prepare_all(void) {
  static const char *const strategies[] = {"auto", "native", "two_stage"};
  rh_request spec = SIZED(rh_request, .op = "meanvar", .type = RH_TYPE_f32);
  for (spec.n = 10; spec.n < 20000; spec.n *= 40)
    for (int s = 0; s < 3; s++) {
      spec.strategy = strategies[s];
      rh_prepared_destroy(prepare(redhost, &spec));
    }
}

CASES(examined, .set_up = NULL)

/* However few setups are kept. */
TEST(nothing_is_examined_twice) {
  if (!getenv("PLACE")) return;
  open_there(1);
  reduce_all();
  prepare_all();
  long before = n_starts();
  ck_assert_int_ge(before, 1);
  reduce_all();
  prepare_all();
  ck_assert_int_eq(n_starts(), before);
  rh_close(redhost);
}

CASES(read, .set_up = NULL)

/* Nor is an operator's file read again, though no setup of it is left. */
TEST(nothing_is_read_twice) {
  static const char text[] = "{\"redhost\": \"operator/1\", \"name\": \"twice\", "
                             "\"operands\": [\"x\"], \"op\": \"sum\", \"map\": \"2*x\"}";
  char directory[4096], path[4200];
  if (!getenv("PLACE")) return;
  snprintf(directory, sizeof directory, "%s/operators", getenv("PLACE"));
  snprintf(path, sizeof path, "%s/twice.op.json", directory);
  ck_assert_int_eq(mkdir(directory, 0700), 0);
  FILE *file = fopen(path, "w");
  ck_assert_ptr_nonnull(file);
  fputs(text, file);
  fclose(file);
  rh_options options = SIZED(rh_options, .kept_setups = 1, .plugin_path = directory);
  must(rh_open(&redhost, &options, &error));
  reduce_one("native", "twice", 7);
  ck_assert_int_eq(unlink(path), 0);
  reduce_one("native", "sum", 7);
  reduce_one("native", "twice", 7);
  reduce_one("native", "twice", 3000);
  rh_close(redhost);
}

CASES(alone, .set_up = NULL)

/* What came with redhost is used all the same; a third party's plugin is not. */
TEST(there_is_no_program) {
  char file[4096];
  rh_prepared *prepared;
  rh_request spec = request_for("drops_last", "sum", RH_TYPE_f32, NULL, 10);
  if (!getenv("PLACE")) return;
  open_there(0);
  reduce_all();
  prepare_all();
  rh_close(redhost);
  snprintf(file, sizeof file, "%s/results/drops_last.so", getenv("REDHOST_TEST_ZOO"));
  rh_options options = SIZED(rh_options, .plugin_file = file);
  must(rh_open(&redhost, &options, &error));
  must_fail(rh_prepare(redhost, &spec, &prepared, &error), RH_E_PLUGIN, "rh_options.program");
  reduce_one("native", "sum", 100);
  reduce_one(NULL, "sum", 100);
  rh_close(redhost);
}

CASES(processes, .set_up = NULL)

TEST_LOOP(children, 0, 3) {
  static const char *const names[] = {"examined", "read", "alone"};
  make_place(_i < 2);
  run_there(names[_i]);
}
