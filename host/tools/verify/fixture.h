/* A pair of buffers, one for an input and one for results, with poison around the range and the
 * result. */
#pragma once

#include "../../core/cl/session.h"

enum { RH_POISON = 0xAA };

typedef struct rh_fixture {
  rh_cl_session *session; /* null for a host strategy */
  uint32_t element_size, value_size;

  uint64_t elements;            /* that the input holds, including the range */
  unsigned char *memory, *copy; /* the input on the host, and a buffer to compare it with */
  cl_mem input;
  int is_lent; /* memory belongs to the caller */

  uint64_t slots, index;      /* values that the result holds; the one to be written */
  cl_mem result;              /* null for a host strategy */
  unsigned char *host_result; /* the same on the host; for very many slots, indices wrap around */
  uint64_t host_slots;
} rh_fixture;

/* Allocates `slots` result values of type `row`, all poison, and an uninitialised input of
 * `elements`. */
rh_status rh_fixture_init(rh_fixture *place, rh_cl_session *session, const rh_op *row,
                          uint64_t elements, uint64_t slots, rh_error *error);
/* Uses `memory`, with `elements` elements, as the input from now on; it must outlive the place.
 * A device that works in the host's memory uses it in place, others get a copy. rh_fixture_write
 * and rh_fixture_check_input must not be called on such an input. */
rh_status rh_fixture_put(rh_fixture *place, unsigned char *memory, uint64_t elements,
                         rh_error *error);
void rh_fixture_finish(rh_fixture *place); /* zero-initialised is fine */

/* Copies `memory` to the device's input. */
rh_status rh_fixture_write(rh_fixture *place, rh_error *error);
/* The result goes to `index` from now on; the previous slot becomes poison again. */
rh_status rh_fixture_aim(rh_fixture *place, uint64_t index, rh_error *error);
/* Fills the slot to be written with poison. */
rh_status rh_fixture_clear(rh_fixture *place, rh_error *error);
/* Where a run that finishes on the host writes. */
unsigned char *rh_fixture_host_result(const rh_fixture *place);
/* Reads the value that the run wrote, on the host or on the device. */
rh_status rh_fixture_fetch(rh_fixture *place, int on_host, unsigned char value[16],
                           rh_error *error);

/* RH_E_WRONG if anything but the result's slot was written. */
rh_status rh_fixture_check_result(rh_fixture *place, rh_error *error);
/* RH_E_WRONG if the input has changed. */
rh_status rh_fixture_check_input(rh_fixture *place, rh_error *error);
