/* V10 timeout: a destructor that never returns; earlier answers still count. */
#include <unistd.h>

#include "zoo.h"

ZOO(hang_on_exit);

__attribute__((destructor)) static void on_exit_of_process(void) {
  for (;;) pause(); /* 20 s, in which others may use the processor */
}
