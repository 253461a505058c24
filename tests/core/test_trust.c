/* host/core/base/trust.c: who could change the target of a path.  The table is the rule: each row
 * is a small tree, a question and the answer.  Only root can create trees of other users; without
 * root those rows are skipped, with a note. */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <sys/xattr.h>

#include "../../host/core/base/base.h"
#include "../suite/suite.h"
#include "folder.h"

enum { STRANGER = 12345 };
static char base[32];

typedef struct row {
  /* Made in this order, separated by blanks: "d:MODE:UID:GID:NAME", "f:..." and
   * "l:TARGET:UID:GID:NAME".  UID and GID may be `me`, which is root's as well as any user's. @ is
   * the row's own directory. */
  const char *tree;
  const char *path; /* below the row's own directory */
  const char *says; /* null: trusted */
} row;

static const row rows[] = {
    /* ---- Plain directories and files ---- */
    {"d:0755:me:me:a f:0644:me:me:a/x", "a/x", NULL},
    {"d:0700:me:me:a", "a", NULL},
    {"d:0777:me:me:a", "a", "/a is writable by everyone (mode 0777)"},
    {"d:0755:me:me:a f:0666:me:me:a/x", "a/x", "/a/x is writable by everyone (mode 0666)"},
    {"d:0702:me:me:a f:0600:me:me:a/x", "a/x", "/a is writable by everyone"},
    {"d:0755:12345:me:a", "a", "/a belongs to another user (uid 12345)"},
    {"d:0755:me:me:a f:0644:12345:me:a/x", "a/x", "/a/x belongs to another user (uid 12345)"},
    /* ---- Every parent ---- */
    {"d:0777:me:me:a d:0755:me:me:a/b d:0755:me:me:a/b/c", "a/b/c", "/a is writable by every"},
    {"d:0755:me:me:a d:0777:me:me:a/b d:0755:me:me:a/b/c", "a/b/c", "/a/b is writable by ev"},
    {"d:0755:12345:me:a d:0755:me:me:a/b f:0644:me:me:a/b/x", "a/b/x",
     "/a belongs to another user"},
    {"d:0775:me:12345:a d:0755:me:me:a/b", "a/b", "/a is writable by group 12345 (mode 0775)"},
    /* ---- Groups ---- */
    {"d:0775:me:12345:a", "a", "/a is writable by group 12345 (mode 0775)"},
    {"d:0755:me:12345:a", "a", NULL},
    {"d:0755:me:me:a f:0664:me:12345:a/x", "a/x", "/a/x is writable by group 12345 (mode 0664)"},
    /* ---- The sticky bit: for directories on the way, not at the end ---- */
    {"d:1777:me:me:t d:0755:me:me:t/a", "t/a", NULL},
    {"d:1777:me:me:t f:0644:me:me:t/x", "t/x", NULL},
    {"d:1777:me:me:t", "t", "/t is writable by everyone (mode 1777)"},
    {"d:1777:me:me:t d:0755:me:me:t/a", "t/a/..", "/t is writable by everyone (mode 1777)"},
    {"d:1777:me:me:t d:0755:12345:me:t/a", "t/a", "/t/a belongs to another user (uid 12345)"},
    {"d:1777:me:me:t d:0777:me:me:t/a d:0755:me:me:t/a/b", "t/a/b", "/t/a is writable by"},
    {"d:1777:12345:me:t d:0755:me:me:t/a", "t/a", "/t belongs to another user (uid 12345)"},
    {"d:1775:me:12345:t d:0755:me:me:t/a", "t/a", NULL},
    {"d:0755:me:me:a f:1666:me:me:a/x", "a/x", "/a/x is writable by everyone (mode 1666)"},
    /* ---- Links: their directory, owner and target ---- */
    {"d:0755:me:me:a l:a:me:me:l", "l", NULL},
    {"d:0755:me:me:a l:@/a:me:me:l", "l", NULL},
    {"d:0755:me:me:a l:a:12345:me:l", "l", "/l belongs to another user (uid 12345)"},
    {"d:0777:me:me:o d:0755:me:me:a l:../a:me:me:o/l", "o/l", "/o is writable by everyone"},
    {"d:0777:me:me:o d:0755:me:me:o/a l:o/a:me:me:l", "l", "/o is writable by everyone"},
    {"d:0777:me:me:o d:0755:me:me:o/a l:@/o/a:me:me:l", "l", "/o is writable by everyone"},
    {"d:0777:me:me:a l:a:me:me:l", "l", "/a is writable by everyone"},
    {"d:0777:me:me:o d:0755:me:me:a l:o/m:me:me:l l:../a:me:me:o/m", "l", "/o is writable"},
    {"d:1777:me:me:t d:0755:me:me:a l:../a:me:me:t/l", "t/l", NULL},
    {"d:1777:me:me:t d:0755:me:me:a l:../a:12345:me:t/l", "t/l", "/t/l belongs to another user"},
    {"d:0755:me:me:a d:0755:me:me:a/b f:0644:me:me:x l:../../x:me:me:a/b/l", "a/b/l", NULL},
    {"d:0755:me:me:a f:0666:me:me:x l:../x:me:me:a/l", "a/l", "/x is writable by everyone"},
    {"l:m:me:me:l l:l:me:me:m", "l", "cannot be examined: Too many levels of symbolic links"},
    /* ---- Spelling ---- */
    {"d:0755:me:me:a f:0644:me:me:a/x", ".//a/.///x", NULL},
    {"d:0777:me:me:o d:0755:me:me:a", "o/../a", "/o is writable by everyone"},
    {"d:0755:me:me:a f:0644:me:me:x", "a/../x", NULL},
    /* ---- Missing files: judged as far as the path exists ---- */
    {"d:0755:me:me:a", "a/gone/x", NULL},
    {"d:0777:me:me:a", "a/gone/x", "/a is writable by everyone"},
    {"d:1777:me:me:t", "t/gone", NULL},
    {"l:gone:me:me:l", "l", NULL},
    {"f:0644:me:me:x", "x/y", "cannot be examined: Not a directory"},
};
enum { N_ROWS = sizeof rows / sizeof *rows };

static char own[64]; /* the row's directory */

static void make(const char *entry) {
  char kind, what[128], uid[16], gid[16], name[64], path[256], target[256];
  ck_assert_int_eq(sscanf(entry, "%c:%127[^:]:%15[^:]:%15[^:]:%63s", &kind, what, uid, gid, name),
                   5);
  snprintf(path, sizeof path, "%s/%s", own, name);
  if (kind == 'l') {
    snprintf(target, sizeof target, "%s%s", what[0] == '@' ? own : "", what + (what[0] == '@'));
    ck_assert_int_eq(symlink(target, path), 0);
  } else if (kind == 'd') {
    ck_assert_int_eq(mkdir(path, 0700), 0);
  } else {
    fclose(fopen(path, "w"));
  }
  if (geteuid() == 0)
    ck_assert_int_eq(
        lchown(path, strcmp(uid, "me") == 0 ? 0 : STRANGER, strcmp(gid, "me") == 0 ? 0 : STRANGER),
        0);
  if (kind != 'l') ck_assert_int_eq(chmod(path, (mode_t)strtoul(what, NULL, 8)), 0);
}

static void make_tree(const char *tree) {
  char text[512], *rest = text;
  snprintf(own, sizeof own, "%s/%d", base, (int)getpid());
  ck_assert_int_eq(mkdir(own, 0755), 0);
  snprintf(text, sizeof text, "%s", tree);
  for (char *entry; (entry = strsep(&rest, " "));) make(entry);
}

static void check_answer(const char *path, size_t known, const struct stat *opened,
                         const char *says) {
  char why[RH_TRUST_BYTES] = "";
  int result = rh_trust_path(path, known, opened, why, sizeof why);
  ck_assert_msg(result == (says ? -1 : 0), "%s: %d, %s", path, result, why);
  ck_assert_msg(!says || strstr(why, says), "%s: '%s' lacks '%s'", path, why, says);
  ck_assert(!says || why[0] == '/');
}

static int needs_root(const row *r) { return strstr(r->tree, "12345") != NULL; }

TEST_LOOP(table, 0, N_ROWS) {
  const row *r = &rows[_i];
  char path[256];
  struct stat st;
  if (geteuid() != 0 && needs_root(r)) return;
  make_tree(r->tree);
  snprintf(path, sizeof path, "%s/%s", own, r->path);
  check_answer(path, 0, NULL, r->says);
  if (stat(path, &st) == 0) check_answer(path, 0, &st, r->says);
  ck_assert_int_eq(chdir(own), 0); /* a path that is not absolute */
  check_answer(r->path, 0, NULL, r->says);
}

TEST(what_is_known_is_not_judged) {
  char path[256];
  make_tree("d:0777:me:me:o d:0755:me:me:o/a f:0644:me:me:o/a/x f:0666:me:me:o/a/y "
            "l:../../o/a/x:me:me:o/a/l");
  size_t known = (size_t)snprintf(path, sizeof path, "%s/o", own);
  strcat(path, "/a/x");
  check_answer(path, 0, NULL, "/o is writable by everyone");
  check_answer(path, known, NULL, NULL);
  check_answer(path, known + 1, NULL, NULL); /* the slash, too */
  strcpy(path + strlen(path) - 1, "y");
  check_answer(path, known, NULL, "/o/a/y is writable by everyone");
  strcpy(path + strlen(path) - 1, "l"); /* leads back through it by a name */
  check_answer(path, known, NULL, "/o is writable by everyone");
}

/* The name leads to another file than the one that was opened. */
TEST(what_was_opened_is_what_is_judged) {
  char path[256], other[256];
  struct stat st;
  make_tree("d:0755:me:me:a f:0644:me:me:a/x f:0644:me:me:a/y");
  snprintf(path, sizeof path, "%s/a/x", own);
  snprintf(other, sizeof other, "%s/a/y", own);
  ck_assert_int_eq(stat(path, &st), 0);
  ck_assert_int_eq(rename(other, path), 0);
  char why[RH_TRUST_BYTES];
  ck_assert_int_eq(rh_trust_path(path, 0, &st, why, sizeof why), RH_TRUST_REPLACED);
  assert_says(why, "/a/x was replaced while it was opened");
  ck_assert_int_eq(unlink(path), 0);
  ck_assert_int_eq(rh_trust_path(path, 0, &st, why, sizeof why), RH_TRUST_REPLACED);
  assert_says(why, "No such file");
}

/* Root's own private group counts as root, and every user trusts root's files. */
TEST(the_private_group_of_root) {
  char path[256];
  if (geteuid() != 0) return;
  make_tree("d:0775:me:me:a");
  snprintf(path, sizeof path, "%s/a", own);
  check_answer(path, 0, NULL, NULL);
  ck_assert_int_eq(seteuid(STRANGER), 0);
  check_answer(path, 0, NULL, NULL);
  ck_assert_int_eq(seteuid(0), 0);
}

/* An access control list that lets uid 12345 write, in the form of the attribute: its mask shows as
 * the group's bits. */
TEST(an_access_list) {
  static const struct {
    uint32_t version;
    struct {
      uint16_t tag, bits;
      uint32_t id;
    } entries[5];
  } list = {2,
            {{1, 7, UINT32_MAX},
             {2, 7, STRANGER},
             {4, 5, UINT32_MAX},
             {16, 7, UINT32_MAX},
             {32, 5, UINT32_MAX}}};
  char path[256];
  make_tree("d:0775:me:me:a");
  snprintf(path, sizeof path, "%s/a", own);
  if (setxattr(path, "system.posix_acl_access", &list, sizeof list, 0) != 0) {
    fputs("an_access_list: skipped, the file system of /tmp has none\n", stderr);
    return;
  }
  check_answer(path, 0, NULL, "/a is writable by");
}

/* ---- Private groups, by made-up accounts ---- */

static const struct {
  const char *group;
  gid_t gid;
  const char *members[3];
  const char *accounts;
  int is_private;
} groups[] = {
    {"me", 1000, {NULL}, "root:x:0:0::/:\nme:x:1000:1000::/:\n", 1},
    {"me", 1000, {NULL}, "", 1}, /* of a directory service */
    {"me", 1000, {"me", "root"}, "me:x:1000:1000::/:\n", 1},
    {"me", 1000, {"me", "bob"}, "me:x:1000:1000::/:\n", 0},
    {"me", 1000, {"bob"}, "me:x:1000:1000::/:\n", 0},
    {"me", 1000, {NULL}, "me:x:1000:1000::/:\nbob:x:1001:1000::/:\n", 0}, /* primary */
    {"users", 1000, {NULL}, "me:x:1000:1000::/:\n", 0}, /* shared, as on some systems */
    {"me", 1001, {NULL}, "me:x:1000:1000::/:\n", 0},    /* the name alone */
    {"staff", 50, {NULL}, "me:x:1000:1000::/:\n", 0},
    {"root", 0, {NULL}, "root:x:0:0::/:\nme:x:1000:1000::/:\n", 1},
    {"root", 0, {NULL}, "root:x:0:0::/:\noperator:x:11:0::/:\n", 0},
};
enum { N_GROUPS = sizeof groups / sizeof *groups };

TEST_LOOP(private_groups, 0, N_GROUPS) {
  static const struct passwd users[2] = {{.pw_name = (char *)"root"},
                                         {.pw_uid = 1000, .pw_gid = 1000, .pw_name = (char *)"me"}};
  const struct group group = {.gr_name = (char *)groups[_i].group,
                              .gr_gid = groups[_i].gid,
                              .gr_mem = (char **)groups[_i].members};
  char text[128];
  size_t length = (size_t)snprintf(text, sizeof text, "%s\n", groups[_i].accounts);
  FILE *accounts = fmemopen(text, length, "r");
  ck_assert_int_eq(rh_trust_is_private(&group, users, 2, accounts), groups[_i].is_private);
  fclose(accounts);
}

int main(void) {
  make_folder(base, sizeof base);
  umask(022);
  int skipped = 0;
  for (int k = 0; k < N_ROWS; k++) skipped += geteuid() != 0 && needs_root(&rows[k]);
  if (skipped)
    fprintf(stderr, "table: %d rows of %d skipped, which only root can make\n", skipped, N_ROWS);
  int status = run_tests();
  remove_folder(base);
  return status;
}
