/* redhost --compare: being built. */
#include "../base/error.h"
#include "app.h"

rh_status rh_mode_compare(const rh_app *app, rh_error *error) {
  (void)app;
  return rh_fail(error, RH_E_INTERNAL, "--compare is being built");
}
