/* Plugins: found, examined in a child process, opened, validated, and ranked by what they serve. */
#pragma once

#include "../child/child.h"

/* The directories of plugins, and the files in them.  Opens none of them. */

/* Why a candidate is not used. */
typedef enum rh_refusal_kind {
  RH_REFUSED_FOR_FAULT, /* it was examined, and must not be used */
  /* the user disabled it, or the library that it describes is not installed */
  RH_REFUSED_BY_INTENT,
  RH_REFUSED_UNSEARCHED, /* a directory that is not trusted */
  RH_REFUSED_UNREAD      /* it could not be examined; it need not be bad */
} rh_refusal_kind;

typedef struct rh_candidate {
  char *path;     /* absolute */
  uint32_t place; /* the directory's rank, from 0; options->plugin_file has one of its own */
  /* 1: in redhost's own plugin directory, however it was found */
  uint32_t installed;
  char *refused; /* null, or why it is not used: writable by others, owned by another user, ... */
  rh_refusal_kind kind; /* of the refusal */
  /* In a registry: it is to be examined; it was, when it was this file. */
  int wanted, examined;
  struct stat file;
} rh_candidate;

/* Every regular *.so and *.foreign.json file, each once (by device and inode), by directory and
 * then byte order; also the directories and files that are skipped, with the reason. */
typedef struct rh_discovery {
  rh_candidate *candidates;
  uint32_t n;
  char **notes; /* "REDHOST_PLUGIN_PATH: 'x' is relative and ignored" */
  uint32_t n_notes;
  char *searched; /* "/a:/b": for error messages; includes missing directories */
} rh_discovery;

typedef enum rh_sort {
  RH_PLUGINS,
  RH_OPERATORS, /* *.op.json */
  RH_TRANSPORTS
} rh_sort;

/* In this order: options->plugin_file; options->plugin_path; REDHOST_PLUGIN_PATH;
 * ${XDG_DATA_HOME:-~/.local/share}/redhost/plugins-1; redhost-1 beside the library; the
 * compiled-in directory.  Transports: REDHOST_TRANSPORT_PATH, and directories called transports-1.
 * RH_E_FILE if options->plugin_file is not a file.  On failure *search is empty. */
rh_status rh_discover(rh_discovery *search, rh_sort sort, const rh_options *options,
                      rh_error *error);
/* Is options->plugin_file a plugin, and not an operator file?  0 if there is none. */
int rh_discovery_names_plugin(const rh_options *options);
void rh_discovery_finish(rh_discovery *search);

/* ---- A shared object's file, read before any of its code runs ---- */

typedef struct rh_elf {
  const char *bytes;
  size_t size;
} rh_elf;

/* Maps a whole ELF shared object for this machine.  RH_E_PLUGIN with a message without the path,
 * which the caller prepends ("is cut off: 200 bytes of at least 15640"): it is none.  RH_E_FILE: it
 * cannot be read. */
rh_status rh_elf_read(rh_elf *elf, const char *path, rh_error *error);
void rh_elf_finish(rh_elf *elf);
rh_status rh_elf_check(const char *path, rh_error *error); /* both */
/* Null if the file is too short. */
const void *rh_elf_piece(const rh_elf *elf, uint64_t offset, uint64_t bytes);
/* Copies entry k of n of a table, `bytes` each: 0 at its end. */
int rh_elf_entry(const rh_elf *elf, uint64_t table, uint64_t n, uint64_t k, void *to, size_t bytes);

/* ---- Opening one plugin in this process ---- */

/* Makes a plugin of a file that is not a shared object, but describes one: what stands above the
 * core has it (operators/foreign).  Its rules are rh_plugin_open()'s. */
typedef rh_status rh_describe(const char *path, const rh_plugin **plugin, rh_error *error);

/* Checks the file as an ELF object, opens it, and validates its descriptor as data before any
 * function of it is called; or has `describe` make a plugin of it (null: that is refused).  `path`
 * is absolute.  A bad plugin is RH_E_PLUGIN with a message without the path, which the caller
 * prepends.  RH_DECLINED: the library that a description names is not installed.  Any other failure
 * means that the file could not be examined.  The plugin stays loaded; *plugin is valid until the
 * process ends.  The floating-point control word is restored, and a plugin that changed it is
 * refused. */
rh_status rh_plugin_open(const char *path, rh_describe *describe, const rh_plugin **plugin,
                         rh_error *error);

/* All of the descriptor's rules, rh_validate_*(). */
rh_status rh_plugin_judge(const rh_plugin *plugin, rh_error *error);

/* Does it run on the host, whatever device is selected? */
static inline int rh_strategy_is_host(const rh_strategy *strategy) {
  return strategy->device_kinds == RH_DEVICE_HOST;
}

/* [a-z0-9][a-z0-9_-]{0,62} */
int rh_strategy_name_is_valid(const char *name);

/* Parameter k of a strategy, by the stride that the plugin was compiled with. */
const rh_param *rh_strategy_param(const rh_strategy *strategy, uint32_t k);

/* Is `value` inside the range of a validated parameter?  (Its step is for searches, not a rule.) */
int rh_param_allows(const rh_param *param, int64_t value);

/* Calls query with the host's own checks: device kind and needs, parameters inside their ranges,
 * control word, answers of known status, terminated reason.  RH_OK, RH_DECLINED (answer->why and
 * reason say why), or a failure.  A strategy that also runs on the host is queried for any
 * device. */
rh_status rh_strategy_query(const rh_strategy *strategy, const rh_problem *problem,
                            const int64_t *params, rh_answer *answer, rh_error *error);

/* ---- A strategy's parameters as words and as numbers ---- */

enum { RH_MAX_PARAMS = 64 };

/* `values` (RH_MAX_PARAMS of them) from the defaults and the settings.  An unknown key, a malformed
 * value or one outside its range is RH_E_USAGE with the rule. */
rh_status rh_params_resolve(const rh_strategy *strategy, const rh_setting *settings,
                            uint64_t n_settings, int64_t *values, rh_error *error);

/* Applies one setting, over the contents of `values`. */
rh_status rh_params_set(const rh_strategy *strategy, const rh_setting *setting, int64_t *values,
                        rh_error *error);

/* The index of the parameter of that name, or -1. */
int rh_params_find(const rh_strategy *strategy, const char *key);

/* 1 and *value if the word is a value of the parameter. */
int rh_param_parse(const rh_param *param, const char *word, int64_t *value);

/* A value in words: "256", "device".  `text` has `size` bytes. */
void rh_param_format(const rh_param *param, int64_t value, char *text, size_t size);

/* The values that a parameter can have: "1 to 4096", "host or device". */
void rh_param_range(const rh_param *param, char *text, size_t size);

/* ---- Every available strategy, without loading any plugin into this process ---- */

/* The operator on the type, with or without a prelude, or null: host/core/run's rh_op_find(),
 * which nothing here may include. */
typedef const rh_op *rh_find_op(uint32_t op, rh_type type);

/* The answer of query for one operator and type, with the default parameters. */
typedef struct rh_offer {
  rh_status status; /* RH_OK or RH_DECLINED; a failure of query itself is RH_E_PLUGIN */
  rh_answer answer;
} rh_offer;

/* Examining a plugin in this process: what the probe process does, and what the library does with
 * redhost's own plugins where there is no program to do it. */

typedef struct rh_examiner {
  const rh_device *device; /* null: the host alone */
  uint64_t max_n;
  rh_find_op *find_op;
  /* Before a strategy is queried; may be null. */
  void (*on_query)(void *user, const char *strategy);
  void *user;
} rh_examiner;

/* Asks for the operator on the type, with the default parameters.  An operator that is not defined
 * on it leaves the offer as it is. */
void rh_examine_offer(const rh_examiner *by, const rh_strategy *strategy, uint32_t op, rh_type type,
                      rh_offer *offer);

/* The plugin's strategies, for rh_wire_read_entry(); null: no memory. */
json_t *rh_examine_plugin(const rh_examiner *by, const rh_plugin *plugin);

/* The host's own place among devices. */
const rh_device *rh_host_device(void);

/* Of a plugin that could not be opened. */
static inline rh_refusal_kind rh_refusal_kind_of(rh_status status) {
  if (status == RH_DECLINED) return RH_REFUSED_BY_INTENT;
  return status == RH_E_PLUGIN ? RH_REFUSED_FOR_FAULT : RH_REFUSED_UNREAD;
}

/* A strategy as a child process described it.  Owned by the registry. */
typedef struct rh_entry {
  const rh_candidate *file; /* the plugin's */
  json_t *json;             /* which has the texts, of the parameters, too */
  rh_strategy says;         /* of itself: no functions */
  const char *build;
  /* The offers are for this device, or null, and n; asked_here: some may be for others. */
  const rh_device *asked_of;
  uint64_t asked_n;
  int asked_here;
  const rh_strategy *opened; /* null, unless it was asked in this process */
  /* [op][type], by number; .status is RH_DECLINED where undefined */
  rh_offer offers[RH_N_OPS + 1][RH_N_TYPES + 1];
  const char *shadowed_by; /* null, or the file whose strategy of that name comes first */
} rh_entry;

/* `options`, and the device, must outlive it. */
typedef struct rh_registry {
  rh_discovery search;         /* the files; those that are refused are not used */
  rh_entry *entries;           /* by name; shadowed ones follow the one that takes precedence */
  uint32_t n_entries, n_known; /* behind the entries are those of refused files */
  uint32_t n_refusals;
  uint32_t n_skipped; /* files that were not examined, since nobody asked for them */
  const rh_options *options;
  rh_examiner by; /* what strategies are asked for; find_op null: none in this process */
  rh_describe *describe;
  char *program; /* null until a child is needed */
  int has_no_program;
  double limit_s;       /* for one file */
  uint64_t limit_bytes; /* that the child may send about one file */
} rh_registry;

/* Examines all candidates in a child process (`options->program`, or redhost next to the library),
 * which calls every strategy's query with (device, max_n) for each operator and type.  device may
 * be null: without an OpenCL device only host strategies are asked, and the others are declined.  A
 * plugin that crashes, hangs for 5 s or exits becomes a refusal, and the others are still
 * examined. */
rh_status rh_registry_scan(rh_registry *registry, const rh_options *options,
                           const rh_device *device, uint64_t max_n, rh_error *error);
/* In steps.  First it only searches the directories.  find_op: to examine what came with redhost in
 * this process if there is no program; null: that fails.  describe: rh_plugin_open()'s. */
rh_status rh_registry_begin(rh_registry *registry, const rh_options *options, rh_find_op *find_op,
                            rh_describe *describe, rh_error *error);
/* Then it examines what was not examined before.  It examines only those of the files that came
 * with redhost that bear one of n names of strategies; a name that no file bears may be in any
 * file: then all of them, as with n = 0.  `exactly`: also those whose offers are for another device
 * or max_n.  If there are none, no file is looked at. */
rh_status rh_registry_examine(rh_registry *registry, const rh_device *device, uint64_t max_n,
                              const char *const *names, uint32_t n, int exactly, rh_error *error);
/* Then offers of another size: opens the plugins that came with redhost, which were examined, in
 * this process, and asks them for the operator on the type.  Others keep what they offered first,
 * and stay out of this process until one is chosen. */
void rh_registry_ask(rh_registry *registry, const rh_device *device, uint64_t max_n, uint32_t op,
                     rh_type type);
void rh_registry_finish(rh_registry *registry);

/* The entry of that name that takes precedence; null if there is none. */
const rh_entry *rh_registry_find(const rh_registry *registry, const char *name);

/* The location of a strategy. */
typedef struct rh_found {
  char name[64];
  char *path;         /* the plugin's file */
  uint32_t installed; /* 1: it came with redhost */
  uint32_t device_kinds;
  uint64_t promises;
  char missed[1024]; /* "", or a plugin that comes before this one and could not be examined */
} rh_found;

/* Finds the strategy of that name and examines only the files that matter, unless they were
 * examined before: inside one directory the file named after the strategy comes first.  Each file
 * is examined in a child; none is opened here, unless there is no program.  Unknown: RH_E_USAGE
 * with a suggestion and the directories searched. */
rh_status rh_registry_locate(rh_registry *registry, const char *name, rh_found *found,
                             rh_error *error);
rh_status rh_found_from_entry(rh_found *found, const rh_entry *entry, rh_error *error);
void rh_found_finish(rh_found *found);

/* Opens the plugin in this process, which must trust it. */
rh_status rh_registry_open(const char *path, rh_describe *describe, const char *name,
                           const rh_strategy **strategy, rh_error *error);

/* The child's side: `redhost --probe` calls this and exits with its result, 0 when everything was
 * sent.  Reads the request from descriptor 3, writes frames to descriptor 4 (wire.c). */
int rh_probe_main(rh_find_op *find_op, rh_describe *describe);

/* The probe protocol: the messages between redhost and its probe process.
 *
 * The request (core/child) holds the device, max_n and the files: "file=PATH" for each.  On
 * descriptor 4 the child answers with one JSON object a line:
 *     {"redhost-probe":4}                       the channel works
 *     {"phase":"query","strategy":"cascade"}    it calls query
 *     {"plugin":k,"strategies":[...]}           the contents of file k, counted from 0, or
 *     {"refused":k,"kind":2,"reason":"..."}     the reason, and an rh_refusal_kind
 *     {"end":n}                                 all n were examined
 * Messages in another order cannot be redhost's. */

enum { RH_WIRE_VERSION = 4 };

/* Begins a request, to which the files are added; device may be null: the child gets only the
 * host. */
void rh_wire_request(rh_text *to, const rh_device *device, uint64_t max_n);
/* The child's side; the files are read by rh_request_next(request, "file", ...).  0, or -1. */
int rh_wire_read_request(const rh_child_request *request, rh_device *device, uint64_t *max_n);

/* 0 and *entry filled, but for what its candidate says; or -1 and nothing to free. */
int rh_wire_read_entry(json_t *json, rh_entry *entry);
void rh_entry_finish(rh_entry *entry);

/* A plugin's file name determines the kind of plugin, and which of two in one directory takes
 * precedence. */

#define RH_FOREIGN_SUFFIX  ".foreign.json"
#define RH_OPERATOR_SUFFIX ".op.json"

/* Does a name stand before the suffix? */
static inline int rh_has_suffix(const char *path, const char *suffix) {
  size_t length = strlen(path), ending = strlen(suffix);
  return length > ending && strcmp(path + length - ending, suffix) == 0;
}

/* Is it a description of a foreign function, not a shared object? */
static inline int rh_is_foreign(const char *path) { return rh_has_suffix(path, RH_FOREIGN_SUFFIX); }

/* Is it an operator, not a plugin? */
static inline int rh_is_operator_file(const char *path) {
  return rh_has_suffix(path, RH_OPERATOR_SUFFIX);
}

/* Is the file called NAME.so, NAME.foreign.json or NAME.op.json? */
static inline int rh_bears_name(const char *path, const char *name) {
  const char *base = rh_path_name(path);
  size_t length = strlen(name);
  return strncmp(base, name, length) == 0 &&
         (strcmp(base + length, ".so") == 0 || strcmp(base + length, RH_FOREIGN_SUFFIX) == 0 ||
          strcmp(base + length, RH_OPERATOR_SUFFIX) == 0);
}

/* Compares like strcmp: the file named after the strategy or operator first, then by bytes. */
static inline int rh_rank_files(const char *a, const char *b, const char *name) {
  int of_a = rh_bears_name(a, name), of_b = rh_bears_name(b, name);
  return of_a != of_b ? of_b - of_a : strcmp(a, b);
}

/* The rules for a plugin's descriptor in groups, for --verify.  The plugin is not called. */

enum { RH_MOST_STRATEGIES = 1024 }; /* in one plugin */

/* Bytes of a struct in ABI 1.0, without the fields appended since. */
#define RH_SIZE_1_0(T, last) ((uint32_t)(offsetof(T, last) + sizeof(((const T *)0)->last)))

/* All return RH_E_PLUGIN with a message.  Each but the first requires that those before it
 * passed. */
rh_status rh_validate_version(const rh_plugin *plugin,
                              rh_error *error); /* magic, size, ABI, flags */
/* The strategies are present, of a known size, and have valid, distinct names. */
rh_status rh_validate_names(const rh_plugin *plugin, rh_error *error);

typedef rh_status rh_validate_strategy(const rh_strategy *strategy, rh_error *error);
/* Applies one rule to every strategy; the message names the one that breaks it. */
rh_status rh_validate_each(const rh_plugin *plugin, rh_validate_strategy *judge, rh_error *error);

rh_validate_strategy rh_validate_functions, rh_validate_texts, rh_validate_params,
    rh_validate_promises;
