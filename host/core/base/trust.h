/* Can others change the target of a path?  One rule for everything that redhost finds and then runs
 * or believes: plugins, descriptions of foreign functions and their libraries, compiled programs,
 * the tuning database. */
#pragma once

#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>

enum {
  RH_TRUST_BYTES = 512,   /* for a reason */
  RH_TRUST_UNKNOWN = -2,  /* a component could not be examined */
  RH_TRUST_REPLACED = -3, /* the path no longer leads to `opened`, or to nothing */
};

/* 0: only root and the effective user control the target of `path`.  Every directory from the root
 * on, every symbolic link on the way and the target itself belongs to one of the two, and nobody
 * else has write permission: not others, not a group with other members, not an access control
 * list.  The sticky bit exempts a directory on the way, such as /tmp, because its contents are
 * checked, too, and cannot be replaced by others; it does not exempt the target, where others could
 * add files.
 *
 * The first `known` bytes of the path are not checked: a directory that is trusted for another
 * reason.  0 checks all of it.  `opened` is the state of the file that the caller has opened, which
 * must be the path's target; null: the target may be missing, and the existing part of the path is
 * checked.  A relative path starts in the current directory.
 *
 * Nobody else can change a path that passed, so it may then be opened by its name.
 *
 * -1, RH_TRUST_UNKNOWN or RH_TRUST_REPLACED: `why` names the component and what is wrong: "/a/b may
 * be written to by group users (mode 0775)". */
int rh_trust_path(const char *path, size_t known, const struct stat *opened, char *why,
                  size_t bytes);

struct group; /* <grp.h> */

/* A user who may write to a trusted path. */
typedef struct rh_trust_user {
  uid_t uid;
  gid_t group; /* the primary one */
  const char *name;
} rh_trust_user;

/* Is this the private group of one of the n users?  It has the user's name and is the user's
 * primary group, as on systems with a umask of 002; it lists only the n users as members, and no
 * other account in `accounts`, a file such as /etc/passwd (may be null), has it as its primary
 * group.  Accounts of a directory service are not seen, because directories are not enumerated. */
int rh_trust_is_private(const struct group *group, const rh_trust_user *users, int n,
                        FILE *accounts);
