/* Random expressions, evaluated by host/operators/expr and, as OpenCL C, by a device: equal in
 * every bit where IEEE 754 and the language fix the value, else within the errors that OpenCL C
 * allows; and where functions that err are anywhere in them, within what rh_exprs_enclose() says.
 *
 *   random_exprs      REDHOST_TEST_EXPRESSIONS (300) of them, from REDHOST_TEST_SEED (1) on, on
 *                     REDHOST_DEVICE
 *
 * Before them, unless REDHOST_TEST_KNOWN is 0, every function of numbers that a compiler knows, and
 * may compute by itself.
 *
 * Many are outputs of one kernel, because building one takes far longer than running it. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../host/choose/choose.h"
#include "grammar.h"

enum {
  GROUPS = 12, /* of expressions that share what they have in common, in one kernel */
  WHOLE = 8,   /* of a group; later ones are made of them, too, which compiles faster */
  OUTPUTS = RH_EXPR_MOST_OUTPUTS,
  N = 64,
  FIRST = 100, /* the index of element 0 */
  COUNT = 1000003,
  MOST_SHOWN = 20
};

typedef struct output {
  char *text;
  const bounded_function *function; /* null: the value is fixed */
  uint32_t args[2];                 /* outputs */
  int is_named;                     /* e0 is the first one of these */
  int is_enclosed;                  /* functions that err are anywhere in it */
  double low[N], high[N];
} output;

typedef struct group {
  rh_exprs *exprs;
  uint32_t n, n_names;
  output outputs[OUTPUTS];
  uint64_t constants[RH_EXPR_MOST_SLOTS];
  uint64_t values[OUTPUTS][N]; /* on the host, in the low bytes */
} group;

typedef struct run {
  rh_cl_session *session;
  random_grammar grammar;
  group groups[GROUPS];
  uint64_t elements[N_VARIABLES][N];
  uint64_t constants[GROUPS * RH_EXPR_MOST_SLOTS], got[GROUPS * OUTPUTS][N];
  uint64_t programs, known, enclosed, done, refused, wrong;
} run;

/* ---- Making ---- */

/* 0: the parser refuses it, as it should some. */
static int add_output(run *r, group *g, const char *text, const bounded_function *function) {
  rh_error error = {0};
  if (rh_exprs_output(g->exprs, text, 0, "test", &error) != RH_OK) {
    r->refused++;
    return 0;
  }
  g->outputs[g->n++] = (output){.text = strdup(text), .function = function};
  return 1;
}

/* An output whose value is fixed, which later ones may name. */
static int add_exact(run *r, group *g, const char *text) {
  char name[16];
  rh_error error = {0};
  if (!add_output(r, g, text, NULL)) return 0;
  g->outputs[g->n - 1].is_named = 1;
  snprintf(name, sizeof name, "e%u", g->n_names++);
  if (rh_exprs_let(g->exprs, name, text, "test", &error) != RH_OK) abort();
  return 1;
}

/* Of arguments whose values are fixed, which are outputs, too. */
static void add_call(run *r, group *g, const bounded_function *f, const rh_text *args) {
  rh_text call = {0};
  uint32_t first = g->n, ok = 1;
  rh_text_add(&call, "%s(", f->name);
  for (uint32_t j = 0; j < f->n_args; j++) {
    ok = ok && add_exact(r, g, rh_text_get(&args[j]));
    rh_text_add(&call, "%s%s", j ? ", " : "", rh_text_get(&args[j]));
  }
  rh_text_add(&call, ")");
  if (ok && add_output(r, g, rh_text_get(&call), f))
    for (uint32_t j = 0; j < f->n_args; j++) g->outputs[g->n - 1].args[j] = first + j;
  rh_text_finish(&call);
}

static void add_bounded(run *r, group *g) {
  uint64_t *seed = &r->grammar.seed;
  const bounded_function *f = &bounded_functions[rh_random_next(seed) % n_bounded_functions];
  const char *type = rh_random_next(seed) >> 40 & 1 ? "f32" : "f64";
  rh_text args[2] = {{0}};
  for (uint32_t j = 0; j < f->n_args; j++) {
    rh_text_add(&args[j], "(%s)(", type);
    random_expression(&r->grammar, &args[j]);
    rh_text_add(&args[j], ")");
  }
  add_call(r, g, f, args);
  for (uint32_t j = 0; j < f->n_args; j++) rh_text_finish(&args[j]);
}

/* Numbers that compilers know, of operands that they know or not, and functions whose values are
 * fixed. */
static const char *const known[] = {"0.0/0.0",
                                    "inf",
                                    "-inf",
                                    "3e38",
                                    "x+nan",
                                    "-0.0",
                                    "2.5",
                                    "as_double(n | -1)",
                                    "as_float(~c)",
                                    "(k & 0)*0.5f/0.0f",
                                    "fmin(x, -inf) + inf"};
static const char *const fixed[] = {"fabs(%s)",       "floor(%s)",  "ceil(%s)",      "trunc(%s)",
                                    "rint(%s)",       "round(%s)",  "fma(%s, x, y)", "sqrt(%s)",
                                    "fmod(%s, 2.0f)", "fmod(x, %s)"};
enum { KNOWN = sizeof known / sizeof *known, FIXED = sizeof fixed / sizeof *fixed };

static uint64_t n_known(void) { return (uint64_t)2 * KNOWN * (n_bounded_functions + FIXED); }

/* Call number r->known of a function, a type, and arguments that are known. 0: there is none. */
static int add_known(run *r, group *g) {
  uint64_t at = r->known++, which = at / 2 / KNOWN;
  const char *type = at % 2 ? "f32" : "f64";
  rh_text args[2] = {{0}}, call = {0};
  if (at >= n_known()) return 0;
  for (uint32_t j = 0; j < 2; j++)
    rh_text_add(&args[j], "(%s)(%s)", type, known[(at / 2 + 3 * j) % KNOWN]);
  const char *end = which < FIXED ? strstr(fixed[which], "%s") : NULL;
  if (!end) add_call(r, g, &bounded_functions[which - FIXED], args);
  else if (r->session->device->divides_exactly || strncmp(fixed[which], "sqrt", 4) != 0)
    rh_text_add(&call, "%.*s%s%s", (int)(end - fixed[which]), fixed[which], rh_text_get(&args[0]),
                end + 2);
  if (call.length) add_output(r, g, rh_text_get(&call), NULL);
  for (uint32_t j = 0; j < 2; j++) rh_text_finish(&args[j]);
  rh_text_finish(&call);
  return 1;
}

/* A function, an expression with functions anywhere in it, or, as most, one without.  Functions
 * take a compiler the longest. */
static void add_random(run *r, group *g) {
  rh_text text = {0};
  uint64_t kind = (rh_random_next(&r->grammar.seed) >> 40) % (g->n < WHOLE ? 8 : 32);
  r->grammar.n_names = g->n < WHOLE ? 0 : g->n_names;
  if (kind == 7) {
    r->grammar.flags |= RANDOM_ERRS;
    random_expression(&r->grammar, &text);
    r->grammar.flags &= ~RANDOM_ERRS;
    if (add_output(r, g, rh_text_get(&text), NULL)) g->outputs[g->n - 1].is_enclosed = 1;
  } else if (kind > 1) {
    random_expression(&r->grammar, &text);
    add_exact(r, g, rh_text_get(&text));
  } else {
    add_bounded(r, g);
  }
  rh_text_finish(&text);
}

static void make_group(run *r, group *g) {
  rh_error error = {0};
  g->n = 0;
  g->n_names = 0;
  if (rh_exprs_create(&g->exprs, random_variables, N_VARIABLES, random_constants, N_CONSTANTS, 1,
                      &error) != RH_OK)
    abort();
  while (g->n + 3 <= OUTPUTS)
    if (!add_known(r, g)) add_random(r, g);
  rh_exprs_bind(g->exprs, COUNT, g->constants);
}

static void make_elements(run *r) {
  for (uint32_t v = 0; v < N_VARIABLES; v++)
    for (uint32_t i = 0; i < N; i++) {
      uint64_t bits = random_element(&r->grammar.seed, random_variables[v].type);
      memcpy((char *)r->elements[v] + i * rh_type_size(random_variables[v].type), &bits,
             rh_type_size(random_variables[v].type));
    }
}

/* ---- The host ---- */

static void evaluate(const run *r, group *g) {
  const void *variables[N_VARIABLES];
  void *outputs[OUTPUTS];
  for (uint32_t v = 0; v < N_VARIABLES; v++) variables[v] = r->elements[v];
  for (uint32_t k = 0; k < g->n; k++) outputs[k] = g->values[k];
  rh_exprs_eval(g->exprs, variables, FIRST, N, g->constants, outputs);
  for (uint32_t k = 0; k < g->n; k++) {
    output *o = &g->outputs[k];
    if (o->is_enclosed &&
        rh_exprs_enclose(g->exprs, k, variables, FIRST, N, g->constants, o->low, o->high) != 0)
      abort();
  }
  for (uint32_t k = 0; k < g->n; k++) { /* spreads what has four bytes */
    if (rh_type_size(rh_exprs_type(g->exprs, k)) == 8) continue;
    for (uint32_t i = N; i-- > 0;) {
      uint32_t word;
      memcpy(&word, (char *)g->values[k] + i * sizeof word, sizeof word);
      g->values[k][i] = word;
    }
  }
}

/* ---- The device ---- */

static const char *memory_type(rh_type type) {
  static const char *const names[] = {"",     "char", "uchar", "short",  "ushort", "int",
                                      "uint", "long", "ulong", "ushort", "float",  "double"};
  return names[type];
}

static void write_variables(rh_text *to) {
  rh_text_add(to, "__kernel void evaluate(__global const ulong *constants, __global ulong *out");
  for (uint32_t v = 0; v < N_VARIABLES; v++)
    rh_text_add(to, ",\n  __global const %s *a%u", memory_type(random_variables[v].type), v);
  rh_text_add(to, ") {\nulong i = get_global_id(0);\n");
  for (uint32_t v = 0; v < N_VARIABLES; v++)
    if (random_variables[v].type == RH_TYPE_f16)
      rh_text_add(to, "float v%u = vload_half(i, (__global const half *)a%u);\n", v, v);
    else rh_text_add(to, "%s v%u = a%u[i];\n", memory_type(random_variables[v].type), v, v);
}

static void write_group(const group *g, uint32_t number, rh_text *to) {
  rh_expr_name names[N_VARIABLES], outputs[OUTPUTS];
  char prefix[16], constants[40], index[24];
  for (uint32_t v = 0; v < N_VARIABLES; v++) snprintf(names[v], sizeof names[v], "v%u", v);
  snprintf(prefix, sizeof prefix, "g%u_", number);
  snprintf(constants, sizeof constants, "(constants + %u)", number * RH_EXPR_MOST_SLOTS);
  snprintf(index, sizeof index, "(i + %dul)", FIRST);
  rh_exprs_write(g->exprs, to, (const rh_expr_name *)names, index, constants, prefix, outputs);
  for (uint32_t k = 0; k < g->n; k++)
    rh_text_add(to, "*(__global %s *)(out + %u + i) = %s;\n",
                memory_type(rh_exprs_type(g->exprs, k)), (number * OUTPUTS + k) * N, outputs[k]);
}

static rh_status build(run *r, cl_program *program, rh_error *error) {
  rh_text text = {0};
  rh_text_add(&text,
              "#pragma OPENCL FP_CONTRACT OFF\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n");
  rh_exprs_write_helpers(&text);
  write_variables(&text);

  for (uint32_t k = 0; k < GROUPS; k++) write_group(&r->groups[k], k, &text);
  rh_text_add(&text, "}\n");
  const char *options =
      r->session->device->divides_exactly ? "-cl-fp32-correctly-rounded-divide-sqrt" : "";
  rh_status status =
      rh_cl_program(r->session, "random", "", rh_text_get(&text), options, program, error);
  rh_text_finish(&text);
  return status;
}

static rh_status set_argument(cl_kernel kernel, uint32_t k, cl_mem *buffer, rh_error *error) {
  RH_CL_TRY(error, clSetKernelArg(kernel, k, sizeof *buffer, buffer), "setting an argument");
  return RH_OK;
}

static rh_status launch(run *r, cl_kernel kernel, cl_mem *buffers, rh_error *error) {
  /* PoCL makes a loop of vectors of a work-group of several work-items, which takes longer. */
  const size_t global = N, local = r->programs++ % 4 == 0 ? N : 1;
  cl_command_queue queue = r->session->queue;
  for (uint32_t k = 0; k < 2 + N_VARIABLES; k++) {
    void *host = k == 0 ? r->constants : k == 1 ? r->got[0] : r->elements[k - 2];
    size_t bytes = k == 0 ? sizeof r->constants : k == 1 ? sizeof r->got : sizeof r->elements[0];
    RH_TRY(rh_cl_buffer(r->session, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, host, "a test",
                        &buffers[k], error));
    RH_TRY(set_argument(kernel, k, &buffers[k], error));
  }
  RH_CL_TRY(error, clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL),
            "enqueueing");
  RH_CL_TRY(
      error,
      clEnqueueReadBuffer(queue, buffers[1], CL_TRUE, 0, sizeof r->got, r->got, 0, NULL, NULL),
      "reading");
  return RH_OK;
}

static rh_status run_kernel(run *r, rh_error *error) {
  cl_mem buffers[2 + N_VARIABLES] = {NULL};
  cl_program program = NULL;
  cl_int code;
  memset(r->got, 0x5a, sizeof r->got); /* a kernel that writes nothing is found */
  RH_TRY(build(r, &program, error));
  cl_kernel kernel = clCreateKernel(program, "evaluate", &code);
  for (uint32_t k = 0; k < GROUPS; k++)
    memcpy(r->constants + k * RH_EXPR_MOST_SLOTS, r->groups[k].constants,
           sizeof r->groups[k].constants);
  rh_status status = kernel ? launch(r, kernel, buffers, error)
                            : rh_fail(error, RH_E_CL, "creating a kernel: %d", code);
  for (uint32_t k = 0; k < 2 + N_VARIABLES; k++)
    if (buffers[k]) clReleaseMemObject(buffers[k]);
  if (kernel) clReleaseKernel(kernel);
  clReleaseProgram(program);
  return status;
}

/* ---- Comparing ---- */

static double number_of(rh_type type, uint64_t bits) {
  float narrow;
  double wide;
  memcpy(&narrow, &bits, sizeof narrow);
  memcpy(&wide, &bits, sizeof wide);
  return type == RH_TYPE_f32 ? (double)narrow : wide;
}

static double any_number_of(rh_type type, uint64_t bits) {
  if (rh_type_is_float(type)) return number_of(type, bits);
  if (type == RH_TYPE_i32) return (double)(int32_t)bits;
  return rh_type_is_signed(type) ? (double)(int64_t)bits : (double)bits;
}

/* Both values are where the enclosure says. */
static int is_between(run *r, const output *o, rh_type type, uint32_t i, uint64_t got,
                      uint64_t own) {
  double x = any_number_of(type, got), y = any_number_of(type, own);
  if (isnan(o->low[i])) return 1;
  r->enclosed++;
  return o->low[i] <= x && x <= o->high[i] && o->low[i] <= y && y <= o->high[i];
}

static int is_right(run *r, const group *g, uint32_t k, uint32_t i, uint64_t got) {
  const output *o = &g->outputs[k];
  rh_type type = rh_exprs_type(g->exprs, k);
  if (o->is_enclosed) return is_between(r, o, type, i, got, g->values[k][i]);
  int is_narrow = type == RH_TYPE_f32;
  double x = number_of(type, got), own = number_of(type, g->values[k][i]);
  if (!o->function) {
    if (got == g->values[k][i]) return 1;
    return rh_type_is_float(type) && x != x && own != own; /* NaN has many bits */
  }
  long double a = number_of(type, g->values[o->args[0]][i]);
  long double b = number_of(type, g->values[o->args[1]][i]);
  long double exact = o->function->n_args == 1 ? o->function->one(a) : o->function->two(a, b);
  int digits = is_narrow ? 24 : 53, emin = is_narrow ? -126 : -1022, emax = is_narrow ? 128 : 1024;
  return is_within(exact, x, o->function->ulp, digits, emin, emax) &&
         is_within(exact, own, o->function->ulp, digits, emin, emax);
}

/* What the names e0, e1, ... in a text stand for, and what is in that. */
static void show_names(const group *g, const char *text) {
  char name[16];
  uint32_t number = 0;
  for (uint32_t k = 0; k < g->n; k++) {
    if (!g->outputs[k].is_named) continue;
    int length = snprintf(name, sizeof name, "e%u", number++);
    const char *at = strstr(text, name);
    if (!at || strspn(at + length, "0123456789")) continue;
    printf("  %s = %s\n", name, g->outputs[k].text);
    show_names(g, g->outputs[k].text);
  }
}

static void show(run *r, const group *g, uint32_t k, uint32_t i, uint64_t got) {
  const output *o = &g->outputs[k];
  rh_type type = rh_exprs_type(g->exprs, k);
  if (r->wrong++ >= MOST_SHOWN) return;
  printf("%s, a %s: the host 0x%" PRIx64 " (%.17g), the device 0x%" PRIx64 " (%.17g)", o->text,
         rh_type_name(type), g->values[k][i], number_of(type, g->values[k][i]), got,
         number_of(type, got));
  for (uint32_t j = 0; o->function && j < o->function->n_args; j++)
    printf(", argument %.17g", number_of(type, g->values[o->args[j]][i]));
  if (o->is_enclosed) printf(", enclosed in %.17g to %.17g", o->low[i], o->high[i]);
  for (uint32_t v = 0; v < N_VARIABLES; v++) {
    uint64_t bits = 0;
    uint32_t size = rh_type_size(random_variables[v].type);
    memcpy(&bits, (char *)r->elements[v] + i * size, size);
    printf(" %s=0x%" PRIx64, random_variables[v].name, bits);
  }
  printf(" i=%u\n", FIRST + i);
  show_names(g, o->text);
}

/* A value of 4 bytes has the first 4 of its place. */
static uint64_t bits_got(const run *r, uint32_t number, uint32_t k, uint32_t i) {
  uint64_t bits = 0;
  memcpy(&bits, &r->got[number * OUTPUTS + k][i],
         rh_type_size(rh_exprs_type(r->groups[number].exprs, k)));
  return bits;
}

/* One element that differs is enough of each expression. */
static void compare(run *r, uint32_t number) {
  const group *g = &r->groups[number];
  for (uint32_t k = 0; k < g->n; k++) {
    uint32_t i = 0;
    while (i < N && is_right(r, g, k, i, bits_got(r, number, k, i))) i++;
    if (i < N) show(r, g, k, i, bits_got(r, number, k, i));
    r->done++;
  }
}

static void release(group *g) {
  for (uint32_t k = 0; k < g->n; k++) free(g->outputs[k].text);
  rh_exprs_destroy(g->exprs);
}

static rh_status try_kernel(run *r, rh_error *error) {
  make_elements(r);
  for (uint32_t k = 0; k < GROUPS; k++) {
    make_group(r, &r->groups[k]);
    evaluate(r, &r->groups[k]);
  }
  rh_status status = run_kernel(r, error);
  for (uint32_t k = 0; k < GROUPS; k++) {
    if (status == RH_OK) compare(r, k);
    release(&r->groups[k]);
  }
  return status;
}

/* ---- The whole ---- */

static uint64_t from_environment(const char *name, uint64_t otherwise) {
  const char *text = getenv(name);
  return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

static rh_status try_all(run *r, rh_context *context, rh_error *error) {
  uint64_t wanted = from_environment("REDHOST_TEST_EXPRESSIONS", 300);
  r->grammar.seed = from_environment("REDHOST_TEST_SEED", 1);
  if (from_environment("REDHOST_TEST_KNOWN", 1) == 0) r->known = n_known();
  RH_TRY(rh_context_session(context, &r->session, error));
  r->grammar.flags = r->session->device->divides_exactly ? RANDOM_DIVIDES : 0;
  if (!(r->session->device->about.features & RH_FP64) || r->session->device->flushes_f32) {
    printf("%s has no f64, or flushes subnormals: not tried\n", r->session->device->name);
    return RH_OK;
  }
  while ((r->done < wanted || r->known < n_known()) && r->wrong < MOST_SHOWN)
    RH_TRY(try_kernel(r, error));
  printf("%" PRIu64 " expressions of %d elements on %s: %" PRIu64
         " differ; the parser refused %" PRIu64 "; %" PRIu64 " values enclosed\n",
         r->done, N, r->session->device->name, r->wrong, r->refused, r->enclosed);
  return RH_OK;
}

int main(void) {
  const rh_options options = {
      .struct_size = sizeof options, .device = getenv("REDHOST_DEVICE"), .no_cache = 1};
  run *r = calloc(1, sizeof *r);
  rh_context *context = NULL;
  rh_error error = {0};
  rh_status status = r ? rh_context_open(&context, &options, &rh_choosing, &error) : RH_E_NOMEM;
  if (status == RH_OK) status = try_all(r, context, &error);
  if (status != RH_OK) printf("%s\n", error.message);
  int failed = status != RH_OK || r->wrong > 0;
  rh_context_close(context);
  free(r);
  return failed;
}
