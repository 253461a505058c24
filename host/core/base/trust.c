#include "base.h"

#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <sys/xattr.h>

enum { MOST_LINKS = 40 /* as in the kernel */, ENTRY_BYTES = 1 << 14 };

/* Does an account other than the users' have the group as its primary one? */
static int is_primary_of_others(gid_t group, const struct passwd *users, int n, FILE *accounts) {
  struct passwd entry, *found;
  RH_FREED(char) bytes = malloc(ENTRY_BYTES);
  int others = !bytes;
  while (!others && fgetpwent_r(accounts, &entry, bytes, ENTRY_BYTES, &found) == 0) {
    others = entry.pw_gid == group;
    for (int k = 0; k < n; k++) others = others && entry.pw_uid != users[k].pw_uid;
  }
  return others;
}

int rh_trust_is_private(const struct group *group, const struct passwd *users, int n,
                        FILE *accounts) {
  int owned = 0;
  for (int k = 0; k < n; k++)
    owned |= users[k].pw_gid == group->gr_gid && strcmp(users[k].pw_name, group->gr_name) == 0;
  if (!owned) return 0;
  for (char **member = group->gr_mem; *member; member++) {
    int is_one = 0;
    for (int k = 0; k < n; k++) is_one |= strcmp(*member, users[k].pw_name) == 0;
    if (!is_one) return 0;
  }
  return !accounts || !is_primary_of_others(group->gr_gid, users, n, accounts);
}

/* Finds root and the effective user, if they have names, which are stored in `bytes`. */
static int find_users(struct passwd users[2], char *bytes) {
  const uid_t uids[2] = {0, geteuid()};
  int n = 0;
  for (int k = 0; k < (uids[1] == 0 ? 1 : 2); k++) {
    struct passwd *found = NULL;
    char *at = bytes + k * ENTRY_BYTES;
    n += getpwuid_r(uids[k], &users[n], at, ENTRY_BYTES, &found) == 0 && found;
  }
  return n;
}

/* 1: the group has no members besides root and the user.  `name` gets the group's name or
 * number. */
static int is_harmless_group(gid_t gid, char *name, size_t size) {
  struct passwd users[2];
  struct group entry, *found = NULL;
  snprintf(name, size, "%lu", (unsigned long)gid);
  RH_FREED(char) bytes = malloc(3 * ENTRY_BYTES);
  /* An entry that does not fit has many members. */
  int harmless = bytes && getgrgid_r(gid, &entry, bytes, ENTRY_BYTES, &found) == 0 && found;
  if (harmless) {
    FILE *accounts = fopen("/etc/passwd", "re");
    snprintf(name, size, "%s", entry.gr_name);
    int n = find_users(users, bytes + ENTRY_BYTES);
    harmless = rh_trust_is_private(&entry, users, n, accounts);
    if (accounts) fclose(accounts);
  }
  return harmless;
}

typedef struct reason {
  char *text;
  size_t bytes;
} reason;

static int complain(const reason *why, const char *path, const char *what) {
  snprintf(why->text, why->bytes, "%.300s %s", *path ? path : "/", what);
  return -1;
}

static int cannot_judge(const reason *why, const char *path, int code) {
  char what[160];
  snprintf(what, sizeof what, "cannot be examined: %s", strerror(code));
  complain(why, path, what);
  /* These errors describe the path itself. */
  int is_known = code == ENOENT || code == ENOTDIR || code == ELOOP || code == ENAMETOOLONG;
  return is_known ? -1 : RH_TRUST_UNKNOWN;
}

static int judge_writers(const char *path, const struct stat *st, const reason *why) {
  unsigned mode = (unsigned)st->st_mode & 07777u;
  char what[160], group[80];
  if (mode & S_IWOTH) {
    snprintf(what, sizeof what, "is writable by everyone (mode %04o)", mode);
    return complain(why, path, what);
  }
  if (!(mode & S_IWGRP)) return 0;
  if (!is_harmless_group(st->st_gid, group, sizeof group)) {
    snprintf(what, sizeof what, "is writable by group %s (mode %04o)", group, mode);
    return complain(why, path, what);
  }
  /* With an access control list, the group's bits are the mask of all its entries. */
  if (getxattr(*path ? path : "/", "system.posix_acl_access", NULL, 0) > 0)
    return complain(why, path, "is writable by others through its access control list");
  return 0;
}

/* On the way, a link is judged by its target, and the sticky bit exempts a directory. */
static int judge_place(const char *path, const struct stat *st, int is_on_way, const reason *why) {
  char what[80];
  if (st->st_uid != 0 && st->st_uid != geteuid()) {
    snprintf(what, sizeof what, "belongs to another user (uid %lu)", (unsigned long)st->st_uid);
    return complain(why, path, what);
  }
  if (is_on_way && (S_ISLNK(st->st_mode) || (S_ISDIR(st->st_mode) && st->st_mode & S_ISVTX)))
    return 0;
  return judge_writers(path, st, why);
}

/* Allocated on the heap, because the stack may be small. */
typedef struct walk {
  char at[PATH_MAX];   /* the part that has been checked, without links; "" for the root */
  char rest[PATH_MAX]; /* the components that remain */
  char target[PATH_MAX];
  int links;
} walk;

/* Removes the next component from the rest; null at the end. */
static const char *next_component(walk *w, char name[NAME_MAX + 1]) {
  char *start = w->rest + strspn(w->rest, "/");
  size_t length = strcspn(start, "/");
  if (length == 0) return NULL;
  snprintf(name, NAME_MAX + 1, "%.*s", (int)length, start);
  memmove(w->rest, start + length, strlen(start + length) + 1);
  return name;
}

static void go_up(walk *w) {
  char *slash = strrchr(w->at, '/');
  if (slash) *slash = 0;
}

/* Replaces the link by its target. */
static int follow_link(walk *w, const reason *why) {
  ssize_t length = readlink(w->at, w->target, sizeof w->target - 1);
  size_t rest = strlen(w->rest) + 1;
  if (length < 0) return cannot_judge(why, w->at, errno);
  if (++w->links > MOST_LINKS) return cannot_judge(why, w->at, ELOOP);
  if ((size_t)length + 1 + rest > sizeof w->rest) return cannot_judge(why, w->at, ENAMETOOLONG);
  memmove(w->rest + length + 1, w->rest, rest);
  memcpy(w->rest, w->target, (size_t)length);
  w->rest[length] = '/';
  if (w->rest[0] == '/') w->at[0] = 0;
  else go_up(w);
  return 0;
}

/* 1: there is no such component.  -1: it is not trusted. */
static int judge_step(walk *w, const char *name, const reason *why) {
  struct stat st;
  size_t length = strlen(w->at), more = strlen(name);
  if (strcmp(name, ".") == 0) return 0;
  if (strcmp(name, "..") == 0) {
    go_up(w);
    return 0;
  }
  if (length + more + 2 > sizeof w->at) return cannot_judge(why, w->at, ENAMETOOLONG);
  w->at[length] = '/';
  memcpy(w->at + length + 1, name, more + 1);
  if (lstat(w->at, &st) != 0) return errno == ENOENT ? 1 : cannot_judge(why, w->at, errno);
  if (judge_place(w->at, &st, 1, why) != 0) return -1;
  return S_ISLNK(st.st_mode) ? follow_link(w, why) : 0;
}

/* Checks the target strictly: the sticky bit does not exempt it. */
static int judge_end(const walk *w, const struct stat *opened, const reason *why) {
  struct stat st;
  if (lstat(*w->at ? w->at : "/", &st) != 0) return cannot_judge(why, w->at, errno);
  if (opened && (st.st_dev != opened->st_dev || st.st_ino != opened->st_ino)) {
    complain(why, w->at, "was replaced while it was opened");
    return RH_TRUST_REPLACED;
  }
  return judge_place(w->at, &st, 0, why);
}

static int begin_walk(walk *w, const char *path, size_t known, const reason *why) {
  char *here = w->target;
  struct stat st;
  here[0] = 0;
  if (path[0] != '/' && !getcwd(here, sizeof w->target)) return cannot_judge(why, path, errno);
  if ((size_t)snprintf(w->rest, sizeof w->rest, "%s/%s", here, path + known) >= sizeof w->rest ||
      known >= sizeof w->at)
    return cannot_judge(why, path, ENAMETOOLONG);
  w->links = 0;
  memcpy(w->at, path, known);
  w->at[known] = 0;
  while (known && w->at[known - 1] == '/') w->at[--known] = 0;
  if (known) return 0;
  if (lstat("/", &st) != 0) return cannot_judge(why, "/", errno);
  return judge_place("/", &st, 1, why);
}

static int judge_component(walk *w, const char *path, size_t known, const struct stat *opened,
                           const reason *why) {
  char name[NAME_MAX + 1];
  int status = begin_walk(w, path, known, why);
  if (status != 0) return status;
  while (next_component(w, name)) {
    status = judge_step(w, name, why);
    if (status < 0) return status;
    if (status > 0 && opened) {
      cannot_judge(why, w->at, ENOENT);
      return RH_TRUST_REPLACED;
    }
    if (status > 0) return 0;
  }
  return judge_end(w, opened, why);
}

int rh_trust_path(const char *path, size_t known, const struct stat *opened, char *why,
                  size_t bytes) {
  const reason to = {why, bytes};
  RH_FREED(walk) w = malloc(sizeof *w);
  return w ? judge_component(w, path, known, opened, &to) : cannot_judge(&to, path, ENOMEM);
}
