/* The monotonic clock. */
#pragma once

double rh_now(void); /* seconds since a fixed time */
