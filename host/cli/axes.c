#include <fnmatch.h>

#include "app.h"

struct rh_vocabulary {
  const char *option, *what, *usual;
  const char *(*name)(uint32_t number); /* from 1 to n */
  uint32_t n;
};

const rh_vocabulary rh_op_words = {"--op", "operator", "sum", rh_op_name, RH_N_OPS},
                    rh_type_words = {"--type", "type", "f32", rh_type_name, RH_N_TYPES},
                    rh_distribution_words = {"--distribution", "distribution", "fixed",
                                             rh_lengths_name, RH_N_LENGTHS};

rh_status rh_word_parse(const rh_vocabulary *known, const char *word, uint32_t *number,
                        rh_error *error) {
  const char *names[RH_N_OPS + RH_N_TYPES], *all = ""; /* as many as any has */
  for (uint32_t k = 0; k < known->n; k++) {
    names[k] = known->name(k + 1);
    all = rh_show("%s %s", all, names[k]);
    if (strcmp(word, names[k]) != 0) continue;
    *number = k + 1;
    return RH_OK;
  }
  const char *instead = known == &rh_op_words     ? rh_op_instead(word)
                        : known == &rh_type_words ? rh_type_instead(word)
                                                  : NULL;
  char hint[RH_SUGGESTION_BYTES];
  return rh_fail(error, RH_E_USAGE, "unknown %s '%s'%s Known:%s", known->what, word,
                 instead ? rh_show(": %s.", instead) : rh_suggest(hint, word, names, known->n, "."),
                 all);
}

int rh_numbers_have(const rh_numbers *numbers, uint32_t number) {
  for (uint32_t k = 0; k < numbers->n; k++)
    if (numbers->list[k] == number) return 1;
  return 0;
}

rh_status rh_words_parse(const rh_vocabulary *known, const char *list, rh_numbers *chosen,
                         rh_error *error) {
  chosen->n = 0;
  if (!list) list = known->usual;
  RH_TRY(rh_list_check(known->option, list, error));
  for (const char *word; (word = rh_list_next(&list));) {
    uint32_t number = 1, last = known->n;
    if (strcmp(word, "all") != 0) {
      RH_TRY(rh_word_parse(known, word, &number, error));
      last = number;
    }
    for (; number <= last; number++)
      if (!rh_numbers_have(chosen, number)) chosen->list[chosen->n++] = number;
  }
  return RH_OK;
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

/* The devices that were chosen, with room for all. */
static void add_device(const rh_cl_device **chosen, uint32_t *n, const rh_cl_device *device) {
  for (uint32_t k = 0; k < *n; k++)
    if (chosen[k] == device) return;
  chosen[(*n)++] = device;
}

/* "gpu:all", or all kinds in "all"; or one of a name, or null. */
static rh_status add_devices(const rh_cl_devices *devices, const char *spec,
                             const rh_cl_device **chosen, uint32_t *n, rh_error *error) {
  const rh_cl_device *device = NULL;
  if (!spec || devices->n == 0 || !rh_devices_are_listed(spec)) {
    RH_TRY(rh_cl_devices_choose(devices, spec, &device, error));
    if (device) add_device(chosen, n, device);
    return RH_OK;
  }
  size_t kind = strcspn(spec, ":");
  uint32_t kinds = spec[kind] ? rh_device_kind_named(spec, kind) : RH_DEVICE_ANY_CL, found = 0;
  if (!kinds)
    return rh_fail(error, RH_E_USAGE,
                   "device '%.64s': expected gpu:all, cpu:all or accelerator:all", spec);
  for (uint32_t k = 0; k < devices->n; k++) {
    if (!(devices->list[k].about.kind & kinds)) continue;
    add_device(chosen, n, &devices->list[k]);
    found++;
  }
  if (found) return RH_OK;
  return rh_fail(error, RH_E_DEVICE,
                 "device '%.64s': no device is of this kind. See redhost --devices.", spec);
}

rh_status rh_devices_parse(const rh_cl_devices *devices, const char *list,
                           const rh_cl_device ***chosen, uint32_t *n, rh_error *error) {
  RH_FREED(const rh_cl_device *) room = NULL;
  int is_typed = list != NULL;
  const char *from = is_typed ? "--device" : "REDHOST_DEVICE";
  uint32_t found = 0;
  if (!is_typed) list = rh_env(from);
  *chosen = NULL;
  *n = 0;
  RH_TRY(RH_NEW(&room, devices->n + 1, "a list of devices", error));
  RH_TRY(list ? rh_list_check(from, list, error) : add_devices(devices, NULL, room, &found, error));
  for (const char *spec; (spec = rh_list_next(&list));) {
    rh_status status = add_devices(devices, spec, room, &found, error);
    RH_TRY(is_typed ? status : rh_error_prefix(error, status, "%s", from));
  }
  *chosen = room;
  *n = found;
  room = NULL;
  return RH_OK;
}
