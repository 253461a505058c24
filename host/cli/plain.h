/* Names and words of others in what is printed: files', plugins', drivers'. */
#ifndef RH_CLI_PLAIN_H
#define RH_CLI_PLAIN_H

/* `s` as rh_make_plain shows it.  Valid until the eighth call after this one; null is "". */
const char *rh_plain(const char *s);

/* A line with a path and nothing else, for programs: as it is, but plain on a terminal. */
void rh_print_path(const char *path);

#endif
