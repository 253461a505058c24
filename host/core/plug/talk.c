#include "talk.h"
#include "../base/clock.h"
#include "../base/error.h"
#include "../base/text.h"
#include "ending.h"
#include "spawn.h"
#include "validate.h"
#include "wire.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* How a child's life ended, or did not. */
typedef enum fate_kind { GOES_ON, ALL_DONE, ENDED, LATE, FLOOD, GARBAGE, NO_MEMORY } fate_kind;

typedef struct talker {
  rh_survey *survey;
  const uint32_t *which;
  uint32_t n, answered; /* files asked about; files with a result */
  int greeted, begun;   /* it speaks our language; it is looking at which[answered] */
  char strategy[64];    /* whose query it is in; empty: it is loading */
  double deadline;
  rh_child child;
} talker;

static rh_finding *finding_of(const talker *talk) {
  return &talk->survey->findings[talk->which[talk->answered]];
}

static void grant(talker *talk) {
  talk->deadline = rh_now() + talk->survey->limit_s;
  talk->child.most = talk->child.received + talk->survey->limit_bytes;
}

static fate_kind settle(talker *talk) {
  finding_of(talk)->looked = 1;
  talk->begun = 0;
  talk->answered++;
  grant(talk);
  return GOES_ON;
}

static fate_kind take_plugin(talker *talk, const json_t *strategies) {
  uint32_t k = talk->which[talk->answered], n = (uint32_t)json_array_size(strategies);
  const rh_candidate *candidate = &talk->survey->search.candidates[k];
  rh_finding *finding = finding_of(talk);
  if (n < 1 || n > RH_MOST_STRATEGIES) return GARBAGE;
  finding->entries = calloc(n, sizeof *finding->entries);
  if (!finding->entries) return NO_MEMORY;
  for (uint32_t j = 0; j < n; j++) {
    rh_entry *entry = &finding->entries[j];
    if (rh_wire_read_entry(json_array_get(strategies, j), entry) != 0) return GARBAGE;
    finding->n_entries++;
    entry->place = candidate->place;
    entry->installed = candidate->installed;
    if (!(entry->path = strdup(candidate->path))) return NO_MEMORY;
  }
  return settle(talk);
}

/* The reason may quote file names and what the loader said: it becomes one line. */
static fate_kind take_refusal(talker *talk, const char *reason, rh_refusal_kind kind) {
  char *copy = strdup(reason);
  if (!copy) return NO_MEMORY;
  rh_make_plain(copy);
  finding_of(talk)->refused = copy;
  finding_of(talk)->kind = kind;
  return settle(talk);
}

static fate_kind take_begin(talker *talk) {
  talk->begun = 1;
  talk->strategy[0] = 0;
  grant(talk);
  return GOES_ON;
}

/* One frame, if it is the one that may come now. */
static fate_kind take_frame(talker *talk, json_t *frame) {
  int number, kind;
  const char *text, *name;
  json_t *strategies;
  int here = (int)talk->answered;
  if (!talk->greeted) {
    talk->greeted =
        json_unpack(frame, "{s:i!}", "redhost-probe", &number) == 0 && number == RH_WIRE_VERSION;
    return talk->greeted ? GOES_ON : GARBAGE;
  }
  if (!talk->begun) {
    if (json_unpack(frame, "{s:i!}", "end", &number) == 0)
      return here == (int)talk->n && number == here ? ALL_DONE : GARBAGE;
    if (here < (int)talk->n && json_unpack(frame, "{s:i!}", "begin", &number) == 0 &&
        number == here)
      return take_begin(talk);
    return GARBAGE;
  }
  if (json_unpack(frame, "{s:s, s:s!}", "phase", &text, "strategy", &name) == 0) {
    snprintf(talk->strategy, sizeof talk->strategy, "%s", name);
    return GOES_ON;
  }
  if (json_unpack(frame, "{s:i, s:i, s:s!}", "refused", &number, "kind", &kind, "reason", &text) ==
          0 &&
      number == here && kind >= 0 && kind <= RH_REFUSED_UNREAD)
    return take_refusal(talk, text, (rh_refusal_kind)kind);
  if (json_unpack(frame, "{s:i, s:o!}", "plugin", &number, "strategies", &strategies) == 0 &&
      number == here)
    return take_plugin(talk, strategies);
  return GARBAGE;
}

static fate_kind listen(talker *talk) {
  const char *line;
  size_t length;
  fate_kind fate = GOES_ON;
  while (fate == GOES_ON) {
    switch (rh_child_read(&talk->child, talk->deadline, &line, &length)) {
    case RH_LINE_END: return ENDED;
    case RH_LINE_LATE: return LATE;
    case RH_LINE_FLOOD: return FLOOD;
    case RH_LINE_READ: break;
    }
    json_t *frame = json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL);
    fate = json_is_object(frame) ? take_frame(talk, frame) : GARBAGE;
    json_decref(frame);
  }
  return fate;
}

static void name_fate(const talker *talk, fate_kind fate, int status, char *to, size_t bytes) {
  const rh_survey *survey = talk->survey;
  char where[96] = "while loading";
  if (talk->strategy[0])
    snprintf(where, sizeof where, "in query of '%s'", talk->strategy);
  else if (fate == ENDED && status != -1 && WIFSIGNALED(status))
    snprintf(where, sizeof where, "on load");
  switch (fate) {
  case LATE: snprintf(to, bytes, "did not answer within %g s %s", survey->limit_s, where); break;
  case FLOOD:
    snprintf(to, bytes, "sent more than %g MiB %s", (double)survey->limit_bytes / 0x1p20, where);
    break;
  case GARBAGE: snprintf(to, bytes, "disturbed the answer %s", where); break;
  default: rh_ending_name(status, where, to, bytes); break;
  }
}

/* Entries of a plugin frame that turned out to be nonsense. */
static void drop_entries(rh_finding *finding) {
  for (uint32_t j = 0; j < finding->n_entries; j++) rh_entry_finish(&finding->entries[j]);
  free(finding->entries);
  finding->entries = NULL;
  finding->n_entries = 0;
}

/* The child is lost while it looked at a file. */
static rh_status blame(talker *talk, fate_kind fate, int status, rh_error *error) {
  char reason[256];
  drop_entries(finding_of(talk));
  /* It may have been a plugin from before, in the same process: looked at alone, a file is judged
   * for itself.  Not after a hang, which costs seconds. */
  if (talk->answered > 0 && fate != LATE) return RH_OK;
  name_fate(talk, fate, status, reason, sizeof reason);
  if (take_refusal(talk, reason, RH_REFUSED_FOR_FAULT) == NO_MEMORY)
    return rh_fail(error, RH_E_NOMEM, "no memory to look at plugins");
  return RH_OK;
}

/* It is lost, but not while it looked at a file. */
static rh_status lose(talker *talk, fate_kind fate, int status, rh_error *error) {
  char reason[256];
  if (!talk->answered) {
    if (fate == LATE)
      snprintf(reason, sizeof reason, "says nothing");
    else if (fate != ENDED)
      snprintf(reason, sizeof reason, "says something else");
    else
      rh_ending_name(status, "at its start", reason, sizeof reason);
    return rh_fail(error, RH_E_PLUGIN,
                   "%s: does not look at plugins as 'redhost --probe' should: it %s",
                   talk->survey->program, reason);
  }
  const rh_candidate *last = &talk->survey->search.candidates[talk->which[talk->answered - 1]];
  if (fate == ENDED)
    rh_ending_name(status, "afterwards", reason, sizeof reason);
  else
    snprintf(reason, sizeof reason,
             fate == LATE ? "did not go on" : "sent what redhost did not write");
  rh_discovery *search = &talk->survey->search;
  if (rh_strings_add(&search->notes, &search->n_notes,
                     "the process that had looked at %s was lost behind it: it %s", last->path,
                     reason) == 0)
    return RH_OK;
  return rh_fail(error, RH_E_NOMEM, "no memory for a note");
}

static rh_status conclude(talker *talk, fate_kind fate, int status, rh_error *error) {
  if (fate == ALL_DONE) return RH_OK;
  if (fate == NO_MEMORY) {
    drop_entries(finding_of(talk));
    return rh_fail(error, RH_E_NOMEM, "no memory to look at plugins");
  }
  return talk->begun ? blame(talk, fate, status, error) : lose(talk, fate, status, error);
}

static rh_status start(talker *talk, rh_error *error) {
  static const char *const argv[] = {"redhost", "--probe", NULL};
  const rh_survey *survey = talk->survey;
  rh_text request = {0};
  const char **paths = calloc(talk->n + 1u, sizeof *paths);
  for (uint32_t k = 0; paths && k < talk->n; k++)
    paths[k] = survey->search.candidates[talk->which[k]].path;
  rh_status status =
      paths ? rh_wire_request(&request, survey->device, survey->max_n, paths, talk->n, error)
            : rh_fail(error, RH_E_NOMEM, "no memory to ask about plugins");
  if (status == RH_OK)
    status = rh_child_start(&talk->child,
                            &(rh_child_spec){.program = survey->program,
                                             .argv = argv,
                                             .request = request.s,
                                             .bytes = request.length,
                                             .data = -1,
                                             .output = -1},
                            error);
  rh_text_finish(&request);
  free(paths);
  return status;
}

rh_status rh_talk(rh_survey *survey, const uint32_t *which, uint32_t n, uint32_t *done,
                  rh_error *error) {
  talker talk = {.survey = survey, .which = which, .n = n};
  RH_TRY(start(&talk, error));
  grant(&talk);
  fate_kind fate = listen(&talk);
  /* What was said counts; destructors that hang afterwards are cut short.  Garbage: it lives on and
   * is not waited for. */
  double grace = fate == ALL_DONE ? 0.5 : fate == ENDED ? RH_CHILD_CLOSED_S : 0;
  int status = rh_child_finish(&talk.child, grace);
  rh_status result = conclude(&talk, fate, status, error);
  *done += talk.answered;
  return result;
}
