/* V58: has its thread cancelled at any instruction from run on. */
#include "state.h"
#include <pthread.h>

IN_RUN("cancels_at_once", "has its thread cancelled at any instruction from run on") {
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
}
