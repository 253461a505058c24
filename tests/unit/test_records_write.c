/* host/tools/records: written files are read back.
 *
 * test_records_write --write DIRECTORY writes the tests' sample records in every format, for
 * tests/cli/test_results.py. */
#include "records_support.h"

#include <locale.h>
#include <sys/stat.h>

/* ---- Sample results ---- */

static rh_records read_back(const char *path) {
  rh_records results;
  must(rh_records_read(path, &results, &error));
  return results;
}

/* ---- Round trips ---- */

static void assert_same_file(const char *one, const char *other) {
  size_t n_one, n_other;
  char *a = contents(one, &n_one), *b = contents(other, &n_other);
  size_t k = 0;
  while (k < n_one && a[k] == b[k]) k++;
  ck_assert_msg(n_one == n_other && k == n_one, "from byte %zu on: %.100s\nnot %.100s", k, b + k,
                a + k);
  free(a);
  free(b);
}

static void assert_round_trip(const char *first, const char *second) {
  FINISHED(rh_records) results = made_up();
  export(&results, in_dir(first));
  FINISHED(rh_records) again = read_back(in_dir(first));
  ck_assert_uint_eq(again.n_rows, results.n_rows);
  export(&again, in_dir(second));
  assert_same_file(in_dir(first), in_dir(second));
}

TEST(written_and_read_and_written_is_the_same) {
  assert_round_trip("a.json", "b.json");
  assert_round_trip("a.jsonl", "b.jsonl");
  FINISHED(rh_records) again = read_back(in_dir("a.json"));
  export(&again, in_dir("c.jsonl"));
  assert_same_file(in_dir("a.jsonl"), in_dir("c.jsonl"));
}

TEST(csv_has_its_columns_for_ever) {
  static const char *const begin =
      "device,strategy,op,type,n,bytes,params,params_from,status,reason,time_s_median,"
      "time_s_ci95_low,"
      "time_s_ci95_high,time_s_mean,time_s_min,time_s_max,time_s_q1,time_s_q3,time_s_mad,"
      "time_s_samples,"
      "time_s_batch,time_s_rounds,time_s_raw,latency_s_median,latency_s_ci95_low,"
      "latency_s_ci95_high,"
      "latency_s_mean,latency_s_min,latency_s_max,latency_s_q1,latency_s_q3,latency_s_mad,"
      "latency_s_samples,"
      "latency_s_outliers,host_batch_s,elements_per_s,bytes_per_s,peak_fraction,setup_s_build,"
      "setup_s_build_cached,setup_s_upload,setup_s_setup,check_value,check_reference,"
      "check_error_ulp,"
      "check_bound_fraction,check_ok,flags,outliers,passes,peer,parts,host_share_s,finishes_on,"
      "reproducible";
  FINISHED(rh_records) results = made_up();
  size_t length;
  export(&results, in_dir("a.csv"));
  char *text = contents(in_dir("a.csv"), &length);
  ck_assert(strncmp(text, begin, strlen(begin)) == 0); /* new ones only behind these */
  assert_says(text, "\n1:0,two-stage,sum,f32,16777216,67108864,tile=256 finish=device "
                    "skew=-3 odd=007,user,ok,,2.143e-05,");
  assert_says(text, ",47,2.1e-05 2.2e-05 0.1 0.3333333333333333 2e-05,2.143e-05 3,");
  assert_says(text, ",wrong,\"got 3, \"\"exact\"\" 4\nand so on\",,,,");
  assert_says(text, ",noisy timed_out throttled host_timer,3,2,false,tiles=1e-06 read=2e-06,");
  ck_assert_ptr_null(strstr(text, "nan"));
  free(text);
}

TEST(markdown_is_the_table) {
  FINISHED(rh_records) results = made_up();
  size_t length;
  export(&results, in_dir("a.md"));
  char *text = contents(in_dir("a.md"), &length);
  ck_assert_str_eq(
      text,
      "### sum f32 on 1:0 NVIDIA H200, driver 580, cold input, read peak 4584 GB/s\n\n"
      "| n | STRATEGY | TIME | +- | Gelem/s | GB/s | PEAK | LATENCY |  |\n"
      "|--:|:--|--:|--:|--:|--:|--:|--:|:--|\n"
      "| 2^12 | cub | 2.5 us | 0.2 % | 1.64 | 6.55 |  |  | best peer |\n"
      "| 2^12 | one-pass | 2.6 us | 0.2 % | 1.58 | 6.3 |  |  | 1.04x |\n"
      "| 2^12 | two-stage | 4.8 us | 0.2 % | 0.853 | 3.41 |  |  | 1.92x |\n"
      "| 2^24 | two-stage | 21.4 us | 0.1 % | 783 | 3132 | 68 % | 35.8 us | best \\~!^h |\n"
      "| 2^24 | serial | wrong |  |  |  |  |  | got 3, \"exact\" 4?and so on |\n"
      "| 2^24 | tree | unsupported |  |  |  |  |  | no sub-groups |\n"
      "| 2^24 | atomic | failed |  |  |  |  |  | CL\\_OUT\\_OF\\_RESOURCES \\| -5 |\n"
      "| 2^24 | chunk | skipped |  |  |  |  |  | interrupted |\n"
      "\nbest: one-pass to 2^12, two-stage above.  with peers: cub to 2^12, two-stage above.\n\n"
      "~ noisy (IQR > 5 %), ! stopped by --max-time, interval over +-2 %, ^ throttled, h by the "
      "host's clock.  "
      "4.1 s, 8 points, 20-36 samples each, 4 without a time.\n");
  free(text);
}

/* A driver's or a plugin's setlocale() must not put commas into numbers. */
TEST(the_locale_changes_nothing) {
  static const char *const names[] = {"l.json", "l.jsonl", "l.csv", "l.md"};
  char command[256], german[64], before[64];
  FINISHED(rh_records) results = made_up();
  for (int k = 0; k < 4; k++) export(&results, in_dir(names[k]));
  snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 2>/dev/null",
           directory);
  if (system(command) != 0 || setenv("LOCPATH", directory, 1) != 0 ||
      !setlocale(LC_ALL, "de_DE.UTF-8")) {
    fprintf(stderr, "no German locale here (Debian's package locales): left out\n");
    rh_records_finish(&results);
    return;
  }
  snprintf(german, sizeof german, "%.1f", 0.5);
  ck_assert_str_eq(german, "0,5");
  for (int k = 0; k < 4; k++) {
    snprintf(before, sizeof before, "%s", names[k]);
    snprintf(german, sizeof german, "de-%s", names[k]);
    export(&results, in_dir(german));
    assert_same_file(in_dir(before), in_dir(german));
  }
  FINISHED(rh_records) again = read_back(in_dir("l.json"));
  ck_assert(again.rows[0].time.median == 2.143e-5);
}

/* ---- Files ---- */

TEST(files_are_whole_or_not_there) {
  FINISHED(rh_records) results = made_up();
  struct stat info;
  ck_assert_int_eq(rh_records_export(&results, in_dir("x.foo"), &error), RH_E_USAGE);
  ck_assert_int_eq(rh_records_export(&results, in_dir("none/x.json"), &error), RH_E_FILE);
  ck_assert_int_eq(rh_records_check_path(in_dir("none/x.json"), &error), RH_E_FILE);
  ck_assert_int_eq(rh_records_check_path(directory, &error), RH_E_FILE);
  must(rh_records_check_path(in_dir("new.json"), &error));
  ck_assert_int_ne(access(in_dir("new.json"), F_OK), 0);
  write_file("old.json", "old", 3);
  must(rh_records_check_path(in_dir("old.json"), &error));
  ck_assert(stat(in_dir("old.json"), &info) == 0 && info.st_size == 3);
  ck_assert_int_eq(symlink("old.json", in_dir("link.json")), 0);
  export(&results, in_dir("link.json"));
  ck_assert(lstat(in_dir("link.json"), &info) == 0 && S_ISLNK(info.st_mode));
  mode_t mask = umask(022);
  export(&results, in_dir("mode.json"));
  umask(mask);
  ck_assert(stat(in_dir("mode.json"), &info) == 0 && (info.st_mode & 0777) == 0644);
  export(&results, in_dir("old2.json"));
  assert_same_file(in_dir("old.json"), in_dir("old2.json"));
}

TEST(what_is_no_file_is_written_to) {
  FINISHED(rh_records) results = made_up();
  struct stat info;
  ck_assert_int_eq(symlink("/dev/null", in_dir("null.json")), 0);
  ck_assert_int_eq(symlink("/dev/full", in_dir("full.json")), 0);
  export(&results, in_dir("null.json"));
  ck_assert(stat("/dev/null", &info) == 0 && S_ISCHR(info.st_mode));
  must_fail(rh_records_export(&results, in_dir("full.json"), &error), RH_E_FILE, "No space left");
}

TEST(jsonl_grows_and_goes_on) {
  FINISHED(rh_records) results = made_up();
  FILE *file;
  char path[512];
  export(&results, in_dir("whole.jsonl"));
  snprintf(path, sizeof path, "%s", in_dir("grown.jsonl"));
  must(rh_jsonl_begin(&file, path, &results, 0, &error));
  for (uint32_t k = 0; k < 3; k++) must(rh_jsonl_add(file, &results.rows[k], path, &error));
  FINISHED(rh_records) so_far = read_back(path); /* each row is there at once */
  ck_assert_uint_eq(so_far.n_rows, 3);
  rh_records_finish(&so_far);
  fputs("{\"device\": \"1:0\", \"strat", file); /* interrupted */
  fclose(file);
  must(rh_records_read(path, &so_far, &error));
  ck_assert(so_far.n_rows == 3 && so_far.are_lines && so_far.is_cut);
  must(rh_jsonl_begin(&file, path, &so_far, so_far.whole_bytes, &error));
  for (uint32_t k = 3; k < results.n_rows; k++)
    must(rh_jsonl_add(file, &results.rows[k], path, &error));
  fclose(file);
  assert_same_file(path, in_dir("whole.jsonl"));
}

static int write_all(const char *into) {
  rh_records results = made_up();
  char path[512];
  int failed = 0;
  static const char *const endings[] = {".json", ".jsonl", ".csv", ".md"};
  for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
    snprintf(path, sizeof path, "%s/made-up%s", into, endings[k]);
    failed |= rh_records_export(&results, path, &error) != RH_OK;
  }
  if (failed) fprintf(stderr, "%s\n", error.message);
  rh_records_finish(&results);
  return failed;
}

int main(int argc, char **argv) {
  if (argc == 3 && strcmp(argv[1], "--write") == 0) return write_all(argv[2]);
  return run_tests();
}
