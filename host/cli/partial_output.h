/* What --partial writes, and says of it. */
#pragma once

#include "../core/scale/partial_label.h"
#include "app.h"

/* Writes the file of --partial, whole or not at all, and prints what it holds, by --quiet, --json
 * or neither. */
rh_status rh_partial_output(const rh_app *app, const rh_partial *partial,
                            const rh_partial_texts *texts, rh_error *error);
