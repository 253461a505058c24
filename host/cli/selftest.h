/* The self-test before unchecked runs. */
#pragma once

#include "report.h"

/* Before the first unchecked run of a strategy for a problem on a device, in children: V42 and V43
 * of --verify, quickly; then the requested operator, type, parameters and size, on data that are
 * exact in every order of operations.  A passed test is remembered in the cache by the content of
 * the plugin's file (and of the library that a description names by a path), the operator, type,
 * parameters and power of two of the size, and the device with its driver, because drivers can
 * break, too.  A failed test is RH_E_WRONG.  `report`: with the strategy's answer. */
rh_status rh_selftest(const rh_app *app, const rh_run_report *report, rh_error *error);

/* A strategy that `auto` chose and that did not come with redhost, in a child: where the operator
 * rounds, has it the bits of the canonical order that it promises, on some thousand elements?
 * RH_E_WRONG: no.  A passed test is remembered, as above.  job: with the strategy's name and file;
 * RH_OK as well where it declines so many elements. */
rh_status rh_selftest_order(const rh_app *app, const rh_job_spec *job, uint32_t device_kinds,
                            rh_error *error);
