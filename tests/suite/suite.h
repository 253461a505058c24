/* Tests that register themselves.  Check runs each in a process of its own.
 *
 * TEST(name) { } is a test.  TEST_LOOP(name, first, end) { } is one for each _i from first to
 * end - 1, whose bounds are computed when the tests start.  TEST_EXIT(name, status) { } has to exit
 * with that status.  CASES(name, .set_up = f, .tear_down = f, .timeout = seconds) opens a case,
 * whose fixtures the tests below it have; CK_RUN_CASE chooses cases by name.  ONCE(begin, end) has
 * functions called before all tests and after them, in the process that starts the tests.
 * A program without main() gets one that calls run_tests().
 * must(call) has to succeed, must_fail(call, status, words) to fail with these words, and
 * must_refuse(call, words) so with RH_E_USAGE; assert_says(text, words) is of other texts.
 * FINISHED(rh_array) x; is finished where its block ends.  OWNED(rh_prepared) x; is a pointer to
 * one, which is destroyed there; OWNS(rh_prepared, rh_prepared_destroy) says how. */
#pragma once

#include <check.h>
#include <math.h>
#include <redhost/redhost.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#undef fail /* a member of rh_host, too */

static rh_error error __attribute__((unused)); /* of the latest call that was judged */

/* Check sends a message for each assertion, also for one that holds: thousands take longer than
 * what they are about. */
#define must(call)                                                                                 \
  do {                                                                                             \
    if ((call) != RH_OK) ck_abort_msg("%s", error.message);                                        \
  } while (0)

#define assert_says(text, words)                                                                   \
  do {                                                                                             \
    const char *text_judged = (text);                                                              \
    if (!strstr(text_judged, words)) ck_abort_msg("'%s' is not in: %s", words, text_judged);       \
  } while (0)

#define must_fail(call, with, words)                                                               \
  do {                                                                                             \
    rh_status status_of_call = (call);                                                             \
    if (status_of_call != (with))                                                                  \
      ck_abort_msg("%d instead of %d: %s", status_of_call, (with),                                 \
                   status_of_call == RH_OK ? "" : error.message);                                  \
    if (error.status != status_of_call) ck_abort_msg("error.status is %d", error.status);          \
    assert_says(error.message, words);                                                             \
  } while (0)

#define must_refuse(call, words) must_fail(call, RH_E_USAGE, words)

#define FINISHED(type) __attribute__((cleanup(type##_finish))) type
#define OWNED(type)    __attribute__((cleanup(type##_at_end))) type *
#define OWNS(type, destroy)                                                                        \
  __attribute__((unused)) static void type##_at_end(type **pointer) { destroy(*pointer); }

/* A struct that begins with its size. */
#define SIZED(type, ...) ((type){.struct_size = sizeof(type), __VA_ARGS__})

OWNS(rh_prepared, rh_prepared_destroy)

typedef struct suite_entry {
  struct suite_entry *next;
  int place;            /* in the program's text */
  void (*add)(TCase *); /* a test's */
  const char *name;     /* of a case */
  void (*set_up)(void); /* of a case, in each test's process */
  void (*tear_down)(void);
  double timeout;      /* of a case's tests, in seconds; 0: 120 or CK_DEFAULT_TIMEOUT */
  void (*begin)(void); /* of the whole program */
  void (*end)(void);
} suite_entry;

void suite_register(suite_entry *entry);

/* All tests of the program; main's result. */
int run_tests(void);

#define SUITE_ENTRY(id, ...)                                                                       \
  __attribute__((constructor)) static void id##_register(void) {                                   \
    static suite_entry entry = {.place = __COUNTER__, __VA_ARGS__};                                \
    suite_register(&entry);                                                                        \
  }

#define TEST(name) TEST_LOOP(name, 0, 1)

#define TEST_LOOP(name, first, end)                                                                \
  SUITE_TEST(name, tcase_add_loop_test(suite_cases, &suite_test, (int)(first), (int)(end)))

#define TEST_EXIT(name, status)                                                                    \
  SUITE_TEST(name, tcase_add_exit_test(suite_cases, &suite_test, status))

#define SUITE_TEST(name, add_it)                                                                   \
  static void name(int _i);                                                                        \
  static void name##_add(TCase *suite_cases) {                                                     \
    static const TTest suite_test = {#name, name, __FILE__, __LINE__};                             \
    add_it;                                                                                        \
  }                                                                                                \
  SUITE_ENTRY(name, .add = name##_add)                                                             \
  static void name(int _i __attribute__((unused)))

#define CASES(label, ...) SUITE_ENTRY(label##_cases, .name = #label, __VA_ARGS__)

#define ONCE(before, after) SUITE_ENTRY(before##_once, .begin = (before), .end = (after))
