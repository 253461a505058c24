/* A failure of the program, told on standard error. */
#pragma once

#include "terminal.h"

/* With the option that helps, if there is one; under it the expression that it quotes, and a caret
 * at the place. */
void rh_say_error(rh_terminal *terminal, rh_error *error);
