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

typedef struct number_list {
  const vocabulary *known;
  uint32_t *list, *n;
} number_list;

static void add_number(const number_list *to, uint32_t number) {
  for (uint32_t k = 0; k < *to->n; k++)
    if (to->list[k] == number) return;
  to->list[(*to->n)++] = number;
}

static rh_status add_name(void *context, const char *name, rh_error *error) {
  const number_list *to = context;
  uint32_t number = 0;
  if (strcmp(name, "all") == 0) {
    for (number = 1; number <= to->known->n; number++) add_number(to, number);
    return RH_OK;
  }
  RH_TRY(find_number(to->known, name, &number, error));
  add_number(to, number);
  return RH_OK;
}

static rh_status parse_names(const char *list, number_list *to, rh_error *error) {
  *to->n = 0;
  return rh_list_visit(to->known->option, list, add_name, to, error);
}

rh_status rh_ops_parse(const char *list, rh_ops *chosen, rh_error *error) {
  number_list to = {&operators, chosen->list, &chosen->n};
  return parse_names(list ? list : "sum", &to, error);
}

rh_status rh_types_parse(const char *list, rh_types *chosen, rh_error *error) {
  number_list to = {&types, chosen->list, &chosen->n};
  return parse_names(list ? list : "f32", &to, error);
}

rh_status rh_distributions_parse(const char *list, rh_distributions *chosen, rh_error *error) {
  number_list to = {&distributions, chosen->list, &chosen->n};
  return parse_names(list ? list : "fixed", &to, error);
}

typedef struct selection {
  const char *const *names;
  uint32_t n;
  unsigned char *selected;
  int adds; /* at least one word does not begin with a `!' */
} selection;

static rh_status no_match(const selection *of, const char *pattern, rh_error *error) {
  if (strpbrk(pattern, "*?["))
    return rh_fail(error, RH_E_USAGE,
                   "--strategy: no strategy matches '%.64s'. See redhost --list.", pattern);
  char hint[RH_SUGGESTION_BYTES];
  return rh_fail(error, RH_E_USAGE, "unknown strategy '%.64s'%s See redhost --list.", pattern,
                 rh_suggest(hint, pattern, of->names, of->n, "."));
}

static rh_status detect_adding(void *context, const char *word, rh_error *error) {
  selection *to = context;
  (void)error;
  if (*word != '!') to->adds = 1;
  return RH_OK;
}

static rh_status apply_pattern(void *context, const char *word, rh_error *error) {
  selection *to = context;
  const char *pattern = *word == '!' ? word + 1 : word;
  int fits = 0;
  for (uint32_t k = 0; k < to->n; k++) {
    if (fnmatch(pattern, to->names[k], 0) != 0) continue;
    to->selected[k] = pattern == word;
    fits = 1;
  }
  return fits ? RH_OK : no_match(to, pattern, error);
}

rh_status rh_strategies_select(const char *list, const char *const *names, uint32_t n,
                               unsigned char *selected, rh_error *error) {
  selection to = {.names = names, .n = n, .selected = selected};
  if (list) RH_TRY(rh_list_visit("--strategy", list, detect_adding, &to, error));
  memset(selected, !to.adds, n);
  if (!list) return RH_OK;
  RH_TRY(rh_list_visit("--strategy", list, apply_pattern, &to, error));
  if (memchr(selected, 1, n)) return RH_OK;
  return rh_fail(error, RH_E_USAGE, "--strategy '%s': leaves no strategy", list);
}

typedef struct device_choice {
  const rh_cl_devices *devices;
  /* the environment variable with the list, for messages; null: the command line */
  const char *variable;
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

static rh_status add_devices(void *context, const char *spec, rh_error *error) {
  device_choice *choice = context;
  const rh_cl_devices *devices = choice->devices;
  const rh_cl_device *device = NULL;
  rh_status status = devices->n > 0 && rh_devices_are_listed(spec)
                         ? add_all(choice, spec, error)
                         : rh_cl_devices_choose(devices, spec, &device, error);
  if (status != RH_OK && choice->variable) rh_error_prefix(error, "%s", choice->variable);
  if (status == RH_OK && device) add_device(choice, device);
  return status;
}

static rh_status choose_devices(device_choice *choice, const char *list, rh_error *error) {
  if (list) return rh_list_visit("--device", list, add_devices, choice, error);
  if ((list = rh_env("REDHOST_DEVICE"))) {
    choice->variable = "REDHOST_DEVICE";
    return rh_list_visit(choice->variable, list, add_devices, choice, error);
  }
  const rh_cl_device *device = NULL;
  RH_TRY(rh_cl_devices_choose(choice->devices, NULL, &device, error));
  add_device(choice, device);
  return RH_OK;
}

rh_status rh_devices_parse(const rh_cl_devices *devices, const char *list,
                           const rh_cl_device ***chosen, uint32_t *n, rh_error *error) {
  device_choice choice = {.devices = devices};
  *chosen = NULL;
  *n = 0;
  RH_TRY(RH_NEW(&choice.chosen, devices->n + 1, "a list of devices", error));
  rh_status status = choose_devices(&choice, list, error);
  if (status != RH_OK) {
    free(choice.chosen);
    return status;
  }
  *chosen = choice.chosen;
  *n = choice.n;
  return RH_OK;
}
