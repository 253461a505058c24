/* Commands that a user is told to type next. */
#pragma once

/* Prints it quoted for a shell, if it has to be. */
void rh_print_word(const char *word);

/* Does typing "redhost" start this program? */
int rh_is_in_path(const char *program);

/* "cd DIRECTORY" and "make", in lines that are indented, and the indentation of a third; with the
 * SDK's place if make does not find it by the redhost in PATH.  0: this redhost has no SDK, which
 * rh_print_no_sdk() says at the end. */
int rh_print_make(const char *program, const char *directory);
void rh_print_no_sdk(void);
