/* Writes the file of --partial, and reports it. */
#pragma once

#include "../engine/partial/partial_label.h"
#include "app.h"

/* RH_E_USAGE if the file of --partial, if there is to be one, is standard output, to which others
 * write; or this input. */
rh_status rh_partial_check_options(const rh_typed *typed, rh_error *error);
rh_status rh_partial_check_output(const rh_typed *typed, const char *input, rh_error *error);

/* Writes the file of --partial, whole or not at all, and prints what it holds, by --quiet, --json
 * or neither; or if it is "-", writes it to standard output alone. */
rh_status rh_partial_output(const rh_app *app, const rh_partial *partial, const char *text,
                            rh_error *error);
