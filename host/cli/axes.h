/* Lists on the command line: operators, types, strategies, devices. */
#pragma once

#include "../core/cl/devices.h"
#include "../tools/bench/settings.h"

/* One name.  RH_E_USAGE if it is unknown. */
rh_status rh_op_parse(const char *name, uint32_t *op, rh_error *error);
rh_status rh_type_parse(const char *name, rh_type *type, rh_error *error);

/* --op and --type: names separated by commas, or "all"; null is sum, and f32.  An operator need not
 * be defined on every type (rh_op_is_defined).  RH_E_USAGE for an unknown name. */
rh_status rh_ops_parse(const char *list, rh_ops *chosen, rh_error *error);
rh_status rh_types_parse(const char *list, rh_types *chosen, rh_error *error);

/* --distribution: names separated by commas, or "all"; null is fixed. */
rh_status rh_distributions_parse(const char *list, rh_distributions *chosen, rh_error *error);

/* --strategy: names and globs separated by commas.  Each adds to the selection, or removes from it
 * with a leading `!', in the order typed; if all have a `!', they remove from the full list.  Null
 * is all.  selected[k] becomes 1 or 0 for names[k].  RH_E_USAGE for a word that matches no name,
 * and for an empty selection. */
rh_status rh_strategies_select(const char *list, const char *const *names, uint32_t n,
                               unsigned char *selected, rh_error *error);

/* Does --device name more than one device: a list, "all", or all of a kind? */
int rh_devices_are_listed(const char *list);

/* --device: words that rh_cl_devices_choose accepts, separated by commas, or "all", or "gpu:all" of
 * any kind; each device once, in the order typed.  Null: REDHOST_DEVICE as such a list, else the
 * default device.  At least one; *chosen is malloc'ed, null on failure, and points to devices owned
 * by *devices.  RH_E_USAGE, RH_E_DEVICE. */
rh_status rh_devices_parse(const rh_cl_devices *devices, const char *list,
                           const rh_cl_device ***chosen, uint32_t *n, rh_error *error);
