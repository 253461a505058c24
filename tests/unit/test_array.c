/* host/engine/io/array.c: .npy and raw files. */
#include "../suite/suite.h"
#include "io_support.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

/* ---- Files ---- */

TEST(npy_file_is_mapped) {
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

TEST(npy_without_its_suffix_is_npy) {
  bytes file;
  rh_array array;
  make_four(&file);
  expect_open(&array, write_file("four.bin", file.at, file.length), RH_TYPE_f32, NULL);
  expect_content(&array, RH_TYPE_f32, four, 4);
}

TEST(scalar_and_empty_shapes) {
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

TEST(fortran_order_needs_two_dimensions) {
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

TEST(other_byte_order_is_turned) {
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

TEST(misaligned_data_is_copied) {
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

TEST(more_than_the_data_is_warned_of) {
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

TEST(raw_file_is_mapped) {
  rh_array array;
  expect_open(&array, write_file("data.bin", four, sizeof four), RH_TYPE_f32, NULL);
  ck_assert_uint_eq(array.dimensions, 1);
  ck_assert_str_eq(array.shape, "");
  expect_content(&array, RH_TYPE_f32, four, 4);
  expect_open(&array, write_file("data.bin", four, 1), RH_TYPE_u8, NULL);
  expect_content(&array, RH_TYPE_u8, four, 1);
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

TEST(wrong_type_is_a_usage_error) {
  bytes file;
  make_npy(&file, 1, HEADER("'<f8'", "False", "(2,)"), 64, four, sizeof four);
  const char *path = write_file("x.npy", file.at, file.length);
  expect_refusal(path, RH_TYPE_f32, RH_E_USAGE, "x.npy: holds f64, but f32 was requested");
  expect_refusal(path, 99, RH_E_USAGE, "type number 99 is unknown");
}

TEST(short_data_is_refused) {
  bytes file;
  make_four(&file);
  expect_refusal(write_file("short.npy", file.at, file.length - 1), 0, RH_E_FILE,
                 "shape (4,) of f32 needs 16 bytes, only 15 are there; is the copy complete?");
  make_npy(&file, 1, HEADER("'>f8'", "False", "(2305843009213693951,)"), 64, four, sizeof four);
  expect_refusal(write_file("short.npy", file.at, file.length), 0, RH_E_FILE,
                 "needs 18446744073709551608 bytes, only 16 are there");
}

TEST(raw_is_refused) {
  static const char data[1003] = "x";
  const char *path = write_file("data.bin", data, sizeof data);
  expect_refusal(path, RH_TYPE_f32, RH_E_FILE,
                 "data.bin: 1003 bytes is not a multiple of 4, the size of f32");
  expect_refusal(path, 0, RH_E_FILE,
                 "data.bin: is not a .npy file; raw data needs an element type");
  expect_refusal(write_file("data.npy", data, sizeof data), 0, RH_E_FILE, "not a .npy file");
  expect_refusal(write_file("x.npz", "PK\3\4....", 8), 0, RH_E_FILE,
                 "x.npz: is a ZIP archive, as .npz files are; extract the .npy file first");
  expect_refusal(write_file("p.bin", "PK\3", 3), 0, RH_E_FILE, "p.bin: is not a .npy file");
}

TEST(empty_and_tiny_files_are_refused) {
  expect_refusal(write_file("empty.npy", "", 0), 0, RH_E_FILE, "empty.npy: is empty");
  expect_refusal(write_file("empty.bin", "", 0), RH_TYPE_f32, RH_E_FILE, "empty.bin: is empty");
  expect_refusal(write_file("one.npy", "\x93", 1), 0, RH_E_FILE, "one.npy: is not a .npy file");
  expect_refusal(write_file("one.bin", "\x93", 1), 0, RH_E_FILE, "raw data needs an element type");
  expect_refusal(write_file("one.bin", "\x93", 1), RH_TYPE_f16, RH_E_FILE,
                 "1 bytes is not a multiple of 2");
  expect_refusal(write_file("magic.bin", "\x93NUMPY", 6), RH_TYPE_f16, RH_E_FILE,
                 "ends within its .npy header: 6 bytes of at least 12");
}

TEST(what_is_no_file_is_refused) {
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
  ck_assert_ptr_nonnull(strstr(error.message, "xe.npy: cannot be opened: File name too long"));
}

/* ---- Standard input ---- */

/* The contents decide, not the file name: a pipe has no name. */
TEST(raw_data_may_be_called_npy) {
  rh_array array;
  const char *path = write_file("data.npy", four, sizeof four);
  expect_open(&array, path, RH_TYPE_f32, NULL);
  expect_content(&array, RH_TYPE_f32, four, 4);
}

/* A byte lost, prepended or changed: neither an array nor raw data, from any source. */
TEST(a_damaged_magic_is_no_raw_data) {
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

/* The first byte of the data could be part of the header. */
TEST(a_length_that_is_wrong_by_one_is_refused) {
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
