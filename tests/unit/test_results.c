/* host/tools/records: what is written is read back, nothing that is read is believed, best and ties, and what --compare calls
 * slower.
 *
 * test_results --write DIRECTORY writes the results that the tests make up in every format, for tests/cli/test_results.py. */
#include "../../host/tools/records/compare.h"
#include "../../host/tools/records/read.h"
#include "../../host/tools/records/tabulate.h"
#include "../../host/tools/records/write.h"
#include "../../host/tools/records/write_json.h"

#include <check.h>
#include <fcntl.h>
#include <ftw.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- A directory for the tests' files; in the parent of Check's children, so that it always goes ---- */

static char directory[64];

static void make_directory(void) {
  strcpy(directory, "/tmp/redhost-test-results-XXXXXX");
  if (!mkdtemp(directory)) abort();
}

static int remove_one(const char *path, const struct stat *info, int flag, struct FTW *ftw) {
  (void)info, (void)flag, (void)ftw;
  return remove(path);
}

static void remove_directory(void) {
  nftw(directory, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* The full name of a file there; good for two uses at a time. */
static const char *in_dir(const char *name) {
  static char paths[2][512];
  static int k;
  k = !k;
  snprintf(paths[k], sizeof paths[k], "%s/%s", directory, name);
  return paths[k];
}

static const char *write_file(const char *name, const char *bytes, size_t length) {
  const char *path = in_dir(name);
  FILE *file = fopen(path, "wb");
  ck_assert_ptr_nonnull(file);
  ck_assert_uint_eq(fwrite(bytes, 1, length, file), length);
  ck_assert_int_eq(fclose(file), 0);
  return path;
}

/* malloc'ed, terminated. */
static char *contents(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  ck_assert_msg(file != NULL, "%s", path);
  ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
  *length = (size_t)ftell(file);
  rewind(file);
  char *text = calloc(1, *length + 1);
  ck_assert_uint_eq(fread(text, 1, *length, file), *length);
  fclose(file);
  return text;
}

/* ---- Results that are made up ---- */

/* Rounds' medians and quartiles from median*(1-half) to median*(1+half). */
static rh_row timed(const char *strategy, uint64_t n, double median, double half) {
  rh_row row = {.op = RH_OP_sum, .type = RH_TYPE_f32, .n = n, .bytes = 4 * n, .passes = 2};
  strcpy(row.device, "1:0");
  strcpy(row.strategy, strategy);
  row.peak_fraction = row.error_ulp = row.bound_fraction = NAN;
  row.time = (rh_spread){.median = median, .mean = median, .samples = 20, .mad = half * median};
  row.time.ci_low = row.time.q1 = row.time.min = median * (1 - half);
  row.time.ci_high = row.time.q3 = row.time.max = median * (1 + half);
  return row;
}

static void add_rounds(rh_row *row, uint32_t n, const double *rounds) {
  row->rounds = malloc(n * sizeof *rounds);
  memcpy(row->rounds, rounds, n * sizeof *rounds);
  row->n_rounds = n;
}

static rh_row untimed(const char *strategy, uint64_t n, uint32_t status, const char *reason) {
  rh_row row = timed(strategy, n, 1, 0);
  row.time = (rh_spread){0};
  row.status = status;
  row.reason = strdup(reason);
  return row;
}

/* Every field is other than 0. */
static rh_row full_row(void) {
  rh_row row = timed("two-stage", 1 << 24, 2.143e-5, 0.001);
  row.params = strdup("tile=256 finish=device skew=-3 odd=007");
  strcpy(row.params_from, "user");
  row.batch = 47;
  add_rounds(&row, 5, (const double[]){2.1e-5, 2.2e-5, 0.1, 1.0 / 3, 2e-5});
  row.raw = malloc(2 * sizeof *row.raw);
  row.raw[row.n_raw++] = 2.143e-5;
  row.raw[row.n_raw++] = 3;
  row.latency =
      (rh_spread){3.58e-5, 3.5e-5, 3.7e-5, 3.6e-5, 3e-5, 4e-5, 3.55e-5, 3.65e-5, 1e-7, 50, 2};
  row.host_batch_s = 2.187e-5;
  row.build_s = 0.704, row.upload_s = 0.0096, row.setup_s = 0.001, row.build_cached = 1;
  row.parts = calloc(2, sizeof *row.parts);
  row.n_parts = 2;
  strcpy(row.parts[0].stage, "tiles"), row.parts[0].seconds = 1e-6;
  strcpy(row.parts[1].stage, "read"), row.parts[1].seconds = 2e-6;
  row.host_share_s = 4e-6;
  strcpy(row.value, "12582913.0"), strcpy(row.reference, "12582912.6");
  row.error_ulp = 0.4, row.bound_fraction = 0.018;
  row.flags = RH_FLAG_noisy | RH_FLAG_timed_out | RH_FLAG_throttled | RH_FLAG_host_timer;
  row.time.outliers = 3;
  row.finishes_on_host = 1;
  row.peak_fraction = 0.683;
  row.reproducible = RH_BITS_SAME_RUN;
  return row;
}

static void add(rh_records *results, rh_row row) {
  if (rh_records_add(results, &row) != 0) abort(); /* --write has no use for Check */
}

static json_t *json(const char *text) {
  json_t *value = json_loads(text, 0, NULL);
  if (!value) abort();
  return value;
}

static rh_records with_header(void) {
  rh_records results = {0};
  results.tool =
      json("{\"version\": \"0.1.0\", \"git\": \"a1b2c3d\", \"dirty\": false, \"build\": \"gcc\"}");
  results.run = json(
      "{\"argv\": [\"redhost\"], \"start\": \"2026-11-20T07:42:00Z\", \"wall_s\": 4.1, \"complete\": true}");
  results.devices =
      json("[{\"id\": \"1:0\", \"key\": \"k1\", \"name\": \"NVIDIA H200\", \"driver\": \"580\"},"
           " {\"id\": \"0:0\", \"key\": \"k0\", \"name\": \"Xeon\", \"driver\": \"5.0\"}]");
  results.calibration =
      json("[{\"device\": \"1:0\", \"timer\": \"event\", \"read_peak_Bps\": 4.584e12}]");
  results.settings = json("{\"cache\": \"cold\", \"seed\": 1}");
  results.strategies = json("[{\"name\": \"two-stage\"}]");
  return results;
}

static rh_records made_up(void) {
  rh_records results = with_header();
  add(&results, full_row());
  add(&results, untimed("serial", 1 << 24, RH_ROW_wrong, "got 3, \"exact\" 4\nand so on"));
  strcpy(results.rows[1].value, "3"), strcpy(results.rows[1].reference, "4");
  add(&results, untimed("tree", 1 << 24, RH_ROW_unsupported, "no sub-groups"));
  add(&results, untimed("atomic", 1 << 24, RH_ROW_failed, "CL_OUT_OF_RESOURCES | -5"));
  add(&results, untimed("chunk", 1 << 24, RH_ROW_skipped, "interrupted"));
  add(&results, timed("one-pass", 4096, 2.6e-6, 0.002));
  add(&results, timed("two-stage", 4096, 4.8e-6, 0.002));
  add(&results, timed("cub", 4096, 2.5e-6, 0.002));
  results.rows[7].is_peer = 1;
  results.rows[7].passes = 0;
  results.rows[5].params = strdup("");
  results.rows[6].time.samples = 36;
  return results;
}

static void export(const rh_records *results, const char *path) {
  rh_error error = {0};
  ck_assert_msg(rh_records_export(results, path, &error) == RH_OK, "%s", error.message);
}

static rh_records read_back(const char *path) {
  rh_records results;
  rh_error error = {0};
  ck_assert_msg(rh_records_read(path, &results, &error) == RH_OK, "%s", error.message);
  return results;
}

/* ---- There and back ---- */

static void assert_same_file(const char *one, const char *other) {
  size_t n_one, n_other;
  char *a = contents(one, &n_one), *b = contents(other, &n_other);
  size_t k = 0;
  while (k < n_one && a[k] == b[k]) k++;
  ck_assert_msg(n_one == n_other && k == n_one, "from byte %zu on: %.100s\nnot %.100s", k, b + k,
                a + k);
  free(a), free(b);
}

static void assert_round_trip(const char *first, const char *second) {
  rh_records results = made_up();
  export(&results, in_dir(first));
  rh_records again = read_back(in_dir(first));
  ck_assert_uint_eq(again.n_rows, results.n_rows);
  export(&again, in_dir(second));
  assert_same_file(in_dir(first), in_dir(second));
  rh_records_finish(&again);
  rh_records_finish(&results);
}

START_TEST(written_and_read_and_written_is_the_same) {
  assert_round_trip("a.json", "b.json");
  assert_round_trip("a.jsonl", "b.jsonl");
  rh_records again = read_back(in_dir("a.json"));
  export(&again, in_dir("c.jsonl"));
  assert_same_file(in_dir("a.jsonl"), in_dir("c.jsonl"));
  rh_records_finish(&again);
}
END_TEST

START_TEST(every_field_comes_back) {
  rh_records results = made_up();
  export(&results, in_dir("a.json"));
  rh_records again = read_back(in_dir("a.json"));
  const rh_row *a = &results.rows[0], *b = &again.rows[0];
  ck_assert(memcmp(&a->time, &b->time, sizeof a->time) == 0);
  ck_assert(memcmp(&a->latency, &b->latency, sizeof a->latency) == 0);
  ck_assert_str_eq(a->params, b->params);
  ck_assert_str_eq(a->params_from, b->params_from);
  ck_assert_uint_eq(b->n_rounds, 5);
  ck_assert(memcmp(a->rounds, b->rounds, 5 * sizeof *a->rounds) == 0);
  ck_assert(b->n_raw == 2 && memcmp(a->raw, b->raw, 2 * sizeof *a->raw) == 0);
  ck_assert(b->n_parts == 2 && memcmp(a->parts, b->parts, 2 * sizeof *a->parts) == 0);
  ck_assert(a->batch == b->batch && a->host_batch_s == b->host_batch_s && a->flags == b->flags);
  ck_assert(a->build_s == b->build_s && a->upload_s == b->upload_s && a->setup_s == b->setup_s);
  ck_assert(b->build_cached == 1 && a->host_share_s == b->host_share_s && b->passes == 2);
  ck_assert_str_eq(a->value, b->value);
  ck_assert_str_eq(a->reference, b->reference);
  ck_assert(a->error_ulp == b->error_ulp && a->bound_fraction == b->bound_fraction);
  ck_assert(b->finishes_on_host == 1 && a->peak_fraction == b->peak_fraction);
  ck_assert(b->reproducible == RH_BITS_SAME_RUN && b->n == 1 << 24 && b->bytes == 4 << 24);
  ck_assert_str_eq(again.rows[1].reason, "got 3, \"exact\" 4\nand so on");
  ck_assert(isnan(again.rows[5].peak_fraction) && isnan(again.rows[5].error_ulp));
  ck_assert(again.rows[7].is_peer && !again.rows[6].is_peer);
  ck_assert(again.rows[6].params == NULL && strcmp(again.rows[5].params, "") == 0);
  for (uint32_t k = 0; k < results.n_rows; k++)
    ck_assert_uint_eq(again.rows[k].status, results.rows[k].status);
  rh_records_finish(&again);
  rh_records_finish(&results);
}
END_TEST

START_TEST(csv_has_its_columns_for_ever) {
  static const char *const begin =
      "device,strategy,op,type,n,bytes,params,params_from,status,reason,time_s_median,time_s_ci95_low,"
      "time_s_ci95_high,time_s_mean,time_s_min,time_s_max,time_s_q1,time_s_q3,time_s_mad,time_s_samples,"
      "time_s_batch,time_s_rounds,time_s_raw,latency_s_median,latency_s_ci95_low,latency_s_ci95_high,"
      "latency_s_mean,latency_s_min,latency_s_max,latency_s_q1,latency_s_q3,latency_s_mad,latency_s_samples,"
      "latency_s_outliers,host_batch_s,elements_per_s,bytes_per_s,peak_fraction,setup_s_build,"
      "setup_s_build_cached,setup_s_upload,setup_s_setup,check_value,check_reference,check_error_ulp,"
      "check_bound_fraction,check_ok,flags,outliers,passes,peer,parts,host_share_s,finishes_on,reproducible";
  rh_records results = made_up();
  size_t length;
  export(&results, in_dir("a.csv"));
  char *text = contents(in_dir("a.csv"), &length);
  ck_assert(strncmp(text, begin, strlen(begin)) == 0); /* new ones only behind these */
  ck_assert_ptr_nonnull(strstr(text,
                               "\n1:0,two-stage,sum,f32,16777216,67108864,tile=256 finish=device "
                               "skew=-3 odd=007,user,ok,,2.143e-05,"));
  ck_assert_ptr_nonnull(
      strstr(text, ",47,2.1e-05 2.2e-05 0.1 0.3333333333333333 2e-05,2.143e-05 3,"));
  ck_assert_ptr_nonnull(strstr(text, ",wrong,\"got 3, \"\"exact\"\" 4\nand so on\",,,,"));
  ck_assert_ptr_nonnull(
      strstr(text, ",noisy timed_out throttled host_timer,3,2,false,tiles=1e-06 read=2e-06,"));
  ck_assert_ptr_null(strstr(text, "nan"));
  free(text);
  rh_records_finish(&results);
}
END_TEST

START_TEST(markdown_is_the_table) {
  rh_records results = made_up();
  size_t length;
  export(&results, in_dir("a.md"));
  char *text = contents(in_dir("a.md"), &length);
  ck_assert_str_eq(
      text,
      "### sum f32 on 1:0 NVIDIA H200, driver 580, cold input, read peak 4584 GB/s\n\n"
      "| n | STRATEGY | TIME | +- | G/s | GB/s | PEAK | LATENCY |  |\n"
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
      "~ noisy (IQR > 5 %), ! stopped by --max-time, interval over +-2 %, ^ throttled, h by the host's clock.  "
      "4.1 s, 8 points, 20-36 samples each, 4 without a time.\n");
  free(text);
  rh_records_finish(&results);
}
END_TEST

/* A driver's or a plugin's setlocale() must not put commas into numbers. */
START_TEST(the_locale_changes_nothing) {
  static const char *const names[] = {"l.json", "l.jsonl", "l.csv", "l.md"};
  char command[256], german[64], before[64];
  rh_records results = made_up();
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
  rh_records again = read_back(in_dir("l.json"));
  ck_assert(again.rows[0].time.median == 2.143e-5);
  rh_records_finish(&again);
  rh_records_finish(&results);
}
END_TEST

/* ---- Files ---- */

START_TEST(files_are_whole_or_not_there) {
  rh_records results = made_up();
  rh_error error;
  struct stat info;
  ck_assert_int_eq(rh_records_export(&results, in_dir("x.foo"), &error), RH_E_USAGE);
  ck_assert_int_eq(rh_records_export(&results, in_dir("none/x.json"), &error), RH_E_FILE);
  ck_assert_int_eq(rh_records_check_path(in_dir("none/x.json"), &error), RH_E_FILE);
  ck_assert_int_eq(rh_records_check_path(directory, &error), RH_E_FILE);
  ck_assert_int_eq(rh_records_check_path(in_dir("new.json"), &error), RH_OK);
  ck_assert_int_ne(access(in_dir("new.json"), F_OK), 0);
  write_file("old.json", "old", 3);
  ck_assert_int_eq(rh_records_check_path(in_dir("old.json"), &error), RH_OK);
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
  rh_records_finish(&results);
}
END_TEST

START_TEST(what_is_no_file_is_written_to) {
  rh_records results = made_up();
  rh_error error;
  struct stat info;
  ck_assert_int_eq(symlink("/dev/null", in_dir("null.json")), 0);
  ck_assert_int_eq(symlink("/dev/full", in_dir("full.json")), 0);
  export(&results, in_dir("null.json"));
  ck_assert(stat("/dev/null", &info) == 0 && S_ISCHR(info.st_mode));
  ck_assert_int_eq(rh_records_export(&results, in_dir("full.json"), &error), RH_E_FILE);
  ck_assert_ptr_nonnull(strstr(error.message, "No space left"));
  rh_records_finish(&results);
}
END_TEST

START_TEST(jsonl_grows_and_goes_on) {
  rh_records results = made_up();
  rh_error error;
  FILE *file;
  char path[512];
  export(&results, in_dir("whole.jsonl"));
  snprintf(path, sizeof path, "%s", in_dir("grown.jsonl"));
  ck_assert_int_eq(rh_jsonl_begin(&file, path, &results, 0, &error), RH_OK);
  for (uint32_t k = 0; k < 3; k++)
    ck_assert_int_eq(rh_jsonl_add(file, &results.rows[k], path, &error), RH_OK);
  rh_records so_far = read_back(path); /* each row is there at once */
  ck_assert_uint_eq(so_far.n_rows, 3);
  rh_records_finish(&so_far);
  fputs("{\"device\": \"1:0\", \"strat", file); /* interrupted */
  fclose(file);
  rh_read_notes notes;
  ck_assert_int_eq(rh_records_read_noting(path, &so_far, &notes, &error), RH_OK);
  ck_assert(so_far.n_rows == 3 && notes.lines && notes.cut);
  ck_assert_int_eq(rh_jsonl_begin(&file, path, &so_far, notes.whole_bytes, &error), RH_OK);
  for (uint32_t k = 3; k < results.n_rows; k++)
    ck_assert_int_eq(rh_jsonl_add(file, &results.rows[k], path, &error), RH_OK);
  fclose(file);
  assert_same_file(path, in_dir("whole.jsonl"));
  rh_records_finish(&so_far);
  rh_records_finish(&results);
}
END_TEST

/* ---- What is read is not believed ---- */

/* `path` as it is: results, or a sentence. */
static rh_status try_to_read(const char *path, rh_records *results, rh_read_notes *notes,
                             rh_error *error) {
  error->message[0] = 0;
  rh_status status = rh_records_read_noting(path, results, notes, error);
  ck_assert_msg(status == RH_OK || status == RH_E_FILE, "%s", error->message);
  ck_assert(status == RH_OK || error->message[0]);
  return status;
}

static rh_status read_bytes(const char *bytes, size_t length, rh_records *results,
                            rh_read_notes *notes, rh_error *error) {
  return try_to_read(write_file("bytes", bytes, length), results, notes, error);
}

/* Cut off behind any byte, JSON is never accepted. */
START_TEST(cut_json) {
  rh_records results = made_up(), some;
  rh_read_notes notes;
  rh_error error;
  size_t length;
  export(&results, in_dir("a.json"));
  free(contents(in_dir("a.json"), &length));
  length--; /* without its last line break it is whole */
  while (length-- > 0) {
    ck_assert_int_eq(truncate(in_dir("a.json"), (off_t)length), 0);
    ck_assert_msg(try_to_read(in_dir("a.json"), &some, &notes, &error) == RH_E_FILE, "%zu", length);
  }
  rh_records_finish(&results);
}
END_TEST

/* JSONL is accepted with the rows that are whole. */
START_TEST(cut_jsonl) {
  rh_records results = made_up(), some;
  rh_read_notes notes;
  rh_error error;
  size_t length;
  export(&results, in_dir("a.jsonl"));
  char *text = contents(in_dir("a.jsonl"), &length);
  for (size_t k = length; k-- > 0;) {
    size_t lines = 0, of_last = 0; /* lines with their ends; where the last of them ends */
    for (size_t j = 0; j < k; j++)
      if (text[j] == '\n') lines++, of_last = j + 1;
    int at_end = text[k] == '\n'; /* all of a line but its end */
    ck_assert_int_eq(truncate(in_dir("a.jsonl"), (off_t)k), 0);
    rh_status status = try_to_read(in_dir("a.jsonl"), &some, &notes, &error);
    ck_assert_msg(status == (lines || at_end ? RH_OK : RH_E_FILE), "%zu: %s", k, error.message);
    if (status != RH_OK) continue;
    ck_assert_uint_eq(some.n_rows, lines + (size_t)at_end - 1);
    ck_assert_int_eq(notes.cut, !at_end && k > of_last);
    ck_assert_uint_eq(notes.whole_bytes, at_end ? k : of_last);
    rh_records_finish(&some);
  }
  free(text);
  rh_records_finish(&results);
}
END_TEST

/* Any byte may be any other: a sentence or results, never worse.  Returns how many files were refused. */
static size_t spoil(const char *name) {
  static const char spoilers[] = {0,   '"',  '{', '}', '[', ']',  ',',       ':',
                                  '9', '\\', '-', 'e', ' ', '\n', (char)0xff};
  rh_records some;
  rh_read_notes notes;
  rh_error error;
  size_t length, refused = 0;
  char *text = contents(in_dir(name), &length);
  int fd = open(in_dir(name), O_WRONLY);
  ck_assert_int_ge(fd, 0);
  for (size_t k = 0; k < length; k += 3) {
    ck_assert_int_eq(pwrite(fd, &spoilers[k / 3 % sizeof spoilers], 1, (off_t)k), 1);
    if (try_to_read(in_dir(name), &some, &notes, &error) == RH_OK)
      rh_records_finish(&some);
    else
      refused++;
    ck_assert_int_eq(pwrite(fd, &text[k], 1, (off_t)k), 1);
  }
  close(fd);
  free(text);
  return refused;
}

START_TEST(spoilt_files) {
  rh_records results = made_up();
  export(&results, in_dir("a.json"));
  export(&results, in_dir("a.jsonl"));
  ck_assert_uint_gt(spoil("a.json"), 500);
  ck_assert_uint_gt(spoil("a.jsonl"), 500);
  rh_records_finish(&results);
}
END_TEST

#define HEAD "{\"schema\": \"redhost/1\", \"settings\": {}, \"results\": "
#define ROW                                                                                        \
  "\"device\": \"0:0\", \"strategy\": \"s\", \"op\": \"sum\", \"type\": \"f32\", \"n\": 4, \"status\": \"ok\""

START_TEST(mistakes_are_named) {
  static const struct {
    const char *text, *said; /* null: it is none */
  } cases[] = {
      {"", "is empty"},
      {" \n\t", "is empty"},
      {"[]", "expected {"},
      {"17", "expected {"},
      {"{}", "no \"schema\""},
      {"{\"schema\": \"redhost/2\", \"results\": []}",
       "is redhost/2, and this redhost reads redhost/1"},
      {"{\"results\": [{\"nothing\": 1}], \"schema\": \"redhost/2\"}", "is redhost/2"},
      {"{\"schema\": 1, \"results\": []}", "is not redhost/1"},
      {"{\"schema\": \"nvbench/1\", \"results\": []}", "no result of redhost"},
      {"{\"schema\": \"redhost/1\"}", "has no results"},
      {"{\"schema\": \"redhost/1\", \"results\": {}}", "results: is no array"},
      {"{\"schema\": \"redhost/1\", \"results\": null}", "results: is no array"},
      {"{\"schema\": \"redhost/1\", \"schema\": \"redhost/1\", \"results\": []}", "twice"},
      {HEAD "[], \"results\": []}", "twice"},
      {HEAD "[]} {}", "there is more"},
      {HEAD "[]}\n{" ROW "}\n", "there is more"},
      {HEAD "[1]}", "a result is no object"},
      {HEAD "[{" ROW "},]}", "no JSON"},
      {HEAD "[{" ROW "} {" ROW "}]}", "expected , or ]"},
      {HEAD "[{" ROW "], {}}", "ends in the middle"},
      {HEAD "[{" ROW ", \"time_s\": {\"median\": NaN}}]}", "no JSON"},
      {HEAD "[{" ROW ", \"time_s\": {\"median\": 1e999}}]}", "no JSON"},
      {HEAD "[{" ROW ", \"time_s\": {\"median\": -1}}]}",
       "line 1: results[0]: time_s.median: -1 is not from 0"},
      {HEAD "[{" ROW ", \"time_s\": {\"median\": 1e300}}]}", "time_s.median"},
      {HEAD "[{" ROW ", \"time_s\": {\"median\": \"1\"}}]}", "time_s.median: is no number"},
      {HEAD "[{" ROW ", \"time_s\": {\"samples\": 3}}]}", "time_s.median: is missing"},
      {HEAD "[{" ROW ", \"time_s\": {\"median\": 1, \"samples\": 0}}]}", "time_s.samples"},
      {HEAD "[{" ROW ", \"time_s\": {\"median\": 1, \"samples\": 1.5}}]}", "no whole number"},
      {HEAD "[{" ROW ", \"time_s\": {\"median\": 1, \"samples\": 4294967296}}]}", "time_s.samples"},
      {HEAD "[{" ROW ", \"time_s\": {\"median\": 1, \"ci95\": [2, 1]}}]}",
       "time_s.ci95: is no interval"},
      {HEAD "[{" ROW ", \"time_s\": {\"median\": 1, \"ci95\": [1]}}]}", "time_s.ci95"},
      {HEAD "[{" ROW ", \"time_s\": {\"median\": 1, \"q1\": 3, \"q3\": 2}}]}", "time_s.q1"},
      {HEAD "[{" ROW ", \"time_s\": {\"median\": 1, \"rounds\": [1, null]}}]}",
       "time_s.rounds: number 2"},
      {HEAD "[{" ROW ", \"time_s\": []}]}", "time_s: is no object"},
      {HEAD "[{" ROW ", \"params\": {\"a b\": 1}}]}", "params.a b: is no name"},
      {HEAD "[{" ROW ", \"params\": {\"a\": 1.5}}]}", "params.a"},
      {HEAD "[{" ROW ", \"params\": {\"a\": \"\\u001b[2J\"}}]}", "params.a"},
      {HEAD "[{" ROW ", \"flags\": [1]}]}", "flags"},
      {HEAD "[{" ROW ", \"flags\": [\"noisy\", \"of_tomorrow\"], \"key\": [[]]}]}", NULL},
      {HEAD "[{" ROW ", \"parts\": [{\"seconds\": 1}]}]}", "parts.stage"},
      {HEAD "[{" ROW ", \"peer\": 1}]}", "peer: is neither true nor false"},
      {HEAD "[{" ROW ", \"finishes_on\": \"moon\"}]}", "finishes_on"},
      {HEAD "[{" ROW ", \"reproducible\": \"often\"}]}", "reproducible"},
      {HEAD "[{" ROW ", \"params_from\": \"a very long word indeed\"}]}",
       "params_from: is longer than 15"},
      {HEAD "[{" ROW ", \"check\": {\"value\": \"\\u009b\"}}]}",
       "check.value: has control characters"},
      {HEAD "[{" ROW ", \"check\": {\"value\": \"a\\u0000b\"}}]}", "no JSON"},
      {HEAD "[{" ROW ", \"reason\": \"\xff\"}]}", "no JSON"},
      {HEAD "[{" ROW ", \"reason\": {}}]}", "reason: is no string"},
      {HEAD "[{\"device\": \"0:0\"}]}", "strategy: is missing"},
      {HEAD "[{\"device\": \"0:0\", \"strategy\": \"s\", \"op\": \"plus\"}]}", "type: is missing"},
      {HEAD "[{\"device\": \"0:0\", \"strategy\": \"s\", \"op\": \"plus\", \"type\": \"f32\"}]}",
       "op: 'plus' is none of"},
      {HEAD "[{\"device\": \"0:0\", \"strategy\": \"s\", \"op\": \"sum\", \"type\": \"f8\"}]}",
       "type: 'f8'"},
      {HEAD
       "[{\"device\": \"0:0\", \"strategy\": \"s\", \"op\": \"sum\", \"type\": \"f32\", \"n\": -4}]}",
       "n: -4"},
      {HEAD
       "[{\"device\": \"0:0\", \"strategy\": \"s\", \"op\": \"sum\", \"type\": \"f32\", \"n\": 9007199254740993}]}",
       "n: "},
      {HEAD
       "[{\"device\": \"0:0\", \"strategy\": \"s\", \"op\": \"sum\", \"type\": \"f32\", \"n\": 4, \"status\": \"fine\"}]}",
       "status: 'fine' is none of"},
      {HEAD "[{" ROW "}], \"devices\": {}}", "devices: is no array"},
      {HEAD "[{" ROW "}], \"calibration\": [1]}", "calibration: one of them is no object"},
      {HEAD "[{" ROW "}], \"tool\": []}", "tool: is no object"},
      {HEAD "[{" ROW "}], \"new\": 1.5e3, \"newer\": null}", NULL},
      {"\xef\xbb\xbf" HEAD "[]}\n", NULL},
      {"{\"schema\": \"redhost/1\", \"settings\": {}}", NULL},
      {"{\"schema\": \"redhost/1\", \"settings\": {}}\n\n{" ROW "}\r\n", NULL},
      {"{\"schema\": \"redhost/1\", \"settings\": {}}\n{" ROW "}\n{\"n\": 1}\n",
       "line 3: device: is missing"},
      {"{\"schema\": \"redhost/1\", \"settings\": {}}\n{\"n\"\n{" ROW "}\n", "line 2: "},
      {"{\"schema\": \"redhost/1\", \"settings\": {}}\n{\"schema\": \"redhost/1\"}\n",
       "line 2: another run"},
  };
  rh_records results;
  rh_read_notes notes;
  rh_error error;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    rh_status status = read_bytes(cases[k].text, strlen(cases[k].text), &results, &notes, &error);
    ck_assert_msg(status == (cases[k].said ? RH_E_FILE : RH_OK), "%s: %s", cases[k].text,
                  error.message);
    if (cases[k].said)
      ck_assert_msg(strstr(error.message, cases[k].said) &&
                        strncmp(error.message, directory, strlen(directory)) == 0,
                    "%s: %s", cases[k].text, error.message);
    if (status == RH_OK) rh_records_finish(&results);
  }
  ck_assert_int_eq(rh_records_read(in_dir("no such file"), &results, &error), RH_E_FILE);
  ck_assert_int_eq(rh_records_read(directory, &results, &error), RH_E_FILE);
}
END_TEST

/* `many` times c between two texts. */
static void assert_refused(const char *before, char c, size_t many, const char *behind,
                           const char *said) {
  size_t length = strlen(before) + many + strlen(behind);
  char *text = malloc(length + 1);
  rh_records results;
  rh_read_notes notes;
  rh_error error;
  strcpy(text, before);
  memset(text + strlen(before), c, many);
  strcpy(text + strlen(before) + many, behind);
  ck_assert_int_eq(read_bytes(text, length, &results, &notes, &error), RH_E_FILE);
  ck_assert_msg(strstr(error.message, said) != NULL, "%s", error.message);
  free(text);
}

START_TEST(nothing_is_endless) {
  rh_records results;
  rh_error error;
  assert_refused("{\"schema\": \"redhost/1\", \"deep\": ", '[', 1 << 20, "}", "no JSON");
  assert_refused(HEAD "[", '[', 1 << 20, "]}", "ends in the middle");
  assert_refused("{\"schema\": \"redhost/1\", \"long\": \"", 'x', 17 << 20, "\"}",
                 "longer than 16 MiB");
  assert_refused("{\"schema\": \"redhost/1\", \"settings\": {}}\n{\"long\": \"", 'x', 17 << 20,
                 "\"}\n", "longer than 16 MiB");
  int fd = open(in_dir("huge"), O_RDWR | O_CREAT, 0600);
  ck_assert(fd >= 0 && ftruncate(fd, (off_t)2 << 30) == 0);
  close(fd);
  ck_assert_int_eq(rh_records_read(in_dir("huge"), &results, &error), RH_E_FILE);
  ck_assert_ptr_nonnull(strstr(error.message, "larger than 1 GiB"));
}
END_TEST

START_TEST(many_rows) {
  rh_records results;
  rh_error error;
  FILE *file = fopen(in_dir("many.json"), "w");
  fputs(HEAD "[", file);
  for (int k = 0; k < 100000; k++) fprintf(file, "%s{" ROW "}", k ? ",\n" : "");
  fputs("]}", file);
  fclose(file);
  ck_assert_msg(rh_records_read(in_dir("many.json"), &results, &error) == RH_OK, "%s",
                error.message);
  ck_assert_uint_eq(results.n_rows, 100000);
  rh_records_finish(&results);
}
END_TEST

/* ---- Which is best ---- */

static const char *best_of(const rh_records *results, int strategies_only, uint32_t n_tied) {
  rh_best best = rh_records_best(results, &results->rows[0], strategies_only);
  ck_assert_ptr_nonnull(best.row);
  ck_assert_uint_eq(best.n_tied, n_tied);
  return best.row->strategy;
}

START_TEST(the_fastest_is_best) {
  rh_records results = {0};
  add(&results, timed("slow", 64, 2e-6, 0.001));
  add(&results, timed("fast", 64, 1e-6, 0.001));
  add(&results, untimed("wrong", 64, RH_ROW_wrong, "wrong"));
  add(&results, timed("elsewhere", 65, 1e-9, 0.001));
  add(&results, timed("other", 64, 1e-9, 0.001));
  strcpy(results.rows[4].device, "0:0");
  ck_assert_str_eq(best_of(&results, 0, 0), "fast");
  ck_assert_str_eq(rh_records_best(&results, &results.rows[3], 0).row->strategy, "elsewhere");
  rh_records_finish(&results);
  ck_assert_ptr_null(rh_records_best(&results, &(rh_row){0}, 0).row);
}
END_TEST

START_TEST(ties_go_to_fewer_passes_then_to_same_bits) {
  rh_records results = {0};
  add(&results, timed("a", 64, 1.000e-6, 0.01));
  add(&results, timed("b", 64, 1.009e-6, 0.01));
  ck_assert_str_eq(best_of(&results, 0, 1), "a"); /* all alike: the faster */
  results.rows[1].reproducible = RH_BITS_SAME_EVERYWHERE;
  ck_assert_str_eq(best_of(&results, 0, 1), "b");
  results.rows[0].passes = 1;
  results.rows[1].passes = 2;
  ck_assert_str_eq(best_of(&results, 0, 1), "a");
  results.rows[0].is_peer = 1; /* nobody knows how many */
  ck_assert_str_eq(best_of(&results, 0, 1), "b");
  results.rows[0].is_peer = results.rows[0].passes = results.rows[1].passes = 0;
  results.rows[1].time = timed("b", 64, 1.011e-6, 0.001).time; /* known too well */
  ck_assert_str_eq(best_of(&results, 0, 0), "a");
  results.rows[0].time = timed("a", 64, 1.000e-6, 0.06).time;
  results.rows[1].time = timed("b", 64, 1.050e-6, 0.06).time; /* a tie, but visibly slower */
  ck_assert_str_eq(best_of(&results, 0, 1), "a");
  rh_records_finish(&results);
}
END_TEST

typedef struct measured {
  const char *name;
  double median, low, high; /* us; 0: it was wrong */
  uint32_t passes;
} measured;

static const struct {
  const char *what;
  measured rows[5];
  const char *table, *tied; /* by lines; the best's "tied" in JSON */
} tables[] = {
    {"a noisy row in the middle is best to nobody and makes no tie",
     {{"native", 205, 60, 300, 1}, {"std", 121, 119, 123, 2}, {"omp", 150, 149, 151, 2}},
     "std best, omp 1.24x, native 1.69x, ",
     ""},
    {"a noisy row that is the fastest is best alone",
     {{"noisy", 100, 50, 400, 2}, {"b", 120, 119, 121, 1}, {"c", 140, 139, 141, 1}},
     "noisy best, b 1.20x, c 1.40x, ",
     ""},
    {"a noisy row at the bottom",
     {{"a", 100, 99, 101, 2}, {"b", 103, 102, 104, 1}, {"noisy", 400, 50, 900, 1}},
     "a best, b 1.03x, noisy 4.00x, ",
     ""},
    {"all are noisy: who may be the fastest ties, and the fastest median is best",
     {{"c", 210, 190, 300, 1}, {"b", 130, 90, 200, 1}, {"a", 110, 80, 160, 2}},
     "a best, b tie, c 1.91x, ",
     "b"},
    {"intervals that meet, medians outside of them",
     {{"a", 100, 99, 101, 2}, {"b", 101.6, 100.5, 102.5, 1}},
     "a best, b 1.02x, ",
     ""},
    {"one interval has the other's median, the other's has not",
     {{"a", 100, 99, 101, 2}, {"b", 100.8, 100.5, 101.1, 1}},
     "a best, b 1.01x, ",
     ""},
    {"a tie within a percent goes to fewer passes, and rows stay in the order of time",
     {{"a", 100, 99, 101, 2}, {"b", 100.5, 99.5, 101.5, 1}, {"c", 120, 119, 121, 1}},
     "a tie, b best, c 1.19x, ",
     "a"},
    {"who ties with the best alone, and not with the fastest, does not tie",
     {{"a", 100, 99, 101, 2}, {"b", 100.5, 95, 106, 1}, {"c", 105, 100, 107, 1}},
     "a tie, b best, c 1.04x, ",
     "a"},
    {"the same time, without any interval",
     {{"a", 4.096, 4.096, 4.096, 2}, {"b", 4.096, 4.096, 4.096, 1}, {"c", 4.097, 4.097, 4.097, 1}},
     "a tie, b best, c 1.00x, ",
     "a"},
    {"a single row", {{"a", 100, 10, 1000, 1}}, "a best, ", ""},
    {"a wrong one among them",
     {{"wrong", 0, 0, 0, 1}, {"b", 120, 119, 121, 1}, {"a", 100, 99, 101, 2}},
     "a best, b 1.20x, wrong why, ",
     ""},
    {"none that is right", {{"x", 0, 0, 0, 1}, {"y", 0, 0, 0, 1}}, "x why, y why, ", ""},
};
enum { TABLES = sizeof tables / sizeof *tables };

static rh_records results_of(const measured *rows) {
  rh_records results = {0};
  for (int k = 0; k < 5 && rows[k].name; k++) {
    rh_row row = rows[k].median > 0 ? timed(rows[k].name, 64, 1e-6 * rows[k].median, 0)
                                    : untimed(rows[k].name, 64, RH_ROW_wrong, "why");
    row.passes = rows[k].passes;
    row.time.ci_low = 1e-6 * rows[k].low;
    row.time.ci_high = 1e-6 * rows[k].high;
    add(&results, row);
  }
  return results;
}

START_TEST(rows_by_time_and_ties_by_both_intervals) {
  rh_records results = results_of(tables[_i].rows);
  const rh_row **rows = rh_records_tabulated(&results);
  rh_best best = rh_point_best(rows, results.n_rows, 0);
  rh_text said = {0}, tied = {0};
  for (uint32_t k = 0; k < results.n_rows; k++) {
    rh_cells cells;
    rh_cells_fill(&cells, rows[k], &best);
    rh_text_add(&said, "%s %s, ", rows[k]->strategy, cells.note);
  }
  ck_assert_msg(strcmp(rh_text_get(&said), tables[_i].table) == 0, "%s: %s", tables[_i].what,
                rh_text_get(&said));
  json_t *points = rh_best_to_json(&results), *names;
  names = json_object_get(json_array_get(points, 0), "tied");
  for (size_t k = 0; k < json_array_size(names); k++)
    rh_text_add(&tied, "%s", json_string_value(json_array_get(names, k)));
  ck_assert_msg(strcmp(rh_text_get(&tied), tables[_i].tied) == 0, "%s: %s", tables[_i].what,
                rh_text_get(&tied));
  if (best.row) ck_assert_uint_eq(best.n_tied, json_array_size(names));
  json_decref(points);
  rh_text_finish(&said);
  rh_text_finish(&tied);
  free(rows);
  rh_records_finish(&results);
}
END_TEST

START_TEST(peers_are_ranked_where_asked) {
  rh_records results = {0};
  add(&results, timed("mine", 64, 2e-6, 0.001));
  add(&results, timed("peer", 64, 1e-6, 0.001));
  results.rows[1].is_peer = 1;
  ck_assert_str_eq(best_of(&results, 0, 0), "peer");
  ck_assert_str_eq(best_of(&results, 1, 0), "mine");
  json_t *best = rh_best_to_json(&results);
  ck_assert_str_eq(json_string_value(json_object_get(json_array_get(best, 0), "strategy")), "mine");
  json_decref(best);
  rh_records_finish(&results);
}
END_TEST

START_TEST(rows_by_point) {
  static const char *const order[] = {"2:0 64 b", "2:0 128 a", "10:0 64 c", "10:0 64 d"};
  rh_records results = {0};
  add(&results, timed("a", 128, 1e-6, 0)), strcpy(results.rows[0].device, "2:0");
  add(&results, timed("c", 64, 1e-6, 0)), strcpy(results.rows[1].device, "10:0");
  add(&results, timed("b", 64, 1e-6, 0)), strcpy(results.rows[2].device, "2:0");
  add(&results, timed("d", 64, 1e-6, 0)), strcpy(results.rows[3].device, "10:0");
  const rh_row **rows = rh_records_by_point(&results);
  for (int k = 0; k < 4; k++) {
    char text[128];
    snprintf(text, sizeof text, "%s %d %s", rows[k]->device, (int)rows[k]->n, rows[k]->strategy);
    ck_assert_str_eq(text, order[k]);
  }
  ck_assert_uint_eq(rh_point_length(rows, 4), 1);
  ck_assert_uint_eq(rh_point_length(rows + 2, 2), 2);
  free(rows);
  rh_records_finish(&results);
}
END_TEST

START_TEST(rates_and_devices) {
  rh_records results = made_up();
  ck_assert(rh_row_rate(&results.rows[5]) == 4096 / 2.6e-6 &&
            rh_row_bandwidth(&results.rows[5]) == 16384 / 2.6e-6);
  ck_assert(rh_row_rate(&results.rows[1]) == 0 && rh_row_bandwidth(&results.rows[1]) == 0);
  ck_assert_str_eq(rh_records_device_text(&results, "0:0", "name"), "Xeon");
  ck_assert_str_eq(rh_records_device_text(&results, "1:0", "timer"), "event");
  ck_assert_ptr_null(rh_records_device_text(&results, "2:0", "name"));
  ck_assert_ptr_null(rh_records_device_text(&results, "1:0", "read_peak_Bps"));
  ck_assert(rh_records_calibration(&results, "1:0", "read_peak_Bps") == 4.584e12);
  ck_assert(isnan(rh_records_calibration(&results, "0:0", "read_peak_Bps")));
  ck_assert(isnan(rh_records_calibration(&results, "1:0", "timer")));
  rh_records_finish(&results);
}
END_TEST

/* ---- What has changed ---- */

/* From a median and a half width to another. */
static const char *verdict(double old_median, double old_half, double new_median, double new_half,
                           double threshold) {
  rh_row old = timed("s", 64, old_median, old_half), new_ = timed("s", 64, new_median, new_half);
  return rh_change_name(rh_change_judge(&old, &new_, threshold).verdict);
}

START_TEST(intervals_decide) {
  ck_assert_str_eq(verdict(1, .001, 1.002, .001, .01), "same");
  ck_assert_str_eq(verdict(1, .001, 1.100, .001, .01), "slow");
  ck_assert_str_eq(verdict(1, .001, 0.900, .001, .01), "fast");
  ck_assert_str_eq(verdict(1, .060, 1.100, .060, .01), "unclear"); /* they meet */
  ck_assert_str_eq(verdict(1, .040, 1.100, .040, .01), "slow");    /* 1.04 to 1.056: 1.5 % */
  ck_assert_str_eq(verdict(1, .040, 1.100, .040, .02), "unclear");
  ck_assert_str_eq(verdict(1, .020, 1.000, .001, .01),
                   "unclear"); /* the old interval is 4 % wide */
  ck_assert_str_eq(verdict(1, .001, 1.000, .020, .01), "unclear");
  ck_assert_str_eq(verdict(1, .009, 1.000, .009, .01), "same");
  ck_assert_str_eq(verdict(1, .004, 1.015, .004, .01), "unclear"); /* a gap of 0.7 % */
  ck_assert_str_eq(verdict(1, .001, 1.100, .001, .20), "same");
  ck_assert_str_eq(verdict(1, .001, 1.001, .000, 0),
                   "unclear"); /* 0: every gap counts, and nothing is quite the same */
  ck_assert_str_eq(verdict(1, .001, 1.003, .001, 0), "slow");
}
END_TEST

START_TEST(rounds_go_before_samples) {
  rh_row old = timed("s", 64, 1, .05), new_ = timed("s", 64, 1.1, .05);
  ck_assert_uint_eq(rh_change_judge(&old, &new_, .01).verdict, RH_CHANGE_unclear);
  add_rounds(&old, 5, (const double[]){1.001, .999, 2, 1, .5});
  add_rounds(&new_, 5, (const double[]){1.1, 1.101, 1.099, .9, 3});
  rh_change change = rh_change_judge(&old, &new_, .01);
  ck_assert_uint_eq(change.verdict, RH_CHANGE_slow);
  ck_assert(change.old_low == .999 && change.old_high == 1.001 && change.new_low == 1.099 &&
            change.new_high == 1.101);
  ck_assert(fabs(change.change - 0.1) < 1e-9);
  old.n_rounds = 3; /* too few: the samples decide again */
  ck_assert_uint_eq(rh_change_judge(&old, &new_, .01).verdict, RH_CHANGE_slow);
  ck_assert(rh_change_judge(&old, &new_, .01).old_high == 1.05);
  old.time.samples = 3;
  ck_assert_uint_eq(rh_change_judge(&old, &new_, .01).verdict, RH_CHANGE_unclear);
  old.time.samples = 20;
  new_.flags = RH_FLAG_host_timer;
  change = rh_change_judge(&old, &new_, .01);
  ck_assert(change.verdict == RH_CHANGE_unclear && change.clocks_differ);
  rh_row_finish(&old);
  rh_row_finish(&new_);
}
END_TEST

START_TEST(what_broke_is_a_regression) {
  static const uint32_t expected[5][5] = {
      /* ok, wrong, unsupported, failed, skipped: the new ones */
      {RH_CHANGE_same, RH_CHANGE_broken, RH_CHANGE_untimed, RH_CHANGE_broken, RH_CHANGE_untimed},
      {RH_CHANGE_mended, RH_CHANGE_untimed, RH_CHANGE_untimed, RH_CHANGE_untimed,
       RH_CHANGE_untimed},
      {RH_CHANGE_untimed, RH_CHANGE_untimed, RH_CHANGE_untimed, RH_CHANGE_untimed,
       RH_CHANGE_untimed},
      {RH_CHANGE_mended, RH_CHANGE_untimed, RH_CHANGE_untimed, RH_CHANGE_untimed,
       RH_CHANGE_untimed},
      {RH_CHANGE_untimed, RH_CHANGE_untimed, RH_CHANGE_untimed, RH_CHANGE_untimed,
       RH_CHANGE_untimed}};
  for (uint32_t before = 0; before < 5; before++)
    for (uint32_t now = 0; now < 5; now++) {
      rh_row old = timed("s", 64, 1, .001), new_ = old;
      if (before) old = untimed("s", 64, before, "");
      if (now) new_ = untimed("s", 64, now, "");
      ck_assert_uint_eq(rh_change_judge(&old, &new_, .01).verdict, expected[before][now]);
      rh_row_finish(&old);
      rh_row_finish(&new_);
    }
}
END_TEST

static rh_comparison compared(const rh_records *old, const rh_records *new_) {
  rh_comparison comparison;
  rh_error error;
  ck_assert_msg(rh_compare(&comparison, old, new_, .01, &error) == RH_OK, "%s", error.message);
  return comparison;
}

static void set_device(rh_records *results, uint32_t row, const char *id) {
  strcpy(results->rows[row].device, id);
}

START_TEST(points_are_matched) {
  rh_records old = with_header(), new_ = with_header();
  add(&old, timed("a", 64, 1, .001));
  add(&old, timed("b", 64, 1, .001));
  add(&old, timed("a", 128, 1, .001));
  add(&new_, timed("c", 64, 1, .001));
  add(&new_, timed("a", 64, 9, .001)); /* measured again below */
  add(&new_, timed("a", 128, 2, .001));
  add(&new_, timed("a", 64, 1, .001));
  rh_comparison c = compared(&old, &new_);
  ck_assert(c.n_changes == 2 && c.only_old == 1 && c.only_new == 1 && c.n_warnings == 0);
  ck_assert(c.counts[RH_CHANGE_same] == 1 && c.counts[RH_CHANGE_slow] == 1);
  ck_assert(c.changes[0].new_row == &new_.rows[3] && c.changes[1].old_row == &old.rows[2]);
  ck_assert_uint_eq(rh_comparison_regressions(&c), 1);
  rh_comparison_finish(&c);
  rh_records_finish(&old);
  rh_records_finish(&new_);
}
END_TEST

START_TEST(devices_are_matched_by_what_they_are) {
  rh_records old = with_header(), new_ = with_header();
  add(&old, timed("a", 64, 1, .001));
  add(&old, timed("a", 64, 5, .001));
  set_device(&old, 1, "0:0");
  add(&new_, timed("a", 64, 1, .001));
  add(&new_, timed("a", 64, 5, .001));
  set_device(&new_, 0, "2:0");
  set_device(&new_, 1, "3:0");
  json_decref(new_.devices);
  json_decref(new_.calibration);
  new_.calibration = NULL;
  new_.devices =
      json("[{\"id\": \"2:0\", \"key\": \"k1\", \"name\": \"NVIDIA H200\", \"driver\": \"580\"},"
           " {\"id\": \"3:0\", \"key\": \"k7\", \"name\": \"Xeon\", \"driver\": \"6.0\"}]");
  rh_comparison c = compared(&old, &new_);
  ck_assert(c.n_changes == 2 && c.counts[RH_CHANGE_same] == 2 && c.n_warnings == 1);
  ck_assert_str_eq(c.warnings[0], "different drivers of Xeon: 5.0, and now 6.0");
  rh_comparison_finish(&c);
  json_object_set_new(json_array_get(new_.devices, 1), "name", json_string("EPYC"));
  c = compared(&old, &new_); /* the only one left */
  ck_assert(c.n_changes == 2 && c.n_warnings == 1);
  ck_assert_str_eq(c.warnings[0], "different devices: Xeon, and now EPYC");
  rh_comparison_finish(&c);
  rh_records_finish(&old);
  rh_records_finish(&new_);
}
END_TEST

static void assert_not_compared(const rh_records *old, const rh_records *new_, const char *said) {
  rh_comparison comparison;
  rh_error error = {0};
  ck_assert_int_eq(rh_compare(&comparison, old, new_, .01, &error), RH_E_USAGE);
  ck_assert_msg(strstr(error.message, said) != NULL, "%s", error.message);
}

START_TEST(what_cannot_be_compared) {
  rh_records old = with_header(), new_ = with_header();
  add(&old, timed("a", 64, 1, .001));
  assert_not_compared(&old, &new_, "no point in common");
  add(&new_, timed("a", 65, 1, .001));
  assert_not_compared(&old, &new_, "no point in common");
  new_.rows[0].n = 64;
  json_object_set_new(new_.settings, "cache", json_string("hot"));
  assert_not_compared(&old, &new_, "--cache");
  json_object_set_new(new_.settings, "cache", json_string("cold"));
  json_object_set_new(json_array_get(new_.calibration, 0), "timer", json_string("host"));
  assert_not_compared(&old, &new_, "--timer=host");
  rh_records_finish(&old);
  rh_records_finish(&new_);
}
END_TEST

/* ---- */

static int write_all(const char *into) {
  rh_records results = made_up();
  rh_error error = {0};
  char path[512];
  int failed = 0;
#define RH_X(name, number, ending)                                                                 \
  snprintf(path, sizeof path, "%s/made-up" ending, into);                                          \
  failed |= rh_records_export(&results, path, &error) != RH_OK;
  RH_FORMAT_LIST(RH_X)
#undef RH_X
  if (failed) fprintf(stderr, "%s\n", error.message);
  rh_records_finish(&results);
  return failed;
}

static void add_reading(TCase *reading) {
  tcase_set_timeout(reading, 120);
  tcase_add_test(reading, cut_json);
  tcase_add_test(reading, cut_jsonl);
  tcase_add_test(reading, spoilt_files);
  tcase_add_test(reading, mistakes_are_named);
  tcase_add_test(reading, nothing_is_endless);
  tcase_add_test(reading, many_rows);
}

static void add_writing(TCase *writing) {
  tcase_add_test(writing, written_and_read_and_written_is_the_same);
  tcase_add_test(writing, every_field_comes_back);
  tcase_add_test(writing, csv_has_its_columns_for_ever);
  tcase_add_test(writing, markdown_is_the_table);
  tcase_add_test(writing, the_locale_changes_nothing);
  tcase_add_test(writing, files_are_whole_or_not_there);
  tcase_add_test(writing, what_is_no_file_is_written_to);
  tcase_add_test(writing, jsonl_grows_and_goes_on);
}

static void add_ranking(TCase *ranking) {
  tcase_add_test(ranking, the_fastest_is_best);
  tcase_add_test(ranking, ties_go_to_fewer_passes_then_to_same_bits);
  tcase_add_loop_test(ranking, rows_by_time_and_ties_by_both_intervals, 0, TABLES);
  tcase_add_test(ranking, peers_are_ranked_where_asked);
  tcase_add_test(ranking, rows_by_point);
  tcase_add_test(ranking, rates_and_devices);
}

static void add_comparing(TCase *comparing) {
  tcase_add_test(comparing, intervals_decide);
  tcase_add_test(comparing, rounds_go_before_samples);
  tcase_add_test(comparing, what_broke_is_a_regression);
  tcase_add_test(comparing, points_are_matched);
  tcase_add_test(comparing, devices_are_matched_by_what_they_are);
  tcase_add_test(comparing, what_cannot_be_compared);
}

int main(int argc, char **argv) {
  if (argc == 3 && strcmp(argv[1], "--write") == 0) return write_all(argv[2]);
  make_directory();
  Suite *suite = suite_create("results");
  TCase *writing = tcase_create("writing"), *reading = tcase_create("reading");
  TCase *ranking = tcase_create("ranking"), *comparing = tcase_create("comparing");
  add_writing(writing);
  add_reading(reading);
  add_ranking(ranking);
  add_comparing(comparing);
  suite_add_tcase(suite, writing);
  suite_add_tcase(suite, reading);
  suite_add_tcase(suite, ranking);
  suite_add_tcase(suite, comparing);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  remove_directory();
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
