/* The monotonic clock. */
#ifndef RH_BASE_CLOCK_H
#define RH_BASE_CLOCK_H

double rh_now(void); /* seconds since a fixed time */

#endif
