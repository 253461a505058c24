#include "internal.h"

#include <dirent.h>
#include <fnmatch.h>

/* Where each sort of files is. */
static const struct places {
  const char *variable;   /* of the environment */
  const char *below_home; /* below the user's directory for data */
  const char *own;        /* below the library's directory */
  const char *compiled;   /* the installed one */
} all_places[] = {
    [RH_PLUGINS] = {"REDHOST_PLUGIN_PATH", "redhost/plugins-1", "redhost-1", REDHOST_PLUGIN_DIR},
    [RH_OPERATORS] = {"REDHOST_PLUGIN_PATH", "redhost/plugins-1", "redhost-1", REDHOST_PLUGIN_DIR},
    [RH_TRANSPORTS] = {"REDHOST_TRANSPORT_PATH", "redhost/transports-1", "transports-1",
                       REDHOST_TRANSPORT_DIR}};

typedef struct file_id {
  dev_t device;
  ino_t inode;
} file_id;

/* One directory after another, with the checks of trust. */
typedef struct walk {
  rh_discovery *search;
  const struct places *places;
  int operators;        /* 1: operator files are searched for, else plugins */
  uint32_t place;       /* of the next candidates */
  uint32_t at_home;     /* 1: the next candidates are in redhost's own directory */
  const char *homes[2]; /* redhost's own directories; null: unknown */
  size_t known;         /* trusted prefix of the next paths, see rh_trust_path */
  file_id *seen;        /* files and directories that were visited */
  size_t n_seen;
  rh_text searched;
  int failed; /* out of memory: check once at the end */
} walk;

__attribute__((format(printf, 2, 3))) static void add_note(walk *w, const char *format, ...) {
  va_list args;
  va_start(args, format);
  if (rh_strings_vadd(&w->search->notes, &w->search->n_notes, format, args) != 0) w->failed = 1;
  va_end(args);
}

/* Adds a candidate; `refused` is null or the reason. */
static void add_candidate(walk *w, const char *path, const char *refused, rh_refusal_kind kind) {
  rh_discovery *search = w->search;
  rh_candidate new = {.path = rh_copy_string(path),
                      .place = w->place,
                      .installed = w->at_home,
                      .refused = rh_copy_string(refused),
                      .kind = kind};
  if (!new.path || (refused && !new.refused) ||
      RH_ROOM(&search->candidates, search->n, "", NULL) != RH_OK) {
    free(new.path);
    free(new.refused);
    w->failed = 1;
    return;
  }
  search->candidates[search->n++] = new;
}

/* Adds a file or directory that could not be examined. */
static void add_unread(walk *w, const char *path, const char *what, int code) {
  char reason[256];
  snprintf(reason, sizeof reason, "%s: %s", what, strerror(code));
  add_candidate(w, path, reason, RH_REFUSED_UNREAD);
}

/* 1: it was visited before, for a directory may be listed twice, and a file may have several
 * links. */
static int seen_before(walk *w, const struct stat *st) {
  for (size_t k = 0; k < w->n_seen; k++)
    if (w->seen[k].device == st->st_dev && w->seen[k].inode == st->st_ino) return 1;
  if (RH_ROOM(&w->seen, w->n_seen, "", NULL) != RH_OK) return w->failed = 1;
  w->seen[w->n_seen++] = (file_id){st->st_dev, st->st_ino};
  return 0;
}

/* Nonzero: *reason says why it is not trusted.  Anybody who can change the file can run code as
 * this user. */
static int is_distrusted(const walk *w, const char *path, const struct stat *st, char *reason,
                         size_t bytes) {
  static const char says[] = "is not trusted: ";
  snprintf(reason, bytes, says);
  return rh_trust_path(path, w->known, st, reason + sizeof says - 1, bytes - sizeof says + 1);
}

int rh_is_disabled(const char *name, char pattern[RH_PATTERN_BYTES]) {
  for (const char *at = rh_env(RH_DISABLES); at;) {
    size_t length = strcspn(at, ",");
    if (length > 0 && length < RH_PATTERN_BYTES) {
      memcpy(pattern, at, length);
      pattern[length] = 0;
      if (fnmatch(pattern, name, 0) == 0) return 1;
    }
    at = at[length] ? at + length + 1 : NULL;
  }
  return 0;
}

/* A file of --plugin may have any name. */
static int is_disabled_file(const char *path, char *reason, size_t bytes) {
  char stem[256], pattern[RH_PATTERN_BYTES];
  const char *name = rh_path_name(path);
  size_t length = strlen(name), suffix = strlen(rh_is_foreign(path)         ? RH_FOREIGN_SUFFIX
                                                : rh_is_operator_file(path) ? RH_OPERATOR_SUFFIX
                                                                            : ".so");
  snprintf(stem, sizeof stem, "%.*s", (int)(length > suffix ? length - suffix : length), name);
  if (!rh_is_disabled(name, pattern) && !rh_is_disabled(stem, pattern)) return 0;
  snprintf(reason, bytes, "is disabled by '%s' in " RH_DISABLES, pattern);
  return 1;
}

/* A file under an untrusted name is not marked as visited, because it may also have a trusted
 * one. */
static void walk_file(walk *w, const char *path, const struct stat *st) {
  char reason[RH_TRUST_BYTES];
  int distrusted = is_distrusted(w, path, st, reason, sizeof reason);
  if (!distrusted && seen_before(w, st)) return;
  if (distrusted)
    add_candidate(w, path, reason,
                  distrusted == RH_TRUST_UNKNOWN ? RH_REFUSED_UNREAD : RH_REFUSED_FOR_FAULT);
  else if (!w->at_home && is_disabled_file(path, reason, sizeof reason))
    add_candidate(w, path, reason, RH_REFUSED_BY_INTENT);
  else add_candidate(w, path, NULL, RH_REFUSED_FOR_FAULT);
}

static uint32_t is_home(const walk *w, const struct stat *st) {
  struct stat home;
  for (int k = 0; k < 2; k++)
    if (w->homes[k] && stat(w->homes[k], &home) == 0 && home.st_dev == st->st_dev &&
        home.st_ino == st->st_ino)
      return 1;
  return 0;
}

static void look_at(walk *w, const char *directory, int fd, const char *name) {
  RH_FREED(char) path = rh_path_join(directory, name);
  struct stat st;
  if (!path) {
    w->failed = 1;
  } else if (fstatat(fd, name, &st, 0) != 0) {
    if (errno == ENOENT) add_candidate(w, path, "is a link to nothing", RH_REFUSED_FOR_FAULT);
    else add_unread(w, path, "cannot be read", errno);
  } else if (!S_ISREG(st.st_mode)) {
    add_candidate(w, path, S_ISDIR(st.st_mode) ? "is a directory" : "is not a regular file",
                  RH_REFUSED_FOR_FAULT);
  } else {
    walk_file(w, path, &st);
  }
}

/* Ignores hidden files, like the shell's *.so. */
static int is_plugin(const struct dirent *entry) {
  if (entry->d_name[0] == '.') return 0;
  return rh_is_foreign(entry->d_name) || rh_has_suffix(entry->d_name, ".so");
}

static int is_operator(const struct dirent *entry) {
  return entry->d_name[0] != '.' && rh_is_operator_file(entry->d_name);
}

/* In byte order, not the locale's, so that every user gets the same list. */
static int by_bytes(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

static void list(walk *w, const char *directory, int fd) {
  struct dirent **names;
  int n = scandirat(fd, ".", &names, w->operators ? is_operator : is_plugin, by_bytes);
  if (n < 0) {
    add_unread(w, directory, "directory cannot be read", errno);
    return;
  }
  for (int k = 0; k < n; k++) {
    look_at(w, directory, fd, names[k]->d_name);
    free(names[k]);
  }
  free(names);
}

/* Every plugin, or every operator file, in `directory`, which is absolute and whose first `known`
 * bytes are trusted.  `from`: the option or variable that named it, for a note if it is missing;
 * null: it may be missing. */
static void walk_directory(walk *w, const char *directory, size_t known, const char *from) {
  struct stat st;
  char reason[RH_TRUST_BYTES];
  int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int is_there = fd >= 0 && fstat(fd, &st) == 0, code = errno;
  w->known = known;
  /* Checks the open descriptor, because the name may refer to another directory a moment later. */
  int refused = is_there ? is_distrusted(w, directory, &st, reason, sizeof reason) : 0;
  if (is_there && !refused && seen_before(w, &st)) {
    close(fd);
    return;
  }
  rh_text_add(&w->searched, "%s%s", w->searched.length ? ":" : "", directory);
  w->at_home = is_there && is_home(w, &st);
  if (!is_there && (code == ENOENT || code == ENOTDIR)) {
    const char *is = code == ENOENT ? "does not exist" : "is not a directory";
    if (from) add_note(w, "%s: %s %s", from, directory, is);
  } else if (!is_there) add_unread(w, directory, "directory cannot be read", code);
  else if (refused)
    add_candidate(w, directory, reason,
                  refused == RH_TRUST_UNKNOWN ? RH_REFUSED_UNREAD : RH_REFUSED_UNSEARCHED);
  else list(w, directory, fd);
  if (fd >= 0) close(fd);
  w->place++;
}

/* A colon-separated list, called `from` in notes.  Relative elements are ignored: they would
 * refer to the current directory, where any user may have put a file. */
static void search_list(walk *w, const char *list, const char *from) {
  for (const char *at = list; at;) {
    size_t length = strcspn(at, ":");
    RH_FREED(char) directory = strndup(at, length);
    if (!directory) w->failed = 1;
    else if (length == 0) add_note(w, "%s: an empty element is ignored", from);
    else if (directory[0] != '/') add_note(w, "%s: '%s' is relative and ignored", from, directory);
    else walk_directory(w, directory, 0, from);
    at = at[length] ? at + length + 1 : NULL;
  }
}

/* The environment's plugin path, ignored if another user may have set it. */
static void search_environment(walk *w) {
  const char *list = rh_env(w->places->variable);
  if (rh_is_privileged()) {
    if (list)
      add_note(w, "%s: ignored, the program runs with raised privileges", w->places->variable);
    add_note(w, "the user's plugin directory: ignored, the program runs with raised privileges");
    return;
  }
  if (list) search_list(w, list, w->places->variable);
  errno = 0;
  RH_FREED(char) home = rh_path_data_home();
  RH_FREED(char) directory = home ? rh_path_join(home, w->places->below_home) : NULL;
  if (!directory && (home || errno == ENOMEM)) w->failed = 1;
  if (directory) walk_directory(w, directory, 0, NULL);
}

int rh_discovery_names_plugin(const rh_options *options) {
  const char *file = options ? options->plugin_file : NULL;
  return file && *file && !rh_is_operator_file(file);
}

/* The one file that was requested by name; it has its own rank.  It must exist, and its directory
 * may belong to any user, as with a program that is started by its path. */
static rh_status search_file(walk *w, const char *name, rh_error *error) {
  struct stat st, of_directory;
  if (stat(name, &st) != 0)
    return rh_fail(error, RH_E_FILE, "plugin %s: %s", name, strerror(errno));
  if (S_ISDIR(st.st_mode))
    return rh_fail(error, RH_E_FILE,
                   "plugin %s: is a directory; to search one, name it in the plugin path", name);
  if (!S_ISREG(st.st_mode))
    return rh_fail(error, RH_E_FILE, "plugin %s: is not a regular file", name);
  RH_FREED(char) path = realpath(name, NULL);
  if (!path) return rh_fail(error, RH_E_FILE, "plugin %s: %s", name, strerror(errno));
  if (rh_is_operator_file(name) != w->operators) return RH_OK;
  RH_FREED(char) directory = rh_path_beside(path, "");
  if (!directory) return rh_fail(error, RH_E_NOMEM, "no memory to list the plugins");
  w->at_home = stat(directory, &of_directory) == 0 && is_home(w, &of_directory);
  w->known = strlen(directory); /* a named file's directory is the user's choice */
  walk_file(w, path, &st);
  w->place++;
  return RH_OK;
}

/* The library's directory is trusted: anybody who can change it can change the library, too. */
static rh_status walk_all(walk *w, const rh_options *options, const char *library, const char *own,
                          rh_error *error) {
  const char *file = options ? options->plugin_file : NULL;
  const char *path = options ? options->plugin_path : NULL;
  int code = errno;
  if (file && *file) RH_TRY(search_file(w, file, error));
  if (path && *path) search_list(w, path, "the plugin path");
  search_environment(w);
  if (own) walk_directory(w, own, strlen(library), NULL);
  else add_unread(w, "the directory of redhost's own plugins", "cannot be found", code);
  walk_directory(w, w->places->compiled, 0, NULL);
  w->search->searched = rh_copy_string(rh_text_get(&w->searched));
  if (!w->failed && !w->searched.failed && w->search->searched) return RH_OK;
  return rh_fail(error, RH_E_NOMEM, "no memory to list the plugins");
}

rh_status rh_discover(rh_discovery *search, rh_sort sort, const rh_options *options,
                      rh_error *error) {
  const struct places *places = &all_places[sort];
  memset(search, 0, sizeof *search);
  RH_FREED(char) library = rh_path_library_dir();
  RH_FREED(char) own = library ? rh_path_join(library, places->own) : NULL;
  walk w = {.search = search,
            .operators = sort == RH_OPERATORS,
            .places = places,
            .homes = {own, places->compiled}};
  rh_status status = walk_all(&w, options, library, own, error);
  free(w.seen);
  rh_text_finish(&w.searched);
  if (status != RH_OK) rh_discovery_finish(search);
  return status;
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
