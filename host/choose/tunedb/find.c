#include "internal.h"

/* ---- Asking ---- */

rh_tunedb_entry rh_tunedb_entry_of(const rh_asked *of) {
  rh_tunedb_entry entry = {.plugin = of->plugin,
                           .op = rh_operator_builtin(of->op->base, of->op->type),
                           .own = of->op->hash,
                           .n = of->n,
                           .cut = of->cut};
  snprintf(entry.strategy, sizeof entry.strategy, "%s", of->strategy);
  if (of->op->is_custom) snprintf(entry.own_name, sizeof entry.own_name, "%s", of->op->name);
  return entry;
}

/* The built-in operator that it is, or is based on. */
static int has_base(const rh_tunedb_entry *entry, const rh_operator *op) {
  return entry->op->base == op->base && entry->op->type == op->type;
}

int rh_tunedb_is_of(const rh_tunedb_entry *entry, const rh_operator *op) {
  return has_base(entry, op) && entry->own == op->hash;
}

static int is_of(const rh_tunedb_entry *entry, const char *strategy, uint64_t plugin) {
  return strcmp(entry->strategy, strategy) == 0 && (!entry->plugin || entry->plugin == plugin);
}

/* The time of one user's operator says nothing about other operators. */
static uint32_t unlikeness(const rh_tunedb_entry *entry, const rh_operator *op) {
  rh_type type = entry->op->type;
  uint32_t theirs = rh_op_flags(entry->op->base, type), asked = rh_op_flags(op->base, op->type);
  if (entry->own && entry->own != op->hash) return RH_TUNED_UNLIKE;
  if (has_base(entry, op)) return entry->own == op->hash ? RH_TUNED_SAME : RH_TUNED_SAME_BASE;
  if ((theirs ^ asked) & RH_OP_INDEXED) return RH_TUNED_UNLIKE;
  if (type == op->type) return RH_TUNED_SAME_TYPE;
  return rh_type_size(type) == rh_type_size(op->type) ? RH_TUNED_SAME_SIZE : RH_TUNED_OTHER_SIZE;
}

static double distance(uint64_t a, uint64_t b) {
  return fabs(log2((double)(a ? a : 1)) - log2((double)(b ? b : 1)));
}

/* Is `one` preferred?  Ties go to entries measured on the device itself, and then to an order
 * that depends on the contents only. */
static int is_better(const rh_tunedb_entry *a, const rh_tunedb_entry *b, const rh_asked *of) {
  uint32_t of_a = unlikeness(a, of->op), of_b = unlikeness(b, of->op);
  double far_a = distance(a->n, of->n), far_b = distance(b->n, of->n);
  double apart_a = rh_cuts_apart(&a->cut, &of->cut), apart_b = rh_cuts_apart(&b->cut, &of->cut);
  if (a->origin != b->origin) return a->origin < b->origin;
  if (isinf(apart_a) != isinf(apart_b)) return isinf(apart_b);
  if (of_a != of_b) return of_a < of_b;
  if (apart_a != apart_b) return apart_a < apart_b;
  if (far_a != far_b) return far_a < far_b;
  if (a->n != b->n) return a->n > b->n;
  if (a->is_own != b->is_own) return (int)a->is_own;
  if (a->op->base != b->op->base) return a->op->base < b->op->base;
  return a->op->type < b->op->type;
}

/* One that was merely measured here, with the plugin's defaults, says nothing about parameters. */
static int says_best(const rh_tunedb_entry *entry) {
  return entry->origin == RH_TUNED_SHIPPED || entry->searched || entry->settings.n;
}

/* Whole arrays take nothing of segments; segments take no times of whole arrays. */
static int suits_cut(const rh_tunedb_entry *entry, const rh_cut *cut, double apart, int timed) {
  if (!entry->cut.length) return !timed || !cut->length;
  return rh_cuts_apart(&entry->cut, cut) <= apart;
}

/* Which entries count: all but trials, or of these only those that say which parameters are best;
 * or those with a time. */
typedef enum { WITHOUT_TRIALS, BEST, TIMED } kind;

static const rh_tunedb_entry *find_entry(const rh_tunedb *tuned, const rh_tunedb_timed *among,
                                         kind which, const rh_asked *by) {
  const rh_tunedb_entry *best = NULL;
  for (uint32_t k = 0; k < tuned->n; k++) {
    const rh_tunedb_entry *entry = &tuned->list[k];
    if (entry->failed || entry->origin < among->first || entry->origin > among->last) continue;
    if (entry->n < among->least_n || entry->n > among->most_n) continue;
    if (!is_of(entry, by->strategy, by->plugin)) continue;
    if (!suits_cut(entry, &by->cut, among->apart, which == TIMED)) continue;
    if (which == TIMED ? entry->time_s <= 0 && entry->latency_s <= 0 : entry->trial) continue;
    if (which == BEST && !says_best(entry)) continue;
    if (unlikeness(entry, by->op) > among->unlike) continue;
    if (!best || is_better(entry, best, by)) best = entry;
  }
  return best;
}

/* Does an entry that was measured here go before the best shipped one?  One of segments goes before
 * one of whole arrays; else it must be as like the problem, and within a factor of 2 of its size or
 * as near as the shipped one. */
static int displaces(const rh_tunedb_entry *measured, const rh_tunedb_entry *shipped,
                     const rh_asked *of) {
  static const double octave = 1;
  if (!measured->cut.length != !shipped->cut.length) return measured->cut.length > 0;
  double far = distance(measured->n, of->n);
  return unlikeness(measured, of->op) <= unlikeness(shipped, of->op) &&
         (far <= octave || far <= distance(shipped->n, of->n));
}

const rh_tunedb_entry *rh_tunedb_find(const rh_tunedb *tuned, const rh_asked *by) {
  rh_tunedb_timed shipped = {RH_TUNED_SHIPPED, RH_TUNED_SHIPPED,   RH_TUNED_SAME_SIZE, 0,
                             UINT64_MAX,       RH_TUNED_CUTS_APART},
                  here = shipped;
  here.first = here.last = RH_TUNED_HERE;
  const rh_tunedb_entry *best = find_entry(tuned, &here, BEST, by);
  const rh_tunedb_entry *other = find_entry(tuned, &shipped, BEST, by);
  if (other && !(best && displaces(best, other, by))) best = other;
  return best ? best : find_entry(tuned, &here, WITHOUT_TRIALS, by);
}

const rh_tunedb_entry *rh_tunedb_find_timed(const rh_tunedb *tuned, const rh_tunedb_timed *among,
                                            const rh_asked *by) {
  return find_entry(tuned, among, TIMED, by);
}

int rh_tunedb_has_failed(const rh_tunedb *tuned, const rh_asked *of) {
  const rh_tunedb_timed here = {RH_TUNED_HERE, RH_TUNED_HERE, RH_TUNED_SAME, 0,
                                UINT64_MAX,    INFINITY};
  int elsewhere = 0;
  for (uint32_t k = 0; k < tuned->n; k++) {
    const rh_tunedb_entry *entry = &tuned->list[k];
    if (!entry->failed || !rh_tunedb_is_of(entry, of->op) ||
        !is_of(entry, of->strategy, of->plugin))
      continue;
    if (entry->origin != RH_TUNED_OTHER_DRIVER) return 1;
    elsewhere = 1;
  }
  /* Under another driver: was it measured, and hence correct, under this one? */
  return elsewhere && !find_entry(tuned, &here, WITHOUT_TRIALS, of);
}

static int is_strategy(const char *name) {
  return strcmp(name, RH_TUNEDB_UPLOAD) != 0 && strcmp(name, RH_TUNEDB_STREAM) != 0 &&
         strcmp(name, RH_TUNEDB_OPENING) != 0;
}

/* Unless it is in the list. */
static void add_strategy(const char **names, uint32_t *n, uint32_t most, const char *name) {
  for (uint32_t k = 0; k < *n && k < most; k++)
    if (strcmp(names[k], name) == 0) return;
  if (*n < most) names[*n] = name;
  ++*n;
}

static int runs_on_device(const rh_tunedb *tuned, const char *strategy) {
  for (uint32_t k = 0; k < tuned->n; k++)
    if (tuned->list[k].on_device && strcmp(tuned->list[k].strategy, strategy) == 0) return 1;
  return 0;
}

uint32_t rh_tunedb_strategies(const rh_tunedb *tuned, const rh_operator *on_host,
                              const char **names, uint32_t most) {
  const json_t *shipped = on_host ? NULL : json_object_get(tuned->shipped, "strategies");
  uint32_t n = 0;
  for (size_t k = 0; k < json_array_size(shipped); k++)
    add_strategy(names, &n, most, json_string_value(json_array_get(shipped, k)));
  for (uint32_t k = 0; (on_host || n) && k < tuned->n; k++) {
    const rh_tunedb_entry *entry = &tuned->list[k];
    if (!(entry->time_s > 0 || entry->latency_s > 0 || (entry->failed && !on_host))) continue;
    if (on_host && (!rh_tunedb_is_of(entry, on_host) || runs_on_device(tuned, entry->strategy)))
      continue;
    if (is_strategy(entry->strategy)) add_strategy(names, &n, most, entry->strategy);
  }
  return n <= most ? n : 0;
}

int rh_tunedb_is_here(const rh_tunedb *tuned, const char *strategy) {
  for (uint32_t k = 0; k < tuned->n; k++)
    if (tuned->list[k].plugin && strcmp(tuned->list[k].strategy, strategy) == 0) return 1;
  return 0;
}

void rh_tunedb_report_other_plugin(rh_tunedb *tuned, const char *strategy, uint64_t plugin) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < tuned->n && plugin; k++) {
    const rh_tunedb_entry *entry = &tuned->list[k];
    n += strcmp(entry->strategy, strategy) == 0 && !is_of(entry, strategy, plugin);
  }
  if (!n || json_object_get(tuned->told, strategy)) return;
  if (!tuned->told) tuned->told = json_object();
  json_object_set_new(tuned->told, strategy, json_true());
  rh_log(tuned->cache->reporter, RH_LOG_INFO,
         "%s: %u entr%s of '%s' %s passed over: measured with another version of its plugin",
         tuned->path, n, n == 1 ? "y" : "ies", strategy, n == 1 ? "is" : "are");
}

uint32_t rh_tunedb_count(const rh_tunedb *tuned) {
  uint32_t count = 0;
  for (uint32_t k = 0; k < tuned->n; k++) count += tuned->list[k].is_own;
  return count;
}

const char *rh_tunedb_shipped_name(const rh_tunedb *tuned) {
  const char *name = json_string_value(json_object_get(tuned->shipped, "name"));
  return name ? name : "";
}

/* ---- Plugins' files ---- */

/* Eight bytes at a time: a plugin with debug information has megabytes, and every run reads it. */
uint64_t rh_tunedb_plugin(const char *path) {
  unsigned char bytes[1 << 14];
  uint64_t hash = 0xcbf29ce484222325u, word;
  size_t got, all = 0;
  FILE *file = fopen(path, "rbe");
  if (!file) return 0;
  while ((got = fread(bytes, 1, sizeof bytes, file)) > 0) {
    memset(bytes + got, 0, -got % sizeof word);
    for (size_t k = 0; k < got; k += sizeof word) {
      memcpy(&word, bytes + k, sizeof word);
      hash = (hash ^ word) * 0x100000001b3u;
      hash ^= hash >> 32;
    }
    all += got;
  }
  int failed = ferror(file);
  fclose(file);
  hash = (hash ^ all) * 0x100000001b3u;
  return failed || !all ? 0 : hash ? hash : 1;
}

uint64_t rh_tunedb_file(rh_tunedb *tuned, const char *path) {
  const json_t *read = json_object_get(tuned->files, path);
  if (read) return (uint64_t)json_integer_value(read);
  uint64_t hash = rh_tunedb_plugin(path);
  if (!tuned->files) tuned->files = json_object();
  json_object_set_new(tuned->files, path, json_integer((json_int_t)hash));
  return hash;
}
