/* redhost --info NAME */
#include <limits.h>

#include "app.h"

static void print_parameters(const rh_entry *entry) {
  char range[128], initial[64];
  rh_table table = {.columns = 4};
  if (entry->says.n_params == 0) return;
  printf("\nparameters (--param KEY=VALUE)\n");
  for (uint32_t k = 0; k < entry->says.n_params; k++) {
    const rh_param *param = &entry->says.params[k];
    rh_param_range(param, range, sizeof range);
    rh_param_format(param, param->initial, initial, sizeof initial);
    rh_table_cell(&table, RH_BOLD, "%s", param->key);
    rh_table_cell(&table, RH_PLAIN, "%s", range);
    rh_table_cell(&table, RH_PLAIN, "[%s]", initial);
    rh_table_cell(&table, RH_PLAIN, "%s", param->doc);
  }
  rh_table_print(&table, "  ");
}

static void print_kinds(const rh_entry *entry) {
  static const uint32_t kinds[] = {RH_DEVICE_HOST, RH_DEVICE_CPU, RH_DEVICE_GPU,
                                   RH_DEVICE_ACCELERATOR};
  static const struct {
    uint64_t bit;
    const char *name;
  } needs[] = {
      {RH_FP64, "fp64"},
      {RH_INT64_ATOMICS, "64-bit atomics"},
      {RH_SUBGROUPS, "sub-groups"},
      {RH_WORK_GROUP_COLLECTIVES, "work-group collective functions"},
      {RH_INTEL_SUBGROUP_BLOCKS, "Intel's sub-group block reads"},
      {RH_DEVICE_SCOPE_ATOMICS, "acquire-release atomics across work-groups"},
  };
  const char *on = "", *with = "";
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    if (entry->says.device_kinds & kinds[k])
      on = rh_show("%s%s%s", on, *on ? ", " : "", rh_device_kind_name(kinds[k]));
  for (size_t k = 0; k < sizeof needs / sizeof *needs; k++)
    if (entry->says.needs & needs[k].bit)
      with = rh_show("%s%s%s", with, *with ? ", " : "; needs ", needs[k].name);
  printf("runs on     %s%s\n", on, with);
}

static void print_here(const rh_app *app, const rh_entry *entry) {
  const rh_cl_device *device = app->context->device;
  const rh_offer *offer = rh_offer_for(app, entry);
  uint32_t at = (uint32_t)(offer - &entry->offers[0][0]); /* of which operator and type */
  const char *op = app->own ? app->own->name : rh_op_name(at / (RH_N_TYPES + 1));
  rh_type type = app->own ? app->own->operands[0].type : at % (RH_N_TYPES + 1);
  printf("\non %s, %s of %s, n = 2^%d\n", device ? rh_plain(device->name) : "the host",
         rh_plain(op), rh_type_name(type), RH_DEFAULT_LOG2_SIZE);
  if (offer->status != RH_OK) {
    printf("  cannot run: %s\n", rh_plain(offer->answer.reason));
    return;
  }
  printf("  types     %s\n  operators %s\n  passes    %s\n", rh_offer_words(entry, 0),
         rh_offer_words(entry, 1), rh_offer_passes(&offer->answer));
  if (offer->answer.depth == RH_DEPTH_ONE_ROUNDING)
    printf("  depth     none: the exact sum, rounded once\n");
  else if (offer->answer.depth)
    printf("  depth     %llu: the most combinations an element passes through\n",
           (unsigned long long)offer->answer.depth);
  else printf("  depth     unknown: n - 1 is assumed\n");
  printf("  memory    %s on the device, %s local in a work-group\n",
         rh_bytes(offer->answer.scratch_bytes), rh_bytes(offer->answer.local_bytes));
}

/* ---- Sources, which are installed with the strategies that come with redhost ---- */

/* "PREFIX/share/redhost/kernels/cascade.cl": sources have the name of the plugin's file, which may
 * hold several strategies. */
static json_t *sources_of(const rh_app *app, const rh_entry *entry) {
  static const struct {
    const char *folder, *suffix;
  } sources[] = {{"plugins", ".c"}, {"kernels", ".cl"}, {"plugins", ".foreign.json"}};
  char path[PATH_MAX];
  json_t *array = json_array();
  const char *program = app->context->options.program, *bin = strstr(program, "/bin/");
  const char *file = rh_path_name(entry->file->path);
  for (const char *next = bin; next; next = strstr(next + 1, "/bin/")) bin = next;
  if (!bin || !entry->file->installed) return array;
  for (size_t k = 0; k < sizeof sources / sizeof *sources; k++) {
    snprintf(path, sizeof path, "%.*s/share/redhost/%s/%.*s%s", (int)(bin - program), program,
             sources[k].folder, (int)strcspn(file, "."), file, sources[k].suffix);
    if (access(path, R_OK) == 0) json_array_append_new(array, rh_json_bytes(path));
  }
  return array;
}

static rh_status print_json(const rh_app *app, const rh_entry *entry, rh_error *error) {
  json_t *strategy = rh_json_strategy(app, entry);
  json_object_set_new(strategy, "about", rh_json_bytes(entry->says.about));
  json_object_set_new(strategy, "sources", sources_of(app, entry));
  return rh_json_print(rh_json("strategies:o", rh_json_one(strategy)), error);
}

static void print_text(const rh_app *app, const rh_entry *entry) {
  json_auto_t *sources = sources_of(app, entry);
  const json_t *path;
  size_t k;
  printf("%s - %s\n\n", rh_styled(RH_BOLD, entry->says.name), rh_plain(entry->says.summary));
  rh_print_wrapped(entry->says.about, "", "", 78);
  printf("\nplugin      %s\nversion     %s, by %s, %s\n", rh_plain(entry->file->path),
         rh_plain(entry->says.version), rh_plain(entry->says.author),
         rh_plain(entry->says.license));
  json_array_foreach(sources, k, path)
      printf("%-12s%s\n", k ? "" : "source", rh_plain(json_string_value(path)));
  if (app->typed->verbose) printf("built with  %s\n", rh_plain(entry->build));
  print_kinds(entry);
  printf("order       %s\n", entry->says.promises & RH_KEEPS_ORDER
                                 ? "kept: serves operators that do not commute"
                                 : "free: needs an operator that commutes");
  printf("same bits   %s%s\n", rh_determinism_name(entry->says.determinism),
         entry->says.promises & RH_CANONICAL_ORDER
             ? ": sums and products of floats in the canonical order (docs/inside/bits.md)"
         : entry->says.promises & RH_ROUNDS_ONCE ? ": sums of floats, exact and rounded once"
                                                 : "");
  print_parameters(entry);
  print_here(app, entry);
}

static rh_status unknown(const rh_registry *registry, const rh_catalog *catalog, const char *name,
                         rh_error *error) {
  uint32_t n = 0;
  char hint[RH_SUGGESTION_BYTES];
  RH_FREED(const char *) names = NULL;
  RH_TRY(RH_NEW(&names, 1 + registry->n_entries + catalog->n_entries, "a suggestion", error));
  for (uint32_t k = 0; k < registry->n_entries; k++) names[n++] = registry->entries[k].says.name;
  for (uint32_t k = 0; k < catalog->n_entries; k++) names[n++] = catalog->entries[k].name;
  return rh_fail(error, RH_E_USAGE, "unknown strategy or operator '%.64s'%s", name,
                 rh_suggest(hint, name, names, n, ""));
}

/* An operator, if there is one of that name. */
static rh_status describe_operator(const rh_app *app, const rh_registry *registry,
                                   rh_error *error) {
  RH_FINISHED(rh_catalog) catalog = {0};
  RH_FINISHED(rh_found) found = {0};
  const char *name = app->typed->name;
  RH_TRY(rh_catalog_scan(&catalog, &app->context->options, NULL, error));
  const rh_catalog_entry *entry = rh_catalog_find(&catalog, name);
  if (entry) return rh_operator_page(app, entry, error);
  /* A plugin that cannot be used is named as by --run, where the name can be only a strategy's. */
  rh_status status = rh_context_locate(app->context, name, &found, error);
  if (status == RH_E_USAGE) return unknown(registry, &catalog, name, error);
  if (status != RH_OK) return status;
  return rh_fail(error, RH_E_PLUGIN, "strategy '%s': its plugin changed while it was examined",
                 name);
}

rh_status rh_mode_info(const rh_app *app, rh_error *error) {
  const rh_registry *registry;
  RH_TRY(rh_context_registry(app->context, (uint64_t)1 << RH_DEFAULT_LOG2_SIZE, &registry, NULL,
                             error));
  const rh_entry *entry = rh_registry_find(registry, app->typed->name);
  if (!entry) return describe_operator(app, registry, error);
  RH_FINISHED(rh_app) with = *app;
  RH_TRY(rh_own_offers_ask(&with, error));
  if (app->typed->json) return print_json(&with, entry, error);
  if (app->typed->quiet) rh_print_path(entry->file->path);
  else print_text(&with, entry);
  return RH_OK;
}
