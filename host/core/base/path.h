/* Paths: the environment's directories, and the library's own. */
#pragma once

/* All functions return malloc'ed strings, or null if out of memory or if the directory is unknown.
 */
char *rh_path_join(const char *directory, const char *name);
char *rh_path_cache(void); /* $XDG_CACHE_HOME/redhost, else ~/.cache/redhost; null without a home */
char *rh_path_data_home(void); /* $XDG_DATA_HOME, else ~/.local/share; null without a home */
/* The directory of libredhost, links resolved; redhost's own plugins are next to it.  The program
 * contains the library's code and derives the directory from its own. */
char *rh_path_library_dir(void);

/* An environment variable, or null if it is unset or empty. */
const char *rh_env(const char *name);
/* Running with another user's rights (set-uid and the like)? */
int rh_is_privileged(void);

/* May the file be loaded, or what it describes?  With raised privileges only what was installed
 * with redhost, in the library's directory: the user who started the program has named all else. */
int rh_path_may_be_loaded(const char *path);

/* mkdir -p with mode 0700 for new directories. 0, or -1 with errno. */
int rh_path_make_dirs(const char *directory);
