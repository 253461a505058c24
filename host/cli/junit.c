#include "junit.h"
#include "app.h"

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
  static const char *const tags[] = {
      [RH_PASS] = "",        [RH_SKIP] = "skipped", [RH_WARN] = "system-out",
      [RH_FAIL] = "failure", [RH_CRASH] = "error",  [RH_TIMEOUT] = "error"};
  rh_text_add(xml, "    <testcase");
  add_attribute(xml, "name", rh_show("%s %s", verified->test, verified->title));
  add_attribute(xml, "classname", verified->strategy ? verified->strategy : "file");
  add_seconds(xml, verified->seconds);
  const char *tag = tags[verified->outcome];
  int warns = verified->outcome == RH_WARN, is_bad = rh_outcome_is_bad(verified->outcome);
  rh_text_add(xml, *tag ? "><%s" : "/>\n", tag);
  if (!*tag) return;
  if (!warns) add_attribute(xml, "message", verified->text);
  rh_text_add(xml, warns || is_bad ? ">" : "/></testcase>\n");
  if (!warns && !is_bad) return;
  add_escaped(xml, warns ? verified->text : verified->again);
  rh_text_add(xml, "</%s></testcase>\n", tag);
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

rh_status rh_junit_write(const char *path, const rh_verify_report *reports, uint32_t n,
                         rh_error *error) {
  rh_text xml = {0};
  rh_text_add(&xml, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
  for (uint32_t k = 0; k < n; k++) add_suite(&xml, &reports[k]);
  rh_text_add(&xml, "</testsuites>\n");
  int failed = xml.failed ? ENOMEM : rh_save(path, xml.s, xml.length);
  rh_text_finish(&xml);
  if (!failed) return RH_OK;
  return rh_fail(error, RH_E_FILE, "--junit %s: %s", path, strerror(failed));
}
