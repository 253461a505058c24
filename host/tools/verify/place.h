/* Where an input and its result lie: buffers of their own, with poison where nothing belongs. */
#ifndef RH_VERIFY_PLACE_H
#define RH_VERIFY_PLACE_H

#include "../../core/cl/session.h"

enum { RH_POISON = 0xAA };

typedef struct rh_place {
  rh_cl_session *session; /* null for a host strategy */
  uint32_t element_size, value_size;

  uint64_t elements;            /* that the input holds, the range among them */
  unsigned char *memory, *copy; /* the input on the host, and room to compare it with */
  cl_mem input;
  int is_lent; /* memory is somebody else's */

  uint64_t slots, index; /* values that the result has room for; the one that is to be written */
  cl_mem result;         /* null for a host strategy */
  unsigned char *host_result; /* the same on the host; of very many slots, indices wrap around */
  uint64_t host_slots;
} rh_place;

/* Values of `row` in `slots` places, all of them poison; `elements` of them, uninitialised. */
rh_status rh_place_init(rh_place *place, rh_cl_session *session, const rh_op *row,
                        uint64_t elements, uint64_t slots, rh_error *error);
/* The input is `elements` in `memory` from now on, which outlives the place; a device that works in
 * the host's memory uses it as it stands, and others get a copy.  Such an input is not for
 * rh_place_write and rh_place_check_input. */
rh_status rh_place_put(rh_place *place, unsigned char *memory, uint64_t elements, rh_error *error);
void rh_place_finish(rh_place *place); /* zero-initialised is fine */

/* Hands over what stands in `memory`. */
rh_status rh_place_write(rh_place *place, rh_error *error);
/* The result goes to `index` from now on; the slot that was written before is poison again. */
rh_status rh_place_aim(rh_place *place, uint64_t index, rh_error *error);
/* Makes the slot that is to be written poison. */
rh_status rh_place_clear(rh_place *place, rh_error *error);
/* Where a run that finishes on the host writes. */
unsigned char *rh_place_host_result(const rh_place *place);
/* What the run wrote, on the host or on the device. */
rh_status rh_place_fetch(rh_place *place, int on_host, unsigned char value[16], rh_error *error);

/* RH_E_WRONG where the result was written anywhere but in its slot. */
rh_status rh_place_check_result(rh_place *place, rh_error *error);
/* RH_E_WRONG where the input is no longer what was written to it. */
rh_status rh_place_check_input(rh_place *place, rh_error *error);

#endif
