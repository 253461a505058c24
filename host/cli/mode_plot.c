/* redhost --plot: being built. */
#include "../base/error.h"
#include "app.h"

rh_status rh_mode_plot(const rh_app *app, rh_error *error) {
  (void)app;
  return rh_fail(error, RH_E_INTERNAL, "--plot is being built");
}
