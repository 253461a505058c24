#include "internal.h"

/* A colon-separated list, called `from` in notes.  Relative elements are ignored: they would
 * refer to the current directory, where any user may have put a file. */
static void search_list(rh_walk *walk, const char *list, const char *from) {
  for (const char *at = list; at;) {
    size_t length = strcspn(at, ":");
    char *directory = strndup(at, length);
    if (!directory) walk->failed = 1;
    else if (length == 0) rh_walk_note(walk, "%s: an empty element is ignored", from);
    else if (directory[0] != '/')
      rh_walk_note(walk, "%s: '%s' is relative and ignored", from, directory);
    else rh_walk_directory(walk, directory, 0, from);
    free(directory);
    at = at[length] ? at + length + 1 : NULL;
  }
}

/* Where one sort of files is. */
struct rh_walk_places {
  const char *variable;   /* of the environment */
  const char *below_home; /* below the user's directory for data */
  const char *own;        /* below the library's directory */
  const char *compiled;   /* the installed one */
};
static const rh_walk_places plugin_places = {"REDHOST_PLUGIN_PATH", "redhost/plugins-1",
                                             "redhost-1", REDHOST_PLUGIN_DIR};
static const rh_walk_places transport_places = {"REDHOST_TRANSPORT_PATH", "redhost/transports-1",
                                                "transports-1", REDHOST_TRANSPORT_DIR};

/* The environment's plugin path, ignored if another user may have set it. */
static void search_environment(rh_walk *walk) {
  const char *list = rh_env(walk->places->variable);
  if (rh_is_privileged()) {
    if (list)
      rh_walk_note(walk, "%s: ignored, the program runs with raised privileges",
                   walk->places->variable);
    rh_walk_note(walk,
                 "the user's plugin directory: ignored, the program runs with raised privileges");
    return;
  }
  if (list) search_list(walk, list, walk->places->variable);
  errno = 0;
  char *home = rh_path_data_home();
  char *directory = home ? rh_path_join(home, walk->places->below_home) : NULL;
  if (!directory && (home || errno == ENOMEM)) walk->failed = 1;
  if (directory) rh_walk_directory(walk, directory, 0, NULL);
  free(directory);
  free(home);
}

static void remember_home(rh_walk *walk, const char *directory, size_t known) {
  (void)known;
  rh_walk_home(walk, directory);
}

static void search_one(rh_walk *walk, const char *directory, size_t known) {
  rh_walk_directory(walk, directory, known, NULL);
}

/* Passes each of redhost's own directories to `visit`.  The library's directory is trusted:
 * anybody who can change it can change the library, too. */
static void for_installed(rh_walk *walk,
                          void (*visit)(rh_walk *walk, const char *directory, size_t known)) {
  char *library = rh_path_library_dir();
  char *directory = library ? rh_path_join(library, walk->places->own) : NULL;
  if (directory) visit(walk, directory, strlen(library));
  else if (visit == search_one) rh_walk_lost(walk, "the directory of redhost's own plugins", errno);
  free(directory);
  free(library);
  visit(walk, walk->places->compiled, 0);
}

int rh_discovery_names_plugin(const rh_options *options) {
  const char *file = options ? options->plugin_file : NULL;
  return file && *file && !rh_is_operator_file(file);
}

/* The one file that was requested by name: it must exist, and its directory may belong to any
 * user. */
static rh_status search_file(rh_walk *walk, const char *name, rh_error *error) {
  struct stat st;
  if (stat(name, &st) != 0)
    return rh_fail(error, RH_E_FILE, "plugin %s: %s", name, strerror(errno));
  if (S_ISDIR(st.st_mode))
    return rh_fail(error, RH_E_FILE,
                   "plugin %s: is a directory; to search one, name it in the plugin path", name);
  if (!S_ISREG(st.st_mode))
    return rh_fail(error, RH_E_FILE, "plugin %s: is not a regular file", name);
  char *path = realpath(name, NULL);
  if (!path) return rh_fail(error, RH_E_FILE, "plugin %s: %s", name, strerror(errno));
  if (rh_is_operator_file(name) == walk->operators) rh_walk_single(walk, path, &st);
  free(path);
  return RH_OK;
}

static rh_status discover(rh_discovery *search, const rh_walk_places *places, int operators,
                          const rh_options *options, rh_error *error) {
  rh_walk walk = {.search = search, .operators = operators, .places = places};
  const char *file = options ? options->plugin_file : NULL;
  const char *path = options ? options->plugin_path : NULL;
  memset(search, 0, sizeof *search);
  for_installed(&walk, remember_home);
  rh_status status = file && *file ? search_file(&walk, file, error) : RH_OK;
  if (status == RH_OK) {
    if (path && *path) search_list(&walk, path, "the plugin path");
    search_environment(&walk);
    for_installed(&walk, search_one);
    search->searched = rh_copy_string(rh_text_get(&walk.searched));
    if (walk.failed || walk.searched.failed || !search->searched)
      status = rh_fail(error, RH_E_NOMEM, "no memory to list the plugins");
  }
  rh_walk_finish(&walk);
  if (status != RH_OK) rh_discovery_finish(search);
  return status;
}

rh_status rh_discover(rh_discovery *search, const rh_options *options, rh_error *error) {
  return discover(search, &plugin_places, 0, options, error);
}

rh_status rh_discover_operators(rh_discovery *search, const rh_options *options, rh_error *error) {
  return discover(search, &plugin_places, 1, options, error);
}

rh_status rh_discover_transports(rh_discovery *search, const char *file, rh_error *error) {
  const rh_options options = {.struct_size = sizeof options, .plugin_file = file};
  return discover(search, &transport_places, 0, &options, error);
}

void rh_discovery_finish(rh_discovery *search) {
  for (uint32_t k = 0; k < search->n; k++) {
    free(search->candidates[k].path);
    free(search->candidates[k].refused);
  }
  for (uint32_t k = 0; k < search->n_notes; k++) free(search->notes[k]);
  free(search->candidates);
  free(search->notes);
  free(search->searched);
  memset(search, 0, sizeof *search);
}
