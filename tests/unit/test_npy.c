/* host/engine/io/npy.c: headers of .npy files, right and wrong. */
#include <sys/mman.h>

#include "../../host/engine/io/io.h"
#include "../suite/suite.h"
#include "io_support.h"

/* ---- Headers that are read ---- */

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
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (9223372036854775807, 3, 0), }",
     RH_TYPE_f64, 0, "(9223372036854775807, 3, 0)", 3, 0},
};
enum { N_GOOD = sizeof good_headers / sizeof *good_headers };

TEST_LOOP(header_is_read, 0, N_GOOD) {
  for (int major = 1; major <= 3; major++) {
    bytes file;
    rh_npy npy;
    make_npy(&file, major, good_headers[_i].header, 64, NULL, 0);
    ck_assert_uint_eq(rh_npy_wanted(file.at, file.length), file.length);
    must(rh_npy_parse(&npy, file.at, file.length, "x.npy", &error));
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

TEST(long_shape_is_cut) {
  char header[2048] = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
  for (int k = 0; k < 64; k++) strcat(header, "1, ");
  strcat(header, ")}");
  bytes file;
  rh_array array;
  make_npy(&file, 1, header, 64, four, sizeof *four);
  expect_open(&array, write_file("long.npy", file.at, file.length), 0, NULL);
  ck_assert_uint_eq(array.dimensions, 64);
  assert_says(array.shape, "1, 1, ...)");
  ck_assert_uint_lt(strlen(array.shape), sizeof array.shape);
  expect_content(&array, RH_TYPE_f32, four, 1);
}

/* ---- Headers that are refused ---- */

static const struct {
  const char *header, *part;
} bad_headers[] = {
    {HEADER("'|O'", "False", "(4,)"),
     "dtype '|O' (Python objects) is not supported; supported: i1"},
    {HEADER("'<c8'", "False", "(4,)"), "dtype '<c8' (complex numbers) is not supported"},
    {HEADER("'<f16'", "False", "(4,)"), "dtype '<f16' (long double) is not supported"},
    {HEADER("'<c16'", "False", "(4,)"), "dtype '<c16' (complex numbers) is not supported"},
    {HEADER("'<U5'", "False", "(4,)"), "dtype '<U5' (text) is not supported"},
    {HEADER("'|S3'", "False", "(4,)"), "dtype '|S3' (bytes) is not supported"},
    {HEADER("'<M8[ns]'", "False", "(4,)"), "dtype '<M8[ns]' (dates) is not supported"},
    {HEADER("'<m8[ns]'", "False", "(4,)"), "dtype '<m8[ns]' (time spans) is not supported"},
    {HEADER("'|V8'", "False", "(4,)"), "dtype '|V8' (raw bytes) is not supported"},
    {HEADER("'<f3'", "False", "(4,)"), "dtype '<f3' is not supported"},
    {HEADER("'|f4'", "False", "(4,)"), "dtype '|f4' is not supported"},
    {HEADER("'f4'", "False", "(4,)"), "dtype 'f4' is not supported"},
    {HEADER("''", "False", "(4,)"), "dtype '' is not supported"},
    {HEADER("'<\1774'", "False", "(4,)"), "dtype '<?4' is not supported"},
    {HEADER("'<\t4'", "False", "(4,)"), "header is malformed"},
    {HEADER("'123456789012345678901234567890123456'", "False", "(4,)"),
     "dtype '1234567890123456789012345678...'"},
    {HEADER("[('a', '<f4'), ('b', '<i4')]", "False", "(4,)"),
     "a structured dtype is not supported"},
    {HEADER("('<f4', (2,))", "False", "(4,)"), "a structured dtype is not supported"},
    {HEADER("<f4", "False", "(4,)"), "header is malformed"},
    {HEADER("'<f4", "False", "(4,)"), "header is malformed"},
    {HEADER("'\\x3cf4'", "False", "(4,)"), "header is malformed"},
    {HEADER("'<f4'", "0", "(4,)"), "header is malformed"},
    {HEADER("'<f4'", "Falsehood", "(4,)"), "header is malformed"},
    {HEADER("'<f4'", "False", "(4)"), "header is malformed"},
    {HEADER("'<f4'", "False", "4"), "header is malformed"},
    {HEADER("'<f4'", "False", "(,)"), "header is malformed"},
    {HEADER("'<f4'", "False", "(4,,)"), "header is malformed"},
    {HEADER("'<f4'", "False", "(2 2)"), "header is malformed"},
    {HEADER("'<f4'", "False", "(04,)"), "header is malformed"},
    {HEADER("'<f4'", "False", "(4.0,)"), "header is malformed"},
    {HEADER("'<f4'", "False", "(0x4,)"), "header is malformed"},
    {HEADER("'<f4'", "False", "(4,"), "header is malformed"},
    {HEADER("'<f4'", "False", "(-4,)"), "has what is not a length"},
    {HEADER("'<f4'", "False", "(4294967296, 4294967296)"), "its shape is too large"},
    {HEADER("'<f4'", "False", "(9223372036854775808,)"), "header is malformed"},
    {HEADER("'<f4'", "False", "(4611686018427387904,)"), "its size overflows 64 bits"},
    {"{'descr': '<f4', 'fortran_order': False, }", "lacks the key 'shape'"},
    {"{'descr': '<f4', 'shape': (4,), }", "lacks the key 'fortran_order'"},
    {"{'fortran_order': False, 'shape': (4,), }", "lacks the key 'descr'"},
    {"{}", "lacks the key 'descr'"},
    {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (4,)}",
     "header is malformed"},
    {"{'descr': '<f4', 'order': 1, 'fortran_order': False, 'shape': (4,)}",
     "has the unknown key 'order'"},
    {"{'descr': '<f4' 'fortran_order': False, 'shape': (4,)}", "header is malformed"},
    {"{'descr' '<f4', 'fortran_order': False, 'shape': (4,)}", "header is malformed"},
    {"{descr: '<f4', 'fortran_order': False, 'shape': (4,)}", "header is malformed"},
    {"{,}", "header is malformed"},
    {HEADER_OF_FOUR "x", "header is malformed"},
    {HEADER_OF_FOUR "{}", "header is malformed"},
    {"('descr', '<f4')", "header is malformed"},
    {"", "header is malformed"},
    {"{", "header is malformed"},
    {"{'descr", "header is malformed"},
};
enum { N_BAD = sizeof bad_headers / sizeof *bad_headers };

TEST_LOOP(header_is_refused, 0, N_BAD) {
  for (int major = 1; major <= 3; major++) {
    bytes file;
    make_npy(&file, major, bad_headers[_i].header, 64, four, sizeof four);
    expect_refusal(write_file("bad.npy", file.at, file.length), 0, RH_E_FILE, bad_headers[_i].part);
  }
}

TEST(nul_in_header_is_refused) {
  bytes file = file_of_four();
  file.at[100] = 0; /* among the padding */
  expect_refusal(write_file("nul.npy", file.at, file.length), 0, RH_E_FILE, "header is malformed");
}

TEST(version_is_refused) {
  static const unsigned char versions[][2] = {{0, 0}, {4, 0}, {1, 1}, {255, 255}};
  static const char *const parts[] = {"version 0.0 is", "version 4.0 is", "version 1.1 is",
                                      "version 255.255 is not supported; supported: 1.0 2.0 3.0"};
  for (int k = 0; k < 4; k++) {
    bytes file = file_of_four();
    memcpy(file.at + 6, versions[k], 2);
    expect_refusal(write_file("version.npy", file.at, file.length), 0, RH_E_FILE, parts[k]);
  }
}

TEST(header_longer_than_file_is_refused) {
  bytes file = file_of_four();
  file.at[8] = file.at[9] = 0xff;
  expect_refusal(write_file("long.npy", file.at, file.length), 0, RH_E_FILE,
                 "ends within its .npy header: 144 bytes of at least 65545; is the copy complete?");
  append_preamble(&file, 2, 0xffffffffu);
  append(&file, HEADER_OF_FOUR, strlen(HEADER_OF_FOUR));
  expect_refusal(write_file("long.npy", file.at, file.length), 0, RH_E_FILE,
                 "of at least 4294967307");
}

/* fuzz.npy has the same at the end of memory, and headers of which any byte is another one. */
TEST_LOOP(every_prefix_is_refused, 1, 4) {
  bytes file;
  make_npy(&file, _i, HEADER_OF_FOUR, 64, four, sizeof four);
  for (size_t length = 0; length < file.length; length++) {
    rh_npy npy;
    ck_assert_uint_ge(rh_npy_wanted(file.at, length), 12);
    rh_status status = rh_npy_parse(&npy, file.at, length, "x.npy", &error);
    ck_assert_int_eq(status, length < 128 ? RH_E_FILE : RH_OK);
    const char *part = length == 0    ? "is empty"
                       : length < 6   ? "not a .npy file"
                       : length < 128 ? "ends within its .npy header"
                                      : "shape (4,) of f32 needs 16 bytes, only ";
    expect_refusal(write_file("prefix.npy", file.at, length), 0, RH_E_FILE, part);
  }
}

/* The length field matches, so the parser meets the end at every character.  Behind it is a page
 * that cannot be read. */
TEST(every_cut_header_is_refused) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  unsigned char *pages =
      mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ck_assert(pages != MAP_FAILED && mprotect(pages + page, page, PROT_NONE) == 0);
  for (size_t cut = 0; cut < strlen(HEADER_OF_FOUR); cut++) {
    bytes file;
    rh_npy npy;
    append_preamble(&file, 1, cut);
    append(&file, HEADER_OF_FOUR, cut);
    const void *data = memcpy(pages + page - file.length, file.at, file.length);
    ck_assert_int_eq(rh_npy_parse(&npy, data, file.length, "x.npy", &error), RH_E_FILE);
    ck_assert_uint_gt(strlen(error.message), 10);
  }
  munmap(pages, 2 * page);
}
