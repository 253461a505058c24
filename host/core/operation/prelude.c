/* The OpenCL C that precedes every plugin's source: macros for the operator and type, then
 * kernels/prelude. */
#include "operation.h"

#include "prelude.cl.h"

void rh_prelude_append(rh_text *text) {
  rh_text_add(text, "#line 1 \"prelude.cl\"\n");
  rh_text_append(text, prelude_cl, sizeof prelude_cl - 1);
}

char *rh_op_prelude(const char *op, rh_type type) {
  rh_text text = {0};
  rh_text_add(&text, "#define RH_OP_%s 1\n#define RH_TYPE_%s 1\n", op, rh_type_name(type));
  rh_prelude_append(&text);
  if (text.failed) rh_text_finish(&text);
  return text.s;
}
