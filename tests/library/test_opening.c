/* Several rh_redhosts that look for devices at once, each in a thread of its own. */
#include "../../host/core/reduce/context.h"

#include <check.h>
#include <stdlib.h>

enum { THREADS = 8, ROUNDS = 10 };

static pthread_barrier_t all_are_there;

static void *look_for_devices(void *n_found) {
  const rh_cl_devices *devices;
  rh_redhost *redhost;
  ck_assert_int_eq(rh_open(&redhost, NULL, NULL), RH_OK);
  pthread_barrier_wait(&all_are_there);
  ck_assert_int_eq(rh_redhost_devices(redhost, &devices, NULL), RH_OK);
  *(uint32_t *)n_found = devices->n;
  rh_close(redhost);
  return NULL;
}

/* Each round is a process of its own, in which no thread has asked a driver yet. */
START_TEST(all_at_once) {
  pthread_t threads[THREADS];
  uint32_t found[THREADS];
  ck_assert_int_eq(pthread_barrier_init(&all_are_there, NULL, THREADS), 0);
  for (int k = 0; k < THREADS; k++)
    ck_assert_int_eq(pthread_create(&threads[k], NULL, look_for_devices, &found[k]), 0);
  for (int k = 0; k < THREADS; k++) pthread_join(threads[k], NULL);
  for (int k = 1; k < THREADS; k++) ck_assert_uint_eq(found[k], found[0]);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("opening");
  TCase *cases = tcase_create("opening");
  tcase_add_loop_test(cases, all_at_once, 0, ROUNDS);
  suite_add_tcase(suite, cases);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
