/* Commands that a user is told to type next. */
#ifndef RH_CLI_NEXT_H
#define RH_CLI_NEXT_H

/* Prints it quoted for a shell, if it has to be. */
void rh_print_word(const char *word);

/* Does typing "redhost" start this program? */
int rh_is_in_path(const char *program);

#endif
