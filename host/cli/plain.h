/* Untrusted names and texts in output: of files, plugins and drivers. */
#pragma once

/* `s` as rh_make_plain shows it.  Valid until the eighth call after this one; null is "". */
const char *rh_plain(const char *s);

/* A line with only a path, for programs: exact, but plain on a terminal. */
void rh_print_path(const char *path);
