/* A note where an answer is not a number: which elements are none, and how to leave them out. */
#pragma once

#include "app.h"

/* On standard error, without --quiet and --json.  Files of up to 1 GiB are read once more. */
void rh_note_nan(const rh_app *app, const rh_result *result);
