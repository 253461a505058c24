/* Files of partials: reads and writes them, and reports that of --partial. */
#pragma once

#include "../engine/partial/partial_label.h"
#include "app.h"

/* A pipe will do, and "-".  A file that is not a partial, or goes on behind its end, is read only
 * as far as that shows. */
rh_status rh_partial_load(const char *path, rh_text *to, rh_error *error);
/* Whole or not at all. */
rh_status rh_partial_save(const char *path, const void *bytes, uint64_t size, rh_error *error);

/* RH_E_USAGE if the file of --partial, if there is to be one, is standard output, to which others
 * write; or this input. */
rh_status rh_partial_check_options(const rh_typed *typed, rh_error *error);
rh_status rh_partial_check_output(const rh_typed *typed, const char *input, rh_error *error);

/* Writes the file of --partial, whole or not at all, and prints what it holds, by --quiet, --json
 * or neither; or if it is "-", writes it to standard output alone. */
rh_status rh_partial_output(const rh_app *app, const rh_partial *partial, const char *text,
                            rh_error *error);
