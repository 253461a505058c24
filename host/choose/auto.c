#include "internal.h"

/* The strategy with the shortest estimated time of those that can serve the problem and, where the
 * order of combining decides the bits (rh_op_rounds), promise RH_CANONICAL_ORDER: the choice
 * changes no bit.  Each is estimated from the best data available: measured here or shipped with
 * redhost, for this operator and type or similar ones, at the nearest sizes.  Without any data, the
 * strategy with the highest score of its own.  Never a strategy whose result was wrong here.  The
 * reason for the choice is in context->chosen, and is logged as information. */

/* If two latencies differ by less than this factor, they count as equal.  Then a host strategy
 * wins, for it needs neither a context nor a kernel, and otherwise the shorter device time. */
static const double tie = 1.02;

typedef struct choice {
  rh_context *context;
  const rh_job_spec *spec;
  rh_tunedb *tuned;
  int rounds_once; /* sums that are rounded once are asked for, and some strategies promise them */
  /* n of them; then, up to n_known, those of other bits than are asked for */
  rh_known_strategy *list;
  uint32_t n, n_known;
  rh_cut cut;       /* of segments that times are known of; zeros: times are of whole arrays */
  double way_s;     /* to bring the data to the device; 0: they are there, or it is unknown */
  rh_text failed;   /* names of strategies whose result was wrong */
  rh_text left_out; /* names of those that could not be used in this process */
  rh_text unread;   /* names of those that may have been tuned, but whose file cannot be read */
} choice;

static choice choice_of(rh_context *context, const rh_job_spec *spec) {
  const rh_operation *of = &spec->operation;
  return (choice){.context = context,
                  .spec = spec,
                  .rounds_once = of->accuracy == RH_ACCURACY_EXACT &&
                                 (!of->op->is_custom || of->op->abi->form == RH_FORM_ELEMENT)};
}

/* ---- Candidates ---- */

static int runs_on_host(const rh_entry *entry) { return rh_strategy_is_host(&entry->says); }

/* A host strategy cannot read device memory, and one that finishes on the host leaves no result
 * on the device.  Neither can call an operator's OpenCL C. */
static int can_serve(const rh_job_spec *spec, const rh_entry *entry) {
  const rh_offer *offer = rh_offer_of(spec, entry);
  if (entry->shadowed_by || offer->status != RH_OK) return 0;
  int has_code = spec->operation.op->is_code;
  if ((has_code || spec->on_device >= RH_JOB_DATA_ON_DEVICE) && runs_on_host(entry)) return 0;
  if (has_code && offer->answer.finishes_on_host) return 0;
  return spec->on_device != RH_JOB_RESULT_ON_DEVICE || !offer->answer.finishes_on_host;
}

/* Does it promise the bits that are asked for: those of one rounding, or of the canonical order? */
static int has_wanted_bits(const choice *c, const rh_entry *entry) {
  const rh_operator *op = c->spec->operation.op;
  if (c->rounds_once) return rh_op_rounds_once(entry->says.promises, op->base, op->type);
  return entry->says.promises & RH_CANONICAL_ORDER || !rh_op_rounds(op->base, op->type);
}

/* The strategy, and what it is asked for. */
static rh_asked asked_of(const choice *c, const rh_known_strategy *one) {
  const rh_operation *of = &c->spec->operation;
  return (rh_asked){one->entry->says.name, one->plugin, of->op, of->n, c->cut};
}

static int is_far(const choice *c) {
  return c->context->device && !c->context->device->shares_memory;
}

/* Are only times of whole arrays known, and the segments of data that no device is far from?  They
 * say little of how strategies compare then. */
static int is_of_unknown_segments(const choice *c) {
  return c->spec->operation.layout && !c->cut.length && !is_far(c);
}

/* Drops the others, unless it is so with all of them. */
static void keep(choice *c, int (*is_kept)(const choice *c, const rh_known_strategy *one)) {
  uint32_t kept = 0;
  for (uint32_t k = 0; k < c->n_known; k++)
    if (is_kept(c, &c->list[k])) c->list[kept++] = c->list[k];
  if (kept) c->n_known = kept;
}

static int is_on_device(const choice *c, const rh_known_strategy *one) {
  (void)c;
  return !runs_on_host(one->entry);
}

/* Would its answer be judged? */
static int is_judged(const choice *c, const rh_known_strategy *one) {
  const rh_operation *of = &c->spec->operation;
  uint64_t depth = rh_offer_of(c->spec, one->entry)->answer.depth;
  return !of->op->is_custom || !rh_reference_allows_much(of->op, depth, of->n);
}

static int serves_layouts(const rh_known_strategy *one) {
  return (one->entry->says.promises & RH_SERVES_LAYOUTS) != 0;
}

/* Is `a` of this very operator while `b` is not, or as much so and of a cut that is more alike? */
static int is_nearer(const rh_tunedb_entry *a, const rh_tunedb_entry *b, const rh_operator *op,
                     const rh_cut *cut) {
  int of_a = rh_tunedb_is_of(a, op), of_b = rh_tunedb_is_of(b, op);
  if (of_a != of_b) return of_a;
  return rh_cuts_apart(&a->cut, cut) < rh_cuts_apart(&b->cut, cut);
}

/* Strategies are compared by times of one cut: the nearest that a strategy which takes all segments
 * in one run was measured with, on the host where the data's way to a device counts. */
static void take_cut(choice *c) {
  static const rh_tunedb_timed near = {RH_TUNED_HERE, RH_TUNED_SHIPPED,   RH_TUNED_OTHER_SIZE, 0,
                                       UINT64_MAX,    RH_TUNED_CUTS_APART};
  const rh_cut wanted = rh_cut_of(c->spec->operation.layout);
  const rh_tunedb_entry *best = NULL;
  int way_counts = is_far(c) && c->spec->on_device == RH_JOB_ON_HOST;
  for (uint32_t k = 0; wanted.length && k < c->n_known; k++) {
    const rh_known_strategy *one = &c->list[k];
    if (!serves_layouts(one) || (way_counts && !runs_on_host(one->entry))) continue;
    rh_asked asked = asked_of(c, one);
    asked.cut = wanted;
    const rh_tunedb_entry *found = rh_tunedb_find_timed(c->tuned, &near, &asked);
    if (found && (!best || is_nearer(found, best, asked.op, &wanted))) best = found;
  }
  if (best) c->cut = best->cut;
}

/* Does it take all segments in one run, or is its time of one run for each known? */
static int is_one_run(const choice *c, const rh_known_strategy *one) {
  const rh_asked asked = asked_of(c, one);
  return serves_layouts(one) || (c->cut.length && rh_estimate_of(c->tuned, &asked).from);
}

static void add_name(rh_text *names, const rh_entry *entry) {
  rh_text_add(names, "%s%s", names->length ? ", " : "", entry->says.name);
}

/* Takes the entries whose bits are, or are not, those that are asked for. */
static void take_entries(choice *c, int wanted) {
  const rh_registry *registry = &c->context->registry;
  for (uint32_t k = 0; k < registry->n_entries; k++) {
    const rh_entry *entry = &registry->entries[k];
    rh_known_strategy one = {.entry = entry};
    if (!can_serve(c->spec, entry) || has_wanted_bits(c, entry) != wanted) continue;
    if (rh_tunedb_is_here(c->tuned, entry->says.name) &&
        !(one.plugin = rh_tunedb_file(c->tuned, entry->file->path)))
      add_name(&c->unread, entry);
    rh_tunedb_report_other_plugin(c->tuned, entry->says.name, one.plugin);
    const rh_asked asked = asked_of(c, &one);
    if (rh_tunedb_has_failed(c->tuned, &asked)) add_name(&c->failed, entry);
    else if (rh_known_has(c->context, &asked, c->spec->n_settings > 0))
      add_name(&c->left_out, entry);
    else c->list[c->n_known++] = one;
  }
}

/* Where data of the host's memory may stay there, finds out what nobody measured yet. */
static void try_out(choice *c) {
  if (c->spec->operation.layout && !is_far(c)) return;
  uint32_t in_place = c->spec->on_device == RH_JOB_IN_PLACE && !is_far(c);
  if (c->spec->on_device == RH_JOB_ON_HOST || in_place)
    rh_calibrate(c->context, c->spec, c->tuned, c->list, c->n_known);
}

/* Host strategies compete on a device with memory of its own only if the way of the data to it is
 * known. */
static void weigh_way(choice *c) {
  if (!is_far(c)) return;
  if (c->spec->on_device == RH_JOB_ON_HOST) c->way_s = rh_transfer_s(c->context, c->tuned, c->spec);
  if (c->way_s == 0) keep(c, is_on_device);
}

static rh_status gather_candidates(choice *c, int without_device, rh_error *error) {
  const rh_job_spec *spec = c->spec;
  RH_TRY(RH_NEW(&c->list, c->context->registry.n_entries + 1u, "the strategies", error));
  take_entries(c, 1);
  if (c->rounds_once && !c->n_known && !c->context->registry.n_skipped) {
    c->rounds_once = 0; /* the host computes the answer, and another strategy is a check of it */
    take_entries(c, 1);
  }
  keep(c, is_judged);
  take_cut(c);
  if (spec->operation.layout) keep(c, is_one_run);
  if (!without_device) try_out(c);
  weigh_way(c);
  c->n = c->n_known;
  take_entries(c, 0);
  if (c->n) return RH_OK;
  const char *op = spec->operation.op->name,
             *type = rh_type_name(spec->operation.op->operands[0].type);
  if (c->n_known)
    return rh_fail(error, RH_DECLINED,
                   "no strategy that promises the bits of the canonical order can serve %s of %s "
                   "here%s%s. Name another one, such as %s, to get its own bits",
                   op, type, c->failed.length ? " without a wrong result: " : "",
                   c->failed.length ? rh_text_get(&c->failed) : "", c->list[0].entry->says.name);
  if (c->left_out.length)
    return rh_fail(error, RH_DECLINED,
                   "every strategy that can serve %s of %s failed here: %s%s%s. Name one to try it "
                   "again",
                   op, type, rh_text_get(&c->left_out), c->failed.length ? ", " : "",
                   c->failed.length ? rh_text_get(&c->failed) : "");
  if (c->failed.length)
    return rh_fail(
        error, RH_DECLINED,
        "every strategy that can serve %s of %s gave a wrong result here: %s. Name one to "
        "try it anyway",
        op, type, rh_text_get(&c->failed));
  return rh_fail(error, RH_DECLINED, "no strategy can serve %s of %s here", op, type);
}

/* ---- Estimated times ---- */

/* The quickest of those whose times are of the most similar problem. */
static const rh_known_strategy *most_alike(const choice *c) {
  const rh_known_strategy *best = NULL;
  for (uint32_t k = 0; k < c->n; k++) {
    const rh_known_strategy *one = &c->list[k];
    if (!one->known.from) continue;
    if (!best || one->known.unlike < best->known.unlike ||
        (one->known.unlike == best->known.unlike && one->known.time_s < best->known.time_s))
      best = one;
  }
  return best;
}

static double scaled(double time_s, double per, double by) {
  return time_s > 0 && per > 0 && by > 0 ? time_s / per * by : time_s;
}

/* The time of another operator or type says little, though as many bytes are moved: a loop that
 * becomes vectors for one type may be ten times as slow for another.  It counts in proportion to
 * what `best` takes for both problems.  If that is not known, the bytes decide, and where `best`
 * was measured with a user's operator it does not count at all. */
static void compare_with(const choice *c, const rh_known_strategy *best, rh_known_strategy *one) {
  rh_estimate *own = &one->known;
  const rh_asked asked = asked_of(c, best);
  const rh_asked same = rh_asked_as(&asked, own->from);
  rh_estimate other = rh_estimate_of(c->tuned, &same);
  if (other.from && other.unlike == RH_TUNED_SAME && other.from->origin == own->from->origin) {
    own->time_s = scaled(own->time_s, other.time_s, best->known.time_s);
    own->latency_s = scaled(own->latency_s, other.latency_s, best->known.latency_s);
  } else if (c->spec->operation.op->is_custom && best->known.unlike == RH_TUNED_SAME) {
    *own = (rh_estimate){0};
  }
}

static void compare_alike(choice *c) {
  const rh_known_strategy *best = most_alike(c);
  for (uint32_t k = 0; best && k < c->n_known; k++) {
    rh_known_strategy *one = &c->list[k];
    const rh_tunedb_entry *a = one->known.from, *b = best->known.from;
    if (a && (a->op != b->op || a->own != b->own)) compare_with(c, best, one);
  }
}

/* A loop over segments takes as long as there are more of them. */
static void count_runs(const choice *c, rh_known_strategy *one) {
  const rh_operation *of = &c->spec->operation;
  if (!c->cut.length || serves_layouts(one)) return;
  double more = (double)of->layout->segments * (double)c->cut.length / (double)of->n;
  one->known.time_s *= fmax(1, more);
  one->known.latency_s *= fmax(1, more);
}

/* Estimates every strategy's time from the best available data.
 * Shipped times were measured on another machine.  If some strategies were also measured here,
 * the shipped times of the others are scaled by the same ratio. */
static void look_up(choice *c) {
  uint32_t both = 0;
  double logs = 0;
  for (uint32_t k = 0; k < c->n_known; k++) {
    rh_known_strategy *one = &c->list[k];
    const rh_asked of = asked_of(c, one);
    one->known = rh_estimate_of(c->tuned, &of);
    count_runs(c, one);
    if (one->known.measured_per_shipped <= 0) continue;
    logs += log(one->known.measured_per_shipped);
    both++;
  }
  double scale = both ? exp(logs / both) : 1;
  for (uint32_t k = 0; k < c->n_known; k++) {
    rh_estimate *of = &c->list[k].known;
    if (!of->from || of->from->origin != RH_TUNED_SHIPPED) continue;
    of->time_s *= scale;
    of->latency_s *= scale;
  }
  compare_alike(c);
}

static double time_or_latency(double time_s, double latency_s, int by_latency) {
  return (by_latency && latency_s > 0) || time_s == 0 ? latency_s : time_s;
}

static double cost(const choice *c, const rh_known_strategy *of, int by_latency) {
  return time_or_latency(of->known.time_s, of->known.latency_s, by_latency) +
         (runs_on_host(of->entry) ? 0 : c->way_s);
}

static const rh_known_strategy *quickest(const choice *c, int by_latency,
                                         const rh_known_strategy *but) {
  const rh_known_strategy *best = NULL;
  for (uint32_t k = 0; k < c->n; k++) {
    const rh_known_strategy *one = &c->list[k];
    if (!one->known.from || one == but) continue;
    if (!best || cost(c, one, by_latency) < cost(c, best, by_latency)) best = one;
  }
  return best;
}

static int wins_tie(const rh_known_strategy *a, const rh_known_strategy *b) {
  int on_host = runs_on_host(a->entry), other_on_host = runs_on_host(b->entry);
  if (on_host != other_on_host) return on_host;
  return a->known.time_s > 0 && a->known.time_s < b->known.time_s;
}

static const rh_known_strategy *best_of(const choice *c, int by_latency) {
  const rh_known_strategy *best = quickest(c, by_latency, NULL);
  double least = cost(c, best, by_latency);
  for (uint32_t k = 0; k < c->n; k++) {
    const rh_known_strategy *one = &c->list[k];
    if (!one->known.from || cost(c, one, by_latency) > tie * least) continue;
    if (wins_tie(one, best)) best = one;
  }
  return best;
}

/* ---- The explanation ---- */

static void add_problem(const choice *c, const rh_tunedb_entry *known, rh_text *text) {
  if (!rh_tunedb_is_of(known, c->spec->operation.op))
    rh_text_add(text, ", for %s of %s", known->op->name, rh_type_name(known->op->type));
}

static const char *cost_of(char text[32], const rh_tunedb_entry *known, int by_latency) {
  return rh_format_seconds(text, time_or_latency(known->time_s, known->latency_s, by_latency));
}

static void explain_way(const choice *c, rh_text *text) {
  char time[32];
  if (c->way_s > 0)
    rh_text_add(text, "; the upload to %s counts with %s", c->context->device->name,
                rh_format_seconds(time, c->way_s));
}

/* Reports the measured times, not the estimates. */
static void explain_times(const choice *c, const rh_known_strategy *best, int by_latency,
                          rh_text *text) {
  char size[32], time[32];
  const rh_tunedb_entry *first = best->known.from, *second;
  const rh_known_strategy *next = quickest(c, by_latency, best);
  rh_text_add(text, "%s, ", best->entry->says.name);
  if (first->origin == RH_TUNED_SHIPPED)
    rh_text_add(text, "by the defaults that come with redhost for %s",
                rh_tunedb_shipped_name(c->tuned));
  else rh_text_add(text, "measured here");
  add_problem(c, first, text);
  rh_text_add(text, " at %s", rh_format_size(size, first->n));
  if (first->cut.length)
    rh_text_add(text, " in segments of %s (%s)", rh_format_size(size, first->cut.length),
                rh_lengths_name(first->cut.distribution));
  rh_text_add(text, ": %s a %s", cost_of(time, first, by_latency),
              by_latency ? "call" : "reduction");
  if (!next) {
    rh_text_add(text, "; no other strategy has a known time");
    return;
  }
  second = next->known.from;
  rh_text_add(text, ", next is %s with %s", next->entry->says.name,
              cost_of(time, second, by_latency));
  if (second->n != first->n) rh_text_add(text, " at %s", rh_format_size(size, second->n));
  if (second->origin == RH_TUNED_SHIPPED && first->origin != RH_TUNED_SHIPPED)
    rh_text_add(text, " by the defaults");
  add_problem(c, second, text);
}

/* The quickest of those that would have been chosen by their time. */
static void explain_passed_over(const choice *c, const rh_known_strategy *best, int by_latency,
                                rh_text *text) {
  char time[32];
  const rh_known_strategy *least = best;
  for (uint32_t k = c->n; k < c->n_known; k++) {
    const rh_known_strategy *one = &c->list[k];
    int is_known = one->known.from &&
                   (!c->spec->operation.op->is_custom || one->known.unlike == RH_TUNED_SAME);
    if (is_known && cost(c, one, by_latency) < cost(c, least, by_latency)) least = one;
  }
  if (least != best)
    rh_text_add(text, "; %s with %s is passed over: %s", least->entry->says.name,
                cost_of(time, least->known.from, by_latency),
                c->rounds_once ? "it does not round once"
                               : "its bits are not those of the canonical order");
}

/* Is there a strategy on the device that nothing is known of, while the upload takes less than the
 * host does? */
static int may_win_on_device(const choice *c, const rh_known_strategy *best, int by_latency) {
  int any = 0;
  if (c->way_s == 0 || !runs_on_host(best->entry) || cost(c, best, by_latency) <= c->way_s)
    return 0;
  for (uint32_t k = 0; k < c->n; k++) {
    const rh_known_strategy *one = &c->list[k];
    if (runs_on_host(one->entry)) continue;
    if (one->known.from) return 0;
    any = 1;
  }
  return any;
}

static const rh_known_strategy *by_score(const choice *c, int on_device, rh_text *text) {
  const rh_known_strategy *best = NULL;
  for (uint32_t k = 0; k < c->n; k++) {
    const rh_known_strategy *one = &c->list[k];
    if (on_device && runs_on_host(one->entry)) continue;
    if (!best || rh_offer_of(c->spec, one->entry)->answer.score >
                     rh_offer_of(c->spec, best->entry)->answer.score)
      best = one;
  }
  rh_text_add(text, "%s, by its own score of %d, as %s", best->entry->says.name,
              (int)rh_offer_of(c->spec, best->entry)->answer.score,
              is_of_unknown_segments(c) ? "no such segments were measured"
                                        : "nothing was measured here");
  return best;
}

static const rh_known_strategy *choose(const choice *c, rh_text *text) {
  int by_latency = 1; /* if that is known for all of them, else by device time */
  if (!most_alike(c) || is_of_unknown_segments(c)) return by_score(c, 0, text);
  for (uint32_t k = 0; k < c->n; k++)
    by_latency &= !c->list[k].known.from || c->list[k].known.latency_s != 0;
  const rh_known_strategy *best = best_of(c, by_latency);
  if (may_win_on_device(c, best, by_latency)) {
    best = by_score(c, 1, text);
    explain_way(c, text);
    return best;
  }
  explain_times(c, best, by_latency, text);
  explain_way(c, text);
  explain_passed_over(c, best, by_latency, text);
  return best;
}

/* Would the others not be chosen anyway?  A strategy whose time is unknown is chosen only where no
 * time is known at all, or none on the device that the data must be brought to, or where those with
 * a time would run once for each segment. */
static int is_decided(const choice *c) {
  int on_host = 0;
  if (c->spec->operation.layout && !c->cut.length) return 0;
  for (uint32_t k = 0; k < c->n; k++) {
    if (!c->list[k].known.from) continue;
    if (!runs_on_host(c->list[k].entry)) return 1;
    on_host = 1;
  }
  return on_host && !is_far(c);
}

static void choice_finish(choice *c) {
  rh_text_finish(&c->failed);
  rh_text_finish(&c->left_out);
  rh_text_finish(&c->unread);
  free(c->list);
}

/* From the strategies that are asked for, or more.  without_device: 1: none was looked for. */
static rh_status consider(choice *c, const rh_wanted *wanted, int without_device, rh_error *error) {
  choice_finish(c);
  *c = choice_of(c->context, c->spec);
  RH_TRY(rh_context_examine(c->context, wanted, error));
  RH_TRY(rh_context_tuned(c->context, &c->tuned, error));
  RH_TRY(gather_candidates(c, without_device, error));
  look_up(c);
  return RH_OK;
}

static void explain(choice *c, const rh_known_strategy *chosen, rh_text *text) {
  rh_context *context = c->context;
  snprintf(context->chose, sizeof context->chose, "%s", chosen->entry->says.name);
  if (c->failed.length)
    rh_text_add(text, "; left out for a wrong result here: %s", rh_text_get(&c->failed));
  if (c->left_out.length)
    rh_text_add(text, "; left out after a failure: %s", rh_text_get(&c->left_out));
  snprintf(context->chosen, sizeof context->chosen, "%s", rh_text_get(text));
  rh_log(&context->options.reporter, RH_LOG_INFO, "auto: %s", context->chosen);
}

enum { MOST_NAMES = 64 }; /* more are not worth a choice: all are examined */

/* Nobody asked for a device, and none was opened yet. */
static int may_do_without_device(const choice *c) {
  const rh_context *context = c->context;
  return !context->devices_found && !context->options.queue && !context->options.device &&
         !getenv("REDHOST_DEVICE") && c->spec->on_device == RH_JOB_ON_HOST;
}

/* Opening a GPU's driver takes longer than most reductions.  Where a host strategy was measured and
 * takes no longer than the data would take to a device of this machine, with its opening if that
 * serves this answer alone, it is chosen without one; then nothing else is examined.  Null: that is
 * not known. */
static const rh_known_strategy *choose_without_device(choice *c, rh_text *text) {
  const rh_known_strategy *best;
  const char *names[MOST_NAMES];
  rh_wanted wanted = {.n = c->spec->operation.n, .op = c->spec->operation.op, .names = names};
  if (!may_do_without_device(c) || rh_context_tuned(c->context, &c->tuned, NULL) != RH_OK)
    return NULL;
  double way_s = rh_transfer_s(c->context, c->tuned, c->spec);
  if (c->spec->once) way_s += rh_opening_s(c->tuned);
  wanted.n_names = rh_tunedb_strategies(c->tuned, wanted.op, names, MOST_NAMES);
  if (way_s == 0 || wanted.n_names == 0) return NULL;
  if (!c->spec->once) wanted.n_names = rh_tunedb_strategies(c->tuned, NULL, names, MOST_NAMES);
  if (consider(c, &wanted, 1, NULL) != RH_OK) return NULL;
  best = most_alike(c);
  if (!best || best->known.unlike != RH_TUNED_SAME || best->known.from->origin != RH_TUNED_HERE ||
      cost(c, best, 1) > way_s)
    return NULL;
  explain_times(c, best, 1, text);
  rh_text_add(text, c->spec->once ? "; opening a device and the upload to it take longer"
                                  : "; no upload to a device takes less");
  return best;
}

static rh_status choose_with_device(choice *c, const rh_known_strategy **chosen, rh_text *text,
                                    rh_error *error) {
  const char *names[MOST_NAMES];
  rh_wanted wanted = {.n = c->spec->operation.n, .op = c->spec->operation.op, .names = names};
  rh_error no_device;
  RH_TRY(rh_context_any_device(c->context, &wanted.device, &no_device, error));
  RH_TRY(rh_context_tuned(c->context, &c->tuned, error));
  wanted.n_names = rh_tunedb_strategies(c->tuned, NULL, names, MOST_NAMES);
  rh_status status = consider(c, &wanted, 0, error);
  if (c->context->registry.n_skipped &&
      (status == RH_DECLINED || (status == RH_OK && !is_decided(c)))) {
    wanted.n_names = 0;
    status = consider(c, &wanted, 0, error);
  }
  rh_context_report_missing_plugins(c->context);
  if (c->unread.length)
    rh_log(&c->context->options.reporter, RH_LOG_ERROR,
           "tuning results are not used for %s: the plugin's file cannot be read",
           rh_text_get(&c->unread));
  if (status == RH_OK) *chosen = choose(c, text);
  return status;
}

/* Also reports missing plugins. */
static rh_status choose_for(rh_context *context, const rh_job_spec *spec, rh_found *found,
                            rh_error *error) {
  RH_FINISHED(choice) c = choice_of(context, spec);
  RH_FINISHED(rh_text) text = {0};
  const rh_known_strategy *chosen = choose_without_device(&c, &text);
  if (!chosen) RH_TRY(choose_with_device(&c, &chosen, &text, error));
  explain(&c, chosen, &text);
  return rh_found_from_entry(found, chosen->entry, error);
}

/* ---- From a name to a file ---- */

rh_status rh_locate(rh_context *context, const rh_job_spec *spec, rh_found *found,
                    rh_error *error) {
  const char *name = spec->strategy;
  context->chosen[0] = context->chose[0] = 0;
  context->device_failed = context->operator_failed = 0;
  *found = (rh_found){0};
  RH_TRY(rh_by_code_prepare(spec->operation.op, context, error));
  if (!name || strcmp(name, "auto") == 0) return choose_for(context, spec, found, error);
  RH_TRY(rh_context_locate(context, name, found, error));
  if (found->missed[0]) rh_log(&context->options.reporter, RH_LOG_ERROR, "%s", found->missed);
  return RH_OK;
}

rh_status rh_locate_job(rh_job *job, rh_context *context, const rh_job_spec *spec,
                        rh_error *error) {
  RH_FINISHED(rh_found) found = {0};
  rh_job_spec located = *spec;
  *job = (rh_job){.context = context, .spec = *spec};
  RH_TRY(rh_locate(context, spec, &found, error));
  located.strategy = found.name;
  located.plugin = found.path;
  rh_status status = rh_job_init(job, context, &located, error);
  job->spec.strategy = spec->strategy;
  job->spec.plugin = spec->plugin;
  return status;
}
