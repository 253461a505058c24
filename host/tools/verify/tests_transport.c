/* V70 to V72: a transport in one process. */
#include "internal.h"

#include "../../engine/ranks/ranks.h"

/* RH_SKIP where V70 fails. */
static rh_status load(rh_trial *trial, const rh_transport **transport) {
  rh_trial_phase(trial, "loading");
  if (rh_transport_open(trial->path, transport, &trial->error) == RH_OK) return RH_OK;
  return rh_trial_skip(trial, "cannot be loaded: %s", trial->error.message);
}

/* ---- V70 ---- */

/* A library that the file needs may have functions of the same names. */
static const char *function_elsewhere(const rh_transport *t, const char *path) {
  const void *functions[5];
  static const char *const names[] = {"probe", "open", "gather", "abort", "close"};
  memcpy(&functions[0], &t->probe, sizeof(void *));
  memcpy(&functions[1], &t->open, sizeof(void *));
  memcpy(&functions[2], &t->gather, sizeof(void *));
  memcpy(&functions[3], &t->abort, sizeof(void *));
  memcpy(&functions[4], &t->close, sizeof(void *));
  for (int k = 0; k < 5; k++)
    if (!rh_dl_is_from(functions[k], path)) return names[k];
  return NULL;
}

rh_status rh_v70_descriptor(rh_trial *trial) {
  enum { MOST_DESCRIPTION = 127 };
  const rh_transport *t;
  rh_trial_phase(trial, "loading");
  RH_TRY(rh_transport_open(trial->path, &t, &trial->error));
  size_t length = strlen(t->description);
  if (length == 0 || length > MOST_DESCRIPTION)
    return rh_trial_fail(trial, "its description has %zu bytes; 1 to %d are expected", length,
                         MOST_DESCRIPTION);
  if (!rh_is_plain_utf8(t->description, length))
    return rh_trial_fail(trial, "its description has control characters or invalid UTF-8");
  if (t->reserved != 0)
    return rh_trial_fail(trial, "its field `reserved' is %u; it must be 0", t->reserved);
  const char *elsewhere = function_elsewhere(t, trial->path);
  if (elsewhere) return rh_trial_fail(trial, "its function %s is in another file", elsewhere);
  return RH_OK;
}

/* ---- V71 ---- */

rh_status rh_v71_probe(rh_trial *trial) {
  enum { TIMES = 20 };
  const rh_transport *t;
  char first[RH_SENTENCE_BYTES] = "";
  int32_t answer = 0;
  RH_TRY(load(trial, &t));
  rh_trial_phase(trial, "probe");
  for (int k = 0; k < TIMES; k++) {
    char *text = rh_sentence_room();
    int32_t again = t->probe(text, RH_SENTENCE_BYTES);
    const char *fault = rh_sentence_fault(text);
    if (again < RH_TRANSPORT_CANNOT || again > RH_TRANSPORT_STARTED)
      return rh_trial_fail(trial, "probe returns %d; it must be %d to %d", again,
                           RH_TRANSPORT_CANNOT, RH_TRANSPORT_STARTED);
    if (fault) return rh_trial_fail(trial, "probe %s", fault);
    if (k && (again != answer || strcmp(text, first) != 0))
      return rh_trial_fail(trial,
                           "probe does not say the same again: %d, '%.100s', then %d, "
                           "'%.100s'",
                           answer, first, again, text);
    answer = again;
    memcpy(first, text, sizeof first);
  }
  return RH_OK;
}

/* ---- V72 ---- */

/* Opening a library may change what its own constructors change, and that is not the transport's
 * fault.  So the first call is held to what decides results, and the second to everything. */
static const uint32_t of_libraries =
    1u << RH_STATE_SIGNALS | 1u << RH_STATE_ATTRIBUTES | 1u << RH_STATE_DESCRIPTORS |
    1u << RH_STATE_THREADS | 1u << RH_STATE_FILES | 1u << RH_STATE_CODE | 1u << RH_STATE_LIBRARIES;

static rh_status probe_watched(rh_trial *trial, const rh_transport *t, uint32_t without) {
  rh_footprint footprint = {.unsteady = without};
  rh_footprint_enter(&footprint, 0);
  t->probe(rh_sentence_room(), RH_SENTENCE_BYTES);
  rh_footprint_leave(&footprint);
  rh_footprint_judge(&footprint, "probe", 1);
  rh_status status = footprint.said[0] ? rh_trial_fail(trial, "%s", footprint.said) : RH_OK;
  rh_footprint_finish(&footprint);
  return status;
}

rh_status rh_v72_probe_changes_nothing(rh_trial *trial) {
  const rh_transport *t;
  RH_TRY(load(trial, &t));
  rh_trial_phase(trial, "probe");
  trial->watches_end = 1;
  RH_TRY(probe_watched(trial, t, of_libraries));
  return probe_watched(trial, t, 1u << RH_STATE_LIBRARIES);
}
