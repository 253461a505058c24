/* host/core/io: .npy and raw files, standard input, generated data. */
#include "../../host/core/base/half.h"
#include "../../host/core/base/vocabulary.h"
#include "../../host/core/io/array.h"
#include "../../host/core/io/kinds.h"
#include "../../host/core/io/npy.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <ftw.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- A directory for the tests' files; in the parent of Check's children, so that it always goes
 */

static char directory[64];

static void make_directory(void) {
  strcpy(directory, "/tmp/redhost-test-io-XXXXXX");
  if (!mkdtemp(directory)) abort();
  if (chmod(directory, 0755) != 0) abort(); /* for the test that gives up its rights */
}

static int remove_one(const char *path, const struct stat *info, int flag, struct FTW *ftw) {
  (void)info, (void)flag, (void)ftw;
  return remove(path);
}

static void remove_directory(void) {
  nftw(directory, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* The full name of a file there; good for one use at a time. */
static const char *in_dir(const char *name) {
  static char path[512];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  return path;
}

static const char *write_file(const char *name, const void *bytes, size_t length) {
  const char *path = in_dir(name);
  FILE *file = fopen(path, "wb");
  ck_assert_ptr_nonnull(file);
  ck_assert_uint_eq(fwrite(bytes, 1, length, file), length);
  ck_assert_int_eq(fclose(file), 0);
  return path;
}

/* ---- .npy files made by hand */

typedef struct bytes {
  unsigned char at[4096];
  size_t length;
} bytes;

static void append(bytes *to, const void *more, size_t length) {
  ck_assert_uint_le(to->length + length, sizeof to->at);
  if (length) memcpy(to->at + to->length, more, length);
  to->length += length;
}

static void append_preamble(bytes *file, int major, size_t header_length) {
  const unsigned char version[] = {(unsigned char)major, 0};
  file->length = 0;
  append(file, "\x93NUMPY", 6);
  append(file, version, 2);
  for (int k = 0; k < (major == 1 ? 2 : 4); k++) {
    const unsigned char byte = (unsigned char)(header_length >> 8 * k);
    append(file, &byte, 1);
  }
}

/* As numpy does it: padded so that the data begin at a multiple of `alignment`. */
static void make_npy(bytes *file, int major, const char *header, size_t alignment, const void *data,
                     size_t data_length) {
  size_t preamble = major == 1 ? 10 : 12, length = strlen(header);
  size_t padding = (alignment - (preamble + length + 1) % alignment) % alignment;
  append_preamble(file, major, length + padding + 1);
  append(file, header, length);
  for (size_t k = 0; k < padding; k++) append(file, " ", 1);
  append(file, "\n", 1);
  append(file, data, data_length);
}

static const float four[] = {1.5f, -2, 0, 1e30f};
#define HEADER_OF_FOUR "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }"

static void make_four(bytes *file) {
  make_npy(file, 1, HEADER_OF_FOUR, 64, four, sizeof four);
}

/* ---- What the library says */

typedef struct said {
  int warnings, reports, cancel;
  uint64_t last_total;
  char phase[32], text[1024];
} said;

static void hear(void *user, uint32_t level, const char *text) {
  said *heard = user;
  heard->warnings += level == RH_LOG_WARNING;
  snprintf(heard->text, sizeof heard->text, "%s", text);
}

static int watch(void *user, const char *phase, uint64_t done, uint64_t total) {
  said *heard = user;
  heard->reports++;
  heard->last_total = total;
  ck_assert(total == 0 || done <= total);
  snprintf(heard->phase, sizeof heard->phase, "%s", phase);
  return heard->cancel;
}

static rh_reporter reporter_to(said *heard) {
  return (rh_reporter){heard, hear, watch};
}

/* ---- Expectations */

/* Refused with this status, and in words that hold `part`. */
static void expect_refusal(const char *path, rh_type type, rh_status status, const char *part) {
  rh_array array;
  rh_error error = {0};
  memset(&array, 0xa5, sizeof array);
  ck_assert_int_eq(rh_array_open(&array, path, type, NULL, &error), status);
  ck_assert_int_eq(error.status, status);
  ck_assert_msg(strstr(error.message, part), "'%s' lacks '%s'", error.message, part);
  ck_assert_msg(!strchr(error.message, '\n'), "'%s' has a newline", error.message);
  ck_assert_msg(!strchr(".\n ", error.message[strlen(error.message) - 1]), "'%s'", error.message);
  if (strlen(path) < 200)
    ck_assert_msg(strncmp(error.message, path, strlen(path)) == 0, "'%s'", error.message);
  ck_assert_ptr_null(array.region.address); /* left empty, ... */
  rh_array_finish(&array);                  /* ... so this is legal */
  ck_assert_int_eq(rh_array_open(&array, path, type, NULL, NULL), status);
}

static void expect_open(rh_array *array, const char *path, rh_type type, const said *heard) {
  rh_error error = {0};
  rh_reporter reporter = reporter_to((said *)(uintptr_t)heard);
  rh_status status = rh_array_open(array, path, type, heard ? &reporter : NULL, &error);
  ck_assert_msg(status == RH_OK, "%s", error.message);
  ck_assert_uint_eq(array->offset_bytes % rh_type_size(array->type), 0);
  ck_assert_uint_ge(array->region.bytes,
                    array->offset_bytes + array->n * rh_type_size(array->type));
}

static void expect_content(rh_array *array, rh_type type, const void *data, uint64_t n) {
  ck_assert_uint_eq(array->type, type);
  ck_assert_uint_eq(array->n, n);
  ck_assert_int_eq(memcmp(rh_array_data(array), data, n * rh_type_size(type)), 0);
  rh_array_finish(array);
  ck_assert_ptr_null(array->region.address);
}

/* ---- Headers that are read */

static const struct {
  const char *header;
  rh_type type;
  uint64_t n;
  const char *shape;
  uint32_t dimensions, fortran_order;
} good_headers[] = {
    {HEADER_OF_FOUR, RH_TYPE_f32, 4, "(4,)", 1, 0},
    {"{'descr': '|i1', 'fortran_order': False, 'shape': (3,), }", RH_TYPE_i8, 3, "(3,)", 1, 0},
    {"{'descr': '|u1', 'fortran_order': False, 'shape': (3L,), }", RH_TYPE_u8, 3, "(3,)", 1, 0},
    {"{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }", RH_TYPE_u8, 3, "(3,)", 1, 0},
    {"{'descr': '>u1', 'fortran_order': True, 'shape': (3,), }", RH_TYPE_u8, 3, "(3,)", 1, 1},
    {"{'descr': '<i2', 'fortran_order': False, 'shape': (), }", RH_TYPE_i16, 1, "()", 0, 0},
    {"{'descr': '=u2', 'fortran_order': False, 'shape': (2, 3), }", RH_TYPE_u16, 6, "(2, 3)", 2, 0},
    {"{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3), }", RH_TYPE_i32, 6, "(2, 3)", 2, 1},
    {"{'descr': '>u4', 'fortran_order': False, 'shape': (0, 3), }", RH_TYPE_u32, 0, "(0, 3)", 2, 0},
    {"{\"shape\":(2L,3L,4L),\"descr\":\"<i8\",\"fortran_order\":False}", RH_TYPE_i64, 24,
     "(2, 3, 4)", 3, 0},
    {"  {\n'fortran_order'\t:True,'shape' :(  5 ,\r),'descr':'<u8'  ,  }  ", RH_TYPE_u64, 5, "(5,)",
     1, 1},
    {"{'descr': '<f2', 'fortran_order': False, 'shape': (3, 2,), }", RH_TYPE_f16, 6, "(3, 2)", 2,
     0},
    {"{'descr': '>f8', 'fortran_order': False, 'shape': (1, 1, 1), }", RH_TYPE_f64, 1, "(1, 1, 1)",
     3, 0},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (2305843009213693951,)}", RH_TYPE_f64,
     2305843009213693951u, "(2305843009213693951,)", 1, 0},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (18446744073709551615, 2, 0), }",
     RH_TYPE_f64, 0, "(18446744073709551615, 2, 0)", 3, 0},
};
enum { N_GOOD = sizeof good_headers / sizeof *good_headers };

START_TEST(header_is_read) {
  for (int major = 1; major <= 3; major++) {
    bytes file;
    rh_npy npy;
    rh_error error = {0};
    make_npy(&file, major, good_headers[_i].header, 64, NULL, 0);
    ck_assert_uint_eq(rh_npy_wanted(file.at, file.length), file.length);
    rh_status status = rh_npy_parse(&npy, file.at, file.length, "x.npy", &error);
    ck_assert_msg(status == RH_OK, "%s", error.message);
    ck_assert_uint_eq(npy.type, good_headers[_i].type);
    ck_assert_uint_eq(npy.n, good_headers[_i].n);
    ck_assert_uint_eq(npy.data_bytes, npy.n * rh_type_size(npy.type));
    ck_assert_uint_eq(npy.data_offset, file.length);
    ck_assert_uint_eq(npy.dimensions, good_headers[_i].dimensions);
    ck_assert_uint_eq(npy.fortran_order, good_headers[_i].fortran_order);
    ck_assert_str_eq(npy.shape, good_headers[_i].shape);
    int big = strstr(good_headers[_i].header, "'>") != NULL;
    ck_assert_uint_eq(npy.swapped, big && rh_type_size(npy.type) > 1);
  }
}
END_TEST

START_TEST(long_shape_is_cut) {
  char header[2048] = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
  for (int k = 0; k < 64; k++) strcat(header, "1, ");
  strcat(header, ")}");
  bytes file;
  rh_array array;
  make_npy(&file, 1, header, 64, four, sizeof *four);
  expect_open(&array, write_file("long.npy", file.at, file.length), 0, NULL);
  ck_assert_uint_eq(array.dimensions, 64);
  ck_assert_msg(strstr(array.shape, "1, 1, ...)"), "'%s'", array.shape);
  ck_assert_uint_lt(strlen(array.shape), sizeof array.shape);
  expect_content(&array, RH_TYPE_f32, four, 1);
}
END_TEST

/* ---- Headers that are refused */

#define HEADER(descr, fortran, shape)                                                              \
  "{'descr': " descr ", 'fortran_order': " fortran ", 'shape': " shape ", }"

static const struct {
  const char *header, *part;
} bad_headers[] = {
    {HEADER("'|O'", "False", "(4,)"),
     "dtype '|O' (Python objects) is not supported; supported: i1"},
    {HEADER("'<c8'", "False", "(4,)"), "dtype '<c8' (complex numbers) is not supported"},
    {HEADER("'<c16'", "False", "(4,)"), "dtype '<c16' (complex numbers) is not supported"},
    {HEADER("'<U5'", "False", "(4,)"), "dtype '<U5' (text) is not supported"},
    {HEADER("'|S3'", "False", "(4,)"), "dtype '|S3' (bytes) is not supported"},
    {HEADER("'<M8[ns]'", "False", "(4,)"), "dtype '<M8[ns]' (dates) is not supported"},
    {HEADER("'<m8[ns]'", "False", "(4,)"), "dtype '<m8[ns]' (time spans) is not supported"},
    {HEADER("'|V8'", "False", "(4,)"), "dtype '|V8' (raw bytes) is not supported"},
    {HEADER("'<f16'", "False", "(4,)"), "dtype '<f16' is not supported"},
    {HEADER("'<f3'", "False", "(4,)"), "dtype '<f3' is not supported"},
    {HEADER("'|f4'", "False", "(4,)"), "dtype '|f4' is not supported"},
    {HEADER("'f4'", "False", "(4,)"), "dtype 'f4' is not supported"},
    {HEADER("''", "False", "(4,)"), "dtype '' is not supported"},
    {HEADER("'<\t4'", "False", "(4,)"), "dtype '<?4' is not supported"},
    {HEADER("'123456789012345678901234567890123456'", "False", "(4,)"),
     "dtype '1234567890123456789012345678...'"},
    {HEADER("[('a', '<f4'), ('b', '<i4')]", "False", "(4,)"),
     "a structured dtype is not supported"},
    {HEADER("('<f4', (2,))", "False", "(4,)"), "a structured dtype is not supported"},
    {HEADER("<f4", "False", "(4,)"), "malformed: expected a dtype at character 10"},
    {HEADER("'<f4", "False", "(4,)"), "is not supported"},
    {HEADER("'\\x3cf4'", "False", "(4,)"), "malformed: expected a closing quote"},
    {HEADER("'<f4'", "false", "(4,)"), "malformed: expected True or False"},
    {HEADER("'<f4'", "0", "(4,)"), "malformed: expected True or False"},
    {HEADER("'<f4'", "Falsehood", "(4,)"), "malformed: expected ',' or '}'"},
    {HEADER("'<f4'", "False", "(4)"), "malformed: expected a tuple, as in (3,)"},
    {HEADER("'<f4'", "False", "4"), "malformed: expected a tuple"},
    {HEADER("'<f4'", "False", "[4]"), "malformed: expected a tuple"},
    {HEADER("'<f4'", "False", "(,)"), "malformed: expected a length"},
    {HEADER("'<f4'", "False", "(4,,)"), "malformed: expected a length"},
    {HEADER("'<f4'", "False", "(2 2)"), "malformed: expected ',' or ')'"},
    {HEADER("'<f4'", "False", "(04,)"), "malformed: expected a length"},
    {HEADER("'<f4'", "False", "(4.0,)"), "malformed: expected ',' or ')'"},
    {HEADER("'<f4'", "False", "(0x4,)"), "malformed: expected ',' or ')'"},
    {HEADER("'<f4'", "False", "(4,"), "malformed: expected a length"},
    {HEADER("'<f4'", "False", "(-4,)"), "its shape has a negative length"},
    {HEADER("'<f4'", "False", "(4294967296, 4294967296)"), "its shape is too large"},
    {HEADER("'<f4'", "False", "(18446744073709551616,)"), "its shape is too large"},
    {HEADER("'<f4'", "False", "(99999999999999999999999,)"), "its shape is too large"},
    {HEADER("'<f4'", "False", "(4611686018427387904,)"), "its size overflows 64 bits"},
    {"{'descr': '<f4', 'fortran_order': False, }", "lacks the key 'shape'"},
    {"{'descr': '<f4', 'shape': (4,), }", "lacks the key 'fortran_order'"},
    {"{'fortran_order': False, 'shape': (4,), }", "lacks the key 'descr'"},
    {"{}", "lacks the key 'descr'"},
    {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (4,)}",
     "has the key 'descr' twice"},
    {"{'descr': '<f4', 'order': 1, 'fortran_order': False, 'shape': (4,)}",
     "has the unknown key 'order'"},
    {"{'descr': '<f4' 'fortran_order': False, 'shape': (4,)}", "expected ',' or '}'"},
    {"{'descr' '<f4', 'fortran_order': False, 'shape': (4,)}", "expected ':'"},
    {"{descr: '<f4', 'fortran_order': False, 'shape': (4,)}", "expected a key"},
    {"{,}", "expected a key"},
    {HEADER_OF_FOUR "x", "expected nothing more"},
    {HEADER_OF_FOUR "{}", "expected nothing more"},
    {"('descr', '<f4')", "expected '{'"},
    {"", "expected '{'"},
    {"{", "expected a key"},
    {"{'descr", "expected a closing quote"},
};
enum { N_BAD = sizeof bad_headers / sizeof *bad_headers };

START_TEST(header_is_refused) {
  for (int major = 1; major <= 3; major++) {
    bytes file;
    make_npy(&file, major, bad_headers[_i].header, 64, four, sizeof four);
    expect_refusal(write_file("bad.npy", file.at, file.length), 0, RH_E_FILE, bad_headers[_i].part);
  }
}
END_TEST

START_TEST(nul_in_header_is_refused) {
  bytes file;
  make_four(&file);
  file.at[100] = 0; /* among the padding */
  expect_refusal(write_file("nul.npy", file.at, file.length), 0, RH_E_FILE, "nothing more");
}
END_TEST

START_TEST(version_is_refused) {
  static const unsigned char versions[][2] = {{0, 0}, {4, 0}, {1, 1}, {255, 255}};
  static const char *const parts[] = {"version 0.0 is", "version 4.0 is", "version 1.1 is",
                                      "version 255.255 is not supported; supported: 1.0 2.0 3.0"};
  for (int k = 0; k < 4; k++) {
    bytes file;
    make_four(&file);
    memcpy(file.at + 6, versions[k], 2);
    expect_refusal(write_file("version.npy", file.at, file.length), 0, RH_E_FILE, parts[k]);
  }
}
END_TEST

START_TEST(header_longer_than_file_is_refused) {
  bytes file;
  make_four(&file);
  file.at[8] = file.at[9] = 0xff;
  expect_refusal(write_file("long.npy", file.at, file.length), 0, RH_E_FILE,
                 "ends within its .npy header: 144 bytes of at least 65545; is the copy complete?");
  append_preamble(&file, 2, 0xffffffffu);
  append(&file, HEADER_OF_FOUR, strlen(HEADER_OF_FOUR));
  expect_refusal(write_file("long.npy", file.at, file.length), 0, RH_E_FILE,
                 "of at least 4294967307");
}
END_TEST

/* ---- Never a byte beyond what is there */

/* `length` writable bytes that end where reading is fatal. */
typedef struct fence {
  unsigned char *pages;
  size_t bytes;
} fence;

static fence make_fence(void) {
  fence f = {.bytes = (size_t)sysconf(_SC_PAGESIZE)};
  f.pages = mmap(NULL, 2 * f.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ck_assert_ptr_ne(f.pages, MAP_FAILED);
  ck_assert_int_eq(mprotect(f.pages + f.bytes, f.bytes, PROT_NONE), 0);
  return f;
}

static unsigned char *before_fence(const fence *f, const void *data, size_t length) {
  return memcpy(f->pages + f->bytes - length, data, length);
}

START_TEST(every_prefix_is_refused) {
  fence f = make_fence();
  bytes file;
  make_npy(&file, _i, HEADER_OF_FOUR, 64, four, sizeof four);
  for (size_t length = 0; length < file.length; length++) {
    rh_npy npy;
    rh_error error = {0};
    const unsigned char *data = before_fence(&f, file.at, length);
    ck_assert_uint_ge(rh_npy_wanted(data, length), 12);
    rh_status status = rh_npy_parse(&npy, data, length, "x.npy", &error);
    ck_assert_int_eq(status, length < 128 ? RH_E_FILE : RH_OK);
    const char *part = length == 0    ? "is empty"
                       : length < 6   ? "is no .npy file"
                       : length < 128 ? "ends within its .npy header"
                                      : "shape (4,) of f32 needs 16 bytes, only ";
    expect_refusal(write_file("prefix.npy", data, length), 0, RH_E_FILE, part);
  }
  munmap(f.pages, 2 * f.bytes);
}
END_TEST

/* The length field agrees with the cut, so that the parser itself meets the end at every character.
 */
START_TEST(every_cut_header_is_refused) {
  fence f = make_fence();
  for (size_t cut = 0; cut < strlen(HEADER_OF_FOUR); cut++) {
    bytes file;
    rh_npy npy;
    rh_error error = {0};
    append_preamble(&file, 1, cut);
    append(&file, HEADER_OF_FOUR, cut);
    const unsigned char *data = before_fence(&f, file.at, file.length);
    ck_assert_int_eq(rh_npy_parse(&npy, data, file.length, "x.npy", &error), RH_E_FILE);
    ck_assert_uint_gt(strlen(error.message), 10);
  }
  munmap(f.pages, 2 * f.bytes);
}
END_TEST

/* Any byte changed to any of some: judged without a read beyond, and what is accepted makes sense.
 */
START_TEST(changed_bytes_do_no_harm) {
  static const unsigned char values[] = "\0\x01\xff'\"(){}[]:,-0123456789 LTF<>|=fiub\\\n";
  fence f = make_fence();
  bytes file;
  make_four(&file);
  for (size_t at = 0; at < 128; at++)
    for (size_t v = 0; v < sizeof values; v++) {
      rh_npy npy;
      unsigned char *data = before_fence(&f, file.at, 128);
      data[at] = values[v];
      if (rh_npy_parse(&npy, data, 128, "x.npy", NULL) != RH_OK) continue;
      ck_assert_uint_gt(rh_type_size(npy.type), 0);
      ck_assert_uint_eq(npy.data_bytes, npy.n * rh_type_size(npy.type));
      ck_assert_uint_le(npy.data_offset, 128);
    }
  munmap(f.pages, 2 * f.bytes);
}
END_TEST

/* ---- Files */

START_TEST(npy_file_is_mapped) {
  bytes file;
  rh_array array;
  said heard = {0};
  make_four(&file);
  const char *path = write_file("four.npy", file.at, file.length);
  expect_open(&array, path, 0, &heard);
  ck_assert_uint_eq(array.offset_bytes, 128); /* in the file: mapped, not copied */
  ck_assert_str_eq(array.shape, "(4,)");
  ck_assert_uint_eq(array.dimensions, 1);
  ck_assert_uint_eq(array.fortran_order, 0);
  expect_content(&array, RH_TYPE_f32, four, 4);
  expect_open(&array, path, RH_TYPE_f32, &heard);
  expect_content(&array, RH_TYPE_f32, four, 4);
  ck_assert_int_eq(heard.warnings, 0);
}
END_TEST

START_TEST(npy_without_its_suffix_is_npy) {
  bytes file;
  rh_array array;
  make_four(&file);
  expect_open(&array, write_file("four.bin", file.at, file.length), RH_TYPE_f32, NULL);
  expect_content(&array, RH_TYPE_f32, four, 4);
}
END_TEST

START_TEST(scalar_and_empty_shapes) {
  bytes file;
  rh_array array;
  make_npy(&file, 1, HEADER("'<f4'", "False", "()"), 64, four, 4);
  expect_open(&array, write_file("scalar.npy", file.at, file.length), 0, NULL);
  ck_assert_uint_eq(array.dimensions, 0);
  ck_assert_str_eq(array.shape, "()");
  expect_content(&array, RH_TYPE_f32, four, 1);
  make_npy(&file, 1, HEADER("'>f4'", "True", "(0, 3)"), 64, NULL, 0);
  expect_open(&array, write_file("none.npy", file.at, file.length), 0, NULL);
  ck_assert_uint_eq(array.fortran_order, 1);
  expect_content(&array, RH_TYPE_f32, four, 0);
}
END_TEST

START_TEST(fortran_order_needs_two_dimensions) {
  bytes file;
  rh_array array;
  make_npy(&file, 1, HEADER("'<f4'", "True", "(2, 2)"), 64, four, sizeof four);
  expect_open(&array, write_file("f.npy", file.at, file.length), 0, NULL);
  ck_assert_uint_eq(array.fortran_order, 1);
  ck_assert_uint_eq(array.dimensions, 2);
  expect_content(&array, RH_TYPE_f32, four, 4);
  make_npy(&file, 1, HEADER("'<f4'", "True", "(4,)"), 64, four, sizeof four);
  expect_open(&array, write_file("f.npy", file.at, file.length), 0, NULL);
  ck_assert_uint_eq(array.fortran_order, 0);
  expect_content(&array, RH_TYPE_f32, four, 4);
}
END_TEST

START_TEST(other_byte_order_is_turned) {
  static const uint16_t two[] = {0x0102, 0xfffe};
  static const uint32_t of_four[] = {0x01020304, 0xfffefdfc};
  static const uint64_t eight[] = {0x0102030405060708, 0xfffefdfcfbfaf9f8};
  static const unsigned char turned[] = {1,    2,    3,    4,    5,    6,    7,    8,
                                         0xff, 0xfe, 0xfd, 0xfc, 0xfb, 0xfa, 0xf9, 0xf8};
  static const unsigned char turned_4[] = {1, 2, 3, 4, 0xff, 0xfe, 0xfd, 0xfc};
  static const unsigned char turned_2[] = {1, 2, 0xff, 0xfe};
  bytes file;
  rh_array array;
  said heard = {0};
  make_npy(&file, 1, HEADER("'>u2'", "False", "(2,)"), 64, turned_2, 4);
  expect_open(&array, write_file("b.npy", file.at, file.length), 0, &heard);
  ck_assert_uint_eq(array.offset_bytes, 0);
  expect_content(&array, RH_TYPE_u16, two, 2);
  make_npy(&file, 1, HEADER("'>u4'", "False", "(2,)"), 64, turned_4, 8);
  expect_open(&array, write_file("b.npy", file.at, file.length), 0, &heard);
  expect_content(&array, RH_TYPE_u32, of_four, 2);
  make_npy(&file, 1, HEADER("'>u8'", "False", "(2,)"), 64, turned, 16);
  expect_open(&array, write_file("b.npy", file.at, file.length), 0, &heard);
  expect_content(&array, RH_TYPE_u64, eight, 2);
  ck_assert_str_eq(heard.phase, "reading");
  make_npy(&file, 1, HEADER("'>u1'", "False", "(4,)"), 64, turned, 4);
  expect_open(&array, write_file("b.npy", file.at, file.length), 0, NULL);
  ck_assert_uint_eq(array.offset_bytes, 128); /* bytes have no order: mapped */
  expect_content(&array, RH_TYPE_u8, turned, 4);
}
END_TEST

START_TEST(misaligned_data_is_copied) {
  bytes file;
  rh_array array;
  static const char header[] = HEADER_OF_FOUR " \n";
  append_preamble(&file, 1, strlen(header));
  append(&file, header, strlen(header));
  ck_assert_uint_ne(file.length % 4, 0);
  append(&file, four, sizeof four);
  expect_open(&array, write_file("odd.npy", file.at, file.length), 0, NULL);
  ck_assert_uint_eq(array.offset_bytes, 0);
  expect_content(&array, RH_TYPE_f32, four, 4);
}
END_TEST

START_TEST(copying_can_be_cancelled) {
  bytes file;
  rh_array array;
  rh_error error = {0};
  said heard = {.cancel = 1};
  rh_reporter reporter = reporter_to(&heard);
  make_npy(&file, 1, HEADER("'>f4'", "False", "(4,)"), 64, four, sizeof four);
  const char *path = write_file("b.npy", file.at, file.length);
  ck_assert_int_eq(rh_array_open(&array, path, 0, &reporter, &error), RH_E_CANCELLED);
  ck_assert_ptr_null(array.region.address);
}
END_TEST

START_TEST(more_than_the_data_is_warned_of) {
  bytes file;
  rh_array array;
  said heard = {0};
  make_four(&file);
  append(&file, "more", 4);
  expect_open(&array, write_file("more.npy", file.at, file.length), 0, &heard);
  ck_assert_int_eq(heard.warnings, 1);
  ck_assert_ptr_nonnull(strstr(heard.text, "more.npy: 4 bytes after the data are ignored"));
  expect_content(&array, RH_TYPE_f32, four, 4);
}
END_TEST

START_TEST(raw_file_is_mapped) {
  rh_array array;
  expect_open(&array, write_file("data.bin", four, sizeof four), RH_TYPE_f32, NULL);
  ck_assert_uint_eq(array.dimensions, 1);
  ck_assert_str_eq(array.shape, "");
  expect_content(&array, RH_TYPE_f32, four, 4);
  expect_open(&array, write_file("data.bin", four, 1), RH_TYPE_u8, NULL);
  expect_content(&array, RH_TYPE_u8, four, 1);
}
END_TEST

START_TEST(raw_file_beyond_4_gib) {
  const char *path = write_file("large.bin", "", 0);
  rh_array array;
  if (truncate(path, (off_t)5 << 30) != 0) return; /* a file system without holes */
  expect_open(&array, path, RH_TYPE_u8, NULL);
  ck_assert_uint_eq(array.n, (uint64_t)5 << 30);
  ck_assert_uint_eq(((const uint8_t *)rh_array_data(&array))[array.n - 1], 0);
  rh_array_finish(&array);
  ck_assert_int_eq(truncate(path, 0), 0);
}
END_TEST

/* ---- Files that are refused */

START_TEST(wrong_type_is_a_usage_error) {
  bytes file;
  make_npy(&file, 1, HEADER("'<f8'", "False", "(2,)"), 64, four, sizeof four);
  const char *path = write_file("x.npy", file.at, file.length);
  expect_refusal(path, RH_TYPE_f32, RH_E_USAGE, "x.npy: holds f64, but f32 was requested");
  expect_refusal(path, 99, RH_E_USAGE, "type number 99 is unknown");
}
END_TEST

START_TEST(short_data_is_refused) {
  bytes file;
  make_four(&file);
  expect_refusal(write_file("short.npy", file.at, file.length - 1), 0, RH_E_FILE,
                 "shape (4,) of f32 needs 16 bytes, only 15 are there; is the copy complete?");
  make_npy(&file, 1, HEADER("'>f8'", "False", "(2305843009213693951,)"), 64, four, sizeof four);
  expect_refusal(write_file("short.npy", file.at, file.length), 0, RH_E_FILE,
                 "needs 18446744073709551608 bytes, only 16 are there");
}
END_TEST

START_TEST(raw_is_refused) {
  static const char data[1003] = "x";
  const char *path = write_file("data.bin", data, sizeof data);
  expect_refusal(path, RH_TYPE_f32, RH_E_FILE,
                 "data.bin: 1003 bytes is not a multiple of 4, the size of f32");
  expect_refusal(path, 0, RH_E_FILE, "data.bin: not a .npy file; raw data needs an element type");
  expect_refusal(write_file("data.npy", data, sizeof data), 0, RH_E_FILE, "is no .npy file");
}
END_TEST

START_TEST(empty_and_tiny_files_are_refused) {
  expect_refusal(write_file("empty.npy", "", 0), 0, RH_E_FILE, "empty.npy: is empty");
  expect_refusal(write_file("empty.bin", "", 0), RH_TYPE_f32, RH_E_FILE, "empty.bin: is empty");
  expect_refusal(write_file("one.npy", "\x93", 1), 0, RH_E_FILE, "one.npy: is no .npy file");
  expect_refusal(write_file("one.bin", "\x93", 1), 0, RH_E_FILE, "raw data needs an element type");
  expect_refusal(write_file("one.bin", "\x93", 1), RH_TYPE_f16, RH_E_FILE,
                 "1 bytes is not a multiple of 2");
  expect_refusal(write_file("magic.bin", "\x93NUMPY", 6), RH_TYPE_f16, RH_E_FILE,
                 "ends within its .npy header: 6 bytes of at least 12");
}
END_TEST

START_TEST(what_is_no_file_is_refused) {
  expect_refusal(in_dir("missing.npy"), 0, RH_E_FILE, "cannot be opened: No such file");
  expect_refusal(in_dir("missing/x.npy"), 0, RH_E_FILE, "cannot be opened: No such file");
  expect_refusal(directory, RH_TYPE_u8, RH_E_FILE, "is a directory; name a file in it");
  const char *path = in_dir("fifo.npy");
  ck_assert_int_eq(mkfifo(path, 0600), 0);
  expect_refusal(path, RH_TYPE_u8, RH_E_FILE, "fifo.npy: is a FIFO; pipe it in with `-`");
  expect_refusal("/dev/zero", RH_TYPE_u8, RH_E_FILE, "/dev/zero: is a device; pipe it in with `-`");
  expect_refusal("/proc/self/status", RH_TYPE_u8, RH_E_FILE,
                 "/proc/self/status: has no size, as files in /proc; pipe it in with `-`");
  if (access("/sys/devices/system/cpu/online", R_OK) == 0)
    expect_refusal("/sys/devices/system/cpu/online", RH_TYPE_u8, RH_E_FILE,
                   "cannot be mapped: No such device; pipe it in with `-`");
}
END_TEST

START_TEST(socket_is_refused) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", directory);
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
  expect_refusal(address.sun_path, RH_TYPE_u8, RH_E_FILE, "is a socket; pipe it in with `-`");
  close(fd);
}
END_TEST

START_TEST(unreadable_file_is_refused) {
  const char *path = write_file("secret.npy", "x", 1);
  uid_t user = geteuid();
  ck_assert_int_eq(chmod(path, 0), 0);
  if (user == 0) ck_assert_int_eq(seteuid(65534), 0); /* root reads everything */
  expect_refusal(path, 0, RH_E_FILE, "secret.npy: cannot be opened: Permission denied");
  ck_assert_int_eq(seteuid(user), 0);
}
END_TEST

START_TEST(strange_names_are_made_printable) {
  char path[6000];
  rh_array array;
  rh_error error = {0};
  ck_assert_int_eq(rh_array_open(&array, "a\nb\x1b", 0, NULL, &error), RH_E_FILE);
  ck_assert_str_eq(error.message, "a?b?: cannot be opened: No such file or directory");
  ck_assert_int_eq(rh_array_open(&array, "", 0, NULL, &error), RH_E_FILE);
  ck_assert_str_eq(error.message, "'': cannot be opened: No such file or directory");
  memset(path, 'x', sizeof path);
  memcpy(path + sizeof path - 6, "e.npy", 6);
  ck_assert_int_eq(rh_array_open(&array, path, 0, NULL, &error), RH_E_FILE);
  ck_assert_msg(strncmp(error.message, "...xxx", 6) == 0, "%s", error.message);
  ck_assert_ptr_nonnull(strstr(error.message, "xe.npy: cannot be opened: File name too long"));
}
END_TEST

/* ---- Standard input */

static int saved_input = -1;

static void put_on_input(int fd) {
  if (saved_input < 0) saved_input = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 100);
  ck_assert_int_eq(dup2(fd, STDIN_FILENO), STDIN_FILENO);
  if (fd != STDIN_FILENO) close(fd);
}

static void restore_input(void) {
  if (saved_input < 0) return;
  dup2(saved_input, STDIN_FILENO);
  close(saved_input);
  saved_input = -1;
}

/* A child writes `length` bytes, in pieces with a pause after each, to what is then standard input.
 */
static pid_t feed(const void *data, size_t length, size_t piece, useconds_t pause) {
  int ends[2];
  ck_assert_int_eq(pipe(ends), 0);
  pid_t child = fork();
  ck_assert_int_ge(child, 0);
  if (child == 0) {
    close(ends[0]);
    signal(SIGPIPE, SIG_IGN);
    for (size_t done = 0; done < length;) {
      size_t part = length - done < piece ? length - done : piece;
      ssize_t put = write(ends[1], (const char *)data + done, part);
      if (put <= 0) break;
      done += (size_t)put;
      if (pause) usleep(pause);
    }
    _exit(0);
  }
  close(ends[1]);
  put_on_input(ends[0]);
  return child;
}

static void end_feed(pid_t child) {
  restore_input(); /* closes the reading end, so that the child cannot wait for ever */
  waitpid(child, NULL, 0);
}

/* Puts the bytes on a pipe and expects their refusal. */
static void expect_refused_input(const void *data, size_t length, rh_type type, rh_status status,
                                 const char *part) {
  rh_array array;
  rh_error error = {0};
  pid_t child = feed(data, length, 65536, 0);
  ck_assert_int_eq(rh_array_open(&array, "-", type, NULL, &error), status);
  ck_assert_msg(strstr(error.message, part), "'%s' lacks '%s'", error.message, part);
  ck_assert_int_eq(strncmp(error.message, "-: ", 3), 0);
  ck_assert_ptr_null(array.region.address);
  end_feed(child);
}

START_TEST(npy_from_a_pipe) {
  bytes file;
  rh_array array;
  said heard = {0};
  make_four(&file);
  pid_t child = feed(file.at, file.length, file.length, 0);
  expect_open(&array, "-", 0, &heard);
  ck_assert_uint_eq(array.offset_bytes, 128);
  ck_assert_uint_eq(array.region.bytes, (uint64_t)sysconf(_SC_PAGESIZE)); /* trimmed */
  ck_assert_str_eq(array.shape, "(4,)");
  ck_assert_int_eq(heard.warnings, 0);
  ck_assert_str_eq(heard.phase, "reading");
  expect_content(&array, RH_TYPE_f32, four, 4);
  end_feed(child);
}
END_TEST

START_TEST(npy_from_a_pipe_byte_by_byte) {
  bytes file;
  rh_array array;
  make_npy(&file, 2, HEADER("'=f4'", "True", "(2, 2)"), 16, four, sizeof four);
  pid_t child = feed(file.at, file.length, 1, 100);
  expect_open(&array, "-", RH_TYPE_f32, NULL);
  ck_assert_uint_eq(array.fortran_order, 1);
  expect_content(&array, RH_TYPE_f32, four, 4);
  end_feed(child);
}
END_TEST

START_TEST(npy_from_a_pipe_turned_and_moved) {
  static const unsigned char turned[] = {1, 2, 3, 4, 0xff, 0xfe, 0xfd, 0xfc};
  static const uint32_t straight[] = {0x01020304, 0xfffefdfc};
  static const char header[] = HEADER("'>u4'", "False", "(2,)");
  bytes file;
  rh_array array;
  make_npy(&file, 1, header, 64, turned, sizeof turned);
  pid_t child = feed(file.at, file.length, file.length, 0);
  expect_open(&array, "-", 0, NULL);
  ck_assert_uint_eq(array.offset_bytes, 128);
  expect_content(&array, RH_TYPE_u32, straight, 2);
  end_feed(child);
  append_preamble(&file, 1, strlen(header) + 2);
  append(&file, header, strlen(header));
  append(&file, " \n", 2);
  ck_assert_uint_ne(file.length % 4, 0);
  append(&file, turned, sizeof turned);
  child = feed(file.at, file.length, file.length, 0);
  expect_open(&array, "-", 0, NULL);
  ck_assert_uint_eq(array.offset_bytes, 0);
  expect_content(&array, RH_TYPE_u32, straight, 2);
  end_feed(child);
}
END_TEST

START_TEST(more_on_a_pipe_is_warned_of) {
  bytes file;
  rh_array array;
  said heard = {0};
  make_four(&file);
  append(&file, "more", 4);
  pid_t child = feed(file.at, file.length, file.length, 0);
  expect_open(&array, "-", 0, &heard);
  ck_assert_int_eq(heard.warnings, 1);
  ck_assert_str_eq(heard.text, "-: bytes after the data are ignored");
  expect_content(&array, RH_TYPE_f32, four, 4);
  end_feed(child);
}
END_TEST

START_TEST(raw_from_a_pipe_grows) {
  enum { N = 5000001 };
  uint32_t *data = malloc(N * sizeof *data);
  ck_assert_ptr_nonnull(data);
  for (uint32_t i = 0; i < N; i++) data[i] = i * 2654435761u;
  rh_array array;
  said heard = {0};
  pid_t child = feed(data, N * sizeof *data, 1u << 20, 0);
  expect_open(&array, "-", RH_TYPE_u32, &heard);
  ck_assert_int_ge(heard.reports, 1);
  ck_assert_uint_eq(array.offset_bytes, 0);
  ck_assert_uint_le(array.region.bytes, N * sizeof *data + 65536);
  expect_content(&array, RH_TYPE_u32, data, N);
  end_feed(child);
  free(data);
}
END_TEST

START_TEST(input_is_refused) {
  bytes file;
  make_four(&file);
  expect_refused_input("", 0, RH_TYPE_f32, RH_E_FILE, "-: no data on standard input");
  expect_refused_input("", 0, 0, RH_E_FILE, "-: no data on standard input");
  expect_refused_input("x", 1, 0, RH_E_FILE, "-: not a .npy file; raw data needs an element type");
  expect_refused_input(four, 15, RH_TYPE_f32, RH_E_FILE, "15 bytes is not a multiple of 4");
  expect_refused_input(file.at, 9, 0, RH_E_FILE, "ends within its .npy header: 9 bytes");
  expect_refused_input(file.at, 100, 0, RH_E_FILE, "100 bytes of at least 128");
  expect_refused_input(file.at, file.length - 1, 0, RH_E_FILE, "only 15 are there");
  expect_refused_input(file.at, file.length, RH_TYPE_f64, RH_E_USAGE,
                       "holds f32, but f64 was requested");
  file.at[6] = 9;
  expect_refused_input(file.at, file.length, 0, RH_E_FILE, "version 9.0 is not supported");
}
END_TEST

/* What the bytes are decides, not what the file is called: a pipe has no name. */
START_TEST(raw_data_may_be_called_npy) {
  rh_array array;
  const char *path = write_file("data.npy", four, sizeof four);
  expect_open(&array, path, RH_TYPE_f32, NULL);
  expect_content(&array, RH_TYPE_f32, four, 4);
}
END_TEST

/* A byte lost, put before it or changed: neither an array nor raw data, wherever it comes from. */
START_TEST(a_damaged_magic_is_no_raw_data) {
  bytes file;
  make_four(&file);
  static const char damaged[] = "is a damaged .npy file";
  expect_refusal(write_file("x.bin", file.at + 1, file.length - 1), RH_TYPE_u8, RH_E_FILE, damaged);
  expect_refused_input(file.at + 1, file.length - 1, RH_TYPE_u8, RH_E_FILE, damaged);
  memmove(file.at + 3, file.at, file.length);
  memcpy(file.at, "\\xef\\xbb\\xbf", 3);
  expect_refusal(write_file("x.bin", file.at, file.length), RH_TYPE_u8, RH_E_FILE, damaged);
  expect_refused_input(file.at, file.length, RH_TYPE_u8, RH_E_FILE, damaged);
  make_four(&file);
  for (int k = 0; k < 6; k++) {
    file.at[k] ^= 0x20;
    expect_refusal(write_file("x.bin", file.at, file.length), RH_TYPE_u8, RH_E_FILE, damaged);
    file.at[k] ^= 0x20;
  }
}
END_TEST

/* The first byte of the data is one that the header could hold. */
START_TEST(a_length_that_is_wrong_by_one_is_refused) {
  static const char firsts[] = "\\n \\t\\r\\0x";
  for (size_t k = 0; k < sizeof firsts - 1; k++) {
    for (int by = -1; by <= 1; by += 2) {
      bytes file;
      make_four(&file);
      file.at[128] = (unsigned char)firsts[k];
      file.at[8] = (unsigned char)(file.at[8] + by);
      file.at[file.length++] = 0;
      expect_refusal(write_file("x.npy", file.at, file.length), 0, RH_E_FILE, "malformed");
      expect_refused_input(file.at, file.length, 0, RH_E_FILE, "malformed");
    }
  }
}
END_TEST

START_TEST(a_file_that_changes_is_noticed) {
  rh_error error = {0};
  rh_array array;
  char path[256];
  snprintf(path, sizeof path, "%s", write_file("raw.bin", four, sizeof four));
  const off_t sizes[] = {12, 20, 0};
  static const char *const words[] = {"was cut short while it was being read: 16 bytes, then 12",
                                      "grew while it was being read: 16 bytes, then 20",
                                      "was cut short"};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    write_file("raw.bin", four, sizeof four);
    ck_assert_int_eq(rh_array_open(&array, path, RH_TYPE_f32, NULL, &error), RH_OK);
    ck_assert_int_eq(rh_array_check_unchanged(&array, path, &error), RH_OK);
    ck_assert_int_eq(truncate(path, sizes[k]), 0);
    ck_assert_int_eq(rh_array_check_unchanged(&array, path, &error), RH_E_FILE);
    ck_assert_msg(strstr(error.message, words[k]) != NULL, "%s", error.message);
    rh_array_finish(&array);
  }
  write_file("raw.bin", four, sizeof four);
  ck_assert_int_eq(rh_array_open(&array, path, RH_TYPE_f32, NULL, &error), RH_OK);
  ck_assert_int_eq(utimensat(AT_FDCWD, path, (struct timespec[]){{1, 0}, {1, 0}}, 0), 0);
  ck_assert_int_eq(rh_array_check_unchanged(&array, path, &error), RH_E_FILE);
  ck_assert_msg(strstr(error.message, "was written to") != NULL, "%s", error.message);
  rh_array_finish(&array);
}
END_TEST

/* A stream that never ends is refused, or done with, as soon as its first bytes allow. */
START_TEST(endless_input_ends) {
  rh_array array;
  rh_error error = {0};
  put_on_input(open("/dev/zero", O_RDONLY));
  ck_assert_int_eq(rh_array_open(&array, "-", 0, NULL, &error), RH_E_FILE);
  ck_assert_ptr_nonnull(strstr(error.message, "raw data needs an element type"));
  restore_input();
}
END_TEST

START_TEST(closed_input_is_refused) {
  rh_array array;
  rh_error error = {0};
  put_on_input(STDIN_FILENO);
  close(STDIN_FILENO);
  rh_status status = rh_array_open(&array, "-", 0, NULL, &error);
  restore_input();
  ck_assert_int_eq(status, RH_E_FILE);
  ck_assert_str_eq(error.message, "-: no data on standard input, which is closed");
}
END_TEST

START_TEST(directory_on_input_is_refused) {
  rh_array array;
  rh_error error = {0};
  put_on_input(open(directory, O_RDONLY));
  rh_status status = rh_array_open(&array, "-", RH_TYPE_u8, NULL, &error);
  restore_input();
  ck_assert_int_eq(status, RH_E_FILE);
  ck_assert_str_eq(error.message, "-: cannot be read: Is a directory");
}
END_TEST

START_TEST(terminal_on_input_is_refused) {
  rh_array array;
  rh_error error = {0};
  int master = posix_openpt(O_RDWR | O_NOCTTY);
  if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) return; /* none here */
  put_on_input(open(ptsname(master), O_RDWR | O_NOCTTY));
  rh_status status = rh_array_open(&array, "-", 0, NULL, &error);
  restore_input();
  close(master);
  ck_assert_int_eq(status, RH_E_FILE);
  ck_assert_ptr_nonnull(strstr(error.message, "standard input is a terminal; pipe the data in"));
}
END_TEST

START_TEST(file_on_input_is_mapped) {
  bytes file;
  rh_array array;
  said heard = {0};
  make_four(&file);
  const char *path = write_file("four.npy", file.at, file.length);
  put_on_input(open(path, O_RDONLY));
  expect_open(&array, "-", 0, &heard);
  ck_assert_int_eq(heard.reports, 0); /* nothing was read */
  ck_assert_uint_eq(array.offset_bytes, 128);
  expect_content(&array, RH_TYPE_f32, four, 4);
  put_on_input(open(path, O_RDONLY));
  ck_assert_int_eq(lseek(STDIN_FILENO, 128, SEEK_SET), 128);
  expect_open(&array, "-", RH_TYPE_f32, &heard);
  ck_assert_int_ge(heard.reports, 1); /* from within: read */
  expect_content(&array, RH_TYPE_f32, four, 4);
  put_on_input(open("/proc/self/status", O_RDONLY));
  expect_open(&array, "-", RH_TYPE_u8, NULL);
  ck_assert_int_eq(memcmp(rh_array_data(&array), "Name:", 5), 0);
  rh_array_finish(&array);
  restore_input();
}
END_TEST

START_TEST(non_blocking_input_is_waited_for) {
  bytes file;
  rh_array array;
  make_four(&file);
  pid_t child = feed(file.at, file.length, 40, 20000);
  fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK);
  expect_open(&array, "-", 0, NULL);
  expect_content(&array, RH_TYPE_f32, four, 4);
  end_feed(child);
}
END_TEST

static void ignore_alarm(int number) {
  (void)number;
}

START_TEST(signals_do_not_disturb_reading) {
  struct sigaction action = {.sa_handler = ignore_alarm}; /* no SA_RESTART: read() gives EINTR */
  const struct itimerval often = {{0, 5000}, {0, 5000}}, never = {{0, 0}, {0, 0}};
  bytes file;
  rh_array array;
  said heard = {0};
  make_four(&file);
  pid_t child = feed(file.at, file.length, 40, 20000);
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &often, NULL);
  expect_open(&array, "-", 0, &heard);
  setitimer(ITIMER_REAL, &never, NULL);
  ck_assert_int_ge(heard.reports, 3); /* asked at every signal whether to go on */
  expect_content(&array, RH_TYPE_f32, four, 4);
  end_feed(child);
}
END_TEST

START_TEST(reading_can_be_cancelled) {
  rh_array array;
  rh_error error = {0};
  said heard = {.cancel = 1};
  rh_reporter reporter = reporter_to(&heard);
  pid_t child = feed(four, sizeof four, 16, 0);
  ck_assert_int_eq(rh_array_open(&array, "-", RH_TYPE_f32, &reporter, &error), RH_E_CANCELLED);
  ck_assert_ptr_nonnull(strstr(error.message, "reading: cancelled"));
  ck_assert_ptr_null(array.region.address);
  end_feed(child);
}
END_TEST

/* ---- Generated data */

static void generate(rh_array *array, const char *kind, uint64_t seed, rh_type type, uint64_t n) {
  rh_error error = {0};
  rh_status status = rh_array_generate(array, kind, seed, type, n, NULL, &error);
  ck_assert_msg(status == RH_OK, "%s", error.message);
  ck_assert_uint_eq(array->n, n);
  ck_assert_uint_eq(array->type, type);
  ck_assert_uint_eq(array->dimensions, 1);
  ck_assert_uint_eq(array->offset_bytes, 0);
}

static double real_at(const rh_array *array, uint64_t i) {
  const void *data = rh_array_data(array);
  if (array->type == RH_TYPE_f16) return (double)rh_half_to_float(((const uint16_t *)data)[i]);
  if (array->type == RH_TYPE_f32) return (double)((const float *)data)[i];
  return ((const double *)data)[i];
}

static int64_t integer_at(const rh_array *array, uint64_t i) {
  const void *data = rh_array_data(array);
  switch (array->type) {
  case RH_TYPE_i8: return ((const int8_t *)data)[i];
  case RH_TYPE_u8: return ((const uint8_t *)data)[i];
  case RH_TYPE_i16: return ((const int16_t *)data)[i];
  case RH_TYPE_u16: return ((const uint16_t *)data)[i];
  case RH_TYPE_i32: return ((const int32_t *)data)[i];
  case RH_TYPE_u32: return ((const uint32_t *)data)[i];
  default: return ((const int64_t *)data)[i];
  }
}

static const rh_type float_types[] = {RH_TYPE_f16, RH_TYPE_f32, RH_TYPE_f64};
enum { N_FLOATS = 3, N_INTEGERS = RH_TYPE_u64 };

START_TEST(every_kind_in_every_type_and_size) {
  static const uint64_t sizes[] = {0, 1, 2, 3, 1000};
  for (const char *const *kind = rh_array_kinds(); *kind; kind++)
    for (rh_type type = 1; type <= RH_N_TYPES; type++)
      for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        rh_array array, again;
        generate(&array, *kind, 7, type, sizes[k]);
        generate(&again, *kind, 7, type, sizes[k]);
        ck_assert_uint_gt(array.region.bytes, 0);
        size_t length = sizes[k] * rh_type_size(type);
        ck_assert_int_eq(memcmp(rh_array_data(&array), rh_array_data(&again), length), 0);
        rh_array_finish(&array);
        rh_array_finish(&again);
      }
}
END_TEST

START_TEST(kinds_are_the_promised_ones) {
  static const char *const expected[] = {"uniform",   "equal", "ramp",       "cancel",     "huge",
                                         "subnormal", "nan",   "hash",       "onehot",     "units",
                                         "zeros",     "infs",  "descending", "loguniform", "least",
                                         "greatest",  "ends",  "two",        NULL};
  const char *const *kinds = rh_array_kinds();
  for (size_t k = 0; expected[k]; k++) {
    int found = 0;
    for (size_t of = 0; kinds[of]; of++) found |= strcmp(kinds[of], expected[k]) == 0;
    ck_assert_msg(found, "%s", expected[k]);
  }
}
END_TEST

/* Pinned: a seed names the same data in every version, on every machine. */
START_TEST(data_never_changes) {
  rh_array array;
  generate(&array, "hash", 1, RH_TYPE_u64, 3);
  ck_assert_uint_eq(((const uint64_t *)rh_array_data(&array))[0], 0x8e15a1e60d1e8efdu);
  ck_assert_uint_eq(((const uint64_t *)rh_array_data(&array))[2], 0xb6a358f11b7730c1u);
  rh_array_finish(&array);
  generate(&array, "uniform", 1, RH_TYPE_f32, 2);
  ck_assert_double_eq(real_at(&array, 0), 0x1.89c9ep-5);
  ck_assert_double_eq(real_at(&array, 1), 0x1.9055780p-3);
  rh_array_finish(&array);
}
END_TEST

/* However many threads computed it, each element is what its kind says of it alone. */
START_TEST(threads_agree_with_single_elements) {
  const uint64_t n = ((uint64_t)1 << 20) + 12345;
  rh_array array;
  said heard = {0};
  rh_reporter reporter = reporter_to(&heard);
  ck_assert_int_eq(rh_array_generate(&array, "uniform", 3, RH_TYPE_f32, n, &reporter, NULL), RH_OK);
  ck_assert_int_ge(heard.reports, 1);
  ck_assert_str_eq(heard.phase, "generating");
  ck_assert_uint_eq(heard.last_total, n);
  const rh_kind *kind = rh_kind_find("uniform");
  rh_recipe recipe = rh_recipe_make(3, RH_TYPE_f32, n);
  for (uint64_t i = 0; i < n; i++)
    if (real_at(&array, i) != kind->real(&recipe, i)) ck_abort_msg("at %llu", (long long)i);
  rh_array_finish(&array);
}
END_TEST

START_TEST(generating_can_be_cancelled) {
  rh_array array;
  rh_error error = {0};
  said heard = {.cancel = 1};
  rh_reporter reporter = reporter_to(&heard);
  rh_status status =
      rh_array_generate(&array, "uniform", 1, RH_TYPE_f64, 1u << 22, &reporter, &error);
  ck_assert_int_eq(status, RH_E_CANCELLED);
  ck_assert_ptr_null(array.region.address);
}
END_TEST

START_TEST(generating_is_refused) {
  rh_array array;
  rh_error error = {0};
  ck_assert_int_eq(rh_array_generate(&array, "unifrom", 1, RH_TYPE_f32, 9, NULL, &error),
                   RH_E_USAGE);
  ck_assert_str_eq(error.message, "unknown kind of data 'unifrom'; did you mean 'uniform'?");
  ck_assert_int_eq(rh_array_generate(&array, "q", 1, RH_TYPE_f32, 9, NULL, &error), RH_E_USAGE);
  ck_assert_ptr_nonnull(strstr(error.message, "'q'; known: uniform equal ramp cancel huge"));
  ck_assert_int_eq(rh_array_generate(&array, "ramp", 1, 99, 9, NULL, &error), RH_E_USAGE);
  ck_assert_int_eq(
      rh_array_generate(&array, "ramp", 1, RH_TYPE_f64, (uint64_t)1 << 61, NULL, &error),
      RH_E_USAGE);
  ck_assert_str_eq(error.message, "2305843009213693952 elements of f64: their size in bytes "
                                  "overflows 64 bits");
  ck_assert_int_eq(
      rh_array_generate(&array, "ramp", 1, RH_TYPE_f64, (uint64_t)1 << 60, NULL, &error),
      RH_E_NOMEM);
  ck_assert_ptr_null(array.region.address);
}
END_TEST

START_TEST(seeds_differ) {
  static const char *const random_kinds[] = {"uniform", "hash", "cancel", "loguniform"};
  for (size_t k = 0; k < 4; k++)
    for (rh_type type = 1; type <= RH_N_TYPES; type++) {
      rh_array one, two;
      generate(&one, random_kinds[k], 1, type, 100);
      generate(&two, random_kinds[k], 2, type, 100);
      ck_assert_int_ne(memcmp(rh_array_data(&one), rh_array_data(&two), 100 * rh_type_size(type)),
                       0);
      rh_array_finish(&one);
      rh_array_finish(&two);
    }
}
END_TEST

START_TEST(uniform_fills_its_range) {
  const uint64_t n = 300000;
  for (int k = 0; k < N_FLOATS; k++) {
    rh_array array;
    double sum = 0, least = 1, most = 0;
    generate(&array, "uniform", 1, float_types[k], n);
    for (uint64_t i = 0; i < n; i++) {
      double x = real_at(&array, i);
      sum += x, least = fmin(least, x), most = fmax(most, x);
    }
    ck_assert(least >= 0 && least < 0.001 && most > 0.999 && most < 1);
    ck_assert_double_eq_tol(sum / (double)n, 0.5, 0.005);
    rh_array_finish(&array);
  }
  for (rh_type type = 1; type <= N_INTEGERS; type++) {
    rh_array array;
    int64_t any = 0, all = -1;
    generate(&array, "uniform", 1, type, 1000);
    for (uint64_t i = 0; i < 1000; i++) any |= integer_at(&array, i), all &= integer_at(&array, i);
    unsigned bits = rh_type_size(type) * 8;
    uint64_t every = UINT64_MAX >> (64 - bits);
    ck_assert_uint_eq((uint64_t)any & every, every); /* each bit is set somewhere ... */
    ck_assert_uint_eq((uint64_t)all & every, 0);     /* ... and clear somewhere */
    rh_array_finish(&array);
  }
}
END_TEST

START_TEST(equal_and_ramp_are_plain) {
  for (rh_type type = 1; type <= RH_N_TYPES; type++) {
    rh_array ones, ramp;
    generate(&ones, "equal", 1, type, 2500);
    generate(&ramp, "ramp", 1, type, 2500);
    for (uint64_t i = 0; i < 2500; i++) {
      uint64_t expected = i % 1000;
      if (rh_type_is_float(type)) {
        ck_assert_double_eq(real_at(&ones, i), 1);
        ck_assert_double_eq(real_at(&ramp, i), (double)expected);
        continue;
      }
      ck_assert_int_eq(integer_at(&ones, i), 1);
      if (type == RH_TYPE_u8) expected %= 256;
      if (type == RH_TYPE_i8)
        ck_assert_int_eq(integer_at(&ramp, i), (int64_t)((expected + 128) % 256) - 128);
      else
        ck_assert_int_eq(integer_at(&ramp, i), (int64_t)expected);
    }
    rh_array_finish(&ones);
    rh_array_finish(&ramp);
  }
}
END_TEST

START_TEST(cancel_cancels) {
  for (uint64_t n = 10000; n <= 10001; n++)
    for (int k = 0; k < N_FLOATS; k++) {
      rh_array array;
      double sum = 0, magnitudes = 0;
      generate(&array, "cancel", 1, float_types[k], n);
      for (uint64_t i = 0; i < n; i++) {
        double x = real_at(&array, i);
        sum += x, magnitudes += fabs(x);
        if (i < 10000) ck_assert(fabs(x) >= 999 && fabs(x) <= 2001);
      }
      ck_assert_double_gt(magnitudes, 1400.0 * (double)n);
      ck_assert_double_lt(fabs(sum), magnitudes * 1e-4);
      ck_assert_double_ne(sum, 0);
      rh_array_finish(&array);
    }
  for (rh_type type = 1; type <= N_INTEGERS; type++) {
    rh_array array;
    uint64_t sum = 0;
    generate(&array, "cancel", 1, type, 1000);
    for (uint64_t i = 0; i < 1000; i++) sum += (uint64_t)integer_at(&array, i);
    ck_assert_uint_eq(sum & UINT64_MAX >> (64 - 8 * rh_type_size(type)), 0);
    ck_assert_int_ne(integer_at(&array, 0), 0);
    rh_array_finish(&array);
  }
}
END_TEST

START_TEST(huge_stands_once) {
  uint64_t last_place = UINT64_MAX;
  int moved = 0;
  for (uint64_t seed = 0; seed < 8; seed++) {
    static const double largest[] = {65504, FLT_MAX, DBL_MAX};
    for (int k = 0; k < N_FLOATS; k++) {
      rh_array array;
      uint64_t count = 0, place = 0;
      generate(&array, "huge", seed, float_types[k], 1000);
      for (uint64_t i = 0; i < 1000; i++)
        if (real_at(&array, i) > largest[k] * 0.99)
          count++, place = i;
        else
          ck_assert(real_at(&array, i) < 1);
      ck_assert_uint_eq(count, 1);
      ck_assert(isfinite(real_at(&array, place)));
      moved += place != last_place;
      last_place = place;
      rh_array_finish(&array);
    }
  }
  ck_assert_int_gt(moved, 12);
  for (rh_type type = 1; type < N_INTEGERS; type++) { /* u64 does not fit integer_at */
    rh_array array;
    int64_t most = 0, least = 0;
    generate(&array, "huge", 1, type, 1000);
    for (uint64_t i = 0; i < 1000; i++) {
      int64_t x = integer_at(&array, i);
      most = x > most ? x : most, least = x < least ? x : least;
    }
    int64_t top =
        (int64_t)(UINT64_MAX >> (64 - 8 * rh_type_size(type) + (unsigned)rh_type_is_signed(type)));
    ck_assert(most <= top && most >= top - 7);
    ck_assert_int_eq(least, 0);
    rh_array_finish(&array);
  }
}
END_TEST

START_TEST(subnormal_is_nothing_else) {
  static const double smallest_normal[] = {0x1p-14, (double)FLT_MIN, DBL_MIN};
  for (int k = 0; k < N_FLOATS; k++) {
    rh_array array;
    int negative = 0, positive = 0;
    generate(&array, "subnormal", 1, float_types[k], 10000);
    for (uint64_t i = 0; i < 10000; i++) {
      double x = real_at(&array, i);
      ck_assert(x != 0 && fabs(x) < smallest_normal[k]);
      if (x < 0)
        negative++;
      else
        positive++;
    }
    ck_assert(negative > 4000 && positive > 4000);
    rh_array_finish(&array);
  }
  rh_array array;
  int64_t ones = 0;
  generate(&array, "subnormal", 1, RH_TYPE_i32, 1000);
  for (uint64_t i = 0; i < 1000; i++) {
    ck_assert(integer_at(&array, i) == 0 || integer_at(&array, i) == 1);
    ones += integer_at(&array, i);
  }
  ck_assert(ones > 300 && ones < 700);
  rh_array_finish(&array);
}
END_TEST

START_TEST(nan_visits_the_edges) {
  int first = 0, middle = 0, last = 0, elsewhere = 0;
  for (uint64_t seed = 0; seed < 64; seed++) {
    rh_array array;
    int count = 0;
    generate(&array, "nan", seed, float_types[seed % 3], 1001);
    for (uint64_t i = 0; i < 1001; i++) {
      if (!isnan(real_at(&array, i))) continue;
      count++;
      if (i == 0)
        first++;
      else if (i == 500)
        middle++;
      else if (i == 1000)
        last++;
      else
        elsewhere++;
    }
    ck_assert(count >= 1 && count <= 4);
    rh_array_finish(&array);
  }
  ck_assert(first > 8 && middle > 8 && last > 8 && elsewhere > 8);
  ck_assert(first < 64 && middle < 64 && last < 64 && elsewhere < 64);
}
END_TEST

/* The promise of "hash": forwards and backwards, every partial sum in f32 is exact. */
START_TEST(hash_sums_exactly) {
  const uint64_t n = 1u << 20;
  for (int k = 0; k < 2; k++) { /* f16 is summed in f32 */
    rh_array array;
    float forwards = 0, backwards = 0;
    double exact = 0, magnitudes = 0, unit = 1e9;
    generate(&array, "hash", 5, float_types[k], n);
    for (uint64_t i = 0; i < n; i++) {
      double x = real_at(&array, i), y = real_at(&array, n - 1 - i);
      forwards += (float)x, backwards += (float)y;
      exact += x, magnitudes += fabs(x);
      if (x != 0) unit = fmin(unit, fabs(x));
    }
    ck_assert_double_eq((double)forwards, exact);
    ck_assert_double_eq((double)backwards, exact);
    ck_assert_double_gt(magnitudes / unit, (double)n * 4);
    ck_assert_double_le(magnitudes / unit, 0x1p24);
    rh_array_finish(&array);
  }
}
END_TEST

/* Where there are more elements than exact sums allow, few are not 0, but some in every stretch. */
START_TEST(hash_thins_out) {
  static const uint64_t sizes[] = {(1u << 21) + 1, (1u << 24) + 1};
  const rh_kind *hash = rh_kind_find("hash");
  for (size_t k = 0; k < 2; k++) {
    rh_recipe recipe = rh_recipe_make(9, RH_TYPE_f32, sizes[k]);
    double magnitudes = 0, unit = 1e9;
    uint64_t gap = 0;
    for (uint64_t i = 0; i < sizes[k]; i++) {
      double x = fabs(hash->real(&recipe, i));
      gap = x != 0 ? 0 : gap + 1;
      if (gap > 8) ck_abort_msg("no element between %llu and %llu", (long long)i - 8, (long long)i);
      magnitudes += x;
      if (x != 0 && x < unit) unit = x;
    }
    ck_assert_double_le(magnitudes / unit, 0x1p24);
    ck_assert_double_gt(magnitudes / unit, (double)(1u << 21));
  }
  rh_recipe beyond = rh_recipe_make(9, RH_TYPE_f32, (uint64_t)5 << 32);
  int not_0 = 0;
  for (uint64_t i = 0; i < 10240; i++) not_0 += hash->real(&beyond, ((uint64_t)5 << 31) + i) != 0;
  ck_assert_int_eq(not_0, 5); /* one in 2048 */
}
END_TEST

START_TEST(onehot_has_one) {
  for (rh_type type = 1; type <= RH_N_TYPES; type++) {
    rh_array array;
    int ones = 0, zeros = 0;
    generate(&array, "onehot", 4, type, 999);
    for (uint64_t i = 0; i < 999; i++) {
      double x = rh_type_is_float(type) ? real_at(&array, i) : (double)integer_at(&array, i);
      ones += x == 1;
      zeros += x == 0 && !signbit(x);
    }
    ck_assert_int_eq(ones, 1);
    ck_assert_int_eq(zeros, 998);
    rh_array_finish(&array);
  }
}
END_TEST

/* Any subset's product must be a normal number: so few twos and halves that all of either kind do
 * no harm. */
START_TEST(units_multiply_exactly) {
  static const uint64_t sizes[] = {7, 64, 1001, 1u << 18};
  for (size_t s = 0; s < 4; s++)
    for (int k = 0; k < N_FLOATS; k++) {
      rh_array array;
      int twos = 0, halves = 0, negative = 0;
      generate(&array, "units", 2, float_types[k], sizes[s]);
      for (uint64_t i = 0; i < sizes[s]; i++) {
        double x = fabs(real_at(&array, i));
        negative += real_at(&array, i) < 0;
        twos += x == 2, halves += x == 0.5;
        ck_assert(x == 1 || x == 2 || x == 0.5);
        if (x != 1) ck_assert_double_eq(fabs(real_at(&array, i ^ 1)), 1 / x);
      }
      ck_assert_int_eq(twos, halves);
      ck_assert_int_le(twos, 64);
      if (sizes[s] > 100) ck_assert_int_gt(twos, 8);
      if (sizes[s] > 100) ck_assert(negative > 20 && (uint64_t)negative < sizes[s] - 20);
      rh_array_finish(&array);
    }
  rh_array array;
  generate(&array, "units", 2, RH_TYPE_i16, 100);
  for (uint64_t i = 0; i < 100; i++)
    ck_assert(integer_at(&array, i) == 1 || integer_at(&array, i) == -1);
  rh_array_finish(&array);
}
END_TEST

START_TEST(zeros_have_both_signs) {
  for (int k = 0; k < N_FLOATS; k++) {
    rh_array array;
    int negative = 0;
    generate(&array, "zeros", 1, float_types[k], 100);
    for (uint64_t i = 0; i < 100; i++) {
      ck_assert(real_at(&array, i) == 0);
      negative += signbit(real_at(&array, i)) != 0;
    }
    ck_assert(negative > 20 && negative < 80);
    rh_array_finish(&array);
  }
}
END_TEST

START_TEST(infs_come_alone_or_in_pairs) {
  int with_negative = 0;
  for (uint64_t seed = 0; seed < 64; seed++) {
    rh_array array;
    int positive = 0, negative = 0;
    generate(&array, "infs", seed, float_types[seed % 3], 100);
    for (uint64_t i = 0; i < 100; i++) {
      double x = real_at(&array, i);
      if (isinf(x) && x > 0)
        positive++;
      else if (isinf(x))
        negative++;
      else
        ck_assert(x >= 0 && x < 1);
    }
    ck_assert_int_eq(positive, 1);
    ck_assert_int_le(negative, 1);
    with_negative += negative;
    rh_array_finish(&array);
  }
  ck_assert(with_negative > 16 && with_negative < 48);
}
END_TEST

START_TEST(descending_descends) {
  static const uint64_t sizes[] = {1, 2, 100, 5000, 300000};
  for (rh_type type = 1; type <= RH_N_TYPES; type++)
    for (size_t s = 0; s < 5; s++) {
      rh_array array;
      double before = INFINITY;
      generate(&array, "descending", 1, type, sizes[s]);
      for (uint64_t i = 0; i < sizes[s]; i++) {
        double x = rh_type_is_float(type) ? real_at(&array, i) : (double)integer_at(&array, i);
        ck_assert(x >= 0 && x <= before);
        before = x;
      }
      ck_assert_double_eq(before, 0);
      rh_array_finish(&array);
    }
}
END_TEST

START_TEST(loguniform_spans_magnitudes) {
  for (int k = 0; k < N_FLOATS; k++) {
    rh_array array;
    double least = INFINITY, most = 0, span = k == 0 ? 12 : 20;
    int negative = 0, below_1 = 0;
    generate(&array, "loguniform", 1, float_types[k], 10000);
    for (uint64_t i = 0; i < 10000; i++) {
      double x = real_at(&array, i), magnitude = fabs(x);
      least = fmin(least, magnitude), most = fmax(most, magnitude);
      negative += x < 0, below_1 += magnitude < 1;
    }
    ck_assert(least >= exp2(-span) && least < exp2(1 - span));
    ck_assert(most <= exp2(span) && most > exp2(span - 1));
    ck_assert(negative > 4500 && negative < 5500 && below_1 > 4500 && below_1 < 5500);
    rh_array_finish(&array);
  }
  rh_array array;
  int widths = 0;
  generate(&array, "loguniform", 1, RH_TYPE_i16, 1000);
  for (uint64_t i = 0; i < 1000; i++) {
    int64_t x = integer_at(&array, i);
    ck_assert_int_ne(x, 0);
    widths |= 1 << (31 - __builtin_clz((unsigned)(x < 0 ? -x : x)));
  }
  ck_assert_int_eq(widths, 0x7fff);
  rh_array_finish(&array);
}
END_TEST

START_TEST(ends_are_the_types_own) {
  static const char *const of[] = {"least", "greatest", "ends", "two"};
  for (rh_type type = 1; type <= RH_N_TYPES; type++)
    for (int kind = 0; kind < 4; kind++) {
      rh_array array;
      int is_float = rh_type_is_float(type), bits = (int)rh_type_size(type) * 8, first = 0;
      double largest = type == RH_TYPE_f16   ? 65504
                       : type == RH_TYPE_f32 ? (double)FLT_MAX
                       : is_float            ? DBL_MAX
                                             : ldexp(1, bits - rh_type_is_signed(type));
      double least = is_float ? -largest : rh_type_is_signed(type) ? -largest : 0, a = 0, b = 0;
      generate(&array, of[kind], 3, type, 1000);
      for (uint64_t i = 0; i < 1000; i++) {
        double x = is_float ? real_at(&array, i) : (double)integer_at(&array, i);
        if (!is_float && !rh_type_is_signed(type)) x = (double)(uint64_t)integer_at(&array, i);
        if (i == 0) a = b = x;
        if (x != a && b == a) b = x;
        ck_assert_msg(x == a || x == b, "%s %s", of[kind], rh_type_name(type));
        first += x == a;
      }
      ck_assert_msg(kind < 2 ? first == 1000 : first > 300 && first < 700, "%s %s: %d", of[kind],
                    rh_type_name(type), first);
      /* A double holds no more than 53 bits of the largest integer. */
      double top = is_float ? largest : bits == 64 ? largest : largest - 1;
      if (kind == 0) ck_assert_double_eq(a, least);
      if (kind == 1) ck_assert_double_eq(a, top);
      if (kind == 2) ck_assert(fmin(a, b) == least && fmax(a, b) == top);
      rh_array_finish(&array);
    }
}
END_TEST

/* ---- The suite */

static TCase *add_case(Suite *suite, const char *name) {
  TCase *tcase = tcase_create(name);
  tcase_add_unchecked_fixture(tcase, make_directory, remove_directory);
  tcase_set_timeout(tcase, 120); /* for valgrind */
  suite_add_tcase(suite, tcase);
  return tcase;
}

static void add_header_cases(Suite *suite) {
  TCase *header = add_case(suite, "header");
  tcase_add_loop_test(header, header_is_read, 0, N_GOOD);
  tcase_add_loop_test(header, header_is_refused, 0, N_BAD);
  tcase_add_loop_test(header, every_prefix_is_refused, 1, 4);
  tcase_add_test(header, long_shape_is_cut);
  tcase_add_test(header, nul_in_header_is_refused);
  tcase_add_test(header, version_is_refused);
  tcase_add_test(header, header_longer_than_file_is_refused);
  tcase_add_test(header, every_cut_header_is_refused);
  tcase_add_test(header, changed_bytes_do_no_harm);
}

static void add_file_cases(Suite *suite) {
  TCase *file = add_case(suite, "file");
  tcase_add_test(file, npy_file_is_mapped);
  tcase_add_test(file, npy_without_its_suffix_is_npy);
  tcase_add_test(file, scalar_and_empty_shapes);
  tcase_add_test(file, fortran_order_needs_two_dimensions);
  tcase_add_test(file, other_byte_order_is_turned);
  tcase_add_test(file, misaligned_data_is_copied);
  tcase_add_test(file, copying_can_be_cancelled);
  tcase_add_test(file, more_than_the_data_is_warned_of);
  tcase_add_test(file, raw_file_is_mapped);
  tcase_add_test(file, raw_file_beyond_4_gib);
  tcase_add_test(file, wrong_type_is_a_usage_error);
  tcase_add_test(file, short_data_is_refused);
  tcase_add_test(file, raw_is_refused);
  tcase_add_test(file, raw_data_may_be_called_npy);
  tcase_add_test(file, a_damaged_magic_is_no_raw_data);
  tcase_add_test(file, a_length_that_is_wrong_by_one_is_refused);
  tcase_add_test(file, a_file_that_changes_is_noticed);
  tcase_add_test(file, empty_and_tiny_files_are_refused);
  tcase_add_test(file, what_is_no_file_is_refused);
  tcase_add_test(file, socket_is_refused);
  tcase_add_test(file, unreadable_file_is_refused);
  tcase_add_test(file, strange_names_are_made_printable);
}

static void add_input_cases(Suite *suite) {
  TCase *input = add_case(suite, "input");
  tcase_add_test(input, npy_from_a_pipe);
  tcase_add_test(input, npy_from_a_pipe_byte_by_byte);
  tcase_add_test(input, npy_from_a_pipe_turned_and_moved);
  tcase_add_test(input, more_on_a_pipe_is_warned_of);
  tcase_add_test(input, raw_from_a_pipe_grows);
  tcase_add_test(input, input_is_refused);
  tcase_add_test(input, endless_input_ends);
  tcase_add_test(input, closed_input_is_refused);
  tcase_add_test(input, directory_on_input_is_refused);
  tcase_add_test(input, terminal_on_input_is_refused);
  tcase_add_test(input, file_on_input_is_mapped);
  tcase_add_test(input, non_blocking_input_is_waited_for);
  tcase_add_test(input, signals_do_not_disturb_reading);
  tcase_add_test(input, reading_can_be_cancelled);
}

static void add_generated_cases(Suite *suite) {
  TCase *generated = add_case(suite, "generated");
  tcase_add_test(generated, every_kind_in_every_type_and_size);
  tcase_add_test(generated, kinds_are_the_promised_ones);
  tcase_add_test(generated, data_never_changes);
  tcase_add_test(generated, threads_agree_with_single_elements);
  tcase_add_test(generated, generating_can_be_cancelled);
  tcase_add_test(generated, generating_is_refused);
  tcase_add_test(generated, seeds_differ);
  tcase_add_test(generated, uniform_fills_its_range);
  tcase_add_test(generated, equal_and_ramp_are_plain);
  tcase_add_test(generated, cancel_cancels);
  tcase_add_test(generated, huge_stands_once);
  tcase_add_test(generated, subnormal_is_nothing_else);
  tcase_add_test(generated, nan_visits_the_edges);
  tcase_add_test(generated, hash_sums_exactly);
  tcase_add_test(generated, hash_thins_out);
  tcase_add_test(generated, onehot_has_one);
  tcase_add_test(generated, units_multiply_exactly);
  tcase_add_test(generated, zeros_have_both_signs);
  tcase_add_test(generated, infs_come_alone_or_in_pairs);
  tcase_add_test(generated, descending_descends);
  tcase_add_test(generated, loguniform_spans_magnitudes);
  tcase_add_test(generated, ends_are_the_types_own);
}

int main(void) {
  Suite *suite = suite_create("io");
  add_header_cases(suite);
  add_file_cases(suite);
  add_input_cases(suite);
  add_generated_cases(suite);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
