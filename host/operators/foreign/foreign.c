#include "foreign.h"

#include "../../core/plug/plug.h"

/* An opened description, with everything that its plugin points to. */
typedef struct opened {
  struct opened *next;
  char *path, *text;
  rh_foreign foreign;
  ffi_cif query_interface, setup_interface;
  ffi_closure *query, *setup;
  rh_strategy strategy;
  const rh_strategy *strategies[1];
  rh_plugin plugin;
} opened;

/* The opened descriptions.  Like the loader's list of shared objects, this is per-process state,
 * the only one here. */
static opened *everything;
static pthread_mutex_t everything_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- The strategy's functions ---- query and setup get no context pointer, so each description
 * has closures that supply it. */

static rh_status query(const opened *self, const rh_problem *problem, rh_answer *answer) {
  const rh_foreign *foreign = &self->foreign;
  const char *op = rh_op_name(foreign->op), *type = rh_type_name(foreign->type);
  answer->finishes_on_host = 1;
  answer->score = foreign->score;
  answer->depth = 0; /* unknown: libraries do not document their order of additions */
  if (problem->op->id == foreign->op && problem->type == foreign->type) return RH_OK;
  answer->why = problem->op->id != foreign->op ? RH_WHY_OP : RH_WHY_TYPE;
  snprintf(answer->reason, sizeof answer->reason, "%s serves %s of %s only", self->strategy.name,
           op, type);
  return RH_DECLINED;
}

typedef struct instance {
  const opened *opened;
  const rh_host *host;
  const rh_op *op;
} instance;

static rh_status setup(const opened *self, const rh_host *host, const rh_problem *problem,
                       void **to) {
  rh_answer answer = {.struct_size = sizeof answer};
  if (query(self, problem, &answer) != RH_OK)
    return host->fail(host, RH_DECLINED, 0, answer.reason);
  instance *new = host->alloc(host, sizeof *new);
  if (!new) return host->fail(host, RH_E_NOMEM, 0, "out of memory");
  *new = (instance){self, host, problem->op};
  *to = new;
  return RH_OK;
}

static void call_query(ffi_cif *interface, void *result, void **arguments, void *self) {
  (void)interface;
  *(ffi_sarg *)result =
      query(self, *(const rh_problem **)arguments[0], *(rh_answer **)arguments[2]);
}

static void call_setup(ffi_cif *interface, void *result, void **arguments, void *self) {
  (void)interface;
  *(ffi_sarg *)result = setup(self, *(const rh_host **)arguments[0],
                              *(const rh_problem **)arguments[1], *(void ***)arguments[3]);
}

/* Reduces n >= 1 elements, at most foreign->max_n; an index counts from `data`, and is inside.
 * [any thread] */
static rh_status call(const rh_foreign *foreign, const void *data, uint64_t n, rh_number *result,
                      rh_error *error) {
  static const uint64_t one = 1;
  rh_cvalue values[RH_FOREIGN_MOST_ARGUMENTS], written;
  void *pointers[RH_FOREIGN_MOST_ARGUMENTS];
  /* libffi widens integers to a word, and all of redhost's machines begin with the low byte. */
  ffi_arg back = 0;
  /* NaN or an invalid index, to detect a result that was not written */
  memset(&written, 0xff, sizeof written);
  for (uint32_t k = 0; k < foreign->n_arguments; k++) {
    const rh_foreign_value *argument = &foreign->arguments[k];
    values[k] = argument->constant;
    if (argument->role == RH_ROLE_N) rh_element_store(argument->type->type, &n, &values[k]);
    if (argument->role == RH_ROLE_STRIDE) rh_element_store(argument->type->type, &one, &values[k]);
    if (argument->role == RH_ROLE_DATA) values[k].pointer = data;
    if (argument->role == RH_ROLE_RESULT) values[k].pointer = &written;
    pointers[k] = &values[k];
  }
  /* libffi's parameters lack const. */
  ffi_call((ffi_cif *)&foreign->interface, foreign->function, &back, pointers);
  int is_returned = foreign->returns.role == RH_ROLE_RESULT;
  rh_element_load(foreign->result_type->type, is_returned ? (void *)&back : &written, result);
  int64_t status = 0;
  if (foreign->returns.role == RH_ROLE_STATUS)
    rh_element_load(foreign->returns.type->type, &back, &status);
  if (status != 0)
    return rh_fail(error, RH_E_PLUGIN, "%s returns status %" PRId64, foreign->symbol, status);
  /* Magnitudes are passed through load(), which would hide a wrong sign. */
  if (foreign->op == RH_OP_amax && rh_word_number(foreign->result_type->type, result) < 0)
    return rh_fail(error, RH_E_PLUGIN, "%s returned a negative number, which is not a magnitude",
                   foreign->symbol);
  int64_t index = (int64_t)result->u;
  if (!(rh_op_flags(foreign->op, foreign->type) & RH_OP_INDEXED)) return RH_OK;
  result->u -= foreign->base;
  if (result->u < n) return RH_OK;
  return rh_fail(error, RH_E_PLUGIN,
                 "%s gives the index %" PRId64 " of %" PRIu64 " elements, counted from %" PRIu64,
                 foreign->symbol, index, n, foreign->base);
}

/* Only load() knows a value that is more than a number: it makes it of an element. */
static void make_value(const rh_op *op, rh_type type, const rh_number *number, rh_cvalue *value) {
  rh_cvalue element;
  if (!rh_op_is_arithmetic(op->id) || op->value_size > sizeof *value) {
    rh_element_store(type, number, &element);
    rh_op_load(op, value, &element, 0);
  } else {
    rh_element_store(rh_type_is_float(type) ? type : RH_TYPE_u64, number, value);
  }
}

/* Calls the function for at most max_n elements at a time, and combines the results in order. */
static rh_status run_function(void *self, const rh_run *run) {
  const instance *of = self;
  const rh_foreign *foreign = &of->opened->foreign;
  const rh_op *op = of->op;
  const unsigned char *data = run->host_input;
  memcpy(run->host_result, op->identity, op->value_size);
  data += run->first * op->element_size;
  for (uint64_t done = 0, n; done < run->n; done += n) {
    union {
      rh_cvalue scalar;
      _Alignas(16) unsigned char bytes[16];
    } value;
    rh_number number;
    rh_error why;
    n = run->n - done < foreign->max_n ? run->n - done : foreign->max_n;
    if (call(foreign, data + done * op->element_size, n, &number, &why) != RH_OK)
      return of->host->fail(of->host, RH_E_INTERNAL, 0, why.message);
    if (op->flags & RH_OP_INDEXED) rh_op_load(op, &value, data, done + number.u);
    else make_value(op, foreign->type, &number, &value.scalar);
    rh_op_combine(op, run->host_result, &value);
  }
  return RH_OK;
}

/* ---- Opening ---- */

/* `function` gets the address of code that calls `handler` with `self`. */
static rh_status bind_closure(ffi_closure **closure, ffi_cif *interface, uint32_t n,
                              void (*handler)(ffi_cif *, void *, void **, void *), opened *self,
                              void *function, rh_error *error) {
  static ffi_type *types[] = {&ffi_type_pointer, &ffi_type_pointer, &ffi_type_pointer,
                              &ffi_type_pointer};
  void *code;
  *closure = ffi_closure_alloc(sizeof **closure, &code);
  if (!*closure || ffi_prep_cif(interface, FFI_DEFAULT_ABI, n, &ffi_type_sint32, types) != FFI_OK ||
      ffi_prep_closure_loc(*closure, interface, handler, self, code) != FFI_OK)
    return rh_fail(error, RH_E_PLUGIN, "libffi can make no functions here");
  memcpy(function, &code, sizeof code); /* C has no conversion from one to the other */
  return RH_OK;
}

static rh_status make_plugin(opened *self, rh_error *error) {
  const rh_foreign *foreign = &self->foreign;
  self->strategy = (rh_strategy){
      .struct_size = sizeof self->strategy,
      .device_kinds = RH_DEVICE_HOST,
      .name = foreign->name,
      .summary = foreign->summary,
      .about = foreign->about,
      .version = foreign->version,
      .author = foreign->author,
      .license = foreign->license,
      .promises = foreign->keeps_order ? RH_KEEPS_ORDER : 0,
      .determinism = foreign->reproducible ? RH_BITS_SAME_RUN : RH_BITS_VARY,
      .run = run_function,
  };
  self->strategies[0] = &self->strategy;
  self->plugin = (rh_plugin){
      .magic = RH_MAGIC,
      .struct_size = sizeof self->plugin,
      .abi_major = RH_ABI_MAJOR,
      .abi_minor = RH_ABI_MINOR,
      .n_strategies = 1,
      .strategies = self->strategies,
      .build = "a foreign function",
  };
  RH_TRY(bind_closure(&self->query, &self->query_interface, 3, call_query, self,
                      &self->strategy.query, error));
  return bind_closure(&self->setup, &self->setup_interface, 4, call_setup, self,
                      &self->strategy.setup, error);
}

/* Before any of its code runs. */
static rh_status check_library(const char *path, rh_error *error) {
  struct stat st;
  char why[RH_TRUST_BYTES];
  RH_TRY(rh_elf_check(path, error));
  if (stat(path, &st) != 0)
    return rh_fail(error, RH_E_PLUGIN, "cannot be examined: %s", strerror(errno));
  if (rh_trust_path(path, 0, &st, why, sizeof why) != 0)
    return rh_fail(error, RH_E_PLUGIN, "is not trusted: %s", why);
  return RH_OK;
}

/* In its library: a path with a slash is checked like a plugin; the loader finds any other name. */
static rh_status find_function(const opened *self, void (**function)(void), rh_error *error) {
  rh_dl dl;
  rh_status status = RH_OK;
  if (strchr(self->foreign.library, '/')) {
    RH_FREED(char) path = rh_foreign_library(&self->foreign, self->path);
    status = path ? check_library(path, error) : rh_fail(error, RH_E_NOMEM, "no memory for a path");
    if (status == RH_OK) status = rh_dl_open(&dl, path, error);
  } else RH_TRY(rh_dl_open_library(&dl, self->foreign.library, error));
  if (status == RH_OK) status = rh_dl_function(&dl, self->foreign.symbol, function, error);
  return rh_error_prefix(error, status, "its library %s", self->foreign.library);
}

/* Calls the function with a few equal elements.  In the probe process, a wrong signature usually
 * crashes here, and a wrong index base gives an index out of range. */
static rh_status try_once(const opened *self, rh_error *error) {
  enum { N = 4 };
  rh_cvalue element;
  _Alignas(16) unsigned char data[N * sizeof element];
  rh_number one = {.u = 1}, result;
  rh_error why;
  uint32_t size = rh_type_size(self->foreign.type);
  uint64_t n = self->foreign.max_n < N ? self->foreign.max_n : N;
  if (rh_type_is_float(self->foreign.type)) one.f = 1;
  rh_element_store(self->foreign.type, &one, &element);
  for (int k = 0; k < N; k++) memcpy(data + (uint32_t)k * size, &element, size);
  if (call(&self->foreign, data, n, &result, &why) == RH_OK) return RH_OK;
  return rh_fail(error, RH_E_PLUGIN, "tried on %d ones, %s", (int)n, why.message);
}

/* The function that is called; *foreign stays where it is. */
static rh_status bind_function(rh_foreign *foreign, void (*function)(void), rh_error *error) {
  foreign->function = function;
  for (uint32_t k = 0; k < foreign->n_arguments; k++)
    foreign->types[k] = foreign->arguments[k].role == RH_ROLE_RESULT
                            ? &ffi_type_pointer
                            : foreign->arguments[k].type->ffi;
  if (ffi_prep_cif(&foreign->interface, FFI_DEFAULT_ABI, foreign->n_arguments,
                   foreign->returns.type ? foreign->returns.type->ffi : &ffi_type_void,
                   foreign->types) == FFI_OK)
    return RH_OK;
  return rh_fail(error, RH_E_PLUGIN, "arguments: libffi cannot call such a function here");
}

static rh_status make_closures(opened *self, rh_error *error) {
  void (*function)(void);
  RH_TRY(rh_foreign_read(&self->foreign, self->path, self->text, strlen(self->text), error));
  RH_TRY(find_function(self, &function, error));
  RH_TRY(bind_function(&self->foreign, function, error));
  RH_TRY(make_plugin(self, error));
  return try_once(self, error);
}

static void destroy(opened *self) {
  if (self->query) ffi_closure_free(self->query);
  if (self->setup) ffi_closure_free(self->setup);
  rh_foreign_finish(&self->foreign);
  free(self->text);
  free(self->path);
  free(self);
}

/* ---- Files ---- */

static opened *find(const char *path, const char *text) {
  opened *at = everything;
  while (at && (strcmp(at->path, path) != 0 || strcmp(at->text, text) != 0)) at = at->next;
  return at;
}

/* The caller holds the lock; *text becomes null if it is taken over. */
static rh_status open_text(const char *path, char **text, const rh_plugin **plugin,
                           rh_error *error) {
  opened *self = find(path, *text);
  if (!self) {
    RH_TRY(RH_NEW(&self, 1, "a description", error));
    self->text = *text;
    *text = NULL;
    rh_status status = rh_copy(&self->path, path, "a description", error);
    if (status == RH_OK) status = make_closures(self, error);
    if (status != RH_OK) {
      destroy(self);
      return status;
    }
    self->next = everything;
    everything = self;
  }
  *plugin = &self->plugin;
  return RH_OK;
}

rh_status rh_foreign_open(const char *path, const rh_plugin **plugin, rh_error *error) {
  static const rh_file_kind description = {"a description", RH_FOREIGN_MOST_BYTES, RH_E_PLUGIN};
  RH_FREED(char) text = NULL;
  size_t length;
  RH_TRY(rh_file_read(path, &description, &text, &length, error));
  pthread_mutex_lock(&everything_lock);
  rh_status status = strlen(text) == length
                         ? open_text(path, &text, plugin, error)
                         : rh_fail(error, RH_E_PLUGIN, "is not text: it has null bytes");
  pthread_mutex_unlock(&everything_lock);
  return status;
}
