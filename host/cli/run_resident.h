/* --run on generated data that stay in the memories of several devices. */
#pragma once

#include "../engine/reduction/resident.h"
#include "run_stream.h"

/* Finds the strategies, splits the data, reduces and checks them, measures unless `--quiet` was
 * given, and enters all into the report.  how: of several devices, and without inputs and
 * chunk_bytes.  RH_E_DEVICE, RH_E_NOMEM: also where the data do not fit.  resident: the caller's to
 * finish, after the report is printed. */
rh_status rh_run_resident(const rh_run_stream *how, rh_resident *resident, rh_run_report *report,
                          rh_error *error);
