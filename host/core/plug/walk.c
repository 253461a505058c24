#include "internal.h"

#include <dirent.h>

void rh_walk_note(rh_walk *walk, const char *format, ...) {
  va_list args;
  va_start(args, format);
  if (rh_strings_vadd(&walk->search->notes, &walk->search->n_notes, format, args) != 0)
    walk->failed = 1;
  va_end(args);
}

/* Adds a candidate; `refused` is null or the reason. */
static void add_candidate(rh_walk *walk, const char *path, const char *refused,
                          rh_refusal_kind kind) {
  rh_discovery *search = walk->search;
  rh_candidate new = {rh_copy_string(path), walk->place, walk->at_home, rh_copy_string(refused),
                      kind};
  if (!new.path || (refused && !new.refused) ||
      RH_ROOM(&search->candidates, search->n, "", NULL) != RH_OK) {
    free(new.path);
    free(new.refused);
    walk->failed = 1;
    return;
  }
  search->candidates[search->n++] = new;
}

/* Adds a file or directory that could not be examined. */
static void add_unread(rh_walk *walk, const char *path, const char *what, int code) {
  char reason[256];
  snprintf(reason, sizeof reason, "%s: %s", what, strerror(code));
  add_candidate(walk, path, reason, RH_REFUSED_UNREAD);
}

/* 1: it was visited before, for a directory may be listed twice, and a file may have several
 * links. */
static int seen_before(rh_walk *walk, const struct stat *st) {
  for (size_t k = 0; k < walk->n_seen; k++)
    if (walk->seen[k].device == st->st_dev && walk->seen[k].inode == st->st_ino) return 1;
  if (RH_ROOM(&walk->seen, walk->n_seen, "", NULL) != RH_OK) return walk->failed = 1;
  walk->seen[walk->n_seen++] = (rh_file_id){st->st_dev, st->st_ino};
  return 0;
}

/* Nonzero: *reason says why it is not trusted.  Anybody who can change the file can run code as
 * this user. */
static int is_distrusted(const rh_walk *walk, const char *path, const struct stat *st, char *reason,
                         size_t bytes) {
  static const char says[] = "is not trusted: ";
  snprintf(reason, bytes, says);
  return rh_trust_path(path, walk->known, st, reason + sizeof says - 1, bytes - sizeof says + 1);
}

static rh_refusal_kind kind_of(int distrusted) {
  return distrusted == RH_TRUST_UNKNOWN ? RH_REFUSED_UNREAD : RH_REFUSED_FOR_FAULT;
}

/* A file under an untrusted name is not marked as visited, because it may also have a trusted
 * one. */
static void walk_file(rh_walk *walk, const char *path, const struct stat *st) {
  char reason[RH_TRUST_BYTES];
  int distrusted = is_distrusted(walk, path, st, reason, sizeof reason);
  if (!distrusted && seen_before(walk, st)) return;
  if (distrusted) add_candidate(walk, path, reason, kind_of(distrusted));
  else if (!walk->at_home && rh_is_disabled_file(path, reason, sizeof reason))
    add_candidate(walk, path, reason, RH_REFUSED_BY_INTENT);
  else add_candidate(walk, path, NULL, RH_REFUSED_FOR_FAULT);
}

void rh_walk_home(rh_walk *walk, const char *directory) {
  struct stat st;
  if (stat(directory, &st) == 0) walk->homes[walk->n_homes++] = (rh_file_id){st.st_dev, st.st_ino};
}

static uint32_t is_home(const rh_walk *walk, const struct stat *st) {
  for (uint32_t k = 0; k < walk->n_homes; k++)
    if (walk->homes[k].device == st->st_dev && walk->homes[k].inode == st->st_ino) return 1;
  return 0;
}

void rh_walk_single(rh_walk *walk, const char *path, const struct stat *st) {
  struct stat of_directory;
  char *directory = strndup(path, (size_t)(strrchr(path, '/') + 1 - path));
  if (!directory) {
    walk->failed = 1;
    return;
  }
  walk->at_home = stat(directory, &of_directory) == 0 && is_home(walk, &of_directory);
  walk->known = strlen(directory); /* a named file's directory is the user's choice */
  walk_file(walk, path, st);
  walk->place++;
  free(directory);
}

static void look_at(rh_walk *walk, const char *directory, int fd, const char *name) {
  char *path = rh_path_join(directory, name);
  struct stat st;
  if (!path) {
    walk->failed = 1;
  } else if (fstatat(fd, name, &st, 0) != 0) {
    if (errno == ENOENT) add_candidate(walk, path, "is a link to nothing", RH_REFUSED_FOR_FAULT);
    else add_unread(walk, path, "cannot be read", errno);
  } else if (!S_ISREG(st.st_mode)) {
    add_candidate(walk, path, S_ISDIR(st.st_mode) ? "is a directory" : "is not a regular file",
                  RH_REFUSED_FOR_FAULT);
  } else {
    walk_file(walk, path, &st);
  }
  free(path);
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

static void list(rh_walk *walk, const char *directory, int fd) {
  struct dirent **names;
  int n = scandirat(fd, ".", &names, walk->operators ? is_operator : is_plugin, by_bytes);
  if (n < 0) {
    add_unread(walk, directory, "directory cannot be read", errno);
    return;
  }
  for (int k = 0; k < n; k++) {
    look_at(walk, directory, fd, names[k]->d_name);
    free(names[k]);
  }
  free(names);
}

/* Reports a directory that cannot be opened, if the user named it. */
static void report_missing(rh_walk *walk, const char *directory, const char *from, int code) {
  if (code == ENOENT || code == ENOTDIR) {
    const char *is = code == ENOENT ? "does not exist" : "is not a directory";
    if (from) rh_walk_note(walk, "%s: %s %s", from, directory, is);
    return;
  }
  add_unread(walk, directory, "directory cannot be read", code);
}

void rh_walk_directory(rh_walk *walk, const char *directory, size_t known, const char *from) {
  struct stat st;
  char reason[RH_TRUST_BYTES];
  int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int is_there = fd >= 0 && fstat(fd, &st) == 0, code = errno;
  walk->known = known;
  /* Checks the open descriptor, because the name may refer to another directory a moment later. */
  int refused = is_there ? is_distrusted(walk, directory, &st, reason, sizeof reason) : 0;
  if (is_there && !refused && seen_before(walk, &st)) {
    close(fd);
    return;
  }
  rh_text_add(&walk->searched, "%s%s", walk->searched.length ? ":" : "", directory);
  walk->at_home = is_there && is_home(walk, &st);
  if (!is_there) report_missing(walk, directory, from, code);
  else if (refused)
    add_candidate(walk, directory, reason,
                  refused == RH_TRUST_UNKNOWN ? RH_REFUSED_UNREAD : RH_REFUSED_UNSEARCHED);
  else list(walk, directory, fd);
  if (fd >= 0) close(fd);
  walk->place++;
}

void rh_walk_lost(rh_walk *walk, const char *what, int code) {
  add_unread(walk, what, "cannot be found", code);
}

void rh_walk_finish(rh_walk *walk) {
  free(walk->seen);
  rh_text_finish(&walk->searched);
}
