/* Can others change what a path leads to?  One rule for everything that redhost finds and then runs
 * or believes: plugins, descriptions of foreign functions and their libraries, compiled programs,
 * the tuning database. */
#ifndef RH_BASE_TRUST_H
#define RH_BASE_TRUST_H

#include <grp.h>
#include <pwd.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>

enum {
  RH_TRUST_BYTES = 512,   /* for a reason */
  RH_TRUST_UNKNOWN = -2,  /* a component could not be examined */
  RH_TRUST_REPLACED = -3, /* the path does not lead to `opened`, or to nothing any more */
};

/* 0: only root and the effective user decide what `path` leads to.  Every directory from the root
 * on, every symbolic link on the way and the end itself belongs to one of the two, and nobody else
 * may write to it: neither everybody, nor a group with other members, nor an access control list.
 * The sticky bit excuses a directory on the way, such as /tmp, because what lies in it is judged,
 * too, and cannot be replaced by others; it does not excuse the end, where others could add files.
 *
 * The first `known` bytes of the path are taken as they are: a directory that is trusted for
 * another reason.  0 judges all of it.  `opened` is the state of what the caller has opened, which
 * must be what the path leads to; null: the end may be missing, and what exists of the path is
 * judged.  A path that is not absolute starts in the current directory.
 *
 * Nobody else can change a path that passed, so it may be opened by its name afterwards.
 *
 * -1, RH_TRUST_UNKNOWN or RH_TRUST_REPLACED: `why` names the component and what is wrong: "/a/b may
 * be written to by group users (mode 0775)". */
int rh_trust_path(const char *path, size_t known, const struct stat *opened, char *why,
                  size_t bytes);

/* Somebody whose writing is not held against a path. */
typedef struct rh_trust_user {
  uid_t uid;
  gid_t group; /* the primary one */
  const char *name;
} rh_trust_user;

/* Is this the private group of one of the n users?  It bears the user's name and is the user's
 * primary group, as the systems make it that give their users a umask of 002; it lists nobody but
 * the n users, and no other account in `accounts`, a file such as /etc/passwd (may be null), has it
 * as its primary group.  An account of a directory service that has another account's private group
 * as its primary one goes unseen: directories are not enumerated. */
int rh_trust_is_private(const struct group *group, const rh_trust_user *users, int n,
                        FILE *accounts);

#endif
