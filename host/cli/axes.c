#include <fnmatch.h>
#include <strings.h>

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

int rh_devices_are_listed(const char *list) {
  const char *colon = strrchr(list, ':');
  return strchr(list, ',') || strcasecmp(colon ? colon + 1 : list, "all") == 0;
}

/* The kind in "gpu:all", or all kinds in "all"; 0 if there is no such kind. */
static uint32_t kinds_of(const char *spec) {
  static const uint32_t kinds[] = {RH_DEVICE_GPU, RH_DEVICE_CPU, RH_DEVICE_ACCELERATOR};
  size_t length = strcspn(spec, ":");
  if (!spec[length]) return RH_DEVICE_ANY_CL;
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    const char *name = rh_device_kind_name(kinds[k]);
    if (strlen(name) == length && strncasecmp(name, spec, length) == 0) return kinds[k];
  }
  return 0;
}

static rh_status add_all(device_choice *choice, const char *spec, rh_error *error) {
  const rh_cl_devices *devices = choice->devices;
  uint32_t kinds = kinds_of(spec), n = 0;
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

/* option: or the environment variable with the list. */
static rh_status choose_devices(device_choice *choice, const char *option, const char *list,
                                rh_error *error) {
  rh_status status = list ? rh_list_check(option, list, error) : add_devices(choice, NULL, error);
  if (status != RH_OK) return status;
  for (const char *spec; status == RH_OK && (spec = rh_list_next(&list));)
    status = add_devices(choice, spec, error);
  if (status != RH_OK && *option != '-') rh_error_prefix(error, "%s", option);
  return status;
}

rh_status rh_devices_parse(const rh_cl_devices *devices, const char *list,
                           const rh_cl_device ***chosen, uint32_t *n, rh_error *error) {
  device_choice choice = {.devices = devices};
  const char *variable = "REDHOST_DEVICE";
  *chosen = NULL;
  *n = 0;
  RH_TRY(RH_NEW(&choice.chosen, devices->n + 1, "a list of devices", error));
  rh_status status =
      choose_devices(&choice, list ? "--device" : variable, list ? list : rh_env(variable), error);
  if (status == RH_OK) {
    *chosen = choice.chosen;
    *n = choice.n;
  } else {
    free(choice.chosen);
  }
  return status;
}
