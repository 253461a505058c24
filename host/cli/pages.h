/* Pages generated from the table of options: the manual page and the completions. */
#pragma once

#include <redhost/redhost.h>
#include <stdio.h>

/* redhost.1, for man. */
void rh_print_man(FILE *out);

/* Completions for "bash", "zsh" or "fish"; another shell is RH_E_USAGE. */
rh_status rh_print_completion(FILE *out, const char *shell, rh_error *error);
