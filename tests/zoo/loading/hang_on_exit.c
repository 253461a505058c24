/* V10 timeout: a destructor that never returns; earlier answers still count. */
#include "zoo.h"

ZOO(hang_on_exit);

__attribute__((destructor)) static void on_exit_of_process(void) {
  volatile int for_ever = 1;
  while (for_ever) {}
}
