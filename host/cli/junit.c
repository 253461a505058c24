#include "junit.h"
#include "../core/base/error.h"
#include "../core/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* As it may stand in an attribute.  XML 1.0 has no control characters at all, and what is not UTF-8 no one can read. */
static void add_escaped(rh_text *xml, const char *s) {
  int plain = rh_is_plain_utf8(s, strlen(s));
  for (; *s; s++) {
    unsigned char c = (unsigned char)*s;
    if (c == '<' || c == '>' || c == '&' || c == '"' || c == '\'')
      rh_text_add(xml, "&#%d;", c);
    else if (c < 0x20 || c == 0x7f || (c >= 0x80 && !plain))
      rh_text_add(xml, "?");
    else
      rh_text_append(xml, s, 1);
  }
}

static void add_attribute(rh_text *xml, const char *name, const char *value) {
  rh_text_add(xml, " %s=\"", name);
  add_escaped(xml, value);
  rh_text_add(xml, "\"");
}

/* Milliseconds as seconds: "%f" would write the locale's comma. */
static void add_seconds(rh_text *xml, double seconds) {
  unsigned long long ms = (unsigned long long)(seconds * 1000 + 0.5);
  rh_text_add(xml, " time=\"%llu.%03llu\"", ms / 1000, ms % 1000);
}

static void add_case(rh_text *xml, const rh_verified *verified) {
  char name[160];
  snprintf(name, sizeof name, "%s %s", verified->test, verified->title);
  rh_text_add(xml, "    <testcase");
  add_attribute(xml, "name", name);
  add_attribute(xml, "classname", verified->strategy ? verified->strategy : "file");
  add_seconds(xml, verified->seconds);
  if (verified->outcome == RH_PASS) {
    rh_text_add(xml, "/>\n");
    return;
  }
  rh_text_add(xml, "><%s",
              verified->outcome == RH_SKIP   ? "skipped"
              : verified->outcome == RH_WARN ? "system-out"
              : verified->outcome == RH_FAIL ? "failure"
                                             : "error");
  if (verified->outcome == RH_WARN) {
    rh_text_add(xml, ">");
    add_escaped(xml, verified->text);
    rh_text_add(xml, "</system-out></testcase>\n");
    return;
  }
  add_attribute(xml, "message", verified->text);
  if (rh_outcome_is_bad(verified->outcome)) {
    rh_text_add(xml, ">");
    add_escaped(xml, verified->again);
    rh_text_add(xml, "</%s></testcase>\n", verified->outcome == RH_FAIL ? "failure" : "error");
  } else {
    rh_text_add(xml, "/></testcase>\n");
  }
}

static void add_suite(rh_text *xml, const rh_verify_report *report) {
  rh_text_add(xml, "  <testsuite");
  add_attribute(xml, "name", report->path);
  rh_text_add(xml, " tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"%u\"", report->n,
              report->counts[RH_FAIL], report->counts[RH_CRASH] + report->counts[RH_TIMEOUT],
              report->counts[RH_SKIP]);
  add_seconds(xml, report->seconds);
  rh_text_add(xml, ">\n");
  for (uint32_t k = 0; k < report->n; k++) add_case(xml, &report->results[k]);
  rh_text_add(xml, "  </testsuite>\n");
}

static rh_status cannot_write(const char *path, rh_error *error) {
  return rh_fail(error, RH_E_FILE, "--junit %s: %s", path, strerror(errno));
}

static int write_text(int fd, const rh_text *xml) {
  FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
  if (!file) {
    if (fd >= 0) close(fd);
    return 0;
  }
  int good = fwrite(xml->s, 1, xml->length, file) == xml->length;
  return fclose(file) == 0 && good;
}

/* A regular file, or none: a new one takes its place when it is whole. */
static rh_status replace(const char *path, const char *new_path, mode_t mode, const rh_text *xml,
                         rh_error *error) {
  int fd = open(new_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (fd < 0) return cannot_write(path, error);
  if (write_text(fd, xml) && rename(new_path, path) == 0) return RH_OK;
  rh_status status = cannot_write(path, error);
  unlink(new_path);
  return status;
}

/* Through links; a device or a pipe is written to, and stays what it is. */
static rh_status write_whole(const char *path, const rh_text *xml, rh_error *error) {
  struct stat st;
  rh_text new_path = {0};
  int is_there = stat(path, &st) == 0;
  if (is_there && !S_ISREG(st.st_mode)) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    return write_text(fd, xml) ? RH_OK : cannot_write(path, error);
  }
  char *real = is_there ? realpath(path, NULL) : rh_copy_string(path);
  if (!real) return cannot_write(path, error);
  rh_text_add(&new_path, "%s.new-%ld", real, (long)getpid());
  rh_status status =
      new_path.failed ? rh_fail(error, RH_E_NOMEM, "no memory for %s", path)
                      : replace(real, new_path.s, is_there ? st.st_mode & 0777 : 0666, xml, error);
  rh_text_finish(&new_path);
  free(real);
  return status;
}

rh_status rh_junit_write(const char *path, const rh_verify_report *reports, uint32_t n,
                         rh_error *error) {
  rh_text xml = {0};
  rh_text_add(&xml, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
  for (uint32_t k = 0; k < n; k++) add_suite(&xml, &reports[k]);
  rh_text_add(&xml, "</testsuites>\n");
  rh_status status = xml.failed ? rh_fail(error, RH_E_NOMEM, "no memory for %s", path)
                                : write_whole(path, &xml, error);
  rh_text_finish(&xml);
  return status;
}
