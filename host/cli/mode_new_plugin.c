/* redhost --new-plugin NAME [DIR] */
#include "../core/base/error.h"
#include "../core/plug/plugin.h"
#include "../operators/catalog/catalog.h"
#include "app.h"
#include "next.h"
#include "template.h"

#include <string.h>

/* --info NAME would be of one of the two. */
static rh_status check_is_no_operator(const rh_app *app, const char *name, rh_error *error) {
  rh_catalog catalog;
  rh_status status = RH_OK;
  RH_TRY(rh_catalog_scan(&catalog, &app->context->options, error));
  if (rh_catalog_find(&catalog, name))
    status = rh_fail(error, RH_E_USAGE,
                     "there is an operator '%s', which --op and --info mean by that name; choose "
                     "another name",
                     name);
  rh_catalog_finish(&catalog);
  return status;
}

/* An existing strategy of that name would hide the new one or be hidden by it. */
static rh_status check_is_new(const rh_app *app, const char *name, rh_error *error) {
  rh_registry registry;
  RH_TRY(check_is_no_operator(app, name, error));
  RH_TRY(rh_registry_scan(&registry, &app->context->options, NULL, 0, error));
  const rh_entry *entry = rh_registry_find(&registry, name);
  rh_status status = RH_OK;
  if (entry)
    status =
        rh_fail(error, RH_E_USAGE, "there is a strategy '%s' already, in %s; choose another name",
                name, entry->path);
  rh_registry_finish(&registry);
  return status;
}

static rh_status check_name(const rh_app *app, const char *name, rh_error *error) {
  if (!rh_strategy_name_is_valid(name))
    return rh_fail(error, RH_E_USAGE,
                   "--new-plugin '%s': a name is made of a-z, 0-9, _ and -, begins with a letter "
                   "or a digit, and is not longer than 63",
                   name);
  if (strcmp(name, "auto") == 0)
    return rh_fail(error, RH_E_USAGE,
                   "--new-plugin auto: --run auto is the best strategy; choose another name");
  return check_is_new(app, name, error);
}

static void print_next(const char *program, const char *name, const char *directory) {
  int has_sdk = rh_print_make(program, directory);
  const char *redhost = rh_is_in_path(program) ? "redhost" : program;
  rh_print_word(redhost);
  printf(" --plugin ./%s.so --run %s\n  ", name, name);
  rh_print_word(redhost);
  printf(" --verify ./%s.so\n", name);
  if (!has_sdk) rh_print_no_sdk();
}

rh_status rh_mode_new_plugin(const rh_app *app, rh_error *error) {
  const char *name = app->typed->name;
  const char *directory = app->typed->n_operands ? app->typed->operands[0] : name;
  rh_text files = {0};
  RH_TRY(check_name(app, name, error));
  rh_status status = rh_template_write(RH_TEMPLATE_PLUGIN, name, directory, &files, error);
  if (status == RH_OK) {
    printf("%s:%s\n", directory, rh_text_get(&files));
    print_next(app->context->options.program, name, directory);
  }
  rh_text_finish(&files);
  return status;
}
