/* redhost --new-operator NAME [DIR] */
#include "../core/base/error.h"
#include "../core/base/path.h"
#include "../core/base/vocabulary.h"
#include "../core/catalog/catalog.h"
#include "app.h"
#include "next.h"
#include "template.h"

#include <stdlib.h>
#include <string.h>

/* An operator of that name would hide the new one or be hidden by it. */
static rh_status check_is_new(const rh_app *app, const char *name, rh_error *error) {
  rh_catalog catalog;
  RH_TRY(rh_catalog_scan(&catalog, &app->redhost->options, error));
  const rh_catalog_entry *entry = rh_catalog_find(&catalog, name);
  rh_status status = RH_OK;
  if (entry)
    status = rh_fail(
        error, RH_E_USAGE, "there is an operator '%s' already, %s%s; choose another name", name,
        entry->path ? "in " : "which comes with ", entry->path ? entry->path : "redhost");
  rh_catalog_finish(&catalog);
  return status;
}

static rh_status check_name(const rh_app *app, const char *name, rh_error *error) {
  if (!rh_definition_name_is_valid(name))
    return rh_fail(error, RH_E_USAGE,
                   "--new-operator '%s': a name is made of letters, digits and _, does not begin "
                   "with a digit, is not longer than 63, and is not i, n, inf or nan",
                   name);
  return check_is_new(app, name, error);
}

static void print_next(const rh_app *app, const char *path) {
  const char *program = app->redhost->options.program;
  if (rh_is_in_path(program)) program = "redhost";
  printf("%s\n\n  ", path);
  rh_print_word(program);
  printf(" --run auto --op ");
  rh_print_word(path);
  printf(" -n 1e6\n");
}

rh_status rh_mode_new_operator(const rh_app *app, rh_error *error) {
  const char *name = app->typed->name;
  const char *directory = app->typed->n_operands ? app->typed->operands[0] : ".";
  rh_text files = {0};
  RH_TRY(check_name(app, name, error));
  rh_status status = rh_template_write(RH_TEMPLATE_OPERATOR, name, directory, &files, error);
  char *path = status == RH_OK ? rh_path_join(directory, rh_text_get(&files) + 1) : NULL;
  if (path) print_next(app, path);
  free(path);
  rh_text_finish(&files);
  return status;
}
