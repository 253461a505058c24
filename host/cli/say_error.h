/* A failure of the program, told on standard error. */
#ifndef RH_CLI_SAY_ERROR_H
#define RH_CLI_SAY_ERROR_H

#include "terminal.h"

/* With the option that helps, if there is one; under it the expression that it quotes, and a caret
 * at the place. */
void rh_say_error(rh_terminal *terminal, rh_error *error);

#endif
