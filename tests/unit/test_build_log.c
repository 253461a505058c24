/* Build logs of several compilers: places in the files that a program was made of. */
#include "../../host/operators/custom/custom.h"
#include "../suite/suite.h"

/* What stands before the user's file, the file, what stands behind it. */
static const char code[] = "#line 1 \"far.cl\"\n"
                           "float rh_load(float x) {\n"
                           "\treturn q.far + x;\n"
                           "}\n";
static const char source[] = "#define RH_NVIDIA_SM 90\n"
                             "typedef struct { float far; } rh_value;\n"
                             "#line 1 \"far.cl\"\n"
                             "float rh_load(float x) {\n"
                             "\treturn q.far + x;\n"
                             "}\n"
                             "#line 1 \"operator.cl\"\n"
                             "__kernel void k(__global float *a) { a[0] = rh_load(a[0], 2); }\n";

static void expect(const char *log, const char *wanted) {
  char *translated = rh_log_in_files(log, source);
  ck_assert_str_eq(translated, wanted);
  free(translated);
}

TEST(lines_of_the_whole_program) {
  /* NVIDIA's driver 580, and Oclgrind 21 */
  expect("<kernel>:5:9: error: use of undeclared identifier 'q'\n\treturn q.far + x;\n\t       ^\n",
         "far.cl:2:9: error: use of undeclared identifier 'q'\n\treturn q.far + x;\n\t       ^\n");
  expect("input.cl:8:59: error: too many arguments\ninput.cl:4:7: note: declared here",
         "operator.cl:1:59: error: too many arguments\nfar.cl:1:7: note: declared here");
  expect("error: tmp.cl:6:1: expected '}'\n", "error: far.cl:3:1: expected '}'\n");
}

TEST(places_that_stay) {
  /* before the first directive; in headers; beyond the end; without a place; from a compiler that
   * knows the directives, in its own text */
  expect("<kernel>:2:1: error: x\n", "<kernel>:2:1: error: x\n");
  expect("/usr/share/cl.h:5:1: error: x\ncl.h:5:1: x",
         "/usr/share/cl.h:5:1: error: x\ncl.h:5:1: x");
  expect("<kernel>:99:1: error: x\n", "<kernel>:99:1: error: x\n");
  expect("5: error\n:5:1: x\nptxas 5:\n\n", "5: error\n:5:1: x\nptxas 5:\n\n");
  expect("", "");
  expect("far.cl:2:9: error: x\n<kernel>:5:1: note: y\n",
         "far.cl:2:9: error: x\n<kernel>:5:1: note: y\n");
}

static void complains(const char *log, const char *wanted) {
  char complaint[600] = "";
  ck_assert_int_eq(rh_code_complaint(log, code, complaint, sizeof complaint), wanted != NULL);
  if (wanted) ck_assert_str_eq(complaint, wanted);
}

TEST(complaints) {
  complains("warning: far.cl:1:1: error-prone\n"
            "far.cl:2:9: error: unknown 'rh_code_x'; did you mean 'y'?\n",
            "far.cl:2:9: unknown 'rh_x' (did you mean 'y'?), at column 9 of ' return q.far + x;'");
  complains("error: far.cl:2:9: bad\nDevice x failed\n",
            "far.cl:2:9: bad, at column 9 of ' return q.far + x;'");
  complains("operator.cl:1:59: error: too many\nfar.cl:1:7: note: declared here\n",
            "far.cl:1:7: too many, at column 7 of 'float rh_load(float x) {'");
  complains("operator.cl:1:59: error: first\nfar.cl:3:1: error: second\n",
            "far.cl:3:1: second, at column 1 of '}'");
  complains("operator.cl:1:59: error: nested\n",
            "where its functions are used, behind the end of far.cl: nested");
  complains("far.cl:7:1: error: no such line\n",
            "where its functions are used, behind the end of far.cl: no such line");
  complains("ptxas fatal: memory\n", NULL);
  complains("", NULL);
}

TEST(excerpts) {
  char to[RH_EXCERPT_BYTES], line[RH_EXCERPT_BYTES], text[400];
  size_t column;
  memset(text, 'x', sizeof text);
  memcpy(text + 200, "\xc3\xa9q", 3);
  /* every place of lines of several lengths is found again, and is its character */
  for (size_t length = 0; length < sizeof text; length += 57)
    for (size_t at = 0; at <= length; at++) {
      if (at == 201) continue; /* within a character */
      size_t n = 0;
      ck_assert_int_eq(rh_excerpt_find(rh_excerpt(to, text, length, at), line, &column), 1);
      for (size_t k = column; k > 0; n++) k -= ((unsigned char)line[n] & 0xc0) != 0x80;
      while (((unsigned char)line[n] & 0xc0) == 0x80) n++;
      if (at < length && length < 201) ck_assert_int_eq(line[n], text[at]);
      else if (at == length) ck_assert_msg(line[n] == 0, "%zu of %zu: %s", at, length, to);
    }
  rh_excerpt(to, text, sizeof text, 202);
  ck_assert_int_eq(rh_excerpt_find(to, line, &column), 1);
  ck_assert_uint_eq(column, 63);
  ck_assert_mem_eq(line + 62, "\xc3\xa9q", 3);
  ck_assert_int_eq(rh_excerpt_find("x, at column 9 of 'a'", line, &column), 0);
  ck_assert_int_eq(rh_excerpt_find("x, at column 1 of 'a", line, &column), 0);
  ck_assert_int_eq(rh_excerpt_find("x, at column 0 of 'a'", line, &column), 0);
}
