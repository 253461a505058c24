/* host/engine/io/npy.c, feed.c: .npy and raw files. */
#include "../suite/suite.h"
#include "io_support.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

/* ---- From a file and from a pipe ---- */

/* A file of raw data has no header. */
static void make_file(bytes *file, const char *header, size_t alignment, const void *data,
                      size_t data_bytes) {
  file->length = 0;
  if (header) make_npy(file, 1, header, alignment, data, data_bytes);
  else append(file, data, data_bytes);
}

static const unsigned char turned[] = {1,    2,    3,    4,    5,    6,    7,    8,
                                       0xff, 0xfe, 0xfd, 0xfc, 0xfb, 0xfa, 0xf9, 0xf8};
static const uint16_t of_two[] = {0x0102, 0x0304, 0x0506, 0x0708};
static const uint32_t of_four[] = {0x01020304, 0x05060708};
static const uint64_t of_eight[] = {0x0102030405060708, 0xfffefdfcfbfaf9f8};

static const struct {
  const char *header;
  size_t alignment;
  rh_type asked, type;
  const void *data, *content;
  uint64_t n;
  uint32_t dimensions, fortran_order;
  const char *shape;
} arrays[] = {
    {HEADER_OF_FOUR, 64, 0, RH_TYPE_f32, four, four, 4, 1, 0, "(4,)"},
    {HEADER_OF_FOUR, 1, RH_TYPE_f32, RH_TYPE_f32, four, four, 4, 1, 0, "(4,)"},
    {HEADER("'<f4'", "False", "()"), 64, 0, RH_TYPE_f32, four, four, 1, 0, 0, "()"},
    {HEADER("'=f4'", "True", "(2, 2)"), 16, 0, RH_TYPE_f32, four, four, 4, 2, 1, "(2, 2)"},
    {HEADER("'<f4'", "True", "(4,)"), 64, 0, RH_TYPE_f32, four, four, 4, 1, 0, "(4,)"},
    {HEADER("'>f4'", "True", "(0, 3)"), 64, 0, RH_TYPE_f32, four, four, 0, 2, 1, "(0, 3)"},
    {HEADER("'>u1'", "False", "(4,)"), 64, 0, RH_TYPE_u8, turned, turned, 4, 1, 0, "(4,)"},
    {HEADER("'>u2'", "False", "(4,)"), 64, 0, RH_TYPE_u16, turned, of_two, 4, 1, 0, "(4,)"},
    {HEADER("'>u4'", "False", "(2,)"), 64, 0, RH_TYPE_u32, turned, of_four, 2, 1, 0, "(2,)"},
    {HEADER("'>u4'", "False", "(2,)"), 1, 0, RH_TYPE_u32, turned, of_four, 2, 1, 0, "(2,)"},
    {HEADER("'>u8'", "False", "(2,)"), 64, 0, RH_TYPE_u64, turned, of_eight, 2, 1, 0, "(2,)"},
    {NULL, 0, RH_TYPE_f32, RH_TYPE_f32, four, four, 4, 1, 0, ""},
    {NULL, 0, RH_TYPE_u8, RH_TYPE_u8, four, four, 1, 1, 0, ""},
};
enum { N_ARRAYS = sizeof arrays / sizeof *arrays };

/* The contents decide, not the file's name.  Elements that lie as they are wanted are used where
 * they are: the file is mapped.  The first array comes byte by byte. */
TEST_LOOP(arrays_are_opened, 0, N_ARRAYS) {
  const size_t size = rh_type_size(arrays[_i].type), data_bytes = size * arrays[_i].n;
  bytes file;
  make_file(&file, arrays[_i].header, arrays[_i].alignment, arrays[_i].data, data_bytes);
  const uint64_t start = file.length - data_bytes;
  const int is_aligned = start % size == 0;
  const int is_turned = arrays[_i].header && strstr(arrays[_i].header, "'>") && size > 1;
  for (int way = 0; way < 3; way++) {
    rh_array array;
    said heard = {0};
    const char *name =
        way == 2 ? "-" : write_file(way == 0 ? "x.npy" : "x.bin", file.at, file.length);
    pid_t child = way < 2 ? 0 : feed(file.at, file.length, _i ? file.length : 1, _i ? 0 : 100);
    expect_open(&array, name, arrays[_i].asked, &heard);
    ck_assert_uint_eq(array.offset_bytes, is_aligned && (!is_turned || way == 2) ? start : 0);
    ck_assert_uint_eq(array.dimensions, arrays[_i].dimensions);
    ck_assert_uint_eq(array.fortran_order, arrays[_i].fortran_order);
    ck_assert_str_eq(array.shape, arrays[_i].shape);
    ck_assert_int_eq(heard.warnings, 0);
    if (way == 2) ck_assert_str_eq(heard.phase, "reading");
    if (way == 2) ck_assert_uint_eq(array.region.bytes, (uint64_t)sysconf(_SC_PAGESIZE));
    expect_content(&array, arrays[_i].type, arrays[_i].content, arrays[_i].n);
    if (child) end_feed(child);
  }
}

static const struct {
  const char *header;
  const void *data;
  size_t bytes;
  rh_type asked;
  rh_status status;
  const char *part;
} refused[] = {
    {HEADER_OF_FOUR, four, 15, 0, RH_E_FILE,
     "shape (4,) of f32 needs 16 bytes, only 15 are there; is the copy complete?"},
    {HEADER("'>f8'", "False", "(2305843009213693951,)"), four, 16, 0, RH_E_FILE,
     "needs 18446744073709551608 bytes, only 16 are there"},
    {HEADER("'<f8'", "False", "(2,)"), four, 16, RH_TYPE_f32, RH_E_USAGE,
     ": holds f64, but f32 was requested"},
    {NULL, four, 16, 99, RH_E_USAGE, "type number 99 is unknown"},
    {NULL, four, 15, RH_TYPE_f32, RH_E_FILE, ": 15 bytes is not a multiple of 4, the size of f32"},
    {NULL, four, 15, 0, RH_E_FILE, ": is not a .npy file; raw data needs an element type"},
    {NULL, "PK\3\4....", 8, 0, RH_E_FILE,
     ": is a ZIP archive, as .npz files are; extract the .npy file first"},
    {NULL, "PK\3", 3, 0, RH_E_FILE, ": is not a .npy file"},
    {NULL, "\x93", 1, 0, RH_E_FILE, ": is not a .npy file; raw data needs an element type"},
    {NULL, "\x93", 1, RH_TYPE_f16, RH_E_FILE, "1 bytes is not a multiple of 2"},
    {NULL, "\x93NUMPY", 6, RH_TYPE_f16, RH_E_FILE,
     "ends within its .npy header: 6 bytes of at least 12"},
    {NULL, "\x93NUMPY\1\0\x76\0{}", 12, 0, RH_E_FILE, "header: 12 bytes of at least 128"},
    {NULL, "\x93NUMPY\4\0\2\0{}", 12, 0, RH_E_FILE, "version 4.0 is not supported"},
};
enum { N_REFUSED = sizeof refused / sizeof *refused };

TEST_LOOP(contents_are_refused, 0, N_REFUSED) {
  bytes file;
  make_file(&file, refused[_i].header, 64, refused[_i].data, refused[_i].bytes);
  expect_refusal(write_file("x.bin", file.at, file.length), refused[_i].asked, refused[_i].status,
                 refused[_i].part);
  expect_refused_input(file.at, file.length, refused[_i].asked, refused[_i].status,
                       refused[_i].part);
}

TEST(nothing_is_refused) {
  for (rh_type asked = 0; asked < 2; asked++) {
    expect_refusal(write_file("empty.npy", "", 0), asked, RH_E_FILE, "empty.npy: is empty");
    expect_refused_input("", 0, asked, RH_E_FILE, "-: no data on standard input");
  }
}

TEST(more_than_the_data_is_warned_of) {
  bytes file = file_of_four();
  rh_array array;
  said heard = {0};
  append(&file, "more", 4);
  expect_open(&array, write_file("more.npy", file.at, file.length), 0, &heard);
  ck_assert_int_eq(heard.warnings, 1);
  assert_says(heard.text, "more.npy: 4 bytes after the data are ignored");
  expect_content(&array, RH_TYPE_f32, four, 4);
  pid_t child = feed(file.at, file.length, file.length, 0);
  expect_open(&array, "-", 0, &heard);
  ck_assert_int_eq(heard.warnings, 2);
  ck_assert_str_eq(heard.text, "-: bytes after the data are ignored");
  expect_content(&array, RH_TYPE_f32, four, 4);
  end_feed(child);
}

/* ---- Files ---- */

TEST(copying_can_be_cancelled) {
  bytes file;
  rh_array array;
  said heard = {.cancel = 1};
  rh_reporter reporter = reporter_to(&heard);
  make_npy(&file, 1, HEADER("'>f4'", "False", "(4,)"), 64, four, sizeof four);
  const char *path = write_file("b.npy", file.at, file.length);
  ck_assert_int_eq(rh_array_open(&array, path, 0, &reporter, &error), RH_E_CANCELLED);
  ck_assert_ptr_null(array.region.address);
}

TEST(raw_file_beyond_4_gib) {
  const char *path = write_file("large.bin", "", 0);
  rh_array array;
  if (truncate(path, (off_t)5 << 30) != 0) return; /* a file system without holes */
  expect_open(&array, path, RH_TYPE_u8, NULL);
  ck_assert_uint_eq(array.n, (uint64_t)5 << 30);
  ck_assert_uint_eq(((const uint8_t *)rh_array_data(&array))[array.n - 1], 0);
  rh_array_finish(&array);
  ck_assert_int_eq(truncate(path, 0), 0);
}

/* ---- Files that are refused ---- */

TEST(what_is_no_file_is_refused) {
  expect_refusal(in_dir("missing.npy"), 0, RH_E_FILE, "cannot be opened: No such file");
  expect_refusal(in_dir("missing/x.npy"), 0, RH_E_FILE, "cannot be opened: No such file");
  expect_refusal(directory, RH_TYPE_u8, RH_E_FILE, "is a directory; name a file in it");
  const char *path = in_dir("loop.npy");
  ck_assert_int_eq(symlink("loop.npy", path), 0);
  expect_refusal(path, 0, RH_E_FILE, "cannot be opened: Too many levels of symbolic links");
  path = in_dir("fifo.npy");
  ck_assert_int_eq(mkfifo(path, 0600), 0);
  expect_refusal(path, RH_TYPE_u8, RH_E_FILE, "fifo.npy: is a FIFO; pipe it in with `-`");
  expect_refusal("/dev/zero", RH_TYPE_u8, RH_E_FILE, "/dev/zero: is a device; pipe it in with `-`");
  expect_refusal("/proc/self/status", RH_TYPE_u8, RH_E_FILE,
                 "/proc/self/status: has no size, as files in /proc; pipe it in with `-`");
  if (access("/sys/devices/system/cpu/online", R_OK) == 0)
    expect_refusal("/sys/devices/system/cpu/online", RH_TYPE_u8, RH_E_FILE, "although it has 4096");
}

TEST(socket_is_refused) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", directory);
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
  expect_refusal(address.sun_path, RH_TYPE_u8, RH_E_FILE, "is a socket; pipe it in with `-`");
  close(fd);
}

TEST(unreadable_file_is_refused) {
  const char *path = write_file("secret.npy", "x", 1);
  uid_t user = geteuid();
  ck_assert_int_eq(chmod(path, 0), 0);
  if (user == 0) ck_assert_int_eq(seteuid(65534), 0); /* root reads everything */
  expect_refusal(path, 0, RH_E_FILE, "secret.npy: cannot be opened: Permission denied");
  ck_assert_int_eq(seteuid(user), 0);
}

TEST(strange_names_are_made_printable) {
  char path[6000];
  rh_array array;
  ck_assert_int_eq(rh_array_open(&array, "a\nb\x1b", 0, NULL, &error), RH_E_FILE);
  ck_assert_str_eq(error.message, "a?b?: cannot be opened: No such file or directory");
  ck_assert_int_eq(rh_array_open(&array, "", 0, NULL, &error), RH_E_FILE);
  ck_assert_str_eq(error.message, "'': cannot be opened: No such file or directory");
  memset(path, 'x', sizeof path);
  memcpy(path + sizeof path - 6, "e.npy", 6);
  ck_assert_int_eq(rh_array_open(&array, path, 0, NULL, &error), RH_E_FILE);
  ck_assert_msg(strncmp(error.message, "...xxx", 6) == 0, "%s", error.message);
  assert_says(error.message, "xe.npy: cannot be opened: File name too long");
}

/* ---- Damaged headers ---- */

/* A byte lost, prepended or changed: neither an array nor raw data, from any source. */
TEST(a_damaged_magic_is_no_raw_data) {
  bytes file = file_of_four();
  static const char damaged[] = "is a damaged .npy file";
  expect_refusal(write_file("x.bin", file.at + 1, file.length - 1), RH_TYPE_u8, RH_E_FILE, damaged);
  expect_refused_input(file.at + 1, file.length - 1, RH_TYPE_u8, RH_E_FILE, damaged);
  memmove(file.at + 3, file.at, file.length);
  memcpy(file.at, "\xef\xbb\xbf", 3);
  expect_refusal(write_file("x.bin", file.at, file.length), RH_TYPE_u8, RH_E_FILE, damaged);
  expect_refused_input(file.at, file.length, RH_TYPE_u8, RH_E_FILE, damaged);
  file = file_of_four();
  for (int k = 0; k < 6; k++) {
    file.at[k] ^= 0x20;
    expect_refusal(write_file("x.bin", file.at, file.length), RH_TYPE_u8, RH_E_FILE, damaged);
    file.at[k] ^= 0x20;
  }
}

/* The first byte of the data could be part of the header. */
TEST(a_length_that_is_wrong_by_one_is_refused) {
  static const char firsts[] = " \t\r\0x";
  for (size_t k = 0; k < sizeof firsts - 1; k++) {
    for (int by = -1; by <= 1; by += 2) {
      bytes file = file_of_four();
      file.at[128] = (unsigned char)firsts[k];
      file.at[8] = (unsigned char)(file.at[8] + by);
      file.at[file.length++] = 0;
      expect_refusal(write_file("x.npy", file.at, file.length), 0, RH_E_FILE, "malformed");
      expect_refused_input(file.at, file.length, 0, RH_E_FILE, "malformed");
    }
  }
}

TEST(a_file_that_changes_is_noticed) {
  FINISHED(rh_array) array = {0};
  char path[512];
  snprintf(path, sizeof path, "%s", write_file("raw.bin", four, sizeof four));
  const off_t sizes[] = {12, 20, 0};
  static const char *const words[] = {"was cut short while it was being read: 16 bytes, then 12",
                                      "grew while it was being read: 16 bytes, then 20",
                                      "was cut short"};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    write_file("raw.bin", four, sizeof four);
    must(rh_array_open(&array, path, RH_TYPE_f32, NULL, &error));
    must(rh_array_check_unchanged(&array, path, &error));
    ck_assert_int_eq(truncate(path, sizes[k]), 0);
    must_fail(rh_array_check_unchanged(&array, path, &error), RH_E_FILE, words[k]);
    rh_array_finish(&array);
  }
  write_file("raw.bin", four, sizeof four);
  must(rh_array_open(&array, path, RH_TYPE_f32, NULL, &error));
  ck_assert_int_eq(utimensat(AT_FDCWD, path, (struct timespec[]){{1, 0}, {1, 0}}, 0), 0);
  must_fail(rh_array_check_unchanged(&array, path, &error), RH_E_FILE, "was written to");
}
