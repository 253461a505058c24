/* V58: makes its thread asynchronously cancellable in run. */
#include "state.h"
#include <pthread.h>

IN_RUN("cancels_at_once", "makes its thread asynchronously cancellable in run") {
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
}
