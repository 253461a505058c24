/* redhost --new-plugin, --new-operator and --new-transport NAME [DIR]: write sdk/template,
 * sdk/operator and sdk/transport under another name. */
#include <dirent.h>

#include "app.h"
#include "templates.h"

/* Which files are written. */
enum { PLUGIN, PYTHON, OPERATOR, CODE, TRANSPORT };

static const char *const folders[] = {[PLUGIN] = "template",
                                      [PYTHON] = "template",
                                      [OPERATOR] = "operator",
                                      [CODE] = "operator/code",
                                      [TRANSPORT] = "transport"};
static const struct {
  const char *folder, *name, *text; /* of sdk/ */
} template[] = {TEMPLATE_ROWS};
enum { N_FILES = sizeof template / sizeof *template };

typedef struct new_files {
  const rh_app *app;
  int kind;
  const char *name, *directory;
  rh_text *names; /* of the written files, a space before each */
} new_files;

static int is_operator(const new_files *to) { return to->kind == OPERATOR || to->kind == CODE; }

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
static void fill_in(rh_text *text, const char *from, const char *name) {
  static const char package[] = "redhost_";
  for (const char *at; (at = strstr(from, stand_in)); from = at + strlen(stand_in)) {
    rh_text_append(text, from, (size_t)(at - from));
    int is_package = text->length >= strlen(package) &&
                     strcmp(text->s + text->length - strlen(package), package) == 0;
    if (is_package || strncmp(at + strlen(stand_in), "_cl", 3) == 0) add_c_name(text, name);
    else rh_text_add(text, "%s", name);
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
  return is_operator(to) ? RH_OK : check_empty(to->directory, error);
}

static int belongs(const new_files *to, size_t k) {
  int is_of_python = strcmp(template[k].name, "pyproject.toml") == 0;
  return strcmp(template[k].folder, folders[to->kind]) == 0 &&
         (!is_of_python || to->kind == PYTHON);
}

static rh_status write_one(const new_files *to, size_t k, char **path, rh_error *error) {
  RH_FINISHED(rh_text) file_name = {0};
  RH_FINISHED(rh_text) text = {0};
  fill_in(&file_name, template[k].name, to->name);
  fill_in(&text, template[k].text, to->name);
  rh_text_add(to->names, " %s", rh_text_get(&file_name));
  RH_FREED(char) at = rh_path_join(to->directory, rh_text_get(&file_name));
  if (!at || text.failed || file_name.failed || to->names->failed)
    return rh_fail(error, RH_E_NOMEM, "no memory for a template");
  RH_TRY(write_file(at, &text, error));
  *path = at;
  at = NULL;
  return RH_OK;
}

/* Into the directory, which is created if it is missing.  All or nothing: after a failure, begun
 * files are removed. */
static rh_status write_files(const new_files *to, rh_error *error) {
  char *paths[N_FILES] = {0};
  int made;
  RH_TRY(make_directory(to, &made, error));
  rh_status status = RH_OK;
  for (size_t k = 0; k < N_FILES && status == RH_OK; k++)
    if (belongs(to, k)) status = write_one(to, k, &paths[k], error);
  for (size_t k = 0; k < N_FILES; k++) {
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

/* Nor of a plugin: --info would be of one of the two. */
static rh_status check_is_no_operator(const rh_app *app, const char *name, rh_error *error) {
  RH_FINISHED(rh_catalog) catalog = {0};
  RH_TRY(rh_catalog_scan(&catalog, &app->context->options, NULL, error));
  const rh_catalog_entry *entry = rh_catalog_find(&catalog, name);
  return entry ? taken("an operator", name, entry->path, error) : RH_OK;
}

/* ---- Commands to type next ---- */

/* The pkg-config directory of this redhost; null if its SDK is not installed. */
static const char *find_sdk(void) {
  RH_FREED(char) library = rh_path_library_dir();
  if (!library) return NULL;
  const char *directory = rh_show("%s/pkgconfig", library);
  return access(rh_show("%s/redhost-plugin.pc", directory), R_OK) == 0 ? directory : NULL;
}

/* Quoted for a shell if it has to be. */
static const char *word_of(const char *text) {
  RH_FINISHED(rh_text) word = {0};
  rh_text_add_word(&word, text);
  return rh_show("%s", rh_text_get(&word));
}

static void print_commands(const new_files *to) {
  const char *name = to->name, *program = to->app->context->options.program;
  RH_FREED(char) in_path = rh_path_search("redhost", X_OK);
  int is_found = rh_is_same_file(in_path, program);
  const char *redhost = word_of(is_found ? "redhost" : program);
  const char *file = word_of(rh_show("%s/%s.op.json", to->directory, name));
  if (is_operator(to)) printf("\n  %s --run auto --op %s -n 1e6\n", redhost, file);
  if (to->kind == OPERATOR) /* laws of OpenCL C are not examined */
    printf("  %s --verify-op %s\n", redhost, file);
  if (is_operator(to)) return;
  const char *sdk = find_sdk();
  /* make is told where the SDK is if it would not find it. */
  printf("\n  cd %s\n  %smake\n", word_of(to->directory),
         sdk && !is_found ? rh_show("PKG_CONFIG_PATH=%s ", word_of(sdk)) : "");
  if (to->kind == TRANSPORT)
    printf("  ./run-%s 3 %s --run auto -n 1e6 --transport ./%s.so\n"
           "  %s --verify ./%s.so --launch './run-%s {n}'\n",
           name, redhost, name, redhost, name, name);
  else
    printf("  %s --plugin ./%s.so --run %s\n  %s --verify ./%s.so\n", redhost, name, name, redhost,
           name);
  if (to->kind == PYTHON) printf("  pip install .\n");
  if (!sdk) printf("\nmake looks for redhost-plugin.pc: name its directory in PKG_CONFIG_PATH.\n");
}

/* ---- The modes ---- */

/* Writes the files, and prints their names and what to type next.  directory: where the command
 * line names none. */
static rh_status create(const rh_app *app, int kind, const char *name, const char *directory,
                        rh_error *error) {
  const rh_typed *typed = app->typed;
  RH_FINISHED(rh_text) names = {0};
  const new_files to = {app, kind, name, typed->n_operands ? typed->operands[0] : directory,
                        &names};
  RH_TRY(write_files(&to, error));
  printf("%s:%s\n", to.directory, rh_text_get(&names));
  print_commands(&to);
  return RH_OK;
}

rh_status rh_mode_new_plugin(const rh_app *app, rh_error *error) {
  const char *name = app->typed->name;
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
  RH_TRY(check_is_no_operator(app, name, error));
  RH_FINISHED(rh_registry) registry = {0};
  RH_TRY(rh_registry_scan(&registry, &app->context->options, NULL, 0, error));
  const rh_entry *entry = rh_registry_find(&registry, name);
  if (entry) return taken("a strategy", name, entry->file->path, error);
  return create(app, app->typed->python ? PYTHON : PLUGIN, name, name, error);
}

rh_status rh_mode_new_transport(const rh_app *app, rh_error *error) {
  const char *name = app->typed->name;
  if (!rh_transport_name_is_valid(name))
    return rh_fail(error, RH_E_USAGE,
                   "--new-transport '%s': a name is made of a-z, 0-9, - and _, and is not longer "
                   "than 31",
                   name);
  /* Several files may offer one transport, as the two of MPI do; a new one that is not meant to
   * should not be taken for them. */
  RH_FINISHED(rh_transport_list) list = {0};
  RH_TRY(rh_transports_list(&list, error));
  for (uint32_t k = 0; k < list.n; k++) {
    const rh_transport_entry *entry = &list.entries[k];
    if (entry->transport && strcmp(entry->transport->name, name) == 0)
      return taken("a transport", name, entry->path, error);
  }
  return create(app, TRANSPORT, name, name, error);
}

/* "far.cl" is `far` in OpenCL C. */
rh_status rh_mode_new_operator(const rh_app *app, rh_error *error) {
  char name[RH_OPERATOR_NAME_BYTES + 4];
  const char *typed = app->typed->name;
  int is_code = rh_has_suffix(typed, ".cl");
  snprintf(name, sizeof name, "%.*s", (int)strlen(typed) - (is_code ? 3 : 0), typed);
  if (!rh_definition_name_is_valid(name))
    return rh_fail(error, RH_E_USAGE,
                   "--new-operator '%s': a name is made of letters, digits and _, does not begin "
                   "with a digit, is not longer than 63, and is not i, n, inf or nan",
                   name);
  RH_TRY(check_is_no_operator(app, name, error));
  return create(app, is_code ? CODE : OPERATOR, name, ".", error);
}
