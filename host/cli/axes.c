#include <fnmatch.h>

#include "../operators/catalog/catalog.h"
#include "app.h"

/* Names that are numbered from 1. */
typedef struct vocabulary {
  const char *option, *what;
  const char *(*name)(uint32_t number);
  uint32_t n;
} vocabulary;

static const vocabulary operators = {"--op", "operator", rh_op_name, RH_N_OPS},
                        distributions = {"--distribution", "distribution", rh_lengths_name,
                                         RH_N_LENGTHS},
                        types = {"--type", "type", rh_type_name, RH_N_TYPES};

static rh_status find_number(const vocabulary *known, const char *name, uint32_t *number,
                             rh_error *error) {
  const char *names[RH_N_OPS + RH_N_TYPES], *all = ""; /* as many as any has */
  for (uint32_t k = 0; k < known->n; k++) {
    names[k] = known->name(k + 1);
    all = rh_show("%s %s", all, names[k]);
    if (strcmp(name, names[k]) != 0) continue;
    *number = k + 1;
    return RH_OK;
  }
  const char *instead = known == &operators ? rh_op_instead(name)
                        : known == &types   ? rh_type_instead(name)
                                            : NULL;
  if (instead)
    return rh_fail(error, RH_E_USAGE, "unknown %s '%s': %s. Known:%s", known->what, name, instead,
                   all);
  char hint[RH_SUGGESTION_BYTES];
  return rh_fail(error, RH_E_USAGE, "unknown %s '%s'%s Known:%s", known->what, name,
                 rh_suggest(hint, name, names, known->n, "."), all);
}

rh_status rh_op_parse(const char *name, uint32_t *op, rh_error *error) {
  return find_number(&operators, name, op, error);
}

rh_status rh_type_parse(const char *name, rh_type *type, rh_error *error) {
  return find_number(&types, name, type, error);
}

static void add_number(uint32_t *list, uint32_t *n, uint32_t number) {
  for (uint32_t k = 0; k < *n; k++)
    if (list[k] == number) return;
  list[(*n)++] = number;
}

static rh_status parse_names(const vocabulary *known, const char *names, uint32_t *list,
                             uint32_t *n, rh_error *error) {
  *n = 0;
  RH_TRY(rh_list_check(known->option, names, error));
  for (const char *name; (name = rh_list_next(&names));) {
    uint32_t number = 1, last = known->n;
    if (strcmp(name, "all") != 0) {
      RH_TRY(find_number(known, name, &number, error));
      last = number;
    }
    for (; number <= last; number++) add_number(list, n, number);
  }
  return RH_OK;
}

rh_status rh_ops_parse(const char *list, rh_ops *chosen, rh_error *error) {
  return parse_names(&operators, list ? list : "sum", chosen->list, &chosen->n, error);
}

rh_status rh_types_parse(const char *list, rh_types *chosen, rh_error *error) {
  return parse_names(&types, list ? list : "f32", chosen->list, &chosen->n, error);
}

rh_status rh_distributions_parse(const char *list, rh_distributions *chosen, rh_error *error) {
  return parse_names(&distributions, list ? list : "fixed", chosen->list, &chosen->n, error);
}

static rh_status no_match(const char *pattern, const char *const *names, uint32_t n,
                          rh_error *error) {
  if (strpbrk(pattern, "*?["))
    return rh_fail(error, RH_E_USAGE,
                   "--strategy: no strategy matches '%.64s'. See redhost --list.", pattern);
  char hint[RH_SUGGESTION_BYTES];
  return rh_fail(error, RH_E_USAGE, "unknown strategy '%.64s'%s See redhost --list.", pattern,
                 rh_suggest(hint, pattern, names, n, "."));
}

rh_status rh_strategies_select(const char *list, const char *const *names, uint32_t n,
                               unsigned char *selected, rh_error *error) {
  const char *left = list;
  int adds = 0; /* does any word not begin with a `!'? */
  if (list) RH_TRY(rh_list_check("--strategy", list, error));
  for (const char *word; (word = rh_list_next(&left));) adds |= *word != '!';
  memset(selected, !adds, n);
  left = list;
  for (const char *word; (word = rh_list_next(&left));) {
    const char *pattern = *word == '!' ? word + 1 : word;
    int fits = 0;
    for (uint32_t k = 0; k < n; k++) {
      if (fnmatch(pattern, names[k], 0) != 0) continue;
      selected[k] = pattern == word;
      fits = 1;
    }
    if (!fits) return no_match(pattern, names, n, error);
  }
  if (!list || memchr(selected, 1, n)) return RH_OK;
  return rh_fail(error, RH_E_USAGE, "--strategy '%s': leaves no strategy", list);
}

typedef struct device_choice {
  const rh_cl_devices *devices;
  const rh_cl_device **chosen; /* capacity for all devices */
  uint32_t n;
} device_choice;

static void add_device(device_choice *choice, const rh_cl_device *device) {
  for (uint32_t k = 0; k < choice->n; k++)
    if (choice->chosen[k] == device) return;
  choice->chosen[choice->n++] = device;
}

static rh_status add_all(device_choice *choice, const char *spec, rh_error *error) {
  const rh_cl_devices *devices = choice->devices;
  size_t kind = strcspn(spec, ":"); /* "gpu:all", or all kinds in "all" */
  uint32_t kinds = spec[kind] ? rh_device_kind_named(spec, kind) : RH_DEVICE_ANY_CL, n = 0;
  if (!kinds)
    return rh_fail(error, RH_E_USAGE,
                   "device '%.64s': expected gpu:all, cpu:all or accelerator:all", spec);
  for (uint32_t k = 0; k < devices->n; k++) {
    if (!(devices->list[k].about.kind & kinds)) continue;
    add_device(choice, &devices->list[k]);
    n++;
  }
  if (n) return RH_OK;
  return rh_fail(error, RH_E_DEVICE,
                 "device '%.64s': no device is of this kind. See redhost --devices.", spec);
}

static rh_status add_devices(device_choice *choice, const char *spec, rh_error *error) {
  const rh_cl_device *device = NULL;
  if (spec && choice->devices->n > 0 && rh_devices_are_listed(spec))
    return add_all(choice, spec, error);
  RH_TRY(rh_cl_devices_choose(choice->devices, spec, &device, error));
  if (device) add_device(choice, device);
  return RH_OK;
}

rh_status rh_devices_parse(const rh_cl_devices *devices, const char *list,
                           const rh_cl_device ***chosen, uint32_t *n, rh_error *error) {
  RH_FREED(const rh_cl_device *) room = NULL;
  int is_typed = list != NULL;
  const char *from = is_typed ? "--device" : "REDHOST_DEVICE";
  if (!is_typed) list = rh_env(from);
  *chosen = NULL;
  *n = 0;
  RH_TRY(RH_NEW(&room, devices->n + 1, "a list of devices", error));
  device_choice choice = {devices, room, 0};
  RH_TRY(list ? rh_list_check(from, list, error) : add_devices(&choice, NULL, error));
  for (const char *spec; (spec = rh_list_next(&list));) {
    rh_status status = add_devices(&choice, spec, error);
    RH_TRY(is_typed ? status : rh_error_prefix(error, status, "%s", from));
  }
  *chosen = room;
  *n = choice.n;
  room = NULL;
  return RH_OK;
}
