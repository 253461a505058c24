/* Threads that keep every processor busy, so that others get their turns in another order each
 * time. */
#ifndef RH_VERIFY_LOAD_H
#define RH_VERIFY_LOAD_H

typedef struct rh_load rh_load;

rh_load *rh_load_start(void); /* null where there is no memory: nothing is busy then */
void rh_load_stop(rh_load *load);

#endif
