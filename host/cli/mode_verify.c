/* redhost --verify [NAME | FILE]... */

#include "../tools/verify/verify.h"
#include "app.h"

/* A file to be tested, or one strategy in it. */
typedef struct target {
  char *file, *strategy;
  rh_verify_report report;
} target;

typedef struct work {
  const rh_app *app;
  rh_registry registry; /* once a name is looked up */
  target *targets;
  uint32_t n;
  char *own;         /* the operator that is named, for V69; or null */
  rh_text own_words; /* the options that name it */
} work;

/* ---- Targets ---- */

static rh_status add_target(work *w, const char *file, const char *strategy, rh_error *error) {
  RH_TRY(RH_ROOM(&w->targets, w->n, "a list of plugins", error));
  w->targets[w->n++] = (target){.file = rh_copy_string(file), .strategy = rh_copy_string(strategy)};
  return RH_OK;
}

/* By a child, which files alone do not need. */
static rh_status scan(work *w, rh_error *error) {
  if (w->registry.search.searched) return RH_OK;
  return rh_registry_scan(&w->registry, &w->app->context->options, NULL, 0, error);
}

static int is_file(const char *word) {
  return strchr(word, '/') || rh_has_suffix(word, ".so") || rh_has_suffix(word, ".json") ||
         access(word, F_OK) == 0;
}

/* All files with a transport of that name; the built-in one has none. */
static rh_status add_transports(work *w, const char *name, rh_error *error) {
  RH_FINISHED(rh_transport_list) list = {0};
  RH_TRY(rh_transports_list(&list, error));
  for (uint32_t k = 0; k < list.n; k++) {
    const rh_transport_entry *entry = &list.entries[k];
    if (entry->path && entry->transport && strcmp(entry->transport->name, name) == 0)
      RH_TRY(add_target(w, entry->path, NULL, error));
  }
  return RH_OK;
}

/* A strategy, or a transport. */
static rh_status find_name(work *w, const char *name, rh_error *error) {
  const rh_registry *registry = &w->registry;
  RH_TRY(scan(w, error));
  const rh_entry *entry = rh_registry_find(registry, name);
  if (entry) return add_target(w, entry->file->path, name, error);
  /* A refused file of that name can be tested, too, to find out why. */
  for (uint32_t k = 0; k < registry->search.n; k++) {
    const rh_candidate *file = &registry->search.candidates[k];
    if (file->refused && rh_bears_name(file->path, name))
      return add_target(w, file->path, NULL, error);
  }
  uint32_t before = w->n;
  RH_TRY(add_transports(w, name, error));
  if (w->n > before) return RH_OK;
  RH_FINISHED(rh_found) found = {0}; /* it may be in a directory that was not searched */
  RH_TRY(rh_context_locate(w->app->context, name, &found, error));
  return add_target(w, found.path, name, error);
}

/* Adds every file once that has a strategy which is not shadowed. */
static rh_status take_all(work *w, rh_error *error) {
  const rh_registry *registry = &w->registry;
  RH_TRY(scan(w, error));
  for (uint32_t k = 0; k < registry->n_entries; k++) {
    const rh_entry *entry = &registry->entries[k];
    int seen = entry->shadowed_by != NULL;
    for (uint32_t j = 0; j < w->n && !seen; j++)
      seen = strcmp(w->targets[j].file, entry->file->path) == 0;
    if (!seen) RH_TRY(add_target(w, entry->file->path, NULL, error));
  }
  if (w->n) return RH_OK;
  return rh_fail(error, RH_E_USAGE, "there is no plugin in %s", registry->search.searched);
}

static rh_status find_targets(work *w, rh_error *error) {
  const rh_typed *typed = w->app->typed;
  if (typed->strategy && (typed->n_operands != 1 || !is_file(typed->operands[0])))
    return rh_fail(error, RH_E_USAGE,
                   "--strategy says which strategy of a file --verify tests; give that file, "
                   "as in --verify ./lib.so --strategy %.64s",
                   typed->strategy);
  if (typed->n_operands == 0) return take_all(w, error);
  for (uint32_t k = 0; k < typed->n_operands; k++) {
    const char *word = typed->operands[k];
    RH_TRY(is_file(word) ? add_target(w, word, typed->strategy, error) : find_name(w, word, error));
  }
  return RH_OK;
}

/* ---- An operator of one's own ---- */

static void note_words(rh_text *words, const rh_typed *typed) {
  static const char *const options[] = {"op",       "map",     "where", "reduce",   "identity",
                                        "finalize", "initial", "type",  "commutes", "unchecked-op"};
  for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
    const rh_option *row = rh_option_find(options[k]);
    const char *said = typed->said[row - rh_option_table];
    if (said) rh_text_add(words, " --%s", options[k]);
    if (said && row->argument) {
      rh_text_add(words, " ");
      rh_text_add_word(words, said);
    }
  }
  for (uint32_t k = 0; k < typed->lets.n; k++) {
    rh_text_add(words, " --let ");
    rh_text_add_word(words, typed->lets.list[k]);
  }
}

/* The strategies' children get all that it is made of. */
static rh_status take_own(work *w, rh_error *error) {
  const rh_app *app = w->app;
  const rh_typed *typed = app->typed;
  RH_OWNED(rh_custom) custom = NULL;
  if (!rh_user_operator_is_wanted(typed)) {
    if (!typed->texts.op && !typed->type) return RH_OK;
    return rh_fail(error, RH_E_USAGE,
                   "--%s: --verify tries all built-in operators and types; with an operator of "
                   "one's own, such as --op meanvar, it tries that one, too",
                   typed->texts.op ? "op" : "type");
  }
  RH_TRY(rh_user_operator_define(app, typed, NULL, app->type ? app->type : RH_TYPE_f32, &custom,
                                 error));
  RH_TRY(rh_user_operator_trust(app, custom, error));
  const rh_operation operation = {.op = &custom->face};
  w->own = rh_operation_text(&operation, NULL);
  note_words(&w->own_words, typed);
  return w->own ? RH_OK : rh_fail(error, RH_E_NOMEM, "no memory for an operator");
}

/* ---- Text ---- */

static void print_result(const rh_verified *verified) {
  static const char indent[] = "                ";
  rh_outcome outcome = verified->outcome;
  int is_bad = rh_outcome_is_bad(outcome);
  int style = outcome == RH_PASS ? RH_GOOD : outcome == RH_WARN ? RH_BOLD : RH_DIM;
  printf("  %s  %s  %s\n", verified->test,
         rh_styled(is_bad ? RH_BAD : style, rh_show("%-7s", rh_outcome_name(outcome))),
         verified->title);
  if (verified->text[0]) rh_print_wrapped(rh_plain(verified->text), indent, indent, 78);
  if (is_bad) printf("%sagain: %s\n", indent, rh_plain(verified->again));
}

/* Prints all tests of a single plugin; of several plugins, only the notable ones. */
static void print_report(const work *w, const rh_verify_report *report) {
  int all = w->n == 1 || w->app->typed->verbose;
  const uint32_t *counts = report->counts;
  uint32_t bad = counts[RH_FAIL] + counts[RH_CRASH] + counts[RH_TIMEOUT];
  printf("%s\n", rh_plain(report->path));
  for (uint32_t k = 0; k < report->n; k++) {
    const rh_verified *verified = &report->results[k];
    if (all || verified->outcome == RH_WARN || rh_outcome_is_bad(verified->outcome))
      print_result(verified);
  }
  printf("%u test%s in %.1f s: %u passed, %u failed", report->n, report->n == 1 ? "" : "s",
         report->seconds, counts[RH_PASS], bad);
  if (counts[RH_WARN]) printf(", %u with a warning", counts[RH_WARN]);
  if (counts[RH_SKIP]) printf(", %u skipped", counts[RH_SKIP]);
  printf("\n");
}

/* ---- JSON ---- */

static rh_status print_json(const work *w, rh_error *error) {
  json_t *results = json_array();
  for (uint32_t j = 0; j < w->n; j++)
    for (uint32_t k = 0; k < w->targets[j].report.n; k++) {
      const rh_verify_report *report = &w->targets[j].report;
      const rh_verified *verified = &report->results[k];
      json_array_append_new(
          results, rh_json("plugin:s strategy:s test:s title:s verdict:s text:s again:s seconds:f",
                           report->path, verified->strategy, verified->test, verified->title,
                           rh_outcome_name(verified->outcome), verified->text, verified->again,
                           verified->seconds));
    }
  return rh_json_print(rh_json("verify:o", results), error);
}

/* ---- --junit: XML for continuous integration, which Jenkins, GitLab and others read ---- */

/* For an attribute.  XML 1.0 has no control characters, and must be valid UTF-8. */
static const char *escaped(const char *s) {
  RH_FINISHED(rh_text) xml = {0};
  int plain = rh_is_plain_utf8(s, strlen(s));
  for (; *s; s++) {
    unsigned char c = (unsigned char)*s;
    if (strchr("<>&\"'", c)) rh_text_add(&xml, "&#%d;", c);
    else rh_text_append(&xml, c < 0x20 || c == 0x7f || (c >= 0x80 && !plain) ? "?" : s, 1);
  }
  return rh_show("%s", rh_text_get(&xml));
}

static void add_case(rh_text *xml, const rh_verified *verified) {
  const char *tag = verified->outcome == RH_FAIL ? "failure" : "error";
  const char *text = escaped(verified->text);
  char seconds[32];
  rh_text_add(xml, "    <testcase name=\"%s\" classname=\"%s\" time=\"%s\"",
              escaped(rh_show("%s %s", verified->test, verified->title)),
              escaped(verified->strategy ? verified->strategy : "file"),
              rh_format_fixed(seconds, verified->seconds, 3));
  if (verified->outcome == RH_PASS) rh_text_add(xml, "/>\n");
  else if (verified->outcome == RH_SKIP)
    rh_text_add(xml, "><skipped message=\"%s\"/></testcase>\n", text);
  else if (verified->outcome == RH_WARN)
    rh_text_add(xml, "><system-out>%s</system-out></testcase>\n", text);
  else
    rh_text_add(xml, "><%s message=\"%s\">%s</%s></testcase>\n", tag, text,
                escaped(verified->again), tag);
}

static void add_suite(rh_text *xml, const rh_verify_report *report) {
  const uint32_t *counts = report->counts;
  char seconds[32];
  rh_text_add(xml,
              "  <testsuite name=\"%s\" tests=\"%u\" failures=\"%u\" errors=\"%u\" "
              "skipped=\"%u\" time=\"%s\">\n",
              escaped(report->path), report->n, counts[RH_FAIL],
              counts[RH_CRASH] + counts[RH_TIMEOUT], counts[RH_SKIP],
              rh_format_fixed(seconds, report->seconds, 3));
  for (uint32_t k = 0; k < report->n; k++) add_case(xml, &report->results[k]);
  rh_text_add(xml, "  </testsuite>\n");
}

/* One suite for each report. */
static rh_status write_junit(const work *w, rh_error *error) {
  const char *path = w->app->typed->junit;
  RH_FINISHED(rh_text) xml = {0};
  if (!path) return RH_OK;
  rh_text_add(&xml, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
  for (uint32_t k = 0; k < w->n; k++) add_suite(&xml, &w->targets[k].report);
  rh_text_add(&xml, "</testsuites>\n");
  int failed = xml.failed ? ENOMEM : rh_save(path, xml.s, xml.length);
  if (!failed) return RH_OK;
  return rh_fail(error, RH_E_FILE, "--junit %s: %s", path, strerror(failed));
}

/* ---- Running ---- */

static void on_begin(void *user, const char *test, const char *strategy, uint32_t done,
                     uint32_t total, double left_s, double most_s) {
  work *w = user;
  const rh_typed *typed = w->app->typed;
  if (done == 0 && !typed->quiet && !typed->json && left_s >= 5)
    rh_terminal_say("%u tests, about %.0f s, at most %.0f s%s", total, left_s, most_s,
                    typed->quick ? "" : "; --quick takes a tenth of that");
  rh_terminal_count(done, total, left_s, strategy ? strategy : "file", test);
}

static rh_status run_all(work *w, rh_error *error) {
  const rh_typed *typed = w->app->typed;
  rh_verify_spec spec = {.include = typed->include,
                         .exclude = typed->exclude,
                         .own = w->own,
                         .launch = typed->launch,
                         .own_words = w->own_words.s,
                         .quick = typed->quick,
                         .seed = typed->seed,
                         .silence_s = typed->timeout_s, /* 0: the usual one */
                         .in_process = typed->in_process,
                         .user = w,
                         .begin = on_begin};
  if (typed->launch && !strstr(typed->launch, "{n}"))
    return rh_fail(
        error, RH_E_USAGE,
        "--launch '%.60s': expected a command with {n} where the number of ranks stands, "
        "as in 'mpirun -n {n}'",
        typed->launch);
  for (uint32_t k = 0; k < w->n; k++) {
    spec.file = w->targets[k].file;
    spec.strategy = w->targets[k].strategy;
    RH_TRY(rh_verify(&w->targets[k].report, &w->app->context->options, &spec, error));
  }
  return RH_OK;
}

static rh_status conclude(const work *w, rh_error *error) {
  uint32_t failed = 0;
  const rh_verified *first = NULL;
  for (uint32_t j = w->n; j-- > 0;)
    for (uint32_t k = w->targets[j].report.n; k-- > 0;) {
      const rh_verified *verified = &w->targets[j].report.results[k];
      if (!rh_outcome_is_bad(verified->outcome)) continue;
      first = verified;
      failed++;
    }
  if (!failed) return RH_OK;
  return rh_fail(error, RH_E_WRONG, "%u test%s failed, the first of them %s (%s)", failed,
                 failed == 1 ? "" : "s", first->test, first->title);
}

/* It can be written, which is known before hours of tests, and it is not a plugin under test. */
static rh_status check_junit(const work *w, rh_error *error) {
  const char *junit = w->app->typed->junit;
  if (!junit) return RH_OK;
  if (rh_records_check_path(junit, NULL) != RH_OK)
    return rh_fail(error, RH_E_FILE, "--junit %s: %s", junit, strerror(errno));
  for (uint32_t k = 0; k < w->n; k++)
    if (rh_is_same_file(junit, w->targets[k].file))
      return rh_fail(error, RH_E_USAGE, "--junit %s: that is the plugin which is tested", junit);
  return RH_OK;
}

static void work_finish(work *w) {
  for (uint32_t k = 0; k < w->n; k++) {
    rh_verify_report_finish(&w->targets[k].report);
    free(w->targets[k].file);
    free(w->targets[k].strategy);
  }
  rh_registry_finish(&w->registry);
  rh_text_finish(&w->own_words);
  free(w->own);
  free(w->targets);
}

rh_status rh_mode_verify(const rh_app *app, rh_error *error) {
  const rh_typed *typed = app->typed;
  const rh_cl_device *unused;
  RH_FINISHED(work) w = {.app = app};
  /* A requested device must exist; host code can be tested without a device. */
  if (typed->device) RH_TRY(rh_context_device(app->context, &unused, error));
  RH_TRY(take_own(&w, error));
  RH_TRY(find_targets(&w, error));
  RH_TRY(check_junit(&w, error));
  RH_TRY(run_all(&w, error));
  rh_terminal_clear();
  if (typed->json) RH_TRY(print_json(&w, error));
  else
    for (uint32_t k = 0; k < w.n && !typed->quiet; k++) print_report(&w, &w.targets[k].report);
  RH_TRY(write_junit(&w, error));
  return conclude(&w, error);
}
