#include "../../core/base/clock.h"
#include "../../core/base/error.h"
#include "tuner.h"

static rh_status tune(rh_tuner *tuner, rh_error *error) {
  RH_TRY(rh_tuner_make_tasks(tuner, error));
  RH_TRY(rh_tuner_measure_defaults(tuner, error));
  return rh_now() < tuner->deadline ? rh_tuner_improve(tuner, error) : RH_OK;
}

rh_status rh_tuner_run(rh_tuner *tuner, rh_error *error) {
  tuner->deadline = rh_now() + tuner->budget_s;
  rh_status status = tune(tuner, error);
  rh_tuner_restore_blame(tuner);
  return status;
}
