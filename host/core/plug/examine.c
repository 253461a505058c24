/* Examining files: in child processes, so that a faulty plugin takes down only them, or in this
 * process if there is no program; and what is found. */
#include "internal.h"

#include <sys/wait.h>

/* ---- What was found of one file ---- */

/* The strategies of candidate k, as rh_examine_plugin() gives them. */
static rh_fate take_strategies(rh_registry *registry, uint32_t k, const json_t *strategies) {
  rh_candidate *candidate = &registry->search.candidates[k];
  uint32_t n = (uint32_t)json_array_size(strategies);
  if (n < 1 || n > RH_MOST_STRATEGIES) return RH_FATE_GARBAGE;
  for (uint32_t j = 0; j < n; j++) {
    if (RH_ROOM(&registry->entries, registry->n_known, "", NULL) != RH_OK) return RH_FATE_FAILED;
    rh_entry *entry = &registry->entries[registry->n_known];
    if (rh_wire_read_entry(json_array_get(strategies, j), entry) != 0) return RH_FATE_GARBAGE;
    registry->n_known++;
    entry->file = candidate;
    entry->asked_of = registry->by.device;
    entry->asked_n = registry->by.max_n;
  }
  candidate->examined = 1;
  return RH_GOES_ON;
}

/* Why candidate k is not used.  It may quote file names and the loader's message, so it is made one
 * line. */
static rh_fate take_reason(rh_registry *registry, uint32_t k, const char *reason,
                           rh_refusal_kind kind) {
  rh_candidate *candidate = &registry->search.candidates[k];
  candidate->refused = strdup(reason);
  if (!candidate->refused) return RH_FATE_FAILED;
  rh_make_plain(candidate->refused);
  candidate->kind = kind;
  candidate->examined = 1;
  return RH_GOES_ON;
}

/* Drops the entries of candidate k. */
static void drop_entries(rh_registry *registry, uint32_t k) {
  const rh_candidate *file = &registry->search.candidates[k];
  uint32_t kept = 0;
  for (uint32_t j = 0; j < registry->n_known; j++)
    if (registry->entries[j].file == file) rh_entry_finish(&registry->entries[j]);
    else registry->entries[kept++] = registry->entries[j];
  registry->n_known = kept;
}

/* ---- A child that examines some ---- */

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
  return finish_file(talk, take_reason(talk->registry, here(talk), reason, kind));
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
    return finish_file(talk, take_strategies(talk->registry, here(talk), strategies));
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
  drop_entries(talk->registry, here(talk));
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
  rh_wire_request(&request, registry->by.device, registry->by.max_n);
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

/* Starts a child on candidates which[0..n-1] and reads until it ends for any reason.  Adds the
 * number of candidates that need no further child to *done, at least one.  If that is fewer than
 * n, the child died or hung.  RH_E_PLUGIN: the program is missing or is not a redhost. */
static rh_status ask_child(rh_registry *registry, const uint32_t *which, uint32_t n, uint32_t *done,
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
    drop_entries(registry, here(&talk));
    status = RH_E_NOMEM;
  } else if (fate != RH_FATE_HEARD) {
    status = !talk.greeted            ? refuse_program(&talk, error)
             : talk.answered < talk.n ? blame(&talk, error)
                                      : note_loss(&talk, error);
  }
  *done += talk.answered;
  return status;
}

/* ---- Those that are wanted ---- */

void rh_registry_forget(rh_registry *registry, uint32_t k) {
  rh_candidate *candidate = &registry->search.candidates[k];
  drop_entries(registry, k);
  free(candidate->refused);
  candidate->refused = NULL;
  candidate->examined = 0;
}

static int is_same_file(const struct stat *a, const struct stat *b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
         a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Was candidate k not examined yet, or is it another file now? */
static int is_due(rh_registry *registry, uint32_t k) {
  rh_candidate *candidate = &registry->search.candidates[k];
  struct stat now = {0};
  if (!candidate->wanted || (candidate->refused && !candidate->examined)) return 0;
  if (stat(candidate->path, &now) != 0) memset(&now, 0, sizeof now);
  if (candidate->examined && is_same_file(&candidate->file, &now)) return 0;
  rh_registry_forget(registry, k);
  candidate->file = now;
  return 1;
}

/* Without a program: what came with redhost, which can be trusted as much as this library. */
static rh_status examine_here(rh_registry *registry, uint32_t k, rh_error *error) {
  const rh_candidate *candidate = &registry->search.candidates[k];
  const rh_plugin *plugin;
  rh_error why;
  rh_status status =
      candidate->installed
          ? rh_plugin_open(candidate->path, registry->describe, &plugin, &why)
          : rh_fail(&why, RH_E_FILE,
                    "only the redhost program examines it, and there is none beside the library; "
                    "name it in rh_options.program");
  json_auto_t *strategies = status == RH_OK ? rh_examine_plugin(&registry->by, plugin) : NULL;
  rh_fate fate = status == RH_OK
                     ? take_strategies(registry, k, strategies)
                     : take_reason(registry, k, why.message, rh_refusal_kind_of(status));
  return fate == RH_GOES_ON ? RH_OK : rh_fail(error, RH_E_NOMEM, "no memory to examine plugins");
}

/* Without plugins no child is started, so the program may be missing. */
static rh_status find_program(rh_registry *registry, rh_error *error) {
  rh_error why;
  if (registry->program || registry->has_no_program) return RH_OK;
  rh_status status = rh_child_program(registry->options, &registry->program, &why);
  registry->has_no_program = status == RH_E_PLUGIN && registry->by.find_op;
  if (status == RH_OK || registry->has_no_program) return RH_OK;
  return rh_error_pass(error, status, &why);
}

/* The names of strategies are known only now; a match disables the whole file. */
static rh_status disable(rh_registry *registry, uint32_t k, rh_error *error) {
  rh_candidate *candidate = &registry->search.candidates[k];
  char reason[512], pattern[RH_PATTERN_BYTES];
  for (uint32_t j = 0; j < registry->n_known && !candidate->installed; j++) {
    const rh_entry *entry = &registry->entries[j];
    if (entry->file != candidate || candidate->refused ||
        !rh_is_disabled(entry->says.name, pattern))
      continue;
    snprintf(reason, sizeof reason, "offers '%s', which is disabled by '%s' in " RH_DISABLES,
             entry->says.name, pattern);
    candidate->kind = RH_REFUSED_BY_INTENT;
    RH_TRY(rh_copy(&candidate->refused, reason, "a list of plugins", error));
  }
  return RH_OK;
}

static rh_status examine(rh_registry *registry, const uint32_t *which, uint32_t n,
                         rh_error *error) {
  rh_status status = n ? find_program(registry, error) : RH_OK;
  for (uint32_t done = 0; status == RH_OK && done < n;)
    if (registry->has_no_program) status = examine_here(registry, which[done++], error);
    else status = ask_child(registry, which + done, n - done, &done, error);
  for (uint32_t k = 0; status == RH_OK && k < n; k++) status = disable(registry, which[k], error);
  return status;
}

/* Sorts by name, then by rh_rank_files; what is disabled comes last. */
static int by_rank(const void *left, const void *right) {
  const rh_entry *a = left, *b = right;
  const rh_candidate *of_a = a->file, *of_b = b->file;
  if (!of_a->refused != !of_b->refused) return of_a->refused ? 1 : -1;
  int order = strcmp(a->says.name, b->says.name);
  if (order == 0 && of_a->place != of_b->place) order = of_a->place < of_b->place ? -1 : 1;
  return order ? order : rh_rank_files(of_a->path, of_b->path, a->says.name);
}

/* Sorts, and marks all but the first of each name. */
static void gather(rh_registry *registry) {
  const rh_entry *first = registry->entries;
  if (registry->n_known)
    qsort(registry->entries, registry->n_known, sizeof *registry->entries, by_rank);
  registry->n_entries = registry->n_refusals = registry->n_skipped = 0;
  for (uint32_t k = 0; k < registry->n_known && !registry->entries[k].file->refused; k++) {
    rh_entry *entry = &registry->entries[k];
    if (strcmp(entry->says.name, first->says.name) != 0) first = entry;
    entry->shadowed_by = entry == first ? NULL : first->file->path;
    registry->n_entries++;
  }
  for (uint32_t k = 0; k < registry->search.n; k++) {
    const rh_candidate *candidate = &registry->search.candidates[k];
    registry->n_refusals += candidate->refused != NULL;
    registry->n_skipped += !candidate->wanted && !candidate->refused;
  }
}

rh_status rh_registry_look(rh_registry *registry, rh_error *error) {
  RH_FREED(uint32_t) which = NULL;
  uint32_t n = 0;
  RH_TRY(RH_NEW(&which, registry->search.n, "examining plugins", error));
  for (uint32_t k = 0; k < registry->search.n; k++)
    if (is_due(registry, k)) which[n++] = k;
  rh_status status = examine(registry, which, n, error);
  gather(registry);
  return status;
}
