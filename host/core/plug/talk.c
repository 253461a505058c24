#include "internal.h"

#include <sys/wait.h>

typedef struct talker {
  rh_registry *registry;
  const uint32_t *which;
  uint32_t n, answered; /* files asked about; files with a result */
  int greeted, begun;   /* it speaks the protocol; it is examining which[answered] */
  char strategy[64];    /* the strategy whose query is running; empty while loading */
  rh_conversation with;
} talker;

/* The candidate that is examined. */
static uint32_t here(const talker *talk) { return talk->which[talk->answered]; }

static rh_fate finish_file(talker *talk) {
  talk->begun = 0;
  talk->answered++;
  rh_conversation_grant(&talk->with);
  return RH_GOES_ON;
}

static rh_fate take_plugin(talker *talk, const json_t *strategies) {
  rh_fate fate = rh_registry_take(talk->registry, here(talk), strategies);
  return fate == RH_GOES_ON ? finish_file(talk) : fate;
}

static rh_fate take_refusal(talker *talk, const char *reason, rh_refusal_kind kind) {
  rh_fate fate = rh_registry_refuse(talk->registry, here(talk), reason, kind);
  return fate == RH_GOES_ON ? finish_file(talk) : fate;
}

static rh_fate take_begin(talker *talk) {
  talk->begun = 1;
  talk->strategy[0] = 0;
  rh_conversation_grant(&talk->with);
  return RH_GOES_ON;
}

/* Handles a frame; one that is out of order is garbage. */
static rh_fate take_frame(talker *talk, json_t *frame) {
  int number, kind;
  const char *text, *name;
  json_t *strategies;
  int at = (int)talk->answered;
  if (!talk->greeted) {
    talk->greeted =
        json_unpack(frame, "{s:i!}", "redhost-probe", &number) == 0 && number == RH_WIRE_VERSION;
    return talk->greeted ? RH_GOES_ON : RH_FATE_GARBAGE;
  }
  if (!talk->begun) {
    if (json_unpack(frame, "{s:i!}", "end", &number) == 0)
      return at == (int)talk->n && number == at ? RH_FATE_HEARD : RH_FATE_GARBAGE;
    if (at < (int)talk->n && json_unpack(frame, "{s:i!}", "begin", &number) == 0 && number == at)
      return take_begin(talk);
    return RH_FATE_GARBAGE;
  }
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
    return take_plugin(talk, strategies);
  return RH_FATE_GARBAGE;
}

static rh_fate take_line(void *user, const char *line, size_t length, rh_error *error) {
  json_t *frame = json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL);
  rh_fate fate = json_is_object(frame) ? take_frame(user, frame) : RH_FATE_GARBAGE;
  json_decref(frame);
  if (fate == RH_FATE_FAILED) rh_fail(error, RH_E_NOMEM, "no memory to examine plugins");
  return fate;
}

static void name_fate(const talker *talk, char *to, size_t bytes) {
  int status = talk->with.status;
  char where[96] = "while loading";
  if (talk->strategy[0]) snprintf(where, sizeof where, "in query of '%s'", talk->strategy);
  else if (talk->with.fate == RH_FATE_ENDED && status != -1 && WIFSIGNALED(status))
    snprintf(where, sizeof where, "on load");
  rh_conversation_name(&talk->with, where, to, bytes);
}

/* The child died or hung while it examined a file. */
static rh_status blame(talker *talk, rh_error *error) {
  char reason[256];
  rh_registry_drop(talk->registry, here(talk));
  /* An earlier plugin in the same process may be the cause, so the file is examined again alone.
   * After a hang, which costs seconds, it is not. */
  if (talk->answered > 0 && talk->with.fate != RH_FATE_LATE) return RH_OK;
  name_fate(talk, reason, sizeof reason);
  if (take_refusal(talk, reason, RH_REFUSED_FOR_FAULT) == RH_FATE_FAILED)
    return rh_fail(error, RH_E_NOMEM, "no memory to examine plugins");
  return RH_OK;
}

/* The child died or hung, but not while it examined a file. */
static rh_status end_lost_probe(talker *talk, rh_error *error) {
  rh_fate fate = talk->with.fate;
  char reason[256];
  if (!talk->answered) {
    if (fate == RH_FATE_LATE) snprintf(reason, sizeof reason, "sends nothing");
    else if (fate != RH_FATE_ENDED) snprintf(reason, sizeof reason, "sends something else");
    else rh_ending_name(talk->with.status, "at its start", reason, sizeof reason);
    return rh_fail(error, RH_E_PLUGIN, "%s does not speak the probe protocol: it %s",
                   talk->registry->program, reason);
  }
  const rh_candidate *last = &talk->registry->search.candidates[talk->which[talk->answered - 1]];
  if (fate == RH_FATE_ENDED) rh_ending_name(talk->with.status, "afterwards", reason, sizeof reason);
  else
    snprintf(reason, sizeof reason,
             fate == RH_FATE_LATE ? "did not go on" : "sent data that redhost did not write");
  rh_discovery *search = &talk->registry->search;
  if (rh_strings_add(&search->notes, &search->n_notes,
                     "the probe process was lost after examining %s: it %s", last->path,
                     reason) == 0)
    return RH_OK;
  return rh_fail(error, RH_E_NOMEM, "no memory for a note");
}

static rh_status start(talker *talk, rh_error *error) {
  const rh_registry *registry = talk->registry;
  rh_text request = {0};
  rh_wire_request(&request, registry->device, registry->max_n);
  for (uint32_t k = 0; k < talk->n; k++)
    rh_request_add(&request, "file", registry->search.candidates[talk->which[k]].path);
  rh_status status = rh_request_end(&request, error);
  if (status == RH_OK)
    status = rh_conversation_start(&talk->with,
                                   &(rh_child_spec){.program = registry->program,
                                                    .role = "--probe",
                                                    .request = request.s,
                                                    .bytes = request.length,
                                                    .data = -1,
                                                    .output = -1},
                                   error);
  rh_text_finish(&request);
  return status;
}

rh_status rh_talk(rh_registry *registry, const uint32_t *which, uint32_t n, uint32_t *done,
                  rh_error *error) {
  talker talk = {.registry = registry, .which = which, .n = n};
  talk.with = (rh_conversation){.user = &talk,
                                .take = take_line,
                                .limit_s = registry->limit_s,
                                .limit_bytes = registry->limit_bytes};
  RH_TRY(start(&talk, error));
  rh_fate fate = rh_conversation_listen(&talk.with, error);
  /* The answers are complete; destructors get half a second. */
  rh_conversation_end(&talk.with, 0.5);
  rh_status status = RH_OK;
  if (fate == RH_FATE_FAILED) {
    rh_registry_drop(registry, here(&talk));
    status = RH_E_NOMEM;
  } else if (fate != RH_FATE_HEARD) {
    status = talk.begun ? blame(&talk, error) : end_lost_probe(&talk, error);
  }
  *done += talk.answered;
  return status;
}
