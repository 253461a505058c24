#include "internal.h"

#include <sys/wait.h>

typedef struct talker {
  rh_registry *registry;
  const uint32_t *which;
  uint32_t n, answered; /* files asked about; files with a result */
  int greeted;          /* it speaks the protocol */
  char strategy[64];    /* the strategy whose query is running; empty while loading */
  rh_child child;
} talker;

/* The candidate that is examined. */
static uint32_t here(const talker *talk) { return talk->which[talk->answered]; }

/* fate: of what was taken about it. */
static rh_fate finish_file(talker *talk, rh_fate fate) {
  if (fate != RH_GOES_ON) return fate;
  talk->answered++;
  talk->strategy[0] = 0;
  rh_child_grant(&talk->child);
  return RH_GOES_ON;
}

static rh_fate take_refusal(talker *talk, const char *reason, rh_refusal_kind kind) {
  return finish_file(talk, rh_registry_refuse(talk->registry, here(talk), reason, kind));
}

/* Handles a frame; one that is out of order is garbage. */
static rh_fate take_frame(talker *talk, json_t *frame) {
  int number, kind;
  const char *text, *name;
  json_t *strategies;
  int at = (int)talk->answered, is_last = talk->answered == talk->n;
  if (!talk->greeted) {
    talk->greeted =
        json_unpack(frame, "{s:i!}", "redhost-probe", &number) == 0 && number == RH_WIRE_VERSION;
    return talk->greeted ? RH_GOES_ON : RH_FATE_GARBAGE;
  }
  if (is_last)
    return json_unpack(frame, "{s:i!}", "end", &number) == 0 && number == at ? RH_FATE_HEARD
                                                                             : RH_FATE_GARBAGE;
  if (json_unpack(frame, "{s:s, s:s!}", "phase", &text, "strategy", &name) == 0) {
    snprintf(talk->strategy, sizeof talk->strategy, "%s", name);
    return RH_GOES_ON;
  }
  if (json_unpack(frame, "{s:i, s:i, s:s!}", "refused", &number, "kind", &kind, "reason", &text) ==
          0 &&
      number == at && kind >= 0 && kind <= RH_REFUSED_UNREAD)
    return take_refusal(talk, text, (rh_refusal_kind)kind);
  if (json_unpack(frame, "{s:i, s:o!}", "plugin", &number, "strategies", &strategies) == 0 &&
      number == at)
    return finish_file(talk, rh_registry_take(talk->registry, here(talk), strategies));
  return RH_FATE_GARBAGE;
}

static rh_fate take_line(void *user, const char *line, size_t length, rh_error *error) {
  json_auto_t *frame = json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL);
  rh_fate fate = json_is_object(frame) ? take_frame(user, frame) : RH_FATE_GARBAGE;
  if (fate == RH_FATE_FAILED) rh_fail(error, RH_E_NOMEM, "no memory to examine plugins");
  return fate;
}

/* The child died or hung while it examined a file. */
static rh_status blame(talker *talk, rh_error *error) {
  char reason[256], where[96] = "while loading";
  int status = talk->child.status;
  rh_registry_drop(talk->registry, here(talk));
  /* An earlier plugin in the same process may be the cause, so the file is examined again alone.
   * After a hang, which costs seconds, it is not. */
  if (talk->answered > 0 && talk->child.fate != RH_FATE_LATE) return RH_OK;
  if (talk->strategy[0]) snprintf(where, sizeof where, "in query of '%s'", talk->strategy);
  else if (talk->child.fate == RH_FATE_ENDED && status != -1 && WIFSIGNALED(status))
    snprintf(where, sizeof where, "on load");
  rh_child_name(&talk->child, where, reason, sizeof reason);
  if (take_refusal(talk, reason, RH_REFUSED_FOR_FAULT) == RH_GOES_ON) return RH_OK;
  return rh_fail(error, RH_E_NOMEM, "no memory to examine plugins");
}

/* The child is another program than redhost. */
static rh_status refuse_program(const talker *talk, rh_error *error) {
  char reason[256] = "sends something else";
  if (talk->child.fate == RH_FATE_LATE) snprintf(reason, sizeof reason, "sends nothing");
  if (talk->child.fate == RH_FATE_ENDED)
    rh_ending_name(talk->child.status, "at its start", reason, sizeof reason);
  return rh_fail(error, RH_E_PLUGIN, "%s does not speak the probe protocol: it %s",
                 talk->registry->program, reason);
}

/* The child died or hung when it had examined all files. */
static rh_status note_loss(const talker *talk, rh_error *error) {
  rh_discovery *search = &talk->registry->search;
  const rh_candidate *last = &search->candidates[talk->which[talk->n - 1]];
  char reason[256] = "sent data that redhost did not write";
  if (talk->child.fate == RH_FATE_LATE) snprintf(reason, sizeof reason, "did not go on");
  if (talk->child.fate == RH_FATE_ENDED)
    rh_ending_name(talk->child.status, "afterwards", reason, sizeof reason);
  if (rh_strings_add(&search->notes, &search->n_notes,
                     "the probe process was lost after examining %s: it %s", last->path,
                     reason) == 0)
    return RH_OK;
  return rh_fail(error, RH_E_NOMEM, "no memory for a note");
}

static rh_status start(talker *talk, rh_error *error) {
  const rh_registry *registry = talk->registry;
  RH_FINISHED(rh_text) request = {0};
  rh_wire_request(&request, registry->device, registry->max_n);
  for (uint32_t k = 0; k < talk->n; k++)
    rh_request_add(&request, "file", registry->search.candidates[talk->which[k]].path);
  RH_TRY(rh_request_end(&request, error));
  const rh_child_spec spec = {.program = registry->program,
                              .role = "--probe",
                              .request = request.s,
                              .bytes = request.length,
                              .data = -1,
                              .output = -1};
  return rh_child_start(&talk->child, &spec, error);
}

rh_status rh_talk(rh_registry *registry, const uint32_t *which, uint32_t n, uint32_t *done,
                  rh_error *error) {
  talker talk = {.registry = registry, .which = which, .n = n};
  talk.child = (rh_child){.user = &talk,
                          .take = take_line,
                          .limit_s = registry->limit_s,
                          .limit_bytes = registry->limit_bytes};
  RH_TRY(start(&talk, error));
  rh_fate fate = rh_child_listen(&talk.child, error);
  /* The answers are complete; destructors get half a second. */
  rh_child_end(&talk.child, 0.5);
  rh_status status = RH_OK;
  if (fate == RH_FATE_FAILED) {
    rh_registry_drop(registry, here(&talk));
    status = RH_E_NOMEM;
  } else if (fate != RH_FATE_HEARD) {
    status = !talk.greeted            ? refuse_program(&talk, error)
             : talk.answered < talk.n ? blame(&talk, error)
                                      : note_loss(&talk, error);
  }
  *done += talk.answered;
  return status;
}
