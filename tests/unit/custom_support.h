/* What the tests of users' operators share: operators made of a file's text, or of the texts of the
 * command line. */
#ifndef RH_TEST_CUSTOM_SUPPORT_H
#define RH_TEST_CUSTOM_SUPPORT_H

#include "../../host/operators/custom/custom.h"
#include "../suite/suite.h"

OWNS(rh_custom, rh_custom_destroy)

/* Every operand is of the type. */
static inline rh_custom *made_of(const char *json, rh_type type, const rh_let *lets,
                                 uint32_t n_lets) {
  rh_definition definition = {0};
  rh_operand operands[RH_MOST_OPERANDS] = {0};
  rh_custom *made = NULL;
  must(rh_definition_read(&definition, json, strlen(json), "test", &error));
  for (uint32_t k = 0; k < definition.n_operands; k++) operands[k].type = type;
  must(rh_custom_create(&made, &definition, operands, definition.n_operands, lets, n_lets, &error));
  rh_definition_finish(&definition);
  return made;
}

/* Over one operand, x. */
static inline rh_custom *made_over_x(const rh_definition *definition, rh_type type) {
  const rh_operand x = {.name = "x", .type = type};
  rh_custom *made = NULL;
  must(rh_custom_create(&made, definition, &x, 1, NULL, 0, &error));
  return made;
}

/* The text of an operator that comes with redhost. */
static inline const char *shipped_text(const char *of) {
  const char *name, *text;
  for (size_t k = 0; (text = rh_library_text(k, &name)); k++)
    if (strcmp(name, of) == 0) return text;
  ck_abort_msg("redhost comes without %s", of);
}

#endif
