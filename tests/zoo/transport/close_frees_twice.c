/* V82: close releases its state twice. */
#include "right.h"

CLOSE {
  close_job(self);
  close_job(self);
}

TRANSPORT(.close = wrong_close);
