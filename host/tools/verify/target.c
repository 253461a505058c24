#include "target.h"
#include "../../core/plug/elf.h"
#include "../../core/plug/rank.h"
#include "image.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Files ---- */

/* The descriptor may also be in a dependency of the file, which V14 reports. */
static int may_be_a_plugin(const rh_image *image) {
  if (rh_image_defines(image, RH_PLUGIN_SYMBOL)) return 1;
  for (uint32_t k = 0; k < image->n_needed; k++)
    if (!rh_library_is_ordinary(image->needed[k])) return 1;
  return 0;
}

static rh_status check_shared_object(const char *path, int *is_transport, rh_error *error) {
  rh_image image;
  if (rh_elf_check(path, error) != RH_OK || rh_image_read(&image, path, error) != RH_OK) {
    rh_error_prefix(error, "%s", path);
    return error->status = RH_E_FILE;
  }
  *is_transport =
      rh_image_defines(&image, RH_TRANSPORT_SYMBOL) && !rh_image_defines(&image, RH_PLUGIN_SYMBOL);
  int may_be = *is_transport || may_be_a_plugin(&image);
  rh_image_finish(&image);
  if (may_be) return RH_OK;
  return rh_fail(error, RH_E_FILE,
                 "%s: exports neither %s nor %s, so it is neither a plugin nor a transport of "
                 "redhost",
                 path, RH_PLUGIN_SYMBOL, RH_TRANSPORT_SYMBOL);
}

rh_status rh_verify_target(const char *file, char **path, int *is_transport, rh_error *error) {
  struct stat st;
  rh_error own;
  if (!error) error = &own;
  *is_transport = 0;
  if (stat(file, &st) != 0) return rh_fail(error, RH_E_FILE, "%s: %s", file, strerror(errno));
  if (S_ISDIR(st.st_mode))
    return rh_fail(error, RH_E_FILE, "%s: is a directory; name a plugin file in it", file);
  if (!S_ISREG(st.st_mode)) return rh_fail(error, RH_E_FILE, "%s: is not a regular file", file);
  *path = realpath(file, NULL);
  if (!*path) return rh_fail(error, RH_E_FILE, "%s: %s", file, strerror(errno));
  rh_status status = rh_is_foreign(*path) ? RH_OK : check_shared_object(*path, is_transport, error);
  if (status == RH_OK) return RH_OK;
  free(*path);
  *path = NULL;
  return status;
}

/* ---- Lists of tests ---- */

/* The next element of a list: 1 and its bounds; 0 at the end; -1 if it is malformed. */
static int next_range(const char **at, int *low, int *high) {
  char from[4], to[4];
  int length = 0, more = 0;
  if (!*at || !**at) return 0;
  if (sscanf(*at, "%*1[Vv]%3[0-9]%n", from, &length) != 1) return -1;
  int is_range = sscanf(*at + length, "-%*1[Vv]%3[0-9]%n", to, &more) == 1;
  *low = atoi(from);
  *high = is_range ? atoi(to) : *low;
  *at += length + more;
  if (**at && !(**at == ',' && (*at)[1])) return -1;
  *at += **at == ',';
  return *low > 0 && *high >= *low ? 1 : -1;
}

static int list_has(const char *list, int number) {
  int low, high;
  while (next_range(&list, &low, &high) == 1)
    if (number >= low && number <= high) return 1;
  return 0;
}

static rh_status check_list(const char *option, const char *list, rh_error *error) {
  uint32_t n;
  const rh_test *tests = rh_tests(&n);
  int last = 0, low, high, more;
  const char *at = list;
  for (uint32_t k = 0; k < n; k++)
    if (atoi(tests[k].id + 1) > last) last = atoi(tests[k].id + 1);
  if (list && !*list)
    return rh_fail(error, RH_E_USAGE, "--%s is empty; expected tests, as in V01,V10-V15", option);
  while ((more = next_range(&at, &low, &high)) == 1)
    if (high > last)
      return rh_fail(error, RH_E_USAGE, "--%s '%s': there is no V%02d; the last one is V%02d",
                     option, list, high, last);
  if (more == 0) return RH_OK;
  return rh_fail(error, RH_E_USAGE, "--%s '%s': expected tests, as in V01,V10-V15", option, list);
}

rh_status rh_tests_check_lists(const char *include, const char *exclude, rh_error *error) {
  RH_TRY(check_list("include", include, error));
  return check_list("exclude", exclude, error);
}

int rh_test_is_chosen(const rh_test *test, const char *include, const char *exclude) {
  int number = atoi(test->id + 1);
  return (!include || list_has(include, number)) && !(exclude && list_has(exclude, number));
}
