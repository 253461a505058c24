#include "child.h"

static const double look_s = 0.2; /* between calls of idle() */

rh_status rh_conversation_start(rh_conversation *talk, const rh_child_spec *spec, rh_error *error) {
  talk->printed = (rh_printed){0};
  talk->fate = RH_GOES_ON;
  talk->status = -1;
  RH_TRY(rh_child_start(&talk->child, spec, error));
  rh_conversation_grant(talk);
  return RH_OK;
}

void rh_conversation_grant(rh_conversation *talk) {
  talk->deadline = rh_now() + talk->limit_s;
  talk->child.most = talk->child.received + talk->limit_bytes;
}

/* Reads until `deadline`, or until the next call of idle() is due. */
static rh_fate read_until(rh_conversation *talk, double deadline, rh_error *error) {
  const char *line;
  size_t length;
  double look = rh_now() + look_s;
  int looks = talk->idle && look < deadline;
  switch (rh_child_read(&talk->child, looks ? look : deadline, &line, &length)) {
  case RH_LINE_END: return RH_FATE_ENDED;
  case RH_LINE_FLOOD: return RH_FATE_FLOOD;
  case RH_LINE_LATE: return looks ? talk->idle(talk->user, error) : RH_FATE_LATE;
  case RH_LINE_READ: break;
  }
  return talk->take(talk->user, line, length, error);
}

rh_fate rh_conversation_listen(rh_conversation *talk, rh_error *error) {
  do talk->fate = read_until(talk, talk->deadline, error);
  while (talk->fate == RH_GOES_ON);
  return talk->fate;
}

rh_fate rh_conversation_drain(rh_conversation *talk, rh_error *error) {
  rh_conversation_grant(talk);
  do talk->fate = read_until(talk, 0, error);
  while (talk->fate == RH_GOES_ON);
  if (talk->fate == RH_FATE_LATE) talk->fate = RH_GOES_ON;
  return talk->fate;
}

void rh_conversation_end(rh_conversation *talk, double grace) {
  int may_end = talk->fate == RH_FATE_HEARD || talk->fate == RH_GOES_ON;
  if (talk->child.pid <= 0) return;
  if (talk->fate == RH_FATE_ENDED) grace = RH_CHILD_CLOSED_S;
  else if (!may_end) grace = 0; /* it is still running and is not waited for */
  talk->status = rh_child_finish(&talk->child, grace);
}

void rh_conversation_name(const rh_conversation *talk, const char *where, char *to, size_t bytes) {
  char printed[256], limit[32];
  switch (talk->fate) {
  case RH_FATE_LATE:
    snprintf(to, bytes, "did not answer within %g s %s", talk->limit_s, where);
    break;
  case RH_FATE_FLOOD:
    snprintf(to, bytes, "sent more than %s %s", rh_format_bytes(limit, talk->limit_bytes), where);
    break;
  case RH_FATE_GARBAGE: snprintf(to, bytes, "wrote to redhost's result channel %s", where); break;
  default: rh_ending_name(talk->status, where, to, bytes); break;
  }
  rh_printed_quote(&talk->printed, printed, sizeof printed);
  strncat(to, printed, bytes - strlen(to) - 1);
}
