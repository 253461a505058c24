/* redhost --new-operator NAME [DIR], or NAME.cl */
#include "../core/base/error.h"
#include "../operators/catalog/catalog.h"
#include "app.h"
#include "next.h"
#include "template.h"

#include <string.h>

/* An operator of that name would hide the new one or be hidden by it. */
static rh_status check_is_new(const rh_app *app, const char *name, rh_error *error) {
  rh_catalog catalog;
  RH_TRY(rh_catalog_scan(&catalog, &app->context->options, error));
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

static void print_next(const rh_app *app, rh_template kind, const char *directory, const char *name,
                       const char *files) {
  const char *program = app->context->options.program;
  rh_text path = {0};
  if (rh_is_in_path(program)) program = "redhost";
  rh_text_add(&path, "%s/%s.op.json", directory, name);
  printf("%s:%s\n\n  ", directory, files);
  rh_print_word(program);
  printf(" --run auto --op ");
  rh_print_word(rh_text_get(&path));
  printf(" -n 1e6\n");
  if (kind == RH_TEMPLATE_OPERATOR) { /* laws of OpenCL C are not examined */
    printf("  ");
    rh_print_word(program);
    printf(" --verify-op ");
    rh_print_word(rh_text_get(&path));
    putchar('\n');
  }
  rh_text_finish(&path);
}

/* "far.cl" is `far` in OpenCL C. */
static rh_template take_suffix(const char *typed, char *name, size_t bytes) {
  static const char suffix[] = ".cl";
  size_t length = strlen(typed), ending = sizeof suffix - 1;
  int has = length > ending && strcmp(typed + length - ending, suffix) == 0;
  snprintf(name, bytes, "%.*s", (int)(has ? length - ending : length), typed);
  return has ? RH_TEMPLATE_CODE : RH_TEMPLATE_OPERATOR;
}

rh_status rh_mode_new_operator(const rh_app *app, rh_error *error) {
  char name[RH_OPERATOR_NAME_BYTES + 4];
  const char *directory = app->typed->n_operands ? app->typed->operands[0] : ".";
  rh_text files = {0};
  rh_template kind = take_suffix(app->typed->name, name, sizeof name);
  RH_TRY(check_name(app, name, error));
  rh_status status = rh_template_write(kind, name, directory, &files, error);
  if (status == RH_OK) print_next(app, kind, directory, name, rh_text_get(&files));
  rh_text_finish(&files);
  return status;
}
