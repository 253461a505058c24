/* ways: reduces generated elements in the library's ways, as `redhost --run` with the same options
 * would.  tests/cli/test_ways.py compares the two.  A line of standard input is a way and options,
 * with a zero byte between two.  The answer is redhost's exit status, the number of bytes of the
 * value and that of a sentence, and these bytes.  A redhost serves all lines, one with a plugin of
 * its own only that line.
 *
 *   reduce        rh_reduce()
 *   prepared      rh_prepare() and rh_prepared_call()
 *   distributed   rh_reduce_distributed(), with threads as ranks; --last=OPTION is of the last one
 *   parts         rh_reduce_part() of each rank's elements, rh_merge_parts() of some at a time
 *   data          writes the elements, operand after operand
 *
 * --length=L, --axes=LENGTHxLENGTHx...:REDUCED or --offsets=N: segments, of rh_reduce() and
 * rh_reduce_distributed(), whose results are printed as their bytes; --results=TYPE,...: theirs
 * --cut=NAME: where the elements of each of --ranks=N begin; each has its own up to the end of a
 * page, so that reading more is a crash.
 * --ring: of arrays of a few KiB, as if they were large and the device had memory of its own. */
#include <stdio.h>
#include <sys/mman.h>

#include "../../host/library/library.h"
#include "ranks.h"

enum { MOST_OPERANDS = 2, MOST_PARTS = 1000, MOST_CONSTANTS = 2, MOST_OUTPUTS = 2 };
enum { MOST_BYTES = 8192 /* of a gather: values, or a tile of each operand */, PAGE = 4096 };
enum { CHUNK = 4096, WHOLE = 3 * CHUNK };

typedef struct options {
  rh_request request;
  rh_input inputs[MOST_OPERANDS];
  rh_constant constants[MOST_CONSTANTS];
  void *data[MOST_OPERANDS];
  uint64_t n;
  rh_type second; /* operand's type, if it is another */
  uint32_t operands, ranks, rings, cut;
  const char *kind, *plugin, *last, *cancel; /* cancel: while it says so, from --cancel */
  rh_segmentation segments;
  uint64_t n_segments, lengths[RH_MOST_AXES], *offsets;
  rh_output outputs[MOST_OUTPUTS];
} options;

static FILE *out, *said; /* of the answer */

/* redhost's exit status. */
static int code_of(rh_status status) {
  static const int codes[][2] = {{RH_OK, 0},           {RH_E_WRONG, 1},  {RH_E_USAGE, 2},
                                 {RH_E_DEVICE, 3},     {RH_DECLINED, 4}, {RH_E_FILE, 6},
                                 {RH_E_CANCELLED, 130}};
  for (size_t k = 0; k < sizeof codes / sizeof *codes; k++)
    if ((rh_status)codes[k][0] == status) return codes[k][1];
  return 5;
}

/* ---- Cuts ---- */

enum cut { BETWEEN, TILES, GAPS, LAST, FIRST, SMALL, END, ANYWHERE, CUTS };
static const char *const cuts[CUTS] = {"between", "tiles", "gaps", "last",
                                       "first",   "small", "end",  "anywhere"};

static uint64_t at_most(uint64_t at, uint64_t n) { return at < n ? at : n; }

static uint64_t start_of(const options *o, uint64_t r) {
  uint64_t n = o->n, size = o->ranks;
  if (r == 0 || r == size) return r ? n : 0;
  switch (o->cut) {
  case TILES: return n * r / size / 512 * 512;
  case GAPS: return n * (r / 2) / (size / 2); /* every second one has none, nor the ends */
  case LAST: return 0;
  case FIRST: return n;
  case SMALL: return at_most(17 * r, n);           /* many within a tile */
  case END: return n - at_most(3 * (size - r), n); /* they share the last tile */
  case ANYWHERE: return n * r / size + (r * 2654435761 >> 7) % (n / size + 1);
  default: return at_most(n * (r == 2 ? 1 : r) / size + 17, n); /* at no tile; the second: none */
  }
}

/* ---- Options ---- */

static void take_constant(options *o, char *text) {
  rh_constant *constant = &o->constants[o->request.n_constants];
  char *value = strchr(text, '=');
  *value++ = 0;
  for (uint64_t k = 0; k < o->request.n_constants; k++) /* the last of a name counts */
    if (strcmp(o->constants[k].name, text) == 0) constant = &o->constants[k];
  if (constant == &o->constants[o->request.n_constants]) o->request.n_constants++;
  *constant = (rh_constant){.name = text, .is_float = strchr(value, '.') != NULL};
  if (constant->is_float) constant->value.f = strtod(value, NULL);
  else constant->value.i = strtoll(value, NULL, 10);
}

/* ---- Segments ---- */

/* Some are empty, some overlap, and one is long. */
static void make_offsets(options *o, uint64_t count) {
  uint64_t at = 0, n = o->n;
  o->offsets = malloc((2 * count + 1) * sizeof *o->offsets);
  for (uint64_t s = 0; s < count; s++) {
    uint64_t length = s == count / 2 ? n / 3 : s % 7 * (s * 2654435761 >> 3) % (2 * n / count + 1);
    if (s % 11 == 5 && at > 100) at -= 100;
    o->offsets[s] = at_most(at, n);
    at = o->offsets[count + s] = at_most(at + length, n);
  }
  o->segments.starts = o->offsets;
  o->segments.stops = o->offsets + count;
  o->segments.n_segments = o->n_segments = count;
}

static int take_segments(options *o, const char *name, char *value) {
  if (strcmp(name, "--length") == 0) {
    o->segments.length = strtoull(value, NULL, 10);
    o->n_segments = o->n / o->segments.length;
  } else if (strcmp(name, "--offsets") == 0) {
    make_offsets(o, strtoull(value, NULL, 10));
  } else if (strcmp(name, "--axes") == 0) {
    char *next = value;
    do o->lengths[o->segments.n_axes++] = strtoull(next, &next, 10);
    while (*next++ == 'x');
    o->segments.lengths = o->lengths;
    o->segments.reduced = 1u << atoi(next);
    o->n_segments = 1;
    for (uint32_t k = 0; k < o->segments.n_axes; k++)
      o->n_segments *= o->segments.reduced >> k & 1 ? 1 : o->lengths[k];
  } else {
    return 0;
  }
  o->segments.struct_size = sizeof o->segments;
  o->request.segments = &o->segments;
  return 1;
}

static void take_results(options *o, char *types) {
  for (char *type = strtok(types, ","); type; type = strtok(NULL, ","))
    o->outputs[o->request.n_outputs++] = (rh_output){.type = rh_type_from_name(type)};
}

static void make_outputs(options *o) {
  for (uint64_t k = 0; k < o->request.n_outputs; k++) {
    o->outputs[k].n = o->n_segments;
    o->outputs[k].data = calloc(o->n_segments + 1, sizeof(uint64_t));
  }
  if (o->request.segments) o->request.outputs = o->outputs;
}

static void print_outputs(const options *o) {
  for (uint64_t k = 0; k < o->request.n_outputs; k++) {
    uint32_t size = rh_type_size(o->outputs[k].type);
    for (uint64_t s = 0; s < o->n_segments; s++) {
      uint64_t bits = 0;
      memcpy(&bits, (char *)o->outputs[k].data + s * size, size);
      fprintf(out, "%llx\n", (unsigned long long)bits);
    }
  }
}

/* ---- Words ---- */

static int take_text(options *o, const char *name, const char *value) {
  const struct {
    const char *name, **to;
  } texts[] = {{"--run", &o->request.strategy},
               {"--op", &o->request.op},
               {"--map", &o->request.map},
               {"--where", &o->request.where},
               {"--reduce", &o->request.reduce},
               {"--identity", &o->request.identity},
               {"--finalize", &o->request.finalize},
               {"--initial", &o->request.initial},
               {"--data", &o->kind},
               {"--plugin", &o->plugin},
               {"--last", &o->last},
               {"--cancel", &o->cancel}};
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
    if (strcmp(texts[k].name, name) != 0) continue;
    *texts[k].to = value;
    return 1;
  }
  return 0;
}

static void take_option(options *o, const char *word) {
  char *name = strdup(word), *value = strchr(name, '=');
  if (strncmp(word, "-n", 2) == 0) o->n = strtoull(word + 2, NULL, 10);
  else if (strncmp(word, "-t", 2) == 0) o->request.type = rh_type_from_name(word + 2);
  else if (strcmp(word, "--ring") == 0) o->rings = 1;
  else if (strcmp(word, "--unchecked-op") == 0) o->request.unchecked_op = 1;
  else if (strcmp(word, "--commutes") == 0) o->request.commutes = 1;
  else if (value) {
    *value++ = 0;
    if (strcmp(name, "--let") == 0) take_constant(o, value);
    else if (strcmp(name, "--ranks") == 0) o->ranks = (uint32_t)atoi(value);
    else if (strcmp(name, "--operands") == 0) o->operands = (uint32_t)atoi(value);
    else if (strcmp(name, "--second") == 0) o->second = rh_type_from_name(value);
    else if (strcmp(name, "--cut") == 0)
      while (strcmp(cuts[o->cut], value) != 0) o->cut++;
    else if (strcmp(name, "--accuracy") == 0)
      o->request.accuracy = strcmp(value, "exact") == 0 ? RH_ACCURACY_EXACT : 0;
    else if (strcmp(name, "--check") == 0) o->request.unchecked = strcmp(value, "none") == 0;
    else if (strcmp(name, "--results") == 0) take_results(o, value);
    else if (!take_segments(o, name, value) && !take_text(o, name, value) &&
             strcmp(name, "--isolate") != 0)
      exit(99);
  } else exit(98);
}

static rh_type type_of(const options *o, uint32_t operand) {
  return operand > 0 && o->second ? o->second : o->request.type;
}

static void make_data(options *o) {
  for (uint32_t k = 0; k < o->operands; k++) {
    if (o->n == 0) continue;
    rh_type type = type_of(o, k);
    o->data[k] = calloc(o->n, sizeof(uint64_t)); /* --last may name a wider type */
    rh_generate(o->kind, 1 + k, type, o->n, 0, o->n, o->data[k]);
  }
}

static struct {
  void *at;
  size_t bytes;
} held[MOST_PARTS * MOST_OPERANDS];
static uint32_t n_held;

/* A copy whose end is that of a page; what is behind it cannot be read. */
static const void *hold(const void *from, size_t bytes) {
  size_t room = (bytes + PAGE - 1) / PAGE * PAGE;
  if (bytes == 0) return NULL;
  char *at = mmap(NULL, room + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED || mprotect(at + room, PAGE, PROT_NONE) != 0) exit(94);
  if (n_held == MOST_PARTS * MOST_OPERANDS) exit(93);
  held[n_held].at = at;
  held[n_held++].bytes = room + PAGE;
  return memcpy(at + room - bytes, from, bytes);
}

static void let_go(options *o) {
  while (n_held-- > 0) munmap(held[n_held].at, held[n_held].bytes);
  n_held = 0;
  for (uint32_t k = 0; k < o->operands; k++) free(o->data[k]);
}

/* The request for elements first .. first + n - 1, or of a rank with an option of its own. */
static rh_request request_for(const options *o, rh_input *inputs, uint64_t first, uint64_t n) {
  rh_request request = o->request;
  for (uint32_t k = 0; k < o->operands; k++) {
    inputs[k] = (rh_input){.type = type_of(o, k), .data = o->data[k]};
    size_t size = rh_type_size(inputs[k].type);
    if (n < o->n) inputs[k].data = hold((char *)o->data[k] + first * size, n * size);
  }
  request.n = n;
  request.constants = request.n_constants ? o->constants : NULL;
  if (o->operands > 1) {
    request.inputs = inputs;
    request.n_inputs = o->operands;
  } else request.data = inputs[0].data;
  return request;
}

/* ---- The ways ---- */

/* All ranks end alike. */
static rh_status reduce_distributed(rh_redhost *redhost, options *o, rh_result *result,
                                    rh_error *error) {
  static rank ranks[MOST_RANKS];
  static options own[MOST_RANKS];
  for (uint32_t r = 0; r < o->ranks; r++) {
    uint64_t first = start_of(o, r);
    own[r] = *o;
    if (o->last && r == o->ranks - 1) take_option(&own[r], o->last);
    make_outputs(&own[r]);
    ranks[r] = (rank){.redhost = redhost};
    ranks[r].request = request_for(&own[r], ranks[r].inputs, first, start_of(o, r + 1) - first);
  }
  if (!run_ranks(ranks, o->ranks, 0, o->request.segments ? MOST_GATHERED : MOST_BYTES)) exit(95);
  memcpy(o->outputs, own[0].outputs, sizeof o->outputs);
  for (uint32_t r = 1; r < o->ranks; r++)
    for (uint64_t k = 0; k < o->request.n_outputs && ranks[0].status == RH_OK; k++)
      if (memcmp(own[r].outputs[k].data, o->outputs[k].data, o->n_segments * 8)) exit(96);
  for (uint32_t r = 1; r < o->ranks; r++)
    if (ranks[r].status != ranks[0].status ||
        memcmp(&ranks[r].result.value, &ranks[0].result.value, sizeof ranks[0].result.value) != 0 ||
        strcmp(ranks[r].error.message, ranks[0].error.message) != 0)
      exit(97);
  *result = ranks[0].result;
  *error = ranks[0].error;
  return ranks[0].status;
}

typedef struct part {
  const void *bytes[MOST_PARTS];
  uint64_t sizes[MOST_PARTS];
} parts;

/* Some neighbours at a time, and what they make again, until there is one. */
static rh_status merge(rh_redhost *redhost, parts *all, uint32_t n, rh_error *error) {
  do {
    uint32_t at = 0, made = 0;
    while (at < n) {
      uint32_t some = (uint32_t)at_most(3 + at % 40, n - at);
      void *one;
      rh_status status = rh_merge_parts(redhost, all->bytes + at, all->sizes + at, some, &one,
                                        &all->sizes[made], error);
      if (status != RH_OK) return status;
      all->bytes[made++] = one;
      at += some;
    }
    n = made;
  } while (n > 1);
  return RH_OK;
}

/* Each is read by its place in another order. */
static rh_status reduce_parts(rh_redhost *redhost, const options *o, rh_result *result,
                              rh_error *error) {
  static parts all;
  rh_input inputs[MOST_OPERANDS];
  rh_status status = RH_OK;
  for (uint32_t r = 0; r < o->ranks && status == RH_OK; r++) {
    uint64_t first = start_of(o, r);
    rh_request request = request_for(o, inputs, first, start_of(o, r + 1) - first);
    uint32_t at = (o->ranks - 1 - r) * 7919 % o->ranks;
    void *made;
    status = rh_reduce_part(redhost, &request, first, o->n, &made, &all.sizes[at], error);
    all.bytes[at] = made;
  }
  if (status == RH_OK) status = merge(redhost, &all, o->ranks, error);
  if (status != RH_OK) return status;
  return rh_part_result(redhost, all.bytes[0], all.sizes[0], result, error);
}

/* Twice, as what is set up serves again. */
static rh_status reduce(rh_redhost *redhost, const options *o, int is_prepared, rh_result *result,
                        rh_error *error) {
  rh_input inputs[MOST_OPERANDS];
  rh_request request = request_for(o, inputs, 0, o->n);
  rh_prepared *prepared = NULL;
  const rh_call_spec call = {.struct_size = sizeof call,
                             .n_operands = o->operands,
                             .arrays = (const void *const *)o->data,
                             .n = o->n};
  rh_status status = RH_OK;
  if (is_prepared) status = rh_prepare(redhost, &request, &prepared, error);
  for (int k = 0; k < 2 && status == RH_OK; k++)
    status = is_prepared ? rh_prepared_call(prepared, &call, result, error)
                         : rh_reduce(redhost, &request, result, error);
  rh_prepared_destroy(prepared);
  return status;
}

/* ---- The program ---- */

static void say(void *user, uint32_t level, const char *text) {
  (void)user;
  if (level == RH_LOG_WARNING) fprintf(said, "redhost: %s.\n", text);
}

static int cancel(void *user, const char *phase, uint64_t done, uint64_t total) {
  const options *o = user;
  (void)done;
  (void)total;
  return o->cancel && strcmp(phase, o->cancel) == 0;
}

static void print(const rh_result *result) {
  char text[64];
  for (uint32_t k = 0; k < result->n_fields; k++) {
    rh_result one = {.type = result->fields[k].type};
    memcpy(&one.value, &result->fields[k].value, sizeof one.value);
    fprintf(out, "%s\n", rh_format_exact(text, &one));
  }
  if (result->n_fields) return;
  fprintf(out, "%s\n",
          result->indexed ? rh_format_answer(text, result) : rh_format_exact(text, result));
}

static rh_status set_rings(rh_context *context, rh_error *error) {
  const rh_cl_device *device;
  RH_TRY(rh_context_device(context, &device, error));
  ((rh_cl_device *)device)->shares_memory = 0;
  context->most_whole_bytes = WHOLE;
  context->chunk_bytes = CHUNK;
  return RH_OK;
}

static rh_status open_it(options *o, rh_redhost **redhost, rh_error *error) {
  static rh_redhost *opened[2];
  *redhost = opened[o->rings];
  if (*redhost && !o->plugin) return RH_OK;
  const rh_options spec = {.struct_size = sizeof spec,
                           .plugin_path = getenv("REDHOST_TEST_PLUGINS"),
                           .program = getenv("REDHOST"),
                           .plugin_file = o->plugin,
                           .reporter = {o, say, cancel}};
  RH_TRY(rh_open(redhost, &spec, error));
  if (!o->plugin) opened[o->rings] = *redhost;
  return o->rings ? set_rings((*redhost)->context, error) : RH_OK;
}

static rh_status reduce_in(const char *way, options *o, rh_redhost *redhost, rh_error *error) {
  rh_result result = {.struct_size = sizeof result};
  rh_status status;
  if (strcmp(way, "distributed") == 0) status = reduce_distributed(redhost, o, &result, error);
  else if (strcmp(way, "parts") == 0) status = reduce_parts(redhost, o, &result, error);
  else status = reduce(redhost, o, strcmp(way, "prepared") == 0, &result, error);
  if (status != RH_OK) fprintf(said, "redhost: %s.\n", error->message);
  else if (o->request.segments) print_outputs(o);
  else print(&result);
  return status;
}

static int answer(const char *line, size_t length) {
  static options o; /* a redhost's reporter has its address */
  rh_error error = {0};
  rh_redhost *redhost = NULL;
  rh_status status = RH_OK;
  o = (options){.request = {.struct_size = sizeof o.request, .type = RH_TYPE_f32},
                .operands = 1,
                .ranks = 5,
                .kind = "uniform"};
  for (const char *word = line + strlen(line) + 1; word < line + length; word += strlen(word) + 1)
    take_option(&o, word);
  if (!o.request.reduce && !o.request.op) o.request.op = "sum";
  make_data(&o);
  make_outputs(&o);
  if (strcmp(line, "data") == 0) {
    for (uint32_t k = 0; k < o.operands; k++)
      fwrite(o.data[k], rh_type_size(o.request.type), o.n, out);
  } else {
    if (open_it(&o, &redhost, &error) != RH_OK) exit(92);
    status = reduce_in(line, &o, redhost, &error);
  }
  if (o.plugin) rh_close(redhost);
  let_go(&o);
  return code_of(status);
}

int main(void) {
  char *line = NULL, *texts[2];
  size_t room = 0, sizes[2];
  ssize_t length;
  while ((length = getline(&line, &room, stdin)) > 0) {
    line[length - 1] = 0;
    out = open_memstream(&texts[0], &sizes[0]);
    said = open_memstream(&texts[1], &sizes[1]);
    int code = answer(line, (size_t)length);
    fclose(out);
    fclose(said);
    printf("%d %zu %zu\n", code, sizes[0], sizes[1]);
    for (int k = 0; k < 2; k++) {
      fwrite(texts[k], 1, sizes[k], stdout);
      free(texts[k]);
    }
    fflush(stdout);
  }
  return 0;
}
