#include "junit.h"
#include "../core/base/error.h"
#include "../core/base/text.h"
#include "../tools/records/draft.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Escapes text for an attribute.  XML 1.0 has no control characters, and must be valid UTF-8. */
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

/* Formatted from milliseconds, because "%f" would use the locale's decimal comma. */
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

static rh_status cannot(const char *path, rh_error *error) {
  return rh_fail(error, RH_E_FILE, "--junit %s: %s", path, strerror(errno));
}

static rh_status write_whole(const char *path, const rh_text *xml, rh_error *error) {
  rh_draft draft;
  rh_status status = RH_OK;
  if (rh_draft_begin(&draft, path) != 0) return cannot(path, error);
  if (fwrite(xml->s, 1, xml->length, draft.out) != xml->length || rh_draft_end(&draft) != 0)
    status = cannot(path, error);
  rh_draft_finish(&draft);
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
