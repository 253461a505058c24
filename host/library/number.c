/* The answer as one number. */
#include "../core/base/vocabulary.h"

double rh_result_number(const rh_result *result) {
  if (!result) return 0;
  if (rh_type_is_float(result->type)) return result->value.f;
  return rh_type_is_signed(result->type) ? (double)result->value.i : (double)result->value.u;
}
