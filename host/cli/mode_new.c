/* redhost --new-plugin, --new-operator and --new-transport NAME [DIR] */
#include "../core/base/error.h"
#include "../core/base/path.h"
#include "../core/plug/plugin.h"
#include "../engine/ranks/transports.h"
#include "../operators/catalog/catalog.h"
#include "app.h"
#include "template.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An operator of that name would hide a new one or be hidden by it, and --info of a plugin's would
 * be of one of the two. */
static rh_status check_is_no_operator(const rh_app *app, const char *name, rh_error *error) {
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

/* An existing strategy of that name would hide the new one or be hidden by it. */
static rh_status check_is_no_strategy(const rh_app *app, const char *name, rh_error *error) {
  rh_registry registry;
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

/* Several files may offer one transport, as the two of MPI do; a new one that is not meant to
 * should not be taken for them. */
static rh_status check_is_no_transport(const char *name, rh_error *error) {
  rh_transport_list list;
  RH_TRY(rh_transports_list(&list, error));
  rh_status status = RH_OK;
  for (uint32_t k = 0; k < list.n && status == RH_OK; k++) {
    const rh_transport_entry *entry = &list.entries[k];
    if (entry->transport && strcmp(entry->transport->name, name) == 0)
      status = rh_fail(
          error, RH_E_USAGE, "there is a transport '%s' already, %s%s; choose another name", name,
          entry->path ? "in " : "which comes with ", entry->path ? entry->path : "redhost");
  }
  rh_transports_finish(&list);
  return status;
}

/* Writes the files and prints their names. */
static rh_status create(rh_template kind, const char *name, const char *directory,
                        rh_error *error) {
  rh_text files = {0};
  rh_status status = rh_template_write(kind, name, directory, &files, error);
  if (status == RH_OK) printf("%s:%s\n", directory, rh_text_get(&files));
  rh_text_finish(&files);
  return status;
}

/* ---- Commands to type next ---- */

/* Quoted for a shell, if it has to be. */
static void print_word(const char *word) {
  rh_text text = {0};
  rh_text_add_word(&text, word);
  fputs(rh_text_get(&text), stdout);
  rh_text_finish(&text);
}

/* Does typing "redhost" start this program? */
static int is_in_path(const char *program) {
  const char *path = rh_env("PATH");
  char *own = realpath(program, NULL), *found = NULL;
  while (path && !found) {
    size_t length = strcspn(path, ":");
    char *directory = strndup(path, length);
    char *typed = directory ? rh_path_join(length ? directory : ".", "redhost") : NULL;
    if (typed && access(typed, X_OK) == 0) found = realpath(typed, NULL);
    free(typed);
    free(directory);
    path = path[length] ? path + length + 1 : NULL;
  }
  int is = own && found && strcmp(own, found) == 0;
  free(found);
  free(own);
  return is;
}

/* The pkg-config directory of this redhost; null if its SDK is not installed. */
static char *find_sdk(void) {
  char *library = rh_path_library_dir();
  char *directory = library ? rh_path_join(library, "pkgconfig") : NULL;
  char *file = directory ? rh_path_join(directory, "redhost-plugin.pc") : NULL;
  if (!file || access(file, R_OK) != 0) {
    free(directory);
    directory = NULL;
  }
  free(file);
  free(library);
  return directory;
}

static void print_no_sdk(void) {
  printf("\nmake looks for redhost-plugin.pc: name its directory in PKG_CONFIG_PATH.\n");
}

/* "cd DIRECTORY" and "make", with the SDK's place if make does not find it by the redhost in PATH,
 * and the indentation of a third line, for which it returns the name of this program. */
static const char *print_make(const rh_app *app, const char *directory, int *has_sdk) {
  const char *program = app->context->options.program;
  int is_usual = is_in_path(program);
  char *sdk = find_sdk();
  *has_sdk = sdk != NULL;
  printf("\n  cd ");
  print_word(directory);
  printf("\n  ");
  if (sdk && !is_usual) {
    printf("PKG_CONFIG_PATH=");
    print_word(sdk);
    putchar(' ');
  }
  printf("make\n  ");
  free(sdk);
  return is_usual ? "redhost" : program;
}

/* ---- Plugins ---- */

rh_status rh_mode_new_plugin(const rh_app *app, rh_error *error) {
  const char *name = app->typed->name;
  const char *directory = app->typed->n_operands ? app->typed->operands[0] : name;
  int has_sdk, is_package = app->typed->python != 0;
  if (!rh_strategy_name_is_valid(name))
    return rh_fail(error, RH_E_USAGE,
                   "--new-plugin '%s': a name is made of a-z, 0-9, _ and -, begins with a letter "
                   "or a digit, and is not longer than 63",
                   name);
  if (strcmp(name, "auto") == 0)
    return rh_fail(error, RH_E_USAGE,
                   "--new-plugin auto: --run auto is the best strategy; choose another name");
  if (is_package && !isalnum((unsigned char)name[strlen(name) - 1]))
    return rh_fail(error, RH_E_USAGE,
                   "--new-plugin %s --python: a package's name ends with a letter or a digit",
                   name);
  RH_TRY(check_is_no_operator(app, name, error));
  RH_TRY(check_is_no_strategy(app, name, error));
  RH_TRY(create(is_package ? RH_TEMPLATE_PYTHON : RH_TEMPLATE_PLUGIN, name, directory, error));
  const char *redhost = print_make(app, directory, &has_sdk);
  print_word(redhost);
  printf(" --plugin ./%s.so --run %s\n  ", name, name);
  print_word(redhost);
  printf(" --verify ./%s.so\n", name);
  if (is_package) printf("  pip install .\n");
  if (!has_sdk) print_no_sdk();
  return RH_OK;
}

/* ---- Transports ---- */

rh_status rh_mode_new_transport(const rh_app *app, rh_error *error) {
  const char *name = app->typed->name;
  const char *directory = app->typed->n_operands ? app->typed->operands[0] : name;
  int has_sdk;
  if (!rh_transport_name_is_valid(name))
    return rh_fail(error, RH_E_USAGE,
                   "--new-transport '%s': a name is made of a-z, 0-9, - and _, and is not longer "
                   "than 31",
                   name);
  RH_TRY(check_is_no_transport(name, error));
  RH_TRY(create(RH_TEMPLATE_TRANSPORT, name, directory, error));
  const char *redhost = print_make(app, directory, &has_sdk);
  printf("./run-%s 3 ", name);
  print_word(redhost);
  printf(" --run auto -n 1e6 --transport ./%s.so\n  ", name);
  print_word(redhost);
  printf(" --verify ./%s.so --launch './run-%s {n}'\n", name, name);
  if (!has_sdk) print_no_sdk();
  return RH_OK;
}

/* ---- Operators ---- */

static void print_next(const rh_app *app, rh_template kind, const char *directory,
                       const char *name) {
  const char *program = app->context->options.program;
  rh_text path = {0};
  if (is_in_path(program)) program = "redhost";
  rh_text_add(&path, "%s/%s.op.json", directory, name);
  printf("\n  ");
  print_word(program);
  printf(" --run auto --op ");
  print_word(rh_text_get(&path));
  printf(" -n 1e6\n");
  if (kind == RH_TEMPLATE_OPERATOR) { /* laws of OpenCL C are not examined */
    printf("  ");
    print_word(program);
    printf(" --verify-op ");
    print_word(rh_text_get(&path));
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
  rh_template kind = take_suffix(app->typed->name, name, sizeof name);
  if (!rh_definition_name_is_valid(name))
    return rh_fail(error, RH_E_USAGE,
                   "--new-operator '%s': a name is made of letters, digits and _, does not begin "
                   "with a digit, is not longer than 63, and is not i, n, inf or nan",
                   name);
  RH_TRY(check_is_no_operator(app, name, error));
  RH_TRY(create(kind, name, directory, error));
  print_next(app, kind, directory, name);
  return RH_OK;
}
