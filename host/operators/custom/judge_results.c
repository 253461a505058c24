/* Results that are made of a value: of a struct's fields, or of a built-in operator's value by
 * `finalize`.
 *
 * For each number that a result is computed from it is known that every order gives the same bits,
 * or between which numbers a proven bound lets it lie, or nothing.  `finalize` is then evaluated in
 * intervals, and the result has to lie in what comes out.  Where a field of a struct depends on the
 * order in other ways, the result is compared with those of several orders: that proves nothing, so
 * the slack grows with the depth, and a slack that allows much is not a check. */
#include "custom.h"

/* Knowledge of a number that results are made of, from the least to the most. */
typedef enum knowledge { SAMPLED, UNKNOWN, BOUNDED, SAME_BITS } knowledge;

typedef struct number {
  knowledge known;
  rh_interval within; /* of one that is bounded, or of the same bits */
  int weak;           /* the bound allows much */
} number;
static const number unknown = {.known = UNKNOWN}, same_bits = {.known = SAME_BITS};

typedef struct judging {
  const rh_reference *reference;
  const rh_custom *custom;
  const rh_exprs *finalize; /* null: the numbers themselves are judged */
  int flushes;
  uint64_t depth; /* the h of sums */
  int is_rounded_once;
  uint32_t n_given, n_results;
  number numbers[RH_MOST_FIELDS];
} judging;

/* ---- Numbers ---- */

static double number_of(const rh_result_field *result) {
  return rh_word_number(result->type, &result->value);
}

static int same(const rh_result_field *a, const rh_result_field *b) {
  if (a->type != b->type) return 0;
  if (rh_type_is_float(a->type)) return rh_equal_floats(a->value.f, b->value.f);
  return a->value.u == b->value.u;
}

static rh_interval outward(long double low, long double high) {
  double down = (double)low, up = (double)high;
  if ((long double)down > low) down = nextafter(down, -(double)INFINITY);
  if ((long double)up < high) up = nextafter(up, (double)INFINITY);
  return (rh_interval){down, up};
}

/* ---- What is known of a number ---- */

/* A sum of floats.  It is judge_sum() of check.c, with the least and the largest that it
 * accepts. */
static number know_sum(const judging *j, const rh_field_sum *sum, rh_type type, int errs) {
  const rh_judged format = {.format = rh_judge_format_of(type)};
  const rh_enclosed *by_map = &sum->enclosed;
  const rh_specials *of = &sum->specials;
  uint64_t n = j->reference->n;
  long double h = (long double)j->depth, u = format.format.u;
  long double all = sum->positive + sum->negative, largest = rh_judged_largest(&format);
  int up = h > 0 && RH_ROUND_UP(sum->positive * (1 + h * u)) > largest;
  int down = h > 0 && RH_ROUND_UP(sum->negative * (1 + h * u)) > largest;
  if (errs && (j->flushes || by_map->n != n || by_map->n_unknown)) return unknown;
  if (rh_has_specials(of)) {
    int meets = (of->plus_infinities && down) || (of->minus_infinities && up);
    return of->nans || !meets ? same_bits : unknown;
  }
  if (up || down) return unknown;
  long double bound = h > 0 ? h * u * all + u * fabsl(sum->sum) : 0;
  long double below = errs ? by_map->below : 0, above = errs ? by_map->above : 0;
  if (errs) bound += (h + 1) * u * (below + above);
  if (j->flushes) bound += 2 * (long double)n * (1 + h * u) * ldexpl(1, format.format.emin);
  bound = RH_ROUND_UP(bound) + sum->lost;
  below *= 1 + ((long double)n + 4) * 0x1p-52L;
  above *= 1 + ((long double)n + 4) * 0x1p-52L;
  return (number){BOUNDED, outward(sum->sum - bound - below, sum->sum + bound + above),
                  rh_judged_is_weak(bound + fmaxl(below, above), all)};
}

/* Around the exact product, where that and all that is near it are normal numbers. */
static number know_product(const rh_reference *reference) {
  const rh_exact_prod *prod = &reference->prod;
  rh_judged judged = {.reference = reference,
                      .format = rh_judge_format_of(reference->result.type),
                      .verdict = &(rh_verdict){.depth = reference->n - 1}};
  long double exact = rh_exact_prod_long(prod), part = rh_judge_prod_relative(&judged);
  if (prod->nans || prod->infinities || prod->zeros) return same_bits;
  if (!(part < 0.5L) || fabsl(exact) < ldexpl(4, judged.format.emin) ||
      fabsl(exact) > ldexpl(0.25L, judged.format.emax))
    return unknown;
  long double bound = RH_ROUND_UP(part * fabsl(exact));
  return (number){BOUNDED, outward(exact - bound, exact + bound),
                  rh_judged_is_weak(bound, fabsl(exact))};
}

/* The value of a built-in operator. */
static number know_built_in(const judging *j, double host) {
  const rh_reference *reference = j->reference;
  const rh_enclosed *by_map = &reference->enclosed;
  uint32_t op = reference->op->base;
  int errs = reference->map_error > 0, rounds = rh_op_rounds(op, reference->op->type);
  rh_field_sum sum;
  if (reference->n == 0 || (!rounds && !errs)) return same_bits;
  if (!rounds) { /* every order computes alike what the map's functions err in */
    if (by_map->n != reference->n || by_map->n_unknown || j->flushes) return unknown;
    if (!rh_op_is_sum(op)) return (number){BOUNDED, {by_map->least, by_map->most}, 0};
    return (number){
        BOUNDED, outward((long double)host - by_map->below, (long double)host + by_map->above), 0};
  }
  if (!rh_op_is_sum(op)) return errs ? unknown : know_product(reference);
  if (j->is_rounded_once && !errs) return same_bits;
  rh_field_sum_of(&sum, &reference->sum, by_map);
  return know_sum(j, &sum, reference->result.type, errs);
}

static number know_field(const judging *j, uint32_t at) {
  const rh_custom *custom = j->custom;
  const rh_operator_field *field = &custom->fields[at];
  int errs = (rh_exprs_facts(custom->load, at) & RH_EXPR_ERRS) != 0;
  if (field->kind == RH_FIELD_SUM) return know_sum(j, &j->reference->sums[at], field->type, errs);
  return field->kind == RH_FIELD_EXACT ? same_bits : (number){.known = SAMPLED};
}

/* given: the host's numbers. */
static void know_all(judging *j, const rh_result_field *given) {
  for (uint32_t k = 0; k < j->n_given; k++) {
    double host = number_of(&given[k]);
    number *to = &j->numbers[k];
    *to = j->custom->face.is_struct ? know_field(j, rh_custom_field_given(j->custom, k))
                                    : know_built_in(j, host);
    if (to->known == SAME_BITS)
      to->within =
          rh_type_is_float(given[k].type) ? (rh_interval){host, host} : rh_interval_around(host);
  }
}

/* ---- Several orders ---- */

typedef struct range {
  double least, most;
  int is_finite;
} range;

static void results_of(const judging *j, const void *value, rh_result_field *results) {
  rh_result_field given[RH_MOST_FIELDS];
  uint64_t n = j->reference->n;
  rh_custom_given(j->custom, value, n, j->finalize ? given : results);
  if (j->finalize)
    rh_custom_finalize(j->custom, given, rh_custom_count_in(j->custom, value, n), results);
}

static range range_of(const judging *j, uint32_t k) {
  const rh_sampled *sampled = &j->reference->sampled;
  rh_result_field results[RH_MOST_FIELDS];
  range found = {(double)INFINITY, -(double)INFINITY, 1};
  for (uint32_t order = 0; order < sampled->n_orders; order++) {
    results_of(j, sampled->values[order], results);
    double x = number_of(&results[k]);
    found.is_finite &= isfinite(x);
    found.least = fmin(found.least, x);
    found.most = fmax(found.most, x);
  }
  return found;
}

static double slack_part(const rh_custom *custom, uint64_t depth) {
  double unit = 0x1p-53;
  for (uint32_t k = 0; k < custom->n_fields; k++)
    if (custom->fields[k].type == RH_TYPE_f32) unit = 0x1p-24;
  return unit * (16 + 8 * (double)depth);
}

static void judge_sampled(const judging *j, uint32_t k, const rh_result_field *is,
                          const rh_result_field *should, rh_verdict *verdict) {
  range found = range_of(j, k);
  double x = number_of(is), size = fmax(fabs(found.least), fabs(found.most));
  double slack = NAN, spread = found.most - found.least;
  int is_same = same(is, should);
  /* An operation rounds a few times, and so does each of those after it; and what rounding did in
   * the orders that were tried, which are some 16 operations deep, it may do to each 16 of the
   * depth. */
  if (found.is_finite)
    slack = size * slack_part(j->custom, j->depth) + 8 * spread * (1 + (double)j->depth / 16);
  /* Code gives the host's values on the same device, so that being equal proves as little. */
  if (is_same && !j->reference->sampled.by_device) {
    rh_verdict_say(verdict, RH_VERDICT_OK, 0, "equal to the canonical order");
    return;
  }
  is_same |= x == number_of(should); /* of zeros, some orders have the one and some the other */
  /* A smaller number has lost digits, or all of them, by an underflow. */
  if (!is_same && (!found.is_finite || fabs(size) < 0x1p-960)) {
    rh_verdict_say(
        verdict, RH_VERDICT_UNJUDGED, NAN,
        "%.9g where the canonical order has %.9g; it depends on the order whether values "
        "overflow or underflow",
        x, number_of(should));
    return;
  }
  int is_near = is_same || (x >= found.least - slack && x <= found.most + slack);
  int n_orders = (int)j->reference->sampled.n_orders;
  if (is_near)
    rh_verdict_say(verdict, RH_VERDICT_OK, NAN, "sampled %d orders, spread %.2g", n_orders, spread);
  else
    rh_verdict_say(verdict, RH_VERDICT_WRONG, NAN,
                   "%.17g instead of %.17g, beyond what rounding did in %d orders", x,
                   number_of(should), n_orders);
  verdict->weak = !is_same && rh_judged_is_weak((long double)slack, (long double)size);
}

/* ---- One result ---- */

static void judge_bounded(const judging *j, rh_interval within, const rh_result_field *is,
                          const rh_result_field *should, rh_verdict *verdict) {
  double x = number_of(is), exact = number_of(should), error = fabs(x - exact);
  int is_within = within.low <= x && x <= within.high;
  double bound = fmax(exact - within.low, within.high - exact);
  rh_verdict_say(verdict, is_within ? RH_VERDICT_OK : RH_VERDICT_WRONG, error,
                 "error %.3g of at most %.3g (h = %" PRIu64 ")", error, bound, j->depth);
  if (error == 0 && bound == 0) rh_verdict_say(verdict, RH_VERDICT_OK, 0, "equal");
  verdict->bound = bound;
  verdict->error_ulp = NAN;
  if (rh_type_is_float(is->type)) verdict->error_ulp = rh_judged_ulps(is->type, exact, error);
}

static void judge_one(const judging *j, uint32_t k, const rh_result_field *is,
                      const rh_result_field *should, rh_verdict *verdict) {
  uint64_t uses = UINT64_C(1) << k; /* bit m: it is computed from number m */
  /* The elements that a condition chose are counted in the last field; its functions may err. */
  const rh_operator_field *end = j->custom->fields + j->custom->n_fields;
  int counts_by_chance = j->custom->has_count && end[-1].kind != RH_FIELD_EXACT;
  knowledge least = counts_by_chance ? SAMPLED : SAME_BITS;
  rh_interval given[RH_MOST_FIELDS + 1], within = {(double)NAN, (double)NAN};
  int weak = 0;
  if (j->finalize) uses = rh_exprs_variables(j->finalize, k);
  for (uint32_t m = 0; m < j->n_given; m++) {
    const number *known = &j->numbers[m];
    given[m] = known->within;
    if (!(uses >> m & 1)) continue;
    if (known->known < least) least = known->known;
    weak |= known->weak;
  }
  if (least == BOUNDED && j->finalize) {
    uint64_t n = rh_reference_count(j->reference), constants[RH_EXPR_MOST_SLOTS];
    given[j->n_given] = rh_interval_around((double)n);
    rh_exprs_bind(j->finalize, n, constants);
    within = rh_exprs_enclose_one(j->finalize, k, given, constants);
  } else if (least == BOUNDED) within = given[k];
  if (least == SAMPLED) {
    judge_sampled(j, k, is, should, verdict);
  } else if (within.low <= within.high && isfinite(number_of(should))) {
    judge_bounded(j, within, is, should, verdict);
    verdict->weak = weak && verdict->error > 0;
  } else if (same(is, should)) {
    rh_verdict_say(verdict, RH_VERDICT_OK, 0, "equal");
  } else {
    int is_known = least == SAME_BITS;
    rh_verdict_say(verdict, is_known ? RH_VERDICT_WRONG : RH_VERDICT_UNJUDGED, NAN,
                   is_known ? "%.17g instead of %.17g"
                            : "%.17g where the exact value gives %.17g; no bound is known for what "
                              "is made of it",
                   number_of(is), number_of(should));
  }
}

/* ---- All of them ---- */

static double part_of_bound(const rh_verdict *verdict) {
  if (!(verdict->error >= 0)) return 2; /* sampled */
  return verdict->bound > 0 ? verdict->error / verdict->bound : 0;
}

/* Wrong is worse than not judged, and that than anything inside its bound. */
static int is_worse(const rh_verdict *a, const rh_verdict *b) {
  static const int rank[] = {
      [RH_VERDICT_OK] = 0, [RH_VERDICT_UNJUDGED] = 1, [RH_VERDICT_WRONG] = 2};
  if (a->verdict != b->verdict) return rank[a->verdict] > rank[b->verdict];
  if (a->weak != b->weak) return a->weak;
  return part_of_bound(a) > part_of_bound(b);
}

static void judge_all(const judging *j, const rh_result_field *is, const rh_result_field *should,
                      rh_verdict *worst) {
  uint32_t named = 0;
  for (uint32_t k = 0; k < j->n_results; k++) {
    rh_verdict verdict = {.depth = j->depth};
    judge_one(j, k, &is[k], &should[k], &verdict);
    if (k > 0 && !is_worse(&verdict, worst)) continue;
    *worst = verdict;
    named = k;
  }
  int is_plain = worst->verdict == RH_VERDICT_OK && worst->error == 0;
  if (j->n_results < 2 || is_plain) return;
  int is_result = j->finalize == j->custom->finalize;
  uint32_t field = is_result ? 0 : rh_custom_field_given(j->custom, named);
  char text[sizeof worst->text];
  memcpy(text, worst->text, sizeof text);
  snprintf(worst->text, sizeof worst->text, "%.60s: %.180s",
           is_result ? j->custom->results[named] : j->custom->fields[field].name, text);
}

static void judge_numbers(const rh_reference *reference, const rh_result_field *is,
                          int is_finalized, uint64_t depth, int flushes, rh_verdict *verdict) {
  const rh_custom *custom = rh_custom_of(reference->op);
  rh_result_field given[RH_MOST_FIELDS], results[RH_MOST_FIELDS], canonical[RH_MOST_FIELDS];
  uint64_t most = reference->n > 0 ? reference->n - 1 : 0;
  judging j = {.reference = reference,
               .custom = custom,
               .finalize = is_finalized ? custom->finalize : NULL,
               .flushes = flushes,
               .depth = depth == 0 || depth > most ? most : depth,
               .is_rounded_once = depth == RH_DEPTH_ONE_ROUNDING,
               .n_given = rh_custom_n_given(custom)};
  j.n_results = j.finalize ? custom->face.n_results : j.n_given;
  rh_reference_given(reference, given);
  know_all(&j, given);
  rh_custom_finalize(custom, given, rh_reference_count(reference), results);
  judge_all(&j, is, is_finalized ? results : given, verdict);
  if (!custom->face.is_struct || !verdict->weak) return;
  /* Nothing is weak about the bits of the canonical order. */
  results_of(&j, reference->sampled.values[0], canonical);
  for (uint32_t k = 0; k < j.n_results; k++)
    if (!same(&is[k], &canonical[k])) return;
  verdict->weak = 0;
}

void rh_custom_judge(const rh_reference *reference, const rh_result *result, uint64_t depth,
                     int flushes, rh_verdict *verdict) {
  uint32_t n = reference->op->n_results;
  if (result->n_fields == n) judge_numbers(reference, result->fields, 1, depth, flushes, verdict);
  else
    rh_verdict_say(verdict, RH_VERDICT_WRONG, NAN, "%u results instead of %u", result->n_fields, n);
}

void rh_custom_judge_value(const rh_reference *reference, const void *value, uint64_t depth,
                           int flushes, rh_verdict *verdict) {
  rh_result_field is[RH_MOST_FIELDS];
  rh_custom_given(rh_custom_of(reference->op), value, reference->n, is);
  judge_numbers(reference, is, 0, depth, flushes, verdict);
}

double rh_custom_error_part(const rh_operator *op, uint64_t depth) {
  const rh_custom *custom = rh_custom_of(op);
  double part = 0;
  if (custom->code) return slack_part(custom, depth);
  for (uint32_t k = 0; k < custom->n_fields; k++) {
    const rh_operator_field *field = &custom->fields[k];
    if (field->kind == RH_FIELD_ANY) return slack_part(custom, depth);
    if (field->kind == RH_FIELD_SUM)
      part = fmax(part, rh_unit_of_type(field->type) * (double)depth);
  }
  return part;
}
