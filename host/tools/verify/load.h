/* Threads that keep every processor busy, so that other threads are scheduled in another order
 * each time. */
#pragma once

typedef struct rh_load rh_load;

rh_load *rh_load_start(void); /* null if out of memory: then there is no load */
void rh_load_stop(rh_load *load);
