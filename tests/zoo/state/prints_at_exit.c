/* V58: prints when the process ends. */
#include "state.h"
#include <stdio.h>

IN_SETUP(prints_at_exit, "prints when the process ends") {}

__attribute__((destructor)) static void say_goodbye(void) { fputs("goodbye\n", stderr); }

RIGHT_PLUGIN;
