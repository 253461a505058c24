/* Operators by OpenCL C. */
#include "../../core/base/alloc.h"
#include "make.h"
#include "on_device.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The compiler's words for a missing function name the program around it. */
static rh_status check_functions(const rh_definition *definition, rh_error *error) {
  static const char *const functions[] = {"rh_load", "rh_combine", "rh_identity"};
  char what[RH_WHAT_BYTES];
  for (int k = 0; k < 3; k++) {
    const char *at = definition->code;
    size_t length = strlen(functions[k]);
    while ((at = strstr(at, functions[k])) &&
           (isalnum((unsigned char)at[length]) || at[length] == '_'))
      at++;
    if (at) continue;
    rh_definition_what(what, definition, definition->code_file ? "code" : "source",
                       definition->code_at);
    return rh_fail(error, RH_E_USAGE,
                   "%s: expected the functions rh_load, rh_combine and rh_identity; there is no %s",
                   what, functions[k]);
  }
  return RH_OK;
}

rh_status rh_custom_make_code(rh_custom *self, const rh_definition *definition, rh_error *error) {
  if (!definition->code)
    return rh_fail(error, RH_E_USAGE,
                   "operator %s names a file of OpenCL C, and only a file beside it can",
                   definition->name);
  RH_TRY(check_functions(definition, error));
  if (self->n_lets)
    return rh_fail(error, RH_E_USAGE, "operator %s is in OpenCL C and has no constants",
                   definition->name);
  RH_TRY(rh_custom_expressions(self, &self->load, error));
  for (uint32_t k = 0; k < self->face.n_operands; k++)
    RH_TRY(rh_exprs_output(self->load, self->operands[k].name, 0, "operands", error));
  RH_TRY(RH_NEW(&self->code, 1, "an operator", error));
  RH_TRY(rh_copy(&self->code->text, definition->code, "an operator", error));
  self->op.identity = self->code->identity;
  return RH_OK;
}

void rh_custom_destroy_code(rh_code *code) {
  if (!code) return;
  rh_on_device_destroy(code->device);
  free(code->text);
  free(code);
}
