/* host/engine/io: standard input, from pipes and files. */
#include "../suite/suite.h"
#include "io_support.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/time.h>

TEST(raw_from_a_pipe_grows) {
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

TEST(closed_input_is_refused) {
  rh_array array;
  put_on_input(STDIN_FILENO);
  close(STDIN_FILENO);
  rh_status status = rh_array_open(&array, "-", 0, NULL, &error);
  restore_input();
  must_fail(status, RH_E_FILE, "-: no data on standard input, which is closed");
}

static void expect_refused(const char *path, rh_type type, const char *part) {
  rh_array array;
  put_on_input(open(path, O_RDONLY | O_NOCTTY));
  rh_status status = rh_array_open(&array, "-", type, NULL, &error);
  restore_input();
  must_fail(status, RH_E_FILE, part);
}

/* An endless stream, as soon as its first bytes allow; a directory; a terminal. */
TEST(what_is_no_data_is_refused) {
  expect_refused("/dev/zero", 0, "raw data needs an element type");
  expect_refused(directory, RH_TYPE_u8, "-: cannot be read: Is a directory");
  int master = posix_openpt(O_RDWR | O_NOCTTY);
  if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) return; /* none here */
  expect_refused(ptsname(master), 0, "standard input is a terminal; pipe the data in");
  close(master);
}

TEST(file_on_input_is_mapped) {
  bytes file = file_of_four();
  rh_array array;
  said heard = {0};
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

TEST(non_blocking_input_is_waited_for) {
  bytes file = file_of_four();
  rh_array array;
  pid_t child = feed(file.at, file.length, 40, 20000);
  fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK);
  expect_open(&array, "-", 0, NULL);
  expect_content(&array, RH_TYPE_f32, four, 4);
  end_feed(child);
}

static void ignore_alarm(int number) { (void)number; }

TEST(signals_do_not_disturb_reading) {
  struct sigaction action = {.sa_handler = ignore_alarm}; /* no SA_RESTART: read() gives EINTR */
  const struct itimerval often = {{0, 5000}, {0, 5000}}, never = {{0, 0}, {0, 0}};
  bytes file = file_of_four();
  rh_array array;
  said heard = {0};
  pid_t child = feed(file.at, file.length, 40, 20000);
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &often, NULL);
  expect_open(&array, "-", 0, &heard);
  setitimer(ITIMER_REAL, &never, NULL);
  ck_assert_int_ge(heard.reports, 3); /* asked at every signal whether to go on */
  expect_content(&array, RH_TYPE_f32, four, 4);
  end_feed(child);
}

TEST(reading_can_be_cancelled) {
  rh_array array;
  said heard = {.cancel = 1};
  rh_reporter reporter = reporter_to(&heard);
  pid_t child = feed(four, sizeof four, 16, 0);
  must_fail(rh_array_open(&array, "-", RH_TYPE_f32, &reporter, &error), RH_E_CANCELLED,
            "reading: cancelled");
  ck_assert_ptr_null(array.region.address);
  end_feed(child);
}
