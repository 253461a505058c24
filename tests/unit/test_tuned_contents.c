/* host/choose/tunedb: nothing that is read is trusted, and what cannot be read now stays. */
#include "tuned_support.h"

#include <sys/resource.h>

#define HEAD                                                                                       \
  "{\"schema\":\"redhost-tuned/1\",\"devices\":[{\"platform\":\"Maker\",\"device\":\"Board\","     \
  "\"driver\":\"1\",\"processor\":\"@\",\"entries\":["
#define PLACE  "\"strategy\":\"s\",\"op\":\"sum\",\"type\":\"f32\""
#define GOOD   "{" PLACE ",\"n\":1024,\"time_s\":1.0}"
#define TAIL   "]}]}"
#define ONE(e) HEAD "{" PLACE e "}" TAIL

CASES(all, .set_up = set_up, .tear_down = tear_down)

TEST(what_is_good_is_read) {
  write_text(HEAD GOOD ",{\"strategy\":\"s\",\"op\":\"median\",\"type\":\"f32\",\"n\":1},"
                       "{" PLACE ",\"n\":1,\"length\":1,\"distribution\":\"unheard\",\"time_s\":3},"
                       "{" PLACE ",\"n\":\"18446744073709551615\",\"time_s\":2,\"colour\":3,"
                       "\"plugin\":\"0000000000000007\",\"params\":{}}]}],\"author\":[]}");
  reopen(&device);
  ck_assert_int_eq(n_warnings, 0);
  ck_assert_uint_eq(rh_tunedb_count(tuned), 2); /* what only a later redhost knows is ignored */
  ck_assert(time_of(RH_OP_sum, RH_TYPE_f32, 1, 1) == 1);
  ck_assert(time_of(RH_OP_sum, RH_TYPE_f32, UINT64_MAX, 1) == 2);
  put("s", RH_OP_sum, RH_TYPE_f32, 1024, 9);
  close_it();
  static const char *const kept[] = {"median", "unheard", "colour", "author",
                                     "18446744073709551615"};
  for (size_t k = 0; k < sizeof kept / sizeof *kept; k++)
    ck_assert_msg(strstr(read_text(), kept[k]) != NULL, "%s is lost", kept[k]);
}

static const char *const damaged[] = {
    "",
    "{",
    "null",
    "[]",
    "{}",
    "{\"schema\":1}",
    "{\"schema\":\"redhost-tuned/1\"}",
    "{\"schema\":\"redhost-tuned/1\",\"devices\":{}}",
    "{\"schema\":\"redhost-tuned/1\",\"devices\":[1]}",
    "{\"schema\":\"redhost-tuned/1\",\"entries\":[]}",
    "{\"schema\":\"redhost-tuned/1\",\"devices\":[{\"device\":\"d\"}]}",
    "{\"schema\":\"redhost-tuned/1\",\"devices\":[{\"entries\":[]}]}",
    "{\"schema\":\"redhost-tuned/1\",\"devices\":[{\"device\":\"d\\u001b\",\"entries\":[]}]}",
    "{\"schema\":\"redhost-tuned/1\",\"devices\":[{\"device\":\"d\",\"driver\":1,\"entries\":[]}]}",
    "{\"schema\":\"redhost-tuned/0\",\"devices\":[]}",
    "{\"schema\":\"redhost-tuned/2x\",\"devices\":[]}",
    "{\"schema\":\"redhost-tuned/\",\"devices\":[]}",
    "{\"schema\":\"redhost/2\",\"devices\":[]}",
    HEAD GOOD "]}]",
    HEAD GOOD TAIL "}",
    HEAD "1" TAIL,
    HEAD "{" PLACE "}" TAIL,
    HEAD "{\"op\":\"sum\",\"type\":\"f32\",\"n\":1}" TAIL,
    HEAD "{\"strategy\":\"../x\",\"op\":\"sum\",\"type\":\"f32\",\"n\":1}" TAIL,
    HEAD "{\"strategy\":\"s\",\"op\":1,\"type\":\"f32\",\"n\":1}" TAIL,
    HEAD "{\"strategy\":\"s\",\"op\":\"sum\",\"n\":1}" TAIL,
    ONE(",\"n\":1,\"n\":2"),
    ONE(",\"n\":-1"),
    ONE(",\"n\":1.5"),
    ONE(",\"n\":9007199254740992"),
    ONE(",\"n\":\"18446744073709551616\""),
    ONE(",\"n\":\"\""),
    ONE(",\"n\":\" 1\""),
    ONE(",\"n\":\"-1\""),
    ONE(",\"n\":1,\"time_s\":-1e-6"),
    ONE(",\"n\":1,\"time_s\":1e999"),
    ONE(",\"n\":1,\"time_s\":1e10"),
    ONE(",\"n\":1,\"time_s\":\"1\""),
    ONE(",\"n\":1,\"latency_s\":NaN"),
    ONE(",\"n\":1,\"latency_s\":-0.5"),
    ONE(",\"n\":1,\"failed\":1"),
    ONE(",\"n\":1,\"searched\":\"yes\""),
    ONE(",\"n\":1,\"plugin\":7"),
    ONE(",\"n\":1,\"plugin\":\"7\""),
    ONE(",\"n\":1,\"plugin\":\"000000000000000G\""),
    ONE(",\"n\":1,\"length\":1"),
    ONE(",\"n\":1,\"distribution\":\"fixed\""),
    ONE(",\"n\":1,\"length\":0,\"distribution\":\"fixed\""),
    ONE(",\"n\":1,\"length\":-1,\"distribution\":\"fixed\""),
    ONE(",\"n\":1,\"length\":1,\"distribution\":1"),
    ONE(",\"n\":1,\"params\":[]"),
    ONE(",\"n\":1,\"params\":{\"group\":256}"),
    ONE(",\"n\":1,\"params\":{\"\":\"256\"}"),
    ONE(",\"n\":1,\"params\":{\"a b\":\"256\"}"),
    ONE(",\"n\":1,\"params\":{\"group\":\"\"}"),
    ONE(",\"n\":1,\"params\":{\"group\":\"2\\n56\"}"),
    ONE(",\"n\":1,\"params\":{\"group\":\"0123456789012345678901234567890123456789012345678\"}"),
    ONE(",\"n\":1,\"params\":{\"a\":\"1\",\"b\":\"1\",\"c\":\"1\",\"d\":\"1\",\"e\":\"1\",\"f\":"
        "\"1\",\"g\":\"1\",\"h\":\"1\",\"i\":\"1\",\"j\":\"1\",\"k\":\"1\",\"l\":\"1\",\"m\":\"1\","
        "\"n\":\"1\",\"o\":\"1\",\"p\":\"1\",\"q\":\"1\"}"),
    HEAD GOOD "," GOOD ",{\"strategy\":\"s\\u0000\",\"op\":\"sum\",\"type\":\"f32\",\"n\":1}" TAIL,
};

/* Set aside with one warning, and a new one is begun. */
static void check_set_aside(const char *says) {
  reopen(&device);
  ck_assert_msg(n_warnings == 1, "%d warnings", n_warnings);
  ck_assert_msg(strstr(warnings, says) && strstr(warnings, in_dir("tuned.json")), "%s", warnings);
  ck_assert(is_there("tuned.json.bad") && !is_there("tuned.json"));
  ck_assert_uint_eq(rh_tunedb_count(tuned), 0);
  ck_assert_ptr_null(rh_tunedb_find(tuned, asked("s", 7, RH_OP_sum, RH_TYPE_f32, 0, 1)));
  put("s", RH_OP_sum, RH_TYPE_f32, 1, 1);
  reopen(&device);
  ck_assert_uint_eq(rh_tunedb_count(tuned), 1);
  ck_assert_int_eq(n_warnings, 1);
}

TEST_LOOP(what_is_damaged_is_set_aside, 0, sizeof damaged / sizeof *damaged) {
  write_text(damaged[_i]);
  check_set_aside("renamed to tuned.json.bad");
}

TEST(too_much_is_set_aside) {
  FILE *file = fopen(in_dir("tuned.json"), "wb");
  fputs(HEAD GOOD, file);
  for (int k = 0; k < RH_TUNED_MOST_ENTRIES; k++) fputs("," GOOD, file);
  fputs(TAIL, file);
  fchmod(fileno(file), 0644);
  fclose(file);
  check_set_aside("are more than");
}

TEST(too_large_is_set_aside) {
  write_text(HEAD GOOD TAIL);
  ck_assert_int_eq(truncate(in_dir("tuned.json"), RH_TUNED_MOST_BYTES + 1), 0);
  check_set_aside("far too large");
}

TEST_LOOP(of_somebody_else, 0, 5) {
  write_text(HEAD GOOD TAIL);
  switch (_i) {
  case 0:
    if (geteuid() != 0) return;
    ck_assert_int_eq(chown(in_dir("tuned.json"), 0, 12345), 0);
    ck_assert_int_eq(chmod(in_dir("tuned.json"), 0620), 0);
    break;
  case 1: chmod(in_dir("tuned.json"), 0602); break;
  case 2:
    if (geteuid() != 0) return;
    ck_assert_int_eq(chown(in_dir("tuned.json"), 65534, 65534), 0);
    break;
  case 3:
    unlink(in_dir("tuned.json"));
    ck_assert_int_eq(mkfifo(in_dir("tuned.json"), 0600), 0);
    break;
  case 4:
    unlink(in_dir("tuned.json"));
    ck_assert_int_eq(mkdir(in_dir("tuned.json"), 0700), 0);
    break;
  }
  static const char *const says[] = {"is writable by group 12345", "is writable by everyone",
                                     "belongs to another user", "is not a regular file",
                                     "is not a regular file"};
  check_set_aside(says[_i]);
}

/* Too many open files are not the file's fault: it is kept, and complete when it can be read
 * again. */
TEST(what_cannot_be_read_now_stays) {
  struct rlimit limit, none;
  write_text(HEAD GOOD TAIL);
  ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
  none = (struct rlimit){0, limit.rlim_max};
  ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
  reopen(&device);
  int n = n_warnings;
  put("s", RH_OP_sum, RH_TYPE_f32, 1, 2);
  ck_assert_int_eq(rh_tunedb_settle(tuned, &error), RH_E_FILE);
  ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
  ck_assert(n == 1 && n_warnings == 1 && strstr(warnings, "cannot be opened just now"));
  ck_assert(rh_tunedb_count(tuned) == 1 && !is_there("tuned.json.bad"));
  must(rh_tunedb_settle(tuned, &error));
  ck_assert_uint_eq(rh_tunedb_count(tuned), 2);
  reopen(&device);
  ck_assert(rh_tunedb_count(tuned) == 2 && n_warnings == 1);
}

/* Another process could hold it for ever. */
TEST(a_lock_of_others) {
  reopen(&device);
  fclose(fopen(in_dir("tuned.lock"), "w"));
  ck_assert_int_eq(chmod(in_dir("tuned.lock"), 0666), 0);
  put("s", RH_OP_sum, RH_TYPE_f32, 1, 2);
  must_fail(rh_tunedb_settle(tuned, &error), RH_E_FILE, "tuned.lock beside it is not trusted");
  ck_assert(!is_there("tuned.json"));
  ck_assert_int_eq(unlink(in_dir("tuned.lock")), 0);
  must(rh_tunedb_settle(tuned, &error));
}

/* It cannot be renamed either: it is not used, and new entries are kept in memory. */
TEST(cannot_be_set_aside) {
  write_text("{");
  ck_assert_int_eq(mkdir(in_dir("tuned.json.bad"), 0700), 0);
  reopen(&device);
  ck_assert_int_eq(n_warnings, 1);
  put("s", RH_OP_sum, RH_TYPE_f32, 1, 1);
  put("s", RH_OP_sum, RH_TYPE_f32, 2, 2);
  ck_assert_uint_eq(rh_tunedb_count(tuned), 2);
  close_it();
  ck_assert_int_eq(n_warnings, 1);
  ck_assert_str_eq(read_text(), "{");
}

TEST(a_later_schema_stays) {
  static const char later[] = "{\"schema\":\"redhost-tuned/2\",\"devices\":7}";
  write_text(later);
  reopen(&device);
  ck_assert(n_warnings == 1 && strstr(warnings, "redhost-tuned/2"));
  put("s", RH_OP_sum, RH_TYPE_f32, 1, 1);
  rh_tunedb_blame(tuned, asked("s", 7, RH_OP_max, RH_TYPE_f32, 0, 1));
  ck_assert(rh_tunedb_count(tuned) == 1 &&
            rh_tunedb_has_failed(tuned, asked("s", 7, RH_OP_max, RH_TYPE_f32, 0, 1)));
  close_it();
  ck_assert_int_eq(n_warnings, 1);
  ck_assert_str_eq(read_text(), later);
  ck_assert(!is_there("tuned.json.bad"));
}
