/* Prints for --tune: events while it searches, and the results of a device. */
#pragma once

#include "../tools/tune/tuner.h"
#include "app.h"

#include <jansson.h>

/* "two_stage_float4 sum f32 2^22 12.1 us -> 9.4 us group=512", for a human reader; or a warning. */
void rh_tune_report_event(const rh_app *app, const rh_tuner *tuner, const rh_tune_event *event);

/* The results of a device.  file: where they are stored; null: they are not stored, or there are
 * none. */
void rh_tune_print(const rh_app *app, const rh_tuner *tuner, const char *file, int kept);
json_t *rh_tune_json(const rh_tuner *tuner);
