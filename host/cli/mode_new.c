/* redhost --new-plugin, --new-operator and --new-transport NAME [DIR]: write sdk/template,
 * sdk/operator and sdk/transport under another name. */
#include "../core/base/bytes.h"
#include "../core/base/error.h"
#include "../core/base/path.h"
#include "../core/plug/plugin.h"
#include "../engine/ranks/transports.h"
#include "../operators/catalog/catalog.h"
#include "app.h"

#include "operator_code_example_cl.h"
#include "operator_code_example_op_json.h"
#include "operator_example_op_json.h"
#include "template_CMakeLists_txt.h"
#include "template_Makefile.h"
#include "template_README_md.h"
#include "template_example_c.h"
#include "template_example_cl.h"
#include "template_pyproject_toml.h"
#include "transport_CMakeLists_txt.h"
#include "transport_Makefile.h"
#include "transport_README_md.h"
#include "transport_example_c.h"
#include "transport_run_example.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

enum {
  PLUGIN = 1,
  PYTHON = 2,   /* what a plugin needs for pip */
  OPERATOR = 4, /* by expressions */
  CODE = 8,     /* by OpenCL C */
  TRANSPORT = 16
};

static const struct {
  int kind;
  const char *name, *text;
} template[] = {
    {PLUGIN, "example.c", template_example_c},
    {PLUGIN, "example.cl", template_example_cl},
    {PLUGIN, "CMakeLists.txt", template_CMakeLists_txt},
    {PLUGIN, "Makefile", template_Makefile},
    {PLUGIN, "README.md", template_README_md},
    {PYTHON, "pyproject.toml", template_pyproject_toml},
    {TRANSPORT, "example.c", transport_example_c},
    {TRANSPORT, "run-example", transport_run_example},
    {TRANSPORT, "CMakeLists.txt", transport_CMakeLists_txt},
    {TRANSPORT, "Makefile", transport_Makefile},
    {TRANSPORT, "README.md", transport_README_md},
    {OPERATOR, "example.op.json", operator_example_op_json},
    {CODE, "example.op.json", operator_code_example_op_json},
    {CODE, "example.cl", operator_code_example_cl},
};
enum { N_FILES = sizeof template / sizeof *template };

/* What is written. */
typedef struct new_files {
  const rh_app *app;
  int kinds; /* of files, in one word */
  const char *name, *directory;
  rh_text names; /* of the written files, a space before each */
  rh_text next;  /* commands to type */
} new_files;

/* ---- Files ---- */

/* The placeholder for the name, also in the template's file names. */
static const char stand_in[] = "example";

/* The name as a C identifier: without dashes or a leading digit, as redhost_add_plugin() makes
 * it. */
static void add_c_name(rh_text *text, const char *name) {
  if (isdigit((unsigned char)name[0])) rh_text_append(text, "x", 1);
  for (; *name; name++) rh_text_append(text, *name == '-' ? "_" : name, 1);
}

/* The kernel's text, NAME_cl, and Python's redhost_NAME need the name as an identifier; elsewhere
 * it is used unchanged. */
static int is_identifier(const char *from, const char *at) {
  static const char package[] = "redhost_";
  size_t length = sizeof package - 1;
  return strncmp(at + strlen(stand_in), "_cl", 3) == 0 ||
         ((size_t)(at - from) >= length && strncmp(at - length, package, length) == 0);
}

static void fill_in(rh_text *text, const char *from, const char *name) {
  for (const char *at; (at = strstr(from, stand_in)); from = at + strlen(stand_in)) {
    rh_text_append(text, from, (size_t)(at - from));
    if (is_identifier(from, at))
      add_c_name(text, name);
    else
      rh_text_add(text, "%s", name);
  }
  rh_text_add(text, "%s", from);
}

/* Creates a new, complete file or none.  A script may be executed. */
static rh_status write_file(const char *path, const rh_text *text, rh_error *error) {
  mode_t mode = strncmp(rh_text_get(text), "#!", 2) == 0 ? 0777 : 0666;
  int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (file < 0 && errno == EEXIST)
    return rh_fail(error, RH_E_FILE, "%s exists already; name another directory", path);
  if (file < 0) return rh_fail(error, RH_E_FILE, "%s: %s", path, strerror(errno));
  int failed = rh_write_all(file, rh_text_get(text), text->length, 0) != 0 ? errno : 0;
  if (close(file) != 0 && !failed) failed = errno;
  if (!failed) return RH_OK;
  unlink(path);
  return rh_fail(error, RH_E_FILE, "%s: %s", path, strerror(failed));
}

static rh_status check_empty(const char *directory, rh_error *error) {
  DIR *open_directory = opendir(directory);
  if (!open_directory) return rh_fail(error, RH_E_FILE, "%s: %s", directory, strerror(errno));
  int n = 0;
  for (const struct dirent *entry; (entry = readdir(open_directory));)
    n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
  closedir(open_directory);
  return n ? rh_fail(error, RH_E_FILE, "%s holds files already; name an empty or a new directory",
                     directory)
           : RH_OK;
}

/* An operator stands beside other files. */
static rh_status make_directory(const new_files *to, int *made, rh_error *error) {
  *made = mkdir(to->directory, 0777) == 0;
  if (*made) return RH_OK;
  if (errno != EEXIST) return rh_fail(error, RH_E_FILE, "%s: %s", to->directory, strerror(errno));
  return to->kinds & (OPERATOR | CODE) ? RH_OK : check_empty(to->directory, error);
}

/* *path: the path of the file, or null. */
static rh_status write_one(new_files *to, size_t k, char **path, rh_error *error) {
  rh_text file_name = {0}, text = {0};
  fill_in(&file_name, template[k].name, to->name);
  fill_in(&text, template[k].text, to->name);
  rh_text_add(&to->names, " %s", rh_text_get(&file_name));
  *path = rh_path_join(to->directory, rh_text_get(&file_name));
  rh_status status = !*path || text.failed || file_name.failed || to->names.failed
                         ? rh_fail(error, RH_E_NOMEM, "no memory for a template")
                         : write_file(*path, &text, error);
  if (status != RH_OK) {
    free(*path);
    *path = NULL;
  }
  rh_text_finish(&file_name);
  rh_text_finish(&text);
  return status;
}

/* Into the directory, which is created if it is missing.  All or nothing: after a failure, begun
 * files are removed. */
static rh_status write_files(new_files *to, rh_error *error) {
  char *paths[N_FILES] = {0};
  int made;
  RH_TRY(make_directory(to, &made, error));
  rh_status status = RH_OK;
  for (size_t k = 0; k < N_FILES && status == RH_OK; k++)
    if (template[k].kind & to->kinds) status = write_one(to, k, &paths[k], error);
  for (size_t k = N_FILES; k-- > 0;) {
    if (paths[k] && status != RH_OK) unlink(paths[k]);
    free(paths[k]);
  }
  if (status != RH_OK && made) rmdir(to->directory);
  return status;
}

/* ---- Names that are taken: one would hide the other ---- */

static rh_status taken(const char *what, const char *name, const char *path, rh_error *error) {
  return rh_fail(error, RH_E_USAGE, "there is %s '%s' already, %s%s; choose another name", what,
                 name, path ? "in " : "which comes with ", path ? path : "redhost");
}

/* Of a plugin's name, too: --info would be of one of the two. */
static rh_status check_is_no_operator(const new_files *to, rh_error *error) {
  rh_catalog catalog;
  RH_TRY(rh_catalog_scan(&catalog, &to->app->context->options, error));
  const rh_catalog_entry *entry = rh_catalog_find(&catalog, to->name);
  rh_status status = entry ? taken("an operator", to->name, entry->path, error) : RH_OK;
  rh_catalog_finish(&catalog);
  return status;
}

static rh_status check_is_no_strategy(const new_files *to, rh_error *error) {
  rh_registry registry;
  RH_TRY(rh_registry_scan(&registry, &to->app->context->options, NULL, 0, error));
  const rh_entry *entry = rh_registry_find(&registry, to->name);
  rh_status status = entry ? taken("a strategy", to->name, entry->path, error) : RH_OK;
  rh_registry_finish(&registry);
  return status;
}

/* Several files may offer one transport, as the two of MPI do; a new one that is not meant to
 * should not be taken for them. */
static rh_status check_is_no_transport(const new_files *to, rh_error *error) {
  rh_transport_list list;
  RH_TRY(rh_transports_list(&list, error));
  rh_status status = RH_OK;
  for (uint32_t k = 0; k < list.n && status == RH_OK; k++) {
    const rh_transport_entry *entry = &list.entries[k];
    if (entry->transport && strcmp(entry->transport->name, to->name) == 0)
      status = taken("a transport", to->name, entry->path, error);
  }
  rh_transports_finish(&list);
  return status;
}

/* ---- Commands to type next ---- */

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

/* As it is typed. */
static const char *program_of(const new_files *to) {
  const char *program = to->app->context->options.program;
  return is_in_path(program) ? "redhost" : program;
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

/* "cd DIRECTORY" and "make", with the SDK's place if make does not find it by the redhost in
 * PATH. */
static void add_make(new_files *to, const char *sdk) {
  rh_text_add(&to->next, "\n  cd ");
  rh_text_add_word(&to->next, to->directory);
  rh_text_add(&to->next, "\n  ");
  if (sdk && strcmp(program_of(to), "redhost") != 0) {
    rh_text_add(&to->next, "PKG_CONFIG_PATH=");
    rh_text_add_word(&to->next, sdk);
    rh_text_add(&to->next, " ");
  }
  rh_text_add(&to->next, "make\n");
}

/* Begins a line with the program's name, quoted for a shell if it has to be. */
static void add_program(new_files *to, const char *before) {
  rh_text_add(&to->next, "  %s", before);
  rh_text_add_word(&to->next, program_of(to));
}

static void add_plugin_commands(new_files *to) {
  add_program(to, "");
  rh_text_add(&to->next, " --plugin ./%s.so --run %s\n", to->name, to->name);
  add_program(to, "");
  rh_text_add(&to->next, " --verify ./%s.so\n", to->name);
  if (to->kinds & PYTHON) rh_text_add(&to->next, "  pip install .\n");
}

static void add_transport_commands(new_files *to) {
  rh_text_add(&to->next, "  ./run-%s 3 ", to->name);
  rh_text_add_word(&to->next, program_of(to));
  rh_text_add(&to->next, " --run auto -n 1e6 --transport ./%s.so\n", to->name);
  add_program(to, "");
  rh_text_add(&to->next, " --verify ./%s.so --launch './run-%s {n}'\n", to->name, to->name);
}

static void add_operator_commands(new_files *to) {
  rh_text path = {0};
  rh_text_add(&path, "%s/%s.op.json", to->directory, to->name);
  add_program(to, "");
  rh_text_add(&to->next, " --run auto --op ");
  rh_text_add_word(&to->next, rh_text_get(&path));
  rh_text_add(&to->next, " -n 1e6\n");
  if (to->kinds == OPERATOR) { /* laws of OpenCL C are not examined */
    add_program(to, "");
    rh_text_add(&to->next, " --verify-op ");
    rh_text_add_word(&to->next, rh_text_get(&path));
    rh_text_add(&to->next, "\n");
  }
  rh_text_finish(&path);
}

static void add_commands(new_files *to) {
  if (to->kinds & (OPERATOR | CODE)) {
    rh_text_add(&to->next, "\n");
    add_operator_commands(to);
    return;
  }
  char *sdk = find_sdk();
  add_make(to, sdk);
  if (to->kinds & PLUGIN)
    add_plugin_commands(to);
  else
    add_transport_commands(to);
  if (!sdk)
    rh_text_add(&to->next, "\nmake looks for redhost-plugin.pc: name its directory in "
                           "PKG_CONFIG_PATH.\n");
  free(sdk);
}

/* ---- The modes ---- */

/* Writes the files, and prints their names and what to type next. */
static rh_status create(new_files *to, rh_error *error) {
  rh_status status = write_files(to, error);
  if (status == RH_OK) {
    add_commands(to);
    printf("%s:%s\n%s", to->directory, rh_text_get(&to->names), rh_text_get(&to->next));
  }
  rh_text_finish(&to->names);
  rh_text_finish(&to->next);
  return status;
}

/* What the command line says; directory: where it names none. */
static new_files files_of(const rh_app *app, int kinds, const char *name, const char *directory) {
  const rh_typed *typed = app->typed;
  return (new_files){.app = app,
                     .kinds = kinds,
                     .name = name,
                     .directory = typed->n_operands ? typed->operands[0] : directory};
}

rh_status rh_mode_new_plugin(const rh_app *app, rh_error *error) {
  const char *name = app->typed->name;
  new_files to = files_of(app, app->typed->python ? PLUGIN | PYTHON : PLUGIN, name, name);
  if (!rh_strategy_name_is_valid(name))
    return rh_fail(error, RH_E_USAGE,
                   "--new-plugin '%s': a name is made of a-z, 0-9, _ and -, begins with a letter "
                   "or a digit, and is not longer than 63",
                   name);
  if (strcmp(name, "auto") == 0)
    return rh_fail(error, RH_E_USAGE,
                   "--new-plugin auto: --run auto is the best strategy; choose another name");
  if (app->typed->python && !isalnum((unsigned char)name[strlen(name) - 1]))
    return rh_fail(error, RH_E_USAGE,
                   "--new-plugin %s --python: a package's name ends with a letter or a digit",
                   name);
  RH_TRY(check_is_no_operator(&to, error));
  RH_TRY(check_is_no_strategy(&to, error));
  return create(&to, error);
}

rh_status rh_mode_new_transport(const rh_app *app, rh_error *error) {
  const char *name = app->typed->name;
  new_files to = files_of(app, TRANSPORT, name, name);
  if (!rh_transport_name_is_valid(name))
    return rh_fail(error, RH_E_USAGE,
                   "--new-transport '%s': a name is made of a-z, 0-9, - and _, and is not longer "
                   "than 31",
                   name);
  RH_TRY(check_is_no_transport(&to, error));
  return create(&to, error);
}

/* "far.cl" is `far` in OpenCL C. */
rh_status rh_mode_new_operator(const rh_app *app, rh_error *error) {
  char name[RH_OPERATOR_NAME_BYTES + 4];
  const char *typed = app->typed->name;
  size_t length = strlen(typed);
  int is_code = length > 3 && strcmp(typed + length - 3, ".cl") == 0;
  new_files to = files_of(app, is_code ? CODE : OPERATOR, name, ".");
  snprintf(name, sizeof name, "%.*s", (int)(is_code ? length - 3 : length), typed);
  if (!rh_definition_name_is_valid(name))
    return rh_fail(error, RH_E_USAGE,
                   "--new-operator '%s': a name is made of letters, digits and _, does not begin "
                   "with a digit, is not longer than 63, and is not i, n, inf or nan",
                   name);
  RH_TRY(check_is_no_operator(&to, error));
  return create(&to, error);
}
