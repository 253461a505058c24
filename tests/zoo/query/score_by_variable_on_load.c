/* V59: its score depends on an environment variable that it reads when it is loaded. */
#include "../right.h"
#include <stdlib.h>

static int32_t score = 1;

__attribute__((constructor)) static void look(void) {
  if (getenv("SCORE_OF_MINE")) score = 7;
}

BUT_ANSWER(score_by_variable_on_load, answer->score = score);

RIGHT_PLUGIN;
