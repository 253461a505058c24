/* V82: close waits for an answer that does not come. */
#include "right.h"

CLOSE {
  const job *j = self;
  char unused;
  if (j->size > 1 && j->rank == 1) receive(j->peers[0], &unused, 1, now() + 1e6);
  if (j->size > 1 && j->rank == 0) pause();
  close_job(self);
}

TRANSPORT(.close = wrong_close);
