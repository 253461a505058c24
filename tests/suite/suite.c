#include "../suite/suite.h"
#include "suite.h"

#include <errno.h>

static suite_entry *entries; /* by their places */

void suite_register(suite_entry *entry) {
  suite_entry **at = &entries;
  while (*at && (*at)->place < entry->place) at = &(*at)->next;
  entry->next = *at;
  *at = entry;
}

static TCase *open_case(Suite *suite, const char *name, const suite_entry *how) {
  TCase *cases = tcase_create(name);
  if (how && (how->set_up || how->tear_down))
    tcase_add_checked_fixture(cases, how->set_up, how->tear_down);
  if (how && how->timeout > 0) tcase_set_timeout(cases, how->timeout);
  suite_add_tcase(suite, cases);
  return cases;
}

static Suite *make_suite(const char *name) {
  Suite *suite = suite_create(name);
  TCase *cases = NULL;
  for (const suite_entry *entry = entries; entry; entry = entry->next) {
    if (entry->name) cases = open_case(suite, entry->name, entry);
    if (!entry->add) continue;
    if (!cases) cases = open_case(suite, name, NULL);
    entry->add(cases);
  }
  return suite;
}

int run_tests(void) {
  const char *name = program_invocation_short_name;
  if (strncmp(name, "test_", 5) == 0) name += 5;
  setenv("CK_DEFAULT_TIMEOUT", "120", 0);
  for (const suite_entry *entry = entries; entry; entry = entry->next)
    if (entry->begin) entry->begin();
  SRunner *runner = srunner_create(make_suite(name));
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  for (const suite_entry *entry = entries; entry; entry = entry->next)
    if (entry->end) entry->end();
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
