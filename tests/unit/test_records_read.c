/* host/tools/records/read.c: truncated, damaged and hostile files. */
#include "records_support.h"

#include <fcntl.h>

/* Reads `path`: results, or an error message. */
static rh_status try_to_read(const char *path, rh_records *results) {
  error.message[0] = 0;
  rh_status status = rh_records_read(path, results, &error);
  ck_assert_msg(status == RH_OK || status == RH_E_FILE, "%s", error.message);
  ck_assert(status == RH_OK || error.message[0]);
  return status;
}

static rh_status read_bytes(const char *bytes, size_t length, rh_records *results) {
  return try_to_read(write_file("bytes", bytes, length), results);
}

/* JSON truncated after any byte is never accepted. */
TEST(cut_json) {
  rh_records results = made_up(), some;
  size_t length;
  export(&results, in_dir("a.json"));
  free(contents(in_dir("a.json"), &length));
  length--; /* without its last line break it is whole */
  while (length-- > 0) {
    ck_assert_int_eq(truncate(in_dir("a.json"), (off_t)length), 0);
    ck_assert_msg(try_to_read(in_dir("a.json"), &some) == RH_E_FILE, "%zu", length);
  }
  rh_records_finish(&results);
}

/* Truncated JSONL is accepted with its whole rows. */
TEST(cut_jsonl) {
  rh_records results = made_up(), some;
  size_t length;
  export(&results, in_dir("a.jsonl"));
  char *text = contents(in_dir("a.jsonl"), &length);
  for (size_t k = length; k-- > 0;) {
    size_t lines = 0, of_last = 0; /* lines with their ends; where the last of them ends */
    for (size_t j = 0; j < k; j++)
      if (text[j] == '\n') {
        lines++;
        of_last = j + 1;
      }
    int at_end = text[k] == '\n'; /* all of a line but its end */
    ck_assert_int_eq(truncate(in_dir("a.jsonl"), (off_t)k), 0);
    rh_status status = try_to_read(in_dir("a.jsonl"), &some);
    ck_assert_msg(status == (lines || at_end ? RH_OK : RH_E_FILE), "%zu: %s", k, error.message);
    if (status != RH_OK) continue;
    ck_assert_uint_eq(some.n_rows, lines + (size_t)at_end - 1);
    ck_assert_int_eq(some.is_cut, !at_end && k > of_last);
    ck_assert_uint_eq(some.whole_bytes, at_end ? k : of_last);
    rh_records_finish(&some);
  }
  free(text);
  rh_records_finish(&results);
}

#define HEAD "{\"schema\": \"redhost/1\", \"settings\": {}, \"results\": "
#define POINT(op, type)                                                                            \
  "\"device\": \"0:0\", \"strategy\": \"s\", \"op\": \"" op "\", \"type\": \"" type "\""
#define ROW        POINT("sum", "f32") ", \"n\": 4, \"status\": \"ok\""
#define ONE(row)   HEAD "[{" row "}]}"
#define WITH(more) ONE(ROW ", " more)

TEST(mistakes_are_named) {
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
      {"{\"schema\": \"nvbench/1\", \"results\": []}", "not a redhost result file"},
      {"{\"schema\": \"redhost/1\"}", "has no results"},
      {"{\"schema\": \"redhost/1\", \"results\": {}}", "results: is not an array"},
      {"{\"schema\": \"redhost/1\", \"results\": null}", "results: is not an array"},
      {"{\"schema\": \"redhost/1\", \"schema\": \"redhost/1\", \"results\": []}",
       "duplicate object key"},
      {HEAD "[], \"results\": []}", "duplicate object key"},
      {HEAD "[]} {}", "unexpected data"},
      {HEAD "[]}\n{" ROW "}\n", "unexpected data"},
      {HEAD "[1]}", "a result is not an object"},
      {HEAD "[{" ROW "},]}", "not JSON"},
      {HEAD "[{" ROW "} {" ROW "}]}", "']' expected near"},
      {HEAD "[{" ROW "], {}}", "not JSON"},
      {WITH("\"time_s\": {\"median\": NaN}"), "not JSON"},
      {WITH("\"time_s\": {\"median\": 1e999}"), "not JSON"},
      {WITH("\"time_s\": {\"median\": -1}"), ": results[0]: time_s.median: -1 is not from 0"},
      {WITH("\"time_s\": {\"median\": 1e300}"), "time_s.median"},
      {WITH("\"time_s\": {\"median\": \"1\"}"), "time_s.median: is not a number"},
      {WITH("\"time_s\": {\"samples\": 3}"), "time_s.median: is missing"},
      {WITH("\"time_s\": {\"median\": 1, \"samples\": 0}"), "time_s.samples"},
      {WITH("\"time_s\": {\"median\": 1, \"samples\": 1.5}"), "not a whole number"},
      {WITH("\"time_s\": {\"median\": 1, \"samples\": 4294967296}"), "time_s.samples"},
      {WITH("\"time_s\": {\"median\": 1, \"ci95\": [2, 1]}"), "time_s.ci95: is not an interval"},
      {WITH("\"time_s\": {\"median\": 1, \"ci95\": [1]}"), "time_s.ci95"},
      {WITH("\"time_s\": {\"median\": 1, \"q1\": 3, \"q3\": 2}"), "time_s.q1"},
      {WITH("\"time_s\": {\"median\": 1, \"rounds\": [1, null]}"), "time_s.rounds: number 2"},
      {WITH("\"time_s\": []"), "time_s: is not an object"},
      {WITH("\"params\": [1]"), "params: is not an object"},
      {WITH("\"parts\": {}"), "parts: is not an array"},
      {WITH("\"finishes_on\": 3"), "finishes_on: is not a string"},
      {WITH("\"host_batch_s\": \"1\""), "host_batch_s: is not a number"},
      {WITH("\"flags\": [1]"), "flags"},
      {WITH("\"flags\": [\"noisy\", \"of_tomorrow\"], \"key\": [[]]"), NULL},
      {WITH("\"peer\": 1"), "peer: is neither true nor false"},
      {WITH("\"reproducible\": \"often\""), "reproducible"},
      {WITH("\"check\": {\"value\": \"a\\u0000b\"}"), "not JSON"},
      {WITH("\"reason\": \"\xff\""), "not JSON"},
      {WITH("\"reason\": {}"), "reason: is not a string"},
      {ONE("\"device\": \"0:0\""), "strategy: is missing"},
      {ONE("\"device\": \"0:0\", \"strategy\": \"s\", \"op\": \"sum\""), "type: is missing"},
      {ONE(POINT("plus", "f32")), "op: 'plus' is not one of"},
      {ONE(POINT("sum", "f8")), "type: 'f8'"},
      {ONE(POINT("sum", "f32") ", \"n\": -4"), "n: -4"},
      {ONE(POINT("sum", "f32") ", \"n\": 9007199254740993"), "n: "},
      {ONE(POINT("sum", "f32") ", \"n\": 4, \"status\": \"fine\""), "status: 'fine' is not one of"},
      {HEAD "[{" ROW "}], \"devices\": {}}", "devices: is not an array"},
      {HEAD "[{" ROW "}], \"calibration\": [1]}", "calibration: one of them is not an object"},
      {HEAD "[{" ROW "}], \"tool\": []}", "tool: is not an object"},
      {HEAD "[{" ROW "}], \"new\": 1.5e3, \"newer\": null}", NULL},
      {"\xef\xbb\xbf" HEAD "[]}\n", NULL},
      {"{\"schema\": \"redhost/1\", \"settings\": {}}", NULL},
      {"{\"schema\": \"redhost/1\", \"settings\": {}}\n\n{" ROW "}\r\n", NULL},
      {"{\"schema\": \"redhost/1\", \"settings\": {}}\n{" ROW "}\n{\"n\": 1}\n",
       "line 3: device: is missing"},
      {"{\"schema\": \"redhost/1\", \"settings\": {}}\n{\"n\"\n{" ROW "}\n", "line 2: "},
      {"{\"schema\": \"redhost/1\", \"settings\": {}}\n{\"schema\": \"redhost/1\"}\n",
       "line 2: a second run"},
  };
  rh_records results;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    rh_status status = read_bytes(cases[k].text, strlen(cases[k].text), &results);
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

/* `many` times c between two texts. */
static void assert_refused(const char *before, char c, size_t many, const char *behind,
                           const char *said) {
  size_t length = strlen(before) + many + strlen(behind);
  char *text = malloc(length + 1);
  rh_records results;
  strcpy(text, before);
  memset(text + strlen(before), c, many);
  strcpy(text + strlen(before) + many, behind);
  must_fail(read_bytes(text, length, &results), RH_E_FILE, said);
  free(text);
}

TEST(nothing_is_endless) {
  rh_records results;
  assert_refused("{\"schema\": \"redhost/1\", \"deep\": ", '[', 1 << 20, "}", "not JSON");
  assert_refused(HEAD "[", '[', 1 << 20, "]}", "not JSON");
  int fd = open(in_dir("huge"), O_RDWR | O_CREAT, 0600);
  ck_assert(fd >= 0 && ftruncate(fd, (off_t)2 << 30) == 0);
  close(fd);
  must_fail(rh_records_read(in_dir("huge"), &results, &error), RH_E_FILE, "larger than 1 GiB");
}

TEST(many_rows) {
  FINISHED(rh_records) results = {0};
  FILE *file = fopen(in_dir("many.json"), "w");
  fputs(HEAD "[", file);
  for (int k = 0; k < 100000; k++) fprintf(file, "%s{" ROW "}", k ? ",\n" : "");
  fputs("]}", file);
  fclose(file);
  must(rh_records_read(in_dir("many.json"), &results, &error));
  ck_assert_uint_eq(results.n_rows, 100000);
}
