/* call.c: the call that most calls are, one operator on the whole of a plain array, for the Python
 * package: by ctypes it would take a microsecond, which is what NumPy needs for 1000 elements.
 * ctypes loads this, and fills in what it needs.
 *
 * Python.h is not included: what is declared here is in every Python from 3.8 on, with and without
 * its lock, so that one binary serves them all, and nothing of Python is needed to build it.  No
 * field of an object is read.
 *
 * A function returns None where the long way is to be gone, which serves everything, or says what
 * is wrong. */
#include <redhost/redhost.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct _object PyObject;
typedef struct _ts PyThreadState;
typedef ptrdiff_t Py_ssize_t;

typedef struct {
  void *buf;
  PyObject *obj;
  Py_ssize_t len, itemsize;
  int readonly, ndim;
  char *format;
  Py_ssize_t *shape, *strides, *suboffsets;
  void *internal;
} Py_buffer;

typedef struct {
  const char *name;
  PyObject *(*function)(PyObject *, PyObject *);
  int flags;
  const char *doc;
} PyMethodDef;

enum {
  METH_O = 8,
  PyBUF_FORMAT = 4,
  PyBUF_ND = 8,
  PyBUF_STRIDES = 0x10,
  PyBUF_C_CONTIGUOUS = 0x20
};

extern PyObject _Py_NoneStruct;
void Py_IncRef(PyObject *);
void Py_DecRef(PyObject *);
PyObject *PyObject_Type(PyObject *);
int PyObject_GetBuffer(PyObject *, Py_buffer *, int);
void PyBuffer_Release(Py_buffer *);
void PyErr_Clear(void);
PyThreadState *PyEval_SaveThread(void);
void PyEval_RestoreThread(PyThreadState *);
char *PyBytes_AsString(PyObject *);
PyObject *PyTuple_GetItem(PyObject *, Py_ssize_t);
PyObject *PyTuple_New(Py_ssize_t);
int PyTuple_SetItem(PyObject *, Py_ssize_t, PyObject *); /* takes the item */
PyObject *PyObject_GetItem(PyObject *, PyObject *);
PyObject *PyFloat_FromDouble(double);
PyObject *PyLong_FromLongLong(long long);
PyObject *PyLong_FromUnsignedLongLong(unsigned long long);
PyObject *PyBool_FromLong(long);
PyObject *PyObject_CallFunctionObjArgs(PyObject *, ...);
PyObject *PyCFunction_NewEx(PyMethodDef *, PyObject *, PyObject *);
PyObject *PyCapsule_New(void *, const char *, void (*)(PyObject *));
void *PyCapsule_GetPointer(PyObject *, const char *);

#define SHOWN __attribute__((visibility("default")))

enum { BOOL = 0 /* among the types of results */, MOST_CLASSES = 8 };

enum { KINDS = RH_TYPE_f64 + 1 };

/* Classes whose memory is read, and what makes their numbers, of bool and by rh_type; null:
 * Python's own numbers.  cells: arrays of no dimension, whose only element, at `at`, is written and
 * taken out as a scalar, which costs a quarter of what the scalar's class takes; null: another
 * thread might write there, too. */
static struct {
  PyObject *class, *scalars, *cells;
  void *at[KINDS];
} classes[MOST_CLASSES];
static int n_classes;
static PyObject *no_index; /* () */

static PyObject *kept(PyObject *x) {
  Py_IncRef(x);
  return x == &_Py_NoneStruct ? NULL : x;
}

SHOWN void redhost_python_class(PyObject *class, PyObject *scalars, PyObject *cells,
                                void *const *at);
void redhost_python_class(PyObject *class, PyObject *scalars, PyObject *cells, void *const *at) {
  if (n_classes == MOST_CLASSES) return;
  if (!no_index) no_index = PyTuple_New(0);
  classes[n_classes].class = kept(class);
  classes[n_classes].scalars = kept(scalars);
  classes[n_classes].cells = kept(cells);
  if (at) memcpy(classes[n_classes].at, at, sizeof classes[n_classes].at);
  n_classes++;
}

static struct {
  rh_status (*reduce)(rh_redhost *, const rh_request *, rh_result *, rh_error *);
  rh_redhost *redhost;
  int64_t most; /* bytes of an array */
} library;

SHOWN void redhost_python_library(void *reduce, void *redhost, int64_t most);
void redhost_python_library(void *reduce, void *redhost, int64_t most) {
  memcpy(&library.reduce, &reduce, sizeof reduce);
  library.redhost = redhost;
  library.most = most;
}

static PyObject *none(void) {
  Py_IncRef(&_Py_NoneStruct);
  return &_Py_NoneStruct;
}

/* The entry of x's class, or -1. */
static int class_of(PyObject *x) {
  PyObject *class = PyObject_Type(x);
  int k = n_classes - 1;
  while (k >= 0 && classes[k].class != class) k--;
  Py_DecRef(class);
  return k;
}

/* Of a format of one letter; 0 for others, and `?` as u8. */
static rh_type type_of(const char *format) {
  if (!format || !format[0] || format[1]) return 0;
  switch (format[0]) {
  case 'b': return RH_TYPE_i8;
  case 'B':
  case '?': return RH_TYPE_u8;
  case 'h': return RH_TYPE_i16;
  case 'H': return RH_TYPE_u16;
  case 'i': return RH_TYPE_i32;
  case 'I': return RH_TYPE_u32;
  case 'l': return sizeof(long) == 8 ? RH_TYPE_i64 : RH_TYPE_i32;
  case 'L': return sizeof(long) == 8 ? RH_TYPE_u64 : RH_TYPE_u32;
  case 'q': return RH_TYPE_i64;
  case 'Q': return RH_TYPE_u64;
  case 'e': return RH_TYPE_f16;
  case 'f': return RH_TYPE_f32;
  case 'd': return RH_TYPE_f64;
  default: return 0;
  }
}

/* What NumPy has instead of the result's type: booleans are summed as i64, and their extremes are
 * booleans. */
static rh_type type_of_answer(const char *op, int of_bool, const rh_result *result) {
  int is_extreme = !strcmp(op, "min") || !strcmp(op, "max");
  if (!strcmp(op, "any") || !strcmp(op, "all") || (of_bool && is_extreme)) return BOOL;
  return of_bool && result->type == RH_TYPE_u64 ? RH_TYPE_i64 : result->type;
}

static PyObject *number_of(rh_type type, const rh_result *result) {
  if (result->indexed) return PyLong_FromUnsignedLongLong(result->index);
  if (type == BOOL) return PyBool_FromLong(result->value.u != 0);
  if (type >= RH_TYPE_f16) return PyFloat_FromDouble(result->value.f);
  if (result->type == RH_TYPE_i64 || result->type == RH_TYPE_i32 || result->type == RH_TYPE_i16 ||
      result->type == RH_TYPE_i8)
    return PyLong_FromLongLong(result->value.i);
  return PyLong_FromUnsignedLongLong(result->value.u);
}

static void put(rh_type type, const rh_result *result, void *at) {
  uint64_t word = result->indexed ? result->index : result->value.u;
  if (type == RH_TYPE_f64) *(double *)at = result->value.f;
  else if (type == RH_TYPE_f32) *(float *)at = (float)result->value.f;
  else if (type == RH_TYPE_i64 || type == RH_TYPE_u64) *(uint64_t *)at = word;
  else if (type == RH_TYPE_i32 || type == RH_TYPE_u32) *(uint32_t *)at = (uint32_t)word;
  else if (type == RH_TYPE_i16 || type == RH_TYPE_u16) *(uint16_t *)at = (uint16_t)word;
  else *(uint8_t *)at = (uint8_t)(type == BOOL ? word != 0 : word);
}

/* Several floats, as Python's own, which the caller converts. */
static PyObject *floats_of(const rh_result *result) {
  for (uint32_t k = 0; k < result->n_fields; k++)
    if (result->fields[k].type < RH_TYPE_f16) return none();
  PyObject *all = PyTuple_New((Py_ssize_t)result->n_fields);
  for (uint32_t k = 0; all && k < result->n_fields; k++) {
    PyObject *one = PyFloat_FromDouble(result->fields[k].value.f);
    if (one) PyTuple_SetItem(all, (Py_ssize_t)k, one);
  }
  return all;
}

static PyObject *answer(int class, rh_type type, const rh_result *result) {
  if (result->n_fields > 1) return floats_of(result);
  rh_type known = result->indexed ? RH_TYPE_i64 : type;
  if (classes[class].cells && known != RH_TYPE_f16) {
    put(known, result, classes[class].at[known]);
    return PyObject_GetItem(PyTuple_GetItem(classes[class].cells, (Py_ssize_t)known), no_index);
  }
  PyObject *number = number_of(type, result);
  if (!number || !classes[class].scalars) return number;
  PyObject *scalar = PyTuple_GetItem(classes[class].scalars, (Py_ssize_t)known);
  PyObject *made = PyObject_CallFunctionObjArgs(scalar, number, NULL);
  Py_DecRef(number);
  return made;
}

/* Elements of x, if it is a plain array; its class, or -1. */
static int held(PyObject *x, Py_buffer *view) {
  int class = class_of(x);
  if (class < 0) return -1;
  if (!PyObject_GetBuffer(x, view, PyBUF_FORMAT | PyBUF_ND | PyBUF_STRIDES | PyBUF_C_CONTIGUOUS))
    return class;
  PyErr_Clear();
  return -1;
}

static rh_status reduced(const char *op, rh_type type, const Py_buffer *view, rh_result *result) {
  rh_error error;
  rh_request request = {.struct_size = sizeof request,
                        .unchecked = 1,
                        .type = type,
                        .op = op,
                        .strategy = "native",
                        .data = view->buf,
                        .n = (uint64_t)(view->len / view->itemsize)};
  PyThreadState *python = PyEval_SaveThread();
  rh_status status = library.reduce(library.redhost, &request, result, &error);
  PyEval_RestoreThread(python);
  return status;
}

static PyObject *call(PyObject *name, PyObject *x) {
  Py_buffer view;
  if (!library.redhost) return none();
  int class = held(x, &view);
  if (class < 0) return none();
  const char *op = PyBytes_AsString(name);
  rh_type type = type_of(view.format);
  rh_result result = {.struct_size = sizeof result};
  int of_bool = type && view.format[0] == '?';
  rh_status status = RH_DECLINED;
  if (type && view.len > 0 && view.len <= library.most) status = reduced(op, type, &view, &result);
  PyBuffer_Release(&view);
  return status == RH_OK ? answer(class, type_of_answer(op, of_bool, &result), &result) : none();
}

/* A function of one array, by an operator, whose name is bytes. */
SHOWN PyObject *redhost_python_call(PyObject *op);
PyObject *redhost_python_call(PyObject *op) {
  static PyMethodDef method = {"call", call, METH_O, "The answer for an array, or None."};
  return PyCFunction_NewEx(&method, op, NULL);
}

/* ---- Along axes, as before ---- */

/* What is asked of each array of one type, shape and strides. */
typedef struct {
  rh_request request;
  PyObject *empty; /* gives an array for the results */
} again;

static rh_status reduced_again(const again *of, const Py_buffer *from, const Py_buffer *to) {
  rh_error error;
  rh_result result = {.struct_size = sizeof result};
  rh_output output = *of->request.outputs;
  rh_request request = of->request;
  request.data = from->buf;
  request.outputs = &output;
  output.data = to->buf;
  PyThreadState *python = PyEval_SaveThread();
  rh_status status = library.reduce(library.redhost, &request, &result, &error);
  PyEval_RestoreThread(python);
  return status;
}

static PyObject *call_again(PyObject *capsule, PyObject *x) {
  const again *of = PyCapsule_GetPointer(capsule, NULL);
  Py_buffer from, to;
  if (!library.redhost || PyObject_GetBuffer(x, &from, PyBUF_ND | PyBUF_STRIDES)) {
    PyErr_Clear();
    return none();
  }
  PyObject *made = PyObject_CallFunctionObjArgs(of->empty, NULL);
  rh_status status = RH_DECLINED;
  if (made && !PyObject_GetBuffer(made, &to, PyBUF_ND | PyBUF_STRIDES)) {
    status = reduced_again(of, &from, &to);
    PyBuffer_Release(&to);
  }
  PyBuffer_Release(&from);
  if (!made || status == RH_OK) return made;
  Py_DecRef(made);
  PyErr_Clear();
  return none();
}

static void forgotten(PyObject *capsule) {
  again *of = PyCapsule_GetPointer(capsule, NULL);
  Py_DecRef(of->empty);
  free(of);
}

/* A function of one array.  The request's own pointers live as long as it. */
SHOWN PyObject *redhost_python_again(const rh_request *request, PyObject *empty);
PyObject *redhost_python_again(const rh_request *request, PyObject *empty) {
  static PyMethodDef method = {"call", call_again, METH_O, "The results for an array, or None."};
  again *of = malloc(sizeof *of);
  if (!of) return none();
  of->request = *request;
  of->empty = empty;
  PyObject *capsule = PyCapsule_New(of, NULL, forgotten);
  if (!capsule) {
    free(of);
    return NULL;
  }
  Py_IncRef(empty);
  PyObject *made = PyCFunction_NewEx(&method, capsule, NULL);
  Py_DecRef(capsule);
  return made;
}

/* ---- Of a prepared reduction ---- */

typedef struct {
  rh_status (*run)(rh_prepared *, const void *, uint64_t, rh_result *, rh_error *);
  rh_prepared *prepared; /* null: closed */
  rh_type type;
} ready;

static PyObject *call_prepared(PyObject *capsule, PyObject *x) {
  ready *of = PyCapsule_GetPointer(capsule, NULL);
  Py_buffer view;
  rh_error error;
  rh_result result = {.struct_size = sizeof result};
  int class = of->prepared ? held(x, &view) : -1;
  if (class < 0) return none();
  rh_status status = RH_DECLINED;
  if (type_of(view.format) == of->type && view.format[0] != '?') {
    PyThreadState *python = PyEval_SaveThread();
    status = of->run(of->prepared, view.buf, (uint64_t)(view.len / view.itemsize), &result, &error);
    PyEval_RestoreThread(python);
  }
  PyBuffer_Release(&view);
  return status == RH_OK ? answer(class, result.type, &result) : none();
}

static void released(PyObject *capsule) { free(PyCapsule_GetPointer(capsule, NULL)); }

/* A function of one array, by rh_prepared_run(). */
SHOWN PyObject *redhost_python_prepared(void *run, void *prepared, uint32_t type);
PyObject *redhost_python_prepared(void *run, void *prepared, uint32_t type) {
  static PyMethodDef method = {"call", call_prepared, METH_O, "The answer for an array, or None."};
  ready *of = malloc(sizeof *of);
  if (!of) return none();
  memcpy(&of->run, &run, sizeof run);
  of->prepared = prepared;
  of->type = type;
  PyObject *capsule = PyCapsule_New(of, NULL, released);
  if (!capsule) return NULL;
  PyObject *made = PyCFunction_NewEx(&method, capsule, NULL);
  Py_DecRef(capsule);
  return made;
}

/* It is no longer called.  capsule: __self__ of the function. */
SHOWN void redhost_python_close(PyObject *capsule);
void redhost_python_close(PyObject *capsule) {
  ((ready *)PyCapsule_GetPointer(capsule, NULL))->prepared = NULL;
}
