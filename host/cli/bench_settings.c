#include "bench_settings.h"
#include "../core/base/error.h"
#include "../core/base/text.h"
#include "../core/io/array.h"
#include "number.h"
#include "size.h"

#include <stdlib.h>
#include <string.h>

/* One of a few words; its place in the list. */
static rh_status choose(const char *option, const char *word, const char *const *words, uint32_t n,
                        uint32_t *place, rh_error *error) {
  rh_text list = {0};
  *place = 0;
  if (!word) return RH_OK;
  for (uint32_t k = 0; k < n; k++) {
    if (strcmp(word, words[k]) == 0) {
      *place = k;
      rh_text_finish(&list);
      return RH_OK;
    }
    rh_text_add(&list, "%s%s", k == 0 ? "" : k + 1 < n ? ", " : " or ", words[k]);
  }
  rh_fail(error, RH_E_USAGE, "%s '%s': expected %s", option, word, rh_text_get(&list));
  rh_text_finish(&list);
  return RH_E_USAGE;
}

static rh_status parse_rules(rh_bench_rules *rules, const rh_typed *typed, rh_error *error) {
  double percent = 0.5;
  *rules = (rh_bench_rules){.max_time_s = 1, .min_samples = 20, .max_samples = RH_MOST_SAMPLES};
  if (typed->quick && typed->thorough)
    return rh_fail(error, RH_E_USAGE, "--quick and --thorough exclude each other");
  if (typed->quick) percent = 2, rules->max_time_s = 0.3;
  if (typed->thorough) percent = 0.2, rules->max_time_s = 15;
  RH_TRY(rh_number_parse(&rh_number_precision, typed->precision, &percent, error));
  RH_TRY(rh_number_parse(&rh_number_max_time, typed->max_time, &rules->max_time_s, error));
  RH_TRY(rh_samples_parse(typed->samples, &rules->min_samples, &rules->max_samples, error));
  if (rules->min_samples > RH_MOST_SAMPLES)
    return rh_fail(error, RH_E_USAGE, "--samples %s: at most %d of a point are kept",
                   typed->samples, RH_MOST_SAMPLES);
  rules->precision = percent / 100;
  rules->once = (int)typed->once;
  return RH_OK;
}

static rh_status parse_sizes(rh_bench_settings *settings, const char *text, rh_error *error) {
  for (uint32_t k = 0; k < settings->types.n; k++)
    RH_TRY(rh_sizes_parse(text, rh_type_size(settings->types.list[k]), &settings->sizes[k],
                          &settings->n_sizes[k], error));
  return RH_OK;
}

/* Of several operators and types each pair that is defined is measured; there must be one. */
static rh_status check_pairs(const rh_bench_settings *settings, rh_error *error) {
  for (uint32_t k = 0; k < settings->types.n; k++)
    for (uint32_t j = 0; j < settings->ops.n; j++)
      if (rh_op_is_defined(settings->ops.list[j], settings->types.list[k])) return RH_OK;
  return rh_fail(error, RH_E_USAGE, "--op %s is not defined for %s, only for %s",
                 rh_op_name(settings->ops.list[0]), rh_type_name(settings->types.list[0]),
                 rh_op_domain(settings->ops.list[0]));
}

static rh_status check_sizes(const rh_bench_settings *settings, rh_error *error) {
  for (uint32_t j = 0; j < settings->ops.n; j++)
    for (uint32_t k = 0; k < settings->types.n; k++)
      if (settings->sizes[k][0] == 0 && rh_op_needs_an_element(settings->ops.list[j]))
        return rh_fail(error, RH_E_USAGE, "%s of 0 elements does not exist",
                       rh_op_name(settings->ops.list[j]));
  return RH_OK;
}

static rh_status parse_words(rh_bench_settings *settings, const rh_typed *typed, rh_error *error) {
  static const char *const caches[] = {"cold", "hot"};
  static const char *const timers[] = {"auto", "event", "host"};
  static const char *const formats[] = {"table", "markdown", "csv", "json", "jsonl"};
  uint32_t hot, format;
  RH_TRY(choose("--cache", typed->cache, caches, 2, &hot, error));
  RH_TRY(choose("--timer", typed->timer, timers, 3, &settings->timer, error));
  RH_TRY(choose("--format", typed->format, formats, 5, &format, error));
  if (typed->json && typed->format && strcmp(typed->format, "json") != 0)
    return rh_fail(error, RH_E_USAGE, "--json and --format=%s exclude each other", typed->format);
  settings->hot = (int)hot;
  settings->format = typed->json ? "json" : formats[format];
  return RH_OK;
}

rh_status rh_bench_settings_parse(rh_bench_settings *settings, const rh_typed *typed,
                                  rh_error *error) {
  *settings = (rh_bench_settings){.data = typed->data ? typed->data : "uniform", .timeout_s = 60};
  RH_TRY(parse_rules(&settings->rules, typed, error));
  RH_TRY(parse_words(settings, typed, error));
  RH_TRY(rh_number_parse(&rh_number_timeout, typed->timeout, &settings->timeout_s, error));
  RH_TRY(rh_seed_parse(typed->seed, &settings->seed, error));
  RH_TRY(rh_array_check_kind(settings->data, error));
  RH_TRY(rh_ops_parse(typed->op, &settings->ops, error));
  RH_TRY(rh_types_parse(typed->type, &settings->types, error));
  RH_TRY(check_pairs(settings, error));
  /* What is tuned serves the sizes around it: one for each class will do. */
  const char *sizes = typed->mode == RH_MODE_TUNE ? "2^10:2^28:x8" : "2^10:2^28";
  RH_TRY(parse_sizes(settings, typed->size ? typed->size : sizes, error));
  return check_sizes(settings, error);
}

void rh_bench_settings_finish(rh_bench_settings *settings) {
  for (uint32_t k = 0; k < RH_N_TYPES; k++) free(settings->sizes[k]);
  *settings = (rh_bench_settings){0};
}
